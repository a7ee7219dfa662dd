//! Model files that other programs have stored on this machine: Ollama, LM Studio, llama.cpp and clients of the hub. Finds
//! them and reads their headers; writes nothing, links nothing, and downloads nothing.
//!
//! Folders and files belong to other programs, so the numbers of entries, levels and bytes that are read have limits.

mod cache_search;
mod find;
mod folder;
mod ollama;

#[cfg(test)]
mod tests;

use std::{fmt, path::PathBuf};

pub use find::find_models;

use crate::llm::GgufSummary;

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
