//! Kinds of places: what each consists of, and which words of a premise mean it.

pub(super) use narratoria_facts::the;

use super::{layouts_indoors::INDOORS, layouts_more::MORE, layouts_outdoors::OUTDOORS};
use crate::words;

/// How the parts of a place lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayoutShape {
    /// The second part is the middle; the others lie around it, then behind those.
    Around,
    /// A row through the first part: the second lies ahead, the third behind, the fourth ahead of the second, and so on.
    /// The directions are those back and ahead.
    Row(&'static str, &'static str),
}

/// A kind of place.
#[derive(Debug)]
pub(super) struct PremiseLayout {
    /// Words that mean it, with commas between them.
    pub(super) words: &'static str,
    pub(super) shape: LayoutShape,
    /// What can be seen of the whole, where the word of the premise means the whole, as `house` does; empty where the
    /// first part has this name, as `bridge` does.
    pub(super) whole: &'static str,
    /// The parts with their descriptions. The story begins in the first.
    pub(super) places: &'static [(&'static str, &'static str)],
    /// The part where it is dark, and the direction to it.
    pub(super) dark: (&'static str, &'static str, &'static str),
    /// The part behind the locked door, and the direction to it.
    pub(super) locked: (&'static str, &'static str, &'static str),
    /// The locked door.
    pub(super) door: &'static str,
    /// What things can be put on.
    pub(super) table: &'static str,
    /// Trades of its people.
    pub(super) trades: &'static [&'static str],
}

/// What surrounds a place of an unknown kind.
pub(super) static ANY_PLACE: PremiseLayout = PremiseLayout {
    words: "",
    shape: LayoutShape::Row("west", "east"),
    whole: "",
    places: &[
        ("clearing", "It is quiet here, and there is room to look around."),
        ("east side", "From here you see it as most people never do: from behind."),
        ("way in", "A beaten path ends here. Someone has swept it."),
        (
            "far corner",
            "Nobody comes this far without a reason. The ground is trodden all the same.",
        ),
        ("crossroads", "Four ways and one signpost. The signpost has been turned."),
        ("lookout", "From up here you see all of it, and a good deal of the sky."),
        ("resting bench", "A bench, a bucket, and a tin cup on a chain."),
    ],
    dark: (
        "underground passage",
        "Stone on both sides, close enough to touch. Water drips.",
        "down",
    ),
    locked: (
        "watch hut",
        "One chair, one window, and a shelf that somebody has cleared in haste.",
        "in",
    ),
    door: "plank door",
    table: "flat stone",
    trades: &["caretaker", "pedlar", "surveyor", "watchman"],
};

/// All layouts that have words.
pub(super) fn layouts() -> impl Iterator<Item = &'static PremiseLayout> {
    INDOORS.iter().chain(MORE).chain(OUTDOORS)
}

/// Returns true if such a place is under the sky.
pub(super) fn is_outdoors(layout: &PremiseLayout) -> bool {
    OUTDOORS.iter().any(|known| std::ptr::eq(known, layout))
}

/// The layout that a word means, or two words such as `space station`.
pub(super) fn layout_of(word: &str) -> Option<&'static PremiseLayout> {
    let words = |layout: &&'static PremiseLayout| layout.words.split(", ");
    let one = words::stem(word);
    let is_plural_of = |layout: &&'static PremiseLayout| {
        word.ends_with('s') && words(layout).any(|known| words::stem(known) == one)
    };
    layouts()
        .find(|layout| words(layout).any(|known| known == word))
        .or_else(|| layouts().find(is_plural_of))
}

/// The layout of a place with this name: its last two words, its last word, or the end of that.
pub(super) fn layout_of_name(name: &str) -> Option<&'static PremiseLayout> {
    let words: Vec<&str> = name.split(' ').collect();
    let head = words.last()?;
    let pair = words[words.len().saturating_sub(2)..].join(" ");
    let endings = ["house", "room", "yard", "shop", "hall", "garden", "market", "field", "station"];
    let by_ending = || {
        let is_room = !["broom", "groom", "bridegroom", "mushroom", "heirloom"].contains(head);
        let ending = endings
            .iter()
            .find(|ending| is_room && head.len() > ending.len() && head.ends_with(*ending));
        ending.and_then(|ending| layout_of(ending))
    };
    layout_of(&pair).or_else(|| layout_of(head)).or_else(by_ending)
}

