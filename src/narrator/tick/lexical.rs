//! The tick planner without a model: it takes the weightiest open question and the people and the place that serve it, and
//! writes a plan of two to four actions. Deterministic.

use serde_json::{Value, json};

use super::{
    arcs::{NewPerson, PersonSpec, THREADS},
    expand::{action, action_id},
    names::{full_name, town},
    plan::TickPlan,
    story_view::{TickCharacter, TickLocation, TickLoop, TickStory},
    template::fill_names,
    thread::{ArcPlace, STAGES, SceneThread, THREAD_KEY},
};

/// What the planner is asked for.
#[derive(Debug, Clone, Copy)]
pub struct TickRequest<'a> {
    pub story: &'a TickStory,
    /// The seed of the story: its town, its names and the order of its arcs.
    pub seed: u64,
    /// The character whose point of view the scene has, if the caller has chosen one.
    pub pov: Option<&'a str>,
}

/// Memories that a search returns.
const SEARCH_LIMIT: u64 = 3;

/// Characters of a loop's description that a plan passes on: tools bound their texts.
const QUESTION_CHARS_MAX: usize = 400;

/// Plans the next scene.
pub fn plan_tick(request: TickRequest<'_>) -> TickPlan {
    let TickRequest { story, seed, .. } = request;
    let thread = SceneThread::next(story, seed, town(seed));
    let document = match thread {
        SceneThread::Arc(place) => ArcPlan::new(request, place).document(),
        SceneThread::Loop { id, stage } => {
            let one = story.loops.iter().find(|one| one.id == id);
            loop_plan(request, one.expect("the thread is of an open loop"), stage)
        }
    };
    TickPlan::from_value(document).expect("the planner writes the form of a plan")
}

/// The character whose story it is; another one if that character is dead or unknown.
pub(super) fn point_of_view<'a>(request: TickRequest<'a>) -> Option<&'a TickCharacter> {
    let story = request.story;
    let chosen = request.pov.and_then(|id| story.character(id)).or_else(|| story.active());
    let alive = || story.characters.iter().find(|character| !character.is_dead);
    chosen.filter(|chosen| !chosen.is_dead || request.pov.is_some()).or_else(alive)
}

/// A plan for a place in an arc.
struct ArcPlan<'a> {
    request: TickRequest<'a>,
    place: ArcPlace,
    pov: Option<&'a TickCharacter>,
    /// Name of the point of view, who may be new.
    pov_name: String,
    actions: Vec<Value>,
    /// `pov_character` and `target_location`, if the story has them already.
    pov_id: Option<String>,
    location_id: Option<String>,
}

