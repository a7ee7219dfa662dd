//! Names of stories. A name is also a folder's name, so it must be valid and unambiguous on every file
//! system: no letter case, no separators, no dots.

use std::fmt;

use narratoria_protocol::visible::{clip, visible_word};

/// Longest name. Every file system accepts it, and it fits on a line of `story list`.
const NAME_CHARS_MAX: usize = 64;

/// Longest part of a text that an error quotes.
const QUOTE_CHARS_MAX: usize = 80;

/// The suggestion for a text without usable characters.
const SUGGESTION_DEFAULT: &str = "my-story";

/// A checked name: `^[a-z0-9][a-z0-9_-]*$`, at most [`NAME_CHARS_MAX`] long.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoryName(String);

/// A text that is not a story's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is not a story's name: it must be 1 to {NAME_CHARS_MAX} of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `{suggestion}` would do"
)]
pub struct StoryNameError {
    /// Cut short, without control characters.
    pub name: String,
    /// A valid name.
    pub suggestion: String,
}

impl StoryName {
    /// Neither trims nor lower-cases the text, so that the player sees the name that is used.
    pub fn parse(text: &str) -> Result<StoryName, StoryNameError> {
        let fits = text.len() <= NAME_CHARS_MAX
            && text.starts_with(is_letter_or_digit)
            && text.chars().all(|c| is_letter_or_digit(c) || c == '_' || c == '-');
        if fits {
            return Ok(StoryName(text.to_owned()));
        }
        Err(StoryNameError { name: quote(text), suggestion: suggest(text) })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A checked name of a branch. It has the same characters as the name of a story.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchName(String);

/// A text that is not a branch's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is not a branch's name: it must be 1 to {NAME_CHARS_MAX} of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `{suggestion}` would do"
)]
pub struct BranchNameError {
    /// Cut short, without control characters.
    pub name: String,
    /// A valid name.
    pub suggestion: String,
}

impl BranchName {
    pub fn parse(text: &str) -> Result<BranchName, BranchNameError> {
        match StoryName::parse(text) {
            Ok(_) => Ok(BranchName(text.to_owned())),
            Err(StoryNameError { name, suggestion }) => {
                let suggestion = suggestion.replace(SUGGESTION_DEFAULT, "my-branch");
                Err(BranchNameError { name, suggestion })
            }
        }
    }

    /// Wraps a name from the story's own file.
    pub(crate) fn stored(text: String) -> BranchName {
        BranchName(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_letter_or_digit(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

/// Returns the text on one line, without control characters, cut short.
pub(crate) fn quote(text: &str) -> String {
    visible_word(&clip(text, QUOTE_CHARS_MAX)).into_owned()
}

/// Returns the nearest valid name: lower case, and one `-` for each run of other characters.
fn suggest(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        if name.len() == NAME_CHARS_MAX {
            break;
        }
        if is_letter_or_digit(c) || (c == '_' && !name.is_empty()) {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches(['-', '_']);
    if name.is_empty() { SUGGESTION_DEFAULT.to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the name, or the whole error.
    fn check(text: &str) -> String {
        match StoryName::parse(text) {
            Ok(name) => format!("ok: {name}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn plain_names_are_accepted_unchanged() {
        insta::assert_snapshot!(
            ["default", "0", "the_long-road2", &"a".repeat(64)].map(check).join("\n"),
            @"
        ok: default
        ok: 0
        ok: the_long-road2
        ok: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        "
        );
    }

    #[test]
    fn the_error_quotes_the_name_and_suggests_a_valid_one() {
        let bad = [
            "",
            "Quest",
            "the long road",
            "-x",
            "_x",
            ".",
            "..",
            "../../etc/passwd",
            "a/b",
            "a\\b",
            "a.b",
            "höhle",
            "a\0b",
            "line\nend",
            &"a".repeat(65),
            &"é".repeat(200),
        ];
        insta::assert_snapshot!(bad.map(check).join("\n"), @r#"
        `` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `my-story` would do
        `Quest` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `quest` would do
        `the long road` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `the-long-road` would do
        `-x` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `x` would do
        `_x` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `x` would do
        `.` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `my-story` would do
        `..` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `my-story` would do
        `../../etc/passwd` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `etc-passwd` would do
        `a/b` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `a-b` would do
        `a\b` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `a-b` would do
        `a.b` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `a-b` would do
        `höhle` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `h-hle` would do
        `a\u{0}b` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `a-b` would do
        `line\nend` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `line-end` would do
        `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` would do
        `éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…` is not a story's name: it must be 1 to 64 of `a`-`z`, `0`-`9`, `_` and `-`, beginning with a letter or digit; `my-story` would do
        "#);
    }

    proptest! {
        #[test]
        fn every_suggestion_is_a_valid_name(text in ".{0,100}") {
            prop_assert!(StoryName::parse(&suggest(&text)).is_ok(), "{:?}", suggest(&text));
        }

        #[test]
        fn a_name_is_one_plain_path_component(text in "\\PC{0,8}|[a-z0-9_./-]{0,8}") {
            if let Ok(name) = StoryName::parse(&text) {
                let mut parts = std::path::Path::new(name.as_str()).components();
                prop_assert!(matches!(parts.next(), Some(std::path::Component::Normal(_))));
                prop_assert!(parts.next().is_none());
            }
        }
    }
}
