//! Models behind a server on this machine: llama-server, Ollama, LM Studio, and others that speak OpenAI's protocol.
//! Finds out what a server is and whether it obeys a schema, asks it, and reads its answer. Knows nothing of model files,
//! plans and stories.
//!
//! Nothing that a server sends is trusted: each size has a limit, each request a deadline that closes the connection, and
//! no redirect is followed. A host other than loopback is refused unless the player's configuration names it.
//!
//! Servers differ in two ways. [`ServerKind`] says which requests one understands, and [`SchemaObedience`] whether it
//! writes under a schema: some ignore one without a word. `docs/models.md`, "A model that runs already", says the same to
//! players.

mod address;
mod answer;
mod ask;
mod canary;
mod chat_completions;
mod connection;
mod control_marks;
mod error;
mod event;
mod labels;
mod lists;
mod llama_server;
mod model;
mod ollama;
mod probe;
mod question;
mod thoughts;
mod token_estimate;

#[cfg(test)]
mod tests;

use std::{fmt, time::Duration};

pub use address::{AddressError, ServerAddress};
pub use canary::{SchemaObedience, Tryout, try_out};
pub use error::ServerError;
pub(crate) use model::ServerModel;
pub use probe::{ServedModel, ServerReport, probe};

/// The usual ports of llama-server, Ollama, LM Studio and vLLM.
pub const USUAL_PORTS: [u16; 4] = [8080, 11434, 1234, 8000];

/// The program behind an address, as far as it matters for requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    /// llama.cpp's own: `/completion` and `/apply-template`.
    LlamaServer,
    /// Its native interface, `/api/chat`: the other one cuts every prompt at the server's default length.
    Ollama,
    /// `/v1/chat/completions`, and `/api/v0/models` for what is loaded.
    LmStudio,
    /// Any other with `/v1/chat/completions`, such as vLLM.
    OpenAi,
}

impl fmt::Display for ServerKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            ServerKind::LlamaServer => "llama-server",
            ServerKind::Ollama => "Ollama",
            ServerKind::LmStudio => "LM Studio",
            ServerKind::OpenAi => "OpenAI-compatible",
        })
    }
}

/// How a server is connected to.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Hosts besides loopback that the player's configuration names.
    pub hosts: Vec<String>,
    /// Draws the word of the canary, so that no answer that was prepared can pass. Any number.
    pub seed: u64,
    /// The time for everything until the model can be used. A server may have to load the model first.
    pub time: Duration,
}

/// [`ConnectOptions::time`] where the caller has no reason for another: a model of several gigabytes is loaded from a slow
/// disk in that time.
pub const CONNECT_TIME: Duration = Duration::from_secs(60);
