//! What a sentence means, and why a clause means nothing.

use schemars::JsonSchema;
use serde::Serialize;
use world_model::{action::Action, entity::NamedId};

/// Most actions of one sentence.
pub const ACTIONS_MAX: usize = 40;

/// Most things that a question offers.
pub(super) const OPTIONS_MAX: usize = 5;

/// How sure a reading is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// A verb that no list has, judged by what it is done to; or words that are only taken for speech.
    Guessed,
    /// A verb and a name that make sense together, among words that no rule reads.
    Inferred,
    /// The words say so.
    #[default]
    Said,
}

impl Certainty {
    /// True if the player's words say it, and nothing was inferred.
    pub fn is_said(&self) -> bool {
        *self == Certainty::Said
    }
}

/// What a sentence means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Understanding {
    /// The actions, in order.
    pub actions: Vec<Action>,
    /// What must be known first: the names of which one is meant.
    pub unclear: Vec<String>,
    /// Whether a part of it means nothing here.
    pub unknown: bool,
    /// Set if no part of the sentence was understood: what the reader still knows of it.
    pub shortfall: Option<Shortfall>,
    /// How sure the least sure of its clauses is.
    pub certainty: Certainty,
}

/// The certain part of a clause that means nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shortfall {
    /// The verb is known; nothing has been spoken of that the pronoun could mean.
    NothingSpokenOf {
        /// Such as `take`.
        verb: String,
        /// Such as `it`.
        pronoun: String,
    },
    /// One thing that the player sees is named, and a word that no table has stands where the verb stands.
    NoVerb {
        /// The thing that the words name.
        name: NamedId,
        /// The word.
        word: String,
    },
    /// These words are in no table and in no name.
    UnknownWords(Vec<String>),
}

/// Why a clause gives no actions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// One of these is meant.
    Unclear(Vec<NamedId>),
    /// It means nothing here.
    Unknown,
}
