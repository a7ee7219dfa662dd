//! The thread that owns the contexts. It runs jobs first, then saves prefixes to disk, then reads prompts ahead.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use llama_cpp_2::{llama_backend::LlamaBackend, model::LlamaModel};
use llguidance::Matcher;
use tokio_util::sync::CancellationToken;

use super::{
    Chat, GenerateError, GenerateJob, GenerateUsage, GeneratedText, Grammar, Lane,
    abort::{AbortCheck, AbortConditions, ComputeAbortReason},
    grammar::GrammarCache,
    lane::{ComputeError, LaneContext},
    prefix_cache::{PREFIX_BYTES_MAX, PrefixCache},
    prompt::{self, ChatFormat, TokenizedPrompt},
    queue::{JobOutput, JobQueue, NextWork, PrefillRequest, QueuedJob, WAITED},
    sample::Sampler,
    text_generator::TextGenerator,
    utf8::Utf8Decoder,
    vocabulary::Vocabulary,
};
use crate::processor::{FreeCores, ProcessorTimes};

/// The stage of a job that timed out, for [`GenerateError::TimedOut`].
const READ: &str = "read the prompt";
const WROTE: &str = "wrote";

/// Everything that the thread needs.
pub(super) struct WorkerSetup {
    pub backend: &'static LlamaBackend,
    pub model: Arc<LlamaModel>,
    pub vocabulary: Arc<Vocabulary>,
    pub grammars: Arc<GrammarCache>,
    pub queue: Arc<JobQueue>,
    pub chat_format: ChatFormat,
    /// Context tokens of [`Lane::Plan`] and [`Lane::Prose`].
    pub lanes: [usize; 2],
    /// Most threads that compute; fewer while other processes need the cores.
    pub threads: usize,
    /// Memory of both contexts.
    pub context_bytes: u64,
    pub prefixes: Option<PrefixCache>,
}

/// Creates the contexts, reports the result to `ready`, and works until the queue is closed.
pub(super) fn run(mut setup: WorkerSetup, ready: impl FnOnce(Result<(), String>)) {
    let abort = Arc::new(AbortCheck::new(Arc::clone(&setup.queue)));
    let model = Arc::clone(&setup.model);
    let threads = i32::try_from(setup.threads).unwrap_or(i32::MAX);
    let open = |tokens| LaneContext::open(setup.backend, &model, tokens, threads, &abort);
    let lanes = open(setup.lanes[0]).and_then(|plan| Ok([plan, open(setup.lanes[1])?]));
    let lanes = match lanes {
        Ok(lanes) => lanes,
        Err(error) => return ready(Err(error)),
    };
    ready(Ok(()));
    let prefixes = setup.prefixes.take();
    let cores = FreeCores::new(setup.threads);
    let abort = Arc::clone(&abort);
    let mut worker = Worker { lanes, setup: &setup, model: &model, cores, abort, prefixes };
    worker.work();
    if let Some(prefixes) = &mut worker.prefixes {
        prefixes.finish();
    }
}

struct Worker<'m> {
    lanes: [LaneContext<'m>; 2],
    setup: &'m WorkerSetup,
    model: &'m LlamaModel,
    cores: FreeCores,
    abort: Arc<AbortCheck>,
    prefixes: Option<PrefixCache>,
}

fn index(lane: Lane) -> usize {
    match lane {
        Lane::Plan => 0,
        Lane::Prose => 1,
    }
}

