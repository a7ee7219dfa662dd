//! What is wrong with a package, said so that its author finds the place.

use std::fmt;

use narratoria_protocol::visible::visible_word;

/// One thing wrong with, or worth knowing about, one package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Name of the package, or the path of the folder when there is no name yet.
    pub package: String,
    /// File inside the package.
    pub file: Option<String>,
    /// JSON pointer into that file; `None` for the file as a whole.
    pub field: Option<String>,
    /// What is wrong there: the value and the limit.
    pub what: String,
    /// What it means for the package.
    pub severity: Severity,
}

/// What a [`Problem`] means for the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The package was not loaded.
    Skipped,
    /// The package was loaded or was not needed; somebody may want to know.
    Note,
}

/// One line, whatever the package is called and says.
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

    /// About the package as a whole.
    pub(super) fn whole(&mut self, what: impl Into<String>) {
        self.add(None, None, what.into());
    }

    /// About one file as a whole.
    pub(super) fn file(&mut self, file: &str, what: impl Into<String>) {
        self.add(Some(file.to_owned()), None, what.into());
    }

    /// About one place in a JSON file.
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
