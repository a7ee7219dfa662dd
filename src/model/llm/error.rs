//! Why a model cannot be used.

use std::path::PathBuf;

/// Why a model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelLoadError {
    /// llama.cpp is compiled for a newer processor, and would end the process.
    #[error(
        "this processor lacks {missing}, without which a model is too slow to use: \
         play without a model, or on another machine"
    )]
    Cpu {
        /// Such as `avx2, fma`.
        missing: String,
    },
    /// Nothing is there.
    #[error("there is no model file `{path}`: download it first, or name another one", path = .path.display())]
    Missing {
        /// Where.
        path: PathBuf,
    },
    /// A folder, for instance.
    #[error("`{path}` is not a file: name the model's `.gguf` file itself", path = .path.display())]
    NotAFile {
        /// Where.
        path: PathBuf,
    },
    /// The operating system says no.
    #[error("the model file `{path}` cannot be read: {reason}", path = .path.display())]
    Unreadable {
        /// Where.
        path: PathBuf,
        /// In the system's words.
        reason: String,
    },
    /// Something else, a web page for instance.
    #[error(
        "`{path}` is not a GGUF file, it begins with `{begins}`: download the model's `.gguf` file again",
        path = .path.display()
    )]
    NotGguf {
        /// Where.
        path: PathBuf,
        /// Its first bytes.
        begins: String,
    },
    /// Of another time, or of a machine with the other byte order.
    #[error(
        "`{path}` is in version {version} of GGUF, 2 and 3 can be read: take another file of this model",
        path = .path.display()
    )]
    Version {
        /// Where.
        path: PathBuf,
        /// As the file has it.
        version: u32,
    },
    /// A part of it is missing.
    #[error(
        "`{path}` has {bytes} bytes where its contents need {needed}: it was cut off, download it again",
        path = .path.display()
    )]
    Truncated {
        /// Where.
        path: PathBuf,
        /// What there is.
        bytes: u64,
        /// What there should be, at least.
        needed: u64,
    },
    /// What it says of itself cannot be.
    #[error("`{path}` is damaged: {reason}; download it again", path = .path.display())]
    Damaged {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A good model, for something else.
    #[error(
        "the model `{path}` of the kind `{architecture}` does not write text: {reason}; \
         take one made for chats",
        path = .path.display()
    )]
    NotForText {
        /// Where.
        path: PathBuf,
        /// As the file has it.
        architecture: String,
        /// How one knows.
        reason: String,
    },
    /// The machine is too small right now.
    #[error(
        "the model `{path}` needs {needed_mib} MiB of memory beside its file and {available_mib} MiB are free: \
         close other programs, or take a smaller model",
        path = .path.display()
    )]
    Memory {
        /// Where.
        path: PathBuf,
        /// For the context and the computation.
        needed_mib: u64,
        /// As the operating system has it.
        available_mib: u64,
    },
    /// llama.cpp knows better.
    #[error("llama.cpp cannot load `{path}`: {reason}; take another model", path = .path.display())]
    Refused {
        /// Where.
        path: PathBuf,
        /// In its own words.
        reason: String,
    },
}
