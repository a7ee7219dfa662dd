//! What the player does, as names of this world.

mod verbs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use verbs::each_verb;

/// Longest name, topic or missing word of an action, in characters.
pub const ACTION_WORDS_CHARS_MAX: usize = 120;

/// Longest text of an action, in characters.
pub const ACTION_TEXT_CHARS_MAX: usize = 400;

/// One action. Names are those of the world.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// What the player does.
    pub action: Verb,
    /// To what or whom: a name in scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = ACTION_WORDS_CHARS_MAX))]
    pub target: Option<String>,
    /// The second thing or person: the key, the receiver, the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = ACTION_WORDS_CHARS_MAX))]
    pub with: Option<String>,
    /// What a conversation is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = ACTION_WORDS_CHARS_MAX))]
    pub topic: Option<String>,
    /// Where to go, such as `north`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = ACTION_WORDS_CHARS_MAX))]
    pub direction: Option<String>,
    /// The player's own words: a speech, a gesture, a free attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = ACTION_TEXT_CHARS_MAX))]
    pub text: Option<String>,
    /// The player's words for something that is not in scope. The action is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = ACTION_WORDS_CHARS_MAX))]
    pub missing: Option<String>,
}

impl Action {
    /// An action without a target.
    pub fn new(action: Verb) -> Action {
        Action { action, ..Action::default() }
    }

    /// An action on a target.
    pub fn on(action: Verb, target: &str) -> Action {
        Action { action, target: Some(target.to_owned()), ..Action::default() }
    }

    /// Going in a direction.
    pub fn toward(direction: &str) -> Action {
        Action { direction: Some(direction.to_owned()), ..Action::new(Verb::Go) }
    }

    /// Adds the second thing or person.
    #[must_use]
    pub fn with(mut self, with: &str) -> Action {
        self.with = Some(with.to_owned());
        self
    }

    /// Adds the topic.
    #[must_use]
    pub fn topic(mut self, topic: &str) -> Action {
        self.topic = Some(topic.to_owned());
        self
    }

    /// Cuts what is longer than `world/act` takes, at the end of a word where there is one.
    pub fn shorten(&mut self) {
        let words = [
            &mut self.target,
            &mut self.with,
            &mut self.topic,
            &mut self.direction,
            &mut self.missing,
        ];
        for words in words.into_iter().flatten() {
            *words = shortened(words, ACTION_WORDS_CHARS_MAX);
        }
        if let Some(text) = &mut self.text {
            *text = shortened(text, ACTION_TEXT_CHARS_MAX);
        }
    }

    /// The action as a person who mends the reader reads it: ``Unlock `shed door` with `brass key` ``.
    pub fn in_words(&self) -> String {
        let Action { action: verb, target, with, topic, direction, text, missing } = self;
        let parts = [target, with, topic, direction, text, missing];
        let names = ["", "with ", "about ", "to ", "text ", "missing "];
        let mut line = format!("{verb:?}");
        for (name, part) in names.into_iter().zip(parts) {
            if let Some(part) = part {
                line += &format!(" {name}`{part}`");
            }
        }
        line
    }

    /// Adds the player's words.
    #[must_use]
    pub fn text(mut self, text: &str) -> Action {
        self.text = Some(text.to_owned());
        self
    }
}

fn shortened(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let kept = &text[..end];
    kept.rsplit_once(' ').map_or(kept, |(words, _)| words).to_owned()
}

macro_rules! verbs {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// What the player can do.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Verb {
            $($(#[$doc])* $name,)*
        }

        impl Verb {
            /// All of them.
            pub const ALL: &'static [Verb] = &[$(Verb::$name,)*];

            /// Their names in Rust.
            pub const NAMES: &'static [(&'static str, Verb)] =
                &[$((stringify!($name), Verb::$name),)*];

            /// The verb with a blank for `_`.
            pub fn word(self) -> &'static str {
                match self { $(Verb::$name => $word,)* }
            }
        }
    };
}

each_verb!(verbs);
