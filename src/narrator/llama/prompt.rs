//! The prompt for a plan. Its sections are ordered from constant to most variable: rules, catalog, story, turn. The model
//! reads a common beginning of two prompts only once.
//!
//! # How the prompt fits its limit
//!
//! The turn and the story get a fifth of the tokens each, at most [`TURN_TOKENS_MAX`] and [`STORY_TOKENS_MAX`], and the
//! guidance of plain Agent Skills an eighth, if there is any; rules and catalog get the rest. The shares do not depend on
//! the turn, so that the catalog stays the same from turn to turn.
//! If a section exceeds its share, it drops these parts, in this order:
//!
//! - **story**: older turns, then the state from its end, then the last turn, then the names in scope;
//! - **catalog**: names of scripts and parameters and the types of required parameters stay, and each skill's prompt keeps
//!   its share of [`PROMPTS_SHARE`] of the rest (S0 FR-004). Beyond it, the skills' prompts are dropped first, then their
//!   examples, both line by line from their ends and from the weakest skill up; then descriptions of parameters, then
//!   those of scripts and skills, then the types of optional parameters, which the grammar knows anyway, from the weakest
//!   skill up. The lines of prompts that are dropped are counted ([`PlanPrompt::cuts`]);
//! - **turn**: the report on the failed plan from its end, then the reason of the failure, then the player's feedback.
//!   The player's sentence gets the rest, at least [`SENTENCE_TOKENS_MIN`] and at most [`SENTENCE_TOKENS_MAX`] tokens;
//!   a longer one loses its middle. Disabled skills stay.

use serde_json::Value;

use super::{
    expand::is_recovery,
    grammar_type::GrammarType,
    known_lines::{memory_lines, note_lines},
    notation::{marked_name, signature, type_notation},
    quote::{block_quote, line, quoted},
    rules::{RECOVERY_RULES, RULES},
    skill_prompts::{PROMPT_LINES_MAX, PromptCut, SkillPrompt, skill_prompts},
    token_budget::{PromptPart, TokenCounter, drop_to_fit, kept_parts, shorten},
    tool::{Tool, ToolParameters},
    tool_set::ToolSet,
};
use crate::{PlanRequest, PlannerView, RecentTurn, recovery::recovery_report};
use narratoria_model::llm::{Chat, ChatMessage, ChatRole, MessagePart, PrefixLifetime};
use narratoria_protocol::Object;
use narratoria_skills::{Skill, StateValueLists, StoryGuidance};

/// Most tokens of the section that changes with each turn. The player waits while the model reads them.
pub(super) const TURN_TOKENS_MAX: usize = 512;
/// Most tokens of the story section.
const STORY_TOKENS_MAX: usize = 640;
/// Most tokens of the player's sentence.
const SENTENCE_TOKENS_MAX: usize = 256;
/// Tokens that the player's sentence always gets.
pub(super) const SENTENCE_TOKENS_MIN: usize = 64;
/// The guidance of plain Agent Skills gets this part of all tokens at most: an eighth.
const GUIDANCE_SHARE: usize = 8;
/// The cost of the chat template.
const TEMPLATE_TOKENS: usize = 32;

/// The part that is guaranteed to the skills' prompts, of the tokens that the names and types of scripts leave.
const PROMPTS_SHARE: (usize, usize) = (3, 4);
/// Examples of a skill.
const EXAMPLES_MAX: usize = 3;
const EXAMPLE_CHARS_MAX: usize = 120;
/// More than the lines of any kind that a skill has.
const LINES_MAX: usize = PROMPT_LINES_MAX + 1;
/// Descriptions of skills, scripts and slots.
const DESCRIPTION_CHARS_MAX: usize = 120;
/// Turns of the story. The last one may be longer.
const RECENT_TURNS_MAX: usize = 6;
const RECENT_TURN_CHARS_MAX: usize = 240;
const LAST_TURN_CHARS_MAX: usize = 480;
/// The state.
const STATE_LINES_MAX: usize = 24;
const STATE_CHARS_MAX: usize = 100;
const STATE_DEPTH_MAX: usize = 3;
const STATE_ITEMS_MAX: usize = 4;
/// Names in scope of one kind. The grammar knows the others.
const SCOPE_VALUES_SHOWN_MAX: usize = 32;
const SCOPE_CHARS_MAX: usize = 800;
/// The failed attempt.
const FAILURE_CHARS_MAX: usize = 320;
const RECOVERY_LINES_MAX: usize = 16;
const RECOVERY_CHARS_MAX: usize = 200;
const REMARK_CHARS_MAX: usize = 240;
/// Disabled skills that the prompt names. The grammar excludes all of them.
const DISABLED_MAX: usize = 16;

