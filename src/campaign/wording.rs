//! Words by a language model for the missing parts of a campaign. The building blocks make the parts; the model is
//! asked for the texts and names of one part after the other, each as a JSON document under a schema. An answer counts
//! as far as the campaign is still valid with it; everything else keeps the words of the building blocks. Knows no
//! model: the caller asks it.
//!
//! A name or text that occurs in the author's own files is never requested.

mod given;
mod parts;
mod rename;
mod rules;

use std::collections::VecDeque;

use narratoria_protocol::{JsonBounds, read_json, visible::clip};
use serde_json::{Map, Value, json};

use crate::{
    CampaignSource, CompileResult, ProblemWeight,
    assemble::{MadeParts, MadeWords},
    compile::{CampaignParts, compile},
    documents::read_documents,
    lore::lore_entries,
    problem::CampaignProblems,
    source_of::campaign_with_made,
    write::made_files,
};
use given::GivenWords;
use parts::{WordedPart, slots_of, task_of, worded_parts};
use rename::rename;
use rules::{WordingContext, WordingRule, WordingSlot};

/// Longest answer of a model, in bytes: the fields of one part have a tenth of it.
pub const WORDING_BYTES_MAX: usize = 64 << 10;

/// Longest reason in a note, in characters.
const REASON_CHARS_MAX: usize = 160;

/// The words of the system prompt.
pub const WORDING_SYSTEM: &str = "You write the words of a small interactive story. Its parts are there already, made \
    from building blocks; you give them words that belong to this story.\n\
    - Plain, concrete sentences in the present tense. The player is `you`. No titles, no lists, no markup.\n\
    - Nobody and nothing with a proper name but those that you are given.\n\
    - A description says what can be seen. People, loose things and ways out are told elsewhere.\n\
    - A field that must name something has that name in it, letter by letter.\n\
    - Write one JSON object with the fields that are asked for.";

/// The next request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct WordingRequest {
    /// The part, such as: the place `hall`.
    pub about: String,
    /// Which part it is, from 1.
    pub number: usize,
    /// The request.
    pub task: String,
    /// The JSON schema of the answer.
    pub schema: Value,
    /// Most characters of the answer.
    pub chars_max: usize,
    /// For a model that draws its words: it follows from the campaign's seed.
    pub seed: u64,
}

/// A campaign whose missing parts get words.
#[derive(Debug)]
pub struct CampaignWording<'s> {
    source: &'s CampaignSource,
    seed: Option<u64>,
    given: GivenWords,
    /// The parts as the building blocks made them.
    blocks: Value,
    /// The parts with the words so far.
    draft: Value,
    parts: CampaignParts,
    open: VecDeque<WordedPart>,
    asked: Option<(String, Vec<WordingSlot>)>,
    total: usize,
    /// Warnings of the campaign with the words of the building blocks.
    warnings: usize,
    result: WordingTally,
}

/// How much a model has written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordingTally {
    /// Texts and names that it was asked for.
    pub asked: usize,
    /// Texts and names of the model that count.
    pub written: usize,
    /// Why the others keep the words of the building blocks.
    pub kept: Vec<String>,
}

