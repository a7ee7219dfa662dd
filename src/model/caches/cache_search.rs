//! What a search has found so far.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use narratoria_skills::open_outside;

use super::{CacheProgram, FOUND_FILES_MAX, FoundModel, FoundModels, UnusableFile};
use crate::llm::read_summary;

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct CacheSearch {
    pub(super) found: FoundModels,
    /// Targets of all links that were followed: a hub has a file once for each commit.
    seen: BTreeSet<PathBuf>,
}

impl CacheSearch {
    /// Reads the header of a file. Returns false if the limit is reached.
    pub(super) fn add_file(
        &mut self,
        path: &Path,
        program: CacheProgram,
        known_as: Option<String>,
    ) -> bool {
        if self.found.models.len() + self.found.unusable.len() >= FOUND_FILES_MAX {
            self.found.is_cut = true;
            return false;
        }
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if known_as.is_none() && !self.seen.insert(target) {
            return true;
        }
        let file = open_outside(path).map_err(|error| error.to_string());
        let path = path.to_owned();
        match file.and_then(read_summary) {
            Ok(summary) if summary.writes_text => {
                self.found.models.push(FoundModel { path, program, known_as, summary });
            }
            Ok(summary) => {
                let why = format!("a model of the kind `{}` writes no text", summary.architecture);
                self.found.unusable.push(UnusableFile { path, program, why });
            }
            Err(why) => self.found.unusable.push(UnusableFile { path, program, why }),
        }
        true
    }

    pub(super) fn add_unusable(&mut self, path: &Path, program: CacheProgram, why: String) {
        if self.found.unusable.len() < FOUND_FILES_MAX {
            self.found.unusable.push(UnusableFile { path: path.to_owned(), program, why });
        } else {
            self.found.is_cut = true;
        }
    }
}
