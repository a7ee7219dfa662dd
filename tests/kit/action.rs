//! The action for GitHub: its text is what it should be, and its check is run as a runner would.

use std::{fs, path::Path};

use serde_json::Value;

fn action() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/github/action.yml");
    serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn every_input_is_declared_with_a_description_and_a_default_and_used() {
    let action = action();
    assert_eq!(action["runs"]["using"], "composite");
    let text = action["runs"]["steps"].to_string();
    let used = regex::Regex::new(r"inputs\.([a-z-]+)").unwrap();
    let used: std::collections::BTreeSet<&str> =
        used.captures_iter(&text).map(|found| found.get(1).unwrap().as_str()).collect();
    let declared = action["inputs"].as_object().unwrap();
    assert_eq!(used, declared.keys().map(String::as_str).collect());
    for (name, input) in declared {
        assert!(input["description"].is_string() && input["default"].is_string(), "{name}");
    }
}

/// Input of the action reaches a script as a variable only: in the script's text it would run.
#[test]
fn no_script_holds_an_expression() {
    for step in action()["runs"]["steps"].as_array().unwrap() {
        let script = step["run"].as_str().unwrap_or_default();
        assert!(!script.contains("${{"), "{script}");
    }
}

#[cfg(unix)]
#[test]
fn its_check_fails_the_job_and_leaves_a_report() {
    use std::process::Command;

    use crate::recipe::{CheckFixture, NAME};

    let action = action();
    let steps = action["runs"]["steps"].as_array().unwrap();
    let check = steps.iter().find(|step| step["id"] == "check").unwrap();
    let bench = CheckFixture::from_recipe("base plain brave brittle\ndrop skill.json /license");
    let run = |strict: &str| {
        let report = bench.path().join(format!("strict {strict}.sarif"));
        let output = Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c"])
            .arg(check["run"].as_str().unwrap())
            .current_dir(bench.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("NARRATORIA_HOME", bench.path().join("kept"))
            .env("GIVEN", assert_cmd::cargo::cargo_bin!("narratoria"))
            .env("PACKAGES", format!("{NAME} {NAME}/."))
            .env("STRICT", strict)
            .env("REPORT", &report)
            .output()
            .unwrap();
        let sarif: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
        let level = sarif["runs"][0]["results"][0]["level"].as_str().unwrap().to_owned();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), level)
    };
    let (exit, said, level) = run("true");
    assert_eq!((exit, &*level), (Some(1), "error"), "{said}");
    assert!(said.starts_with("::error file=dice-roller/skill.json,"), "{said}");
    let (exit, said, level) = run("false");
    assert_eq!((exit, &*level), (Some(0), "warning"), "{said}");
}
