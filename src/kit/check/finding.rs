//! The findings of a check, as data.

use std::{path::PathBuf, time::Duration};

use super::{
    json_lines::line_of,
    rules::{self, FindingLevel, Rule},
    tree::PackageTree,
};
use narratoria_protocol::visible::{clip, visible_word};
use narratoria_skills::SignerKey;

/// One fault of a package, or one note about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The broken rule.
    pub rule: &'static Rule,
    /// The level in this check.
    pub level: FindingLevel,
    /// File inside the package, with `/` between folders.
    pub file: Option<String>,
    /// JSON pointer into that file.
    pub pointer: Option<String>,
    /// Line of the file, from 1, if known.
    pub line: Option<usize>,
    /// The fault: the thing, the value, the limit.
    pub what: String,
}

/// One checked package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageReport {
    /// The folder's name.
    pub name: String,
    /// The package's name in reports: a path as it was given, or a word for a built-in one.
    pub display_name: String,
    /// The package's version, if it could be loaded.
    pub version: Option<String>,
    /// Sorted by file, line and rule.
    pub findings: Vec<Finding>,
    /// Number of examples that were run.
    pub examples: usize,
    /// Number of hostile requests that were sent.
    pub hostile: usize,
    /// How its sentences find its scripts; `None` if that was not looked up.
    pub meaning: Option<MeaningReport>,
    /// The parts that were left out because the time was over, one phrase each.
    pub left_out: Vec<String>,
    /// How long the check of this package took.
    pub took: Duration,
}

/// How the sentences of a package find its scripts, each looked up without itself, and how many plain sentences start one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeaningReport {
    /// Phrases and examples that find their script.
    pub found: usize,
    /// Those that were looked up.
    pub held_out: usize,
    /// Plain sentences that start a script of the package.
    pub false_alarms: usize,
    /// Those that were looked up.
    pub plain: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// True if warnings count as errors.
    pub strict: bool,
    /// The seed of all requests.
    pub seed: u64,
    /// The time that the whole check was given.
    pub time_budget: Duration,
    /// When it began, in UTC: `2026-11-22T17:34:27`.
    pub started: String,
    /// Why no package was looked up by its meaning, if one would have been: a part of a sentence.
    pub meaning_left_out: Option<String>,
    /// In the order in which they were named.
    pub packages: Vec<PackageReport>,
}

/// A package to be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckTarget {
    /// The folder's name.
    pub name: String,
    /// The package's name in reports.
    pub display_name: String,
    pub folder: PathBuf,
    pub kind: TargetKind,
    /// The key of its signature, which the caller has verified.
    pub signer: Option<SignerKey>,
}

/// What an installation of a package would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TargetKind {
    #[default]
    Package,
    /// The player agreed that it takes the place of the built-in skill of its name.
    AgreedReplacement,
    /// A skill of the program, which nobody installs.
    BuiltIn,
}

impl PackageReport {
    /// The report of a package before its check.
    pub fn unchecked(target: &CheckTarget) -> PackageReport {
        PackageReport {
            name: target.name.clone(),
            display_name: target.display_name.clone(),
            version: None,
            findings: Vec::new(),
            examples: 0,
            hostile: 0,
            meaning: None,
            left_out: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// The report with these findings.
    pub(super) fn with(self, findings: FindingCollector<'_>) -> PackageReport {
        let (findings, left_out) = findings.close();
        PackageReport { findings, left_out, ..self }
    }

    pub fn count(&self, level: FindingLevel) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }

    /// Path of one of its files, relative to the folder from which the package was named.
    pub fn path(&self, file: &str) -> String {
        let path = format!("{}/{file}", self.display_name);
        path.trim_start_matches("./").to_owned()
    }

    /// Returns true if no finding is an error.
    pub fn is_ok(&self) -> bool {
        self.count(FindingLevel::Error) == 0
    }
}

impl CheckReport {
    /// Returns true if no finding of any package is an error.
    pub fn is_ok(&self) -> bool {
        self.packages.iter().all(PackageReport::is_ok)
    }

    /// Returns true if the time was enough for every part of the check.
    pub fn is_complete(&self) -> bool {
        self.packages.iter().all(|package| package.left_out.is_empty())
    }

    pub fn count(&self, level: FindingLevel) -> usize {
        self.packages.iter().map(|package| package.count(level)).sum()
    }
}

/// Collects the findings of one package.
pub(super) struct FindingCollector<'t> {
    tree: &'t PackageTree,
    strict: bool,
    findings: Vec<Finding>,
    /// Findings beyond [`FINDINGS_MAX`].
    more: usize,
    left_out: Vec<String>,
}

