//! What a registry and its server of tokens answer, besides manifests. Pure.

use narratoria_protocol::{
    JsonBounds, StrictJsonError, read_json_as,
    visible::{clip, visible_line},
};
use serde::Deserialize;
use ureq::http::HeaderValue;

use super::limits::{
    REFUSAL_BYTES_MAX, REFUSAL_CHARS_MAX, REGISTRY_LIST_BYTES_MAX, TOKEN_ANSWER_BYTES_MAX,
    TOKEN_BYTES_MAX,
};

/// The answer of a server of tokens. Both names are in use.
#[derive(Deserialize)]
struct TokenJson {
    token: Option<String>,
    access_token: Option<String>,
}

#[derive(Deserialize)]
struct TagsJson {
    /// Null if there are none.
    tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct RefusalJson {
    errors: Vec<RefusalErrorJson>,
}

#[derive(Deserialize)]
struct RefusalErrorJson {
    #[serde(default)]
    message: String,
}

/// Reads one page of a list of tags.
pub(crate) fn read_tags(bytes: &[u8]) -> Result<Vec<String>, StrictJsonError> {
    let bounds = JsonBounds::of_bytes(REGISTRY_LIST_BYTES_MAX as usize);
    let page: TagsJson = read_json_as(bytes, bounds)?;
    Ok(page.tags.unwrap_or_default())
}

/// Reads a token, as the header that shows it; `None` if there is none that can be used.
pub(crate) fn read_token(bytes: &[u8]) -> Option<HeaderValue> {
    let bounds = JsonBounds::of_bytes(TOKEN_ANSWER_BYTES_MAX as usize);
    let answer = read_json_as::<TokenJson>(bytes, bounds).ok()?;
    let token = answer.token.or(answer.access_token)?;
    let is_usable = !token.is_empty() && token.len() <= TOKEN_BYTES_MAX;
    is_usable.then(|| secret_header(&format!("Bearer {token}"))).flatten()
}

/// Reads the first explanation of a refusal, if there is one.
pub(crate) fn read_refusal(bytes: &[u8]) -> String {
    let bounds = JsonBounds::of_bytes(REFUSAL_BYTES_MAX as usize);
    let refusal = read_json_as::<RefusalJson>(bytes, bounds).ok();
    let first = refusal.and_then(|refusal| refusal.errors.into_iter().next());
    let message = first.map(|error| error.message).unwrap_or_default();
    visible_line(&clip(&message, REFUSAL_CHARS_MAX))
}

/// A header that no log shows; `None` if the text cannot stand in one.
pub(crate) fn secret_header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The address of the next page, `</v2/a/tags/list?last=b>; rel="next"`.
pub(crate) fn next_page(link: &str) -> Option<&str> {
    let (location, rest) = link.trim().strip_prefix('<')?.split_once('>')?;
    rest.replace('"', "").contains("rel=next").then_some(location)
}
