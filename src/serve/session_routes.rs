//! Who a browser is: sessions of the player, and links for readers.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    api_error::ApiError,
    asked::{Asked, RouteResult, empty_response, json_response},
    limits::PASSWORD_BYTES_MAX,
    login::ShownLink,
    page,
};

/// One of the three.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionBody {
    token: Option<String>,
    password: Option<String>,
    link: Option<String>,
}

pub(crate) async fn begin(asked: Asked) -> RouteResult {
    let SessionBody { token, password, link } = asked.json()?;
    if asked.server.hubs.has_players() {
        return Err(ApiError::conflict(
            "the proxy says who you are, so there is nothing to log in to",
        ));
    }
    let (login, is_secure) = (&asked.server.login, asked.is_secure);
    let cookie = match (token, password, link) {
        (Some(token), None, None) => login.with_token(&token, is_secure)?,
        (None, Some(password), None) => {
            if password.len() > PASSWORD_BYTES_MAX {
                return Err(ApiError::too_large("the password", PASSWORD_BYTES_MAX));
            }
            login.with_password(password, is_secure).await?
        }
        (None, None, Some(link)) => {
            let reader = login.with_link(&link, is_secure)?;
            let story = json!({ "story": reader.story });
            return with_cookie(json_response(StatusCode::OK, &story), reader.cookie);
        }
        _ => return Err(ApiError::bad_input("one of `token`, `password` and `link` is needed")),
    };
    with_cookie(empty_response(StatusCode::NO_CONTENT), cookie)
}

pub(crate) async fn end(asked: Asked) -> RouteResult {
    let cookie = asked.server.login.end_session(&asked.headers);
    with_cookie(empty_response(StatusCode::NO_CONTENT), cookie)
}

fn with_cookie(mut response: Response, cookie: String) -> RouteResult {
    let cookie = HeaderValue::try_from(cookie).map_err(|_| ApiError::failed("no cookie"))?;
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

pub(crate) async fn about(asked: Asked) -> RouteResult {
    let login = &asked.server.login;
    let mut about = json!({
        "program": "narratoria",
        "version": asked.server.version,
        "api": 1,
        "page": page::PAGE_HASH,
        "mayPlay": true,
        "password": login.has_password(),
    });
    if !asked.server.hubs.has_players() && login.visitor(&asked.headers, None).is_err() {
        let stories = login.stories_to_read(&asked.headers);
        if !stories.is_empty() {
            about["mayPlay"] = false.into();
            about["stories"] = stories.into();
        }
    }
    Ok(json_response(StatusCode::OK, &about))
}

pub(crate) async fn links(asked: Asked) -> RouteResult {
    let links = asked.server.login.links(asked.path("story"));
    let links: Vec<Value> = links.iter().map(link_document).collect();
    Ok(json_response(StatusCode::OK, &json!({ "links": links })))
}

pub(crate) async fn add_link(asked: Asked) -> RouteResult {
    if asked.server.hubs.has_players() {
        return Err(ApiError::conflict("a server with many players has no links for readers"));
    }
    let story = asked.path("story").to_owned();
    // Refuses a story that does not exist.
    asked.hub.snapshot(&story, true).await?;
    let link = asked.server.login.add_link(&story)?;
    Ok(json_response(StatusCode::CREATED, &link_document(&link)))
}

pub(crate) async fn remove_link(asked: Asked) -> RouteResult {
    if !asked.server.login.remove_link(asked.path("story"), asked.path("link")) {
        return Err(ApiError::not_found("the story has no such link"));
    }
    Ok(empty_response(StatusCode::NO_CONTENT))
}

fn link_document(ShownLink { id, token }: &ShownLink) -> Value {
    json!({ "id": id, "path": format!("/#r={token}") })
}
