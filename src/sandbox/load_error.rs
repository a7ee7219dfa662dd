//! Errors of the sandbox and of loading components.

use std::{path::PathBuf, time::Duration};

use narratoria_protocol::visible::visible_line;
use narratoria_skills::{ComponentReadError, Grant};

#[derive(Debug, thiserror::Error)]
pub enum ComponentLoadError {
    /// wasmtime does not start.
    #[error("the sandbox cannot start: {0:#}")]
    Engine(wasmtime::Error),
    #[error("the cache folder `{}` cannot be used", folder.display())]
    Cache {
        folder: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("compiled components cannot be embedded in `{}`", program.display())]
    EmbeddedCode {
        program: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The file is missing, or not the one that was found.
    #[error(transparent)]
    Read(#[from] ComponentReadError),
    /// Found before compiling, see [`crate::preflight`].
    #[error("has {found} {what}, and {limit} are the most that a component may have")]
    LimitExceeded {
        what: &'static str,
        /// A lower bound: counting stops at the limit.
        found: u64,
        limit: u64,
    },
    #[error(
        "takes longer to compile than the {} s that a component may take; \
         `compile-seconds` under `[limits]` in `config.toml` allows more", limit.as_secs()
    )]
    CompileTooLong {
        /// [`COMPILE_TIME_MAX`](crate::COMPILE_TIME_MAX) on the wall clock, or
        /// [`COMPILE_CPU_SECONDS_MAX`](crate::COMPILE_CPU_SECONDS_MAX) on all processors together, and more for a
        /// large component.
        limit: Duration,
    },
    #[error(
        "takes more memory to compile than the {limit} bytes that a component may take; \
         `compile-memory-mib` under `[limits]` in `config.toml` allows more"
    )]
    CompileTooLarge {
        /// [`COMPILE_MEMORY_BYTES_MAX`](crate::COMPILE_MEMORY_BYTES_MAX).
        limit: u64,
    },
    #[error(
        "becomes {bytes} bytes of native code, and {limit} are the most that a component may become"
    )]
    CompiledTooLarge {
        bytes: u64,
        /// [`COMPILED_BYTES_MAX`](crate::COMPILED_BYTES_MAX).
        limit: u64,
    },
    /// The compiler's process died, or did not start.
    #[error("cannot be compiled: the compiler's process failed: {what}")]
    Compiler { what: String },
    /// [`Sandbox::stop_compiling`](crate::Sandbox::stop_compiling) was called.
    #[error("is not compiled: the host is about to end")]
    Stopped,
    /// wasmtime refuses the bytes.
    #[error("not a usable WebAssembly component: {what}")]
    NotAComponent {
        /// wasmtime's message.
        what: String,
    },
    #[error("imports `{import}`, which its manifest does not grant{}", grant_help(import))]
    NotGranted { import: String },
    /// The manifest grants it, but this host has no such service.
    #[error("imports `{import}`, which this host does not offer")]
    NotOffered { import: String },
    #[error("does not export `wasi:cli/run@0.2`: {what}")]
    RunNotExported {
        /// wasmtime's message.
        what: String,
    },
}

impl ComponentLoadError {
    pub(crate) fn not_a_component(error: &wasmtime::Error) -> ComponentLoadError {
        ComponentLoadError::NotAComponent { what: visible_line(&format!("{error:#}")) }
    }
}

fn grant_help(import: &str) -> String {
    match Grant::required_for_import(import) {
        Some(grant) => format!("; `skill.json` would need {}", grant.manifest_snippet()),
        None => "; no grant opens it".to_owned(),
    }
}
