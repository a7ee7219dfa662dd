//! The problems of a package, each with the place that its author must look at.

use std::fmt;

use narratoria_protocol::visible::visible_word;

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
        write!(f, "package `{}`: ", visible_word(&self.package))?;
        if let Some(file) = &self.file {
            write!(f, "{}: ", visible_word(file))?;
        }
        if let Some(field) = &self.field {
            write!(f, "{}: ", visible_word(field))?;
        }
        write!(f, "{}", visible_word(&self.what))
    }
}

/// Collects the problems of one package, so that its author sees all of them at once.
#[derive(Debug)]
pub(super) struct ProblemList {
    package: String,
    problems: Vec<Problem>,
}

impl ProblemList {
    pub(super) fn for_package(package: &str) -> ProblemList {
        ProblemList { package: package.to_owned(), problems: Vec::new() }
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
        let package = self.package.clone();
        let problem = Problem { package, file, field, what, severity: Severity::Skipped };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use super::{Problem, Severity};

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