/// A prompt, and the parts that were left out of it.
#[derive(Debug)]
pub struct PlanPrompt {
    pub chat: Chat,
    /// The skills' prompts that are not whole.
    pub cuts: Vec<PromptCut>,
    /// The parts of the story that it contains.
    pub view: PlannerView,
}

/// The prompt for a plan of this turn. It has at most `tokens_max` tokens by `count`, unless not even the names of the
/// scripts fit.
pub fn prompt(
    request: &PlanRequest<'_>,
    tool_set: &ToolSet,
    count: &dyn Fn(&str) -> usize,
    tokens_max: usize,
) -> PlanPrompt {
    let room = tokens_max.saturating_sub(TEMPLATE_TOKENS);
    let turn_max = (room / 5).min(TURN_TOKENS_MAX);
    let story_max = (room / 5).min(STORY_TOKENS_MAX);
    let guidance = guidance_section(request, room / GUIDANCE_SHARE, count);
    let guidance_tokens = guidance.as_deref().map_or(0, count);
    let catalog_max = room.saturating_sub(turn_max + story_max + count(RULES) + guidance_tokens);
    let part = |text: String, lifetime| MessagePart { text, lifetime };
    let (story, view) = fitted_story(request, tool_set, story_max, count);
    let (catalog, cuts) = catalog_section(tool_set, catalog_max, count);
    let constant =
        [part(RULES.to_owned(), PrefixLifetime::Disk), part(catalog, PrefixLifetime::Disk)];
    let guidance = guidance.map(|text| part(text, PrefixLifetime::Disk));
    let chat = Chat {
        messages: vec![
            ChatMessage {
                role: ChatRole::System,
                parts: constant.into_iter().chain(guidance).collect(),
            },
            ChatMessage {
                role: ChatRole::User,
                parts: vec![
                    part(story, PrefixLifetime::Session),
                    part(turn_section(request, tool_set, count, turn_max), PrefixLifetime::Job),
                ],
            },
        ],
    };
    PlanPrompt { chat, cuts, view }
}

const STORY_BEGINS: &str = "The story begins.\n";
const STORY_SO_FAR: &str = "The story so far:\n";

/// Returns the story's section within its tokens, and the parts of the story that it contains.
fn fitted_story(
    request: &PlanRequest<'_>,
    tool_set: &ToolSet,
    tokens_max: usize,
    count: TokenCounter<'_>,
) -> (String, PlannerView) {
    let parts = story_section(request, tool_set);
    let is_kept = kept_parts(&parts, tokens_max, count);
    let turns = request.recent_turns.len();
    let listed = turns.min(RECENT_TURNS_MAX);
    // The turns follow their heading, and the lines of the state are the droppable parts before it.
    let is_heading = |part: &PromptPart| [STORY_BEGINS, STORY_SO_FAR].contains(&part.text.as_str());
    let heading = parts.iter().position(is_heading).unwrap_or(parts.len());
    let (others, rest) = is_kept.split_at(heading);
    let recent_turns = rest.iter().skip(1).take(listed).filter(|is_kept| **is_kept).count();
    let lines = parts.iter().zip(others).filter(|(part, _)| part.drop_order.is_some());
    let lines: Vec<bool> = lines.map(|(_, is_kept)| *is_kept).collect();
    let kept_lines = lines.iter().filter(|is_kept| **is_kept).count();
    let mut cut = Vec::new();
    if recent_turns < turns {
        cut.push(format!("{} of {turns} recent turns", turns - recent_turns));
    }
    if kept_lines < lines.len() {
        cut.push(format!("{} of {} lines of the state", lines.len() - kept_lines, lines.len()));
    }
    if lines.len() >= STATE_LINES_MAX {
        cut.push(format!("the state beyond {STATE_LINES_MAX} lines"));
    }
    let of_memories = &is_kept[is_kept.len().saturating_sub(request.memories.len())..];
    let read = request.memories.iter().zip(of_memories).filter(|(_, is_kept)| **is_kept);
    let memories: Vec<String> = read.map(|(memory, _)| memory.id.clone()).collect();
    let before = is_kept.len().saturating_sub(request.memories.len());
    let of_notes = &is_kept[before.saturating_sub(request.notes.len())..before];
    let notes_left = of_notes.iter().filter(|is_kept| !**is_kept).count();
    if notes_left > 0 {
        cut.push(format!("{notes_left} of {} notes of the campaign", request.notes.len()));
    }
    if memories.len() < request.memories.len() {
        let (left, all) = (request.memories.len() - memories.len(), request.memories.len());
        cut.push(format!("{left} of {all} memories"));
    }
    let kept = parts.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
    (kept.map(|(part, _)| part.text).collect(), PlannerView { recent_turns, memories, cut })
}

