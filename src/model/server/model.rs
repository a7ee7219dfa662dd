//! A model behind a server, with the methods of one in this process.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use super::{
    ConnectOptions, ServedModel, ServerAddress, ServerError, ServerKind, ServerReport, Tryout,
    answer::{AnswerError, ServerAnswer},
    ask::{Progress, ask},
    canary::{TriedModel, try_model},
    connection::{ConnectionError, ServerConnection},
    labels::label_logarithms,
    lists::with_lists_of_each_length,
    probe::probe,
    question::ServerQuestion,
    token_estimate::estimate_tokens,
};
use crate::llm::{
    CONTEXT_TOKENS_MAX, Chat, ChooseJob, GenerateError, GenerateJob, GenerateUsage, GeneratedText,
    GeneratedTextSink, LABELS_MAX, LabelProbabilities, ModelInfo, Sampling,
};

/// Most requests at a time. A server answers them one after the other or a few at once; more would only reach their
/// deadlines.
const SERVER_REQUESTS_MAX: usize = 8;

/// Pause before a server that is not ready is asked again.
const READY_PAUSE: Duration = Duration::from_millis(250);

/// Tokens of a chat template for each message, at most.
const MESSAGE_TOKENS: usize = 8;

/// A server's count of tokens above this is no count.
const COUNT_MAX: usize = 1 << 20;

/// Stages of a job that timed out, for [`GenerateError::TimedOut`].
const READ: &str = "read the prompt";
const WROTE: &str = "wrote";

/// A model that answered its first question. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct ServerModel(Arc<ConnectedModel>);

#[derive(Debug)]
struct ConnectedModel {
    info: ModelInfo,
    address: ServerAddress,
    kind: ServerKind,
    tryout: Tryout,
    requests: AtomicUsize,
    /// Set by the first answer without probabilities, so that no later question waits for one.
    lacks_probabilities: AtomicBool,
}

/// What a request does on its thread.
type Work<T> =
    Box<dyn FnOnce(&ConnectedModel, &ServerConnection) -> Result<T, GenerateError> + Send>;

impl ServerModel {
    /// Finds the model and asks it the first question; takes as long as the server needs to load it, and at most the time
    /// of the options.
    pub(crate) fn connect(
        address: &ServerAddress,
        options: &ConnectOptions,
    ) -> Result<ServerModel, ServerError> {
        let deadline = Instant::now() + options.time;
        let report = probe_when_ready(address, &options.hosts, deadline)?;
        let served = report.find(address.model())?;
        let context_tokens =
            served.context_tokens.unwrap_or(CONTEXT_TOKENS_MAX).min(CONTEXT_TOKENS_MAX);
        let (address, kind) = (report.address.clone(), report.kind);
        let tried = TriedModel { address: &address, kind, name: &served.name, context_tokens };
        let tryout = try_model(&tried, options.seed, deadline).map_err(|error| {
            let (base, model) = (address.base(), served.name.clone());
            ServerError::NoAnswer { base, model, why: error.to_string() }
        })?;
        let info = info(served, kind, context_tokens);
        tracing::info!("`{}` at {} ({kind}): {:?}", info.name, address.base(), tryout.schema);
        Ok(ServerModel(Arc::new(ConnectedModel {
            info,
            address,
            kind,
            tryout,
            requests: AtomicUsize::new(0),
            lacks_probabilities: AtomicBool::new(false),
        })))
    }

    pub(crate) fn info(&self) -> &ModelInfo {
        &self.0.info
    }

    /// What a player should know of this model; `None` if it does all that one in this process does.
    pub(crate) fn warning(&self) -> Option<String> {
        let fault = self.0.tryout.schema.fault()?;
        let (name, base) = (&self.0.info.name, self.0.address.base());
        Some(format!("`{name}` at {base} writes prose only, and no plan waits for it: {fault}"))
    }

