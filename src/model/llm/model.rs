//! The handle of a model, wherever it runs.

use std::path::Path;

use serde_json::Value;

use super::{
    Chat, ChooseJob, GenerateError, GenerateJob, GeneratedText, GeneratedTextSink, Grammar,
    LabelProbabilities, Lane, LoadOptions, ModelInfo, ModelLoadError, local_model::LocalModel,
};

/// A model that can be asked. Clones share it.
#[derive(Debug, Clone)]
pub struct Model(LocalModel);

impl Model {
    /// Loads a model; takes seconds. It is unloaded when the last clone and the last pending text are dropped.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Model, ModelLoadError> {
        LocalModel::load(path, options).map(Model)
    }

    pub fn info(&self) -> &ModelInfo {
        self.0.info()
    }

    /// Writes a text. This call puts the job into the queue; the future only waits for it. Dropping the future
    /// cancels the job.
    pub fn generate(
        &self,
        job: GenerateJob,
        on_text: GeneratedTextSink,
    ) -> impl Future<Output = Result<GeneratedText, GenerateError>> + Send + 'static + use<> {
        self.0.generate(job, on_text)
    }

    /// Says how probable each label is as the answer. Otherwise like [`Model::generate`].
    pub fn choose(
        &self,
        job: ChooseJob,
    ) -> impl Future<Output = Result<LabelProbabilities, GenerateError>> + Send + 'static + use<>
    {
        self.0.choose(job)
    }

    /// Reads a prompt ahead of time, up to the last part that outlives a job. A newer request for a lane replaces
    /// an older one; any job goes first.
    pub fn prefill(&self, chat: Chat, lane: Lane, grammar: Option<Grammar>) {
        self.0.prefill(chat, lane, grammar);
    }

    /// The number of tokens of a plain text.
    pub fn count(&self, text: &str) -> usize {
        self.0.count(text)
    }

    /// The size of a lane's context, for prompt and text together.
    pub fn lane_tokens(&self, lane: Lane) -> usize {
        self.0.lane_tokens(lane)
    }

    /// Checks that a schema can be a grammar; the error is the reason.
    pub fn can_write(&self, schema: &Value) -> Result<(), String> {
        self.0.can_write(schema)
    }
}
