//! What was measured of a model on this machine, kept for the next start and for `model list`.

use std::{fs, io, path::PathBuf};

use narratoria_protocol::{JsonBounds, digest::sha256, read_json_as};
use narratoria_skills::read_outside;
use serde::{Deserialize, Serialize};

use crate::settings::Home;

/// Longest record. The program itself writes it.
const RECORD_BYTES_MAX: usize = 64 << 10;

/// The measurements of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelRecord {
    /// The path of its file, or its address on a server.
    pub(crate) location: String,
    /// The size of its file. Another size is another model.
    pub(crate) bytes: u64,
    /// How well it tells apart what the planner asks, from a half for guesses to 1; `None` for a server that gives no
    /// probabilities.
    pub(crate) aptitude: Option<f64>,
    /// `None` until `model bench` has measured it.
    pub(crate) speed: Option<SpeedRecord>,
}

/// The speed of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SpeedRecord {
    /// Tokens a second.
    pub(crate) read_per_second: Option<f64>,
    pub(crate) written_per_second: Option<f64>,
    pub(crate) first_question_ms: u64,
    /// `None` for a server that gives no probabilities.
    pub(crate) question_ms: Option<u64>,
    /// When it was measured.
    pub(crate) at: String,
}

impl ModelRecord {
    /// Returns `None` if there is none, or if it cannot be read: it may be measured again.
    pub(crate) fn read(home: &Home, location: &str, bytes: u64) -> Option<ModelRecord> {
        let text = read_outside(&file(home, location), RECORD_BYTES_MAX as u64).ok()?;
        let record: ModelRecord =
            read_json_as(&text, JsonBounds::of_bytes(RECORD_BYTES_MAX)).ok()?;
        (record.location == location && record.bytes == bytes).then_some(record)
    }

    pub(crate) fn write(&self, home: &Home) -> io::Result<()> {
        let file = file(home, &self.location);
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, serde_json::to_vec(self)?)
    }
}

impl SpeedRecord {
    /// A few words for a list.
    pub(crate) fn short_text(&self) -> String {
        match self.question_ms {
            Some(ms) => format!("{:.1} s a question", seconds(ms)),
            None => "asks no questions".to_owned(),
        }
    }
}

pub(crate) fn seconds(ms: u64) -> f64 {
    std::time::Duration::from_millis(ms).as_secs_f64()
}

fn file(home: &Home, location: &str) -> PathBuf {
    home.model_records().join(sha256(location.as_bytes())).with_extension("json")
}
