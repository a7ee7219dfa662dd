//! The memories of a story: remember, search, pin, forget (S4).

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something to remember.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// A sentence or two that make sense by themselves.
    #[schemars(length(min = 1, max = 2048))]
    pub summary: String,
    /// Whom and what it concerns: ids such as `C0`, or names.
    #[serde(default)]
    #[schemars(length(max = 16), inner(length(min = 1, max = 120)))]
    pub entities: Vec<String>,
    /// Words such as `character` or `scene`; the kinds of the entities are added.
    #[serde(default)]
    #[schemars(length(max = 16), inner(length(min = 1, max = 40)))]
    pub entity_types: Vec<String>,
    /// Where it happened, in a few words.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub place: String,
    /// 1 to 10; 5 if missing.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10))]
    pub significance: Option<u8>,
    /// A word or two each.
    #[serde(default)]
    #[schemars(length(max = 16), inner(length(min = 1, max = 40)))]
    pub tags: Vec<String>,
    /// Whether it is always in the planner's context.
    #[serde(default)]
    pub pinned: bool,
    /// The memory that this one replaces, such as `M3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// A memory that says otherwise, such as `M3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicts: Option<String>,
    /// Whether the player reads a line about it.
    #[serde(default, skip_serializing)]
    pub tell: bool,
}

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Words, in any form of English. The newest memories are found without any.
    #[serde(default)]
    #[schemars(length(max = 1024))]
    pub query: String,
    /// Only memories with one of these types, such as `character`, `location` or `scene`.
    #[serde(default)]
    #[schemars(length(max = 16), inner(length(min = 1, max = 40)))]
    pub entity_types: Vec<String>,
    /// At most so many.
    #[serde(default = "limit_default")]
    #[schemars(range(min = 1, max = 32))]
    pub limit: u8,
    /// Only memories with all of these tags.
    #[serde(default)]
    #[schemars(length(max = 16), inner(length(min = 1, max = 40)))]
    pub tags: Vec<String>,
    /// Only memories of this turn or later ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_turn: Option<u32>,
    /// Only memories of this turn or earlier ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_turn: Option<u32>,
    /// Least score, 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f64,
    /// Whether the player reads what is found.
    #[serde(default, skip_serializing)]
    pub tell: bool,
}

fn limit_default() -> u8 {
    5
}

/// Which memory to pin.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Its id, such as `M3`.
    pub id: String,
    /// False takes the pin away.
    #[serde(default = "yes")]
    pub pinned: bool,
    /// Whether the player reads a line about it.
    #[serde(default)]
    pub tell: bool,
}

fn yes() -> bool {
    true
}

/// Which memory to forget.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Forget {
    /// Its id, such as `M3`, or words that it says.
    pub id: String,
    /// Whether the player reads a line about it.
    #[serde(default)]
    pub tell: bool,
}

/// A memory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Remembered {
    /// Its id, such as `M3`.
    pub id: String,
    /// The memory with its turn, its entities and its marks.
    pub memory: Value,
    /// A line for the player, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What was forgotten.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Forgotten {
    /// The id of the memory; nothing if no single memory has the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The memory as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Value>,
    /// A line for the player, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundMemories {
    /// Best first; each with its `id`, its `score` from 0 to 1 and the turn that it comes from.
    pub results: Vec<Value>,
    /// How many there are.
    pub count: usize,
    /// Lines for the player, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Longest summary that the host keeps, and longest query that it reads, in bytes. The schemas count characters.
const SUMMARY_BYTES_MAX: usize = 2_048;
const QUERY_BYTES_MAX: usize = 1_024;

/// Longest tag and type, in bytes.
const WORD_BYTES_MAX: usize = 120;

/// How many memories are compared with a sentence, the nearest first.
const COMPARED: u8 = 16;

/// What the player reads where no memory has the words.
const NOTHING_FOUND: &str = "Nothing of that comes to mind.";

/// Returns the beginning of a text that takes at most `bytes_max` bytes as JSON.
fn clipped(text: &str, bytes_max: usize) -> String {
    let mut bytes = 0;
    let size = |letter: char| match letter {
        '"' | '\\' | '\n' | '\t' => 2,
        other => other.len_utf8(),
    };
    let fits = |letter: &char| {
        bytes += size(*letter);
        bytes <= bytes_max
    };
    text.chars().take_while(fits).collect()
}

/// The words without those that are blank.
fn clipped_words(words: &[String]) -> Vec<String> {
    let words = words.iter().map(|word| clipped(word.trim(), WORD_BYTES_MAX));
    words.filter(|word| !word.is_empty()).collect()
}

