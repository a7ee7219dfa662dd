//! Room on the disk of the home folder, and the limit on the length of a file.

use serde_json::json;

use super::{
    access::existing,
    finding::{DoctorFinding, quoted},
    probe::DoctorContext,
};
use crate::{settings::Home, story::list::size_text};

/// Free bytes below which turns may soon be lost.
const FREE_BYTES_MIN: u64 = 64 << 20;

/// Free bytes below which a model does not fit.
const MODEL_BYTES: u64 = 3_000_000_000;

pub(super) fn look(context: &DoctorContext) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> = file_limit().into_iter().collect();
    // The probe of the home says that there is none.
    if let Some(home) = &context.home {
        findings.push(room(home));
    }
    findings
}

fn room(home: &Home) -> DoctorFinding {
    let Some(Room { bytes, entries }) = Room::of(home) else {
        return DoctorFinding::ok("this system does not say how much room there is", json!(null));
    };
    let value = json!({"freeBytes": bytes, "freeEntries": entries});
    let text = format!("{} are free where the home folder is", size_text(bytes));
    let make_room = || format!("rm -r {}", quoted(&home.cache().display().to_string()));
    if entries == Some(0) {
        let text = format!("{text}, and no more files can be made there");
        return DoctorFinding::fault(text, value, make_room());
    }
    match bytes {
        0..FREE_BYTES_MIN => {
            let text = format!(
                "{text}, and a story needs {}; what is in `cache` is made again",
                size_text(FREE_BYTES_MIN)
            );
            DoctorFinding::fault(text, value, make_room())
        }
        FREE_BYTES_MIN..MODEL_BYTES => {
            let text = format!("{text}, too little for a model");
            DoctorFinding::note(text, value, "narratoria run --offline")
        }
        _ => DoctorFinding::ok(text, value),
    }
}

/// Room on a disk.
struct Room {
    bytes: u64,
    /// Files that can still be made; `None` if the file system has no such limit.
    entries: Option<u64>,
}

#[cfg(unix)]
impl Room {
    fn of(home: &Home) -> Option<Room> {
        let found = rustix::fs::statvfs(existing(home.folder())).ok()?;
        let bytes = found.f_bavail.saturating_mul(found.f_frsize);
        let entries = (found.f_files > 0).then_some(found.f_favail);
        Some(Room { bytes, entries })
    }
}

#[cfg(not(unix))]
impl Room {
    fn of(home: &Home) -> Option<Room> {
        let _ = existing(home.folder());
        None
    }
}

/// A limit on the length of a file is what a full disk is to a story.
#[cfg(unix)]
fn file_limit() -> Option<DoctorFinding> {
    use rustix::process::{Resource, getrlimit};
    let most = getrlimit(Resource::Fsize).current.filter(|most| *most < FREE_BYTES_MIN)?;
    let text = format!(
        "no file may be longer than {} here, and a story needs {}",
        size_text(most),
        size_text(FREE_BYTES_MIN)
    );
    Some(DoctorFinding::fault(text, json!(most), "ulimit -f unlimited"))
}

#[cfg(not(unix))]
fn file_limit() -> Option<DoctorFinding> {
    None
}
