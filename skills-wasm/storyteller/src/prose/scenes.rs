//! What is around the deed: openings, moods, and what pulls the story on. This is where styles differ.

use super::SentencePool;
use crate::story::{Mood, Style};

/// The first words of a story that has no scene yet.
pub(crate) fn opening(style: Style) -> SentencePool {
    match style {
        Style::Classic => OPENING_CLASSIC,
        Style::Noir => OPENING_NOIR,
        Style::Whimsical => OPENING_WHIMSICAL,
        Style::Terse => OPENING_TERSE,
    }
}

/// How the place feels.
pub(crate) fn ambience(style: Style, mood: Mood) -> SentencePool {
    match (style, mood) {
        (Style::Classic | Style::Terse, Mood::Calm) => CALM,
        (Style::Classic | Style::Terse, Mood::Tense) => TENSE,
        (Style::Classic | Style::Terse, Mood::Eerie) => EERIE,
        (Style::Classic | Style::Terse, Mood::Hopeful) => HOPEFUL,
        (Style::Classic | Style::Terse, Mood::Grim) => GRIM,
        (Style::Noir, Mood::Calm | Mood::Hopeful) => NOIR_LIGHT,
        (Style::Noir, Mood::Tense | Mood::Eerie | Mood::Grim) => NOIR_DARK,
        (Style::Whimsical, Mood::Calm | Mood::Hopeful) => WHIMSICAL_LIGHT,
        (Style::Whimsical, Mood::Tense | Mood::Eerie | Mood::Grim) => WHIMSICAL_DARK,
    }
}

/// A remark on what was named, in the voice of the style; the plainer ones have none.
pub(crate) fn aside(style: Style) -> Option<SentencePool> {
    match style {
        Style::Noir => Some(ASIDE_NOIR),
        Style::Whimsical => Some(ASIDE_WHIMSICAL),
        Style::Classic | Style::Terse => None,
    }
}

/// What pulls the story on.
pub(crate) fn hook(style: Style) -> SentencePool {
    match style {
        Style::Classic | Style::Terse => HOOK_CLASSIC,
        Style::Noir => HOOK_NOIR,
        Style::Whimsical => HOOK_WHIMSICAL,
    }
}

const OPENING_CLASSIC: SentencePool = SentencePool {
    name: "openclassic",
    short: &["So it begins.", "The day is nearly over."],
    full: &[
        "It is evening, and very quiet, the way it is before something begins.",
        "It begins on an evening like any other, except for the silence.",
        "The day is nearly over, and there is a feeling in the air that something has been waiting for you.",
    ],
};

const OPENING_NOIR: SentencePool = SentencePool {
    name: "opennoir",
    short: &["It starts with rain.", "Nobody called you here."],
    full: &[
        "It has been raining since noon, the kind of rain that has it in for somebody.",
        "The hour is late enough for mistakes and too early for regret.",
        "Nobody asked you to come here, and that has never stopped you before.",
    ],
};

const OPENING_WHIMSICAL: SentencePool = SentencePool {
    name: "openwhimsical",
    short: &["Once, and only once, it went like this.", "It is a Tuesday, more or less."],
    full: &[
        "It is the sort of day that wears its hat at an angle.",
        "Somewhere a clock strikes thirteen, apologises and tries again.",
        "The clouds have arranged themselves into shapes that they clearly practised.",
    ],
};

const OPENING_TERSE: SentencePool = SentencePool {
    name: "openterse",
    short: &["Dusk.", "Wind from the east.", "Silence."],
    full: &["Dusk.", "Wind from the east.", "Silence."],
};

const CALM: SentencePool = SentencePool {
    name: "calm",
    short: &["It is quiet.", "The light holds."],
    full: &[
        "Somewhere water drips, unhurried, keeping a time of its own.",
        "Dust turns in a bar of light, and nothing else is in a hurry.",
        "A breath of air goes by, smelling of earth and old wood.",
        "It is quiet, in the way of places that have seen worse.",
    ],
};

const TENSE: SentencePool = SentencePool {
    name: "tense",
    short: &["Your heart is loud.", "Something creaks."],
    full: &[
        "Your heart is louder than you would like it to be.",
        "Somewhere behind you something creaks, once, and does not creak again.",
        "The quiet has an edge to it now, like a held breath.",
        "Every shadow seems to have moved a little while you looked away.",
    ],
};

const EERIE: SentencePool = SentencePool {
    name: "eerie",
    short: &["The cold deepens.", "You are not alone."],
    full: &[
        "A chill comes from nowhere in particular and stays.",
        "For an instant you are certain that you are not alone, and then the instant is gone.",
        "Far off something that might be the wind says something that might be a word.",
        "The light does not fall here so much as hesitate.",
    ],
};

