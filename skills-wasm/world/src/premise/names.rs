//! Names and sentences of worlds that are made from a premise. `{x}` is what a sentence speaks of.

pub(super) const PLAYERS: &[&str] = &[
    "Robin Ashe",
    "Alex Marrow",
    "Jo Calder",
    "Kit Severin",
    "Noor Vale",
    "Sasha Lind",
    "Wren Ostler",
    "Sam Quint",
];
pub(super) const PEOPLE: &[&str] = &[
    "Agnes Thorne",
    "Bertram Hale",
    "Clara Voss",
    "Dominic Pryce",
    "Edith Marlowe",
    "Felix Crane",
    "Greta Holm",
    "Hugo Farrow",
    "Ida Penrose",
    "Jonas Weld",
    "Lotte Brandt",
    "Magnus Reed",
];
pub(super) const SHE: &[&str] = &["Agnes", "Clara", "Edith", "Greta", "Ida", "Lotte"];
pub(super) const KEEPSAKES: &[&str] = &[
    "ivory comb",
    "tin soldier",
    "pearl button",
    "pocket compass",
    "silver thimble",
    "bone whistle",
    "child's shoe",
    "cracked locket",
    "brass medal",
    "lucky coin",
    "glass marble",
    "tortoiseshell brooch",
];
pub(super) const KEYS: &[&str] = &[
    "brass key",
    "iron key",
    "long key",
    "copper key",
    "small key",
    "double-bitted key",
    "blackened key",
    "silver key",
];
pub(super) const RECORDS: &[&str] = &[
    "water-stained diary",
    "green notebook",
    "bundle of letters",
    "torn report",
    "pocket calendar",
    "sheaf of receipts",
    "unsigned statement",
    "old logbook",
];
pub(super) const CHESTS: &[&str] = &[
    "cedar chest",
    "tin trunk",
    "wicker hamper",
    "sea chest",
    "painted box",
    "leather suitcase",
    "blanket chest",
    "tool chest",
];
pub(super) const COVERS: &[&str] = &[
    "rotten barrel",
    "broken crate",
    "mouldy curtain",
    "heap of sacks",
    "rolled carpet",
    "stack of planks",
    "upturned tub",
    "pile of old newspapers",
    "rusty stove",
    "torn mattress",
];
pub(super) const FOOD: &[&str] = &[
    "heel of bread",
    "cold potato",
    "piece of cheese",
    "wrinkled apple",
    "boiled egg",
    "slice of cold pie",
    "handful of nuts",
    "dry sausage",
];
pub(super) const CLOTHES: &[&str] =
    &["grey coat", "patched jacket", "wool scarf", "oilskin", "knitted cap", "brown cardigan"];

/// Lights, each with what lights it.
pub(super) const LIGHTS: &[(&str, Option<&str>)] = &[
    ("hand lamp", None),
    ("storm lantern", Some("box of matches")),
    ("candle stub", Some("matches")),
    ("pocket torch", None),
];

pub(super) const TRAITS: &[&str] = &[
    "with ink on both hands",
    "who looks at the door more than at you",
    "with a cough that means to stay",
    "in boots that belong to somebody else",
    "who counts under the breath",
    "with eyes the colour of rain",
];
pub(super) const GREETINGS: &[&str] = &[
    "You took your time.",
    "Mind the step. Everybody forgets the step.",
    "I was told that no one would come.",
    "If you want something, ask. I am not good at guessing.",
    "You have the look of somebody who stays.",
    "Not so loud. It carries here.",
];
pub(super) const TRUTHS: &[&str] = &[
    "It was never stolen. It was hidden, by the one who cried loudest.",
    "There were two of them. Only one was ever found.",
    "The one who locked that door is the one who begs to have it opened.",
];
pub(super) const WEATHER: &[&str] = &[
    "It will get worse before it gets worse.",
    "The birds left yesterday. I should have liked to go with them.",
    "A night like this keeps honest people in.",
];
pub(super) const RECORD_LINES: &[&str] = &[
    "I write this because I can no longer say it.",
    "If you read this, I was right.",
    "They all agreed to forget, and I agreed too.",
];

/// Descriptions of what the premise names.
pub(super) const THING_SIGHTS: &[&str] = &[
    "You have heard of it, and here it is. Somebody has handled it today.",
    "It is older than it looks, and it has been looked after.",
    "There is a scratch on it that somebody has tried to hide.",
    "It is what you think it is. Still, you look twice.",
    "Someone has put it where it must be seen.",
    "It is plain, and well made, and not where one would expect it.",
];

