//! The setting `premise`: what a new story is about. Pure.

use narratoria_protocol::visible::{clip, visible_line};

/// Longest premise: a sentence or two. A world is made from its words.
pub(super) const PREMISE_BYTES_MAX: usize = 500;

/// The word that stands for no world.
const NO_WORLD: &str = "none";

/// Characters that a message quotes of a premise.
const SHOWN_CHARS_MAX: usize = 60;

/// The premise of a new story.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Premise {
    /// A terminal begins with a premise that the seed chooses; a pipe has no world.
    #[default]
    Unsaid,
    Text(String),
    /// The story has no world.
    NoWorld,
}

/// Why a text cannot be a premise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PremiseError {
    #[error("the premise has {bytes} bytes, the limit is {PREMISE_BYTES_MAX}")]
    TooLong { bytes: usize },
    #[error("the premise `{}` says nothing", visible_line(&clip(text, SHOWN_CHARS_MAX)))]
    NoWords { text: String },
    #[error("the premise `{}` has a control character", visible_line(&clip(text, SHOWN_CHARS_MAX)))]
    Control { text: String },
}

impl Premise {
    /// Reads a premise as it is typed.
    pub(super) fn parse(text: &str) -> Result<Premise, PremiseError> {
        let text = text.trim();
        if text.len() > PREMISE_BYTES_MAX {
            return Err(PremiseError::TooLong { bytes: text.len() });
        }
        if text.contains(char::is_control) {
            return Err(PremiseError::Control { text: text.to_owned() });
        }
        match text {
            NO_WORLD => Ok(Premise::NoWorld),
            text if text.chars().any(char::is_alphanumeric) => Ok(Premise::Text(text.to_owned())),
            text => Err(PremiseError::NoWords { text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PREMISE_BYTES_MAX, Premise};

    #[test]
    fn a_premise_is_a_short_text_with_words() {
        let read = |text: &str| match Premise::parse(text) {
            Ok(premise) => format!("{premise:?}"),
            Err(error) => error.to_string(),
        };
        let long = "x".repeat(PREMISE_BYTES_MAX + 1);
        let cases = [" a lighthouse keeper ", "none", "", "...", "a\u{1b}[2J", long.as_str()];
        insta::assert_snapshot!(cases.map(read).join("\n"), @r#"
        Text("a lighthouse keeper")
        NoWorld
        the premise `` says nothing
        the premise `...` says nothing
        the premise `a\u{1b}[2J` has a control character
        the premise has 501 bytes, the limit is 500
        "#);
    }
}
