//! The plans of scenes that follow no arc: of an open loop, of a chapter after the last arc, and of a quiet scene.

use serde_json::{Value, json};

use super::{
    answers::answer,
    cast::{Cast, CastMember, CastNames, CastPlace, pronouns_in_world},
    chapters::{Chapter, INTENTIONS, STEPS, SUMMARIES},
    expand::{SEARCH_LIMIT, action, action_id},
    names::town,
    plan::TICK_ACTIONS_ADVISED,
    quiet::{QUIET_INTENTIONS, QUIET_SUMMARIES},
    request::TickRequest,
    story_view::{TickCharacter, TickLoop},
    template::{SceneSlots, fill, fill_whole},
    thread::{ANSWER_KEY, STAGES, SceneThread, THREAD_KEY},
};

/// Characters of a loop's description that a plan passes on: tools bound their texts.
const QUESTION_CHARS_MAX: usize = 400;

/// Most features of a place that a plan passes on.
const FEATURES_MAX: usize = 8;

/// The actions of a plan so far.
#[derive(Default)]
struct Actions(Vec<Value>);

impl Actions {
    /// Adds an action. Returns a reference to the id that it gives.
    fn call(&mut self, tool: &str, args: Value, reason: &str) -> String {
        self.0.push(action(tool, args, reason));
        format!("${}.id", action_id(self.0.len() - 1))
    }

    /// Brings a person into the tables of the story who is part of it already. Returns the id, or a reference to it.
    fn introduce(&mut self, member: &CastMember, role: &str) -> String {
        if let Some(id) = &member.id {
            return id.clone();
        }
        let args = json!({"name": member.name, "role": role, "description": member.description});
        self.call("character.generate", args, "The scene is about somebody of the story")
    }

    fn introduce_place(&mut self, place: &CastPlace) {
        if place.id.is_none() {
            let features: Vec<&String> = place.features.iter().take(FEATURES_MAX).collect();
            let args = json!({
                "name": place.name, "description": place.description, "features": features,
            });
            self.call("location.generate", args, "The scene is at a place of the story");
        }
    }

    /// Recalls what the scene needs, as far as a plan has room for it.
    fn recall(&mut self, pov: &str, query: &str) {
        if self.0.len() < TICK_ACTIONS_ADVISED - 1 {
            let query: String = query.chars().take(QUESTION_CHARS_MAX).collect();
            let args = json!({
                "query": query, "entity_types": ["character", "location"], "limit": SEARCH_LIMIT,
            });
            self.call("memory.search", args, "Recall what is known about it");
        }
        if self.0.len() < 2 {
            let args = json!({"character_id": pov});
            self.call("relationship.query", args, "Check current relationship dynamics");
        }
    }
}

/// Of the first point of view in a story with nobody in it.
const POV_ROLE: &str = "mapmaker";

/// The role of people whom the story has already.
const ROLE_OF_PLAYER: &str = "protagonist";
const ROLE_OF_OTHERS: &str = "";

/// A place for a question in a story without any.
fn map_room() -> CastPlace {
    CastPlace {
        name: "The Map Room".to_owned(),
        id: None,
        description: "A room under a roof, with a long table and a north light.".to_owned(),
        features: vec!["a long table".to_owned(), "a globe without a stand".to_owned()],
    }
}

