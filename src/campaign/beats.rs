//! 007's beats become storylets.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    documents::CampaignDocuments,
    kinds::FileKind,
    names::{CampaignNames, NameKind},
    problem::CampaignProblems,
    tree::Node,
    walk::{slug, spots},
};

/// `plot/beats.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BeatsFile {
    beats: Vec<CampaignBeat>,
}

/// A beat of 007.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct CampaignBeat {
    id: String,
    title: String,
    description: String,
    conditions: BeatConditions,
    priority: String,
    consequences: Vec<String>,
    outcomes: Vec<BeatOutcome>,
    dialogue: Vec<BeatLine>,
    location: String,
    timeout: BeatTimeout,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct BeatConditions {
    scene_count: SceneCount,
    requires_beat: Option<String>,
    requires_any_beat: Vec<String>,
    player_choice: Option<String>,
    player_choices: Vec<String>,
    player_state: Value,
    npc_state: Value,
    world_state: Value,
    custom: Value,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct SceneCount {
    min: Option<u64>,
    max: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct BeatOutcome {
    triggers_beat: Option<String>,
    probability: Option<f64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct BeatLine {
    speaker: String,
    line: String,
    context: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct BeatTimeout {
    scene_count: Option<u64>,
    fallback_beat: Option<String>,
}

/// The storylets that beats are converted to.
#[derive(Debug, Default)]
pub(crate) struct ConvertedBeats {
    /// Storylets of the deck `beats`, as an author would write them.
    pub(crate) storylets: Vec<Value>,
    /// The beat that ends the story where endings have no conditions.
    pub(crate) last: Option<String>,
}

/// Longest `remember` of a storylet, in characters.
const REMEMBERED_CHARS_MAX: usize = 400;

/// Converts all beats. Parts that storylets cannot express get a note.
pub(crate) fn convert_beats(
    documents: &CampaignDocuments,
    names: &CampaignNames,
    problems: &mut CampaignProblems,
) -> ConvertedBeats {
    let mut converted = ConvertedBeats::default();
    for document in documents.of(FileKind::BeatsJson).filter(|document| document.fits) {
        let Ok(file) = BeatsFile::deserialize(document.node.value()) else { continue };
        let mut lines = BTreeMap::new();
        for spot in spots(&document.node, "beats") {
            let id = spot.node.text_of("id").unwrap_or_default();
            lines.insert(id.to_owned(), spot.node);
        }
        let links = BeatLinks {
            follows: follows(&file.beats),
            timeouts: timeouts(&file.beats),
            chances: chances(&file.beats),
        };
        for beat in &file.beats {
            let mut conversion = BeatConversion {
                beat,
                node: lines.get(&beat.id).copied(),
                file: &document.path,
                names,
                problems,
            };
            conversion.convert(&links, &mut converted.storylets);
        }
        let critical = file.beats.iter().rfind(|beat| beat.priority == "critical");
        let last = critical.or(file.beats.last()).map(|beat| beat.id.clone());
        converted.last = converted.last.or(last);
    }
    converted
}

/// Returns the beats that the outcomes of each beat trigger.
fn follows(beats: &[CampaignBeat]) -> BTreeMap<&str, Vec<&str>> {
    let mut found = BTreeMap::<&str, Vec<&str>>::new();
    for beat in beats {
        for triggered in beat.outcomes.iter().filter_map(|it| it.triggers_beat.as_deref()) {
            found.entry(triggered).or_default().push(&beat.id);
        }
    }
    found
}

/// How likely each triggered beat is in a turn in which it can come: beat → the highest probability of the outcomes that
/// trigger it. One that an outcome triggers without a probability is certain.
fn chances(beats: &[CampaignBeat]) -> BTreeMap<&str, f64> {
    let mut found = BTreeMap::<&str, f64>::new();
    for outcome in beats.iter().flat_map(|beat| &beat.outcomes) {
        let Some(triggered) = outcome.triggers_beat.as_deref() else { continue };
        let chance = found.entry(triggered).or_default();
        *chance = chance.max(outcome.probability.unwrap_or(1.0));
    }
    found.retain(|_, chance| *chance < 1.0);
    found
}

/// Beats that come instead of one that did not: beat → conditions.
fn timeouts(beats: &[CampaignBeat]) -> BTreeMap<&str, Vec<String>> {
    let mut found = BTreeMap::<&str, Vec<String>>::new();
    for beat in beats {
        if let (Some(count), Some(instead)) =
            (beat.timeout.scene_count, beat.timeout.fallback_beat.as_deref())
        {
            let when = format!("(turn >= {count} && !('{}' in fired))", beat.id);
            found.entry(instead).or_default().push(when);
        }
    }
    found
}

/// How beats lead to each other.
struct BeatLinks<'b> {
    follows: BTreeMap<&'b str, Vec<&'b str>>,
    timeouts: BTreeMap<&'b str, Vec<String>>,
    chances: BTreeMap<&'b str, f64>,
}

struct BeatConversion<'c> {
    beat: &'c CampaignBeat,
    node: Option<&'c Node>,
    file: &'c str,
    names: &'c CampaignNames,
    problems: &'c mut CampaignProblems,
}

impl BeatConversion<'_> {
    fn convert(&mut self, links: &BeatLinks<'_>, storylets: &mut Vec<Value>) {
        let beat = self.beat;
        let mut conditions = self.conditions();
        if let Some(before) = links.follows.get(beat.id.as_str())
            && beat.conditions.requires_beat.is_none()
            && beat.conditions.requires_any_beat.is_empty()
        {
            conditions.push(any_fired(before));
        }
        let mut when = conditions.join(" && ");
        if let Some(instead) = links.timeouts.get(beat.id.as_str()).filter(|_| !when.is_empty()) {
            when = format!("({when}) || {}", instead.join(" || "));
        }
        let place = self.place();
        let chance = links.chances.get(beat.id.as_str());
        let mut storylet = Map::new();
        storylet.insert("id".to_owned(), json!(beat.id));
        storylet.insert("priority".to_owned(), json!(priority(&beat.priority)));
        storylet.insert("text".to_owned(), json!(text(beat)));
        let remember: String =
            beat.consequences.join(" ").chars().take(REMEMBERED_CHARS_MAX).collect();
        if !remember.is_empty() {
            storylet.insert("remember".to_owned(), json!(remember));
        }
        let labels = beat.conditions.player_choice.iter().chain(&beat.conditions.player_choices);
        let labels: Vec<String> = labels.map(|label| label_of(label)).collect();
        if !labels.is_empty() {
            storylet.insert("linked".to_owned(), json!(true));
            storylets.push(Value::Object(storylet));
            storylets.push(self.offer(&labels, &when, place, chance));
            return;
        }
        if let Some(place) = place {
            storylet.insert("at".to_owned(), json!(place));
        }
        if let Some(chance) = chance {
            storylet.insert("chance".to_owned(), json!(chance));
        }
        if !when.is_empty() {
            storylet.insert("when".to_owned(), json!(when));
        }
        storylets.push(Value::Object(storylet));
    }

    /// The storylet that offers the decisions which a beat waits for.
    fn offer(
        &self,
        labels: &[String],
        when: &str,
        place: Option<String>,
        chance: Option<&f64>,
    ) -> Value {
        let beat = self.beat;
        let waits = format!("!('{}' in fired)", beat.id);
        let when = if when.is_empty() { waits } else { format!("({when}) && {waits}") };
        let choice = |label: &String| json!({ "label": label, "then": beat.id });
        let mut storylet = json!({
            "id": format!("{}-choice", beat.id.replace('_', "-")),
            "when": when,
            "cooldown": 4,
            "priority": priority(&beat.priority),
            "text": format!("{} What do you do?", ended(&beat.title)),
            "choices": labels.iter().map(choice).collect::<Vec<Value>>(),
        });
        if let Some(place) = place {
            storylet["at"] = json!(place);
        }
        if let Some(chance) = chance {
            storylet["chance"] = json!(chance);
        }
        storylet
    }

    fn conditions(&mut self) -> Vec<String> {
        let conditions = &self.beat.conditions;
        let mut found = Vec::new();
        found.extend(conditions.scene_count.min.map(|min| format!("turn >= {min}")));
        found.extend(conditions.scene_count.max.map(|max| format!("turn <= {max}")));
        found.extend(conditions.requires_beat.as_ref().map(|beat| format!("'{beat}' in fired")));
        if !conditions.requires_any_beat.is_empty() {
            let beats: Vec<&str> =
                conditions.requires_any_beat.iter().map(String::as_str).collect();
            found.push(any_fired(&beats));
        }
        let states = [
            ("player_state", &conditions.player_state),
            ("npc_state", &conditions.npc_state),
            ("world_state", &conditions.world_state),
            ("custom", &conditions.custom),
        ];
        for (field, state) in states {
            match state {
                Value::Null => {}
                Value::Object(state) => self.state(field, "", state, &mut found),
                other => self.unused(&format!("`{field}` is `{other}`, which names no quality")),
            }
        }
        found
    }

    /// `{"debt": "engaged"}` holds if the ladder `debt` is at that rung; `{"Mina": {"mood": "calm"}}` if `mina_mood`
    /// is.
    fn state(
        &mut self,
        field: &str,
        prefix: &str,
        state: &Map<String, Value>,
        found: &mut Vec<String>,
    ) {
        for (key, value) in state {
            let word = slug(key).replace('-', "_");
            let name = if prefix.is_empty() { word } else { format!("{prefix}_{word}") };
            if let (Value::Object(inner), true) = (value, prefix.is_empty()) {
                self.state(field, &name, inner, found);
                continue;
            }
            let rung = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let has_rung = |rungs: &Vec<String>| rungs.contains(&rung);
            if self.names.ladders.get(&name).is_some_and(has_rung) {
                found.push(format!("{name} == '{rung}'"));
            } else if let (true, Some(number)) =
                (self.names.has(NameKind::Counter, &name), value.as_i64())
            {
                found.push(format!("{name} >= {number}"));
            } else {
                let way_out = if value.is_number() {
                    format!("a counter `{name}`")
                } else {
                    format!("a ladder `{name}` with this rung")
                };
                let what = format!(
                    "`{field}` `{key}` = `{rung}` has no effect: declare {way_out} in plot/qualities.toml"
                );
                self.unused(&what);
            }
        }
    }

    fn unused(&mut self, what: &str) {
        let line = self.node.map(|node| node.get("conditions").unwrap_or(node).line);
        let message = format!("`{}`: {what}", self.beat.id);
        self.problems.note(self.file, line, message);
    }

    /// The place of the beat, if its location is one.
    fn place(&mut self) -> Option<String> {
        let location = self.beat.location.trim();
        if location.is_empty() {
            return None;
        }
        let lower = location.to_lowercase();
        let found = self.names.all(NameKind::Place).find(|place| place.to_lowercase() == lower);
        if found.is_none() {
            let line = self.node.map(|node| node.get("location").unwrap_or(node).line);
            let what = format!(
                "`{}`: `{location}` is no place, so the beat can come anywhere",
                self.beat.id
            );
            self.problems.note(self.file, line, what);
        }
        found.map(str::to_owned)
    }
}

fn any_fired(beats: &[&str]) -> String {
    let all: Vec<String> = beats.iter().map(|beat| format!("'{beat}' in fired")).collect();
    if all.len() == 1 { all.join("") } else { format!("({})", all.join(" || ")) }
}

fn priority(word: &str) -> u8 {
    match word {
        "critical" => 90,
        "high" => 70,
        "low" => 30,
        "optional" => 10,
        _ => 50,
    }
}

/// The description, then the dialogue.
fn text(beat: &CampaignBeat) -> String {
    let mut text = beat.description.trim().to_owned();
    for line in &beat.dialogue {
        let words = line.line.trim().trim_matches(['"', '\u{201c}', '\u{201d}']);
        let how = match line.context.trim() {
            "" => String::new(),
            how => format!(" ({how})"),
        };
        text += &format!("\n\n{}{how}: \u{201c}{words}\u{201d}", line.speaker);
    }
    text
}

/// `help_mina` becomes `Help mina`; a sentence stays as it is.
fn label_of(choice: &str) -> String {
    let words = choice.replace('_', " ");
    let mut letters = words.trim().chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

fn ended(text: &str) -> String {
    world_model::words::ended(text)
}
