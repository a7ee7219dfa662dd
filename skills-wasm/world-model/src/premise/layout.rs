//! Kinds of places: what each consists of, and which words of a premise mean it.

use english::WordClass;
pub(super) use narratoria_facts::the;

/// How the parts of a place lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayoutShape {
    /// The second part is the middle; the others lie around it, then behind those.
    Around,
    /// A row through the first part: the second lies ahead, the third behind, the fourth ahead of the second, and so on.
    /// The directions are those back and ahead.
    Row(&'static str, &'static str),
}

/// A kind of place.
#[derive(Debug)]
pub(super) struct PremiseLayout {
    /// What the page calls it.
    pub(super) kind: &'static str,
    /// Words that mean it, and pairs of words.
    pub(super) words: &'static [&'static str],
    /// Those who are found there, for a premise without a place.
    beings: &'static [&'static str],
    /// Words that point at it.
    pub(super) signs: &'static [&'static str],
    /// The time of a premise that says none.
    pub(super) era: &'static str,
    /// The kinds that stand for it in other times.
    others: &'static [(&'static str, &'static str)],
    pub(super) shape: LayoutShape,
    /// Whether a room such as a kitchen can be in it.
    pub(super) has_rooms: bool,
    /// What can be seen of the whole, where the word of the premise means the whole, as `house` does; empty where the
    /// first part has this name, as `bridge` does.
    pub(super) whole: &'static str,
    /// The parts with their descriptions. The story begins in the first.
    pub(super) places: &'static [(&'static str, &'static str)],
    /// The part where it is dark, and the direction to it.
    pub(super) dark: (&'static str, &'static str, &'static str),
    /// The part behind the locked door, and the direction to it.
    pub(super) locked: (&'static str, &'static str, &'static str),
    /// The locked door.
    pub(super) door: &'static str,
    /// What things can be put on.
    pub(super) table: &'static str,
    /// Trades of its people.
    pub(super) trades: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/places.rs"));

impl PremiseLayout {
    /// The kind that stands for it in this time.
    pub(super) fn at(&'static self, era: &str) -> &'static PremiseLayout {
        let other = self.others.iter().find(|(known, _)| *known == era);
        other.and_then(|(_, kind)| layouts().find(|layout| layout.kind == *kind)).unwrap_or(self)
    }
}

/// All layouts that have words.
pub(super) fn layouts() -> impl DoubleEndedIterator<Item = &'static PremiseLayout> {
    LAYOUTS.iter()
}

/// The layout that a word means, or two words such as `space station`.
pub(super) fn layout_of(word: &str) -> Option<&'static PremiseLayout> {
    let one = english::stem(word);
    let is_plural_of = |layout: &&'static PremiseLayout| {
        word.ends_with('s') && layout.words.iter().any(|known| english::stem(known) == one)
    };
    layouts().find(|layout| layout.words.contains(&word)).or_else(|| layouts().find(is_plural_of))
}

/// The layout of a place with this name: its last two words, its last word, or the end of that.
pub(super) fn layout_of_name(name: &str) -> Option<&'static PremiseLayout> {
    let words: Vec<&str> = name.split(' ').collect();
    let head = words.last()?;
    let pair = words[words.len().saturating_sub(2)..].join(" ");
    let endings = ["house", "room", "yard", "shop", "hall", "garden", "market", "field", "station"];
    let by_ending = || {
        let is_room = !["broom", "groom", "bridegroom", "mushroom", "heirloom"].contains(head);
        let ending = endings
            .iter()
            .find(|ending| is_room && head.len() > ending.len() && head.ends_with(*ending));
        ending.and_then(|ending| layout_of(ending))
    };
    layout_of(&pair).or_else(|| layout_of(head)).or_else(by_ending)
}

/// The layout where such a being is found.
pub(super) fn layout_of_being(head: &str) -> Option<&'static PremiseLayout> {
    let home = || WordClass::Kin.has(head).then(|| layout_of("house")).flatten();
    layouts().find(|layout| layout.beings.contains(&head)).or_else(home)
}

/// `in the cellar`, `on the bridge`, `at the reception`.
pub(super) fn in_place(name: &str) -> String {
    narratoria_facts::within(name)
}

#[cfg(test)]
mod tests {
    use super::PAGE_WAYS;
    use crate::{definition::DIRECTIONS, words};

    #[test]
    fn each_direction_of_the_page_of_places_leads_there_and_back() {
        for way in PAGE_WAYS {
            let back = words::opposite_way(way).unwrap();
            assert!(DIRECTIONS.contains(way) && PAGE_WAYS.contains(&back), "{way}");
        }
    }
}