/// `memory/remember`
pub fn remember(ctx: &mut Ctx, mut input: Remember) -> Result<Done<Remembered>, SkillError> {
    let summary = clipped(input.summary.trim(), SUMMARY_BYTES_MAX);
    if summary.len() < input.summary.trim().len() {
        ctx.warn("the summary is cut at its end: a memory has room for a paragraph");
    }
    input.summary = summary;
    (input.tags, input.entity_types) =
        (clipped_words(&input.tags), clipped_words(&input.entity_types));
    // What replaces or contradicts another memory is news, whatever it says.
    let is_news = input.supersedes.is_some() || input.contradicts.is_some();
    if !is_news && let Some(known) = known_memory(ctx, &input.summary)? {
        let is_pinned = known["pinned"].as_bool().unwrap_or_default();
        let id = known["id"].as_str().unwrap_or_default();
        let memory =
            if input.pinned && !is_pinned { ctx.memories().set_pinned(id, true)? } else { known };
        return Ok(done("knew", memory, input.tell));
    }
    let memory: Value = ctx.memories().remember(&input)?;
    Ok(done("remembered", memory, input.tell))
}

/// The memory that says this already, word for word.
fn known_memory(ctx: &mut Ctx, summary: &str) -> Result<Option<Value>, SkillError> {
    let said = words_of(summary);
    let near = near_memories(ctx, summary)?;
    Ok(near.into_iter().find(|memory| words_of(summary_of(memory)) == said))
}

/// The memories that are nearest to a text, best first.
fn near_memories(ctx: &mut Ctx, text: &str) -> Result<Vec<Value>, SkillError> {
    let search = json!({ "query": clipped(text, QUERY_BYTES_MAX), "limit": COMPARED });
    let mut found: Vec<Value> = ctx.memories().search(&search)?;
    for memory in found.iter_mut().filter_map(Value::as_object_mut) {
        memory.remove("score");
    }
    Ok(found)
}

fn summary_of(memory: &Value) -> &str {
    memory["summary"].as_str().unwrap_or_default()
}

/// The words of a text in lower case, without the ending of a plural or a possessive.
fn words_of(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let root = |word: &str| {
        let word = word.trim_matches('\'').trim_end_matches("'s");
        let is_plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
        if is_plural { word[..word.len() - 1].to_owned() } else { word.to_owned() }
    };
    words.map(root).filter(|word| !word.is_empty()).collect()
}

/// `memory/search`
pub fn search(ctx: &mut Ctx, mut input: Search) -> Result<Done<FoundMemories>, SkillError> {
    input.query = clipped(&input.query, QUERY_BYTES_MAX);
    (input.tags, input.entity_types) =
        (clipped_words(&input.tags), clipped_words(&input.entity_types));
    let results: Vec<Value> = ctx.memories().search(&input)?;
    let lines = results.iter().map(|one| {
        format!("{} (turn {})", one["summary"].as_str().unwrap_or_default(), one["turn"])
    });
    let text = input.tell.then(|| match results.is_empty() {
        true => NOTHING_FOUND.to_owned(),
        false => format!("You remember:\n\n{}", lines.collect::<Vec<_>>().join("\n")),
    });
    let count = results.len();
    let done = Done::ok().summary(format!("found {count} memories"));
    Ok(done.output(FoundMemories { results, count, text }))
}

/// `memory/pin`
pub fn pin(ctx: &mut Ctx, input: Pin) -> Result<Done<Remembered>, SkillError> {
    let memory: Value = ctx.memories().set_pinned(&input.id, input.pinned)?;
    let verb = if input.pinned { "pinned" } else { "unpinned" };
    Ok(done(verb, memory, input.tell))
}

/// `memory/forget`
pub fn forget(ctx: &mut Ctx, input: Forget) -> Result<Done<Forgotten>, SkillError> {
    let id = input.id.trim();
    if !is_id(id) {
        let found = memories_that_say(ctx, id)?;
        let [memory] = found.as_slice() else { return none_forgotten(&found, input.tell) };
        let id = memory["id"].as_str().unwrap_or_default().to_owned();
        return forget_one(ctx, &id, input.tell);
    }
    forget_one(ctx, id, input.tell)
}

fn forget_one(ctx: &mut Ctx, id: &str, tell: bool) -> Result<Done<Forgotten>, SkillError> {
    let memory: Value = ctx.memories().forget(id)?;
    let text = tell.then(|| format!("You put it out of your mind: {}", summary_of(&memory)));
    let memory = without_id(memory);
    let forgotten = Forgotten { id: Some(id.to_owned()), memory: Some(memory), text };
    Ok(Done::ok().summary(format!("forgot {id}")).output(forgotten))
}

