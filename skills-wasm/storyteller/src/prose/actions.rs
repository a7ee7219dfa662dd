//! Sentences for the player's actions, one pool for each kind. Where dice may follow, the action is an attempt.

use super::{
    SentencePool,
    moves::{CLIMB, FORCE, GO, LEAVE, SNEAK, UNLOCK},
    quiet::{CAST, EAT, OTHER, REFLECT, REFRAIN, REST, ROLL, USE, WAIT, WONDER},
};
use crate::verbs::Verb;

/// The sentences for a deed. A place that cannot be filled leaves enough of each pool for an evening; a test counts.
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
    short: &[
        "You look [around|about you|left and right|around once more].",
        "You take [it all in|in the place|a long look|stock].",
        "You [turn once|turn slowly|stop] and look.",
    ],
    full: &[
        "You [turn slowly on your heel|stand still|take your time] and let your eyes settle on [one thing after another|whatever is not like the rest|what is near, then on what is far].",
        "You stand still long enough for the place to [forget that you are watching|show you how it is made|come to rest around you].",
        "You let your gaze travel from the [nearest shadow|ground at your feet|corner beside you] to the [farthest edge of the light|last thing that you can make out|place where the dark begins].",
        "You [lift your head|step to one side|shade your eyes|turn full circle] and [try to hold all of it in your mind|mark the ways in and out|look for what moves|count what there is].",
        "You take in [the place|the light|what is before you|all of it], [piece by piece|the way one reads a face|before you do anything else|as if you had to draw it later].",
        "You look around [slowly|once|once more], and [this time you look at the edges|then a second time, for what the first look missed|try to see it as a stranger would].",
    ],
};

const EXAMINE: SentencePool = SentencePool {
    name: "examine",
    short: &[
        "You [study|consider|look hard at|bend over] {the}.",
        "You look {the} over[| again| slowly| from all sides].",
        "You take [a close|a long|another] look at {the}.",
    ],
    full: &[
        "You [step close to|lean over|bend toward] {the} and let your eyes follow [every line|each mark and edge|the light across {it}].",
        "You give {the} the slow, careful attention that [most people save for strangers|a jeweller gives a stone|you would want for yourself].",
        "You [lean in|come nearer|narrow your eyes] until {the} {is} all that you see.",
        "You look at {the} [once|from the left|from where you stand], then [once more, for what the first look missed|from the other side|again, and more slowly].",
        "You [crouch|stop|take a step back|come closer] to see {the} [in a better light|from another side|as {they_is}, not as you expected {it}|without your own shadow on {it}].",
        "You tilt your head and study {the} while the light [shifts|plays|lies still] [over|on] {it}.",
    ],
};

const SEARCH: SentencePool = SentencePool {
    name: "search",
    short: &[
        "You [search|hunt|look everywhere|keep looking] for {the}.",
        "You [search every corner|leave nothing unturned|look high and low|go over everything].",
        "You [search|look] [on|again|without a pause].",
    ],
    full: &[
        "You [begin|take up|go about] the search with {the} in mind, [patient and thorough|one corner at a time|as if time were nothing].",
        "You go from [corner to corner|shadow to shadow|one end to the other], and {the} {is} never far from your thoughts.",
        "You look for {the} [where anyone would|in the likely places first|low and high], and then [where nobody would|in the others|once more, with your hands].",
        "You work your way through the place [inch by inch|from the outside in|from the floor up], [and skip nothing|touching what you cannot see|in silence].",
        "You [lift, shift and peer behind|turn over|look under and behind] everything that can be [moved|turned over|looked behind].",
        "You search the way a [patient thief|good watchman|worried owner] would, [quietly and in order|without hurry|and put everything back].",
    ],
};

const LISTEN: SentencePool = SentencePool {
    name: "listen",
    short: &[
        "You [hold your breath and listen|listen|stand still and listen|listen hard].",
        "You listen to {the}[| closely| with your eyes shut].",
        "You [prick up your ears|cup a hand to your ear|let it be quiet].",
    ],
    full: &[
        "You [hold your breath|stand quite still|close your eyes] and let the sounds [come to you|sort themselves|draw nearer].",
        "You listen, first to [your own breath|what is loud|what is near], and then to [what lies under it|what is left|everything else].",
        "You close your eyes, and the world becomes [a map of small noises|larger and nearer|a thing of drips and creaks].",
        "You turn your [ear|head] to {the} and [hold quite still|wait for the next sound|breathe as little as you can].",
        "You [bring your ear as near|come as close] to {the} as you dare[| and listen| and hold your breath].",
        "You listen to {the} for [a long moment|as long as you can stand still|the space of ten breaths].",
    ],
};

