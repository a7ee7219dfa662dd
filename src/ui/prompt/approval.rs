//! The prompt for steps that wait for approval.

use serde_json::Value;

use super::pick::{PickError, resolve_step};
use crate::{
    Look, Tone,
    text::{cut_line, visible, visible_line},
};

/// Most columns of a waiting step with its input; `?` shows all of it.
const INPUT_COLUMNS: usize = 100;

/// A step that waits for the player's approval.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingStep {
    pub tool_id: String,
    /// `<skill>/<script>`.
    pub tool_path: String,
    /// An object, or for a loop a list of them.
    pub input: Value,
    pub description: Option<String>,
}

/// The waiting steps. Reads the player's lines as decisions on them.
#[derive(Debug, Default)]
pub struct ApprovalPrompt {
    waiting: Vec<WaitingStep>,
}

/// The reply to a line.
#[derive(Debug, PartialEq, Eq)]
pub enum ApprovalReply {
    /// Decisions by `toolId`, in the order of the list. These steps no longer wait.
    Decided(Vec<(String, bool)>),
    /// A text to show; nothing is decided.
    Shown(String),
    /// Why the line is no answer, and which lines are; nothing is decided.
    Refused(String),
}

impl ApprovalPrompt {
    pub fn new() -> ApprovalPrompt {
        ApprovalPrompt::default()
    }

    /// Adds a step, or replaces the one with its `toolId`.
    pub fn add(&mut self, step: WaitingStep) {
        match self.waiting.iter_mut().find(|known| known.tool_id == step.tool_id) {
            Some(known) => *known = step,
            None => self.waiting.push(step),
        }
    }

    /// Removes a step that stopped waiting without an answer.
    pub fn remove(&mut self, tool_id: &str) {
        self.waiting.retain(|step| step.tool_id != tool_id);
    }

    /// Returns the `toolId`s of the waiting steps.
    pub fn ids(&self) -> Vec<String> {
        self.waiting.iter().map(|step| step.tool_id.clone()).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn text(&self, look: Look) -> String {
        let mut text = String::new();
        for (at, step) in self.waiting.iter().enumerate() {
            let number =
                if self.waiting.len() > 1 { format!("{}. ", at + 1) } else { String::new() };
            let input = serde_json::to_string(&step.input).expect("an input is JSON");
            let line = format!(
                "{number}step `{}` wants to run `{}` with {}",
                visible_line(&step.tool_id),
                visible_line(&step.tool_path),
                visible_line(&input),
            );
            let line = cut_line(&line, INPUT_COLUMNS, look.ascii);
            text += &Tone::Warning.paint(&line, look.colour_out);
            text.push('\n');
            if let Some(description) = &step.description {
                text += &format!("   {}\n", visible_line(description));
            }
        }
        text
    }

    pub fn prompt(&self) -> &'static str {
        match self.waiting.len() {
            0 | 1 => "approve? y, n or ?> ",
            _ => "approve? numbers, a for all, none, or ?> ",
        }
    }

    /// Reads a line.
    pub fn answer(&mut self, line: &str) -> ApprovalReply {
        let words: Vec<&str> =
            line.split([' ', '\t', ',']).map(str::trim).filter(|w| !w.is_empty()).collect();
        let verb = words.first().map(|word| word.to_lowercase()).unwrap_or_default();
        let only = words.len() == 1;
        let all = |approved: bool| {
            self.waiting.iter().map(|step| (step.tool_id.clone(), approved)).collect()
        };
        let reply = match verb.as_str() {
            "" => ApprovalReply::Refused(self.help()),
            "?" if only => ApprovalReply::Shown(self.in_full()),
            "a" | "all" if only => ApprovalReply::Decided(all(true)),
            "d" | "none" if only => ApprovalReply::Decided(all(false)),
            "y" | "yes" | "n" | "no" if only && self.waiting.len() > 1 => {
                ApprovalReply::Refused(format!("`{verb}` to which? {}", self.help()))
            }
            "y" | "yes" if only => ApprovalReply::Decided(all(true)),
            "n" | "no" if only => ApprovalReply::Decided(all(false)),
            "y" | "yes" => self.some(&words[1..], true),
            "n" | "no" => self.some(&words[1..], false),
            _ => self.some(&words, true),
        };
        if let ApprovalReply::Decided(decided) = &reply {
            self.waiting.retain(|step| decided.iter().all(|(tool_id, _)| *tool_id != step.tool_id));
        }
        reply
    }

    /// Decides about some steps. Every word must be a waiting step; otherwise nothing is decided.
    fn some(&self, words: &[&str], approved: bool) -> ApprovalReply {
        let names: Vec<&str> = self.waiting.iter().map(|step| step.tool_id.as_str()).collect();
        let picked: Result<Vec<usize>, PickError> =
            words.iter().map(|word| resolve_step(word, &names)).collect();
        match picked {
            Ok(picked) => {
                let chosen = names.iter().enumerate().filter(|(at, _)| picked.contains(at));
                ApprovalReply::Decided(
                    chosen.map(|(_, name)| ((*name).to_owned(), approved)).collect(),
                )
            }
            Err(error) => ApprovalReply::Refused(format!("{error}; {}", self.help())),
        }
    }

