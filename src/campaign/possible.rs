//! Finds parts of a campaign that can never happen, from the files alone: rungs that nothing sets, storylets and
//! endings whose conditions cannot hold. A walk finds more; this needs no walk.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_conditions::{CelOperator, CompiledCondition, ConditionNode};
use plot_skill::definition::{PlotDefinition, StoryletDefinition};

use crate::{
    documents::CampaignDocuments,
    kinds::FileKind,
    names::{CampaignNames, NameKind},
    problem::CampaignProblems,
    rules::quoted,
    walk::key_spots,
};

/// The rungs and storylets that are known to be possible.
pub(crate) struct Possibilities<'p> {
    conditions: &'p BTreeMap<String, CompiledCondition>,
    plot: &'p PlotDefinition,
    rungs: BTreeMap<&'p str, BTreeSet<&'p str>>,
    fired: BTreeSet<&'p str>,
}

/// The answer to whether a condition can hold.
enum Truth {
    Always,
    Maybe,
    /// It cannot, for this reason.
    Never(String),
}

impl<'p> Possibilities<'p> {
    /// Collects possible rungs and storylets until no more are found.
    pub(crate) fn of(
        plot: &'p PlotDefinition,
        conditions: &'p BTreeMap<String, CompiledCondition>,
        documents: &'p CampaignDocuments,
    ) -> Possibilities<'p> {
        let ladders = plot.qualities.ladder.iter();
        let first =
            ladders.filter_map(|(name, rungs)| Some((name.as_str(), rungs.first()?.as_str())));
        let rungs = first.map(|(name, rung)| (name, BTreeSet::from([rung]))).collect();
        let mut found = Possibilities { conditions, plot, rungs, fired: BTreeSet::new() };
        for document in documents.of(FileKind::People) {
            for path in ["person.topics.sets", "person.greetings.sets"] {
                for (_, entry) in key_spots(&document.node, path) {
                    if let Some(rung) = entry.node.text() {
                        found.set(&entry.key, rung);
                    }
                }
            }
        }
        while found.grow() {}
        found
    }

    fn storylets(&self) -> impl Iterator<Item = &'p StoryletDefinition> + use<'p> {
        self.plot.decks.iter().flat_map(|(_, deck)| &deck.storylet)
    }

    /// Lets everything happen that can; true if something was added.
    fn grow(&mut self) -> bool {
        let before = (self.fired.len(), self.rungs.values().map(BTreeSet::len).sum::<usize>());
        let linked = self.linked();
        for storylet in self.storylets() {
            if self.why_never(storylet, &linked).is_some() {
                continue;
            }
            self.fired.insert(&storylet.id);
            for (quality, rung) in &storylet.sets {
                self.set(quality, rung);
            }
            for choice in &storylet.choices {
                if choice.when.as_deref().is_none_or(|when| self.fault(when).is_none()) {
                    for (quality, rung) in &choice.sets {
                        self.set(quality, rung);
                    }
                }
            }
        }
        before != (self.fired.len(), self.rungs.values().map(BTreeSet::len).sum::<usize>())
    }

    fn set(&mut self, quality: &'p str, rung: &'p str) {
        if let Some(rungs) = self.rungs.get_mut(quality) {
            rungs.insert(rung);
        }
    }

    /// Storylets that a choice of one that can happen leads to.
    fn linked(&self) -> BTreeSet<&'p str> {
        let fired = self.storylets().filter(|it| self.fired.contains(it.id.as_str()));
        let choices = fired.flat_map(|it| &it.choices);
        choices.filter_map(|choice| choice.then.as_deref()).collect()
    }

    /// Why a storylet can never happen, if it cannot.
    fn why_never(&self, storylet: &StoryletDefinition, linked: &BTreeSet<&str>) -> Option<String> {
        if storylet.linked && !linked.contains(storylet.id.as_str()) {
            return Some("no choice that can be offered has it as `then`".to_owned());
        }
        if storylet.chance == Some(0.0) && !linked.contains(storylet.id.as_str()) {
            return Some("its `chance` is 0".to_owned());
        }
        self.fault(storylet.when.as_deref()?)
    }

    /// Why a condition cannot hold, if it cannot.
    fn fault(&self, when: &str) -> Option<String> {
        match self.truth(&self.conditions.get(when)?.node) {
            Truth::Never(why) => Some(why),
            Truth::Always | Truth::Maybe => None,
        }
    }

    fn truth(&self, node: &ConditionNode) -> Truth {
        match node {
            ConditionNode::Bool(true) => Truth::Always,
            ConditionNode::Bool(false) => Truth::Never("its condition is `false`".to_owned()),
            ConditionNode::And(left, right) => match (self.truth(left), self.truth(right)) {
                (Truth::Never(why), _) | (_, Truth::Never(why)) => Truth::Never(why),
                (Truth::Always, Truth::Always) => Truth::Always,
                _ => Truth::Maybe,
            },
            ConditionNode::Or(left, right) => match (self.truth(left), self.truth(right)) {
                (Truth::Always, _) | (_, Truth::Always) => Truth::Always,
                (Truth::Never(why), Truth::Never(other)) if why == other => Truth::Never(why),
                (Truth::Never(why), Truth::Never(other)) => {
                    Truth::Never(format!("{why}, and {other}"))
                }
                _ => Truth::Maybe,
            },
            ConditionNode::Not(of) => match self.truth(of) {
                Truth::Always => {
                    Truth::Never("it asks that something is not that always is".to_owned())
                }
                Truth::Maybe => Truth::Maybe,
                Truth::Never(_) => Truth::Always,
            },
            ConditionNode::Binary(operator, sides) => {
                self.compared(*operator, &sides[0], &sides[1])
            }
            _ => Truth::Maybe,
        }
    }

    fn compared(
        &self,
        operator: CelOperator,
        left: &ConditionNode,
        right: &ConditionNode,
    ) -> Truth {
        match (operator, left, right) {
            (CelOperator::In, ConditionNode::Text(id), ConditionNode::Variable(list)) => {
                if list == "fired" && !self.fired.contains(id.as_str()) {
                    Truth::Never(format!("`{id}` never happens"))
                } else {
                    Truth::Maybe
                }
            }
            (CelOperator::In, ConditionNode::Variable(name), ConditionNode::List(items)) => {
                self.one_of(name, items, false)
            }
            (CelOperator::Equal, ConditionNode::Variable(name), ConditionNode::Text(_)) => {
                self.one_of(name, std::slice::from_ref(right), false)
            }
            (CelOperator::NotEqual, ConditionNode::Variable(name), ConditionNode::Text(_)) => {
                self.one_of(name, std::slice::from_ref(right), true)
            }
            (operator, ConditionNode::Variable(name), ConditionNode::Int(number)) => {
                self.number(operator, name, *number)
            }
            _ => Truth::Maybe,
        }
    }

    /// Returns whether a ladder can be on one of these rungs or, if negated, on none of them.
    fn one_of(&self, name: &str, items: &[ConditionNode], negated: bool) -> Truth {
        let Some(possible) = self.rungs.get(name) else { return Truth::Maybe };
        let mut wanted = BTreeSet::new();
        for item in items {
            let ConditionNode::Text(text) = item else { return Truth::Maybe };
            wanted.insert(text.as_str());
        }
        let hits = possible.iter().filter(|rung| wanted.contains(**rung)).count();
        let (is_never, is_always) = (hits == 0, hits == possible.len());
        let words: Vec<&str> = wanted.into_iter().collect();
        match (negated, is_never, is_always) {
            (false, true, _) => Truth::Never(format!("`{name}` never becomes {}", quoted(&words))),
            (true, _, true) => {
                Truth::Never(format!("`{name}` is never anything but {}", quoted(&words)))
            }
            (false, _, true) | (true, true, _) => Truth::Always,
            _ => Truth::Maybe,
        }
    }

    fn number(&self, operator: CelOperator, name: &str, number: i64) -> Truth {
        let counter = self.plot.qualities.counter.get(name);
        let (low, high) = match (name, counter) {
            (_, Some(counter)) => (counter.from, counter.to),
            ("hour", _) => (0, 23),
            ("minute", _) => (0, 59),
            ("day", _) => (1, i64::MAX),
            ("turn", _) => (0, i64::MAX),
            _ => return Truth::Maybe,
        };
        let (can, must) = match operator {
            CelOperator::Equal => ((low..=high).contains(&number), low == high && low == number),
            CelOperator::NotEqual => {
                (low != high || low != number, !(low..=high).contains(&number))
            }
            CelOperator::Less => (low < number, high < number),
            CelOperator::LessOrEqual => (low <= number, high <= number),
            CelOperator::Greater => (high > number, low > number),
            CelOperator::GreaterOrEqual => (high >= number, low >= number),
            _ => return Truth::Maybe,
        };
        let bounds = if high == i64::MAX {
            format!("at least {low}")
        } else {
            format!("from {low} to {high}")
        };
        match (can, must) {
            (false, _) => Truth::Never(format!(
                "`{name}` is {bounds}, never `{} {number}`",
                operator.symbol()
            )),
            (_, true) => Truth::Always,
            _ => Truth::Maybe,
        }
    }

    /// Reports storylets, endings and rungs that never come.
    pub(crate) fn report(&self, names: &CampaignNames, problems: &mut CampaignProblems) {
        let linked = self.linked();
        let places: BTreeMap<&str, _> = names.declared(NameKind::Storylet).collect();
        for storylet in self.storylets() {
            let (Some(why), Some(at)) =
                (self.why_never(storylet, &linked), places.get(storylet.id.as_str()))
            else {
                continue;
            };
            let what = format!("`{}` can never happen: {why}", storylet.id);
            problems.warning(&at.file, Some(at.line), what);
        }
        let endings: BTreeMap<&str, _> = names.declared(NameKind::Ending).collect();
        for ending in &self.plot.endings.ending {
            if let (Some(why), Some(at)) =
                (self.fault(&ending.when), endings.get(ending.id.as_str()))
            {
                let what = format!("the ending `{}` can never be reached: {why}", ending.id);
                problems.warning(&at.file, Some(at.line), what);
            }
        }
        self.report_rungs(names, problems);
    }

    fn report_rungs(&self, names: &CampaignNames, problems: &mut CampaignProblems) {
        let asked: BTreeSet<&str> =
            self.conditions.values().flat_map(|it| variables(&it.node)).collect();
        for (name, at) in names.declared(NameKind::Ladder) {
            let (Some(rungs), Some(possible)) =
                (self.plot.qualities.ladder.get(name), self.rungs.get(name))
            else {
                continue;
            };
            let missing: Vec<&str> =
                rungs.iter().map(String::as_str).filter(|rung| !possible.contains(rung)).collect();
            if possible.len() == 1 {
                let what = format!("nothing that can happen sets the ladder `{name}`");
                problems.warning(&at.file, Some(at.line), what);
            } else if !missing.is_empty() {
                let what = format!(
                    "the ladder `{name}` never becomes {}: nothing that can happen sets it",
                    quoted(&missing)
                );
                problems.warning(&at.file, Some(at.line), what);
            }
            if !asked.contains(name) {
                let what = format!("no condition asks for the ladder `{name}`");
                problems.warning(&at.file, Some(at.line), what);
            }
        }
        for (name, at) in names.declared(NameKind::Counter) {
            if !asked.contains(name) {
                let what = format!("no condition asks for the counter `{name}`");
                problems.warning(&at.file, Some(at.line), what);
            }
        }
    }
}