impl Worker<'_> {
    fn work(&mut self) {
        loop {
            let has_unsaved = self.lanes.iter().any(|lane| lane.unsaved.is_some());
            match self.setup.queue.next(has_unsaved) {
                NextWork::Job(queued) => {
                    self.follow_free_cores();
                    self.run_job(*queued);
                }
                NextWork::Idle => self.save(),
                NextWork::Prefill(prefill) => {
                    self.follow_free_cores();
                    self.prefill(prefill);
                }
                // A short run of the program may have no idle moment.
                NextWork::Closed => return self.save(),
            }
        }
    }

    /// Two threads beside a busy core are slower than one.
    fn follow_free_cores(&mut self) {
        let Some(threads) = self.cores.look(ProcessorTimes::now()) else { return };
        let threads = i32::try_from(threads).unwrap_or(i32::MAX);
        let WorkerSetup { backend, context_bytes, .. } = self.setup;
        for lane in &mut self.lanes {
            lane.take_threads(backend, self.model, threads, *context_bytes);
        }
    }

    fn run_job(&mut self, queued: QueuedJob) {
        let QueuedJob { job, labels, mut on_text, reply, abandoned, since, .. } = queued;
        let mut usage = GenerateUsage { queued: since.elapsed(), ..GenerateUsage::default() };
        self.abort.arm(AbortConditions {
            deadline: Some(job.deadline),
            cancel: job.cancel.clone(),
            abandoned,
            yields_to_jobs: false,
        });
        let mut doing = WAITED;
        let lane = index(job.lane);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            self.answer((&job, &labels), &mut on_text, &mut usage, &mut doing)
        }));
        let result = match caught {
            Ok(Ok(generated)) => Ok(generated),
            Ok(Err(JobError::Generate(error))) => Err(error),
            Ok(Err(JobError::Compute(ComputeError::Stopped))) => Err(match self.abort.reason() {
                Some(ComputeAbortReason::Deadline) => GenerateError::TimedOut { doing },
                _ => GenerateError::Cancelled,
            }),
            Ok(Err(JobError::Compute(ComputeError::Failed(reason)))) => {
                self.lanes[lane].reset();
                Err(GenerateError::Failed { reason })
            }
            Err(_) => {
                self.lanes[lane].reset();
                Err(GenerateError::Failed { reason: "something panicked".to_owned() })
            }
        };
        // Fails if the future was dropped.
        let _ = reply.send(result);
    }

    /// Reads the prompt, then writes; or only compares the labels, if there are any.
    fn answer(
        &mut self,
        (job, labels): (&GenerateJob, &[char]),
        on_text: &mut super::GeneratedTextSink,
        usage: &mut GenerateUsage,
        doing: &mut &'static str,
    ) -> Result<JobOutput, JobError> {
        if self.abort.reason().is_some() {
            return Err(JobError::Compute(ComputeError::Stopped));
        }
        *doing = READ;
        let start = Instant::now();
        let matcher = self.matcher(job.grammar.as_ref(), usage)?;
        let limit = self.lanes[index(job.lane)].limit().saturating_sub(job.tokens_max);
        let prompt = self.prompt(&job.chat, limit)?;
        usage.prompt = prompt.tokens.len();
        let last = prompt.splits.iter().rev().nth(1).copied().unwrap_or(0);
        usage.reused = self.reuse_prefix(job.lane, &prompt, last);
        let lane = &mut self.lanes[index(job.lane)];
        usage.restored = lane.restored();
        let read = lane.read(&prompt, prompt.tokens.len());
        if prompt.disk_end > 0 && lane.common_prefix_len(&prompt) >= prompt.disk_end {
            lane.unsaved = Some(prompt.disk_end);
        }
        read.map_err(JobError::Compute)?;
        usage.prefill = start.elapsed();
        if !labels.is_empty() {
            let logarithms = label_logarithms(lane.logits(), &self.setup.vocabulary, labels)?;
            let text = GeneratedText { text: String::new(), is_complete: true, usage: *usage };
            return Ok(JobOutput { text, logarithms });
        }
        *doing = WROTE;
        let start = Instant::now();
        let mut writer = TextGenerator {
            lane,
            vocabulary: &self.setup.vocabulary,
            sampler: Sampler::new(job.sampling),
            on_text,
            usage,
            tokens_left: job.tokens_max,
            text: String::new(),
            decoder: Utf8Decoder::default(),
        };
        let is_complete = writer.write(matcher).map_err(JobError::Compute)?;
        let text = writer.text;
        usage.decode = start.elapsed();
        let text = GeneratedText { text, is_complete, usage: *usage };
        Ok(JobOutput { text, logarithms: Vec::new() })
    }

    fn matcher(
        &self,
        grammar: Option<&Grammar>,
        usage: &mut GenerateUsage,
    ) -> Result<Option<Matcher>, JobError> {
        let Some(grammar) = grammar else { return Ok(None) };
        let start = Instant::now();
        let made = self.setup.grammars.matcher(&grammar.schema);
        usage.constraint += start.elapsed();
        match made {
            Ok(matcher) => Ok(Some(matcher)),
            Err(reason) => Err(JobError::Generate(GenerateError::Grammar { reason })),
        }
    }

    fn prompt(&self, chat: &Chat, limit: usize) -> Result<TokenizedPrompt, JobError> {
        let setup = self.setup;
        match prompt::build(chat, &setup.chat_format, &setup.model, &setup.vocabulary, limit) {
            Ok(prompt) if prompt.tokens.is_empty() => {
                let reason = "the prompt is empty".to_owned();
                Err(JobError::Generate(GenerateError::Failed { reason }))
            }
            Ok(prompt) => Ok(prompt),
            Err(tokens) => Err(JobError::Generate(GenerateError::TooLong { tokens, limit })),
        }
    }

    /// Rewinds the context to the prefix that it shares with the prompt, or restores a longer one from a file.
    /// Reuses at most `last` tokens, which is a split: logits exist only after reading at least one more token.
    fn reuse_prefix(&mut self, lane: Lane, prompt: &TokenizedPrompt, last: usize) -> usize {
        let context = &mut self.lanes[index(lane)];
        let read = context.common_prefix_len(prompt).min(last);
        if prompt.disk_end > read && prompt.disk_end <= last && self.restore(lane, prompt) {
            return prompt.disk_end;
        }
        // A failed restore may have emptied the context.
        let context = &mut self.lanes[index(lane)];
        let read = context.common_prefix_len(prompt).min(last);
        context.rewind(read)
    }

    fn restore(&mut self, lane: Lane, prompt: &TokenizedPrompt) -> bool {
        let Some(prefixes) = &mut self.prefixes else { return false };
        let context = &mut self.lanes[index(lane)];
        let end = prompt.disk_end;
        let splits: Vec<usize> =
            prompt.splits.iter().copied().filter(|split| *split <= end).collect();
        let name = prefixes.name(&prompt.tokens[..end], &splits, context.limit());
        let abort = &self.abort;
        let Some(state) = prefixes.get(&name, || abort.reason().is_some()) else { return false };
        let is_restored = context.restore(prompt, end, &state);
        if !is_restored {
            tracing::warn!("a stored prefix does not fit this model, it is read again");
            prefixes.remove(&name);
        }
        is_restored
    }

    /// Saves one unsaved prefix to disk.
    fn save(&mut self) {
        for lane in &mut self.lanes {
            let Some(end) = lane.unsaved.take() else { continue };
            let Some(prefixes) = &mut self.prefixes else { continue };
            let limit = lane.limit();
            let Some((tokens, splits)) = lane.prefix(end) else { continue };
            let name = prefixes.name(tokens, splits, limit);
            if prefixes.has(&name) || prefixes.is_writing() {
                continue;
            }
            if let Some(state) =
                lane.snapshot(end).filter(|state| state.len() as u64 <= PREFIX_BYTES_MAX)
            {
                prefixes.put(&name, state);
            }
            return;
        }
    }

    fn prefill(&mut self, request: PrefillRequest) {
        self.abort.arm(AbortConditions {
            deadline: None,
            cancel: CancellationToken::new(),
            abandoned: Arc::new(AtomicBool::new(false)),
            yields_to_jobs: true,
        });
        if let Some(grammar) = &request.grammar
            && let Err(reason) = self.setup.grammars.precompile(&grammar.schema)
        {
            tracing::debug!("a grammar cannot be compiled ahead of time: {reason}");
        }
        let lane = index(request.lane);
        let limit = self.lanes[lane].limit();
        let Ok(prompt) = self.prompt(&request.chat, limit) else { return };
        let mut ends = [prompt.disk_end, prompt.session_end];
        ends.sort_unstable();
        for end in ends {
            if self.lanes[lane].common_prefix_len(&prompt) >= end {
                continue;
            }
            self.reuse_prefix(request.lane, &prompt, end);
            match self.lanes[lane].read(&prompt, end) {
                Ok(()) if end == prompt.disk_end => {
                    self.lanes[lane].unsaved = Some(end);
                    self.save();
                }
                Ok(()) => {}
                Err(ComputeError::Stopped) => return self.setup.queue.requeue_prefill(request),
                Err(ComputeError::Failed(reason)) => {
                    tracing::warn!("a prompt cannot be read ahead: {reason}");
                    return self.lanes[lane].reset();
                }
            }
        }
    }
}