impl<'a> ArcPlan<'a> {
    fn new(request: TickRequest<'a>, place: ArcPlace) -> ArcPlan<'a> {
        let pov = point_of_view(request);
        let pov_name = match pov {
            Some(pov) => pov.name.clone(),
            None => request.free_name(0),
        };
        let pov_id = pov.map(|pov| pov.id.clone());
        ArcPlan { request, place, pov, pov_name, actions: Vec::new(), pov_id, location_id: None }
    }

    fn document(mut self) -> Value {
        let (seed, story) = (self.request.seed, self.request.story);
        let beat = self.place.beat(seed);
        let weightiest = story.weightiest_loop().map(|one| one.description.clone());
        let pov = self.add_point_of_view();
        self.add_place();
        let person = self.add_person(&pov);
        self.add_loops();
        self.add_recall(&pov, person.as_deref());
        let other = self.place.people.get(self.place.person_idx(seed)).cloned().unwrap_or_default();
        let fill = |text: &str| fill_names(text, &self.pov_name, &other, town(seed));
        let further = fill(beat.bullets[0]);
        let rationale = match weightiest {
            Some(question) => {
                format!(
                    "The question that weighs most is: {question} This scene takes it further: {further}"
                )
            }
            None => format!(
                "No question is open, so a new one begins: {}",
                fill(self.place.arc(seed).question)
            ),
        };
        json!({
            "rationale": rationale,
            "scene_intention": fill(beat.intention),
            "pov_character": self.pov_id,
            "target_location": self.location_id,
            "actions": self.actions,
            "expected_outcomes": beat.bullets.map(fill),
            THREAD_KEY: SceneThread::Arc(self.place).to_value(),
        })
    }

    fn call(&mut self, tool: &str, args: Value, reason: &str) -> String {
        self.actions.push(action(tool, args, reason));
        format!("${}.id", action_id(self.actions.len() - 1))
    }

    /// Returns the id of the point of view, or a reference to it.
    fn add_point_of_view(&mut self) -> String {
        if let Some(pov) = self.pov {
            return pov.id.clone();
        }
        let args = json!({
            "name": self.pov_name,
            "role": "mapmaker",
            "description": fill_names(POV_DESCRIPTION, &self.pov_name, "", town(self.request.seed)),
            "traits": ["curious", "persistent"],
            "goals": ["get to the bottom of things"],
        });
        self.call("character.generate", args, "A story needs somebody to follow")
    }

    fn add_place(&mut self) {
        let seed = self.request.seed;
        let at = self.place.place_idx();
        let new = &self.place.arc(seed).threads[at].place;
        let known = self.request.story.locations.iter().find(|one| one.name == new.name);
        if self.place.places.len() <= at {
            self.place.places.resize(at + 1, String::new());
        }
        new.name.clone_into(&mut self.place.places[at]);
        match known {
            Some(known) => self.location_id = Some(known.id.clone()),
            None => {
                let args = json!({
                    "name": new.name,
                    "description": new.description,
                    "atmosphere": new.atmosphere,
                    "features": new.features,
                });
                self.call("location.generate", args, "The question leads to a new place");
            }
        }
    }

    /// Returns the id of the thread's person, or a reference to it; the first scene of an arc has none.
    fn add_person(&mut self, pov: &str) -> Option<String> {
        let (seed, story) = (self.request.seed, self.request.story);
        let is_first = self.place.thread_idx == 0 && self.place.beat_idx == 0;
        if is_first {
            return None;
        }
        let known = self.place.person(story, seed).filter(|known| !known.is_dead);
        if let Some(known) = known.filter(|known| Some(&known.id) != self.pov_id.as_ref()) {
            return Some(known.id.clone());
        }
        let at = self.place.person_idx(seed);
        let (new, friend) = match &self.place.arc(seed).threads[at].person {
            PersonSpec::Friend(new) => (new, self.friend()),
            PersonSpec::New(new) => (new, None),
            PersonSpec::Same(_) => return None,
        };
        if self.place.people.len() <= at {
            self.place.people.resize(at + 1, String::new());
        }
        if let Some(friend) = friend {
            self.place.people[at].clone_from(&friend.name);
            return Some(friend.id.clone());
        }
        let name = self.request.free_name(1);
        self.place.people[at].clone_from(&name);
        Some(self.meet(pov, &name, new))
    }

    /// Creates a person and the relationship to the point of view.
    fn meet(&mut self, pov: &str, name: &str, new: &NewPerson) -> String {
        let fill = |text: &str| fill_names(text, &self.pov_name, name, town(self.request.seed));
        let args = json!({
            "name": name,
            "role": new.role,
            "description": new.description,
            "traits": new.traits,
            "goals": [new.goal],
        });
        let relationship = json!({
            "relationship_type": new.relationship_type,
            "perspective_a": fill(new.seen),
            "perspective_b": fill(new.sees),
        });
        let id =
            self.call("character.generate", args, "The question needs somebody who knows more");
        let mut args = json!({"character_a": pov, "character_b": id});
        args.as_object_mut()
            .expect("it is an object")
            .extend(relationship.as_object().expect("it is an object").clone());
        self.call("relationship.create", args, "The two meet for the first time");
        id
    }

    /// Somebody alive whom the point of view knows from an earlier arc: the one who was there least lately.
    fn friend(&self) -> Option<&'a TickCharacter> {
        let story = self.request.story;
        let pov = self.pov?;
        let is_taken = |name: &str| self.place.people.iter().any(|taken| taken == name);
        let last_seen = |name: &str| {
            let scene = story.scenes.iter().rev().find(|scene| scene.text.contains(name));
            scene.map_or(0, |scene| scene.tick)
        };
        let friends = story.relationships_of(&pov.id).filter_map(|(_, id)| story.character(id));
        friends
            .filter(|friend| !friend.is_dead && !is_taken(&friend.name))
            .min_by_key(|friend| last_seen(&friend.name))
    }