/// The variables that a condition asks for.
fn variables(node: &ConditionNode) -> Vec<&str> {
    let mut found = Vec::new();
    collect_variables(node, &mut found);
    found
}

fn collect_variables<'n>(node: &'n ConditionNode, found: &mut Vec<&'n str>) {
    match node {
        ConditionNode::Variable(name) => found.push(name),
        ConditionNode::List(items) | ConditionNode::Call(_, items) => {
            items.iter().for_each(|item| collect_variables(item, found));
        }
        ConditionNode::Map(entries) => {
            entries.iter().for_each(|(_, value)| collect_variables(value, found));
        }
        ConditionNode::Field(of, _)
        | ConditionNode::Has(of, _)
        | ConditionNode::Not(of)
        | ConditionNode::Negate(of) => collect_variables(of, found),
        ConditionNode::Index(left, right)
        | ConditionNode::And(left, right)
        | ConditionNode::Or(left, right) => {
            collect_variables(left, found);
            collect_variables(right, found);
        }
        ConditionNode::Conditional(parts) => {
            parts.iter().for_each(|part| collect_variables(part, found));
        }
        ConditionNode::Binary(_, sides) => {
            sides.iter().for_each(|side| collect_variables(side, found));
        }
        ConditionNode::Comprehension(of) => {
            collect_variables(&of.range, found);
            collect_variables(&of.body, found);
            of.filter.iter().for_each(|filter| collect_variables(filter, found));
        }
        _ => {}
    }
}
