//! A description → what can be drawn of it. What the description leaves open is decided by the name, so that two
//! strangers differ and one person is always the same.

use narratoria_facts::noise;

use crate::palette::{CLOTH, EYES, HAIR, SKIN, Shade};

/// Most words of a description that are read.
const WORDS_MAX: usize = 80;

/// The age that shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    Young,
    Grown,
    Old,
}

/// The style of the hair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HairStyle {
    Bald,
    Short,
    Long,
    Curly,
    Braids,
    Bun,
}

/// The hat, hood or crown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headwear {
    Nothing,
    Cap,
    Hat,
    Hood,
    Crown,
    Helmet,
    Scarf,
}

/// The expression of the face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaceMood {
    Calm,
    Happy,
    Stern,
    Sad,
    Afraid,
}

/// All features that a drawing shows.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a feature of a face that is there or not"
)]
pub(crate) struct PortraitLook {
    pub(crate) age: Age,
    pub(crate) skin: Shade,
    pub(crate) hair: Shade,
    pub(crate) hair_style: HairStyle,
    pub(crate) eyes: Shade,
    pub(crate) cloth: Shade,
    pub(crate) backdrop: Shade,
    pub(crate) headwear: Headwear,
    pub(crate) mood: FaceMood,
    pub(crate) has_beard: bool,
    pub(crate) has_moustache: bool,
    pub(crate) has_glasses: bool,
    pub(crate) has_eyepatch: bool,
    pub(crate) has_scar: bool,
    pub(crate) has_freckles: bool,
    pub(crate) has_pointed_ears: bool,
    /// 0 is slim, 2 is broad.
    pub(crate) width: u8,
}

/// Words for an old person.
const OLD: &[&str] =
    &["old", "elderly", "aged", "ancient", "wrinkled", "grandmother", "grandfather", "crone"];

/// Words for a young one.
const YOUNG: &[&str] = &["young", "boy", "girl", "child", "teenage", "apprentice", "lad", "lass"];

/// Words for a woman or a girl.
const WOMAN: &[&str] = &[
    "woman",
    "girl",
    "she",
    "her",
    "lady",
    "queen",
    "princess",
    "mother",
    "sister",
    "witch",
    "priestess",
    "cook",
    "housekeeper",
    "grandmother",
    "crone",
    "lass",
    "wife",
];

impl PortraitLook {
    /// Half of the face's width.
    pub(crate) fn face_rx(&self) -> i32 {
        60 + 6 * i32::from(self.width) - if self.age == Age::Young { 2 } else { 0 }
    }

    /// Reads the description. The mood, if given, comes before the description's own.
    pub(crate) fn of(name: &str, description: &str, mood: Option<&str>) -> PortraitLook {
        let words = Words::of(description);
        let chance = |what: &str, count: u64| noise(&[name, what], 0) % count;
        let age = match () {
            () if words.any(OLD) => Age::Old,
            () if words.any(YOUNG) => Age::Young,
            () => Age::Grown,
        };
        let is_woman = words.any(WOMAN);
        let hair = words
            .colour_of(&["hair", "haired", "braids", "curls", "locks", "beard", "bearded"], HAIR);
        let grey = age == Age::Old && hair.is_none();
        let chosen = if grey { Shade(0x00c9_c6c0) } else { pick(HAIR, chance("hair", 5)) };
        let has_beard = words.any(&["beard", "bearded"])
            || (!is_woman && age != Age::Young && chance("beard", 5) == 0);
        PortraitLook {
            age,
            skin: skin_of(&words).unwrap_or_else(|| pick(SKIN, chance("skin", 6))),
            hair: hair.unwrap_or(chosen),
            hair_style: hair_style_of(&words)
                .unwrap_or_else(|| some_hair_style(is_woman, chance("style", 4))),
            eyes: words
                .colour_of(&["eyes", "eyed"], EYES)
                .unwrap_or_else(|| pick(EYES, chance("eyes", 4))),
            cloth: words
                .colour_of(CLOTHES, CLOTH)
                .unwrap_or_else(|| pick(CLOTH, chance("cloth", 8))),
            backdrop: pick(BACKDROPS, chance("backdrop", BACKDROPS.len() as u64)),
            headwear: headwear_of(&words),
            mood: mood
                .map(Words::of)
                .and_then(|words| mood_of(&words))
                .or_else(|| mood_of(&words))
                .unwrap_or(FaceMood::Calm),
            has_moustache: words.any(&["moustache", "mustache", "whiskers"]),
            has_glasses: words.any(&["glasses", "spectacles", "monocle", "bespectacled"]),
            has_eyepatch: words.any(&["eyepatch", "eye-patch", "one-eyed", "patch"]),
            has_scar: words.any(&["scar", "scarred", "scars"]),
            has_freckles: words.any(&["freckles", "freckled"]),
            has_pointed_ears: words.any(&[
                "elf",
                "elven",
                "goblin",
                "orc",
                "fairy",
                "imp",
                "hobgoblin",
            ]),
            width: width_of(&words).unwrap_or(1),
            has_beard,
        }
    }
}

/// Words after which a colour is that of the clothes.
const CLOTHES: &[&str] = &[
    "coat", "cloak", "dress", "robe", "robes", "shirt", "tunic", "jacket", "uniform", "apron",
    "armour", "armor", "gown", "sweater", "jersey", "habit", "cape", "vest",
];

const BACKDROPS: &[Shade] = &[
    Shade(0x00d9_e3e8),
    Shade(0x00e8_dfd2),
    Shade(0x00d7_e2d3),
    Shade(0x00e5_d8e2),
    Shade(0x00de_dcea),
    Shade(0x00ea_e3c9),
];

