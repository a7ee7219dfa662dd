//! The home folder: whether it is there, whose it is, and whether it and its folders can be used.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{
    access::{can_write, existing, is_there, move_aside, permit},
    finding::{DoctorFinding, FindingState, quoted},
    probe::DoctorContext,
};
use crate::settings::Home;

/// The command that chooses another home.
const CHOOSE_HOME: &str = "export NARRATORIA_HOME=\"$PWD/narratoria\"";

pub(super) fn look(context: &DoctorContext) -> Vec<DoctorFinding> {
    let Some(home) = &context.home else {
        let text =
            "there is no home folder to keep stories in: neither NARRATORIA_HOME nor HOME is set";
        return vec![DoctorFinding::fault(text, json!(null), CHOOSE_HOME)];
    };
    let path = home.folder();
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => whole(home, &found),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_there(path) => {
            vec![missing(path)]
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let text = format!("`{}` cannot be looked at: {error}", path.display());
            vec![DoctorFinding::fault(text, shown(path), CHOOSE_HOME)]
        }
        Ok(_) | Err(_) => vec![in_the_way(existing_entry(path))],
    }
}

/// Returns the entry that is no folder: the path itself, or a file that it leads through.
fn existing_entry(path: &Path) -> &Path {
    path.ancestors().find(|above| is_there(above)).unwrap_or(path)
}

fn shown(path: &Path) -> serde_json::Value {
    json!(path.display().to_string())
}

fn missing(path: &Path) -> DoctorFinding {
    let above = existing(path);
    if above.is_dir() && can_write(above) {
        let text = format!("`{}` is not there yet; the first story makes it", path.display());
        return DoctorFinding::note(text, shown(path), "narratoria run");
    }
    let text = format!(
        "`{}` is not there, and cannot be made: `{}` cannot be written",
        path.display(),
        above.display()
    );
    DoctorFinding::fault(text, shown(path), CHOOSE_HOME)
}

/// A file, a pipe or a broken link in the place of a folder.
fn in_the_way(path: &Path) -> DoctorFinding {
    let kind = match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => "a file",
        Ok(found) if found.is_symlink() => "a link that leads to no folder",
        _ => "no folder",
    };
    let text = format!("`{}` is {kind}, and must be a folder", path.display());
    DoctorFinding::fault(text, shown(path), move_aside(path))
}

/// Looks at a home that is a folder.
fn whole(home: &Home, found: &fs::Metadata) -> Vec<DoctorFinding> {
    let path = home.folder();
    let mut findings: Vec<DoctorFinding> =
        foreign(path, found).into_iter().chain(open_to_others(path, found)).collect();
    let unusable = |path: &Path| {
        let is_readable = fs::read_dir(path).is_ok();
        let what = match (is_readable, can_write(path)) {
            (true, true) => return None,
            (true, false) => "cannot be written",
            (false, true) => "cannot be read",
            (false, false) => "can be neither read nor written",
        };
        let text = format!("`{}` {what}", path.display());
        Some(DoctorFinding::fault(text, shown(path), permit(path)))
    };
    findings.extend(unusable(path));
    for folder in folders(home).iter().filter(|folder| is_there(folder)) {
        match folder.is_dir() {
            true => findings.extend(unusable(folder)),
            false => findings.push(in_the_way(folder)),
        }
    }
    if !findings.iter().any(|finding| finding.state == FindingState::Fault) {
        let text = format!("`{}` can be read and written", path.display());
        findings.insert(0, DoctorFinding::ok(text, shown(path)));
    }
    findings
}

/// The folders that commands make in a home.
fn folders(home: &Home) -> Vec<PathBuf> {
    let mut folders = vec![
        home.stories(),
        home.cache(),
        home.installed_skills(),
        home.skill_settings(),
        home.campaigns(),
        home.templates(),
        home.run_records(),
        home.drafts(),
        home.logs(),
    ];
    #[cfg(feature = "llama")]
    folders.push(home.models());
    folders.sort();
    folders
}

/// A home of another user: what is made in it belongs to this one, and may be unusable to the other.
#[cfg(unix)]
fn foreign(path: &Path, found: &fs::Metadata) -> Option<DoctorFinding> {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    (found.uid() != own).then(|| {
        let text =
            format!("`{}` belongs to user {}, and you are user {own}", path.display(), found.uid());
        let command = format!("sudo chown -R {own} {}", quoted(&path.display().to_string()));
        DoctorFinding::note(text, json!({"owner": found.uid(), "user": own}), command)
    })
}

/// Whoever can write into a home can have skills run as its owner.
#[cfg(unix)]
fn open_to_others(path: &Path, found: &fs::Metadata) -> Option<DoctorFinding> {
    use std::os::unix::fs::PermissionsExt;
    const WRITTEN_BY_OTHERS: u32 = 0o022;
    let mode = found.permissions().mode();
    (mode & WRITTEN_BY_OTHERS != 0).then(|| {
        let text = format!("other users can write into `{}`", path.display());
        let command = format!("chmod go-w {}", quoted(&path.display().to_string()));
        DoctorFinding::note(text, json!(format!("{:o}", mode & 0o777)), command)
    })
}

#[cfg(not(unix))]
fn foreign(_: &Path, _: &fs::Metadata) -> Option<DoctorFinding> {
    None
}

#[cfg(not(unix))]
fn open_to_others(_: &Path, _: &fs::Metadata) -> Option<DoctorFinding> {
    None
}
