//! What play has changed of the plot, as it lies in the story's state under `/plot/now`.

use std::collections::BTreeMap;

use narratoria_facts::difference;
use narratoria_sdk::{Value, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    definition::CounterDefinition,
    document::{Effects, PlotDocument, is_false},
};

/// The plot in play.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlotNow {
    /// The value of each quality: a rung of its ladder, or a number.
    pub qualities: BTreeMap<String, QualityValue>,
    /// Storylets that have fired, with the turn in which they did so last.
    pub fired: BTreeMap<String, u64>,
    /// Choices that were taken, with the turn.
    pub chosen: BTreeMap<String, u64>,
    /// Turns since the beginning.
    pub turn: u64,
    /// Of each storylet with several texts those that were told since all were, by index, the latest last.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<String, Vec<u32>>,
    /// What the player can choose.
    pub offered: Vec<OfferedChoice>,
    /// The place where it was offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_at: Option<String>,
    /// How many more turns it stays on offer while the player does something else.
    #[serde(skip_serializing_if = "is_zero")]
    pub offered_turns: u32,
    /// How the story has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<ReachedEnding>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The value of a quality.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum QualityValue {
    /// Of a counter.
    Number(i64),
    /// Of a ladder.
    Rung(String),
}

/// Something that the player can choose now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OfferedChoice {
    /// Its id, `STORYLET/LABEL`.
    pub id: String,
    /// What the player types.
    pub label: String,
    /// It stays until a choice of its storylet is taken.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lasting: bool,
}

impl OfferedChoice {
    /// The id of its storylet.
    pub fn storylet(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(storylet, _)| storylet)
    }
}

/// An ending that was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReachedEnding {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
}

impl PlotNow {
    /// The plot at the beginning of a story.
    pub fn begin(plot: &PlotDocument) -> PlotNow {
        let mut now = PlotNow::default();
        now.complete(plot);
        now
    }

    /// Gives each quality that has no value yet its first one: a new version of a campaign may have new qualities.
    pub fn complete(&mut self, plot: &PlotDocument) {
        for (name, rungs) in &plot.ladders {
            if let Some(first) = rungs.first() {
                let first = || QualityValue::Rung(first.clone());
                self.qualities.entry(name.clone()).or_insert_with(first);
            }
        }
        for (name, counter) in &plot.counters {
            let first = || QualityValue::Number(counter.first());
            self.qualities.entry(name.clone()).or_insert_with(first);
        }
    }

    /// Sets ladders and raises counters. A name or a rung that the campaign does not have is passed over.
    pub fn apply(
        &mut self,
        plot: &PlotDocument,
        sets: &BTreeMap<String, String>,
        raises: &BTreeMap<String, i64>,
    ) {
        for (name, rung) in sets {
            let rungs = plot.ladders.get(name);
            if rungs.is_some_and(|rungs| rungs.contains(rung)) {
                self.qualities.insert(name.clone(), QualityValue::Rung(rung.clone()));
            }
        }
        for (name, by) in raises {
            if let Some(counter) = plot.counters.get(name) {
                let value = self.number(name, counter).saturating_add(*by);
                self.qualities.insert(name.clone(), QualityValue::Number(counter.within(value)));
            }
        }
    }

    /// The same for the effects of a storylet or a choice.
    pub fn apply_effects(&mut self, plot: &PlotDocument, effects: &Effects) {
        self.apply(plot, &effects.sets, &effects.raises);
    }

    fn number(&self, name: &str, counter: &CounterDefinition) -> i64 {
        match self.qualities.get(name) {
            Some(QualityValue::Number(value)) => counter.within(*value),
            _ => counter.first(),
        }
    }

    /// Drops the choices that do not last.
    pub fn drop_passing_offers(&mut self) {
        let offered = self.clear_offers();
        self.offered = offered.into_iter().filter(|choice| choice.lasting).collect();
    }

    /// Nothing can be chosen any more.
    pub fn clear_offers(&mut self) -> Vec<OfferedChoice> {
        self.offered_at = None;
        self.offered_turns = 0;
        std::mem::take(&mut self.offered)
    }

    /// The patch of the state under `/plot` from an earlier moment to this one. The labels of what is offered stand in
    /// a list of their own, from which planners draw.
    pub fn patch_from(&self, before: Option<&Value>) -> Value {
        let labels: Vec<&str> = self.offered.iter().map(|choice| choice.label.as_str()).collect();
        json!({ "now": difference(before, &json!(self)), "offered": labels })
    }
}