fn pick(shades: &[Shade], at: u64) -> Shade {
    let at = usize::try_from(at).unwrap_or(0) % shades.len().max(1);
    shades.get(at).copied().unwrap_or(Shade(0))
}

fn skin_of(words: &Words) -> Option<Shade> {
    let named = [
        (&["goblin", "orc", "green-skinned", "hobgoblin"][..], Shade(0x008f_a869)),
        (&["ghost", "ghostly", "spectre", "undead"], Shade(0x00dd_e5e8)),
        (&["pale", "fair-skinned", "pallid"], Shade(0x00f3_ddcb)),
        (&["dark-skinned", "black-skinned", "ebony"], Shade(0x006b_4630)),
        (&["brown-skinned", "tanned", "weathered", "sunburnt"], Shade(0x00b9_8058)),
    ];
    named.iter().find(|(names, _)| words.any(names)).map(|(_, shade)| *shade)
}

fn hair_style_of(words: &Words) -> Option<HairStyle> {
    let named = [
        (&["bald", "hairless", "shaven"][..], HairStyle::Bald),
        (&["braid", "braids", "braided", "plaits", "pigtails"], HairStyle::Braids),
        (&["curly", "curls", "frizzy", "curled"], HairStyle::Curly),
        (&["bun", "knot"], HairStyle::Bun),
        (&["long-haired", "flowing"], HairStyle::Long),
        (&["cropped", "short-haired"], HairStyle::Short),
    ];
    let found = named.iter().find(|(names, _)| words.any(names)).map(|(_, style)| *style);
    found
        .or_else(|| words.before("long", &["hair"]).then_some(HairStyle::Long))
        .or_else(|| words.before("short", &["hair"]).then_some(HairStyle::Short))
}

fn some_hair_style(is_woman: bool, chance: u64) -> HairStyle {
    match (is_woman, chance) {
        (true, 0) => HairStyle::Bun,
        (true, 1) => HairStyle::Braids,
        (true, _) => HairStyle::Long,
        (false, 0) => HairStyle::Curly,
        (false, _) => HairStyle::Short,
    }
}

fn headwear_of(words: &Words) -> Headwear {
    let named = [
        (&["crown", "tiara", "king", "queen", "emperor"][..], Headwear::Crown),
        (&["helmet", "helm"], Headwear::Helmet),
        (&["hood", "hooded", "cowl"], Headwear::Hood),
        (&["headscarf", "bandana", "kerchief", "shawl"], Headwear::Scarf),
        (&["cap", "beret", "bonnet"], Headwear::Cap),
        (&["hat", "top-hat", "tricorn"], Headwear::Hat),
    ];
    named.iter().find(|(names, _)| words.any(names)).map_or(Headwear::Nothing, |(_, worn)| *worn)
}

fn mood_of(words: &Words) -> Option<FaceMood> {
    let named = [
        (
            &[
                "happy", "smiling", "cheerful", "merry", "friendly", "kind", "jolly", "laughing",
                "pleased", "hopeful",
            ][..],
            FaceMood::Happy,
        ),
        (
            &["stern", "angry", "grim", "severe", "cross", "furious", "cold", "strict", "fierce"],
            FaceMood::Stern,
        ),
        (&["sad", "weeping", "sorrowful", "melancholy", "tired", "weary", "gloomy"], FaceMood::Sad),
        (&["afraid", "frightened", "scared", "nervous", "anxious", "terrified"], FaceMood::Afraid),
        (&["calm", "quiet", "serene"], FaceMood::Calm),
    ];
    named.iter().find(|(names, _)| words.any(names)).map(|(_, mood)| *mood)
}

fn width_of(words: &Words) -> Option<u8> {
    if words.any(&["thin", "slim", "gaunt", "lean", "bony", "slender", "hollow-cheeked"]) {
        return Some(0);
    }
    words
        .any(&["broad", "stout", "fat", "burly", "heavy", "plump", "round", "huge", "massive"])
        .then_some(2)
}

/// The words of a description, in lower case.
struct Words(Vec<String>);

impl Words {
    fn of(text: &str) -> Words {
        let is_word = |c: char| c.is_alphanumeric() || c == '-';
        let words = text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
        Words(words.take(WORDS_MAX).map(str::to_lowercase).collect())
    }

    /// Returns true if one of these stands there and is not denied: "without a beard", "no hat".
    fn any(&self, names: &[&str]) -> bool {
        self.0.iter().enumerate().any(|(at, word)| {
            let before = &self.0[at.saturating_sub(2)..at];
            let is_denied = before
                .iter()
                .any(|word| matches!(word.as_str(), "no" | "without" | "not" | "never"));
            names.contains(&word.as_str()) && !is_denied
        })
    }

    /// Returns true if one of these comes within three words after `first`.
    fn before(&self, first: &str, names: &[&str]) -> bool {
        let places = self.0.iter().enumerate().filter(|(_, word)| *word == first);
        places.into_iter().any(|(at, _)| {
            self.0.iter().skip(at + 1).take(3).any(|word| names.contains(&word.as_str()))
        })
    }

    /// The colour that stands just before one of these, or is joined to it: `red hair`, `long black curls`, `blue-eyed`.
    fn colour_of(&self, names: &[&str], palette: &[Shade]) -> Option<Shade> {
        for (at, word) in self.0.iter().enumerate() {
            if let Some((colour, joined)) = word.rsplit_once('-')
                && names.contains(&joined)
                && let Some(shade) = Shade::named(colour, palette)
            {
                return Some(shade);
            }
            if names.contains(&word.as_str()) {
                let before = &self.0[at.saturating_sub(3)..at];
                if let Some(shade) =
                    before.iter().rev().find_map(|word| Shade::named(word, palette))
                {
                    return Some(shade);
                }
            }
        }
        None
    }
}
