//! Every route of the table, attacked in every way that its entry refuses.

use super::client::{HttpReply, JSON, TestServer};
use crate::{
    program_access::PROGRAMS_PATH,
    route::{ROUTES, Route, RouteAccess, RouteBody, RouteMethod},
    story_routes::DOCUMENTS,
};

const OCTETS: &str = "content-type: application/octet-stream";

pub(super) fn name(method: RouteMethod) -> &'static str {
    match method {
        RouteMethod::Get => "GET",
        RouteMethod::Post => "POST",
        RouteMethod::Put => "PUT",
        RouteMethod::Delete => "DELETE",
    }
}

/// The routes of the page. Those of programs need a token instead of the cookie.
fn page_routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|route| route.access != RouteAccess::Program)
}

/// A request line for a route, with parts that exist.
fn line_of(route: &Route) -> String {
    let parts = [
        ("{story}", "tower"),
        ("{about}", "why"),
        ("{id}", "picture"),
        ("{campaign}", "picture"),
        ("{name}", "none.js"),
        ("{link}", "none"),
    ];
    let path =
        parts.iter().fold(route.path.to_owned(), |path, (name, part)| path.replace(name, part));
    let query = if route.body == RouteBody::File { "?file=a.png" } else { "" };
    format!("{} {path}{query}", name(route.method))
}

fn type_of(route: &Route) -> &'static str {
    if route.body == RouteBody::File { OCTETS } else { JSON }
}

/// Everything a request needs, except what `without` begins with, and with these headers beside it.
async fn ask(server: &TestServer, route: &Route, without: &str, with: &[&str]) -> HttpReply {
    let host = format!("host: {}", server.host_name());
    let cookie = server.cookie_header();
    let mut headers = vec![host.as_str(), cookie.as_str(), type_of(route)];
    headers.retain(|header| without.is_empty() || !header.starts_with(without));
    headers.extend(with);
    let has_length = with.iter().any(|header| header.starts_with("content-length"));
    let length = "content-length: 2";
    headers.extend((!has_length && route.body != RouteBody::None).then_some(length));
    let body: &[u8] = if route.body == RouteBody::None { b"" } else { b"{}" };
    server.send_raw(&line_of(route), &headers, body).await
}

#[tokio::test]
async fn every_route_answers_to_the_names_of_this_machine_alone() {
    let server = TestServer::start().await;
    let port = server.port;
    for route in ROUTES.iter().filter(|route| !route.path.ends_with("/events")) {
        for host in ["evil.example", "localhost", "127.0.0.1:1", "localhost.evil.example", ""] {
            let reply = ask(&server, route, "host", &[&format!("host: {host}")]).await;
            assert_eq!(reply.fault(), "403 wrong-host", "{} {host}", route.path);
        }
        let rebound = format!("host: evil.example:{port}");
        let reply = ask(&server, route, "host", &[&rebound]).await;
        assert_eq!(reply.fault(), "403 wrong-host", "{}", route.path);
        let two = ask(&server, route, "", &[&rebound]).await;
        assert_eq!(two.fault(), "403 wrong-host", "{}", route.path);
        for host in ["localhost", "LOCALHOST", "[::1]"] {
            let reply = ask(&server, route, "host", &[&format!("host: {host}:{port}")]).await;
            assert_ne!(reply.status, 403, "{} {host}", route.path);
        }
    }
    let nowhere = server.send_raw("GET /nowhere", &["host: evil.example"], b"").await;
    assert_eq!(nowhere.fault(), "403 wrong-host");
    let in_line = format!("GET http://evil.example:{port}/");
    let host = format!("host: {}", server.host_name());
    let reply = server.send_raw(&in_line, &[&host], b"").await;
    assert_eq!(reply.fault(), "403 wrong-host");
}

/// A page on another port of this machine sends our cookie too.
#[tokio::test]
async fn no_route_answers_to_another_page() {
    let server = TestServer::start().await;
    let page = |route: &&Route| !route.path.starts_with("/api/") && route.path != PROGRAMS_PATH;
    for route in ROUTES.iter().filter(|route| !page(route)) {
        for header in [
            "sec-fetch-site: cross-site",
            "sec-fetch-site: same-site",
            "origin: null",
            "origin: http://evil.example",
            "origin: http://127.0.0.1:1",
            "origin: http://localhost",
        ] {
            let reply = ask(&server, route, "", &[header]).await;
            assert_eq!(reply.fault(), "403 wrong-origin", "{} {header}", route.path);
        }
    }
    for route in ROUTES.iter().filter(|route| !route.path.ends_with("/events")) {
        let origin = format!("origin: http://{}", server.host_name());
        let reply = ask(&server, route, "", &["sec-fetch-site: same-origin", &origin]).await;
        assert_ne!(reply.status, 403, "{}", route.path);
    }
    let link = server.send("GET /", &["sec-fetch-site: cross-site"], b"").await;
    assert_eq!(link.status, 200);
}

#[tokio::test]
async fn every_route_but_the_first_ones_needs_the_cookie() {
    let server = TestServer::start().await;
    let id = server.cookie.split_once('=').unwrap().1.to_owned();
    let port = server.port;
    let open: Vec<&str> = ROUTES
        .iter()
        .filter(|route| route.access == RouteAccess::Open)
        .map(|route| route.path)
        .collect();
    assert_eq!(open, ["/", "/assets/{name}", "/api/session", "/api/about"]);
    for route in page_routes().filter(|route| route.access != RouteAccess::Open) {
        for cookie in [
            "x: y".to_owned(),
            format!("cookie: narratoria-1={id}"),
            format!("cookie: narratoria={id}"),
            format!("cookie: narratoria-{port}="),
            format!("cookie: narratoria-{port}={}", &id[1..]),
            format!("cookie: narratoria-{port}={}", super::client::TOKEN),
            format!("authorization: Bearer {id}"),
        ] {
            let reply = ask(&server, route, "cookie", &[&cookie]).await;
            assert_eq!(reply.fault(), "401 no-session", "{} {cookie}", route.path);
        }
    }
    assert_eq!(*server.host.asked.lock().unwrap(), [""; 0]);
}

