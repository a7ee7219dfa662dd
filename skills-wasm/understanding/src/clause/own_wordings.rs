//! The wordings that a campaign brings: rows of the same form as those of the tables, tried before them.

use world_model::{definition::WordingDefinition, world::World};

use crate::{
    rows::patterns::Construction,
    sentence::clauses::{SentenceClause, begins_question},
    trace::{self, GRAMMAR_FILE},
    words::{leads::strip, needed_words::NeededWords, tokens::Token},
};

impl<'r> From<&'r WordingDefinition> for Construction<'r> {
    fn from(row: &'r WordingDefinition) -> Construction<'r> {
        Construction {
            pattern: &row.wording,
            plain: &row.meaning,
            example: &row.example,
            needed: NeededWords::NONE,
        }
    }
}

/// The first row of the campaign that fits a clause, and the clause in plainer words.
fn fitting<'w>(world: &'w World, clause: &[Token]) -> Option<(&'w WordingDefinition, Vec<Token>)> {
    let mut rows = world.definition.wordings.iter();
    rows.find_map(|row| {
        let plain = Construction::from(row).plainer(world, clause)?;
        trace::row(|| Construction::from(row).row().at(GRAMMAR_FILE, row.line), &plain);
        Some((row, plain))
    })
}

/// The first row of the campaign that fits a clause, by its line, and the clause in plainer words.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn first(world: &World, clause: &[Token]) -> Option<(u32, Vec<Token>)> {
    fitting(world, clause).map(|(row, plain)| (row.line, plain))
}

/// The clause in plainer words, if a row of the campaign fits it, and whether it is read by the rows again.
pub(crate) fn plainer(world: &World, clause: &[Token]) -> Option<(Vec<Token>, bool)> {
    fitting(world, clause).map(|(row, plain)| (plain, Construction::from(row).is_read_again()))
}

/// The clause in plainer words before anything else is made of it, if a row of the campaign fits it as it was said.
pub(crate) fn as_said(world: &World, clause: &SentenceClause) -> Option<SentenceClause> {
    let (_, tokens) = fitting(world, strip(&clause.tokens))?;
    let is_asked = clause.is_asked && begins_question(&tokens);
    Some(SentenceClause { tokens, is_asked, ..clause.clone() })
}
