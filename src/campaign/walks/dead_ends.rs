//! Dead ends of the plot: a moment from which no ending can come any more, what the player did in it, and why each ending is
//! ruled out.

use std::collections::BTreeMap;

use narratoria_conditions::{CelOperator, ConditionNode};
use plot_skill::document::{Effects, StoryletGate};
use serde::Serialize;
use world_model::world::Holder;

use super::outlook::{GateObstacle, Outlook};

/// How many reasons stand behind one another.
const REASONS_MAX: usize = 4;

/// A moment of a walk from which no ending can be reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeadEnd {
    /// The seed of the walk.
    pub seed: u64,
    /// The turn after which that was so.
    pub turn: u64,
    /// The player's deed in this turn.
    pub deed: String,
    /// The storylets that fired in it.
    pub fired: Vec<String>,
    /// Every ending with the reason.
    pub endings: Vec<RuledOutEnding>,
}

/// An ending that cannot be reached any more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuledOutEnding {
    /// Its id.
    pub id: String,
    /// The reason why it can never come.
    pub because: String,
}

/// A line for each way into a dead end, with how many walks took it.
pub(super) fn dead_end_lines(found: &[DeadEnd]) -> Vec<String> {
    type Way<'d> = (&'d str, &'d [String], &'d [RuledOutEnding]);
    let mut ways: BTreeMap<Way<'_>, Vec<&DeadEnd>> = BTreeMap::new();
    for one in found {
        ways.entry((&one.deed, &one.fired, &one.endings)).or_default().push(one);
    }
    let lines = ways.into_iter().filter_map(|((deed, fired, endings), walks)| {
        let first = walks.iter().min_by_key(|one| one.turn)?;
        let count =
            if walks.len() == 1 { "1 walk".to_owned() } else { format!("{} walks", walks.len()) };
        let told = match fired.is_empty() {
            true => String::new(),
            false => format!(", which told {}", quoted(fired)),
        };
        let reasons: Vec<String> =
            endings.iter().map(|one| format!("{}: {}", one.id, one.because)).collect();
        Some(format!(
            "\u{201c}{deed}\u{201d}{told} ({count}, one in turn {}, its seed is {}): {}",
            first.turn,
            first.seed,
            reasons.join("; ")
        ))
    });
    lines.collect()
}

fn quoted(ids: &[String]) -> String {
    let quoted: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
    quoted.join(", ")
}

impl<'a> Outlook<'a> {
    /// Every ending with the reason why it cannot come.
    pub(super) fn ruled_out(&self) -> Vec<RuledOutEnding> {
        let endings = self.moment.campaign.documents.plot.endings.iter();
        let ruled_out = endings.map(|ending| RuledOutEnding {
            id: ending.id.clone(),
            because: self.why_not(&ending.when.node, REASONS_MAX),
        });
        ruled_out.collect()
    }

    /// Why a condition cannot hold any more.
    fn why_not(&self, node: &'a ConditionNode, depth: usize) -> String {
        match node {
            ConditionNode::And(left, right) => {
                let side = if self.condition(left).may_hold { right } else { left };
                match self.condition(side).may_hold {
                    true => "its parts cannot hold together".to_owned(),
                    false => self.why_not(side, depth),
                }
            }
            ConditionNode::Or(left, right) => {
                format!("{}, and {}", self.why_not(left, depth), self.why_not(right, depth))
            }
            ConditionNode::Not(of) => self.why_always(of),
            ConditionNode::Binary(operator, sides) => {
                self.why_not_so(*operator, [&sides[0], &sides[1]], depth)
            }
            _ => "its condition cannot hold".to_owned(),
        }
    }

    /// Why a condition cannot fail any more.
    fn why_always(&self, node: &ConditionNode) -> String {
        match node {
            ConditionNode::Binary(CelOperator::In, sides) => match sides.as_ref() {
                [ConditionNode::Text(name), ConditionNode::Variable(list)] => match list.as_str() {
                    "fired" => format!("`{name}` has happened"),
                    "chosen" => format!("`{name}` was chosen"),
                    "dead" => format!("`{name}` is dead"),
                    list => format!("`{name}` is in `{list}` for good"),
                },
                _ => "it asks that something is not which stays so".to_owned(),
            },
            _ => "it asks that something is not which stays so".to_owned(),
        }
    }