/// Relatives, who are found at home unless somebody else says where the story is.
pub(super) const KIN: &[&str] = &[
    "father",
    "mother",
    "dad",
    "mum",
    "mom",
    "brother",
    "sister",
    "husband",
    "wife",
    "son",
    "daughter",
    "grandfather",
    "grandpa",
    "grandma",
    "aunt",
    "uncle",
    "cousin",
    "niece",
    "nephew",
    "grandmother",
];

/// Where people of a trade are found, for a premise without a place.
const HAUNTS: &[(&str, &[&str])] = &[
    ("lighthouse", &["keeper", "lightkeeper"]),
    ("ship", &["sailor", "captain", "pirate", "stowaway", "boatswain"]),
    ("space station", &["astronaut", "robot", "android", "alien", "cosmonaut"]),
    ("village", &["priest", "shepherd", "blacksmith", "smith", "miller", "pedlar", "midwife"]),
    (
        "castle",
        &[
            "knight", "king", "queen", "prince", "princess", "emperor", "empress", "sultan",
            "duke", "wizard", "squire", "jester",
        ],
    ),
    ("cave", &["dragon", "troll", "giant", "ogre", "bear", "bat"]),
    ("monastery", &["monk", "nun", "abbot", "bishop", "angel"]),
    ("school", &["teacher", "student", "pupil", "schoolboy", "schoolgirl", "headmaster"]),
    ("theatre", &["actor", "actress", "singer", "dancer", "magician", "playwright"]),
    ("hospital", &["nurse", "surgeon", "doctor", "patient", "midwife"]),
    ("hotel", &["innkeeper", "waiter", "guest", "porter", "bellboy"]),
    ("bakery", &["baker", "cook", "chef", "confectioner"]),
    ("workshop", &["clockmaker", "watchmaker", "carpenter", "inventor", "tailor", "locksmith"]),
    (
        "city",
        &[
            "detective",
            "thief",
            "spy",
            "journalist",
            "burglar",
            "taxi",
            "driver",
            "postman",
            "courier",
        ],
    ),
    ("office", &["clerk", "secretary", "accountant", "lawyer", "banker"]),
    ("library", &["librarian", "archivist", "bookseller"]),
    ("forest", &["hunter", "ranger", "wolf", "fox", "witch", "trapper", "fairy", "elf", "deer"]),
    ("desert", &["archaeologist", "nomad", "camel", "explorer"]),
    ("farm", &["farmer", "beekeeper", "horse", "cow", "goat", "pig", "sheep", "chicken"]),
    ("circus", &["clown", "acrobat", "juggler", "elephant", "lion", "tiger"]),
    ("train", &["conductor", "passenger"]),
    ("island", &["fisherman", "fisher", "mermaid", "ferryman", "diver", "castaway"]),
    ("mine", &["miner", "dwarf"]),
    ("cemetery", &["gravedigger", "ghost", "vampire", "zombie", "skeleton"]),
    (
        "house",
        &[
            "butler",
            "maid",
            "widow",
            "widower",
            "grandmother",
            "cat",
            "dog",
            "aunt",
            "uncle",
            "flatmate",
            "roommate",
            "housemate",
            "babysitter",
            "nanny",
            "landlady",
            "lodger",
            "servant",
        ],
    ),
];

/// The layout where such a being is found.
pub(super) fn layout_of_being(head: &str) -> Option<&'static PremiseLayout> {
    let trade = HAUNTS.iter().find(|(_, beings)| beings.contains(&head)).map(|(place, _)| *place);
    layout_of(trade.or_else(|| KIN.contains(&head).then_some("house"))?)
}

/// `in the cellar`, `on the bridge`, `at the reception`.
pub(super) fn in_place(name: &str) -> String {
    narratoria_facts::within(name)
}
