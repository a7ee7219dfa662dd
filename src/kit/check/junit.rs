//! A report as JUnit XML, as GitLab, Jenkins and others read it: a suite for each package, a case for each
//! group of rules.

use std::{collections::BTreeSet, fmt::Write};

use quick_junit::{NonSuccessKind, Report as XmlReport, TestCase, TestCaseStatus, TestSuite};

use super::{CheckReport, Finding, FindingLevel, PackageReport, RULES};

/// Groups of rules that need a run; they count as skipped if the package was not run.
const RUN_GROUPS: [&str; 5] = ["example", "hostile", "limits", "repeat", "schema"];

pub fn report_junit(report: &CheckReport) -> String {
    let mut xml = XmlReport::new("narratoria skill check");
    for package in &report.packages {
        xml.add_test_suite(suite(package));
    }
    xml.to_string().expect("text in memory can always be written")
}

fn suite(checked: &PackageReport) -> TestSuite {
    let mut suite = TestSuite::new(checked.name.as_str());
    let groups: BTreeSet<&str> = RULES.iter().map(|rule| rule.group()).collect();
    let was_run = checked.findings.iter().all(|finding| finding.rule.id != "package/not-run");
    for group in groups {
        let found: Vec<&Finding> =
            checked.findings.iter().filter(|finding| finding.rule.group() == group).collect();
        let errors = found.iter().filter(|finding| finding.level == FindingLevel::Error).count();
        let status = if errors > 0 {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let first = found.iter().find(|finding| finding.level == FindingLevel::Error);
            status.set_message(first.map(|finding| finding_text(finding)).unwrap_or_default());
            status.set_type(first.map(|finding| finding.rule.id).unwrap_or_default());
            status.set_description(all(&found));
            status
        } else if !was_run && RUN_GROUPS.contains(&group) {
            let mut status = TestCaseStatus::skipped();
            status.set_message("the package was not run");
            status
        } else {
            TestCaseStatus::success()
        };
        let mut case = TestCase::new(group, status);
        case.set_classname(checked.display_name.as_str());
        if errors == 0 && !found.is_empty() {
            case.set_system_out(all(&found));
        }
        suite.add_test_case(case);
    }
    suite
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