/// A reader's requests are those of the player with another cookie.
#[tokio::test]
async fn a_reader_may_use_what_the_table_says_and_of_one_story() {
    let mut server = TestServer::start().await;
    let (_, cookie) = server.reader_of("tower").await;
    server.cookie = cookie;
    let mut readable = Vec::new();
    for route in ROUTES.iter().filter(|route| !route.path.ends_with("/events")) {
        let reply = match route.path.ends_with("/documents/{about}") {
            true => server.get("/api/stories/tower/documents/told").await,
            false => ask(&server, route, "", &[]).await,
        };
        let path = route.path;
        match route.access {
            RouteAccess::Open => assert!(![401, 403].contains(&reply.status), "{path}"),
            RouteAccess::Program => assert_eq!(reply.fault(), "404 not-found", "{path}"),
            RouteAccess::Player => assert_eq!(reply.fault(), "403 read-only", "{path}"),
            RouteAccess::Reader => {
                assert_eq!(reply.status, 200, "{path}");
                readable.push((path, route.method));
            }
        }
    }
    assert_eq!(
        readable,
        [
            ("/api/stories/{story}", RouteMethod::Get),
            ("/api/stories/{story}/documents/{about}", RouteMethod::Get),
        ]
    );
    for document in DOCUMENTS.iter().filter(|document| **document != "told") {
        let reply = server.get(&format!("/api/stories/tower/documents/{document}")).await;
        assert_eq!(reply.fault(), "403 read-only", "{document}");
    }
    for path in ["", "/events", "/documents/told"] {
        let reply = server.get(&format!("/api/stories/cellar{path}")).await;
        assert_eq!(reply.fault(), "403 read-only", "{path}");
    }
    let told = server.host.asked.lock().unwrap().clone();
    assert!(told.len() == 1 && told[0].starts_with("document tower"), "{told:?}");
    assert_eq!(*server.host.table("tower").lines.lock().unwrap(), [""; 0]);
}

#[tokio::test]
async fn every_body_has_its_type_and_its_size() {
    let server = TestServer::start().await;
    let hundred = "content-length: 104857600";
    for route in page_routes().filter(|route| route.body != RouteBody::None) {
        for header in ["content-type: text/plain", "content-type: multipart/form-data", "x: y"] {
            let reply = ask(&server, route, "content-type", &[header]).await;
            assert_eq!(reply.fault(), "415 wrong-type", "{} {header}", route.path);
        }
        let reply = ask(&server, route, "", &[hundred]).await;
        assert_eq!(reply.fault(), "413 too-large", "{}", route.path);
    }
    for route in ROUTES.iter().filter(|route| route.body == RouteBody::Json) {
        for body in ["{", "[]", "{\"token\":\"a\",\"token\":\"a\"}", "{\"other\":1}", ""] {
            let headers = [JSON, &server.cookie_header()];
            let reply = server.send(&line_of(route), &headers, body.as_bytes()).await;
            assert_eq!(reply.fault(), "400 bad-input", "{} {body}", route.path);
        }
        let charset = "content-type: Application/JSON; charset=utf-8";
        let reply = ask(&server, route, "content-type", &[charset]).await;
        assert_ne!(reply.status, 415, "{}", route.path);
    }
}

#[tokio::test]
async fn every_response_has_the_headers_of_safety() {
    let server = TestServer::start().await;
    let mut replies = Vec::new();
    for route in ROUTES.iter().filter(|route| !route.path.ends_with("/events")) {
        replies.push((route.path, ask(&server, route, "", &[]).await));
        replies.push((route.path, ask(&server, route, "host", &["host: evil.example"]).await));
        replies.push((route.path, ask(&server, route, "cookie", &[]).await));
        let preflight = format!("OPTIONS {}", line_of(route).split_once(' ').unwrap().1);
        let asks = ["origin: http://evil.example", "access-control-request-method: POST"];
        replies.push((route.path, server.send(&preflight, &asks, b"").await));
    }
    replies.push(("/nowhere", server.get("/nowhere").await));
    for (path, reply) in replies {
        let header = |name| reply.header(name).unwrap_or_default();
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path} {reply:?}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(header("cross-origin-opener-policy"), "same-origin", "{path}");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin", "{path}");
        assert_eq!(header("cache-control"), "no-store", "{path}");
        let cors = reply.headers.iter().find(|(name, _)| name.starts_with("access-control"));
        assert_eq!(cors, None, "{path}");
    }
}

#[tokio::test]
async fn no_route_has_another_method() {
    let server = TestServer::start().await;
    for route in ROUTES {
        let path = line_of(route).split_once(' ').unwrap().1.to_owned();
        let is_deleted =
            ROUTES.iter().any(|it| it.path == route.path && it.method == RouteMethod::Delete);
        for method in ["DELETE", "PATCH", "TRACE"] {
            if is_deleted && method == "DELETE" {
                continue;
            }
            let reply = server.send(&format!("{method} {path}"), &[], b"").await;
            assert_eq!(reply.fault(), "405 wrong-method", "{method} {path}");
        }
    }
    let changes = ROUTES.iter().filter(|route| route.body != RouteBody::None);
    assert!(changes.into_iter().all(|route| route.method != RouteMethod::Get));
}
