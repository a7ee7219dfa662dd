use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{state_rules::EntityLimits, write_gate::testing};
use narratoria_protocol::{EntityId, Memory, MemoryHit, MemoryQuery};

/// A story that can only look up single entities and sums.
#[derive(Default, Clone)]
struct FewEntities(BTreeMap<EntityId, String>);

impl EntityReader for FewEntities {
    fn get(&self, id: EntityId) -> Result<Option<String>, String> {
        Ok(self.0.get(&id).cloned())
    }
    fn list(&self, _: EntityKind, _: u64, _: usize) -> Result<Vec<(EntityId, String)>, String> {
        Err("not here".to_owned())
    }
    fn linked(
        &self,
        _: EntityKind,
        _: EntityId,
        _: u64,
        _: usize,
    ) -> Result<Vec<(EntityId, String)>, String> {
        Err("not here".to_owned())
    }
    fn named(&self, _: EntityKind, _: &str) -> Result<Option<EntityId>, String> {
        Err("not here".to_owned())
    }
    fn names(&self, _: EntityKind, _: usize) -> Result<Vec<String>, String> {
        Err("not here".to_owned())
    }
    fn next_number(&self, _: EntityKind) -> Result<u64, String> {
        Err("not here".to_owned())
    }
    fn count(&self, _: EntityKind) -> Result<usize, String> {
        Err("not here".to_owned())
    }
    fn amounts(&self) -> Result<EntityAmounts, String> {
        Ok(sum_of(&self.0))
    }
    fn search(&self, _: &MemoryQuery) -> Result<Vec<MemoryHit>, String> {
        Err("not here".to_owned())
    }
}

