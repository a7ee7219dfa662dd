//! Words of a premise: which nouns are beings, things, events, and which can be neither met nor carried.

use english::WordClass;

use super::{
    classes::{WordSense, class_of},
    layout::layout_of_name,
    tokens::is_verb,
    vocabulary::{
        BEASTS, DRINK, EAT, EVENTS, HE, MATTERS, NOTHING, READ, SHE, STAY, THINGS, TRADES, WEAR,
    },
};

/// What a noun stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NounKind {
    Being,
    Place,
    Thing,
    /// What can be seen and not be touched: a storm, a wedding.
    Event,
    /// What can only be spoken of: a debt, a secret.
    Matter,
    /// What is not worth a word: a day, a way.
    Nothing,
}

/// Endings of trades.
const TRADE_ENDINGS: &[&str] = &[
    "keeper", "maker", "smith", "monger", "wright", "man", "woman", "men", "women", "herd", "ist",
    "eer", "ician", "seller", "teller", "maid", "mistress", "wife", "girl", "boy", "lady", "nurse",
    "mate", "teacher", "driver", "worker", "master", "owner", "dealer", "lighter", "hunter",
    "player", "child",
];

/// Endings of what can only be spoken of.
const MATTER_ENDINGS: &[&str] =
    &["ness", "ism", "ance", "ence", "ment", "tion", "sion", "ity", "ship", "hood", "dom"];

/// Returns true if the word is whoever does something: `collector`.
fn is_doer(head: &str) -> bool {
    let one = english::singular(head);
    let Some(stem) = one.strip_suffix("er").or_else(|| one.strip_suffix("or")) else {
        return false;
    };
    // `collect-or`, `tame-r`, `run-n-er`.
    let undoubled = stem.len() > 3 && stem.as_bytes().ends_with(&[stem.as_bytes()[stem.len() - 2]]);
    let does = is_verb(stem)
        || is_verb(&format!("{stem}e"))
        || (undoubled && stem.is_char_boundary(stem.len() - 1) && is_verb(&stem[..stem.len() - 1]));
    stem.len() > 2 && does && !WordClass::NoDoer.has(&one)
}

fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Returns true if the noun is one of many, such as `teapots`.
pub(super) fn is_plural(word: &str) -> bool {
    english::singular(word) != word && !has(THINGS, word) && !has(NOTHING, word)
}

/// What the last word of a noun stands for; none for a word that no table has.
fn known_kind(head: &str) -> Option<NounKind> {
    let one = english::singular(head);
    let tables = [
        (NOTHING, NounKind::Nothing),
        (HE, NounKind::Being),
        (SHE, NounKind::Being),
        (BEASTS, NounKind::Being),
        (TRADES, NounKind::Being),
        (THINGS, NounKind::Thing),
        (EVENTS, NounKind::Event),
        (MATTERS, NounKind::Matter),
    ];
    let found = tables.iter().find(|(table, _)| has(table, head) || has(table, &one));
    found.map(|(_, kind)| *kind)
}

/// What a word stands for by the page of classes.
fn kind_of_class(head: &str) -> Option<NounKind> {
    Some(match class_of(&english::singular(head))? {
        WordSense::Person | WordSense::Animal => NounKind::Being,
        WordSense::Place => NounKind::Place,
        WordSense::Vehicle | WordSense::Thing | WordSense::Fixture => NounKind::Thing,
        WordSense::Event => NounKind::Event,
        WordSense::Matter => NounKind::Matter,
        WordSense::Body | WordSense::Measure => NounKind::Nothing,
        WordSense::Verb | WordSense::Town => return None,
    })
}

/// What a noun of these words stands for; none for one that no table has.
pub(super) fn kind_of(noun: &[String]) -> Option<NounKind> {
    let head = noun.last()?;
    known_kind_of(noun).or_else(|| kind_by_form(head, noun.len()))
}

