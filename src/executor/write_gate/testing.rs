//! Lets steps end in any order.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Ledger, SkillWrite, WriteGate};
use crate::state_gate::GateVerdict;
use narratoria_plan::{
    Plan, StepIdx,
    testing::{PLAN_ID, build, catalog, skill},
};
use narratoria_protocol::StoreWrite;

/// Returns a plan of this many steps without dependencies, whose scripts write entities.
pub(crate) fn plan_of(steps: usize) -> Plan {
    let tools: Vec<Value> =
        (0..steps).map(|n| json!({"toolId": format!("s{n}"), "toolPath": "keeper/run"})).collect();
    let json = json!({"requestId": PLAN_ID, "tools": tools});
    let mut keeper = skill("keeper", &["run"]);
    keeper.scripts.iter_mut().for_each(|script| script.grants.memory = true);
    build(serde_json::from_value(json).unwrap(), &catalog([keeper])).unwrap()
}

/// Returns an order in which this many steps end.
pub(crate) fn order_of(steps: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..steps).collect();
    order.sort_by_key(|idx| seed.rotate_left(*idx as u32 * 7) ^ (*idx as u64).wrapping_mul(seed));
    order
}

/// Lets the steps end in this order and returns those that are refused, with the words.
pub(crate) fn refused<L: Ledger>(
    plan: &Plan,
    ledger: L,
    steps: &[Vec<(String, StoreWrite)>],
    order: &[usize],
) -> Vec<(usize, String)> {
    let writes = |idx: usize| -> Vec<SkillWrite<'_>> {
        steps[idx].iter().map(|(skill, write)| (skill.as_str(), write)).collect()
    };
    let mut gate = WriteGate::new(plan, ledger);
    let mut over: BTreeMap<usize, bool> = BTreeMap::new();
    let (mut held, mut refused) = (BTreeSet::new(), Vec::new());
    for ended in order {
        let mut next = Some(*ended);
        while let Some(idx) = next {
            while let Some(counts) = over.get(&gate.settled) {
                let all = if *counts { writes(gate.settled) } else { Vec::new() };
                gate.settle_next(&all);
            }
            match gate.judge(StepIdx(idx), &writes(idx)) {
                GateVerdict::Accepted => {
                    gate.accept(StepIdx(idx), &writes(idx));
                    over.insert(idx, true);
                }
                GateVerdict::Refused(why) => {
                    refused.push((idx, why.to_string()));
                    over.insert(idx, false);
                }
                GateVerdict::Undecided => _ = held.insert(idx),
            }
            let settled = (0..).find(|idx| !over.contains_key(idx)).unwrap();
            next = held.take(&settled);
        }
    }
    assert_eq!(over.len(), steps.len(), "a step waits for ever");
    refused.sort();
    refused
}
