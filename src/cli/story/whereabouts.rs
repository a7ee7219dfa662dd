//! Reports the player's situation: the recap and the map, as documents for programs and as text for people. Changes
//! nothing.

use std::collections::BTreeSet;

use narratoria_engine::TurnError;
use narratoria_protocol::{
    LoopStatus,
    visible::{clip, visible, visible_line},
};
use narratoria_story::{Story, TurnSummary};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{excerpt::first_sentences, report::StoryView};

/// Sentences of the last turn in a recap.
const SENTENCES_TOLD: usize = 2;

/// Most characters of these sentences together.
const SCENE_CHARS_MAX: usize = 400;

/// Most threads in a recap.
const THREADS_MAX: usize = 12;

/// Most characters of one thread, and of a player's sentence.
const LINE_CHARS_MAX: usize = 160;

/// Turns after which a recap also says how the story began.
const BEGINNING_AFTER_TURNS: u64 = 4;

/// The parts of a world's map that this reads.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WorldMap {
    title: String,
    places: Vec<MapPlace>,
    threads: Vec<MapThread>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MapPlace {
    name: String,
    exits: Vec<MapExit>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MapExit {
    direction: String,
    to: String,
    door: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MapThread {
    name: String,
}

/// The present situation, from the story's state and its map.
struct Moment {
    map: WorldMap,
    place: String,
    time: Option<String>,
    visited: BTreeSet<String>,
    /// Titles of the world's goals that are reached, or that are not open for another reason.
    not_open: BTreeSet<String>,
    ended: Option<String>,
}

impl Moment {
    /// Returns `None` if the story has no world.
    fn read(story: &Story) -> Result<Option<Moment>, TurnError> {
        let state = story.state().as_object();
        let at = |pointer: &str| {
            let (first, rest) = pointer.split_once('/').unwrap_or((pointer, ""));
            state.get(first)?.pointer(&format!("/{rest}"))
        };
        let text = |pointer: &str| at(pointer)?.as_str().map(str::to_owned);
        let Some(place) = text("world/now/place") else { return Ok(None) };
        let names = |pointer: &str| -> BTreeSet<String> {
            let found = at(pointer).and_then(Value::as_array).into_iter().flatten();
            found.filter_map(|name| name.as_str().map(str::to_owned)).collect()
        };
        let map = match story.campaign()? {
            Some(campaign) => campaign.read("world.json").ok().flatten().unwrap_or_default(),
            None => {
                at("world/map").and_then(|map| WorldMap::deserialize(map).ok()).unwrap_or_default()
            }
        };
        let mut visited = names("world/view/visited");
        visited.insert(place.clone());
        Ok(Some(Moment {
            map,
            place,
            time: text("world/now/time"),
            visited,
            not_open: &names("world/view/done") | &names("world/view/idle"),
            ended: text("plot/now/ended/title"),
        }))
    }
}

/// Reports where the player is, what led there, and what is open. The text is empty in a story without a world.
pub(crate) fn recap(story: &Story) -> Result<StoryView, TurnError> {
    let moment = Moment::read(story)?;
    let last = story.recent_turns(1)?.pop();
    let (prompt, scene) = last.map_or_else(Default::default, |turn| {
        let line = turn.prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        (
            clip(&line, LINE_CHARS_MAX).into_owned(),
            first_sentences(&turn.narration, SENTENCES_TOLD, SCENE_CHARS_MAX),
        )
    });
    let open = open_threads(story, moment.as_ref())?;
    let mut document = json!({
        "title": null,
        "turns": story.turns(),
        "place": null,
        "time": null,
        "prompt": prompt,
        "scene": scene,
        "open": open,
        "ended": null,
    });
    let Some(moment) = moment else { return Ok(StoryView { document, text: String::new() }) };
    document["title"] = moment.map.title.as_str().into();
    document["place"] = moment.place.as_str().into();
    document["time"] = json!(moment.time);
    document["ended"] = json!(moment.ended);
    let title = match moment.map.title.is_empty() {
        true => story.title()?,
        false => moment.map.title.clone(),
    };
    let turns =
        if story.turns() == 1 { "1 turn".to_owned() } else { format!("{} turns", story.turns()) };
    let time = moment.time.map(|time| format!(", {time}")).unwrap_or_default();
    let mut text = beginning(story)?.map(|told| format!("{told}\n\n")).unwrap_or_default();
    text += &format!("{title}, after {turns}.\nYou are here: {}{time}.\n", moment.place);
    if !scene.is_empty() {
        text += &format!("Last: “{prompt}” {scene}\n");
    }
    if let Some(ended) = &moment.ended {
        text += &format!("The story has ended: {ended}.\n");
    }
    if !open.is_empty() {
        text += "Still open:\n";
        open.iter().for_each(|thread| text += &format!("- {thread}\n"));
    }
    Ok(StoryView { document, text: visible(&text).into_owned() })
}

/// Returns the recap that the campaign's author wrote for returning players, once the story has gone on for some turns.
fn beginning(story: &Story) -> Result<Option<String>, TurnError> {
    if story.turns() < BEGINNING_AFTER_TURNS {
        return Ok(None);
    }
    let Some(campaign) = story.campaign()? else { return Ok(None) };
    let start = campaign.start().unwrap_or_default();
    let told = start.recap.trim();
    Ok((!told.is_empty()).then(|| told.to_owned()))
}

/// How many turns back the choices are looked for that were offered last.
pub(crate) const CHOICES_OF_TURNS_MAX: usize = 32;

/// Returns the choices that the last of these turns with any has offered: they hold until others are offered.
pub(crate) fn last_offered(turns: &[TurnSummary]) -> &[Value] {
    let last = turns.iter().rfind(|turn| !turn.choices.is_empty());
    last.map_or(&[], |turn| &turn.choices)
}

/// Returns the title of the ending that the story has reached.
pub(crate) fn ending(story: &Story) -> Option<String> {
    let title = story.state().as_object().get("plot")?.pointer("/now/ended/title")?;
    title.as_str().map(str::to_owned)
}

/// Returns the threads of the plot, the most important first, and goals of the world that are not reached.
fn open_threads(story: &Story, moment: Option<&Moment>) -> Result<Vec<String>, TurnError> {
    let loops = story.open_loops()?.into_iter().map(|(one, _)| one.value);
    let loops = loops.filter(|one| one.status == LoopStatus::Open).map(|one| one.description);
    let goals = moment.into_iter().flat_map(|moment| {
        let goals = moment.map.threads.iter().map(|thread| thread.name.clone());
        goals.filter(|name| !moment.not_open.contains(name))
    });
    let mut open: Vec<String> = Vec::new();
    for thread in loops.chain(goals) {
        let line = visible_line(&clip(thread.trim(), LINE_CHARS_MAX));
        if !line.is_empty() && !open.contains(&line) && open.len() < THREADS_MAX {
            open.push(line);
        }
    }
    Ok(open)
}

/// Reports the places that the player has seen, with their exits.
pub(crate) fn map(story: &Story) -> Result<Option<StoryView>, TurnError> {
    let Some(moment) = Moment::read(story)? else { return Ok(None) };
    let is_seen = |name: &str| moment.visited.contains(name);
    let (mut places, mut text) = (Vec::new(), String::new());
    let here = |place: &&MapPlace| place.name == moment.place;
    let first = moment.map.places.iter().filter(here);
    let others = moment.map.places.iter().filter(|place| !here(place) && is_seen(&place.name));
    for place in first.chain(others) {
        let is_here = place.name == moment.place;
        text += &format!("{}{}\n", place.name, if is_here { " (you are here)" } else { "" });
        let mut exits = Vec::new();
        for MapExit { direction, to, door } in &place.exits {
            let to = is_seen(to).then_some(to);
            let door_text =
                door.as_ref().map(|door| format!(", by the {door}")).unwrap_or_default();
            let leads = to.map_or("not seen yet", String::as_str);
            text += &format!("  {direction}: {leads}{door_text}\n");
            exits.push(json!({"direction": direction, "to": to, "door": door}));
        }
        places.push(json!({"name": place.name, "here": is_here, "exits": exits}));
    }
    if places.is_empty() {
        text = format!("{} (you are here)\n", moment.place);
    }
    let document = json!({"place": moment.place, "places": places});
    Ok(Some(StoryView { document, text: visible(&text).into_owned() }))
}
