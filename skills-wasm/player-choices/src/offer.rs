//! [`Situation`] → choices. Takes one choice of each kind first, so that two of one kind are rare.

use english::WordClass;
use narratoria_sdk::{Choice, Rng};

use crate::situation::{LastOutcome, Mood, Situation};

/// `(id, label, sentence)`; `{it}` is what it is about.
type ChoiceTemplate = (&'static str, &'static str, &'static str);

/// Offers `count` things to do, no two with the same id.
pub(crate) fn offer(situation: &Situation, count: usize, rng: &mut Rng) -> Vec<Choice> {
    let mut reasons = [
        about_focus(situation),
        about_outcome(situation),
        about_mood(situation.mood),
        about_scene(situation),
        filled(GENERAL, None),
    ];
    for reason in &mut reasons {
        rng.shuffle(reason);
    }
    let mut offered: Vec<Choice> = Vec::new();
    let longest = reasons.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..longest {
        for choice in reasons.iter().filter_map(|reason| reason.get(round)) {
            let known = offered.iter().any(|known| known.id == choice.id);
            // A player who has just looked needs no advice to look.
            let just_done = situation.last_verb.as_deref() == Some(choice.id.as_str());
            if offered.len() < count && !known && !just_done {
                offered.push(choice.clone());
            }
        }
    }
    offered
}

fn about_focus(situation: &Situation) -> Vec<Choice> {
    let Some(focus) = &situation.focus else { return Vec::new() };
    let is_one_of = |class: WordClass| focus.split(' ').any(|word| class.has(&word.to_lowercase()));
    // A name has no article.
    let is_name = focus.chars().next().is_some_and(char::is_uppercase);
    let templates = if focus.starts_with("your ") {
        OWN
    } else if is_name || is_one_of(WordClass::PersonWord) {
        PERSON
    } else if is_one_of(WordClass::ShutThing) {
        if situation.has_opened_it() { OPENED } else { SHUT }
    } else {
        THING
    };
    filled(templates, Some(focus))
}

fn about_outcome(situation: &Situation) -> Vec<Choice> {
    let Some(outcome) = situation.last_outcome else { return Vec::new() };
    let templates = match outcome {
        LastOutcome::Success | LastOutcome::CriticalSuccess => return filled(AFTER_SUCCESS, None),
        LastOutcome::Partial => AFTER_PARTIAL,
        LastOutcome::Failure | LastOutcome::CriticalFailure => AFTER_FAILURE,
    };
    let mut choices = filled(templates, None);
    choices.push(try_again(situation));
    choices
}

/// The last deed again, in words that a planner understands.
fn try_again(situation: &Situation) -> Choice {
    let deed = match situation.last_verb.as_deref() {
        Some("unlock") => "unlock",
        Some("open") => "open",
        Some("force") => "force",
        Some("attack") => "attack",
        Some("sneak") => "sneak past",
        Some("climb") => "climb",
        Some("persuade" | "talk") => "persuade",
        _ => "",
    };
    let sentence = match &situation.focus {
        Some(focus) if !deed.is_empty() => format!("I try to {deed} {} again", as_mine(focus)),
        _ => "I try again, more carefully".to_owned(),
    };
    Choice::new("try-again", "Try once more").prompt(sentence)
}

fn about_mood(mood: Option<Mood>) -> Vec<Choice> {
    let templates = match mood {
        None => return Vec::new(),
        Some(Mood::Calm) => CALM,
        Some(Mood::Hopeful) => HOPEFUL,
        Some(Mood::Eerie) => EERIE,
        Some(Mood::Tense | Mood::Grim) => TENSE,
    };
    filled(templates, None)
}

fn about_scene(situation: &Situation) -> Vec<Choice> {
    match &situation.scene {
        Some(scene) if situation.scene != situation.focus => filled(SCENE, Some(scene)),
        _ => Vec::new(),
    }
}

fn filled(templates: &[ChoiceTemplate], it: Option<&str>) -> Vec<Choice> {
    let it = it.unwrap_or_default();
    let mine = as_mine(it);
    let fill = |(id, label, sentence): &ChoiceTemplate| {
        Choice::new(*id, label.replace("{it}", it)).prompt(sentence.replace("{it}", &mine))
    };
    templates.iter().map(fill).collect()
}

/// The phrase as the player says it: `my sword` for `your sword`.
fn as_mine(phrase: &str) -> String {
    let words = phrase.split(' ').map(|word| if word == "your" { "my" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

const THING: &[ChoiceTemplate] = &[
    ("examine", "Look at {it} more closely", "I examine {it} closely"),
    ("search-near", "Search around {it}", "I search around {it}"),
    ("touch", "Touch {it}", "I touch {it}"),
    ("leave", "Leave {it} behind", "I leave {it} behind"),
];

const SHUT: &[ChoiceTemplate] = &[
    ("open", "Open {it}", "I open {it}"),
    ("examine", "Look at {it} more closely", "I examine {it} closely"),
    ("listen-at", "Put an ear to {it}", "I listen at {it}"),
    ("force", "Force {it}", "I force {it} open"),
];

const OPENED: &[ChoiceTemplate] = &[
    ("what-it-kept", "See what {it} was keeping", "I look at what {it} was keeping from me"),
    ("examine", "Look at {it} more closely", "I examine {it} closely"),
    ("listen-beyond", "Listen for what is beyond", "I listen for what is beyond {it}"),
    ("go-on-in", "Go on, now that the way is open", "I go on, past {it}"),
];

const PERSON: &[ChoiceTemplate] = &[
    ("talk", "Talk to {it}", "I talk to {it}"),
    ("ask", "Ask {it} about this place", "I ask {it} about this place"),
    ("persuade", "Win {it} over", "I try to persuade {it} to help me"),
    ("watch", "Keep an eye on {it}", "I watch {it} closely"),
];

const OWN: &[ChoiceTemplate] = &[
    ("use", "Use {it}", "I use {it}"),
    ("examine", "Look {it} over", "I examine {it}"),
    ("put-away", "Put {it} away", "I put {it} away"),
];

const AFTER_SUCCESS: &[ChoiceTemplate] = &[
    ("press-on", "Make the most of it and press on", "I press on"),
    ("take-stock", "See what you have gained", "I take stock"),
    ("boast", "Enjoy the moment", "I stop for a moment and smile"),
];

const AFTER_PARTIAL: &[ChoiceTemplate] = &[
    ("steady", "Take a breath before going on", "I pause and take a breath"),
    ("another-way", "Look for another way", "I look for another way"),
];

const AFTER_FAILURE: &[ChoiceTemplate] = &[
    ("another-way", "Look for another way", "I look for another way"),
    ("fall-back", "Fall back before it gets worse", "I retreat"),
];

const CALM: &[ChoiceTemplate] = &[
    ("rest", "Rest for a while", "I rest for a while"),
    ("wander", "Wander on and see", "I wander on"),
];

const HOPEFUL: &[ChoiceTemplate] = &[
    ("press-on", "Press on while luck holds", "I press on"),
    ("explore", "Explore what lies ahead", "I explore what lies ahead"),
];

const EERIE: &[ChoiceTemplate] = &[
    ("listen", "Hold still and listen", "I listen"),
    ("call", "Call out into the dark", "I call out"),
];

const TENSE: &[ChoiceTemplate] = &[
    ("hide", "Keep out of sight", "I hide and wait"),
    ("ready", "Ready yourself for a fight", "I ready myself for a fight"),
    ("fall-back", "Draw back to safety", "I retreat"),
];

const SCENE: &[ChoiceTemplate] = &[
    ("search-scene", "Search {it}", "I search {it}"),
    ("leave-scene", "Leave {it}", "I leave {it}"),
];

const GENERAL: &[ChoiceTemplate] = &[
    ("look", "Look around", "I look around"),
    ("go-on", "Go on", "I go on"),
    ("listen", "Listen", "I listen"),
    ("search", "Search for something useful", "I search for something useful"),
    ("wait", "Wait and see what happens", "I wait"),
    ("take-stock", "Take stock of what you have", "I take stock"),
];
