//! Untrusted text is escaped, and cut, before it reaches a terminal or a message. This module holds the one rule for
//! text from a skill, a package, a plan or a model; it does not know where a text comes from. Pure.
//!
//! Two kinds of characters are harmful: those that a terminal obeys, and invisible ones that change the meaning of
//! the visible ones. They become visible escapes and are never dropped: a text that was tampered with should look
//! like it.

use std::borrow::Cow;

/// The text with each harmful character escaped. Line ends and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|char| is_harmless(char) && !depends_on_others(char)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    let (mut before, mut marks) = (None, 0);
    while let Some(char) = chars.next() {
        marks = if is_combining(char) { marks + 1 } else { 0 };
        match char {
            '\r' if chars.peek() == Some(&'\n') => {}
            char if is_harmless(char) && marks <= MARKS_MAX && !is_idle(before, char) => {
                safe.push(char);
            }
            char => safe.extend(char.escape_unicode()),
        }
        before = Some(char);
    }
    Cow::Owned(safe)
}

/// Most marks on one letter. More of them paint over the lines above and below.
const MARKS_MAX: usize = 4;

/// Returns true if it depends on its neighbours whether a harmless character may be shown.
fn depends_on_others(char: char) -> bool {
    char == '\r' || is_combining(char) || is_joining(char)
}

/// Accents and other marks on the letter before.
fn is_combining(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// The joiners and the variation selectors of emoji.
fn is_joining(char: char) -> bool {
    matches!(char, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Returns true for a joiner or a selector that changes nothing that is seen: none of them does behind a Latin letter or
/// another one of them. A digit has a selector as an emoji.
fn is_idle(before: Option<char>, char: char) -> bool {
    let has_no_shapes =
        |before: char| (before.is_ascii() && !before.is_ascii_digit()) || before == '\u{200c}';
    is_joining(char)
        && before.is_none_or(|before| has_no_shapes(before) && before != '#' && before != '*')
}

/// The harmless text on one line: each run of white space becomes one blank.
pub fn visible_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The harmless text on one line, line ends and tabs as `\n` and `\t`: for a name or a value in a message.
pub fn visible_word(text: &str) -> Cow<'_, str> {
    match visible(text) {
        safe if safe.contains(['\n', '\t']) => {
            Cow::Owned(safe.replace('\n', "\\n").replace('\t', "\\t"))
        }
        safe => safe,
    }
}

/// Harmless JSON text with the same meaning: harmful characters stand only in its strings, and become JSON's own
/// escapes there.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    escaped(json, |char, safe| {
        for unit in char.encode_utf16(&mut [0; 2]) {
            *safe += &format!("\\u{unit:04x}");
        }
    })
}

/// Harmless JSON text for a YAML file. YAML, unlike JSON, has no pairs of escapes that make one character.
pub fn visible_yaml(json: &str) -> Cow<'_, str> {
    escaped(json, |char, safe| *safe += &format!("\\U{:08x}", u32::from(char)))
}

/// The first `chars_max` characters of a text, and `…` if more follow. White space before the `…` goes.
///
/// It does not escape: apply [`visible_word`] to the result, or clip a text that is harmless already.
pub fn clip(text: &str, chars_max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => Cow::Owned(format!("{}…", text[..end].trim_end())),
        None => Cow::Borrowed(text),
    }
}

fn escaped(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_harmless(char) { safe.push(char) } else { escape(char, &mut safe) }
    }
    Cow::Owned(safe)
}

