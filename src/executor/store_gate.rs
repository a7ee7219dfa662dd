//! Decides whether the store writes of a step become part of the story, before its turn is committed. Pure.
//!
//! All stores of a story together have a limit. The sum is that of the plan's order: a step fits if it fits after all
//! steps before it. A plan records less than half the limit
//! ([`TURN_CONTENT_BYTES_MAX`](crate::TURN_CONTENT_BYTES_MAX)), so stores below half of it take the writes of each step
//! as it ends. In fuller stores a step that writes waits until all earlier steps are over.

use std::collections::BTreeMap;

use crate::{
    ReusedResults, StateRefusal, StateRules, StepTrace, StoreSnapshots, state_gate::GateVerdict,
};
use narratoria_plan::{Plan, StepIdx};
use narratoria_protocol::{ENTITY_OWNER, MEMORY_OWNER, StoreWrite};

/// A write and its owner: a skill's name, or the story's memory.
pub(crate) type OwnedWrite<'t> = (&'t str, &'t StoreWrite);

pub(crate) struct StoreGate<'a> {
    start: &'a StoreSnapshots,
    rules: &'a StateRules,
    /// The stores after the settled steps. Made when the first write comes.
    account: Option<StoreAccount>,
    start_bytes: usize,
    /// How many steps at the start of the plan are over.
    settled: usize,
    /// Accepted steps after the settled ones: the most that their writes add.
    accepted: BTreeMap<StepIdx, usize>,
}

/// Sizes of the stores.
#[derive(Default)]
struct StoreAccount {
    /// Owners with their bytes.
    owners: BTreeMap<String, usize>,
    /// The values that the settled steps have written, by owner and key: their bytes, or none for a deleted one.
    written: BTreeMap<(String, String), Option<usize>>,
}

/// The bytes that a step removes and adds, by owner.
type StoreGrowth<'t> = BTreeMap<&'t str, (usize, usize)>;

