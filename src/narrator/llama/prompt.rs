//! What a model reads before it writes a plan, ordered from what never changes to what changes most: rules,
//! catalog, story, turn. What is the same at the beginning of two prompts is read once.
//!
//! # How it is made to fit
//!
//! Of the tokens that there are, the turn and the story get a fifth each, at most [`TURN_TOKENS_MAX`] and
//! [`STORY_TOKENS_MAX`]; rules and catalog get the rest. The shares do not depend on what is in them, so that the
//! catalog stays the same from turn to turn. Within its share each section gives up, in this order:
//!
//! - **story**: older beats, then the state from its end, then the last beat;
//! - **catalog**: the skills' prompts, then their examples, both from their ends, so that a long prompt gives
//!   first and of equals the weakest skill's; then descriptions of slots, then those of scripts and skills, the weakest
//!   skill's first. Names, slots and their values stay;
//! - **turn**: what is known of the failed plan from its end, the reason of the failure, the player's remark. The
//!   player's sentence gets what the others leave, at least [`SENTENCE_TOKENS_MIN`] and at most
//!   [`SENTENCE_TOKENS_MAX`]; a longer one loses its middle. Disabled skills stay.

use serde_json::Value;

use super::{
    grammar_type::GrammarType,
    notation::{marked_name, signature, type_notation},
    quote::{block_quote, line, quoted},
    rules::rules,
    token_budget::{PromptPart, TokenCounter, drop_to_fit, shorten},
    tool_set::{Tool, ToolParameters, ToolSet},
};
use crate::{PlanRequest, RecentTurn, recovery::recovery_report};
use narratoria_model::llm::{Chat, ChatMessage, ChatRole, MessagePart, PrefixLifetime};
use narratoria_protocol::Object;
use narratoria_skills::Skill;

/// Most tokens of what changes with each turn. All of them are read while the player waits.
pub const TURN_TOKENS_MAX: usize = 512;
/// Most tokens of what is told of the story.
pub const STORY_TOKENS_MAX: usize = 640;
/// Most tokens of the player's sentence.
pub const SENTENCE_TOKENS_MAX: usize = 256;
/// Tokens that the player's sentence gets, whatever else there is to say.
pub const SENTENCE_TOKENS_MIN: usize = 64;
/// What the chat's own template costs.
const TEMPLATE_TOKENS: usize = 32;

/// Lines of a skill's prompt.
const SKILL_PROMPT_LINES_MAX: usize = 12;
const SKILL_PROMPT_CHARS_MAX: usize = 240;
/// Examples of a skill.
const EXAMPLES_MAX: usize = 3;
const EXAMPLE_CHARS_MAX: usize = 120;
/// No skill has more lines of any kind.
const LINES_MAX: usize = 100;
/// Descriptions of skills, scripts and slots.
const DESCRIPTION_CHARS_MAX: usize = 120;
/// Beats of the story; the last one may be longer.
const RECENT_TURNS_MAX: usize = 6;
const RECENT_TURN_CHARS_MAX: usize = 240;
const LAST_TURN_CHARS_MAX: usize = 480;
/// The state.
const STATE_LINES_MAX: usize = 24;
const STATE_CHARS_MAX: usize = 100;
const STATE_DEPTH_MAX: usize = 3;
const STATE_ITEMS_MAX: usize = 4;
/// What is said of a failure.
const FAILURE_CHARS_MAX: usize = 320;
const RECOVERY_LINES_MAX: usize = 16;
const RECOVERY_CHARS_MAX: usize = 200;
const REMARK_CHARS_MAX: usize = 240;
/// Disabled skills that are named; the grammar knows the others.
const DISABLED_MAX: usize = 16;

/// The prompt for a plan of this turn, of at most `tokens_max` tokens as `count` counts them; more only where not
/// even the names of the scripts fit.
pub fn prompt(
    ask: &PlanRequest<'_>,
    menu: &ToolSet,
    count: &dyn Fn(&str) -> usize,
    tokens_max: usize,
) -> Chat {
    let rules = rules(menu.syntax);
    let room = tokens_max.saturating_sub(TEMPLATE_TOKENS);
    let turn_max = (room / 5).min(TURN_TOKENS_MAX);
    let story_max = (room / 5).min(STORY_TOKENS_MAX);
    let catalog_max = room.saturating_sub(turn_max + story_max + count(rules));
    let part = |text: String, keep| MessagePart { text, lifetime: keep };
    Chat {
        messages: vec![
            ChatMessage {
                role: ChatRole::System,
                parts: vec![
                    part(rules.to_owned(), PrefixLifetime::Disk),
                    part(
                        drop_to_fit(catalog_section(menu), catalog_max, count),
                        PrefixLifetime::Disk,
                    ),
                ],
            },
            ChatMessage {
                role: ChatRole::User,
                parts: vec![
                    part(
                        drop_to_fit(story_section(ask), story_max, count),
                        PrefixLifetime::Session,
                    ),
                    part(turn_section(ask, menu, count, turn_max), PrefixLifetime::Job),
                ],
            },
        ],
    }
}

