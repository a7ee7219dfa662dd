//! What the player does, continued: the deeds that seldom meet resistance.

use super::SentencePool;

pub(super) const REST: SentencePool = SentencePool {
    name: "rest",
    short: &[
        "You rest.",
        "You let your shoulders drop.",
        "You rest by {the}.",
        "You sit down by {the}.",
    ],
    full: &[
        "You find a place to sit and let the weight go out of your shoulders.",
        "You let your breath slow until it belongs to you again.",
        "You give yourself the rarest thing on any road, which is a moment without a task.",
        "You settle down near {the} and let your breath slow.",
        "You make what comfort you can of {the} and close your eyes for a while.",
    ],
};

pub(super) const EAT: SentencePool = SentencePool {
    name: "eat",
    short: &[
        "You taste {the}.",
        "You help yourself to {the}.",
        "You take a mouthful.",
        "You eat a little.",
    ],
    full: &[
        "You take a first, careful taste of {the}.",
        "You sit with {the} for a moment, and hunger settles the question.",
        "You try {the} the way travellers do, with more hope than trust.",
        "You eat slowly, because there is no knowing when you will eat again.",
        "You take what there is, and it goes down better than it looks.",
    ],
};

pub(super) const CAST: SentencePool = SentencePool {
    name: "cast",
    short: &[
        "You cast {spell} at {the}.",
        "You turn {spell} on {the}.",
        "You cast {spell}.",
        "You call up {spell}.",
        "You speak the words.",
        "You call on your power.",
    ],
    full: &[
        "You speak the words of {spell}, and the air between you and {the} draws tight.",
        "You raise your hand toward {the}, and {spell} answers.",
        "You shape the words of {spell}, and the hair on your arms stands up.",
        "You reach for {spell} in the place where you keep such things, and pull.",
        "You murmur the old syllables, and {spell} gathers around your fingers.",
        "You say the words that must be said exactly, and you say them exactly.",
        "You open your hand, and the air in it begins to hum.",
    ],
};

pub(super) const USE: SentencePool = SentencePool {
    name: "use",
    short: &[
        "You turn {the} to {target}.",
        "You try {the} with {target}.",
        "You put {the} to use.",
        "You try {the}.",
        "You make use of what you have.",
        "You make do.",
    ],
    full: &[
        "You bring {the} to {target} and see what the one makes of the other.",
        "You try {the} with {target}, carefully, ready to pull back.",
        "You take {the} in hand and do what {they_is} for.",
        "You turn your attention to {the} and set to work.",
        "You put {the} to use, with more certainty in your hands than in your head.",
        "You make use of what there is, the way one learns to.",
        "You try the simple thing first, which is often the right one.",
    ],
};

pub(super) const WAIT: SentencePool = SentencePool {
    name: "wait",
    short: &[
        "You wait.",
        "You stand still.",
        "You wait by {the}.",
        "You keep near {the} and wait.",
    ],
    full: &[
        "You wait, and let the moment show its hand first.",
        "You stay where you are and count slow breaths.",
        "You do nothing, which is harder than it sounds.",
        "You keep near {the} and let the time pass over you.",
        "You stay with {the} and wait for something to change.",
    ],
};

pub(super) const ROLL: SentencePool = SentencePool {
    name: "roll",
    short: &["The dice show {total}.", "Chance says {total}.", "You leave it to chance."],
    full: &[
        "The dice clatter, turn one last time and come to rest at {total}.",
        "You let the dice go, and they make up their mind at {total}.",
        "Chance is asked, and chance replies with {total}.",
        "You leave the next moment to chance, and chance takes its time.",
        "You weigh the dice in your palm and let fate have a say.",
    ],
};

pub(super) const REFLECT: SentencePool = SentencePool {
    name: "reflect",
    short: &["You take stock of yourself.", "You look yourself over."],
    full: &[
        "You look down at yourself, at the dust and the wear, and find that you are still whole.",
        "You take stock of yourself, from boots to bruises.",
        "You look at your own hands as if they might have news.",
    ],
};

pub(super) const WONDER: SentencePool = SentencePool {
    name: "wonder",
    short: &[
        "You wonder about {the}.",
        "Your thoughts turn to {the}.",
        "You turn the question over.",
        "You ask yourself that, too.",
    ],
    full: &[
        "You turn the question over in your mind, and every turn leads back to {the}.",
        "You ask it half aloud, your eyes on {the}.",
        "The question of {the} will not let you go, so you stop and face it.",
        "You turn the question over, and it looks different from each side.",
        "You ask it of the air, which keeps its own counsel for now.",
        "You stop and think, because some questions do not like to be hurried.",
    ],
};

pub(super) const REFRAIN: SentencePool = SentencePool {
    name: "refrain",
    short: &[
        "You let {the} be.",
        "You leave {the} alone.",
        "You decide against it.",
        "You hold back.",
    ],
    full: &[
        "You look at {the} a moment longer, and decide to leave {it} alone.",
        "Not this time: you keep your hands off {the}.",
        "You come close to it, very close, and then you let {the} be.",
        "You think better of it and keep still.",
        "You hold back, and the moment passes by without you in it.",
    ],
};

pub(super) const OTHER: SentencePool = SentencePool {
    name: "other",
    short: &[
        "You {deed}.",
        "So you {deed}.",
        "You turn to {the}.",
        "You keep to {the}.",
        "You act.",
        "You do it.",
    ],
    full: &[
        "You {deed}, and for a moment nothing else matters.",
        "So you {deed}, and let the world make of it what it will.",
        "Without another thought, you {deed}.",
        "You turn to {the} and do what you have in mind.",
        "You have your own plan for {the}, and you follow it.",
        "With {the} before you, you do what seems right.",
        "You follow the thought before it can get away.",
        "You do it your own way, as you always have.",
        "You act on the impulse, and the world makes room for it.",
    ],
};
