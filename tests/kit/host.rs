//! The player's host refuses the packages that the gate refuses: no package of `tests/kit/spoilt` with an error is
//! played from its folder or installed from an archive, except for rules that only a run can show.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
};

use flate2::{Compression, write::GzEncoder};
use narratoria_protocol::digest::sha256;

use crate::kit::recipe::{CheckFixture, NAME};

/// Error rules that the player's host does not enforce. The sandbox bounds the effects of breaking them.
const ONLY_A_RUN_SHOWS: [&str; 8] = [
    "schema/differs",
    "example/",
    "hostile/",
    "repeat/",
    "limits/",
    "config/secret",
    "grants/not-optional",
    // The file of a policy belongs to its check alone; the host has that of `config.toml`.
    "policy/",
];

/// The rules of `example/` that are checked without a run.
const SEEN_AT_ONCE: [&str; 3] = ["example/schema", "example/unknown-script", "example/input"];

/// Rules about components that are compiled when the skill is first played: the archive is installed, and no script of
/// it runs.
const SEEN_WHEN_COMPILED: [&str; 4] =
    ["component/invalid", "component/no-run", "imports/not-granted", "imports/not-offered"];

/// A file's content, or where a link leads.
enum Packed {
    Content(Vec<u8>),
    LinkTo(PathBuf),
}

/// An archive of everything in the package's folder, as an attacker would make it: headers and digests as `skill pack`
/// writes them, names and contents as they are. `None` if a name does not fit into a header.
fn archive(package: &Path) -> Option<Vec<u8>> {
    let mut files = BTreeMap::new();
    collect(package, "", &mut files);
    let digest = |packed: &Packed| match packed {
        Packed::Content(content) => sha256(content),
        Packed::LinkTo(_) => sha256(b""),
    };
    let listing: String =
        files.iter().map(|(path, packed)| format!("{}  {path}\n", digest(packed))).collect();
    let zip = GzEncoder::new(Vec::new(), Compression::fast());
    let mut tar = tar::Builder::new(zip);
    let listing = ("MANIFEST.sha256".to_owned(), Packed::Content(listing.into_bytes()));
    for (path, packed) in [listing].into_iter().chain(files) {
        let mut header = tar::Header::new_ustar();
        header.set_path(&path).ok()?;
        header.set_entry_type(tar::EntryType::Regular);
        let content = match packed {
            Packed::Content(content) => content,
            Packed::LinkTo(target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_link_name(target).ok()?;
                Vec::new()
            }
        };
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_cksum();
        tar.append(&header, content.as_slice()).unwrap();
    }
    Some(tar.into_inner().unwrap().finish().unwrap())
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Packed>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if let Ok(target) = fs::read_link(entry.path()) {
            files.insert(path, Packed::LinkTo(target));
        } else if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else {
            files.insert(path, Packed::Content(fs::read(entry.path()).unwrap()));
        }
    }
}

fn error_rules(report: &str) -> Vec<&str> {
    let errors = report.lines().filter(|line| line.starts_with("  error: "));
    errors
        .filter_map(|line| line.strip_suffix(']')?.rsplit_once('[').map(|(_, rule)| rule))
        .collect()
}

fn is_seen_without_a_run(rule: &str) -> bool {
    SEEN_AT_ONCE.contains(&rule) || !ONLY_A_RUN_SHOWS.iter().any(|only| rule.starts_with(only))
}

/// The error in the host's treatment of the package, if there is one.
fn host_fault(recipe: &Path) -> Option<String> {
    let report = fs::read_to_string(recipe.join("expect.txt")).unwrap();
    let rules = error_rules(&report);
    if !rules.iter().any(|rule| is_seen_without_a_run(rule)) {
        return None;
    }
    // `--strict` turns warnings into errors.
    let text = fs::read_to_string(recipe.join("recipe.txt")).unwrap();
    if text.contains("args --strict") {
        return None;
    }
    let name = recipe.file_name().unwrap().to_string_lossy();
    let bench = CheckFixture::from_recipe(&text);
    let script = if text.contains("base plain brave") { "brave" } else { "roll-dice" };
    let tool = format!("{NAME}/{script}");
    let input = if script == "brave" { r#"{"n": 3}"# } else { r#"{"formula": "1d20"}"# };
    let played = bench.run_with_input(&["skill", "run", &tool, "--skills", NAME], input);
    // A built-in skill of that name may have taken its place.
    let is_skipped = played.stderr.contains(&format!("warning: package `{NAME}`"));
    if played.exit == Some(0) && !is_skipped {
        return Some(format!("{name} {rules:?} is played: {}", played.transcript()));
    }
    let compiled = rules.iter().all(|rule| SEEN_WHEN_COMPILED.contains(rule));
    let packed = archive(&bench.path().join(NAME))?;
    let file = bench.path().join("it.skill.tar.gz");
    fs::write(&file, packed).unwrap();
    let installed = bench.run(&["skill", "install", "--yes", "it.skill.tar.gz"]);
    if installed.exit == Some(0) && !compiled {
        return Some(format!("{name} {rules:?} is installed: {}", installed.transcript()));
    }
    None
}

fn recipes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kit/spoilt");
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn what_the_gate_refuses_is_neither_played_nor_installed() {
    let recipes = recipes();
    let (next, faults) = (Mutex::new(recipes.iter()), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let Some(recipe) = next.lock().unwrap().next() else { return };
            let fault = host_fault(recipe);
            faults.lock().unwrap().extend(fault);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(work);
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The host refuses the archives of the test above for their contents, not for their form.
#[test]
fn an_archive_of_a_good_package_is_installed() {
    let bench = CheckFixture::from_recipe("base plain brave brittle");
    fs::write(bench.path().join("it.skill.tar.gz"), archive(&bench.path().join(NAME)).unwrap())
        .unwrap();
    let installed = bench.run(&["skill", "install", "--yes", "it.skill.tar.gz"]);
    assert_eq!(installed.exit, Some(0), "{}", installed.transcript());
}
