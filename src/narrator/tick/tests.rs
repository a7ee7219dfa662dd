//! Stories that the lexical planner tells, tick after tick, with a small stand-in for the tools.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    ActionOutput, EvaluationRequest, LONG_SENTENCE_WORDS, SceneDraft, SceneFaultKind, SceneRequest,
    THREAD_KEY, TickAction, TickCharacter, TickLocation, TickLoop, TickPerson, TickPlace, TickPlan,
    TickRelationship, TickRequest, TickScene, TickStory, TickWorld, evaluate_scene,
    expand::tool_path, plan_tick, sentences, write_scene,
};

/// Carries out the actions of a plan on the story, as the tools would.
// Long because each tool is an arm of one match.
pub(super) fn carry_out(story: &mut TickStory, plan: &TickPlan) -> Vec<ActionOutput> {
    let mut ids: Vec<Option<String>> = Vec::new();
    let mut results = Vec::new();
    for TickAction { tool, args, .. } in &plan.actions {
        let text = |key: &str| {
            let text = args.get(key).and_then(Value::as_str).unwrap_or_default();
            match text.strip_prefix("$action-").and_then(|rest| rest.strip_suffix(".id")) {
                Some(idx) => ids[idx.parse::<usize>().unwrap()].clone().unwrap(),
                None => text.to_owned(),
            }
        };
        let list = |key: &str| -> Vec<String> {
            let list = args.get(key).and_then(Value::as_array).into_iter().flatten();
            list.map(|one| one.as_str().unwrap().to_owned()).collect()
        };
        let id = match tool_path(tool).as_str() {
            "character/generate" => {
                let id = format!("C{}", story.characters.len());
                assert!(
                    story.characters.iter().all(|one| one.name != text("name")),
                    "{tool}: {args:?}"
                );
                story.characters.push(TickCharacter {
                    id: id.clone(),
                    name: text("name"),
                    role: text("role"),
                    goals: list("goals"),
                    ..TickCharacter::default()
                });
                Some(id)
            }
            "location/generate" => {
                let id = format!("L{}", story.locations.len());
                assert!(
                    story.locations.iter().all(|one| one.name != text("name")),
                    "{tool}: {args:?}"
                );
                story.locations.push(TickLocation {
                    id: id.clone(),
                    name: text("name"),
                    description: text("description"),
                    atmosphere: text("atmosphere"),
                    features: list("features"),
                });
                Some(id)
            }
            "relationship/create" => {
                let (a, b) = (text("character_a"), text("character_b"));
                assert!(story.character(&a).is_some() && story.character(&b).is_some(), "{args:?}");
                assert!(story.relationship(&a, &b).is_none() && a != b, "{args:?}");
                story.relationships.push(TickRelationship {
                    character_a: a,
                    character_b: b,
                    relationship_type: text("relationship_type"),
                    status: "new".to_owned(),
                    ..TickRelationship::default()
                });
                Some(format!("R{}", story.relationships.len()))
            }
            "relationship/update" => {
                let (a, b) = (text("character_a"), text("character_b"));
                assert!(story.relationship(&a, &b).is_some(), "{args:?}");
                None
            }
            "plot/open" => {
                let id = format!("OL{}", story.current_tick * 10 + story.loops.len() as u64);
                story.loops.push(TickLoop {
                    id: id.clone(),
                    description: text("description"),
                    importance: text("importance"),
                    category: text("category"),
                    created_in_scene: String::new(),
                    weight: if text("importance") == "high" { 30.0 } else { 20.0 },
                    is_kept: false,
                });
                Some(id)
            }
            "plot/resolve" => {
                let id = text("id");
                assert!(story.loops.iter().any(|one| one.id == id), "{args:?}");
                story.loops.retain(|one| one.id != id);
                None
            }
            "memory/search" | "relationship/query" => None,
            other => panic!("{other} is no tool"),
        };
        results.push(ActionOutput {
            tool: tool.clone(),
            args: args.clone(),
            output: json!({"id": id}),
        });
        ids.push(id);
    }
    results
}

