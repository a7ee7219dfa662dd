//! The features of the host that a new script shows, with the parts that are equal in all languages. Knows texts and
//! names.

/// A feature of the host that a script shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptFeature {
    /// Values that the skill keeps from turn to turn.
    Store,
    /// Requests to a host.
    Http,
    /// Files that the story keeps.
    Assets,
    /// Settings of the player.
    Config,
    /// Questions to the player.
    Ask,
    /// The language model.
    Llm,
    /// The story's memory.
    Memory,
}

/// Facts of a script that no language changes.
pub(super) struct FeatureTemplate {
    pub(super) description: &'static str,
    /// Empty: the words of the script's name.
    pub(super) phrase: &'static str,
    /// The text that its example expects.
    pub(super) text: &'static str,
    pub(super) grants: &'static str,
    pub(super) timeout_ms: &'static str,
}

/// The script without a feature.
pub(super) const PLAIN: FeatureTemplate = FeatureTemplate {
    description: "Does what you write into it.",
    phrase: "",
    text: "It works.",
    grants: "{}",
    timeout_ms: "5000",
};

impl ScriptFeature {
    pub const ALL: [ScriptFeature; 7] = [
        ScriptFeature::Store,
        ScriptFeature::Http,
        ScriptFeature::Assets,
        ScriptFeature::Config,
        ScriptFeature::Ask,
        ScriptFeature::Llm,
        ScriptFeature::Memory,
    ];

    /// The name of its script in a new package.
    pub fn script_name(self) -> &'static str {
        match self {
            ScriptFeature::Store => "count-visits",
            ScriptFeature::Http => "ask-sky",
            ScriptFeature::Assets => "draw-map",
            ScriptFeature::Config => "greet",
            ScriptFeature::Ask => "meet-guard",
            ScriptFeature::Llm => "describe-harbour",
            ScriptFeature::Memory => "recall-ferry",
        }
    }

    pub(super) fn facts(self) -> FeatureTemplate {
        match self {
            ScriptFeature::Store => FeatureTemplate {
                description: "Counts the player's visits and keeps their number.",
                phrase: "count my visits",
                text: "This is visit number 1.",
                grants: r#"{ "store": true }"#,
                ..PLAIN
            },
            ScriptFeature::Http => FeatureTemplate {
                description: "Asks a host how the sky looks.",
                phrase: "look at the sky",
                text: "The sky is grey.",
                grants: r#"{ "http": ["api.example.com"] }"#,
                timeout_ms: "15000",
            },
            ScriptFeature::Assets => FeatureTemplate {
                description: "Draws a map and keeps it with the story.",
                phrase: "draw a map",
                text: "You draw a map of the way to the harbour.",
                grants: r#"{ "assets": true }"#,
                ..PLAIN
            },
            ScriptFeature::Config => FeatureTemplate {
                description: "Greets the player with a word from the settings.",
                phrase: "enter the inn",
                text: "Welcome, traveller.",
                ..PLAIN
            },
            ScriptFeature::Ask => FeatureTemplate {
                description: "Asks the player for a name.",
                phrase: "go to the guard",
                text: "The guard lets a stranger pass.",
                ..PLAIN
            },
            ScriptFeature::Llm => FeatureTemplate {
                description: "Describes the harbour, with the language model if there is one.",
                phrase: "describe the harbour",
                text: "The harbour is quiet.",
                grants: r#"{ "llm": { "optional": true } }"#,
                timeout_ms: "15000",
            },
            ScriptFeature::Memory => FeatureTemplate {
                description: "Tells what the story remembers about the ferry.",
                phrase: "ask about the ferry",
                text: "Nobody has spoken of the ferry yet.",
                grants: r#"{ "memory": true }"#,
                ..PLAIN
            },
        }
    }
}
