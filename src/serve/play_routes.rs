//! Playing a story: its events, its lines, and what the player decides.

use std::sync::Arc;

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use tokio::task;

use crate::{
    HostError, LineAdmission, Player, StepDecision,
    api_error::ApiError,
    asked::{Asked, RouteResult, empty_response, json_response},
    event_stream::EventStream,
    limits::{READER_STREAMS_MAX, STREAMS_MAX},
    metrics::LineFate,
    ring::number_of,
    story_play::{StoryPlay, WatcherKind, nothing_waits, panicked},
    story_routes::check_request_id,
};

/// How often a line opens a play that ends before it can take the line.
const OPENINGS: usize = 2;

pub(crate) async fn events(asked: Asked) -> RouteResult {
    let server = &asked.server;
    let Some(visitor) = asked.visitor.clone() else {
        return Err(ApiError::failed("a stream is for a known browser"));
    };
    let (streams, streams_max) = match visitor.is_player() {
        true => (&server.streams, STREAMS_MAX),
        false => (&server.reader_streams, READER_STREAMS_MAX),
    };
    let permit = streams.clone().try_acquire_owned().map_err(|_| {
        let error = ApiError::too_many(format!("{streams_max} pages watch stories"));
        error.hint("close some tabs")
    })?;
    let last = asked.headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last = last.filter(|id| !id.is_empty()).or_else(|| asked.query("from"));
    let position = last.and_then(|id| number_of(id, asked.hub.run()));
    let story = asked.path("story");
    let (play, watch) = match visitor.is_player() {
        true => {
            let play = asked.hub.open(story).await?;
            let watch = play.watch(WatcherKind::Player);
            (play, watch)
        }
        // A reader neither begins a play nor keeps one.
        false => asked.hub.look_on(story),
    };
    let stream = EventStream {
        hub: asked.hub.clone(),
        play,
        position,
        visitor,
        ping_time: server.ping_time,
        ended: server.ended.clone(),
        _watch: watch,
        _permit: permit,
    };
    Ok(stream.into_response())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LineBody {
    request_id: String,
    after: u64,
    text: String,
}

pub(crate) async fn line(asked: Asked) -> RouteResult {
    let LineBody { request_id, after, text } = asked.json()?;
    check_request_id(&request_id)?;
    if text.trim().is_empty() || text.contains(['\n', '\r']) {
        return Err(ApiError::bad_input("`text` must be one line, and not an empty one"));
    }
    let story = asked.path("story");
    let hub = &asked.hub;
    let is_taken = hub.known(story).is_some_and(|play| play.has_line(&request_id));
    let accepted = || Ok(json_response(StatusCode::ACCEPTED, &json!({ "accepted": true })));
    if is_taken {
        return accepted();
    }
    let metrics = &asked.server.metrics;
    let (name, id) = (story.to_owned(), request_id.clone());
    let admission = hub.call(move |host| host.admit_line(&name, &id)).await;
    match admission.inspect_err(|_| metrics.count_line(LineFate::Refused))? {
        LineAdmission::New => {}
        LineAdmission::Stored => {
            metrics.count_line(LineFate::Known);
            return accepted();
        }
    }
    for _ in 0..OPENINGS {
        if hub.open(story).await?.line(&request_id, after, &text).await? {
            metrics.count_line(LineFate::Accepted);
            return accepted();
        }
    }
    Err(ApiError::conflict("the play ends as soon as it begins"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DecisionBody {
    tool_id: String,
    decision: DecisionWord,
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum DecisionWord {
    Approve,
    Deny,
    Answer,
    Leave,
}

pub(crate) async fn decision(asked: Asked) -> RouteResult {
    let DecisionBody { tool_id, decision: word, text } = asked.json()?;
    let decision = match (word, text) {
        (DecisionWord::Approve, None) => StepDecision::Approve,
        (DecisionWord::Deny, None) => StepDecision::Deny,
        (DecisionWord::Leave, None) => StepDecision::LeaveUnanswered,
        (DecisionWord::Answer, Some(text)) => StepDecision::Answer(text),
        (DecisionWord::Answer, None) => {
            return Err(ApiError::bad_input("an answer needs `text`"));
        }
        (_, Some(_)) => return Err(ApiError::bad_input("only an answer has `text`")),
    };
    let Some(play) = asked.hub.known(asked.path("story")) else {
        return Err(nothing_waits(&tool_id));
    };
    play.decide(&tool_id, decision).await?;
    Ok(empty_response(StatusCode::NO_CONTENT))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReviewingBody {
    on: bool,
}

pub(crate) async fn reviewing(asked: Asked) -> RouteResult {
    let ReviewingBody { on } = asked.json()?;
    let play = asked.hub.open(asked.path("story")).await?;
    play.keep_reviewing(on);
    if let Some(player) = play.player() {
        on_thread(move || {
            player.set_reviewing(on);
            Ok(())
        })
        .await?;
    }
    Ok(empty_response(StatusCode::NO_CONTENT))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReviewBody {
    command: String,
}

pub(crate) async fn review(asked: Asked) -> RouteResult {
    let ReviewBody { command } = asked.json()?;
    let in_play = in_play(&asked).filter(|(play, _)| play.has_review());
    let (_, player) = in_play.ok_or_else(|| ApiError::conflict("no plan waits for a review"))?;
    on_thread(move || player.review(&command)).await?;
    Ok(empty_response(StatusCode::NO_CONTENT))
}

pub(crate) async fn stop(asked: Asked) -> RouteResult {
    if let Some((_, player)) = in_play(&asked) {
        on_thread(move || {
            player.stop();
            Ok(())
        })
        .await?;
    }
    Ok(empty_response(StatusCode::ACCEPTED))
}

fn in_play(asked: &Asked) -> Option<(Arc<StoryPlay>, Arc<dyn Player>)> {
    let play = asked.hub.known(asked.path("story"))?;
    let player = play.player()?;
    Some((play, player))
}

/// Calls a player on a thread that may block.
async fn on_thread(
    call: impl FnOnce() -> Result<(), HostError> + Send + 'static,
) -> Result<(), ApiError> {
    task::spawn_blocking(call).await.unwrap_or_else(|_| Err(panicked())).map_err(ApiError::from)
}