/// The same of many things.
pub(super) const THINGS_SIGHTS: &[&str] = &[
    "There are more of them than you can count at a glance, and no two are alike.",
    "Somebody has put them in order, and somebody else has not.",
    "Most of them are old. One is new.",
];

/// What is written on what can be read.
pub(super) const WRITINGS: &[&str] = &[
    "If you read this, ask whoever has been here longest. The rest is better said than written.",
    "Not everyone tells it the same way. Ask two of them, and believe neither at once.",
    "I have put it down as it was, before it is told differently.",
];

/// Descriptions of what can be seen and not be touched.
pub(super) const EVENT_SIGHTS: &[&str] = &[
    "It is on everybody's mind, and you see why.",
    "It has begun, and nobody here can stop it.",
    "You take it in for a while. It is not as you had imagined it.",
];

/// What people say about a thing.
pub(super) const THING_TALK: &[&str] = &[
    "The {x}? I keep my hands off, and I keep my eyes open.",
    "Everyone has a story about the {x}. Mine is short: it was here before me.",
    "Look at the {x} closely, and then ask me again.",
    "I would not sell the {x}, if it were mine. It is not mine.",
    "It all began with the {x}, if you ask me. Nobody does.",
    "The {x} has been moved. I notice such things.",
];

/// The same of many things.
pub(super) const THINGS_TALK: &[&str] = &[
    "The {x}? I keep my hands off them. One of them is not like the others.",
    "Look at the {x} closely, and then ask me again.",
    "I would not sell the {x}, if they were mine. They are not mine.",
    "It all began with the {x}, if you ask me. Nobody does.",
];

/// What people say about a place.
pub(super) const PLACE_TALK: &[&str] = &[
    "The {x}? I know every corner of it, and I still lose my way at night.",
    "The {x} {was} famous once, people say. I have it from them.",
    "You will get used to the {x}. I did, and I did not want to.",
    "There is a part of the {x} that nobody shows to visitors.",
    "I could find my way about the {x} blindfold, and I have had to.",
    "People come to the {x} to forget something. It does not always work.",
];

/// What people say about an event or a matter.
pub(super) const MATTER_TALK: &[&str] = &[
    "The {x}? There is no other subject here.",
    "I have said all I know about the {x}, and twice as much as I should.",
    "Before the {x} we all slept better.",
    "You came because of the {x}. Everyone does, sooner or later.",
];

/// What people say about somebody.
pub(super) const BEING_TALK: &[&str] = &[
    "Speak with {x} yourself. I only know half of it.",
    "You want to know about {x}? Then do not begin with the worst.",
    "I have nothing against {x}. I have nothing for {them} either.",
    "About {x} people talk too much, and with {x} too little.",
    "{X}? Ask me again when {they} {is} not within hearing.",
    "I have known {x} for years. I could not tell you one thing for certain.",
];

/// What people say about somebody who is missing.
pub(super) const MISSING_TALK: &[&str] = &[
    "Nobody has seen {x} since yesterday. Somebody should look behind what is locked.",
    "I keep looking up when the door opens. It is never {x}.",
    "I heard steps behind the {door}. I thought of {x}, and I said nothing.",
];

/// What people say about somebody who has died.
pub(super) const MOURNED_TALK: &[&str] = &[
    "I still set out a cup, from habit. {X} took two sugars.",
    "{X} kept everything. You will find that out.",
    "I think of {x} every day at the same hour. I do not know why that hour.",
    "There was more to {x} than people saw. There usually is.",
];

/// What people say about one who was found dead, whom they may have killed.
pub(super) const FOUND_DEAD_TALK: &[&str] = &[
    "{X} had more enemies than friends, and was polite to all of them.",
    "I spoke with {x} at supper. We spoke about the weather. That was all.",
    "{X} owed me nothing, and I owed {them} nothing. You may write that down.",
    "Poor {x}. I say it because nobody else does.",
];

/// What people say about several people of one kind, of whom they may be one.
pub(super) const GROUP_TALK: &[&str] = &[
    "The {x}? Each of them tells it in another way. That is what makes me think.",
    "Ask the {x} one by one, and never all of them together.",
    "The {x} keep to themselves since it happened.",
];

/// What is seen of a being of the premise.
pub(super) const PRESENCES: &[&str] = &[
    "In no hurry, and glad of company.",
    "Not at ease today, and not good at hiding it.",
    "Awake, watchful, and here for a reason.",
    "Ready to talk, if somebody begins.",
];

/// What a premise's task takes.
pub(super) const TOOLS: &[&str] = &[
    "tool roll",
    "master plan",
    "signed permit",
    "small brass part",
    "spare crank",
    "repair manual",
    "surveyor's map",
    "travel pass",
];
