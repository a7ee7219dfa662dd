//! The scene of a tick without a model: its text, its title and its summary, from the plan and from what the actions gave.
//! A scene has a moment, and takes no sentence that says another time of day or other weather. No sentence of the last ten
//! scenes returns, and no long one of those whose text the planner reads. Deterministic.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    arcs::BEATS,
    cast::{CastNames, companion, pronouns_in_world},
    chapters::{CHAPTER_TITLES, Chapter, PARTS, STEPS, SUMMARIES},
    expand::tool_path,
    moment::{SceneMoment, Signs},
    names::town,
    plan::{TickAction, TickPlan},
    quiet::{
        QUIET_CLOSINGS, QUIET_COMPANY, QUIET_DEEDS, QUIET_OPENINGS, QUIET_QUESTIONS, QUIET_REMARKS,
        QUIET_SEARCHES, QUIET_SPEECH, QUIET_THINGS, QUIET_THOUGHTS, QUIET_TITLES,
    },
    story_view::{TickCharacter, TickLocation, TickStory},
    template::{SceneSlots, deal, fill, fill_whole},
    thread::{ANSWER_KEY, ArcPlace, SceneThread, THREAD_KEY, is_invented},
};
use narratoria_protocol::Object;
use pools::{
    ASKED, CLOSINGS, FIRST_PLACES, HARDER, LATER_OPENINGS, LATER_PLACES, OPENINGS, PLACES,
    REACTIONS, REMARKS, SEARCHED, SETTLED, TAKEN_UP, TOLD,
};

/// The sentences of `text/scenes.md`, which any scene can have. Each pool is a constant with the name of its heading.
// A pool that no code asks for is a mistake of the page; the compiler shows its line.
#[deny(dead_code)]
mod pools {
    include!(concat!(env!("OUT_DIR"), "/scenes.rs"));
}

/// Scenes in which no sentence returns.
pub const SCENES_WITHOUT_REPETITION: usize = 10;

/// A sentence of so many words returns in none of the scenes that the planner reads.
pub const LONG_SENTENCE_WORDS: usize = 12;

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
    /// When it begins, and in what weather.
    pub moment: SceneMoment,
}

