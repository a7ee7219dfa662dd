//! Compares two versions of a plan. Pure. Two steps are the same step if they have the same `toolId`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::Serialize;
use serde_json::Value;

use super::{PlanJson, error::quote, record::VERSION_KEY};
use narratoria_protocol::Object;

/// Most differences that are listed. Versions that differ more are different plans.
const DIFF_CHANGES_MAX: usize = 512;

/// Deepest level at which an input is compared field by field. Deeper values are compared as a whole.
const FIELD_DEPTH_MAX: usize = 8;

/// Most names or fields that a sentence lists; it counts the rest.
const SENTENCE_LIST_MAX: usize = 12;

/// All differences. Steps are in the order of the new text, removed ones in the order of the old text.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanDiff {
    /// Fields of the plan itself. Id and lineage always differ and are left out.
    pub plan: Vec<FieldChange>,
    pub added: Vec<StepPosition>,
    pub removed: Vec<StepPosition>,
    pub changed: Vec<StepChange>,
    /// The smallest set of steps whose moves explain the new order.
    pub moved: Vec<StepMove>,
    /// The number of differences beyond [`DIFF_CHANGES_MAX`].
    pub left_off: usize,
}

/// A step and its index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepPosition {
    pub tool_id: String,
    pub tool_path: String,
    /// Index in `tools`: of the new text for an added step, of the old text for a removed one.
    pub at: usize,
}

/// A step whose fields changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepChange {
    pub tool_id: String,
    /// Never empty.
    pub fields: Vec<FieldChange>,
}

/// One changed field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldChange {
    /// The path of the field, such as `input.dice`.
    pub field: String,
    /// `None` for a new field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// `None` for a removed field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

/// A step that moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepMove {
    pub tool_id: String,
    /// Its index in the old `tools`.
    pub from: usize,
    /// Its index in the new `tools`.
    pub to: usize,
}

pub fn diff(old: &PlanJson, new: &PlanJson) -> PlanDiff {
    let mut left = DIFF_CHANGES_MAX;
    let mut found = PlanDiff::default();
    compare_fields("", &plan_fields(old), &plan_fields(new), 0, &mut found.plan);
    let places = |plan: &PlanJson| -> BTreeMap<String, usize> {
        // An invalid plan may have two steps with one id; the first counts.
        let all = plan.tools.iter().enumerate().rev();
        all.map(|(at, tool)| (tool.tool_id.clone(), at)).collect()
    };
    let (old_places, new_places) = (places(old), places(new));
    let place = |plan: &PlanJson, at: usize| StepPosition {
        tool_id: plan.tools[at].tool_id.clone(),
        tool_path: plan.tools[at].tool_path.clone(),
        at,
    };
    for (at, tool) in old.tools.iter().enumerate() {
        if !new_places.contains_key(&tool.tool_id) {
            found.removed.push(place(old, at));
        }
    }
    let mut common = Vec::new();
    for (to, tool) in new.tools.iter().enumerate() {
        let Some(from) = old_places.get(&tool.tool_id).copied() else {
            found.added.push(place(new, to));
            continue;
        };
        common.push((from, to));
        let mut fields = Vec::new();
        compare_fields("", &as_fields(&old.tools[from]), &as_fields(tool), 0, &mut fields);
        if !fields.is_empty() {
            found.changed.push(StepChange { tool_id: tool.tool_id.clone(), fields });
        }
    }
    let stay = longest_increasing(&common);
    for (from, to) in common {
        if !stay.contains(&to) {
            found.moved.push(StepMove { tool_id: new.tools[to].tool_id.clone(), from, to });
        }
    }
    let before = found.len();
    truncate_to_budget(&mut found.plan, &mut left);
    truncate_to_budget(&mut found.removed, &mut left);
    truncate_to_budget(&mut found.added, &mut left);
    for step in &mut found.changed {
        truncate_to_budget(&mut step.fields, &mut left);
    }
    found.changed.retain(|step| !step.fields.is_empty());
    truncate_to_budget(&mut found.moved, &mut left);
    found.left_off = before - found.len();
    found
}

fn truncate_to_budget<T>(all: &mut Vec<T>, left: &mut usize) {
    all.truncate(*left);
    *left -= all.len();
}

fn as_fields(value: &impl Serialize) -> Object {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Object::new(),
    }
}

/// Returns the plan's fields without its id, its lineage and its steps.
fn plan_fields(plan: &PlanJson) -> Object {
    let mut fields = as_fields(plan);
    fields.remove("requestId");
    fields.remove("tools");
    if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
        for lineage in ["generationAttempt", "parentPlanId", VERSION_KEY] {
            metadata.remove(lineage);
        }
    }
    fields
}

