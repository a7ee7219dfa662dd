//! Who and what the names of a scene mean.

use english::WordClass;

use super::finding::{EvaluationRequest, SceneFault, SceneFaultKind, fault, without_quotations};
use crate::tick::story_view::{TickCharacter, TickStory};

/// A capitalized word that names a kind of place.
const PLACE_WORDS: [&str; 40] = [
    "Tower",
    "Inn",
    "Hall",
    "Bridge",
    "Archive",
    "Market",
    "Harbour",
    "Harbor",
    "Castle",
    "House",
    "Temple",
    "Church",
    "Chapel",
    "Library",
    "Tavern",
    "Palace",
    "Gate",
    "Square",
    "Garden",
    "Gardens",
    "Mill",
    "Cave",
    "Forest",
    "Wood",
    "Keep",
    "Abbey",
    "Citadel",
    "Dock",
    "Docks",
    "Quay",
    "Street",
    "Row",
    "Lane",
    "Cellar",
    "Observatory",
    "Theatre",
    "Prison",
    "Vault",
    "School",
    "Room",
];

/// Capitalized words after a preposition that name no place.
const NO_PLACES: [&str; 22] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "Michaelmas",
    "God",
    "I",
];

/// The people and places of a scene.
pub(super) struct SceneNames<'a> {
    pub(super) request: &'a EvaluationRequest<'a>,
    /// The characters of the story, each with the names by which a text calls them.
    pub(super) people: Vec<(&'a TickCharacter, Vec<&'a str>)>,
    /// All that the story says about its places and people: a name that occurs there is no invention.
    known: String,
}

impl<'a> SceneNames<'a> {
    pub(super) fn new(request: &'a EvaluationRequest<'a>) -> SceneNames<'a> {
        let story: &TickStory = request.story;
        let given = |name: &'a str| name.split_whitespace().next().unwrap_or(name);
        let is_shared = |short: &str| {
            story.characters.iter().filter(|one| given(&one.name) == short).count() > 1
        };
        let names = |one: &'a TickCharacter| {
            let short = given(&one.name);
            let mut names = vec![one.name.as_str()];
            if short != one.name && !is_shared(short) && short.len() > 2 {
                names.push(short);
            }
            names
        };
        let places = story.locations.iter().flat_map(|place| {
            [&place.name, &place.description, &place.atmosphere].into_iter().chain(&place.features)
        });
        let people = story.characters.iter().flat_map(|one| [&one.name, &one.description]);
        let loops = story.loops.iter().map(|one| &one.description);
        let scenes = story.scenes.iter().map(|scene| &scene.text);
        let world = story.world.iter().flat_map(|world| {
            let places = world.places.iter();
            let places = places.flat_map(|place| [&place.name].into_iter().chain(&place.features));
            places.chain(world.people.iter().map(|person| &person.name)).chain(&world.threads)
        });
        let all = places.chain(people).chain(loops).chain(scenes).chain(world).map(String::as_str);
        let here = [request.place, request.also_known, story.novel_name.as_str()];
        let known: Vec<&str> =
            all.chain(here).chain(request.people.iter().map(String::as_str)).collect();
        SceneNames {
            request,
            people: story.characters.iter().map(|one| (one, names(one))).collect(),
            known: known.join("\n").to_lowercase(),
        }
    }

    /// The character of the point of view, if the story knows one.
    pub(super) fn pov(&self) -> Option<&'a TickCharacter> {
        self.people.iter().map(|(one, _)| *one).find(|one| one.name == self.request.pov)
    }

    /// True if the name is that of somebody who is there.
    pub(super) fn is_present(&self, character: &TickCharacter) -> bool {
        self.request.people.contains(&character.name)
    }

    fn is_known(&self, name: &str) -> bool {
        self.known.contains(&name.to_lowercase())
    }

    /// Places of the sentence that the story does not know: the name follows a preposition, and says that it is a place or
    /// has an article.
    pub(super) fn unknown_places(&self, sentence: &str) -> Vec<SceneFault> {
        let text = without_quotations(sentence);
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut faults = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if !WordClass::BeforePlaceInScene.has(word.to_lowercase().as_str()) {
                continue;
            }
            let mut rest = words[at + 1..].iter().peekable();
            let has_article = rest.next_if(|next| **next == "the").is_some();
            let mut name: Vec<&str> = Vec::new();
            for next in rest {
                let bare = next.trim_matches(|letter: char| !letter.is_alphanumeric());
                let bare = bare.strip_suffix("'s").unwrap_or(bare);
                let is_joint = !name.is_empty() && matches!(bare, "of" | "the");
                if !bare.starts_with(char::is_uppercase) && !is_joint {
                    break;
                }
                name.push(bare);
                if next.ends_with([',', '.', ';', ':', '!', '?', '"']) || next.ends_with("'s") {
                    break;
                }
            }
            while name.last().is_some_and(|last| matches!(*last, "of" | "the")) {
                name.pop();
            }
            let Some(last) = name.last() else { continue };
            let is_place = name.iter().any(|part| PLACE_WORDS.contains(part));
            let is_person =
                self.people.iter().any(|(one, _)| name.iter().any(|part| one.name.contains(part)));
            if NO_PLACES.contains(last) || is_person && !is_place {
                continue;
            }
            let whole = name.join(" ");
            // A single name after "in" or "at" is a town; after "to" or "from" it may be a person.
            let is_town =
                name.len() == 1 && !has_article && matches!(*word, "in" | "In" | "at" | "At");
            let looks_like_one = is_place || is_town || (has_article && name.len() > 1);
            if looks_like_one && !self.is_known(&whole) {
                faults.push(fault(
                    SceneFaultKind::UnknownPlace,
                    format!("the story has no place `{whole}`"),
                ));
            }
        }
        faults
    }
}
