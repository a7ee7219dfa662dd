//! Every route of the server in one table, with what it demands. The router and the tests are made of it.

use std::{future::Future, pin::Pin, sync::Arc};

use axum::{
    Router,
    extract::{RawPathParams, Request, rejection::RawPathParamsRejection},
    http::HeaderMap,
    response::IntoResponse,
    routing::{MethodFilter, on},
};
use bytes::Bytes;

use crate::{
    api_error::ApiError,
    asked::{Asked, RouteResult, ServerParts, has_type, plain_path, read_body},
    limits::{IMPORT_TIME_MAX, IMPORTED_FILE_BYTES_MAX, JSON_BODY_BYTES_MAX},
    login::Visitor,
    play_routes, program_access, program_routes, session_routes, story_routes,
};

type RouteFuture = Pin<Box<dyn Future<Output = RouteResult> + Send>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteMethod {
    Get,
    Post,
    Put,
    Delete,
}

impl RouteMethod {
    fn filter(self) -> MethodFilter {
        match self {
            RouteMethod::Get => MethodFilter::GET,
            RouteMethod::Post => MethodFilter::POST,
            RouteMethod::Put => MethodFilter::PUT,
            RouteMethod::Delete => MethodFilter::DELETE,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteAccess {
    /// For everybody who may reach the server.
    Open,
    /// For a browser with the player's cookie.
    Player,
    /// For readers of the story as well.
    Reader,
    /// For a program of others that has the token, if the player lets programs in.
    Program,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteBody {
    None,
    Json,
    /// A file that is imported.
    File,
    /// A message of a program, which is JSON.
    Message,
}

pub(crate) struct Route {
    pub(crate) method: RouteMethod,
    pub(crate) path: &'static str,
    pub(crate) access: RouteAccess,
    pub(crate) body: RouteBody,
    answer: fn(Asked) -> RouteFuture,
}

macro_rules! routes {
    ($($method:ident $path:literal $access:ident $body:ident $($answer:ident)::+;)*) => {
        &[$(Route {
            method: RouteMethod::$method,
            path: $path,
            access: RouteAccess::$access,
            body: RouteBody::$body,
            answer: |asked| Box::pin($($answer)::+(asked)),
        }),*]
    };
}

pub(crate) static ROUTES: &[Route] = routes! {
    Get "/" Open None story_routes::index;
    Get "/assets/{name}" Open None story_routes::page_file;
    Post "/api/session" Open Json session_routes::begin;
    Get "/api/about" Open None session_routes::about;
    Get "/api/stories" Player None story_routes::stories;
    Post "/api/stories" Player Json story_routes::create;
    Get "/api/campaigns" Player None story_routes::campaigns;
    Get "/api/campaigns/{campaign}/cover" Player None story_routes::cover;
    Get "/api/skills" Player None story_routes::skills;
    Post "/api/imports" Player File story_routes::import;
    Get "/api/stories/{story}" Reader None story_routes::snapshot;
    Get "/api/stories/{story}/events" Reader None play_routes::events;
    Post "/api/stories/{story}/lines" Player Json play_routes::line;
    Post "/api/stories/{story}/decisions" Player Json play_routes::decision;
    Put "/api/stories/{story}/reviewing" Player Json play_routes::reviewing;
    Post "/api/stories/{story}/reviews" Player Json play_routes::review;
    Post "/api/stories/{story}/stop" Player None play_routes::stop;
    Get "/api/stories/{story}/documents/{about}" Reader None story_routes::story_document;
    Get "/api/stories/{story}/assets/{id}" Player None story_routes::asset;
    Get "/api/stories/{story}/export" Player None story_routes::export;
    Get "/api/stories/{story}/links" Player None session_routes::links;
    Post "/api/stories/{story}/links" Player None session_routes::add_link;
    Delete "/api/stories/{story}/links/{link}" Player None session_routes::remove_link;
    Delete "/api/session" Player None session_routes::end;
    Get "/mcp" Program None program_routes::answer;
    Post "/mcp" Program Message program_routes::answer;
    Delete "/mcp" Program None program_routes::answer;
};

/// The router of the table.
pub(crate) fn router(server: &Arc<ServerParts>) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        let server = server.clone();
        let answer = async move |path: Result<RawPathParams, RawPathParamsRejection>, request| {
            let answered = answer(route, server, path, request).await;
            answered.unwrap_or_else(IntoResponse::into_response)
        };
        router = router.route(route.path, on(route.method.filter(), answer));
    }
    let nothing = async || ApiError::not_found("there is nothing at this path");
    router.fallback(nothing).method_not_allowed_fallback(async || ApiError::wrong_method())
}

/// Checks everything that a route demands, then answers.
async fn answer(
    route: &'static Route,
    server: Arc<ServerParts>,
    path: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> RouteResult {
    let (parts, body) = request.into_parts();
    server.hubs.check_peer(parts.extensions.get().copied())?;
    let of_player = match route.access {
        RouteAccess::Open | RouteAccess::Program => None,
        RouteAccess::Player | RouteAccess::Reader => server.hubs.of_asker(&parts.headers)?,
    };
    let asker = match of_player {
        Some(hub) => (Some(server.login.named_player()), hub),
        None => {
            let visitor = visitor(route, &server, path.as_ref().ok(), &parts.headers)?;
            (visitor, server.hubs.own())
        }
    };
    let path = path.map_err(|_| ApiError::not_found("the path is no text"))?;
    let path = plain_path(&path)?;
    let typed = |wanted: &str| {
        has_type(&parts.headers, wanted).then_some(()).ok_or_else(|| ApiError::wrong_type(wanted))
    };
    // Held until the answer is there.
    let mut import = None;
    let body = match route.body {
        RouteBody::None => Bytes::new(),
        RouteBody::Json => {
            typed("application/json")?;
            read_body(&parts.headers, body, JSON_BODY_BYTES_MAX, server.body_time).await?
        }
        RouteBody::Message => {
            typed("application/json")?;
            let programs = server.programs.as_ref().ok_or_else(program_access::off)?;
            let bytes_max = programs.endpoint.body_bytes_max();
            read_body(&parts.headers, body, bytes_max, server.body_time).await?
        }
        RouteBody::File => {
            typed("application/octet-stream")?;
            let permit = server.imports.clone().try_acquire_owned();
            import = Some(permit.map_err(|_| story_routes::too_many_imports())?);
            read_body(&parts.headers, body, IMPORTED_FILE_BYTES_MAX, IMPORT_TIME_MAX).await?
        }
    };
    let asked = Asked::new(server, asker, path, parts, body);
    let answered = (route.answer)(asked).await;
    drop(import);
    answered
}

/// Refuses a browser or a program that may not use the route.
fn visitor(
    route: &Route,
    server: &ServerParts,
    path: Option<&RawPathParams>,
    headers: &HeaderMap,
) -> Result<Option<Visitor>, ApiError> {
    match route.access {
        RouteAccess::Open => return Ok(None),
        RouteAccess::Program => {
            server.programs.as_ref().ok_or_else(program_access::off)?.check(headers)?;
            return Ok(None);
        }
        RouteAccess::Player | RouteAccess::Reader => {}
    }
    let story = path.and_then(|path| path.iter().find(|(name, _)| *name == "story"));
    let visitor = server.login.visitor(headers, story.map(|(_, story)| story))?;
    if route.access == RouteAccess::Player && !visitor.is_player() {
        return Err(ApiError::read_only());
    }
    Ok(Some(visitor))
}
