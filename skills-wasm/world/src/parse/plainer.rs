//! The rules that say a clause in plainer words, by the deed that they tell: the tables of `wordings`, with functions for what no
//! pattern can say.

mod by_way;
mod dressing;
mod giving;
mod going;
mod looking;
mod opening;
mod orders;
mod putting;
mod rule;
mod searching;
mod taking;
mod talking;
mod unknown_verbs;
mod using;

#[cfg(test)]
mod tests;

use crate::{
    parse::{
        own_wordings,
        tokens::Token,
        trace::{self, GRAMMAR_FILE, ReadingRow},
    },
    world::World,
};
use rule::PlainerRule;

/// The rules of a table, and where each stands.
struct WordingTable {
    file: &'static str,
    rules: &'static [PlainerRule],
    /// The line, and the name of a function.
    lines: &'static [(u32, &'static str)],
}

macro_rules! tables {
    ($($deed:ident)*) => {
        &[$(WordingTable {
            file: concat!(stringify!($deed), ".tsv"),
            rules: $deed::RULES,
            lines: $deed::LINES,
        },)*]
    };
}

/// The rules that only an order has.
const ORDERS: &[WordingTable] = tables! { orders };

/// The rules by the deed that they tell, in the order in which they are tried.
const TABLES: &[WordingTable] = tables! {
    looking opening using talking giving putting dressing taking searching going
};

/// What is tried when no row fits.
const LAST: WordingTable = WordingTable {
    file: "unknown_verbs.rs",
    rules: &[PlainerRule::Function(unknown_verbs::framed)],
    lines: &[(0, "framed")],
};

/// The clause in plainer words, if a row of the campaign or one of the rules fits. It begins with its verb.
pub(super) fn plainer(world: &World, clause: &[Token], is_asked: bool) -> Option<Vec<Token>> {
    if let Some(plain) = own_wordings::plainer(world, clause) {
        return Some(plain);
    }
    let orders = if is_asked { &[] } else { ORDERS };
    let mut tables = orders.iter().chain(TABLES).chain([&LAST]);
    tables.find_map(|table| {
        let mut rules = table.rules.iter().enumerate();
        let (at, plain) = rules.find_map(|(at, rule)| Some((at, rule.plainer(world, clause)?)))?;
        trace::row(|| table.row(at), &plain);
        Some(plain)
    })
}

impl PlainerRule {
    fn plainer(&self, world: &World, clause: &[Token]) -> Option<Vec<Token>> {
        match self {
            PlainerRule::Pattern(construction) => construction.plainer(world, clause),
            PlainerRule::Function(rule) => rule(world, clause),
            PlainerRule::Led(rule) => {
                let rest = rule(clause)?;
                Some(plainer(world, rest, false).unwrap_or_else(|| rest.to_vec()))
            }
        }
    }
}

impl WordingTable {
    /// The row of a rule, for people.
    fn row(&self, at: usize) -> ReadingRow {
        let (line, function) = self.lines.get(at).copied().unwrap_or_default();
        let row = match self.rules.get(at) {
            Some(PlainerRule::Pattern(construction)) => construction.row(),
            _ => ReadingRow { wording: format!("fn {function}"), ..ReadingRow::default() },
        };
        ReadingRow { file: self.file.to_owned(), line, ..row }
    }
}

/// All rows of the tables, as the program has them.
pub(super) fn rows() -> impl Iterator<Item = ReadingRow> {
    let tables = ORDERS.iter().chain(TABLES);
    tables.flat_map(|table| (0..table.rules.len()).map(|at| table.row(at)))
}

/// The row with the place where it stands: in the campaign, or in a table.
pub(super) fn placed(world: &World, row: ReadingRow) -> ReadingRow {
    let own = world.definition.wordings.iter();
    let own = own.filter(|own| own.wording == row.wording).map(|own| own.line).next();
    match own {
        Some(line) => ReadingRow { file: GRAMMAR_FILE.to_owned(), line, ..row },
        None => rows().find(|known| known.wording == row.wording).unwrap_or(row),
    }
}
