//! Sets of words that several patterns share, by the name that stands for them.

use crate::parse::{gestures::BODY, travel::DIRECTIONS};

/// Each name with its words.
pub(super) const SETS: &[(&str, &[&str])] = &[
    ("backs", &["back", "reverse", "side", "inside", "it", "front", "rear"]),
    ("behind", &["behind", "under", "in", "between", "of", "near", "beside", "at"]),
    ("body", BODY),
    ("carries", &["carry", "bring", "take", "lug", "haul", "cart", "march", "move"]),
    (
        "dirt",
        &[
            "muck", "dirt", "dust", "mud", "grime", "rust", "soot", "cobwebs", "grease", "sand",
            "ash", "snow", "water", "crumbs", "moss", "slime", "ink", "blood", "frost",
        ],
    ),
    ("direction", DIRECTIONS),
    ("eyes", &["eye", "eyes", "gaze", "glance", "head", "look"]),
    ("feet", &["feet", "legs", "steps", "footsteps", "boots", "paws"]),
    (
        "gap",
        &[
            "hole",
            "gap",
            "space",
            "crack",
            "hollow",
            "recess",
            "nook",
            "cranny",
            "cavity",
            "opening",
            "dark",
            "darkness",
            "depths",
            "corner",
            "underside",
            "bottom",
            "inside",
            "back",
        ],
    ),
    (
        "gaze",
        &["look", "peer", "gaze", "stare", "squint", "glance", "gawp", "gape", "peek", "blink"],
    ),
    ("glance", &["look", "peek", "glance", "gaze", "peep"]),
    ("ground", &["ground", "floor", "boards", "flagstones", "tiles", "carpet"]),
    ("hand", &["hand", "hands", "palm", "palms", "arms", "fingers", "lap", "fist"]),
    ("hollow", &["a", "an", "the", "my", "some", "little", "another"]),
    ("limb", &["hand", "hands", "arm", "arms", "finger", "fingers", "head"]),
    ("little", &["crack", "bit", "little", "inch", "fraction", "chink", "touch"]),
    (
        "looking",
        &[
            "study",
            "examine",
            "admire",
            "inspect",
            "contemplate",
            "observe",
            "scrutinise",
            "trace",
            "watch",
            "view",
        ],
    ),
    ("matter", &["subject", "topic", "matter", "question", "issue", "of", "the", "a"]),
    ("mine", &["my", "his", "her", "their", "your"]),
    ("moment", &["sec", "second", "moment", "minute", "bit", "while", "mo", "tick"]),
    ("over", &["round", "around", "over", "across", "along", "about", "through", "up", "down"]),
    (
        "poking",
        &["poke", "rummage", "nose", "dig", "feel", "snoop", "root", "ferret", "scout", "hunt"],
    ),
    ("self", &["me", "him", "her", "us", "them", "myself", "himself", "herself"]),
    (
        "text",
        &["letters", "words", "text", "writing", "inscription", "lines", "message", "lettering"],
    ),
    (
        "theirs",
        &[
            "tray", "hand", "hands", "palm", "lap", "plate", "desk", "counter", "table", "arms",
            "board",
        ],
    ),
    ("ways", &["down", "up", "back", "over", "out", "along", "inside", "straight", "off"]),
    (
        "wraps",
        &[
            "tape", "seal", "string", "twine", "ribbon", "wrapping", "wrapper", "wax", "lid",
            "cover", "cork", "cap", "stopper", "top", "clasp", "strap", "catch",
        ],
    ),
    (
        "writing",
        &["written", "wrote", "writing", "printed", "scribbled", "scrawled", "stands", "says"],
    ),
    ("around", &["on", "over", "around", "round", "about"]),
    (
        "breaking",
        &[
            "crumble", "crumple", "break", "tip", "scatter", "sprinkle", "empty", "chop", "shred",
            "tear", "pour", "shake", "dump", "lower", "ease", "feed", "squeeze", "cram", "wedge",
        ],
    ),
    (
        "fishing",
        &[
            "fish", "dig", "scoop", "hook", "shake", "slide", "slip", "ease", "drag", "swipe",
            "pluck", "pull", "draw", "tug", "yank", "wrench", "lift", "prise", "whip", "produce",
            "unhook", "jerk", "tease", "rip", "tear", "peel", "strip",
        ],
    ),
    ("goes", &["go", "goes", "went", "come", "comes", "came"]),
    ("going", &["going", "started", "burning", "lit", "running", "working", "alight"]),
    (
        "groping",
        &[
            "dig", "stick", "put", "push", "shove", "thrust", "slide", "slip", "run", "plunge",
            "poke", "work", "stretch", "squeeze", "reach",
        ],
    ),
    (
        "holding",
        &[
            "hold", "shove", "push", "thrust", "stick", "wave", "dangle", "put", "raise", "waft",
            "wiggle", "waggle", "flap", "flash",
        ],
    ),
    (
        "lying",
        &["curl", "lie", "lay", "stretch", "settle", "snuggle", "nestle", "flop", "bed", "crash"],
    ),
    (
        "pressing",
        &[
            "press", "put", "lay", "slip", "place", "push", "drop", "thrust", "tuck", "fold",
            "pop", "set", "stuff", "tip", "count", "pour", "stick", "slide",
        ],
    ),
    (
        "shutting",
        &[
            "pull", "push", "swing", "shove", "slam", "kick", "tug", "draw", "drag", "nudge",
            "ease", "yank", "throw", "close", "shut", "open",
        ],
    ),
    (
        "slinging",
        &[
            "throw", "sling", "drape", "wrap", "toss", "fling", "swing", "hang", "loop", "pull",
            "heave", "hoist",
        ],
    ),
    (
        "sliding",
        &[
            "slide", "push", "pass", "shove", "slip", "roll", "reach", "press", "lay", "put",
            "place", "set", "move", "stretch",
        ],
    ),
    (
        "within",
        &[
            "in",
            "between",
            "under",
            "behind",
            "beneath",
            "inside",
            "among",
            "underneath",
            "down",
            "through",
            "up",
        ],
    ),
    (
        "wrenching",
        &[
            "wrench", "yank", "tug", "pull", "work", "prise", "pry", "jerk", "twist", "tear",
            "rip", "drag", "wiggle", "wriggle", "lever",
        ],
    ),
];
