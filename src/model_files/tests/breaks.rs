//! Connections that break, stall, or come back with something else.

use std::{fs, thread, time::Duration};

use tokio_util::sync::CancellationToken;

use super::{
    Desk, MODEL_BYTES, PullNews, fetch,
    server::{Fault, For, model},
};

#[test]
fn a_break_in_the_middle_goes_on_where_it_was() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Break(100_000));
    insta::assert_snapshot!(desk.told(), @"
    retrying after 1ms: the connection broke: end of file before message length reached
    finishing
    ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    desk.assert_whole(&model(MODEL_BYTES, 1));
    // The last 16 KiB are asked for again, to see that it is the same file.
    assert_eq!(desk.server.ranges(), ["0-299999", "83616-299999"]);
}

#[test]
fn the_next_call_goes_on_where_the_last_one_gave_up() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Break(100_000));
    desk.faults(2, For::File, Fault::Break(0));
    insta::assert_snapshot!(desk.told(), @"
    retrying after 1ms: the connection broke: end of file before message length reached
    retrying after 2ms: the connection broke: end of file before message length reached
    error: the download broke 3 times in a row without getting further, at 100 kB of 300 kB: the connection broke: end of file before message length reached
    hint: pull again: it goes on where it broke
    ");
    assert_eq!(desk.lying(), ["tiny-Q4.gguf.part", "tiny-Q4.gguf.part.json"]);
    assert_eq!(fs::metadata(desk.part()).unwrap().len(), 100_000);
    desk.server.set(|hub| hub.commit = "another".to_owned());
    insta::assert_snapshot!(desk.told(), @"
    resuming at 100 kB of 300 kB
    finishing
    ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    desk.assert_whole(&model(MODEL_BYTES, 1));
    assert_eq!(desk.server.ranges().last().unwrap(), "83616-299999");
}

#[test]
fn getting_further_counts_as_success() {
    let desk = Desk::new();
    // Each of them brings a little more than the overlap.
    desk.faults(8, For::File, Fault::Break(40_000));
    assert!(desk.fetch().outcome.is_ok());
    desk.assert_whole(&model(MODEL_BYTES, 1));
    assert_eq!(desk.server.ranges().len(), 9);
}

#[test]
fn a_file_that_changed_meanwhile_begins_anew() {
    let desk = Desk::new();
    desk.break_off();
    let other = model(MODEL_BYTES, 2);
    desk.change_file(other.clone());
    insta::assert_snapshot!(desk.told(), @"
    restarting: the file on the hub is another one now
    finishing
    ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    desk.assert_whole(&other);
    assert_eq!(desk.server.ranges().last().unwrap(), "0-299999");
}

#[test]
fn a_server_without_ranges_begins_anew() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Break(100_000));
    desk.server.fault(For::File, Fault::NoRange);
    insta::assert_snapshot!(desk.told(), @"
    retrying after 1ms: the connection broke: end of file before message length reached
    restarting: the hub does not go on in the middle of a file
    finishing
    ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    desk.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_part_that_somebody_wrote_into_begins_anew() {
    let desk = Desk::new();
    desk.break_off();
    let mut bytes = fs::read(desk.part()).unwrap();
    bytes[99_000] ^= 1;
    fs::write(desk.part(), bytes).unwrap();
    insta::assert_snapshot!(desk.told(), @"
    resuming at 100 kB of 300 kB
    restarting: what is here does not go on as the file on the hub does
    retrying after 1ms: what is here does not go on as the file on the hub does
    finishing
    ok: [desk]/models/zoe/Tiny-GGUF/tiny-Q4.gguf
    ");
    desk.assert_whole(&model(MODEL_BYTES, 1));
}

#[test]
fn a_part_that_is_damaged_deeper_does_not_become_a_model() {
    let desk = Desk::new();
    desk.break_off();
    let mut bytes = fs::read(desk.part()).unwrap();
    bytes[50_000] ^= 1;
    fs::write(desk.part(), bytes).unwrap();
    let told = desk.told();
    assert!(told.contains("error: `zoe/Tiny-GGUF/tiny-Q4.gguf` has the SHA-256 "), "{told}");
    assert_eq!(desk.lying(), [""; 0]);
    assert!(desk.fetch().outcome.is_ok());
}

#[test]
fn a_body_that_stalls_is_a_break() {
    let mut desk = Desk::new();
    desk.hub.patience.stall = Duration::from_millis(300);
    desk.hub.patience.breaks_max = 20;
    desk.server.fault(For::File, Fault::Stall(100_000));
    let told = desk.told();
    assert!(told.starts_with("retrying after 1ms: nothing came for 300ms\n"), "{told}");
    desk.assert_whole(&model(MODEL_BYTES, 1));
    assert_eq!(desk.server.ranges()[..2], ["0-299999", "83616-299999"]);
}

#[test]
fn who_cancels_keeps_what_has_come() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Stall(100_000));
    let cancel = CancellationToken::new();
    let fetched = thread::scope(|scope| {
        scope.spawn(|| {
            desk.server.await_stall();
            cancel.cancel();
        });
        desk.fetch_until(&cancel)
    });
    assert!(fetched.outcome.unwrap_err().is_cancelled());
    assert_eq!(desk.lying(), ["tiny-Q4.gguf.part", "tiny-Q4.gguf.part.json"]);
    let had = fs::metadata(desk.part()).unwrap().len();
    assert!(had <= 100_000, "{had}");
    assert!(desk.fetch().outcome.is_ok());
    desk.assert_whole(&model(MODEL_BYTES, 1));
}

/// Its thread waits for bytes that do not come, and has nothing to pass on that would show it that nobody waits.
#[test]
fn cancelling_closes_a_connection_that_stalls() {
    let desk = Desk::new();
    desk.server.fault(For::File, Fault::Stall(0));
    let cancel = CancellationToken::new();
    let stop = &mut |news: &PullNews| {
        if matches!(news, PullNews::Progress(_)) {
            cancel.cancel();
        }
    };
    let fetched = fetch(&desk.files, &desk.name, &desk.hub, stop, &cancel);
    assert!(fetched.outcome.unwrap_err().is_cancelled());
    desk.server.await_left();
}

#[test]
fn nothing_is_asked_for_who_has_cancelled_already() {
    let desk = Desk::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(desk.fetch_until(&cancel).outcome.unwrap_err().is_cancelled());
    assert_eq!(desk.server.asked(), []);
}
