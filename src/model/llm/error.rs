//! Why a model cannot be loaded.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelLoadError {
    /// llama.cpp is compiled for newer processors, and would end the process.
    #[error(
        "this processor lacks {missing}, without which a model is too slow to use: \
         play without a model, or on another machine"
    )]
    Cpu {
        /// Such as `avx2, fma`.
        missing: String,
    },
    #[error("there is no model file `{path}`: download it first, or name another one", path = .path.display())]
    Missing { path: PathBuf },
    /// A folder, for instance.
    #[error("`{path}` is not a file: name the model's `.gguf` file itself", path = .path.display())]
    NotAFile { path: PathBuf },
    #[error("the model file `{path}` cannot be read: {reason}", path = .path.display())]
    Unreadable {
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// A web page, for instance.
    #[error(
        "`{path}` is not a GGUF file, it begins with `{begins}`: download the model's `.gguf` file again",
        path = .path.display()
    )]
    NotGguf {
        path: PathBuf,
        /// Its first bytes.
        begins: String,
    },
    /// An old or a future version, or a file for machines with the other byte order.
    #[error(
        "`{path}` is in version {version} of GGUF, 2 and 3 can be read: take another file of this model",
        path = .path.display()
    )]
    Version { path: PathBuf, version: u32 },
    #[error(
        "`{path}` has {bytes} bytes where its contents need {needed}: it was cut off, download it again",
        path = .path.display()
    )]
    Truncated {
        path: PathBuf,
        bytes: u64,
        /// A lower bound.
        needed: u64,
    },
    /// The header contradicts itself.
    #[error("`{path}` is damaged: {reason}; download it again", path = .path.display())]
    Damaged { path: PathBuf, reason: String },
    /// A process that tried the file ended.
    #[error(
        "the model `{path}` is not loaded, because a process that tried it {reason}: take another file of this model",
        path = .path.display()
    )]
    Crashes { path: PathBuf, reason: String },
    /// A model for embeddings or images, for instance.
    #[error(
        "the model `{path}` of the kind `{architecture}` does not write text: {reason}; \
         take one made for chats",
        path = .path.display()
    )]
    NotForText { path: PathBuf, architecture: String, reason: String },
    /// A model for chats, for instance.
    #[error(
        "the model `{path}` of the kind `{architecture}` gives texts no vectors: {reason}; \
         take one made for embeddings, such as `all-minilm-l6-v2`",
        path = .path.display()
    )]
    NotForEmbeddings { path: PathBuf, architecture: String, reason: String },
    #[error(
        "the model `{path}` needs {needed_mib} MiB of memory beside its file and {available_mib} MiB are free: \
         close other programs, or take a smaller model",
        path = .path.display()
    )]
    Memory {
        path: PathBuf,
        /// For the context and the computation.
        needed_mib: u64,
        /// The operating system's figure.
        available_mib: u64,
    },
    #[error("llama.cpp cannot load `{path}`: {reason}; take another model", path = .path.display())]
    Refused {
        path: PathBuf,
        /// llama.cpp's message.
        reason: String,
    },
}
