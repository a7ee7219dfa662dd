//! A report as JUnit XML, as GitLab, Jenkins and others read it: a suite for each package, a case for each
//! group of rules.

use std::{collections::BTreeSet, fmt::Write, time::Duration};

use super::{CheckReport, Finding, FindingLevel, PackageReport, RULES};
use crate::junit::{JunitCase, JunitReport, JunitResult, JunitSuite};

/// Groups of rules that need a run; they count as skipped if the package was not run.
const RUN_GROUPS: [&str; 5] = ["example", "hostile", "limits", "repeat", "schema"];

pub fn report_junit(report: &CheckReport) -> String {
    let suites = report.packages.iter().map(suite).collect();
    JunitReport { started: report.started.clone(), suites }.render()
}

fn suite(checked: &PackageReport) -> JunitSuite {
    let groups: BTreeSet<&str> = RULES.iter().map(|rule| rule.group()).collect();
    let was_run = checked.findings.iter().all(|finding| finding.rule.id != "package/not-run");
    let mut output = String::new();
    let mut cases = Vec::new();
    for group in groups {
        let found: Vec<&Finding> =
            checked.findings.iter().filter(|finding| finding.rule.group() == group).collect();
        let first = found.iter().find(|finding| finding.level == FindingLevel::Error);
        let result = match first {
            Some(first) => JunitResult::Failed {
                message: finding_text(first),
                kind: first.rule.id.to_owned(),
                text: all(&found),
            },
            None if !was_run && RUN_GROUPS.contains(&group) => {
                JunitResult::Skipped { message: "the package was not run".to_owned() }
            }
            None if group == "meaning" && checked.meaning.is_none() => {
                JunitResult::Skipped { message: "its sentences were not looked up".to_owned() }
            }
            None => JunitResult::Passed,
        };
        if first.is_none() {
            output += &all(&found);
        }
        // The groups share one run, so only the whole package has a time.
        cases.push(JunitCase { name: group.to_owned(), took: Duration::ZERO, result });
    }
    JunitSuite {
        name: checked.name.clone(),
        class: checked.display_name.clone(),
        took: checked.took,
        cases,
        output,
        errors: String::new(),
    }
}

fn all(found: &[&Finding]) -> String {
    found.iter().fold(String::new(), |mut text, finding| {
        let (level, id) = (finding.level.as_str(), finding.rule.id);
        let _ = writeln!(text, "{level} {id}: {}\n  {}", finding_text(finding), finding.rule.help);
        text
    })
}

fn finding_text(finding: &Finding) -> String {
    let mut place = String::new();
    if let Some(file) = &finding.file {
        place += file;
        if let Some(line) = finding.line {
            let _ = write!(place, ":{line}");
        }
        if let Some(pointer) = &finding.pointer {
            let _ = write!(place, " {pointer}");
        }
        place += ": ";
    }
    format!("{place}{}", finding.what)
}
