//! The prompt for the review of a plan before it runs (S2 "Plan Review UI").

use narratoria_plan::{PlanEdit, PlanJson, wire::ToolJson};
use narratoria_protocol::{JsonBounds, Object, nearest::nearest, read_json_as};
use serde::de::DeserializeOwned;

use super::pick::{PickError, resolve_step};
use crate::text::visible_line;

/// Each command: its word, its form, its effect.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("start", "start", "run the plan as it is; so does an empty line"),
    ("cancel", "cancel", "do not run it; so do `quit` and `exit`"),
    ("show", "show [N]", "the plan as a table, or all of one step"),
    ("graph", "graph", "the plan as a drawing: which step waits for which"),
    ("edit", "edit [N] [JSON]", "change a step's input, or without N the whole plan"),
    ("describe", "describe N TEXT", "say what a step is for"),
    ("skip", "skip N", "leave a step out; those that need it get null"),
    ("keep", "keep N", "take it in again"),
    ("move", "move N before|after M", "change the order, as far as needs allow"),
    ("need", "need N M…", "let N wait for M"),
    ("free", "free N M…", "let N run without waiting for M"),
    ("add", "add [before|after M] [JSON]", "add a step, at the end or there"),
    ("remove", "remove N", "delete a step"),
    ("again", "again REMARK", "let the planner make another plan, told what you want"),
    ("help", "help", "this list"),
];

/// The words that other programs use for a command.
const SYNONYMS: &[(&str, &str)] = &[("quit", "cancel"), ("exit", "cancel"), ("?", "help")];

const LEGEND: &str = "\
N and M are numbers of the table or names of steps. Without JSON on the line, `edit` and `add` open
the editor. A line of JSON is an edit as programs write it: {\"edit\": \"skip\", \"toolId\": \"look\"}
";

/// Reads the player's lines. A step is a number of the table, or a name.
#[derive(Debug)]
pub struct ReviewPrompt {
    names: Vec<String>,
}

/// A command of the player. Steps are `toolId`s of the plan.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewCommand {
    Start,
    Cancel,
    /// Shows the table, or one step.
    Show(Option<String>),
    Graph,
    /// A finished edit.
    Apply(Box<PlanEdit>),
    /// Opens the input of a step in the editor, or the whole plan.
    OpenEditor(Option<String>),
    Move {
        tool_id: String,
        place: MoveTarget,
    },
    /// Adds these dependencies to those of the step.
    Need {
        tool_id: String,
        others: Vec<String>,
    },
    /// Undoes `Need`.
    Free {
        tool_id: String,
        others: Vec<String>,
    },
    /// Adds a new step; without one, opens the editor.
    Add {
        tool: Option<Box<ToolJson>>,
        place: Option<MoveTarget>,
    },
    /// Asks the planner for a new plan, with this remark.
    Again(String),
    Help,
}

