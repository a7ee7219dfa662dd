//! The world of a story, as far as a tick reads it: who is where at this hour, what the places have, and what is open. A
//! tick changes nothing of it.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_facts::{BEGINNING_MINUTE, entry_at, minutes_of_day, time_of_day};
use narratoria_narrator::tick::{TickPerson, TickPlace, TickWorld};
use narratoria_protocol::{CompiledCampaign, Object};
use narratoria_story::{Story, StoryError};
use serde::Deserialize;
use serde_json::Value;

/// The document of a campaign with its map.
const MAP_DOCUMENT: &str = "world.json";

/// The parts of a world's map that this reads.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TickMap {
    title: String,
    time: String,
    player: TickMapPlayer,
    places: Vec<TickMapPlace>,
    people: Vec<TickMapPerson>,
    threads: Vec<TickMapThread>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TickMapPlayer {
    name: String,
    place: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TickMapPlace {
    name: String,
    description: String,
    scenery: Vec<TickMapPart>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TickMapPart {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TickMapPerson {
    name: String,
    aliases: Vec<String>,
    pronoun: String,
    description: String,
    place: String,
    schedule: Vec<TickMapHours>,
    fallback: Vec<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TickMapHours {
    from: String,
    place: String,
    doing: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TickMapThread {
    name: String,
    opening: String,
}

/// A world and the title of its map.
#[derive(Debug, Default)]
pub(super) struct TickWorldView {
    pub(super) title: Option<String>,
    pub(super) world: Option<TickWorld>,
}

/// Reads the world; a story without one has nothing here. A campaign that has not begun is as its map says.
pub(super) fn world_view(story: &Story) -> Result<TickWorldView, StoryError> {
    let moment = StateReader(story.state().as_object());
    let campaign = story.campaign()?;
    let map = match &campaign {
        Some(campaign) => campaign.read::<TickMap>(MAP_DOCUMENT).ok().flatten(),
        None => moment.at("/world/map").and_then(|map| TickMap::deserialize(map).ok()),
    };
    let Some(map) = map else { return Ok(TickWorldView::default()) };
    let title = (!map.title.trim().is_empty()).then(|| map.title.clone());
    let world = TickWorld {
        has_author: campaign.is_some(),
        allows_strangers: campaign.as_ref().is_some_and(allows_strangers),
        ..moment.world(map)
    };
    Ok(TickWorldView { title, world: Some(world) })
}

/// Whether the author lets ticks bring in people. A campaign whose start cannot be read allows nobody.
fn allows_strangers(campaign: &CompiledCampaign) -> bool {
    campaign.start().map_or_else(
        |error| {
            tracing::warn!("what the campaign allows to ticks cannot be read: {error}");
            false
        },
        |start| start.strangers_in_ticks,
    )
}

/// The state of the story.
struct StateReader<'a>(&'a Object);

impl StateReader<'_> {
    fn at(&self, pointer: &str) -> Option<&Value> {
        let (first, rest) = pointer.strip_prefix('/')?.split_once('/')?;
        self.0.get(first)?.pointer(&format!("/{rest}"))
    }

    fn text(&self, pointer: &str) -> Option<String> {
        self.at(pointer)?.as_str().map(str::to_owned)
    }

    fn names(&self, pointer: &str) -> BTreeSet<String> {
        let found = self.at(pointer).and_then(Value::as_array).into_iter().flatten();
        found.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    }

    fn texts(&self, pointer: &str) -> BTreeMap<String, String> {
        let found = self.at(pointer).and_then(Value::as_object).into_iter().flatten();
        found.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned()))).collect()
    }

    fn world(&self, map: TickMap) -> TickWorld {
        let place = self.text("/world/now/place").unwrap_or_else(|| map.player.place.clone());
        let minutes = self.minutes(&map.time);
        let dead = self.names("/world/view/dead");
        let moved = self.texts("/world/now/at");
        let present =
            self.at("/world/view/present").is_some().then(|| self.names("/world/view/present"));
        let is_dark = self.text("/world/now/light").is_some_and(|light| light == "dark");
        let player = TickPerson {
            name: map.player.name.clone(),
            short: map.player.name.split(' ').next().unwrap_or_default().to_owned(),
            place: place.clone(),
            ..TickPerson::default()
        };
        let people = map.people.into_iter().filter(|one| !dead.contains(&one.name)).map(|one| {
            let hours = entry_at(&one.schedule, |hours: &TickMapHours| &hours.from, minutes);
            let here = match moved.get(&one.name).map(|at| at.strip_prefix("at ")) {
                Some(at) => at.unwrap_or_default().to_owned(),
                None => hours.map_or_else(|| one.place.clone(), |hours| hours.place.clone()),
            };
            // Who is seen here the world knows best.
            let here = match &present {
                Some(present) if present.contains(&one.name) => place.clone(),
                Some(_) if here == place => String::new(),
                _ => here,
            };
            let doing = hours.filter(|hours| hours.place == here);
            TickPerson {
                doing: doing.map(|hours| hours.doing.clone()).unwrap_or_default(),
                says: one
                    .fallback
                    .iter()
                    .filter_map(|says| says.as_str().map(str::to_owned))
                    .collect(),
                short: short_name(&one.name, &one.aliases),
                name: one.name,
                pronoun: one.pronoun,
                description: one.description,
                place: here,
            }
        });
        let people = [player].into_iter().chain(people).collect();
        let places = map.places.into_iter().map(|one| {
            let is_seen = !(is_dark && one.name == place);
            let features = one.scenery.iter().filter(|_| is_seen);
            TickPlace {
                features: features.map(|part| with_article(&part.name)).collect(),
                name: one.name,
                description: one.description,
            }
        });
        let not_open = &self.names("/world/view/done") | &self.names("/world/view/idle");
        let stages = self.texts("/world/view/stages");
        let open = map.threads.into_iter().filter(|thread| !not_open.contains(&thread.name));
        let threads =
            open.map(|thread| stages.get(&thread.name).cloned().unwrap_or(thread.opening));
        TickWorld {
            player: map.player.name,
            time: self.text("/world/now/time").unwrap_or_else(|| time_of_day(minutes).to_owned()),
            people,
            places: places.collect(),
            threads: threads.filter(|thread| !thread.trim().is_empty()).collect(),
            ..TickWorld::default()
        }
    }

    /// The time of day in minutes.
    fn minutes(&self, begins: &str) -> u64 {
        let number = |pointer: &str| self.at(pointer).and_then(Value::as_u64);
        match (number("/world/view/hour"), number("/world/view/minute")) {
            (Some(hour), minute) => hour % 24 * 60 + minute.unwrap_or(0) % 60,
            (None, _) => minutes_of_day(begins).unwrap_or(BEGINNING_MINUTE),
        }
    }
}

