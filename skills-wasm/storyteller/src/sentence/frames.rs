//! Decides whether the sentences of a kind fit a deed. A kind has many verbs; its sentences fit the plain ones with a
//! plain object. All others are told in the player's own words.

use crate::verbs::Verb;

/// A phrase after the verb, with how it came there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ObjectFrame<'a> {
    /// The preposition before the object; empty if it follows the verb at once.
    pub(super) preposition: &'a str,
    /// The object belongs to the player: "my way".
    pub(super) is_own: bool,
    /// The object was named with "a" or "an".
    pub(super) is_indefinite: bool,
    /// The object is a person or has a name.
    pub(super) is_person: bool,
}

/// True if the sentences of this kind say what this verb says.
///
/// Long because it is one table of words.
pub(super) fn is_core_verb(kind: Verb, verb: &str) -> bool {
    match kind {
        Verb::Look => matches!(
            verb,
            "look" | "glance" | "gaze" | "peer" | "survey" | "scan" | "turn" | "take"
        ),
        Verb::Examine => matches!(
            verb,
            "examine"
                | "inspect"
                | "study"
                | "look"
                | "scrutinize"
                | "take"
                | "have"
                | "investigate"
                | "observe"
                | "glance"
                | "gaze"
                | "peer"
        ),
        Verb::Search => matches!(verb, "search" | "seek" | "look" | "hunt" | "find"),
        Verb::Listen => matches!(verb, "listen" | "eavesdrop"),
        Verb::Go => matches!(
            verb,
            "go" | "walk"
                | "head"
                | "move"
                | "travel"
                | "approach"
                | "march"
                | "proceed"
                | "continue"
                | "advance"
                | "hurry"
                | "rush"
                | "stride"
                | "run"
                | "step"
                | "set"
                | "press"
                | "wander"
                | "enter"
        ),
        Verb::Leave => matches!(
            verb,
            "leave"
                | "exit"
                | "flee"
                | "escape"
                | "retreat"
                | "depart"
                | "withdraw"
                | "run"
                | "walk"
                | "get"
                | "go"
        ),
        Verb::Take => matches!(
            verb,
            "take"
                | "grab"
                | "collect"
                | "gather"
                | "steal"
                | "snatch"
                | "pocket"
                | "fetch"
                | "seize"
                | "retrieve"
                | "loot"
                | "claim"
                | "pick"
        ),
        Verb::Give => matches!(verb, "give" | "offer" | "hand" | "present"),
        Verb::Talk => matches!(verb, "talk" | "speak" | "ask" | "address" | "chat" | "question"),
        Verb::Persuade => matches!(verb, "persuade" | "convince" | "reason" | "negotiate"),
        Verb::Attack => matches!(
            verb,
            "attack"
                | "fight"
                | "hit"
                | "strike"
                | "kill"
                | "stab"
                | "slash"
                | "slay"
                | "charge"
                | "swing"
        ),
        Verb::Open => matches!(verb, "open"),
        Verb::Unlock => matches!(verb, "unlock" | "lockpick" | "pick"),
        Verb::Force => matches!(verb, "break" | "force" | "kick" | "smash" | "bash" | "ram"),
        Verb::Sneak => matches!(verb, "sneak" | "creep" | "slip" | "tiptoe" | "stalk" | "lurk"),
        Verb::Climb => matches!(verb, "climb" | "scale" | "vault" | "scramble"),
        Verb::Rest => matches!(
            verb,
            "rest" | "camp" | "sit" | "relax" | "sleep" | "nap" | "take" | "make" | "set" | "lie"
        ),
        Verb::Eat => matches!(verb, "eat" | "taste" | "devour" | "swallow"),
        Verb::Cast => true,
        Verb::Use => matches!(verb, "use" | "try"),
        Verb::Wait => matches!(verb, "wait" | "stay" | "linger" | "pause" | "do"),
        Verb::Roll | Verb::Reflect | Verb::Wonder | Verb::Refrain => true,
        Verb::Other => false,
    }
}

/// True if the sentences of this kind may name an object that stands so.
pub(super) fn takes_object(kind: Verb, verb: &str, frame: ObjectFrame<'_>) -> bool {
    let ObjectFrame { preposition, is_own, is_indefinite, is_person } = frame;
    let own_fits = matches!(
        kind,
        Verb::Take
            | Verb::Use
            | Verb::Examine
            | Verb::Give
            | Verb::Eat
            | Verb::Search
            | Verb::Reflect
            | Verb::Refrain
            | Verb::Wonder
    );
    if is_own && !own_fits {
        return false;
    }
    match kind {
        Verb::Look | Verb::Examine => matches!(preposition, "" | "at" | "over"),
        Verb::Search => preposition == "for" || matches!(verb, "seek" | "find"),
        Verb::Listen => matches!(preposition, "to" | "at" | "for"),
        Verb::Go => match preposition {
            "" => matches!(verb, "approach" | "enter"),
            "to" | "toward" | "towards" | "into" | "in" | "inside" | "through" | "up" | "down"
            | "onto" | "over" | "across" | "for" | "on" => true,
            _ => false,
        },
        Verb::Leave => !is_indefinite && matches!(preposition, "" | "from" | "out"),
        Verb::Talk => match preposition {
            "to" | "with" | "at" => true,
            "" => is_person && matches!(verb, "ask" | "question" | "address"),
            _ => false,
        },
        Verb::Persuade => matches!(preposition, "" | "to" | "with"),
        Verb::Attack => matches!(preposition, "" | "at"),
        Verb::Take | Verb::Give | Verb::Eat | Verb::Use | Verb::Unlock | Verb::Open => {
            matches!(preposition, "" | "up" | "out" | "at")
        }
        Verb::Force => matches!(preposition, "" | "down" | "through" | "into" | "in" | "against"),
        Verb::Sneak => {
            matches!(preposition, "past" | "by" | "up" | "to" | "toward" | "towards" | "behind")
        }
        Verb::Climb => matches!(preposition, "" | "up" | "over" | "onto" | "across"),
        Verb::Rest | Verb::Wait => {
            matches!(preposition, "by" | "near" | "beside" | "at" | "against" | "under" | "in")
        }
        Verb::Cast | Verb::Roll | Verb::Reflect | Verb::Wonder | Verb::Refrain => true,
        Verb::Other => false,
    }
}

/// True if a noun without an article may follow this verb at once: "take sword", not "stay calm".
pub(super) fn takes_bare_object(kind: Verb, verb: &str) -> bool {
    match kind {
        Verb::Examine => !matches!(verb, "feel" | "smell" | "taste" | "look"),
        Verb::Search
        | Verb::Open
        | Verb::Unlock
        | Verb::Attack
        | Verb::Force
        | Verb::Climb
        | Verb::Eat
        | Verb::Cast
        | Verb::Give
        | Verb::Persuade
        | Verb::Refrain => !matches!(
            verb,
            "lie" | "beg" | "plead" | "knock" | "swing" | "jump" | "leap" | "swim" | "dive"
        ),
        Verb::Take => !matches!(verb, "get"),
        Verb::Use => !matches!(verb, "play" | "make" | "set" | "put" | "hold" | "turn" | "place"),
        Verb::Talk => matches!(verb, "ask" | "tell" | "greet" | "thank" | "question"),
        Verb::Go => matches!(verb, "enter" | "approach" | "follow" | "cross" | "visit" | "chase"),
        Verb::Leave => matches!(verb, "leave" | "exit" | "escape" | "flee"),
        _ => false,
    }
}
