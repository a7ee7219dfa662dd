//! What the player does, one pool for each kind of deed. Where dice may follow, it is an attempt.

use super::{
    SentencePool,
    quiet::{CAST, EAT, OTHER, REFLECT, REFRAIN, REST, ROLL, USE, WAIT, WONDER},
};
use crate::verbs::Verb;

/// The sentences for a deed. Each pool has at least two for every set of places that its kind can have.
pub(crate) fn deed(verb: Verb) -> SentencePool {
    match verb {
        Verb::Look => LOOK,
        Verb::Examine => EXAMINE,
        Verb::Search => SEARCH,
        Verb::Listen => LISTEN,
        Verb::Go => GO,
        Verb::Leave => LEAVE,
        Verb::Take => TAKE,
        Verb::Give => GIVE,
        Verb::Talk => TALK,
        Verb::Persuade => PERSUADE,
        Verb::Attack => ATTACK,
        Verb::Open => OPEN,
        Verb::Unlock => UNLOCK,
        Verb::Force => FORCE,
        Verb::Sneak => SNEAK,
        Verb::Climb => CLIMB,
        Verb::Rest => REST,
        Verb::Eat => EAT,
        Verb::Cast => CAST,
        Verb::Use => USE,
        Verb::Wait => WAIT,
        Verb::Roll => ROLL,
        Verb::Reflect => REFLECT,
        Verb::Wonder => WONDER,
        Verb::Refrain => REFRAIN,
        Verb::Other => OTHER,
    }
}

const LOOK: SentencePool = SentencePool {
    name: "look",
    short: &["You look around.", "You take it all in."],
    full: &[
        "You turn slowly on your heel and let your eyes settle on one thing after another.",
        "You stand still long enough for the place to forget that you are watching.",
        "You let your gaze travel from the nearest shadow to the farthest edge of the light.",
        "You take your time and look, really look, at where you are.",
    ],
};

const EXAMINE: SentencePool = SentencePool {
    name: "examine",
    short: &["You study {the}.", "You look {the} over."],
    full: &[
        "You step close to {the} and let your eyes follow every line.",
        "You give {the} the slow, careful attention that most people save for strangers.",
        "You lean in until {the} {is} all that you see.",
        "You walk around {the} once, then once more, looking for what the first look missed.",
        "You tilt your head and study {the} while the light shifts over {it}.",
    ],
};

const SEARCH: SentencePool = SentencePool {
    name: "search",
    short: &[
        "You search for {the}.",
        "You hunt for {the}.",
        "You search every corner.",
        "You leave nothing unturned.",
    ],
    full: &[
        "You begin the search with {the} in mind, patient and thorough.",
        "You go from corner to corner, and {the} {is} never far from your thoughts.",
        "Your hands move on their own now, over and under and behind, wherever {the} might give up a secret.",
        "You work your way through the place inch by inch.",
        "You lift, shift and peer behind everything that can be lifted, shifted or peered behind.",
        "You search the way a patient thief would, quietly and in order.",
    ],
};

const LISTEN: SentencePool = SentencePool {
    name: "listen",
    short: &[
        "You listen.",
        "You hold your breath and listen.",
        "You listen to {the}.",
        "You listen hard, {the} before you.",
    ],
    full: &[
        "You hold your breath and let the sounds come to you.",
        "You close your eyes, and the world becomes a map of small noises.",
        "You turn your ear to {the} and hold quite still.",
        "You bring your ear as near to {the} as you dare.",
    ],
};

const GO: SentencePool = SentencePool {
    name: "go",
    short: &[
        "You go {way}.",
        "You head {way}.",
        "You make for {the}.",
        "You go on to {the}.",
        "You go on.",
        "You walk on.",
    ],
    full: &[
        "You turn {way} and let your feet find the way.",
        "You set off {way}, counting your steps until the counting stops to matter.",
        "You head {way}, and the place you leave closes behind you like water.",
        "You make your way toward {the}, one measured step after another.",
        "Your steps take you to {the}, which loom{s} larger with each one.",
        "You fix your eyes on {the} and start to walk.",
        "You cross the distance to {the} without looking back.",
        "You move on, and the ground changes under your boots.",
        "You put one foot before the other and trust the road to know its business.",
        "You go where the path seems to want you.",
    ],
};

