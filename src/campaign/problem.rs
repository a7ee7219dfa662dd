//! Problems of a campaign, and notes for its author: the file, the line, the value and the way out.

use std::fmt;

use narratoria_protocol::visible::{clip, visible_word};
use serde::Serialize;

/// Most errors and warnings of one campaign that are kept. An author corrects a few at a time.
pub const CAMPAIGN_PROBLEMS_MAX: usize = 200;

/// Most notes that are kept beside them.
pub const CAMPAIGN_NOTES_MAX: usize = 100;

/// Longest message, in characters. The folder chooses what a message quotes.
const MESSAGE_CHARS_MAX: usize = 400;

/// Longest path in a message, in characters.
const PATH_CHARS_MAX: usize = 160;

/// How much a [`CampaignProblem`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProblemWeight {
    /// The campaign cannot be played.
    Error,
    /// It can be played, and something in it has no effect or is likely a mistake.
    Warning,
    /// A part was understood, left out or generated.
    Note,
}

/// One finding about a campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CampaignProblem {
    /// Its weight.
    pub severity: ProblemWeight,
    /// Path within the folder, with `/`; empty for the folder itself.
    pub file: String,
    /// The line, from 1, if the file has lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The problem: the thing, the value, and the way out.
    pub message: String,
}

/// Always one line, because all parts are escaped.
impl fmt::Display for CampaignProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str, chars_max| visible_word(&clip(text, chars_max)).into_owned();
        if !self.file.is_empty() {
            write!(f, "{}", shown(&self.file, PATH_CHARS_MAX))?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        }
        match self.severity {
            ProblemWeight::Error => {}
            ProblemWeight::Warning => f.write_str("warning: ")?,
            ProblemWeight::Note => f.write_str("note: ")?,
        }
        write!(f, "{}", shown(&self.message, MESSAGE_CHARS_MAX))
    }
}

/// All findings of one campaign, bounded.
#[derive(Debug, Clone, Default)]
pub struct CampaignProblems {
    found: Vec<CampaignProblem>,
    counts: [usize; 3],
}

impl CampaignProblems {
    /// Adds an error.
    pub fn error(&mut self, file: &str, line: Option<usize>, message: String) {
        self.add(ProblemWeight::Error, file, line, message);
    }

    /// Adds a warning.
    pub fn warning(&mut self, file: &str, line: Option<usize>, message: String) {
        self.add(ProblemWeight::Warning, file, line, message);
    }

    /// Adds a note.
    pub fn note(&mut self, file: &str, line: Option<usize>, message: String) {
        self.add(ProblemWeight::Note, file, line, message);
    }

    /// Adds all that another list has.
    pub fn extend(&mut self, other: CampaignProblems) {
        for problem in other.found {
            self.add(problem.severity, &problem.file, problem.line, problem.message);
        }
    }

    fn add(&mut self, severity: ProblemWeight, file: &str, line: Option<usize>, message: String) {
        let [errors, warnings, notes] = self.counts;
        self.counts[severity as usize] += 1;
        let is_full = match severity {
            ProblemWeight::Note => notes >= CAMPAIGN_NOTES_MAX,
            _ => errors + warnings >= CAMPAIGN_PROBLEMS_MAX,
        };
        if !is_full {
            let problem = CampaignProblem { severity, file: file.to_owned(), line, message };
            self.found.push(problem);
        }
    }

    /// All that were kept: errors first, then by file and line.
    pub fn into_sorted(mut self) -> Vec<CampaignProblem> {
        self.found.sort_by(|a, b| {
            (a.severity, &a.file, a.line, &a.message)
                .cmp(&(b.severity, &b.file, b.line, &b.message))
        });
        self.found.dedup();
        self.found
    }

    /// Returns the problems that were kept, in the order of finding.
    pub fn iter(&self) -> impl Iterator<Item = &CampaignProblem> {
        self.found.iter()
    }

    /// How many errors there are.
    pub fn error_count(&self) -> usize {
        self.counts[0]
    }

    /// Returns true if there is an error.
    pub fn has_errors(&self) -> bool {
        self.counts[0] > 0
    }

    /// How many there are of one weight, kept or not.
    pub fn count(&self, severity: ProblemWeight) -> usize {
        self.counts[severity as usize]
    }
}
