//! What comes of a deed: by the dice, or without them.

use super::SentencePool;
use crate::{outcome::DiceOutcome, verbs::Verb};

/// What the dice mean, whatever was done.
pub(crate) fn result(outcome: DiceOutcome) -> SentencePool {
    match outcome {
        DiceOutcome::CriticalFailure => CRITICAL_FAILURE,
        DiceOutcome::Failure => FAILURE,
        DiceOutcome::Partial => PARTIAL,
        DiceOutcome::Success => SUCCESS,
        DiceOutcome::CriticalSuccess => CRITICAL_SUCCESS,
    }
}

/// What they mean for this kind of deed; nothing special where it half succeeds.
pub(crate) fn special_result(outcome: DiceOutcome, verb: Verb) -> Option<SentencePool> {
    let (good, bad) = match verb {
        Verb::Unlock | Verb::Open => (UNLOCKED, STILL_LOCKED),
        Verb::Attack => (STRUCK, MISSED),
        Verb::Sneak => (UNSEEN, NOTICED),
        Verb::Persuade | Verb::Talk => (CONVINCED, UNCONVINCED),
        Verb::Climb | Verb::Force => (MASTERED, OVERMATCHED),
        Verb::Examine | Verb::Look | Verb::Search | Verb::Listen => (NOTICED_MUCH, NOTICED_LITTLE),
        _ => return None,
    };
    match outcome {
        DiceOutcome::Success | DiceOutcome::CriticalSuccess => Some(good),
        DiceOutcome::Failure | DiceOutcome::CriticalFailure => Some(bad),
        DiceOutcome::Partial => None,
    }
}

/// What a deed without dice shows of the thing that it is about; nothing where it has no such sentences.
pub(crate) fn detail(verb: Verb) -> Option<SentencePool> {
    match verb {
        Verb::Look | Verb::Examine | Verb::Search | Verb::Listen | Verb::Reflect => Some(SEEN),
        Verb::Take | Verb::Open | Verb::Unlock | Verb::Force | Verb::Use => Some(HANDLED),
        _ => None,
    }
}

const CRITICAL_FAILURE: SentencePool = SentencePool {
    name: "fumble",
    short: &[
        "It goes [badly wrong|wrong, and loudly|as wrong as it can].",
        "It could hardly go worse.",
    ],
    full: &[
        "It goes wrong [at once|completely|from the first moment], in a way that [people will remember|nobody could miss|you will think about later].",
        "Everything that could slip slips, and the noise of it [goes on for far too long|carries|tells everyone where you are].",
        "It could hardly [have gone|go] worse, and somewhere nearby something has [taken note|heard|stopped to listen].",
        "For one clear instant you see the mistake, and then it is [made|too late|done].",
        "You [misjudge it|lose your grip|choose the worst moment], and [you will pay for it|there is no taking it back|it costs you dearly].",
    ],
};

const FAILURE: SentencePool = SentencePool {
    name: "fail",
    short: &[
        "It does not work[| this time| like that].",
        "It [comes to nothing|fails|goes wrong].",
    ],
    full: &[
        "It does not go as you [meant it to|had hoped|saw it in your mind], and the moment [closes like a door|is gone|does not come again].",
        "You come up short, [not by much, but by enough|by a hand's breadth|and you know why].",
        "Luck looks the other way, and the effort [comes to nothing|is wasted|runs into the sand].",
        "You know before it is over that [this was not the time|it will not do|you should have waited].",
        "It [almost|nearly] works, and then it [does not|slips away|turns against you].",
        "[Something resists|Your timing is off|It is harder than it looked], and you [have to let it go|are back where you began|gain nothing by it].",
        "It [fails|goes wrong|comes to nothing], [quietly|without any drama|and not for want of trying].",
    ],
};

const PARTIAL: SentencePool = SentencePool {
    name: "partial",
    short: &["It half works.", "You get [some of it, at a price|half of it|less than you wanted]."],
    full: &[
        "It works, after a fashion, though it costs you [more than you meant to pay|time|a piece of your calm].",
        "You get half of what you wanted, and the other half [now knows that you are here|stays out of reach|will have to wait].",
        "It hangs in the balance, tips your way, and [leaves a mark on you in passing|takes something with it|you are out of breath].",
        "You manage it, [barely|in part|in the end], and not without [giving something away|noise|a scratch].",
        "It [goes your way|works|comes right], but [not cleanly|only just|at a price].",
        "You are [half way there|not where you meant to be], and [that is something|it will have to do|the rest is open].",
    ],
};

