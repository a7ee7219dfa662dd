//! A record of one run of a script: its inputs and its outputs. The run can be repeated with these inputs and compared.
//!
//! People exchange records, so a record contains no secret: see [`Redactor`]. The format is version 1 of
//! `contracts/skill-record.schema.json`. A recorded run depends on nothing outside its record: it has no network and no
//! language model, and its folders are empty at first.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;

use super::{harness::RunFolders, redactor::Redactor};
use narratoria_protocol::{
    InvocationEnding, InvocationOutcome, InvocationOutput, StoreMap, StoreWrite,
};
use narratoria_protocol::{
    JsonBounds, Object, Request, STATE_DEPTH_MAX, StrictJsonError, VALUES_MAX, millis, read_json,
};
use narratoria_sandbox::{InvocationInput, InvocationLimits, LoadedComponent};
use narratoria_skills::{Mismatch, SECRET_MASK, Schema, Script, Skill};

/// Version of the format.
const VERSION: u64 = 1;

/// Longest record. A script may write 64 MiB to stdout, most of them some KiB; this one is read whole.
pub const RECORD_BYTES_MAX: usize = 64 << 20;

/// A record holds the state, the inputs and all events of a run, each a few levels deeper than by itself.
const RECORD_BOUNDS: JsonBounds =
    JsonBounds::of_bytes(RECORD_BYTES_MAX).with_depth(STATE_DEPTH_MAX).with_values(4 * VALUES_MAX);

/// The contract, compiled once.
static RECORD_SCHEMA: LazyLock<Schema> =
    LazyLock::new(|| Schema::of_contract(include_str!("../../contracts/skill-record.schema.json")));

/// A recorded run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    version: u64,
    /// `<skill>/<script>`.
    pub tool: String,
    skill_version: String,
    /// SHA-256 of the component, in hexadecimal.
    component: String,
    given: RunInputJson,
    came: RunOutputJson,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunInputJson {
    request: Object,
    /// Settings of the request that are masked.
    masked: Vec<String>,
    /// Names of granted environment variables that were set. Their values may be secret.
    env: Vec<String>,
    limits: RunLimitsJson,
    /// The skill's store before the run, with the `store` grant.
    store: StoreMap,
    /// Answers to its questions, in order.
    answers: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunLimitsJson {
    time_ms: u64,
    fuel: u64,
    memory_bytes: u64,
    stdout_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunOutputJson {
    /// Its events.
    lines: Vec<Value>,
    ending: RunEndingJson,
    /// Changes of its skill's store.
    writes: Vec<StoreWrite>,
    fuel_consumed: u64,
    peak_memory_bytes: u64,
    stdout_bytes: u64,
    stderr: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunEndingJson {
    /// `done`, `gave_up` or `refused`.
    kind: String,
    /// Only with `refused`.
    code: Option<String>,
    /// Only with `refused`.
    message: Option<String>,
}

/// Runs one script and records the run, or repeats a recorded one.
#[derive(Clone, Copy)]
pub struct RunRecorder<'a> {
    pub skill: &'a Skill,
    pub script_idx: usize,
    pub prepared: &'a LoadedComponent,
    /// Environment variables by name; the script sees only those that its manifest names.
    pub env: &'a BTreeMap<String, String>,
    /// The folder in which the run makes its own. The caller removes it.
    pub scratch: &'a Path,
}

/// The inputs of a run, secrets included.
struct RunInput {
    stdin: Vec<u8>,
    seed: u64,
    limits: InvocationLimits,
    store: StoreMap,
    answers: Vec<String>,
}

/// Why a run cannot be recorded or repeated.
#[derive(Debug, thiserror::Error)]
pub enum RunRecordError {
    #[error("the record {}", .0.predicate())]
    Unreadable(StrictJsonError),
    #[error("the record cannot be used: {0}")]
    BadShape(serde_json::Error),
    #[error("the record is none that this version knows: {}", sentence(.0))]
    Unfit(Vec<Mismatch>),
    /// A setting that is masked in the record is not set here.
    #[error(
        "the record needs the setting `{name}`, which it does not hold because it is secret, and which is not set here"
    )]
    SecretMissing { name: String },
    /// The folders of a script cannot be made.
    #[error("the folder `{}` cannot be made", folder.display())]
    Folder {
        folder: PathBuf,
        #[source]
        source: io::Error,
    },
}

