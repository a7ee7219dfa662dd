//! A mistake on a page, and its line.

use std::fmt;

/// A mistake on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFault {
    path: String,
    /// `None` if it concerns the whole file.
    line: Option<usize>,
    what: String,
}

impl TextFault {
    /// A mistake in a line, which is counted from 1.
    pub fn at(path: &str, line: usize, what: impl Into<String>) -> TextFault {
        TextFault { path: path.to_owned(), line: Some(line), what: what.into() }
    }

    /// A mistake of the whole file.
    pub fn of_file(path: &str, what: impl Into<String>) -> TextFault {
        TextFault { path: path.to_owned(), line: None, what: what.into() }
    }
}

impl fmt::Display for TextFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}:{line}: {}", self.path, self.what),
            None => write!(out, "{}: {}", self.path, self.what),
        }
    }
}

impl std::error::Error for TextFault {}
