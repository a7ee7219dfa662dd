//! A model that llama.cpp runs in this process.

use std::{
    fmt,
    path::Path,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::{self, ThreadId},
    time::Duration,
};

use llama_cpp_2::{
    llama_backend::LlamaBackend,
    model::{LlamaModel, params::LlamaModelParams},
};
use serde_json::Value;
use tokio::sync::oneshot;

use super::{
    CONTEXT_TOKENS_MAX, Chat, ChooseJob, GenerateError, GenerateJob, GeneratedText,
    GeneratedTextSink, Grammar, LABELS_MAX, LabelProbabilities, Lane, LoadOptions, ModelInfo,
    ModelLoadError, Sampling,
    backend::{backend, or_default, with_llama_errors},
    gguf::{self, GgufHeader, ModelPurpose},
    grammar::GrammarCache,
    hardware,
    prefix_cache::PrefixCache,
    prompt::ChatFormat,
    queue::{JobOutput, JobQueue, JobResult},
    vocabulary::Vocabulary,
    worker::{self, WorkerSetup},
};

/// Fewest tokens of context: less has no room for a prompt and its reply.
const CONTEXT_TOKENS_MIN: u32 = 256;
/// How long the last handle waits for its thread. A computation stops within milliseconds; only writing a file may
/// take longer, and then the thread ends later on its own.
const EXIT_WAIT_MAX: Duration = Duration::from_millis(500);

/// A loaded model. Clones share it. It is unloaded when the last clone and the last pending text are dropped.
#[derive(Debug, Clone)]
pub(super) struct LocalModel(Arc<LoadedModel>);

struct LoadedModel {
    info: ModelInfo,
    lanes: [usize; 2],
    vocabulary: Arc<Vocabulary>,
    grammars: Arc<GrammarCache>,
    queue: Arc<JobQueue>,
    worker: ThreadId,
    exit: Arc<WorkerExit>,
}

impl fmt::Debug for LoadedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.fmt(f)
    }
}

/// Signals that the thread has ended.
#[derive(Default)]
struct WorkerExit {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl WorkerExit {
    fn notify(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn wait(&self, most: Duration) {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_timeout_while(is_over, most, |is_over| !*is_over));
    }
}

impl Drop for LoadedModel {
    fn drop(&mut self) {
        self.queue.close();
        // A text sink may hold the last handle: that thread cannot wait for itself.
        if thread::current().id() != self.worker {
            self.exit.wait(EXIT_WAIT_MAX);
        }
    }
}

impl LocalModel {
    /// Loads a model; takes seconds.
    pub(super) fn load(path: &Path, options: &LoadOptions) -> Result<LocalModel, ModelLoadError> {
        let missing = hardware::missing_instructions();
        if !missing.is_empty() {
            return Err(ModelLoadError::Cpu { missing: missing.join(", ") });
        }
        let header = gguf::read_header(path, ModelPurpose::Text)?;
        let refused = |reason: String| ModelLoadError::Refused { path: path.to_owned(), reason };
        let context_tokens =
            options.context_tokens.min(CONTEXT_TOKENS_MAX).min(header.context_tokens);
        let context_tokens = context_tokens.max(CONTEXT_TOKENS_MIN);
        let context_bytes = header.token_bytes.saturating_mul(u64::from(context_tokens));
        let available = crate::memory::memory_available();
        if let Some((needed_mib, available_mib)) =
            hardware::memory_shortfall(context_bytes, available)
        {
            let path = path.to_owned();
            return Err(ModelLoadError::Memory { path, needed_mib, available_mib });
        }
        let backend =
            backend().ok_or_else(|| refused("it is in use by something else".to_owned()))?;
        let (model, gpus) = load_weights(backend, path).map_err(refused)?;
        let model = Arc::new(model);
        let vocabulary = Arc::new(Vocabulary::new(Arc::clone(&model)).map_err(refused)?);
        let grammars = Arc::new(GrammarCache::new(&vocabulary).map_err(refused)?);
        let queue = Arc::new(JobQueue::default());
        let plan = context_tokens as usize * 3 / 4;
        let lanes = [plan, context_tokens as usize - plan];
        let setup = WorkerSetup {
            backend,
            chat_format: ChatFormat::of(&model, &vocabulary),
            vocabulary: Arc::clone(&vocabulary),
            grammars: Arc::clone(&grammars),
            queue: Arc::clone(&queue),
            lanes,
            threads: options.threads.get(),
            context_bytes,
            prefixes: options
                .prefix_folder
                .as_deref()
                .and_then(|folder| PrefixCache::open(folder, path)),
            model: Arc::clone(&model),
        };
        let exit = Arc::new(WorkerExit::default());
        let worker = start(setup, Arc::clone(&exit)).map_err(refused)?;
        let info = ModelInfo { gpus, ..info(path, &header, &model, context_tokens) };
        Ok(LocalModel(Arc::new(LoadedModel {
            info,
            lanes,
            vocabulary,
            grammars,
            queue,
            worker,
            exit,
        })))
    }

    pub(super) fn info(&self) -> &ModelInfo {
        &self.0.info
    }

    /// As [`Model::generate`](super::Model::generate).
    pub(super) fn generate(
        &self,
        job: GenerateJob,
        on_text: GeneratedTextSink,
    ) -> impl Future<Output = Result<GeneratedText, GenerateError>> + Send + 'static + use<> {
        let output = self.enqueue(job, Vec::new(), on_text);
        async move { output.await.map(|output| output.text) }
    }