/// The guidance of plain Agent Skills (S0 FR-004); none if there is none.
fn guidance_section(
    request: &PlanRequest<'_>,
    tokens_max: usize,
    count: TokenCounter<'_>,
) -> Option<String> {
    let guidance = StoryGuidance::from_catalog(request.catalog).render(tokens_max, count);
    (!guidance.is_empty()).then(|| format!("\n{guidance}"))
}

/// The order in which parts of the catalog are dropped.
mod stage {
    pub(super) const SKILL_PROMPT: u8 = 0;
    pub(super) const EXAMPLES: u8 = 1;
    pub(super) const PARAMETERS: u8 = 2;
    pub(super) const DESCRIPTIONS: u8 = 3;
    pub(super) const OPTIONAL_TYPES: u8 = 4;
}

/// All scripts by skill, the strongest first, including disabled ones; and the prompts that are not whole.
fn catalog_section(
    tool_set: &ToolSet,
    tokens_max: usize,
    count: TokenCounter<'_>,
) -> (String, Vec<PromptCut>) {
    let mut skills: Vec<(&Skill, Vec<&Tool>)> = Vec::new();
    for tool in tool_set.tools.iter() {
        match skills.iter_mut().find(|(skill, _)| skill.name == tool.skill.name) {
            Some((_, tools)) => tools.push(tool),
            None => skills.push((&tool.skill, vec![tool])),
        }
    }
    let mut parts = vec![PromptPart::fixed(heading(tool_set))];
    let places = skills.len();
    let mut prompts_at = Vec::new();
    for (place, (skill, tools)) in skills.iter().enumerate() {
        // The last lines are dropped first; among equals, those of the weakest skill.
        let order = |nth: usize| (LINES_MAX - nth) * places + places - place;
        parts.push(PromptPart::fixed(format!("\n# {}\n", skill.name)));
        parts.extend(description("", &skill.description, stage::DESCRIPTIONS, order(0)));
        for tool in tools {
            push_tool(tool, order(0), &mut parts);
        }
        prompts_at.push(parts.len());
        for (nth, text) in examples(tool_set, skill, tools).into_iter().enumerate() {
            parts.push(PromptPart::droppable(text, stage::EXAMPLES, order(nth)));
        }
    }
    let fixed = parts.iter().filter(|part| part.drop_order.is_none());
    let fixed: usize = fixed.map(|part| count(&part.text)).sum();
    let (numerator, denominator) = PROMPTS_SHARE;
    let share = tokens_max.saturating_sub(fixed) * numerator / denominator;
    let skills: Vec<&Skill> = skills.iter().map(|(skill, _)| *skill).collect();
    let prompts = skill_prompts(&skills, share, count);
    insert_prompts(&mut parts, &prompts, &prompts_at);
    let is_kept = kept_parts(&parts, tokens_max, count);
    let mut cuts = Vec::new();
    let mut start = 0;
    for ((skill, prompt), at) in skills.iter().zip(&prompts).zip(&prompts_at) {
        let (first, lines) = (at + start, prompt.lines());
        let kept = is_kept[first..first + lines].iter().filter(|is_kept| **is_kept).count();
        if kept < lines || prompt.is_cut {
            cuts.push(PromptCut { skill: skill.name.clone(), lines: prompt.lines_all, kept });
        }
        start += lines;
    }
    let kept = parts.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
    (kept.map(|(part, _)| part.text).collect(), cuts)
}

/// Inserts each prompt at its place, which counts only the parts that are there already.
fn insert_prompts(parts: &mut Vec<PromptPart>, prompts: &[SkillPrompt], places: &[usize]) {
    let count = prompts.len();
    for (nth_skill, (prompt, at)) in prompts.iter().zip(places).enumerate().rev() {
        let first = prompt.guaranteed.len();
        let others = prompt.others.iter().enumerate().map(|(nth, text)| {
            let order = (LINES_MAX - first - nth) * count + count - nth_skill;
            PromptPart::droppable(text, stage::SKILL_PROMPT, order)
        });
        let lines = prompt.guaranteed.iter().map(PromptPart::fixed).chain(others);
        let lines: Vec<PromptPart> = lines.collect();
        parts.splice(at..at, lines);
    }
}

