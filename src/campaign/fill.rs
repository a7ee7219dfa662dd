//! Generates the missing parts of a campaign from the building blocks of the world: places if there are none, a place
//! for a person without one, a name for the player. Given parts do not change.

use serde_json::{Value, json};
use world_model::{
    definition::{PersonDefinition, PlaceDefinition, WorldDefinition},
    premise,
};

/// Sentences that tell the author what was generated.
pub(crate) type FillNotes = Vec<String>;

/// Most characters of the texts that a world is made from.
const PREMISE_CHARS_MAX: usize = 1000;

/// A world from the premise. The given people take the parts of its first people; the others stay in it.
pub(crate) fn made_world(
    premise: &str,
    seed: u64,
    places: &[(String, String)],
    given: &mut [Value],
    notes: &mut FillNotes,
) -> WorldDefinition {
    // Given people take the parts of generated people. Beings that the premise names are given people already, so the
    // premise must not create them a second time.
    let made = match given.is_empty() {
        true => premise::make(&plain(premise), seed),
        false => premise::make_without_beings(&plain(premise), seed, &called(given)),
    };
    let mut value = serde_json::to_value(&made).unwrap_or_default();
    name_places(&mut value, &made, places);
    let made_people = made.people.len();
    for (person, stand_in) in given.iter().zip(&made.people) {
        if let Some(name) = person["name"].as_str() {
            rename(&mut value, &stand_in.name, name);
        }
    }
    let mut world: WorldDefinition = serde_json::from_value(value).unwrap_or(made);
    notes.push(format!(
        "there is no world/places.toml: {} places, {} things and {} threads were made from the premise",
        world.places.len(),
        world.things.len(),
        world.threads.len()
    ));
    // The last two places are the dark one and the locked one.
    let open_places = world.places.len().saturating_sub(2).max(1);
    for (n, person) in given.iter_mut().enumerate() {
        let Some(person) = person.as_object_mut() else { continue };
        let place = match world.people.get(n) {
            Some(stand_in) => stand_in.place.clone(),
            None => world.places[(n * 2 + 1) % open_places].name.clone(),
        };
        person.entry("place".to_owned()).or_insert(json!(place));
        if let Some(stand_in) = world.people.get(n).and_then(|it| serde_json::to_value(it).ok()) {
            for (key, value) in stand_in.as_object().into_iter().flatten() {
                // Aliases of a stand-in are its trade, which is not the given person's.
                if !["aliases", "fallback", "pronoun"].contains(&key.as_str()) {
                    person.entry(key.clone()).or_insert_with(|| value.clone());
                }
            }
        }
    }
    world.people.drain(..given.len().min(made_people));
    world
}

/// Everything that these people are called.
fn called(people: &[Value]) -> Vec<String> {
    let names = people.iter().flat_map(|person| {
        let aliases = person["aliases"].as_array().into_iter().flatten();
        std::iter::once(&person["name"]).chain(aliases)
    });
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Gives the first places the names and the descriptions that the campaign has for its own.
fn name_places(value: &mut Value, made: &WorldDefinition, places: &[(String, String)]) {
    let open_places = made.places.len().saturating_sub(2);
    for (n, (name, description)) in places.iter().enumerate().take(open_places) {
        let is_same = |place: &PlaceDefinition| place.name.eq_ignore_ascii_case(name);
        let n = made.places.iter().position(is_same).unwrap_or(n);
        // An earlier name may stand in this one: `bridge` in `old bridge`.
        let from = value["places"][n]["name"].as_str().unwrap_or_default().to_owned();
        rename(value, &from, name);
        value["places"][n]["description"] = json!(description);
    }
}

/// Puts people without a place somewhere: one after the other through the places.
pub(crate) fn place_people(
    people: &mut [Value],
    places: &[String],
    seed: u64,
    notes: &mut FillNotes,
) {
    if places.is_empty() {
        return;
    }
    let first = usize::try_from(seed % places.len() as u64).unwrap_or(0);
    for person in people.iter_mut().filter(|person| person.get("place").is_none()) {
        // A person with a schedule begins at its first place.
        if let Some(first) = person.pointer("/schedule/0/place").cloned() {
            person["place"] = first;
        }
    }
    let without = people.iter_mut().filter_map(Value::as_object_mut);
    for (n, person) in without.filter(|person| !person.contains_key("place")).enumerate() {
        let place = &places[(first + n) % places.len()];
        let name = person.get("name").and_then(Value::as_str).unwrap_or_default();
        notes.push(format!("`{name}` has no place and was put into `{place}`"));
        person.insert("place".to_owned(), json!(place));
    }
}

/// A name for a player without one.
pub(crate) fn player_name(premise: &str, seed: u64) -> String {
    premise::make(&plain(premise), seed).player.name
}

/// The title of a world that is made from the premise.
pub(crate) fn title(premise: &str, seed: u64) -> String {
    premise::make(&plain(premise), seed).title
}

/// Returns true if the premise is at most one sentence, such as `a lighthouse keeper who has not slept for nine days`.
pub(crate) fn is_one_sentence(premise: &str) -> bool {
    world_model::words::sentences(&plain(premise)).len() <= 1
}

/// The premise as one line, without headings and marks.
fn plain(premise: &str) -> String {
    let lines = premise.lines().map(|line| line.trim_start_matches(['#', '>', '*', '-', ' ']));
    let text: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    text.join(" ").chars().filter(|c| !"*_`".contains(*c)).take(PREMISE_CHARS_MAX).collect()
}

/// Writes another name wherever one stands.
fn rename(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text.contains(from) => *text = text.replace(from, to),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, from, to)),
        Value::Object(fields) => fields.values_mut().for_each(|field| rename(field, from, to)),
        _ => {}
    }
}

/// The first sentences of a text, a hundred words at most.
pub(crate) fn opening_of(text: &str, words_max: usize) -> String {
    let text = plain(text);
    let mut opening = String::new();
    for sentence in world_model::words::sentences(&text) {
        let words = opening.split_whitespace().count() + sentence.split_whitespace().count();
        if words > words_max {
            break;
        }
        opening = format!("{opening} {sentence}").trim().to_owned();
    }
    if opening.is_empty() {
        let words: Vec<&str> = text.split_whitespace().take(words_max).collect();
        opening = world_model::words::ended(&words.join(" "));
    }
    opening
}

/// A person with the fields that every person has.
pub(crate) fn complete(person: &mut Value) {
    let Some(person) = person.as_object_mut() else { return };
    let name = person.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let description = PersonDefinition::default().description;
    let has = person.get("description").and_then(Value::as_str).unwrap_or(&description);
    if has.is_empty() {
        person.insert("description".to_owned(), json!(format!("This is {name}.")));
    }
}