impl<'a> StoreGate<'a> {
    pub(crate) fn new(start: &'a StoreSnapshots, rules: &'a StateRules) -> StoreGate<'a> {
        let (account, accepted) = (None, BTreeMap::new());
        StoreGate { start, rules, account, start_bytes: 0, settled: 0, accepted }
    }

    /// Admits the reused results that fit together. The others are removed: they and what needs them run again.
    pub(crate) fn admit_reused(&mut self, plan: &Plan, reused: &mut ReusedResults) {
        let mut refused = Vec::new();
        for (idx, trace) in reused.iter() {
            let Some(step) = plan.steps().get(idx.0) else { continue };
            let bytes = growth_max(&store_writes(trace.writes()));
            let needs_refused = step.needs.iter().any(|need| refused.contains(need));
            if needs_refused || (bytes > 0 && self.bytes() + bytes > self.rules.stores.whole) {
                refused.push(*idx);
            } else if bytes > 0 {
                self.accepted.insert(*idx, bytes);
            }
        }
        refused.iter().for_each(|idx| _ = reused.remove(idx));
    }

    /// Moves past the steps at the start of the plan that are over. `finished` gives the trace of a step that is over.
    pub(crate) fn settle<'t>(&mut self, finished: impl Fn(StepIdx) -> Option<&'t StepTrace>) {
        while let Some(trace) = finished(StepIdx(self.settled)) {
            self.settle_next(&store_writes(trace.writes()));
        }
    }

    fn settle_next(&mut self, writes: &[OwnedWrite<'_>]) {
        if !writes.is_empty() {
            let start = self.start;
            self.account().apply(start, writes);
        }
        self.accepted.remove(&StepIdx(self.settled));
        self.settled += 1;
    }

    /// Decides about the writes of a step that has just succeeded. Call [`StoreGate::settle`] before. What is accepted
    /// counts from [`StoreGate::accept`] on.
    pub(crate) fn judge(&mut self, idx: StepIdx, writes: &[OwnedWrite<'_>]) -> GateVerdict {
        if writes.is_empty() {
            return GateVerdict::Accepted;
        }
        let (bytes, limits) = (self.bytes(), &self.rules.stores);
        if idx.0 == self.settled {
            return match self.check_exactly(writes) {
                Ok(()) => GateVerdict::Accepted,
                Err(why) => GateVerdict::Refused(why),
            };
        }
        let fits_surely = self.start_bytes <= limits.whole / 2
            && bytes + growth_max(writes) <= limits.whole - limits.built_in;
        if fits_surely { GateVerdict::Accepted } else { GateVerdict::Undecided }
    }

    pub(crate) fn accept(&mut self, idx: StepIdx, writes: &[OwnedWrite<'_>]) {
        if !writes.is_empty() {
            self.accepted.insert(idx, growth_max(writes));
        }
    }

    /// All steps before this one are over. Accepted steps after it keep their place.
    fn check_exactly(&self, writes: &[OwnedWrite<'_>]) -> Result<(), StateRefusal> {
        let Some(account) = &self.account else { return Ok(()) };
        let limits = &self.rules.stores;
        let growth = account.growth(self.start, writes);
        let (removed, added) = growth
            .values()
            .fold((0, 0), |sums, (removed, added)| (sums.0 + removed, sums.1 + added));
        if added <= removed {
            return Ok(());
        }
        let later = self.accepted.values().sum::<usize>();
        let bytes = account.bytes() + added - removed + later;
        let growing = growth.iter().filter(|(_, (removed, added))| added > removed);
        let mut others = growing.map(|(owner, _)| *owner).filter(|owner| !self.is_built_in(owner));
        let skill = others.next();
        // The part of their share that the built-in skills have not used yet stays free for them.
        let built_in = account.owners.iter().filter(|(owner, _)| self.is_built_in(owner));
        let built_in: usize = built_in.map(|(_, bytes)| *bytes).sum();
        let limit = match skill {
            Some(_) => limits.whole - limits.built_in.saturating_sub(built_in),
            None => limits.whole,
        };
        if bytes <= limit {
            return Ok(());
        }
        let largest = account.owners.iter().filter(|(owner, _)| !self.is_built_in(owner));
        let (largest, largest_bytes) =
            largest.max_by_key(|(_, bytes)| **bytes).map_or(("", 0), |(it, bytes)| (it, *bytes));
        let (skill, largest) = (skill.unwrap_or(MEMORY_OWNER).to_owned(), largest.to_owned());
        Err(StateRefusal::StoresFull { skill, bytes, limit, largest, largest_bytes })
    }

    fn is_built_in(&self, owner: &str) -> bool {
        owner == MEMORY_OWNER || self.rules.built_in.contains(owner)
    }

    /// Bytes after the settled and the accepted steps, at most.
    fn bytes(&mut self) -> usize {
        let accepted = self.accepted.values().sum::<usize>();
        self.account().bytes() + accepted
    }

    fn account(&mut self) -> &mut StoreAccount {
        if self.account.is_none() {
            let account = StoreAccount::of(self.start);
            self.start_bytes = account.bytes();
            self.account = Some(account);
        }
        self.account.get_or_insert_default()
    }
}

impl StoreAccount {
    fn of(start: &StoreSnapshots) -> StoreAccount {
        let bytes = |owner: &str, key: &str, value: &str| owner.len() + key.len() + value.len();
        let owners = start.iter().map(|(owner, store)| {
            (owner.clone(), store.iter().map(|(key, value)| bytes(owner, key, value)).sum())
        });
        StoreAccount { owners: owners.collect(), written: BTreeMap::new() }
    }

    fn bytes(&self) -> usize {
        self.owners.values().sum()
    }

    fn growth<'t>(&self, start: &StoreSnapshots, writes: &[OwnedWrite<'t>]) -> StoreGrowth<'t> {
        // Only the last write to a key counts.
        let last: BTreeMap<(&str, &str), Option<usize>> = writes
            .iter()
            .map(|(owner, write)| ((*owner, write.key.as_str()), value_bytes(write)))
            .collect();
        let mut growth = StoreGrowth::new();
        for ((owner, key), after) in last {
            let before = match self.written.get(&(owner.to_owned(), key.to_owned())) {
                Some(written) => *written,
                None => start.get(owner).and_then(|store| store.get(key)).map(String::len),
            };
            let size =
                |value: Option<usize>| value.map_or(0, |bytes| owner.len() + key.len() + bytes);
            let (removed, added) = growth.entry(owner).or_default();
            *removed += size(before);
            *added += size(after);
        }
        growth
    }

    fn apply(&mut self, start: &StoreSnapshots, writes: &[OwnedWrite<'_>]) {
        for (owner, (removed, added)) in self.growth(start, writes) {
            let bytes = self.owners.entry(owner.to_owned()).or_default();
            *bytes = (*bytes + added).saturating_sub(removed);
        }
        for (owner, write) in writes {
            self.written.insert(((*owner).to_owned(), write.key.clone()), value_bytes(write));
        }
    }
}

/// The writes that count for the stores. Entities have their own tables and limits.
pub(crate) fn store_writes<'t>(
    writes: impl Iterator<Item = OwnedWrite<'t>>,
) -> Vec<OwnedWrite<'t>> {
    writes.filter(|(owner, _)| *owner != ENTITY_OWNER).collect()
}