fn compare_fields(
    place: &str,
    old: &Object,
    new: &Object,
    depth: usize,
    found: &mut Vec<FieldChange>,
) {
    let gone = old.keys().filter(|key| !new.contains_key(*key));
    for key in new.keys().chain(gone) {
        let field = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        match (old.get(key), new.get(key)) {
            (old, new) if old == new => {}
            (Some(Value::Object(old)), Some(Value::Object(new))) if depth < FIELD_DEPTH_MAX => {
                compare_fields(&field, old, new, depth + 1, found);
            }
            (old, new) => {
                found.push(FieldChange { field, old: old.cloned(), new: new.cloned() });
            }
        }
    }
}

/// Returns the longest increasing subsequence of the pairs' first parts, as the set of their second parts. The pairs
/// are ordered by their second part.
fn longest_increasing(pairs: &[(usize, usize)]) -> BTreeSet<usize> {
    // `ends[n]` is the index of the pair with the smallest end among increasing subsequences of length `n + 1`.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (at, (from, _)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].0 < *from);
        before[at] = length.checked_sub(1).map(|last| ends[last]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let last = ends.last().copied();
    std::iter::successors(last, |at| before[*at]).map(|at| pairs[at].1).collect()
}

impl PlanDiff {
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn len(&self) -> usize {
        let fields: usize = self.changed.iter().map(|step| step.fields.len()).sum();
        self.plan.len() + self.added.len() + self.removed.len() + self.moved.len() + fields
    }

    /// Returns one sentence without a full stop, for a record's `changes`.
    pub fn sentence(&self) -> String {
        let mut parts = Vec::new();
        let mut part = |what: &str, ids: Vec<&str>| {
            let plural = if ids.len() == 1 { "step" } else { "steps" };
            let ids: Vec<String> = ids.into_iter().map(|id| format!("`{}`", quote(id))).collect();
            if !ids.is_empty() {
                parts.push(format!("{what} {plural} {}", join_truncated(&ids)));
            }
        };
        part("removed", self.removed.iter().map(|step| step.tool_id.as_str()).collect());
        part("added", self.added.iter().map(|step| step.tool_id.as_str()).collect());
        part("moved", self.moved.iter().map(|step| step.tool_id.as_str()).collect());
        let fields = |fields: &[FieldChange]| {
            join_truncated(&fields.iter().map(FieldChange::to_string).collect::<Vec<_>>())
        };
        for step in self.changed.iter().take(SENTENCE_LIST_MAX) {
            let id = quote(&step.tool_id);
            parts.push(format!("changed step `{id}` ({})", fields(&step.fields)));
        }
        if let more @ 1.. = self.changed.len().saturating_sub(SENTENCE_LIST_MAX) {
            parts.push(format!("changed {more} more steps"));
        }
        if !self.plan.is_empty() {
            parts.push(format!("changed the plan ({})", fields(&self.plan)));
        }
        if self.left_off > 0 {
            parts.push(format!("{} more differences", self.left_off));
        }
        if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
    }
}

fn join_truncated(all: &[String]) -> String {
    let shown = all[..all.len().min(SENTENCE_LIST_MAX)].join(", ");
    match all.len().saturating_sub(SENTENCE_LIST_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// One difference a line, with the signs of `diff`.
impl fmt::Display for PlanDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = self.plan.iter().map(|change| format!("~ plan: {change}"));
        let removed = self.removed.iter().map(|step| format!("- {step}"));
        let added = self.added.iter().map(|step| format!("+ {step}"));
        let changed = self.changed.iter().flat_map(|step| {
            step.fields.iter().map(|change| format!("~ {}: {change}", quote(&step.tool_id)))
        });
        let moved = self.moved.iter().map(|step| {
            let (id, from, to) = (quote(&step.tool_id), step.from + 1, step.to + 1);
            format!("> {id}: place {from} -> place {to}")
        });
        let more = (self.left_off > 0).then(|| format!("and {} more", self.left_off));
        let lines = plan.chain(removed).chain(added).chain(changed).chain(moved).chain(more);
        f.write_str(&lines.collect::<Vec<_>>().join("\n"))
    }
}

impl fmt::Display for StepPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", quote(&self.tool_id), quote(&self.tool_path))
    }
}

