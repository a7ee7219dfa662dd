//! A check ends within its time, says what it left out, and is never green without having checked everything.

use std::time::{Duration, Instant};

use narratoria_kit::check::FINDINGS_MAX;
use serde_json::Value;

use crate::kit::recipe::{CheckFixture, CheckOutput, NAME};

/// More than the time of the check: starting the program, and the moment that work may go on.
const MORE_MAX: Duration = Duration::from_secs(5);

/// A script that sleeps through the whole check.
const SLOW: &str = "base plain act sleep\nset skill.json /scripts/0/timeout 60000\nset examples/three.json /input {\"n\": 3, \"ms\": 50000}";

fn check(recipe: &str, args: &[&str]) -> (CheckOutput, Duration) {
    let bench = CheckFixture::from_recipe(recipe);
    // Compiled already: this is about the scripts.
    bench.run(&["skill", "inspect", NAME, "--no-run"]);
    let began = Instant::now();
    let ran = bench.run(&[&["skill", "check", NAME], args].concat());
    (ran, began.elapsed())
}

#[test]
fn what_the_time_does_not_allow_is_an_error_that_names_every_part() {
    let (ran, took) = check(SLOW, &["--time-budget", "0.5", "--format", "json"]);
    assert!(took < MORE_MAX, "{took:?}");
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&report["ok"], &report["complete"]), (&false.into(), &false.into()));
    assert_eq!(report["timeBudgetSeconds"], 0.5);
    let left_out = report["packages"][0]["leftOut"].as_array().unwrap();
    assert!(!left_out.is_empty(), "{report:#}");
    let text = report["packages"][0]["findings"].to_string();
    assert!(text.contains("check/time-budget"), "{text}");
    for part in left_out {
        assert!(text.contains(&part.as_str().unwrap().replace('"', "\\\"")), "{part}: {text}");
    }
}

#[test]
fn people_are_told_that_a_check_is_not_complete() {
    let (ran, _) = check(SLOW, &["--time-budget", "0.5"]);
    assert!(
        ran.stdout.contains("not complete: the time budget of 0.5 s is spent"),
        "{}",
        ran.stdout
    );
}

/// The time is that of all packages together.
#[test]
fn packages_that_the_time_never_reaches_are_named_too() {
    let bench = CheckFixture::from_recipe(SLOW);
    bench.built_in("player-choices");
    let began = Instant::now();
    let ran =
        bench.run(&["skill", "check", "--jobs", "1", "--time-budget", "0.001", "--format", "json"]);
    assert!(began.elapsed() < MORE_MAX, "{:?}", began.elapsed());
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    for package in report["packages"].as_array().unwrap() {
        assert!(!package["leftOut"].as_array().unwrap().is_empty(), "{package:#}");
    }
}

#[test]
fn a_package_with_a_thousand_faults_gets_a_bounded_report_that_counts_the_rest() {
    let files: String =
        (0..1_000).map(|file| format!("write schemas/{file}.json {{}}\n")).collect();
    let bench = CheckFixture::from_recipe(&format!("base plain brave brittle\n{files}"));
    let ran = bench.run(&["skill", "check", NAME, "--format", "json"]);
    assert_eq!(ran.exit, Some(1), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = report["packages"][0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), FINDINGS_MAX + 1);
    let rest = findings.iter().find(|finding| finding["rule"] == "check/too-many").unwrap();
    assert_eq!(rest["message"], "500 more findings are left out");
}
