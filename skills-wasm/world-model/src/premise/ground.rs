//! The ground of a made world: the premise's own place with its parts, and what else it names.

use english::WordClass;
use narratoria_sdk::Rng;

use super::{
    classes::{WordSense, class_of},
    era::{PremiseEra, era_called},
    layout::{ANY_PLACE, LayoutShape, PremiseLayout, in_place, layout_of, layout_of_name, the},
    noun::PremiseNoun,
    nouns::NounKind,
    reading::PremiseReading,
    setting::PremiseCertainty,
    texts::sight_of_kind,
    wants::PremiseWant,
};
/// Fewest and most places of a world.
const PLACES: std::ops::RangeInclusive<i64> = 6..=10;

/// What points at a kind of place that outweighs a place of no known kind, and what is enough where no place is said.
const POINTING_MIN: usize = 3;
const SIGN_MIN: usize = 2;

/// Most places that a premise names besides the first.
const OTHER_PLACES_MAX: usize = 3;

/// What people wait for or set out for, and where they do.
const APPROACHES: &[(&str, &str)] = &[
    ("ferry boat ship island lighthouse launch raft steamer", "shore"),
    ("train tram bus railway coach", "station"),
    ("summit peak mountain pass hut hermitage waterfall", "mountain"),
    ("temple tomb ruins cave mine", "forest"),
];

/// Where a story happens.
#[derive(Debug, Clone)]
pub(super) struct PremiseGround {
    pub(super) layout: &'static PremiseLayout,
    pub(super) era: &'static PremiseEra,
    /// How sure the kind of place is.
    pub(super) certainty: PremiseCertainty,
    /// The premise's word for all of it, and other words for that; none where it is the name of the first place.
    pub(super) whole: Option<(String, Vec<String>)>,
    /// The name of the first place, if the premise says it.
    first: Option<String>,
    /// What lies around it: places of another kind.
    surroundings: Option<&'static PremiseLayout>,
    /// Other places that the premise names.
    others: Vec<String>,
    /// The place that somebody wants to get to.
    pub(super) aim: Option<String>,
    /// The place that the premise says is locked.
    pub(super) sealed: Option<String>,
    /// The places that belong to the whole, by number.
    pub(super) inside: Vec<usize>,
}

/// Returns true if the noun is called by a number: `Room 9`.
fn is_numbered(noun: &PremiseNoun) -> bool {
    noun.name.ends_with(|c: char| c.is_ascii_digit())
}

/// Returns true if the name is that of a room: `kitchen`, `room 9`.
fn is_room(name: &str) -> bool {
    let is_word = |word: &&str| word.chars().any(char::is_alphabetic);
    let name = name.to_lowercase();
    name.split(' ').rfind(is_word).is_some_and(|head| WordClass::Room.has(head))
}

impl PremiseGround {
    pub(super) fn of(reading: &PremiseReading) -> PremiseGround {
        let places: Vec<&PremiseNoun> =
            reading.of_kind(NounKind::Place).map(|(_, noun)| noun).collect();
        let mut ground = PremiseGround {
            layout: &ANY_PLACE,
            era: era_called(ANY_PLACE.era),
            certainty: PremiseCertainty::Unknown,
            whole: None,
            first: None,
            surroundings: None,
            others: Vec::new(),
            aim: None,
            sealed: None,
            inside: Vec::new(),
        };
        ground.aim = reading.wants.iter().find_map(|want| match want {
            PremiseWant::Reach(noun) => Some(reading.nouns[*noun].name.clone()),
            _ => None,
        });
        if ground.aim.is_none() {
            ground.sealed = places.iter().find(|noun| noun.is_locked).map(|noun| noun.name.clone());
        }
        // Whoever must get to a place is not there yet, and nobody is in a locked one.
        let is_behind = |noun: &&PremiseNoun| {
            Some(&noun.name) == ground.aim.as_ref() || Some(&noun.name) == ground.sealed.as_ref()
        };
        let mut places: Vec<&PremiseNoun> =
            places.into_iter().filter(|noun| !is_behind(noun)).collect();
        // `the kitchen of a castle` is in the castle.
        let is_part = places.len() > 1
            && WordClass::Room.has(places[0].head.as_str())
            && (1..4).contains(&places[1].tokens.0.saturating_sub(places[0].tokens.1));
        if is_part {
            places.swap(0, 1);
        }
        match places.first().copied() {
            Some(main) if main.is_ahead && ground.set_out(main, reading) => places.insert(0, main),
            Some(main) => ground.stand_on(main, reading),
            None => ground.guess(reading),
        }
        if is_part && ground.first.is_none() {
            ground.first = Some(places.remove(1).name.clone());
        }
        let rest = places.iter().skip(1);
        ground.others = rest.take(OTHER_PLACES_MAX).map(|noun| noun.name.clone()).collect();
        ground
    }

