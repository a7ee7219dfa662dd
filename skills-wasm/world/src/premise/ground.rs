//! The places of a made world: the premise's own place with its parts, what else it names, and how all of them lie.

use narratoria_sdk::Rng;

use super::{
    Maker,
    layout::{
        ANY_PLACE, KIN, LayoutShape, PremiseLayout, in_place, is_outdoors, layout_of,
        layout_of_being, layout_of_name, layouts, the,
    },
    layouts_more::sight_of_kind,
    noun::PremiseNoun,
    nouns::{NounKind, singular},
    reading::PremiseReading,
    wants::PremiseWant,
};
use crate::{
    definition::{DoorDefinition, ExitDefinition, PlaceDefinition},
    words,
};

/// Fewest and most places of a world.
const PLACES: std::ops::RangeInclusive<i64> = 6..=10;

/// Most places that a premise names besides the first.
const OTHER_PLACES_MAX: usize = 3;

/// Rooms: the story begins in them, and not somewhere in them.
const ROOMS: &[&str] = &[
    "kitchen",
    "attic",
    "cellar",
    "nursery",
    "parlour",
    "bedroom",
    "bathroom",
    "room",
    "study",
    "basement",
    "hall",
    "stage",
    "deck",
    "classroom",
    "roof",
    "rooftop",
    "cell",
    "schoolroom",
    "laundry",
    "gym",
    "platform",
    "street",
    "square",
    "alley",
    "avenue",
    "gallery",
    "crypt",
    "cloister",
    "garage",
    "avenue",
    "quay",
    "pier",
    "jetty",
    "dock",
    "tent",
    "carriage",
    "library",
    "boathouse",
    "shed",
    "conservatory",
    "ward",
    "corridor",
    "pantry",
    "ballroom",
    "dining",
    "sacristy",
    "office",
];

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
    /// The premise's word for all of it, and other words for that; none where it is the name of the first place.
    pub(super) whole: Option<(String, Vec<String>)>,
    /// The name of the first place, if the premise says it.
    first: Option<String>,
    /// What lies around it: places of another kind.
    surroundings: Option<&'static PremiseLayout>,
    /// Other places that the premise names.
    others: Vec<String>,
    /// The place that somebody wants to get to.
    aim: Option<String>,
    /// The place that the premise says is locked.
    pub(super) sealed: Option<String>,
    /// The places that belong to the whole, by number.
    pub(super) inside: Vec<usize>,
}

/// The kind of place where such an event happens.
fn layout_of_event(head: &str) -> Option<&'static PremiseLayout> {
    let place = match head {
        "play" | "concert" | "show" | "rehearsal" | "premiere" | "performance" | "dance" => {
            "theatre"
        }
        "wedding" | "funeral" | "ceremony" => "church",
        "trial" | "hanging" => "court",
        "party" | "reunion" | "seance" | "banquet" | "ball" | "anniversary" | "birthday" => "house",
        "exam" => "school",
        "feast" | "festival" | "parade" | "race" | "contest" | "competition" => "village",
        _ => return None,
    };
    layout_of(place)
}

/// The kind of place where the beings of a premise are found.
fn haunt_of(reading: &PremiseReading) -> Option<&'static PremiseLayout> {
    let mut beings: Vec<(usize, &PremiseNoun)> = reading.of_kind(NounKind::Being).collect();
    // The player may have come from elsewhere.
    let is_undead =
        |noun: &PremiseNoun| ["ghost", "spirit", "skeleton"].contains(&noun.head.as_str());
    let is_kin = |noun: &PremiseNoun| KIN.contains(&singular(&noun.head).as_str());
    beings.sort_by_key(|(idx, noun)| (is_undead(noun), is_kin(noun), Some(*idx) == reading.player));
    beings.iter().find_map(|(_, noun)| {
        let of_trade = || noun.modifiers.iter().find_map(|word| layout_of_being(word));
        layout_of_being(&singular(&noun.head)).or_else(of_trade)
    })
}

/// Returns true if the noun is called by a number: `Room 9`.
fn is_numbered(noun: &PremiseNoun) -> bool {
    noun.name.ends_with(|c: char| c.is_ascii_digit())
}

