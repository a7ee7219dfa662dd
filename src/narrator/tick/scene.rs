//! The scene of a tick without a model: its text, its title and its summary, from the plan and from what the actions gave.
//! No sentence of the last ten scenes returns. Deterministic.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    arcs::BEATS,
    expand::tool_path,
    lexical::companion,
    names::town,
    plan::{TickAction, TickPlan},
    story_view::{TickCharacter, TickLocation, TickStory},
    template::{SceneSlots, deal, fill},
    thread::{ArcPlace, SceneThread, THREAD_KEY},
};
use narratoria_protocol::Object;
use pools::{CLOSINGS, HARDER, OPENINGS, PLACES, REACTIONS, REMARKS, SETTLED, TAKEN_UP};

/// The sentences of `text/scenes.md`, which any scene can have. Each pool is a constant with the name of its heading.
// A pool that no code asks for is a mistake of the page; the compiler shows its line.
#[deny(dead_code)]
mod pools {
    include!(concat!(env!("OUT_DIR"), "/scenes.rs"));
}

/// Scenes in which no sentence returns.
pub const SCENES_WITHOUT_REPETITION: usize = 10;

/// Longest part of a skill's or a planner's own text that a scene quotes.
const QUOTED_CHARS_MAX: usize = 300;

/// An action with its output.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionOutput {
    /// As in the plan.
    pub tool: String,
    pub args: Object,
    pub output: Value,
}

/// What the writer is asked for.
#[derive(Debug, Clone, Copy)]
pub struct SceneRequest<'a> {
    /// Before the tick.
    pub story: &'a TickStory,
    pub plan: &'a TickPlan,
    pub results: &'a [ActionOutput],
    /// Of the story.
    pub seed: u64,
}

/// A scene that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneDraft {
    pub title: String,
    /// Bullets.
    pub summary: Vec<String>,
    pub text: String,
    /// Names of those who are there, the point of view first.
    pub people: Vec<String>,
    /// Name of the place; empty if there is none.
    pub place: String,
    /// How the point of view feels afterwards.
    pub mood: &'static str,
}

/// Writes the scene.
pub fn write_scene(request: SceneRequest<'_>) -> SceneDraft {
    let thread = request.plan.document.get(THREAD_KEY).and_then(Value::as_object);
    match thread.and_then(SceneThread::from_object) {
        Some(SceneThread::Arc(place)) => {
            SceneWording::new(request, &place_person(&place, request.seed)).arc(&place)
        }
        Some(SceneThread::Loop { id, stage }) => {
            let other = request.companion(stage).map(|one| one.name.clone()).unwrap_or_default();
            SceneWording::new(request, &other).question(&id, stage)
        }
        None => {
            let other = request.companion(0).map(|one| one.name.clone()).unwrap_or_default();
            SceneWording::new(request, &other).plain()
        }
    }
}

/// The title, the people and the place of the scene, for a text that a model writes.
pub fn scene_frame(request: SceneRequest<'_>) -> SceneDraft {
    SceneDraft { text: String::new(), ..write_scene(request) }
}

fn place_person(place: &ArcPlace, seed: u64) -> String {
    place.people.get(place.person_idx(seed)).cloned().unwrap_or_default()
}

impl<'a> SceneRequest<'a> {
    fn created(&self, tool: &str) -> impl Iterator<Item = &'a TickAction> {
        let path = tool.to_owned();
        self.plan.actions.iter().filter(move |action| tool_path(&action.tool) == path)
    }

    /// The point of view: of the plan, of the story, or the first character that the plan creates.
    fn pov(&self) -> Option<&'a TickCharacter> {
        let named = self.plan.pov_character.as_deref().and_then(|id| self.story.character(id));
        named.or_else(|| self.story.active())
    }

    fn pov_name(&self) -> String {
        if let Some(pov) = self.pov() {
            return pov.name.clone();
        }
        self.created("character/generate")
            .find_map(|action| text(&action.args, "name"))
            .unwrap_or_default()
    }

    fn companion(&self, stage: usize) -> Option<&'a TickCharacter> {
        companion(self.story, self.pov()?, stage)
    }

    fn location(&self) -> Option<&'a TickLocation> {
        self.story.location(self.plan.target_location.as_deref()?)
    }

    /// The sentences of the last scenes.
    fn recent_sentences(&self) -> BTreeSet<&'a str> {
        let scenes = self.story.scenes.iter().rev().take(SCENES_WITHOUT_REPETITION);
        scenes.flat_map(|scene| sentences(&scene.text)).collect()
    }
}

