//! What an author has written → the documents that scripts read. Names and texts of conditions were checked before.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use narratoria_conditions::{CONDITION_FORM, CompiledCondition};

use crate::{
    definition::{ChoiceDefinition, PlotDefinition, StoryletDefinition},
    document::{
        DeckGate, Effects, FirstExamples, GateCondition, GatesDocument, PLOT_VERSION,
        PRIORITY_DEFAULT, PlotDocument, StoryEnding, StoryHint, StoryletChoice, StoryletGate,
        StoryletTexts, TextsDocument,
    },
};

/// Conditions by their texts, as their author wrote them.
pub type ConditionsByText = BTreeMap<String, CompiledCondition>;

/// The documents of a plot.
#[derive(Debug, Clone, Default)]
pub struct PlotDocuments {
    /// `gates.json`
    pub gates: GatesDocument,
    /// `texts/DECK.json`, by deck.
    pub texts: BTreeMap<String, TextsDocument>,
    /// `plot.json`
    pub plot: PlotDocument,
}

/// Every condition of a plot, with the words for its place.
pub fn conditions_of(plot: &PlotDefinition) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut add = |place: String, when: &Option<String>| {
        found.extend(when.clone().map(|when| (place, when)));
    };
    for storylet in plot.decks.iter().flat_map(|(_, deck)| &deck.storylet) {
        let id = &storylet.id;
        add(format!("the storylet `{id}`"), &storylet.when);
        for choice in &storylet.choices {
            add(format!("the choice `{}` of `{id}`", choice.label), &choice.when);
        }
    }
    for ending in &plot.endings.ending {
        add(format!("the ending `{}`", ending.id), &Some(ending.when.clone()));
    }
    for (at, hint) in plot.hints.hint.iter().enumerate() {
        add(format!("hint {}", at + 1), &Some(hint.when.clone()));
    }
    found
}

/// Compiles a plot. The error names each condition that is not among the compiled ones.
pub fn compile(
    plot: &PlotDefinition,
    conditions: &ConditionsByText,
) -> Result<PlotDocuments, Vec<String>> {
    let mut compiler = PlotCompiler {
        conditions,
        missing: BTreeSet::new(),
        whens: Vec::new(),
        when_of_text: BTreeMap::new(),
    };
    let mut documents = PlotDocuments::default();
    documents.gates.version = PLOT_VERSION;
    documents.gates.conditions = CONDITION_FORM;
    for (at, (id, deck)) in plot.decks.iter().enumerate() {
        let per_turn = deck.per_turn.unwrap_or(1);
        documents.gates.decks.push(DeckGate { id: id.clone(), per_turn });
        let mut texts = TextsDocument {
            version: PLOT_VERSION,
            conditions: CONDITION_FORM,
            ..TextsDocument::default()
        };
        for storylet in &deck.storylet {
            documents.gates.storylets.push(compiler.gate(storylet, at));
            texts.storylets.insert(storylet.id.clone(), compiler.texts(storylet));
        }
        documents.texts.insert(id.clone(), texts);
    }
    documents.plot = compiler.plot(plot);
    documents.gates.whens = compiler.whens;
    match compiler.missing.is_empty() {
        true => Ok(documents),
        false => Err(compiler.missing.into_iter().collect()),
    }
}

struct PlotCompiler<'c> {
    conditions: &'c ConditionsByText,
    missing: BTreeSet<String>,
    /// The conditions of the gates so far, and where each text stands among them.
    whens: Vec<CompiledCondition>,
    when_of_text: BTreeMap<String, usize>,
}

