//! The format of a dataset (`contracts/eval.schema.json`): one case a line.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde::Deserialize;
use serde_json::Value;

use crate::{PROMPT_BYTES_MAX, TurnError, TurnErrorKind};
use narratoria_narrator::RecentTurn;
use narratoria_protocol::{JsonBounds, Object, read_json, without_byte_order_mark};
use narratoria_skills::{Catalog, Schema};

/// Largest dataset. A sentence with its state is about a kilobyte.
pub const EVAL_BYTES_MAX: usize = 16 << 20;

/// Most cases of a dataset. A model on an ordinary processor needs a night for this many.
pub const EVAL_CASES_MAX: usize = 10_000;

/// The largest `repeat`: more would exceed the longest sentence, even for one letter.
pub const REPEAT_MAX: usize = PROMPT_BYTES_MAX;

/// A line may be the whole dataset.
const LINE_BOUNDS: JsonBounds = JsonBounds::of_bytes(EVAL_BYTES_MAX);

/// Characters of a bad line that an error quotes.
const QUOTE_CHARS_MAX: usize = 60;

const EVAL_SCHEMA: &str = include_str!("../../../contracts/eval.schema.json");

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::of_contract(EVAL_SCHEMA));

/// A sentence with its context, and the skills that a good plan for it uses.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalCase {
    /// Its line in the dataset, from 1.
    pub line_no: usize,
    /// Unique in the dataset.
    pub id: String,
    /// The kind of sentence, in one word.
    pub kind: String,
    pub sentence: String,
    /// The sets of skills that count as right.
    pub accept: Vec<BTreeSet<String>>,
    /// The right inputs of steps.
    pub inputs: Vec<ExpectedInput>,
    /// Skills that the plan must not use.
    pub disabled: Vec<String>,
    /// The last turns, newest last.
    pub recent: Vec<RecentTurn>,
    /// The story's state.
    pub state: Object,
}

/// The right input of a step.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ExpectedInput {
    /// `skill/script`.
    pub tool: String,
    /// For each field every right value; null for a field that may be left out.
    pub fields: BTreeMap<String, Vec<Value>>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    #[error("the dataset has {bytes} bytes, the limit is {limit}")]
    TooLarge { bytes: usize, limit: usize },
    #[error("the dataset has more than {limit} cases")]
    TooManyCases { limit: usize },
    #[error("the dataset has no case")]
    Empty,
    #[error("line {line_no} is not UTF-8")]
    NotUtf8 { line_no: usize },
    #[error("line {line_no} is not JSON: {what}: `{found}`")]
    NotJson {
        line_no: usize,
        /// The parser's message.
        what: String,
        /// The first characters of the line.
        found: String,
    },
    #[error("line {line_no} is no case: {what}")]
    NotACase {
        line_no: usize,
        /// Every mismatch with its place.
        what: String,
    },
    /// A sentence that a player could not type.
    #[error("line {line_no}: {what}")]
    BadSentence {
        line_no: usize,
        /// Why not: it is empty or too long.
        what: String,
    },
    #[error("line {line_no} has the id `{id}`, which line {first_line_no} has already")]
    DoubleId { line_no: usize, id: String, first_line_no: usize },
    /// A case that no plan can solve with the loaded skills.
    #[error("line {line_no} names the skill `{skill}`, which is not there")]
    UnknownSkill { line_no: usize, skill: String },
    /// A case with an input for a script that is not there.
    #[error("line {line_no} names the script `{tool}`, which is not there")]
    UnknownScript { line_no: usize, tool: String },
}

impl EvalError {
    fn hint(&self) -> &'static str {
        match self {
            EvalError::TooLarge { .. } | EvalError::TooManyCases { .. } => "split it into files",
            EvalError::Empty | EvalError::NotUtf8 { .. } | EvalError::NotJson { .. } => {
                "each line is a JSON object such as {\"id\": \"look\", \"kind\": \"narration\", \"sentence\": \"I look around\", \"accept\": [[\"storyteller\"]]}"
            }
            EvalError::NotACase { .. } => "`contracts/eval.schema.json` says what a case has",
            EvalError::BadSentence { .. } => "a case has a sentence that a player could type",
            EvalError::DoubleId { .. } => "give each case an id of its own",
            EvalError::UnknownSkill { .. } | EvalError::UnknownScript { .. } => {
                "`narratoria skill list` shows what there is, and `--skills` adds others"
            }
        }
    }
}

impl From<EvalError> for TurnError {
    fn from(error: EvalError) -> TurnError {
        let hint = error.hint();
        TurnError::new(TurnErrorKind::BadInput, error).hint(hint)
    }
}

