//! Tries a model file in a process of its own before this one loads it. llama.cpp ends its process over some files, and
//! such a file may come from anybody. The verdict is kept under the digest of the file's header, which decides.

use std::{
    env,
    fs::{self, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use narratoria_protocol::{TextEmbedder as _, digest::Sha256Hasher};
use narratoria_skills::{open_outside, open_regular, read_outside};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    CONTEXT_TOKENS_MAX, Chat, ChatMessage, ChatRole, EmbeddingModel, GenerateJob, Grammar, Lane,
    LoadOptions, MessagePart, Model, ModelLoadError, ModelPurpose, PrefixLifetime, Sampling, gguf,
};

/// How long a trial may take. A model of 20 GB on a slow disk loads within a minute.
const TRIAL_TIME_MAX: Duration = Duration::from_secs(180);

/// Bytes of its stderr that are read, to show why it died.
const STDERR_BYTES_MAX: u64 = 64 << 10;

/// Longest line of it that is shown, in characters.
const LINE_CHARS_MAX: usize = 200;

/// Longest verdict that is read, in bytes: a word and such a line.
const VERDICT_BYTES_MAX: u64 = 4 << 10;

/// Tokens that the trial writes: enough for a prompt to be read and a grammar to be used.
const TOKENS_MAX: usize = 8;

/// What the trial reads: letters of several scripts, numbers, white space, a long word.
const TEXT: &str = "Say in one word what you see.\n\n\tA lighthouse — 1,024 steps, “locked”; Ærø, Москва, 東京, 🗝️. \
    Donaudampfschifffahrtsgesellschaftskapitän aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// Begins a verdict that refuses; the reason follows.
const REFUSED: &str = "refused: ";
/// The verdict that a file can be loaded.
const PASSED: &str = "passed";

/// Tries model files.
#[derive(Debug, Clone)]
pub struct ModelTrial {
    program: PathBuf,
    verb: String,
    verdicts: Option<PathBuf>,
}

impl ModelTrial {
    /// `program VERB PURPOSE FILE` calls [`try_for_parent`]. Verdicts are kept in a folder.
    pub fn new(program: PathBuf, verb: &str, verdicts: Option<PathBuf>) -> ModelTrial {
        ModelTrial { program, verb: verb.to_owned(), verdicts }
    }

    /// Returns an error if a process ends over the file, or ended over it before. Any other fault is left to the one
    /// that loads the file.
    pub fn check(&self, path: &Path, purpose: ModelPurpose) -> Result<(), ModelLoadError> {
        let header = gguf::read_header(path, purpose)?;
        let digest =
            header_digest(path, header.header_bytes, header.file_bytes).map_err(|why| {
                ModelLoadError::Unreadable { path: path.to_owned(), reason: why.to_string() }
            })?;
        let crashes = |reason| ModelLoadError::Crashes { path: path.to_owned(), reason };
        let verdict = self.verdicts.as_ref().map(|folder| folder.join(digest));
        if let Some(verdict) = verdict.as_ref().and_then(|file| read_verdict(file)) {
            match verdict.strip_prefix(REFUSED) {
                Some(reason) => return Err(crashes(reason.to_owned())),
                None if verdict == PASSED => return Ok(()),
                None => {}
            }
        }
        let keep = |text: &str| {
            if let Some(file) = &verdict {
                // Without a verdict the next start tries the file again.
                let _ = file.parent().map_or(Ok(()), fs::create_dir_all);
                let _ = write_verdict(file, text);
            }
        };
        match self.run(path, purpose) {
            TrialEnd::Passed => keep(PASSED),
            TrialEnd::Refused => {}
            TrialEnd::Died(reason) => {
                keep(&format!("{REFUSED}{reason}"));
                return Err(crashes(reason));
            }
            // Another time there may be more time, or memory.
            TrialEnd::Stopped(reason) => return Err(crashes(reason)),
        }
        Ok(())
    }

    fn run(&self, path: &Path, purpose: ModelPurpose) -> TrialEnd {
        let started = Command::new(&self.program)
            .args([&self.verb, purpose.word()])
            .arg(path)
            // The process ends when this pipe closes.
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        match started {
            Ok(child) => watch(child),
            Err(why) => {
                tracing::warn!("the model is loaded untried: {why}");
                TrialEnd::Refused
            }
        }
    }
}

/// How a trial ended.
enum TrialEnd {
    Passed,
    /// With an error of its own, which the one that loads the file finds as well.
    Refused,
    /// Because of the file.
    Died(String),
    /// By somebody, or at its limit.
    Stopped(String),
}

fn watch(mut child: Child) -> TrialEnd {
    let (send, ended) = mpsc::sync_channel(1);
    let stderr = child.stderr.take();
    thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(stderr) = stderr {
            // The pipe closes when the process ends.
            let mut stderr = stderr.take(STDERR_BYTES_MAX);
            let _ = stderr.read_to_end(&mut text);
            let _ = io::copy(&mut stderr.into_inner(), &mut io::sink());
        }
        let _ = send.send(String::from_utf8_lossy(&text).into_owned());
    });
    let said = ended.recv_timeout(TRIAL_TIME_MAX);
    if said.is_err() {
        let _ = child.kill();
    }
    let status = child.wait();
    match (said, status) {
        (Err(_), _) => {
            TrialEnd::Stopped(format!("was not done after {} s", TRIAL_TIME_MAX.as_secs()))
        }
        (Ok(_), Err(why)) => TrialEnd::Stopped(format!("cannot be waited for: {why}")),
        (Ok(said), Ok(status)) => end_of(status, &said),
    }
}

