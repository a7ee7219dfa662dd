//! The errors of a reference that are known before anything runs, each with a hint.

use crate::error::{join_names, quote};
use narratoria_protocol::nearest::nearest;

/// Why a string that looks like a reference is not one, or leads nowhere. The text continues a sentence that begins
/// with the reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceCheckError {
    /// The reference names a step, and its path does not parse.
    #[error("is not a reference: {what}")]
    Malformed { what: String },
    /// Longer than any path that leads somewhere.
    #[error("has {bytes} bytes, the limit of a reference is {limit}")]
    TooLong {
        bytes: usize,
        /// [`super::REFERENCE_BYTES_MAX`].
        limit: usize,
    },
    /// Deeper than any output.
    #[error("leads {parts} levels deep, the limit of a reference is {limit}")]
    TooDeep {
        /// Fields and indices of the path.
        parts: usize,
        /// `REFERENCE_PARTS_MAX`.
        limit: usize,
    },
    #[error("refers to `{}`, which is not in the plan", quote(.step))]
    UnknownStep {
        step: String,
        /// The nearest id, if one is near.
        near: Option<String>,
    },
    /// A step cannot wait for itself.
    #[error("is what the step itself gives, which is not known before it has run")]
    SelfReference,
    /// In a loop, `$item` and `$index` belong to the loop.
    #[error("could be the loop's own `${word}` or step `{step}`")]
    Ambiguous {
        /// `item` or `index`.
        word: String,
        /// The step with that id.
        step: String,
    },
    /// The schemas of all candidates allow nothing there.
    #[error("leads nowhere: `{}` {what}", quote(.before))]
    MissingPart {
        /// The reference as far as it leads somewhere.
        before: String,
        /// The fault of the next part.
        what: String,
        /// The unknown field, if the next part is a field of an object.
        wanted: Option<String>,
        /// The fields that schemas name.
        fields: Vec<String>,
        /// True if an item of a list would have fields.
        is_list: bool,
    },
    /// The reference gives no value that the consumer takes.
    #[error("is {gives}, {consumer} takes {takes}")]
    TypeMismatch {
        /// Such as `an integer`.
        gives: String,
        /// `<skill>/<script>`, or `forEach`.
        consumer: String,
        /// Such as `a string or null`.
        takes: String,
        /// References to parts whose types fit.
        parts: Vec<String>,
    },
}

impl ReferenceCheckError {
    /// Returns a hint for the planner or the person who wrote `reference`.
    pub fn hint(&self, reference: &str) -> Option<String> {
        let literal = format!("write `${}` for the text itself", quote(reference));
        match self {
            ReferenceCheckError::Malformed { .. } => {
                Some(format!("a path looks like `.name` or `[0]`; {literal}"))
            }
            ReferenceCheckError::UnknownStep { near: Some(near), .. } => {
                Some(format!("did you mean `${near}`?"))
            }
            ReferenceCheckError::UnknownStep { step, near: None }
                if step == "item" || step == "index" =>
            {
                Some(format!(
                    "`${step}` is known in the `input` of a step with `forEach`; {literal}"
                ))
            }
            ReferenceCheckError::TooLong { .. }
            | ReferenceCheckError::UnknownStep { near: None, .. } => Some(literal),
            ReferenceCheckError::SelfReference => Some(format!("refer to another step; {literal}")),
            ReferenceCheckError::Ambiguous { step, .. } => {
                Some(format!("give step `{step}` another id"))
            }
            ReferenceCheckError::MissingPart { before, wanted, fields, is_list, .. } => {
                let before = quote(before);
                if *is_list {
                    return Some(format!("take an item of it, such as `{before}[0]`"));
                }
                match wanted.as_ref().and_then(|wanted| nearest(wanted, fields)) {
                    Some(near) => Some(format!("did you mean `{before}.{}`?", quote(&near))),
                    None if fields.is_empty() => None,
                    None => Some(format!("`{before}` has: {}", join_names(fields))),
                }
            }
            ReferenceCheckError::TypeMismatch { parts, .. } if !parts.is_empty() => {
                Some(format!("parts of it that would do: {}", join_names(parts)))
            }
            ReferenceCheckError::TooDeep { .. } | ReferenceCheckError::TypeMismatch { .. } => None,
        }
    }
}
