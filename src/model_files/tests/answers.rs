//! Answers that are no file.

use std::{fs, net::TcpListener};

use super::{
    Desk, Hub, HubName, MODEL_BYTES,
    server::{Fault, For, model},
};

const JSON_403: &str = r#"{"error": "Access to model zoe/Tiny-GGUF is restricted"}"#;

#[test]
fn nobody_there_is_told_at_once() {
    let mut desk = Desk::new();
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    desk.hub.endpoint = Some(format!("http://{free}"));
    let told = desk.told();
    assert!(told.starts_with("error: the hub cannot be reached: Connection refused"), "{told}");
    assert!(
        told.ends_with(
            "\nhint: check the connection; without a model the lexical voice makes the plans"
        ),
        "{told}"
    );
}

#[test]
fn a_bad_address_is_told() {
    let mut desk = Desk::new();
    desk.hub.endpoint = Some("the hub".to_owned());
    insta::assert_snapshot!(desk.told(), @"
    error: `the hub` is no address of a hub: relative URL without a base
    hint: HF_ENDPOINT says where the hub is
    ");
    desk.hub.endpoint = Some("gopher://hub.invalid".to_owned());
    insta::assert_snapshot!(desk.told(), @"
    error: `gopher://hub.invalid` is no address of a hub: URL scheme is not allowed
    hint: HF_ENDPOINT says where the hub is
    ");
}

#[test]
fn a_bad_token_is_told_and_not_shown() {
    let mut desk = Desk::new();
    desk.hub.token = Some("hf_secret\n".to_owned());
    insta::assert_snapshot!(desk.told(), @"
    error: the token has a character that no token has
    hint: HF_TOKEN holds it
    ");
    assert_eq!(desk.server.asked(), []);
}

#[test]
fn a_repository_or_a_file_that_is_not_there_is_told() {
    let mut desk = Desk::new();
    desk.name = HubName::parse("zoe/Teeny-GGUF/tiny.gguf").unwrap();
    insta::assert_snapshot!(desk.told(), @"error: there is no repository `zoe/Teeny-GGUF` on the hub");
    desk.name = HubName::parse("zoe/Tiny-GGUF/tiny-Q5.gguf").unwrap();
    insta::assert_snapshot!(desk.told(), @"
    error: `zoe/Tiny-GGUF` has no file `tiny-Q5.gguf`
    hint: it has `tiny-Q2.gguf`, `tiny-Q4.gguf`, `tiny-Q8.gguf`
    ");
    assert_eq!(desk.lying(), [""; 0]);
}

#[test]
fn a_repository_that_was_renamed_is_found() {
    let mut desk = Desk::new();
    desk.name = HubName::parse("zoe/Tiny-GGUF-old/tiny-Q4.gguf").unwrap();
    insta::assert_snapshot!(desk.told(), @"
    finishing
    ok: [desk]/models/zoe/Tiny-GGUF-old/tiny-Q4.gguf
    ");
    desk.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn who_may_not_is_told_what_would_help() {
    let mut desk = Desk::new();
    desk.server.set(|hub| hub.token = Some("hf_right"));
    insta::assert_snapshot!(desk.told(), @"
    error: the hub wants to know who asks for `zoe/Tiny-GGUF` (401): Invalid username or password.
    hint: check the name: the hub answers so where there is no such repository; if it is not public, set HF_TOKEN
    ");
    desk.hub.token = Some("hf_wrong".to_owned());
    insta::assert_snapshot!(desk.told(), @"
    error: the hub wants to know who asks for `zoe/Tiny-GGUF` (401): Invalid username or password.
    hint: the token in HF_TOKEN is wrong or too old
    ");
    desk.server.fault(For::Info, Fault::Answer(403, &[], JSON_403));
    insta::assert_snapshot!(desk.told(), @"
    error: the hub does not give `zoe/Tiny-GGUF` to whoever asks (403): Access to model zoe/Tiny-GGUF is restricted
    hint: accept the conditions of the repository with the account of HF_TOKEN, or take another token
    ");
    desk.hub.token = None;
    desk.server.fault(For::Info, Fault::Answer(403, &[], ""));
    insta::assert_snapshot!(desk.told(), @"
    error: the hub does not give `zoe/Tiny-GGUF` to whoever asks (403)
    hint: set HF_TOKEN to a token that may read it
    ");
}

#[test]
fn a_file_may_be_refused_where_its_repository_is_not() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Answer(403, &[], ""));
    insta::assert_snapshot!(desk.told(), @"
    error: the hub does not give `zoe/Tiny-GGUF` to whoever asks (403)
    hint: set HF_TOKEN to a token that may read it
    ");
}

#[test]
fn a_hub_in_trouble_is_asked_again() {
    let desk = Desk::new();
    desk.server.fault(For::Info, Fault::Answer(500, &[], ""));
    desk.server.fault(For::Info, Fault::Answer(429, &["retry-after: 0"], ""));
    desk.server.fault(For::File, Fault::Answer(503, &[], r#"{"error": "try later"}"#));
    insta::assert_snapshot!(desk.told(), @"
    retrying after 1ms: the hub answers 500
    retrying after 0ns: the hub answers 429
    retrying after 1ms: the hub answers 503: try later
    finishing
    ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    desk.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_hub_that_stays_in_trouble_is_left_alone() {
    let desk = Desk::new();
    desk.faults(3, For::Info, Fault::Answer(502, &[], ""));
    insta::assert_snapshot!(desk.told(), @"
    retrying after 1ms: the hub answers 502
    retrying after 2ms: the hub answers 502
    error: it cannot be fetched now: the hub answers 502
    hint: pull again later; what has come is kept
    ");
    desk.server.fault(For::Info, Fault::Answer(429, &["retry-after: 3600"], ""));
    insta::assert_snapshot!(desk.told(), @"
    error: it cannot be fetched now: the hub answers 429
    hint: it may be asked again in 3600 s; what has come is kept
    ");
    assert_eq!(desk.lying(), [""; 0]);
}

#[test]
fn what_is_no_answer_of_a_hub_is_told() {
    let desk = Desk::new();
    desk.server.fault(For::Info, Fault::Answer(200, &[], "<html>Please log in</html>"));
    let told = desk.told();
    assert!(told.starts_with("error: what answers is no hub: expected value at line 1"), "{told}");
    desk.server.fault(For::Info, Fault::Answer(200, &[], r#"{"id": "zoe/Tiny-GGUF"}"#));
    insta::assert_snapshot!(desk.told(), @"error: the hub's answer cannot be used: it says neither the commit nor the files of the repository");
    desk.server.fault(For::Info, Fault::Answer(418, &[], ""));
    insta::assert_snapshot!(desk.told(), @"error: the hub's answer cannot be used: the hub answers 418");
    desk.faults(
        11,
        For::Info,
        Fault::Answer(307, &["location: /api/models/zoe/Tiny-GGUF/revision/main"], ""),
    );
    insta::assert_snapshot!(desk.told(), @"error: the hub's answer cannot be used: it redirects in circles");
}

#[test]
fn another_digest_is_refused_and_removed() {
    let desk = Desk::new();
    desk.server.set(|hub| hub.digest = Some("ab".repeat(32)));
    insta::assert_snapshot!(desk.told(), @"
    finishing
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has the SHA-256 2b683420b1d2cda83be0d0fa1a8f6082102bf5ac7617617c25ab67d734e05a0b, the hub says abababababababababababababababababababababababababababababababab: what came was removed
    hint: pull again; if it happens twice, what the hub sends is not what it lists
    ");
    assert_eq!(desk.lying(), [""; 0]);
}

#[test]
fn another_size_is_refused_and_removed() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Length(299_990));
    insta::assert_snapshot!(desk.told(), @"
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has 299990 bytes, the hub says 300000 bytes: what came was removed
    hint: pull again; if it happens twice, what the hub sends is not what it lists
    ");
    assert_eq!(desk.lying(), [""; 0]);
    desk.server.set(|hub| hub.size = Some(400_000));
    insta::assert_snapshot!(desk.told(), @"
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has 300000 bytes, the hub says 400000 bytes: what came was removed
    hint: pull again; if it happens twice, what the hub sends is not what it lists
    ");
    desk.server.set(|hub| hub.size = Some(200_000));
    insta::assert_snapshot!(desk.told(), @"
    finishing
    error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has the SHA-256 f31b30317b547d41e7b3413560c56b70ed556775e2b1a251afe1c9e846e69971, the hub says 2b683420b1d2cda83be0d0fa1a8f6082102bf5ac7617617c25ab67d734e05a0b: what came was removed
    hint: pull again; if it happens twice, what the hub sends is not what it lists
    ");
    assert_eq!(desk.lying(), [""; 0]);
}

#[test]
fn what_cannot_be_checked_or_kept_is_not_fetched() {
    let desk = Desk::new();
    desk.server.set(|hub| hub.size = Some(65 << 30));
    insta::assert_snapshot!(desk.told(), @"error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has 69.8 GB, at most 68.7 GB are allowed");
    desk.server.set(|hub| hub.has_digests = false);
    insta::assert_snapshot!(desk.told(), @"
    error: the hub gives no SHA-256 of `zoe/Tiny-GGUF/tiny-Q4.gguf`, so it could not be checked
    hint: fetch it by hand and name it by its path
    ");
    assert_eq!(desk.server.ranges(), [""; 0]);
}

#[test]
fn what_does_not_fit_is_not_begun() {
    let mut desk = Desk::new();
    desk.files.free = |_| Some((64 << 20) + 250_000);
    insta::assert_snapshot!(desk.told(), @"
    error: `[desk]/models/zoe/Tiny-GGUF` has no room: 300 kB are needed, 50.0 kB more than are free
    hint: make room, or set NARRATORIA_HOME to a folder on another disk
    ");
    assert_eq!(desk.lying(), [""; 0]);
    // What is here already needs no room.
    desk.files.free = |_| None;
    desk.break_off();
    desk.files.free = |_| Some((64 << 20) + 250_000);
    assert!(desk.fetch().outcome.is_ok());
}

#[test]
fn a_file_that_is_no_model_is_refused_and_removed() {
    let desk = Desk::with(b"<html>not found</html>".to_vec());
    insta::assert_snapshot!(desk.told(), @"error: `zoe/Tiny-GGUF/tiny-Q4.gguf` is no GGUF file: what came was removed");
    assert_eq!(desk.lying(), [""; 0]);
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let desk = Desk::new();
    fs::write(desk.folder.path().join("models"), "in the way").unwrap();
    insta::assert_snapshot!(desk.told(), @"error: cannot create `[desk]/models/.locks`: Not a directory (os error 20)");
}

#[test]
fn a_hub_that_serves_files_itself_is_fine() {
    let desk = Desk::new();
    desk.server.set(|hub| hub.redirects = false);
    desk.server.fault(For::File, Fault::Break(100_000));
    assert!(desk.fetch().outcome.is_ok());
    desk.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_file_that_is_listed_and_not_there_is_told() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Answer(404, &[], ""));
    let expect =
        "error: the hub's answer cannot be used: it lists the file and then has none (404)";
    assert_eq!(desk.told(), expect);
    assert_eq!(desk.lying(), [""; 0]);
}

#[test]
fn a_file_in_the_other_storage_comes_as_any_other() {
    let desk = Desk::new();
    desk.server.set(|hub| hub.has_xet = true);
    assert!(desk.fetch().outcome.is_ok());
    desk.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_description_without_end_is_refused() {
    let desk = Desk::new();
    desk.server.fault(For::Info, Fault::Length((16 << 20) + 1));
    insta::assert_snapshot!(desk.told(), @"error: the hub's answer cannot be used: it has more than 16777216 bytes");
}

#[test]
fn a_commit_that_is_no_commit_is_refused() {
    let desk = Desk::new();
    for commit in [String::new(), "../main".to_owned(), "c".repeat(65)] {
        desk.server.set(|hub| hub.commit = commit);
        assert_eq!(
            desk.told(),
            "error: the hub's answer cannot be used: it says neither the commit nor the files of the repository"
        );
    }
    assert_eq!(desk.server.ranges(), [""; 0]);
}

#[test]
fn the_address_of_the_hub_is_the_clients_own_unless_it_is_given() {
    assert_eq!(Hub::default().endpoint, None);
}
