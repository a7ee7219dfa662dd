//! Who gets to know a name, a password and a token.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::json;

use super::{
    ARCHIVE, RegistryVisitor, published,
    server::{FakeRegistry, nothing, ok},
};

fn basic() -> String {
    format!("Basic {}", BASE64_STANDARD.encode("zoe:tide"))
}

/// A visitor whose file has this entry for the host.
fn visitor_with(server: &FakeRegistry, entry: serde_json::Value) -> RegistryVisitor {
    RegistryVisitor::with(&json!({"auths": {(server.host()): entry}}).to_string())
}

fn zoe(server: &FakeRegistry) -> RegistryVisitor {
    visitor_with(server, json!({"auth": BASE64_STANDARD.encode("zoe:tide")}))
}

/// The header of each request.
fn shown(server: &FakeRegistry) -> Vec<String> {
    let requests = server.requests().into_iter();
    requests.map(|seen| seen.headers.get("authorization").cloned().unwrap_or_default()).collect()
}

#[test]
fn a_password_is_shown_only_when_it_is_asked_for() {
    let (server, _, _) = published();
    let visitor = zoe(&server);
    assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    assert_eq!(shown(&server), ["", ""]);
    server.forget_requests();
    server.lock(&basic(), "Basic realm=\"weather\"");
    assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    assert_eq!(shown(&server), [String::new(), basic(), basic()]);
    let stranger = RegistryVisitor::stranger();
    assert_eq!(
        stranger.pull_error(&server, ":1.2.0"),
        "the registry asks who you are, and no file of docker or podman has credentials for it"
    );
    server.lock("Basic other", "Basic realm=\"weather\"");
    server.forget_requests();
    assert_eq!(visitor.pull_error(&server, ":1.2.0"), "the registry does not allow it");
    assert_eq!(server.lines().len(), 2, "it asks once more and no further");
    // A registry that refuses without a question gets nothing.
    let refusal = br#"{"errors": [{"code": "DENIED", "message": "quota\u001b[2J"}]}"#;
    let header = format!("content-length: {}", refusal.len());
    let response = super::server::response("403 Forbidden", &header, refusal);
    server.prepare("GET manifests/1.2.0", response);
    let error = visitor.pull_error(&server, ":1.2.0");
    assert!(error.starts_with("the registry does not allow it: quota"), "{error}");
    assert!(!error.contains('\u{1b}'), "{error:?}");
}

#[test]
fn a_token_is_for_this_repository_and_its_server_gets_the_password() {
    let (server, _, _) = published();
    let tokens = FakeRegistry::start();
    let challenge =
        format!("Bearer realm=\"{}\",service=\"a registry\",scope=\"x\"", tokens.url("/token"));
    server.lock("Bearer secret", &challenge);
    tokens.prepare("GET /token", ok(br#"{"token": "secret", "expires_in": 60}"#));
    assert_eq!(zoe(&server).pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    let asked = tokens.requests();
    let scope = "/token?service=a+registry&scope=repository%3Ateam%2Fweather%3Apull";
    assert_eq!((asked[0].path.as_str(), asked.len()), (scope, 1));
    assert_eq!(shown(&tokens), [basic()]);
    assert_eq!(shown(&server), ["", "Bearer secret", "Bearer secret"]);
    // Without credentials there are tokens for all.
    tokens.forget_requests();
    tokens.prepare("GET /token", ok(br#"{"access_token": "secret"}"#));
    assert_eq!(RegistryVisitor::stranger().pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    assert_eq!(shown(&tokens), [""]);
}

#[test]
fn an_identity_token_is_exchanged_and_follows_no_redirect() {
    let (server, _, _) = published();
    let (tokens, other) = (FakeRegistry::start(), FakeRegistry::start());
    server.lock("Bearer secret", &format!("Bearer realm=\"{}\"", tokens.url("/token")));
    let visitor = visitor_with(&server, json!({"identitytoken": "long lived&"}));
    tokens.prepare("POST /token", ok(br#"{"access_token": "secret"}"#));
    assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    let form = String::from_utf8(tokens.requests()[0].body.clone()).unwrap();
    let expect = "scope=repository%3Ateam%2Fweather%3Apull&grant_type=refresh_token&client_id=narratoria&refresh_token=long+lived%26";
    assert_eq!(form, expect);
    let elsewhere = format!("location: {}", other.url("/token"));
    tokens.prepare("POST /token", nothing("307 Elsewhere", &elsewhere));
    let error = visitor.pull_error(&server, ":1.2.0");
    let expect =
        format!("the server of tokens, `{}`, answers with status 307", tokens.url("/token"));
    assert_eq!(error, expect);
    assert!(other.requests().is_empty());
}

#[test]
fn a_server_of_tokens_that_cannot_be_used_is_an_error() {
    let (server, _, _) = published();
    let visitor = zoe(&server);
    for (realm, expect) in [
        ("http://a.example/token", "the registry's tokens come from an address that is not used: "),
        ("file:///token", "the registry's tokens come from an address that is not used: "),
        ("https://a.example/token", "the program is offline"),
    ] {
        server.lock("Bearer secret", &format!("Bearer realm=\"{realm}\""));
        let error = visitor.pull_error(&server, ":1.2.0");
        assert!(error.starts_with(expect), "{realm}: {error}");
    }
    for challenge in ["Negotiate", "Bearer", "x"] {
        server.lock("Bearer secret", challenge);
        let error = visitor.pull_error(&server, ":1.2.0");
        assert_eq!(error, "the registry does not allow it", "{challenge}");
    }
    server.lock("Bearer secret", &format!("Bearer realm=\"{}\"", server.url("/token")));
    let long = format!("{{\"token\": \"{}\"}}", "x".repeat(40_000));
    for answer in
        ["", "{}", r#"{"token": ""}"#, r#"{"token": "a\nb: c"}"#, r#"{"token": 7}"#, &long]
    {
        server.prepare("GET /token", ok(answer.as_bytes()));
        let error = visitor.pull_error(&server, ":1.2.0");
        assert!(error.ends_with("sends no token that can be used"), "{answer}: {error}");
    }
    server.prepare("GET /token", nothing("401 No", "x-a: b"));
    let error = visitor.pull_error(&server, ":1.2.0");
    assert!(error.ends_with("answers with status 401"), "{error}");
    // A token that the registry does not take is asked for once more, and no further.
    server.forget_requests();
    server.prepare("GET /token", ok(br#"{"token": "other"}"#));
    assert_eq!(visitor.pull_error(&server, ":1.2.0"), "the registry does not allow it");
    assert_eq!(server.lines().len(), 3);
}
