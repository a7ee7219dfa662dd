//! What players do: a closed list of kinds, and the words for each.

use serde::{Deserialize, Serialize};

/// A kind of deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verb {
    Look,
    Examine,
    Search,
    Listen,
    Go,
    Leave,
    Take,
    Give,
    Talk,
    Persuade,
    Attack,
    Open,
    Unlock,
    Force,
    Sneak,
    Climb,
    Rest,
    Eat,
    Cast,
    Use,
    Wait,
    /// Only dice, without a deed.
    Roll,
    /// A look at oneself.
    Reflect,
    /// A question without an addressee.
    Wonder,
    /// A deed that the player decides against.
    Refrain,
    /// Anything that has no kind here.
    Other,
}

impl Verb {
    /// Every kind.
    #[cfg(test)]
    pub(crate) const ALL: [Verb; 26] = [
        Verb::Look,
        Verb::Examine,
        Verb::Search,
        Verb::Listen,
        Verb::Go,
        Verb::Leave,
        Verb::Take,
        Verb::Give,
        Verb::Talk,
        Verb::Persuade,
        Verb::Attack,
        Verb::Open,
        Verb::Unlock,
        Verb::Force,
        Verb::Sneak,
        Verb::Climb,
        Verb::Rest,
        Verb::Eat,
        Verb::Cast,
        Verb::Use,
        Verb::Wait,
        Verb::Roll,
        Verb::Reflect,
        Verb::Wonder,
        Verb::Refrain,
        Verb::Other,
    ];
}

/// Verbs of more than one word; asked before the single ones.
const PHRASES: &[(&[&str], Verb)] = &[
    (&["look", "around"], Verb::Look),
    (&["turn", "around"], Verb::Look),
    (&["take", "stock"], Verb::Look),
    (&["take", "in"], Verb::Look),
    (&["look", "for"], Verb::Search),
    (&["look", "under"], Verb::Search),
    (&["look", "behind"], Verb::Search),
    (&["look", "inside"], Verb::Search),
    (&["take", "a", "look", "around"], Verb::Look),
    (&["take", "a", "look"], Verb::Examine),
    (&["have", "a", "look"], Verb::Examine),
    (&["take", "a", "closer", "look"], Verb::Examine),
    (&["take", "a", "rest"], Verb::Rest),
    (&["take", "a", "nap"], Verb::Rest),
    (&["take", "a", "break"], Verb::Rest),
    (&["take", "a", "seat"], Verb::Rest),
    (&["make", "camp"], Verb::Rest),
    (&["set", "up", "camp"], Verb::Rest),
    (&["sit", "down"], Verb::Rest),
    (&["lie", "down"], Verb::Rest),
    (&["pick", "up"], Verb::Take),
    (&["pick", "out"], Verb::Take),
    (&["break", "into"], Verb::Force),
    (&["break", "down"], Verb::Force),
    (&["set", "off"], Verb::Go),
    (&["set", "out"], Verb::Go),
    (&["move", "on"], Verb::Go),
    (&["press", "on"], Verb::Go),
    (&["run", "away"], Verb::Leave),
    (&["walk", "away"], Verb::Leave),
    (&["get", "out"], Verb::Leave),
    (&["go", "away"], Verb::Leave),
    (&["call", "out"], Verb::Talk),
    (&["cry", "out"], Verb::Talk),
    (&["get", "up"], Verb::Wait),
    (&["stand", "up"], Verb::Wait),
    (&["stand", "still"], Verb::Wait),
    (&["do", "nothing"], Verb::Wait),
    (&["keep", "watch"], Verb::Wait),
];

