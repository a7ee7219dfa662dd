//! One report in every format, with its content for programs.

use std::fs;

use narratoria_kit::check::{RULES, Rule};
use narratoria_skills::Schema;
use serde_json::Value;

use crate::kit::{
    junit_schema::valid_cases,
    recipe::{CheckFixture, NAME},
};

/// A package with an error, a warning and a note.
const SPOILT: &str = "base plain act echo
drop skill.json /homepage
set skill.json /scripts/0/grants {\"llm\": true}
set schemas/act.json /properties {}
set schemas/act.json /required []
set examples/three.json /expect/output {\"seed\": 7}";

fn written(format: &str) -> String {
    let ran = CheckFixture::from_recipe(SPOILT).run(&["skill", "check", NAME, "--format", format]);
    assert_eq!((ran.exit, &*ran.stderr), (Some(1), ""), "{}", ran.transcript());
    ran.stdout
}

fn document(format: &str) -> Value {
    serde_json::from_str(&written(format)).unwrap()
}

/// Ids of the rules of a list of objects, by the name that the format has for them.
fn rules(list: &Value, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn json_keeps_its_contract() {
    let report = document("json");
    let contract = include_str!("../../contracts/skill-check-report.schema.json");
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    assert_eq!(contract.mismatches(&report), []);
    assert_eq!((&report["ok"], &report["strict"]), (&false.into(), &false.into()));
    let findings = &report["packages"][0]["findings"];
    for rule in rules(findings, "rule") {
        assert!(Rule::find(&rule).is_some(), "{rule}");
    }
    let unused = findings.as_array().unwrap().iter().find(|one| one["rule"] == "grants/unused");
    let unused = unused.unwrap();
    let manifest = CheckFixture::from_recipe(SPOILT);
    let manifest = fs::read_to_string(manifest.path().join(NAME).join("skill.json")).unwrap();
    let line = unused["line"].as_u64().unwrap() as usize;
    assert!(manifest.lines().nth(line - 1).unwrap().contains("\"llm\""), "line {line}");
}

#[test]
fn sarif_has_what_code_scanning_reads() {
    let sarif = document("sarif");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(sarif["$schema"].as_str().unwrap().ends_with("sarif-schema-2.1.0.json"));
    let run = &sarif["runs"][0];
    let known = rules(&run["tool"]["driver"]["rules"], "id");
    assert_eq!(known, RULES.iter().map(|rule| rule.id).collect::<Vec<_>>());
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 3);
    for result in results {
        let idx = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(result["ruleId"], known[idx].as_str());
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.starts_with("dice-roller/") && !uri.contains(' '), "{uri}");
        if let Some(line) = place["region"].get("startLine") {
            assert!(line.as_u64().unwrap() >= 1);
        }
    }
}

#[test]
fn junit_has_a_suite_for_a_package_and_a_case_for_a_group() {
    let xml = written("junit");
    let groups: std::collections::BTreeSet<&str> = RULES.iter().map(|rule| rule.group()).collect();
    let cases = valid_cases(&xml);
    assert_eq!(cases.len(), groups.len(), "{cases:?}");
    let failed: Vec<&String> = cases.iter().filter(|case| case.ends_with(": failure")).collect();
    assert_eq!(failed, ["dice-roller/example: failure"]);
    assert!(xml.contains("type=\"example/differs\""), "{xml}");
}

#[test]
fn github_gets_a_command_for_each_error_and_warning_and_none_for_a_note() {
    insta::assert_snapshot!(written("github"), @r#"
    ::error file=dice-roller/examples/three.json,line=6,title=example/differs::`output.seed` is 0, expected is 7 (correct the script, or change `expect` to its real output: `narratoria skill test --update`)
    ::warning file=dice-roller/skill.json,line=8,title=hostile/garbage::`act` says `ok: true` to: wrong UTF-8; wrong UTF-8 in a text; text that is not JSON and 9 more (refuse a request that cannot be read)
    ::warning file=dice-roller/skill.json,line=8,title=schema/not-described::the script `act` does not answer `describe` (answer the operation `describe` with `{inputSchema, outputSchema}`; the SDK does it for you)
    ::warning file=dice-roller/skill.json,line=18,title=grants/unused::`scripts/act.wasm` does not import `narratoria:host/llm` (remove it from `grants`)
    packages: 1, errors: 1, warnings: 3, notes: 2
    "#);
}

/// The page of a job has everything, notes folded away; nothing that a package says is markup there.
#[test]
fn markdown_has_a_table_of_packages_and_their_findings() {
    let text = written("markdown");
    assert!(text.starts_with("## Skill packages: not ok\n"), "{text}");
    assert!(text.contains("| dice-roller | 1.0.0 | ❌ not ok | 1 | 3 | 2 | 1 |"), "{text}");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("- **error**") < at("- **warning**"));
    assert!(at("- **warning**") < at("<details>") && at("<details>") < at("- **note**"));
}

/// Other steps of the job write to the same page.
#[test]
fn in_a_github_job_the_report_joins_the_page_of_the_job() {
    let bench = CheckFixture::from_recipe(SPOILT);
    let page = bench.path().join("page.md");
    fs::write(&page, "# Before\n").unwrap();
    let page_text = page.to_str().unwrap().to_owned();
    let ran = bench.run_with_env(
        &["skill", "check", NAME, "--format", "github"],
        &[("GITHUB_STEP_SUMMARY", &page_text)],
    );
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    let text = fs::read_to_string(page).unwrap();
    assert!(text.starts_with("# Before\n## Skill packages: not ok\n"), "{text}");
}

#[test]
fn one_run_writes_several_reports() {
    let bench = CheckFixture::from_recipe(SPOILT);
    let ran = bench.run(&[
        "skill",
        "check",
        NAME,
        "--format",
        "github",
        "--also",
        "sarif=out/check.sarif",
        "--also",
        "junit=check.xml",
    ]);
    assert_eq!(ran.exit, Some(1), "{}", ran.transcript());
    assert!(ran.stdout.starts_with("::"), "{}", ran.stdout);
    let read = |file: &str| fs::read_to_string(bench.path().join(file)).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&read("out/check.sarif")).unwrap()["version"],
        "2.1.0"
    );
    assert!(read("check.xml").starts_with("<?xml"));
}