/// One tick.
pub(super) fn tick(story: &mut TickStory, seed: u64) -> (TickPlan, SceneDraft) {
    let plan = plan_tick(TickRequest { story, seed, pov: None });
    let before = story.clone();
    let results = carry_out(story, &plan);
    let draft = write_scene(SceneRequest { story: &before, plan: &plan, results: &results, seed });
    story.current_tick += 1;
    story.loops.iter_mut().for_each(|one| one.weight += 1.0);
    story.active_character = story.active_character.take().or_else(|| Some("C0".to_owned()));
    story.scenes.push(TickScene {
        id: format!("S{:03}", story.current_tick),
        title: draft.title.clone(),
        tick: story.current_tick,
        summary: draft.summary.clone(),
        text: draft.text.clone(),
        place: draft.place.clone(),
        thread: plan.document.get(THREAD_KEY).and_then(Value::as_object).cloned(),
    });
    (plan, draft)
}

/// S4 "2-4 tools": fifty ticks are one story. No sentence returns within ten scenes, loops are opened and paid off, and no
/// name is given twice (the stand-in for the tools sees to that).
#[test]
fn fifty_ticks_are_one_story() {
    for seed in [0, 1, 7, 42, 1_234_567_890_123, u64::MAX] {
        let mut story = TickStory::new();
        let (mut opened, mut most) = (BTreeSet::new(), 0);
        for nth in 1..=52 {
            let (plan, draft) = tick(&mut story, seed);
            let actions = plan.actions.len();
            assert!((2..=4).contains(&actions), "seed {seed}, tick {nth}: {actions} actions");
            opened.extend(story.loops.iter().map(|one| one.description.clone()));
            most = most.max(story.loops.len());
            for bad in ["{", "}", "[", "]", "  ", " .", " ,", "The the", ": .", "\"\""] {
                assert!(
                    !draft.text.contains(bad),
                    "seed {seed}, tick {nth}: `{bad}` in {}",
                    draft.text
                );
            }
            assert!(sentences(&draft.text).len() >= 8, "seed {seed}, tick {nth}: {}", draft.text);
        }
        assert!(opened.len() >= 15 && most <= 3, "{} opened, {most} at once", opened.len());
        let mut said: BTreeMap<&str, u64> = BTreeMap::new();
        for scene in &story.scenes {
            for sentence in sentences(&scene.text) {
                if let Some(before) = said.insert(sentence, scene.tick) {
                    assert!(
                        scene.tick - before > 10,
                        "seed {seed}: {before} and {}: {sentence}",
                        scene.tick
                    );
                }
            }
        }
        assert!(story.characters.len() <= 16, "{}", story.characters.len());
    }
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let story = |seed: u64| {
        let mut story = TickStory::new();
        (0..15).for_each(|_| _ = tick(&mut story, seed));
        story
    };
    assert_eq!(story(7), story(7));
    assert_ne!(story(7).scenes[0].text, story(8).scenes[0].text);
}

#[test]
fn a_new_story_starts_well() {
    let mut story = TickStory::new();
    let scenes: Vec<String> = (0..4)
        .map(|_| {
            let (plan, draft) = tick(&mut story, 7);
            format!("{:#}\n\n# {}\n{}", Value::Object(plan.document), draft.title, draft.text)
        })
        .collect();
    insta::assert_snapshot!(scenes.join("\n\n----\n\n"));
}

/// The story is about its own people and questions, not about those of the planner.
#[test]
fn an_open_question_of_the_story_comes_first() {
    let mut story = TickStory::new();
    for (id, name) in [("C0", "Elena"), ("C1", "Marcus")] {
        story.characters.push(TickCharacter {
            id: id.to_owned(),
            name: name.to_owned(),
            role: "archivist".to_owned(),
            location: Some("L0".to_owned()),
            ..TickCharacter::default()
        });
    }
    story.locations.push(TickLocation {
        id: "L0".to_owned(),
        name: "The Archive".to_owned(),
        atmosphere: "hushed".to_owned(),
        features: vec!["a wall of maps".to_owned()],
        ..TickLocation::default()
    });
    story.relationships.push(TickRelationship {
        character_a: "C0".to_owned(),
        character_b: "C1".to_owned(),
        relationship_type: "mentor".to_owned(),
        ..TickRelationship::default()
    });
    story.active_character = Some("C0".to_owned());
    story.loops.push(TickLoop {
        id: "OL7".to_owned(),
        description: "Who took the map fragment?".to_owned(),
        importance: "critical".to_owned(),
        category: "mystery".to_owned(),
        weight: 40.0,
        ..TickLoop::default()
    });
    let mut scenes = Vec::new();
    for _ in 0..3 {
        let (plan, draft) = tick(&mut story, 7);
        assert!((2..=4).contains(&plan.actions.len()));
        assert_eq!(plan.target_location.as_deref(), Some("L0"));
        scenes.push(format!("{}\n# {}\n{}", plan.scene_intention, draft.title, draft.text));
    }
    assert!(story.loops.is_empty(), "{:?}", story.loops);
    insta::assert_snapshot!(scenes.join("\n\n----\n\n"));
}

