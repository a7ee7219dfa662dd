//! HTTP requests of scripts, to real servers on this machine and to forbidden hosts.

mod server;

use std::{
    io,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use narratoria_protocol::Event;
use narratoria_protocol::{InvocationEnding, InvocationOutcome, InvocationOutput};
use narratoria_sandbox::{
    HostResolver, HttpConnector, InvocationLimits, ResolveFuture, Sandbox, SandboxOptions,
};
use narratoria_skills::Grants;
use serde_json::{Value, json};
use server::{CannedResponse, TestHttpServer, TestTls};

use super::{LIMITS, ending_text, job, sandbox};

/// Resolves these names, and counts its calls.
#[derive(Clone)]
struct FakeHostResolver {
    known: Vec<(&'static str, Vec<IpAddr>)>,
    asked: Arc<AtomicUsize>,
}

impl HostResolver for FakeHostResolver {
    fn resolve(&self, name: &str) -> ResolveFuture {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let found = self.known.iter().find(|(known, _)| *known == name);
        let found = found.map(|(_, addresses)| addresses.clone());
        Box::pin(async move { found.ok_or_else(|| io::Error::other("no such name")) })
    }
}

fn names(known: &[(&'static str, &[&str])]) -> FakeHostResolver {
    let address = |text: &&str| text.parse().unwrap();
    let known = known.iter().map(|(name, to)| (*name, to.iter().map(address).collect())).collect();
    FakeHostResolver { known, asked: Arc::default() }
}

struct FetchRun {
    invocation: InvocationOutcome,
    /// Warnings in the log.
    warned: Vec<String>,
}

impl FetchRun {
    /// Its output, or its error's code and message.
    fn result(&self) -> String {
        match &self.invocation.ending {
            InvocationEnding::Done { output, .. } => Value::Object(output.clone()).to_string(),
            InvocationEnding::Failed { summary, error_code, .. } => {
                let [code, summary] = [error_code, summary].map(|it| it.as_deref().unwrap_or("?"));
                format!("{code}: {summary}")
            }
            InvocationEnding::Aborted(refusal) => refusal.to_string(),
        }
    }
}

async fn run_within(
    guest: &str,
    input: Value,
    hosts: &[&str],
    web: HttpConnector,
    limits: InvocationLimits,
) -> FetchRun {
    let sandbox =
        Sandbox::open(&SandboxOptions { http_connector: web, ..SandboxOptions::default() })
            .unwrap();
    let http = hosts.iter().map(|host| (*host).to_owned()).collect();
    let guest = narratoria_guests::find(guest).unwrap();
    let prepared = sandbox.load(guest.component, &Grants { http, ..Grants::default() }).unwrap();
    let warned = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&warned);
    let sink = Box::new(move |said| {
        if let InvocationOutput::Event(message) = said
            && let Event::Log { message, .. } = message.event
        {
            ear.lock().unwrap().push(message);
        }
    });
    let invocation = prepared.run(job(input, limits), sink).await;
    let warned = warned.lock().unwrap().clone();
    FetchRun { invocation, warned }
}

async fn fetch(input: Value, hosts: &[&str]) -> FetchRun {
    run_within(
        "fetches",
        input,
        hosts,
        HttpConnector::new(Box::new(names(&[])), Vec::new()),
        LIMITS,
    )
    .await
}

#[tokio::test]
async fn a_granted_host_is_reached() {
    let server = TestHttpServer::start(|request| {
        let [method, path] = [&request.method, &request.path];
        let (host, bytes) = (request.header("host"), request.body.len());
        server::answer(
            200,
            &[("content-type", "text/plain")],
            &format!("{method} {path} {host} {bytes}"),
        )
    })
    .await;
    let host = server.host();
    let ran = fetch(json!({"url": format!("http://{host}/a?b=c#d")}), &[&host]).await;
    let text = format!("GET /a?b=c {host} 0");
    let expect = json!({"status": 200, "kind": "text/plain", "bytes": text.len(), "text": text});
    assert_eq!(ran.result(), expect.to_string());
    assert_eq!(ran.warned, [""; 0]);

    let input = json!({"url": format!("http://{host}"), "method": "POST", "bytes": 300_000});
    let ran = fetch(input, &[&host]).await;
    let text = format!("POST / {host} 300000");
    assert!(ran.result().contains(&text), "{}", ran.result());

    // `localhost` is a name too.
    let localhost = format!("localhost:{}", server.port());
    let ran = fetch(json!({"url": format!("http://{localhost}/")}), &[&localhost]).await;
    assert!(ran.result().contains(&format!("GET / {localhost} 0")), "{}", ran.result());
}

#[tokio::test]
async fn a_host_without_a_grant_is_refused_and_the_log_says_what_would_allow_it() {
    let server = TestHttpServer::start(|_| server::answer(200, &[], "secret")).await;
    let (host, url) = (server.host(), format!("http://{}/", server.host()));
    let ran = fetch(json!({"url": url}), &["api.example.com"]).await;
    assert_eq!(ran.result(), "HTTP_REFUSED: the request was refused: its host is not granted");
    assert_eq!(
        ran.warned,
        [format!(
            "a request was refused: it is not granted `{host}`; `skill.json` would need \"grants\": {{\"http\": [\"api.example.com\", \"{host}\"]}}"
        )]
    );
    // The port is part of the grant, and so is the spelling of the host.
    for named in ["127.0.0.1", "127.0.0.1:1", "localhost", "127.0.0.2"] {
        let ran = fetch(json!({"url": url}), &[named]).await;
        assert!(ran.result().starts_with("HTTP_REFUSED"), "{named}: {}", ran.result());
    }
    let port = server.port();
    for (authority, expect) in [
        (format!("user:secret@127.0.0.1:{port}"), "a request names no user in its address, as `…@127.0.0.1` does".to_owned()),
        (format!("localhost.:{port}"), "`localhost.` is not a host: a name of letters, digits, hyphens and dots, or an address (one of IPv6 in brackets)".to_owned()),
        (format!("127.1:{port}"), "`127.1` ends as an address does, but is none; write it as four numbers".to_owned()),
        (format!("2130706433:{port}"), "`2130706433` ends as an address does, but is none; write it as four numbers".to_owned()),
        ("127.0.0.1:0".to_owned(), "`127.0.0.1:0` has no usable port".to_owned()),
    ] {
        let ran = fetch(json!({"url": format!("http://{authority}/")}), &[&host]).await;
        assert_eq!(ran.result(), "HTTP_REFUSED: the request was refused: its address is none");
        assert_eq!(ran.warned, [format!("a request was refused: {expect}")]);
    }
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn a_redirect_is_checked_as_a_new_request() {
    let hidden = TestHttpServer::start(|_| server::answer(200, &[], "secret")).await;
    let to = format!("http://{}/there", hidden.host());
    let server = TestHttpServer::start(move |request| match request.path.as_str() {
        "/away" => server::answer(302, &[("location", &to)], ""),
        "/near" => server::answer(302, &[("location", "/here")], ""),
        _ => server::answer(200, &[], "here"),
    })
    .await;
    let host = server.host();
    let ran = fetch(json!({"url": format!("http://{host}/near")}), &[&host]).await;
    assert!(ran.result().contains("\"here\""), "{}", ran.result());
    let ran = fetch(json!({"url": format!("http://{host}/away")}), &[&host]).await;
    assert_eq!(ran.result(), "HTTP_REFUSED: the request was refused: its host is not granted");
    assert!(
        ran.warned[0].contains(&format!("not granted `{}`", hidden.host())),
        "{:?}",
        ran.warned
    );
    assert_eq!(hidden.requests(), 0);
    let ran = fetch(json!({"url": format!("http://{host}/away")}), &[&host, &hidden.host()]).await;
    assert!(ran.result().contains("\"secret\""), "{}", ran.result());
}

/// The owner of a name decides where it leads.
#[tokio::test]
async fn a_name_that_resolves_to_a_private_address_is_refused() {
    let server = TestHttpServer::start(|_| server::answer(200, &[], "secret")).await;
    let port = server.port();
    for (addresses, shown, named) in [
        (&["127.0.0.1"][..], "127.0.0.1", "127.0.0.1"),
        (&["::1"], "::1", "[::1]"),
        (&["::ffff:127.0.0.1"], "::ffff:127.0.0.1", "127.0.0.1"),
        (&["1.1.1.1", "127.0.0.1"], "127.0.0.1", "127.0.0.1"),
        (&["169.254.169.254"], "169.254.169.254", "169.254.169.254"),
        (&["64:ff9b::10.0.0.1"], "64:ff9b::a00:1", "[64:ff9b::a00:1]"),
    ] {
        let names = names(&[("far.example", addresses)]);
        let asked = Arc::clone(&names.asked);
        let (host, web) =
            (format!("far.example:{port}"), HttpConnector::new(Box::new(names), Vec::new()));
        let input = json!({"url": format!("https://{host}/")});
        let ran = run_within("fetches", input, &[&host], web, LIMITS).await;
        assert_eq!(
            ran.result(),
            "HTTP_REFUSED: the request was refused: its host leads to an address that is not granted"
        );
        assert_eq!(
            ran.warned,
            [format!(
                "a request was refused: `{host}` leads to {shown}, which is no address of the open network; such a one has to be named itself: `skill.json` would need \"grants\": {{\"http\": [\"{named}:{port}\"]}}"
            )]
        );
        assert_eq!(asked.load(Ordering::Relaxed), 1, "nobody asks a second time");
    }
    assert_eq!(server.requests(), 0);
    let ran = fetch(json!({"url": "https://gone.example/"}), &["gone.example"]).await;
    assert_eq!(ran.result(), "HTTP_FAILED: the request has failed: there is no such host");
}

/// `--offline` holds for scripts too.
#[tokio::test]
async fn offline_only_this_machine_is_reached() {
    let server = TestHttpServer::start(|_| server::answer(200, &[], "here")).await;
    let run = |url: String, host: String| async move {
        let input = json!({ "url": url });
        run_within("fetches", input, &[&host], HttpConnector::loopback_only(), LIMITS).await
    };
    for host in ["localhost", "127.0.0.1"] {
        let host = format!("{host}:{}", server.port());
        let ran = run(format!("http://{host}/"), host).await;
        assert!(ran.warned.is_empty() && ran.result().contains("here"), "{}", ran.result());
    }
    for host in ["api.example.com", "192.168.0.7", "1.1.1.1"] {
        let ran = run(format!("https://{host}/"), host.to_owned()).await;
        assert!(ran.result().starts_with("HTTP_FAILED: "), "{}", ran.result());
        let told = format!(
            "a request was refused: `{host}` is not asked, because the story is played offline: with `narratoria run --offline`, or with NARRATORIA_OFFLINE set"
        );
        assert_eq!(ran.warned, [told]);
    }
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn public_hosts_need_encryption() {
    let ran = fetch(json!({"url": "http://api.example.com/"}), &["api.example.com"]).await;
    assert_eq!(ran.result(), "HTTP_REFUSED: the request was refused: its host is not granted");
    insta::assert_snapshot!(ran.warned[0], @"a request was refused: `http://api.example.com` would be read and changed by whoever is on the way; without encryption only `localhost` and addresses of the player's own network are asked, others with `https`");
    // A grant for port 80 does not change that.
    let ran = fetch(json!({"url": "http://1.1.1.1/"}), &["1.1.1.1:80"]).await;
    assert!(ran.result().starts_with("HTTP_REFUSED"), "{}", ran.result());
}

#[tokio::test]
async fn a_certificate_must_be_trusted() {
    let tls = TestTls::load();
    let server = TestHttpServer::start_with(Some(tls.clone()), |request| {
        server::answer(200, &[], &format!("hidden {}", request.path))
    })
    .await;
    let host = server.host();
    let input = json!({"url": format!("https://{host}/a")});
    let ran = fetch(input.clone(), &[&host]).await;
    assert_eq!(
        ran.result(),
        "HTTP_FAILED: the request has failed: the host's certificate is not trusted"
    );
    let trusting = || HttpConnector::new(Box::new(names(&[])), vec![tls.authority.clone()]);
    let ran = run_within("fetches", input, &[&host], trusting(), LIMITS).await;
    assert!(ran.result().contains("hidden /a"), "{}", ran.result());
    // The certificate is for the address, not for the name.
    let host = format!("localhost:{}", server.port());
    let input = json!({"url": format!("https://{host}/a")});
    let ran = run_within("fetches", input, &[&host], trusting(), LIMITS).await;
    assert_eq!(
        ran.result(),
        "HTTP_FAILED: the request has failed: the host's certificate is not trusted"
    );
}

#[tokio::test]
async fn too_many_requests_are_refused_and_logged_once() {
    let server = TestHttpServer::start(|_| server::answer(200, &[], "hello")).await;
    let host = server.host();
    let input = json!({"url": format!("http://{host}/")});
    let web = HttpConnector::new(Box::new(names(&[])), Vec::new());
    let ran = run_within("floods-a-host", input, &[&host], web, LIMITS).await;
    assert_eq!(
        ran.result(),
        json!({"200": 16, "the request was refused: there were too many requests": 84}).to_string()
    );
    assert_eq!(ran.warned, ["a request was refused: one invocation makes at most 16 requests"]);
    assert_eq!(server.requests(), 16);
}

#[tokio::test]
async fn request_and_response_bodies_have_limits() {
    let piece = "x".repeat(3 << 20);
    let server = TestHttpServer::start(move |request| match request.path.as_str() {
        "/head" => server::answer(200, &[("x-long", &"h".repeat(40_000))], ""),
        "/fields" => {
            let fields: Vec<(String, &str)> = (0..200).map(|n| (format!("x-{n}"), "v")).collect();
            let fields: Vec<(&str, &str)> = fields.iter().map(|(k, v)| (k.as_str(), *v)).collect();
            server::answer(200, &fields, "")
        }
        "/endless" => server::CannedResponse::Endless,
        "/half" => server::CannedResponse::Bytes(
            b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf".to_vec(),
        ),
        _ => server::answer(200, &[], &piece),
    })
    .await;
    let (host, url) = (server.host(), |path: &str| format!("http://{}{path}", server.host()));
    let too_much = "HTTP_REFUSED: the request was refused: its answer has too much content";
    for (input, told, warned) in [
        (
            json!({"url": url("/endless")}),
            too_much,
            "answers to one invocation have at most 8388608 bytes of content together",
        ),
        // Each response alone is within the limit.
        (
            json!({"url": url("/"), "times": 3}),
            too_much,
            "answers to one invocation have at most 8388608 bytes of content together",
        ),
        (
            json!({"url": url("/"), "method": "POST", "bytes": (1 << 20) + 1}),
            "HTTP_REFUSED: the request was refused: it has too much content",
            "requests of one invocation have at most 1048576 bytes of content together",
        ),
        (
            json!({"url": url("/head")}),
            "HTTP_REFUSED: the request was refused: its answer has too long a head",
            "the head of an answer has at most 32768 bytes",
        ),
        (
            json!({"url": url("/fields")}),
            "HTTP_REFUSED: the request was refused: its answer has too long a head",
            "the head of an answer has at most 32768 bytes",
        ),
        (
            json!({"url": url(&format!("/{}", "p".repeat(8_200)))}),
            "HTTP_REFUSED: the request was refused: its address is too long",
            &format!(
                "an address of a request has at most 8192 bytes, this one has {}",
                8_201 + host.len()
            ),
        ),
    ] {
        let limits =
            InvocationLimits { time: Duration::from_secs(10), memory_bytes: 64 << 20, ..LIMITS };
        let web = HttpConnector::new(Box::new(names(&[])), Vec::new());
        let ran = run_within("fetches", input, &[&host], web, limits).await;
        assert_eq!(ran.result(), told);
        assert_eq!(ran.warned, [format!("a request was refused: {warned}")]);
    }
    let ran = fetch(json!({"url": url("/half")}), &[&host]).await;
    assert_eq!(ran.result(), "HTTP_FAILED: the request has failed: the answer breaks off");
}

/// The script still has a quarter of a second of its own time, and reports the failure itself.
#[tokio::test]
async fn a_silent_host_leaves_the_script_time_to_end() {
    let server = TestHttpServer::start(|_| server::CannedResponse::Silence).await;
    let host = server.host();
    let ran = fetch(json!({"url": format!("http://{host}/")}), &[&host]).await;
    assert_eq!(ran.result(), "HTTP_TIMED_OUT: the request took too long: no whole answer");
    let elapsed = ran.invocation.usage.elapsed;
    assert!(elapsed >= Duration::from_millis(700) && elapsed < LIMITS.time, "{elapsed:?}");
    // S1 §3.1: it counts for the health of the skill.
    assert_eq!(ran.invocation.usage.network_failures, 1);
    assert_eq!(server.requests(), 1);
}

#[test]
fn a_component_that_imports_http_needs_the_grant() {
    let fetches = narratoria_guests::find("fetches").unwrap();
    let error = sandbox().load(fetches.component, &Grants::default()).map(drop).unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("imports `wasi:http/"), "{error}");
    assert!(
        error.ends_with(r#"which its manifest does not grant; `skill.json` would need "grants": {"http": ["<host>"]}"#),
        "{error}"
    );
    let keeps = narratoria_guests::find("keeps").unwrap();
    let named = keeps.component.windows(9).any(|bytes| bytes == b"wasi:http");
    assert!(!named, "a script that makes no request names nothing of it");
}

/// The host holds little of a request that is never sent.
#[tokio::test]
async fn requests_that_are_never_sent_cost_the_host_little() {
    let web = HttpConnector::new(Box::new(names(&[])), Vec::new());
    let ran = run_within("hoards-requests", json!({}), &["a.example"], web, LIMITS).await;
    assert_eq!(ending_text(&ran.invocation.ending), "trapped: resource table has no free keys");
}

/// S1 "§3.1": the count tells a failure of the network from one of the script.
#[tokio::test]
async fn requests_that_fail_on_the_way_are_counted_and_refused_ones_are_not() {
    let failures = |ran: &FetchRun| ran.invocation.usage.network_failures > 0;
    let refused = fetch(json!({"url": "http://127.0.0.1:9/"}), &["127.0.0.1:9"]).await;
    assert!(failures(&refused), "nothing listens there: {}", refused.result());
    let unknown = fetch(json!({"url": "https://nowhere.example/"}), &["nowhere.example"]).await;
    assert!(failures(&unknown), "no such name: {}", unknown.result());
    let cut = TestHttpServer::start(|_| {
        CannedResponse::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut".to_vec())
    })
    .await;
    let ran = fetch(json!({"url": format!("http://{}/", cut.host())}), &[&cut.host()]).await;
    assert!(failures(&ran), "the connection ended early: {}", ran.result());

    let fine = TestHttpServer::start(|_| server::answer(500, &[], "broken")).await;
    let ran = fetch(json!({"url": format!("http://{}/", fine.host())}), &[&fine.host()]).await;
    assert!(!failures(&ran), "a server that answers is reached: {}", ran.result());
    let ran = fetch(json!({"url": "http://127.0.0.1:9/"}), &["a.example"]).await;
    assert!(!failures(&ran), "the host refuses it: {}", ran.result());
    let odd = TestHttpServer::start(|_| CannedResponse::Bytes(b"SPAM\r\n\r\n".to_vec())).await;
    let ran = fetch(json!({"url": format!("http://{}/", odd.host())}), &[&odd.host()]).await;
    assert!(!failures(&ran), "no HTTP: {}", ran.result());
}
