//! The wordings that a campaign brings: rows of the same form as those of the tables, tried before them.

use crate::{
    definition::WordingDefinition,
    parse::{
        clauses::{SentenceClause, begins_question},
        leads::strip,
        patterns::Construction,
        tokens::Token,
        trace::{self, GRAMMAR_FILE, ReadingRow},
    },
    world::World,
};

impl WordingDefinition {
    pub(super) fn construction(&self) -> Construction<'_> {
        Construction { pattern: &self.wording, plain: &self.meaning, example: &self.example }
    }
}

/// The first row of the campaign that fits a clause, by its line, and the clause in plainer words.
pub(super) fn first(world: &World, clause: &[Token]) -> Option<(u32, Vec<Token>)> {
    let mut rows = world.definition.wordings.iter();
    rows.find_map(|row| {
        let plain = row.construction().plainer(world, clause)?;
        let place = || ReadingRow {
            file: GRAMMAR_FILE.to_owned(),
            line: row.line,
            ..row.construction().row()
        };
        trace::row(place, &plain);
        Some((row.line, plain))
    })
}

/// The clause in plainer words, if a row of the campaign fits it.
pub(super) fn plainer(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    first(world, clause).map(|(_, plain)| plain)
}

/// The clause in plainer words before anything else is made of it, if a row of the campaign fits it as it was said.
pub(super) fn as_said(world: &World, clause: &SentenceClause) -> Option<SentenceClause> {
    let tokens = plainer(world, strip(&clause.tokens))?;
    let is_asked = clause.is_asked && begins_question(&tokens);
    Some(SentenceClause { tokens, is_asked, ..clause.clone() })
}