/// A plan for a question that no arc has opened.
pub(super) fn loop_plan(request: TickRequest<'_>, one: &TickLoop, stage: usize) -> Value {
    let story = request.story;
    let nth = stage as u64;
    let mut cast = Cast::of(story, request.pov, nth);
    let pov = cast
        .pov
        .get_or_insert_with(|| CastMember { name: request.free_name(0), ..CastMember::default() });
    let (pov, pov_id) = (pov.clone(), pov.id.clone());
    let place = cast.place.get_or_insert_with(map_room).clone();
    let names = cast.names();
    let mut actions = Actions::default();
    let is_new = pov.id.is_none() && story.world.is_none();
    let pov_ref = actions.introduce(&pov, if is_new { POV_ROLE } else { ROLE_OF_PLAYER });
    actions.introduce_place(&place);
    let slots = slots(request, &names, cast.place.as_ref());
    let answered = (stage + 1 == STAGES)
        .then(|| answer(&one.description, &slots, request.seed, story.current_tick));
    if let Some(resolution) = &answered {
        let args = json!({"id": one.id, "resolution": resolution});
        actions.call("plot.resolve", args, "The scene answers the question");
    }
    let other = cast.other.as_ref().and_then(|other| other.id.as_deref());
    let other = other.filter(|other| story.relationship(&pov_ref, other).is_some());
    if let Some(other) = other.filter(|_| stage > 0 && actions.0.len() < TICK_ACTIONS_ADVISED) {
        let status = if stage + 1 == STAGES { "closer" } else { "strained" };
        let question: String = one.description.chars().take(QUESTION_CHARS_MAX).collect();
        let event = format!("They worked on the question together: {question}");
        let args = json!({
            "character_a": pov_ref, "character_b": other, "status": status, "event": event,
        });
        actions.call("relationship.update", args, "The question is hard on them");
    }
    actions.recall(&pov_ref, &one.description);
    let deed = ["takes the question up", "meets with difficulties", "finds the answer"][stage];
    let outcome = answered.clone().unwrap_or_else(|| format!("{} {deed}", pov.name));
    let mut thread = SceneThread::Loop { id: one.id.clone(), stage, cast: names }.to_value();
    if let Some(answered) = answered {
        thread[ANSWER_KEY] = answered.into();
    }
    json!({
        "rationale": format!("The question that weighs most is: {}", one.description),
        "scene_intention": format!("{} {deed}: {}", pov.name, one.description),
        "pov_character": pov_id,
        "target_location": place.id,
        "actions": actions.0,
        "expected_outcomes": [outcome],
        THREAD_KEY: thread,
    })
}

/// A plan for a scene in which nothing is opened and nothing is answered.
pub(super) fn quiet_plan(request: TickRequest<'_>) -> Value {
    let story = request.story;
    let cast = Cast::of(story, request.pov, story.current_tick);
    let names = cast.names();
    let slots = slots(request, &names, cast.place.as_ref());
    let first = |pool: &[&str]| pool.iter().find_map(|text| fill_whole(text, &slots, 0));
    let intention = first(QUIET_INTENTIONS).unwrap_or_default();
    let summary = first(QUIET_SUMMARIES).unwrap_or_default();
    let mut actions = Actions::default();
    let player = story.world.as_ref().map(|world| world.player.as_str());
    let role = |member: &CastMember| match player == Some(&member.name) {
        true => ROLE_OF_PLAYER,
        false => ROLE_OF_OTHERS,
    };
    let pov = cast.pov.as_ref().map(|pov| actions.introduce(pov, role(pov)));
    if let Some(place) = &cast.place {
        actions.introduce_place(place);
    }
    if let Some(other) = &cast.other {
        actions.introduce(other, role(other));
    }
    if let Some(pov) = &pov {
        let about = if names.place.is_empty() { &names.pov } else { &names.place };
        actions.recall(pov, about);
    }
    json!({
        "rationale": "No question is open that a tick may answer, so the people of the story have a quiet scene",
        "scene_intention": intention,
        "pov_character": cast.pov.and_then(|pov| pov.id),
        "target_location": cast.place.and_then(|place| place.id),
        "actions": actions.0,
        "expected_outcomes": [summary],
        THREAD_KEY: SceneThread::Quiet(names).to_value(),
    })
}

