//! What can be wrong with a reference before anything runs, and what would put it right.

use crate::error::{join_names, quote};
use narratoria_protocol::nearest::nearest;

/// Why a string that looks like a reference is none, or leads nowhere. Follows the reference's text in a
/// sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceCheckError {
    /// The step is named, the rest cannot be read.
    #[error("is not a reference: {what}")]
    Malformed {
        /// What stands where it should not.
        what: String,
    },
    /// Longer than any path that leads somewhere.
    #[error("has {bytes} bytes, the limit of a reference is {limit}")]
    TooLong {
        /// Its size.
        bytes: usize,
        /// [`super::REFERENCE_BYTES_MAX`].
        limit: usize,
    },
    /// Deeper than any output.
    #[error("leads {parts} levels deep, the limit of a reference is {limit}")]
    TooDeep {
        /// Fields and indices.
        parts: usize,
        /// [`super::REFERENCE_PARTS_MAX`].
        limit: usize,
    },
    /// No step is called so.
    #[error("refers to `{}`, which is not in the plan", quote(.step))]
    UnknownStep {
        /// As given.
        step: String,
        /// The nearest id, if one is near.
        near: Option<String>,
    },
    /// A step cannot wait for itself.
    #[error("is what the step itself gives, which is not known before it has run")]
    SelfReference,
    /// In a loop, `item` and `index` are the loop's own.
    #[error("could be the loop's own `${word}` or step `{step}`")]
    Ambiguous {
        /// `item` or `index`.
        word: String,
        /// The step of that name.
        step: String,
    },
    /// The schemas of all who could run the step allow nothing there.
    #[error("leads nowhere: `{}` {what}", quote(.before))]
    MissingPart {
        /// The reference as far as it leads somewhere.
        before: String,
        /// What is wrong with the part that comes next.
        what: String,
        /// The name asked for, when it is a name and others are known.
        wanted: Option<String>,
        /// The names that are there.
        fields: Vec<String>,
        /// Whether an item of a list was meant.
        is_list: bool,
    },
    /// What it gives can never be what is taken.
    #[error("is {gives}, {whom} takes {takes}")]
    TypeMismatch {
        /// Such as `an integer`.
        gives: String,
        /// `<skill>/<script>`, or `forEach`.
        whom: String,
        /// Such as `a string or null`.
        takes: String,
        /// References to parts of it that would do.
        parts: Vec<String>,
    },
}

impl ReferenceCheckError {
    /// The way out, where there is one.
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
