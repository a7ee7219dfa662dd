//! Puts the world of a campaign together from its files.

use std::collections::BTreeSet;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use world_model::{
    check::{NAME_CHARS_MAX, OPENING_WORDS_MAX},
    definition::{PersonDefinition, ThingDefinition, WorldDefinition},
    words,
};

use crate::{
    documents::{CampaignDocuments, Document},
    fill::{self, FillNotes},
    kinds::FileKind,
    our_files::{PlacesFile, PlayerFile, ThingsFile, ThreadsFile},
    people::JoinedPeople,
    problem::CampaignProblems,
};

pub(crate) struct WorldSources<'s> {
    pub(crate) documents: &'s CampaignDocuments,
    /// Places that other files name, if no file has places.
    pub(crate) given_places: &'s [String],
    pub(crate) title: &'s str,
    pub(crate) premise: &'s str,
    pub(crate) seed: u64,
}

/// A whole world, with the parts of it that were generated.
pub(crate) struct AssembledWorld {
    pub(crate) world: WorldDefinition,
    pub(crate) made: MadeParts,
    pub(crate) notes: FillNotes,
}

/// The parts that no file of the author contains.
#[derive(Debug, Clone, Default)]
pub(crate) struct MadeParts {
    /// Places, doors, things and threads, if there are no places; `people` is elsewhere.
    pub(crate) world: Option<WorldDefinition>,
    /// Whole people, and the fields that given people lacked, each with the name.
    pub(crate) people: Vec<Value>,
    /// The fields of the player that no file has.
    pub(crate) player: Map<String, Value>,
    /// The opening and the time, if no file has them.
    pub(crate) start: Map<String, Value>,
    /// Their words, if a model wrote any.
    pub(crate) words: Option<MadeWords>,
}

/// The words of made parts that a model wrote.
#[derive(Debug, Clone, Default)]
pub(crate) struct MadeWords {
    /// The planner and its model.
    pub(crate) writer: String,
    /// The sections with such words: `places`, `doors`, `things`, `threads`, `people`, `player`, `start`.
    pub(crate) sections: BTreeSet<String>,
}

/// Assembles the world and generates its missing parts. Given parts come first, so that a campaign whose missing parts
/// have been written to its folder is the same campaign.
pub(crate) fn assemble(
    sources: &WorldSources<'_>,
    joined: &JoinedPeople,
    problems: &mut CampaignProblems,
) -> AssembledWorld {
    let documents = sources.documents;
    let mut assembled = AssembledWorld {
        world: WorldDefinition { time: "09:00".to_owned(), ..WorldDefinition::default() },
        made: MadeParts::default(),
        notes: FillNotes::new(),
    };
    let world = &mut assembled.world;
    for file in read_all::<PlacesFile>(documents, FileKind::Places, problems) {
        world.places.extend(file.place);
        world.doors.extend(file.door);
    }
    for file in read_all::<ThingsFile>(documents, FileKind::Things, problems) {
        world.things.extend(file.thing);
        world.verbs.extend(file.verb);
    }
    for file in read_all::<ThreadsFile>(documents, FileKind::Threads, problems) {
        world.threads.extend(file.thread);
    }
    people(&mut assembled, sources, joined, problems);
    assembled.world.title = sources.title.to_owned();
    inventories(&mut assembled.world, joined, documents, problems);
    player(&mut assembled, sources, problems);
    start(&mut assembled, sources);
    assembled
}

/// The people, and the world around them if there is none.
fn people(
    assembled: &mut AssembledWorld,
    sources: &WorldSources<'_>,
    joined: &JoinedPeople,
    problems: &mut CampaignProblems,
) {
    let AssembledWorld { world, made, notes } = assembled;
    let mut people = joined.people.clone();
    if sources.documents.of(FileKind::Places).next().is_none() {
        let places = sources.given_places.iter();
        let places: Vec<(String, String)> =
            places.map(|name| (name.clone(), told_of(name, sources.documents))).collect();
        let mut invented =
            fill::made_world(sources.premise, sources.seed, &places, &mut people, notes);
        let strangers = std::mem::take(&mut invented.people);
        people.extend(strangers.iter().filter_map(|person| serde_json::to_value(person).ok()));
        world.places.clone_from(&invented.places);
        world.doors.clone_from(&invented.doors);
        world.things.extend(invented.things.iter().cloned());
        if world.threads.is_empty() {
            world.threads.clone_from(&invented.threads);
        } else {
            invented.threads.clear();
        }
        world.time.clone_from(&invented.time);
        world.player.clone_from(&invented.player);
        made.world = Some(invented);
    }
    let names: Vec<String> = world.places.iter().map(|place| place.name.clone()).collect();
    fill::place_people(&mut people, &names, sources.seed, notes);
    for (n, person) in people.iter_mut().enumerate() {
        let added = added_fields(joined.people.get(n), person);
        if added.len() > 1 {
            made.people.push(Value::Object(added));
        }
        fill::complete(person);
        match PersonDefinition::deserialize(&*person) {
            Ok(person) => world.people.push(person),
            Err(error) => problems.error("characters/people.toml", None, error.to_string()),
        }
    }
}

