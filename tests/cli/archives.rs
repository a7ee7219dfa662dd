//! `skill pack`, `skill install`, `skill remove`: a package goes from one machine to another.

use std::fs;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::player_machine::{CommandOutput, PlayerMachine};

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A package of this version, packed as `mirror.tgz` where it is to be installed.
fn pack(machine: &PlayerMachine, version: &str) -> CommandOutput {
    machine.package("mirror", "echo");
    let path = machine.path().join("skills/mirror/skill.json");
    let manifest = fs::read_to_string(&path).unwrap().replace("0.9.0", version);
    fs::write(path, manifest).unwrap();
    machine.run(&["skill", "pack", "skills/mirror", "--output", "mirror.tgz"], "")
}

/// The version that `skill list` shows, and where it comes from.
fn listed(machine: &PlayerMachine) -> Option<(String, String)> {
    let ran = machine.run(&["skill", "list", "--format", "json"], "");
    let skills: Value = serde_json::from_str(&ran.stdout).unwrap();
    let skill = skills.as_array().unwrap().iter().find(|skill| skill["name"] == "mirror")?;
    let text = |field: &str| {
        let text = skill[field].as_str().unwrap();
        text.replace(&machine.path().display().to_string(), "[machine]")
    };
    Some((text("version"), text("origin")))
}