const HOPEFUL: SentencePool = SentencePool {
    name: "hopeful",
    short: &["The light is kinder now.", "You breathe easier."],
    full: &[
        "The light seems a shade warmer than it was.",
        "You catch yourself smiling, and let it stay.",
        "For the first time in a while the way ahead looks like a way.",
        "Somewhere a bird tries three notes, likes them and tries them again.",
    ],
};

const GRIM: SentencePool = SentencePool {
    name: "grim",
    short: &["The dark leans in.", "There is a taste of iron."],
    full: &[
        "The dark leans in as if it had heard its name.",
        "There is a taste of iron in the air, and it was not there before.",
        "Something has shifted against you, and you can feel the weight of it.",
        "Whatever luck you brought with you, you can hear it walking away.",
    ],
};

const NOIR_LIGHT: SentencePool = SentencePool {
    name: "noirlight",
    short: &["The rain lets up.", "Smoke hangs in the light."],
    full: &[
        "Somewhere a radio that nobody is listening to plays something slow.",
        "Smoke hangs in the light like a thought that nobody finished.",
        "The rain lets up for a minute, as if to hear better.",
        "It is almost peaceful, the way a bill is before you open it.",
    ],
};

const NOIR_DARK: SentencePool = SentencePool {
    name: "noirdark",
    short: &["The shadows keep count.", "Trouble has your address."],
    full: &[
        "The shadows in here have shadows of their own, and none of them are friends.",
        "Trouble has your address, and it does not need to hurry.",
        "The silence has the sound of somebody reloading it.",
        "Luck is a lady who has never once returned your calls.",
    ],
};

const WHIMSICAL_LIGHT: SentencePool = SentencePool {
    name: "whimlight",
    short: &["A moth approves.", "Something hums."],
    full: &[
        "A passing moth looks on with every sign of approval.",
        "The air smells of pepper, moss and somebody else's birthday.",
        "Somewhere out of sight something is humming, and nearly knows the tune.",
        "Even the dust seems to be enjoying itself.",
    ],
};

const WHIMSICAL_DARK: SentencePool = SentencePool {
    name: "whimdark",
    short: &["A shadow sneezes.", "The dark giggles."],
    full: &[
        "A shadow in the corner sneezes, and pretends that it did not.",
        "The dark giggles, which is not what one wants from the dark.",
        "Your knees hold a brief meeting and vote, by a narrow margin, to stay.",
        "Something goes bump, thinks about it and goes bump again with more feeling.",
    ],
};

const ASIDE_NOIR: SentencePool = SentencePool {
    name: "asidenoir",
    short: &["{the} {has} a past."],
    full: &[
        "You have seen the likes of {the} before, and it never ended cheaply.",
        "{the} {has} the look of something with a record.",
        "If {the} could talk, you would both need a lawyer.",
        "{the} wait{s} there like a question that nobody was paid to ask.",
    ],
};

const ASIDE_WHIMSICAL: SentencePool = SentencePool {
    name: "asidewhim",
    short: &["{the} seem{s} flattered."],
    full: &[
        "{the} seem{s} pleased by the attention, in a dignified sort of way.",
        "You could swear that {the} {has} just stopped whistling.",
        "{the} {has} the air of having been somewhere more interesting until a moment ago.",
        "If one were to put a hat on {the}, it would be a small green one.",
    ],
};

const HOOK_CLASSIC: SentencePool = SentencePool {
    name: "hook",
    short: &["There is more here.", "What now?"],
    full: &[
        "There is more to this than you have seen so far.",
        "What you do next may matter more than it seems.",
        "Something tells you that this is not the end of it.",
        "You have the sense of a thread in your hand, and of something at the other end.",
        "And from not so very far away comes a sound that you cannot place.",
    ],
};

const HOOK_NOIR: SentencePool = SentencePool {
    name: "hooknoir",
    short: &["It smells wrong.", "The night is young."],
    full: &[
        "It smells wrong, and you have always followed your nose into trouble.",
        "Somebody wants this left alone, which is the best reason to go on.",
        "The night is young, and it was never innocent.",
        "You file it away with the other things that do not add up.",
    ],
};

const HOOK_WHIMSICAL: SentencePool = SentencePool {
    name: "hookwhim",
    short: &["How curious.", "Well, then."],
    full: &[
        "It is all most irregular, and you find that you would not have it otherwise.",
        "Adventure, which had been leaning against a wall, stands up and straightens its coat.",
        "There is clearly a rule against this, and just as clearly nobody has read it.",
        "Somewhere a very small door opens, just a crack, to see what you will do.",
    ],
};
