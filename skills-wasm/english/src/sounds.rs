//! How words sound: people who spell by ear write `cloke` for a cloak and `neckless` for a necklace.
//!
//! Knows letters, no tables.

/// Most sounds of a word that is compared.
const SOUNDS_MAX: usize = 16;

/// Most letters in which two words of one sound differ.
const LETTERS_APART_MAX: usize = 3;

/// Fewest letters of a word that may be spelled by ear.
const LETTERS_MIN: usize = 5;

/// Fewest sounds of such a word: `house` and `hose` are two words.
const SOUNDS_MIN: usize = 4;

/// The sounds of a word, one byte each. All vowels that stand together are one sound.
#[derive(Debug, Default, PartialEq, Eq)]
struct WordSounds {
    sounds: [u8; SOUNDS_MAX],
    len: usize,
}

impl WordSounds {
    fn push(&mut self, sound: u8) {
        let is_doubled = self.len > 0 && self.sounds[self.len - 1] == sound;
        if self.len < SOUNDS_MAX && !is_doubled {
            self.sounds[self.len] = sound;
            self.len += 1;
        }
    }

    fn of(word: &[u8]) -> WordSounds {
        let mut found = WordSounds::default();
        let mut at = silent_start(word);
        while at < word.len() {
            let (sound, len) = sound_at(word, at);
            if let Some(sound) = sound {
                found.push(sound);
            }
            at += len;
        }
        found
    }
}

fn is_vowel(letter: u8) -> bool {
    b"aeiouy".contains(&letter)
}

/// How many letters at the beginning are silent: the first of `wrench` and `knife`.
fn silent_start(word: &[u8]) -> usize {
    let silent: [&[u8]; 5] = [b"kn", b"wr", b"gn", b"ps", b"pn"];
    usize::from(silent.iter().any(|start| word.starts_with(start)))
}

/// The sound that begins at this letter, if any, and how many letters it takes.
fn sound_at(word: &[u8], at: usize) -> (Option<u8>, usize) {
    let next = |n: usize| word.get(at + n).copied().unwrap_or(0);
    match word[at] {
        // The `e` at the end of `cloke` is silent.
        b'e' if at > 2 && at + 1 == word.len() && !is_vowel(word[at - 1]) => (None, 1),
        letter if is_vowel(letter) => (Some(b'a'), 1),
        b'w' | b'h' if at > 0 && is_vowel(word[at - 1]) => (None, 1),
        b'p' if next(1) == b'h' => (Some(b'f'), 2),
        b'w' if next(1) == b'h' => (Some(b'w'), 2),
        b'g' if next(1) == b'h' && at > 0 => (None, 2),
        b't' if next(1) == b'c' && next(2) == b'h' => (Some(b'C'), 3),
        b's' if next(1) == b'c' && [b'e', b'i', b'y'].contains(&next(2)) => (Some(b's'), 2),
        b's' if next(1) == b'h' => (Some(b'S'), 2),
        b't' if next(1) == b'h' => (Some(b'T'), 2),
        b'c' if next(1) == b'h' => (Some(b'C'), 2),
        b'c' if next(1) == b'k' => (Some(b'k'), 2),
        b'c' if [b'e', b'i', b'y'].contains(&next(1)) => (Some(b's'), 1),
        b'c' | b'q' => (Some(b'k'), 1),
        b'd' if next(1) == b'g' => (Some(b'g'), 2),
        b'j' => (Some(b'g'), 1),
        b'm' if next(1) == b'b' && next(2) == 0 => (Some(b'm'), 2),
        b'z' => (Some(b's'), 1),
        letter => (Some(letter), 1),
    }
}

/// The first sound of a word: `n` for `knife`. A letter that another may stand for is that other one.
pub(crate) fn first_sound(word: &str) -> u8 {
    let word = word.as_bytes();
    let start = silent_start(word);
    if start >= word.len() { 0 } else { sound_at(word, start).0.unwrap_or(word[start]) }
}

/// Returns true if the first vowels have a letter in common: `cloke` and `cloak`, but not `stool` and `steel`.
fn share_vowel(one: &[u8], other: &[u8]) -> bool {
    let first = |word: &'_ [u8]| {
        let start = word.iter().position(|letter| is_vowel(*letter)).unwrap_or(word.len());
        let len = word[start..].iter().take_while(|letter| is_vowel(**letter)).count();
        (start, start + len)
    };
    let ((a, b), (c, d)) = (first(one), first(other));
    one[a..b].iter().any(|letter| other[c..d].contains(letter))
}

/// Returns true if both words are long enough and of nearly one length, which costs nothing to see.
pub(crate) fn are_long(one: &str, other: &str) -> bool {
    one.len().min(other.len()) >= LETTERS_MIN - 1
        && one.len().max(other.len()) >= LETTERS_MIN
        && one.len().abs_diff(other.len()) <= LETTERS_APART_MAX
}

/// Returns true if both words sound the same, and one is the other spelled by ear.
pub(crate) fn sound_alike(typed: &str, known: &str) -> bool {
    let (one, other) = (typed.as_bytes(), known.as_bytes());
    if !are_long(typed, known) || !typed.is_ascii() || !known.is_ascii() || !share_vowel(one, other)
    {
        return false;
    }
    let sounds = WordSounds::of(one);
    sounds.len >= SOUNDS_MIN
        && sounds == WordSounds::of(other)
        && strsim::osa_distance(typed, known) <= LETTERS_APART_MAX
}

#[cfg(test)]
mod tests {
    use super::sound_alike;

    #[test]
    fn words_that_are_spelled_by_ear_are_known() {
        for (typed, known) in [
            ("cloke", "cloak"),
            ("neckless", "necklace"),
            ("rench", "wrench"),
            ("kandle", "candle"),
            ("fether", "feather"),
            ("lantirn", "lantern"),
            ("telefone", "telephone"),
            ("sizzors", "scissors"),
            ("hankercheef", "hankerchief"),
        ] {
            assert!(sound_alike(typed, known), "{typed} {known}");
        }
        for (typed, known) in
            [("house", "hose"), ("steel", "stool"), ("brandy", "bread"), ("bride", "bread")]
        {
            assert!(!sound_alike(typed, known), "{typed} {known}");
        }
    }
}