fn sentence(mismatches: &[Mismatch]) -> String {
    let sentences = mismatches.iter().map(|mismatch| match mismatch.pointer.as_str() {
        "" => mismatch.what.clone(),
        pointer => format!("{pointer}: {}", mismatch.what),
    });
    sentences.collect::<Vec<_>>().join("; ")
}

/// A repeated run.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    pub invocation: InvocationOutcome,
    /// True if the component differs from the recorded one.
    pub is_other_component: bool,
    /// Other changes since the record, a sentence each.
    pub notes: Vec<String>,
    /// The first difference in the outputs, if there is one.
    pub difference: Option<Difference>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The differing part, such as `line 3`.
    pub what: String,
    pub recorded: String,
    pub replayed: String,
}

/// Receives each output as it comes.
pub type RunEventSink = Box<dyn FnMut(&InvocationOutput) + Send>;

impl RunRecord {
    /// Reads a record and checks it against its contract.
    pub fn parse(bytes: &[u8]) -> Result<RunRecord, RunRecordError> {
        let value = read_json(bytes, RECORD_BOUNDS).map_err(RunRecordError::Unreadable)?;
        let mismatches = RECORD_SCHEMA.mismatches(&value);
        if !mismatches.is_empty() {
            return Err(RunRecordError::Unfit(mismatches));
        }
        serde_json::from_value(value).map_err(RunRecordError::BadShape)
    }

    /// The text of the record's file. Equal records have equal texts.
    pub fn render(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("a record holds only JSON values");
        format!("{text}\n")
    }
}

