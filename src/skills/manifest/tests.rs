//! The fields of a manifest and their defaults.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    FUEL_DEFAULT, Grant, MEMORY_BYTES_DEFAULT, ManifestJson, Mismatch, ProblemList,
    STDOUT_BYTES_DEFAULT, TIMEOUT_MAX, parse_manifest, said_plainly, unmet_requirement,
};

fn parse(document: serde_json::Value) -> Option<ManifestJson> {
    parse_manifest(document, &mut ProblemList::for_package("dice"))
}

fn smallest() -> serde_json::Value {
    json!({
        "name": "dice", "description": "d", "version": "1.0.0",
        "scripts": [
            {"name": "roll", "path": "scripts/roll.wasm", "description": "d", "inputSchema": "in.json"}
        ]
    })
}

/// The JSON below these words of the page for authors of skills.
fn of_page(words: &str) -> serde_json::Value {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/writing-skills.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, below) = page.split_once(words).unwrap();
    let block = below.split_once("```json\n").unwrap().1.split("```").next().unwrap();
    serde_json::from_str(block).unwrap()
}

#[test]
fn the_manifests_of_the_page_are_some() {
    let weather = parse(of_page("The smallest `skill.json`:")).unwrap();
    assert_eq!((weather.triggers.len(), weather.scripts.len()), (1, 1));
    let mut document = smallest();
    document["triggers"] = json!([of_page("A trigger may add steps after its script.")]);
    document["scripts"][0]["name"] = json!("understand");
    assert_eq!(parse(document).unwrap().triggers.len(), 1);
}

/// S0 FR-017: 30 s unless the manifest says otherwise.
#[test]
fn each_missing_field_of_a_manifest_has_a_named_default() {
    let manifest = parse(smallest()).unwrap();
    let script = &manifest.scripts[0];
    assert_eq!(script.timeout(), Duration::from_secs(30));
    assert_eq!(script.limits().fuel, FUEL_DEFAULT);
    assert_eq!(script.limits().memory_bytes, MEMORY_BYTES_DEFAULT);
    assert_eq!(script.limits().stdout_bytes, STDOUT_BYTES_DEFAULT);
    assert_eq!(script.grants(), Default::default());
    assert!(script.required && script.offered);
    assert!(!script.is_async && !script.requires_approval);
    assert_eq!(manifest.priority, 50);
    assert_eq!(manifest.retry_policy.policy(), Default::default());
}

/// S1 §7: a script's own limits; its memory is written in MiB.
#[test]
fn a_script_has_the_limits_of_its_manifest() {
    let mut document = smallest();
    document["scripts"][0]["timeout"] = json!(1_500);
    document["scripts"][0]["limits"] =
        json!({"fuel": 1_000_000, "memoryMiB": 3, "stdoutBytes": 4_096});
    let manifest = parse(document).unwrap();
    let script = &manifest.scripts[0];
    assert_eq!(script.timeout(), Duration::from_millis(1_500));
    let limits = script.limits();
    assert_eq!(
        (limits.fuel, limits.memory_bytes, limits.stdout_bytes),
        (1_000_000, 3 * 1024 * 1024, 4_096)
    );
}

#[test]
fn a_grant_is_true_or_an_object_that_may_call_it_optional() {
    let mut document = smallest();
    document["scripts"][0]["grants"] = json!({
        "store": true, "memory": {"optional": false}, "llm": {"optional": true}, "assets": false,
        "http": {"hosts": ["a.example"], "optional": true}, "env": {"variables": ["LANG"]},
    });
    let manifest = parse(document.clone()).unwrap();
    let grants = manifest.scripts[0].grants();
    assert_eq!((grants.store, grants.memory, grants.llm, grants.assets), (true, true, true, false));
    assert_eq!((grants.http, grants.env), (vec!["a.example".into()], vec!["LANG".into()]));
    assert_eq!(grants.optional, [Grant::Llm, Grant::Http].into());
    for wrong in [
        json!({"llm": {}}),
        json!({"llm": {"optional": 1}}),
        json!({"llm": {"optional": true, "why": "x"}}),
        json!({"llm": ["a"]}),
        json!({"http": {"optional": true}}),
        json!({"http": {"variables": ["A"]}}),
        json!({"http": {"hosts": ["https://a.example"]}}),
        json!({"http": {"hosts": ["a.example", "a.example"]}}),
        json!({"env": {"hosts": ["a"]}}),
        json!({"env": {"variables": ["A B"]}}),
    ] {
        document["scripts"][0]["grants"] = wrong.clone();
        assert!(parse(document.clone()).is_none(), "{wrong}");
    }
}