impl PlotCompiler<'_> {
    fn condition(&mut self, text: &str) -> Option<CompiledCondition> {
        let found = self.conditions.get(text).cloned();
        if found.is_none() {
            self.missing.insert(format!("the condition `{text:.200}` was not compiled"));
        }
        found
    }

    fn when(&mut self, text: &Option<String>) -> Option<CompiledCondition> {
        self.condition(text.as_deref()?)
    }

    /// The condition of a gate, which is listed once.
    fn gate_when(&mut self, text: &Option<String>) -> Option<GateCondition> {
        let condition = self.when(text)?;
        Some(GateCondition::Listed(match self.when_of_text.get(condition.text.as_str()) {
            Some(at) => *at,
            None => {
                self.when_of_text.insert(condition.text.clone(), self.whens.len());
                self.whens.push(condition);
                self.whens.len() - 1
            }
        }))
    }

    fn gate(&mut self, storylet: &StoryletDefinition, deck: usize) -> StoryletGate {
        let once = storylet.once.unwrap_or(storylet.cooldown.is_none());
        let when = self.when(&storylet.when);
        StoryletGate {
            id: storylet.id.clone(),
            deck,
            at: storylet.at.clone(),
            present: storylet.present.clone(),
            on: storylet.on.clone(),
            specificity: specificity(storylet, when.as_ref()),
            when: self.gate_when(&storylet.when),
            cooldown: (!once).then(|| storylet.cooldown.unwrap_or(0)),
            chance: storylet.chance.filter(|chance| *chance < 1.0),
            priority: storylet.priority.unwrap_or(PRIORITY_DEFAULT),
            claims: storylet.claims.clone().unwrap_or_else(|| storylet.present.clone()),
            linked: storylet.linked,
            lasting: storylet.lasting,
            hinted: storylet.hint.is_some(),
        }
    }

    fn texts(&mut self, storylet: &StoryletDefinition) -> StoryletTexts {
        let texts = storylet.text.iter().chain(&storylet.texts).cloned().collect();
        let choices = &storylet.choices;
        StoryletTexts {
            texts,
            hint: storylet.hint.clone(),
            effects: storylet.effects(),
            choices: choices
                .iter()
                .zip(choice_ids(&storylet.id, choices.iter().map(|choice| choice.label.as_str())))
                .map(|(choice, id)| self.choice(id, choice))
                .collect(),
        }
    }

    fn choice(&mut self, id: String, choice: &ChoiceDefinition) -> StoryletChoice {
        StoryletChoice {
            id,
            label: choice.label.clone(),
            when: self.when(&choice.when),
            text: choice.text.clone(),
            effects: choice.effects(),
            then: choice.then.clone(),
        }
    }

    fn plot(&mut self, plot: &PlotDefinition) -> PlotDocument {
        let mut endings: Vec<_> = plot.endings.ending.iter().collect();
        endings.sort_by_key(|ending| Reverse(ending.priority.unwrap_or(PRIORITY_DEFAULT)));
        let mut document = PlotDocument {
            version: PLOT_VERSION,
            conditions: CONDITION_FORM,
            opening: plot.opening.clone(),
            first: FirstExamples { examples: plot.examples.clone() },
            ladders: plot.qualities.ladder.clone(),
            counters: plot.qualities.counter.clone(),
            factions: plot.factions.faction.clone(),
            ..PlotDocument::default()
        };
        for ending in endings {
            let Some(when) = self.condition(&ending.when) else { continue };
            document.endings.push(StoryEnding {
                id: ending.id.clone(),
                title: ending.title.clone(),
                when,
                text: ending.text.clone().unwrap_or_default(),
            });
        }
        for hint in &plot.hints.hint {
            let Some(when) = self.condition(&hint.when) else { continue };
            document.hints.push(StoryHint { when, text: hint.text.clone() });
        }
        document
    }
}

/// The ids of the choices of a storylet: its own id and the words of the label. The second choice with one label has `/2`
/// behind them: its condition tells it from the first.
pub fn choice_ids<'l>(storylet: &str, labels: impl IntoIterator<Item = &'l str>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let ids = labels.into_iter().map(|label| {
        let id = choice_id(storylet, label);
        let count = counts.entry(id.clone()).or_default();
        *count += 1;
        if *count == 1 { id } else { format!("{id}/{count}") }
    });
    ids.collect()
}

fn choice_id(storylet: &str, label: &str) -> String {
    let mut slug = String::new();
    for c in label.to_lowercase().chars() {
        match c {
            '\'' | '’' => {}
            c if c.is_alphanumeric() => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    format!("{storylet}/{}", slug.trim_end_matches('-'))
}

/// How many conditions a storylet has.
fn specificity(storylet: &StoryletDefinition, when: Option<&CompiledCondition>) -> u32 {
    let parts = |pattern: &crate::definition::ActionPattern| {
        [&pattern.verb, &pattern.target, &pattern.with, &pattern.topic]
            .into_iter()
            .filter(|part| !part.is_empty())
            .count()
    };
    let of_deed = storylet.on.iter().map(parts).min().unwrap_or(0);
    let of_condition = when.map_or(0, |when| when.node.conjuncts());
    let count =
        usize::from(!storylet.at.is_empty()) + storylet.present.len() + of_deed + of_condition;
    u32::try_from(count).unwrap_or(u32::MAX)
}

macro_rules! effects_of {
    ($definition:ty) => {
        impl $definition {
            /// What it changes.
            pub fn effects(&self) -> Effects {
                Effects {
                    sets: self.sets.clone(),
                    raises: self.raises.clone(),
                    changes: self.changes.clone(),
                    reputation: self.reputation.clone(),
                    feelings: self.feelings.clone(),
                    opens: self.opens.clone(),
                    closes: self.closes.clone(),
                    remember: self.remember.clone(),
                }
            }
        }
    };
}

effects_of!(StoryletDefinition);
effects_of!(ChoiceDefinition);

#[cfg(test)]
mod tests {
    use narratoria_conditions::ConditionNode;

    use super::*;

    #[test]
    fn choices_with_one_label_have_ids_of_their_own() {
        let ids = choice_ids("gate", ["Go in", "Go in!", "Wait"]);
        assert_eq!(ids, ["gate/go-in", "gate/go-in/2", "gate/wait"]);
    }

    #[test]
    fn a_condition_of_many_storylets_is_listed_once() {
        let storylet = |at: usize| StoryletDefinition {
            id: format!("s{at}"),
            when: Some(["true", "false"][at % 2].to_owned()),
            ..StoryletDefinition::default()
        };
        let mut plot = PlotDefinition::default();
        plot.decks.push(("deck".to_owned(), Default::default()));
        plot.decks[0].1.storylet = (0..10).map(storylet).collect();
        let compiled = |text: &str| {
            let node = ConditionNode::Bool(text == "true");
            (text.to_owned(), CompiledCondition { text: text.to_owned(), node })
        };
        let documents = compile(&plot, &["true", "false"].map(compiled).into()).unwrap();
        let gates = &documents.gates;
        assert_eq!(gates.whens.len(), 2);
        for (at, gate) in gates.storylets.iter().enumerate() {
            assert_eq!(gates.when_of(gate).unwrap().text, ["true", "false"][at % 2]);
        }
    }
}
