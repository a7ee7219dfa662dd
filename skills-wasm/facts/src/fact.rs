//! A fact: one thing that is true now because a step has made it so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that has happened, or that the player has noticed. The storyteller narrates it and contradicts none of it.
///
/// `text` is complete in itself. The other fields hold the names that it speaks of, so that a narrator can say it in
/// other words and a check can compare the names. A skill whose kinds are a fixed list has them as a type of its own, `K`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fact<K = String> {
    /// The kind, such as `taken` or `standing`. It says what the other fields hold.
    pub fact: K,
    /// The name of who or what it is about; `you` for the player.
    pub subject: String,
    /// The name of what it was done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The name of a third party: the receiver, the container, the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The name of the place where it happens, or where the player is afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The reason: of a refusal its code, of a check `success` or `failure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Names or words that say more, such as the things on a table, or the words of a speech.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// One complete plain sentence in the second person.
    pub text: String,
}

impl<K> Fact<K> {
    /// A fact with nothing but its kind, its subject and its sentence.
    pub fn new(fact: impl Into<K>, subject: impl Into<String>, text: impl Into<String>) -> Fact<K> {
        Fact {
            fact: fact.into(),
            subject: subject.into(),
            object: None,
            other: None,
            place: None,
            because: None,
            details: Vec::new(),
            text: text.into(),
        }
    }

    /// A fact about the player.
    pub fn you(fact: impl Into<K>, text: impl Into<String>) -> Fact<K> {
        Fact::new(fact, "you", text)
    }

    /// Sets what it was done to.
    #[must_use]
    pub fn object(mut self, object: &str) -> Fact<K> {
        self.object = Some(object.to_owned());
        self
    }

    /// Sets the third party.
    #[must_use]
    pub fn other(mut self, other: &str) -> Fact<K> {
        self.other = Some(other.to_owned());
        self
    }

    /// Sets the place.
    #[must_use]
    pub fn place(mut self, place: &str) -> Fact<K> {
        self.place = Some(place.to_owned());
        self
    }

    /// Sets the reason.
    #[must_use]
    pub fn because(mut self, because: &str) -> Fact<K> {
        self.because = Some(because.to_owned());
        self
    }

    /// Adds a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Fact<K> {
        self.details.push(detail.into());
        self
    }

    /// Sets the details.
    #[must_use]
    pub fn details(mut self, details: Vec<String>) -> Fact<K> {
        self.details = details;
        self
    }
}
