//! A dataset as it is written (`contracts/eval.schema.json`): one case a line.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde::Deserialize;
use serde_json::Value;

use crate::{PROMPT_BYTES_MAX, TurnError, TurnErrorKind};
use narratoria_narrator::RecentTurn;
use narratoria_protocol::{DEPTH_MAX, Object, nests_deeper_than};
use narratoria_skills::{Catalog, Schema};

/// Largest dataset that is read at all. A sentence with a state around it is about a kilobyte.
pub const EVAL_BYTES_MAX: usize = 16 << 20;

/// Most cases of a dataset. A model on an ordinary processor needs a night for so many.
pub const EVAL_CASES_MAX: usize = 10_000;

/// What `repeat` may be: more would be more than a player may type, even of one letter.
pub const REPEAT_MAX: usize = PROMPT_BYTES_MAX;

/// Most of a bad line that an error quotes.
const QUOTE_CHARS_MAX: usize = 60;

/// A case's own schema, as shipped.
const EVAL_SCHEMA: &str = include_str!("../../../contracts/eval.schema.json");

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let document = serde_json::from_str(EVAL_SCHEMA).expect("the contract is compiled in");
    Schema::build(document).expect("the contract is a schema, a test says so")
});

/// A sentence, what is known when it is typed, and the skills that a good plan for it uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalCase {
    /// Where it stands in the dataset, from 1.
    pub line_no: usize,
    /// Unique in the dataset.
    pub id: String,
    /// What it is an example of, in one word.
    pub kind: String,
    /// What the player types.
    pub sentence: String,
    /// Each set of skills that is right.
    pub accept: Vec<BTreeSet<String>>,
    /// Skills that this plan must not use.
    pub disabled: Vec<String>,
    /// The last turns, newest last.
    pub recent: Vec<RecentTurn>,
    /// The story's state.
    pub state: Object,
}

/// Why a text is not a dataset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// Too much to read.
    #[error("the dataset has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// What it has.
        bytes: usize,
        /// [`EVAL_BYTES_MAX`].
        limit: usize,
    },
    /// Too much to try.
    #[error("the dataset has more than {limit} cases")]
    TooManyCases {
        /// [`EVAL_CASES_MAX`].
        limit: usize,
    },
    /// Nothing to try.
    #[error("the dataset has no case")]
    Empty,
    /// Bytes that are no text.
    #[error("line {line_no} is not UTF-8")]
    NotUtf8 {
        /// From 1.
        line_no: usize,
    },
    /// A line that is no JSON.
    #[error("line {line_no} is not JSON: {what}: `{found}`")]
    NotJson {
        /// From 1.
        line_no: usize,
        /// What the parser said.
        what: String,
        /// How the line begins.
        found: String,
    },
    /// A line that is no case.
    #[error("line {line_no} is no case: {what}")]
    NotACase {
        /// From 1.
        line_no: usize,
        /// Everything that does not fit, with where it stands.
        what: String,
    },
    /// A sentence that nobody can type.
    #[error("line {line_no}: {what}")]
    BadSentence {
        /// From 1.
        line_no: usize,
        /// Empty, or too long.
        what: String,
    },
    /// Two cases of one name.
    #[error("line {line_no} has the id `{id}`, which line {first_line_no} has already")]
    DoubleId {
        /// From 1.
        line_no: usize,
        /// Whose.
        id: String,
        /// Who had it first.
        first_line_no: usize,
    },
    /// A case that no plan can get right here.
    #[error("line {line_no} names the skill `{skill}`, which is not there")]
    UnknownSkill {
        /// From 1.
        line_no: usize,
        /// As the line has it.
        skill: String,
    },
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
            EvalError::UnknownSkill { .. } => {
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

/// A line as text says it, once it fits the schema.
#[derive(Deserialize)]
struct EvalCaseJson {
    id: String,
    kind: String,
    sentence: String,
    #[serde(default = "once")]
    repeat: usize,
    accept: Vec<BTreeSet<String>>,
    #[serde(default)]
    disabled: Vec<String>,
    #[serde(default)]
    recent: Vec<BeatJson>,
    #[serde(default)]
    state: Object,
}

#[derive(Deserialize)]
struct BeatJson {
    prompt: String,
    narration: String,
}

fn once() -> usize {
    1
}

/// Reads a dataset. Lines without anything are passed over; the first bad one is an error.
pub fn parse(text: &[u8]) -> Result<Vec<EvalCase>, EvalError> {
    if text.len() > EVAL_BYTES_MAX {
        return Err(EvalError::TooLarge { bytes: text.len(), limit: EVAL_BYTES_MAX });
    }
    let (mut cases, mut lines_of) = (Vec::new(), BTreeMap::new());
    for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
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
    if nests_deeper_than(DEPTH_MAX, line.as_bytes()) {
        let what = format!("it nests deeper than {DEPTH_MAX} levels");
        return Err(EvalError::NotACase { line_no, what });
    }
    let document: Value = serde_json::from_str(line).map_err(|error| EvalError::NotJson {
        line_no,
        what: json_fault(&error),
        found: line.chars().take(QUOTE_CHARS_MAX).collect(),
    })?;
    let mismatches = SCHEMA.mismatches(&document);
    if !mismatches.is_empty() {
        let told = mismatches.into_iter().map(|mismatch| match mismatch.pointer.as_str() {
            "" => mismatch.what,
            pointer => format!("{pointer}: {}", mismatch.what),
        });
        let what = told.collect::<Vec<_>>().join("; ");
        return Err(EvalError::NotACase { line_no, what });
    }
    let json: EvalCaseJson = serde_json::from_value(document)
        .map_err(|error| EvalError::NotACase { line_no, what: error.to_string() })?;
    let sentence = sentence(&json).map_err(|what| EvalError::BadSentence { line_no, what })?;
    let beat = |beat: BeatJson| RecentTurn { prompt: beat.prompt, narration: beat.narration };
    Ok(EvalCase {
        line_no,
        id: json.id,
        kind: json.kind,
        sentence,
        accept: json.accept,
        disabled: json.disabled,
        recent: json.recent.into_iter().map(beat).collect(),
        state: json.state,
    })
}

/// What the parser said, without the number that a line has for itself.
fn json_fault(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let what = said.split_once(" at line ").map_or(said.as_str(), |(what, _)| what);
    format!("{what} at column {}", error.column())
}

/// The whole sentence, as a turn would take it.
fn sentence(json: &EvalCaseJson) -> Result<String, String> {
    let bytes = json.sentence.len().saturating_mul(json.repeat);
    if bytes > PROMPT_BYTES_MAX {
        return Err(format!("the sentence has {bytes} bytes, the limit is {PROMPT_BYTES_MAX}"));
    }
    let sentence = json.sentence.repeat(json.repeat).trim().to_owned();
    if sentence.is_empty() { Err("the sentence is empty".to_owned()) } else { Ok(sentence) }
}

/// Every skill that a case accepts or forbids must be there: else nobody could get it right, or everybody would.
pub fn check_skills(cases: &[EvalCase], catalog: &Catalog) -> Result<(), EvalError> {
    for case in cases {
        let named = case.accept.iter().flatten().chain(&case.disabled);
        if let Some(skill) = named.into_iter().find(|skill| catalog.get(skill).is_none()) {
            return Err(EvalError::UnknownSkill { line_no: case.line_no, skill: skill.clone() });
        }
    }
    Ok(())
}
