//! Why a package was not built.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why there are no components.
#[derive(Debug, thiserror::Error)]
pub enum PackageBuildError {
    /// Nothing to build there.
    #[error("`{}` is not a package: it has no `skill.json`", folder.display())]
    NoPackage {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The manifest does not say which scripts there are.
    #[error("`{}` cannot be used: {what}", path.display())]
    BadManifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A script that nothing makes.
    #[error(
        "script `{script}` has no source: neither `Cargo.toml` nor `src/{module}.py`, `src/{stem}.mjs`, \
         `src/{stem}.js` or `src/{stem}.c` is there"
    )]
    NoSource {
        /// Which.
        script: String,
        /// Its file's name for Python.
        module: String,
        /// Its file's name for the rest.
        stem: String,
    },
    /// A part of the sources is not there.
    #[error("`{}` is missing: {why}", path.display())]
    Missing {
        /// Which.
        path: PathBuf,
        /// What it is good for.
        why: &'static str,
    },
    /// The tools of the language are not installed.
    #[error("{what}")]
    NoTool {
        /// What was looked for, and where.
        what: String,
        /// What to install and how, a sentence each.
        help: Vec<String>,
    },
    /// A tool was there and did not start.
    #[error("`{program}` cannot be started")]
    CannotStart {
        /// Which.
        program: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A tool failed; its own words were shown before.
    #[error("`{program}` failed ({status}); what it said is above")]
    ToolFailed {
        /// Which.
        program: String,
        /// Its exit.
        status: String,
    },
    /// Cargo is content and has no such program.
    #[error("cargo built no program `{program}`: `Cargo.toml` needs a `[[bin]]` of that name")]
    NoProgram {
        /// The name that the script's file has.
        program: String,
    },
    /// Somebody pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// The disk refused.
    #[error("`{}` cannot be used", path.display())]
    Io {
        /// What was being read or written.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl PackageBuildError {
    pub(super) fn io(path: &Path, source: io::Error) -> PackageBuildError {
        PackageBuildError::Io { path: path.to_owned(), source }
    }
}