fn end_of(status: ExitStatus, said: &str) -> TrialEnd {
    match status.code() {
        Some(0) => return TrialEnd::Passed,
        Some(1) => return TrialEnd::Refused,
        _ => {}
    }
    let line = said.lines().rev().find(|line| is_reason(line)).unwrap_or_default();
    let line: String = line.chars().take(LINE_CHARS_MAX).collect();
    let reason = match line.is_empty() {
        true => format!("died ({status})"),
        false => format!("died ({status}): {line}"),
    };
    #[cfg(unix)]
    if std::os::unix::process::ExitStatusExt::signal(&status) == Some(9) {
        return TrialEnd::Stopped(reason);
    }
    TrialEnd::Died(reason)
}

/// Returns true for a line of llama.cpp or of a panic that says why.
fn is_reason(line: &str) -> bool {
    ["GGML_ASSERT", "terminate called", "what():", "panicked at", "abort"]
        .iter()
        .any(|part| line.contains(part))
}

fn read_verdict(file: &Path) -> Option<String> {
    String::from_utf8(read_outside(file, VERDICT_BYTES_MAX).ok()?).ok()
}

fn write_verdict(file: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = open_regular(file, options.write(true).create(true).truncate(true))?;
    file.write_all(text.as_bytes())
}

/// The digest of all that decides whether llama.cpp can load the file: its header and its length, and this program.
fn header_digest(path: &Path, header_bytes: u64, file_bytes: u64) -> io::Result<String> {
    let mut digest = Sha256Hasher::default();
    digest.update(format!("{} {file_bytes}\n", env!("CARGO_PKG_VERSION")).as_bytes());
    let mut header = open_outside(path)?.take(header_bytes);
    let mut piece = vec![0; 1 << 16];
    loop {
        match header.read(&mut piece)? {
            0 => return Ok(digest.hex()),
            filled => digest.update(&piece[..filled]),
        }
    }
}

/// Loads the file, reads a text with it and has it answer. Calls `parent_gone`, on another thread, when stdin closes; it
/// should end the process. The error says what is wrong with the file; with some files the process ends.
pub fn try_for_parent(
    path: &Path,
    purpose: ModelPurpose,
    parent_gone: impl FnOnce() + Send + 'static,
) -> Result<(), String> {
    limit_own_process();
    thread::spawn(move || {
        let _ = io::stdin().read(&mut [0]);
        parent_gone();
    });
    match purpose {
        ModelPurpose::Embeddings => {
            let model = EmbeddingModel::load(path).map_err(|error| error.to_string())?;
            model.embed(TEXT).map(drop).map_err(|error| error.to_string())
        }
        ModelPurpose::Text => try_text_model(path),
    }
}

fn try_text_model(path: &Path) -> Result<(), String> {
    let options = LoadOptions {
        threads: thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN),
        context_tokens: CONTEXT_TOKENS_MAX,
        prefix_folder: None,
    };
    let model = Model::load(path, &options).map_err(|error| error.to_string())?;
    let part = MessagePart { text: TEXT.into(), lifetime: PrefixLifetime::Job };
    let chat = Chat { messages: vec![ChatMessage { role: ChatRole::User, parts: vec![part] }] };
    let schema =
        json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]});
    let job = GenerateJob {
        client: "trial".into(),
        lane: Lane::Plan,
        chat,
        grammar: Some(Grammar { schema: schema.into() }),
        tokens_max: TOKENS_MAX,
        sampling: Sampling::Greedy,
        deadline: Instant::now() + TRIAL_TIME_MAX,
        cancel: CancellationToken::new(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime
        .block_on(model.generate(job, Box::new(|_| {})))
        .map(drop)
        .map_err(|error| error.to_string())
}

/// A process that dies over a file leaves no core dump.
#[cfg(unix)]
fn limit_own_process() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Core).maximum;
    // Without the limit it only leaves a file.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
}

#[cfg(not(unix))]
fn limit_own_process() {}