    /// Begins where the way to a place leads through, if the premise says anything of that.
    fn set_out(&mut self, main: &PremiseNoun, reading: &PremiseReading) -> bool {
        let ahead = layout_of_name(&main.name.to_lowercase()).or_else(|| layout_of(&main.head));
        let is_other =
            |layout: &PremiseLayout| ahead.is_none_or(|ahead| !std::ptr::eq(ahead, layout));
        let mut others = reading.settings.iter().filter(|(layout, _)| is_other(layout));
        let Some((layout, count)) = others.next().filter(|(_, count)| *count >= SIGN_MIN) else {
            return false;
        };
        self.certainty = PremiseCertainty::of(*count);
        self.set_layout(layout, reading);
        true
    }

    /// The first place of the premise says the kind.
    fn stand_on(&mut self, main: &PremiseNoun, reading: &PremiseReading) {
        let by_modifier = || main.modifiers.iter().rev().find_map(|word| layout_of(word));
        let is_proper = main.name.starts_with(char::is_uppercase) && !is_numbered(main);
        let by_name = layout_of_name(&main.name.to_lowercase()).or_else(|| layout_of(&main.head));
        let is_saint =
            ["saint ", "st "].iter().any(|saint| main.name.to_lowercase().starts_with(saint));
        let by_name = by_name.or_else(|| is_saint.then(|| layout_of("monastery")).flatten());
        let is_room = WordClass::Room.has(main.head.as_str());
        let is_house = |layout: &PremiseLayout| layout.kind == "house";
        // Any house has a kitchen, but that of a nurse is in a hospital.
        let is_any_room = !is_proper && is_room && by_name.is_none_or(is_house);
        let said = by_name.or_else(by_modifier);
        self.certainty = match said {
            Some(_) => PremiseCertainty::Said,
            None => PremiseCertainty::of(reading.settings.first().map_or(0, |(_, count)| *count)),
        };
        let by_others =
            |least: usize| reading.settings.first().copied().filter(|(_, count)| *count >= least);
        let with_rooms = || by_others(POINTING_MIN).filter(|(found, _)| found.has_rooms);
        let of_others = match () {
            () if is_any_room => with_rooms(),
            () if said.is_none() => by_others(POINTING_MIN),
            () => None,
        };
        let is_town = class_of(&main.head) == Some(WordSense::Town);
        let city = || is_town.then(|| layout_of("city")).flatten();
        let home = || is_room.then(|| layout_of("house")).flatten();
        let found = of_others.map(|(layout, _)| layout).or(said).or_else(city).or_else(home);
        self.set_layout(found.unwrap_or(&ANY_PLACE), reading);
        let others = main.modifiers.iter().filter_map(|word| layout_of(word));
        let layout = self.layout;
        self.surroundings = others.into_iter().find(|other| !std::ptr::eq(*other, layout));
        self.call(&main.name, if is_proper { "" } else { &main.head });
        if let Some((_, aliases)) = &mut self.whole {
            aliases.extend(is_proper.then(|| main.head.clone()));
            aliases.extend(main.aliases.iter().cloned());
            aliases.dedup();
        }
    }

    /// Without a place the premise's other words say where it is. What they do not say is a plain place.
    fn guess(&mut self, reading: &PremiseReading) {
        let found = reading.settings.first().copied().filter(|(_, count)| *count >= SIGN_MIN);
        self.certainty = PremiseCertainty::of(found.map_or(0, |(_, count)| count));
        let layout = found.map(|(layout, _)| layout).or_else(|| self.approach());
        self.set_layout(layout.unwrap_or(&ANY_PLACE), reading);
        let words = reading.nouns.iter().flat_map(|noun| &noun.modifiers);
        let meant =
            |word: &&String| layout_of(word).is_some_and(|meant| std::ptr::eq(meant, self.layout));
        if let Some(word) = words.clone().find(meant).cloned() {
            self.call(&word, &word);
        }
    }

