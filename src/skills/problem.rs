//! The problems of a package, each with the place that its author must look at. A package chooses how many there are
//! and how long their values are, so both have limits: for one message, one package and one start.

use std::{collections::BTreeMap, fmt};

use narratoria_protocol::visible::{clip, visible_word};

/// Longest part of a message about a package, in characters: what is wrong, with the value and the limit.
pub const PROBLEM_CHARS_MAX: usize = 400;

/// Longest name of a place in such a message, in characters: a package, a file, a field.
const PLACE_CHARS_MAX: usize = 160;

/// Most problems of one package that are collected. An author corrects a few at a time.
pub const PROBLEMS_FOUND_MAX: usize = 500;

/// Most problems of one package that a start reports; `skill check` shows all.
pub const PROBLEMS_REPORTED_MAX: usize = 8;

/// Most problems of all packages that a start reports. Beyond it each package has one short message.
pub const PROBLEMS_OF_ALL_MAX: usize = 64;

/// One fault of a package, or one note about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Name of the package, or the path of the folder if the name is not known yet.
    pub package: String,
    /// File inside the package.
    pub file: Option<String>,
    /// JSON pointer into that file; `None` for the file as a whole.
    pub field: Option<String>,
    /// The fault: the value and the limit.
    pub what: String,
    pub severity: Severity,
}

/// The consequence of a [`Problem`] for the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The package was not loaded.
    Skipped,
    /// The package was loaded, or another one was used instead.
    Note,
}

/// Always one line, because all parts are escaped.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str, chars_max| visible_word(&clip(text, chars_max)).into_owned();
        write!(f, "package `{}`: ", shown(&self.package, PLACE_CHARS_MAX))?;
        if let Some(file) = &self.file {
            write!(f, "{}: ", shown(file, PLACE_CHARS_MAX))?;
        }
        if let Some(field) = &self.field {
            write!(f, "{}: ", shown(field, PLACE_CHARS_MAX))?;
        }
        write!(f, "{}", shown(&self.what, PROBLEM_CHARS_MAX))
    }
}

/// The problems that a start reports: at most [`PROBLEMS_REPORTED_MAX`] of one package and [`PROBLEMS_OF_ALL_MAX`] of
/// all, and for each package with more than that a message that counts the others. Every package with a problem is
/// named, because it is missing for that reason.
pub(super) fn reported_problems(problems: Vec<Problem>) -> Vec<Problem> {
    let mut room = PROBLEMS_OF_ALL_MAX;
    let mut kept: Vec<Problem> = Vec::new();
    let mut of_package: BTreeMap<String, PackageProblems> = BTreeMap::new();
    for problem in problems {
        let counts = of_package.entry(problem.package.clone()).or_default();
        if room > 0 && counts.reported < PROBLEMS_REPORTED_MAX {
            (room, counts.reported) = (room - 1, counts.reported + 1);
            kept.push(problem);
        } else {
            counts.more += 1;
            counts.is_skipped |= problem.severity == Severity::Skipped;
        }
    }
    for (package, counts) in of_package.into_iter().filter(|(_, counts)| counts.more > 0) {
        let more = if counts.reported > 0 { " more" } else { "" };
        let problems = if counts.more == 1 { "problem" } else { "problems" };
        kept.push(Problem {
            package,
            file: None,
            field: None,
            what: format!(
                "has {}{more} {problems}; `narratoria skill check` shows all",
                counts.more
            ),
            severity: if counts.is_skipped { Severity::Skipped } else { Severity::Note },
        });
    }
    kept
}

#[derive(Default)]
struct PackageProblems {
    reported: usize,
    more: usize,
    is_skipped: bool,
}

/// Collects the problems of one package, so that its author sees all of them at once.
#[derive(Debug)]
pub(super) struct ProblemList {
    package: String,
    problems: Vec<Problem>,
    /// Problems beyond [`PROBLEMS_FOUND_MAX`].
    more: usize,
}

impl ProblemList {
    pub(super) fn for_package(package: &str) -> ProblemList {
        ProblemList { package: package.to_owned(), problems: Vec::new(), more: 0 }
    }

    /// Adds a problem of the package as a whole.
    pub(super) fn whole(&mut self, what: impl Into<String>) {
        self.add(None, None, what.into());
    }

    /// Adds a problem of one file as a whole.
    pub(super) fn file(&mut self, file: &str, what: impl Into<String>) {
        self.add(Some(file.to_owned()), None, what.into());
    }

