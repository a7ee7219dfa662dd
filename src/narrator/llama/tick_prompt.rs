//! S4's prompt for the plan of a tick, cut to fit the model's context. Pure.

use std::fmt::Write as _;

use super::{
    tick_grammar::{TICK_IDS_MAX, TickTool},
    token_budget::{TokenCounter, fair_shares, shorten},
};
use crate::tick::{TICK_SYSTEM, TickContext, TickStory, tick_request};
use narratoria_model::llm::{Chat, ChatMessage, ChatRole, MessagePart, PrefixLifetime};

/// The cost of the chat template.
const TEMPLATE_TOKENS: usize = 32;

/// Longest name or question beside an id.
const NAME_CHARS_MAX: usize = 60;

/// The chat, and the parts of the context that the model does not read whole.
pub(super) struct TickPrompt {
    pub(super) chat: Chat,
    pub(super) cuts: Vec<String>,
}

/// Builds the prompt. Every part of the context gets an equal share, and what one does not need goes to the others; a
/// longer one loses its middle, and the tools lose whole tools from their end.
pub(super) fn tick_chat(
    context: &TickContext,
    tools: &[TickTool],
    story: &TickStory,
    tokens_max: usize,
    count: TokenCounter<'_>,
) -> TickPrompt {
    let mut shown = context.clone();
    shown.available_tools_description = offered(&context.available_tools_description, tools);
    let ids = known_ids(story);
    let mut empty = shown.clone();
    parts(&mut empty).into_iter().for_each(|(_, part)| part.clear());
    let fixed = count(TICK_SYSTEM) + count(&tick_request(&empty)) + count(&ids) + TEMPLATE_TOKENS;
    let room = tokens_max.saturating_sub(fixed);
    let mut all = parts(&mut shown);
    let needs: Vec<usize> = all.iter().map(|(_, part)| count(part)).collect();
    let shares = fair_shares(&needs, room);
    let mut cuts = Vec::new();
    for (((name, part), need), share) in all.iter_mut().zip(needs).zip(shares) {
        if need <= share {
            continue;
        }
        cuts.push((*name).to_owned());
        **part = match *name {
            TOOLS => whole_tools(part, share, count),
            _ => shorten(part, share, count),
        };
    }
    shown.available_tools_description.push_str(&ids);
    let part = |text: String, lifetime| vec![MessagePart { text, lifetime }];
    let system = part(TICK_SYSTEM.to_owned(), PrefixLifetime::Disk);
    let request = part(tick_request(&shown), PrefixLifetime::Job);
    let messages = vec![
        ChatMessage { role: ChatRole::System, parts: system },
        ChatMessage { role: ChatRole::User, parts: request },
    ];
    TickPrompt { chat: Chat { messages }, cuts }
}

const TOOLS: &str = "the tools";

/// Stands between two tools of a context.
const TOOL_SEPARATOR: &str = "\n\n";

/// The parts that may be long, for people by their names.
fn parts(context: &mut TickContext) -> [(&'static str, &mut String); 6] {
    [
        ("the overall summary", &mut context.overall_summary),
        ("the recent scenes", &mut context.recent_scenes_summary),
        ("the open loops", &mut context.open_loops_list),
        ("the active character", &mut context.active_character_details),
        ("the relationships", &mut context.character_relationships),
        (TOOLS, &mut context.available_tools_description),
    ]
}

/// The tools that the grammar knows.
fn offered(text: &str, tools: &[TickTool]) -> String {
    let is_offered =
        |part: &&str| tools.iter().any(|tool| part.starts_with(&format!("**{}**", tool.name)));
    text.split(TOOL_SEPARATOR).filter(is_offered).collect::<Vec<_>>().join(TOOL_SEPARATOR)
}

/// As many tools as fit. S4's own come first.
fn whole_tools(text: &str, tokens_max: usize, count: TokenCounter<'_>) -> String {
    let mut kept = String::new();
    for tool in text.split(TOOL_SEPARATOR) {
        let next =
            if kept.is_empty() { tool.to_owned() } else { format!("{kept}{TOOL_SEPARATOR}{tool}") };
        if count(&next) > tokens_max {
            break;
        }
        kept = next;
    }
    kept
}

/// Returns the names of the ids that a plan may use, because S4's texts show names without ids.
fn known_ids(story: &TickStory) -> String {
    let people = story.characters.iter().rev().map(|one| (&one.id, &one.name));
    let places = story.locations.iter().rev().map(|one| (&one.id, &one.name));
    let loops = story.loops.iter().rev().map(|one| (&one.id, &one.description));
    let mut text = String::new();
    let people = people.take(TICK_IDS_MAX);
    for (id, name) in people.chain(places.take(TICK_IDS_MAX)).chain(loops.take(TICK_IDS_MAX)) {
        let name: String = name.chars().take(NAME_CHARS_MAX).collect();
        let start = if text.is_empty() { "\n\nIds: " } else { "; " };
        let _ = write!(text, "{start}{id} is {}", name.replace('\n', " "));
    }
    text
}