    /// As `Model::generate`. The request is sent by this call, on a thread of its own.
    pub(crate) fn generate(
        &self,
        job: GenerateJob,
        mut on_text: GeneratedTextSink,
    ) -> impl Future<Output = Result<GeneratedText, GenerateError>> + Send + 'static + use<> {
        let refused = match (&job.grammar, self.0.tryout.schema.fault()) {
            (Some(_), Some(reason)) => Some(GenerateError::Grammar { reason }),
            _ => None,
        };
        let (deadline, cancel) = (job.deadline, job.cancel.clone());
        let schema = job.grammar.map(|grammar| with_lists_of_each_length(&grammar.schema));
        let work = move |model: &ConnectedModel, connection: &ServerConnection| {
            let question = ServerQuestion {
                model: &model.info.name,
                chat: &job.chat,
                schema: schema.as_ref(),
                tokens_max: job.tokens_max,
                sampling: job.sampling,
                context_tokens: model.info.context_tokens,
                wants_labels: false,
                has_extensions: model.tryout.has_extensions,
            };
            let (answer, usage) = model.ask(connection, &question, deadline, &mut *on_text)?;
            Ok(GeneratedText { text: answer.text, is_complete: answer.is_complete, usage })
        };
        self.start(refused, cancel, Box::new(work))
    }

    /// As `Model::choose`.
    pub(crate) fn choose(
        &self,
        job: ChooseJob,
    ) -> impl Future<Output = Result<LabelProbabilities, GenerateError>> + Send + 'static + use<>
    {
        let failed = |reason: String| Some(GenerateError::Failed { reason });
        let refused = if !(1..=LABELS_MAX).contains(&job.labels.len()) {
            failed(format!("a question has 1 to {LABELS_MAX} answers"))
        } else if self.0.lacks_probabilities.load(Ordering::Relaxed) {
            failed(NO_PROBABILITIES.to_owned())
        } else {
            None
        };
        let (deadline, cancel) = (job.deadline, job.cancel.clone());
        let work = move |model: &ConnectedModel, connection: &ServerConnection| {
            let question = ServerQuestion {
                model: &model.info.name,
                chat: &job.chat,
                schema: None,
                tokens_max: 1,
                sampling: Sampling::Greedy,
                context_tokens: model.info.context_tokens,
                wants_labels: true,
                has_extensions: model.tryout.has_extensions,
            };
            let (answer, usage) = model.ask(connection, &question, deadline, &mut |_| {})?;
            if answer.likeliest.is_empty() {
                model.lacks_probabilities.store(true, Ordering::Relaxed);
                return Err(GenerateError::Failed { reason: NO_PROBABILITIES.to_owned() });
            }
            let logarithms = label_logarithms(&answer.likeliest, &job.labels);
            let reason = || "none of the answers is among the likeliest tokens".to_owned();
            let logarithms =
                logarithms.ok_or_else(|| GenerateError::Failed { reason: reason() })?;
            Ok(LabelProbabilities { logarithms, usage })
        };
        self.start(refused, cancel, Box::new(work))
    }

    /// Runs a request on a thread. Dropping the future, and cancelling, closes its connection.
    fn start<T: Send + 'static>(
        &self,
        refused: Option<GenerateError>,
        cancel: tokio_util::sync::CancellationToken,
        work: Work<T>,
    ) -> impl Future<Output = Result<T, GenerateError>> + Send + 'static + use<T> {
        let model = Arc::clone(&self.0);
        let connection = ServerConnection::new(&model.address);
        let closer = connection.closer();
        let (sender, mut reply) = oneshot::channel();
        let started = refused.map_or(Ok(()), Err).and_then(|()| {
            let permit = RequestPermit::take(model)?;
            let run = move || {
                let result = work(&permit.0, &connection);
                // The next request may begin as soon as the caller knows the result.
                drop(permit);
                let _ = sender.send(result);
            };
            let spawned = thread::Builder::new().name("model request".to_owned()).spawn(run);
            spawned.map(|_| ()).map_err(|error| GenerateError::Failed {
                reason: format!("no thread can be started: {error}"),
            })
        });
        async move {
            let closer = closer;
            started?;
            let ended =
                |_| Err(GenerateError::Failed { reason: "its thread has ended".to_owned() });
            tokio::select! {
                biased;
                reply = &mut reply => return reply.unwrap_or_else(ended),
                () = cancel.cancelled() => {}
            }
            drop(closer);
            // The sink gets nothing after this future has ended.
            let _ = reply.await;
            Err(GenerateError::Cancelled)
        }
    }

    /// An estimate, which is above the tokens that there are.
    pub(crate) fn count(&self, text: &str) -> usize {
        estimate_tokens(text)
    }

    /// A server has one context for each request, so both lanes have its whole size.
    pub(crate) fn lane_tokens(&self) -> usize {
        self.0.info.context_tokens as usize
    }
}

/// Asks a server what it is. One that still loads its model is asked again until the deadline.
fn probe_when_ready(
    address: &ServerAddress,
    hosts: &[String],
    deadline: Instant,
) -> Result<ServerReport, ServerError> {
    loop {
        match probe(address, hosts, deadline) {
            Err(ServerError::NotReady { .. }) if Instant::now() + READY_PAUSE < deadline => {
                thread::sleep(READY_PAUSE);
            }
            report => return report,
        }
    }
}

