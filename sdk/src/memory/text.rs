//! A remembered text.

/// A text that the story remembers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryText {
    /// The text.
    pub text: String,
    /// Its subjects, by which scripts find it.
    pub tags: Vec<String>,
}
