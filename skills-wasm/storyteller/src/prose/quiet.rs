//! Sentences for actions, continued: those that seldom meet resistance, and those that the player's own words tell
//! best.

use super::SentencePool;

pub(super) const REST: SentencePool = SentencePool {
    name: "rest",
    short: &[
        "You [rest|sit down|let your shoulders drop|close your eyes].",
        "You [rest|sit down|settle] by {the}.",
        "You keep still near {the} for a while.",
    ],
    full: &[
        "You find a place to [sit|lean|lie down] and let the weight go out of your [shoulders|legs|thoughts].",
        "You let your breath slow until [it belongs to you again|you no longer hear it|your hands are quiet].",
        "You give yourself [the rarest thing on any road, which is a moment without a task|as long as it takes|a moment with nothing in it].",
        "You settle down near {the} and [let your breath slow|close your eyes|stretch out your legs].",
        "You make what comfort you can of {the} and [close your eyes for a while|let the time pass|think of nothing].",
        "You rest [a while|until your feet stop complaining|with one eye open], [and nothing asks for you|and the quiet holds|as one must].",
        "You [sit down|lean back|pull your coat around you] and let the [minutes|quiet|dark] go by.",
        "By {the} you [sit|rest|lean back], [and the ache goes out of you|as if there were nothing else to do|for as long as seems wise].",
    ],
};

pub(super) const EAT: SentencePool = SentencePool {
    name: "eat",
    short: &[
        "You [taste|try|help yourself to|eat] {the}.",
        "You [take a mouthful|eat a little|eat what there is|chew slowly].",
    ],
    full: &[
        "You take a [first, careful|large|small] bite of {the}[|, and then another|, and wait for the taste].",
        "You sit with {the} for a moment, and hunger [settles the question|has the last word].",
        "You try {the} the way travellers do, with [more hope than trust|your eyes shut|an open mind].",
        "You eat {the} [slowly|to the last of {it}|without a word].",
        "You eat [slowly|a little|standing], because there is no knowing [when you will eat again|what comes next|how long the day will be].",
        "You take what there is, and it [goes down better than it looks|tastes of the road|is enough].",
        "You eat [in silence|with good appetite|and think], and [feel the better for it|the world grows a little kinder|keep some for later].",
    ],
};

pub(super) const CAST: SentencePool = SentencePool {
    name: "cast",
    short: &[
        "You [cast|try] {spell} [at|on] {the}.",
        "You [cast|call up|speak] {spell}.",
        "You [speak the words|call on your power|raise your hand|say the old syllables].",
        "You turn your power on {the}.",
    ],
    full: &[
        "You speak the words of {spell}, and the air between you and {the} [draws tight|begins to hum|goes cold].",
        "You raise your hand toward {the}, and {spell} [answers|comes|gathers].",
        "You shape the words of {spell}, and [the hair on your arms stands up|something listens|the light leans toward you].",
        "You reach for {spell} in the place where you keep such things, and [pull|it comes|find it].",
        "You murmur the old syllables, and {spell} gathers around your [fingers|hand|breath].",
        "You face {the}, [raise a hand|close your eyes|draw a breath] and [say the words|let the power go|call].",
        "You say the words that must be said exactly, and you say them [exactly|twice to be sure of them|under your breath].",
        "You open your hand, and the air in it begins to [hum|shine|turn].",
        "You draw the sign [in the air|with two fingers|as you were taught] and [speak|wait|let go].",
    ],
};

pub(super) const USE: SentencePool = SentencePool {
    name: "use",
    short: &[
        "You [turn|put|take] {the} to {target}.",
        "You [try|use] {the} [with|on] {target}.",
        "You [put {the} to use|try {the}|set to work with {the}].",
        "You [make use of what you have|make do|try it|set to work].",
    ],
    full: &[
        "You bring {the} to {target} and see what [the one makes of the other|comes of it|happens].",
        "You try {the} with {target}, [carefully, ready to pull back|once, and then again|without much hope].",
        "You put {the} to use, with more certainty in your [hands than in your head|voice than in your heart].",
        "You [turn your attention to|take up|set to work with] {the} and [begin|see what can be done|do what seems right].",
        "You make use of what there is, [the way one learns to|because there is nothing else|with quick hands].",
        "You try the simple thing first, [which is often the right one|and keep the others in mind|and wait to see].",
        "You do what can be done with {the}[|, and a little more|, which is something].",
        "You set to work [without a word|at once|with what is at hand], [and take your time|and try not to think about it|one thing after the other].",
    ],
};