/// The stages in which pieces of the catalog go.
mod stage {
    pub(super) const SKILL_PROMPT: u8 = 0;
    pub(super) const EXAMPLES: u8 = 1;
    pub(super) const PARAMETERS: u8 = 2;
    pub(super) const DESCRIPTIONS: u8 = 3;
}

/// All scripts, disabled or not, by skill, the strongest first.
fn catalog_section(menu: &ToolSet) -> Vec<PromptPart> {
    let mut skills: Vec<(&Skill, Vec<&Tool>)> = Vec::new();
    for item in menu.tools.iter() {
        match skills.iter_mut().find(|(skill, _)| skill.name == item.skill.name) {
            Some((_, items)) => items.push(item),
            None => skills.push((&item.skill, vec![item])),
        }
    }
    let mut pieces = vec![PromptPart::fixed(heading(menu))];
    let count = skills.len();
    for (place, (skill, items)) in skills.into_iter().enumerate() {
        // The last line gives first, and of equals the weakest skill's.
        let order = |nth: usize| (LINES_MAX - nth) * count + count - place;
        pieces.push(PromptPart::fixed(format!("\n# {}\n", skill.name)));
        pieces.extend(description("", &skill.description, stage::DESCRIPTIONS, order(0)));
        for item in &items {
            push_tool(menu, item, order(0), &mut pieces);
        }
        for (nth, text) in skill_prompt_lines(skill).into_iter().enumerate() {
            pieces.push(PromptPart::droppable(text, stage::SKILL_PROMPT, order(nth)));
        }
        for (nth, text) in examples(menu, skill, &items).into_iter().enumerate() {
            pieces.push(PromptPart::droppable(text, stage::EXAMPLES, order(nth)));
        }
    }
    pieces
}

/// A description, cited; nothing where there is none.
fn description(indent: &str, text: &str, stage: u8, order: usize) -> Option<PromptPart> {
    let text = line(text, DESCRIPTION_CHARS_MAX);
    (!text.is_empty()).then(|| PromptPart::droppable(format!("{indent}> {text}\n"), stage, order))
}

/// A skill's prompt (S0 FR-004): its paragraphs and points, without headings and blank lines.
fn skill_prompt_lines(skill: &Skill) -> Vec<String> {
    let mut paragraphs = String::new();
    for text in skill.prompt.lines() {
        let starts = text.trim().is_empty() || text.starts_with(['-', '*', '|', '#', '>']);
        paragraphs.push_str(if starts { "\n" } else { " " });
        if !text.starts_with('#') {
            paragraphs.push_str(text);
        }
    }
    block_quote(&paragraphs, SKILL_PROMPT_LINES_MAX, SKILL_PROMPT_CHARS_MAX)
}

fn heading(menu: &ToolSet) -> String {
    match menu.narrator() {
        Some(narrator) => format!(
            "\nTools. {} tells what happens: let it come last, after the steps it tells of.\n",
            narrator.path
        ),
        None => "\nTools.\n".to_owned(),
    }
}

fn push_tool(menu: &ToolSet, item: &Tool, order: usize, pieces: &mut Vec<PromptPart>) {
    pieces.push(PromptPart::fixed(format!("{}\n", signature(menu.syntax, item))));
    pieces.extend(description("", &item.script().description, stage::DESCRIPTIONS, order));
    let mut slot = |name: &str, shape: &GrammarType, told: &str| {
        pieces.push(PromptPart::fixed(format!("  {name}: {}\n", type_notation(shape))));
        pieces.extend(description("  ", told, stage::PARAMETERS, order));
    };
    match &item.parameters {
        ToolParameters::Properties(slots) => {
            for it in slots {
                slot(&marked_name(&it.name, it.is_required), &it.grammar_type, &it.description);
            }
        }
        ToolParameters::WholeInput(shape) => slot("input", shape, ""),
    }
}

/// The skill's examples that a model could follow, no plan twice.
fn examples(menu: &ToolSet, skill: &Skill, items: &[&Tool]) -> Vec<String> {
    let mut plans: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for example in &skill.examples {
        let Some(sentence) = &example.sentence else { continue };
        let item = items.iter().find(|item| item.script().name == example.script);
        let plan = item.and_then(|item| menu.compact_example(item, example));
        let Some(plan) = plan.filter(|plan| !plans.contains(plan)) else { continue };
        lines.push(format!("{} {plan}\n", quoted(sentence, EXAMPLE_CHARS_MAX)));
        plans.push(plan);
        if lines.len() == EXAMPLES_MAX {
            break;
        }
    }
    lines
}