/// Ticks of the long tests; `TICKS` says how many.
fn ticks(default: u64) -> u64 {
    std::env::var("TICKS").ok().and_then(|ticks| ticks.parse().ok()).unwrap_or(default)
}

/// Ticks on, and checks each scene by itself and with those before: nothing contradicts its moment or its place, no long
/// sentence returns within two hundred scenes, no short one within ten, and every sentence is whole.
fn tick_on(story: &mut TickStory, seed: u64, count: u64) {
    let mut said: BTreeMap<String, u64> = BTreeMap::new();
    for nth in 1..=count {
        let before = story.clone();
        let (plan, draft) = tick(story, seed);
        let place = format!("seed {seed}, tick {nth}");
        assert!((2..=4).contains(&plan.actions.len()), "{place}: {:#?}", plan.actions);
        for bad in ["{", "}", "[", "]", "  ", " .", " ,", "The the", "the the", "\"\"", " 's"] {
            assert!(!draft.text.contains(bad), "{place}: `{bad}` in {}", draft.text);
        }
        let all = sentences(&draft.text);
        assert!(all.len() >= 5 && !draft.title.is_empty(), "{place}: {}", draft.text);
        assert!(draft.summary.iter().all(|one| !one.is_empty()), "{place}: {:?}", draft.summary);
        for sentence in all {
            let is_long = sentence.split_whitespace().count() >= LONG_SENTENCE_WORDS;
            let distance = if is_long { 200 } else { 10 };
            if let Some(earlier) = said.insert(sentence.to_owned(), nth) {
                assert!(nth - earlier > distance, "{place} and {earlier}: {sentence}");
            }
        }
        let faults = evaluate_scene(&EvaluationRequest {
            story: &before,
            pov: draft.people.first().map(String::as_str).unwrap_or_default(),
            people: &draft.people,
            place: &draft.place,
            also_known: &Value::Object(plan.document).to_string(),
            moment: draft.moment,
            text: &draft.text,
        });
        let kinds = [SceneFaultKind::Time, SceneFaultKind::Weather, SceneFaultKind::OtherPlace];
        let faults: Vec<String> = faults
            .iter()
            .filter(|fault| kinds.contains(&fault.kind))
            .map(ToString::to_string)
            .collect();
        assert_eq!(faults, Vec::<String>::new(), "{place}: {:?}\n{}", draft.moment, draft.text);
    }
}

/// Many ticks of one story, chapters among them; `TICKS` says how many.
#[test]
fn a_long_story_contradicts_nothing_and_repeats_no_long_sentence() {
    for seed in [7, 42] {
        tick_on(&mut TickStory::new(), seed, ticks(80));
    }
}

/// No arc is told twice: after the last the story says so, and goes on with new people in another town.
#[test]
fn after_the_last_arc_a_story_goes_on_with_new_people() {
    let mut story = TickStory::new();
    let mut begun = BTreeSet::new();
    let mut warned = Vec::new();
    for nth in 1..=90 {
        let (plan, draft) = tick(&mut story, 7);
        let thread = &plan.document[THREAD_KEY];
        if thread["thread"] == json!(0) && thread["beat"] == json!(0) {
            assert!(begun.insert(draft.title.clone()), "tick {nth} begins {} again", draft.title);
        }
        if plan.warnings().iter().any(|warning| warning.contains("arcs")) {
            warned.push(nth);
        }
    }
    assert_eq!((begun.len(), warned), (4, vec![53]));
    let povs = story.scenes.iter().filter_map(|scene| scene.thread.as_ref()?.get("pov")?.as_str());
    let povs: BTreeSet<&str> = povs.collect();
    assert!(povs.len() > 1 && !povs.contains(story.characters[0].name.as_str()), "{povs:?}");
}