pub(super) const WAIT: SentencePool = SentencePool {
    name: "wait",
    short: &[
        "You [wait|stand still|wait on|let time pass].",
        "You [wait|stay] by {the}.",
        "You keep near {the} and wait.",
    ],
    full: &[
        "You wait, and let the moment [show its hand first|pass|come to you].",
        "You stay where you are and count [slow breaths|the seconds|your reasons for staying].",
        "You do nothing, which is [harder than it sounds|sometimes the best of plans|all that the moment asks].",
        "You keep near {the} and let the time [pass over you|go by].",
        "You stay with {the} and wait [for something to change|a while|without knowing what for].",
        "You wait [a while|a little longer|as long as it takes], [and watch the light change|with your back to something solid|and listen].",
        "You [stay|keep still|hold your place|do not move], [as if the next thing were bound to come|and let the world go first|for no better reason than patience|with every sense awake].",
        "You [listen to|count|feel] the time [going by|pass|run on], [and do nothing else|and leave it alone|a breath at a time].",
        "You let [a minute|a quiet minute|one long moment] go by, and then [another|the next].",
        "You let the quiet have its way[|, and listen to it|, and add nothing to it].",
        "Beside {the} you wait, [one breath after another|patient as stone|and keep your thoughts to yourself].",
    ],
};

pub(super) const ROLL: SentencePool = SentencePool {
    name: "roll",
    short: &[
        "The dice [show|say|stop at] {total}.",
        "Chance says {total}.",
        "You [leave it to chance|let the dice fall|throw].",
    ],
    full: &[
        "The dice [clatter|roll|spin], turn one last time and come to rest at {total}.",
        "You let the dice go, and they [make up their mind at|stop at|settle on] {total}.",
        "Chance is asked, and chance [replies with|says] {total}.",
        "The dice [fall|lie still], and they [say|show] {total}.",
        "Your [throw|roll] comes to {total}.",
        "You leave the next moment to chance, and chance [takes its time|is not in a hurry|answers at once].",
        "You weigh the dice in your [palm|hand] and [let fate have a say|throw|let go].",
        "You [shake|cup|warm] the dice in your hands and [let them go|throw|open them].",
    ],
};

/// Dice were asked for, and no step has rolled any.
pub(crate) const NO_ROLL: SentencePool = SentencePool {
    name: "no roll",
    short: &["The dice stay [put|where they are|in your pocket].", "Nothing is rolled."],
    full: &[
        "The dice [stay|remain] in your [pocket|hand|palm]; nothing [is rolled|falls].",
        "You [rattle|weigh|turn over] the dice and [keep them|put them back|do not let them go].",
        "This throw [does not happen|comes to nothing]: the dice [stay|lie] where they were.",
        "No die [answers that|falls for that], and the moment [passes|goes by].",
    ],
};

pub(super) const REFLECT: SentencePool = SentencePool {
    name: "reflect",
    short: &[
        "You [take stock of yourself|look yourself over|look down at yourself|check yourself for damage].",
        "You are [still whole|still yourself|tired, and whole].",
    ],
    full: &[
        "You look down at yourself, at the [dust and the wear|mud and the creases|scuffed boots], and find that you are [still whole|much as you were|in better shape than you feel].",
        "You take stock of yourself, from [boots to bruises|head to foot|the outside in].",
        "You look at your own hands as if they might have [news|changed|an idea].",
        "You [feel your ribs|count your fingers|straighten your coat] and decide that [you will do|it could be worse|nothing is missing].",
    ],
};

pub(super) const WONDER: SentencePool = SentencePool {
    name: "wonder",
    short: &[
        "You [wonder about|think about|ask yourself about] {the}.",
        "Your thoughts turn to {the}.",
        "You [turn the question over|ask yourself that, too|have no answer yet|think about it].",
    ],
    full: &[
        "You turn the question over in your mind, and every turn leads back to {the}.",
        "You ask it half aloud, your [eyes|mind] on {the}.",
        "The question of {the} will not let you go, so you [stop and face it|keep hold of it|put it beside the others].",
        "You think about {the} [for a while|and what you know|from every side], and [get no farther|begin to have an idea|leave it for now].",
        "You turn the question over, and it looks different from [each side|here|where you stood before].",
        "You [ask it of the air|say it aloud|put it to yourself], and [nobody answers|no answer comes|the quiet keeps its own counsel].",
        "You stop and think, because some questions [do not like to be hurried|come back until they are met|are half the way].",
        "[For a while|Not for the first time|With half an ear on the quiet|Before anything else], you [think it over|let the question stand|try one answer after another|ask yourself what you would give to know].",
        "You [weigh what you know|go over it again|lay it out in your mind|look for the piece that is missing], and [there is room for doubt|one thing stands out|it does not add up yet|you keep it for later].",
        "You [do not know|cannot say], [not yet|not from here|not without looking closer].",
    ],
};

