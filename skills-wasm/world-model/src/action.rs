//! What the player does, as names of this world.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

verbs! {
    /// Looks around.
    #[default]
    Look = "look around",
    /// Looks at something.
    Examine = "examine",
    /// Looks into, under and behind something.
    Search = "search",
    /// Goes in a direction or to a place.
    Go = "go",
    /// Takes something.
    Take = "take",
    /// Puts something down.
    Drop = "drop",
    /// Puts the target into `with`.
    PutIn = "put",
    /// Puts the target on `with`.
    PutOn = "put",
    /// Opens something.
    Open = "open",
    /// Closes something.
    Close = "close",
    /// Locks something, with `with`.
    Lock = "lock",
    /// Unlocks something, with `with`.
    Unlock = "unlock",
    /// Uses something, on `with`.
    Use = "use",
    /// Gives the target to `with`.
    Give = "give",
    /// Shows the target to `with`.
    Show = "show",
    /// Talks to somebody.
    Talk = "talk to",
    /// Asks the target about `topic`.
    Ask = "ask",
    /// Tells the target about `topic`.
    Tell = "tell",
    /// Asks the target for `with`.
    Request = "ask",
    /// Says `text` aloud, to the target where there is one.
    Say = "say",
    /// Reads something.
    Read = "read",
    /// Puts on something.
    Wear = "wear",
    /// Takes off something.
    TakeOff = "take off",
    /// Eats something.
    Eat = "eat",
    /// Drinks something.
    Drink = "drink",
    /// Lights something.
    Light = "light",
    /// Puts out a light.
    Extinguish = "put out",
    /// Attacks the target, with `with`. Needs a check.
    Attack = "attack",
    /// Pushes something.
    Push = "push",
    /// Pulls something.
    Pull = "pull",
    /// Turns something.
    Turn = "turn",
    /// Waits; `text` says how long.
    Wait = "wait",
    /// Sleeps.
    Sleep = "sleep",
    /// Asks what the player carries and wears.
    Inventory = "list what you carry",
    /// Asks who the player is.
    WhoAmI = "ask yourself who you are",
    /// Asks where the player is.
    WhereAmI = "ask yourself where you are",
    /// Asks for the time.
    Time = "ask yourself the time",
    /// Asks who is here.
    WhoIsHere = "see who is here",
    /// Asks for the ways out.
    Exits = "see the ways out",
    /// Asks where something is.
    Find = "find",
    /// Does something that changes nothing: `text` is the verb, such as `touch`.
    Gesture = "do",
    /// Takes the target from `with` unseen. Needs a check.
    Steal = "steal",
    /// Opens the lock of the target without its key. Needs a check.
    PickLock = "pick the lock of",
    /// Forces the target open. Needs a check.
    Force = "force",
    /// Persuades the target to give `with`, to speak about `topic`, or to give way; `text` names the skill. Needs a check.
    Persuade = "persuade",
    /// Gets past the target unseen, or hides. Needs a check.
    Sneak = "sneak",
    /// Tries what `text` says. Needs a check.
    Attempt = "attempt",
    /// Does what a verb of the campaign's author names: `text` is its name.
    Own = "do",
}