    /// As [`Model::choose`](super::Model::choose).
    pub(super) fn choose(
        &self,
        job: ChooseJob,
    ) -> impl Future<Output = Result<LabelProbabilities, GenerateError>> + Send + 'static + use<>
    {
        let ChooseJob { client, lane, chat, labels, deadline, cancel } = job;
        let job = GenerateJob {
            client,
            lane,
            chat,
            grammar: None,
            tokens_max: 1,
            sampling: Sampling::Greedy,
            deadline,
            cancel,
        };
        let is_usable = (1..=LABELS_MAX).contains(&labels.len());
        let output = is_usable.then(|| self.enqueue(job, labels, Box::new(|_| {})));
        async move {
            let Some(output) = output else {
                let reason = format!("a question has 1 to {LABELS_MAX} answers");
                return Err(GenerateError::Failed { reason });
            };
            let JobOutput { text, logarithms } = output.await?;
            Ok(LabelProbabilities { logarithms, usage: text.usage })
        }
    }

    fn enqueue(
        &self,
        job: GenerateJob,
        labels: Vec<char>,
        on_text: GeneratedTextSink,
    ) -> impl Future<Output = JobResult> + Send + 'static + use<> {
        let (sender, mut reply) = oneshot::channel();
        let cancel = job.cancel.clone();
        let abandoned = Arc::new(AtomicBool::new(false));
        let pushed = self.0.queue.push((job, labels), on_text, sender, Arc::clone(&abandoned));
        let guard = AbandonGuard {
            id: pushed.as_ref().map_or(0, |id| *id),
            queue: Arc::clone(&self.0.queue),
            abandoned,
            _model: self.clone(),
        };
        async move {
            let id = pushed?;
            // Moved into the future, so that it is dropped with it.
            let guard = guard;
            let ended =
                |_| Err(GenerateError::Failed { reason: "its thread has ended".to_owned() });
            tokio::select! {
                biased;
                reply = &mut reply => return reply.unwrap_or_else(ended),
                () = cancel.cancelled() => {}
            }
            if guard.queue.withdraw(id) {
                return Err(GenerateError::Cancelled);
            }
            // The job runs, and checks the cancellation itself. Waiting for its reply means that the sink gets
            // nothing after this future has ended.
            reply.await.unwrap_or_else(ended)
        }
    }

    /// As [`Model::prefill`](super::Model::prefill).
    pub(super) fn prefill(&self, chat: Chat, lane: Lane, grammar: Option<Grammar>) {
        self.0.queue.push_prefill(chat, lane, grammar);
    }

    pub(super) fn count(&self, text: &str) -> usize {
        self.0.vocabulary.tokenize_plain(text).len()
    }

    pub(super) fn lane_tokens(&self, lane: Lane) -> usize {
        match lane {
            Lane::Plan => self.0.lanes[0],
            Lane::Prose => self.0.lanes[1],
        }
    }

    pub(super) fn can_write(&self, schema: &Value) -> Result<(), String> {
        self.0.grammars.check(schema)
    }
}

/// Cancels a job when its future is dropped.
struct AbandonGuard {
    id: u64,
    queue: Arc<JobQueue>,
    abandoned: Arc<AtomicBool>,
    /// Holds the model loaded while a future waits.
    _model: LocalModel,
}

impl Drop for AbandonGuard {
    fn drop(&mut self) {
        self.abandoned.store(true, Ordering::Relaxed);
        self.queue.withdraw(self.id);
    }
}

/// Starts both threads and waits until the contexts exist.
fn start(setup: WorkerSetup, exit: Arc<WorkerExit>) -> Result<ThreadId, String> {
    let (send_ready, ready) = mpsc::channel();
    let queue = Arc::clone(&setup.queue);
    let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
        let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
        spawned.map_err(|error| format!("no thread can be started: {error}"))
    };
    let work = move || {
        worker::run(setup, |ready| {
            let _ = send_ready.send(ready);
        });
        exit.notify();
    };
    let worker = spawn("narratoria-model", Box::new(work))?;
    ready.recv().map_err(|_| "its thread has ended".to_owned())??;
    let deadlines = Arc::clone(&queue);
    if let Err(error) = spawn("narratoria-queue", Box::new(move || deadlines.enforce_deadlines())) {
        queue.close();
        return Err(error);
    }
    Ok(worker.thread().id())
}

/// Loads the weights onto the graphics processors that this program can use and that are there; onto the processor if there
/// are none, or if they do not take it. Returns those that took it.
fn load_weights(backend: &LlamaBackend, path: &Path) -> Result<(LlamaModel, Vec<String>), String> {
    let load = |params: &LlamaModelParams| {
        let (loaded, problems) =
            with_llama_errors(|| LlamaModel::load_from_file(backend, path, params));
        loaded.map_err(|error| or_default(problems, &error.to_string()))
    };
    let gpus = hardware::gpus();
    if !gpus.is_empty() {
        match load(&LlamaModelParams::default()) {
            Ok(model) => return Ok((model, gpus)),
            Err(reason) => {
                let gpus = gpus.join(", ");
                tracing::warn!("the model is computed without {gpus}: {reason}");
            }
        }
    }
    let model = load(&LlamaModelParams::default().with_n_gpu_layers(0))?;
    Ok((model, Vec::new()))
}

fn info(path: &Path, header: &GgufHeader, model: &LlamaModel, context_tokens: u32) -> ModelInfo {
    let file_name = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    ModelInfo {
        name: header.name.clone().unwrap_or_else(file_name),
        architecture: header.architecture.clone(),
        parameters: model.n_params(),
        context_tokens,
        file_bytes: header.file_bytes,
        gpus: Vec::new(),
    }
}
