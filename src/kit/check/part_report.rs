//! The report of a part on its way back, and the report of a package from its parts. Version 1.

use std::time::Duration;

use narratoria_protocol::{JsonBounds, digest::sha256, read_json_as};
use serde::{Deserialize, Serialize};

use super::{
    CheckPart, CheckTarget, FINDINGS_MAX, Finding, FindingLevel, PackageReport, Rule,
    finding::FindingCollector, rules, tree::PackageTree,
};

/// The version of the document; a change that would break a reader raises it.
const VERSION: u32 = 1;

/// Rules whose findings depend on how fast a machine is.
const ABOUT_TIME: [&str; 3] = ["limits/tight", "hostile/hang", "check/time-budget"];

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PartJson {
    version: u32,
    package_version: Option<String>,
    examples: usize,
    hostile: usize,
    took_ms: u64,
    left_out: Vec<String>,
    findings: Vec<FindingJson>,
}

#[derive(Serialize, Deserialize)]
struct FindingJson {
    rule: String,
    level: String,
    file: Option<String>,
    pointer: Option<String>,
    line: Option<usize>,
    what: String,
}

/// Why the report of a part cannot be read: another program has written it.
#[derive(Debug, thiserror::Error)]
#[error("the report of a part {why}")]
pub struct PartReportError {
    why: String,
}

/// The report of a part as one line of JSON.
pub fn write_part(report: &PackageReport) -> String {
    let finding = |finding: &Finding| FindingJson {
        rule: finding.rule.id.to_owned(),
        level: finding.level.as_str().to_owned(),
        file: finding.file.clone(),
        pointer: finding.pointer.clone(),
        line: finding.line,
        what: finding.what.clone(),
    };
    let part = PartJson {
        version: VERSION,
        package_version: report.version.clone(),
        examples: report.examples,
        hostile: report.hostile,
        took_ms: u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX),
        left_out: report.left_out.clone(),
        findings: report.findings.iter().map(finding).collect(),
    };
    serde_json::to_string(&part).expect("texts and numbers are JSON")
}

/// Reads what [`write_part`] writes.
pub fn read_part(target: &CheckTarget, text: &str) -> Result<PackageReport, PartReportError> {
    let failed = |why: String| PartReportError { why };
    let bounds = JsonBounds::of_bytes(text.len());
    let part: PartJson = read_json_as(text.as_bytes(), bounds)
        .map_err(|error| failed(error.predicate().to_string()))?;
    if part.version != VERSION {
        return Err(failed(format!("has version {}, and {VERSION} is known", part.version)));
    }
    let finding = |found: FindingJson| {
        let rule: &'static Rule = Rule::find(&found.rule)?;
        let levels = [FindingLevel::Note, FindingLevel::Warning, FindingLevel::Error];
        let level = levels.into_iter().find(|level| level.as_str() == found.level)?;
        let FindingJson { file, pointer, line, what, .. } = found;
        Some(Finding { rule, level, file, pointer, line, what })
    };
    let findings = part.findings.into_iter().map(finding).collect::<Option<Vec<_>>>();
    Ok(PackageReport {
        version: part.package_version,
        findings: findings.ok_or_else(|| failed("has an unknown rule".to_owned()))?,
        examples: part.examples,
        hostile: part.hostile,
        left_out: part.left_out,
        took: Duration::from_millis(part.took_ms),
        ..PackageReport::unchecked(target)
    })
}

/// The digest of everything that another machine must report too. What depends on its speed is left out.
pub fn repeatable_digest(report: &PackageReport) -> String {
    let mut same = PackageReport { took: Duration::ZERO, ..report.clone() };
    same.findings.retain(|finding| !ABOUT_TIME.contains(&finding.rule.id));
    // What was left out was not found out.
    if !same.left_out.is_empty() || same.findings.len() != report.findings.len() {
        same.examples = 0;
        same.hostile = 0;
    }
    same.left_out = Vec::new();
    sha256(write_part(&same).as_bytes())
}

/// The report of a part that was not done.
pub fn undone_part(target: &CheckTarget, part: &CheckPart, why: &str) -> PackageReport {
    let what = match part {
        CheckPart::Whole => "the check of the package".to_owned(),
        CheckPart::Package => "the files and examples of the package".to_owned(),
        CheckPart::Requests { script } => format!("the hostile requests to `{script}`"),
    };
    super::left_out(target, &format!("{what}, {why}"))
}

/// The report of a part that has ended its workers.
pub fn lost_part(target: &CheckTarget, part: &CheckPart) -> PackageReport {
    let what = format!("the part `{}` was given up: its workers were lost each time", part.name());
    with_finding(PackageReport::unchecked(target), &rules::CHECK_WORKER_LOST, what)
}

/// The report of a part of which two workers have different results.
pub fn part_differs(report: PackageReport, part: &CheckPart) -> PackageReport {
    let what = format!("two workers have different results of the part `{}`", part.name());
    with_finding(report, &rules::CHECK_NOT_REPEATABLE, what)
}

fn with_finding(mut report: PackageReport, rule: &'static Rule, what: String) -> PackageReport {
    let (file, pointer, line) = (None, None, None);
    report.findings.push(Finding { rule, level: rule.level, file, pointer, line, what });
    report
}

/// The report of a package from those of its parts.
pub fn merge_parts(target: &CheckTarget, parts: Vec<PackageReport>) -> PackageReport {
    let mut whole = PackageReport::unchecked(target);
    let mut findings: Vec<Finding> = Vec::new();
    for part in parts {
        whole.version = whole.version.or(part.version);
        whole.examples += part.examples;
        whole.hostile += part.hostile;
        whole.took += part.took;
        whole.left_out.extend(part.left_out);
        let about_itself = |finding: &Finding| finding.rule == &rules::CHECK_TIME_BUDGET;
        for finding in part.findings.into_iter().filter(|finding| !about_itself(finding)) {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    let nothing = PackageTree::empty();
    let mut collector = FindingCollector::open(&nothing, false);
    collector.take(findings, FINDINGS_MAX);
    whole.left_out.iter().for_each(|part| collector.leave_out(part));
    whole.with(collector)
}
