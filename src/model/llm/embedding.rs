//! A model that gives texts vectors, on a thread of its own.

use std::{
    num::NonZeroU32,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use llama_cpp_2::{
    context::{LlamaContext, params::LlamaContextParams},
    llama_batch::LlamaBatch,
    model::{LlamaModel, params::LlamaModelParams},
};
use narratoria_protocol::{TextEmbedder, digest::Sha256Hasher};

use super::{
    ModelLoadError,
    backend::{backend, or_default, with_llama_errors},
    gguf::{self, ModelPurpose},
    hardware,
};

/// Most tokens of a text that count: all-MiniLM-L6-v2 was trained for this number. A memory has some thirty.
const TEXT_TOKENS_MAX: usize = 256;
/// Most bytes of a text that are read: tokens are four on average, and rarely more than eight.
const TEXT_BYTES_MAX: usize = 16 * TEXT_TOKENS_MAX;
/// A text is so short that a second thread gains little, and loses much if a core is busy.
const THREADS: i32 = 1;
/// Texts that wait for the thread.
const WAITING_MAX: usize = 16;
/// How long a text may take; a small model takes some milliseconds.
const TEXT_TIME_MAX: Duration = Duration::from_secs(5);
/// Its vector identifies the model.
const PROBE: &str = "the keeper of the lighthouse has not slept for nine days";

/// A loaded model. It is unloaded when this value is dropped.
#[derive(Debug)]
pub struct EmbeddingModel {
    id: String,
    requests: mpsc::SyncSender<EmbeddingRequest>,
}

type EmbeddingResult = Result<Vec<f32>, String>;

struct EmbeddingRequest {
    text: String,
    reply: mpsc::SyncSender<EmbeddingResult>,
}

impl EmbeddingModel {
    /// Loads a model; takes some tenths of a second.
    pub fn load(path: &Path) -> Result<EmbeddingModel, ModelLoadError> {
        let missing = hardware::missing_instructions();
        if !missing.is_empty() {
            return Err(ModelLoadError::Cpu { missing: missing.join(", ") });
        }
        let header = gguf::read_header(path, ModelPurpose::Embeddings)?;
        let refused = |reason: String| ModelLoadError::Refused { path: path.to_owned(), reason };
        let backend =
            backend().ok_or_else(|| refused("it is in use by something else".to_owned()))?;
        let (loaded, complaints) = with_llama_errors(|| {
            // A graphics processor would give other numbers than those that are kept.
            let params = LlamaModelParams::default().with_n_gpu_layers(0);
            LlamaModel::load_from_file(backend, path, &params)
        });
        let model = loaded.map_err(|error| refused(or_default(complaints, &error.to_string())))?;
        let tokens = TEXT_TOKENS_MAX.min(header.context_tokens as usize);
        let size = u32::try_from(tokens).unwrap_or(u32::MAX);
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(size))
            .with_n_batch(size)
            .with_n_ubatch(size)
            .with_n_threads(THREADS)
            .with_n_threads_batch(THREADS)
            .with_op_offload(false)
            .with_offload_kqv(false)
            .with_embeddings(true);
        let (requests, received) = mpsc::sync_channel::<EmbeddingRequest>(WAITING_MAX);
        let (send_ready, ready) = mpsc::sync_channel(1);
        let model = Arc::new(model);
        let work = move || {
            let (made, complaints) = with_llama_errors(|| model.new_context(backend, params));
            let made = made.map_err(|error| or_default(complaints, &error.to_string()));
            let mut context = match made {
                Ok(context) => context,
                Err(reason) => return drop(send_ready.send(Err(reason))),
            };
            let mut embed = |text: &str| {
                catch_unwind(AssertUnwindSafe(|| embed(&model, &mut context, text, tokens)))
                    .unwrap_or_else(|_| Err("the embedding model failed".to_owned()))
            };
            if send_ready.send(embed(PROBE)).is_err() {
                return;
            }
            for EmbeddingRequest { text, reply } in received {
                // Fails if the caller no longer waits for the answer.
                let _ = reply.send(embed(&text));
            }
        };
        let spawned = thread::Builder::new().name("embedding".to_owned()).spawn(work);
        spawned.map_err(|error| refused(error.to_string()))?;
        let probe = ready.recv().unwrap_or_else(|_| Err("its thread has ended".to_owned()));
        let id = fingerprint(&probe.map_err(refused)?);
        Ok(EmbeddingModel { id, requests })
    }
}

impl TextEmbedder for EmbeddingModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        let (reply, result) = mpsc::sync_channel(1);
        let text = text[..text.floor_char_boundary(TEXT_BYTES_MAX)].to_owned();
        let request = EmbeddingRequest { text, reply };
        if self.requests.try_send(request).is_err() {
            return Err("the embedding model is busy".to_owned());
        }
        result.recv_timeout(TEXT_TIME_MAX).unwrap_or_else(|_| {
            Err(format!("the embedding model took more than {} s", TEXT_TIME_MAX.as_secs()))
        })
    }
}

/// Models that give the probe one vector are one model.
fn fingerprint(probe: &[f32]) -> String {
    let mut digest = Sha256Hasher::default();
    probe.iter().for_each(|number| digest.update(&number.to_le_bytes()));
    digest.hex()
}

fn embed(
    model: &LlamaModel,
    context: &mut LlamaContext<'_>,
    text: &str,
    tokens_max: usize,
) -> EmbeddingResult {
    let mut tokens = model.vocab().tokenize(text.as_bytes(), true, false);
    // The last one ends the text.
    if tokens.len() > tokens_max
        && let Some(end) = tokens.pop()
    {
        tokens.truncate(tokens_max - 1);
        tokens.push(end);
    }
    if tokens.is_empty() {
        return Err("a text without words has no vector".to_owned());
    }
    let mut batch = LlamaBatch::new(tokens.len(), 1);
    let failed = |error: &dyn std::fmt::Display| format!("the embedding model failed: {error}");
    batch.add_sequence(&tokens, 0, true).map_err(|error| failed(&error))?;
    context.encode(&mut batch).map_err(|error| failed(&error))?;
    let vector = context.embeddings_seq_ith(0).map_err(|error| failed(&error))?;
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if !length.is_finite() || length <= 0.0 {
        return Err(failed(&"its vector has no direction"));
    }
    Ok(vector.iter().map(|number| number / length).collect())
}
