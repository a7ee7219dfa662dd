//! The rows of `wordings` that are no deeds: who tells of the player; phrases, which are said otherwise wherever they stand; asides,
//! which mean nothing; words that stand in another order; whole sentences: what is taken back, and names that stand apart from
//! their pronouns; and what a clause is as a whole, such as a remark.

use english::WordClass;
use world_model::world::World;

use crate::{
    rows::patterns::{Construction, WordingTable},
    trace::{self, ReadingRow},
    words::{
        needed_words::{ClauseWords, NeededWords},
        tokens::{Token, ends_sentence, is_mark, word_at},
    },
};

include!(concat!(env!("OUT_DIR"), "/sentence_rows.rs"));

/// A row of the tables.
const fn pattern(
    pattern: &'static str,
    plain: &'static str,
    example: &'static str,
    needed: NeededWords,
) -> Construction<'static> {
    Construction { pattern, plain, example, needed }
}

/// Returns true if a deed may end in front of the token and another begin behind it.
fn ends_deed(token: &Token) -> bool {
    is_mark(token) || token.is(WordClass::BetweenDeeds)
}

/// Returns true if what follows is no part of the deed, or says why.
fn ends_phrase(token: &Token) -> bool {
    ends_deed(token) || ["so", "because", "while"].contains(&token.word())
}

/// Whether an aside may end in front of these tokens: at a mark, or before `and I` and `and take`.
fn ends_aside(rest: &[Token]) -> bool {
    let next = word_at(rest, 1);
    rest.first().is_none_or(is_mark)
        || rest[0].is(WordClass::BetweenDeeds)
            && (WordClass::PlayerSubject.has(next) || english::is_verb(next))
}

/// The tokens without asides behind commas: `my heart pounding`, `isn't he`.
pub(crate) fn without_asides(world: &World, tokens: &[Token]) -> Vec<Token> {
    let shown = |_: &[Token], left_out: &[Token]| format!("left out: {}", trace::shown(left_out));
    replaced(tokens, |before, rest| {
        let (comma, behind) = rest.split_first()?;
        before.filter(|_| *comma == Token::Comma)?;
        let (plain, len) = turned(&ASIDES, world, behind, ends_aside, shown)?;
        Some((plain, len + 1))
    })
}

/// The tokens with words that another phrase says more plainly, wherever they stand: `that hat of yours`, `just a crack`.
pub(crate) fn reworded(world: &World, tokens: &[Token]) -> Vec<Token> {
    replaced(tokens, |_, rest| {
        turned(&PHRASES, world, rest, |_| true, |plain, _| trace::shown(plain))
    })
}

/// The tokens with each deed in the usual order: `to the stable I go and in the hay I search`.
pub(crate) fn all_in_order(world: &World, tokens: &[Token]) -> Vec<Token> {
    replaced(
        tokens,
        |before, rest| {
            if before.is_none_or(ends_deed) { in_order(world, rest) } else { None }
        },
    )
}

/// What a player says, and what is left of it.
pub(crate) struct CorrectedTokens {
    pub(crate) kept: Vec<Token>,
    /// What is no longer there.
    pub(crate) taken_back: Vec<Token>,
}

/// The tokens without what the player takes back: `take the cake, no, wait, the candle`.
pub(crate) fn corrected(world: &World, tokens: Vec<Token>) -> CorrectedTokens {
    let kept = sentences(&CORRECTIONS, world, &tokens, |_| true);
    let begin = kept.iter().zip(&tokens).take_while(|(kept, said)| kept == said).count();
    let rest = &tokens[begin..];
    let both = kept[begin..].iter().rev().zip(rest.iter().rev());
    let end = both.take_while(|(kept, said)| kept == said).count();
    CorrectedTokens { taken_back: rest[..rest.len() - end].to_vec(), kept }
}

/// The tokens with each sentence in plainer words: `the lamp, light it`, `ahem, tell me, where is she?`
pub(crate) fn in_plain_sentences(world: &World, tokens: &[Token]) -> Vec<Token> {
    sentences(&SENTENCES, world, tokens, |_| true)
}

/// The tokens with the player as `I`, or left out, where the sentence tells of them: `with trembling hand she turned the key`.
/// Later sentences are about the player if they begin as the first one.
pub(crate) fn of_player(world: &World, tokens: &[Token]) -> Vec<Token> {
    let has_i = tokens.iter().any(|token| token.word() == "i");
    sentences(&PERSON, world, tokens, |first| {
        Some(first) == tokens.first() && !(has_i && first.is(WordClass::ThirdPerson))
    })
}

