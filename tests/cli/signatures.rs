//! Signed packages: who signed one is shown, remembered and asked about.

use std::fs;

use narratoria_kit::SigningKey;
use narratoria_protocol::digest::sha256;
use narratoria_skills::PackReport;
use serde_json::{Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine};

/// Makes a key without a password in `NAME.key`, and returns the public one.
pub(crate) fn new_key(machine: &PlayerMachine, name: &str) -> String {
    let file = format!("{name}.key");
    let made = machine.run(&["skill", "key", "new", &file, "--no-password"], "");
    assert_eq!(made.exit, Some(0), "{}", made.transcript());
    made.stdout.trim_end().to_owned()
}

/// Packs the package `mirror` of this version as `mirror.tgz`, signed with the key `NAME.key` or not at all.
pub(crate) fn pack(machine: &PlayerMachine, version: &str, key: Option<&str>) -> CommandOutput {
    machine.package("mirror", "echo");
    let path = machine.path().join("skills/mirror/skill.json");
    let manifest = fs::read_to_string(&path).unwrap().replace("0.9.0", version);
    fs::write(path, manifest).unwrap();
    let _ = fs::remove_file(machine.path().join("mirror.tgz.minisig"));
    let mut args = vec!["skill", "pack", "skills/mirror", "--output", "mirror.tgz"];
    let file = key.map(|key| format!("{key}.key"));
    args.extend(file.iter().flat_map(|file| ["--sign", file]));
    let packed = machine.run(&args, "");
    assert_eq!(packed.exit, Some(0), "{}", packed.transcript());
    packed
}

fn install(machine: &PlayerMachine, more: &[&str]) -> CommandOutput {
    machine.run(&[&["skill", "install", "mirror.tgz"], more].concat(), "")
}

#[track_caller]
pub(crate) fn refused(ran: &CommandOutput, exit: i32, words: &str) {
    assert_eq!(ran.exit, Some(exit), "{}", ran.transcript());
    assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
}

/// The installed version, and the key that it is signed with.
pub(crate) fn listed(machine: &PlayerMachine) -> Option<(String, Option<String>)> {
    let ran = machine.run(&["skill", "list", "--format", "json"], "");
    let skills: Value = serde_json::from_str(&ran.stdout).unwrap();
    let skill = skills.as_array().unwrap().iter().find(|skill| skill["name"] == "mirror")?;
    let text = |field: &str| skill[field].as_str().map(str::to_owned);
    Some((text("version").unwrap(), text("key")))
}

#[test]
fn the_key_of_a_package_is_shown_and_remembered() {
    let machine = PlayerMachine::new();
    let key = new_key(&machine, "acme");
    let packed = pack(&machine, "0.9.0", Some("acme"));
    let signed = format!("signed: mirror.tgz.minisig by the key {key} (id ");
    assert!(packed.stderr.contains(&signed), "{}", packed.stderr);
    let installed = install(&machine, &[]);
    assert_eq!(installed.exit, Some(0), "{}", installed.transcript());
    let first = format!("mirror 0.9.0 asks for nothing\n  · is signed by the key {key} (id ");
    assert!(installed.stderr.contains(&first), "{}", installed.stderr);
    assert_eq!(listed(&machine), Some(("0.9.0".to_owned(), Some(key.clone()))));
    let list = machine.run(&["skill", "list"], "");
    assert!(list.stdout.contains("signed by "), "{}", list.stdout);
    let inspected = machine.run(&["skill", "inspect", "mirror", "--no-run"], "");
    assert!(inspected.stdout.contains(&format!("by the key {key}")), "{}", inspected.stdout);
    pack(&machine, "0.10.0", Some("acme"));
    let upgraded = install(&machine, &["--key", &key]);
    assert_eq!(upgraded.exit, Some(0), "{}", upgraded.transcript());
    let same = format!("is signed by the same key as before, {key} (id ");
    assert!(upgraded.stderr.contains(&same), "{}", upgraded.stderr);
    assert_eq!(listed(&machine), Some(("0.10.0".to_owned(), Some(key))));
}

#[test]
fn another_key_or_none_is_asked_about_and_a_yes_to_everything_is_no_agreement() {
    let machine = PlayerMachine::new();
    let (acme, other) = (new_key(&machine, "acme"), new_key(&machine, "other"));
    pack(&machine, "0.9.0", Some("acme"));
    assert_eq!(install(&machine, &[]).exit, Some(0));
    for (signer, words) in [
        (Some("other"), format!("+ is signed by another key: {other} (id ")),
        (None, format!("+ is not signed; before it was signed by {acme} (id ")),
    ] {
        pack(&machine, "0.10.0", signer);
        for more in [&[][..], &["--yes"]] {
            let ran = install(&machine, more);
            refused(&ran, 4, &words);
            refused(&ran, 4, "`--accept-key-change` agrees to it, `--yes` alone does not");
        }
        assert_eq!(listed(&machine), Some(("0.9.0".to_owned(), Some(acme.clone()))));
    }
    pack(&machine, "0.10.0", Some("other"));
    let accepted = install(&machine, &["--accept-key-change"]);
    assert_eq!(accepted.exit, Some(0), "{}", accepted.transcript());
    assert_eq!(listed(&machine), Some(("0.10.0".to_owned(), Some(other))));
    pack(&machine, "0.11.0", None);
    assert_eq!(install(&machine, &["--accept-key-change"]).exit, Some(0));
    assert_eq!(listed(&machine), Some(("0.11.0".to_owned(), None)));
}

