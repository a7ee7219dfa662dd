//! The path of programs, attacked in every way that the server refuses before their endpoint hears of it.

use std::sync::{Arc, Mutex};

use axum::{body::Body, http::Request, response::Response};
use bytes::Bytes;
use tokio::io::AsyncWriteExt as _;

use super::client::{HttpReply, JSON, TOKEN, TestServer, options};
use crate::{
    ProgramAccess, ProgramEndpoint, ProgramResponse, ServeError, ServeTimes, Server, StoriesInPlay,
    program_access::PROGRAMS_PATH, tests::scripted_host::ScriptedHost,
};

const PROGRAM_TOKEN: &str = "fedcba9876543210fedcba9876543210";
const BEARER: &str = "authorization: Bearer fedcba9876543210fedcba9876543210";
const BYTES_MAX: usize = 1000;

/// Says what it is asked.
#[derive(Default)]
struct EchoEndpoint {
    asked: Mutex<Vec<String>>,
}

impl EchoEndpoint {
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl ProgramEndpoint for EchoEndpoint {
    fn body_bytes_max(&self) -> usize {
        BYTES_MAX
    }

    fn answer(&self, request: Request<Bytes>) -> ProgramResponse {
        let asked = format!("{} {}", request.method(), request.body().len());
        self.asked.lock().unwrap().push(asked.clone());
        Box::pin(async move { Response::new(Body::from(asked)) })
    }

    fn end(&self) {
        self.asked.lock().unwrap().push("end".to_owned());
    }
}

async fn started(times: ServeTimes) -> (TestServer, Arc<EchoEndpoint>) {
    let endpoint = Arc::new(EchoEndpoint::default());
    let programs = ProgramAccess { token: PROGRAM_TOKEN.to_owned(), endpoint: endpoint.clone() };
    (TestServer::with_programs(options(times), Some(programs)).await, endpoint)
}

async fn post(server: &TestServer, headers: &[&str], body: &[u8]) -> HttpReply {
    server.send(&format!("POST {PROGRAMS_PATH}"), headers, body).await
}

#[tokio::test]
async fn a_program_with_the_token_is_answered() {
    let (server, endpoint) = started(ServeTimes::default()).await;
    let scheme = format!("Authorization: bearer {PROGRAM_TOKEN}");
    // As Node.js has it.
    let reply = post(&server, &[&scheme, JSON, "sec-fetch-mode: cors"], b"{}").await;
    assert_eq!((reply.status, reply.body.as_slice()), (200, b"POST 2".as_slice()));
    for method in ["GET", "DELETE"] {
        let reply = server.send(&format!("{method} {PROGRAMS_PATH}"), &[BEARER], b"").await;
        assert_eq!(reply.body, format!("{method} 0").into_bytes());
    }
    server.end().await;
    assert_eq!(endpoint.asked(), ["POST 2", "GET 0", "DELETE 0", "end"]);
}

/// Neither the session of the page nor the token of its address is a token of programs, and theirs opens nothing of the page.
#[tokio::test]
async fn no_cookie_and_no_other_token_lets_a_program_in() {
    let (server, endpoint) = started(ServeTimes::default()).await;
    let cookie = server.cookie_header();
    let page_token = format!("authorization: Bearer {TOKEN}");
    let basic = format!("authorization: Basic {PROGRAM_TOKEN}");
    let short = &BEARER[..BEARER.len() - 1];
    for headers in [
        &[JSON][..],
        &[JSON, &cookie],
        &[JSON, &page_token],
        &[JSON, &basic],
        &[JSON, short],
        &[JSON, "authorization: Bearer "],
        &[JSON, "authorization: Bearer"],
        &[JSON, BEARER, BEARER],
        &[JSON, &page_token, BEARER],
    ] {
        let reply = post(&server, headers, b"{}").await;
        assert_eq!(reply.fault(), "401 no-token", "{headers:?}");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
    }
    assert_eq!(endpoint.asked(), [""; 0]);
    let reply = server.send("GET /api/stories", &[BEARER], b"").await;
    assert_eq!(reply.fault(), "401 no-session");
    let body = format!("{{\"token\":\"{PROGRAM_TOKEN}\"}}");
    let reply = server.send("POST /api/session", &[JSON], body.as_bytes()).await;
    assert_eq!(reply.fault(), "401 no-session");
}

/// Not even a page of this server, or a link to the path.
#[tokio::test]
async fn no_page_in_a_browser_reaches_the_path_even_with_the_token() {
    let (server, endpoint) = started(ServeTimes::default()).await;
    let own = format!("origin: http://{}", server.host_name());
    for headers in [
        &["sec-fetch-site: same-origin", own.as_str()][..],
        &["sec-fetch-site: none", "sec-fetch-mode: navigate"],
        &["sec-fetch-site: cross-site"],
        &["origin: http://evil.example"],
        &["origin: null"],
        &["origin: http://localhost:1"],
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let headers = [headers, &[BEARER, JSON]].concat();
            let body: &[u8] = if method == "POST" { b"{}" } else { b"" };
            let reply = server.send(&format!("{method} {PROGRAMS_PATH}"), &headers, body).await;
            assert_eq!(reply.fault(), "403 wrong-origin", "{method} {headers:?}");
        }
    }
    let asks = ["origin: http://evil.example", "access-control-request-headers: authorization"];
    let reply = server.send(&format!("OPTIONS {PROGRAMS_PATH}"), &asks, b"").await;
    assert_eq!(reply.fault(), "403 wrong-origin");
    assert_eq!(endpoint.asked(), [""; 0]);
}

