//! The handle of a model, wherever it runs.

use std::path::Path;

use serde_json::Value;

use super::{
    Chat, ChooseJob, GenerateError, GenerateJob, GeneratedText, GeneratedTextSink, Grammar,
    LabelProbabilities, Lane, LoadOptions, ModelInfo, ModelLoadError, local_model::LocalModel,
};
use crate::server::{ConnectOptions, ServerAddress, ServerError, ServerModel};

/// A model that can be asked. Clones share it.
#[derive(Debug, Clone)]
pub struct Model(Backend);

#[derive(Debug, Clone)]
enum Backend {
    Local(LocalModel),
    Server(ServerModel),
}

impl Model {
    /// Loads a model; takes seconds. It is unloaded when the last clone and the last pending text are dropped.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Model, ModelLoadError> {
        LocalModel::load(path, options).map(|model| Model(Backend::Local(model)))
    }

    /// Uses a model that a server has loaded or can load. Blocks until it has answered its first question, and at most for
    /// the time of the options.
    pub fn connect(
        address: &ServerAddress,
        options: &ConnectOptions,
    ) -> Result<Model, ServerError> {
        ServerModel::connect(address, options).map(|model| Model(Backend::Server(model)))
    }

    pub fn info(&self) -> &ModelInfo {
        match &self.0 {
            Backend::Local(model) => model.info(),
            Backend::Server(model) => model.info(),
        }
    }

    /// What a player should know of this model, on one line: a server that ignores schemas makes no plans. `None` if there is
    /// nothing.
    pub fn warning(&self) -> Option<String> {
        match &self.0 {
            Backend::Local(_) => None,
            Backend::Server(model) => model.warning(),
        }
    }

    /// Writes a text. This call puts the job into the queue, or sends it to the server; the future only waits for it.
    /// Dropping the future cancels the job.
    ///
    /// A server's text is under the grammar only if the server obeys it, so the caller checks the text. A server that
    /// ignored the schema of its first question gets no job with a grammar: [`GenerateError::Grammar`].
    pub fn generate(
        &self,
        job: GenerateJob,
        on_text: GeneratedTextSink,
    ) -> impl Future<Output = Result<GeneratedText, GenerateError>> + Send + 'static + use<> {
        let (local, server) = match &self.0 {
            Backend::Local(model) => (Some(model.generate(job, on_text)), None),
            Backend::Server(model) => (None, Some(model.generate(job, on_text))),
        };
        either(local, server)
    }

    /// Says how probable each label is as the answer. Otherwise like [`Model::generate`]. Fails with a server that gives no
    /// probabilities.
    pub fn choose(
        &self,
        job: ChooseJob,
    ) -> impl Future<Output = Result<LabelProbabilities, GenerateError>> + Send + 'static + use<>
    {
        let (local, server) = match &self.0 {
            Backend::Local(model) => (Some(model.choose(job)), None),
            Backend::Server(model) => (None, Some(model.choose(job))),
        };
        either(local, server)
    }

    /// Reads a prompt ahead of time, up to the last part that outlives a job. A newer request for a lane replaces
    /// an older one; any job goes first. Does nothing with a server: a request there could not be overtaken.
    pub fn prefill(&self, chat: Chat, lane: Lane, grammar: Option<Grammar>) {
        if let Backend::Local(model) = &self.0 {
            model.prefill(chat, lane, grammar);
        }
    }

    /// The number of tokens of a plain text; with a server an estimate, which is above the number for ordinary text.
    pub fn count(&self, text: &str) -> usize {
        match &self.0 {
            Backend::Local(model) => model.count(text),
            Backend::Server(model) => model.count(text),
        }
    }

    /// The size of a lane's context, for prompt and text together.
    pub fn lane_tokens(&self, lane: Lane) -> usize {
        match &self.0 {
            Backend::Local(model) => model.lane_tokens(lane),
            Backend::Server(model) => model.lane_tokens(),
        }
    }

    /// Checks that a schema can be a grammar; the error is the reason. Passes every schema with a server, which says so only
    /// when it is asked to write under it.
    pub fn can_write(&self, schema: &Value) -> Result<(), String> {
        match &self.0 {
            Backend::Local(model) => model.can_write(schema),
            Backend::Server(_) => Ok(()),
        }
    }
}

/// The result of the future that there is.
async fn either<T>(
    local: Option<impl Future<Output = Result<T, GenerateError>>>,
    server: Option<impl Future<Output = Result<T, GenerateError>>>,
) -> Result<T, GenerateError> {
    match (local, server) {
        (Some(local), _) => local.await,
        (None, Some(server)) => server.await,
        (None, None) => Err(GenerateError::Cancelled),
    }
}