/// A line that fits the schema.
#[derive(Deserialize)]
struct EvalCaseJson {
    id: String,
    kind: String,
    sentence: String,
    #[serde(default = "once")]
    repeat: usize,
    accept: Vec<BTreeSet<String>>,
    #[serde(default)]
    inputs: Vec<ExpectedInput>,
    #[serde(default)]
    disabled: Vec<String>,
    #[serde(default)]
    recent: Vec<RecentTurnJson>,
    #[serde(default)]
    state: Object,
}

#[derive(Deserialize)]
struct RecentTurnJson {
    prompt: String,
    narration: String,
}

fn once() -> usize {
    1
}

/// Reads a dataset. Empty lines are skipped; the first bad line is an error.
pub fn parse(text: &[u8]) -> Result<Vec<EvalCase>, EvalError> {
    if text.len() > EVAL_BYTES_MAX {
        return Err(EvalError::TooLarge { bytes: text.len(), limit: EVAL_BYTES_MAX });
    }
    let (mut cases, mut lines_of) = (Vec::new(), BTreeMap::new());
    for (at, line) in without_byte_order_mark(text).split(|byte| *byte == b'\n').enumerate() {
        let line_no = at + 1;
        let line = std::str::from_utf8(line).map_err(|_| EvalError::NotUtf8 { line_no })?;
        if line.trim().is_empty() {
            continue;
        }
        if cases.len() == EVAL_CASES_MAX {
            return Err(EvalError::TooManyCases { limit: EVAL_CASES_MAX });
        }
        let case = parse_line(line_no, line.trim())?;
        if let Some(first_line_no) = lines_of.insert(case.id.clone(), line_no) {
            return Err(EvalError::DoubleId { line_no, id: case.id, first_line_no });
        }
        cases.push(case);
    }
    if cases.is_empty() { Err(EvalError::Empty) } else { Ok(cases) }
}

fn parse_line(line_no: usize, line: &str) -> Result<EvalCase, EvalError> {
    let document = read_json(line.as_bytes(), LINE_BOUNDS).map_err(|error| {
        let what = error.to_string().replace(" at line 1 column ", " at column ");
        match error.is_json() {
            true => EvalError::NotACase { line_no, what },
            false => {
                let found = line.chars().take(QUOTE_CHARS_MAX).collect();
                EvalError::NotJson { line_no, what, found }
            }
        }
    })?;
    let mismatches = SCHEMA.mismatches(&document);
    if !mismatches.is_empty() {
        let sentences = mismatches.into_iter().map(|mismatch| match mismatch.pointer.as_str() {
            "" => mismatch.what,
            pointer => format!("{pointer}: {}", mismatch.what),
        });
        let what = sentences.collect::<Vec<_>>().join("; ");
        return Err(EvalError::NotACase { line_no, what });
    }
    let json: EvalCaseJson = serde_json::from_value(document)
        .map_err(|error| EvalError::NotACase { line_no, what: error.to_string() })?;
    let sentence = sentence(&json).map_err(|what| EvalError::BadSentence { line_no, what })?;
    let recent_turn =
        |json: RecentTurnJson| RecentTurn { prompt: json.prompt, narration: json.narration };
    Ok(EvalCase {
        line_no,
        id: json.id,
        kind: json.kind,
        sentence,
        accept: json.accept,
        inputs: json.inputs,
        disabled: json.disabled,
        recent: json.recent.into_iter().map(recent_turn).collect(),
        state: json.state,
    })
}

/// The whole sentence, checked as a turn would check it.
fn sentence(json: &EvalCaseJson) -> Result<String, String> {
    let bytes = json.sentence.len().saturating_mul(json.repeat);
    if bytes > PROMPT_BYTES_MAX {
        return Err(format!("the sentence has {bytes} bytes, the limit is {PROMPT_BYTES_MAX}"));
    }
    let sentence = json.sentence.repeat(json.repeat).trim().to_owned();
    if sentence.is_empty() { Err("the sentence is empty".to_owned()) } else { Ok(sentence) }
}

/// Checks that every skill that a case accepts or forbids exists. No plan could be right with a missing accepted
/// skill, and forbidding a missing one would test nothing.
pub fn check_skills(cases: &[EvalCase], catalog: &Catalog) -> Result<(), EvalError> {
    for case in cases {
        let named = case.accept.iter().flatten().chain(&case.disabled);
        if let Some(skill) = named.into_iter().find(|skill| catalog.get(skill).is_none()) {
            return Err(EvalError::UnknownSkill { line_no: case.line_no, skill: skill.clone() });
        }
        if let Some(input) = case.inputs.iter().find(|it| catalog.resolve(&it.tool).is_err()) {
            let (line_no, tool) = (case.line_no, input.tool.clone());
            return Err(EvalError::UnknownScript { line_no, tool });
        }
    }
    Ok(())
}
