//! Chance for the requests of a harness: ids, seeds, names and texts, all drawn from one seed. A script cannot know
//! them beforehand, and a person who has the seed can repeat the run.

use narratoria_protocol::digest::sha256;
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use uuid::{Builder, Uuid};

/// Words of ordinary stories, for texts that could be a player's.
const WORDS: [&str; 48] = [
    "amber", "bridge", "candle", "castle", "cellar", "copper", "dragon", "early", "ember",
    "feather", "forest", "garden", "ghost", "hammer", "harbour", "hidden", "hollow", "honest",
    "island", "ivory", "kettle", "key", "lantern", "letter", "market", "meadow", "mirror", "moon",
    "narrow", "north", "old", "open", "paper", "quiet", "raven", "river", "rusty", "sailor",
    "shadow", "silver", "slow", "stone", "storm", "tower", "velvet", "wander", "winter", "yellow",
];

/// Draws the same values for the same seed and place.
#[derive(Debug, Clone)]
pub(crate) struct RequestChance(SmallRng);

impl RequestChance {
    /// The place keeps two scripts of one check apart, in any order of the scripts.
    pub(crate) fn of(seed: u64, place: &str) -> RequestChance {
        let digest = sha256(format!("narratoria requests\n{seed}\n{place}").as_bytes());
        let start = u64::from_str_radix(&digest[..16], 16).expect("a digest is hexadecimal");
        RequestChance(SmallRng::seed_from_u64(start))
    }

    /// An id like those of plans.
    pub(crate) fn id(&mut self) -> String {
        self.uuid().to_string()
    }

    pub(crate) fn uuid(&mut self) -> Uuid {
        Builder::from_random_bytes(self.0.random()).into_uuid()
    }

    /// One of the items; `None` if there is none.
    pub(crate) fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        items.get(self.0.random_range(0..items.len().max(1)))
    }

    /// A seed like those of stories.
    pub(crate) fn seed(&mut self) -> u64 {
        self.0.random()
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn number(&mut self, least: i64, most: i64) -> i64 {
        if least >= most { least } else { self.0.random_range(least..=most) }
    }

    pub(crate) fn boolean(&mut self) -> bool {
        self.0.random()
    }

    pub(crate) fn word(&mut self) -> &'static str {
        WORDS[self.0.random_range(0..WORDS.len())]
    }

    /// A character of a text.
    pub(crate) fn letter(&mut self) -> char {
        char::from(self.0.random_range(b'a'..=b'z'))
    }

    /// Words with blanks between them, from `chars_min` to `chars_max` characters long.
    pub(crate) fn text(&mut self, chars_min: usize, chars_max: usize) -> String {
        let words = self.0.random_range(1..=6_usize);
        let mut text = self.word().to_owned();
        for _ in 1..words {
            text.push(' ');
            text.push_str(self.word());
        }
        while text.len() < chars_min {
            text.push(' ');
            text.push_str(self.word());
        }
        // The words are ASCII.
        text.truncate(chars_max.max(chars_min));
        if text.ends_with(' ') {
            text.pop();
            text.push('s');
        }
        text
    }

    /// A name like those of JSON fields.
    pub(crate) fn field_name(&mut self) -> String {
        let (first, second) = (self.word(), self.word());
        format!("{first}{}{}", second[..1].to_uppercase(), &second[1..])
    }

    /// A name like those of steps and operations.
    pub(crate) fn step_name(&mut self) -> String {
        format!("{}-{}", self.word(), self.word())
    }

    /// The items in another order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.0.random_range(0..=last));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::RequestChance;

    fn drawn(seed: u64, place: &str) -> Vec<String> {
        let mut chance = RequestChance::of(seed, place);
        vec![chance.id(), chance.seed().to_string(), chance.text(0, 60), chance.field_name()]
    }

    #[test]
    fn one_seed_and_place_draw_the_same_and_others_do_not() {
        assert_eq!(drawn(7, "a"), drawn(7, "a"));
        for (seed, place) in [(8, "a"), (7, "b")] {
            assert_ne!(drawn(seed, place)[..2], drawn(7, "a")[..2], "{seed} {place}");
        }
    }

    #[test]
    fn an_id_has_the_form_of_a_plans_id() {
        let mut chance = RequestChance::of(1, "");
        for _ in 0..100 {
            let id = uuid::Uuid::parse_str(&chance.id()).unwrap();
            assert_eq!(id.get_version_num(), 4);
        }
    }

    proptest! {
        #[test]
        fn a_text_has_the_length_that_is_asked_for(seed: u64, least in 0..200_usize, more in 1..200_usize) {
            let text = RequestChance::of(seed, "").text(least, least + more);
            prop_assert!(text.len() >= least && text.len() <= least + more, "{text:?}");
        }
    }
}
