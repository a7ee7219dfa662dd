//! The rows of `wordings` that are no deeds: asides, which mean nothing; words that stand in another order; and what a clause is as
//! a whole, such as a remark.

use english::WordClass;

use crate::{
    parse::{
        patterns::Construction,
        tokens::{Token, is_mark, word_at},
    },
    world::World,
};

include!(concat!(env!("OUT_DIR"), "/sentence_rows.rs"));

/// Returns true if a deed may end in front of the token and another begin behind it.
pub(super) fn ends_deed(token: &Token) -> bool {
    is_mark(token) || token.is(WordClass::BetweenDeeds)
}

/// Whether an aside may end in front of these tokens: at a mark, or before `and I` and `and take`.
fn ends_aside(rest: &[Token]) -> bool {
    let next = word_at(rest, 1);
    rest.first().is_none_or(is_mark)
        || rest[0].is(WordClass::BetweenDeeds)
            && (WordClass::PlayerSubject.has(next) || english::is_verb(next))
}

/// The length of the aside at the beginning: `my heart pounding`, `isn't he`.
pub(super) fn aside(world: &World, rest: &[Token]) -> Option<usize> {
    ASIDES.iter().find_map(|row| row.turned(world, rest, ends_aside)).map(|(_, len)| len)
}

/// The deed at the beginning in the usual order, and how many tokens tell it: `off comes the hat`, `the fork I take`.
pub(super) fn in_order(world: &World, rest: &[Token]) -> Option<(Vec<Token>, usize)> {
    let ends = |rest: &[Token]| rest.first().is_none_or(ends_deed);
    WORD_ORDER.iter().find_map(|row| row.turned(world, rest, ends))
}

/// What a clause is as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClauseKind {
    /// It says how things are: `it is too dark`, `the torch might come in handy`.
    Remark,
    /// It leaves something as it is: `leave the lamp alone`.
    LeftAlone,
    /// It denies a deed: `I did not do it`, which asks nothing although `did not do it` might.
    Denial,
}

/// Returns true if the clause is of this kind.
pub(super) fn is(world: &World, kind: ClauseKind, clause: &[Token]) -> bool {
    let name = match kind {
        ClauseKind::Remark => "remark",
        ClauseKind::LeftAlone => "left alone",
        ClauseKind::Denial => "denial",
    };
    CLAUSES.iter().any(|row| row.plain == name && row.plainer(world, clause).is_some())
}

/// All rows.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static Construction> {
    [ASIDES, WORD_ORDER, CLAUSES].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{plainer::tests::storehouse, tokens::tokens};

    #[test]
    fn each_row_fits_its_example_and_nothing_else_of_it() {
        let world = storehouse();
        let whole = |rest: &[Token]| rest.iter().all(is_mark);
        let wrong: Vec<&str> = [ASIDES, WORD_ORDER, CLAUSES]
            .concat()
            .iter()
            .filter(|row| row.turned(&world, &tokens(row.example, &world), whole).is_none())
            .map(|row| row.example)
            .collect();
        assert_eq!(wrong, [""; 0]);
    }
}