#[test]
fn a_package_is_packed_installed_run_and_removed() {
    let machine = PlayerMachine::new();
    let packed = pack(&machine, "0.9.0");
    let archive = fs::read(machine.path().join("mirror.tgz")).unwrap();
    assert_eq!(
        packed.transcript(),
        format!(
            "{}  mirror.tgz\n--- stderr\npacked: 4 files, {} kB: SKILL.md, schemas/act.json, scripts/act.wasm, skill.json\n--- exit 0",
            sha256(&archive),
            archive.len().div_ceil(1000)
        )
    );
    assert_eq!(listed(&machine), None);
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    mirror 0.9.0 installed
    --- stderr
    --- exit 0
    ");
    let place = ("0.9.0".to_owned(), "[machine]/kept/skills/mirror".to_owned());
    assert_eq!(listed(&machine), Some(place));
    assert_eq!(machine.run(&["skill", "run", "mirror/act"], r#"{"a": 1}"#).exit, Some(0));
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    mirror 0.9.0 is installed already
    --- stderr
    --- exit 0
    ");
    pack(&machine, "0.10.0");
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    mirror 0.10.0 installed, in place of 0.9.0
    --- stderr
    --- exit 0
    ");
    pack(&machine, "0.9.0");
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "mirror.tgz"], ""), @"
    --- stderr
    error: mirror.tgz: `mirror` 0.10.0 is installed, and 0.9.0 is not newer
    hint: `--force` replaces it
    --- exit 4
    ");
    assert_eq!(machine.run(&["skill", "install", "mirror.tgz", "--force"], "").exit, Some(0));
    assert_eq!(listed(&machine).unwrap().0, "0.9.0");
    insta::assert_snapshot!(machine.transcript(&["skill", "remove", "mirror"], ""), @"
    mirror removed
    --- stderr
    --- exit 0
    ");
    assert_eq!(listed(&machine), None);
    insta::assert_snapshot!(machine.transcript(&["skill", "remove", "mirror"], ""), @"
    --- stderr
    error: there is no installed package `mirror`
    hint: `narratoria skill list` shows where each one comes from
    --- exit 3
    ");
}

/// A zip file as another program makes it: everything in one folder.
fn zipped(machine: &PlayerMachine, package: &str, to: &str) {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let folder = machine.path().join("skills").join(package);
    let mut waiting = vec![folder.clone()];
    while let Some(within) = waiting.pop() {
        for entry in fs::read_dir(within).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let name = format!("download/{}", path.strip_prefix(&folder).unwrap().display());
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            std::io::Write::write_all(&mut zip, &fs::read(path).unwrap()).unwrap();
        }
    }
    machine.write(to, zip.finish().unwrap().into_inner());
}

#[test]
fn a_folder_and_a_zip_file_of_a_package_are_installed_as_its_archive_is() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    zipped(&machine, "mirror", "mirror.skill");
    let installed = |path: &str| {
        let ran = machine.run(&["skill", "install", path], "");
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
        assert_eq!(ran.stdout, "mirror 0.9.0 installed\n");
        let place = machine.path().join("kept/skills/mirror");
        let listing = fs::read_to_string(place.join("MANIFEST.sha256")).unwrap();
        assert_eq!(machine.run(&["skill", "remove", "mirror"], "").exit, Some(0));
        listing
    };
    machine.run(&["skill", "pack", "skills/mirror", "--output", "mirror.tgz"], "");
    let listing = installed("mirror.tgz");
    assert_eq!(installed("skills/mirror"), listing);
    assert_eq!(installed("mirror.skill"), listing);
    let zip = fs::read(machine.path().join("mirror.skill")).unwrap();
    let pinned = |digest: &str| {
        machine.run(&["skill", "install", "mirror.skill", "--sha256", digest], "").exit
    };
    assert_eq!((pinned(&"0".repeat(64)), pinned(&sha256(&zip))), (Some(4), Some(0)));
    machine.write("empty.zip", b"PK\x03\x04");
    let refused = machine.run(&["skill", "install", "empty.zip", "skills"], "");
    assert_eq!(refused.exit, Some(2), "{}", refused.transcript());
    for words in ["it is no zip file, or a damaged one: ", "skills: the package cannot be loaded"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

/// An archive of a component that its author has changed since would be another package than the one that was tried.
#[test]
fn what_is_packed_is_what_its_sources_and_its_examples_say() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let folder = machine.path().join("skills/mirror");
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("src/act.c"), "").unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let source = fs::File::options().append(true).open(folder.join("src/act.c")).unwrap();
    source.set_modified(later).unwrap();
    let pack = |more: &[&str]| {
        let args = [&["skill", "pack", "skills/mirror", "--output", "mirror.tgz"], more].concat();
        machine.run(&args, "")
    };
    insta::assert_snapshot!(pack(&[]).transcript(), @"
    --- stderr
    error: `scripts/act.wasm` is older than the sources of `skills/mirror`
    hint: `narratoria skill build skills/mirror` builds it; `skill pack --unchecked` packs the package as it is
    --- exit 2
    ");
    assert_eq!(pack(&["--unchecked"]).exit, Some(0));
    fs::remove_dir_all(folder.join("src")).unwrap();
    fs::create_dir(folder.join("examples")).unwrap();
    let example = |seed: u64| {
        let example =
            json!({"script": "act", "input": {}, "seed": 7, "expect": {"output": {"seed": seed}}});
        fs::write(folder.join("examples/one.json"), example.to_string()).unwrap();
    };
    example(8);
    insta::assert_snapshot!(pack(&[]).transcript(), @"
    --- stderr
    error: an example does not come out as expected
    hint: `narratoria skill test skills/mirror` shows them; `skill pack --unchecked` packs the package as it is
    --- exit 1
    ");
    example(7);
    let packed = pack(&[]);
    assert_eq!(packed.exit, Some(0), "{}", packed.transcript());
    assert!(
        packed.stderr.contains(", 1 example run: SKILL.md, examples/one.json, "),
        "{}",
        packed.stderr
    );
}

/// What no session could load is refused before it takes the place of a version that works.
#[test]
fn a_component_that_does_not_compile_is_not_installed() {
    let machine = PlayerMachine::new();
    pack(&machine, "0.9.0");
    assert_eq!(machine.run(&["skill", "install", "mirror.tgz"], "").exit, Some(0));
    machine.package("mirror", "echo");
    let folder = machine.path().join("skills/mirror");
    let manifest = fs::read_to_string(folder.join("skill.json")).unwrap();
    fs::write(folder.join("skill.json"), manifest.replace("0.9.0", "0.9.1")).unwrap();
    // A component with nothing in it.
    fs::write(folder.join("scripts/act.wasm"), b"\0asm\x0d\0\x01\0").unwrap();
    let packed = machine.run(&["skill", "pack", "skills/mirror", "--output", "mirror.tgz"], "");
    assert_eq!(packed.exit, Some(0), "{}", packed.transcript());
    let refused = machine.run(&["skill", "install", "mirror.tgz", "--yes"], "");
    assert_eq!(refused.exit, Some(2), "{}", refused.transcript());
    assert!(refused.stderr.contains("scripts/act.wasm"), "{}", refused.stderr);
    assert_eq!(listed(&machine).unwrap().0, "0.9.0");
    let left: Vec<_> = fs::read_dir(machine.path().join("kept/skills"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, [".lock", "mirror"], "nothing of the refused version is left");
}

/// `--skills` comes before what is installed.
#[test]
fn a_folder_that_is_named_is_stronger_than_what_is_installed() {
    let machine = PlayerMachine::new();
    pack(&machine, "0.8.0");
    machine.run(&["skill", "install", "mirror.tgz"], "");
    machine.package("mirror", "echo");
    let ran = machine.run(&["skill", "list", "--skills", "skills"], "");
    let row = ran.stdout.lines().find(|line| line.starts_with("mirror ")).unwrap();
    assert!(row.contains("0.9.0") && row.contains("skills/mirror"), "{row}");
}

#[test]
fn archives_of_two_machines_are_the_same_bytes() {
    let archive = || {
        let machine = PlayerMachine::new();
        pack(&machine, "0.9.0");
        fs::read(machine.path().join("mirror.tgz")).unwrap()
    };
    assert!(archive() == archive());
}

#[test]
fn the_name_of_an_archive_is_the_packages() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    let ran = machine.run(&["skill", "pack", "skills/mirror", "--format", "json"], "");
    let packed: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(packed["archive"], "mirror-0.9.0.skill.tar.gz");
    let archive = fs::read(machine.path().join("mirror-0.9.0.skill.tar.gz")).unwrap();
    assert_eq!(
        (&packed["sha256"], &packed["bytes"]),
        (&json!(sha256(&archive)), &json!(archive.len()))
    );
    assert_eq!(machine.run(&["skill", "pack", "nowhere"], "").exit, Some(3));
    fs::write(machine.path().join("skills/mirror/SKILL.md"), "nothing").unwrap();
    insta::assert_snapshot!(machine.transcript(&["skill", "pack", "skills/mirror"], ""), @"
    --- stderr
    error: package `mirror`: SKILL.md: must open with a line `---` and the front matter
    hint: `narratoria skill check` says more
    --- exit 2
    ");
}

#[test]
fn an_archive_that_is_not_the_one_that_was_meant_is_refused() {
    let machine = PlayerMachine::new();
    pack(&machine, "0.9.0");
    let archive = fs::read(machine.path().join("mirror.tgz")).unwrap();
    let (right, wrong) = (sha256(&archive).to_uppercase(), "0".repeat(64));
    let pinned =
        |digest: &str| machine.run(&["skill", "install", "mirror.tgz", "--sha256", digest], "");
    let told = pinned(&wrong).transcript().replace(&sha256(&archive), "[digest]");
    insta::assert_snapshot!(told, @"
    --- stderr
    error: mirror.tgz: the archive's digest is [digest], wanted is 0000000000000000000000000000000000000000000000000000000000000000
    --- exit 4
    ");
    assert_eq!(pinned("12").exit, Some(2));
    assert_eq!(listed(&machine), None);
    assert_eq!(pinned(&right).exit, Some(0));
}

/// One bad archive keeps no other from being installed.
#[test]
fn a_bad_archive_is_told_and_the_next_one_installed() {
    let machine = PlayerMachine::new();
    pack(&machine, "0.9.0");
    let archive = fs::read(machine.path().join("mirror.tgz")).unwrap();
    machine.write("cut.tgz", &archive[..archive.len() / 2]);
    machine.write("not.tgz", "PK\u{1b}[2J");
    insta::assert_snapshot!(machine.transcript(&["skill", "install", "cut.tgz", "not.tgz", "no.tgz", "mirror.tgz"], ""), @"
    mirror 0.9.0 installed
    --- stderr
    error: cut.tgz: the archive cannot be used: it ends too early: it was cut short
    error: not.tgz: the archive cannot be used: it ends too early: it was cut short
    error: the archive `no.tgz` does not exist
    --- exit 3
    ");
    assert_eq!(listed(&machine).unwrap().0, "0.9.0");
}

/// The process is killed in the middle of unpacking: the old one is there, whole, and the next one installs.
#[cfg(target_os = "linux")]
#[test]
fn a_kill_in_the_middle_of_an_installation_leaves_the_old_one() {
    let machine = PlayerMachine::new();
    pack(&machine, "0.1.0");
    assert_eq!(machine.run(&["skill", "install", "mirror.tgz"], "").exit, Some(0));
    let assets = machine.path().join("skills/mirror/assets");
    fs::create_dir_all(&assets).unwrap();
    for n in 0..400 {
        fs::write(assets.join(n.to_string()), n.to_string().repeat(2_000)).unwrap();
    }
    pack(&machine, "0.2.0");
    let mut child = machine.command(&["skill", "install", "mirror.tgz"]).spawn().unwrap();
    let stage = machine.path().join("kept/skills/.stage/package/assets");
    while !stage.exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    // On a very quick disk it may have been over already.
    let version = if child.wait().unwrap().success() { "0.2.0" } else { "0.1.0" };
    assert_eq!(listed(&machine).unwrap().0, version);
    let kept =
        fs::read_to_string(machine.path().join("kept/skills/mirror/MANIFEST.sha256")).unwrap();
    for line in kept.lines() {
        let (digest, path) = line.split_once("  ").unwrap();
        let content = fs::read(machine.path().join("kept/skills/mirror").join(path)).unwrap();
        assert_eq!(sha256(&content), digest, "{path}");
    }
    assert_eq!(machine.run(&["skill", "install", "mirror.tgz"], "").exit, Some(0));
    assert_eq!(listed(&machine).unwrap().0, "0.2.0");
    assert!(!machine.path().join("kept/skills/.stage").exists());
}