    fn why_not_so(
        &self,
        operator: CelOperator,
        [left, right]: [&'a ConditionNode; 2],
        depth: usize,
    ) -> String {
        use ConditionNode::{Int, List, Text, Variable};
        match (operator, left, right) {
            (CelOperator::In, Text(name), Variable(list)) => self.why_not_in(name, list, depth),
            (CelOperator::Equal, Variable(name), Text(wanted)) => {
                self.why_not_on(name, std::slice::from_ref(wanted), depth)
            }
            (CelOperator::In, Variable(name), List(items)) => {
                let texts = items.iter().filter_map(|item| match item {
                    Text(text) => Some(text.clone()),
                    _ => None,
                });
                self.why_not_on(name, &texts.collect::<Vec<_>>(), depth)
            }
            (CelOperator::NotEqual, Variable(name), Text(wanted)) => {
                format!("`{name}` stays `{wanted}`")
            }
            (operator, Variable(name), Int(number)) => {
                let asked = format!("`{name} {} {number}`", operator.symbol());
                match self.numbers(name) {
                    Some((low, i64::MAX)) => format!("{asked} is over: it is {low}"),
                    Some((low, high)) if low == high => {
                        format!("{asked} cannot come: it stays {low}")
                    }
                    Some((low, high)) => {
                        format!("{asked} cannot come: only {low} to {high} can")
                    }
                    None => format!("{asked} cannot come"),
                }
            }
            _ => "its condition cannot hold".to_owned(),
        }
    }

    /// Why a name is never in a list.
    fn why_not_in(&self, name: &'a str, list: &str, depth: usize) -> String {
        match list {
            "fired" => {
                let gate = self.moment.campaign.gates().iter().find(|gate| gate.id == name);
                match gate {
                    Some(gate) => self.why_never(gate, depth),
                    None => format!("`{name}` cannot happen"),
                }
            }
            "chosen" => format!("`{name}` is offered no more"),
            "learned" => format!("nobody can tell `{name}`"),
            _ => self.why_missing(name),
        }
    }

    fn why_missing(&self, name: &str) -> String {
        let world = self.moment.world;
        let Some(id) = world.find(name) else { return format!("`{name}` is out of reach") };
        match world.holders[id.0] {
            _ if world.conditions[id.0].dead => format!("`{name}` is dead"),
            Holder::Gone if !world.is_place(id) => format!("`{name}` is gone"),
            _ => format!("`{name}` is out of reach"),
        }
    }

    /// Why a ladder never comes to one of these rungs, or the player to one of these places.
    fn why_not_on(&self, name: &str, wanted: &[String], depth: usize) -> String {
        let rungs = quoted(wanted);
        let Some(possible) = self.rungs(name) else { return format!("{rungs} is out of reach") };
        let possible: Vec<String> = possible.iter().map(|rung| (*rung).to_owned()).collect();
        let text = match possible.as_slice() {
            [only] => format!("`{name}` stays `{only}`"),
            _ => format!("`{name}` can only be {}, not {rungs}", quoted(&possible)),
        };
        match self.why_nothing_sets(name, wanted, depth) {
            Some(why) => format!("{text} because {why}"),
            None => text,
        }
    }

    /// Why the first storylet that sets the ladder so does not fire.
    fn why_nothing_sets(&self, ladder: &str, wanted: &[String], depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let campaign = self.moment.campaign;
        let sets =
            |effects: &Effects| effects.sets.get(ladder).is_some_and(|rung| wanted.contains(rung));
        let mut sources = campaign.gates().iter().filter(|gate| {
            campaign.texts_of(gate).is_some_and(|texts| {
                sets(&texts.effects) || texts.choices.iter().any(|choice| sets(&choice.effects))
            })
        });
        sources.next().map(|gate| self.why_never(gate, depth))
    }

    /// Why a storylet does not fire again.
    fn why_never(&self, gate: &'a StoryletGate, depth: usize) -> String {
        let id = &gate.id;
        match self.obstacle(gate) {
            Some(GateObstacle::Once) => format!("`{id}` has happened already"),
            Some(GateObstacle::Linked) => format!("no choice leads to `{id}` any more"),
            Some(GateObstacle::Place(place)) => {
                format!("`{id}` cannot happen: `{place}` is out of reach")
            }
            Some(GateObstacle::Missing(name)) => {
                format!("`{id}` cannot happen: {}", self.why_missing(name))
            }
            Some(GateObstacle::When(node)) if depth > 0 => {
                format!("`{id}` cannot happen: {}", self.why_not(node, depth - 1))
            }
            Some(GateObstacle::When(_)) => format!("`{id}` cannot happen"),
            None => format!("a choice of `{id}` is possible no more"),
        }
    }
}
