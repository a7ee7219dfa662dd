//! When a story happens, and what people have then. The times are sections of the page `eras` in `text`.

use super::{said_words::SaidWords, tokens::PremiseToken};

/// Years that a premise may name: other numbers of four digits count something.
const YEARS: std::ops::RangeInclusive<u32> = 1000..=2999;

/// A time, with the names of what people have in it.
#[derive(Debug)]
pub(super) struct PremiseEra {
    pub(super) name: &'static str,
    /// The first year that no longer belongs to it.
    until: u32,
    /// Words and pairs of words that point at it.
    words: &'static [&'static str],
    /// What opens a way from afar.
    pub(super) machine: &'static str,
    /// What is paid with.
    pub(super) money: &'static str,
    /// Lights, each with what it needs.
    pub(super) lights: &'static [(&'static str, Option<&'static str>)],
    pub(super) food: &'static [&'static str],
    pub(super) clothes: &'static [&'static str],
    pub(super) keys: &'static [&'static str],
    pub(super) chests: &'static [&'static str],
    pub(super) records: &'static [&'static str],
    pub(super) covers: &'static [&'static str],
    pub(super) keepsakes: &'static [&'static str],
    pub(super) weather: &'static [&'static str],
    pub(super) tools: &'static [&'static str],
    pub(super) she: &'static [&'static str],
    pub(super) he: &'static [&'static str],
    pub(super) players: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/eras.rs"));

/// The time of this name; the build has checked that there is one.
pub(super) fn era_called(name: &str) -> &'static PremiseEra {
    ERAS.iter().find(|era| era.name == name).unwrap_or(&ERAS[0])
}

/// The time that a premise says by a year or by what belongs to one time, and how many of its words say so.
pub(super) fn era_of(tokens: &[PremiseToken<'_>]) -> Option<(&'static PremiseEra, usize)> {
    let year = tokens.iter().find_map(|token| {
        let digits = token.word.trim_end_matches('s');
        digits.parse().ok().filter(|year| YEARS.contains(year))
    });
    if let Some(year) = year {
        return ERAS.iter().find(|era| year < era.until).map(|era| (era, usize::MAX));
    }
    let words = SaidWords::of(tokens);
    let counted = ERAS.iter().map(|era| (era, words.count(era.words)));
    let best = counted.rev().max_by_key(|(_, count)| *count)?;
    (best.1 > 0).then_some(best)
}

/// `she` or `he`, by a name of the page.
pub(super) fn pronoun_of_name(name: &str) -> &'static str {
    let first = |name: &str| name.split(' ').next().unwrap_or_default().to_owned();
    let is_she = ERAS.iter().any(|era| era.she.iter().any(|known| first(known) == first(name)));
    if is_she { "she" } else { "he" }
}
