//! Row 1: makes text of outsiders harmless to look at. The one place for the rule of what a terminal, and
//! whoever reads it, must not get from a skill, a package, a plan or a model. Knows nobody; pure.
//!
//! Two kinds of characters are not harmless: those that a terminal obeys, and those that nobody sees and
//! that change what the seen ones say. What they are is made visible, as an escape, and never dropped: a text
//! that was tampered with should look like it.

use std::borrow::Cow;

/// The text without anything that a terminal would obey or a reader not see. Line ends and tabs stay; what
/// else is not harmless becomes its escape.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut seen = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' if chars.peek() == Some(&'\n') => {}
            char if is_harmless(char) => seen.push(char),
            char => seen.extend(char.escape_unicode()),
        }
    }
    Cow::Owned(seen)
}

/// The same on one line.
pub fn visible_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same on one line that says where the others ended: for a name or a value in a message.
pub fn visible_word(text: &str) -> Cow<'_, str> {
    match visible(text) {
        seen if seen.contains(['\n', '\t']) => {
            Cow::Owned(seen.replace('\n', "\\n").replace('\t', "\\t"))
        }
        seen => seen,
    }
}

/// The same for JSON text, which stays the same JSON: what is not harmless stands in its strings only, and
/// there becomes an escape of JSON's own.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    escaped(json, |char, seen| {
        for unit in char.encode_utf16(&mut [0; 2]) {
            *seen += &format!("\\u{unit:04x}");
        }
    })
}

/// The same for JSON text that somebody reads as YAML, where two escapes do not make one character.
pub fn visible_yaml(json: &str) -> Cow<'_, str> {
    escaped(json, |char, seen| *seen += &format!("\\U{:08x}", u32::from(char)))
}

fn escaped(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut seen = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_harmless(char) { seen.push(char) } else { escape(char, &mut seen) }
    }
    Cow::Owned(seen)
}

/// Whether it may be shown as it is.
///
/// The joiners (U+200C, U+200D) and the variation selectors of emoji stay: scripts of India and Iran cannot be
/// written without them, nor can a family of emoji, and they change only the letters beside them.
pub fn is_harmless(char: char) -> bool {
    match char {
        '\n' | '\t' => true,
        // What turns the direction of writing: marks, embeddings, overrides, isolates (Unicode TR 9), and
        // what steered shapes and digits before them.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => {
            false
        }
        // Line ends that only some programs take for such.
        '\u{2028}' | '\u{2029}' => false,
        // Without width or shape: a place to hide a word, or to make two names look alike.
        '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{2060}'..='\u{2065}' => {
            false
        }
        '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' => false,
        // Letters that are blank.
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' => false,
        // Tags and the selectors beyond those of emoji: whole sentences that only a model reads.
        '\u{e0000}'..='\u{e0fff}' => false,
        char => !char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_harmless, visible, visible_json, visible_line, visible_word, visible_yaml};

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
    fn a_name_stays_on_its_line_and_says_where_it_left_it() {
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
    fn windows_line_ends_become_line_ends() {
        check("one\r\ntwo\r\n", "one\ntwo\n");
    }

    #[test]
    fn one_line_stays_one_line() {
        assert_eq!(visible_line("a\n\n b\t\u{1b}c "), r"a b \u{1b}c");
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
            let seen = visible(&text);
            prop_assert!(seen.chars().all(is_harmless));
            prop_assert_eq!(visible(&seen), seen.as_ref());
        }

        #[test]
        fn json_means_the_same_as_before(text in any::<String>(), tail in "[\u{70}-\u{a0}\u{2020}-\u{2070}\u{e0000}-\u{e0100}]{0,9}") {
            let text = text + &tail;
            let json = serde_json::to_string(&[&text]).unwrap();
            let seen = visible_json(&json);
            prop_assert!(seen.chars().all(is_harmless));
            let [read]: [String; 1] = serde_json::from_str(&seen).unwrap();
            prop_assert_eq!(read, text);
        }
    }
}
