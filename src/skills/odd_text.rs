//! Finds letters in names and descriptions that show something else than they say: characters that turn the direction of
//! writing or hide, and words that mix letters that look alike. Pure.

use narratoria_protocol::visible::{clip, is_harmless, visible, visible_word};

/// Characters that a message quotes of a word.
const WORD_CHARS_MAX: usize = 40;

/// From this number of Latin letters on a word counts as a Latin one: `μm` and `Δt` are units.
const LATIN_LETTERS_MIN: usize = 2;

/// The first part of a text that misleads its reader, for a sentence; `None` in an ordinary text.
pub(super) fn odd_part(text: &str) -> Option<String> {
    if let Some(char) = text.chars().find(|char| !is_harmless(*char)) {
        return Some(format!(
            "the character U+{:04X}, which hides or turns text,",
            u32::from(char)
        ));
    }
    let words = || text.split(|char: char| !char.is_alphanumeric());
    if let Some((word, alphabet)) = words().find_map(|word| Some((word, mixed_alphabet(word)?))) {
        let word = clip(word, WORD_CHARS_MAX);
        return Some(format!("the word `{word}`, which mixes Latin and {alphabet} letters,"));
    }
    // What remains depends on its neighbours: joiners without a use, towers of marks.
    let shown = visible(text);
    let is_odd = shown.len() != text.replace("\r\n", "\n").len();
    is_odd.then(|| format!("the text `{}`", clip(&visible_word(text), WORD_CHARS_MAX)))
}

/// The other alphabet in a word with Latin letters whose letters look like Latin ones.
fn mixed_alphabet(word: &str) -> Option<&'static str> {
    let latin = word.chars().filter(|char| is_latin(*char)).count();
    (latin >= LATIN_LETTERS_MIN).then(|| word.chars().find_map(look_alike_alphabet)).flatten()
}

fn is_latin(char: char) -> bool {
    char.is_ascii_alphabetic() || matches!(char, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// Alphabets with letters that look like Latin ones.
fn look_alike_alphabet(char: char) -> Option<&'static str> {
    match char {
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some("Greek"),
        '\u{400}'..='\u{52f}' => Some("Cyrillic"),
        '\u{531}'..='\u{588}' => Some("Armenian"),
        '\u{13a0}'..='\u{13ff}' => Some("Cherokee"),
        '\u{1d400}'..='\u{1d7ff}' => Some("mathematical"),
        '\u{ff21}'..='\u{ff5a}' => Some("full-width"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::odd_part;

    #[test]
    fn letters_that_mislead_are_named() {
        let told: String =
            ["rolls \u{202e}ecid", "d\u{456}ce and cards", "di\u{200b}ce", "a\u{200d}b"]
                .map(|text| format!("{}\n", odd_part(text).unwrap_or_default()))
                .concat();
        insta::assert_snapshot!(told, @r"
        the character U+202E, which hides or turns text,
        the word `dіce`, which mixes Latin and Cyrillic letters,
        the character U+200B, which hides or turns text,
        the text `a\u{200d}b`
        ");
    }

    #[test]
    fn ordinary_texts_of_any_language_are_not_odd() {
        for text in [
            "Rolls dice.",
            "Wirft Würfel; läßt ‘m fallen.",
            "Бросает кости (dice-roller)",
            "5 μm of Δt, α-blocker",
            "サイコロを振る",
            "نرد‌باز",
            "👩\u{200d}🚀 flies",
            "Line\nline",
        ] {
            assert_eq!(odd_part(text), None, "{text}");
        }
    }
}