/// Returns true if a character may be shown as it is.
///
/// The joiners (U+200C, U+200D) and the variation selectors of emoji are harmless: scripts of India and Iran and
/// families of emoji need them, and they change only the letters beside them. [`visible`] shows them where they do, and
/// no more than a few marks on a letter.
pub fn is_harmless(char: char) -> bool {
    match char {
        '\n' | '\t' => true,
        // Characters that turn the direction of writing: marks, embeddings, overrides, isolates (Unicode TR 9), and
        // the deprecated ones that steered shapes and digits.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => {
            false
        }
        // Line ends that only some programs know.
        '\u{2028}' | '\u{2029}' => false,
        // Without width or shape: a place to hide a word, or to make two names look alike.
        '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{2060}'..='\u{2065}' => {
            false
        }
        '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' => false,
        // Letters and signs that are blank.
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}'
        | '\u{ffa0}' => false,
        '\u{16fe4}' | '\u{1d159}' => false,
        // Tags, and the variation selectors beyond those of emoji: only a model reads sentences written in them.
        '\u{e0000}'..='\u{e0fff}' => false,
        char => !char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        clip, is_harmless, visible, visible_json, visible_line, visible_word, visible_yaml,
    };

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(visible(text), expect);
    }

    #[test]
    fn prose_passes_untouched() {
        for prose in [
            "A door — “old”, oak.\n\tZoë: 戸\n",
            "می\u{200c}خواهم شالوم עברית",
            "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f} क्\u{200d}ष e\u{301}",
        ] {
            check(prose, prose);
        }
    }

    #[test]
    fn a_name_stays_on_its_line_and_shows_its_line_ends() {
        assert_eq!(visible_word("dice"), "dice");
        assert_eq!(visible_word("di\nce\t\r\n\u{1b}[2J"), r"di\nce\t\n\u{1b}[2J");
    }

    #[test]
    fn a_terminal_gets_nothing_to_obey() {
        check("\u{1b}[2J\u{1b}]0;owned\u{7}", r"\u{1b}[2J\u{1b}]0;owned\u{7}");
        check("\u{9b}31m", r"\u{9b}31m");
        check("safe\rsorry", r"safe\u{d}sorry");
        check("abc\u{8}\u{8}\u{7f}\0", r"abc\u{8}\u{8}\u{7f}\u{0}");
    }

    #[test]
    fn text_cannot_be_written_backwards() {
        check("\u{202e}exe.gpj", r"\u{202e}exe.gpj");
        check("\u{200f}a\u{2067}b\u{61c}", r"\u{200f}a\u{2067}b\u{61c}");
    }

    #[test]
    fn nothing_hides_between_the_letters() {
        check(
            "go\u{200b}ld \u{ad}\u{2060}\u{feff}\u{3164}",
            r"go\u{200b}ld \u{ad}\u{2060}\u{feff}\u{3164}",
        );
        check("hi\u{e0068}\u{e0069}\u{e0101}", r"hi\u{e0068}\u{e0069}\u{e0101}");
    }

    #[test]
    fn what_is_blank_or_paints_over_lines_is_shown() {
        check("Ann\u{2800}\u{2800}", r"Ann\u{2800}\u{2800}");
        check("\u{1d159}a\u{200d}b\u{fe0f}", r"\u{1d159}a\u{200d}b\u{fe0f}");
        check("e\u{301}\u{302}\u{303}\u{304}\u{305}x", "e\u{301}\u{302}\u{303}\u{304}\\u{305}x");
        check("1\u{fe0f}\u{20e3} #\u{fe0f}", "1\u{fe0f}\u{20e3} #\u{fe0f}");
    }

    #[test]
    fn windows_line_ends_become_line_ends() {
        check("one\r\ntwo\r\n", "one\ntwo\n");
    }

    #[test]
    fn one_line_stays_one_line() {
        assert_eq!(visible_line("a\n\n b\t\u{1b}c "), r"a b \u{1b}c");
    }

    #[test]
    fn a_clipped_text_ends_in_an_ellipsis() {
        assert_eq!(clip("four", 4), "four");
        assert_eq!(clip("wörter", 2), "wö…");
        assert_eq!(clip("one two", 4), "one…");
        assert_eq!(clip("one", 0), "…");
    }

    #[test]
    fn json_stays_what_it_is() {
        assert_eq!(
            visible_json("{\"a\u{7f}\": \"\u{9b}31m\u{202e}\u{e0041}é\"}"),
            r#"{"a\u007f": "\u009b31m\u202e\udb40\udc41é"}"#
        );
    }

    #[test]
    fn yaml_has_one_escape_for_each_character() {
        assert_eq!(
            visible_yaml("{\"a\": \"\u{202e}\u{e0041}\"}"),
            r#"{"a": "\U0000202e\U000e0041"}"#
        );
    }

    proptest! {
        #[test]
        fn nothing_visible_is_harmful(text in any::<String>()) {
            let safe = visible(&text);
            prop_assert!(safe.chars().all(is_harmless));
            prop_assert_eq!(visible(&safe), safe.as_ref());
        }

        #[test]
        fn json_means_the_same_as_before(text in any::<String>(), tail in "[\u{70}-\u{a0}\u{2020}-\u{2070}\u{e0000}-\u{e0100}]{0,9}") {
            let text = text + &tail;
            let json = serde_json::to_string(&[&text]).unwrap();
            let safe = visible_json(&json);
            prop_assert!(safe.chars().all(is_harmless));
            let [read]: [String; 1] = serde_json::from_str(&safe).unwrap();
            prop_assert_eq!(read, text);
        }
    }
}
