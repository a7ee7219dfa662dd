//! Texts with slots and choices. Pure.

use super::names::{NOBODY, Pronouns, pronouns};

/// The values of the slots.
#[derive(Debug, Clone, Default)]
pub(super) struct SceneSlots<'a> {
    pub(super) pov: &'a str,
    pub(super) other: &'a str,
    /// What the story says of the two; without it, the given names decide.
    pub(super) pov_pronouns: Option<Pronouns>,
    pub(super) other_pronouns: Option<Pronouns>,
    pub(super) town: &'a str,
    /// As in a table: `The Lock House`.
    pub(super) place: &'a str,
    pub(super) feature: &'a str,
    pub(super) atmosphere: &'a str,
    pub(super) question: &'a str,
    /// What the other person is doing.
    pub(super) doing: &'a str,
    /// What a chapter is about, with its article.
    pub(super) thing: &'a str,
    /// What the other person says, in the words of the author.
    pub(super) says: &'a str,
    /// The question that is answered, without its first word and its mark.
    pub(super) rest: &'a str,
}

impl SceneSlots<'_> {
    /// What stands at a place: empty where the scene has nothing of the kind, `None` if there is no such place.
    pub(super) fn value(&self, slot: &str) -> Option<String> {
        let of = |name: &str, known: Option<Pronouns>| match name.is_empty() {
            true => NOBODY,
            false => known.unwrap_or_else(|| pronouns(name)),
        };
        let (pov, other) = (of(self.pov, self.pov_pronouns), of(self.other, self.other_pronouns));
        Some(match slot {
            "pov" => self.pov.to_owned(),
            "o" => self.other.to_owned(),
            "town" => self.town.to_owned(),
            "place" => in_a_sentence(self.place),
            "Place" => capitalized(&in_a_sentence(self.place)),
            "feature" => self.feature.to_owned(),
            "Feature" => capitalized(self.feature),
            "doing" => self.doing.to_owned(),
            "thing" => self.thing.to_owned(),
            "says" => self.says.to_owned(),
            "rest" => self.rest.to_owned(),
            "atmosphere" => self.atmosphere.to_owned(),
            "question" => self.question.to_owned(),
            _ => match slot.strip_prefix('o') {
                Some(slot) => pronoun(other, slot)?,
                None if slot.starts_with('O') => capitalized(&pronoun(other, &slot[1..])?),
                None => match slot.chars().next()?.is_uppercase() {
                    true => capitalized(&pronoun(pov, &slot.to_lowercase())?),
                    false => pronoun(pov, slot)?,
                },
            },
        })
    }
}

/// `slot` is the feminine form.
fn pronoun(pronouns: Pronouns, slot: &str) -> Option<String> {
    Some(
        match slot {
            "she" => pronouns.subject,
            "her" => pronouns.possessive,
            "them" => pronouns.object,
            "herself" => pronouns.reflexive,
            _ => return None,
        }
        .to_owned(),
    )
}

/// Fills a text as [`fill`] does; `None` if it has a place for which the scene has nothing.
pub(super) fn fill_whole(text: &str, slots: &SceneSlots<'_>, nth: u64) -> Option<String> {
    let mut places = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let has_all = places.all(|(slot, _)| slots.value(slot).is_some_and(|value| !value.is_empty()));
    has_all.then(|| fill(text, slots, nth))
}

/// Fills a text. `nth` picks among the choices.
pub(super) fn fill(text: &str, slots: &SceneSlots<'_>, nth: u64) -> String {
    let chosen = choose(text, nth);
    let mut filled = String::with_capacity(chosen.len());
    let mut rest = chosen.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((slot, after)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            break;
        };
        filled.push_str(&slots.value(slot).unwrap_or_default());
        rest = after;
    }
    filled.push_str(rest);
    // The pronoun of a name that is in no list.
    filled.replace("they was", "they were").replace("They was", "They were")
}

/// Fills a text that names people and the town alone.
pub(super) fn fill_names(text: &str, pov: &str, other: &str, town: &str) -> String {
    fill(text, &SceneSlots { pov, other, town, ..SceneSlots::default() }, 0)
}

/// Takes one of each `[a|b]`.
fn choose(text: &str, nth: u64) -> String {
    let mut chosen = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        chosen.push_str(before);
        let Some((choices, after)) = after.split_once(']') else {
            chosen.push('[');
            rest = after;
            break;
        };
        let choices: Vec<&str> = choices.split('|').collect();
        let at = usize::try_from(nth % choices.len() as u64).unwrap_or_default();
        chosen.push_str(choices[at]);
        rest = after;
    }
    chosen.push_str(rest);
    chosen
}

/// `The Lock House` is "the Lock House" within a sentence, and `quay` is "the quay"; a proper name stays as it is.
pub(super) fn in_a_sentence(name: &str) -> String {
    match name.strip_prefix("The ") {
        Some(rest) => format!("the {rest}"),
        None if name.starts_with("the ") || !name.starts_with(char::is_lowercase) => {
            name.to_owned()
        }
        None => format!("the {name}"),
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Index of the card that is dealt `nth` from a deck: each deck has an order of its own, and no card returns before all
/// others were dealt.
pub(super) fn deal(len: usize, seed: u64, nth: u64) -> usize {
    let count = len as u64;
    if count == 0 {
        return 0;
    }
    let coprime = |stride: &u64| gcd(*stride, count) == 1;
    let strides: Vec<u64> = (1..count.max(2)).filter(coprime).collect();
    // The middle ones mix best.
    let stride = strides[usize::try_from(seed % strides.len() as u64).unwrap_or_default()];
    let at = (seed % count + (nth % count) * stride) % count;
    usize::try_from(at).unwrap_or_default()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slots_and_choices_are_filled() {
        let slots = SceneSlots {
            pov: "Ada Birch",
            other: "Leif Gale",
            place: "The Lock House",
            ..SceneSlots::default()
        };
        let filled = |text: &str, nth| fill(text, &slots, nth);
        assert_eq!(
            filled("{pov} took {her} [coat|hat] to {place}. {Oshe} gave {othem} {oher} own.", 1),
            "Ada Birch took her hat to the Lock House. He gave him his own."
        );
        assert_eq!(
            filled("{Place} {unknown}and {She}, {herself}.", 0),
            "The Lock House and She, herself."
        );
        assert_eq!(filled("an open { and [ stay", 0), "an open { and [ stay");
    }

    proptest! {
        #[test]
        fn every_card_is_dealt_before_one_returns(len in 1..60_usize, seed in any::<u64>(), start in 0..1_000_u64) {
            let dealt: BTreeSet<usize> =
                (start..start + len as u64).map(|nth| deal(len, seed, nth)).collect();
            prop_assert_eq!(dealt.len(), len);
        }
    }
}
