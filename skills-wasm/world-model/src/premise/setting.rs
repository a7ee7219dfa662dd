//! Where a premise happens, by all of its words: each kind of place counts what points at it. Knows words, and no world.

use english::WordClass;

use super::{
    layout::{PremiseLayout, layout_of, layout_of_being, layouts},
    noun::PremiseNoun,
    nouns::NounKind,
    said_words::SaidWords,
    tokens::PremiseToken,
};

/// What a word counts that means the kind of place, that is found there, and that only points at it.
const MEANING: usize = 3;
const FOUND_THERE: usize = 3;
const SIGN: usize = 2;

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum PremiseCertainty {
    /// Nothing says it; it is what is plain.
    #[default]
    Unknown,
    /// One word points at it.
    Possible,
    /// Several words point at it.
    Likely,
    /// The premise says it.
    Said,
}

impl PremiseCertainty {
    /// How sure so much is that points at one thing.
    pub(super) fn of(count: usize) -> PremiseCertainty {
        match count {
            0 => PremiseCertainty::Unknown,
            1..=3 => PremiseCertainty::Possible,
            _ => PremiseCertainty::Likely,
        }
    }
}

impl std::fmt::Display for PremiseCertainty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PremiseCertainty::Unknown => "unknown",
            PremiseCertainty::Possible => "possible",
            PremiseCertainty::Likely => "likely",
            PremiseCertainty::Said => "said",
        })
    }
}

/// What is counted for a kind of place.
fn count(
    layout: &'static PremiseLayout,
    tokens: &[PremiseToken<'_>],
    words: &SaidWords<'_>,
    nouns: &[PremiseNoun],
) -> usize {
    // A place that is only a part of many counts for none.
    let meant = |word: &str| layout_of(word).is_some_and(|found| std::ptr::eq(found, layout));
    let means = tokens.iter().filter(|token| meant(&token.word)).count();
    let pairs =
        tokens.windows(2).filter(|pair| meant(&format!("{} {}", pair[0].word, pair[1].word)));
    let beings = nouns.iter().filter(|noun| noun.kind == NounKind::Being);
    let beings = beings.map(|noun| found_there(layout, noun));
    MEANING * (means + pairs.count()) + SIGN * words.count(layout.signs) + beings.sum::<usize>()
}

/// What a being counts for the kind of place where it is found.
fn found_there(layout: &'static PremiseLayout, noun: &PremiseNoun) -> usize {
    let head = english::singular(&noun.head);
    let of_trade = || {
        let pair = noun.modifiers.last().map(|word| format!("{word} {head}"));
        let whole = pair.and_then(|pair| layout_of_being(&pair));
        whole.or_else(|| noun.modifiers.iter().find_map(|word| layout_of_being(word)))
    };
    let found = of_trade().or_else(|| layout_of_being(&head));
    let is_there = found.is_some_and(|found| std::ptr::eq(found, layout));
    // A ghost may haunt any place, and relatives have their home in every story.
    let is_anywhere = ["ghost", "spirit", "skeleton", "dog", "cat"].contains(&head.as_str())
        || WordClass::Kin.has(head.as_str());
    match (is_there, is_anywhere) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => FOUND_THERE,
    }
}

/// The kinds of places that a premise's words point at, each with what is counted for it, the most first.
pub(super) fn settings_of(
    tokens: &[PremiseToken<'_>],
    nouns: &[PremiseNoun],
    era: Option<&str>,
) -> Vec<(&'static PremiseLayout, usize)> {
    let words = SaidWords::of(tokens);
    let counted = layouts().map(|layout| {
        let found = count(layout, tokens, &words, nouns);
        let suits = found > 0 && era == Some(layout.era);
        (layout, found + usize::from(suits))
    });
    let mut found: Vec<_> = counted.filter(|(_, found)| *found > 0).collect();
    found.sort_by_key(|(_, found)| std::cmp::Reverse(*found));
    found
}