/// The first sentence of the campaign's pages that names a place.
fn told_of(place: &str, documents: &CampaignDocuments) -> String {
    let lower = place.to_lowercase();
    let pages = documents
        .texts
        .values()
        .filter(|(kind, _)| [FileKind::Lore, FileKind::Setting, FileKind::Premise].contains(kind));
    let bodies = pages.map(|(_, text)| crate::lore::heading(text).1);
    let mut paragraphs = bodies.flat_map(|body| body.split("\n\n"));
    let told = paragraphs.find_map(|paragraph| {
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let sentences = words::sentences(&line).into_iter().map(str::to_owned);
        sentences.into_iter().find(|sentence| sentence.to_lowercase().contains(&lower))
    });
    told.unwrap_or_else(|| {
        let article = if place.starts_with(char::is_uppercase) { "" } else { "the " };
        format!("This is {article}{place}.")
    })
}

/// The name of a person, and the fields that were not there before.
fn added_fields(before: Option<&Value>, after: &Value) -> Map<String, Value> {
    let has = |key: &str| before.is_some_and(|before| before.get(key).is_some());
    let fields = after.as_object().into_iter().flatten();
    let added = fields.filter(|(key, _)| *key == "name" || !has(key));
    added.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Every file of a kind that fits its schema.
pub(crate) fn read_all<T: DeserializeOwned>(
    documents: &CampaignDocuments,
    kind: FileKind,
    problems: &mut CampaignProblems,
) -> Vec<T> {
    let mut found = Vec::new();
    for document in documents.of(kind).filter(|document| document.fits) {
        match read_document(document) {
            Ok(file) => found.push(file),
            Err(error) => problems.error(&document.path, None, error.to_string()),
        }
    }
    found
}

/// Returns the document as a type, without the mark of a generated file.
pub(crate) fn read_document<T: DeserializeOwned>(
    document: &Document,
) -> Result<T, serde_json::Error> {
    let mut value = document.node.value();
    if let Some(fields) = value.as_object_mut() {
        fields.shift_remove("generated");
        fields.shift_remove("generated_by");
    }
    T::deserialize(value)
}

/// Makes a thing of each item that a profile or the template lists, unless `things.toml` has it.
fn inventories(
    world: &mut WorldDefinition,
    joined: &JoinedPeople,
    documents: &CampaignDocuments,
    problems: &mut CampaignProblems,
) {
    for profile in &joined.profiles {
        for item in &profile.inventory {
            let owner = Some(profile.name.as_str());
            if let Err(what) = add_item(world, item, owner) {
                problems.note("characters/npcs", None, what);
            }
        }
    }
    for document in documents.of(FileKind::PlayerTemplate) {
        let items = document.node.get("starting_items").map(|node| node.items());
        for item in items.unwrap_or_default() {
            let Some(text) = item.text() else { continue };
            if let Err(what) = add_item(world, text, None) {
                problems.note(&document.path, Some(item.line), what);
            }
        }
    }
}

fn add_item(world: &mut WorldDefinition, item: &str, owner: Option<&str>) -> Result<(), String> {
    let name = item_name(item);
    let is_name = name.chars().any(char::is_alphabetic)
        && name.chars().count() <= NAME_CHARS_MAX
        && !name.chars().any(|c| c.is_control() || "{}<>\u{201c}\u{201d}\"".contains(c));
    if !is_name {
        return Err(format!("`{item}` is no name of a thing, so nobody has it"));
    }
    let lower = name.to_lowercase();
    let is_taken = |world: &WorldDefinition, name: &str| {
        let things = world.things.iter().map(|it| &it.name);
        let people = world.people.iter().map(|it| &it.name);
        let places = world.places.iter().map(|it| &it.name);
        let doors = world.doors.iter().map(|it| &it.name);
        let mut all = things.chain(people).chain(places).chain(doors);
        all.any(|known| known.to_lowercase() == name.to_lowercase())
    };
    let written = world
        .things
        .iter()
        .any(|thing| thing.name.to_lowercase() == lower && thing.with.as_deref() == owner);
    if written {
        return Ok(());
    }
    let name = match owner {
        Some(owner) if is_taken(world, &name) => {
            format!("{}'s {name}", owner.split(' ').next().unwrap_or(owner))
        }
        _ => name,
    };
    if is_taken(world, &name) {
        return Err(format!("`{name}` is there already, and is not made a second time"));
    }
    let description = match owner {
        Some(owner) => format!("It belongs to {owner}."),
        None => "It is yours.".to_owned(),
    };
    world.things.push(ThingDefinition {
        name,
        description,
        with: owner.map(str::to_owned),
        carried: owner.is_none(),
        ..ThingDefinition::default()
    });
    Ok(())
}

/// Returns the name without an article and without words in brackets.
fn item_name(item: &str) -> String {
    let plain = item.split(['(', ',', ';']).next().unwrap_or_default().trim();
    let plain = plain.trim_end_matches('.');
    let lower = plain.to_lowercase();
    let article = ["the ", "a ", "an ", "some ", "his ", "her ", "their ", "my "]
        .into_iter()
        .find(|article| lower.starts_with(article));
    let name = article.map_or(plain, |article| &plain[article.len()..]);
    name.trim().to_owned()
}

/// Completes the player: a field that no file has is generated.
fn player(
    assembled: &mut AssembledWorld,
    sources: &WorldSources<'_>,
    problems: &mut CampaignProblems,
) {
    let AssembledWorld { world, made, notes } = assembled;
    let mut given = PlayerFile::default();
    for file in read_all::<PlayerFile>(sources.documents, FileKind::Player, problems) {
        if given.traits.is_empty() {
            given.traits = file.traits;
        }
        let fields = [
            (&mut given.name, file.name),
            (&mut given.description, file.description),
            (&mut given.place, file.place),
        ];
        // The first file that says something is the one that a person wrote.
        for (field, value) in fields.into_iter().filter(|(field, _)| field.trim().is_empty()) {
            *field = value;
        }
    }
    world.player.traits.clone_from(&given.traits);
    if given.place.trim().is_empty() {
        given.place = template_place(world, sources.documents, problems).unwrap_or_default();
    }
    if world.player.place.is_empty()
        && let Some(first) = world.places.first()
    {
        world.player.place = first.name.clone();
    }
    if given.name.trim().is_empty() && world.player.name.trim().is_empty() {
        world.player.name = fill::player_name(sources.premise, sources.seed);
    }
    if given.name.trim().is_empty() {
        let name = &world.player.name;
        notes.push(format!(
            "the player has no name and is called `{name}`: write characters/player/player.toml"
        ));
    }
    let fields = [
        ("name", &mut world.player.name, given.name),
        ("description", &mut world.player.description, given.description),
        ("place", &mut world.player.place, given.place),
    ];
    for (key, field, value) in fields {
        if !value.trim().is_empty() {
            *field = value;
        } else if !field.is_empty() {
            made.player.insert(key.to_owned(), json!(field));
        }
    }
}

/// The place that the template names, if there is one of this name.
fn template_place(
    world: &WorldDefinition,
    documents: &CampaignDocuments,
    problems: &mut CampaignProblems,
) -> Option<String> {
    let document = documents.of(FileKind::PlayerTemplate).next()?;
    let node = document.node.get("starting_location")?;
    let location = node.text()?.trim();
    let mut places = world.places.iter().map(|place| &place.name);
    let found = places.find(|place| place.eq_ignore_ascii_case(location));
    if found.is_none() {
        let what = format!(
            "`starting_location`: there is no place `{location}`, so the story begins elsewhere"
        );
        problems.note(&document.path, Some(node.line), what);
    }
    found.cloned()
}

/// The opening and the time of day.
fn start(assembled: &mut AssembledWorld, sources: &WorldSources<'_>) {
    let AssembledWorld { world, made, notes } = assembled;
    let files = || sources.documents.of(FileKind::Start).filter(|document| document.fits);
    let said = |key: &str| {
        let texts = files().filter_map(|document| document.node.text_of(key));
        texts.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned)
    };
    match said("time") {
        Some(time) => world.time = time,
        None if made.world.is_some() => {
            made.start.insert("time".to_owned(), json!(world.time));
        }
        None => {}
    }
    world.opening = match said("opening") {
        Some(opening) => opening,
        None => {
            let opening = made_opening(sources.premise, world, made.world.as_ref());
            made.start.insert("opening".to_owned(), json!(opening));
            notes.push(
                "there is no opening in plot/start.toml: it was made from the premise".to_owned(),
            );
            opening
        }
    };
}