/// The sentences of a text, without the blanks between them. A quotation mark belongs to the sentence before it.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for paragraph in text.lines() {
        let mut start = 0;
        for (at, letter) in paragraph.char_indices() {
            if !matches!(letter, '.' | '!' | '?' | '…') {
                continue;
            }
            let rest = &paragraph[at + letter.len_utf8()..];
            let after = rest.trim_start_matches(['"', '\'', ')', '”', '’']);
            // `"Who?" she asked.` is one sentence.
            let goes_on = after.trim_start().starts_with(char::is_lowercase);
            if after.starts_with(char::is_whitespace) && !goes_on {
                let end = paragraph.len() - after.len();
                found.push(paragraph[start..end].trim());
                start = end;
            }
        }
        found.push(paragraph[start..].trim());
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn text(object: &Object, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

struct SceneWording<'a> {
    request: SceneRequest<'a>,
    pov: String,
    other: String,
    place: String,
    atmosphere: String,
    features: Vec<String>,
    recent: BTreeSet<&'a str>,
    paragraphs: Vec<Vec<String>>,
}

impl<'a> SceneWording<'a> {
    fn new(request: SceneRequest<'a>, other: &str) -> SceneWording<'a> {
        let known = request.location().cloned();
        let created = || {
            let action = request.created("location/generate").last()?;
            let features = action.args.get("features").and_then(Value::as_array);
            Some(TickLocation {
                name: text(&action.args, "name").unwrap_or_default(),
                atmosphere: text(&action.args, "atmosphere").unwrap_or_default(),
                features: features
                    .into_iter()
                    .flatten()
                    .filter_map(|feature| feature.as_str().map(str::to_owned))
                    .collect(),
                ..TickLocation::default()
            })
        };
        let here = || {
            let id = request.pov()?.location.as_deref()?;
            request.story.location(id).cloned()
        };
        let place = known.or_else(created).or_else(here).unwrap_or_default();
        let pov = request.pov_name();
        let other = if other == pov { "" } else { other };
        SceneWording {
            pov,
            other: other.to_owned(),
            place: place.name,
            atmosphere: place.atmosphere,
            features: place.features,
            recent: request.recent_sentences(),
            paragraphs: vec![Vec::new()],
            request,
        }
    }

    fn slots<'s>(&'s self, nth: u64, question: &'s str) -> SceneSlots<'s> {
        let features = self.features.len() as u64;
        let feature = nth.checked_rem(features).and_then(|at| usize::try_from(at).ok());
        SceneSlots {
            pov: &self.pov,
            other: &self.other,
            town: town(self.request.seed),
            place: if self.place.is_empty() { "the street" } else { &self.place },
            feature: feature.map(|at| self.features[at].as_str()).unwrap_or_default(),
            atmosphere: &self.atmosphere,
            question,
        }
    }

    fn tick(&self) -> u64 {
        self.request.story.current_tick + 1
    }

    /// Adds a sentence, unless it was said lately. Returns whether it is new.
    fn say(&mut self, sentence: String) -> bool {
        let sentence = self.with_given_names(&sentence);
        let is_new = |one: &str| {
            !self.recent.contains(one) && !self.paragraphs.iter().flatten().any(|said| said == one)
        };
        if sentence.trim().is_empty() || !sentences(&sentence).iter().all(|one| is_new(one)) {
            return false;
        }
        self.paragraphs.last_mut().expect("there is a paragraph").push(sentence);
        true
    }

    /// A scene has each full name once, and the given name from then on, as long as it is clear who is meant.
    fn with_given_names(&self, sentence: &str) -> String {
        let given = |name: &str| name.split_whitespace().next().unwrap_or_default().to_owned();
        let mut sentence = sentence.to_owned();
        for (name, another) in [(&self.pov, &self.other), (&self.other, &self.pov)] {
            let short = given(name);
            if !name.contains(' ') || short == given(another) {
                continue;
            }
            let is_known = self.paragraphs.iter().flatten().any(|said| said.contains(name));
            let from = match (is_known, sentence.find(name)) {
                (true, _) | (_, None) => 0,
                (false, Some(at)) => at + name.len(),
            };
            let rest = sentence.split_off(from).replace(name, &short);
            sentence.push_str(&rest);
        }
        sentence
    }

    fn paragraph(&mut self) {
        if self.paragraphs.last().is_some_and(|last| !last.is_empty()) {
            self.paragraphs.push(Vec::new());
        }
    }

    /// Deals a sentence from a pool; the next one if it was said lately or has a slot without a value.
    fn deal(&mut self, pool: &[&str], salt: u64, question: &str) {
        let nth = self.tick();
        for further in 0..pool.len() as u64 {
            let template = pool[deal(pool.len(), self.request.seed >> salt, nth + further)];
            let lacks = |slot: &str, value: &str| template.contains(slot) && value.is_empty();
            let slots = self.slots(nth / 3, question);
            if lacks("{feature}", slots.feature)
                || lacks("{atmosphere}", &self.atmosphere)
                || lacks("{o}", &self.other)
            {
                continue;
            }
            let sentence = fill(template, &slots, nth / 5 + further);
            if self.say(sentence) {
                return;
            }
        }
    }

    fn set_the_scene(&mut self) {
        self.deal(OPENINGS, 5, "");
        if !self.place.is_empty() {
            self.deal(PLACES, 9, "");
        }
    }

    fn say_all(&mut self, templates: &[&str]) {
        for template in templates {
            let sentence = fill(template, &self.slots(0, ""), self.tick());
            self.say(sentence);
        }
    }

    fn arc(mut self, place: &ArcPlace) -> SceneDraft {
        let beat = place.beat(self.request.seed);
        self.set_the_scene();
        self.paragraph();
        self.say_all(beat.body);
        for line in beat.talk {
            self.paragraph();
            self.say_all(&[line]);
        }
        self.deal(REACTIONS, 13, "");
        self.paragraph();
        self.say_all(&[beat.hook]);
        let summary = beat.bullets.map(|bullet| fill(bullet, &self.slots(0, ""), 0));
        let mood = match (place.is_end(), place.beat_idx) {
            (true, _) => "at peace",
            (_, 0) => "uneasy",
            (_, at) if at + 1 == BEATS => "relieved",
            _ => "determined",
        };
        let title = beat.title.to_owned();
        let meets_nobody = place.thread_idx == 0 && place.beat_idx == 0;
        if meets_nobody {
            self.other.clear();
        }
        self.draft(title, summary.to_vec(), mood)
    }

    fn question(mut self, id: &str, stage: usize) -> SceneDraft {
        let one = self.request.story.loops.iter().find(|one| one.id == id);
        let question = one.map(|one| clipped(&one.description)).unwrap_or_default();
        self.set_the_scene();
        self.paragraph();
        let pool: &[&str] = match stage {
            0 => TAKEN_UP,
            1 => HARDER,
            _ => SETTLED,
        };
        self.deal(pool, 17, &question);
        self.say_results();
        self.paragraph();
        self.deal(REMARKS, 19, "");
        self.deal(REACTIONS, 13, "");
        self.paragraph();
        self.deal(CLOSINGS, 23, "");
        let deed = match stage {
            0 => "took up the question",
            1 => "met with difficulties in the question",
            _ => "settled the question",
        };
        let summary = vec![format!("{} {deed}: {question}", self.pov)];
        let title = match stage {
            0 => "A Question Taken Up",
            1 => "A Harder Road",
            _ => "What Was Owed",
        };
        let mood = ["uneasy", "determined", "relieved"][stage.min(2)];
        self.draft(title.to_owned(), summary, mood)
    }

    /// A scene of a plan that another planner wrote.
    fn plain(mut self) -> SceneDraft {
        self.set_the_scene();
        self.paragraph();
        let intention = clipped(&self.request.plan.scene_intention);
        self.say(as_sentence(&intention));
        self.say_results();
        self.paragraph();
        self.deal(REMARKS, 19, "");
        self.deal(REACTIONS, 13, "");
        self.paragraph();
        for outcome in &self.request.plan.expected_outcomes {
            self.say(as_sentence(&clipped(outcome)));
        }
        self.deal(CLOSINGS, 23, "");
        let mut summary: Vec<String> =
            self.request.plan.expected_outcomes.iter().map(|outcome| clipped(outcome)).collect();
        summary.retain(|bullet| !bullet.is_empty());
        if summary.is_empty() {
            summary.push(if intention.is_empty() {
                format!("{} waited.", self.pov)
            } else {
                intention
            });
        }
        let title = format!("Scene {}", self.tick());
        self.draft(title, summary, "thoughtful")
    }

    /// What the actions gave, in sentences.
    fn say_results(&mut self) {
        let results = self.request.results;
        for ActionOutput { tool, args, output } in results {
            match tool_path(tool).as_str() {
                "memory/search" => {
                    let found = output.get("results");
                    let first = found.and_then(|found| found.get(0));
                    let summary = first.and_then(|first| first.get("summary")?.as_str());
                    if let Some(summary) = summary {
                        let verb = if self.pov.is_empty() {
                            "It was remembered"
                        } else {
                            "{pov} remembered"
                        };
                        let lead = fill(verb, &self.slots(0, ""), 0);
                        self.say(format!("{lead}: {}", as_sentence(&clipped(summary))));
                    }
                }
                "character/generate" => {
                    let (name, role) = (text(args, "name"), text(args, "role"));
                    if let (Some(name), Some(role)) = (name, role)
                        && name != self.pov
                    {
                        self.say(format!(
                            "That was how {name} came into it, {}.",
                            with_article(&role)
                        ));
                        if self.other.is_empty() {
                            self.other = name;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn draft(self, title: String, summary: Vec<String>, mood: &'static str) -> SceneDraft {
        let paragraphs = self.paragraphs.iter().filter(|sentences| !sentences.is_empty());
        let text: Vec<String> = paragraphs.map(|sentences| sentences.join(" ")).collect();
        let people = [self.pov, self.other].into_iter().filter(|name| !name.is_empty());
        SceneDraft {
            title,
            summary,
            text: text.join("\n\n"),
            people: people.collect(),
            place: self.place,
            mood,
        }
    }
}

fn clipped(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(QUOTED_CHARS_MAX) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text,
    }
}

/// With a mark at its end.
fn as_sentence(text: &str) -> String {
    match text.chars().last() {
        None => String::new(),
        Some('.' | '!' | '?' | '…' | '"') => text.to_owned(),
        Some(_) => format!("{text}."),
    }
}

fn with_article(role: &str) -> String {
    let article =
        if role.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {role}")
}

#[cfg(test)]
mod tests {
    use super::{SceneSlots, pools::PAGE_PLACES};

    #[test]
    fn every_place_of_the_page_is_filled() {
        for place in PAGE_PLACES {
            assert!(SceneSlots::default().value(place).is_some(), "{place}");
        }
    }
}
