//! Sentences for actions, continued: those that move somewhere, or against something.

use super::SentencePool;

pub(super) const GO: SentencePool = SentencePool {
    name: "go",
    short: &[
        "You [go|head|turn|walk] {way}.",
        "You [make for|go on to|walk to|head for] {the}.",
        "You [go on|walk on|move on|set off].",
    ],
    full: &[
        "You turn {way} and [let your feet find the way|do not look back|keep a steady pace].",
        "You set off {way}, [counting your steps until the counting stops to matter|with the light on one side of you|and the quiet comes along].",
        "You head {way}, and the place you leave [closes behind you like water|is soon only a place you left|makes no attempt to keep you].",
        "You go {way} [at a walk|without hurry|as fast as is wise], [eyes open|one hand on what you carry|listening as you go].",
        "You [follow|take] the way {way}, [and it takes you along|and do not stop|while the light lasts|and watch the ground].",
        "[Before long|A few steps on|Soon], going {way}, you [find your stride|have left the rest behind|hear only your own steps].",
        "[With the quiet at your back|Without a second look|At an even pace|Keeping to firm ground], you [go|walk|head|move on] {way}.",
        "{way} it is, and you [go at an easy pace|keep your eyes open|set one foot before the other|leave the rest behind][| for a good while|, and nobody calls after you|, and the air changes].",
        "You make your way toward {the}, [one measured step after another|keeping to the edge|not fast, not slow].",
        "Your steps take you to {the}[|, sooner than you thought|, and something in you counts them].",
        "You fix your eyes on {the} and [start to walk|do not let them wander|go].",
        "You cross the distance to {the} [without looking back|in good time|with your hands where they can be seen].",
        "You [move on|walk on|go on], and the ground [changes under your boots|rises a little|gives back each step].",
        "You put one foot before the other and [trust the road to know its business|keep to what looks like a path|let the distance do its work].",
        "You go where the path [seems to want you|is clearest|bends], [one hand on what you carry|without hurry|with an eye on what is behind].",
    ],
};

pub(super) const LEAVE: SentencePool = SentencePool {
    name: "leave",
    short: &[
        "You [leave {the} behind|turn away from {the}|walk away from {the}|put {the} behind you].",
        "You [leave|turn and go|go, quickly|make your way out].",
    ],
    full: &[
        "You turn your back on {the} and [do not slow down|walk|feel lighter for it].",
        "Step by step you put {the} behind you[|, and do not count them|, as quietly as you came].",
        "You leave {the} to [whatever comes next there without you|the quiet|those who like it better].",
        "You [back away from|draw back from|part with] {the}, [slowly|then faster|without a word].",
        "You turn away and go, and [nobody bids you stay|nothing follows|the air grows easier with each step].",
        "You gather what is yours and take the [quickest|nearest|quietest] way out.",
        "You [back off|take one step back|look once more], then turn, then walk [as fast as pride allows|without a word|as if you had all evening].",
        "You go while [you can|it is easy|nobody is looking], [and do not look back|with your heart going faster than your feet|and the way is open].",
    ],
};

pub(super) const UNLOCK: SentencePool = SentencePool {
    name: "unlock",
    short: &[
        "You [work {the} with|turn on {the} with] {tool}.",
        "You [set|put] {tool} to {the}.",
        "You [work at|bend to|bend over|turn to] {the}.",
        "You [go to work|try your hand at it|set to|begin].",
    ],
    full: &[
        "You ease {tool} into place and let your fingertips tell you [the rest about {the}|how {the} was made|what {the} would rather hide].",
        "With {tool} in hand you [crouch before|bend over|turn to] {the} and begin.",
        "You [kneel before|bend over|crouch before] {the} and feel for [the first hidden catch|whatever gives|the order of things].",
        "You slow your breath and work at {the} [by touch alone|with small movements|as if there were all the time in the world].",
        "You coax {the} the way one coaxes a nervous animal, with [patience and small movements|a light hand|a word now and then].",
        "Your fingers find the workings of {the} and [start to read them|follow them, one by one|stop where something resists].",
        "You bend close and go to work with [steady hands|half-closed eyes|no more noise than you must].",
        "You shut out everything but [the small sounds under your fingers|your hands|what you can feel] and [begin|go on|take it slowly].",
        "You take [your time|it step by step|the first part first], and [let your hands think|keep count of what gives|listen more than you look].",
    ],
};

