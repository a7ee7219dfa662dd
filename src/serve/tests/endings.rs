//! Plays that end, and the end of the server.

use std::{sync::atomic::Ordering, time::Duration};

use axum::{http::StatusCode, response::IntoResponse as _};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use super::client::{HttpReply, TestServer, names, until};
use crate::{NewStory, ServeTimes, limits::PLAYS_MAX, story_play::PlayPhase};

const ENDING: Option<StatusCode> = Some(StatusCode::SERVICE_UNAVAILABLE);

#[tokio::test]
async fn a_play_that_nobody_watches_is_closed_and_its_numbers_go_on() {
    let unwatched = Duration::from_millis(40);
    let server = TestServer::with_times(ServeTimes { unwatched, ..ServeTimes::default() }).await;
    let mut watched = server.events_of("cellar", "").await.unwrap();
    watched.expect().await;
    let mut events = server.events("").await;
    let first = events.expect().await;
    drop(events);
    let (tower, cellar) =
        (server.parts.hubs.own().known("tower").unwrap(), server.parts.hubs.own().known("cellar"));
    until(|| tower.phase() == PlayPhase::Closed && tower.events_after(first.number()).is_none())
        .await;
    assert_eq!(cellar.unwrap().phase(), PlayPhase::Ready);
    // Its events have been dropped, so the page gets a snapshot, with a number that is greater.
    let mut again = server.events(&format!("?from={}", first.id)).await;
    let snapshot = again.expect().await;
    assert_eq!(snapshot.kind, "snapshot");
    assert!(snapshot.number() > first.number());
    assert_eq!(server.host.table("tower").openings.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_turn_that_runs_is_never_closed_for_want_of_watchers() {
    let unwatched = Duration::from_millis(20);
    let server = TestServer::with_times(ServeTimes { unwatched, ..ServeTimes::default() }).await;
    server.line("a", 0, "wait here").await;
    let tower = server.parts.hubs.own().known("tower").unwrap();
    server.parts.hubs.own().close_unwatched(Duration::ZERO);
    assert_eq!(tower.phase(), PlayPhase::Busy);
    server.host.table("tower").finish("told");
    until(|| tower.phase() == PlayPhase::Closed).await;
}

#[tokio::test]
async fn so_many_stories_are_in_play_and_one_that_nobody_watches_makes_room() {
    let server = TestServer::start().await;
    let mut streams = Vec::new();
    for number in 0..PLAYS_MAX {
        streams.push(server.events_of(&format!("story-{number}"), "").await.unwrap());
    }
    assert_eq!(server.get("/api/stories/tower/events").await.fault(), "429 too-many");
    assert_eq!(server.line("a", 0, "I go").await.fault(), "429 too-many");
    streams.remove(0);
    let first = server.parts.hubs.own().known("story-0").unwrap();
    until(|| first.unwatched_for().is_some()).await;
    assert_eq!(server.line("a", 0, "I go").await.status, 202);
    until(|| first.phase() == PlayPhase::Closed).await;
}

#[tokio::test]
async fn a_play_that_ends_says_why_and_the_next_line_opens_it_again() {
    let server = TestServer::start().await;
    let mut events = server.events("").await;
    events.expect().await;
    server.line("a", 0, "end").await;
    let closed = events.expect().await;
    assert_eq!((closed.kind.as_str(), &closed.data), ("closed", &json!({ "why": "planted" })));
    assert_eq!(server.line("b", 0, "I go").await.status, 202);
    let seen = names(&events.up_to("turn.finished").await);
    assert_eq!(seen, ["session.started", "ready", "turn.started", "turn.finished"]);
}

#[tokio::test]
async fn at_the_end_of_the_server_a_running_turn_ends_and_streams_are_closed() {
    let server = TestServer::start().await;
    let mut events = server.events("").await;
    events.expect().await;
    let mut idle = server.events_of("cellar", "").await.unwrap();
    idle.expect().await;
    server.line("a", 0, "wait here").await;
    server.shutdown.cancel();
    assert_eq!(names(&idle.up_to("closed").await), ["closed"]);
    let table = server.host.table("tower");
    until(|| *table.is_closing.lock().unwrap()).await;
    table.finish("told");
    let seen = names(&events.up_to("closed").await);
    assert_eq!(seen[seen.len() - 2..], ["turn.finished", "closed"]);
    let last = events.expect().await;
    assert_eq!(last.data, json!({ "why": "the server has ended" }));
    assert_eq!(events.next().await, None);
    server.end().await;
}

#[tokio::test]
async fn at_the_end_of_the_server_nothing_new_is_begun_and_idle_connections_are_closed() {
    let head = Duration::from_secs(600);
    let server = TestServer::with_times(ServeTimes { head, ..ServeTimes::default() }).await;
    let mut idle = server.connect().await;
    let request = format!("GET /api/about HTTP/1.1\r\nhost: {}\r\n\r\n", server.host_name());
    idle.write_all(request.as_bytes()).await.unwrap();
    server.line("a", 0, "wait here").await;
    server.shutdown.cancel();
    let reply = HttpReply::read(&mut idle).await;
    assert_eq!(reply.status, 200);
    let table = server.host.table("tower");
    until(|| *table.is_closing.lock().unwrap()).await;
    // A connection that was in the middle of a request may come so far.
    let hub = &server.parts.hubs.own();
    assert_eq!(hub.open("cellar").await.err().map(|error| error.into_response().status()), ENDING);
    let created = hub.create("a".to_owned(), NewStory::default()).await;
    assert_eq!(created.err().map(|error| error.into_response().status()), ENDING);
    table.finish("told");
    server.end().await;
}

#[tokio::test]
async fn at_the_end_of_the_server_a_turn_that_does_not_end_is_stopped() {
    let ending = Duration::from_millis(50);
    let server = TestServer::with_times(ServeTimes { ending, ..ServeTimes::default() }).await;
    let mut events = server.events("").await;
    events.expect().await;
    server.line("a", 0, "wait here").await;
    server.shutdown.cancel();
    let seen = events.up_to("closed").await;
    let finished = seen.iter().find(|event| event.name() == "turn.finished").unwrap();
    assert_eq!(finished.data["outcome"], json!("cancelled"));
    server.end().await;
}
