//! Collects how a sentence is read, step by step, if somebody asks for it. Otherwise each call looks at one flag.
//!
//! The stages of the reader call [`stage`], [`row`] and the like where a sentence or a clause passes; they know nothing of who
//! reads the steps.

use std::cell::RefCell;

use english::WordRow;
use schemars::JsonSchema;
use serde::Serialize;
use world_model::{action::Action, world::World};

use crate::{
    meaning::Trouble,
    words::tokens::{Token, text_of},
};

/// Most steps of one sentence; later ones are left out.
pub const READING_STEPS_MAX: usize = 400;

/// Most candidates that lost.
pub const READING_LOST_MAX: usize = 200;

/// The file of a campaign's own rows, as steps name it.
pub const GRAMMAR_FILE: &str = "grammar.gram";

/// The tables of words of which a row may fire, as steps name them.
pub(super) const RESPELLED_FILE: &str = "respelled.tsv";
pub(super) const IRREGULAR_FILE: &str = "irregular.tsv";
pub(super) const BY_EAR_FILE: &str = "by-ear.tsv";

/// The stage of a clause that no rule reads whole: the first verb with a name that suits it.
pub(super) const GUESSED: &str = "evidence";

/// The stage of a clause without a verb that is known: a name, a gesture in the player's own words.
pub(super) const NO_VERB: &str = "no known verb";

/// The stage of a clause that is taken for something said.
pub(super) const SAID: &str = "said";

/// A row of a table of wordings or of words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadingRow {
    /// `grammar.gram` for a row of the campaign, otherwise a table of `skills-wasm/understanding/wordings`, `skills-wasm/understanding/grammar` or `skills-wasm/english/data`.
    pub file: String,
    /// Its line in the file, from 1; missing where no row names it.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    /// The wording, or the words; `fn` and a name for a function of the reader.
    pub wording: String,
    /// The plain clause, or the words, that it stands for, `-` for none; missing for a function.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub meaning: String,
    /// A clause that it fits.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub example: String,
}

impl ReadingRow {
    /// The row with the place where it stands.
    pub(super) fn at(self, file: &str, line: u32) -> ReadingRow {
        ReadingRow { file: file.to_owned(), line, ..self }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(line: &u32) -> bool {
    *line == 0
}

/// A step: what a part of the reader made of the words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadingStep {
    /// The clause that it concerns, from 1; missing for the whole sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<usize>,
    /// The part of the reader, such as `spelling`.
    pub stage: String,
    /// The words, or the actions, as they are behind it.
    pub made: String,
    /// The row that did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<ReadingRow>,
}

/// A reading that was tried and lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LostReading {
    /// The clause that it concerns, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<usize>,
    /// The words that were tried.
    pub tried: String,
    /// Why it is not the one.
    pub missing: String,
    /// The row, if a row was tried: its words fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<ReadingRow>,
}

/// How a sentence was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingTrace {
    pub steps: Vec<ReadingStep>,
    pub lost: Vec<LostReading>,
    /// The clause that is read now.
    clause: Option<usize>,
    /// The words of the last step.
    words: String,
}

thread_local! {
    static COLLECTED: RefCell<Option<ReadingTrace>> = const { RefCell::new(None) };
}

/// Collects the steps of what `work` reads.
pub fn collect<T>(work: impl FnOnce() -> T) -> (T, ReadingTrace) {
    let before = COLLECTED.replace(Some(ReadingTrace::default()));
    let done = work();
    let trace = COLLECTED.replace(before).unwrap_or_default();
    (done, trace)
}

/// Does something of which no step is told, such as a reading that is only tried out.
pub(super) fn silent<T>(work: impl FnOnce() -> T) -> T {
    let before = COLLECTED.take();
    let done = work();
    COLLECTED.set(before);
    done
}

fn is_collecting() -> bool {
    COLLECTED.with_borrow(Option::is_some)
}

fn with(change: impl FnOnce(&mut ReadingTrace)) {
    COLLECTED.with_borrow_mut(|collected| collected.as_mut().map(change));
}

impl ReadingTrace {
    fn step(&mut self, stage: &str, made: String, row: Option<ReadingRow>) {
        if self.steps.len() < READING_STEPS_MAX {
            let clause = self.clause;
            self.steps.push(ReadingStep { clause, stage: stage.to_owned(), made, row });
        }
    }

    fn lose(&mut self, tried: String, missing: String, row: Option<ReadingRow>) {
        let lost = LostReading { clause: self.clause, tried, missing, row };
        if self.lost.len() < READING_LOST_MAX && !self.lost.contains(&lost) {
            self.lost.push(lost);
        }
    }
}

/// Notes the words behind a stage, if they are others than before it.
pub(super) fn stage(stage: &'static str, tokens: &[Token]) {
    if is_collecting() {
        let words = shown(tokens);
        with(|trace| {
            if trace.words != words {
                trace.words.clone_from(&words);
                trace.step(stage, words, None);
            }
        });
    }
}

/// Begins a clause, counted from 0.
pub(super) fn clause(idx: usize, tokens: &[Token]) {
    if is_collecting() {
        let words = shown(tokens);
        with(|trace| {
            trace.clause = Some(idx + 1);
            trace.words.clone_from(&words);
            trace.step("clause", words, None);
        });
    }
}

