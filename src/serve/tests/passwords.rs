//! A server that others can reach: its names, its password, and sessions that end.

use std::{sync::Arc, time::Duration};

use serde_json::json;

use super::client::{HttpReply, JSON, TOKEN, TestServer, options, within};
use crate::{
    PasswordHash, ServeOptions, ServeTimes, limits::PASSWORD_FAILURES_MAX, password::PasswordCost,
};

const PASSWORD: &str = "nine lanterns";

fn reachable() -> ServeOptions {
    let cost = PasswordCost { memory_kib: 64, passes: 1 };
    let password = PasswordHash::with_cost(PASSWORD, "salt", cost).unwrap();
    let names = ["https://tales.example.org", "tower.local"].map(|name| name.parse().unwrap());
    let (names, password) = (names.to_vec(), Some(password));
    let listen = Some("0.0.0.0".parse().unwrap());
    ServeOptions { names, password, listen, ..options(ServeTimes::default()) }
}

async fn login(server: &TestServer, password: &str) -> HttpReply {
    let body = json!({ "password": password }).to_string();
    server.send("POST /api/session", &[JSON], body.as_bytes()).await
}

#[tokio::test]
async fn the_password_opens_a_session_and_nothing_else_does() {
    let server = TestServer::with(reachable()).await;
    assert_eq!(server.get("/api/about").await.json()["password"], true);
    for wrong in ["", "nine lantern", "Nine lanterns", TOKEN] {
        assert_eq!(login(&server, wrong).await.fault(), "401 no-session", "{wrong}");
    }
    assert_eq!(login(&server, &"n".repeat(2000)).await.fault(), "413 too-large");
    for body in [
        json!({}),
        json!({ "password": PASSWORD, "token": TOKEN }),
        json!({ "password": null }),
        json!({ "password": [PASSWORD] }),
    ] {
        let reply = server.post("/api/session", body.clone()).await;
        assert_eq!(reply.fault(), "400 bad-input", "{body}");
    }
    let reply = login(&server, PASSWORD).await;
    assert_eq!(reply.status, 204);
    let cookie = format!("cookie: {}", reply.cookie());
    assert_eq!(server.send("GET /api/stories", &[&cookie], b"").await.status, 200);
    let local = TestServer::start().await;
    assert_eq!(local.get("/api/about").await.json()["password"], false);
    assert_eq!(login(&local, PASSWORD).await.fault(), "401 no-session");
}

#[tokio::test]
async fn after_too_many_wrong_passwords_the_right_one_opens_nothing_and_the_token_does() {
    let server = Arc::new(TestServer::with(reachable()).await);
    let mut attempts = tokio::task::JoinSet::new();
    for number in 0..PASSWORD_FAILURES_MAX + 20 {
        let server = server.clone();
        attempts.spawn(async move { login(&server, &format!("guess {number}")).await.status });
    }
    let all = within(attempts.join_all()).await;
    let checked = all.iter().filter(|status| **status == 401).count();
    assert_eq!(checked, PASSWORD_FAILURES_MAX, "{all:?}");
    assert!(all.iter().all(|status| [401, 429].contains(status)), "{all:?}");
    assert_eq!(login(&server, PASSWORD).await.fault(), "429 too-many");
    let token = server.post("/api/session", json!({ "token": TOKEN })).await;
    assert_eq!(token.status, 204);
}

#[tokio::test]
async fn right_passwords_are_no_failures() {
    let server = TestServer::with(reachable()).await;
    for _ in 0..PASSWORD_FAILURES_MAX + 2 {
        assert_eq!(login(&server, PASSWORD).await.status, 204);
    }
}

/// Host, origin, and what becomes of a login with them.
#[tokio::test]
async fn a_server_answers_to_the_names_that_it_was_given_and_to_pages_of_theirs() {
    let server = TestServer::with(reachable()).await;
    let port = server.port;
    let ask = async |host: &str, origin: &str| {
        let body = json!({ "token": TOKEN }).to_string();
        let headers = [
            &format!("host: {host}"),
            &format!("origin: {origin}"),
            JSON,
            &format!("content-length: {}", body.len()),
        ];
        let reply = server.send_raw("POST /api/session", &headers, body.as_bytes()).await;
        match reply.header("set-cookie") {
            Some(cookie) if cookie.contains("; Secure; HttpOnly; SameSite=Strict") => "secure",
            Some(cookie) if cookie.contains("; HttpOnly; SameSite=Strict") => "plain",
            _ => ["403 wrong-host", "403 wrong-origin"]
                .into_iter()
                .find(|fault| *fault == reply.fault())
                .unwrap_or("other"),
        }
    };
    let with_port = |name: &str| format!("{name}:{port}");
    let (tower, phone) = (with_port("tower.local"), with_port("192.168.1.77"));
    let evil = with_port("evil.example");
    for (host, origin, expected) in [
        ("tales.example.org", "https://tales.example.org", "secure"),
        ("Tales.example.org", "https://tales.example.org", "secure"),
        ("tales.example.org", "http://tales.example.org", "403 wrong-origin"),
        ("tales.example.org", "https://evil.example", "403 wrong-origin"),
        (&tower, &format!("http://{tower}"), "plain"),
        (&tower, "https://tales.example.org", "403 wrong-origin"),
        ("tower.local", "http://tower.local", "403 wrong-host"),
        (&phone, &format!("http://{phone}"), "plain"),
        (&phone, &format!("http://{evil}"), "403 wrong-origin"),
        (&evil, &format!("http://{evil}"), "403 wrong-host"),
    ] {
        assert_eq!(ask(host, origin).await, expected, "{host} {origin}");
    }
    assert!(server.url.starts_with("http://127.0.0.1:"), "{}", server.url);
}

#[tokio::test]
async fn a_session_ends_and_its_streams_with_it() {
    let session = Duration::from_millis(300);
    let server = TestServer::with_times(ServeTimes { session, ..ServeTimes::default() }).await;
    let mut events = server.events("").await;
    let last = events.up_to("closed").await.pop().unwrap();
    assert_eq!(last.data["why"], "the session of this browser has ended");
    assert_eq!(events.next().await, None);
    assert_eq!(server.get("/api/stories").await.fault(), "401 no-session");
}

#[tokio::test]
async fn a_browser_ends_its_own_session_and_no_other() {
    let server = TestServer::start().await;
    let other = server.post("/api/session", json!({ "token": TOKEN })).await.cookie();
    let mut events = server.events("").await;
    let reply = server.json("DELETE", "/api/session", json!({})).await;
    assert_eq!(reply.status, 204);
    assert!(reply.header("set-cookie").unwrap().ends_with("; Max-Age=0"));
    events.up_to("closed").await;
    assert_eq!(events.next().await, None);
    assert_eq!(server.get("/api/stories").await.fault(), "401 no-session");
    let cookie = format!("cookie: {other}");
    assert_eq!(server.send("GET /api/stories", &[&cookie], b"").await.status, 200);
}
