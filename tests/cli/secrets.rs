//! The player's environment, and who gets to see it: the real program with a script that gives back its request.

use std::fs;

use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Map, Value, json};

use crate::player_machine::{CommandOutput, PlayerMachine};

/// In the environment of every run. Nothing else contains it.
const SECRET: &str = "k3y-0f-the-player";

/// Runs the script of the package `spy` with the secret in `AWS_SECRET`.
fn run(machine: &PlayerMachine, args: &[&str]) -> CommandOutput {
    let mut command = machine.command(args);
    command.env("AWS_SECRET", SECRET);
    let output = assert_cmd::Command::from_std(command).write_stdin("{}").output().unwrap();
    CommandOutput {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        exit: output.status.code(),
    }
}

const RUN: [&str; 7] = ["skill", "run", "spy/act", "--skills", "skills", "--format", "json"];

/// The configuration that the script got.
fn config_of(ran: &CommandOutput) -> Value {
    let done = ran.stdout.lines().last().unwrap_or_else(|| panic!("{}", ran.transcript()));
    let done: Value = serde_json::from_str(done).unwrap();
    let find = |value: &Value| value.pointer("/output/request/config").cloned();
    find(&done)
        .or_else(|| ran.lines().iter().find_map(find))
        .unwrap_or_else(|| panic!("{}", ran.transcript()))
}

/// Longest name of a package for people. A longer one is refused, whatever it says.
const NAME_CHARS_MAX: usize = 64;

/// A way to write the variable, at most one of them the right one.
fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just("${AWS_SECRET}"),
        1 => Just("$${AWS_SECRET}"),
        1 => Just("$$${AWS_SECRET}"),
        1 => Just("${${AWS_SECRET}}"),
        1 => Just("${NO_SUCH}${AWS_SECRET}"),
        1 => Just("$AWS_SECRET"),
        1 => Just("%AWS_SECRET%"),
        1 => Just("x"),
    ];
    let text = proptest::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat());
    text.prop_map(|text| text.chars().take(NAME_CHARS_MAX).collect())
}

/// A package in which a stranger has written variables wherever text may stand.
#[derive(Debug, Clone)]
struct HostilePackage {
    manifest: String,
    default: String,
    list: Vec<String>,
    packaged: String,
    nested: String,
    is_secret: bool,
    /// `[grants] env`, if the player has a policy.
    policy: Option<&'static str>,
    /// The player's own value of `mine`.
    own: Option<String>,
}

fn hostile_package() -> impl Strategy<Value = HostilePackage> {
    let policy = prop_oneof![
        Just(None),
        Just(Some("false")),
        Just(Some("true")),
        Just(Some("[\"AWS_SECRET\"]")),
        Just(Some("[\"LANG\"]")),
    ];
    let own = prop_oneof![
        Just(None),
        Just(Some("plain")),
        Just(Some("a${AWS_SECRET}b")),
        Just(Some("$${AWS_SECRET}")),
    ];
    let texts = (hostile_text(), hostile_text(), hostile_text(), hostile_text());
    let rest = (proptest::collection::vec(hostile_text(), 0..3), any::<bool>(), policy, own);
    (texts, rest).prop_map(
        |((manifest, default, packaged, nested), (list, is_secret, policy, own))| {
            let own = own.map(str::to_owned);
            HostilePackage { manifest, default, list, packaged, nested, is_secret, policy, own }
        },
    )
}

impl HostilePackage {
    fn write(&self, machine: &PlayerMachine) {
        machine.package("spy", "shows-config");
        let path = machine.path().join("skills/spy/skill.json");
        let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for field in ["displayName", "author", "license"] {
            manifest[field] = json!(self.manifest);
        }
        manifest["scripts"][0]["description"] = json!(self.manifest);
        manifest["triggers"] = json!([
            {"script": "act", "phrases": ["spy"], "input": {"said": self.manifest.replace(['{', '}'], "|")}}
        ]);
        fs::write(path, manifest.to_string()).unwrap();
        let schema = json!({
            "type": "object", "title": self.manifest, "description": self.manifest,
            "properties": {
                "default": {"type": "string", "default": self.default, "secret": self.is_secret, "env": "AWS_SECRET"},
                "list": {"type": "array", "items": {"type": "string"}, "default": self.list},
                "packaged": {"type": "string", "secret": self.is_secret},
                "mine": {"type": "string", "examples": [self.default]},
            },
        });
        machine.write("skills/spy/config-schema.json", schema.to_string());
        let config = json!({
            "packaged": self.packaged,
            "unlisted": {"deep": [&self.nested, {"deeper": &self.nested}], (&self.nested): 1},
        });
        machine.write("skills/spy/config.json", config.to_string());
        let policy = self.policy.map(|policy| format!("[grants]\nenv = {policy}\n"));
        machine.write("kept/config.toml", policy.unwrap_or_default());
        let _ = fs::remove_dir_all(machine.path().join("kept/settings"));
        if let Some(own) = &self.own {
            machine.write_settings("skills/spy", &json!({"mine": own}).to_string());
        }
    }