const LEAVE: SentencePool = SentencePool {
    name: "leave",
    short: &[
        "You leave {the} behind.",
        "You turn away from {the}.",
        "You leave.",
        "You turn and go.",
    ],
    full: &[
        "You turn your back on {the} and do not slow down.",
        "Step by step you put {the} behind you.",
        "You leave {the} to whatever comes next there without you.",
        "You turn away and go, and nobody bids you stay.",
        "You gather what is yours and take the quickest way out.",
        "You back off, then turn, then walk as fast as pride allows.",
    ],
};

const TAKE: SentencePool = SentencePool {
    name: "take",
    short: &[
        "You reach for {the}.",
        "You go to take {the}.",
        "You reach out.",
        "You take what you can.",
    ],
    full: &[
        "You close your fingers around {the}, half expecting someone to object.",
        "You reach for {the} with the calm of somebody who has every right to.",
        "Your hand finds {the} before the rest of you has quite decided.",
        "You look left and right, and then you reach for {the}.",
        "You reach out for what is there to be had.",
        "You gather up what seems worth the carrying.",
    ],
};

const GIVE: SentencePool = SentencePool {
    name: "give",
    short: &[
        "You offer {the} to {target}.",
        "You hold {the} out to {target}.",
        "You offer {the}.",
        "You hold out {the}.",
        "You hold out your hand.",
        "You make your offer.",
    ],
    full: &[
        "You hold {the} out to {target} and wait for the moment to decide itself.",
        "You place {the} before {target} with both hands, the way gifts are given in old stories.",
        "You offer {the} to {target} without a word.",
        "You hold out {the}, palm up, and let the offer speak for itself.",
        "You offer {the}, and the air between giving and taking grows thin.",
        "You hold out what you have and wait.",
        "You make your offer plainly, with open hands.",
    ],
};

const TALK: SentencePool = SentencePool {
    name: "talk",
    short: &[
        "“{speech}” you say to {the}.",
        "“{speech}” you tell {the}.",
        "“{speech}” you say.",
        "“{said}” It is out before you can stop it.",
        "You ask {the} about {topic}.",
        "You turn to {the}: what about {topic}?",
        "You talk to {the}.",
        "You speak to {the}.",
        "You speak up.",
        "You say what must be said.",
        "You bring up {topic}.",
        "You ask about {topic}.",
    ],
    full: &[
        "“{speech}” you say, and your voice carries to {the}.",
        "“{said}” The words reach {the} and hang there.",
        "“{speech}” you say, louder than you meant to.",
        "“{said}” Your own voice sounds strange to you here.",
        "You turn to {the} and steer the talk, gently, toward {topic}.",
        "You ask {the} about {topic}, and watch the face more than the words.",
        "You wait for a pause, then put the question of {topic} to {the}.",
        "You step up to {the} and find the words as you go.",
        "You clear your throat and speak to {the} as one traveller to another.",
        "You catch the attention of {the} and begin with something harmless.",
        "You bring the talk around to {topic}, as if it had only just crossed your mind.",
        "You ask about {topic}, and the silence before the answer is an answer too.",
        "You raise your voice just enough to be heard.",
        "You speak, and for a moment your voice is the only thing that moves.",
    ],
};

const PERSUADE: SentencePool = SentencePool {
    name: "persuade",
    short: &[
        "You work on {the}.",
        "You press your case with {the}.",
        "You press your case.",
        "You choose your words with care.",
    ],
    full: &[
        "You choose each word for {the} as if it had to be paid for.",
        "You look {the} in the eye and lay out your case, piece by piece.",
        "You lower your voice so that {the} must lean in to hear the best part.",
        "You give {the} a smile that promises more than it says, and begin.",
        "You lay out your case as calmly as your heartbeat allows.",
        "You weigh truth against what is useful, and start to talk.",
    ],
};

