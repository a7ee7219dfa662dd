//! The cache of compiled components: how large it is, and how much of it this program can use.

use std::{fs, path::Path};

use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_ui::plural;
use serde_json::json;

use super::{
    access::{can_write, move_aside, permit},
    finding::{DoctorFinding, quoted},
    probe::DoctorContext,
};
use crate::story::list::size_text;

/// Most entries of the folder that are looked at.
const ENTRIES_MAX: usize = 100_000;

/// The ending of compiled code.
const CODE_ENDING: &str = ".cwasm";

pub(super) fn look(context: &DoctorContext) -> Vec<DoctorFinding> {
    let folder = context.home.as_ref().map(|home| home.component_cache());
    let Some(folder) = folder.filter(|folder| folder.symlink_metadata().is_ok()) else {
        return vec![DoctorFinding::ok("nothing is compiled yet", json!(null))];
    };
    if !folder.is_dir() {
        let text = format!("`{}` is no folder, so nothing compiled is kept", folder.display());
        return vec![DoctorFinding::fault(text, json!(null), move_aside(&folder))];
    }
    if !can_write(&folder) {
        let text = format!("`{}` cannot be written, so nothing compiled is kept", folder.display());
        return vec![DoctorFinding::fault(text, json!(null), permit(&folder))];
    }
    let (names, bytes) = compiled(&folder);
    let mark = engine_mark();
    let is_stale = |name: &String| mark.as_ref().is_some_and(|mark| !name.ends_with(mark));
    let stale = names.iter().filter(|name| is_stale(name)).count();
    let value = json!({"components": names.len(), "stale": stale, "bytes": bytes});
    let text = format!("{}, {}", plural(names.len(), "compiled component"), size_text(bytes));
    vec![match stale {
        0 => DoctorFinding::ok(text, value),
        stale => {
            let text = format!(
                "{text}; {stale} for another version of the program or another processor, of no use here"
            );
            let command = format!("rm -r {}", quoted(&folder.display().to_string()));
            DoctorFinding::note(text, value, command)
        }
    }]
}

/// Returns the names of the files with code, and the bytes of all files.
fn compiled(folder: &Path) -> (Vec<String>, u64) {
    let (mut names, mut bytes) = (Vec::new(), 0_u64);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX) {
        let name = entry.file_name().to_string_lossy().into_owned();
        bytes = bytes.saturating_add(entry.metadata().map_or(0, |found| found.len()));
        if name.ends_with(CODE_ENDING) {
            names.push(name);
        }
    }
    (names, bytes)
}

/// Returns how the names of code end that this engine can use.
fn engine_mark() -> Option<String> {
    Sandbox::open(&SandboxOptions::default()).ok().map(|sandbox| sandbox.code_ending())
}

#[cfg(test)]
mod tests {
    use super::engine_mark;

    #[test]
    fn the_engine_has_a_mark_that_stays_the_same() {
        let mark = engine_mark().unwrap();
        let digits = mark.strip_prefix('-').and_then(|mark| mark.strip_suffix(".cwasm")).unwrap();
        assert!(digits.len() == 16 && digits.chars().all(|c| c.is_ascii_hexdigit()), "{mark}");
        assert_eq!(engine_mark(), Some(mark));
    }
}
