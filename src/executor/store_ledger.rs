//! Counts the bytes of a story's stores while a plan runs, and checks their limit. Pure.
//!
//! All stores of a story together have a limit. A plan records less than half of it
//! ([`TURN_CONTENT_BYTES_MAX`](crate::TURN_CONTENT_BYTES_MAX)), so stores below half of it take the writes of each step
//! as it ends. In fuller stores a step that writes waits until all earlier steps have ended.

use std::collections::BTreeMap;

use crate::{
    StateRefusal, StateRules, StoreSnapshots,
    write_gate::{Ledger, SkillWrite},
};
use narratoria_protocol::{MEMORY_OWNER, Owner, StoreWrite};

pub(crate) struct StoreLedger<'a> {
    start: &'a StoreSnapshots,
    rules: &'a StateRules,
    /// The stores after the settled steps. Created at the first write.
    account: Option<StoreAccount>,
    start_bytes: usize,
}

/// Sizes of the stores.
#[derive(Default)]
struct StoreAccount {
    /// Owners with their bytes.
    owners: BTreeMap<String, usize>,
    /// The bytes of the values that the settled steps have written, by owner and key; `None` for a deleted one.
    written: BTreeMap<(String, String), Option<usize>>,
}

/// The bytes that a step removes and adds, by owner.
type StoreGrowth<'t> = BTreeMap<&'t str, (usize, usize)>;

impl<'a> StoreLedger<'a> {
    pub(crate) fn new(start: &'a StoreSnapshots, rules: &'a StateRules) -> StoreLedger<'a> {
        StoreLedger { start, rules, account: None, start_bytes: 0 }
    }

    fn is_built_in(&self, owner: &str) -> bool {
        owner == MEMORY_OWNER || self.rules.built_in.contains(owner)
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

impl Ledger for StoreLedger<'_> {
    type Added = usize;

    /// Leaves out entities, which have their own tables and limits.
    fn counts(write: &StoreWrite) -> bool {
        write.owner != Owner::Entities
    }

    fn growth_max(writes: &[SkillWrite<'_>]) -> usize {
        let bytes = |write: &SkillWrite<'_>| {
            value_bytes(write.1).map_or(0, |bytes| owner(write).len() + write.1.key.len() + bytes)
        };
        writes.iter().map(bytes).sum()
    }

    fn plus(one: usize, other: usize) -> usize {
        one + other
    }

    fn settle(&mut self, writes: &[SkillWrite<'_>]) {
        let start = self.start;
        self.account().apply(start, writes);
    }

    fn check(&mut self, writes: &[SkillWrite<'_>], accepted: usize) -> Result<(), StateRefusal> {
        self.account();
        let Some(account) = &self.account else { return Ok(()) };
        let limits = &self.rules.stores;
        let growth = account.growth(self.start, writes);
        let (removed, added) = growth
            .values()
            .fold((0, 0), |sums, (removed, added)| (sums.0 + removed, sums.1 + added));
        if added <= removed {
            return Ok(());
        }
        let bytes = account.bytes() + added - removed + accepted;
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

    fn fits_surely(&mut self, growth: usize, accepted: usize) -> bool {
        let bytes = self.account().bytes() + accepted + growth;
        let limits = &self.rules.stores;
        self.start_bytes <= limits.whole / 2 && bytes <= limits.whole - limits.built_in
    }

    fn fits_reused(&mut self, growth: usize, accepted: usize) -> bool {
        self.account().bytes() + accepted + growth <= self.rules.stores.whole
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

    fn growth<'t>(&self, start: &StoreSnapshots, writes: &[SkillWrite<'t>]) -> StoreGrowth<'t> {
        // Only the last write to a key counts.
        let last: BTreeMap<(&str, &str), Option<usize>> = writes
            .iter()
            .map(|write| ((owner(write), write.1.key.as_str()), value_bytes(write.1)))
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

    fn apply(&mut self, start: &StoreSnapshots, writes: &[SkillWrite<'_>]) {
        for (owner, (removed, added)) in self.growth(start, writes) {
            let bytes = self.owners.entry(owner.to_owned()).or_default();
            *bytes = (*bytes + added).saturating_sub(removed);
        }
        for write in writes {
            let place = (owner(write).to_owned(), write.1.key.clone());
            self.written.insert(place, value_bytes(write.1));
        }
    }
}

/// Returns the owner of the store: the skill, or the story's memory.
fn owner<'t>((skill, write): &SkillWrite<'t>) -> &'t str {
    if write.owner == Owner::Story { MEMORY_OWNER } else { skill }
}

fn value_bytes(write: &StoreWrite) -> Option<usize> {
    write.value.as_ref().map(String::len)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::Arc};

    use proptest::prelude::*;

    use super::*;
    use crate::{state_rules::StoreLimits, write_gate::testing};
    use narratoria_protocol::StoreMap;

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
        let (start, rules, plan) = (snapshots(start), rules(), testing::plan_of(steps.len()));
        let steps: Vec<Vec<(String, StoreWrite)>> = steps.iter().map(|it| writes(it)).collect();
        testing::refused(&plan, StoreLedger::new(&start, &rules), &steps, order)
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

    /// Computes the refused steps in the plan's order, by the rule itself.
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
            let order = testing::order_of(steps.len(), seed);
            let found: Vec<usize> =
                refused(&start, &steps, &order).into_iter().map(|(idx, _)| idx).collect();
            prop_assert_eq!(found, oracle(&start, &steps));
        }
    }
}