const TAKE: SentencePool = SentencePool {
    name: "take",
    short: &[
        "You [reach for|go to take|lay a hand on|make a grab for] {the}.",
        "You [reach out|take what you can|hold out a hand|help yourself].",
        "{the} first: you [reach out|put out a hand].",
    ],
    full: &[
        "You close your [fingers|hand] around {the}, [half expecting someone to object|quickly, before you can think better of it|and feel the weight of {it}].",
        "You reach for {the} [with the calm of somebody who has every right to|as if {they} might move|without taking your eyes off the rest].",
        "Your hand finds {the} before [the rest of you has quite decided|your eyes do|you have thought of a reason not to].",
        "You look [left and right|behind you|once around], and then you reach for {the}.",
        "You reach out [for what is there to be had|and take hold|before the moment is gone], [quick and quiet|with a steady hand|and nobody says a word].",
        "You gather up what seems [worth the carrying|useful|yours to take], [and leave the rest|piece by piece|and weigh it in your hand].",
        "You [stretch out a hand|bend down|step forward] and [take hold|help yourself|pick out what you want].",
    ],
};

const GIVE: SentencePool = SentencePool {
    name: "give",
    short: &[
        "You [offer|hold out|hand] {the} to {target}.",
        "You hold {the} out to {target}.",
        "You [offer|hold out|part with] {the}.",
        "You [hold out your hand|make your offer|open your hand|offer what you have].",
    ],
    full: &[
        "You hold {the} out to {target} and [wait for the moment to decide itself|say nothing|do not let your hand shake].",
        "You place {the} before {target} [with both hands, the way gifts are given in old stories|and step back|without a sound].",
        "You offer {the} to {target} [without a word|with an open hand|as if it were nothing].",
        "You hold out {the}, [palm up|at arm's length|in both hands], and let the offer [speak for itself|hang in the air].",
        "You offer {the}, and [the air between giving and taking grows thin|wait|find that it is harder than you thought].",
        "You hold out [what you have|your open hands|the best you can spare] and [wait|say that it is meant well|keep your eyes on the one before you].",
        "You make your offer [plainly|quietly|at last], [with open hands|and ask for nothing|and leave it there].",
    ],
};

const TALK: SentencePool = SentencePool {
    name: "talk",
    short: &[
        "“{speech}” you [say to|tell] {the}.",
        "“{speech}” you say[| aloud| at last].",
        "“{said}” It is out before you can stop it.",
        "You [ask|question] {the} about {topic}.",
        "You turn to {the}: what about {topic}?",
        "You [talk to|speak to|turn to|address] {the}.",
        "You [speak up|say what must be said|say your piece|break the silence].",
        "You [bring up|ask about|come to speak of|mention] {topic}.",
    ],
    full: &[
        "“{speech}” you say, and your voice [carries|goes out] to {the}[| more firmly than you feel| and no farther].",
        "“{said}” The words [reach {the} and hang there|come to {the} across the silence|are meant for {the}, and for nobody else].",
        "“{speech}” you say, [louder than you meant to|quietly|and wait|as evenly as you can].",
        "“{said}” [Your own voice sounds strange to you here.|It sounded better in your head.|It is said now.|You mean every word.]",
        "You turn to {the} and [steer the talk, gently, toward|come straight to|ask, without a preface, about] {topic}.",
        "You ask {the} about {topic}, and watch [the face more than the words|for what is left out|the hands while you wait].",
        "You wait for a pause, then put the question of {topic} to {the}.",
        "You [go up to|turn to|face] {the} and [find the words as you go|say what you came to say|begin with the weather].",
        "You clear your throat and speak to {the} [as one traveller to another|in a low voice|before you can lose heart].",
        "You catch the attention of {the} and begin with [something harmless|a greeting|the truth, or most of it].",
        "You bring the talk around to {topic}, [as if it had only just crossed your mind|by a long way|at last].",
        "You ask about {topic}, and [the silence before the answer is an answer too|listen for what is not said|leave room for an answer].",
        "You speak of {topic} [plainly|in a low voice|as if it did not matter], [and wait|and watch who looks up].",
        "You raise your voice [just enough to be heard|a little|over the quiet] and [say what is on your mind|speak|begin].",
        "You speak, and for a moment your voice is [the only thing that moves|all there is|louder than the place likes].",
        "You say [what is on your mind|what you have to say|it as simply as you can], [no more and no less|and leave it at that|in as few words as will do].",
    ],
};

