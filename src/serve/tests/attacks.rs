//! What does not fit a walk over the routes.

use std::net::IpAddr;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::client::{HttpReply, JSON, TOKEN, TestServer, options, until, within};
use crate::{
    ServeError, ServeTimes, Server,
    limits::{CONNECTIONS_MAX, SESSIONS_MAX, STREAMS_MAX},
};

#[tokio::test]
async fn the_cookie_is_for_this_server_alone_and_no_script_reads_it() {
    let server = TestServer::start().await;
    let login = json!({ "token": TOKEN });
    let reply = server.send("POST /api/session", &[JSON], login.to_string().as_bytes()).await;
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&format!("narratoria-{}=", server.port)), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
    assert!(!cookie.contains(TOKEN));
    assert!(server.url.ends_with(&format!("/#t={TOKEN}")), "{}", server.url);
    let about = server.send("GET /api/about", &[], b"").await.json();
    assert_eq!((&about["program"], &about["api"]), (&json!("narratoria"), &json!(1)));
}

#[tokio::test]
async fn another_token_and_one_of_an_older_server_open_nothing() {
    let older = TestServer::start().await;
    let mut now = options(ServeTimes::default());
    now.token = "f".repeat(32);
    let server = TestServer::with(now).await;
    for token in [TOKEN, "", "f", &"f".repeat(31), &"f".repeat(33), &"F".repeat(32)] {
        let reply = server.post("/api/session", json!({ "token": token })).await;
        assert_eq!(reply.fault(), "401 no-session", "{token}");
    }
    // The same name, if the port is the same.
    let id = older.cookie.split_once('=').unwrap().1;
    let cookie = format!("cookie: narratoria-{}={id}", server.port);
    assert_eq!(server.send("GET /api/stories", &[&cookie], b"").await.fault(), "401 no-session");
}

#[tokio::test]
async fn the_first_of_too_many_sessions_ends() {
    let server = TestServer::start().await;
    assert_eq!(server.get("/api/stories").await.status, 200);
    for _ in 0..SESSIONS_MAX {
        assert_eq!(server.post("/api/session", json!({ "token": TOKEN })).await.status, 204);
    }
    assert_eq!(server.get("/api/stories").await.fault(), "401 no-session");
}

#[tokio::test]
async fn no_path_leads_out_of_a_story_or_of_the_page() {
    let server = TestServer::start().await;
    for path in [
        "/../../etc/passwd",
        "/assets/../main.js",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e%2fmain.js",
        "/assets/index.html",
        "/assets/",
        "/api/stories/..",
        "/api/stories/%2e%2e",
        "/api/stories/..%2ftower",
        "/api/stories/..%5ctower",
        "/api/stories/tower%00",
        "/api/stories/tower%ff",
        "/api/stories/tower%2fassets",
        "/api/stories/tower/assets/..%2f..%2fstory.db",
        "/api/stories/tower/assets/a%2f%2e%2e%2fb",
        "/api/stories/tower/assets/%2fetc%2fpasswd",
        "/api/stories/tower/assets/a%0d%0ab",
        "/api/stories/tower/documents/..",
        "/api/stories/tower/documents/passwords",
        "/api/campaigns/..%2fetc/cover",
        "/api/campaigns/%2e%2e/cover",
        "/api/stories//events",
        "//api/stories",
        &format!("/api/stories/{}", "a".repeat(600)),
    ] {
        assert_eq!(server.get(path).await.fault(), "404 not-found", "{path}");
    }
    for file in ["", "..", "a%2fb", "a%5cb", ".netrc", "a%0ab", "..%2f..%2fa"] {
        let headers = ["content-type: application/octet-stream", &server.cookie_header()];
        let reply = server.send(&format!("POST /api/imports?file={file}"), &headers, b"a").await;
        assert_eq!(reply.fault(), "400 bad-input", "{file}");
    }
    assert_eq!(*server.host.asked.lock().unwrap(), [""; 0]);
    // An id is decoded once, and may have places of its own.
    server.get("/api/stories/tower/assets/maps%2F%252e").await;
    assert_eq!(*server.host.asked.lock().unwrap(), ["asset tower maps/%2e"]);
}