/// A plan for a scene of a chapter.
// Long because it is the list of the four steps of a chapter.
pub(super) fn chapter_plan(request: TickRequest<'_>, mut chapter: Chapter) -> Value {
    let TickRequest { story, seed, pov } = request;
    let mut actions = Actions::default();
    if let Some(chosen) = pov.and_then(|id| story.character(id)) {
        chapter.cast.pov.clone_from(&chosen.name);
    }
    if chapter.step == 0 {
        name_chapter(request, &mut chapter);
    }
    let names = chapter.cast.clone();
    let slots = SceneSlots {
        town: town(seed, chapter.part()),
        thing: chapter.thing(seed),
        ..slots(request, &names, None)
    };
    let known = |name: &str| story.characters.iter().find(|one| one.name == name);
    let pov_id = known(&names.pov).map(|one| one.id.clone());
    let pov = pov_id.clone().unwrap_or_else(|| {
        let role = chapter.pov_role(seed);
        let args =
            json!({"name": names.pov, "role": role, "description": "", "goals": ["understand"]});
        actions.call("character.generate", args, "New people need somebody to follow")
    });
    let place = story.locations.iter().find(|one| one.name == names.place);
    if place.is_none() {
        let args = json!({
            "name": names.place,
            "description": chapter.place_description(seed),
            "atmosphere": chapter.atmosphere(seed),
            "features": chapter.features(seed),
        });
        actions.call("location.generate", args, "The matter leads to a new place");
    }
    let (question, answer) = chapter.matter(seed);
    let answered = fill(answer, &slots, 0);
    if chapter.step == 0 {
        chapter.question = fill(question, &slots, 0);
        let args = json!({
            "description": chapter.question, "category": "mystery", "importance": "medium",
        });
        actions.call("plot.open", args, "The scene raises a question");
    } else {
        meet(&mut actions, request, &chapter, (&pov, known(&names.other)), &slots);
    }
    let open = story.loops.iter().find(|one| one.description == chapter.question);
    if let Some(open) = open.filter(|_| chapter.step + 1 == STEPS) {
        let args = json!({"id": open.id, "resolution": answered});
        actions.call("plot.resolve", args, "The scene answers the question");
    }
    actions.recall(&pov, &chapter.question);
    let asked = chapter.question.clone();
    let slots = SceneSlots { question: &asked, ..slots };
    let summary = SUMMARIES.get(chapter.step).map(|text| fill(text, &slots, 0));
    let rationale = match chapter.begins_all() {
        true => {
            "The arcs of this story are told; it goes on with new people in another town".to_owned()
        }
        false => format!("The question is: {asked}"),
    };
    let intention = fill(INTENTIONS[chapter.step], &slots, 0);
    json!({
        "rationale": rationale,
        "scene_intention": intention,
        "pov_character": pov_id,
        "target_location": place.map(|place| &place.id),
        "actions": actions.0,
        "expected_outcomes": [summary.unwrap_or(answered)],
        THREAD_KEY: SceneThread::Chapter(chapter).to_value(),
    })
}

/// Gives a new chapter its people and its place.
fn name_chapter(request: TickRequest<'_>, chapter: &mut Chapter) {
    let story = request.story;
    if chapter.cast.pov.is_empty() {
        chapter.cast.pov = request.free_name(1);
    }
    let mut nth = 2;
    chapter.cast.other = request.free_name(nth);
    while chapter.cast.other == chapter.cast.pov {
        nth += 1;
        chapter.cast.other = request.free_name(story.characters.len() as u64 + nth);
    }
    let is_taken =
        |name: &str| story.locations.iter().any(|one| one.name.eq_ignore_ascii_case(name));
    chapter.cast.place = chapter.place_name(request.seed, is_taken);
}

/// The two meet, unless they have met.
fn meet(
    actions: &mut Actions,
    request: TickRequest<'_>,
    chapter: &Chapter,
    (pov, known): (&str, Option<&TickCharacter>),
    slots: &SceneSlots<'_>,
) {
    let person = chapter.person(request.seed);
    let other = match known {
        Some(known) => known.id.clone(),
        None => {
            let args = json!({
                "name": chapter.cast.other, "role": person.role, "description": person.description,
                "traits": person.traits, "goals": [person.goal],
            });
            actions.call("character.generate", args, "The question needs somebody who knows more")
        }
    };
    if request.story.relationship(pov, &other).is_none() {
        let args = json!({
            "character_a": pov, "character_b": other, "relationship_type": "acquaintance",
            "perspective_a": fill(person.seen, slots, 0),
            "perspective_b": fill(person.sees, slots, 0),
        });
        actions.call("relationship.create", args, "The two meet for the first time");
    }
}

/// What the texts of a plan are filled with.
fn slots<'s>(
    request: TickRequest<'s>,
    names: &'s CastNames,
    place: Option<&'s CastPlace>,
) -> SceneSlots<'s> {
    let features = place.map(|place| place.features.as_slice()).unwrap_or_default();
    let at = request.story.current_tick.checked_rem(features.len() as u64);
    let at = at.and_then(|at| usize::try_from(at).ok());
    SceneSlots {
        pov: &names.pov,
        other: &names.other,
        pov_pronouns: pronouns_in_world(request.story, &names.pov),
        other_pronouns: pronouns_in_world(request.story, &names.other),
        place: &names.place,
        feature: at.and_then(|at| features.get(at)).map(String::as_str).unwrap_or_default(),
        ..SceneSlots::default()
    }
}