pub(super) const REFRAIN: SentencePool = SentencePool {
    name: "refrain",
    short: &[
        "You [let {the} be|leave {the} alone|keep off {the}].",
        "You [decide against it|hold back|leave it be|keep still].",
    ],
    full: &[
        "You look at {the} a moment longer, and [decide to leave {it} alone|let {it} be|turn away].",
        "Not this time: you [keep your hands off|stay away from|leave] {the}.",
        "You come [close to it|very close], and then you let {the} be.",
        "You leave {the} [as {they_is}|alone|for another day], [and feel the better for it|not without regret|and say nothing].",
        "You think better of it and [keep still|step back|let your hand sink].",
        "You hold back, and the moment passes by [without you in it|like a cart on the road|and is gone].",
        "You [decide against it|leave it be|shake your head], [for now|at the last moment|and do not say why].",
    ],
};

/// A deed that is told in the player's own words: `{deed}` completes "You …", `{being}` too, for what is no act.
pub(crate) const IN_WORDS: SentencePool = SentencePool {
    name: "words",
    short: &[
        "You {deed}[|, quickly|, in silence].",
        "So you {deed}.",
        "You {being}.",
        "And you {being}.",
    ],
    full: &[
        "You {deed}.",
        "You {deed}[, and nothing stops you|, and nobody says a word|, and for a moment nothing else matters|, and the quiet makes room for it|, and it is done|, and wait to see what comes of it].",
        "You {deed}[, without hurry|, without a second thought|, because it seems the thing to do|, with your mind already on what comes next|, as if somebody were watching].",
        "So you {deed}[|, and let the world make of it what it will|, and that is that|, for good or ill].",
        "[Without another word|Without much thought|For better or worse|After a moment|This time|All right, then], you {deed}.",
        "[Quietly|In your own time|As you said|Here and now|With a glance around|Because nothing speaks against it], you {deed}[|, and nothing more|, as simply as that|, and look up again].",
        "[You make up your mind|It is soon decided|There is no more to think about], and you {deed}.",
        "You {being}.",
        "You {being}[, and there is no more to say about it|, and that is how it is|, and it changes nothing yet|, and you leave it at that].",
        "[For now|As things stand|It is true], you {being}.",
    ],
};

/// An attempt, told in the player's own words.
pub(crate) const ATTEMPT: SentencePool = SentencePool {
    name: "attempt",
    short: &[
        "You try to {deed}[|, quickly|, with care].",
        "You set out to {deed}.",
        "You {being}.",
        "And you {being}.",
    ],
    full: &[
        "You [try|do your best|make ready|gather yourself|set out] to {deed}.",
        "You [try|set out] to {deed}[, and it is not as easy as it looked|, and for a moment it hangs in the balance|, as steadily as you can|, with everything you have].",
        "You [take a breath|pick your moment|steady yourself] and try to {deed}.",
        "[Quietly|In your own time|With your heart beating|Here and now|After a glance around|As well as you can], you try to {deed}[|, and nothing more|, come what may|, and do not look up].",
        "[Now or never|Without another thought|With no time to lose]: you try to {deed}.",
        "You {being}.",
        "You {being}[, and you try to make something of it|, and it has to be enough|, and the moment takes its course].",
        "[For now|As things stand|It is true], you {being}.",
    ],
};

/// A deed of which no word can be repeated.
pub(super) const OTHER: SentencePool = SentencePool {
    name: "other",
    short: &["You [turn to|keep to|mind] {the}.", "You [act|do it|do so|do as you said]."],
    full: &[
        "You [turn|give your mind] to {the} and do [what you have in mind|what you came for|as you said].",
        "You have your own plan for {the}, and you [follow it|keep to it].",
        "With {the} before you, you do what seems [right|best|wise].",
        "You do it [your own way|at once|with care], [and wait to see what comes of it|and say no more about it|and nobody stops you].",
        "You [follow the thought|take your own counsel|go about it|see it through], [quietly|for good or ill|and keep an open eye|one step at a time].",
        "You do [as you said|what you have in mind|what the moment asks], [no more and no less|and leave it at that|without a word].",
        "[Quietly|In your own time|As you said|Without asking anyone], you [get on with it|do it|set about it|put the thought into practice][|, and that is all|, for better or worse].",
        "You [make up your mind|take your chance|choose your moment], and [it is done|you are as good as your word|for a while that is all], [without fuss|before you can think twice|and the quiet takes it in].",
        "You act on the thought, and [the world makes room for it|it is done|the moment takes it in].",
    ],
};
