//! The page, and documents: what needs no play.

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    HostError, NewStory, StoryHost, WantedDocument,
    api_error::ApiError,
    asked::{Asked, RouteResult, json_response},
    file_response::{attachment, shown_or_attachment},
    limits::{DOCUMENT_TURNS_MAX, IMPORTS_AT_ONCE_MAX, PATH_PART_BYTES_MAX},
    page,
};

/// The documents about a story.
pub const DOCUMENTS: &[&str] = &[
    "log", "told", "branches", "why", "plan", "show", "assets", "memory", "state", "recap", "map",
];

/// Those of them that are for readers too: what the story was told like, and nothing behind it.
pub(crate) const READER_DOCUMENTS: &[&str] = &["told"];

/// The forms of a story as a file.
pub(crate) const EXPORTS: &[&str] = &["markdown", "html", "epub", "ndjson"];

pub(crate) async fn index(asked: Asked) -> RouteResult {
    let index = page::file(page::INDEX, &asked.headers);
    index.ok_or_else(|| ApiError::not_found("there is no page in this program"))
}

pub(crate) async fn page_file(asked: Asked) -> RouteResult {
    let name = asked.path("name");
    let file = page::file(name, &asked.headers).filter(|_| name != page::INDEX);
    file.ok_or_else(|| {
        let error = ApiError::not_found("this version of the page has no such file");
        error.hint("load the page again")
    })
}

pub(crate) async fn stories(asked: Asked) -> RouteResult {
    document(&asked, |host| host.stories()).await
}

pub(crate) async fn campaigns(asked: Asked) -> RouteResult {
    document(&asked, |host| host.campaigns()).await
}

pub(crate) async fn cover(asked: Asked) -> RouteResult {
    let campaign = asked.path("campaign").to_owned();
    let file = asked.hub.call(move |host| host.cover(&campaign)).await?;
    Ok(shown_or_attachment(&asked.headers, file))
}

pub(crate) async fn skills(asked: Asked) -> RouteResult {
    document(&asked, |host| host.skills()).await
}

async fn document(
    asked: &Asked,
    ask: impl FnOnce(&dyn StoryHost) -> Result<Value, HostError> + Send + 'static,
) -> RouteResult {
    Ok(json_response(StatusCode::OK, &asked.hub.call(ask).await?))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewStoryBody {
    request_id: String,
    campaign: Option<String>,
    premise: Option<String>,
    name: Option<String>,
}

pub(crate) async fn create(asked: Asked) -> RouteResult {
    let NewStoryBody { request_id, campaign, premise, name } = asked.json()?;
    check_request_id(&request_id)?;
    let new = NewStory { campaign, premise, name };
    let story = asked.hub.create(request_id, new).await?;
    Ok(json_response(StatusCode::CREATED, &json!({ "story": story })))
}

/// An id that a page makes for each thing that it asks for once.
pub(crate) fn check_request_id(id: &str) -> Result<(), ApiError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if (1..=64).contains(&id.len()) && id.chars().all(is_plain) {
        return Ok(());
    }
    Err(ApiError::bad_input("`requestId` must have 1 to 64 letters, digits, `-` or `_`"))
}

pub(crate) async fn import(asked: Asked) -> RouteResult {
    let name = asked.query("file").ok_or_else(|| ApiError::bad_input("`file` is missing"))?;
    let is_plain = !name.contains(['/', '\\']) && !name.chars().any(char::is_control);
    if !is_plain || name.starts_with('.') || name.len() > PATH_PART_BYTES_MAX {
        return Err(ApiError::bad_input("`file` must be the name of a file, without a folder"));
    }
    let (name, bytes) = (name.to_owned(), asked.body.clone());
    let made = asked.hub.call(move |host| host.import(&name, &bytes)).await?;
    Ok(json_response(StatusCode::CREATED, &made))
}

/// The right to have a file in memory.
pub(crate) fn too_many_imports() -> ApiError {
    ApiError::too_many(format!("{IMPORTS_AT_ONCE_MAX} files are being imported"))
}

pub(crate) async fn snapshot(asked: Asked) -> RouteResult {
    let hub = &asked.hub;
    let (snapshot, _) = hub.snapshot(asked.path("story"), asked.is_of_player()).await?;
    Ok(json_response(StatusCode::OK, &snapshot))
}

pub(crate) async fn story_document(asked: Asked) -> RouteResult {
    let about = asked.path("about");
    if !DOCUMENTS.contains(&about) {
        return Err(ApiError::not_found(format!("there is no document `{about}` of a story")));
    }
    if !asked.is_of_player() && !READER_DOCUMENTS.contains(&about) {
        return Err(ApiError::read_only());
    }
    let count = asked.number("count")?;
    if count.is_some_and(|count| count > DOCUMENT_TURNS_MAX) {
        let message = format!("`count` is at most {DOCUMENT_TURNS_MAX}");
        return Err(ApiError::bad_input(message));
    }
    let text = |name: &str| asked.query(name).map(str::to_owned);
    let wanted = WantedDocument {
        about: about.to_owned(),
        turn: text("turn"),
        pointer: text("pointer"),
        before: asked.number("before")?,
        count,
    };
    let story = asked.path("story").to_owned();
    document(&asked, move |host| host.document(&story, &wanted)).await
}

pub(crate) async fn asset(asked: Asked) -> RouteResult {
    let (story, id) = (asked.path("story").to_owned(), asked.path("id").to_owned());
    let file = asked.hub.call(move |host| host.asset(&story, &id)).await?;
    Ok(shown_or_attachment(&asked.headers, file))
}

pub(crate) async fn export(asked: Asked) -> RouteResult {
    let format = asked.query("format").unwrap_or("markdown").to_owned();
    if !EXPORTS.contains(&format.as_str()) {
        return Err(ApiError::bad_input(format!("`format` is one of {}", EXPORTS.join(", "))));
    }
    let story = asked.path("story").to_owned();
    let file = asked.hub.call(move |host| host.export(&story, &format)).await?;
    Ok(attachment(file))
}