/// A quoted description; none if it is empty.
fn description(indent: &str, text: &str, stage: u8, order: usize) -> Option<PromptPart> {
    let text = line(text, DESCRIPTION_CHARS_MAX);
    (!text.is_empty()).then(|| PromptPart::droppable(format!("{indent}> {text}\n"), stage, order))
}

fn heading(tool_set: &ToolSet) -> String {
    match tool_set.narrator() {
        Some(narrator) => format!(
            "\nTools. {} tells what happens: let it come last, after the steps it tells of.\n",
            narrator.path
        ),
        None => "\nTools.\n".to_owned(),
    }
}

fn push_tool(tool: &Tool, order: usize, parts: &mut Vec<PromptPart>) {
    parts.push(PromptPart::fixed(format!("{}\n", signature(tool))));
    parts.extend(description("", &tool.script().description, stage::DESCRIPTIONS, order));
    let mut push_field = |name: &str, is_required, grammar_type: &GrammarType, described: &str| {
        let name = marked_name(name, is_required);
        let text = format!("  {name}: {}\n", type_notation(grammar_type));
        parts.push(match is_required {
            true => PromptPart::fixed(text),
            false => PromptPart::droppable(text, stage::OPTIONAL_TYPES, order),
        });
        parts.extend(description("  ", described, stage::PARAMETERS, order));
    };
    match &tool.parameters {
        ToolParameters::Properties(fields) => {
            for it in fields {
                push_field(&it.name, it.is_required, &it.grammar_type, &it.description);
            }
        }
        ToolParameters::WholeInput(grammar_type) => push_field("input", true, grammar_type, ""),
    }
    if !tool.outputs.is_empty() {
        let names: Vec<&str> = tool.outputs.iter().map(|output| output.name()).collect();
        let line = format!("  outputs: {}\n", names.join(", "));
        parts.push(PromptPart::droppable(line, stage::PARAMETERS, order));
    }
}

/// The skill's examples that have a compact plan. No plan appears twice.
fn examples(tool_set: &ToolSet, skill: &Skill, tools: &[&Tool]) -> Vec<String> {
    let mut plans: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for example in &skill.examples {
        let Some(sentence) = &example.sentence else { continue };
        let tool = tools.iter().find(|tool| tool.script().name == example.script);
        let plan = tool.and_then(|tool| tool_set.compact_example(tool, example));
        let Some(plan) = plan.filter(|plan| !plans.contains(plan)) else { continue };
        lines.push(format!("{} {plan}\n", quoted(sentence, EXAMPLE_CHARS_MAX)));
        plans.push(plan);
        if lines.len() == EXAMPLES_MAX {
            break;
        }
    }
    lines
}

fn story_section(request: &PlanRequest<'_>, tool_set: &ToolSet) -> Vec<PromptPart> {
    let mut parts = Vec::new();
    let mut lines = Vec::new();
    state_lines(request.state, "", 1, &mut lines);
    if !lines.is_empty() {
        parts.push(PromptPart::fixed("The story's state:\n"));
    }
    for (nth, text) in lines.into_iter().enumerate() {
        parts.push(PromptPart::droppable(text, 1, STATE_LINES_MAX - nth));
    }
    let recent =
        &request.recent_turns[request.recent_turns.len().saturating_sub(RECENT_TURNS_MAX)..];
    let heading = if recent.is_empty() { STORY_BEGINS } else { STORY_SO_FAR };
    parts.push(PromptPart::fixed(heading));
    for (nth, turn) in recent.iter().enumerate() {
        let is_last = nth + 1 == recent.len();
        let stage = if is_last { 2 } else { 0 };
        parts.push(PromptPart::droppable(recent_turn_text(turn, is_last), stage, nth));
    }
    parts.extend(scope_lines(request, tool_set));
    parts.extend(note_lines(request));
    parts.extend(memory_lines(request));
    parts
}