impl RunRecorder<'_> {
    /// Runs the script once and records the run.
    pub async fn record(
        &self,
        request: &Request,
        answers: Vec<String>,
        sink: RunEventSink,
    ) -> Result<(RunRecord, InvocationOutcome), RunRecordError> {
        let (script, seed) = (self.script(), request.seed);
        let given = RunInput {
            stdin: request.to_line(),
            seed,
            limits: InvocationLimits::for_script(script),
            store: StoreMap::new(),
            answers: answers.clone(),
        };
        let limits = given.limits;
        let redactor = self.redactor();
        let (invocation, lines) = self.run(given, sink).await?;
        let mut written = request.clone();
        let masked = self.mask(&mut written.config);
        let written = serde_json::from_slice::<Object>(&written.to_line());
        let mut written = written.expect("a request is a line with an object");
        written.values_mut().for_each(|value| redactor.redact(value));
        let record = RunRecord {
            version: VERSION,
            tool: format!("{}/{}", self.skill.name, script.name),
            skill_version: self.skill.version.to_string(),
            component: self.prepared.digest().to_owned(),
            given: RunInputJson {
                request: written,
                masked,
                env: script.grants.env_of(self.env).into_iter().map(|(name, _)| name).collect(),
                limits: RunLimitsJson::of(&limits),
                store: StoreMap::new(),
                answers: answers.iter().map(|answer| redactor.redact_text(answer)).collect(),
            },
            came: run_output(&invocation, lines, &redactor),
        };
        Ok((record, invocation))
    }

    /// Runs the script again with the recorded inputs, and compares. Settings that the record masks come from this
    /// machine.
    pub async fn replay(
        &self,
        record: &RunRecord,
        sink: RunEventSink,
    ) -> Result<Replay, RunRecordError> {
        let given = &record.given;
        let (mut request, redactor) = (given.request.clone(), self.redactor());
        request.values_mut().for_each(|value| redactor.restore(value));
        if let Some(Value::Object(config)) = request.get_mut("config") {
            for name in &given.masked {
                let value = self.skill.config.get(name);
                let missing = || RunRecordError::SecretMissing { name: name.clone() };
                config.insert(name.clone(), value.ok_or_else(missing)?.clone());
            }
        }
        let mut stdin = serde_json::to_vec(&request).expect("a request holds only JSON values");
        stdin.push(b'\n');
        let given = RunInput {
            stdin,
            seed: request.get("seed").and_then(Value::as_u64).unwrap_or_default(),
            limits: given.limits.limits(),
            store: given.store.clone(),
            answers: given.answers.iter().map(|answer| redactor.restore_text(answer)).collect(),
        };
        let (invocation, lines) = self.run(given, sink).await?;
        let is_other_component = self.prepared.digest() != record.component;
        let came = run_output(&invocation, lines, &redactor);
        let difference = difference(&record.came, &came, is_other_component);
        let notes = self.notes(record);
        Ok(Replay { invocation, is_other_component, notes, difference })
    }

    fn script(&self) -> &Script {
        &self.skill.scripts[self.script_idx]
    }

    async fn run(
        &self,
        given: RunInput,
        mut sink: RunEventSink,
    ) -> Result<(InvocationOutcome, Vec<Value>), RunRecordError> {
        let script = self.script();
        let folders = RunFolders::open(&script.grants, self.scratch, &Object::new())
            .map_err(|source| RunRecordError::Folder { folder: self.scratch.to_owned(), source })?;
        let (sender, answers) = mpsc::unbounded_channel();
        for answer in given.answers {
            // It is open: this function holds the other end.
            let _ = sender.send(answer);
        }
        // Further questions get no answer.
        drop(sender);
        let job = InvocationInput {
            script: script.name.clone(),
            env: script.grants.env_of(self.env),
            preopens: folders.preopens.clone(),
            store: script.grants.store.then(|| Arc::new(given.store)),
            memory: script.grants.memory.then(Arc::default),
            answers: Some(answers),
            ..InvocationInput::new(given.stdin, given.seed, given.limits)
        };
        let lines = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&lines);
        let on_output = Box::new(move |output| {
            sink(&output);
            // Narration comes again, as part of the script's output.
            let InvocationOutput::Event(message) = output else { return };
            received.lock().unwrap_or_else(PoisonError::into_inner).push(message.to_json());
        });
        let invocation = self.prepared.run(job, on_output).await;
        let lines = std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((invocation, lines))
    }

    /// Masks the secret settings and returns their names.
    fn mask(&self, config: &mut Object) -> Vec<String> {
        let mut masked = Vec::new();
        for name in &self.skill.secrets {
            if let Some(value) = config.get_mut(name) {
                *value = Value::from(SECRET_MASK);
                masked.push(name.clone());
            }
        }
        masked
    }

    fn redactor(&self) -> Redactor {
        let config = self.skill.secrets.iter().filter_map(|name| {
            Some((format!("config/{name}"), self.skill.config.get(name)?.as_str()?))
        });
        let env = self.script().grants.env_of(self.env);
        let env = env.iter().map(|(name, value)| (format!("env/{name}"), value.as_str()));
        Redactor::new(config.chain(env))
    }

    /// Changes since the record, besides the component.
    fn notes(&self, record: &RunRecord) -> Vec<String> {
        let (script, mut notes) = (self.script(), Vec::new());
        let env: Vec<String> =
            script.grants.env_of(self.env).into_iter().map(|(name, _)| name).collect();
        for name in record.given.env.iter().filter(|name| !env.contains(name)) {
            notes.push(format!("the environment variable `{name}` was set, and is not"));
        }
        for name in env.iter().filter(|name| !record.given.env.contains(name)) {
            notes.push(format!("the environment variable `{name}` was not set, and is"));
        }
        if !record.given.masked.is_empty() {
            let names = record.given.masked.join("`, `");
            notes.push(format!("the record does not hold `{names}`, the settings of now are used"));
        }
        if RunLimitsJson::of(&InvocationLimits::for_script(script)) != record.given.limits {
            notes
                .push("the manifest has other limits now, those of the record are used".to_owned());
        }
        notes
    }
}

