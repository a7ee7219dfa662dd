//! A text cut short for a message.

use std::borrow::Cow;

/// The first `chars_max` characters of a text, and `…` if more follow.
pub(crate) fn clip(text: &str, chars_max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => Cow::Owned(format!("{}…", text[..end].trim_end())),
        None => Cow::Borrowed(text),
    }
}
