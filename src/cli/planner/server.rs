//! Connects to a model on a server.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_model::{
    llm::Model,
    server::{CONNECT_TIME, ConnectOptions, ServerAddress, ServerError},
};

use crate::clock_and_ids;

/// A model on a server, and where it may be.
#[derive(Debug, Clone)]
pub(super) struct ServerChoice {
    pub(super) address: ServerAddress,
    /// Hosts besides this machine that the configuration names.
    pub(super) hosts: Vec<String>,
    /// Nothing may be asked outside this machine.
    pub(super) is_offline: bool,
}

impl ServerChoice {
    /// Waits until the model has answered its first question.
    pub(super) fn connect(&self) -> Result<Model, TurnError> {
        if self.is_offline && !self.address.is_loopback() {
            let error = format!(
                "`{}` is not this machine, and nothing may be asked outside it",
                self.address.host()
            );
            return Err(TurnError::new(TurnErrorKind::Refused, error)
                .hint("leave out `--offline` and unset NARRATORIA_OFFLINE"));
        }
        let options = ConnectOptions {
            hosts: self.hosts.clone(),
            seed: clock_and_ids::draw_seed(),
            time: CONNECT_TIME,
        };
        Model::connect(&self.address, &options).map_err(server_error)
    }
}

fn server_error(error: ServerError) -> TurnError {
    let kind = match &error {
        ServerError::HostNotAllowed { .. } => TurnErrorKind::Refused,
        ServerError::NoModel { .. } | ServerError::NoSuchModel { .. } => TurnErrorKind::NotFound,
        ServerError::SeveralModels { .. } => TurnErrorKind::BadInput,
        ServerError::Unreachable { .. }
        | ServerError::NotReady { .. }
        | ServerError::Unknown { .. }
        | ServerError::NoAnswer { .. } => TurnErrorKind::Failed,
    };
    let hint = error.hint();
    let failed = TurnError::new(kind, error);
    hint.into_iter().fold(failed, TurnError::hint)
}