/// A story with a world: two people at a quay, one elsewhere.
fn harbour() -> TickStory {
    let person = |name: &str, pronoun: &str, place: &str, doing: &str| TickPerson {
        name: name.to_owned(),
        short: name.split(' ').next().unwrap().to_owned(),
        pronoun: pronoun.to_owned(),
        description: "Somebody.".to_owned(),
        place: place.to_owned(),
        doing: doing.to_owned(),
        says: if name == "Mina Holt" { vec!["Ask the gulls.".to_owned()] } else { Vec::new() },
    };
    let place = |name: &str, features: &[&str]| TickPlace {
        name: name.to_owned(),
        description: "A place.".to_owned(),
        features: features.iter().map(|one| (*one).to_owned()).collect(),
    };
    let mut story = TickStory::new();
    story.world = Some(TickWorld {
        has_author: true,
        allows_strangers: false,
        player: "Kit Rowe".to_owned(),
        time: "evening".to_owned(),
        people: vec![
            person("Kit Rowe", "", "quay", ""),
            person("Mina Holt", "she", "quay", "mending a net"),
            person("Old Tam", "he", "hut", ""),
        ],
        places: vec![
            place("quay", &["the railings", "the crates", "the sea"]),
            place("hut", &["the stove"]),
        ],
        threads: vec!["Somebody has cut the ropes.".to_owned()],
    });
    story.loops.push(TickLoop {
        id: "OL0".to_owned(),
        description: "Who cut the ropes?".to_owned(),
        weight: 90.0,
        is_kept: true,
        ..TickLoop::default()
    });
    story
}

/// A tick takes the people, the place and the hour of the world; nobody else comes into it, and what the author has opened
/// stays open.
#[test]
fn a_tick_of_a_campaign_is_about_the_people_of_the_campaign() {
    let mut story = harbour();
    tick_on(&mut story, 7, 40);
    let names: Vec<&str> = story.characters.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Kit Rowe", "Mina Holt"]);
    let places: Vec<&str> = story.locations.iter().map(|one| one.name.as_str()).collect();
    assert_eq!((places, story.loops.len()), (vec!["quay"], 1));
    let text: Vec<&str> = story.scenes.iter().map(|scene| scene.text.as_str()).collect();
    let text = text.join("\n");
    for of_the_author in ["the quay", "mending a net", "Ask the gulls."] {
        assert!(text.contains(of_the_author), "{text}");
    }
    assert!(!text.contains("morning") && !text.contains("Tam"), "{text}");
    insta::assert_snapshot!(
        story.scenes[..3]
            .iter()
            .map(|scene| format!("# {}\n{}", scene.title, scene.text))
            .collect::<Vec<_>>()
            .join("\n\n----\n\n")
    );
}

/// Where the point of view is alone at a place without features, there is still a scene, and it has a subject.
#[test]
fn a_scene_of_one_person_alone_has_a_subject() {
    let mut story = harbour();
    let world = story.world.as_mut().unwrap();
    world.people.truncate(1);
    world.places[0].features.clear();
    world.threads.clear();
    for _ in 0..3 {
        let (plan, draft) = tick(&mut story, 3);
        assert!(draft.text.contains("Kit"), "{}", draft.text);
        assert!(plan.scene_intention.starts_with("Kit Rowe "), "{}", plan.scene_intention);
    }
}

/// A question of the player, in a story without an author, ends with an answer that says something.
#[test]
fn a_question_of_the_player_ends_in_an_answer() {
    for (question, says) in [
        ("Who took the map fragment?", "who took the map fragment"),
        ("Where is the key?", "The answer was "),
        ("Will she come back?", "The answer was "),
        ("Bring the letter to Marcus.", "It was done"),
    ] {
        let mut story = harbour();
        story.world.as_mut().unwrap().has_author = false;
        story.loops[0].description = question.to_owned();
        story.loops[0].is_kept = false;
        let plans: Vec<TickPlan> = (0..3).map(|_| tick(&mut story, 7).0).collect();
        let resolved = plans[2].actions.iter().find(|action| action.tool == "plot.resolve");
        let answer = resolved.unwrap().args["resolution"].as_str().unwrap();
        assert!(answer.contains(says), "{question} {answer}");
        // A scene names people by their given names once it is clear who is meant.
        let told = &story.scenes[2].text;
        assert!(says.split(' ').all(|word| told.contains(word)), "{answer}\n{told}");
        assert!(story.loops.is_empty());
    }
}