/// S0 FR-015, FR-017: the numbers of a manifest at their bounds, and beyond.
#[test]
fn the_numbers_of_a_manifest_have_the_bounds_of_the_specification() {
    let fits = |field: &str, number: i64| {
        let mut document = smallest();
        match field {
            "timeout" => document["scripts"][0][field] = json!(number),
            "priority" => document[field] = json!(number),
            _ => document["retryPolicy"] = json!({ field: number }),
        }
        parse(document).is_some()
    };
    let bounds = [
        ("timeout", 1_000, 300_000),
        ("priority", 0, 100),
        ("maxRetries", 0, 10),
        ("backoffMs", 0, 60_000),
    ];
    for (field, least, most) in bounds {
        let around = [least - 1, least, most, most + 1].map(|number| fits(field, number));
        assert_eq!(around, [false, true, true, false], "{field}");
    }
}

#[test]
fn the_longest_time_is_that_of_the_contract() {
    let mut document = smallest();
    document["scripts"][0]["timeout"] = json!(TIMEOUT_MAX.as_millis() as u64);
    assert_eq!(parse(document.clone()).unwrap().scripts[0].timeout(), TIMEOUT_MAX);
    document["scripts"][0]["timeout"] = json!(TIMEOUT_MAX.as_millis() as u64 + 1);
    assert!(parse(document).is_none());
}

#[test]
fn a_requirement_is_met_by_the_versions_that_semver_says() {
    let check = |wanted: &str, program: &str| {
        unmet_requirement(&json!({"requires": {"narratoria": wanted}}), program)
    };
    for (wanted, program) in [
        (">=0.1", "0.1.0"),
        ("*", "0.1.0"),
        ("0.1", "0.1.7"),
        (">=0.1, <2", "1.4.0"),
        ("=0.1.0", "0.1.0"),
    ] {
        assert_eq!(check(wanted, program), None, "{wanted} {program}");
    }
    insta::assert_snapshot!(check(">=0.2", "0.1.0").unwrap(), @"needs Narratoria >=0.2, this is 0.1.0: use such a program, or another version of the package");
    insta::assert_snapshot!(check("0.1", "0.2.0").unwrap(), @"needs Narratoria 0.1, this is 0.2.0: use such a program, or another version of the package");
    insta::assert_snapshot!(check("newest", "0.1.0").unwrap(), @"`newest` is not a version requirement: unexpected character 'n' while parsing major version number");
    assert_eq!(unmet_requirement(&json!({"requires": ["narratoria"]}), "0.1.0"), None);
}

/// A newer manifest has fields that this program does not know; only the requirement is worth a word.
#[test]
fn a_requirement_is_read_before_the_fields_of_a_newer_program() {
    let mut document = smallest();
    document["requires"] = json!({"narratoria": ">=99"});
    document["holograms"] = json!(true);
    let mut findings = ProblemList::for_package("dice");
    assert!(parse_manifest(document, &mut findings).is_none());
    let problems = findings.into_problems();
    assert_eq!((problems.len(), problems[0].field.as_deref()), (1, Some("/requires/narratoria")));
}

#[test]
fn a_whole_number_may_be_written_with_a_point() {
    let mut document = smallest();
    document["scripts"][0]["timeout"] = json!(2000.0);
    document["retryPolicy"] = json!({"maxRetries": 1.0, "backoffMs": 20});
    let manifest = parse(document).unwrap();
    assert_eq!(manifest.scripts[0].timeout(), Duration::from_secs(2));
    assert_eq!(manifest.retry_policy.policy().retries_max, 1);
}

/// A pattern says little to an author, so each has words of its own.
#[test]
fn every_pattern_of_the_contract_has_words() {
    fn patterns(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("pattern").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|field| patterns(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| patterns(item, found)),
            _ => {}
        }
    }
    let contract = include_str!("../../../contracts/skill-manifest.schema.json");
    let mut found = Vec::new();
    patterns(&serde_json::from_str(contract).unwrap(), &mut found);
    assert!(found.len() > 10, "{found:?}");
    for pattern in found {
        let what = format!("\"x\" does not match \"{pattern}\"");
        let said = said_plainly(&Mismatch { pointer: "/x".to_owned(), what });
        assert!(said.ends_with("; it is \"x\""), "{pattern}: {said}");
    }
}