impl fmt::Display for FieldChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value: &Option<Value>| match value {
            Some(value) => quote(&value.to_string()),
            None => "nothing".to_owned(),
        };
        write!(f, "{}: {} -> {}", quote(&self.field), show(&self.old), show(&self.new))
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;
    use serde_json::json;

    use super::{DIFF_CHANGES_MAX, diff};
    use crate::testing::plan_json;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let found = diff(&plan_json(old), &plan_json(new));
        assert_eq!(found.to_string().replace('\n', " | "), expected);
        assert_eq!(found.is_empty(), expected.is_empty());
    }

    #[test]
    fn steps_come_and_go_and_move() {
        check("a b", "a b", "");
        check("a b", "a c", "- b: any/thing | + c: any/thing");
        check("a b c d", "d a b c", "> d: place 4 -> place 1");
        check("a b c", "c b a", "> c: place 3 -> place 1 | > b: place 2 -> place 2");
        check("x a b", "a b", "- x: any/thing");
        check("a b<-a", "a b", r#"~ b: dependencies: ["a"] -> []"#);
    }

    #[test]
    fn fields_are_compared_one_by_one() {
        let mut old = plan_json("roll look");
        old.tools[0].input = json!({"dice": "1d6", "of": {"a": 1, "b": [1]}, "gone": null})
            .as_object()
            .cloned()
            .unwrap();
        old.metadata.extra.insert("story".to_owned(), json!({"rationale": "quiet"}));
        let mut new = old.clone();
        new.request_id = "another".to_owned();
        new.metadata.parent_plan_id = Some(old.request_id.clone());
        new.metadata.extra.insert("version".to_owned(), json!(2));
        new.metadata.extra.insert("story".to_owned(), json!({"rationale": "loud\u{1b}[1m"}));
        new.narrative = Some("x".repeat(200));
        new.tools[0].input = json!({"dice": "1d20", "of": {"a": 1, "b": [1, 2]}, "new": true})
            .as_object()
            .cloned()
            .unwrap();
        new.tools[1].skip = true;
        let found = diff(&old, &new);
        assert_snapshot!(found, @r#"
        ~ plan: metadata.story.rationale: "quiet" -> "loud\u001b[1m"
        ~ plan: narrative: nothing -> "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
        ~ roll: input.dice: "1d6" -> "1d20"
        ~ roll: input.of.b: [1] -> [1,2]
        ~ roll: input.new: nothing -> true
        ~ roll: input.gone: null -> nothing
        ~ look: skip: nothing -> true
        "#);
        assert_snapshot!(found.sentence(), @r#"changed step `roll` (input.dice: "1d6" -> "1d20", input.of.b: [1] -> [1,2], input.new: nothing -> true, input.gone: null -> nothing); changed step `look` (skip: nothing -> true); changed the plan (metadata.story.rationale: "quiet" -> "loud\u001b[1m", narrative: nothing -> "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…)"#);
        assert_snapshot!(serde_json::to_string(&found.changed).unwrap(), @r#"[{"toolId":"roll","fields":[{"field":"input.dice","old":"1d6","new":"1d20"},{"field":"input.of.b","old":[1],"new":[1,2]},{"field":"input.new","new":true},{"field":"input.gone","old":null}]},{"toolId":"look","fields":[{"field":"skip","new":true}]}]"#);
    }

    #[test]
    fn a_diff_is_cut_off_at_the_limit() {
        let ids: Vec<String> = (0..DIFF_CHANGES_MAX + 5).map(|n| format!("s{n}")).collect();
        let found = diff(&plan_json(""), &plan_json(&ids.join(" ")));
        assert_eq!((found.added.len(), found.left_off), (DIFF_CHANGES_MAX, 5));
        assert!(found.to_string().ends_with("\nand 5 more"));
    }

    proptest! {
        /// Taking the moved steps out leaves the same order on both sides.
        #[test]
        fn moves_explain_the_new_order(old in Just((0_usize..9).collect::<Vec<_>>()).prop_shuffle()) {
            let text = |order: &[usize]| {
                order.iter().map(|n| format!("s{n}")).collect::<Vec<_>>().join(" ")
            };
            let new: Vec<usize> = (0..9).collect();
            let found = diff(&plan_json(&text(&old)), &plan_json(&text(&new)));
            let is_moved = |n: &usize| found.moved.iter().any(|step| step.to == *n);
            let rest: Vec<usize> = old.iter().copied().filter(|n| !is_moved(n)).collect();
            prop_assert!(rest.is_sorted());
            prop_assert_eq!(found.is_empty(), old == new);
        }
    }
}