fn story_section(ask: &PlanRequest<'_>) -> Vec<PromptPart> {
    let mut pieces = Vec::new();
    let mut lines = Vec::new();
    state_lines(ask.state, "", 1, &mut lines);
    if !lines.is_empty() {
        pieces.push(PromptPart::fixed("The story's state:\n"));
    }
    for (nth, text) in lines.into_iter().enumerate() {
        pieces.push(PromptPart::droppable(text, 1, STATE_LINES_MAX - nth));
    }
    let recent = &ask.recent_turns[ask.recent_turns.len().saturating_sub(RECENT_TURNS_MAX)..];
    let heading = if recent.is_empty() { "The story begins.\n" } else { "The story so far:\n" };
    pieces.push(PromptPart::fixed(heading));
    for (nth, beat) in recent.iter().enumerate() {
        let is_last = nth + 1 == recent.len();
        let stage = if is_last { 2 } else { 0 };
        pieces.push(PromptPart::droppable(recent_turn_text(beat, is_last), stage, nth));
    }
    pieces
}

fn recent_turn_text(beat: &RecentTurn, is_last: bool) -> String {
    let chars_max = if is_last { LAST_TURN_CHARS_MAX } else { RECENT_TURN_CHARS_MAX };
    let (prompt, narration) = (&beat.prompt, &beat.narration);
    format!(
        "Player: {}\nStory: {}\n",
        quoted(prompt, RECENT_TURN_CHARS_MAX),
        quoted(narration, chars_max)
    )
}

/// `/story/scene: "the old mill"`, one line for each value.
fn state_lines(object: &Object, at: &str, depth: usize, lines: &mut Vec<String>) {
    for (name, value) in object {
        if lines.len() >= STATE_LINES_MAX {
            return;
        }
        let place = format!("{at}/{}", line(name, STATE_CHARS_MAX));
        match value {
            Value::Object(inner) if depth < STATE_DEPTH_MAX => {
                state_lines(inner, &place, depth + 1, lines);
            }
            value => {
                let place = line(&place, STATE_CHARS_MAX);
                lines
                    .push(format!("> {place}: {}\n", line(&value_summary(value), STATE_CHARS_MAX)));
            }
        }
    }
}

/// A value, without reading all of a large one.
fn value_summary(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text, STATE_CHARS_MAX),
        Value::Array(items) => {
            let shown: Vec<String> =
                items.iter().take(STATE_ITEMS_MAX).map(value_summary).collect();
            let more = if items.len() > STATE_ITEMS_MAX { ",…" } else { "" };
            format!("[{}{more}]", shown.join(","))
        }
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(_) => "{…}".to_owned(),
        other => other.to_string(),
    }
}

fn turn_section(
    ask: &PlanRequest<'_>,
    menu: &ToolSet,
    count: TokenCounter<'_>,
    tokens_max: usize,
) -> String {
    let sentence = |tokens| {
        let words = line(&shorten(ask.sentence, tokens, count), usize::MAX);
        format!("The player says: {}\n", Value::from(words))
    };
    let wanted = sentence(SENTENCE_TOKENS_MAX.min(tokens_max).max(SENTENCE_TOKENS_MIN));
    let others =
        tokens_max.saturating_sub(count(&wanted).min(SENTENCE_TOKENS_MIN.max(tokens_max / 2)));
    let before = drop_to_fit(attempt_context(ask, menu), others, count);
    let left = tokens_max.saturating_sub(count(&before));
    match count(&wanted) <= left {
        true => before + &wanted,
        // What quotation marks and the words before them cost.
        false => before + &sentence(left.saturating_sub(16).max(SENTENCE_TOKENS_MIN)),
    }
}

/// All that bears on this attempt besides the sentence.
fn attempt_context(ask: &PlanRequest<'_>, menu: &ToolSet) -> Vec<PromptPart> {
    let mut pieces = Vec::new();
    let known = |name: &&String| menu.tools.iter().any(|item| item.skill.name == **name);
    let disabled: Vec<&str> =
        ask.disabled_skills.iter().filter(known).take(DISABLED_MAX).map(String::as_str).collect();
    if !disabled.is_empty() {
        pieces.push(PromptPart::fixed(format!("Do not use: {}\n", disabled.join(", "))));
    }
    if let Some(why) = ask.last_failure {
        let why = quoted(why, FAILURE_CHARS_MAX);
        pieces.push(PromptPart::droppable(format!("The last plan failed: {why}\n"), 1, 0));
    }
    if let Some(previous) = &ask.previous_plan {
        let lines = block_quote(&recovery_report(previous), RECOVERY_LINES_MAX, RECOVERY_CHARS_MAX);
        for (nth, text) in lines.into_iter().enumerate() {
            pieces.push(PromptPart::droppable(text, 0, RECOVERY_LINES_MAX - nth));
        }
    }
    if let Some(remark) = ask.feedback {
        let remark = quoted(remark, REMARK_CHARS_MAX);
        pieces.push(PromptPart::droppable(
            format!("The player wants another plan: {remark}\n"),
            2,
            0,
        ));
    }
    pieces
}
