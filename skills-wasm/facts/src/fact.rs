//! A fact: one thing that is true now because a step has made it so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that has happened. The storyteller narrates it and contradicts none of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// The kind, such as `taken` or `standing`.
    pub fact: String,
    /// The name of who or what it is about; `you` for the player.
    pub subject: String,
    /// The name of what it was done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The name of a third party: the receiver, the container, the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The name of the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Words that say more, by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// One complete plain sentence in the second person.
    pub text: String,
}

impl Fact {
    /// A fact with nothing but its kind, its subject and its sentence.
    pub fn new(
        fact: impl Into<String>,
        subject: impl Into<String>,
        text: impl Into<String>,
    ) -> Fact {
        Fact { fact: fact.into(), subject: subject.into(), text: text.into(), ..Fact::default() }
    }

    /// Sets the reason.
    #[must_use]
    pub fn because(mut self, because: Option<String>) -> Fact {
        self.because = because;
        self
    }

    /// Adds a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Fact {
        self.details.push(detail.into());
        self
    }
}