pub(super) const FORCE: SentencePool = SentencePool {
    name: "force",
    short: &[
        "You [bring {tool} down on|raise {tool} against] {the}.",
        "You go at {the} with {tool}.",
        "You [throw yourself at|put your shoulder to|go at|ram] {the}.",
        "You [use force|put your weight into it|stop being gentle|give it all you have].",
    ],
    full: &[
        "You raise {tool} and bring it to bear on {the} with [everything you have|both hands|a shout that surprises you].",
        "You put {tool} to {the} and [stop being gentle|lean on it|strike].",
        "You set your shoulder to {the} and [drive forward from the heels|heave|push until something has to give].",
        "You take [three steps|two steps|a long step] back, fix your eyes on {the} and run at {it}.",
        "You put all your weight against {the} and ask the question that only [weight|patience of that kind|brute strength] can ask.",
        "You decide that {the} {has} stood in your way for [long enough|too long].",
        "You plant your feet and put your [whole weight|back|anger] into it[|, once, and then again|, and something creaks].",
        "You have been gentle [long enough|so far|until now], and now you [are not|try the other way|use your shoulder].",
        "You [brace yourself|breathe in|set your jaw] and [heave|push|let go of being careful].",
    ],
};

pub(super) const SNEAK: SentencePool = SentencePool {
    name: "sneak",
    short: &[
        "You keep low near {the}[| and wait| and move].",
        "You move without a sound, {the} close by.",
        "You [keep to the shadows|go quietly|stay low|move like a draught].",
        "You make no sound near {the}.",
    ],
    full: &[
        "You keep low and let the shadows [carry|hide|guide] you, with {the} never more than a breath away.",
        "You move when the noises move and stop when they stop, and {the} draw{s} nearer.",
        "You place each foot as if the [floor|ground|dark] were asleep, your eyes on {the}.",
        "You make yourself [small|still|thin] and watch {the} from the dark.",
        "With {the} [so close|in sight|not ten steps away], you [breathe through your mouth|count your steps|move only when the wind does].",
        "You melt into the nearest shadow and move [only when nothing else does|a hand's breadth at a time|when the light looks away].",
        "You place each foot [as if the floor were asleep|where it will make no noise|and wait before the next].",
        "You slow down until [even your own breathing seems loud|you could be furniture|the quiet takes you for its own].",
        "You go [quietly|low|without a light], [close to the wall|from one dark place to the next|with your hand out before you].",
    ],
};

pub(super) const CLIMB: SentencePool = SentencePool {
    name: "climb",
    short: &[
        "You [take on|make your try at|start on|go at] {the}.",
        "You [gather yourself and go|make the try|start|look for a hold].",
    ],
    full: &[
        "You measure {the} with your eyes, [choose your line and commit to it|spit into your hands and start|breathe out and go].",
        "You [test|find|reach for] the first hold, and then {the} {is} all there is in the world.",
        "You take a breath, judge {the} [one last time|from below|by eye] and go.",
        "You set yourself against {the}, [arms and legs and stubbornness|hand over hand|without looking down].",
        "You take a breath, [measure the distance|shake out your hands|look where you will land] and go.",
        "You trust your weight to [nothing but nerve and momentum|your fingers|the first thing that holds], [and move|and do not look down|one hold at a time].",
        "You start, [not fast|all at once|with your stronger hand], and [keep your eyes ahead|let the rest follow|tell yourself not to stop half way].",
    ],
};