/// The logarithm of each label's probability among these labels. A label's probability is that of all its tokens.
fn label_logarithms(
    logits: &[f32],
    vocabulary: &Vocabulary,
    labels: &[char],
) -> Result<Vec<f32>, JobError> {
    let of_label = |label: &char| {
        let tokens = vocabulary.label_tokens(*label);
        let own = tokens.iter().filter_map(|token| logits.get(*token as usize)).copied();
        log_sum_exp(own)
    };
    let sums: Vec<f32> = labels.iter().map(of_label).collect();
    let whole = log_sum_exp(sums.iter().copied());
    if !whole.is_finite() {
        let reason = "it gives no usable numbers for the answers".to_owned();
        return Err(JobError::Generate(GenerateError::Failed { reason }));
    }
    Ok(sums.into_iter().map(|sum| sum - whole).collect())
}

/// The logarithm of the sum of `e` to each number; negative infinity for no numbers, NaN if one is.
fn log_sum_exp(numbers: impl Iterator<Item = f32> + Clone) -> f32 {
    let most = numbers.clone().fold(f32::NEG_INFINITY, f32::max);
    if !most.is_finite() {
        return most;
    }
    most + numbers.map(|number| (number - most).exp()).sum::<f32>().ln()
}

/// Why there is no text.
enum JobError {
    Generate(GenerateError),
    Compute(ComputeError),
}