/// The first of the author's other names for somebody that is a word of the name: `Tam` for Old Tam. Empty if there is none.
fn short_name(name: &str, aliases: &[String]) -> String {
    let is_part = |alias: &&String| name.split(' ').any(|word| word == **alias);
    aliases.iter().find(is_part).cloned().unwrap_or_default()
}

/// Names of a world have no article, and proper names begin with a capital.
fn with_article(name: &str) -> String {
    match name.starts_with(char::is_lowercase) {
        true => format!("the {name}"),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map() -> TickMap {
        let map = json!({
            "title": "The Ropes", "time": "07:00",
            "player": {"name": "Kit Rowe", "description": "You are here.", "place": "quay"},
            "places": [
                {"name": "quay", "description": "Wet.", "scenery": [{"name": "railings"}, {"name": "Old Bell"}]},
                {"name": "office", "description": "Dry."},
            ],
            "people": [{
                "name": "Mina Holt", "pronoun": "she", "description": "She mends nets.", "place": "office",
                "schedule": [
                    {"from": "08:00", "place": "quay", "doing": "mending a net"},
                    {"from": "18:00", "place": "office"},
                ],
            }],
            "threads": [{"name": "Ropes", "opening": "The ropes are cut."}, {"name": "Out", "opening": "The door is locked."}],
        });
        TickMap::deserialize(&map).unwrap()
    }

    fn world(state: &Value) -> TickWorld {
        StateReader(state.as_object().unwrap()).world(map())
    }

    fn shown(world: &TickWorld) -> Vec<String> {
        let people = world.people.iter();
        people.map(|one| format!("{} at {}: {}", one.name, one.place, one.doing)).collect()
    }

    #[test]
    fn people_are_where_the_hour_has_them() {
        let at = |hour: u64| {
            shown(&world(
                &json!({"world": {"now": {"place": "quay"}, "view": {"hour": hour, "minute": 5}}}),
            ))
        };
        assert_eq!(at(9), ["Kit Rowe at quay: ", "Mina Holt at quay: mending a net"]);
        assert_eq!(at(3), ["Kit Rowe at quay: ", "Mina Holt at office: "]);
    }

    #[test]
    fn the_state_of_the_world_counts_more_than_its_map() {
        let found = world(&json!({"world": {
            "now": {"place": "office", "time": "evening", "light": "bright", "at": {"Mina Holt": "at quay"}},
            "view": {"hour": 19, "minute": 0, "present": [], "done": ["Out"], "stages": {"Ropes": "One is left."}},
        }}));
        assert_eq!(shown(&found), ["Kit Rowe at office: ", "Mina Holt at quay: "]);
        assert_eq!(
            (found.time.as_str(), found.threads),
            ("evening", vec!["One is left.".to_owned()])
        );
        assert_eq!(found.places[0].features, ["the railings", "Old Bell"]);
        let closed = world(&json!({"world": {"view": {"done": [], "idle": ["Out"]}}}));
        assert_eq!(closed.threads, ["The ropes are cut."]);
        let dead =
            world(&json!({"world": {"now": {"place": "quay"}, "view": {"dead": ["Mina Holt"]}}}));
        assert_eq!(shown(&dead), ["Kit Rowe at quay: "]);
    }

    #[test]
    fn somebody_is_called_as_the_author_calls_them() {
        let aliases = ["harbour master", "Crane", "Captain"].map(str::to_owned);
        assert_eq!(short_name("Captain Crane", &aliases), "Crane");
        assert_eq!(short_name("Old Tam", &[]), "");
    }

    #[test]
    fn a_story_that_has_not_begun_is_as_its_map_says() {
        let found = world(&json!({}));
        assert_eq!((found.time.as_str(), found.player.as_str()), ("morning", "Kit Rowe"));
        assert_eq!(shown(&found), ["Kit Rowe at quay: ", "Mina Holt at office: "]);
    }
}