#[tokio::test]
async fn a_body_that_does_not_say_its_length_is_refused_at_its_limit() {
    let server = TestServer::start().await;
    let mut stream = server.connect().await;
    let head = format!(
        "POST /api/stories HTTP/1.1\r\nhost: {}\r\n{}\r\n{JSON}\r\n\
         transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        server.host_name(),
        server.cookie_header()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("8000\r\n{}\r\n", "x".repeat(0x8000));
    for _ in 0..2 {
        stream.write_all(chunk.as_bytes()).await.unwrap();
    }
    stream.write_all(b"1\r\nx\r\n").await.unwrap();
    assert_eq!(HttpReply::read(&mut stream).await.fault(), "413 too-large");
}

/// A body of a hundred megabytes is not sent here: the answer comes after the headers.
#[tokio::test]
async fn a_body_of_a_hundred_megabytes_is_refused_before_it_is_sent() {
    let server = TestServer::start().await;
    let mut stream = server.connect().await;
    let head = format!(
        "POST /api/imports?file=a.png HTTP/1.1\r\nhost: {}\r\n{}\r\nconnection: close\r\n\
         content-type: application/octet-stream\r\ncontent-length: 104857600\r\n\r\n",
        server.host_name(),
        server.cookie_header()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    assert_eq!(HttpReply::read(&mut stream).await.fault(), "413 too-large");
}

#[tokio::test]
async fn a_file_is_imported_by_its_name_and_bytes() {
    let server = TestServer::start().await;
    let headers = ["content-type: application/octet-stream", &server.cookie_header()];
    let reply = server.send("POST /api/imports?file=a%20b.png", &headers, &[7; 100_000]).await;
    assert_eq!((reply.status, reply.json()["story"].as_str()), (201, Some("tower")));
    assert_eq!(*server.host.asked.lock().unwrap(), ["import a b.png 100000"]);
}

#[tokio::test]
async fn the_notes_of_a_refused_import_are_in_the_answer() {
    let server = TestServer::start().await;
    let headers = ["content-type: application/octet-stream", &server.cookie_header()];
    let reply = server.send("POST /api/imports?file=a.png", &headers, b"unplayable").await;
    assert_eq!(reply.fault(), "400 bad-input");
    let notes = json!(["`depth` has no place in a campaign"]);
    assert_eq!(reply.json()["error"]["notes"], notes);
}

#[tokio::test]
async fn headers_and_bodies_that_do_not_come_are_not_waited_for() {
    let short = std::time::Duration::from_millis(100);
    let times = ServeTimes { head: short, body: short, ..ServeTimes::default() };
    let server = TestServer::with_times(times).await;
    for head in ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: y"] {
        let mut stream = server.connect().await;
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        let _ = within(stream.read_to_end(&mut rest)).await;
    }
    let mut stream = server.connect().await;
    let head = format!(
        "POST /api/session HTTP/1.1\r\nhost: {}\r\n{JSON}\r\ncontent-length: 9\r\n\
         connection: close\r\n\r\n{{",
        server.host_name()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    assert_eq!(HttpReply::read(&mut stream).await.fault(), "408 too-slow");
}

/// Requests of which some bytes are others, from a fixed seed.
#[tokio::test]
async fn whatever_bytes_come_the_next_request_is_answered() {
    let server = TestServer::start().await;
    let whole = format!(
        "POST /api/stories/tower/lines?a=%20 HTTP/1.1\r\nhost: {}\r\n{}\r\n{JSON}\r\n\
         content-length: 41\r\nconnection: close\r\n\r\n\
         {{\"requestId\":\"a\",\"after\":7,\"text\":\"I go\"}}",
        server.host_name(),
        server.cookie_header()
    );
    let mut seed = 1_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for _ in 0..500 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..=next(4) {
            let at = next(bytes.len());
            bytes[at] = u8::try_from(next(256)).unwrap();
        }
        bytes.truncate(bytes.len() - next(2) * next(40));
        let mut stream = server.connect().await;
        let _ = stream.write_all(&bytes).await;
        let _ = stream.shutdown().await;
        let reply = HttpReply::read(&mut stream).await;
        assert!(reply.status != 500 && reply.status != 200, "{}", bytes.escape_ascii());
    }
    assert_eq!(server.get("/api/stories").await.status, 200);
}

#[tokio::test]
async fn headers_beyond_their_limits_are_refused() {
    let server = TestServer::start().await;
    let host = format!("host: {}", server.host_name());
    let long = format!("x: {}", "y".repeat(100_000));
    let many: Vec<String> = (0..100).map(|number| format!("x-{number}: y")).collect();
    let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
    many.push(&host);
    for headers in [&[host.as_str(), &long][..], &many] {
        let reply = server.send_raw("GET /", headers, b"").await;
        assert!(matches!(reply.status, 0 | 431), "{reply:?}");
    }
    assert_eq!(server.get("/").await.status, 200);
}

#[tokio::test]
async fn ten_thousand_streams_are_refused_and_one_that_ends_makes_room() {
    let server = TestServer::start().await;
    let mut streams = Vec::new();
    for _ in 0..STREAMS_MAX {
        streams.push(server.events("").await);
    }
    for _ in STREAMS_MAX..10_000 {
        let refused = server.events_of("tower", "").await.err().unwrap();
        assert_eq!(refused.status, 429);
    }
    assert_eq!(server.get("/api/stories/tower/events").await.fault(), "429 too-many");
    streams.pop();
    until(|| server.parts.streams.available_permits() == 1).await;
    assert!(server.events_of("tower", "").await.is_ok());
}

#[tokio::test]
async fn a_connection_beyond_the_limit_is_told_so() {
    let server = TestServer::start().await;
    let mut streams = Vec::new();
    let mut refused = None;
    // The connection of the login may not be gone yet.
    for _ in 0..CONNECTIONS_MAX + 8 {
        let mut stream = server.connect().await;
        let head = format!("GET /api/about HTTP/1.1\r\nhost: {}\r\n\r\n", server.host_name());
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        within(stream.read_exact(&mut status)).await.unwrap();
        if &status == b"HTTP/1.1 503" {
            refused = Some(HttpReply::read(&mut stream).await);
            break;
        }
        streams.push(stream);
    }
    assert!(refused.is_some_and(|reply| reply.body.starts_with(b"This server has too many")));
    drop(streams);
    // The tasks end one after the other.
    while server.get("/api/about").await.status != 200 {}
}

#[tokio::test]
async fn a_connection_that_takes_nothing_is_given_up() {
    let stall = std::time::Duration::from_millis(100);
    let server = TestServer::with_times(ServeTimes { stall, ..ServeTimes::default() }).await;
    let stream = server.events("").await;
    let table = server.host.table("tower");
    let play = server.parts.hubs.own().known("tower").unwrap();
    assert_eq!(play.unwatched_for(), None);
    let mut floods = 0;
    // What is in the buffers of the system counts as taken.
    while play.unwatched_for().is_none() && floods < 2000 {
        table.flood(1, 1 << 20);
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        floods += 1;
    }
    assert!(play.unwatched_for().is_some());
    drop(stream);
}

#[tokio::test]
async fn files_of_strangers_are_downloads_unless_nothing_of_them_can_run() {
    let server = TestServer::start().await;
    for (id, how, media_type) in [
        ("picture", "inline", "image/png"),
        ("drawing", "attachment", "image/svg+xml"),
        ("page", "attachment", "text/html"),
        ("odd", "attachment", "application/octet-stream"),
    ] {
        let asset = format!("/api/stories/tower/assets/{id}");
        for path in [asset, format!("/api/campaigns/{id}/cover")] {
            let reply = server.get(&path).await;
            let expect = format!("{how}; filename*=UTF-8''a%20%22b%22.html");
            assert_eq!(reply.header("content-disposition"), Some(expect.as_str()), "{path}");
            assert_eq!(reply.header("content-type"), Some(media_type), "{path}");
            let policy = reply.header("content-security-policy");
            assert_eq!(policy, Some("sandbox; default-src 'none'"), "{path}");
        }
    }
    let export = server.get("/api/stories/tower/export?format=html").await;
    let disposition = export.header("content-disposition").unwrap();
    assert_eq!(disposition, "attachment; filename*=UTF-8''story.html");
    let other = server.get("/api/stories/tower/export?format=exe").await;
    assert_eq!(other.fault(), "400 bad-input");
}

/// Of `<script>alert(1)</script>`.
#[tokio::test]
async fn a_player_of_sound_or_film_gets_the_part_that_it_asks_for() {
    let server = TestServer::start().await;
    let ask = async |range: &str| {
        let headers = [range, &server.cookie_header()];
        let reply = server.send("GET /api/stories/tower/assets/film", &headers, b"").await;
        assert_eq!(reply.header("accept-ranges"), Some("bytes"), "{range}");
        let part = reply.header("content-range").unwrap_or("all").to_owned();
        format!("{} {part} {}", reply.status, String::from_utf8(reply.body).unwrap())
    };
    for (range, expected) in [
        ("x: y", "200 all <script>alert(1)</script>"),
        ("range: bytes=0-", "206 bytes 0-24/25 <script>alert(1)</script>"),
        ("range: bytes=1-6", "206 bytes 1-6/25 script"),
        ("range: bytes=24-24", "206 bytes 24-24/25 >"),
        ("range: bytes=17-99999999999999999999999", "206 bytes 17-24/25 /script>"),
        ("range: bytes=-3", "206 bytes 22-24/25 pt>"),
        ("range: bytes=-999", "206 bytes 0-24/25 <script>alert(1)</script>"),
        ("range: bytes=25-", "416 bytes */25 "),
        ("range: bytes=99999999999999999999999-", "416 bytes */25 "),
        ("range: bytes=-0", "416 bytes */25 "),
        ("range: bytes=6-1", "200 all <script>alert(1)</script>"),
        ("range: bytes=0-1,3-4", "200 all <script>alert(1)</script>"),
        ("range: bytes=-", "200 all <script>alert(1)</script>"),
        ("range: bytes=+1-2", "200 all <script>alert(1)</script>"),
        ("range: lines=0-1", "200 all <script>alert(1)</script>"),
        ("range: bytes=0-1\r\nif-range: \"a\"", "200 all <script>alert(1)</script>"),
    ] {
        assert_eq!(ask(range).await, expected, "{range}");
    }
}

#[tokio::test]
async fn without_a_password_a_server_is_for_this_machine_alone_and_its_token_is_long() {
    let bind = async |listen: Option<&str>, name: Option<&str>, token: &str| {
        let host = std::sync::Arc::new(super::scripted_host::ScriptedHost::default());
        let mut options = options(ServeTimes::default());
        options.listen = listen.map(|text| text.parse::<IpAddr>().unwrap());
        options.names = name.iter().map(|name| name.parse().unwrap()).collect();
        options.token = token.to_owned();
        Server::bind(options, host).await
    };
    for address in ["0.0.0.0", "::", "192.168.1.2", "10.0.0.1"] {
        let refused = bind(Some(address), None, TOKEN).await.err().unwrap();
        assert!(matches!(refused, ServeError::NoPassword(_)), "{address}");
    }
    let named = bind(None, Some("https://tales.example.org"), TOKEN).await.err().unwrap();
    assert!(named.to_string().starts_with("tales.example.org can be reached"), "{named}");
    for token in ["", "0123456789abcdef", "0123456789abcdef0123456789abcde/"] {
        assert!(matches!(bind(None, None, token).await, Err(ServeError::WeakToken)), "{token}");
    }
    let only = bind(Some("127.0.0.1"), None, TOKEN).await.unwrap();
    assert!(only.address().ip().is_loopback());
}

/// Nobody else can have the other address of `localhost`.
#[tokio::test]
async fn a_port_that_another_program_has_is_not_shared() {
    let server = TestServer::start().await;
    for address in ["127.0.0.1", "::1"] {
        let taken = tokio::net::TcpListener::bind((address, server.port)).await;
        assert!(taken.is_err(), "{address}");
    }
    let host = std::sync::Arc::new(super::scripted_host::ScriptedHost::default());
    let again = crate::ServeOptions { port: server.port, ..options(ServeTimes::default()) };
    assert!(matches!(Server::bind(again, host).await, Err(ServeError::Listen { .. })));
}
