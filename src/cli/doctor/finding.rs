//! A finding of `narratoria doctor`. Pure.

use serde_json::{Value, json};

/// How a finding is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FindingState {
    /// As it should be.
    Ok,
    /// Something is missing that not everybody needs, or something is about to matter.
    Note,
    /// Something does not work.
    Fault,
}

/// What was found of one thing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DoctorFinding {
    /// The part of the machine; that of the probe.
    pub(super) part: &'static str,
    pub(super) state: FindingState,
    /// A sentence.
    pub(super) text: String,
    /// The same for programs.
    pub(super) value: Value,
    /// A command that puts it right, or that leads further.
    pub(super) way_out: Option<String>,
}

impl FindingState {
    /// The stable word for programs.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            FindingState::Ok => "ok",
            FindingState::Note => "note",
            FindingState::Fault => "fault",
        }
    }
}

impl DoctorFinding {
    pub(super) fn ok(text: impl Into<String>, value: Value) -> DoctorFinding {
        DoctorFinding { part: "", state: FindingState::Ok, text: text.into(), value, way_out: None }
    }

    pub(super) fn note(
        text: impl Into<String>,
        value: Value,
        way_out: impl Into<String>,
    ) -> DoctorFinding {
        let way_out = Some(way_out.into());
        DoctorFinding { state: FindingState::Note, way_out, ..DoctorFinding::ok(text, value) }
    }

    pub(super) fn fault(
        text: impl Into<String>,
        value: Value,
        way_out: impl Into<String>,
    ) -> DoctorFinding {
        let way_out = Some(way_out.into());
        DoctorFinding { state: FindingState::Fault, way_out, ..DoctorFinding::ok(text, value) }
    }

    /// Returns an entry of `doctor-report.schema.json`.
    pub(super) fn document(&self) -> Value {
        json!({
            "part": self.part,
            "state": self.state.as_str(),
            "text": self.text,
            "value": self.value,
            "wayOut": self.way_out,
        })
    }
}

/// Returns a text as a shell reads it as one word.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:,=".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted("/people/zoë/x-1.db"), "/people/zoë/x-1.db");
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
        assert_eq!(quoted("$HOME"), "'$HOME'");
        assert_eq!(quoted(""), "''");
    }
}