/// Ends the clauses: what follows concerns the whole sentence.
pub(super) fn whole() {
    with(|trace| trace.clause = None);
}

/// Notes the row that said a clause in plainer words.
pub(super) fn row(row: impl FnOnce() -> ReadingRow, plain: &[Token]) {
    if is_collecting() {
        let (row, words) = (row(), shown(plain));
        with(|trace| {
            trace.words.clone_from(&words);
            trace.step("wording", words, Some(row));
        });
    }
}

/// Notes a row that read a part of the sentence, of which the rest stays.
pub(super) fn part_row(row: impl FnOnce() -> ReadingRow, made: impl FnOnce() -> String) {
    if is_collecting() {
        let (row, made) = (row(), made());
        with(|trace| trace.step("wording", made, Some(row)));
    }
}

/// Notes the row of a table of words that a stage used, if there is one.
pub(super) fn word_row(stage: &str, file: &str, row: Option<&WordRow>) {
    let Some(row) = row else { return };
    with(|trace| {
        let (made, meaning) = match row.meant {
            "" => (format!("left out: {}", row.written), "-"),
            meant => (meant.to_owned(), meant),
        };
        let (wording, meaning) = (row.written.to_owned(), meaning.to_owned());
        let found = ReadingRow { wording, meaning, ..ReadingRow::default() };
        trace.step(stage, made, Some(found.at(file, row.line)));
    });
}

/// The text, if somebody asks how the sentence is read.
pub(super) fn asked(text: impl FnOnce() -> String) -> Option<String> {
    is_collecting().then(text)
}

/// Why a row is lost: its phrase of this kind and these features does not mean what it has to.
pub(super) fn missing_phrase(kind: &str, phrase: &[Token]) -> String {
    format!("\u{201c}{}\u{201d} is no `{{{kind}}}` here", shown(phrase))
}

/// Notes a row whose words fit and that lost all the same. Who has the tables says later where it stands.
pub(super) fn row_lost(row: impl FnOnce() -> ReadingRow, clause: &[Token], missing: String) {
    if is_collecting() {
        let row = row();
        with(|trace| trace.lose(shown(clause), missing, Some(row)));
    }
}

/// Notes the frame that read a clause, what that costs, and what it comes to.
pub(super) fn frame(
    frame: impl FnOnce() -> (ReadingRow, u32),
    built: &Result<Vec<Action>, Trouble>,
) {
    if is_collecting() {
        let (row, cost) = frame();
        let made = built.as_ref().map_or_else(|_| "no sense".to_owned(), |it| in_words(it));
        let made = format!("{made}, cost {cost}");
        with(|trace| trace.step("frame", made, Some(row)));
    }
}

/// Notes a frame that fits too, and costs more.
pub(super) fn frame_lost(frame: impl FnOnce() -> (ReadingRow, u32), verb: (&str, &[Token])) {
    if is_collecting() {
        let (row, cost) = frame();
        let (phrase, rest) = verb;
        let tried = format!("{phrase} {}", text_of(rest)).trim_end().to_owned();
        with(|trace| trace.lose(tried, format!("another frame costs less than {cost}"), Some(row)));
    }
}

/// Notes what came of a verb with its words.
pub(super) fn verb_tried(
    world: &World,
    (phrase, rest): (&str, &[Token]),
    built: &Result<(u32, Vec<Action>), Trouble>,
) {
    if !is_collecting() {
        return;
    }
    let missing = match built {
        Ok((_, actions)) => {
            let words = actions.iter().find_map(|action| action.missing.as_deref());
            words.map(|words| format!("\u{201c}{words}\u{201d} is nothing that is here"))
        }
        Err(Trouble::Unclear(ids)) => {
            let names: Vec<String> = ids.iter().map(|id| world.the(*id)).collect();
            Some(format!("it may mean {}", english::list(&names).replace(" and ", " or ")))
        }
        Err(Trouble::Unknown) => Some("the verb makes no sense with these words".to_owned()),
    };
    if let Some(missing) = missing {
        let tried = format!("{phrase} {}", text_of(rest)).trim_end().to_owned();
        with(|trace| trace.lose(tried, missing, None));
    }
}

/// Notes the actions that a stage made.
pub(super) fn actions(stage: &'static str, actions: &[Action]) {
    if is_collecting() {
        let made = in_words(actions);
        with(|trace| trace.step(stage, made, None));
    }
}

fn in_words(actions: &[Action]) -> String {
    let lines: Vec<String> = actions.iter().map(Action::in_words).collect();
    if lines.is_empty() { "nothing".to_owned() } else { lines.join("; ") }
}

/// The tokens with their marks.
pub(super) fn shown(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Word(word) => text += &format!(" {word}"),
            Token::Comma => text.push(','),
            Token::Stop(true) => text.push('?'),
            Token::Stop(false) => text.push('.'),
            Token::Quote(said) => text += &format!(" \u{201c}{said}\u{201d}"),
        }
    }
    text.trim_start().to_owned()
}
