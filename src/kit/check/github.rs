//! A report as workflow commands of GitHub Actions: annotations beside the lines of a pull request.

use std::fmt::Write;

use super::{CheckReport, Finding, FindingLevel, PackageReport};

/// One line for each error and warning, and a last line with the counts. Notes stay out: GitHub shows ten annotations
/// of a step, and a note must not hide an error.
pub fn report_github(report: &CheckReport) -> String {
    let mut text = String::new();
    for level in [FindingLevel::Error, FindingLevel::Warning] {
        for package in &report.packages {
            for finding in package.findings.iter().filter(|finding| finding.level == level) {
                let _ = writeln!(text, "{}", command(package, finding));
            }
        }
    }
    let [errors, warnings, notes] =
        [FindingLevel::Error, FindingLevel::Warning, FindingLevel::Note]
            .map(|level| report.count(level));
    let packages = report.packages.len();
    let _ = writeln!(
        text,
        "packages: {packages}, errors: {errors}, warnings: {warnings}, notes: {notes}"
    );
    text
}

fn command(package: &PackageReport, finding: &Finding) -> String {
    let word = match finding.level {
        FindingLevel::Error => "error",
        FindingLevel::Warning => "warning",
        FindingLevel::Note => "notice",
    };
    let mut properties = Vec::new();
    let file = package.path(finding.file.as_deref().unwrap_or("skill.json"));
    properties.push(format!("file={}", property(&file)));
    if let Some(line) = finding.line {
        properties.push(format!("line={line}"));
    }
    properties.push(format!("title={}", property(finding.rule.id)));
    let message = message(&format!("{} ({})", finding.what, finding.rule.help));
    format!("::{word} {}::{message}", properties.join(","))
}

/// Escapes characters that would end a message or begin another one.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes characters that would end a property, too.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{Finding, FindingLevel, PackageReport, command};
    use crate::check::{CheckTarget, RULES, TargetKind};

    #[test]
    fn nothing_in_a_finding_ends_the_command() {
        let finding = Finding {
            rule: RULES[0],
            level: FindingLevel::Note,
            file: Some("a,b:c%.json".to_owned()),
            pointer: None,
            line: Some(3),
            what: "50 %\n::error::mine".to_owned(),
        };
        let package = PackageReport::unchecked(&CheckTarget {
            name: "x".to_owned(),
            display_name: "./skills/x".to_owned(),
            folder: "x".into(),
            kind: TargetKind::Package,
            signer: None,
        });
        insta::assert_snapshot!(command(&package, &finding), @"::notice file=skills/x/a%2Cb%3Ac%25.json,line=3,title=package/unreadable::50 %25%0A::error::mine (name a folder that can be read)");
    }
}
