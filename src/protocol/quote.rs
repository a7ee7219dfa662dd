//! A value as an error quotes it.

use serde_json::Value;

use super::visible::clip;

/// Longest quotation of a script's own value.
const QUOTE_CHARS_MAX: usize = 80;

/// The value as JSON, clipped: it is the script's text and may be long.
pub(crate) fn quote(value: &Value) -> String {
    clip(&value.to_string(), QUOTE_CHARS_MAX).into_owned()
}
