//! The grammar and the prompt of a tick's plan.

use std::time::Duration;

use rand::{SeedableRng, rngs::SmallRng};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    super::{
        ToolSet,
        tick_grammar::tick_plan_schema,
        tick_planner::{offered_tools, read_plan},
        tick_prompt::tick_chat,
    },
    built_in_catalog, catalog, one_script, skill, tool_set, trigger,
    walk::walk,
};
use crate::tick::{
    ContextSettings, TickCharacter, TickContext, TickLocation, TickLoop, TickPerson,
    TickPlanRequest, TickRelationship, TickRequest, TickScene, TickStory, TickWorld, tools_text,
};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

/// Three people, one of them dead, two of them acquainted; a place, a question and a scene.
fn some_story() -> TickStory {
    let mut story = TickStory::new();
    for (nth, (name, is_dead)) in
        [("Ada", false), ("Bo", true), ("Cy", false), ("Di", false)].into_iter().enumerate()
    {
        let (id, name) = (format!("C{nth}"), name.to_owned());
        story.characters.push(TickCharacter { id, name, is_dead, ..TickCharacter::default() });
    }
    let (id, name) = ("L0".to_owned(), "The mill".to_owned());
    story.locations.push(TickLocation { id, name, ..TickLocation::default() });
    story.relationships.push(TickRelationship {
        character_a: "C2".to_owned(),
        character_b: "C0".to_owned(),
        ..TickRelationship::default()
    });
    let (id, description) = ("OL0".to_owned(), "Who burned the mill?".to_owned());
    story.loops.push(TickLoop { id, description, ..TickLoop::default() });
    story.scenes.push(TickScene { id: "S001".to_owned(), tick: 1, ..TickScene::default() });
    story.active_character = Some("C0".to_owned());
    story.current_tick = 1;
    story
}

/// Calls `check` with a request for the next tick.
fn with_request(story: &TickStory, catalog: &Catalog, check: impl FnOnce(&TickPlanRequest<'_>)) {
    let context = TickContext::build(story, ContextSettings::default(), tools_text(catalog));
    check(&TickPlanRequest {
        tick: TickRequest { story, seed: 7, pov: None },
        context: &context,
        catalog,
        state: &Object::new(),
        budget: Duration::from_secs(5),
        cancel: &CancellationToken::new(),
    });
}

fn tick_schema(tool_set: &ToolSet, request: &TickPlanRequest<'_>) -> Value {
    tick_plan_schema(&offered_tools(tool_set, request), request.tick.story)
}

/// S4 "Plan schema defined and validated", "rationale", "scene_intention", "actions", "pov_character", "target_location":
/// whatever a model writes under the grammar is a plan that can run, and names only what there is.
#[test]
fn every_walk_through_the_grammar_of_a_tick_is_a_plan_that_can_run() {
    let catalog = built_in_catalog();
    let tool_set = tool_set(&catalog);
    let mut rng = SmallRng::seed_from_u64(15);
    for story in [TickStory::new(), some_story()] {
        with_request(&story, &catalog, |request| {
            let schema = tick_schema(&tool_set, request);
            for _ in 0..40 {
                let text = walk(&schema, &mut rng);
                let plan = read_plan(&text, request).unwrap_or_else(|why| panic!("{why}\n{text}"));
                assert!(plan.actions.len() <= 4 && plan.warnings().is_empty(), "{text}");
                let is_living = |id: &str| story.character(id).is_some_and(|one| !one.is_dead);
                assert!(plan.pov_character.as_deref().is_none_or(is_living), "{text}");
                let place = plan.target_location.as_deref();
                assert!(place.is_none_or(|id| story.location(id).is_some()), "{text}");
                for action in &plan.actions {
                    let id = |name: &str| action.args[name].as_str().unwrap();
                    match action.tool.as_str() {
                        "relationship.create" => {
                            let (a, b) = (id("character_a"), id("character_b"));
                            assert!(is_living(a) && is_living(b) && a != b, "{text}");
                            assert!(story.relationship(a, b).is_none(), "{text}");
                        }
                        "relationship.update" => {
                            let (a, b) = (id("character_a"), id("character_b"));
                            assert!(story.relationship(a, b).is_some(), "{text}");
                        }
                        "plot.resolve" => assert_eq!(id("id"), "OL0"),
                        _ => {}
                    }
                }
            }
        });
    }
}

#[test]
fn a_tool_that_needs_what_the_story_does_not_have_is_left_out_of_the_grammar() {
    let catalog = built_in_catalog();
    let tool_set = tool_set(&catalog);
    let offered = |story: &TickStory| {
        let mut schema = String::new();
        with_request(story, &catalog, |request| {
            schema = tick_schema(&tool_set, request).to_string();
        });
        ["character.generate", "relationship.create", "relationship.update", "plot.resolve"]
            .map(|tool| schema.contains(&format!("\"{tool}\"")))
    };
    assert_eq!(offered(&TickStory::new()), [true, false, false, false]);
    assert_eq!(offered(&some_story()), [true, true, true, true]);
    // Neither story has a world.
    with_request(&some_story(), &catalog, |request| {
        let schema = tick_schema(&tool_set, request).to_string();
        assert!(!schema.contains("\"world."), "{schema}");
    });
}

/// A model brings no stranger into a campaign, answers none of its questions, and does nothing that is left to play.
#[test]
fn the_grammar_of_a_campaign_has_its_people_alone_and_none_of_its_questions() {
    let catalog = built_in_catalog();
    let tool_set = tool_set(&catalog);
    let person = |name: &str| TickPerson { name: name.to_owned(), ..TickPerson::default() };
    let world = |names: &[&str]| TickWorld {
        has_author: true,
        people: names.iter().map(|name| person(name)).collect(),
        ..TickWorld::default()
    };
    let mut story = some_story();
    story.world = Some(world(&["Ada", "Mina Holt"]));
    story.loops[0].is_kept = true;
    with_request(&story, &catalog, |request| {
        let schema = tick_schema(&tool_set, request).to_string();
        assert!(schema.contains("Mina Holt"), "{schema}");
        for tool in ["plot.resolve", "plot.advance", "plot.choose", "world.act", "world.change"] {
            assert!(!schema.contains(&format!("\"{tool}\"")), "{tool}: {schema}");
        }
    });
    // Everybody is in the story already.
    story.world = Some(world(&["Ada"]));
    with_request(&story, &catalog, |request| {
        let schema = tick_schema(&tool_set, request).to_string();
        assert!(!schema.contains("character.generate"), "{schema}");
    });
    // Unless their author lets strangers in.
    story.world = Some(TickWorld { allows_strangers: true, ..world(&["Ada"]) });
    with_request(&story, &catalog, |request| {
        let schema = tick_schema(&tool_set, request).to_string();
        assert!(schema.contains("character.generate"), "{schema}");
    });
}

/// A tool that needs the player's approval or answer is no tool of a tick, and a dollar of the model is no reference.
#[test]
fn a_tool_that_needs_approval_is_left_out_and_a_dollar_is_a_dollar() {
    let input = serde_json::json!({"type": "object", "properties": {"word": {"type": "string"}}});
    let mut free = skill("free", "say", &input);
    let mut asks = one_script("ask", &input);
    asks.requires_approval = true;
    free.scripts.push(asks);
    free.scripts.push(one_script("hear", &input));
    free.triggers.push(trigger("hear", serde_json::json!({"word": "{sentence}"}), false));
    let catalog = catalog(vec![free]);
    let tool_set = tool_set(&catalog);
    with_request(&TickStory::new(), &catalog, |request| {
        let schema = tick_schema(&tool_set, request).to_string();
        assert!(schema.contains("\"free.say\"") && !schema.contains("\"free.ask\""), "{schema}");
        assert!(!schema.contains("\"free.hear\""), "{schema}");
        let text = r#"{"rationale":"r","scene_intention":"s","actions":[
            {"tool":"free.say","args":{"word":"$5 for the ferry"}}]}"#;
        let plan = read_plan(text, request).unwrap();
        assert_eq!(plan.actions[0].args["word"], "$$5 for the ferry");
        let text = text.replace("free.say", "free.shout");
        let why = read_plan(&text, request).unwrap_err();
        assert!(why.contains("free"), "{why}");
    });
}