    /// Opens the questions that the scene raises, and resolves the one that it answers.
    fn add_loops(&mut self) {
        let seed = self.request.seed;
        let arc = self.place.arc(seed);
        let (thread_idx, beat_idx) = (self.place.thread_idx, self.place.beat_idx);
        if thread_idx == 0 && beat_idx == 0 {
            self.open(arc.question, arc.category, "medium");
            self.open(arc.threads[0].question, arc.threads[0].category, "high");
        } else if self.place.is_end() {
            self.resolve(arc.question, arc.end.bullets[0]);
        } else if beat_idx + 1 == arc.threads[thread_idx].beats.len() {
            let thread = &arc.threads[thread_idx];
            self.resolve(thread.question, thread.beats[beat_idx].bullets[0]);
            if let Some(next) = arc.threads.get(thread_idx + 1) {
                self.open(next.question, next.category, "high");
            }
        }
    }

    fn fill(&self, text: &str) -> String {
        let other = self.place.people.get(self.place.person_idx(self.request.seed));
        let other = other.map(String::as_str).unwrap_or_default();
        fill_names(text, &self.pov_name, other, town(self.request.seed))
    }

    fn open(&mut self, question: &str, category: &str, importance: &str) {
        let description = self.fill(question);
        if self.request.story.loops.iter().any(|one| one.description == description) {
            return;
        }
        let args = json!({
            "description": description, "category": category, "importance": importance,
        });
        self.call("plot.open", args, "The scene raises a question");
    }

    fn resolve(&mut self, question: &str, answer: &str) {
        let (question, answer) = (self.fill(question), self.fill(answer));
        let open = self.request.story.loops.iter().find(|one| one.description == question);
        if let Some(open) = open {
            let args = json!({"id": open.id, "resolution": answer});
            self.call("plot.resolve", args, "The scene answers the question");
        }
    }

    /// Changes the relationship where something was settled, and recalls what the scene needs.
    fn add_recall(&mut self, pov: &str, person: Option<&str>) {
        let seed = self.request.seed;
        let thread = self.place.thread(seed);
        let settles = self.place.is_end() || self.place.beat_idx + 1 == thread.beats.len();
        let knows = |id: &&str| self.request.story.relationship(pov, id).is_some();
        if let Some(person) = person.filter(knows).filter(|_| settles && self.actions.len() < 4) {
            let status = if self.place.is_end() { "settled" } else { thread.status };
            let args = json!({
                "character_a": pov, "character_b": person, "status": status,
                "event": self.fill(thread.event),
            });
            self.call("relationship.update", args, "What they went through together changes them");
        }
        if self.actions.len() < 3 {
            let question = match self.place.thread_idx {
                THREADS => self.place.arc(seed).question,
                _ => thread.question,
            };
            let args = json!({
                "query": self.fill(question), "entity_types": ["character"], "limit": SEARCH_LIMIT,
            });
            self.call("memory.search", args, "Need context on the question");
        }
        if self.actions.len() < 2 {
            let args = json!({"character_id": pov});
            self.call("relationship.query", args, "Check current relationship dynamics");
        }
    }
}

/// Of the first point of view in a story.
const POV_DESCRIPTION: &str =
    "Draws the maps of {town} and is asked to find out everything else as well.";

impl TickRequest<'_> {
    /// A name that nobody in the story has, from the `nth` free one on.
    fn free_name(&self, nth: u64) -> String {
        let taken = |name: &str| {
            self.story.characters.iter().any(|one| one.name.to_lowercase() == name.to_lowercase())
        };
        let nth = nth.max(self.story.characters.len() as u64);
        let mut names = (nth..).map(|nth| full_name(self.seed, nth));
        names.find(|name| !taken(name)).expect("the names do not end")
    }
}