/// Why questions with labels get no answer.
const NO_PROBABILITIES: &str = "the server gives no probabilities of tokens";

impl ConnectedModel {
    fn ask(
        &self,
        connection: &ServerConnection,
        question: &ServerQuestion<'_>,
        deadline: Instant,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(ServerAnswer, GenerateUsage), GenerateError> {
        let estimate = estimate_prompt(question.chat);
        let limit = (self.info.context_tokens as usize).saturating_sub(question.tokens_max);
        if estimate > limit {
            return Err(GenerateError::TooLong { tokens: estimate, limit });
        }
        let (since, mut has_begun) = (Instant::now(), false);
        let mut begun_at = None;
        let mut timed = |text: &str| {
            begun_at.get_or_insert_with(Instant::now);
            on_text(text);
        };
        let progress = Progress { on_text: &mut timed, has_begun: &mut has_begun };
        let asked = ask(connection, self.kind, question, deadline, progress);
        let answer = asked.map_err(|error| match error {
            AnswerError::Connection(ConnectionError::TimedOut) => {
                GenerateError::TimedOut { doing: if has_begun { WROTE } else { READ } }
            }
            error => GenerateError::Failed { reason: error.to_string() },
        })?;
        let whole = since.elapsed();
        let prefill = begun_at.map_or(whole, |at| at.duration_since(since));
        let usage = usage(&answer, (estimate, question.tokens_max), prefill, whole);
        Ok((answer, usage))
    }
}

/// Releases its place among the requests when it is dropped.
struct RequestPermit(Arc<ConnectedModel>);

impl RequestPermit {
    fn take(model: Arc<ConnectedModel>) -> Result<RequestPermit, GenerateError> {
        let waiting = model.requests.fetch_add(1, Ordering::Relaxed);
        let permit = RequestPermit(model);
        if waiting >= SERVER_REQUESTS_MAX {
            Err(GenerateError::Busy { waiting })
        } else {
            Ok(permit)
        }
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

fn estimate_prompt(chat: &Chat) -> usize {
    let parts = chat.messages.iter().flat_map(|message| &message.parts);
    let texts: usize = parts.map(|part| estimate_tokens(&part.text)).sum();
    texts + chat.messages.len() * MESSAGE_TOKENS
}

/// The cost of an answer: the server's numbers as far as they can be true, and times that were measured here.
fn usage(
    answer: &ServerAnswer,
    (estimate, tokens_max): (usize, usize),
    prefill: Duration,
    whole: Duration,
) -> GenerateUsage {
    let usable = |count: Option<usize>| count.filter(|count| (1..=COUNT_MAX).contains(count));
    let prompt = usable(answer.cost.prompt).unwrap_or(estimate);
    GenerateUsage {
        prompt,
        reused: answer.cost.reused.unwrap_or(0).min(prompt),
        sampled: usable(answer.cost.sampled).unwrap_or(answer.pieces).min(tokens_max),
        prefill,
        decode: whole.saturating_sub(prefill),
        ..GenerateUsage::default()
    }
}

fn info(served: &ServedModel, kind: ServerKind, context_tokens: u32) -> ModelInfo {
    ModelInfo {
        name: served.name.clone(),
        architecture: served.architecture.clone().unwrap_or_else(|| kind.to_string()),
        parameters: served.parameters.unwrap_or(0),
        context_tokens,
        file_bytes: served.bytes.unwrap_or(0),
        gpus: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ServerAnswer, usage};
    use crate::server::event::ReportedCost;

    #[test]
    fn a_server_cannot_lie_about_tokens_without_bounds() {
        let usage = |cost| {
            let answer = ServerAnswer { cost, pieces: 12, ..ServerAnswer::default() };
            let usage = usage(&answer, (80, 64), Duration::from_secs(1), Duration::from_secs(3));
            (usage.prompt, usage.reused, usage.sampled, usage.decode)
        };
        let decode = Duration::from_secs(2);
        let told = |prompt, reused, sampled| ReportedCost { prompt, reused, sampled };
        assert_eq!(usage(told(Some(70), Some(50), Some(10))), (70, 50, 10, decode));
        assert_eq!(usage(told(None, None, None)), (80, 0, 12, decode));
        let lie = Some(usize::MAX);
        assert_eq!(usage(told(lie, lie, lie)), (80, 80, 12, decode));
        assert_eq!(usage(told(Some(0), Some(9), Some(1_000))), (80, 9, 64, decode));
    }
}
