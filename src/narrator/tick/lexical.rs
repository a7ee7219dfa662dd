//! The tick planner without a model: it takes the weightiest open question and the people and the place that serve it, and
//! writes a plan of two to four actions. Deterministic.

use serde_json::{Value, json};

use super::{
    arcs::{NewPerson, PersonSpec, THREADS},
    cast::point_of_view,
    everyday::{chapter_plan, loop_plan, quiet_plan},
    expand::{SEARCH_LIMIT, action, action_id},
    names::town,
    plan::TickPlan,
    request::TickRequest,
    story_view::TickCharacter,
    template::fill_names,
    thread::{ArcPlace, SceneThread, THREAD_KEY},
};

/// Plans the next scene.
pub fn plan_tick(request: TickRequest<'_>) -> TickPlan {
    let TickRequest { story, seed, .. } = request;
    let thread = SceneThread::next(story, seed, town(seed, 0));
    let document = match thread {
        SceneThread::Arc(place) => ArcPlan::new(request, place).document(),
        SceneThread::Loop { id, stage, .. } => {
            let one = story.loops.iter().find(|one| one.id == id);
            loop_plan(request, one.expect("the thread is of an open loop"), stage)
        }
        SceneThread::Chapter(chapter) => chapter_plan(request, chapter),
        SceneThread::Quiet(_) => quiet_plan(request),
    };
    TickPlan::from_value(document).expect("the planner writes the form of a plan")
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
        let pov = point_of_view(request.story, request.pov);
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
        let fill = |text: &str| fill_names(text, &self.pov_name, &other, town(seed, 0));
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
            "description": fill_names(POV_DESCRIPTION, &self.pov_name, "", town(self.request.seed, 0)),
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
            PersonSpec::Friend(new) => (new, self.friend(new.role)),
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
        let fill = |text: &str| fill_names(text, &self.pov_name, name, town(self.request.seed, 0));
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

    /// Somebody alive of that role whom the point of view knows from an earlier arc: the one who was there least lately.
    fn friend(&self, role: &str) -> Option<&'a TickCharacter> {
        let story = self.request.story;
        let pov = self.pov?;
        let is_taken = |name: &str| self.place.people.iter().any(|taken| taken == name);
        let last_seen = |name: &str| {
            let scene = story.scenes.iter().rev().find(|scene| scene.text.contains(name));
            scene.map_or(0, |scene| scene.tick)
        };
        let friends = story.relationships_of(&pov.id).filter_map(|(_, id)| story.character(id));
        friends
            .filter(|friend| !friend.is_dead && friend.role == role && !is_taken(&friend.name))
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
        fill_names(text, &self.pov_name, other, town(self.request.seed, 0))
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
