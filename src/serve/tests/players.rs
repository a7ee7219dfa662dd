//! A server with many players, whom a proxy names.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode},
    response::IntoResponse,
};
use serde_json::json;

use super::{
    client::{HttpReply, JSON, TestServer, options, until, within},
    scripted_host::ScriptedHost,
};
use crate::{
    HostError, HostErrorKind, Operations, PlayerHosts, Players, ServeTimes, StoryHost,
    limits::{PLAYER_HUBS_MAX, PLAYS_MAX, SERVER_PLAYS_MAX},
};

/// A host for each player but `mallory`.
#[derive(Default)]
struct ManyHosts {
    hosts: Mutex<BTreeMap<String, Arc<ScriptedHost>>>,
}

impl PlayerHosts for ManyHosts {
    fn host_of(&self, player: &str) -> Result<Arc<dyn StoryHost>, HostError> {
        if player == "mallory" {
            return Err(HostError::new(HostErrorKind::BadInput, "no such name"));
        }
        let mut hosts = self.hosts.lock().unwrap();
        Ok(hosts.entry(player.to_owned()).or_default().clone())
    }
}

async fn server(proxy: &str) -> (TestServer, Arc<ManyHosts>) {
    let hosts = Arc::new(ManyHosts::default());
    let players = Players {
        header: HeaderName::from_static("x-player"),
        proxies: vec![proxy.parse::<IpAddr>().unwrap()],
        hosts: hosts.clone(),
    };
    let options = crate::ServeOptions { players: Some(players), ..options(ServeTimes::default()) };
    (TestServer::without_session(options, None).await, hosts)
}

async fn get(server: &TestServer, path: &str, headers: &[&str]) -> HttpReply {
    server.send(&format!("GET {path}"), headers, b"").await
}

#[tokio::test]
async fn each_player_has_stories_of_their_own() {
    let (server, hosts) = server("127.0.0.1").await;
    let line = json!({"requestId": "a", "after": 0, "text": "I go"}).to_string();
    let play = async |player: &str| {
        let headers = [JSON, player];
        server.send("POST /api/stories/tower/lines", &headers, line.as_bytes()).await
    };
    assert_eq!(play("x-player: ada").await.status, 202);
    assert_eq!(play("x-player: bob").await.status, 202);
    let lines = |player: &str| {
        let host = hosts.hosts.lock().unwrap()[player].clone();
        host.table("tower").lines.lock().unwrap().clone()
    };
    assert_eq!((lines("ada"), lines("bob")), (vec!["I go".to_owned()], vec!["I go".to_owned()]));
    assert!(server.parts.hubs.own().known("tower").is_none(), "the server itself has none");
    let reply = get(&server, "/api/stories", &["x-player: ada"]).await;
    assert_eq!(reply.status, 200);
    assert!(reply.header("x-request-id").is_some());
    let named = get(&server, "/api/stories", &["x-player: ada", "x-request-id: of-proxy.7"]).await;
    assert_eq!(named.header("x-request-id"), Some("of-proxy.7"));
}

#[tokio::test]
async fn nobody_says_who_they_are_but_a_proxy_that_is_listed() {
    let (elsewhere, _) = server("10.0.0.9").await;
    for path in ["/", "/api/about", "/api/stories"] {
        let reply = get(&elsewhere, path, &["x-player: ada"]).await;
        assert_eq!(reply.fault(), "403 no-proxy", "{path}");
    }
    let (server, _) = server("127.0.0.1").await;
    let fault = async |headers: &[&str]| get(&server, "/api/stories", headers).await.fault();
    assert_eq!(fault(&[]).await, "401 no-session");
    assert_eq!(fault(&["x-player: ada", "x-player: bob"]).await, "401 no-session");
    assert_eq!(fault(&["x-player:"]).await, "401 no-session");
    assert_eq!(fault(&["x-player: mallory"]).await, "400 bad-input");
    let other = ["x-player: ada", "origin: https://evil.example"];
    assert_eq!(fault(&other).await, "403 wrong-origin");
    let token = json!({"token": super::client::TOKEN}).to_string();
    let reply = server.send("POST /api/session", &[JSON], token.as_bytes()).await;
    assert_eq!(reply.fault(), "409 conflict", "a token opens nothing");
    let link = server.send("POST /api/stories/tower/links", &["x-player: ada"], b"").await;
    assert_eq!(link.fault(), "409 conflict");
}