/// S4 "Planner prompt template", "seven guidelines", "four questions", "2-4 tools": a model with little room reads them
/// whole, and S4's tools before the others.
#[test]
fn the_prompt_of_a_small_model_keeps_the_task_and_the_first_tools() {
    let catalog = built_in_catalog();
    let mut story = some_story();
    story.scenes = (1..200)
        .map(|tick| TickScene {
            id: format!("S{tick:03}"),
            title: format!("Scene {tick}"),
            tick,
            summary: vec![format!("Ada walks on past the mill, for the {tick}th time.")],
            ..TickScene::default()
        })
        .collect();
    let count = |text: &str| text.len() / 4;
    let tool_set = tool_set(&catalog);
    with_request(&story, &catalog, |request| {
        let tools = offered_tools(&tool_set, request);
        let prompt = tick_chat(request.context, &tools, &story, 1_200, &count);
        let messages = prompt.chat.messages.iter().flat_map(|message| &message.parts);
        let text: Vec<&str> = messages.map(|part| part.text.as_str()).collect();
        let text = text.join("\n\n");
        assert!(count(&text) <= 1_200, "{}", count(&text));
        let guidelines = text.split("## Guidelines").nth(1).unwrap();
        assert_eq!(guidelines.matches("\n- ").count(), 7);
        assert!(guidelines.contains("(2-4 tools maximum per plan)"));
        let task = text.split("Consider:").nth(1).unwrap();
        assert!((1..=4).all(|nth| task.contains(&format!("\n{nth}. "))), "{task}");
        assert!(text.contains("**memory.search**") && text.contains("Ids: C3 is Di; C2 is Cy"));
        assert_eq!(prompt.cuts, ["the overall summary", "the tools"]);
        let whole = tick_chat(request.context, &tools, &story, 20_000, &count);
        assert_eq!(whole.cuts, Vec::<String>::new());
        let parts = &whole.chat.messages[1].parts;
        assert!(parts[0].text.contains("**relationship.create**"), "{}", parts[0].text);
        assert!(!parts[0].text.contains("**storyteller.narrate**"), "{}", parts[0].text);
    });
}

/// S4 §3.1: the fields of a plan come in the order of the specification.
#[test]
fn the_grammar_has_the_form_of_the_specification() {
    let input = serde_json::json!({"type": "object", "properties": {"word": {"type": "string"}}});
    let catalog = catalog(vec![skill("free", "say", &input)]);
    let tool_set = tool_set(&catalog);
    with_request(&some_story(), &catalog, |request| {
        let schema: Value = tick_schema(&tool_set, request);
        insta::assert_json_snapshot!(schema);
    });
}
