//! What is looked at, read and heard in other words.

use super::{Function, PlainerRule, pattern};
use crate::parse::{described, eyed, plain_handling, rephrase, sayings};

/// The rules in the order in which they are tried.
pub(super) const RULES: &[PlainerRule] = &[
    // Eyes that go somewhere.
    pattern(
        "cast|sweep|play|swing the|my beam|light|torch|lamp|lantern @over {view}",
        "examine {view}",
        "sweep the beam over the chest",
    ),
    pattern(
        "cast|sweep|play|swing the|my beam|light|torch|lamp|lantern @over ...",
        "look",
        "sweep the beam about me",
    ),
    pattern("cast|run|throw an eye @over {view}", "examine {view}", "cast an eye over the chest"),
    pattern("cast|run|throw an eye @over ...", "look", "cast an eye about the room"),
    pattern(
        "let|allow my|his|her|their @eyes ... @over|to {view}",
        "examine {view}",
        "let my eyes wander over the chest",
    ),
    pattern(
        "let|allow my|his|her|their @eyes ... @over|to ...",
        "look",
        "let my gaze travel slowly round the camp",
    ),
    pattern(
        "lift|raise|turn|direct|cast|fix|throw|tilt my|his|her|their @eyes ... to|at|on|over {view}",
        "examine {view}",
        "lift my eyes to the chest",
    ),
    pattern(
        "lift|raise|turn|direct|cast|fix|throw|tilt my|his|her|their @eyes ... to|at|on|over ...",
        "look",
        "turn my gaze to the far horizon",
    ),
    pattern(
        "tell|see|check|know|show|find|say me? out? if|whether ... something|anything ... about|with|on {seen}",
        "examine {seen}",
        "tell me if there is something odd about the chest",
    ),
    pattern(
        "@gaze through|across|over ... at {text}",
        "examine {text}",
        "squint through the gloom at the chest",
    ),
    pattern(
        "spell|read|make|trace|puzzle|work ... its @text ...",
        "read it",
        "spell out its letters",
    ),
    pattern(
        "see|check|learn|discover what {readable} says|say|reads",
        "read {readable}",
        "see what the letter says",
    ),
    pattern(
        "run|cast|let|pass|trail my eye|eyes|gaze|finger down|over|along|across {readable}",
        "read {readable}",
        "run my eye down the letter",
    ),
    pattern(
        "run|cast|let|pass|trail my eye|eyes|gaze|finger down|over|along|across {seen}",
        "examine {seen}",
        "run my finger along the chest",
    ),
    Function(described::by_its_use),
    pattern(
        "pretend? to? admire|check|study|fix|straighten|adjust|inspect|examine|smooth|tidy|comb|see|watch \
         my|myself ... in {view}",
        "examine {view}",
        "straighten my hair in the chest",
    ),
    pattern(
        "@looking {unseen} on|in|of|above|below|around|along|over {view}",
        "examine {view}",
        "study the carving on the chest",
    ),
    pattern(
        "@gaze at {unseen} on|in|of|above|below|around|along|over {view}",
        "examine {view}",
        "look at the carving on the chest",
    ),
    pattern(
        "see|check|feel|test|find if|whether {seen} is|are|feels|looks|seems \
         !open|locked|unlocked|closed|shut|lit|empty|there|here|in",
        "examine {seen}",
        "see if the chest is warm",
    ),
    pattern(
        "look|see|check|read how much|many is|are in|on {text}",
        "examine {text}",
        "see how much is in the chest",
    ),
    pattern("look|eye {text} up and down", "examine {text}", "look the guard up and down"),
    pattern(
        "put|press|hold|lay|place|set|lean my|an|one ear to|against|on|by|at {text}",
        "listen to {text}",
        "put my ear against the chest",
    ),
    pattern("read {text} to|for {person}", "read {text}", "read the letter to the guard"),
    pattern("read {text} to|for me|us|myself|everyone", "read {text}", "read the letter to myself"),
    pattern("read {text} all? the? way? through", "read {text}", "read the letter through"),
    pattern(
        "read {text} all the way to the end",
        "read {text}",
        "read the letter all the way to the end",
    ),
    pattern("read {text} through? to the end", "read {text}", "read the letter to the end"),
    pattern(
        "read {text} from beginning|start to end|finish",
        "read {text}",
        "read the letter from start to finish",
    ),
    pattern("read {text} word for word", "read {text}", "read the letter word for word"),
    pattern(
        "how does|do|did {person} look [like|, ...]",
        "examine {person}",
        "how does the guard look",
    ),
    Function(sayings::read_who),
    pattern("what does|do {seen} do", "examine {seen}", "what does the chest do"),
    pattern(
        "tell|describe me|us what|how {named} look|looks like",
        "examine {named}",
        "tell me what the chest looks like",
    ),
    pattern(
        "see|read|check|look|find what ... @writing ... @backs",
        "read it",
        "see what somebody wrote on the back",
    ),
    Function(eyed::paused_before),
    pattern(
        "see|check|look|watch? what|how does|do|did? {present} looks|look like",
        "examine {present}",
        "see what the guard looks like",
    ),
    pattern("_? _? _? @glance at you|yourself", "examine {partner}", "let me look at you"),
    pattern("see|check|look|watch who is|are -ing", "who is here", "see who is steering"),
    pattern("compare {view} with|to|and ...", "examine {view}", "compare the letter with the card"),
    Function(rephrase::without_holding),
    pattern("make out what {text} says|say", "read {text}", "make out what the letter says"),
    pattern(
        "make out what is written|printed on {text}",
        "read {text}",
        "make out what is written on the letter",
    ),
    pattern("@gaze from {text}", "examine {text}", "look from the window"),
    pattern(
        "follow|trace|track {text} with my eyes",
        "examine {text}",
        "follow the guard with my eyes",
    ),
    pattern("look up ... in {readable}", "read {readable}", "look up 114 in the letter"),
    pattern(
        "look it|that|them|him|her|this up ... in {readable}",
        "read {readable}",
        "look it up in the letter",
    ),
    pattern("find ... in {readable}", "read {readable}", "find hymn 302 in the letter"),
    pattern("read me|us {text}", "read {text}", "read me the letter"),
    Function(plain_handling::whether_any),
];