#[tokio::test]
async fn other_names_types_sizes_and_slow_bodies_do_not_reach_the_endpoint() {
    let short = std::time::Duration::from_millis(100);
    let (server, endpoint) = started(ServeTimes { body: short, ..ServeTimes::default() }).await;
    let line = format!("POST {PROGRAMS_PATH}");
    for host in ["evil.example", "localhost", "127.0.0.1:1"] {
        let host = format!("host: {host}");
        let headers = [host.as_str(), BEARER, JSON, "content-length: 2"];
        assert_eq!(server.send_raw(&line, &headers, b"{}").await.fault(), "403 wrong-host");
    }
    for kind in ["content-type: text/plain", "x: y"] {
        assert_eq!(post(&server, &[BEARER, kind], b"{}").await.fault(), "415 wrong-type");
    }
    let host = format!("host: {}", server.host_name());
    let huge = [host.as_str(), BEARER, JSON, "content-length: 1001"];
    assert_eq!(server.send_raw(&line, &huge, b"").await.fault(), "413 too-large");
    let mut stream = server.connect().await;
    let head = format!("{line} HTTP/1.1\r\n{host}\r\n{BEARER}\r\n{JSON}\r\nconnection: close\r\n");
    let slow = format!("{head}content-length: 9\r\n\r\n{{");
    stream.write_all(slow.as_bytes()).await.unwrap();
    assert_eq!(HttpReply::read(&mut stream).await.fault(), "408 too-slow");
    // A body without a length ends at the limit too.
    let mut stream = server.connect().await;
    let chunk = format!("3e9\r\n{}\r\n", "x".repeat(BYTES_MAX + 1));
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n{chunk}");
    stream.write_all(chunked.as_bytes()).await.unwrap();
    assert_eq!(HttpReply::read(&mut stream).await.fault(), "413 too-large");
    assert_eq!(endpoint.asked(), [""; 0]);
}

#[tokio::test]
async fn a_server_that_was_not_asked_to_lets_no_program_in() {
    let server = TestServer::start().await;
    for headers in [&[JSON][..], &[JSON, BEARER]] {
        let reply = post(&server, headers, b"{}").await;
        assert_eq!(reply.fault(), "404 not-found");
        assert!(String::from_utf8_lossy(&reply.body).contains("serve --mcp"), "{reply:?}");
    }
}

#[tokio::test]
async fn a_token_of_programs_that_can_be_guessed_is_refused() {
    let stories = StoriesInPlay::new(Arc::new(ScriptedHost::default()), "run");
    for token in ["", "short", &"g-".repeat(16)] {
        let endpoint = Arc::new(EchoEndpoint::default());
        let programs = ProgramAccess { token: token.to_owned(), endpoint };
        let options = options(ServeTimes::default());
        let bound = Server::bind_shared(options, &stories, Some(programs)).await;
        assert!(matches!(bound, Err(ServeError::WeakToken)), "{token}");
    }
}