    /// The kind of place in the time of the premise, and else the time of the kind of place.
    fn set_layout(&mut self, layout: &'static PremiseLayout, reading: &PremiseReading) {
        self.layout = reading.era.map_or(layout, |(era, _)| layout.at(era.name));
        self.era = reading.era.map_or_else(|| era_called(self.layout.era), |(era, _)| era);
    }

    /// Where one waits for the place that somebody wants to get to.
    fn approach(&self) -> Option<&'static PremiseLayout> {
        let aim = self.aim.as_ref()?.to_lowercase();
        let is_named =
            |words: &&str| words.split(' ').any(|word| aim.split(' ').any(|a| a == word));
        let (_, place) = APPROACHES.iter().find(|(words, _)| is_named(words))?;
        layout_of(place)
    }

    fn call(&mut self, name: &str, head: &str) {
        let is_part = self.layout.places.iter().any(|(part, _)| part.eq_ignore_ascii_case(name));
        if self.layout.whole.is_empty() || is_part || WordClass::Room.has(head) {
            self.first = Some(name.to_owned());
        } else {
            let is_other = |head: &&str| !head.is_empty() && !head.eq_ignore_ascii_case(name);
            let aliases = [head].into_iter().filter(is_other);
            self.whole = Some((name.to_owned(), aliases.map(str::to_owned).collect()));
        }
    }

    /// `you are in the dining car of the night train`.
    pub(super) fn here(&self, start: &str) -> String {
        let whole = self.whole.as_ref().map(|(name, _)| format!(" of {}", the(name)));
        format!("and you are {}{}", in_place(start), whole.unwrap_or_default())
    }

    /// The ordinary places with their descriptions, the first one first, and how many of them belong to the whole.
    pub(super) fn parts(&self, rng: &mut Rng) -> (Vec<(String, String)>, usize) {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        let mut parts: Vec<(String, String)> = self.layout.places.iter().map(owned).collect();
        if let Some(first) = &self.first {
            match parts.iter().position(|(name, _)| name.eq_ignore_ascii_case(first)) {
                // The middle stays the middle.
                Some(1) => parts.swap(0, 1),
                Some(idx) => {
                    let part = parts.remove(idx);
                    parts.insert(0, part);
                }
                None => {
                    let text = match sight_of_kind(first) {
                        Some(sight) => sight.to_owned(),
                        None if is_room(first) => ANY_SIGHT.to_owned(),
                        None => parts[0].1.clone(),
                    };
                    parts[0] = (first.clone(), text);
                }
            }
        }
        let is_named = |name: &String| {
            self.others.contains(name)
                || [&self.aim, &self.sealed].into_iter().any(|known| known.as_ref() == Some(name))
        };
        parts.retain(|(name, _)| !is_named(name));
        if self.layout.shape == LayoutShape::Around {
            let mut rest = parts.split_off(2);
            rng.shuffle(&mut rest);
            parts.extend(rest);
        }
        let around: Vec<(String, String)> = self
            .surroundings
            .into_iter()
            .flat_map(|layout| &layout.places[1..])
            .take(2)
            .map(owned)
            .collect();
        let count = usize::try_from(rng.range(PLACES)).unwrap_or(8);
        parts.truncate(count.saturating_sub(2 + self.others.len() + around.len()).max(3));
        let inside = parts.len();
        parts.extend(around);
        let others = self.others.iter().map(|name| (name.clone(), sight_of(name)));
        parts.extend(others);
        while parts.len() < 4 {
            let (name, text) = ANY_PLACE.places[parts.len()];
            parts.push((name.to_owned(), text.to_owned()));
        }
        (parts, inside)
    }
}

/// What is seen in a room of which nothing else is known.
const ANY_SIGHT: &str = "Four walls, a lamp, and the marks of everybody who was here before you.";

/// What is seen in a place with this name.
pub(super) fn sight_of(name: &str) -> String {
    match layout_of_name(&name.to_lowercase()) {
        _ if sight_of_kind(name).is_some() => sight_of_kind(name).unwrap_or_default().to_owned(),
        _ if is_room(name) => ANY_SIGHT.to_owned(),
        Some(layout) => layout.places[0].1.to_owned(),
        None => format!("So this is {}. You look around before you go any further.", the(name)),
    }
}