/// The words of each kind, in their plain form.
const WORDS: &[(Verb, &[&str])] = &[
    (Verb::Look, &["glance", "gaze", "peer", "watch", "survey", "scan"]),
    (
        Verb::Examine,
        &[
            "examine",
            "inspect",
            "study",
            "look",
            "read",
            "investigate",
            "observe",
            "check",
            "view",
            "analyze",
            "analyse",
            "scrutinize",
            "touch",
            "feel",
            "smell",
            "sniff",
            "consider",
        ],
    ),
    (
        Verb::Search,
        &["search", "rummage", "seek", "find", "explore", "scour", "hunt", "dig", "track"],
    ),
    (Verb::Listen, &["listen", "hear", "eavesdrop"]),
    (
        Verb::Go,
        &[
            "go", "walk", "run", "head", "enter", "move", "travel", "approach", "follow", "cross",
            "step", "march", "ride", "sail", "proceed", "continue", "advance", "wander", "hurry",
            "rush", "stride", "return", "descend", "visit", "come", "chase", "sprint",
        ],
    ),
    (Verb::Leave, &["leave", "exit", "flee", "escape", "retreat", "depart", "withdraw"]),
    (
        Verb::Take,
        &[
            "take", "grab", "get", "collect", "gather", "steal", "snatch", "pocket", "lift",
            "pick", "fetch", "seize", "retrieve", "loot", "claim", "pull", "catch",
        ],
    ),
    (Verb::Give, &["give", "offer", "hand", "pay", "show", "present", "return", "trade", "sell"]),
    (
        Verb::Talk,
        &[
            "talk",
            "speak",
            "ask",
            "tell",
            "say",
            "greet",
            "whisper",
            "shout",
            "call",
            "yell",
            "answer",
            "reply",
            "chat",
            "question",
            "introduce",
            "thank",
            "wave",
            "hello",
            "hi",
            "hey",
            "greetings",
            "thanks",
            "sing",
            "explain",
            "bow",
        ],
    ),
    (
        Verb::Persuade,
        &[
            "persuade",
            "convince",
            "bluff",
            "lie",
            "intimidate",
            "threaten",
            "charm",
            "bribe",
            "negotiate",
            "haggle",
            "beg",
            "plead",
            "flatter",
            "bargain",
            "deceive",
        ],
    ),
    (
        Verb::Attack,
        &[
            "attack", "fight", "hit", "strike", "kill", "stab", "shoot", "punch", "slash",
            "charge", "swing", "slay", "ambush", "defend", "parry", "wrestle", "tackle", "fire",
        ],
    ),
    (Verb::Open, &["open", "close", "shut", "knock", "lower", "raise"]),
    (Verb::Unlock, &["unlock", "lockpick", "disarm", "decipher", "solve"]),
    (
        Verb::Force,
        &[
            "break", "force", "kick", "smash", "bash", "push", "shove", "destroy", "burn", "pry",
            "tear", "cut", "ram",
        ],
    ),
    (Verb::Sneak, &["sneak", "hide", "creep", "slip", "tiptoe", "crawl", "stalk", "duck", "lurk"]),
    (
        Verb::Climb,
        &[
            "climb", "jump", "leap", "swim", "vault", "scale", "scramble", "dodge", "balance",
            "dive", "swing",
        ],
    ),
    (Verb::Rest, &["rest", "sleep", "camp", "sit", "nap", "relax", "meditate", "pray", "kneel"]),
    (Verb::Eat, &["eat", "drink", "taste", "sip", "swallow", "cook", "devour"]),
    (Verb::Cast, &["cast", "conjure", "summon", "enchant", "invoke", "chant"]),
    (
        Verb::Use,
        &[
            "use",
            "light",
            "put",
            "place",
            "wear",
            "equip",
            "throw",
            "drop",
            "tie",
            "turn",
            "press",
            "draw",
            "wield",
            "activate",
            "ring",
            "play",
            "write",
            "repair",
            "fix",
            "build",
            "craft",
            "make",
            "fill",
            "pour",
            "hold",
            "wield",
            "toss",
            "insert",
            "try",
            "extinguish",
            "carry",
            "hang",
            "unwrap",
            "set",
        ],
    ),
    (Verb::Wait, &["wait", "stand", "stay", "pause", "stop", "linger", "breathe"]),
    (Verb::Roll, &["roll"]),
];

/// A verb that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundVerb {
    pub(crate) kind: Verb,
    /// How many words it has.
    pub(crate) length: usize,
    /// Its first word in the plain form.
    pub(crate) plain: String,
}

/// The verb that `words` (in lower case) start with.
pub(crate) fn find(words: &[&str]) -> Option<FoundVerb> {
    for form in forms(words.first()?) {
        let phrase = PHRASES
            .iter()
            .filter(|(phrase, _)| {
                phrase[0] == form
                    && words.len() >= phrase.len()
                    && words[1..phrase.len()] == phrase[1..]
            })
            .max_by_key(|(phrase, _)| phrase.len());
        if let Some((phrase, kind)) = phrase {
            return Some(FoundVerb { kind: *kind, length: phrase.len(), plain: form });
        }
        if let Some((kind, _)) = WORDS.iter().find(|(_, known)| known.contains(&form.as_str())) {
            return Some(FoundVerb { kind: *kind, length: 1, plain: form });
        }
    }
    None
}

/// True for a known verb in its plain form: "open", not "opened".
pub(crate) fn is_plain_verb(word: &str) -> bool {
    WORDS.iter().any(|(_, known)| known.contains(&word))
        || PHRASES.iter().any(|(phrase, _)| phrase[0] == word)
}

/// The word itself and the plain forms that it may come from, the likeliest first.
fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    let irregular = match word {
        "went" | "gone" => "go",
        "took" | "taken" => "take",
        "gave" => "give",
        "said" => "say",
        "told" => "tell",
        "spoke" => "speak",
        "ran" => "run",
        "hid" => "hide",
        "broke" => "break",
        "struck" => "strike",
        "found" => "find",
        "left" => "leave",
        "ate" => "eat",
        "drank" => "drink",
        "slept" => "sleep",
        "lying" => "lie",
        _ => "",
    };
    if !irregular.is_empty() {
        forms.push(irregular.to_owned());
    }
    for ending in ["ing", "ed", "es", "s", "d"] {
        let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= 2) else {
            continue;
        };
        forms.push(stem.to_owned());
        forms.push(format!("{stem}e"));
        let mut letters = stem.chars().rev();
        if let (Some(last), Some(before)) = (letters.next(), letters.next())
            && last == before
        {
            forms.push(stem[..stem.len() - last.len_utf8()].to_owned());
        }
        if let Some(root) = stem.strip_suffix('i') {
            forms.push(format!("{root}y"));
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_known_in_all_their_forms() {
        for (text, verb) in [
            ("examine", Verb::Examine),
            ("examined", Verb::Examine),
            ("grabbing", Verb::Take),
            ("tries", Verb::Use),
            ("hiding", Verb::Sneak),
            ("hid", Verb::Sneak),
            ("look around", Verb::Look),
            ("look for", Verb::Search),
            ("take a closer look", Verb::Examine),
            ("picked up", Verb::Take),
            ("breaks down", Verb::Force),
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            let found = find(&words).map(|found| (found.kind, found.length));
            assert_eq!(found, Some((verb, words.len())), "{text}");
        }
        assert_eq!(find(&["juggle"]), None);
        assert_eq!(find(&[]), None);
    }
}
