//! What is known of a model.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name in the file's header, otherwise the name of the file. With a server, its name there.
    pub name: String,
    /// Such as `phi3`. With a server that does not say it, the kind of the server.
    pub architecture: String,
    /// 0 if a server does not say it.
    pub parameters: u64,
    /// The size of the context that was created, which may be lower than the model's own.
    pub context_tokens: u32,
    /// 0 if a server does not say it.
    pub file_bytes: u64,
    /// The graphics processors that compute, as llama.cpp lists them. Empty if this machine's processor does, and with a
    /// server, which does not say it.
    pub gpus: Vec<String>,
}