/// Returns the values that this turn can name, a line for each place that the tools draw values from. They change from
/// turn to turn, so they stand at the end.
fn scope_lines(request: &PlanRequest<'_>, tool_set: &ToolSet) -> Vec<PromptPart> {
    let mut pointers = tool_set.value_pointers();
    let lists = StateValueLists::read(pointers.iter().copied(), request.state);
    // A place that is open without a list accepts any name.
    let is_there = |pointer: &&str| lists.get(pointer).is_some_and(|list| list.is_there);
    pointers.retain(|pointer| is_there(pointer) || !tool_set.is_open_without_list(pointer));
    let one_line = |(nth, pointer): (usize, &&str)| {
        let values = lists.get(pointer).map_or(&[][..], |list| list.values.as_slice());
        let shown = values.iter().take(SCOPE_VALUES_SHOWN_MAX);
        let mut shown: Vec<String> = shown.map(|value| quoted(value, STATE_CHARS_MAX)).collect();
        if values.len() > SCOPE_VALUES_SHOWN_MAX {
            shown.push("…".to_owned());
        }
        let shown = if shown.is_empty() { "nothing".to_owned() } else { shown.join("|") };
        let text = line(&format!("{pointer} has now: {shown}"), SCOPE_CHARS_MAX);
        PromptPart::droppable(format!("> {text}\n"), 3, pointers.len() - nth)
    };
    pointers.iter().enumerate().map(one_line).collect()
}

fn recent_turn_text(turn: &RecentTurn, is_last: bool) -> String {
    let chars_max = if is_last { LAST_TURN_CHARS_MAX } else { RECENT_TURN_CHARS_MAX };
    let (prompt, narration) = (&turn.prompt, &turn.narration);
    format!(
        "Player: {}\nStory: {}\n",
        quoted(prompt, RECENT_TURN_CHARS_MAX),
        quoted(narration, chars_max)
    )
}

/// One line for each value, such as `/story/scene: "the old mill"`.
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

/// A short form of a value. Large values are not read to the end.
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
    request: &PlanRequest<'_>,
    tool_set: &ToolSet,
    count: TokenCounter<'_>,
    tokens_max: usize,
) -> String {
    let sentence = |tokens| {
        let words = line(&shorten(request.sentence, tokens, count), usize::MAX);
        format!("The player says: {}\n", Value::from(words))
    };
    let wanted = sentence(SENTENCE_TOKENS_MAX.min(tokens_max).max(SENTENCE_TOKENS_MIN));
    let others =
        tokens_max.saturating_sub(count(&wanted).min(SENTENCE_TOKENS_MIN.max(tokens_max / 2)));
    let before = drop_to_fit(attempt_context(request, tool_set), others, count);
    let left = tokens_max.saturating_sub(count(&before));
    match count(&wanted) <= left {
        true => before + &wanted,
        // 16 tokens for the quotation marks and the words before them.
        false => before + &sentence(left.saturating_sub(16).max(SENTENCE_TOKENS_MIN)),
    }
}

/// Facts about this attempt: disabled skills, the failed plan, the player's feedback.
fn attempt_context(request: &PlanRequest<'_>, tool_set: &ToolSet) -> Vec<PromptPart> {
    let mut parts = Vec::new();
    let known = |name: &&String| tool_set.tools.iter().any(|tool| tool.skill.name == **name);
    let disabled: Vec<&str> = request
        .disabled_skills
        .iter()
        .filter(known)
        .take(DISABLED_MAX)
        .map(String::as_str)
        .collect();
    if !disabled.is_empty() {
        parts.push(PromptPart::fixed(format!("Do not use: {}\n", disabled.join(", "))));
    }
    let known = request.unreliable_skills.iter().filter(known);
    let unreliable: Vec<&str> = known.take(DISABLED_MAX).map(String::as_str).collect();
    if !unreliable.is_empty() {
        let names = unreliable.join(", ");
        let text = format!("Often fail, use only if nothing else can: {names}\n");
        parts.push(PromptPart::droppable(text, 1, 0));
    }
    if let Some(why) = request.last_failure {
        let why = quoted(why, FAILURE_CHARS_MAX);
        parts.push(PromptPart::droppable(format!("The last plan failed: {why}\n"), 1, 0));
    }
    if is_recovery(request) {
        parts.push(PromptPart::fixed(RECOVERY_RULES));
    }
    if let Some(previous) = &request.previous_plan {
        let lines = block_quote(&recovery_report(previous), RECOVERY_LINES_MAX, RECOVERY_CHARS_MAX);
        for (nth, text) in lines.into_iter().enumerate() {
            parts.push(PromptPart::droppable(text, 0, RECOVERY_LINES_MAX - nth));
        }
    }
    if let Some(feedback) = request.feedback {
        let feedback = quoted(feedback, REMARK_CHARS_MAX);
        parts.push(PromptPart::droppable(
            format!("The player wants another plan: {feedback}\n"),
            2,
            0,
        ));
    }
    parts
}
