//! Servers that do harm: each leads to a clear error in time, the connection is closed, and little is read.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{
    KINDS, LONG, address, block_on, connect, connected, generate, job, labels, options, write,
};
use crate::{
    llm::{GenerateError, Model},
    server::{ServerError, probe},
};
use narratoria_models::server::{FakeModelServer, FakeServerKind, Misdeed};

/// The deadline of requests that never get an answer.
const SHORT: Duration = Duration::from_millis(100);

/// A deadline before which the first piece comes, even on a slow machine.
const ENOUGH_TO_BEGIN: Duration = Duration::from_secs(1);

/// The error of a text that is asked for with plenty of time.
#[track_caller]
fn check(misdeed: Misdeed, expect: &str) {
    for kind in KINDS {
        let (server, model) = connected(kind);
        server.set(|setup| setup.misdeed = Some(misdeed));
        let error = write(&model).unwrap_err().to_string();
        assert_eq!(error, format!("the model failed: {expect}"), "{kind:?}, {misdeed:?}");
    }
}

#[test]
fn an_error_of_the_server_is_named() {
    check(Misdeed::Status(500), "the server answers with status 500: out of memory");
    check(Misdeed::Status(404), "the server answers with status 404: out of memory");
    check(Misdeed::ErrorInTheMiddle, "the server reports an error: out of memory");
}

#[test]
fn an_answer_that_ends_early_is_no_answer() {
    let closed = "the server closed the connection before its answer was complete";
    check(Misdeed::CloseInTheMiddle, closed);
    check(Misdeed::LongLength, closed);
}

#[test]
fn an_answer_that_is_no_json_is_none() {
    for kind in KINDS {
        let (server, model) = connected(kind);
        for misdeed in [Misdeed::BrokenJson, Misdeed::ShortLength] {
            server.set(|setup| setup.misdeed = Some(misdeed));
            let error = write(&model).unwrap_err().to_string();
            assert!(error.contains("the server's answer is no JSON: "), "{kind:?}: {error}");
        }
    }
}

#[test]
fn no_answer_is_longer_than_its_tokens_can_be() {
    for kind in KINDS {
        let (server, model) = connected(kind);
        server.set(|setup| setup.misdeed = Some(Misdeed::Flood));
        let text = write(&model).unwrap();
        assert!(!text.is_complete, "{kind:?}");
        assert!(text.text.len() <= 64 * 32 + 3, "{kind:?}: {} bytes", text.text.len());
        server.await_left();
    }
}

#[test]
fn no_line_and_no_head_is_read_without_a_limit() {
    for kind in KINDS {
        let (server, model) = connected(kind);
        server.set(|setup| setup.misdeed = Some(Misdeed::FloodLine));
        let error = write(&model).unwrap_err().to_string();
        assert_eq!(
            error,
            "the model failed: the server's answer has more than 1048576 bytes in a line"
        );
        server.await_left();
        server.set(|setup| setup.misdeed = Some(Misdeed::FloodHead));
        assert!(matches!(write(&model), Err(GenerateError::Failed { .. })), "{kind:?}");
        server.await_left();
    }
}

#[test]
fn no_redirect_is_followed() {
    let elsewhere = FakeModelServer::start(FakeServerKind::OpenAi);
    for kind in KINDS {
        let (server, model) = connected(kind);
        server.set(|setup| setup.misdeed = Some(Misdeed::Redirect(elsewhere.address())));
        let error = write(&model).unwrap_err().to_string();
        assert_eq!(error, "the model failed: the server answers with status 307", "{kind:?}");
    }
    assert_eq!(elsewhere.requests(), []);
}

#[test]
fn a_deadline_closes_the_connection() {
    for kind in KINDS {
        for misdeed in [Misdeed::Hang, Misdeed::Drip] {
            let (server, model) = connected(kind);
            server.set(|setup| setup.misdeed = Some(misdeed));
            let since = Instant::now();
            let error = generate(&model, job(None, SHORT)).0.unwrap_err();
            let expect = GenerateError::TimedOut { doing: "read the prompt" };
            assert_eq!(error, expect, "{kind:?}, {misdeed:?}");
            assert!(since.elapsed() < LONG, "{kind:?}, {misdeed:?}");
            server.await_left();
            let error = block_on(model.choose(labels(SHORT))).unwrap_err();
            assert_eq!(error, expect, "{kind:?}, {misdeed:?}");
            server.await_left();
        }
    }
}

#[test]
fn a_deadline_in_the_middle_of_a_text_closes_the_connection() {
    let (server, model) = connected(FakeServerKind::Ollama);
    server.set(|setup| setup.misdeed = Some(Misdeed::HangInTheMiddle));
    let error = generate(&model, job(None, ENOUGH_TO_BEGIN)).0.unwrap_err();
    assert_eq!(error, GenerateError::TimedOut { doing: "wrote" });
    server.await_left();
}