#[test]
fn a_removed_package_does_not_come_back_with_another_key_unasked() {
    let machine = PlayerMachine::new();
    let (acme, other) = (new_key(&machine, "acme"), new_key(&machine, "other"));
    let remove = || machine.run(&["skill", "remove", "mirror", "--format", "json"], "");
    let keys = || machine.path().join("kept/skills/.keys.json");
    pack(&machine, "0.9.0", Some("acme"));
    assert_eq!(install(&machine, &[]).exit, Some(0));
    let since = |machine: &PlayerMachine| {
        let record = fs::read(machine.path().join("kept/skills/mirror/.origin.json")).unwrap();
        serde_json::from_slice::<Value>(&record).unwrap()["keySince"].clone()
    };
    let first = since(&machine);
    let removed = remove();
    assert_eq!(removed.result()["key"], json!(acme));
    assert!(removed.stderr.contains("is kept"), "{}", removed.stderr);
    for signer in [Some("other"), None] {
        pack(&machine, "0.9.0", signer);
        refused(&install(&machine, &["--yes"]), 4, "`--accept-key-change` agrees to it");
        assert_eq!(listed(&machine), None);
    }
    // The same key is known since the first installation.
    pack(&machine, "0.8.0", Some("acme"));
    let again = install(&machine, &[]);
    assert!(again.stderr.contains("is signed by the same key as before"), "{}", again.stderr);
    assert_eq!(since(&machine), first);
    assert!(!fs::read_to_string(keys()).unwrap().contains(&acme), "its own record has it");
    remove();
    pack(&machine, "0.9.0", Some("other"));
    assert_eq!(install(&machine, &["--accept-key-change"]).exit, Some(0));
    assert_eq!(remove().result()["key"], json!(other));
    // A file that cannot be read could hide a key.
    fs::write(keys(), "{").unwrap();
    refused(
        &install(&machine, &["--yes"]),
        4,
        "it says with which keys removed packages and indexes",
    );
    assert_eq!(install(&machine, &["--force"]).exit, Some(0));
    refused(&remove(), 4, "without that file, each key counts as seen for the first time");
    assert_eq!(listed(&machine), Some(("0.9.0".to_owned(), Some(other))));
    fs::remove_file(keys()).unwrap();
    assert_eq!(remove().exit, Some(0));
    // Without a signature, no key is kept.
    pack(&machine, "0.9.0", None);
    assert_eq!(install(&machine, &["--accept-key-change"]).exit, Some(0));
    assert_eq!(remove().result()["key"], Value::Null);
    pack(&machine, "0.9.0", Some("acme"));
    assert_eq!(install(&machine, &[]).exit, Some(0));
}

/// A record that cannot be read could hide a key.
#[test]
fn a_package_whose_record_is_damaged_is_not_replaced_without_force() {
    let machine = PlayerMachine::new();
    new_key(&machine, "acme");
    pack(&machine, "0.9.0", Some("acme"));
    assert_eq!(install(&machine, &[]).exit, Some(0));
    machine.write("kept/skills/mirror/.origin.json", "{");
    pack(&machine, "0.10.0", None);
    refused(
        &install(&machine, &["--yes"]),
        4,
        "it says with which key the installed version was signed",
    );
    assert_eq!(install(&machine, &["--force"]).exit, Some(0));
}

#[test]
fn an_older_version_does_not_pose_as_a_new_one() {
    let machine = PlayerMachine::new();
    new_key(&machine, "acme");
    pack(&machine, "0.9.0", Some("acme"));
    let old = ["mirror.tgz", "mirror.tgz.minisig"]
        .map(|file| fs::read(machine.path().join(file)).unwrap());
    pack(&machine, "0.10.0", Some("acme"));
    assert_eq!(install(&machine, &[]).exit, Some(0));
    machine.write("mirror.tgz", &old[0]);
    machine.write("mirror.tgz.minisig", &old[1]);
    refused(&install(&machine, &[]), 4, "`mirror` 0.10.0 is installed, and 0.9.0 is not newer");
    // Even the signer cannot give it another version.
    let secret = fs::read_to_string(machine.path().join("acme.key")).unwrap();
    let posing = PackReport {
        name: "mirror".to_owned(),
        version: "0.11.0".parse().unwrap(),
        sha256: sha256(&old[0]),
        bytes: old[0].len() as u64,
        files: Vec::new(),
    };
    let signature = SigningKey::open(&secret, None).unwrap().sign(&posing, &old[0]).unwrap();
    machine.write("mirror.tgz.minisig", signature);
    let words = "the signature cannot be trusted: it is for `mirror` 0.11.0, and the archive holds `mirror` 0.9.0";
    refused(&install(&machine, &["--force"]), 4, words);
    assert_eq!(listed(&machine).unwrap().0, "0.10.0");
}