    /// The value that the script must get for `mine`; an error if the package must not run at all.
    fn expected_own(&self) -> Result<Option<String>, ()> {
        let is_allowed = !matches!(self.policy, Some("false" | "[\"LANG\"]"));
        match self.own.as_deref() {
            Some("a${AWS_SECRET}b") if !is_allowed => Err(()),
            Some("a${AWS_SECRET}b") => Ok(Some(format!("a{SECRET}b"))),
            Some("$${AWS_SECRET}") => Ok(Some("${AWS_SECRET}".to_owned())),
            other => Ok(other.map(str::to_owned)),
        }
    }
}

/// Wherever a stranger writes a variable, the script gets the text; it gets the value only where the player has written
/// the variable, and only if the player's policy allows it.
#[test]
fn no_variable_reaches_a_script_unless_the_player_has_set_it() {
    let machine = PlayerMachine::new();
    machine.package("spy", "shows-config");
    machine.compile_skills();
    let config =
        ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() };
    let check = |package: HostilePackage| {
        package.write(&machine);
        let ran = run(&machine, &RUN);
        let all = ran.transcript();
        let Ok(own) = package.expected_own() else {
            prop_assert_eq!(ran.exit, Some(3), "{}", all);
            prop_assert!(all.contains("`AWS_SECRET` may not be read: line 2 of"), "{}", all);
            prop_assert!(!all.contains(SECRET), "{}", all);
            return Ok(());
        };
        prop_assert_eq!(ran.exit, Some(0), "{}", all);
        let is_own = own.as_ref().is_some_and(|own| own.contains(SECRET));
        prop_assert_eq!(all.matches(SECRET).count(), usize::from(is_own), "{}", all);
        let mut expected = Map::new();
        expected.insert("default".to_owned(), json!(package.default));
        expected.insert("list".to_owned(), json!(package.list));
        if !package.is_secret {
            expected.insert("packaged".to_owned(), json!(package.packaged));
        }
        let nested = &package.nested;
        expected.insert(
            "unlisted".to_owned(),
            json!({"deep": [nested, {"deeper": nested}], (nested): 1}),
        );
        if let Some(own) = own {
            expected.insert("mine".to_owned(), json!(own));
        }
        prop_assert_eq!(config_of(&ran), Value::Object(expected));
        Ok(())
    };
    TestRunner::new(config).run(&hostile_package(), check).unwrap();
}

/// An installed package is a stranger's like any other.
#[test]
fn an_installed_package_reads_no_variable_either_and_its_settings_are_its_own() {
    let machine = PlayerMachine::new();
    machine.package("spy", "shows-config");
    let schema = json!({"type": "object", "properties": {
        "key": {"type": "string", "default": "${AWS_SECRET}"}, "mine": {"type": "string"},
    }});
    machine.write("skills/spy/config-schema.json", schema.to_string());
    // The author's own settings stay on the author's machine.
    let set = ["skill", "config", "skills/spy", "--set", "mine=${AWS_SECRET}"];
    assert_eq!(run(&machine, &set).exit, Some(0));
    assert!(run(&machine, &RUN).stdout.contains(SECRET));
    machine.run(&["skill", "pack", "skills/spy", "--output", "spy.tgz"], "");
    let archive = fs::read(machine.path().join("spy.tgz")).unwrap();
    assert_eq!(run(&machine, &["skill", "install", "spy.tgz"]).exit, Some(0));
    let installed = ["skill", "run", "spy/act", "--format", "json"];
    let ran = run(&machine, &installed);
    assert_eq!(config_of(&ran), json!({"key": "${AWS_SECRET}"}));
    // The installed package has settings of its own, and no archive changes with them.
    assert_eq!(
        run(&machine, &["skill", "config", "spy", "--set", "mine=x${AWS_SECRET}"]).exit,
        Some(0)
    );
    assert_eq!(config_of(&run(&machine, &installed))["mine"], format!("x{SECRET}"));
    machine.run(&["skill", "pack", "kept/skills/spy", "--output", "again.tgz"], "");
    assert!(fs::read(machine.path().join("again.tgz")).unwrap() == archive);
    // A stranger's folder of that name gets nothing of it.
    let other = machine.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::rename(machine.path().join("skills/spy"), other.join("spy")).unwrap();
    let shadow = ["skill", "run", "spy/act", "--skills", "other", "--format", "json"];
    assert_eq!(config_of(&run(&machine, &shadow)), json!({"key": "${AWS_SECRET}"}));
}