/// Writes the scene.
pub fn write_scene(request: SceneRequest<'_>) -> SceneDraft {
    let thread = request.plan.document.get(THREAD_KEY).and_then(Value::as_object);
    let names = |cast: &CastNames, nth: u64| CastNames {
        other: match cast.pov.is_empty() {
            true => request.companion(nth).map(|one| one.name.clone()).unwrap_or_default(),
            false => cast.other.clone(),
        },
        ..cast.clone()
    };
    let wording = |cast: CastNames| SceneWording::new(request, cast);
    match thread.and_then(SceneThread::from_object) {
        Some(SceneThread::Arc(place)) => {
            let other = place_person(&place, request.seed);
            wording(CastNames { other, ..CastNames::default() }).arc(&place)
        }
        Some(SceneThread::Loop { id, stage, cast }) => {
            let answer = thread.and_then(|thread| text(thread, ANSWER_KEY)).unwrap_or_default();
            wording(names(&cast, stage as u64)).question(&id, stage, &answer)
        }
        Some(SceneThread::Chapter(chapter)) => wording(chapter.cast.clone()).chapter(&chapter),
        Some(SceneThread::Quiet(cast)) => wording(cast).quiet(),
        None => wording(names(&CastNames::default(), 0)).plain(),
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

    /// The point of view: of the plan, or of the story.
    fn pov(&self) -> Option<&'a TickCharacter> {
        let named = self.plan.pov_character.as_deref().and_then(|id| self.story.character(id));
        named.or_else(|| self.story.active())
    }

    /// Name of the point of view: of the plan, of its thread, of the story, the first character that the plan creates, or the
    /// player of the world.
    fn pov_name(&self, of_thread: &str) -> String {
        let of_plan = self.plan.pov_character.as_deref().and_then(|id| self.story.character(id));
        let named = of_plan.map(|one| one.name.as_str()).or(Some(of_thread));
        let named = named.filter(|name| !name.is_empty());
        if let Some(name) = named.or_else(|| Some(self.story.active()?.name.as_str())) {
            return name.to_owned();
        }
        let player = || Some(self.story.world.as_ref()?.player.clone());
        let mut created = self.created("character/generate");
        created.find_map(|action| text(&action.args, "name")).or_else(player).unwrap_or_default()
    }

    fn companion(&self, nth: u64) -> Option<&'a TickCharacter> {
        companion(self.story, self.pov()?, nth)
    }

    fn location(&self) -> Option<&'a TickLocation> {
        self.story.location(self.plan.target_location.as_deref()?)
    }

    /// The sentences that may not return: all of the last scenes, and the long ones of those before.
    fn said_sentences(&self) -> BTreeSet<&'a str> {
        let scenes = self.story.scenes.iter().rev().enumerate();
        let kept = scenes.flat_map(|(age, scene)| {
            let is_recent = age < SCENES_WITHOUT_REPETITION;
            sentences(&scene.text).into_iter().filter(move |one| is_recent || is_long(one))
        });
        kept.collect()
    }

    /// True if an earlier scene was at that place.
    fn was_at(&self, place: &str) -> bool {
        self.story.scenes.iter().any(|scene| scene.place == place)
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

fn is_long(sentence: &str) -> bool {
    sentence.split_whitespace().count() >= LONG_SENTENCE_WORDS
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
    doing: String,
    town: &'static str,
    thing: &'static str,
    moment: SceneMoment,
    said: BTreeSet<&'a str>,
    paragraphs: Vec<Vec<String>>,
}

impl<'a> SceneWording<'a> {
    fn new(request: SceneRequest<'a>, cast: CastNames) -> SceneWording<'a> {
        let story = request.story;
        let place = scene_place(request, &cast.place);
        let pov = request.pov_name(&cast.pov);
        let other = if cast.other == pov { String::new() } else { cast.other };
        let world = story.world.as_ref();
        let doing = world.and_then(|world| Some(world.person(&other)?.doing.clone()));
        let moment = match world {
            Some(world) => SceneMoment::of_world(&world.time),
            None => SceneMoment::of_tick(request.seed, story.current_tick, []),
        };
        SceneWording {
            pov,
            other,
            place: place.name,
            atmosphere: place.atmosphere,
            features: place.features,
            doing: doing.unwrap_or_default(),
            town: if is_invented(story) { town(request.seed, 0) } else { "" },
            thing: "",
            moment,
            said: request.said_sentences(),
            paragraphs: vec![Vec::new()],
            request,
        }
    }

    fn slots<'s>(&'s self, nth: u64, question: &'s str) -> SceneSlots<'s> {
        let features = self.features.len() as u64;
        let feature = nth.checked_rem(features).and_then(|at| usize::try_from(at).ok());
        let story = self.request.story;
        SceneSlots {
            pov: &self.pov,
            other: &self.other,
            pov_pronouns: pronouns_in_world(story, &self.pov),
            other_pronouns: pronouns_in_world(story, &self.other),
            town: self.town,
            place: &self.place,
            feature: feature.map(|at| self.features[at].as_str()).unwrap_or_default(),
            atmosphere: &self.atmosphere,
            question,
            doing: &self.doing,
            thing: self.thing,
            says: "",
            rest: "",
        }
    }

    fn tick(&self) -> u64 {
        self.request.story.current_tick + 1
    }

    /// Adds a sentence, unless it was said lately. Returns whether it is new.
    fn say(&mut self, sentence: String) -> bool {
        let sentence = self.with_given_names(&sentence);
        let is_new = |one: &str| {
            !self.said.contains(one) && !self.paragraphs.iter().flatten().any(|said| said == one)
        };
        if sentence.trim().is_empty() || !sentences(&sentence).iter().all(|one| is_new(one)) {
            return false;
        }
        self.paragraphs.last_mut().expect("there is a paragraph").push(sentence);
        true
    }

    /// A scene has each full name once, and the given name from then on, as long as it is clear who is meant.
    fn with_given_names(&self, sentence: &str) -> String {
        let world = self.request.story.world.as_ref();
        // "Old Tam" has no given name; a world says how its people are called.
        let given = |name: &str| match world.and_then(|world| world.person(name)) {
            Some(person) => person.short.clone(),
            None => name.split_whitespace().next().unwrap_or_default().to_owned(),
        };
        let mut sentence = sentence.to_owned();
        for (name, another) in [(&self.pov, &self.other), (&self.other, &self.pov)] {
            let short = given(name);
            if !name.contains(' ') || short.is_empty() || short == given(another) {
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

    /// Deals a sentence from a pool; the next one if it was said lately, does not fit the moment, or has a place for which
    /// the scene has nothing. Returns whether there was one.
    fn deal(&mut self, pool: &[&str], salt: u64, question: &str) -> bool {
        let nth = self.tick();
        (0..pool.len() as u64).any(|further| {
            let template = pool[deal(pool.len(), self.request.seed >> salt, nth + further)];
            let sentence = fill_whole(template, &self.slots(nth / 3, question), nth / 5 + further);
            let fits = |sentence: &String| Signs::of(sentence).fit(self.moment);
            sentence.filter(fits).is_some_and(|sentence| self.say(sentence))
        })
    }

    /// Deals from the first pool that has something.
    fn deal_one_of(&mut self, pools: &[&[&str]], salt: u64) {
        for pool in pools {
            if self.deal(pool, salt, "") {
                return;
            }
        }
    }

    /// The first sentences: how the scene begins, and what the place is like, on a first or a later visit.
    fn set_the_scene(&mut self) {
        let is_later = self.request.was_at(&self.place);
        // Now and then a scene says that it is not the first one at its place.
        let again = is_later && self.tick().is_multiple_of(3);
        let openings: [&[&str]; 2] =
            if again { [LATER_OPENINGS, OPENINGS] } else { [OPENINGS, LATER_OPENINGS] };
        self.deal_one_of(if is_later { &openings[..] } else { &openings[..1] }, 5);
        let of_visit = if is_later { LATER_PLACES } else { FIRST_PLACES };
        let places: [&[&str]; 2] = match self.tick().is_multiple_of(2) {
            true => [of_visit, PLACES],
            false => [PLACES, of_visit],
        };
        self.deal_one_of(&places, 9);
    }

    /// The same of a story that has people and places of its own.
    fn set_the_quiet_scene(&mut self) {
        self.deal(QUIET_OPENINGS, 5, "");
        self.deal(QUIET_THINGS, 9, "");
        self.deal(QUIET_COMPANY, 11, "");
    }

    fn say_all(&mut self, templates: &[&str]) {
        for template in templates {
            let sentence = fill(template, &self.slots(0, ""), self.tick());
            self.say(sentence);
        }
    }

    fn arc(mut self, place: &ArcPlace) -> SceneDraft {
        let beat = place.beat(self.request.seed);
        let texts = beat.body.iter().chain(beat.talk).chain([&beat.hook]).copied();
        let tick = self.request.story.current_tick;
        self.moment = SceneMoment::of_tick(self.request.seed, tick, texts);
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

    /// A scene of a question that no arc has opened. `answer` is empty until the last one.
    fn question(mut self, id: &str, stage: usize, answer: &str) -> SceneDraft {
        let one = self.request.story.loops.iter().find(|one| one.id == id);
        let question = one.map(|one| clipped(&one.description)).unwrap_or_default();
        let is_own = self.town.is_empty();
        match is_own {
            true => self.set_the_quiet_scene(),
            false => self.set_the_scene(),
        }
        self.paragraph();
        let pools: [&[&str]; 3] = match is_own {
            true => [QUIET_QUESTIONS, QUIET_SEARCHES, SETTLED],
            false => [TAKEN_UP, HARDER, SETTLED],
        };
        if !self.deal(pools[stage.min(2)], 17, &question) && stage == 0 {
            self.say(as_sentence(&question));
        }
        self.say(as_sentence(answer));
        if answer.is_empty() {
            self.say_results();
            self.paragraph();
            self.remark(is_own);
            self.paragraph();
            self.deal(if is_own { QUIET_CLOSINGS } else { CLOSINGS }, 23, "");
        } else {
            self.paragraph();
            self.deal(SETTLED, 18, "");
        }
        let pov = &self.pov;
        let summary = match stage {
            0 => format!("{pov} took up the question: {question}"),
            1 => format!("{pov} met with difficulties in the question: {question}"),
            _ => format!("{question} {answer}"),
        };
        let title = match stage {
            0 => "A Question Taken Up",
            1 => "A Harder Road",
            _ => "What Was Owed",
        };
        let mood = ["uneasy", "determined", "relieved"][stage.min(2)];
        self.draft(title.to_owned(), vec![summary], mood)
    }

    /// What somebody else says, and how the point of view takes it.
    fn remark(&mut self, is_own: bool) {
        if !is_own {
            self.deal(REMARKS, 19, "");
            self.deal(REACTIONS, 13, "");
            return;
        }
        let world = self.request.story.world.as_ref();
        match world.and_then(|world| world.person(&self.other)) {
            // A goose that an author has named says what the author has it say.
            Some(person) if !person.says.is_empty() => self.speak(&person.says),
            Some(person) if person.pronoun == "it" => {}
            _ => _ = self.deal(QUIET_REMARKS, 19, ""),
        }
        self.deal(QUIET_THOUGHTS, 13, "");
    }

    /// The other person says one of these, which was not said lately.
    fn speak(&mut self, lines: &[String]) {
        let nth = self.tick();
        for further in 0..lines.len() as u64 {
            let says = &lines[deal(lines.len(), self.request.seed, nth + further)];
            let template = QUIET_SPEECH[deal(QUIET_SPEECH.len(), self.request.seed >> 19, nth)];
            let sentence = fill_whole(template, &SceneSlots { says, ..self.slots(0, "") }, nth);
            let fits = |sentence: &String| Signs::of(sentence).fit(self.moment);
            if sentence.filter(fits).is_some_and(|sentence| self.say(sentence)) {
                return;
            }
        }
    }

    /// A scene of a chapter after the last arc.
    fn chapter(mut self, chapter: &Chapter) -> SceneDraft {
        let seed = self.request.seed;
        self.town = town(seed, chapter.part());
        self.thing = chapter.thing(seed);
        if chapter.step == 0 {
            self.other.clear();
        }
        if chapter.begins_part() {
            self.deal(PARTS, 3, "");
            self.paragraph();
        }
        self.set_the_scene();
        self.paragraph();
        let answer = fill(chapter.matter(seed).1, &self.slots(0, ""), 0);
        let pool = match chapter.step {
            0 => TAKEN_UP,
            1 => ASKED,
            2 => SEARCHED,
            _ => TOLD,
        };
        let is_answered = chapter.step + 1 == STEPS;
        if is_answered {
            self.say(answer.clone());
        }
        self.deal(pool, 17, &chapter.question);
        if chapter.step > 0 {
            self.deal(pool, 18, &chapter.question);
        }
        if chapter.step == 2 {
            self.deal(HARDER, 21, "");
        }
        self.paragraph();
        if is_answered {
            self.deal(pool, 19, "");
        } else {
            self.remark(false);
            self.paragraph();
            self.deal(CLOSINGS, 23, "");
        }
        let summary = SUMMARIES.get(chapter.step);
        let summary = summary.map(|text| fill(text, &self.slots(0, &chapter.question), 0));
        let nth = chapter.nth * STEPS as u64 + chapter.step as u64;
        let title = CHAPTER_TITLES[deal(CHAPTER_TITLES.len(), seed, nth)];
        let mood = ["curious", "hopeful", "determined", "relieved"][chapter.step.min(3)];
        self.draft(title.to_owned(), vec![summary.unwrap_or(answer)], mood)
    }

    /// A scene of people and places of the story, in which nothing is opened and nothing is answered.
    fn quiet(mut self) -> SceneDraft {
        self.set_the_quiet_scene();
        self.paragraph();
        self.deal(QUIET_DEEDS, 17, "");
        let threads = self.request.story.world.as_ref().map(|world| world.threads.as_slice());
        let threads = threads.unwrap_or_default();
        let at = self.tick().checked_rem(threads.len() as u64);
        if let Some(thread) = at.and_then(|at| threads.get(usize::try_from(at).ok()?)) {
            self.deal(QUIET_QUESTIONS, 21, &as_sentence(&clipped(thread)));
        }
        self.paragraph();
        self.remark(true);
        self.paragraph();
        self.deal(QUIET_CLOSINGS, 23, "");
        let summary = self.request.plan.expected_outcomes.first().cloned().unwrap_or_default();
        let title = QUIET_TITLES[deal(QUIET_TITLES.len(), self.request.seed, self.tick())];
        self.draft(title.to_owned(), vec![summary], "calm")
    }

    /// A scene of a plan that another planner wrote.
    fn plain(mut self) -> SceneDraft {
        let is_own = self.town.is_empty();
        match is_own {
            true => self.set_the_quiet_scene(),
            false => self.set_the_scene(),
        }
        self.paragraph();
        let intention = clipped(&self.request.plan.scene_intention);
        self.say(as_sentence(&intention));
        self.say_results();
        self.paragraph();
        self.remark(is_own);
        self.paragraph();
        for outcome in &self.request.plan.expected_outcomes {
            self.say(as_sentence(&clipped(outcome)));
        }
        self.deal(if is_own { QUIET_CLOSINGS } else { CLOSINGS }, 23, "");
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
            moment: self.moment,
        }
    }
}

/// The place of the scene: of the thread, of the plan, the one that the plan creates, or where the point of view is.
fn scene_place(request: SceneRequest<'_>, of_thread: &str) -> TickLocation {
    let story = request.story;
    let of_world = || {
        let place = story.world.as_ref()?.place(of_thread)?;
        Some(TickLocation {
            name: place.name.clone(),
            features: place.features.clone(),
            ..TickLocation::default()
        })
    };
    let named = || story.locations.iter().find(|one| one.name == of_thread).cloned();
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
        story.location(id).cloned()
    };
    let of_player = || {
        let world = story.world.as_ref()?;
        let place = world.place(&world.person(&world.player)?.place)?;
        Some(TickLocation {
            name: place.name.clone(),
            features: place.features.clone(),
            ..TickLocation::default()
        })
    };
    let known = of_world().or_else(|| request.location().cloned()).or_else(named);
    known.or_else(created).or_else(here).or_else(of_player).unwrap_or_default()
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
