//! Links by which others watch a story.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::json;

use super::client::{Events, TestServer, names, until};
use crate::{
    ServeTimes,
    limits::{READER_LINKS_MAX, READER_STREAMS_MAX, STREAMS_MAX},
};

/// The stream of a reader.
async fn watch(server: &mut TestServer, reader: &str) -> Events {
    let player = std::mem::replace(&mut server.cookie, reader.to_owned());
    let events = server.events("").await;
    server.cookie = player;
    events
}

#[tokio::test]
async fn a_reader_sees_what_happens_and_puts_nothing_into_play() {
    let mut server = TestServer::start().await;
    let (_, reader) = server.reader_of("tower").await;
    let mut watching = watch(&mut server, &reader).await;
    let snapshot = watching.expect().await;
    assert_eq!((snapshot.kind.as_str(), &snapshot.data["mayPlay"]), ("snapshot", &json!(false)));
    let table = server.host.table("tower");
    assert_eq!(table.openings.load(Ordering::SeqCst), 0);
    let mut playing = server.events("").await;
    assert_eq!(playing.expect().await.data["mayPlay"], true);
    assert_eq!(names(&watching.up_to("ready").await), ["session.started", "ready"]);
    assert_eq!(server.line("a", 0, "I go").await.status, 202);
    let seen = watching.up_to("turn.finished").await.pop().unwrap();
    assert_eq!(seen.data["narration"], "So it was: I go");
    let about = server.send("GET /api/about", &[&format!("cookie: {reader}")], b"").await.json();
    assert_eq!((&about["mayPlay"], &about["stories"]), (&json!(false), &json!(["tower"])));
    assert_eq!(server.get("/api/about").await.json()["mayPlay"], true);
}

#[tokio::test]
async fn a_link_that_is_taken_back_ends_its_streams_and_opens_nothing() {
    let mut server = TestServer::start().await;
    let (id, reader) = server.reader_of("tower").await;
    let (_, other) = server.reader_of("tower").await;
    let shown = server.get("/api/stories/tower/links").await.json();
    assert_eq!(shown["links"].as_array().unwrap().len(), 2, "{shown}");
    assert_eq!(shown["links"][0]["id"], json!(id));
    assert_eq!(server.get("/api/stories/cellar/links").await.json(), json!({ "links": [] }));
    let mut watching = watch(&mut server, &reader).await;
    watching.expect().await;
    let mut staying = watch(&mut server, &other).await;
    staying.expect().await;
    let path = format!("/api/stories/cellar/links/{id}");
    assert_eq!(server.json("DELETE", &path, json!({})).await.fault(), "404 not-found");
    let taken = server.json("DELETE", &format!("/api/stories/tower/links/{id}"), json!({})).await;
    assert_eq!(taken.status, 204);
    watching.up_to("closed").await;
    assert_eq!(watching.next().await, None);
    let ask = async |cookie: &str| {
        let cookie = format!("cookie: {cookie}");
        server.send("GET /api/stories/tower", &[&cookie], b"").await.status
    };
    assert_eq!((ask(&reader).await, ask(&other).await), (401, 200));
    let token = shown["links"][0]["path"].as_str().unwrap().strip_prefix("/#r=").unwrap();
    let again = server.post("/api/session", json!({ "link": token })).await;
    assert_eq!(again.fault(), "401 no-session");
}

#[tokio::test]
async fn a_link_needs_a_story_and_there_are_so_many_at_a_time() {
    let server = TestServer::start().await;
    let none = server.post("/api/stories/nowhere/links", json!({})).await;
    assert_eq!(none.fault(), "404 not-found");
    for _ in 0..READER_LINKS_MAX {
        server.reader_of("tower").await;
    }
    let more = server.post("/api/stories/tower/links", json!({})).await;
    assert_eq!(more.fault(), "429 too-many");
}

#[tokio::test]
async fn readers_take_no_stream_from_the_player_and_keep_no_story_in_play() {
    let unwatched = Duration::from_millis(50);
    let mut server =
        TestServer::with_times(ServeTimes { unwatched, ..ServeTimes::default() }).await;
    let (_, reader) = server.reader_of("tower").await;
    let mut readers = Vec::new();
    for _ in 0..READER_STREAMS_MAX {
        readers.push(watch(&mut server, &reader).await);
    }
    let player = std::mem::replace(&mut server.cookie, reader);
    assert_eq!(server.get("/api/stories/tower/events").await.fault(), "429 too-many");
    server.cookie = player;
    assert_eq!(server.parts.streams.available_permits(), STREAMS_MAX);
    let mut playing = server.events("").await;
    playing.up_to("snapshot").await;
    drop(playing);
    readers[0].up_to("closed").await;
    let table = server.host.table("tower");
    until(|| *table.is_closing.lock().unwrap()).await;
}