#[tokio::test]
async fn all_players_together_have_a_bound_of_stories_in_play() {
    let (server, _) = server("127.0.0.1").await;
    let line = json!({"requestId": "a", "after": 0, "text": "I go"}).to_string();
    let play = async |player: usize, story: usize| {
        let player = format!("x-player: player-{player}");
        let path = format!("POST /api/stories/story-{story}/lines");
        server.send(&path, &[JSON, &player], line.as_bytes()).await
    };
    for number in 0..SERVER_PLAYS_MAX {
        assert_eq!(play(number / PLAYS_MAX, number % PLAYS_MAX).await.status, 202);
    }
    assert_eq!(play(SERVER_PLAYS_MAX, 0).await.fault(), "429 too-many");
    assert_eq!(server.parts.hubs.plays_open(), SERVER_PLAYS_MAX);
    until(|| {
        server.parts.hubs.close_unwatched(Duration::ZERO);
        server.parts.hubs.plays_open() == 0
    })
    .await;
    assert_eq!(play(SERVER_PLAYS_MAX, 0).await.status, 202, "a place is free again");
}

#[tokio::test]
async fn players_without_a_story_in_play_are_forgotten_and_an_ending_server_takes_no_more() {
    let (server, _) = server("127.0.0.1").await;
    let hubs = &server.parts.hubs;
    let ask = |name: &str| {
        let name = HeaderValue::try_from(name).unwrap();
        hubs.of_asker(&HeaderMap::from_iter([(HeaderName::from_static("x-player"), name)]))
    };
    let first = ask("player-0").unwrap().unwrap();
    first.open("tower").await.unwrap();
    for number in 0..=PLAYER_HUBS_MAX {
        ask(&format!("player-{number}")).unwrap();
    }
    let again = ask("player-0").unwrap().unwrap();
    assert!(Arc::ptr_eq(&first, &again), "a story is in play");
    assert_eq!(hubs.count(), 2);
    hubs.end(Duration::ZERO).await;
    let refused = ask("another").err().map(|error| error.into_response().status());
    assert_eq!(refused, Some(StatusCode::SERVICE_UNAVAILABLE));
}

#[tokio::test]
async fn an_operator_sees_health_readiness_and_counts_and_no_story() {
    let is_away = Arc::new(Mutex::new(false));
    let away = is_away.clone();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let operations = Operations {
        address: ([127, 0, 0, 1], port).into(),
        is_ready: Arc::new(move || match *away.lock().unwrap() {
            true => Err("the database does not answer".to_owned()),
            false => Ok(()),
        }),
        counts: Arc::new(|| "narratoria_more 1\n".to_owned()),
    };
    let options =
        crate::ServeOptions { operations: Some(operations), ..options(ServeTimes::default()) };
    let server = TestServer::with(options).await;
    let ask = async |path: &str| {
        let mut stream = within(tokio::net::TcpStream::connect(("127.0.0.1", port))).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: probe\r\n\r\n");
        tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.unwrap();
        HttpReply::read(&mut stream).await
    };
    assert_eq!(ask("/healthz").await.status, 200);
    assert_eq!(ask("/readyz").await.status, 200);
    *is_away.lock().unwrap() = true;
    let reply = ask("/readyz").await;
    assert_eq!((reply.status, reply.text().trim()), (503, "the database does not answer"));
    server.line("a", 0, "I go").await;
    let counts = ask("/metrics").await.text();
    assert!(counts.contains("narratoria_lines_total{fate=\"accepted\"} 1"), "{counts}");
    assert!(counts.contains("narratoria_more 1") && !counts.contains("tower"), "{counts}");
    assert_eq!(ask("/api/stories").await.status, 404);
    assert_eq!(get(&server, "/metrics", &[]).await.status, 404, "not where players are");
    server.line("b", 1, "wait here").await;
    server.shutdown.cancel();
    assert_eq!(ask("/readyz").await.text().trim(), "the server is ending");
    server.host.table("tower").finish("told");
    server.end().await;
}
