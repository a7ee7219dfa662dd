//! A report as one JSON document, `contracts/skill-check-report.schema.json`. Version 1.

use serde_json::{Value, json};

use super::{CheckReport, Finding, FindingLevel, MeaningReport, PackageReport};

/// The document's version; a change that would break a reader raises it.
const VERSION: u32 = 1;

/// The report in Narratoria's own format.
pub fn report_json(report: &CheckReport) -> Value {
    let packages: Vec<Value> = report.packages.iter().map(package).collect();
    json!({
        "version": VERSION,
        "ok": report.is_ok(),
        "strict": report.strict,
        "complete": report.is_complete(),
        "seed": report.seed,
        "timeBudgetSeconds": report.time_budget.as_secs_f64(),
        "errors": report.count(FindingLevel::Error),
        "warnings": report.count(FindingLevel::Warning),
        "notes": report.count(FindingLevel::Note),
        "meaningLeftOut": report.meaning_left_out,
        "packages": packages,
    })
}

fn package(checked: &PackageReport) -> Value {
    let findings: Vec<Value> = checked.findings.iter().map(finding).collect();
    json!({
        "name": checked.name,
        "folder": checked.display_name,
        "version": checked.version,
        "ok": checked.is_ok(),
        "examples": checked.examples,
        "hostileRequests": checked.hostile,
        "meaning": checked.meaning.map(meaning),
        "leftOut": checked.left_out,
        "findings": findings,
    })
}

fn meaning(meaning: MeaningReport) -> Value {
    let MeaningReport { found, held_out, false_alarms, plain } = meaning;
    json!({
        "heldOutSentences": held_out,
        "found": found,
        "plainSentences": plain,
        "falseAlarms": false_alarms,
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.id,
        "level": finding.level.as_str(),
        "file": finding.file,
        "pointer": finding.pointer,
        "line": finding.line,
        "message": finding.what,
        "hint": finding.rule.help,
    })
}