/// The tokens with each sentence that begins so as the first row says it that fits the whole.
fn sentences(
    table: &WordingTable<Construction<'static>>,
    world: &World,
    tokens: &[Token],
    begins: impl Fn(&Token) -> bool,
) -> Vec<Token> {
    let ends = |rest: &[Token]| rest.first().is_none_or(ends_sentence);
    replaced(tokens, |before, rest| {
        let begins = before.is_none_or(ends_sentence) && begins(&rest[0]);
        begins.then(|| turned(table, world, rest, ends, |plain, _| trace::shown(plain)))?
    })
}

/// The tokens with other ones for those that a row fits. `row` is given the token before, and what follows it.
fn replaced(
    tokens: &[Token],
    row: impl Fn(Option<&Token>, &[Token]) -> Option<(Vec<Token>, usize)>,
) -> Vec<Token> {
    let mut said = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if let Some((mut plain, len)) = row(said.last(), &tokens[at..]) {
            said.append(&mut plain);
            at += len;
        } else {
            said.push(tokens[at].clone());
            at += 1;
        }
    }
    said
}

/// The deed at the beginning in the usual order, and how many tokens tell it: `off comes the hat`, `the fork I take`.
pub(crate) fn in_order(world: &World, rest: &[Token]) -> Option<(Vec<Token>, usize)> {
    let ends = |rest: &[Token]| rest.first().is_none_or(ends_phrase);
    turned(&WORD_ORDER, world, rest, ends, |plain, _| trace::shown(plain))
}

/// What the first row that fits the beginning of the tokens makes of it, and how many tokens that are. `shown` tells a reader of
/// the trace what became of them. What the row says to read again is shorter, or has a pronoun less.
fn turned(
    table: &WordingTable<Construction<'static>>,
    world: &World,
    rest: &[Token],
    ends: fn(&[Token]) -> bool,
    shown: fn(&[Token], &[Token]) -> String,
) -> Option<(Vec<Token>, usize)> {
    let words = ClauseWords::of(rest);
    table.rows.iter().filter(|(_, row)| words.may_fit(row.needed)).find_map(|(line, row)| {
        let (plain, len) = row.turned(world, rest, ends)?;
        trace::part_row(|| row.row().at(table.file, *line), || shown(&plain, &rest[..len]));
        let again = || turned(table, world, &plain, ends, shown);
        let plainer = row.is_read_again().then(again).flatten();
        Some((plainer.map_or(plain, |(plainer, _)| plainer), len))
    })
}

/// What a clause is as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClauseKind {
    /// It says how things are: `it is too dark`, `the torch might come in handy`.
    Remark,
    /// It leaves something as it is: `leave the lamp alone`.
    LeftAlone,
    /// It denies a deed: `I did not do it`, which asks nothing although `did not do it` might.
    Denial,
}

/// Returns true if the clause is of this kind.
pub(crate) fn is(world: &World, kind: ClauseKind, clause: &[Token]) -> bool {
    let name = match kind {
        ClauseKind::Remark => "remark",
        ClauseKind::LeftAlone => "left alone",
        ClauseKind::Denial => "denial",
    };
    let words = ClauseWords::of(clause);
    let mut rows =
        CLAUSES.rows.iter().filter(|(_, row)| row.plain == name && words.may_fit(row.needed));
    let found = rows.find(|(_, row)| row.plainer(world, clause).is_some());
    if let Some((line, row)) = found {
        trace::part_row(|| row.row().at(CLAUSES.file, *line), || name.to_owned());
    }
    found.is_some()
}

const TABLES: [WordingTable<Construction<'static>>; 7] =
    [PERSON, PHRASES, ASIDES, WORD_ORDER, CORRECTIONS, SENTENCES, CLAUSES];

/// All rows, for people.
pub(crate) fn rows() -> impl Iterator<Item = ReadingRow> {
    let rows = TABLES.into_iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
    rows.map(|(table, (line, row))| row.row().at(table.file, *line))
}

/// All rows.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = &'static Construction<'static>> {
    TABLES.into_iter().flat_map(|table| table.rows).map(|(_, row)| row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rows::plainer::tests::storehouse, words::tokens::tokens};

    #[test]
    fn each_row_fits_its_example_and_nothing_else_of_it() {
        let world = storehouse();
        let whole = |rest: &[Token]| rest.iter().all(is_mark);
        let wrong: Vec<&str> = all()
            .filter(|row| {
                let example = tokens(row.example, &world);
                let may_fit = ClauseWords::of(&example).may_fit(row.needed);
                !may_fit || row.turned(&world, &example, whole).is_none()
            })
            .map(|row| row.example)
            .collect();
        assert_eq!(wrong, [""; 0]);
    }
}
