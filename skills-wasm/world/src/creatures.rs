//! Words for animals. An animal hears the player and gives no answer, so a person beside it is asked first.

/// Words that name an animal when they end a name: `white goat`, `Mr Puss`.
const CREATURES: &[&str] = &[
    "animal", "ape", "badger", "bear", "beast", "beetle", "billy", "bird", "bull", "calf", "camel",
    "canary", "cat", "chick", "chicken", "cockerel", "cow", "crab", "crow", "dog", "dolphin",
    "donkey", "dove", "duck", "eagle", "elephant", "ewe", "falcon", "ferret", "fish", "foal",
    "fox", "frog", "gander", "goat", "goose", "gull", "hamster", "hare", "hawk", "hedgehog", "hen",
    "heron", "horse", "hound", "jackdaw", "kitten", "lamb", "lion", "lizard", "magpie", "mare",
    "monkey", "moth", "mouse", "mule", "otter", "owl", "ox", "parrot", "pig", "pigeon", "pony",
    "pup", "puppy", "puss", "rabbit", "ram", "rat", "raven", "robin", "seagull", "seal", "sheep",
    "snake", "spaniel", "sparrow", "squirrel", "stallion", "swan", "terrier", "toad", "tortoise",
    "turkey", "turtle", "vixen", "whale", "wolf",
];

/// Returns true if the word names an animal.
pub(crate) fn is_creature_word(word: &str) -> bool {
    CREATURES.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{CREATURES, is_creature_word};

    #[test]
    fn the_words_are_sorted_and_name_animals() {
        assert!(CREATURES.is_sorted());
        assert!(is_creature_word("goat"));
        assert!(!is_creature_word("postmistress"));
    }
}
