//! The grammar of a tick's plan in S4's form (S4 §3): the arguments of each tool meet its own input schema, and S4's own
//! tools name only ids that the story has. Pure.

use serde_json::{Value, json};

use super::{
    grammar_type::{ArrayConstraints, GrammarField, GrammarType, any_of_schema},
    schema_definitions::SchemaDefinitions,
    tool::{Tool, ToolParameters},
};
use crate::tick::{TICK_ACTIONS_ADVISED, TickCharacter, TickLoop, TickStory};

/// Longest rationale and scene intention: one or two sentences.
const SENTENCES_CHARS_MAX: u64 = 240;

/// Longest reason of an action, and longest expected outcome.
const SENTENCE_CHARS_MAX: u64 = 120;

/// Most expected outcomes.
const OUTCOMES_MAX: usize = 4;

/// Most ids of one kind that a plan may choose from, the newest first; a grammar of more takes long to compile.
pub(super) const TICK_IDS_MAX: usize = 24;

/// Most pairs of characters that a relationship may be of.
const PAIRS_MAX: usize = 16;

/// A tool that the next tick may call, with its arguments.
pub(super) struct TickTool {
    /// S4's name, such as `memory.search`.
    pub(super) name: String,
    arguments: GrammarType,
}

/// The tools that the next tick may call. Left out is a tool that needs the player's consent or the player's own sentence,
/// and one that needs something which the story does not have yet.
pub(super) fn tick_tools<'t>(
    tools: impl Iterator<Item = &'t Tool>,
    story: &TickStory,
) -> Vec<TickTool> {
    let is_free =
        |tool: &&Tool| !tool.script().requires_approval && tool.verbatim_parameters.is_empty();
    let with_arguments = |tool: &Tool| {
        let name = tool.path.replacen('/', ".", 1);
        Some(TickTool { name, arguments: arguments(tool, story)? })
    };
    tools.filter(is_free).filter_map(with_arguments).collect()
}

/// The schema of a tick's plan.
pub(super) fn tick_plan_schema(tools: &[TickTool], story: &TickStory) -> Value {
    let mut definitions = SchemaDefinitions::default();
    let sentence = definitions.reference_or_inline(text(SENTENCE_CHARS_MAX));
    let actions: Vec<Value> = tools
        .iter()
        .map(|TickTool { name, arguments }| {
            let args = definitions.reference_or_inline(arguments.schema());
            json!({
                "type": "object",
                "properties": {"tool": {"enum": [name]}, "args": args, "reason": sentence},
                "required": ["tool", "args"],
                "additionalProperties": false,
            })
        })
        .collect();
    let (items, items_max) = match actions.is_empty() {
        true => (Value::Bool(false), 0),
        false => (definitions.reference_or_inline(any_of_schema(actions)), TICK_ACTIONS_ADVISED),
    };
    let mut places: Vec<Value> = newest(&story.locations, |one| &one.id);
    places.push(Value::Null);
    let mut properties = json!({
        "rationale": text(SENTENCES_CHARS_MAX),
        "scene_intention": text(SENTENCES_CHARS_MAX),
        "pov_character": {"enum": ids(&living(story))},
        "target_location": {"enum": places},
        "actions": {"type": "array", "items": items, "maxItems": items_max},
        "expected_outcomes": {"type": "array", "items": sentence, "maxItems": OUTCOMES_MAX},
    });
    if living(story).is_empty()
        && let Value::Object(properties) = &mut properties
    {
        // Nothing meets an empty list of values.
        properties.shift_remove("pov_character");
    }
    json!({
        "$defs": definitions.schemas,
        "type": "object",
        "properties": properties,
        "required": ["rationale", "scene_intention", "actions"],
        "additionalProperties": false,
    })
}

fn text(chars_max: u64) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": chars_max})
}

/// The living characters: the active one first, then the newest.
fn living(story: &TickStory) -> Vec<&TickCharacter> {
    let is_active = |one: &TickCharacter| story.active_character.as_deref() == Some(&one.id);
    let mut all: Vec<&TickCharacter> =
        story.characters.iter().rev().filter(|one| !one.is_dead).collect();
    all.sort_by_key(|one| !is_active(one));
    all.truncate(TICK_IDS_MAX);
    all
}

fn ids(characters: &[&TickCharacter]) -> Vec<Value> {
    characters.iter().map(|one| json!(one.id)).collect()
}

