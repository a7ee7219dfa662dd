//! The examples of `docs/writing-skills.md` and of `README.md`, which quote them from here: each compiles and does what the
//! page says.

use narratoria_sdk::{
    Asset, Choice, Ctx, Done, HttpResponse, Prose, SkillError, Value, json, testing,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// The input of each example.
#[derive(Deserialize, JsonSchema)]
struct Input {}

fn enter(ctx: &mut Ctx, _: Input) -> Result<Done<Value>, SkillError> {
    let mut store = ctx.store();
    let visits = store.get::<u32>("visits")?.unwrap_or(0) + 1;
    store.set("visits", visits)?;
    Ok(Done::ok().output(json!({ "visits": visits })))
}

#[test]
fn the_store_counts_on() {
    assert_eq!(testing::call(enter, json!({})).kept("visits", 2).run().kept["visits"], 3);
}

fn meet(ctx: &mut Ctx, _: Input) -> Result<Done<Value>, SkillError> {
    let known = ctx.memory().recall_tagged("Mira at the ferry", &["person"], 3)?;
    ctx.memory()
        .remember("Mira keeps the ferry, and owes the player a song.", &["person", "mira"])?;
    let text = known.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
    Ok(Done::ok().output(json!({ "text": text })))
}

#[test]
fn the_memory_finds_what_it_has() {
    let said = testing::call(meet, json!({})).remembered("Mira owes you.", &["person"]).run();
    assert_eq!(said.output["text"], "Mira owes you.");
    assert_eq!(said.remembered.len(), 2);
}

fn sky(ctx: &mut Ctx, _: Input) -> Result<Done<Value>, SkillError> {
    let text = match ctx.http().get("https://api.example.com/sky") {
        Ok(answer) if answer.is_ok() => answer.text()?.to_owned(),
        _ => "The sky is grey.".to_owned(),
    };
    Ok(Done::ok().output(json!({ "text": text })))
}

#[test]
fn the_sky_is_that_of_the_host_or_grey() {
    let asked = testing::call(sky, json!({}));
    assert_eq!(asked.clone().run().output["text"], "The sky is grey.");
    let red = HttpResponse::new(200, "Red.");
    let said = asked.web_answers("https://api.example.com/sky", red).run();
    assert_eq!(said.output["text"], "Red.");
}

fn dusk(ctx: &mut Ctx, _: Input) -> Result<Done<Value>, SkillError> {
    let prose = Prose::new("The sky above the harbour, at dusk.")
        .system("You describe what a traveller sees, in one or two sentences.")
        .tokens(80)
        .aloud();
    let text = match ctx.llm().write(prose) {
        Ok(written) if !written.sentences().is_empty() => written.sentences().to_owned(),
        _ => "The sky is grey.".to_owned(),
    };
    Ok(Done::ok().output(json!({ "text": text })))
}

#[test]
fn the_model_writes_or_the_script_does() {
    let asked = testing::call(dusk, json!({}));
    assert_eq!(asked.clone().run().output["text"], "The sky is grey.");
    let said = asked.model_writes("Red, and full of gulls.").run();
    assert_eq!(said.output["text"], "Red, and full of gulls.");
}

fn gate(ctx: &mut Ctx, _: Input) -> Result<Done<Value>, SkillError> {
    let who = match ctx.ask("Who goes there?", &["A friend", "Nobody"]) {
        Ok(answer) => answer,
        Err(error) if error.code == SkillError::NOBODY_ANSWERED => "A stranger".to_owned(),
        Err(error) => return Err(error),
    };
    Ok(Done::ok().output(json!({ "text": format!("“{who}”, says the echo.") })))
}

#[test]
fn the_echo_repeats_the_answer() {
    let asked = testing::call(gate, json!({}));
    assert_eq!(asked.clone().run().output["text"], "“A stranger”, says the echo.");
    assert_eq!(asked.answer("Ada").run().output["text"], "“Ada”, says the echo.");
}

#[derive(Deserialize)]
struct Settings {
    #[serde(default = "metric")]
    units: String,
}

fn metric() -> String {
    "metric".to_owned()
}

fn measure(ctx: &mut Ctx, _: Input) -> Result<Done<Value>, SkillError> {
    let Settings { units } = ctx.config()?;
    let text = if units == "metric" { "two metres" } else { "six feet" };
    Ok(Done::ok().output(json!({ "text": format!("The gate is {text} wide.") })))
}

#[test]
fn the_settings_are_the_players() {
    let asked = testing::call(measure, json!({}));
    assert_eq!(asked.clone().run().output["text"], "The gate is two metres wide.");
    let said = asked.clone().config(json!({ "units": "imperial" })).run();
    assert_eq!(said.output["text"], "The gate is six feet wide.");
    assert_eq!(asked.config(json!({ "units": 7 })).run().error_code(), Some("INVALID_CONFIG"));
}

fn draw(ctx: &mut Ctx, _: Input) -> Result<Done<Value>, SkillError> {
    ctx.progress(10, "sharpening the pencil");
    let folder = if cfg!(target_os = "wasi") { "/assets".into() } else { std::env::temp_dir() };
    std::fs::write(folder.join("map.txt"), "mill --- ford --- harbour\n")
        .map_err(|error| SkillError::new("NOT_WRITTEN", error.to_string()))?;
    ctx.asset(&Asset::new("map", "map", "text/plain", "map.txt").metadata("scale", 1000));
    ctx.progress(100, "the map is drawn");
    Ok(Done::ok().output(json!({ "text": "You draw a map." })))
}

#[test]
fn the_map_is_announced_between_two_steps_of_progress() {
    let said = testing::call(draw, json!({})).run();
    let types: Vec<&str> = said
        .events
        .iter()
        .map(|event| match event {
            testing::Event::Log { fields: Some(_), .. } => "progress",
            testing::Event::Asset { .. } => "asset",
            _ => "other",
        })
        .collect();
    assert_eq!(types, ["progress", "asset", "progress"]);
}

fn fork(ctx: &mut Ctx, _: Input) -> Result<Done<Value>, SkillError> {
    ctx.choices(&[
        Choice::new("left", "To the mill").prompt("I take the path to the mill"),
        Choice::new("right", "To the harbour"),
    ]);
    Ok(Done::ok().output(json!({ "text": "The path forks." })))
}

#[test]
fn a_choice_plays_its_prompt_or_its_label() {
    let said = testing::call(fork, json!({})).run();
    let choices = said.ui_event("narrative_choice").unwrap();
    assert_eq!(choices["choices"][0]["prompt"], "I take the path to the mill");
    assert_eq!(choices["choices"][1], json!({ "id": "right", "label": "To the harbour" }));
}

fn strike(ctx: &mut Ctx, _: Input) -> Result<Done<Value>, SkillError> {
    // `skill.json`: "reads": ["/player/strength"]
    let strength = ctx.state_at::<i64>("/player/strength")?.unwrap_or(10);
    // The plan has a step `roll`, and this step depends on it.
    let roll = ctx.input_of("roll").and_then(|output| output["total"].as_i64()).unwrap_or(0);
    let text = if strength + roll > 15 { "The door gives way." } else { "The door holds." };
    Ok(Done::ok().output(json!({ "text": text })))
}

#[test]
fn the_door_depends_on_strength_and_roll() {
    let asked = testing::call(strike, json!({}));
    assert_eq!(asked.clone().run().output["text"], "The door holds.");
    let strong = asked.state(json!({ "player": { "strength": 14 } }));
    let said = strong.inputs(json!({ "roll": { "total": 2 } })).run();
    assert_eq!(said.output["text"], "The door gives way.");
}

/// Ten lines of `README.md`, as they stand there.
#[rustfmt::skip]
#[expect(dead_code, reason = "a test has no `main`")]
mod ten_lines {
use std::process::ExitCode;

use narratoria_sdk::{Ctx, Done, SkillError, json, testing};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet { name: String }
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Greeting { text: String }
fn greet(_ctx: &mut Ctx, input: Greet) -> Result<Done<Greeting>, SkillError> {
    let text = format!("{} nods at you.", input.name);
    Ok(Done::ok().output(Greeting { text }))
}
fn main() -> ExitCode { narratoria_sdk::run(greet) }

#[test]
fn somebody_nods() {
    let said = testing::call(greet, json!({ "name": "Mira" })).run();
    assert_eq!(said.output["text"], "Mira nods at you.");
}
}
