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
    menu::{Item, Menu, Slots},
    notation::{named, notation, signature},
    quote::{cited, line, quoted},
    rules::rules,
    shape::Shape,
    trim::{Count, Piece, fit, shorten},
};
use crate::{
    llm::{Chat, Keep, Message, Part, Role},
    narrator::{Ask, Beat, recovery::recovery_report},
    protocol::Object,
    skills::Skill,
};

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
const ADVICE_LINES_MAX: usize = 12;
const ADVICE_CHARS_MAX: usize = 240;
/// Examples of a skill.
const EXAMPLES_MAX: usize = 3;
const EXAMPLE_CHARS_MAX: usize = 120;
/// No skill has more lines of any kind.
const LINES_MAX: usize = 100;
/// Descriptions of skills, scripts and slots.
const ABOUT_CHARS_MAX: usize = 120;
/// Beats of the story; the last one may be longer.
const BEATS_MAX: usize = 6;
const BEAT_CHARS_MAX: usize = 240;
const LAST_BEAT_CHARS_MAX: usize = 480;
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
    ask: &Ask<'_>,
    menu: &Menu,
    count: &dyn Fn(&str) -> usize,
    tokens_max: usize,
) -> Chat {
    let rules = rules(menu.form);
    let room = tokens_max.saturating_sub(TEMPLATE_TOKENS);
    let turn_max = (room / 5).min(TURN_TOKENS_MAX);
    let story_max = (room / 5).min(STORY_TOKENS_MAX);
    let catalog_max = room.saturating_sub(turn_max + story_max + count(rules));
    let part = |text: String, keep| Part { text, keep };
    Chat {
        messages: vec![
            Message {
                role: Role::System,
                parts: vec![
                    part(rules.to_owned(), Keep::Disk),
                    part(fit(catalog(menu), catalog_max, count), Keep::Disk),
                ],
            },
            Message {
                role: Role::User,
                parts: vec![
                    part(fit(story(ask), story_max, count), Keep::Session),
                    part(turn(ask, menu, count, turn_max), Keep::Job),
                ],
            },
        ],
    }
}

/// The stages in which pieces of the catalog go.
mod stage {
    pub(super) const ADVICE: u8 = 0;
    pub(super) const EXAMPLES: u8 = 1;
    pub(super) const SLOTS: u8 = 2;
    pub(super) const ABOUT: u8 = 3;
}

/// All scripts, disabled or not, by skill, the strongest first.
fn catalog(menu: &Menu) -> Vec<Piece> {
    let mut skills: Vec<(&Skill, Vec<&Item>)> = Vec::new();
    for item in menu.items.iter() {
        match skills.iter_mut().find(|(skill, _)| skill.name == item.skill.name) {
            Some((_, items)) => items.push(item),
            None => skills.push((&item.skill, vec![item])),
        }
    }
    let mut pieces = vec![Piece::kept(heading(menu))];
    let count = skills.len();
    for (place, (skill, items)) in skills.into_iter().enumerate() {
        // The last line gives first, and of equals the weakest skill's.
        let order = |nth: usize| (LINES_MAX - nth) * count + count - place;
        pieces.push(Piece::kept(format!("\n# {}\n", skill.name)));
        pieces.extend(about("", &skill.description, stage::ABOUT, order(0)));
        for item in &items {
            script(menu, item, order(0), &mut pieces);
        }
        for (nth, text) in advice(skill).into_iter().enumerate() {
            pieces.push(Piece::going(text, stage::ADVICE, order(nth)));
        }
        for (nth, text) in examples(menu, skill, &items).into_iter().enumerate() {
            pieces.push(Piece::going(text, stage::EXAMPLES, order(nth)));
        }
    }
    pieces
}

/// A description, cited; nothing where there is none.
fn about(indent: &str, text: &str, stage: u8, order: usize) -> Option<Piece> {
    let text = line(text, ABOUT_CHARS_MAX);
    (!text.is_empty()).then(|| Piece::going(format!("{indent}> {text}\n"), stage, order))
}

/// A skill's prompt (S0 FR-004): its paragraphs and points, without headings and blank lines.
fn advice(skill: &Skill) -> Vec<String> {
    let mut paragraphs = String::new();
    for text in skill.prompt.lines() {
        let starts = text.trim().is_empty() || text.starts_with(['-', '*', '|', '#', '>']);
        paragraphs.push_str(if starts { "\n" } else { " " });
        if !text.starts_with('#') {
            paragraphs.push_str(text);
        }
    }
    cited(&paragraphs, ADVICE_LINES_MAX, ADVICE_CHARS_MAX)
}

fn heading(menu: &Menu) -> String {
    match menu.narrator() {
        Some(narrator) => format!(
            "\nTools. {} tells what happens: let it come last, after the steps it tells of.\n",
            narrator.path
        ),
        None => "\nTools.\n".to_owned(),
    }
}