const ATTACK: SentencePool = SentencePool {
    name: "attack",
    short: &[
        "You go at {the} with {tool}.",
        "You swing {tool} at {the}.",
        "You go for {the}.",
        "You strike at {the}.",
        "You strike.",
        "You go on the attack.",
    ],
    full: &[
        "You bring {tool} around in a hard arc toward {the}.",
        "You tighten your grip on {tool} and close in on {the}.",
        "You throw yourself at {the} before fear can get a word in.",
        "You drop your weight, find your footing and strike at {the}.",
        "There is a breath of stillness, and then you lunge at {the}.",
        "You circle {the} once, see the opening and take it.",
        "You strike out, quick and hard, before you can think better of it.",
        "You raise your guard, pick your moment and drive forward.",
    ],
};

const OPEN: SentencePool = SentencePool {
    name: "open",
    short: &[
        "You set {tool} to {the}.",
        "You try {the} with {tool}.",
        "You set your hand to {the}.",
        "You try {the}.",
        "You try what is before you.",
        "You put your hand to it.",
    ],
    full: &[
        "You set {tool} against {the} and lean into it.",
        "With {tool} you go to work on {the}, slowly at first.",
        "You lay your palm against {the} and push, gently, then less gently.",
        "You take hold of {the} and brace yourself for whatever is on the other side of the moment.",
        "You set your hand to {the}, and for a heartbeat nothing moves.",
        "You feel for the place where {the} will give, and put your weight there.",
        "You set your hand to what is shut and test it.",
        "You push, gently first, and listen for what it tells you.",
    ],
};

const UNLOCK: SentencePool = SentencePool {
    name: "unlock",
    short: &[
        "You work {the} with {tool}.",
        "You set {tool} to {the}.",
        "You work at {the}.",
        "You bend to {the}.",
        "You go to work.",
        "You try your hand at it.",
    ],
    full: &[
        "You ease {tool} into place and let your fingertips tell you the rest about {the}.",
        "With {tool} in hand you crouch before {the} and begin.",
        "You kneel before {the} and feel for the first hidden catch.",
        "You slow your breath and work at {the} by touch alone.",
        "You coax {the} the way one coaxes a nervous animal, with patience and small movements.",
        "Your fingers find the workings of {the} and start to read them.",
        "You bend close and go to work with steady hands.",
        "You shut out everything but the small sounds under your fingers.",
    ],
};

const FORCE: SentencePool = SentencePool {
    name: "force",
    short: &[
        "You bring {tool} down on {the}.",
        "You go at {the} with {tool}.",
        "You throw yourself at {the}.",
        "You put your shoulder to {the}.",
        "You use force.",
        "You put your weight into it.",
    ],
    full: &[
        "You raise {tool} and bring it to bear on {the} with everything you have.",
        "You put {tool} to {the} and stop being gentle.",
        "You set your shoulder to {the} and drive forward from the heels.",
        "You take three steps back, fix your eyes on {the} and run at {it}.",
        "You put all your weight against {the} and ask the question that only weight can ask.",
        "You decide that {the} {has} stood in your way for long enough.",
        "You plant your feet and put your whole weight into it.",
        "You have been gentle long enough, and now you are not.",
    ],
};

const SNEAK: SentencePool = SentencePool {
    name: "sneak",
    short: &[
        "You keep low near {the}.",
        "You move without a sound, {the} close by.",
        "You keep to the shadows.",
        "You go quietly.",
    ],
    full: &[
        "You keep low and let the shadows carry you, with {the} never more than a breath away.",
        "You move when the noises move and stop when they stop, and {the} draw{s} nearer.",
        "You place each foot as if the floor were asleep, your eyes on {the}.",
        "You make yourself small and still, and watch {the} from the dark.",
        "You melt into the nearest shadow and move only when nothing else does.",
        "You place each foot as if the floor were asleep.",
        "You slow down until even your own breathing seems loud.",
    ],
};

const CLIMB: SentencePool = SentencePool {
    name: "climb",
    short: &[
        "You take on {the}.",
        "You make your try at {the}.",
        "You gather yourself and go.",
        "You make the try.",
    ],
    full: &[
        "You measure {the} with your eyes, choose your line and commit to it.",
        "You test the first hold, and then {the} {is} all there is in the world.",
        "You take a breath, judge {the} one last time and go.",
        "You set yourself against {the}, arms and legs and stubbornness.",
        "You take a breath, measure the distance and go.",
        "You trust your weight to nothing but nerve and momentum.",
    ],
};
