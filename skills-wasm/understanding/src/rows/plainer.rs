//! The rules that say a clause in plainer words, by the deed that they tell: the tables of `wordings`, with functions for what no
//! pattern can say.

mod by_way;
mod going;
mod looking;
mod rule;
mod taking;
mod unknown_verbs;
mod using;

#[cfg(test)]
pub(crate) mod tests;

use world_model::world::World;

use crate::{
    clause::own_wordings,
    names::described,
    rows::{gifts, patterns::WordingTable, recording, sentence_rows, telegraphic},
    trace::{self, GRAMMAR_FILE, ReadingRow},
    words::{
        needed_words::{ClauseWords, NeededWords},
        tokens::Token,
    },
};
use rule::{PlainerRule, pattern};

include!(concat!(env!("OUT_DIR"), "/wordings.rs"));

/// The rules by the deed that they tell, in the order in which they are tried.
const TABLES: &[WordingTable<PlainerRule>] =
    &[LOOKING, OPENING, USING, TALKING, GIVING, PUTTING, DRESSING, TAKING, SEARCHING, GOING];

/// What is tried when no row fits.
const LAST: WordingTable<PlainerRule> = WordingTable {
    file: "unknown_verbs.rs",
    rows: &[(0, PlainerRule::Function("framed", unknown_verbs::framed))],
};

/// The clause with the verb that a noun stands for: `take a closer look at the plant`.
pub(crate) fn light_verb(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    by_table(&LIGHT, world, clause).map(|(plain, _)| plain)
}

/// How often a clause is read by the rows again: a row of a campaign may lead to itself.
const AGAIN_MAX: usize = 4;

/// The clause in plainer words, if a row of the campaign or one of the rules fits. It begins with its verb.
pub(crate) fn plainer(world: &World, clause: &[Token], is_asked: bool) -> Option<Vec<Token>> {
    plainer_again(world, clause, is_asked, AGAIN_MAX)
}

/// The same, if that may be done so often.
fn plainer_again(
    world: &World,
    clause: &[Token],
    is_asked: bool,
    most: usize,
) -> Option<Vec<Token>> {
    let most = most.checked_sub(1)?;
    let (plain, is_read_again) =
        own_wordings::plainer(world, clause).or_else(|| by_tables(world, clause, is_asked))?;
    let again = is_read_again.then(|| plainer_again(world, &plain, false, most));
    Some(again.flatten().unwrap_or(plain))
}

/// The clause in plainer words by the first row of the tables that fits, and whether it is read again.
fn by_tables(world: &World, clause: &[Token], is_asked: bool) -> Option<(Vec<Token>, bool)> {
    let orders: &[_] = if is_asked { &[] } else { &[ORDERS] };
    let mut tables = orders.iter().chain(TABLES).chain([&LAST]);
    tables.find_map(|table| by_table(table, world, clause))
}

/// The same by the rows of one table.
fn by_table(
    table: &WordingTable<PlainerRule>,
    world: &World,
    clause: &[Token],
) -> Option<(Vec<Token>, bool)> {
    let words = ClauseWords::of(clause);
    table.rows.iter().find_map(|(line, rule)| {
        let (plain, is_read_again) = match rule {
            PlainerRule::Function(_, rule) => (rule(world, clause)?, false),
            PlainerRule::Pattern(row) if !words.may_fit(row.needed) => return None,
            PlainerRule::Pattern(row) => (row.plainer(world, clause)?, row.is_read_again()),
        };
        trace::row(|| rule.row().at(table.file, *line), &plain);
        Some((plain, is_read_again))
    })
}

impl PlainerRule {
    /// The rule for people, without the place where it stands.
    fn row(&self) -> ReadingRow {
        match self {
            PlainerRule::Pattern(construction) => construction.row(),
            PlainerRule::Function(name, _) => {
                ReadingRow { wording: format!("fn {name}"), ..ReadingRow::default() }
            }
        }
    }
}

/// All rows of the tables, as the program has them.
pub(crate) fn rows() -> impl Iterator<Item = ReadingRow> {
    let deeds = [&ORDERS, &LIGHT]
        .into_iter()
        .chain(TABLES)
        .flat_map(|table| table.rows.iter().map(|(line, rule)| rule.row().at(table.file, *line)));
    deeds.chain(sentence_rows::rows())
}

/// The row with the place where it stands: in the campaign, or in a table.
pub(crate) fn placed(world: &World, row: ReadingRow) -> ReadingRow {
    let own = world.definition.wordings.iter();
    let own = own.filter(|own| own.wording == row.wording).map(|own| own.line).next();
    match own {
        Some(line) => row.at(GRAMMAR_FILE, line),
        None => rows()
            .find(|known| known.wording == row.wording && known.meaning == row.meaning)
            .unwrap_or(row),
    }
}
