//! The sentences. Data only: `narration` chooses and fills them. `[a|b]` stands for one of its choices.
//!
//! A sentence may hold these places; one that cannot be filled keeps the sentence from being chosen:
//! `{the}` what the player named, with `{is}`, `{has}` and `{s}` (`give{s}`) agreeing with it, and
//! `{it}`, `{they}`, `{they_is}`, `{its}` standing for it; `{tool}`, `{topic}`, `{target}`, `{spell}`,
//! `{way}`, `{deed}` and `{being}` (they complete "You …"), `{speech}` (ends with a comma) and `{said}` (with a full stop) from the player's words; `{total}` of the dice.

mod actions;
mod moves;
mod quiet;
mod results;
mod scenes;

pub(crate) use actions::deed;
pub(crate) use quiet::{ATTEMPT, IN_WORDS, NO_ROLL};
pub(crate) use results::{detail, result, special_result};
pub(crate) use scenes::aside;

/// Sentences to choose from. The name and the place in the list make the id that is remembered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentencePool {
    pub(crate) name: &'static str,
    /// A few words; the terse style takes these.
    pub(crate) short: &'static [&'static str],
    pub(crate) full: &'static [&'static str],
}