/// What a noun stands for that no table of its own has: by its class, and by its ending.
fn kind_by_form(head: &str, words: usize) -> Option<NounKind> {
    if class_of(&english::singular(head)).is_some() {
        return kind_of_class(head);
    }
    // `a ropemaker` and `a rope maker`; a maker alone may be anything.
    let one = english::singular(head);
    let is_trade = TRADE_ENDINGS
        .iter()
        .any(|ending| one.ends_with(ending) && (one.len() > ending.len() || words > 1));
    if is_doer(head) || is_trade {
        return Some(NounKind::Being);
    }
    MATTER_ENDINGS.iter().any(|ending| head.ends_with(ending)).then_some(NounKind::Matter)
}

/// The same for a proper name: `Gemma` is no precious stone.
pub(super) fn known_kind_of(noun: &[String]) -> Option<NounKind> {
    let head = noun.last()?;
    let is_image = noun[..noun.len() - 1].iter().any(|word| WordClass::Image.has(word.as_str()));
    let name = noun.join(" ");
    match known_kind(head) {
        Some(NounKind::Being) if is_image => Some(NounKind::Thing),
        // `a space station` and `the sea`, `a moon`: a whole phrase may be a place.
        Some(NounKind::Event) if noun.len() > 1 && layout_of_name(&name).is_some() => {
            Some(NounKind::Place)
        }
        Some(kind) => Some(kind),
        None if layout_of_name(&name).is_some() => Some(NounKind::Place),
        None => None,
    }
}

/// Returns true if the word is an animal or no human being: whoever begins with it does not mean to be it.
pub(super) fn is_beast(head: &str) -> bool {
    let being = ["robot", "android", "ghost", "alien"];
    let one = english::singular(head);
    (has(BEASTS, &one) || class_of(&one) == Some(WordSense::Animal)) && !being.contains(&head)
}

/// The pronoun of a being; none where the word does not say it.
pub(super) fn pronoun_of(head: &str) -> Option<&'static str> {
    let one = english::singular(head);
    if has(HE, &one) || one.ends_with("man") && !one.ends_with("woman") {
        Some("he")
    } else if has(SHE, &one)
        || one.ends_with("woman")
        || one.ends_with("maid")
        || one.ends_with("wife")
        || one.ends_with("mistress")
    {
        Some("she")
    } else if has(BEASTS, &one) || class_of(&one) == Some(WordSense::Animal) {
        Some("it")
    } else {
        None
    }
}

/// Words for the same relatives.
const KIN: &[&str] = &[
    "grandmother grandma gran granny nan nana",
    "grandfather grandpa grandad granddad",
    "mother mum mom mummy mam",
    "father dad daddy papa",
    "aunt auntie aunty",
    "child kid",
    "flatmate roommate housemate",
];

/// Other words for the same relative: `grandma` for a grandmother.
pub(super) fn kin_aliases(head: &str) -> Vec<String> {
    let one = english::singular(head);
    let all = KIN.iter().find(|all| has(all, &one)).copied().unwrap_or_default();
    all.split(' ').filter(|other| !other.is_empty() && *other != one).map(str::to_owned).collect()
}

/// Returns true if a thing of this name opens and holds others.
pub(super) fn is_openable(head: &str) -> bool {
    WordClass::HoldsOthers.has(&english::singular(head))
}

/// What can be done with a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThingUse {
    Read,
    Eat,
    Drink,
    Wear,
    /// It is too large to be carried.
    Stays,
    Carry,
}

/// What a thing of this name is for.
pub(super) fn use_of(head: &str) -> ThingUse {
    let one = english::singular(head);
    let tables = [
        (READ, ThingUse::Read),
        (EAT, ThingUse::Eat),
        (DRINK, ThingUse::Drink),
        (WEAR, ThingUse::Wear),
        (STAY, ThingUse::Stays),
    ];
    let found =
        tables.iter().find(|(table, _)| has(table, &one) || has(table, english::stem(head)));
    let stays = [WordSense::Vehicle, WordSense::Fixture];
    let by_class = || class_of(&one).filter(|class| stays.contains(class));
    match found {
        Some((_, what)) => *what,
        None if by_class().is_some() => ThingUse::Stays,
        None => ThingUse::Carry,
    }
}
