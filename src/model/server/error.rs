//! Why a model behind a server cannot be used.

use super::connection::ConnectionError;

/// Names of models that an error lists.
const NAMES_SHOWN_MAX: usize = 8;

/// Why a server or its model cannot be used. `base` is the address without the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The story would leave the machine.
    #[error(
        "`{host}` is not this machine, and the configuration does not name it as a server of models"
    )]
    HostNotAllowed { host: String },
    #[error("no server answers at {base}: {why}")]
    Unreachable { base: String, why: String },
    /// It loads a model, or closes.
    #[error("the server at {base} is not ready: {why}")]
    NotReady { base: String, why: String },
    /// It answers, and no request that is known gets an answer of the right form.
    #[error("{base} is no server of models that is known: {why}")]
    Unknown { base: String, why: String },
    #[error("the server at {base} has no model")]
    NoModel { base: String },
    #[error("the server at {base} has no model `{model}`; it has {}", listed(models))]
    NoSuchModel { base: String, model: String, models: Vec<String> },
    /// The address names none of them.
    #[error("the server at {base} has several models: {}", listed(models))]
    SeveralModels { base: String, models: Vec<String> },
    /// The first request for a text failed.
    #[error("`{model}` at {base} gives no answer: {why}")]
    NoAnswer { base: String, model: String, why: String },
}

impl ServerError {
    pub(super) fn of_connection(base: String, error: ConnectionError) -> ServerError {
        match error {
            ConnectionError::Unreachable { why } => ServerError::Unreachable { base, why },
            ConnectionError::Status { status: 503, said } => {
                ServerError::NotReady { base, why: said }
            }
            error => ServerError::Unknown { base, why: error.to_string() },
        }
    }

    /// The way out.
    pub fn hint(&self) -> Option<String> {
        match self {
            ServerError::HostNotAllowed { host } => Some(format!(
                "your sentences and your story would be sent there; to allow it, write \
                 `server-hosts = [\"{host}\"]` below `[model]` in config.toml"
            )),
            ServerError::Unreachable { .. } | ServerError::Unknown { .. } => {
                Some("`narratoria model find` lists the servers of this machine".to_owned())
            }
            ServerError::NoModel { .. } => Some("load a model there first".to_owned()),
            ServerError::NoSuchModel { base, models, .. }
            | ServerError::SeveralModels { base, models } => models
                .first()
                .map(|model| format!("name one after the address, such as `{base}/{model}`")),
            ServerError::NotReady { .. } | ServerError::NoAnswer { .. } => None,
        }
    }
}

fn listed(models: &[String]) -> String {
    let shown: Vec<String> =
        models.iter().take(NAMES_SHOWN_MAX).map(|model| format!("`{model}`")).collect();
    match models.len().saturating_sub(NAMES_SHOWN_MAX) {
        0 if shown.is_empty() => "none".to_owned(),
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