impl RunLimitsJson {
    fn of(limits: &InvocationLimits) -> RunLimitsJson {
        RunLimitsJson {
            time_ms: millis(limits.time),
            fuel: limits.fuel,
            memory_bytes: limits.memory_bytes,
            stdout_bytes: limits.stdout_bytes,
        }
    }

    fn limits(self) -> InvocationLimits {
        InvocationLimits {
            time: Duration::from_millis(self.time_ms),
            fuel: self.fuel,
            memory_bytes: self.memory_bytes,
            stdout_bytes: self.stdout_bytes,
        }
    }
}

fn run_output(
    invocation: &InvocationOutcome,
    mut lines: Vec<Value>,
    redactor: &Redactor,
) -> RunOutputJson {
    let InvocationOutcome { ending, usage, stderr_tail, writes, files: _ } = invocation;
    lines.iter_mut().for_each(|line| redactor.redact(line));
    let (kind, refusal) = match ending {
        InvocationEnding::Done { .. } => ("done", None),
        InvocationEnding::Failed { .. } => ("gave_up", None),
        InvocationEnding::Aborted(refusal) => ("refused", Some(refusal)),
    };
    let write = |write: &StoreWrite| StoreWrite {
        owner: write.owner,
        key: redactor.redact_text(&write.key),
        value: write.value.as_deref().map(|value| redactor.redact_text(value)),
    };
    RunOutputJson {
        lines,
        ending: RunEndingJson {
            kind: kind.to_owned(),
            code: refusal.map(|refusal| refusal.code().to_owned()),
            message: refusal.map(|refusal| redactor.redact_text(&refusal.to_string())),
        },
        writes: writes.iter().map(write).collect(),
        fuel_consumed: usage.fuel,
        peak_memory_bytes: usage.memory_bytes_peak,
        stdout_bytes: usage.stdout_bytes,
        stderr: redactor.redact_text(stderr_tail),
    }
}

/// The first difference in the outputs. The cost belongs to the component, so it is not compared with another one's.
fn difference(
    recorded: &RunOutputJson,
    replayed: &RunOutputJson,
    is_other_component: bool,
) -> Option<Difference> {
    let differ = |what: String, recorded: Option<String>, replayed: Option<String>| {
        (recorded != replayed).then(|| {
            let nothing = || "nothing".to_owned();
            let recorded = recorded.unwrap_or_else(nothing);
            Difference { what, recorded, replayed: replayed.unwrap_or_else(nothing) }
        })
    };
    let lines = recorded.lines.len().max(replayed.lines.len());
    let line = |came: &RunOutputJson, at: usize| came.lines.get(at).map(Value::to_string);
    (0..lines)
        .find_map(|at| {
            differ(format!("line {}", at + 1), line(recorded, at), line(replayed, at))
        })
        .or_else(|| differ("the ending".to_owned(), rendered(&recorded.ending), rendered(&replayed.ending)))
        .or_else(|| {
            let what = "what its skill keeps".to_owned();
            differ(what, rendered(&recorded.writes), rendered(&replayed.writes))
        })
        .or_else(|| {
            let text = |came: &RunOutputJson| Some(came.stderr.clone());
            differ("stderr".to_owned(), text(recorded), text(replayed))
        })
        .or_else(|| {
            let cost = |came: &RunOutputJson| {
                let RunOutputJson { fuel_consumed, peak_memory_bytes, stdout_bytes, .. } = came;
                Some(format!(
                    "{fuel_consumed} fuel, {peak_memory_bytes} bytes of memory, {stdout_bytes} bytes of stdout"
                ))
            };
            if is_other_component {
                return None;
            }
            differ("what it cost".to_owned(), cost(recorded), cost(replayed))
        })
}

fn rendered(value: &impl Serialize) -> Option<String> {
    Some(serde_json::to_string(value).expect("a record holds only JSON values"))
}
