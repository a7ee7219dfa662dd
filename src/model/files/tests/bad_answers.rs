//! Answers of the hub that are not the file.

use std::{fs, net::TcpListener};

use narratoria_models::hub::{HubRequestKind, InjectedFault, model};

use super::{Hub, HubFixture, HubName, MODEL_BYTES};

const JSON_403: &str = r#"{"error": "Access to model zoe/Tiny-GGUF is restricted"}"#;

#[test]
fn an_unreachable_hub_is_reported_at_once() {
    let mut fixture = HubFixture::new();
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    fixture.hub.endpoint = Some(format!("http://{free}"));
    let transcript = fixture.transcript();
    assert!(
        transcript.starts_with("error: the hub cannot be reached: Connection refused"),
        "{transcript}"
    );
    assert!(
        transcript.ends_with(
            "\nhint: check the connection; without a model the lexical planner makes the plans"
        ),
        "{transcript}"
    );
}

#[test]
fn a_bad_address_is_reported() {
    let mut fixture = HubFixture::new();
    fixture.hub.endpoint = Some("the hub".to_owned());
    insta::assert_snapshot!(fixture.transcript(), @"
    error: `the hub` is no address of a hub: relative URL without a base
    hint: HF_ENDPOINT says where the hub is
    ");
    fixture.hub.endpoint = Some("gopher://hub.invalid".to_owned());
    insta::assert_snapshot!(fixture.transcript(), @"
    error: `gopher://hub.invalid` is no address of a hub: URL scheme is not allowed
    hint: HF_ENDPOINT says where the hub is
    ");
}

#[test]
fn a_bad_token_is_reported_and_not_shown() {
    let mut fixture = HubFixture::new();
    fixture.hub.token = Some("hf_secret\n".to_owned());
    insta::assert_snapshot!(fixture.transcript(), @"
    error: the token has a character that no token has
    hint: HF_TOKEN holds it
    ");
    assert_eq!(fixture.server.requests(), []);
}

#[test]
fn a_missing_repository_and_a_missing_file_are_reported() {
    let mut fixture = HubFixture::new();
    fixture.name = HubName::parse("zoe/Teeny-GGUF/tiny.gguf").unwrap();
    insta::assert_snapshot!(fixture.transcript(), @"error: there is no repository `zoe/Teeny-GGUF` on the hub");
    fixture.name = HubName::parse("zoe/Tiny-GGUF/tiny-Q5.gguf").unwrap();
    insta::assert_snapshot!(fixture.transcript(), @"
    error: `zoe/Tiny-GGUF` has no file `tiny-Q5.gguf`
    hint: it has `tiny-Q2.gguf`, `tiny-Q4.gguf`, `tiny-Q8.gguf`
    ");
    assert_eq!(fixture.files_on_disk(), [""; 0]);
}

#[test]
fn a_repository_that_was_renamed_is_found() {
    let mut fixture = HubFixture::new();
    fixture.name = HubName::parse("zoe/Tiny-GGUF-old/tiny-Q4.gguf").unwrap();
    insta::assert_snapshot!(fixture.transcript(), @"
    finishing
    ok: [fixture]/models/zoe/Tiny-GGUF-old/tiny-Q4.gguf
    ");
    fixture.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_denied_request_has_a_hint() {
    let mut fixture = HubFixture::new();
    fixture.server.set(|hub| hub.token = Some("hf_right"));
    insta::assert_snapshot!(fixture.transcript(), @"
    error: the hub wants to know who asks for `zoe/Tiny-GGUF` (401): Invalid username or password.
    hint: check the name: the hub answers so where there is no such repository; if it is not public, set HF_TOKEN
    ");
    fixture.hub.token = Some("hf_wrong".to_owned());
    insta::assert_snapshot!(fixture.transcript(), @"
    error: the hub wants to know who asks for `zoe/Tiny-GGUF` (401): Invalid username or password.
    hint: the token in HF_TOKEN is wrong or too old
    ");
    fixture.server.inject_fault(HubRequestKind::Info, InjectedFault::Answer(403, &[], JSON_403));
    insta::assert_snapshot!(fixture.transcript(), @"
    error: the hub does not give `zoe/Tiny-GGUF` to whoever asks (403): Access to model zoe/Tiny-GGUF is restricted
    hint: accept the conditions of the repository with the account of HF_TOKEN, or take another token
    ");
    fixture.hub.token = None;
    fixture.server.inject_fault(HubRequestKind::Info, InjectedFault::Answer(403, &[], ""));
    insta::assert_snapshot!(fixture.transcript(), @"
    error: the hub does not give `zoe/Tiny-GGUF` to whoever asks (403)
    hint: set HF_TOKEN to a token that may read it
    ");
}

#[test]
fn a_file_may_be_refused_where_its_repository_is_not() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Answer(403, &[], ""));
    insta::assert_snapshot!(fixture.transcript(), @"
    error: the hub does not give `zoe/Tiny-GGUF` to whoever asks (403)
    hint: set HF_TOKEN to a token that may read it
    ");
}

#[test]
fn a_failing_hub_is_asked_again() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::Info, InjectedFault::Answer(500, &[], ""));
    fixture
        .server
        .inject_fault(HubRequestKind::Info, InjectedFault::Answer(429, &["retry-after: 0"], ""));
    fixture.server.inject_fault(
        HubRequestKind::File,
        InjectedFault::Answer(503, &[], r#"{"error": "try later"}"#),
    );
    insta::assert_snapshot!(fixture.transcript(), @"
    retrying after 1ms: the hub answers 500
    retrying after 0ns: the hub answers 429
    retrying after 1ms: the hub answers 503: try later
    finishing
    ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    fixture.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_hub_that_keeps_failing_is_given_up() {
    let fixture = HubFixture::new();
    fixture.faults(3, HubRequestKind::Info, InjectedFault::Answer(502, &[], ""));
    insta::assert_snapshot!(fixture.transcript(), @"
    retrying after 1ms: the hub answers 502
    retrying after 2ms: the hub answers 502
    error: it cannot be fetched now: the hub answers 502
    hint: pull again later; what has come is kept
    ");
    fixture
        .server
        .inject_fault(HubRequestKind::Info, InjectedFault::Answer(429, &["retry-after: 3600"], ""));
    insta::assert_snapshot!(fixture.transcript(), @"
    error: it cannot be fetched now: the hub answers 429
    hint: it may be asked again in 3600 s; what has come is kept
    ");
    assert_eq!(fixture.files_on_disk(), [""; 0]);
}

#[test]
fn an_answer_that_is_not_a_hubs_is_reported() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(
        HubRequestKind::Info,
        InjectedFault::Answer(200, &[], "<html>Please log in</html>"),
    );
    let transcript = fixture.transcript();
    assert!(
        transcript.starts_with("error: what answers is no hub: expected value at line 1"),
        "{transcript}"
    );
    fixture.server.inject_fault(
        HubRequestKind::Info,
        InjectedFault::Answer(200, &[], r#"{"id": "zoe/Tiny-GGUF"}"#),
    );
    insta::assert_snapshot!(fixture.transcript(), @"error: the hub's answer cannot be used: it says neither the commit nor the files of the repository");
    fixture.server.inject_fault(HubRequestKind::Info, InjectedFault::Answer(418, &[], ""));
    insta::assert_snapshot!(fixture.transcript(), @"error: the hub's answer cannot be used: the hub answers 418");
    fixture.faults(
        11,
        HubRequestKind::Info,
        InjectedFault::Answer(307, &["location: /api/models/zoe/Tiny-GGUF/revision/main"], ""),
    );
    insta::assert_snapshot!(fixture.transcript(), @"error: the hub's answer cannot be used: it redirects in circles");
}

#[test]
fn another_digest_is_refused_and_removed() {
    let fixture = HubFixture::new();
    fixture.server.set(|hub| hub.digest = Some("ab".repeat(32)));
    insta::assert_snapshot!(fixture.transcript(), @"
    finishing
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has the SHA-256 2b683420b1d2cda83be0d0fa1a8f6082102bf5ac7617617c25ab67d734e05a0b, the hub says abababababababababababababababababababababababababababababababab: what came was removed
    hint: pull again; if it happens twice, what the hub sends is not what it lists
    ");
    assert_eq!(fixture.files_on_disk(), [""; 0]);
}

#[test]
fn another_size_is_refused_and_removed() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Length(299_990));
    insta::assert_snapshot!(fixture.transcript(), @"
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has 299990 bytes, the hub says 300000 bytes: what came was removed
    hint: pull again; if it happens twice, what the hub sends is not what it lists
    ");
    assert_eq!(fixture.files_on_disk(), [""; 0]);
    fixture.server.set(|hub| hub.size = Some(400_000));
    insta::assert_snapshot!(fixture.transcript(), @"
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has 300000 bytes, the hub says 400000 bytes: what came was removed
    hint: pull again; if it happens twice, what the hub sends is not what it lists
    ");
    fixture.server.set(|hub| hub.size = Some(200_000));
    insta::assert_snapshot!(fixture.transcript(), @"
    finishing
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has the SHA-256 f31b30317b547d41e7b3413560c56b70ed556775e2b1a251afe1c9e846e69971, the hub says 2b683420b1d2cda83be0d0fa1a8f6082102bf5ac7617617c25ab67d734e05a0b: what came was removed
    hint: pull again; if it happens twice, what the hub sends is not what it lists
    ");
    assert_eq!(fixture.files_on_disk(), [""; 0]);
}

#[test]
fn a_file_too_large_or_without_digest_is_not_downloaded() {
    let fixture = HubFixture::new();
    fixture.server.set(|hub| hub.size = Some(65 << 30));
    insta::assert_snapshot!(fixture.transcript(), @"error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has 69.8 GB, at most 68.7 GB are allowed");
    fixture.server.set(|hub| hub.has_digests = false);
    insta::assert_snapshot!(fixture.transcript(), @"
    error: the hub gives no SHA-256 of `zoe/Tiny-GGUF/tiny-Q4.gguf`, so it could not be checked
    hint: fetch it by hand and name it by its path
    ");
    assert_eq!(fixture.server.ranges(), [""; 0]);
}

#[test]
fn a_file_that_does_not_fit_is_not_downloaded() {
    let mut fixture = HubFixture::new();
    fixture.files.free_bytes = |_| Some((64 << 20) + 250_000);
    insta::assert_snapshot!(fixture.transcript(), @"
    error: `[fixture]/models/zoe/Tiny-GGUF` has no room: 300 kB are needed, 50.0 kB more than are free
    hint: make room, or set NARRATORIA_HOME to a folder on another disk
    ");
    assert_eq!(fixture.files_on_disk(), [""; 0]);
    // The bytes of a partial download need no more room.
    fixture.files.free_bytes = |_| None;
    fixture.fail_partway();
    fixture.files.free_bytes = |_| Some((64 << 20) + 250_000);
    assert!(fixture.fetch().outcome.is_ok());
}

#[test]
fn a_file_that_is_no_model_is_refused_and_removed() {
    let fixture = HubFixture::with(b"<html>not found</html>".to_vec());
    insta::assert_snapshot!(fixture.transcript(), @"error: `zoe/Tiny-GGUF/tiny-Q4.gguf` is no GGUF file: what came was removed");
    assert_eq!(fixture.files_on_disk(), [""; 0]);
}

#[test]
fn an_unwritable_folder_is_reported() {
    let fixture = HubFixture::new();
    fs::write(fixture.folder.path().join("models"), "in the way").unwrap();
    insta::assert_snapshot!(fixture.transcript(), @"error: cannot create `[fixture]/models/.locks`: Not a directory (os error 20)");
}

#[test]
fn a_hub_that_serves_files_itself_is_fine() {
    let fixture = HubFixture::new();
    fixture.server.set(|hub| hub.redirects = false);
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Break(100_000));
    assert!(fixture.fetch().outcome.is_ok());
    fixture.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_file_that_is_listed_and_missing_is_reported() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Answer(404, &[], ""));
    let expect =
        "error: the hub's answer cannot be used: it lists the file and then has none (404)";
    assert_eq!(fixture.transcript(), expect);
    assert_eq!(fixture.files_on_disk(), [""; 0]);
}

#[test]
fn a_file_in_xet_storage_is_downloaded_like_any_other() {
    let fixture = HubFixture::new();
    fixture.server.set(|hub| hub.has_xet = true);
    assert!(fixture.fetch().outcome.is_ok());
    fixture.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_description_that_is_too_long_is_refused() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::Info, InjectedFault::Length((16 << 20) + 1));
    insta::assert_snapshot!(fixture.transcript(), @"error: the hub's answer cannot be used: it has more than 16777216 bytes");
}

#[test]
fn a_commit_that_is_no_commit_is_refused() {
    let fixture = HubFixture::new();
    for commit in [String::new(), "../main".to_owned(), "c".repeat(65)] {
        fixture.server.set(|hub| hub.commit = commit);
        assert_eq!(
            fixture.transcript(),
            "error: the hub's answer cannot be used: it says neither the commit nor the files of the repository"
        );
    }
    assert_eq!(fixture.server.ranges(), [""; 0]);
}

#[test]
fn the_default_address_is_that_of_the_client() {
    assert_eq!(Hub::default().endpoint, None);
}
