//! Errors, as a developer reads them below "failed to run custom build command".

use std::{fmt, io, path::Path};

use crate::target::{LINKED, TARGET};

/// Why there are no components.
#[derive(Debug)]
pub enum WasmBuildError {
    /// Neither the toolchain that runs nor our own can compile for wasm32-wasip2.
    NoToolchain,
    /// A program that is needed did not start.
    CannotStart { program: String, source: io::Error },
    /// The inner cargo failed; its words were printed before.
    CargoFailed {
        /// The packages to build.
        packages: Vec<String>,
    },
    /// The inner cargo failed because `Cargo.lock` does not fit the manifests.
    LockOutOfDate,
    /// A package was named that has nothing to build.
    NoProgram { package: String },
    /// Two packages have a program of the same name.
    SameName {
        /// The name.
        bin: String,
        /// Both.
        packages: [String; 2],
    },
    /// The crate was used outside a build script.
    NotABuildScript {
        /// The variable that cargo would have set.
        missing: &'static str,
    },
    /// No `Cargo.lock` in any folder above the package.
    NoWorkspace {
        /// The folder in which the search began.
        from: String,
    },
    /// A file or folder refused.
    Io {
        /// The operation that failed.
        verb: &'static str,
        path: String,
        source: io::Error,
    },
}

impl WasmBuildError {
    /// An error of the file system.
    pub fn io(verb: &'static str, path: &Path, source: io::Error) -> WasmBuildError {
        WasmBuildError::Io { verb, path: path.display().to_string(), source }
    }
}

impl fmt::Display for WasmBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WasmBuildError::NoToolchain => write!(
                f,
                "no toolchain here compiles for {TARGET}: neither the current one nor `{LINKED}` has \
                 the target; run \"make setup\" once, it adds it"
            ),
            WasmBuildError::CannotStart { program, source } => {
                write!(f, "cannot start `{program}`: {source}")
            }
            WasmBuildError::CargoFailed { packages } => write!(
                f,
                "cargo could not build {} for {TARGET}; what it said is printed above",
                packages.join(", ")
            ),
            WasmBuildError::LockOutOfDate => write!(
                f,
                "`Cargo.lock` does not fit the manifests any more: run \"cargo check --workspace\" \
                 without --locked once and commit the changed `Cargo.lock`"
            ),
            WasmBuildError::NoProgram { package } => {
                write!(f, "package `{package}` has no program: put one into its `src/bin` folder")
            }
            WasmBuildError::SameName { bin, packages: [one, other] } => write!(
                f,
                "packages `{one}` and `{other}` both have a program `{bin}`: rename one of them"
            ),
            WasmBuildError::NotABuildScript { missing } => {
                write!(f, "`{missing}` is not set: this only works inside a build script")
            }
            WasmBuildError::NoWorkspace { from } => {
                write!(f, "no `Cargo.lock` in `{from}` or any folder above it")
            }
            WasmBuildError::Io { verb, path, source } => {
                write!(f, "cannot {verb} `{path}`: {source}")
            }
        }
    }
}

impl std::error::Error for WasmBuildError {}