/// Most findings of a package that a report keeps, and one more that counts the others.
pub const FINDINGS_MAX: usize = 500;

/// Longest message of a finding, in characters.
pub const FINDING_CHARS_MAX: usize = 1_000;

/// The text as it stands in a finding.
fn shown(text: &str) -> String {
    clip(&visible_word(text), FINDING_CHARS_MAX).into_owned()
}

/// A place in a package.
#[derive(Debug, Clone, Default)]
pub(super) struct FindingLocation {
    file: Option<String>,
    pointer: Option<String>,
    line: Option<usize>,
}

impl FindingLocation {
    /// The package as a whole.
    pub(super) fn whole() -> FindingLocation {
        FindingLocation::default()
    }

    pub(super) fn file(file: impl Into<String>) -> FindingLocation {
        FindingLocation { file: Some(file.into()), ..FindingLocation::default() }
    }

    /// An empty pointer is the whole file.
    pub(super) fn field(file: impl Into<String>, pointer: impl Into<String>) -> FindingLocation {
        let pointer = Some(pointer.into()).filter(|pointer| !pointer.is_empty());
        FindingLocation { pointer, ..FindingLocation::file(file) }
    }

    pub(super) fn line(file: impl Into<String>, line: usize) -> FindingLocation {
        FindingLocation { line: Some(line), ..FindingLocation::file(file) }
    }
}

impl<'t> FindingCollector<'t> {
    pub(super) fn open(tree: &'t PackageTree, strict: bool) -> FindingCollector<'t> {
        FindingCollector { tree, strict, findings: Vec::new(), more: 0, left_out: Vec::new() }
    }

    pub(super) fn add(
        &mut self,
        rule: &'static Rule,
        place: FindingLocation,
        what: impl Into<String>,
    ) {
        self.add_at(rule, rule.level, place, what);
    }

    /// Adds a finding with another level than its rule's.
    pub(super) fn add_at(
        &mut self,
        rule: &'static Rule,
        level: FindingLevel,
        place: FindingLocation,
        what: impl Into<String>,
    ) {
        let level =
            if self.strict && level == FindingLevel::Warning { FindingLevel::Error } else { level };
        if self.findings.len() >= FINDINGS_MAX {
            self.more += 1;
            return;
        }
        let FindingLocation { file, pointer, line } = place;
        let line = line.or_else(|| {
            let text = self.tree.text(file.as_deref()?)?;
            Some(line_of(&text, pointer.as_deref()?))
        });
        let file = file.map(|file| shown(&file));
        let pointer = pointer.map(|pointer| shown(&pointer));
        let finding = Finding { rule, level, file, pointer, line, what: shown(&what.into()) };
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Takes findings that were collected elsewhere, up to a number of them.
    pub(super) fn take(&mut self, findings: Vec<Finding>, most: usize) {
        self.more += findings.len().saturating_sub(most);
        self.findings.extend(findings.into_iter().take(most));
    }

    pub(super) fn text(&self, file: &str) -> Option<String> {
        self.tree.text(file)
    }

    /// Returns true if a finding of this rule in that file was added before.
    pub(super) fn has(&self, rule: &Rule, file: &str) -> bool {
        let file = shown(file);
        self.findings.iter().any(|found| found.rule == rule && found.file.as_ref() == Some(&file))
    }

    /// Notes a part of the check that was left out because the time was over.
    pub(super) fn leave_out(&mut self, part: impl Into<String>) {
        self.left_out.push(part.into());
    }

    /// All findings, in an order that does not depend on the order of the checks, and the parts that were left out.
    pub(super) fn close(mut self) -> (Vec<Finding>, Vec<String>) {
        let left_out = std::mem::take(&mut self.left_out);
        if !left_out.is_empty() {
            let what = format!("the time was over before these parts: {}", left_out.join("; "));
            self.add_always(&rules::CHECK_TIME_BUDGET, &what);
        }
        if self.more > 0 {
            let what = format!("{} more findings are left out", self.more);
            self.add_always(&rules::CHECK_TOO_MANY, &what);
        }
        let key = |finding: &Finding| {
            let Finding { rule, file, pointer, line, what, .. } = finding.clone();
            (file, line, pointer, rule.id, what)
        };
        self.findings.sort_by_cached_key(key);
        (self.findings, left_out)
    }

    /// Adds a finding about the check itself, which no limit may suppress.
    fn add_always(&mut self, rule: &'static Rule, what: &str) {
        self.findings.push(Finding {
            rule,
            level: rule.level,
            file: None,
            pointer: None,
            line: None,
            what: shown(what),
        });
    }
}