/// A plan for a question that no arc has opened.
fn loop_plan(request: TickRequest<'_>, one: &TickLoop, stage: usize) -> Value {
    let story = request.story;
    let mut actions = Vec::new();
    let pov = point_of_view(request);
    let question: String = one.description.chars().take(QUESTION_CHARS_MAX).collect();
    let search = json!({"query": question, "entity_types": ["character", "location"], "limit": SEARCH_LIMIT});
    actions.push(action("memory.search", search, "Recall what is known about the question"));
    let pov_name = pov.map_or_else(|| request.free_name(0), |pov| pov.name.clone());
    let pov_id = match pov {
        Some(pov) => pov.id.clone(),
        None => {
            let args = json!({
                "name": pov_name,
                "role": "mapmaker",
                "description": fill_names(POV_DESCRIPTION, &pov_name, "", town(request.seed)),
                "traits": ["curious"],
                "goals": [question],
            });
            actions.push(action(
                "character.generate",
                args,
                "Somebody has to take the question up",
            ));
            format!("${}.id", action_id(actions.len() - 1))
        }
    };
    let other = pov.and_then(|pov| companion(story, pov, stage));
    let place = scene_place(story, pov, stage);
    if place.is_none() {
        let args = json!({
            "name": "The Map Room",
            "description": "A room under a roof, with a long table and a north light.",
            "atmosphere": "quiet and bright",
            "features": ["a long table", "a globe without a stand"],
        });
        actions.push(action("location.generate", args, "The scene needs a place"));
    }
    match other.filter(|other| story.relationship(&pov_id, &other.id).is_some()) {
        Some(other) if stage > 0 => {
            let status = if stage + 1 == STAGES { "closer" } else { "strained" };
            let event = format!("They worked on the question together: {question}");
            let args = json!({
                "character_a": pov_id, "character_b": other.id, "status": status, "event": event,
            });
            actions.push(action("relationship.update", args, "The question is hard on them"));
        }
        _ => {
            let args = json!({"character_id": pov_id});
            actions.push(action("relationship.query", args, "Find out who could help"));
        }
    }
    if stage + 1 == STAGES {
        let resolution = format!("{pov_name} settled it.");
        let args = json!({"id": one.id, "resolution": resolution});
        actions.push(action("plot.resolve", args, "It has been open long enough"));
    }
    let deed = ["takes the question up", "meets with difficulties", "finds the answer"][stage];
    json!({
        "rationale": format!("The question that weighs most is: {}", one.description),
        "scene_intention": format!("{pov_name} {deed}: {}", one.description),
        "pov_character": pov.map(|pov| &pov.id),
        "target_location": place.map(|place| &place.id),
        "actions": actions,
        "expected_outcomes": [format!("{pov_name} {deed}")],
        THREAD_KEY: SceneThread::Loop { id: one.id.clone(), stage }.to_value(),
    })
}

/// Somebody alive for the point of view to talk to: of those with a relationship first.
pub(super) fn companion<'a>(
    story: &'a TickStory,
    pov: &TickCharacter,
    stage: usize,
) -> Option<&'a TickCharacter> {
    let is_other = |one: &&TickCharacter| one.id != pov.id && !one.is_dead;
    let known: Vec<&TickCharacter> = story
        .characters
        .iter()
        .filter(|one| is_other(one) && story.relationship(&pov.id, &one.id).is_some())
        .collect();
    match known.is_empty() {
        false => known.get(stage % known.len()).copied(),
        true => story.characters.iter().find(is_other),
    }
}

/// The place of such a scene: where the point of view is, or another place of the story.
pub(super) fn scene_place<'a>(
    story: &'a TickStory,
    pov: Option<&TickCharacter>,
    stage: usize,
) -> Option<&'a TickLocation> {
    let here = pov.and_then(|pov| story.location(pov.location.as_deref()?));
    let count = story.locations.len();
    match (stage, here) {
        (0, Some(here)) => Some(here),
        _ if count == 0 => None,
        _ => {
            story.locations.get((stage + usize::try_from(story.current_tick).unwrap_or(0)) % count)
        }
    }
}
