//! The sentences of a turn without facts, and which of them are for what. They stand in `text/deeds.md`; `narration` chooses
//! and fills them.

use crate::{outcome::DiceOutcome, story::Style, verbs::Verb};
#[cfg(test)]
pub(crate) use sentences::PAGE_PLACES;
pub(crate) use sentences::{ATTEMPT, NO_ROLL, WORDS};

/// Sentences to choose from. The name and the place in the list make the id that is remembered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentencePool {
    pub(crate) name: &'static str,
    /// A few words; the terse style takes these.
    pub(crate) short: &'static [&'static str],
    pub(crate) full: &'static [&'static str],
}

/// The pools of `text/deeds.md`, each a constant with the name of its heading. The build script has checked them.
// A pool that no code asks for is a mistake of the page; the compiler shows its line.
#[deny(dead_code)]
mod sentences {
    use crate::prose::SentencePool;

    include!(concat!(env!("OUT_DIR"), "/deeds.rs"));
}

/// The sentences for a deed. A place that cannot be filled leaves enough of each pool for an evening; a test counts.
pub(crate) fn deed(verb: Verb) -> SentencePool {
    match verb {
        Verb::Look => sentences::LOOK,
        Verb::Examine => sentences::EXAMINE,
        Verb::Search => sentences::SEARCH,
        Verb::Listen => sentences::LISTEN,
        Verb::Go => sentences::GO,
        Verb::Leave => sentences::LEAVE,
        Verb::Take => sentences::TAKE,
        Verb::Give => sentences::GIVE,
        Verb::Talk => sentences::TALK,
        Verb::Persuade => sentences::PERSUADE,
        Verb::Attack => sentences::ATTACK,
        Verb::Open => sentences::OPEN,
        Verb::Unlock => sentences::UNLOCK,
        Verb::Force => sentences::FORCE,
        Verb::Sneak => sentences::SNEAK,
        Verb::Climb => sentences::CLIMB,
        Verb::Rest => sentences::REST,
        Verb::Eat => sentences::EAT,
        Verb::Cast => sentences::CAST,
        Verb::Use => sentences::USE,
        Verb::Wait => sentences::WAIT,
        Verb::Roll => sentences::ROLL,
        Verb::Reflect => sentences::REFLECT,
        Verb::Wonder => sentences::WONDER,
        Verb::Refrain => sentences::REFRAIN,
        Verb::Other => sentences::OTHER,
    }
}

/// The sentences for a deed that the world has not done.
pub(crate) fn undone(verb: Verb) -> SentencePool {
    match verb {
        Verb::Wonder | Verb::Talk | Verb::Persuade => sentences::UNANSWERED,
        _ => sentences::UNDONE,
    }
}

/// What the dice mean, whatever was done.
pub(crate) fn result(outcome: DiceOutcome) -> SentencePool {
    match outcome {
        DiceOutcome::CriticalFailure => sentences::FUMBLE,
        DiceOutcome::Failure => sentences::FAIL,
        DiceOutcome::Partial => sentences::PARTIAL,
        DiceOutcome::Success => sentences::SUCCESS,
        DiceOutcome::CriticalSuccess => sentences::TRIUMPH,
    }
}

/// What they mean for this kind of deed; nothing special where it half succeeds.
pub(crate) fn special_result(outcome: DiceOutcome, verb: Verb) -> Option<SentencePool> {
    let (good, bad) = match verb {
        Verb::Unlock | Verb::Open => (sentences::UNLOCKED, sentences::LOCKED),
        Verb::Attack => (sentences::STRUCK, sentences::MISSED),
        Verb::Sneak => (sentences::UNSEEN, sentences::NOTICED),
        Verb::Persuade | Verb::Talk => (sentences::CONVINCED, sentences::UNCONVINCED),
        Verb::Climb | Verb::Force => (sentences::MASTERED, sentences::OVERMATCHED),
        Verb::Examine | Verb::Look | Verb::Search | Verb::Listen => {
            (sentences::CLUE, sentences::NOCLUE)
        }
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
        Verb::Look | Verb::Examine | Verb::Search | Verb::Listen | Verb::Reflect => {
            Some(sentences::SEEN)
        }
        Verb::Take | Verb::Open | Verb::Unlock | Verb::Force | Verb::Use => {
            Some(sentences::HANDLED)
        }
        _ => None,
    }
}

/// A remark on what was named, in the voice of the style; the plainer ones have none.
pub(crate) fn aside(style: Style) -> Option<SentencePool> {
    match style {
        Style::Noir => Some(sentences::ASIDENOIR),
        Style::Whimsical => Some(sentences::ASIDEWHIM),
        Style::Classic | Style::Terse => None,
    }
}
