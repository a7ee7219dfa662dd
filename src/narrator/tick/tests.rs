//! Stories that the lexical planner tells, tick after tick, with a small stand-in for the tools.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    ActionOutput, SceneDraft, SceneRequest, THREAD_KEY, TickAction, TickCharacter, TickLocation,
    TickLoop, TickPlan, TickRelationship, TickRequest, TickScene, TickStory, expand::tool_path,
    plan_tick, sentences, write_scene,
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
        for nth in 1..=60 {
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
        assert!(story.characters.len() <= 14, "{}", story.characters.len());
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
