//! Which rungs of ladders an ending asks for that no other does, so that a walker that wants it does not end elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_conditions::{CelOperator, ConditionNode};
use plot_skill::document::{Effects, StoryEnding};

type LadderRungs = BTreeMap<String, BTreeSet<String>>;

/// The rungs that decide between an ending and the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EndingWay {
    /// Rungs that it accepts and another does not.
    own: LadderRungs,
    /// Rungs of the same ladders that only others accept.
    other: LadderRungs,
}

impl EndingWay {
    /// The ways to all endings, in their order.
    pub(super) fn all(endings: &[StoryEnding]) -> Vec<EndingWay> {
        let accepted = |ending: &StoryEnding| {
            let mut rungs = LadderRungs::new();
            accepted_rungs(&ending.when.node, &mut rungs);
            rungs
        };
        let all: Vec<LadderRungs> = endings.iter().map(accepted).collect();
        let ways = all.iter().enumerate().map(|(at, mine)| {
            let mut way = EndingWay::default();
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            for (ladder, theirs) in others.flat_map(|(_, rungs)| rungs) {
                let Some(own) = mine.get(ladder) else { continue };
                let (own_only, other_only) = (own.difference(theirs), theirs.difference(own));
                way.own.entry(ladder.clone()).or_default().extend(own_only.cloned());
                way.other.entry(ladder.clone()).or_default().extend(other_only.cloned());
            }
            way
        });
        ways.collect()
    }

    /// Returns true if these effects bring this ending and not another.
    pub(super) fn is_furthered_by(&self, effects: &Effects) -> bool {
        has_any(&self.own, effects) && !self.is_barred_by(effects)
    }

    /// Returns true if these effects lead to another ending.
    pub(super) fn is_barred_by(&self, effects: &Effects) -> bool {
        has_any(&self.other, effects)
    }
}

fn has_any(rungs: &LadderRungs, effects: &Effects) -> bool {
    effects
        .sets
        .iter()
        .any(|(ladder, rung)| rungs.get(ladder).is_some_and(|all| all.contains(rung)))
}

/// Collects the rungs for which a condition may hold. If it compares a ladder twice, these are the rungs of both
/// comparisons.
fn accepted_rungs(node: &ConditionNode, found: &mut LadderRungs) {
    match node {
        ConditionNode::And(left, right) | ConditionNode::Or(left, right) => {
            accepted_rungs(left, found);
            accepted_rungs(right, found);
        }
        ConditionNode::Binary(CelOperator::Equal | CelOperator::In, sides) => {
            let mut add = |ladder: &String, rung: &ConditionNode| {
                if let ConditionNode::Text(rung) = rung {
                    found.entry(ladder.clone()).or_default().insert(rung.clone());
                }
            };
            match sides.as_ref() {
                [ConditionNode::Variable(ladder), ConditionNode::List(rungs)] => {
                    rungs.iter().for_each(|rung| add(ladder, rung));
                }
                [ConditionNode::Variable(ladder), rung] => add(ladder, rung),
                _ => {}
            }
        }
        _ => {}
    }
}