#[test]
fn a_deadline_that_has_passed_sends_nothing() {
    let (server, model) = connected(FakeServerKind::OpenAi);
    let requests = server.requests().len();
    let error = generate(&model, job(None, Duration::ZERO)).0.unwrap_err();
    assert_eq!(error, GenerateError::TimedOut { doing: "read the prompt" });
    assert_eq!(server.requests().len(), requests);
}

#[test]
fn cancelling_and_dropping_close_the_connection() {
    for misdeed in [Misdeed::Hang, Misdeed::HangInTheMiddle, Misdeed::Drip] {
        let (server, model) = connected(FakeServerKind::Ollama);
        server.set(|setup| setup.misdeed = Some(misdeed));
        let cancelled = job(None, LONG);
        let cancel = cancelled.cancel.clone();
        let waiting = model.generate(cancelled, Box::new(|_| {}));
        cancel.cancel();
        assert_eq!(block_on(waiting), Err(GenerateError::Cancelled), "{misdeed:?}");
        drop(model.generate(job(None, LONG), Box::new(|_| {})));
        // Both requests are over, whether they had been sent or not, so others have their places.
        server.set(|setup| setup.misdeed = None);
        assert_eq!(write(&model).unwrap().text, "The door opens.");
    }
}

#[test]
fn few_requests_are_open_at_a_time() {
    let (server, model) = connected(FakeServerKind::Ollama);
    server.set(|setup| setup.misdeed = Some(Misdeed::Hang));
    let waiting: Vec<_> =
        (0..8).map(|_| model.generate(job(None, LONG), Box::new(|_| {}))).collect();
    assert_eq!(write(&model), Err(GenerateError::Busy { waiting: 8 }));
    drop(waiting);
}

#[test]
fn a_server_that_does_harm_from_the_start_is_no_model() {
    for misdeed in [
        Misdeed::Status(500),
        Misdeed::BrokenJson,
        Misdeed::CloseInTheMiddle,
        Misdeed::FloodLine,
        Misdeed::FloodHead,
    ] {
        for kind in KINDS {
            let server = FakeModelServer::start(kind);
            server.set(|setup| setup.misdeed = Some(misdeed));
            let error = connect(&server).unwrap_err();
            assert!(
                matches!(error, ServerError::NoAnswer { .. }),
                "{kind:?}, {misdeed:?}: {error}"
            );
        }
    }
}

#[test]
fn a_server_that_loads_its_model_is_waited_for() {
    let server = FakeModelServer::start(FakeServerKind::LlamaServer);
    server.set(|setup| setup.probe_misdeed = Some(Misdeed::Status(503)));
    thread::scope(|scope| {
        let model = scope.spawn(|| connect(&server));
        while server.requests().len() < 2 {
            thread::park_timeout(Duration::from_millis(1));
        }
        server.set(|setup| setup.probe_misdeed = None);
        assert!(model.join().unwrap().is_ok());
    });
    // But not for ever.
    server.set(|setup| setup.probe_misdeed = Some(Misdeed::Status(503)));
    let error = Model::connect(&address(&server), &options(SHORT)).unwrap_err();
    assert_eq!(
        error,
        ServerError::NotReady { base: server.base(), why: "out of memory".to_owned() }
    );
}

#[test]
fn a_program_that_is_no_server_of_models_is_named_so() {
    for misdeed in [
        Misdeed::Status(500),
        Misdeed::Status(503),
        Misdeed::BrokenJson,
        Misdeed::FloodLine,
        Misdeed::FloodHead,
        Misdeed::Hang,
        Misdeed::Drip,
    ] {
        let server = FakeModelServer::start(FakeServerKind::OpenAi);
        server.set(|setup| setup.probe_misdeed = Some(misdeed));
        let time = if matches!(misdeed, Misdeed::Hang | Misdeed::Drip) { SHORT } else { LONG };
        let error = probe(&address(&server), &[], Instant::now() + time).unwrap_err();
        let is_named = matches!(
            error,
            ServerError::Unknown { .. }
                | ServerError::Unreachable { .. }
                | ServerError::NotReady { .. }
        );
        assert!(is_named, "{misdeed:?}: {error}");
    }
}

#[test]
fn a_port_where_nothing_listens_is_unreachable_at_once() {
    let server = FakeModelServer::start(FakeServerKind::Ollama);
    let address = address(&server);
    drop(server);
    // The listener ends with its last connection; another try finds the port closed.
    let error = loop {
        match Model::connect(&address, &options(LONG)) {
            Err(error @ ServerError::Unreachable { .. }) => break error,
            Err(ServerError::Unknown { .. }) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(error.hint().unwrap(), "`narratoria model find` lists the servers of this machine");
}
