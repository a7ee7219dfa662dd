//! Lines, decisions and new stories: each once.

use std::sync::{Arc, atomic::Ordering};

use serde_json::json;

use super::client::TestServer;
use crate::limits::{CREATION_IDS_MAX, LINE_IDS_MAX};

/// Sends fifty requests at once; returns their answers, sorted.
async fn fifty(server: &Arc<TestServer>, path: &str, body: serde_json::Value) -> Vec<String> {
    let tasks: Vec<_> = (0..50)
        .map(|_| {
            let (server, path, body) = (server.clone(), path.to_owned(), body.clone());
            tokio::spawn(async move {
                let reply = server.post(&path, body).await;
                format!("{} {}", reply.status, String::from_utf8_lossy(&reply.body))
            })
        })
        .collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    answers.sort();
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_sent_fifty_times_at_once_is_played_once() {
    let server = Arc::new(TestServer::start().await);
    let body = json!({ "requestId": "a", "after": 0, "text": "wait here" });
    let answers = fifty(&server, "/api/stories/tower/lines", body.clone()).await;
    assert_eq!(answers, vec!["202 {\"accepted\":true}"; 50]);
    let table = server.host.table("tower");
    assert_eq!(*table.lines.lock().unwrap(), ["wait here"]);
    assert_eq!(table.openings.load(Ordering::SeqCst), 1);
    table.finish("told");
    // Also when the story has moved on.
    assert_eq!(server.post("/api/stories/tower/lines", body).await.status, 202);
    assert_eq!(table.lines.lock().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_story_that_is_asked_for_fifty_times_at_once_is_made_once() {
    let server = Arc::new(TestServer::start().await);
    let body = json!({ "requestId": "a", "premise": "a tower" });
    let answers = fifty(&server, "/api/stories", body).await;
    assert_eq!(answers, vec!["201 {\"story\":\"story-0\"}"; 50]);
    assert_eq!(server.host.created.load(Ordering::SeqCst), 1);
    for _ in 0..2 {
        let body = json!({ "requestId": "b", "premise": "nothing" });
        assert_eq!(server.post("/api/stories", body).await.fault(), "400 bad-input");
    }
    let body = json!({ "requestId": "b", "premise": "something" });
    assert_eq!(server.post("/api/stories", body).await.json(), json!({ "story": "story-1" }));
    for number in 0..CREATION_IDS_MAX {
        let body = json!({ "requestId": format!("c{number}") });
        server.post("/api/stories", body).await;
    }
    let body = json!({ "requestId": "a", "premise": "a tower" });
    assert_ne!(server.post("/api/stories", body).await.json(), json!({ "story": "story-0" }));
}

#[tokio::test]
async fn a_line_that_follows_another_turn_is_refused() {
    let server = TestServer::start().await;
    assert_eq!(server.line("a", 1, "I go").await.fault(), "409 moved");
    assert_eq!(server.line("a", 0, "I go").await.status, 202);
    assert_eq!(server.line("b", 0, "I go").await.fault(), "409 moved");
    assert_eq!(server.line("b", 1, "I go").await.status, 202);
    assert_eq!(server.host.table("tower").lines.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn ids_and_texts_have_a_form() {
    let server = TestServer::start().await;
    for id in ["", "a b", "ä", &"a".repeat(65)] {
        assert_eq!(server.line(id, 0, "I go").await.fault(), "400 bad-input", "{id}");
    }
    assert_eq!(server.line("a", 0, " ").await.fault(), "400 bad-input");
    let body = json!({ "requestId": "a", "after": -1, "text": "I go" });
    assert_eq!(server.post("/api/stories/tower/lines", body).await.fault(), "400 bad-input");
    let count = server.get("/api/stories/tower/documents/told?count=501").await;
    assert_eq!(count.fault(), "400 bad-input");
    let before = server.get("/api/stories/tower/documents/told?before=x").await;
    assert_eq!(before.fault(), "400 bad-input");
    let told = server.get("/api/stories/tower/documents/told?before=7&count=5&turn=id%3A3").await;
    assert_eq!(told.json(), json!({ "about": "told" }));
    let asked = server.host.asked.lock().unwrap().pop().unwrap();
    assert!(asked.contains("before: Some(7), count: Some(5)"), "{asked}");
    assert!(asked.contains("turn: Some(\"id:3\")"), "{asked}");
}

#[tokio::test]
async fn a_story_remembers_so_many_ids_of_lines() {
    let server = TestServer::start().await;
    for turn in 0..=LINE_IDS_MAX {
        assert_eq!(server.line(&format!("id-{turn}"), turn, "I go").await.status, 202);
    }
    assert_eq!(server.line("id-1", 1, "I go").await.status, 202);
    // Forgotten, and too old to be played.
    assert_eq!(server.line("id-0", 0, "I go").await.fault(), "409 moved");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_is_taken_once() {
    let server = Arc::new(TestServer::start().await);
    server.line("a", 0, "approve it").await;
    let path = "/api/stories/tower/decisions";
    let wrong = json!({ "toolId": "door", "decision": "answer", "text": "x" });
    assert_eq!(server.post(path, wrong).await.fault(), "400 bad-input");
    let answers = fifty(&server, path, json!({ "toolId": "door", "decision": "approve" })).await;
    assert_eq!(answers.iter().filter(|answer| answer.starts_with("204")).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.starts_with("409")).count(), 49);
    server.line("b", 1, "ask me").await;
    for text in ["refused", "refused"] {
        let body = json!({ "toolId": "riddle", "decision": "answer", "text": text });
        assert_eq!(server.post(path, body).await.fault(), "400 bad-input");
    }
    for body in [
        json!({ "toolId": "riddle", "decision": "answer" }),
        json!({ "toolId": "riddle", "decision": "leave", "text": "x" }),
        json!({ "toolId": "riddle", "decision": "other" }),
    ] {
        assert_eq!(server.post(path, body).await.fault(), "400 bad-input");
    }
    let body = json!({ "toolId": "riddle", "decision": "leave" });
    assert_eq!(server.post(path, body).await.status, 204);
    let closed =
        server.post("/api/stories/cellar/decisions", json!({ "toolId": "a", "decision": "deny" }));
    assert_eq!(closed.await.fault(), "409 conflict");
}

#[tokio::test]
async fn a_story_that_cannot_be_opened_says_why_and_is_forgotten() {
    let server = TestServer::start().await;
    for path in ["/api/stories/nowhere", "/api/stories/nowhere/events"] {
        let error = server.get(path).await;
        assert_eq!(error.fault(), "404 not-found");
        assert_eq!(error.json()["error"]["hints"], json!(["narratoria story list"]));
    }
    for _ in 0..2 {
        assert_eq!(server.get("/api/stories/broken/events").await.fault(), "500 failed");
    }
    assert!(server.parts.hubs.own().known("nowhere").is_none());
    assert!(server.parts.hubs.own().known("broken").is_none());
    assert_eq!(server.get("/api/stories").await.status, 200);
}

#[tokio::test]
async fn reviewing_lasts_over_the_end_of_a_play() {
    let server = TestServer::start().await;
    let reviewing = json!({ "on": true });
    let path = "/api/stories/tower/reviewing";
    assert_eq!(server.json("PUT", path, reviewing).await.status, 204);
    server.line("a", 0, "end").await;
    assert_eq!(server.get("/api/stories/tower").await.json()["reviewing"], json!(true));
    server.line("b", 0, "I go").await;
    let lines = server.host.table("tower").lines.lock().unwrap().clone();
    assert_eq!(lines, ["(reviewing true)", "end", "(reviewing true)", "I go"]);
}