fn script(menu: &Menu, item: &Item, order: usize, pieces: &mut Vec<Piece>) {
    pieces.push(Piece::kept(format!("{}\n", signature(menu.form, item))));
    pieces.extend(about("", &item.script().description, stage::ABOUT, order));
    let mut slot = |name: &str, shape: &Shape, told: &str| {
        pieces.push(Piece::kept(format!("  {name}: {}\n", notation(shape))));
        pieces.extend(about("  ", told, stage::SLOTS, order));
    };
    match &item.slots {
        Slots::Each(slots) => {
            for it in slots {
                slot(&named(&it.name, it.is_required), &it.shape, &it.about);
            }
        }
        Slots::Whole(shape) => slot("input", shape, ""),
    }
}

/// The skill's examples that a model could follow, no plan twice.
fn examples(menu: &Menu, skill: &Skill, items: &[&Item]) -> Vec<String> {
    let mut plans: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for example in &skill.examples {
        let Some(sentence) = &example.sentence else { continue };
        let item = items.iter().find(|item| item.script().name == example.script);
        let plan = item.and_then(|item| menu.example(item, example));
        let Some(plan) = plan.filter(|plan| !plans.contains(plan)) else { continue };
        lines.push(format!("{} {plan}\n", quoted(sentence, EXAMPLE_CHARS_MAX)));
        plans.push(plan);
        if lines.len() == EXAMPLES_MAX {
            break;
        }
    }
    lines
}

fn story(ask: &Ask<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut lines = Vec::new();
    state_lines(ask.state, "", 1, &mut lines);
    if !lines.is_empty() {
        pieces.push(Piece::kept("The story's state:\n"));
    }
    for (nth, text) in lines.into_iter().enumerate() {
        pieces.push(Piece::going(text, 1, STATE_LINES_MAX - nth));
    }
    let recent = &ask.recent[ask.recent.len().saturating_sub(BEATS_MAX)..];
    let heading = if recent.is_empty() { "The story begins.\n" } else { "The story so far:\n" };
    pieces.push(Piece::kept(heading));
    for (nth, beat) in recent.iter().enumerate() {
        let is_last = nth + 1 == recent.len();
        let stage = if is_last { 2 } else { 0 };
        pieces.push(Piece::going(told(beat, is_last), stage, nth));
    }
    pieces
}

fn told(beat: &Beat, is_last: bool) -> String {
    let chars_max = if is_last { LAST_BEAT_CHARS_MAX } else { BEAT_CHARS_MAX };
    let (prompt, narration) = (&beat.prompt, &beat.narration);
    format!("Player: {}\nStory: {}\n", quoted(prompt, BEAT_CHARS_MAX), quoted(narration, chars_max))
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
                lines.push(format!("> {place}: {}\n", line(&brief(value), STATE_CHARS_MAX)));
            }
        }
    }
}

/// A value, without reading all of a large one.
fn brief(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text, STATE_CHARS_MAX),
        Value::Array(items) => {
            let shown: Vec<String> = items.iter().take(STATE_ITEMS_MAX).map(brief).collect();
            let more = if items.len() > STATE_ITEMS_MAX { ",…" } else { "" };
            format!("[{}{more}]", shown.join(","))
        }
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(_) => "{…}".to_owned(),
        other => other.to_string(),
    }
}

fn turn(ask: &Ask<'_>, menu: &Menu, count: Count<'_>, tokens_max: usize) -> String {
    let sentence = |tokens| {
        let words = line(&shorten(ask.sentence, tokens, count), usize::MAX);
        format!("The player says: {}\n", Value::from(words))
    };
    let wanted = sentence(SENTENCE_TOKENS_MAX.min(tokens_max).max(SENTENCE_TOKENS_MIN));
    let others =
        tokens_max.saturating_sub(count(&wanted).min(SENTENCE_TOKENS_MIN.max(tokens_max / 2)));
    let before = fit(circumstances(ask, menu), others, count);
    let left = tokens_max.saturating_sub(count(&before));
    match count(&wanted) <= left {
        true => before + &wanted,
        // What quotation marks and the words before them cost.
        false => before + &sentence(left.saturating_sub(16).max(SENTENCE_TOKENS_MIN)),
    }
}

/// All that bears on this attempt besides the sentence.
fn circumstances(ask: &Ask<'_>, menu: &Menu) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let known = |name: &&String| menu.items.iter().any(|item| item.skill.name == **name);
    let disabled: Vec<&str> =
        ask.disabled.iter().filter(known).take(DISABLED_MAX).map(String::as_str).collect();
    if !disabled.is_empty() {
        pieces.push(Piece::kept(format!("Do not use: {}\n", disabled.join(", "))));
    }
    if let Some(why) = ask.last_failure {
        let why = quoted(why, FAILURE_CHARS_MAX);
        pieces.push(Piece::going(format!("The last plan failed: {why}\n"), 1, 0));
    }
    if let Some(previous) = &ask.previous {
        let lines = cited(&recovery_report(previous), RECOVERY_LINES_MAX, RECOVERY_CHARS_MAX);
        for (nth, text) in lines.into_iter().enumerate() {
            pieces.push(Piece::going(text, 0, RECOVERY_LINES_MAX - nth));
        }
    }
    if let Some(remark) = ask.remark {
        let remark = quoted(remark, REMARK_CHARS_MAX);
        pieces.push(Piece::going(format!("The player wants another plan: {remark}\n"), 2, 0));
    }
    pieces
}