const SUCCESS: SentencePool = SentencePool {
    name: "success",
    short: &["It works[| at once| as you meant it to].", "It goes [your way|well|just right]."],
    full: &[
        "It goes just as you had hoped, [which is rare enough to be pleasing|and you breathe out|without a hitch].",
        "Everything falls into place, [quietly and in the right order|one thing after the other|as if it had been waiting].",
        "This time [the world is on your side|luck is with you|you have judged it well], and it [gives way|works|is done].",
        "You feel it come right [under your hands|in your bones], a moment before it does.",
        "It [works|comes right|is done], and it was [easier than you feared|your own doing|well done].",
        "You [have it|bring it off|carry it through], [cleanly|with a little to spare|on the first try].",
        "It [goes|turns out] well, [better than it had to|and you let yourself be glad|and you do not ask why].",
    ],
};

const CRITICAL_SUCCESS: SentencePool = SentencePool {
    name: "triumph",
    short: &["It could not have gone better.", "It is [perfect|flawless|a small marvel]."],
    full: &[
        "It goes better than you had any right to expect, as if you had done it [a hundred times|all your life|in a dream].",
        "For the length of a breath you can do nothing wrong, and you [do nothing wrong|make the most of it].",
        "It is the kind of luck that people lie about later, and you will not have to.",
        "It all comes together in one perfect motion, and there is more to be had than you [asked for|looked for].",
        "You [could not have done it better|surprise even yourself|make it look easy], and [it shows|everything follows from it|the way ahead lies open].",
    ],
};

const UNLOCKED: SentencePool = SentencePool {
    name: "unlocked",
    short: &["{the} [give{s} way|yield{s}|open{s}].", "There is a click, and {the} yield{s}."],
    full: &[
        "Something deep inside gives a [small, satisfied|dry|soft] click, and {the} [yield{s}|give{s} way|open{s}].",
        "There is a moment of resistance, and then {the} give{s} way [as if that had been the plan all along|all at once|with a sigh].",
        "A last hidden part slides home, and {the} [hold{s} you up no longer|open{s}|give{s} in].",
    ],
};

const STILL_LOCKED: SentencePool = SentencePool {
    name: "locked",
    short: &["{the} do{es} not give.", "{the} [hold{s} fast|stay{s} shut]."],
    full: &[
        "Something slips at the last moment, and {the} [hold{s} as fast as before|stay{s} as {they_is}|will not be hurried].",
        "Whoever made {the} knew the trade, and you are left with [sore fingers|nothing to show for it|a little more respect].",
        "{the} give{s} by a hair, [think{s} better of it|catch{es}|stop{s}] and stay{s} shut.",
    ],
};

const STRUCK: SentencePool = SentencePool {
    name: "struck",
    short: &["The blow lands.", "You hit {the}[| hard]."],
    full: &[
        "The blow lands true, and you feel it [all the way to your shoulder|in your teeth|before you hear it].",
        "It strikes home, and {the} {is} [forced back|shaken|too slow to answer].",
        "There is an opening, no wider than a hand, and you [are through it|do not waste it|take it].",
    ],
};

const MISSED: SentencePool = SentencePool {
    name: "missed",
    short: &["The blow goes wide.", "You miss {the}[| by a hair]."],
    full: &[
        "The blow cuts only air, and now you are the one [off balance|who is open|to be careful].",
        "It goes wide by the width of a [finger, which is as good as a mile|hand|blade].",
        "You were quick, but {the} had moved [before you did|already|aside].",
    ],
};

const UNSEEN: SentencePool = SentencePool {
    name: "unseen",
    short: &["Nobody stirs.", "You are not seen[| by anyone]."],
    full: &[
        "Nothing turns, nothing calls out, and you might as well be [a draught|a shadow|part of the wall].",
        "You pass where a careful eye should have caught you, and [no eye does|it looks the other way|nothing happens].",
        "Not a [board|stone|leaf] stirs, and the dark keeps its promise.",
    ],
};