/// Returns an opening. For a premise of one sentence it is that of the generated world: the player, the place and the
/// open threads. Otherwise it is the beginning of the premise, and the player's name unless the premise has it.
fn made_opening(premise: &str, world: &WorldDefinition, made: Option<&WorldDefinition>) -> String {
    let name = &world.player.name;
    let made = made.filter(|it| it.player == world.player && fill::is_one_sentence(premise));
    if let Some(made) = made {
        let begun = world.threads.iter().filter(|thread| thread.after.is_empty());
        let threads = begun.map(|thread| thread.opening.as_str());
        return joined_within(&made.opening, threads, OPENING_WORDS_MAX);
    }
    let you_are = format!("You are {name}.");
    let words = you_are.split_whitespace().count();
    let opening = fill::opening_of(premise, OPENING_WORDS_MAX.saturating_sub(words));
    if name.is_empty() || opening.contains(name) { opening } else { format!("{opening} {you_are}") }
}

/// Returns the text with as many of the sentences after it as fit into `words_max` words.
fn joined_within<'t>(text: &str, more: impl Iterator<Item = &'t str>, words_max: usize) -> String {
    let words = |text: &str| text.split_whitespace().count();
    more.fold(text.to_owned(), |text, next| match words(&text) + words(next) <= words_max {
        true => format!("{text} {next}"),
        false => text,
    })
}

/// The text of a field of the manifest.
pub(crate) fn manifest_text(documents: &CampaignDocuments, key: &str) -> Option<String> {
    let manifest = documents.of(FileKind::Manifest).next()?;
    let value: Value = manifest.node.get(key)?.value();
    value.as_str().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
