//! The slice of the state that this skill keeps: `/story`.

use narratoria_sdk::Ctx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{noun::Noun, outcome::DiceOutcome, verbs::Verb};

/// Most ids of sentences that are remembered, so that none comes back too soon: those of some sixty turns.
pub(crate) const RECENT_MAX: usize = 160;

/// Longest scene name that is worked into a sentence, in words.
const SCENE_WORDS_MAX: usize = 6;

/// How the story is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Style {
    #[default]
    Classic,
    Noir,
    Whimsical,
    Terse,
}

/// How things feel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mood {
    #[default]
    Calm,
    Tense,
    Eerie,
    Hopeful,
    Grim,
}

/// Texts of the model by which the next one is judged.
const MODEL_TEXTS_MAX: usize = 8;
/// Fewest of them that could be shown, if the model is to be asked again at once.
const MODEL_TEXTS_SHOWN_MIN: usize = 4;
/// Where fewer could, it is asked in one of so many beats: there may be another model now.
const MODEL_TRIED_EVERY: u64 = 12;

/// Which of the last texts that a model wrote of facts could be shown, the newest last. A player waits for each, and a model
/// that seldom keeps to the facts is not worth the waiting.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ModelTexts(Vec<bool>);

impl ModelTexts {
    pub(crate) fn is_asked_at(&self, beats: u64) -> bool {
        let shown = self.0.iter().filter(|shown| **shown).count();
        let is_known = self.0.len() >= MODEL_TEXTS_MAX;
        !is_known || shown >= MODEL_TEXTS_SHOWN_MIN || beats.is_multiple_of(MODEL_TRIED_EVERY)
    }

    pub(crate) fn with(mut self, is_shown: bool) -> ModelTexts {
        let forgotten = (self.0.len() + 1).saturating_sub(MODEL_TEXTS_MAX);
        self.0.drain(..forgotten);
        self.0.push(is_shown);
        self
    }
}

/// The story before this beat. A field that cannot be read counts as missing, because another skill may write here
/// too.
#[derive(Debug, Default)]
pub(crate) struct StoryBefore {
    pub(crate) beats: u64,
    pub(crate) focus: Option<Noun>,
    pub(crate) scene: Option<Noun>,
    pub(crate) mood: Option<Mood>,
    /// The story's own style, or else the one that the player has set.
    pub(crate) style: Option<Style>,
    pub(crate) recent: Vec<String>,
    pub(crate) last_narration: Option<String>,
    pub(crate) model_texts: ModelTexts,
}

impl StoryBefore {
    pub(crate) fn read(ctx: &mut Ctx) -> StoryBefore {
        let set: StorytellerSettings = narratoria_facts::settings(ctx);
        let text = |pointer: &str| ctx.state_at::<String>(pointer).ok().flatten();
        let noun = |pointer: &str| text(pointer).and_then(|text| Noun::from_text(&text));
        let short = |noun: &Noun| noun.text.split(' ').count() <= SCENE_WORDS_MAX;
        StoryBefore {
            beats: ctx.state_at("/story/beats").ok().flatten().unwrap_or(0),
            focus: noun("/story/focus"),
            scene: noun("/story/scene").filter(short),
            mood: ctx.state_at("/story/mood").ok().flatten(),
            style: ctx.state_at("/story/style").ok().flatten().or(set.style),
            recent: ctx.state_at("/story/recent").ok().flatten().unwrap_or_default(),
            last_narration: text("/story/lastNarration"),
            model_texts: ctx.state_at("/story/modelTexts").ok().flatten().unwrap_or_default(),
        }
    }
}

/// The settings of `storyteller`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StorytellerSettings {
    /// The style of stories that have none of their own.
    style: Option<Style>,
}

/// The patch under `/story` after this beat. A missing field is left as it is, a null is deleted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoryAfter {
    pub(crate) beats: u64,
    pub(crate) last_narration: String,
    pub(crate) last_verb: Verb,
    pub(crate) last_outcome: Option<DiceOutcome>,
    pub(crate) mood: Mood,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) focus: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scene: Option<Option<String>>,
    pub(crate) recent: Vec<String>,
    /// The sentences of the last turns, as numbers, where facts were told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) told: Option<Vec<Vec<u32>>>,
    /// Where a model was asked to tell facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model_texts: Option<ModelTexts>,
}

/// How things feel after a deed. Dice weigh most, then what was done; else nothing changes.
pub(crate) fn mood_after(before: Mood, verb: Verb, outcome: Option<DiceOutcome>) -> Mood {
    match (outcome, verb) {
        (Some(DiceOutcome::CriticalFailure), _) => Mood::Grim,
        (Some(DiceOutcome::Failure | DiceOutcome::Partial), _) => Mood::Tense,
        (Some(DiceOutcome::Success | DiceOutcome::CriticalSuccess), _) => Mood::Hopeful,
        (None, Verb::Attack | Verb::Force | Verb::Sneak | Verb::Unlock) => Mood::Tense,
        (None, Verb::Search | Verb::Listen | Verb::Cast) => Mood::Eerie,
        (None, Verb::Rest | Verb::Eat) => Mood::Calm,
        (None, _) => before,
    }
}
