//! A report as Markdown, for the page of a CI job: a table of packages, and the findings of those that are not ok.

use std::fmt::Write;

use super::{CheckReport, Finding, FindingLevel, MeaningReport, PackageReport};

/// Most findings of a package on the page. GitHub refuses a summary of more than 1 MiB; the other formats have all.
const FINDINGS_SHOWN_MAX: usize = 50;

pub fn report_markdown(report: &CheckReport) -> String {
    let verdict = match (report.is_ok(), report.is_complete()) {
        (true, true) => "ok",
        (_, false) => "not complete: the time was over",
        (false, true) => "not ok",
    };
    let mut text = format!("## Skill packages: {verdict}\n\n");
    text += "| package | version | result | errors | warnings | notes | examples | hostile requests |\n";
    text += "|---|---|---|---:|---:|---:|---:|---:|\n";
    for package in &report.packages {
        let result = if package.is_ok() { "✅ ok" } else { "❌ not ok" };
        let [errors, warnings, notes] =
            [FindingLevel::Error, FindingLevel::Warning, FindingLevel::Note]
                .map(|level| package.count(level));
        let _ = writeln!(
            text,
            "| {} | {} | {result} | {errors} | {warnings} | {notes} | {} | {} |",
            escaped(&package.display_name),
            escaped(package.version.as_deref().unwrap_or("–")),
            package.examples,
            package.hostile,
        );
    }
    let looked_up = report.packages.iter().filter_map(|package| Some((package, package.meaning?)));
    for (package, meaning) in looked_up {
        let MeaningReport { found, held_out, false_alarms, plain } = meaning;
        let _ = write!(
            text,
            "\n{}: {found} of {held_out} held-out sentences find their script, {false_alarms} of {plain} plain sentences start one.\n",
            escaped(&package.display_name),
        );
    }
    if let Some(why) = &report.meaning_left_out {
        let _ = write!(
            text,
            "\nLeft out: which sentences find the scripts, because {}.\n",
            escaped(why)
        );
    }
    for package in report.packages.iter().filter(|package| !package.findings.is_empty()) {
        text += &findings_text(package);
    }
    if !report.is_ok() {
        let _ = write!(text, "\nSeed of this check: `{}`\n", report.seed);
    }
    text
}

/// The findings, errors first. Notes fold away: they fail nothing.
fn findings_text(package: &PackageReport) -> String {
    let is_note = |finding: &&Finding| finding.level == FindingLevel::Note;
    let (notes, mut faults): (Vec<&Finding>, Vec<&Finding>) =
        package.findings.iter().partition(is_note);
    faults.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let mut text = String::new();
    if !faults.is_empty() {
        let _ = write!(text, "\n### {}\n\n", escaped(&package.display_name));
        text += &list(&faults);
    }
    if !notes.is_empty() {
        let summary = format!("{} notes about {}", notes.len(), escaped(&package.display_name));
        let _ = write!(text, "\n<details><summary>{summary}</summary>\n\n{}", list(&notes));
        text += "\n</details>\n";
    }
    text
}

fn list(findings: &[&Finding]) -> String {
    let mut text = String::new();
    for finding in findings.iter().take(FINDINGS_SHOWN_MAX) {
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = finding.file.as_ref().map(|file| format!("{}{line}: ", escaped(file)));
        let _ = writeln!(
            text,
            "- **{}** {}{} (`{}`)<br>{}",
            finding.level.as_str(),
            place.unwrap_or_default(),
            escaped(&finding.what),
            finding.rule.id,
            finding.rule.help,
        );
    }
    if findings.len() > FINDINGS_SHOWN_MAX {
        let _ = writeln!(text, "- and {} more", findings.len() - FINDINGS_SHOWN_MAX);
    }
    text
}

/// Text of a package that no reader of Markdown takes for markup, a mention or a link.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // An invisible character keeps `@name` and `#1` from becoming links.
            '@' | '#' => {
                safe.push(char);
                safe.push_str("<!-- -->");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '|' | '~' | '!' | '$' | ':' => {
                safe.push('\\');
                safe.push(char);
            }
            '\n' | '\r' => safe.push(' '),
            char => safe.push(char),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::escaped;

    #[test]
    fn what_a_package_says_stays_text() {
        assert_eq!(escaped("`a` | <b> [c](https://d)"), r"\`a\` \| &lt;b&gt; \[c\]\(https\://d\)");
        assert_eq!(escaped("@team #1"), "@<!-- -->team #<!-- -->1");
    }

    proptest! {
        #[test]
        fn no_text_leaves_its_cell_or_its_line(text in ".*(\n|\\||<|`)*.*") {
            let safe = escaped(&text);
            prop_assert!(!safe.contains('\n') && !safe.replace(r"\|", "").contains('|'));
            prop_assert!(!safe.replace("<!-- -->", "").contains('<'));
        }
    }
}
