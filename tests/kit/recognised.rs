//! No script can tell a check from a story by an id, a seed, an input, a text, or the traces of an earlier turn.

use std::collections::BTreeSet;

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::Value;

use crate::kit::recipe::{CheckFixture, CheckOutput, NAME};

/// A package whose script crashes where it does not recognise a check.
fn two_faced(way: &str) -> CheckFixture {
    CheckFixture::from_recipe(&format!(
        "base plain {way} two-faced
set schemas/act.json /properties/about {{\"type\": \"string\", \"maxLength\": 80}}
set skill.json /scripts/0/reads [\"/quest\", \"/tally\", \"/world/scope\"]
set skill.json /writes [\"/tally\"]
set skill.json /scripts/0/grants {{\"data\": true}}"
    ))
}

fn check(bench: &CheckFixture, more: &[&str]) -> CheckOutput {
    bench.run(&[&["skill", "check", NAME, "--format", "json"], more].concat())
}

fn rules(ran: &CheckOutput) -> BTreeSet<String> {
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = report["packages"][0]["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_script_that_behaves_well_only_in_a_check_is_found_out() {
    let benches =
        ["by-id", "by-seed", "by-input", "by-state", "by-world", "by-patch", "by-text", "by-data"];
    let benches = benches.map(|way| (way, two_faced(way)));
    let config = Config { cases: 16, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&(0..benches.len(), any::<u32>()), |(idx, seed)| {
            let (way, bench) = &benches[idx];
            let ran = check(bench, &["--seed", &seed.to_string()]);
            prop_assert!(ran.exit == Some(1), "{way} with seed {seed}: {}", ran.transcript());
            prop_assert!(rules(&ran).contains("hostile/trap"), "{way}: {}", ran.stdout);
            Ok(())
        })
        .unwrap();
}

/// Otherwise the test above would prove nothing.
#[test]
fn a_script_with_nothing_to_hide_passes_whatever_the_seed() {
    let bench = two_faced("honest");
    for seed in ["0", "1", "9007199254740991", "18446744073709551615"] {
        let ran = check(&bench, &["--seed", seed]);
        assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    }
}

#[test]
fn a_failing_check_prints_its_seed_and_the_seed_repeats_it() {
    let bench = CheckFixture::from_recipe("base plain traps brittle");
    let ran = bench.run(&["skill", "check", NAME]);
    let last = ran.stdout.lines().last().unwrap();
    let seed = last.strip_prefix("repeat this check with `--seed ").unwrap();
    let seed = seed.strip_suffix('`').unwrap();
    let again = bench.run(&["skill", "check", NAME, "--seed", seed]);
    assert_eq!(again.transcript(), ran.transcript());
    let report: Value = serde_json::from_str(&check(&bench, &["--seed", seed]).stdout).unwrap();
    assert_eq!(report["seed"].to_string(), seed);
}

#[test]
fn two_checks_draw_two_seeds() {
    let bench = CheckFixture::from_recipe("base plain brave brittle");
    let seed = || {
        let report: Value = serde_json::from_str(&check(&bench, &[]).stdout).unwrap();
        report["seed"].as_u64().unwrap()
    };
    assert_ne!(seed(), seed());
}
