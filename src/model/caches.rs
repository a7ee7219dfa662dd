//! Model files that other programs have stored on this machine: Ollama, LM Studio, llama.cpp and clients of the hub. Finds
//! them and reads their headers; writes nothing, links nothing, and downloads nothing.
//!
//! Folders and files belong to other programs, so the numbers of entries, levels and bytes that are read have limits.

mod folder;
mod ollama;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    fmt, fs,
    path::{Path, PathBuf},
};

use narratoria_skills::open_outside;

use crate::llm::{GgufSummary, read_summary};

/// Most model files whose headers are read.
pub const FOUND_FILES_MAX: usize = 500;

/// A program that stores models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheProgram {
    /// Manifests that name blobs.
    Ollama,
    /// `<owner>/<repo>/<file>.gguf`.
    LmStudio,
    /// `<file>.gguf`.
    LlamaCpp,
    /// `models--<owner>--<repo>/snapshots/<commit>/<file>.gguf`, as links.
    Hub,
}

impl fmt::Display for CacheProgram {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            CacheProgram::Ollama => "Ollama",
            CacheProgram::LmStudio => "LM Studio",
            CacheProgram::LlamaCpp => "llama.cpp",
            CacheProgram::Hub => "hub",
        })
    }
}

/// A folder where a program may store models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachePlace {
    pub program: CacheProgram,
    /// It need not exist.
    pub folder: PathBuf,
}

/// A model file that can be used where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundModel {
    pub path: PathBuf,
    pub program: CacheProgram,
    /// The name that the program has for it, such as `qwen3:4b`; `None` if that is the path.
    pub known_as: Option<String>,
    pub summary: GgufSummary,
}

/// A file or folder that cannot be used, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableFile {
    pub path: PathBuf,
    pub program: CacheProgram,
    pub why: String,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundModels {
    /// By program in the order of the places, then by path.
    pub models: Vec<FoundModel>,
    pub unusable: Vec<UnusableFile>,
    /// A limit ended the search, so there may be more.
    pub is_cut: bool,
}

/// Searches these places, which are read and never written.
pub fn find_models(places: &[CachePlace]) -> FoundModels {
    let mut search = Search::default();
    for CachePlace { program, folder } in places {
        match program {
            CacheProgram::Ollama => ollama::search(folder, &mut search),
            program => folder::search(folder, *program, &mut search),
        }
    }
    search.found
}

/// What was found so far.
#[derive(Debug, Default)]
struct Search {
    found: FoundModels,
    /// Targets of all links that were followed: a hub has a file once for each commit.
    seen: BTreeSet<PathBuf>,
}

impl Search {
    /// Reads the header of a file. Returns false if the limit is reached.
    fn add_file(&mut self, path: &Path, program: CacheProgram, known_as: Option<String>) -> bool {
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

    fn add_unusable(&mut self, path: &Path, program: CacheProgram, why: String) {
        if self.found.unusable.len() < FOUND_FILES_MAX {
            self.found.unusable.push(UnusableFile { path: path.to_owned(), program, why });
        } else {
            self.found.is_cut = true;
        }
    }
}
