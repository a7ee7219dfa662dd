//! Connections that break, stall, or continue with another file.

use std::{fs, thread, time::Duration};

use tokio_util::sync::CancellationToken;

use narratoria_models::hub::{HubRequestKind, InjectedFault, model};

use super::{HubFixture, MODEL_BYTES, PullEvent, fetch};

#[test]
fn a_broken_download_continues_where_it_broke() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Break(100_000));
    insta::assert_snapshot!(fixture.transcript(), @"
    retrying after 1ms: the connection broke: end of file before message length reached
    finishing
    ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    fixture.assert_whole(&model(MODEL_BYTES, 1));
    // The second request repeats the last 16 KiB, to check that it is the same file.
    assert_eq!(fixture.server.ranges(), ["0-299999", "83616-299999"]);
}

#[test]
fn the_next_fetch_continues_where_the_last_one_failed() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Break(100_000));
    fixture.faults(2, HubRequestKind::File, InjectedFault::Break(0));
    insta::assert_snapshot!(fixture.transcript(), @"
    retrying after 1ms: the connection broke: end of file before message length reached
    retrying after 2ms: the connection broke: end of file before message length reached
    error: the download broke 3 times in a row without getting further, at 100 kB of 300 kB: the connection broke: end of file before message length reached
    hint: pull again: it goes on where it broke
    ");
    assert_eq!(fixture.files_on_disk(), ["tiny-Q4.gguf.part", "tiny-Q4.gguf.part.json"]);
    assert_eq!(fs::metadata(fixture.part()).unwrap().len(), 100_000);
    fixture.server.set(|hub| hub.commit = "another".to_owned());
    insta::assert_snapshot!(fixture.transcript(), @"
    resuming at 100 kB of 300 kB
    finishing
    ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    fixture.assert_whole(&model(MODEL_BYTES, 1));
    assert_eq!(fixture.server.ranges().last().unwrap(), "83616-299999");
}

#[test]
fn progress_resets_the_count_of_breaks() {
    let fixture = HubFixture::new();
    // Each response has a little more than the overlap.
    fixture.faults(8, HubRequestKind::File, InjectedFault::Break(40_000));
    assert!(fixture.fetch().outcome.is_ok());
    fixture.assert_whole(&model(MODEL_BYTES, 1));
    assert_eq!(fixture.server.ranges().len(), 9);
}

#[test]
fn a_file_that_changed_on_the_hub_starts_again() {
    let fixture = HubFixture::new();
    fixture.fail_partway();
    let other = model(MODEL_BYTES, 2);
    fixture.change_file(other.clone());
    insta::assert_snapshot!(fixture.transcript(), @"
    restarting: the file on the hub is another one now
    finishing
    ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    fixture.assert_whole(&other);
    assert_eq!(fixture.server.ranges().last().unwrap(), "0-299999");
}

#[test]
fn a_server_without_ranges_starts_again() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Break(100_000));
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::NoRange);
    insta::assert_snapshot!(fixture.transcript(), @"
    retrying after 1ms: the connection broke: end of file before message length reached
    restarting: the hub does not go on in the middle of a file
    finishing
    ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    fixture.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_partial_download_with_a_damaged_end_starts_again() {
    let fixture = HubFixture::new();
    fixture.fail_partway();
    let mut bytes = fs::read(fixture.part()).unwrap();
    bytes[99_000] ^= 1;
    fs::write(fixture.part(), bytes).unwrap();
    insta::assert_snapshot!(fixture.transcript(), @"
    resuming at 100 kB of 300 kB
    restarting: what is here does not go on as the file on the hub does
    retrying after 1ms: what is here does not go on as the file on the hub does
    finishing
    ok: [fixture]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    fixture.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_partial_download_with_deeper_damage_does_not_become_a_model() {
    let fixture = HubFixture::new();
    fixture.fail_partway();
    let mut bytes = fs::read(fixture.part()).unwrap();
    bytes[50_000] ^= 1;
    fs::write(fixture.part(), bytes).unwrap();
    let transcript = fixture.transcript();
    assert!(
        transcript.contains("error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has the SHA-256 "),
        "{transcript}"
    );
    assert_eq!(fixture.files_on_disk(), [""; 0]);
    assert!(fixture.fetch().outcome.is_ok());
}

#[test]
fn a_stalled_body_counts_as_a_break() {
    let mut fixture = HubFixture::new();
    fixture.hub.timeouts.stall = Duration::from_millis(300);
    fixture.hub.timeouts.breaks_max = 20;
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Stall(100_000));
    let transcript = fixture.transcript();
    assert!(transcript.starts_with("retrying after 1ms: nothing came for 300ms\n"), "{transcript}");
    fixture.assert_whole(&model(MODEL_BYTES, 1));
    assert_eq!(fixture.server.ranges()[..2], ["0-299999", "83616-299999"]);
}

#[test]
fn cancelling_leaves_the_partial_download() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Stall(100_000));
    let cancel = CancellationToken::new();
    let fetched = thread::scope(|scope| {
        scope.spawn(|| {
            fixture.server.await_stall();
            cancel.cancel();
        });
        fixture.fetch_until(&cancel)
    });
    assert!(fetched.outcome.unwrap_err().is_cancelled());
    assert_eq!(fixture.files_on_disk(), ["tiny-Q4.gguf.part", "tiny-Q4.gguf.part.json"]);
    let bytes = fs::metadata(fixture.part()).unwrap().len();
    assert!(bytes <= 100_000, "{bytes}");
    assert!(fixture.fetch().outcome.is_ok());
    fixture.assert_whole(&model(MODEL_BYTES, 1));
}

/// The thread of the request waits for bytes, so it cannot notice by itself that the caller is gone.
#[test]
fn cancelling_closes_a_connection_that_stalls() {
    let fixture = HubFixture::new();
    fixture.server.inject_fault(HubRequestKind::File, InjectedFault::Stall(0));
    let cancel = CancellationToken::new();
    let stop = &mut |event: &PullEvent| {
        if matches!(event, PullEvent::Progress(_)) {
            cancel.cancel();
        }
    };
    let fetched = fetch(&fixture.files, &fixture.name, &fixture.hub, stop, &cancel);
    assert!(fetched.outcome.unwrap_err().is_cancelled());
    fixture.server.await_left();
}

#[test]
fn a_cancelled_fetch_sends_no_request() {
    let fixture = HubFixture::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(fixture.fetch_until(&cancel).outcome.unwrap_err().is_cancelled());
    assert_eq!(fixture.server.requests(), []);
}
