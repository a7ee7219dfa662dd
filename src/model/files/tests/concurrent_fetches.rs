//! Several processes fetch or remove a model at once.

use std::thread;

use tokio_util::sync::CancellationToken;

use narratoria_models::hub::{HubRequestKind, InjectedFault, model};

use super::{HubFixture, MODEL_BYTES, PullEvent, fetch};
use crate::files::FileError;

#[test]
fn a_second_fetch_waits_and_finds_the_file() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Stall(100_000));
    thread::scope(|scope| {
        let first = scope.spawn(|| fixture.transcript());
        fixture.server.await_stall();
        let second = scope.spawn(|| {
            let cancel = CancellationToken::new();
            let release = &mut |event: &PullEvent| {
                if *event == PullEvent::Waiting {
                    fixture.server.release();
                }
            };
            fetch(&fixture.files, &fixture.name, &fixture.hub, release, &cancel)
                .transcript(fixture.folder.path())
        });
        insta::assert_snapshot!(first.join().unwrap(), @"
        finishing
        ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
        ");
        insta::assert_snapshot!(second.join().unwrap(), @"
        waiting
        ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
        ");
    });
    fixture.assert_whole(&model(MODEL_BYTES, 1));
    assert_eq!(fixture.server.ranges(), ["0-299999"]);
}

#[test]
fn a_second_fetch_continues_when_the_first_is_cancelled() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Stall(100_000));
    let cancel = CancellationToken::new();
    thread::scope(|scope| {
        let first = scope.spawn(|| fixture.fetch_until(&cancel));
        fixture.server.await_stall();
        let stop = &mut |event: &PullEvent| {
            if *event == PullEvent::Waiting {
                cancel.cancel();
            }
        };
        let other = CancellationToken::new();
        let second = fetch(&fixture.files, &fixture.name, &fixture.hub, stop, &other);
        assert!(first.join().unwrap().outcome.unwrap_err().is_cancelled());
        assert!(second.outcome.is_ok());
    });
    fixture.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_model_is_not_removed_during_its_download() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Stall(100_000));
    thread::scope(|scope| {
        let first = scope.spawn(|| fixture.fetch());
        fixture.server.await_stall();
        let error = fixture.files.remove(&fixture.name).unwrap_err();
        assert!(matches!(error, FileError::Busy { .. }), "{error}");
        fixture.server.release();
        assert!(first.join().unwrap().outcome.is_ok());
    });
    assert_eq!(fixture.files.remove(&fixture.name).unwrap(), MODEL_BYTES as u64);
}