/// Returns true if the name is that of a room: `kitchen`, `room 9`.
fn is_room(name: &str) -> bool {
    let is_word = |word: &&str| word.chars().any(char::is_alphabetic);
    let name = name.to_lowercase();
    name.split(' ').rfind(is_word).is_some_and(|head| ROOMS.contains(&head))
}

impl PremiseGround {
    pub(super) fn of(reading: &PremiseReading, rng: &mut Rng) -> PremiseGround {
        let places: Vec<&PremiseNoun> =
            reading.of_kind(NounKind::Place).map(|(_, noun)| noun).collect();
        let mut ground = PremiseGround {
            layout: &ANY_PLACE,
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
            && ROOMS.contains(&places[0].head.as_str())
            && (1..4).contains(&places[1].tokens.0.saturating_sub(places[0].tokens.1));
        if is_part {
            places.swap(0, 1);
        }
        match places.first() {
            Some(main) => ground.stand_on(main, reading),
            None => ground.guess(reading, rng),
        }
        if is_part && ground.first.is_none() {
            ground.first = Some(places.remove(1).name.clone());
        }
        let rest = places.iter().skip(1);
        ground.others = rest.take(OTHER_PLACES_MAX).map(|noun| noun.name.clone()).collect();
        ground
    }

    /// The first place of the premise says the kind.
    fn stand_on(&mut self, main: &PremiseNoun, reading: &PremiseReading) {
        let by_modifier = || main.modifiers.iter().rev().find_map(|word| layout_of(word));
        let is_proper = main.name.starts_with(char::is_uppercase) && !is_numbered(main);
        let by_name = layout_of_name(&main.name.to_lowercase()).or_else(|| layout_of(&main.head));
        let is_saint =
            ["saint ", "st "].iter().any(|saint| main.name.to_lowercase().starts_with(saint));
        let by_name = by_name.or_else(|| is_saint.then(|| layout_of("monastery")).flatten());
        let city = || is_proper.then(|| layout_of("city")).flatten();
        self.layout = by_name.or_else(by_modifier).or_else(city).unwrap_or(&ANY_PLACE);
        let is_room = ROOMS.contains(&main.head.as_str());
        if std::ptr::eq(self.layout, &ANY_PLACE) && is_room {
            self.layout = layout_of("house").unwrap_or(&ANY_PLACE);
        }
        // Any house has a kitchen, but that of a nurse is in a hospital.
        let is_any_room = !is_proper
            && is_room
            && layout_of("house").is_some_and(|house| std::ptr::eq(house, self.layout));
        if is_any_room && let Some(layout) = haunt_of(reading).filter(|found| !is_outdoors(found)) {
            self.layout = layout;
        }
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

    /// Without a place the premise's other words say where it is.
    fn guess(&mut self, reading: &PremiseReading, rng: &mut Rng) {
        let modifier = reading.nouns.iter().find_map(|noun| {
            let mut words = noun.modifiers.iter();
            words.find_map(|word| layout_of(word).map(|layout| (word.clone(), layout)))
        });
        if let Some((word, layout)) = modifier {
            self.layout = layout;
            self.call(&word, &word);
            return;
        }
        let events =
            || reading.of_kind(NounKind::Event).find_map(|(_, noun)| layout_of_event(&noun.head));
        let found = events().or_else(|| haunt_of(reading)).or_else(|| self.approach());
        self.layout = found.unwrap_or_else(|| {
            let all: Vec<&'static PremiseLayout> = layouts().collect();
            rng.pick(&all).copied().unwrap_or(&ANY_PLACE)
        });
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
        if self.layout.whole.is_empty() || is_part || ROOMS.contains(&head) {
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
    fn parts(&self, rng: &mut Rng) -> (Vec<(String, String)>, usize) {
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
fn sight_of(name: &str) -> String {
    match layout_of_name(&name.to_lowercase()) {
        _ if sight_of_kind(name).is_some() => sight_of_kind(name).unwrap_or_default().to_owned(),
        _ if is_room(name) => ANY_SIGHT.to_owned(),
        Some(layout) => layout.places[0].1.to_owned(),
        None => format!("So this is {}. You look around before you go any further.", the(name)),
    }
}

impl Maker {
    /// Makes the places, and returns the names of the dark one and of the locked one, which are the last two.
    pub(super) fn make_places(&mut self) -> (String, String) {
        let (parts, inside) = self.ground.clone().parts(&mut self.rng);
        let layout = self.ground.layout;
        for (name, text) in parts {
            self.add_place(&name, &text, false);
        }
        self.ground.inside = (0..inside).collect();
        let (dark, dark_text, _) = layout.dark;
        let (locked, locked_text, _) = layout.locked;
        let aim = self.ground.aim.clone().or_else(|| self.ground.sealed.clone());
        let dark = self.add_place(dark, dark_text, true);
        let locked = match aim {
            Some(aim) => self.add_place(&aim, &sight_of(&aim), false),
            None => self.add_place(locked, locked_text, false),
        };
        let door = match &self.ground.sealed {
            Some(room) if !room.contains(' ') => format!("{room} door"),
            _ => layout.door.to_owned(),
        };
        let door = self.unique_name(&door);
        self.world.doors.push(DoorDefinition {
            name: door.clone(),
            description: "It is old, and the lock is not.".to_owned(),
            locked: true,
            ..DoorDefinition::default()
        });
        self.connect(layout, door);
        (dark, locked)
    }

    fn add_place(&mut self, name: &str, text: &str, dark: bool) -> String {
        let name = self.unique_name(name);
        self.world.places.push(PlaceDefinition {
            name: name.clone(),
            description: text.to_owned(),
            dark,
            ..PlaceDefinition::default()
        });
        name
    }

    fn connect(&mut self, layout: &PremiseLayout, door: String) {
        let count = self.world.places.len() - 2;
        let locked_way = if self.ground.aim.is_some() { "out" } else { layout.locked.2 };
        let dark_way = layout.dark.2;
        let (from_dark, from_locked) = match layout.shape {
            LayoutShape::Around => {
                self.connect_around(count);
                (1, 1)
            }
            LayoutShape::Row(back, ahead) => {
                let inside = self.ground.inside.len();
                self.connect_row(inside, back, ahead);
                self.connect_others(inside, count);
                let ends = |way: &str| match way {
                    way if way == ahead => row_end(inside, 1),
                    way if way == back => row_end(inside, 0),
                    _ => 0,
                };
                (ends(dark_way), ends(locked_way))
            }
        };
        self.join(from_dark, dark_way, count, None);
        self.join(from_locked, locked_way, count + 1, Some(door));
    }

    /// The second place is the middle: the others lie around it, then behind those.
    fn connect_around(&mut self, count: usize) {
        let around = ["south", "north", "east", "west"];
        let others: Vec<usize> = (0..count).filter(|n| *n != 1).collect();
        for (n, place) in others.iter().enumerate() {
            match around.get(n) {
                Some(way) => self.join(1, way, *place, None),
                // The ring behind the ring keeps its direction.
                None => self.join(others[n - around.len()], around[n - around.len()], *place, None),
            }
        }
    }

    /// The first place has one neighbour ahead and one behind, and each of those has the next one.
    fn connect_row(&mut self, count: usize, back: &str, ahead: &str) {
        for place in 1..count {
            let (from, way) = (place.saturating_sub(2), if place % 2 == 1 { ahead } else { back });
            self.join(if place <= 2 { 0 } else { from }, way, place, None);
        }
    }

    /// What does not belong to the row lies beside it.
    fn connect_others(&mut self, from: usize, count: usize) {
        for (n, place) in (from..count).enumerate() {
            let way = if n % 2 == 0 { "south" } else { "north" };
            self.join(n / 2, way, place, None);
        }
    }

    fn join(&mut self, from: usize, way: &str, to: usize, door: Option<String>) {
        let names: Vec<String> = self.world.places.iter().map(|place| place.name.clone()).collect();
        let exit = |direction: &str, to: usize| ExitDefinition {
            direction: direction.to_owned(),
            to: names[to].clone(),
            door: door.clone(),
            ..ExitDefinition::default()
        };
        let (there, back) = (exit(way, to), exit(words::opposite_way(way).unwrap_or("up"), from));
        self.world.places[from].exits.push(there);
        self.world.places[to].exits.push(back);
    }
}

/// The last place of a row of so many: on the side ahead (1) or behind (0).
fn row_end(count: usize, side: usize) -> usize {
    (1..count).rev().find(|place| place % 2 == side).unwrap_or(0)
}