    fn help(&self) -> String {
        match self.waiting.len() {
            0 => "no step waits for approval".to_owned(),
            1 => "say `y` to run it, `n` to skip it, `?` to see its whole input".to_owned(),
            _ => "say `a` to run all, `none` to skip all, `1 2` to run some, `n 1` to skip one, `?` to see \
                  the whole inputs"
                .to_owned(),
        }
    }

    fn in_full(&self) -> String {
        let step = |(at, step): (usize, &WaitingStep)| {
            let input = serde_json::to_string_pretty(&step.input).expect("an input is JSON");
            let number =
                if self.waiting.len() > 1 { format!("{}. ", at + 1) } else { String::new() };
            format!(
                "{number}{} ({}):\n{}\n",
                visible_line(&step.tool_id),
                visible_line(&step.tool_path),
                visible(&input)
            )
        };
        self.waiting.iter().enumerate().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ApprovalPrompt, ApprovalReply, WaitingStep};
    use crate::Look;

    fn prompt(names: &[&str]) -> ApprovalPrompt {
        let mut prompt = ApprovalPrompt::new();
        for name in names {
            prompt.add(WaitingStep {
                tool_id: (*name).to_owned(),
                tool_path: "fire/burn".to_owned(),
                input: json!({"door": "oak", "note": "\u{1b}[2J"}),
                description: Some(format!("Burn {name}")),
            });
        }
        prompt
    }

    /// `+a -b | c` reads "a runs, b is skipped, c still waits".
    #[track_caller]
    fn check(names: &[&str], line: &str, expect: &str) {
        let mut prompt = prompt(names);
        let reply = match prompt.answer(line) {
            ApprovalReply::Decided(decided) => decided
                .iter()
                .map(|(name, approved)| format!("{}{name}", if *approved { '+' } else { '-' }))
                .collect::<Vec<_>>()
                .join(" "),
            ApprovalReply::Shown(text) => format!("shown: {text}"),
            ApprovalReply::Refused(text) => format!("refused: {text}"),
        };
        let waiting: Vec<&str> = prompt.waiting.iter().map(|step| step.tool_id.as_str()).collect();
        let found =
            if waiting.is_empty() { reply } else { format!("{reply} | {}", waiting.join(" ")) };
        assert_eq!(found, expect, "{line:?}");
    }

    #[test]
    fn one_step_is_approved_or_denied() {
        for line in ["y", " YES ", "a", "1", "oak", "y oak"] {
            check(&["oak"], line, "+oak");
        }
        for line in ["n", "no", "none", "d", "n 1"] {
            check(&["oak"], line, "-oak");
        }
    }

    #[test]
    fn several_steps_are_decided_together_or_one_by_one() {
        let names = ["oak", "iron", "glass"];
        check(&names, "a", "+oak +iron +glass");
        check(&names, "none", "-oak -iron -glass");
        check(&names, "3, 1", "+oak +glass | iron");
        check(&names, "n iron", "-iron | oak glass");
        check(&names, "y 2 2", "+iron | oak glass");
    }

    #[test]
    fn an_unclear_line_decides_nothing() {
        const HELP: &str = "say `a` to run all, `none` to skip all, `1 2` to run some, `n 1` to skip one, `?` \
                            to see the whole inputs | oak iron";
        let names = ["oak", "iron"];
        check(&names, "", &format!("refused: {HELP}"));
        check(&names, "y", &format!("refused: `y` to which? {HELP}"));
        let unknown = "refused: there is no step `gold`; there are `oak` and `iron`; ";
        check(&names, "1 gold", &format!("{unknown}{HELP}"));
        check(
            &["oak"],
            "\n",
            "refused: say `y` to run it, `n` to skip it, `?` to see its whole input | oak",
        );
        check(
            &[],
            "x",
            "refused: there is no step `x`; there are no steps; no step waits for approval",
        );
    }

    #[test]
    fn the_question_names_step_script_and_input() {
        let look = Look::default();
        insta::assert_snapshot!(prompt(&["oak"]).text(look), @r#"
        step `oak` wants to run `fire/burn` with {"door":"oak","note":"\u001b[2J"}
           Burn oak
        "#);
        insta::assert_snapshot!(prompt(&["oak", "iron"]).text(look), @r#"
        1. step `oak` wants to run `fire/burn` with {"door":"oak","note":"\u001b[2J"}
           Burn oak
        2. step `iron` wants to run `fire/burn` with {"door":"oak","note":"\u001b[2J"}
           Burn iron
        "#);
        let ApprovalReply::Shown(text) = prompt(&["oak"]).answer("?") else { panic!("not shown") };
        insta::assert_snapshot!(text, @r#"
        oak (fire/burn):
        {
          "door": "oak",
          "note": "\u001b[2J"
        }
        "#);
    }

    #[test]
    fn a_removed_step_is_not_decided() {
        let mut prompt = prompt(&["oak", "iron"]);
        prompt.remove("oak");
        assert_eq!(prompt.answer("y"), ApprovalReply::Decided(vec![("iron".to_owned(), true)]));
        assert!(prompt.is_empty());
    }
}