fn sum_of(entities: &BTreeMap<EntityId, String>) -> EntityAmounts {
    let mut sum = EntityAmounts::default();
    for (id, text) in entities {
        sum.counts[id.kind as usize] += 1;
        sum.bytes += text.len();
        sum.pinned += usize::from(text.contains(r#""pinned":true"#));
    }
    sum
}

/// `M3` writes a memory, `M3+` a pinned one, `M3-` deletes it; `C1=40` writes a character of some bytes.
fn write(word: &str) -> StoreWrite {
    let at = word.find(['+', '-', '=']).unwrap_or(word.len());
    let (key, rest) = word.split_at(at);
    let memory = |pinned| {
        let memory = Memory { summary: "It rains.".to_owned(), pinned, ..Memory::default() };
        serde_json::to_string(&memory).unwrap()
    };
    let value = match rest.split_at(rest.len().min(1)) {
        ("-", _) => None,
        ("+", _) => Some(memory(true)),
        ("=", bytes) => {
            let name = "x".repeat(bytes.parse().unwrap());
            Some(json!({ "name": name }).to_string())
        }
        _ => Some(memory(false)),
    };
    StoreWrite { owner: Owner::Entities, key: key.to_owned(), value }
}

/// `hoard: M1 M2+` is a step of the skill `hoard`.
fn step(text: &str) -> (String, Vec<StoreWrite>) {
    let (skill, words) = text.split_once(':').unwrap();
    (skill.to_owned(), words.split_whitespace().map(write).collect())
}

fn applied(
    mut entities: BTreeMap<EntityId, String>,
    writes: &[StoreWrite],
) -> BTreeMap<EntityId, String> {
    for write in writes {
        let id = write.key.parse().unwrap();
        match &write.value {
            Some(text) => entities.insert(id, text.clone()),
            None => entities.remove(&id),
        };
    }
    entities
}

/// Limits of 8 of each kind, 8 of them pinned, 2000 bytes; an eighth of each is reserved for `teller`.
fn rules() -> StateRules {
    let mut entities = EntityAmounts { bytes: 2_000, pinned: 8, ..EntityAmounts::default() };
    entities.counts = [8; EntityKind::ALL.len()];
    let entities = EntityLimits(entities);
    StateRules {
        built_in: BTreeSet::from(["teller".to_owned()]),
        entities,
        ..StateRules::default()
    }
}

/// Lets the steps end in this order and returns those that are refused, with the words.
fn refused(start: &str, steps: &[String], order: &[usize]) -> Vec<(usize, String)> {
    let (rules, plan) = (rules(), testing::plan_of(steps.len()));
    let start: Vec<StoreWrite> = start.split_whitespace().map(write).collect();
    let reader = Arc::new(FewEntities(applied(BTreeMap::new(), &start)));
    let written = |step_text: &String| {
        let (skill, writes) = step(step_text);
        writes.into_iter().map(|write| (skill.clone(), write)).collect()
    };
    let steps: Vec<Vec<(String, StoreWrite)>> = steps.iter().map(written).collect();
    testing::refused(&plan, EntityLedger::new(&plan, reader, &rules), &steps, order)
}

#[test]
fn a_step_that_fills_the_entities_is_refused_and_the_built_in_skills_still_write() {
    let steps = [
        "hoard: M1 M2 M3 M4 M5 M6 M7",
        "hoard: M8",
        "teller: M9",
        "hoard: M1 M2+",
        "hoard: C1=1500",
        "hoard: M1-",
        "other: M8+",
    ]
    .map(str::to_owned);
    let refused = refused("", &steps, &[0, 1, 2, 3, 4, 5, 6]);
    let words: Vec<String> =
        refused.into_iter().map(|(idx, why)| format!("{idx}: {why}")).collect();
    insta::assert_snapshot!(words.join("\n"), @"
    1: with what `hoard` adds, the story would have 8 entities of the kind `memory`, the limit is 7; `/memory forget ID` makes room
    4: with what `hoard` adds, the story would have 2446 bytes of entities, the limit is 1750; `/undo` takes back the turns that have added them
    6: with what `other` adds, the story would have 8 entities of the kind `memory`, the limit is 7; `/memory forget ID` makes room
    ");
}

#[test]
fn a_memory_that_two_steps_pin_counts_once() {
    let pins = |from: usize| -> String { (from..from + 4).map(|n| format!(" M{n}+")).collect() };
    let steps = [format!("hoard:{}", pins(0)), format!("hoard:{}", pins(3))];
    let refused = refused("M0 M1 M2 M3 M4 M5 M6", &steps, &[1, 0]);
    assert!(refused.is_empty(), "{refused:?}");
}

/// Computes the refused steps in the plan's order, by the rule itself.
fn oracle(start: &str, steps: &[String]) -> Vec<usize> {
    let start: Vec<StoreWrite> = start.split_whitespace().map(write).collect();
    let mut story = applied(BTreeMap::new(), &start);
    let all = |amounts: EntityAmounts| {
        amounts.counts.into_iter().chain([amounts.pinned, amounts.bytes]).collect::<Vec<_>>()
    };
    let mut refused = Vec::new();
    for (idx, (skill, writes)) in steps.iter().map(|it| step(it)).enumerate() {
        let after = applied(story.clone(), &writes);
        let whole = rules().entities.0;
        let limit = match skill.as_str() {
            "teller" => whole,
            _ => whole.zip(whole, |one, _| one - one / 8),
        };
        let (before, sum) = (all(sum_of(&story)), all(sum_of(&after)));
        let is_over = before.iter().zip(&sum).zip(all(limit));
        match is_over.into_iter().any(|((before, sum), limit)| sum > before && *sum > limit) {
            true => refused.push(idx),
            false => story = after,
        }
    }
    refused
}

proptest! {
    /// The order in which the steps end does not matter.
    #[test]
    fn the_order_of_the_plan_decides_which_entities_do_not_fit(
        start in "(M[0-3]\\+? ){0,3}(C0=[1-9][0-9]{2} )?",
        steps in prop::collection::vec(
            "(hoard|other|teller):( M[0-9][+-]?| C[0-9]=[1-9][0-9]{0,2}){0,6}", 1..7),
        seed in any::<u64>(),
    ) {
        let order = testing::order_of(steps.len(), seed);
        let found: Vec<usize> =
            refused(&start, &steps, &order).into_iter().map(|(idx, _)| idx).collect();
        prop_assert_eq!(found, oracle(&start, &steps));
    }
}
