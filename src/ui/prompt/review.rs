//! The prompt for the review of a plan before it runs (S2 "Plan Review UI").

use narratoria_plan::PlanJson;
use narratoria_protocol::nearest::nearest;

use super::pick::{PickError, resolve_step};
use crate::ui::text::visible_line;

/// Each command: its word, its form, what it does.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("start", "start", "run the plan as it is; so does an empty line"),
    ("cancel", "cancel", "do not run it"),
    ("show", "show [N]", "the plan as a table, or all of one step"),
    ("graph", "graph", "the plan as a drawing: which step waits for which"),
    ("edit", "edit N", "change a step's input in the editor"),
    ("describe", "describe N TEXT", "say what a step is for"),
    ("skip", "skip N", "leave a step out; those that need it get null"),
    ("keep", "keep N", "take it in again"),
    ("move", "move N before|after M", "change the order, as far as needs allow"),
    ("add", "add", "write another step in the editor"),
    ("remove", "remove N", "delete a step"),
    ("again", "again REMARK", "let the planner make another plan, told what you want"),
    ("help", "help", "this list"),
];

/// Reads the player's lines. A step is a number of the table, or a name.
#[derive(Debug)]
pub(crate) struct ReviewPrompt {
    names: Vec<String>,
}

/// A command of the player. Steps are `toolId`s of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReviewCommand {
    Start,
    Cancel,
    /// The table, or one step.
    Show(Option<String>),
    Graph,
    Skip(String),
    /// Undoes `Skip`.
    Keep(String),
    Edit(String),
    Describe {
        tool_id: String,
        text: String,
    },
    Move {
        tool_id: String,
        place: MoveTarget,
    },
    Add,
    Remove(String),
    /// A new plan, with this remark to the planner.
    Again(String),
    Help,
}

/// The new place of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MoveTarget {
    Before(String),
    After(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReviewError {
    #[error("`{word}` is not known here, {}", suggestion(word))]
    Unknown { word: String },
    #[error("write it as `{form}`")]
    Form { form: &'static str },
    #[error(transparent)]
    Step(#[from] PickError),
    #[error("step `{tool_id}` cannot stand before or after itself")]
    BesideItself { tool_id: String },
}

impl ReviewPrompt {
    pub(crate) const PROMPT: &str = "review> ";

    pub(crate) fn new(json: &PlanJson) -> ReviewPrompt {
        ReviewPrompt { names: json.tools.iter().map(|tool| tool.tool_id.clone()).collect() }
    }

    /// Lists all commands.
    pub(crate) fn help() -> String {
        let line = |(_, form, does): &(&str, &str, &str)| format!("  {form:22}  {does}\n");
        let lines: String = COMMANDS.iter().map(line).collect();
        format!("{lines}N and M are numbers of the table or names of steps.\n")
    }

    pub(crate) fn parse(&self, line: &str) -> Result<ReviewCommand, ReviewError> {
        let line = line.trim();
        let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (verb, rest) = (verb.trim_start_matches('/').to_lowercase(), rest.trim());
        let alone = |command: ReviewCommand| match rest {
            "" => Ok(command),
            _ => Err(form(&verb)),
        };
        match verb.as_str() {
            "" if line.is_empty() => Ok(ReviewCommand::Start),
            "start" => alone(ReviewCommand::Start),
            "cancel" => alone(ReviewCommand::Cancel),
            "graph" => alone(ReviewCommand::Graph),
            "add" => alone(ReviewCommand::Add),
            "help" | "?" => alone(ReviewCommand::Help),
            "show" if rest.is_empty() => Ok(ReviewCommand::Show(None)),
            "show" => Ok(ReviewCommand::Show(Some(self.only(&verb, rest)?))),
            "skip" => Ok(ReviewCommand::Skip(self.only(&verb, rest)?)),
            "keep" => Ok(ReviewCommand::Keep(self.only(&verb, rest)?)),
            "edit" => Ok(ReviewCommand::Edit(self.only(&verb, rest)?)),
            "remove" => Ok(ReviewCommand::Remove(self.only(&verb, rest)?)),
            "describe" => {
                let (step, text) =
                    rest.split_once(char::is_whitespace).ok_or_else(|| form(&verb))?;
                let text = text.trim().to_owned();
                Ok(ReviewCommand::Describe { tool_id: self.step(step)?, text })
            }
            "move" => self.parse_move(rest),
            "again" if rest.is_empty() => Err(form(&verb)),
            "again" => Ok(ReviewCommand::Again(rest.to_owned())),
            _ => Err(ReviewError::Unknown { word: visible_line(&verb) }),
        }
    }

    fn parse_move(&self, rest: &str) -> Result<ReviewCommand, ReviewError> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [step, side, other] = words[..] else { return Err(form("move")) };
        let place = match side.to_lowercase().as_str() {
            "before" => MoveTarget::Before,
            "after" => MoveTarget::After,
            _ => return Err(form("move")),
        };
        let (tool_id, other) = (self.step(step)?, self.step(other)?);
        if tool_id == other {
            return Err(ReviewError::BesideItself { tool_id });
        }
        Ok(ReviewCommand::Move { tool_id, place: place(other) })
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

fn form(verb: &str) -> ReviewError {
    let command = COMMANDS.iter().find(|(word, ..)| *word == verb);
    ReviewError::Form { form: command.map_or("help", |(_, form, _)| form) }
}

fn suggestion(word: &str) -> String {
    match nearest(word, COMMANDS.iter().map(|(command, ..)| command)) {
        Some(command) => format!("did you mean `{command}`?"),
        None => "`help` lists what is".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ReviewCommand, ReviewPrompt};

    #[track_caller]
    fn check(line: &str, expect: &str) {
        let tools =
            ["light", "roll", "tell"].map(|name| json!({"toolId": name, "toolPath": "a/b"}));
        let plan = json!({"requestId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11", "tools": tools});
        let prompt = ReviewPrompt::new(&serde_json::from_value(plan).unwrap());
        let found = match prompt.parse(line) {
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
        check("skip roll", r#"Skip("roll")"#);
        check("keep #2", r#"Keep("roll")"#);
        check("edit 1", r#"Edit("light")"#);
        check("describe 3 Tell  it well", r#"Describe { tool_id: "tell", text: "Tell  it well" }"#);
        check("move 3 before light", r#"Move { tool_id: "tell", place: Before("light") }"#);
        check("MOVE light AFTER 3", r#"Move { tool_id: "light", place: After("tell") }"#);
        check("add", "Add");
        check("remove tell", r#"Remove("tell")"#);
        check("again without the fire, please", r#"Again("without the fire, please")"#);
        check("/help", "Help");
        check("?", "Help");
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
        check("move 2 after roll", "error: step `roll` cannot stand before or after itself");
        check("again", "error: write it as `again REMARK`");
        check("/", "error: `` is not known here, `help` lists what is");
    }

    #[test]
    fn help_lists_every_command() {
        insta::assert_snapshot!(ReviewPrompt::help(), @"
          start                   run the plan as it is; so does an empty line
          cancel                  do not run it
          show [N]                the plan as a table, or all of one step
          graph                   the plan as a drawing: which step waits for which
          edit N                  change a step's input in the editor
          describe N TEXT         say what a step is for
          skip N                  leave a step out; those that need it get null
          keep N                  take it in again
          move N before|after M   change the order, as far as needs allow
          add                     write another step in the editor
          remove N                delete a step
          again REMARK            let the planner make another plan, told what you want
          help                    this list
        N and M are numbers of the table or names of steps.
        ");
        assert_ne!(ReviewCommand::Help, ReviewCommand::Start);
    }
}