impl<'s> CampaignWording<'s> {
    /// Begins with a campaign that was compiled with this seed.
    pub fn begin(
        source: &'s CampaignSource,
        seed: Option<u64>,
        parts: CampaignParts,
    ) -> CampaignWording<'s> {
        let blocks = as_value(&parts.made);
        let given = GivenWords::of(source);
        let open: VecDeque<WordedPart> = worded_parts(&blocks)
            .into_iter()
            .filter(|part| !slots_of(part, &blocks, &given).is_empty())
            .collect();
        let mut wording = CampaignWording {
            source,
            seed,
            given,
            draft: blocks.clone(),
            blocks,
            parts,
            total: open.len(),
            open,
            asked: None,
            warnings: 0,
            result: WordingTally::default(),
        };
        wording.warnings = wording.compiled(wording.parts.made.clone()).counts[1];
        wording
    }

    /// How many parts there are words for.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Returns the author's texts about the campaign as a whole, the background of every request.
    pub fn background(&self) -> String {
        let documents = read_documents(self.source, &mut CampaignProblems::default());
        let entries = lore_entries(&documents, &mut CampaignProblems::default());
        let entries = entries.into_iter().filter(|entry| entry.always);
        let texts = entries.map(|entry| format!("{}: {}", entry.name, entry.text.trim()));
        format!("The story: {}\n\n{}", self.parts.title, texts.collect::<Vec<_>>().join("\n\n"))
    }

    /// The next part. One that was not answered keeps its words.
    pub fn next_request(&mut self) -> Option<WordingRequest> {
        let part = self.open.pop_front()?;
        let slots = slots_of(&part, &self.draft, &self.given);
        let about = part.about(&self.draft);
        let number = self.total - self.open.len();
        self.result.asked += slots.len();
        let schemas = slots.iter().map(|slot| (slot.key.clone(), slot.rule.schema()));
        let keys: Vec<&String> = slots.iter().map(|slot| &slot.key).collect();
        let request = WordingRequest {
            task: task_of(&part, &slots, &self.draft, &self.names()),
            schema: json!({
                "type": "object",
                "properties": schemas.collect::<Map<_, _>>(),
                "required": keys,
                "additionalProperties": false,
            }),
            chars_max: slots.iter().map(|slot| slot.key.len() + slot.rule.chars_max() + 8).sum(),
            seed: self.parts.seed.wrapping_add(number as u64),
            about: about.clone(),
            number,
        };
        self.asked = Some((about, slots));
        Some(request)
    }

    /// Accepts a model's answer to the last request, as far as the campaign is valid with it.
    pub fn accept(&mut self, answer: &str) {
        let Some((about, slots)) = self.asked.take() else { return };
        let bounds = JsonBounds::of_bytes(WORDING_BYTES_MAX);
        let fields = match read_json(answer.as_bytes(), bounds) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return self.note(&about, "the answer is no JSON object"),
            Err(error) => return self.note(&about, &format!("the answer {}", error.predicate())),
        };
        let names = self.names();
        let context = WordingContext { draft: &self.draft, given: &self.given, names: &names };
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        for slot in slots {
            match slot.read(&fields, &context) {
                Ok(words) => found.push((slot, words)),
                Err(why) => refused.push((slot.key, why)),
            }
        }
        for (key, why) in refused {
            self.note(&format!("{about}, `{key}`"), &why);
        }
        if self.take(&found).is_ok() {
            return;
        }
        for one in &found {
            if let Err(why) = self.take(std::slice::from_ref(one)) {
                self.note(&format!("{about}, `{}`", one.0.key), &why);
            }
        }
    }

    /// The last request has no answer, for this reason.
    pub fn keep(&mut self, why: &str) {
        if let Some((about, ..)) = self.asked.take() {
            self.note(&about, why);
        }
    }

    /// The campaign with its words, which `writer` wrote.
    pub fn finish(self, writer: &str) -> (CampaignParts, WordingTally) {
        let mut parts = self.parts;
        let sections = self.draft.as_object().into_iter().flatten();
        let changed = sections.filter(|(section, value)| self.blocks[*section] != **value);
        let sections = changed.map(|(section, _)| section.clone()).collect();
        parts.made = made_of(&self.draft, &parts.made).unwrap_or(parts.made);
        parts.made.words = Some(MadeWords { writer: writer.to_owned(), sections });
        (parts, self.result)
    }

    /// All names of places, doors, things and people, and of the player.
    fn names(&self) -> Vec<String> {
        let world = &self.parts.world;
        let places = world.places.iter().map(|place| &place.name);
        let doors = world.doors.iter().map(|door| &door.name);
        let things = world.things.iter().map(|thing| &thing.name);
        let people =
            world.people.iter().flat_map(|one| [&one.name].into_iter().chain(&one.aliases));
        let all = places.chain(doors).chain(things).chain(people).chain([&world.player.name]);
        all.filter(|name| !name.is_empty()).cloned().collect()
    }

    fn note(&mut self, about: &str, why: &str) {
        self.result.kept.push(format!("{about}: {}", clip(why, REASON_CHARS_MAX)));
    }

    /// Puts words into the draft if the campaign is valid with them.
    fn take(&mut self, found: &[(WordingSlot, Value)]) -> Result<(), String> {
        if found.is_empty() {
            return Ok(());
        }
        let mut draft = self.draft.clone();
        for (slot, words) in found {
            match (&slot.rule, words) {
                (WordingRule::Name(kind), Value::String(name)) => {
                    rename(&mut draft, &slot.before, name, *kind);
                }
                _ => slot.put(&mut draft, words),
            }
        }
        let made = made_of(&draft, &self.parts.made).ok_or("it has another form")?;
        let result = self.compiled(made);
        if let Some(fault) = result.problems.iter().find(|it| it.severity == ProblemWeight::Error) {
            return Err(fault.message.clone());
        }
        if result.counts[1] > self.warnings {
            let fault = result.problems.iter().find(|it| it.severity == ProblemWeight::Warning);
            return Err(fault.map_or_else(String::new, |fault| fault.message.clone()));
        }
        let Some(parts) = result.parts.filter(|parts| made_files(parts, &|_| false).is_empty())
        else {
            return Err("something is missing with it".to_owned());
        };
        let made = std::mem::take(&mut self.parts.made);
        self.parts = CampaignParts { made, ..parts };
        self.draft = draft;
        self.result.written += found.len();
        Ok(())
    }

    /// The campaign as it is once these parts have been written into its folder.
    fn compiled(&self, made: MadeParts) -> CompileResult {
        let parts = CampaignParts { made, ..self.parts.clone() };
        compile(&campaign_with_made(self.source, &parts), "campaign", self.seed)
    }
}

/// The made parts as one document, a section for each kind.
fn as_value(made: &MadeParts) -> Value {
    let mut draft = Map::new();
    if let Some(world) = &made.world {
        draft.insert("places".to_owned(), json!(world.places));
        draft.insert("doors".to_owned(), json!(world.doors));
        draft.insert("things".to_owned(), json!(world.things));
        draft.insert("threads".to_owned(), json!(world.threads));
    }
    draft.insert("people".to_owned(), json!(made.people));
    draft.insert("player".to_owned(), json!(made.player));
    draft.insert("start".to_owned(), json!(made.start));
    Value::Object(draft)
}

/// The document as parts again; none if it does not have their form.
fn made_of(draft: &Value, before: &MadeParts) -> Option<MadeParts> {
    let mut made = before.clone();
    if let Some(world) = &mut made.world {
        let section = |name: &str| draft[name].clone();
        world.places = serde_json::from_value(section("places")).ok()?;
        world.doors = serde_json::from_value(section("doors")).ok()?;
        world.things = serde_json::from_value(section("things")).ok()?;
        world.threads = serde_json::from_value(section("threads")).ok()?;
    }
    made.people = draft["people"].as_array()?.clone();
    made.player = draft["player"].as_object()?.clone();
    made.start = draft["start"].as_object()?.clone();
    Some(made)
}