/// The new place of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoveTarget {
    Before(String),
    After(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReviewError {
    #[error("`{word}` is not known here, {}", suggestion(word))]
    Unknown { word: String },
    #[error("write it as `{form}`")]
    Form { form: &'static str },
    #[error(transparent)]
    Step(#[from] PickError),
    #[error("step `{tool_id}` cannot stand before or after itself")]
    BesideItself { tool_id: String },
    #[error("step `{tool_id}` cannot wait for itself")]
    WaitsForItself { tool_id: String },
    #[error("{what}: {why}")]
    Json { what: &'static str, why: String },
}

impl ReviewPrompt {
    pub const PROMPT: &str = "review> ";
    pub const INPUT_FORM: &str = "an input is a JSON object";
    pub const STEP_FORM: &str = "a step is a JSON object with `toolId` and `toolPath`";
    pub const PLAN_FORM: &str = "a plan is a JSON object with `requestId` and `tools`";
    const EDIT_FORM: &str = "an edit is a JSON object with `edit`";

    pub fn new(json: &PlanJson) -> ReviewPrompt {
        ReviewPrompt { names: json.tools.iter().map(|tool| tool.tool_id.clone()).collect() }
    }

    /// Lists all commands.
    pub fn help() -> String {
        let line = |(_, form, does): &(&str, &str, &str)| format!("  {form:27}  {does}\n");
        let lines: String = COMMANDS.iter().map(line).collect();
        format!("{lines}{LEGEND}")
    }

    /// The commands that a front end with a table of its own offers: the form of each, and what it does.
    pub fn commands() -> impl Iterator<Item = (&'static str, &'static str)> {
        const SHOWN_ANYWAY: [&str; 3] = ["show", "graph", "help"];
        COMMANDS
            .iter()
            .filter(|(name, ..)| !SHOWN_ANYWAY.contains(name))
            .map(|(_, form, does)| (*form, *does))
    }

    pub fn parse(&self, line: &str) -> Result<ReviewCommand, ReviewError> {
        let line = line.trim();
        if line.starts_with('{') {
            return Ok(apply(parse_json(line, Self::EDIT_FORM)?));
        }
        let (verb, rest) = first_word(line);
        let verb = verb.trim_start_matches('/').to_lowercase();
        let synonym = SYNONYMS.iter().find(|(word, _)| *word == verb);
        let verb = synonym.map_or(verb.as_str(), |(_, command)| command);
        let alone = |command: ReviewCommand| match rest {
            "" => Ok(command),
            _ => Err(form(verb)),
        };
        match verb {
            "" if line.is_empty() => Ok(ReviewCommand::Start),
            "start" => alone(ReviewCommand::Start),
            "cancel" => alone(ReviewCommand::Cancel),
            "graph" => alone(ReviewCommand::Graph),
            "help" => alone(ReviewCommand::Help),
            "show" if rest.is_empty() => Ok(ReviewCommand::Show(None)),
            "show" => Ok(ReviewCommand::Show(Some(self.only(verb, rest)?))),
            "skip" => Ok(apply(PlanEdit::Skip { tool_id: self.only(verb, rest)? })),
            "keep" => Ok(apply(PlanEdit::Unskip { tool_id: self.only(verb, rest)? })),
            "remove" => Ok(apply(PlanEdit::Remove { tool_id: self.only(verb, rest)? })),
            "edit" => self.parse_edit(rest),
            "add" => self.parse_add(rest),
            "describe" => {
                let (step, text) =
                    rest.split_once(char::is_whitespace).ok_or_else(|| form(verb))?;
                let description = Some(text.trim().to_owned());
                Ok(apply(PlanEdit::Describe { tool_id: self.step(step)?, description }))
            }
            "move" => self.parse_move(rest),
            "need" | "free" => self.parse_needs(verb, rest),
            "again" if rest.is_empty() => Err(form(verb)),
            "again" => Ok(ReviewCommand::Again(rest.to_owned())),
            _ => Err(ReviewError::Unknown { word: visible_line(verb) }),
        }
    }

    fn parse_edit(&self, rest: &str) -> Result<ReviewCommand, ReviewError> {
        if rest.is_empty() {
            return Ok(ReviewCommand::OpenEditor(None));
        }
        if rest.starts_with('{') {
            let plan = Box::new(parse_json(rest, Self::PLAN_FORM)?);
            return Ok(apply(PlanEdit::ReplaceAll { plan }));
        }
        let (step, input) = first_word(rest);
        let tool_id = self.step(step)?;
        match input {
            "" => Ok(ReviewCommand::OpenEditor(Some(tool_id))),
            input => {
                let input: Object = parse_json(input, Self::INPUT_FORM)?;
                Ok(apply(PlanEdit::SetInput { tool_id, input }))
            }
        }
    }

    fn parse_add(&self, rest: &str) -> Result<ReviewCommand, ReviewError> {
        let (place, text) = match rest.is_empty() || rest.starts_with('{') {
            true => (None, rest),
            false => {
                let (side, rest) = first_word(rest);
                let (other, text) = first_word(rest);
                (Some(self.place("add", side, other)?), text)
            }
        };
        let tool = match text {
            "" => None,
            text => Some(Box::new(parse_json(text, Self::STEP_FORM)?)),
        };
        Ok(ReviewCommand::Add { tool, place })
    }

    fn parse_move(&self, rest: &str) -> Result<ReviewCommand, ReviewError> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [step, side, other] = words[..] else { return Err(form("move")) };
        let place = self.place("move", side, other)?;
        let tool_id = self.step(step)?;
        let (MoveTarget::Before(other) | MoveTarget::After(other)) = &place;
        if tool_id == *other {
            return Err(ReviewError::BesideItself { tool_id });
        }
        Ok(ReviewCommand::Move { tool_id, place })
    }

    fn place(&self, verb: &str, side: &str, other: &str) -> Result<MoveTarget, ReviewError> {
        let place = match side.to_lowercase().as_str() {
            "before" if !other.is_empty() => MoveTarget::Before,
            "after" if !other.is_empty() => MoveTarget::After,
            _ => return Err(form(verb)),
        };
        Ok(place(self.step(other)?))
    }

    fn parse_needs(&self, verb: &str, rest: &str) -> Result<ReviewCommand, ReviewError> {
        let mut words = rest.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let tool_id = self.step(words.next().ok_or_else(|| form(verb))?)?;
        let others: Result<Vec<String>, ReviewError> = words.map(|word| self.step(word)).collect();
        let others = others?;
        if others.is_empty() {
            return Err(form(verb));
        }
        if others.contains(&tool_id) {
            return Err(ReviewError::WaitsForItself { tool_id });
        }
        Ok(match verb {
            "need" => ReviewCommand::Need { tool_id, others },
            _ => ReviewCommand::Free { tool_id, others },
        })
    }

    /// Reads the only remaining word as a step.
    fn only(&self, verb: &str, rest: &str) -> Result<String, ReviewError> {
        if rest.is_empty() || rest.contains(char::is_whitespace) {
            return Err(form(verb));
        }
        self.step(rest)
    }

    fn step(&self, word: &str) -> Result<String, ReviewError> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        Ok(self.names[resolve_step(word, &names)?].clone())
    }
}

fn apply(edit: PlanEdit) -> ReviewCommand {
    ReviewCommand::Apply(Box::new(edit))
}

/// Returns the first word, and the rest without the blanks around it.
fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

fn parse_json<T: DeserializeOwned>(text: &str, what: &'static str) -> Result<T, ReviewError> {
    let bounds = JsonBounds::of_bytes(text.len());
    read_json_as(text.as_bytes(), bounds)
        .map_err(|error| ReviewError::Json { what, why: visible_line(&error.to_string()) })
}

fn form(verb: &str) -> ReviewError {
    let command = COMMANDS.iter().find(|(word, ..)| *word == verb);
    ReviewError::Form { form: command.map_or("help", |(_, form, _)| form) }
}

fn suggestion(word: &str) -> String {
    let words = COMMANDS.iter().map(|(command, ..)| command);
    match nearest(word, words.chain(SYNONYMS.iter().map(|(word, _)| word))) {
        Some(command) => format!("did you mean `{command}`?"),
        None => "`help` lists what is".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use narratoria_plan::PlanEdit;
    use serde_json::json;

    use super::{ReviewCommand, ReviewPrompt};

    #[track_caller]
    fn check(line: &str, expect: &str) {
        let tools =
            ["light", "roll", "tell"].map(|name| json!({"toolId": name, "toolPath": "a/b"}));
        let plan = json!({"requestId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11", "tools": tools});
        let prompt = ReviewPrompt::new(&serde_json::from_value(plan).unwrap());
        let found = match prompt.parse(line) {
            Ok(ReviewCommand::Apply(edit)) => serde_json::to_string(&edit).unwrap(),
            Ok(command) => format!("{command:?}"),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(found, expect, "{line:?}");
    }

    /// S2 "Plan Review UI": edit, reorder, skip, add, regenerate, start, cancel.
    #[test]
    fn every_command_is_understood() {
        check("", "Start");
        check(" Start ", "Start");
        check("cancel", "Cancel");
        check("show", "Show(None)");
        check("show 2", r#"Show(Some("roll"))"#);
        check("graph", "Graph");
        check("quit", "Cancel");
        check("/exit", "Cancel");
        check("skip roll", r#"{"edit":"skip","toolId":"roll"}"#);
        check("keep #2", r#"{"edit":"unskip","toolId":"roll"}"#);
        check("edit 1", r#"OpenEditor(Some("light"))"#);
        check("edit", "OpenEditor(None)");
        check(
            "describe 3 Tell  it well",
            r#"{"edit":"describe","toolId":"tell","description":"Tell  it well"}"#,
        );
        check("move 3 before light", r#"Move { tool_id: "tell", place: Before("light") }"#);
        check("MOVE light AFTER 3", r#"Move { tool_id: "light", place: After("tell") }"#);
        check("add", "Add { tool: None, place: None }");
        check("add after 2", r#"Add { tool: None, place: Some(After("roll")) }"#);
        check("need tell 1, 2", r#"Need { tool_id: "tell", others: ["light", "roll"] }"#);
        check("free 3 light", r#"Free { tool_id: "tell", others: ["light"] }"#);
        check("remove tell", r#"{"edit":"remove","toolId":"tell"}"#);
        check("again without the fire, please", r#"Again("without the fire, please")"#);
        check("/help", "Help");
        check("?", "Help");
    }

    /// A pipe has no editor, so everything can stand on the line.
    #[test]
    fn json_stands_on_the_line() {
        check(
            r#"edit roll {"sides": 6}"#,
            r#"{"edit":"setInput","toolId":"roll","input":{"sides":6}}"#,
        );
        check(
            r#" {"edit": "move", "toolId": "tell", "to": 0} "#,
            r#"{"edit":"move","toolId":"tell","to":0}"#,
        );
        let prompt = |line: &str| ReviewPrompt { names: vec!["light".to_owned()] }.parse(line);
        let step = r#"{"toolId": "sing", "toolPath": "a/b"}"#;
        for (line, at) in
            [(format!("add {step}"), None), (format!("add before 1 {step}"), Some(()))]
        {
            let Ok(ReviewCommand::Add { tool: Some(tool), place }) = prompt(&line) else {
                panic!("{line}")
            };
            assert_eq!((tool.tool_id.as_str(), place.map(drop)), ("sing", at));
        }
        let plan = r#"edit {"requestId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11", "tools": []}"#;
        let Ok(ReviewCommand::Apply(edit)) = prompt(plan) else { panic!("{plan}") };
        assert!(matches!(*edit, PlanEdit::ReplaceAll { .. }), "{edit:?}");
        let wrong = [
            "edit 1 {",
            "edit 1 [1]",
            r#"edit 1 {"a": 1, "a": 2}"#,
            r#"add {"toolId": "x"}"#,
            r#"{"edit": "skipp"}"#,
            "{\"edit\": \"\u{1b}\"}",
        ];
        let errors = wrong.map(|line| prompt(line).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"), @r#"
        an input is a JSON object: EOF while parsing an object at line 1 column 1
        an input is a JSON object: invalid type: sequence, expected a map at line 1 column 0
        an input is a JSON object: the key "a" stands twice in one object at line 1 column 12
        a step is a JSON object with `toolId` and `toolPath`: missing field `toolPath` at line 1 column 15
        an edit is a JSON object with `edit`: unknown variant `skipp`, expected one of `setInput`, `describe`, `move`, `skip`, `unskip`, `add`, `remove`, `setDependencies`, `replaceAll` at line 1 column 16
        an edit is a JSON object with `edit`: control character (\u0000-\u001F) found while parsing a string at line 1 column 11
        "#);
    }

    #[test]
    fn an_unknown_line_explains_what_is_known() {
        check("strat", "error: `strat` is not known here, did you mean `start`?");
        check("burn\u{1b} it", r"error: `burn\u{1b}` is not known here, `help` lists what is");
        check("start now", "error: write it as `start`");
        check("skip", "error: write it as `skip N`");
        check("skip 1 2", "error: write it as `skip N`");
        check("skip 4", "error: there is no step `4`; there are `light`, `roll` and `tell`");
        check("describe 1", "error: write it as `describe N TEXT`");
        check("move 1 2", "error: write it as `move N before|after M`");
        check("move 1 beside 2", "error: write it as `move N before|after M`");
        check("need 1", "error: write it as `need N M…`");
        check("free", "error: write it as `free N M…`");
        check("need 1 light", "error: step `light` cannot wait for itself");
        check("free 1 9", "error: there is no step `9`; there are `light`, `roll` and `tell`");
        check("add behind 1", "error: write it as `add [before|after M] [JSON]`");
        check("add after", "error: write it as `add [before|after M] [JSON]`");
        check("quti", "error: `quti` is not known here, did you mean `quit`?");
        check("quit now", "error: write it as `cancel`");
        check("move 2 after roll", "error: step `roll` cannot stand before or after itself");
        check("again", "error: write it as `again REMARK`");
        check("/", "error: `` is not known here, `help` lists what is");
    }

    #[test]
    fn help_lists_every_command() {
        insta::assert_snapshot!(ReviewPrompt::help(), @r#"
          start                        run the plan as it is; so does an empty line
          cancel                       do not run it; so do `quit` and `exit`
          show [N]                     the plan as a table, or all of one step
          graph                        the plan as a drawing: which step waits for which
          edit [N] [JSON]              change a step's input, or without N the whole plan
          describe N TEXT              say what a step is for
          skip N                       leave a step out; those that need it get null
          keep N                       take it in again
          move N before|after M        change the order, as far as needs allow
          need N M…                    let N wait for M
          free N M…                    let N run without waiting for M
          add [before|after M] [JSON]  add a step, at the end or there
          remove N                     delete a step
          again REMARK                 let the planner make another plan, told what you want
          help                         this list
        N and M are numbers of the table or names of steps. Without JSON on the line, `edit` and `add` open
        the editor. A line of JSON is an edit as programs write it: {"edit": "skip", "toolId": "look"}
        "#);
        assert_ne!(ReviewCommand::Help, ReviewCommand::Start);
    }
}
