//! Several at once.

use std::thread;

use tokio_util::sync::CancellationToken;

use super::{
    Desk, MODEL_BYTES, PullNews, fetch,
    server::{Fault, For, model},
};
use crate::model_files::FileError;

#[test]
fn the_second_waits_and_finds_the_file() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Stall(100_000));
    thread::scope(|scope| {
        let first = scope.spawn(|| desk.told());
        desk.server.await_stall();
        let second = scope.spawn(|| {
            let cancel = CancellationToken::new();
            let release = &mut |news: &PullNews| {
                if *news == PullNews::Waiting {
                    desk.server.release();
                }
            };
            fetch(&desk.files, &desk.name, &desk.hub, release, &cancel).told(desk.folder.path())
        });
        insta::assert_snapshot!(first.join().unwrap(), @"
        finishing
        ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
        ");
        insta::assert_snapshot!(second.join().unwrap(), @"
        waiting
        ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
        ");
    });
    desk.assert_whole(&model(MODEL_BYTES, 1));
    assert_eq!(desk.server.ranges(), ["0-299999"]);
}

#[test]
fn the_second_takes_over_when_the_first_leaves() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Stall(100_000));
    let cancel = CancellationToken::new();
    thread::scope(|scope| {
        let first = scope.spawn(|| desk.fetch_until(&cancel));
        desk.server.await_stall();
        let stop = &mut |news: &PullNews| {
            if *news == PullNews::Waiting {
                cancel.cancel();
            }
        };
        let other = CancellationToken::new();
        let second = fetch(&desk.files, &desk.name, &desk.hub, stop, &other);
        assert!(first.join().unwrap().outcome.unwrap_err().is_cancelled());
        assert!(second.outcome.is_ok());
    });
    desk.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn what_is_being_fetched_is_not_removed() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Stall(100_000));
    thread::scope(|scope| {
        let first = scope.spawn(|| desk.fetch());
        desk.server.await_stall();
        let refused = desk.files.remove(&desk.name).unwrap_err();
        assert!(matches!(refused, FileError::Busy { .. }), "{refused}");
        desk.server.release();
        assert!(first.join().unwrap().outcome.is_ok());
    });
    assert_eq!(desk.files.remove(&desk.name).unwrap(), MODEL_BYTES as u64);
}