fn newest<T>(all: &[T], id: impl Fn(&T) -> &String) -> Vec<Value> {
    all.iter().rev().take(TICK_IDS_MAX).map(|one| json!(id(one))).collect()
}

/// The arguments that a plan may give a tool; `None` if the story has nothing that it could be about.
fn arguments(tool: &Tool, story: &TickStory) -> Option<GrammarType> {
    let fields = match &tool.parameters {
        ToolParameters::WholeInput(input) => return Some(input.clone()),
        ToolParameters::Properties(fields) => fields,
    };
    let mut known = Vec::new();
    for field in fields {
        match known_ids(&tool.path, &field.name, story) {
            None => known.push(field.clone()),
            Some(ids) if !ids.is_empty() => known.push(with_ids(field, ids)),
            Some(_) if field.is_required => return None,
            Some(_) => {}
        }
    }
    match pairs(&tool.path, story) {
        Some(pairs) => {
            let of = |pair: &(Value, Value)| GrammarType::Object(with_pair(&known, pair));
            GrammarType::any_of(pairs.iter().map(of).collect())
        }
        None => Some(GrammarType::Object(known)),
    }
}

/// The ids that a field of one of S4's tools may name; `None` for any other field.
fn known_ids(path: &str, field: &str, story: &TickStory) -> Option<Vec<Value>> {
    match (path, field) {
        ("relationship/query", "character_id")
        | ("plot/open", "characters")
        | ("memory/remember", "entities") => Some(ids(&living(story))),
        ("plot/resolve", "id") => {
            let free: Vec<&TickLoop> = story.loops.iter().filter(|one| !one.is_kept).collect();
            Some(newest(&free, |one| &one.id))
        }
        // A campaign has the people of its author, and strangers only where the author allows them.
        ("character/generate", "name") => {
            let world = story.world.as_ref();
            let world = world.filter(|world| world.has_author && !world.allows_strangers)?;
            let is_new = |name: &&str| story.characters.iter().all(|one| one.name != **name);
            let names = world.people.iter().map(|one| one.name.as_str()).filter(is_new);
            Some(names.take(TICK_IDS_MAX).map(|name| json!(name)).collect())
        }
        ("plot/resolve" | "relationship/update", "scene_id")
        | ("plot/open", "created_in_scene") => Some(newest(&story.scenes, |one| &one.id)),
        // A tick knows the texts of memories, not their ids.
        ("memory/pin" | "memory/forget", "id")
        | ("memory/remember", "supersedes" | "contradicts") => Some(Vec::new()),
        _ => None,
    }
}

fn with_ids(field: &GrammarField, ids: Vec<Value>) -> GrammarField {
    let words = GrammarType::Enum(ids);
    let grammar_type = match &field.grammar_type {
        GrammarType::List(list) => GrammarType::List(ArrayConstraints {
            other_items: Some(Box::new(words)),
            ..list.clone()
        }),
        _ => words,
    };
    GrammarField { grammar_type, ..field.clone() }
}

/// The two characters that a relationship may be of: for a new one, two that have none yet; for an update, two that have
/// one. `None` for other tools.
fn pairs(path: &str, story: &TickStory) -> Option<Vec<(Value, Value)>> {
    match path {
        "relationship/create" => {
            let living = living(story);
            let all = living.iter().enumerate().flat_map(|(at, one)| {
                living[at + 1..].iter().map(move |other| (&one.id, &other.id))
            });
            let new = all.filter(|(one, other)| story.relationship(one, other).is_none());
            Some(new.take(PAIRS_MAX).map(|(one, other)| (json!(one), json!(other))).collect())
        }
        "relationship/update" => {
            let newest = story.relationships.iter().rev().take(PAIRS_MAX);
            Some(newest.map(|one| (json!(one.character_a), json!(one.character_b))).collect())
        }
        _ => None,
    }
}

fn with_pair(fields: &[GrammarField], (one, other): &(Value, Value)) -> Vec<GrammarField> {
    let bound = |field: &GrammarField| {
        let grammar_type = match field.name.as_str() {
            "character_a" => GrammarType::Enum(vec![one.clone()]),
            "character_b" => GrammarType::Enum(vec![other.clone()]),
            _ => field.grammar_type.clone(),
        };
        GrammarField { grammar_type, ..field.clone() }
    };
    fields.iter().map(bound).collect()
}
