//! The errors of a build.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a package cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum PackageBuildError {
    #[error("`{}` is not a package: it has no `skill.json`", folder.display())]
    NoPackage { folder: PathBuf },
    /// The manifest does not list its scripts as it should.
    #[error("`{}` cannot be used: {what}", path.display())]
    BadManifest { path: PathBuf, what: String },
    #[error(
        "script `{script}` has no source: neither `Cargo.toml` nor `src/{module}.py`, `src/{stem}.mjs`, \
         `src/{stem}.js` or `src/{stem}.c` is there"
    )]
    NoSource {
        script: String,
        /// Its file's name for Python.
        module: String,
        /// Its file's name for the rest.
        stem: String,
    },
    #[error("`{}` is missing: {why}", path.display())]
    Missing { path: PathBuf, why: &'static str },
    #[error("{what}")]
    NoTool {
        /// The missing tool and the places that were searched.
        what: String,
        /// How to install it, a sentence each.
        help: Vec<String>,
    },
    #[error("`{program}` cannot be started")]
    CannotStart {
        program: String,
        #[source]
        source: io::Error,
    },
    /// A tool failed; its own output was shown before.
    #[error("`{program}` failed ({status}); what it said is above")]
    ToolFailed { program: String, status: String },
    /// Cargo succeeded without a program of this name.
    #[error("cargo built no program `{program}`: `Cargo.toml` needs a `[[bin]]` of that name")]
    NoProgram {
        /// The stem of the script's file.
        program: String,
    },
    #[error("interrupted")]
    Interrupted,
    #[error("`{}` cannot be used", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl PackageBuildError {
    pub(super) fn io(path: &Path, source: io::Error) -> PackageBuildError {
        PackageBuildError::Io { path: path.to_owned(), source }
    }
}
