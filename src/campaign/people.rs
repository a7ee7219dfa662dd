//! People: the entries of `people.toml`, completed by profiles of the same name.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use narratoria_protocol::PersonEntry;

use crate::{
    documents::{CampaignDocuments, Document},
    kinds::{FileKind, is_generated},
    names::{CampaignNames, NameKind},
    problem::CampaignProblems,
    walk::spots,
};

/// A profile of 007.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Profile {
    pub(crate) name: String,
    role: String,
    age: Value,
    personality: Personality,
    motivations: Vec<String>,
    speech_patterns: SpeechPatterns,
    relationships: Map<String, Value>,
    appearance: String,
    background: String,
    goals: Vec<ProfileGoal>,
    pub(crate) inventory: Vec<String>,
    metadata: ProfileMetadata,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Personality {
    traits: Vec<String>,
    flaws: Vec<String>,
    virtues: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct SpeechPatterns {
    style: String,
    examples: Vec<String>,
    catchphrases: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct ProfileGoal {
    description: String,
    status: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct ProfileMetadata {
    first_appearance: String,
}

/// Longest alias that a role becomes, in characters.
const ROLE_CHARS_MAX: usize = 40;

/// Longest description of a person in the world, in characters.
const APPEARANCE_CHARS_MAX: usize = 600;

/// Longest entry about a person for the planner, in characters.
const PERSON_CHARS_MAX: usize = 2000;

/// The people of a campaign before they have places.
#[derive(Debug, Default)]
pub(crate) struct JoinedPeople {
    /// The entries of `people.toml`, completed by profiles. Some lack a place.
    pub(crate) people: Vec<Value>,
    pub(crate) profiles: Vec<Profile>,
    /// The entry of each person for a planner.
    pub(crate) entries: Vec<PersonEntry>,
}

/// Joins people with profiles by their names.
pub(crate) fn join_people(
    documents: &CampaignDocuments,
    names: &CampaignNames,
    problems: &mut CampaignProblems,
) -> JoinedPeople {
    let (mut joined, mut generated) = (JoinedPeople::default(), Vec::new());
    for document in documents.of(FileKind::Profile).filter(|document| document.fits) {
        match Profile::deserialize(document.node.value()) {
            Ok(profile) => joined.add_profile(profile, document, problems),
            Err(error) => problems.error(&document.path, None, error.to_string()),
        }
    }
    for document in documents.of(FileKind::People).filter(|document| document.fits) {
        for spot in spots(&document.node, "person") {
            let person = spot.node.value();
            if is_generated(&document.path) {
                generated.push(person);
            } else {
                joined.people.push(person);
            }
        }
    }
    for profile in &joined.profiles {
        let is_same = |person: &&mut Value| {
            person["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case(&profile.name))
        };
        match joined.people.iter_mut().find(is_same) {
            Some(person) => add_from(profile, person, names),
            None => {
                let mut person = json!({ "name": profile.name });
                add_from(profile, &mut person, names);
                joined.people.push(person);
            }
        }
    }
    for made in generated {
        let is_same = |person: &&mut Value| person["name"] == made["name"];
        match joined.people.iter_mut().find(is_same) {
            Some(person) => complete_with(person, &made),
            None => joined.people.push(made),
        }
    }
    let factions = memberships(documents);
    for person in &mut joined.people {
        let name = person["name"].as_str().unwrap_or_default().to_owned();
        if let Some((_, faction)) = factions.iter().find(|(member, _)| *member == name)
            && person.get("faction").is_none()
        {
            person["faction"] = json!(faction);
        }
        let profile =
            joined.profiles.iter().find(|profile| profile.name.eq_ignore_ascii_case(&name));
        joined.entries.push(entry(person, profile));
    }
    joined
}

impl JoinedPeople {
    fn add_profile(
        &mut self,
        profile: Profile,
        document: &Document,
        problems: &mut CampaignProblems,
    ) {
        let twin = self.profiles.iter().any(|it| it.name.eq_ignore_ascii_case(&profile.name));
        if twin {
            let what = format!("a second profile of `{}`: rename one of them", profile.name);
            let line = document.node.get("name").map(|node| node.line);
            problems.error(&document.path, line, what);
        } else {
            self.profiles.push(profile);
        }
    }
}

/// Adds the fields that a person lacks.
fn complete_with(person: &mut Value, made: &Value) {
    let Some(person) = person.as_object_mut() else { return };
    for (key, value) in made.as_object().into_iter().flatten() {
        person.entry(key.clone()).or_insert_with(|| value.clone());
    }
}

/// Fills the fields that `people.toml` lacks, and changes no other.
fn add_from(profile: &Profile, person: &mut Value, names: &CampaignNames) {
    let Some(person) = person.as_object_mut() else { return };
    let mut fill = |key: &str, value: Value| {
        person.entry(key.to_owned()).or_insert(value);
    };
    fill("description", json!(description(profile)));
    fill("pronoun", json!(pronoun(profile)));
    let speech = &profile.speech_patterns;
    if let Some(first) = speech.catchphrases.first().or(speech.examples.first()) {
        fill("greeting", json!(spoken(first)));
    }
    let answers = speech.examples.iter().chain(speech.catchphrases.iter().skip(1));
    let answers: Vec<String> = answers.map(|it| spoken(it)).collect();
    if !answers.is_empty() {
        fill("fallback", json!(answers));
    }
    let first = profile.metadata.first_appearance.trim().to_lowercase();
    let place = names.all(NameKind::Place).find(|place| place.to_lowercase() == first);
    if let Some(place) = place {
        fill("place", json!(place));
    }
    let role = role_name(&profile.role);
    if !role.is_empty() && !names.is_spoken(&role) {
        fill("aliases", json!([role]));
    }
}

fn description(profile: &Profile) -> String {
    let appearance: String = profile.appearance.trim().chars().take(APPEARANCE_CHARS_MAX).collect();
    if !appearance.is_empty() {
        return world_model::words::ended(&appearance);
    }
    let role = role_name(&profile.role);
    let role = if role.is_empty() { "person".to_owned() } else { role };
    let article = world_model::words::capitalised(english::article(&role));
    match profile.personality.traits.first() {
        Some(first) => {
            format!("{article} {role}: {}.", first.trim().trim_end_matches('.').to_lowercase())
        }
        None => format!("{article} {role}."),
    }
}

/// The role as a name without an article; empty if it is a sentence.
fn role_name(role: &str) -> String {
    let role = role.trim().trim_end_matches('.');
    let plain: &str = ["the ", "a ", "an "]
        .iter()
        .find_map(|article| {
            let head = role.get(..article.len())?;
            head.eq_ignore_ascii_case(article).then(|| &role[article.len()..])
        })
        .unwrap_or(role);
    let first = plain.split([',', ';', '(', '.']).next().unwrap_or_default().trim();
    let is_name = first.chars().count() <= ROLE_CHARS_MAX
        && first.chars().all(|c| c.is_alphanumeric() || " -'".contains(c))
        && first.chars().any(char::is_alphabetic);
    if is_name { first.to_lowercase() } else { String::new() }
}

/// The pronoun that the profile's own sentences use most.
fn pronoun(profile: &Profile) -> &'static str {
    let text = format!("{} {}", profile.appearance, profile.background);
    let words = world_model::words::split(&text);
    let count = |forms: &[&str]| words.iter().filter(|word| forms.contains(&word.as_str())).count();
    let [she, he, they] =
        [&["she", "her", "hers"][..], &["he", "him", "his"], &["they", "them", "their"]].map(count);
    if she > he && she >= they {
        "she"
    } else if he > she && he >= they {
        "he"
    } else {
        "they"
    }
}

/// A sentence without the marks around it.
fn spoken(text: &str) -> String {
    let marks = ['"', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}'];
    world_model::words::ended(text.trim().trim_matches(marks))
}

/// Members of factions: person and faction.
fn memberships(documents: &CampaignDocuments) -> Vec<(String, String)> {
    let factions = documents.of(FileKind::Factions).flat_map(|it| spots(&it.node, "faction"));
    let members = factions.flat_map(|faction| {
        let name = faction.node.text_of("name").unwrap_or_default();
        spots(faction.node, "members")
            .into_iter()
            .filter_map(|member| member.node.text())
            .map(move |member| (member.to_owned(), name.to_owned()))
    });
    members.collect()
}

/// Returns the entry of a person for a planner. It never contains secrets.
fn entry(person: &Value, profile: Option<&Profile>) -> PersonEntry {
    let list = |key: &str| -> Vec<String> {
        let items = person.get(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let text_of = |key: &str| person.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut text = Vec::new();
    if let Some(profile) = profile {
        text.extend(profile_sentences(profile));
    } else {
        text.push(text_of("description").to_owned());
    }
    let wants = text_of("wants");
    if !wants.is_empty() {
        text.push(format!("Wants: {wants}."));
    }
    if !text_of("faction").is_empty() {
        text.push(format!("Belongs to: {}.", text_of("faction")));
    }
    text.retain(|sentence| !sentence.trim().is_empty());
    let text: String = text.join(" ").chars().take(PERSON_CHARS_MAX).collect();
    PersonEntry { name: text_of("name").to_owned(), aliases: list("aliases"), text }
}

fn profile_sentences(profile: &Profile) -> Vec<String> {
    let line = |what: &str, items: &[String]| {
        let items: Vec<&str> = items.iter().map(|item| item.trim().trim_end_matches('.')).collect();
        if items.is_empty() { String::new() } else { format!("{what}: {}.", items.join("; ")) }
    };
    let age = match &profile.age {
        Value::Number(age) => format!("{age} years old"),
        Value::String(age) => age.clone(),
        _ => String::new(),
    };
    let goals: Vec<String> = profile
        .goals
        .iter()
        .filter(|goal| !["completed", "failed"].contains(&goal.status.as_str()))
        .map(|goal| goal.description.clone())
        .collect();
    let relationships: Vec<String> = profile
        .relationships
        .iter()
        .map(|(name, value)| {
            format!("{name}, {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        })
        .collect();
    let speech = &profile.speech_patterns;
    let style: Vec<String> =
        Some(speech.style.clone()).filter(|it| !it.is_empty()).into_iter().collect();
    let single = |text: &str| {
        Some(text.to_owned()).filter(|it| !it.is_empty()).into_iter().collect::<Vec<_>>()
    };
    vec![
        line("Role", &single(&profile.role)),
        line("Age", &single(&age)),
        world_model::words::ended(&profile.appearance),
        line("Traits", &profile.personality.traits),
        line("Flaws", &profile.personality.flaws),
        line("Virtues", &profile.personality.virtues),
        line("Way of speaking", &style),
        line("Says", &speech.examples.iter().take(2).cloned().collect::<Vec<_>>()),
        line("Motives", &profile.motivations),
        line("Goals", &goals),
        line("Others", &relationships),
        world_model::words::ended(&profile.background),
    ]
}