    /// Adds a problem of one place in a JSON file.
    pub(super) fn field(
        &mut self,
        file: &str,
        pointer: impl Into<String>,
        what: impl Into<String>,
    ) {
        let pointer = pointer.into();
        self.add(Some(file.to_owned()), Some(pointer).filter(|it| !it.is_empty()), what.into());
    }

    fn add(&mut self, file: Option<String>, field: Option<String>, what: String) {
        if self.problems.len() >= PROBLEMS_FOUND_MAX {
            self.more += 1;
            return;
        }
        let package = self.package.clone();
        let problem = Problem { package, file, field, what, severity: Severity::Skipped };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Returns true if a problem of this file as a whole is known.
    pub(super) fn has_file(&self, file: &str) -> bool {
        self.problems.iter().any(|it| it.file.as_deref() == Some(file) && it.field.is_none())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        if self.more > 0 {
            self.problems.push(Problem {
                package: self.package,
                file: None,
                field: None,
                what: format!("has {} more problems, which are not shown", self.more),
                severity: Severity::Skipped,
            });
        }
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        PROBLEM_CHARS_MAX, PROBLEMS_FOUND_MAX, PROBLEMS_OF_ALL_MAX, PROBLEMS_REPORTED_MAX, Problem,
        ProblemList, Severity, reported_problems,
    };

    fn problem(package: &str, what: &str) -> Problem {
        let (package, what) = (package.to_owned(), what.to_owned());
        Problem { package, file: None, field: None, what, severity: Severity::Skipped }
    }

    #[test]
    fn a_package_with_many_problems_names_a_few_and_counts_the_others() {
        let many = (0..1_000).map(|number| problem("loud", &format!("fault {number}")));
        let reported = reported_problems(many.chain([problem("quiet", "one fault")]).collect());
        let text: Vec<String> = reported.iter().map(Problem::to_string).collect();
        assert_eq!(text.len(), PROBLEMS_REPORTED_MAX + 2);
        assert_eq!(text[PROBLEMS_REPORTED_MAX], "package `quiet`: one fault");
        let last = "package `loud`: has 992 more problems; `narratoria skill check` shows all";
        assert_eq!(text[PROBLEMS_REPORTED_MAX + 1], last);
    }

    #[test]
    fn a_list_collects_problems_up_to_its_limit() {
        let mut list = ProblemList::for_package("loud");
        (0..2_000).for_each(|number| list.file("a", format!("fault {number}")));
        let problems = list.into_problems();
        assert_eq!(problems.len(), PROBLEMS_FOUND_MAX + 1);
        assert!(problems.last().unwrap().what.starts_with("has 1500 more problems"));
    }

    proptest! {
        /// However many packages there are, and however long their messages: a start says little, and forgets no
        /// package.
        #[test]
        fn the_report_of_a_start_is_bounded_and_names_every_package(
            packages in proptest::collection::vec((0..20_usize, 0..600_usize), 1..60),
        ) {
            let names: Vec<String> = (0..packages.len()).map(|idx| format!("skill-{idx}")).collect();
            let all = names.iter().zip(&packages).flat_map(|(name, (count, length))| {
                let what = "\u{1b}".repeat(*length);
                (0..*count).map(move |number| problem(name, &format!("{number} {what}")))
            });
            let reported = reported_problems(all.collect());
            for (name, (count, _)) in names.iter().zip(&packages) {
                prop_assert_eq!(reported.iter().any(|it| it.package == *name), *count > 0);
            }
            let bytes: usize = reported.iter().map(|it| it.to_string().len()).sum();
            // An escape has six characters.
            let most = PROBLEMS_OF_ALL_MAX * (6 * PROBLEM_CHARS_MAX + 100) + names.len() * 100;
            prop_assert!(bytes <= most, "{} bytes", bytes);
        }
    }

    #[test]
    fn a_problem_reads_from_the_package_down_to_the_value() {
        let problem = Problem {
            package: "dice".to_owned(),
            file: Some("skill.json".to_owned()),
            field: Some("/scripts/0/timeout".to_owned()),
            what: "5 is less than the minimum of 1000".to_owned(),
            severity: Severity::Skipped,
        };
        insta::assert_snapshot!(problem, @"package `dice`: skill.json: /scripts/0/timeout: 5 is less than the minimum of 1000");
    }

    #[test]
    fn control_characters_of_a_package_never_reach_the_terminal() {
        let problem = Problem {
            package: "di\u{1b}[2Jce".to_owned(),
            file: None,
            field: None,
            what: "bell \u{7}".to_owned(),
            severity: Severity::Note,
        };
        insta::assert_snapshot!(problem, @r"package `di\u{1b}[2Jce`: bell \u{7}");
    }
}