/// No memory has the words, or several have: then nothing is forgotten, and a plan that has not asked for the player learns
/// why by an error.
fn none_forgotten(found: &[Value], tell: bool) -> Result<Done<Forgotten>, SkillError> {
    let lines: Vec<&str> = found.iter().map(summary_of).collect();
    let text = match lines.is_empty() {
        true => NOTHING_FOUND.to_owned(),
        false => format!("You remember more than one thing of that:\n\n{}", lines.join("\n")),
    };
    if !tell {
        let message = format!("{} memories say that, and one is to be forgotten", lines.len());
        return Err(SkillError::new("NO_SINGLE_MEMORY", message));
    }
    let forgotten = Forgotten { text: Some(text), ..Forgotten::default() };
    Ok(Done::ok().summary("forgot nothing").output(forgotten))
}

/// Returns true for an id such as `M3`.
fn is_id(text: &str) -> bool {
    let digits = text.strip_prefix(['M', 'm']).unwrap_or_default();
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

/// The memories that have all these words; the one that has no others, if there is one.
fn memories_that_say(ctx: &mut Ctx, text: &str) -> Result<Vec<Value>, SkillError> {
    let said = words_of(text);
    let mut found = near_memories(ctx, text)?;
    found.retain(|memory| {
        let known = words_of(summary_of(memory));
        !said.is_empty() && said.iter().all(|word| known.contains(word))
    });
    if let Some(at) = found.iter().position(|memory| words_of(summary_of(memory)) == said) {
        found = vec![found.swap_remove(at)];
    }
    Ok(found)
}

/// The memory without its id, which stands beside it.
fn without_id(mut memory: Value) -> Value {
    if let Some(members) = memory.as_object_mut() {
        members.remove("id");
    }
    memory
}

fn done(verb: &str, memory: Value, tell: bool) -> Done<Remembered> {
    let id = memory["id"].as_str().unwrap_or_default().to_owned();
    let summary = summary_of(&memory);
    let text = tell.then(|| match verb {
        "remembered" => format!("You will remember: {summary}"),
        "knew" => format!("You know that already: {summary}"),
        "pinned" => format!("You will not lose sight of it: {summary}"),
        _ => format!("You let it slip to the back of your mind: {summary}"),
    });
    let memory = without_id(memory);
    Done::ok().summary(format!("{verb} {id}")).output(Remembered { id, memory, text })
}

#[cfg(test)]
mod tests {
    use narratoria_sdk::testing;

    use super::*;

    #[test]
    fn the_schema_files_are_those_of_the_types() {
        testing::check_schemas::<Remember, Remembered>("package/schemas", "remember");
        testing::check_schemas::<Search, FoundMemories>("package/schemas", "search");
        testing::check_schemas::<Pin, Remembered>("package/schemas", "pin");
        testing::check_schemas::<Forget, Forgotten>("package/schemas", "forget");
    }

    /// S4 "memory.search"
    #[test]
    fn what_is_remembered_is_found_with_its_turn() {
        let said = testing::call(remember, json!({"summary": "Mira keeps the ferry."})).run();
        assert_eq!((said.ok, &said.output["id"]), (true, &json!("M0")));
        let said = testing::call(search, json!({"query": "ferry", "limit": 3, "tell": true}))
            .in_story("memory", json!({"summary": "Mira keeps the ferry."}))
            .in_story("memory", json!({"summary": "It rains."}))
            .run();
        assert_eq!(said.output["count"], 1);
        assert_eq!(said.output["text"], "You remember:\n\nMira keeps the ferry. (turn 1)");
        let ferries = |query: Value| {
            let ferry =
                |kind: &str, summary: &str| json!({"summary": summary, "entity_types": [kind]});
            let said = testing::call(search, query)
                .in_story("memory", ferry("character", "Mira keeps the ferry."))
                .in_story("memory", ferry("location", "The ferry lies below the mill."))
                .in_story("memory", ferry("scene", "The ferry leaves."))
                .run();
            let results = said.output["results"].as_array().cloned().unwrap_or_default();
            results.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let (places, scenes) = (json!(["location"]), json!(["location", "scene"]));
        assert_eq!(ferries(json!({"query": "ferry", "entity_types": places})), ["M1"]);
        assert_eq!(ferries(json!({"query": "ferry", "entity_types": scenes})).len(), 2);
        assert_eq!(ferries(json!({"query": "ferry"})).len(), 3);
        assert_eq!(ferries(json!({"query": "ferry", "limit": 2})).len(), 2);
        let said = testing::call(search, json!({"query": "dragon", "tell": true})).run();
        assert_eq!(said.output["text"], "Nothing of that comes to mind.");
    }

    #[test]
    fn what_the_schema_allows_fits_the_host_whatever_its_letters() {
        for letter in ["a", "ü", "€", "🔥", "\"", "\\", "\n"] {
            let summary = format!("a{}", letter.repeat(2_047));
            let words = vec![letter.repeat(40); 16];
            let input = json!({"summary": summary, "tags": words, "entity_types": words});
            let said = testing::call(remember, input).run();
            assert!(said.ok, "{letter:?}: {:?}", said.summary);
            let memory = &said.output["memory"];
            let text = |value: &Value| value.as_str().unwrap_or_default().len();
            assert!(text(&memory["summary"]) <= SUMMARY_BYTES_MAX, "{letter:?}");
            for list in ["tags", "entity_types"] {
                let words = memory[list].as_array().cloned().unwrap_or_default();
                assert!(words.iter().all(|word| text(word) <= WORD_BYTES_MAX), "{letter:?}");
            }
            assert!(memory.to_string().len() < 8_000, "{letter:?}: {}", memory.to_string().len());
        }
        assert_eq!(clipped_words(&[" ".to_owned(), " a ".to_owned()]), ["a"]);
        assert_eq!(clipped("a€b", 4), "a€");
        assert_eq!(clipped("a€b", 3), "a");
    }

    #[test]
    fn a_memory_is_pinned_and_forgotten_by_its_id() {
        let kept = |call: testing::CallResult| call.story;
        let memory = json!({"summary": "Mira keeps the ferry."});
        let said = testing::call(pin, json!({"id": "M0"})).in_story("memory", &memory).run();
        assert_eq!(kept(said)[0]["pinned"], true);
        let said = testing::call(forget, json!({"id": "M0", "tell": true}))
            .in_story("memory", &memory)
            .run();
        assert_eq!(said.output["text"], "You put it out of your mind: Mira keeps the ferry.");
        assert_eq!(kept(said), Vec::<Value>::new());
        let said = testing::call(forget, json!({"id": "M9"})).run();
        assert!(!said.ok);
    }

    #[test]
    fn the_same_sentence_is_remembered_once() {
        let memory = json!({"summary": "Tolk has one eye."});
        let said = testing::call(remember, json!({"summary": "tolk has one eye", "tell": true}))
            .in_story("memory", &memory)
            .run();
        assert_eq!(said.output["id"], "M0");
        assert_eq!(said.output["text"], "You know that already: Tolk has one eye.");
        assert_eq!(said.story.len(), 1);
        // A plan that wants it in view gets it there.
        let said = testing::call(remember, json!({"summary": "Tolk has one eye", "pinned": true}))
            .in_story("memory", &memory)
            .run();
        assert_eq!((said.story.len(), &said.story[0]["pinned"]), (1, &json!(true)));
        // What replaces it is another memory, and so is another sentence.
        for other in [
            json!({"summary": "Tolk has one eye", "supersedes": "M0"}),
            json!({"summary": "Tolk has one ear"}),
        ] {
            let said = testing::call(remember, other).in_story("memory", &memory).run();
            assert_eq!(said.story.len(), 2);
        }
    }

    #[test]
    fn a_memory_is_forgotten_by_what_it_says() {
        let told = |words: &str| {
            let said = testing::call(forget, json!({"id": words, "tell": true}))
                .in_story("memory", json!({"summary": "Tolk has one eye."}))
                .in_story("memory", json!({"summary": "Tolk has one eye on the ferry."}))
                .in_story("memory", json!({"summary": "Mira keeps the ferry."}))
                .run();
            assert!(said.ok, "{}", said.lines);
            (said.output["text"].as_str().unwrap_or_default().to_owned(), said.story.len())
        };
        let forgot = |summary: &str| (format!("You put it out of your mind: {summary}"), 2);
        assert_eq!(told("Tolk has one eye"), forgot("Tolk has one eye."));
        assert_eq!(told("Mira's ferry"), forgot("Mira keeps the ferry."));
        assert_eq!(told("the dragon"), (NOTHING_FOUND.to_owned(), 3));
        let several = "You remember more than one thing of that:\n\n";
        let (text, left) = told("the ferry");
        assert!(text.starts_with(several) && text.contains("Mira keeps the ferry."), "{text}");
        assert_eq!(left, 3);
        // A plan learns by an error that nothing was forgotten.
        let said = testing::call(forget, json!({"id": "the dragon"})).run();
        assert!(!said.ok && said.lines.contains("NO_SINGLE_MEMORY"), "{}", said.lines);
    }
}
