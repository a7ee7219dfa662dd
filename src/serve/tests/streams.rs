//! Events of a story: in order, each once, or a snapshot.

use std::{collections::BTreeSet, sync::atomic::Ordering};

use serde_json::{Value, json};

use super::client::{TestServer, names, until};
use crate::limits::{RING_BYTES_MAX, RING_EVENTS_MAX};

#[tokio::test]
async fn a_stream_begins_with_a_snapshot_and_goes_on_with_events() {
    let server = TestServer::start().await;
    let mut events = server.events("").await;
    let first = events.expect().await;
    assert_eq!(first.kind, "snapshot");
    assert_eq!(first.data["at"], json!(first.id));
    assert_eq!(first.data["ready"], json!(true));
    assert_eq!(server.line("a", 0, "I look").await.status, 202);
    let seen = events.up_to("ready").await;
    assert_eq!(names(&seen), ["turn.started", "turn.finished", "ready"]);
    let numbers: Vec<u64> = seen.iter().map(|event| event.number()).collect();
    let from = first.number();
    assert_eq!(numbers, [from + 1, from + 2, from + 3]);
    assert!(seen[2].id.contains(".1."), "{}", seen[2].id);
    assert_eq!(seen[2].data, json!({ "turns": 1 }));
}

#[tokio::test]
async fn after_a_cut_connection_each_event_comes_once() {
    let server = TestServer::start().await;
    let mut events = server.events("").await;
    let first = events.expect().await;
    server.line("a", 0, "I look").await;
    let before = events.expect().await;
    drop(events);
    server.line("b", 1, "I go").await;
    let mut again = server.events(&format!("?from={}", before.id)).await;
    let mut seen = again.up_to("ready").await;
    seen.extend(again.up_to("ready").await);
    let expect = ["turn.finished", "ready", "turn.started", "turn.finished", "ready"];
    assert_eq!(names(&seen), expect);
    assert_eq!(seen[0].number(), before.number() + 1);
    // The header wins over the address.
    let header = format!("last-event-id: {}", seen[3].id);
    let path = format!("GET /api/stories/tower/events?from={}", first.id);
    server.host.table("tower").flood(1, 10);
    let mut stream = server.connect().await;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let head = format!(
        "{path} HTTP/1.1\r\nhost: {}\r\n{}\r\n{header}\r\n\r\n",
        server.host_name(),
        server.cookie_header()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut text = String::new();
    while !text.contains("step.logged") {
        let mut part = [0; 1024];
        let count = super::client::within(stream.read(&mut part)).await.unwrap();
        text += std::str::from_utf8(&part[..count]).unwrap();
    }
    assert_eq!(text.matches("event: ").count(), 2, "{text}");
}

#[tokio::test]
async fn an_id_that_is_too_old_or_of_another_server_gives_a_snapshot() {
    let server = TestServer::start().await;
    let mut events = server.events("").await;
    let first = events.expect().await;
    server.line("a", 0, "I look").await;
    let last = events.up_to("ready").await.pop().unwrap();
    let (run, _) = last.id.split_once('.').unwrap();
    let next = last.number() + 1;
    for id in [
        format!("{}.1.{}", "0".repeat(run.len()), last.number()),
        format!("{run}.1.{next}"),
        format!("{run}.1.99999999999999999999"),
        format!("{run}.1"),
        format!("1.{}", last.number()),
        "nonsense".to_owned(),
    ] {
        let mut again = server.events(&format!("?from={id}")).await;
        let snapshot = again.expect().await;
        assert_eq!((snapshot.kind.as_str(), &snapshot.id), ("snapshot", &last.id), "{id}");
        assert_eq!(snapshot.data["told"][0]["prompt"], json!("I look"));
    }
    server.host.table("tower").flood(RING_EVENTS_MAX, 1);
    let mut again = server.events(&format!("?from={}", first.id)).await;
    assert_eq!(again.expect().await.kind, "snapshot");
}

#[tokio::test]
async fn two_who_watch_see_the_same() {
    let server = TestServer::start().await;
    let (mut one, mut other) = (server.events("").await, server.events("").await);
    assert_eq!(one.expect().await, other.expect().await);
    for turn in 0..20 {
        assert_eq!(server.line(&format!("line-{turn}"), turn, "I go").await.status, 202);
        assert_eq!(one.up_to("ready").await, other.up_to("ready").await);
    }
}

#[tokio::test]
async fn who_reads_too_slowly_gets_a_snapshot_for_what_was_missed() {
    let server = TestServer::start().await;
    let mut slow = server.events("").await;
    let first = slow.expect().await;
    let table = server.host.table("tower");
    // More than the buffers of both sides and the ring take.
    let bytes = 1 << 16;
    let count = 8 * RING_BYTES_MAX / bytes;
    table.flood(count, bytes);
    server.line("a", 0, "I look").await;
    let mut snapshots = 0;
    let mut at = first.number();
    loop {
        let event = slow.expect().await;
        if event.kind == "snapshot" {
            snapshots += 1;
            assert!(event.number() > at);
        } else {
            assert_eq!(event.number(), at + 1);
        }
        at = event.number();
        if event.kind == "ready" || event.data["told"][0]["prompt"] == json!("I look") {
            break;
        }
    }
    assert!(snapshots > 0);
}

#[tokio::test]
async fn a_closed_connection_stops_nothing_and_a_turn_that_runs_is_shown_so_far() {
    let server = TestServer::start().await;
    let mut events = server.events("").await;
    events.expect().await;
    server.line("a", 0, "wait here").await;
    events.up_to("narration.discarded").await;
    drop(events);
    let play = server.parts.hubs.own().known("tower").unwrap();
    until(|| play.unwatched_for().is_none() && play.player().is_some()).await;
    let snapshot = server.get("/api/stories/tower").await.json();
    let running = json!({ "turn": 1, "prompt": "wait here", "text": "You wait" });
    assert_eq!((&snapshot["running"], &snapshot["ready"]), (&running, &json!(false)));
    assert_eq!(server.line("b", 0, "I go").await.fault(), "409 busy");
    assert_eq!(server.post("/api/stories/tower/stop", json!({})).await.status, 202);
    let snapshot = server.get("/api/stories/tower").await.json();
    let state = ["running", "ready", "turns"].map(|name| snapshot[name].clone());
    assert_eq!(state, [Value::Null, json!(true), json!(0)]);
}

#[tokio::test]
async fn what_waits_for_the_player_is_in_the_snapshot() {
    let server = TestServer::start().await;
    let _events = server.events("").await;
    server.line("a", 0, "approve it").await;
    let pending = server.get("/api/stories/tower").await.json()["pending"].clone();
    let door =
        json!([{ "toolId": "door", "kind": "approval", "toolPath": "a/b", "input": { "n": 1 } }]);
    assert_eq!(pending, door);
    let body = json!({ "toolId": "door", "decision": "approve" });
    assert_eq!(server.post("/api/stories/tower/decisions", body).await.status, 204);
    server.line("b", 1, "ask me").await;
    let pending = server.get("/api/stories/tower").await.json()["pending"].clone();
    let riddle =
        json!([{ "toolId": "riddle", "kind": "question", "question": "Who?", "choices": ["I"] }]);
    assert_eq!(pending, riddle);
    let body = json!({ "toolId": "riddle", "decision": "answer", "text": "I" });
    assert_eq!(server.post("/api/stories/tower/decisions", body).await.status, 204);
    server.line("c", 2, "review it").await;
    let snapshot = server.get("/api/stories/tower").await.json();
    assert_eq!((&snapshot["pending"], &snapshot["review"]), (&json!([]), &json!({ "turn": 1 })));
    let body = json!({ "command": "start" });
    assert_eq!(server.post("/api/stories/tower/reviews", body.clone()).await.status, 204);
    assert_eq!(server.get("/api/stories/tower").await.json()["review"], Value::Null);
    assert_eq!(server.post("/api/stories/tower/reviews", body).await.fault(), "409 conflict");
}

/// A snapshot of one moment and the events after it are the whole story, whenever it was taken.
#[tokio::test]
async fn no_turn_is_lost_or_doubled_between_a_snapshot_and_the_events_after_it() {
    let server = TestServer::start().await;
    let _keeps_it_open = server.events("").await;
    for turn in 0..30_usize {
        let (id, text) = (format!("line-{turn}"), format!("I go {turn}"));
        let (mut events, _) = tokio::join!(server.events(""), server.line(&id, turn, &text));
        let snapshot = events.expect().await;
        let told = snapshot.data["told"].as_array().unwrap();
        let mut turns: Vec<usize> = (1..=told.len()).collect();
        if turns.len() <= turn || snapshot.data["ready"] == json!(false) {
            let rest = events.up_to("ready").await;
            let finished = rest.iter().filter(|event| event.name() == "turn.finished");
            turns.extend(finished.map(|event| event.data["turn"].as_u64().unwrap() as usize));
        }
        assert_eq!(turns, (1..=turn + 1).collect::<Vec<_>>());
    }
}

/// A turn is in the story a moment before its end is announced.
#[tokio::test]
async fn a_snapshot_waits_until_the_events_have_come_as_far_as_the_story() {
    let server = TestServer::start().await;
    server.line("a", 0, "wait here").await;
    let table = server.host.table("tower");
    table.told.lock().unwrap().push(("wait here".to_owned(), "You wait".to_owned()));
    let announces = async {
        until(|| server.host.snapshots.load(Ordering::SeqCst) > 1).await;
        table.tell(json!({
            "type": "turn.finished", "turn": 1, "outcome": "told", "narration": "You wait",
            "choices": [],
        }));
    };
    let (reply, ()) = tokio::join!(server.get("/api/stories/tower"), announces);
    let snapshot = reply.json();
    assert_eq!((&snapshot["turns"], &snapshot["running"]), (&json!(1), &Value::Null));
}

#[tokio::test]
async fn texts_of_a_story_stay_texts_of_json() {
    let server = TestServer::start().await;
    let mut events = server.events("").await;
    events.expect().await;
    let text = "</script><img src=x onerror=alert(1)> \u{2028}data: x event: closed";
    server.line("a", 0, text).await;
    let seen = events.up_to("ready").await;
    assert_eq!(names(&seen), ["turn.started", "turn.finished", "ready"]);
    assert_eq!(seen[0].data["prompt"], json!(text));
    let reply = server.get("/api/stories/tower").await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.json()["told"][0]["prompt"], json!(text));
    let lines: BTreeSet<String> =
        ["\n", "\r", "a\nevent: closed"].into_iter().map(|text| format!("I say {text}")).collect();
    for text in lines {
        assert_eq!(server.line("b", 1, &text).await.fault(), "400 bad-input", "{text:?}");
    }
}

#[tokio::test]
async fn a_note_of_several_lines_is_one_event() {
    let server = TestServer::start().await;
    let mut events = server.events("").await;
    events.expect().await;
    server.host.table("tower").say(|output| output.notice("one\n\ntwo\r\nid: 3"));
    server.host.table("tower").say(|output| output.update("{\"v\":1,\n\n\"type\":\"other\"}"));
    let (notice, other) = (events.expect().await, events.expect().await);
    assert_eq!(other.name(), "other");
    assert_eq!(
        (notice.kind.as_str(), &notice.data["text"]),
        ("notice", &json!("one\n\ntwo\r\nid: 3"))
    );
}