#[test]
fn an_archive_that_is_not_what_was_signed_is_not_unpacked() {
    let machine = PlayerMachine::new();
    let (acme, other) = (new_key(&machine, "acme"), new_key(&machine, "other"));
    pack(&machine, "0.9.0", Some("acme"));
    let archive = fs::read(machine.path().join("mirror.tgz")).unwrap();
    let signature = fs::read(machine.path().join("mirror.tgz.minisig")).unwrap();
    refused(&install(&machine, &["--key", &other]), 4, &format!("wanted is {other}"));
    refused(&install(&machine, &["--key", "RWabc"]), 2, "`RWabc` is no public key of minisign");
    machine.write("mirror.tgz", [&archive[..], &b"x"[..]].concat());
    let words = format!("cannot be trusted: it does not hold for this file and the key {acme}");
    refused(&install(&machine, &[]), 4, &words);
    machine.write("mirror.tgz", &archive);
    machine.write("mirror.tgz.minisig", "no signature");
    refused(&install(&machine, &[]), 4, "cannot be trusted: it is no file of minisign");
    machine.write("mirror.tgz.minisig", vec![b'x'; 5_000]);
    refused(&install(&machine, &[]), 2, "has more than 4096 bytes");
    fs::remove_file(machine.path().join("mirror.tgz.minisig")).unwrap();
    refused(&install(&machine, &["--key", &acme]), 4, "it has no signature, wanted is one by");
    assert!(!machine.path().join("kept/skills").exists(), "something was unpacked");
    machine.write("mirror.tgz.minisig", signature);
    assert_eq!(install(&machine, &["--key", &acme]).exit, Some(0));
}

#[test]
fn the_policy_asks_for_keys_and_a_record_that_a_package_brings_is_no_signature() {
    let machine = PlayerMachine::new();
    let acme = new_key(&machine, "acme");
    let policy = format!("[packages]\nkeys = [\"{acme}\"]\n");
    machine.write("kept/config.toml", &policy);
    machine.write("policy.toml", &policy);
    let words = "it has no signature that the host has verified, which line 2 of";
    pack(&machine, "0.9.0", None);
    refused(&install(&machine, &["--yes"]), 4, words);
    pack(&machine, "0.9.0", Some("acme"));
    assert_eq!(install(&machine, &[]).exit, Some(0));
    assert_eq!(listed(&machine), Some(("0.9.0".to_owned(), Some(acme.clone()))));
    // The same files elsewhere, with a record of their own.
    let record = json!({
        "version": 1, "archive": "/x", "sha256": "0".repeat(64), "key": acme, "keySince": "now",
    });
    machine.write("skills/mirror/.origin.json", record.to_string());
    let list = machine.run(&["skill", "list", "--skills", "skills"], "");
    assert!(list.stderr.contains("has no signature that the host has verified"), "{}", list.stderr);
    let check = |package: &str| {
        let ran = machine.run(&["skill", "check", package, "--policy", "policy.toml"], "");
        format!("{}{}", ran.stdout, ran.stderr)
    };
    let folder = check("skills/mirror");
    assert!(folder.contains("has no signature") && folder.contains("policy/refused"), "{folder}");
    for signed in ["mirror.tgz", "kept/skills/mirror"] {
        let said = check(signed);
        assert!(said.contains("mirror") && !said.contains("policy/refused"), "{said}");
    }
    machine.write("policy.toml", "[packages]\nkeys = [\"acme\"]\n");
    let said = check("mirror.tgz");
    assert!(
        said.contains("line 2: `packages.keys`: `acme` is no public key of minisign"),
        "{said}"
    );
}

#[test]
fn the_password_of_a_key_comes_from_a_file_or_a_variable_and_no_key_is_replaced() {
    let machine = PlayerMachine::new();
    machine.package("mirror", "echo");
    machine.write("password", "tide\n");
    let new = ["skill", "key", "new", "acme.key", "--password-file", "password"];
    assert_eq!(machine.run(&new, "").exit, Some(0));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(machine.path().join("acme.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    refused(&machine.run(&new, ""), 4, "`acme.key` is there already");
    let pack = ["skill", "pack", "skills/mirror", "--output", "mirror.tgz", "--sign", "acme.key"];
    refused(&machine.run(&pack, ""), 2, "nobody can be asked for the password of the key");
    let with_variable = |password: &str| {
        let mut command = machine.command(&pack);
        command.env("NARRATORIA_KEY_PASSWORD", password);
        command.output().unwrap()
    };
    let wrong = with_variable("ebb");
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.code() == Some(2) && said.contains("Wrong password"), "{said}");
    assert!(!machine.path().join("mirror.tgz").exists());
    assert_eq!(with_variable("tide").status.code(), Some(0));
    assert!(machine.path().join("mirror.tgz.minisig").exists());
    machine.write("note.txt", "no key");
    let pack = ["skill", "pack", "skills/mirror", "--sign", "note.txt"];
    refused(
        &machine.run(&pack, ""),
        2,
        "`note.txt` cannot be used: it is no secret key of minisign",
    );
}