const NOTICED: SentencePool = SentencePool {
    name: "noticed",
    short: &["Something stirs.", "You are [noticed|seen|heard]."],
    full: &[
        "A stone turns under your foot, and the silence that follows is the [listening kind|wrong kind|kind with ears].",
        "Somewhere close a sound stops, the way sounds do when somebody begins to [pay attention|listen|wonder].",
        "You are a heartbeat too slow, and the shadow you needed is [on the other side of the light|gone|one step too far].",
    ],
};

const CONVINCED: SentencePool = SentencePool {
    name: "convinced",
    short: &["It works.", "There is a nod[| at last]."],
    full: &[
        "There is a long look, then a [short|slow|small] nod, and you know that you have won this one.",
        "You see the doubt go out of the face before you, [slowly, like a tide|all at once|bit by bit].",
        "Something in your voice did it, or something in [the silence after|the way you stood|what you left out].",
    ],
};

const UNCONVINCED: SentencePool = SentencePool {
    name: "unconvinced",
    short: &["The answer is no.", "Your words fall flat."],
    full: &[
        "Your words land, are weighed and are found [a little light|wanting|too many].",
        "The answer is [polite, brief|quick, cold|long, friendly] and not the one you wanted.",
        "You hear how it sounds as you say it, and so does [everyone else|the other side|anyone with ears].",
    ],
};

const MASTERED: SentencePool = SentencePool {
    name: "mastered",
    short: &["You make it[| with ease].", "{the} {is} no match for you."],
    full: &[
        "Your body knows what to do before you do, and you come through with [breath to spare|nothing worse than dust on you|a laugh].",
        "{the} put{s} up a fight and then, all at once, {is} [beaten|behind you].",
        "There is one bad moment, in the middle, and then it is [behind you|over|a story to tell].",
    ],
};

const OVERMATCHED: SentencePool = SentencePool {
    name: "overmatched",
    short: &["You do not make it.", "{the} {is} too much for you."],
    full: &[
        "Halfway through your strength has other plans, and you end up where you began, with [a bruise to show for it|less breath|skinned hands].",
        "{the} take{s} everything you have to give, and {is} there all the same.",
        "Your grip goes first, then your footing, then your [dignity|patience|breath].",
    ],
};

const NOTICED_MUCH: SentencePool = SentencePool {
    name: "clue",
    short: &["You find something.", "There it is[| after all]."],
    full: &[
        "And there it is, so plain now that you wonder how [anyone could miss it|you did not see it before|it could hide].",
        "One small thing does not fit, and once you have seen it you [can see nothing else|know where to look|see the next].",
        "Your patience is repaid: there is something here that was not meant to be [found|seen|here at all].",
    ],
};

const NOTICED_LITTLE: SentencePool = SentencePool {
    name: "noclue",
    short: &["You find nothing.", "Nothing stands out[| to you]."],
    full: &[
        "If there is a secret here, it is better at hiding than you are at [finding|looking|patience].",
        "Nothing shows itself, though you cannot shake the thought that you have [looked right at it|stepped over it|missed it by a hair].",
        "You come away with dust on your fingers and no more than you [had|knew].",
    ],
};

const SEEN: SentencePool = SentencePool {
    name: "seen",
    short: &["{the} {has} a story to tell."],
    full: &[
        "Close to, {the} {has} the marks of many hands, and one of them is fresh.",
        "There is a faint scratch on {the} that no accident would leave, narrow and deliberate.",
        "The longer you look at {the}, the less {they_is} what you first took {it} for.",
        "Age has not been kind to {the}, but somebody has been, and recently.",
    ],
};

const HANDLED: SentencePool = SentencePool {
    name: "handled",
    short: &["{the} {is} colder than you expected."],
    full: &[
        "There is a weight to {the} that the eye would not have guessed.",
        "{the} {is} colder than the air, and you feel it up to the wrist.",
        "For a moment {the} seem{s} to hold back, and then the moment is over.",
    ],
};