const PERSUADE: SentencePool = SentencePool {
    name: "persuade",
    short: &[
        "You [work on|press your case with|reason with|talk to] {the}.",
        "You [press your case|choose your words with care|argue your side|talk for your life].",
    ],
    full: &[
        "You choose each word for {the} as if it [had to be paid for|might be the last|were being weighed].",
        "You look {the} in the eye and [lay out your case, piece by piece|say it again, more slowly|do not look away].",
        "You lower your voice so that {the} must lean in to hear [the best part|the rest|what it would cost].",
        "You give {the} [a smile that promises more than it says|the best of your reasons|a moment to think], and [begin|go on|wait].",
        "You [lay out|make|plead] your case as [calmly as your heartbeat allows|plainly as you can|if it were already won].",
        "You weigh [truth against what is useful|every word|what to say and what to keep], and [start to talk|choose|speak].",
        "You talk, and [go on talking|leave the door open for a yes|keep to what can be proved], [softly|with both hands open|until there is nothing left to add].",
    ],
};

const ATTACK: SentencePool = SentencePool {
    name: "attack",
    short: &[
        "You [go at|strike at|come at] {the} with {tool}.",
        "You [swing|raise|bring up] {tool} at {the}.",
        "You [go for|strike at|rush|close with] {the}.",
        "You [strike|go on the attack|lash out|charge].",
    ],
    full: &[
        "You bring {tool} around in a [hard|low|wide] arc toward {the}.",
        "You tighten your grip on {tool} and [close in on|turn on|go straight at] {the}.",
        "You throw yourself at {the} before [fear can get a word in|there is time to think|the moment is gone].",
        "You [drop your weight|draw one breath|shift your grip], [find your footing|pick your moment|take one quick step] and strike at {the}.",
        "There is a breath of stillness, and then you [lunge at|are upon|go for] {the}.",
        "You circle {the} [once|slowly|to the left], wait for your moment and go in.",
        "You strike out, [quick and hard|low and fast|with all your weight], before [you can think better of it|anyone can call out|your nerve goes].",
        "You raise your guard, [pick your moment|breathe out|take a half step] and [drive forward|let fly|strike].",
        "You go in [fast|low|with your shoulder first], and [the rest is speed|do not stop|trust your arm].",
    ],
};

const OPEN: SentencePool = SentencePool {
    name: "open",
    short: &[
        "You [set|put|take] {tool} to {the}.",
        "You try {the} with {tool}.",
        "You [try|set your hand to|put a hand to|test] {the}.",
        "You [try what is before you|put your hand to it|test it|give it a try].",
    ],
    full: &[
        "You set {tool} against {the} and [lean into it|feel for the weak place|push].",
        "With {tool} you go to work on {the}, [slowly at first|without much noise|as carefully as you can].",
        "You lay your [palm|hand|fingers] against {the} and [push, gently, then less gently|feel for the give in {it}|wait a moment before you try].",
        "You take hold of {the} and [brace yourself for whatever comes|pull|count to three].",
        "You set your hand to {the}, and for [a heartbeat|a moment|the length of a breath] nothing moves.",
        "You [feel for|look for|find] the place where {the} will give, and [try it|press there|start there].",
        "You set your hand to what is shut and [test it|push|feel which way it wants to go].",
        "You push, [gently first|with two fingers|and then harder], and listen for what it [tells you|gives away|does].",
        "You try it [the easy way first|once|with a steady hand], [and then the other|as quietly as you can|and hold your breath].",
    ],
};