fn value_bytes(write: &StoreWrite) -> Option<usize> {
    write.value.as_ref().map(String::len)
}

fn growth_max(writes: &[OwnedWrite<'_>]) -> usize {
    let bytes = |(owner, write): &OwnedWrite<'_>| {
        value_bytes(write).map_or(0, |bytes| owner.len() + write.key.len() + bytes)
    };
    writes.iter().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::Arc};

    use proptest::prelude::*;

    use super::*;
    use crate::state_rules::StoreLimits;
    use narratoria_protocol::{Owner, StoreMap};

    /// `skill/key=bytes` sets a value of so many bytes, `skill/key` deletes it. `teller` is built in.
    fn writes(text: &str) -> Vec<(String, StoreWrite)> {
        let write = |word: &str| {
            let (place, bytes) = word.split_once('=').map_or((word, None), |(at, n)| (at, Some(n)));
            let (skill, key) = place.split_once('/').unwrap();
            let value = bytes.map(|bytes| "x".repeat(bytes.parse().unwrap()));
            (skill.to_owned(), StoreWrite { owner: Owner::Skill, key: key.to_owned(), value })
        };
        text.split_whitespace().map(write).collect()
    }

    fn owned(writes: &[(String, StoreWrite)]) -> Vec<OwnedWrite<'_>> {
        writes.iter().map(|(owner, write)| (owner.as_str(), write)).collect()
    }

    fn snapshots(text: &str) -> StoreSnapshots {
        let mut stores: BTreeMap<String, StoreMap> = BTreeMap::new();
        for (owner, write) in writes(text) {
            stores.entry(owner).or_default().insert(write.key, write.value.unwrap());
        }
        stores.into_iter().map(|(owner, store)| (owner, Arc::new(store))).collect()
    }

    /// All stores have 100 bytes, 20 of them only for `teller`.
    fn rules() -> StateRules {
        StateRules {
            built_in: BTreeSet::from(["teller".to_owned()]),
            stores: StoreLimits { whole: 100, built_in: 20 },
            ..StateRules::default()
        }
    }

    /// Lets the steps end in this order and returns those that are refused, with the words.
    fn refused(start: &str, steps: &[String], order: &[usize]) -> Vec<(usize, String)> {
        let (start, rules) = (snapshots(start), rules());
        let steps: Vec<Vec<(String, StoreWrite)>> = steps.iter().map(|it| writes(it)).collect();
        let mut gate = StoreGate::new(&start, &rules);
        let mut over: BTreeMap<usize, bool> = BTreeMap::new();
        let (mut held, mut refused) = (BTreeSet::new(), Vec::new());
        for ended in order {
            let mut next = Some(*ended);
            while let Some(idx) = next {
                while let Some(counts) = over.get(&gate.settled) {
                    let all = if *counts { owned(&steps[gate.settled]) } else { Vec::new() };
                    gate.settle_next(&all);
                }
                match gate.judge(StepIdx(idx), &owned(&steps[idx])) {
                    GateVerdict::Accepted => {
                        gate.accept(StepIdx(idx), &owned(&steps[idx]));
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

    #[test]
    fn a_step_that_fills_the_stores_is_refused_and_the_built_in_skills_still_write() {
        let steps =
            ["hoard/b=70", "other/k=30", "teller/k=12", "hoard/a", "other/k=30"].map(str::to_owned);
        let refused = refused("hoard/a=40 other/a=1", &steps, &[0, 1, 2, 3, 4]);
        let words: Vec<String> =
            refused.into_iter().map(|(idx, why)| format!("{idx}: {why}")).collect();
        insta::assert_snapshot!(words.join("\n"), @"
        0: with what `hoard` keeps, the stores of all skills would be 129 bytes long, the limit is 80; `hoard` has 46 of them; `narratoria story repair` shows all, and its `--drop-skill SKILL` empties one
        1: with what `other` keeps, the stores of all skills would be 89 bytes long, the limit is 80; `hoard` has 46 of them; `narratoria story repair` shows all, and its `--drop-skill SKILL` empties one
        ");
    }

    /// What the plan's order gives, by the rule itself.
    fn oracle(start: &str, steps: &[String]) -> Vec<usize> {
        let mut stores: BTreeMap<(String, String), usize> = writes(start)
            .into_iter()
            .map(|(owner, write)| ((owner, write.key), write.value.unwrap().len()))
            .collect();
        let size = |stores: &BTreeMap<(String, String), usize>, only: Option<&str>| -> usize {
            let of = stores.iter().filter(|((owner, _), _)| only.is_none_or(|only| owner == only));
            of.map(|((owner, key), bytes)| owner.len() + key.len() + bytes).sum()
        };
        let mut refused = Vec::new();
        for (idx, step) in steps.iter().enumerate() {
            let mut after = stores.clone();
            for (owner, write) in writes(step) {
                match write.value {
                    Some(value) => _ = after.insert((owner, write.key), value.len()),
                    None => _ = after.remove(&(owner, write.key)),
                }
            }
            let others = ["hoard", "other"];
            let others_grow =
                others.iter().any(|it| size(&after, Some(it)) > size(&stores, Some(it)));
            let free = if others_grow {
                20_usize.saturating_sub(size(&stores, Some("teller")))
            } else {
                0
            };
            let grows = size(&after, None) > size(&stores, None);
            if grows && size(&after, None) + free > 100 {
                refused.push(idx);
            } else {
                stores = after;
            }
        }
        refused
    }

    proptest! {
        /// In stores that are fuller than half, whatever the order in which the steps end.
        #[test]
        fn the_order_of_the_plan_decides_which_steps_do_not_fit(
            start in 41..80_usize,
            steps in proptest::collection::vec("((hoard|other|teller)/[ab](=[1-3]?[0-9])? ){0,3}", 1..7),
            seed in any::<u64>(),
        ) {
            let start = format!("hoard/a={start} other/a=5");
            let mut order: Vec<usize> = (0..steps.len()).collect();
            order.sort_by_key(|idx| seed.rotate_left(*idx as u32 * 7) ^ (*idx as u64).wrapping_mul(seed));
            let found: Vec<usize> =
                refused(&start, &steps, &order).into_iter().map(|(idx, _)| idx).collect();
            prop_assert_eq!(found, oracle(&start, &steps));
        }
    }
}
