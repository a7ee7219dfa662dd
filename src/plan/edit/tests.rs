//! Edits that succeed, and edits that are refused.

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{PlanEdit, PlanEditError, PlanRevision, apply_edit};
use crate::{
    BuildOptions, PlanJson,
    testing::{PLAN_ID, catalog, plan_json, script, skill},
};
use narratoria_skills::Catalog;

const NEW_ID: &str = "00000000-0000-4000-8000-000000000002";

fn skills() -> Catalog {
    let mut dice = skill("dice", &[]);
    let sides = json!({"type": "object", "properties": {"sides": {"type": "integer"}}, "additionalProperties": false});
    dice.scripts.push(script("roll", sides));
    catalog([skill("any", &["thing"]), dice])
}

fn make(json: &PlanJson, what: Value) -> Result<PlanRevision, PlanEditError> {
    let what: PlanEdit = serde_json::from_value(what).unwrap();
    apply_edit(json, &what, &skills(), &BuildOptions::default(), NEW_ID.to_owned())
}

/// The steps in the order of the text, and the changes; or the error and its hints.
fn show(plan: &str, what: Value) -> String {
    match make(&plan_json(plan), what) {
        Ok(edited) => {
            let steps: Vec<&str> =
                edited.json.tools.iter().map(|tool| tool.tool_id.as_str()).collect();
            format!("{}: {}", steps.join(" "), edited.changes)
        }
        Err(error) => {
            let hints: Vec<String> =
                error.hints().into_iter().map(|hint| format!("\nhint: {hint}")).collect();
            format!("{error}{}", hints.concat())
        }
    }
}

/// S2 "Plan Review UI", "Edit step", "Reorder steps", "Skip step", "Add step".
#[test]
fn every_edit_says_what_it_changed() {
    let plan = "a b c<-b";
    let shown = [
        json!({"edit": "setInput", "toolId": "a", "input": {"sides": 6}}),
        json!({"edit": "describe", "toolId": "a", "description": "Roll"}),
        json!({"edit": "move", "toolId": "a", "to": 2}),
        json!({"edit": "move", "toolId": "b", "to": 0}),
        json!({"edit": "skip", "toolId": "b"}),
        json!({"edit": "add", "tool": {"toolId": "d", "toolPath": "dice/roll"}, "at": 0}),
        json!({"edit": "add", "tool": {"toolId": "d", "toolPath": "dice/roll", "dependencies": ["c"]}}),
        json!({"edit": "remove", "toolId": "c"}),
        json!({"edit": "replaceAll", "plan": {"requestId": PLAN_ID, "parallel": true, "tools": [
            {"toolId": "c", "toolPath": "dice/roll"}]}}),
    ]
    .map(|what| show(plan, what));
    assert_snapshot!(shown.join("\n"), @r#"
    a b c: changed step `a` (input.sides: nothing -> 6)
    a b c: step `a` is described as "Roll"
    b c a: step `a` moved from place 1 to place 3
    b a c: step `b` moved from place 2 to place 1
    a b c: step `b` is skipped
    d a b c: step `d` added at place 1, it runs `dice/roll`
    a b c d: step `d` added at place 4, it runs `dice/roll`
    a b: step `c` removed
    c: removed steps `a`, `b`; changed step `c` (toolPath: "any/thing" -> "dice/roll", dependencies: ["b"] -> []); changed the plan (parallel: false -> true)
    "#);
}

#[test]
fn an_edit_that_cannot_be_made_says_why_and_what_to_do() {
    let plan = "torch b<-torch c<-b d";
    let shown = [
        json!({"edit": "skip", "toolId": "trch"}),
        json!({"edit": "move", "toolId": "d", "to": 4}),
        json!({"edit": "move", "toolId": "b", "to": 0}),
        json!({"edit": "move", "toolId": "c", "to": 0}),
        json!({"edit": "move", "toolId": "torch", "to": 3}),
        json!({"edit": "move", "toolId": "d", "to": 3}),
        json!({"edit": "remove", "toolId": "b"}),
        json!({"edit": "unskip", "toolId": "b"}),
        json!({"edit": "add", "tool": {"toolId": "b", "toolPath": "any/thing"}}),
        json!({"edit": "add", "tool": {"toolId": "e", "toolPath": "any/thng"}}),
        json!({"edit": "add", "tool": {"toolId": "e e", "toolPath": "any/thing"}}),
        json!({"edit": "add", "tool": {"toolId": "e", "toolPath": "any/thing"}, "at": 6}),
        json!({"edit": "add", "tool": {"toolId": "e", "toolPath": "dice/roll", "input": {"sides": "six"}}}),
        json!({"edit": "replaceAll", "plan": {"requestId": PLAN_ID, "tools": [
            {"toolId": "x", "toolPath": "any/thing", "dependencies": ["y"]},
            {"toolId": "y", "toolPath": "any/thing", "dependencies": ["x"]}]}}),
    ]
    .map(|what| show(plan, what));
    assert_snapshot!(shown.join("\n"), @r#"
    there is no step `trch` in the plan
    hint: did you mean `torch`?
    there is no place 4 among 4 steps, the first is 0 and the last is 3
    step `b` cannot come before step `torch`, which it needs
    hint: take the dependency of `b` on `torch` out first, if it is not meant
    step `c` cannot come before step `torch`, which `c` needs through `b`
    hint: take the dependency of `c` on `b` out first, if it is not meant
    step `torch` cannot come after step `b`, which needs it
    hint: take the dependency of `b` on `torch` out first, if it is not meant
    the plan is no different after this edit
    step `b` cannot be removed, `c` needs it
    hint: skip it instead, or remove what needs `b` first
    the plan is no different after this edit
    there is a step `b` in the plan already
    hint: give the new step another `toolId`
    the edited plan would not be valid:
    step `e`: skill `any` has no script `thng`
    hint: did you mean `any/thing`?
    the edited plan would not be valid:
    `tools[4]` is called `e e`; an id is 1 to 64 letters, digits, `_`, `.` and `-`
    there is no place 6 among 5 steps, the first is 0 and the last is 4
    the edited plan would not be valid:
    tools[4] ("e").input.sides: "six" is not of type "integer"
    hint: `dice/roll` takes: sides
    the edited plan would not be valid:
    steps wait for each other: x -> y -> x
    hint: take one of these dependencies out
    "#);
}

#[test]
fn each_version_names_the_one_before() {
    let first = plan_json("a b");
    let second = make(&first, json!({"edit": "skip", "toolId": "a"})).unwrap();
    assert!(second.plan.steps()[0].skip && !first.tools[0].skip);
    let again = PlanEdit::Unskip { tool_id: "a".to_owned() };
    let third_id = "00000000-0000-4000-8000-000000000003".to_owned();
    let third =
        apply_edit(&second.json, &again, &skills(), &BuildOptions::default(), third_id).unwrap();
    let lineage = |json: &PlanJson| {
        (json.metadata.parent_plan_id.clone(), json.metadata.extra.get("version").cloned())
    };
    assert_eq!(lineage(&second.json), (Some(PLAN_ID.to_owned()), Some(json!(2))));
    assert_eq!(lineage(&third.json), (Some(NEW_ID.to_owned()), Some(json!(3))));
    assert_eq!(third.plan.id(), third.json.request_id);
}

#[test]
fn a_wrong_plan_can_be_put_right() {
    let mut wrong = plan_json("a b<-a");
    wrong.tools[0].tool_path = "dice/roll".to_owned();
    wrong.tools[0].input.insert("sides".to_owned(), json!("six"));
    assert!(make(&wrong, json!({"edit": "skip", "toolId": "b"})).is_err());
    let right = make(&wrong, json!({"edit": "setInput", "toolId": "a", "input": {"sides": 6}}));
    assert_eq!(right.unwrap().changes, r#"changed step `a` (input.sides: "six" -> 6)"#);
}

/// S2 "Reorder steps (respecting dependencies)": a forbidden order becomes possible once its dependencies are changed.
#[test]
fn a_changed_dependency_allows_another_order() {
    let first = plan_json("a b<-a c");
    let before = json!({"edit": "move", "toolId": "b", "to": 0});
    assert!(make(&first, before.clone()).is_err());
    let free = json!({"edit": "setDependencies", "toolId": "b", "dependencies": ["c"]});
    let second = make(&first, free.clone()).unwrap();
    assert_eq!(second.changes, r#"changed step `b` (dependencies: ["a"] -> ["c"])"#);
    let last = json!({"edit": "move", "toolId": "b", "to": 2});
    let third = make(&second.json, last).unwrap().json;
    let order: Vec<&str> = third.tools.iter().map(|tool| tool.tool_id.as_str()).collect();
    assert_eq!(order, ["a", "c", "b"]);
    let shown = [
        free,
        json!({"edit": "setDependencies", "toolId": "c", "dependencies": ["b"]}),
        json!({"edit": "setDependencies", "toolId": "c", "dependencies": ["x"]}),
        json!({"edit": "setDependencies", "toolId": "x", "dependencies": []}),
    ]
    .map(|what| match make(&third, what) {
        Ok(edited) => edited.changes,
        Err(error) => [vec![error.to_string()], error.hints()].concat().join("\nhint: "),
    });
    assert_snapshot!(shown.join("\n"), @"
    the plan is no different after this edit
    the edited plan would not be valid:
    steps wait for each other: c -> b -> c
    hint: take one of these dependencies out
    the edited plan would not be valid:
    step `c` needs `x`, which is not in the plan
    hint: a dependency is the `toolId` of another step of the plan
    there is no step `x` in the plan
    ");
}

/// Bad input anywhere: an edit that makes a cycle, a reference into a skipped step.
#[test]
fn implied_dependencies_count() {
    let mut plan = plan_json("a b c d e");
    plan.tools[1].input.insert("x".to_owned(), json!("$a.total"));
    plan.tools[2].input.insert("x".to_owned(), json!("$a"));
    plan.tools[3].when = Some("steps.c != null".to_owned());
    let show = |what: Value| match make(&plan, what) {
        Ok(edited) => edited.changes,
        Err(error) => [vec![error.to_string()], error.hints()].concat().join("\nhint: "),
    };
    let shown = [
        json!({"edit": "move", "toolId": "b", "to": 0}),
        json!({"edit": "move", "toolId": "a", "to": 4}),
        json!({"edit": "move", "toolId": "d", "to": 0}),
        json!({"edit": "move", "toolId": "e", "to": 0}),
        json!({"edit": "remove", "toolId": "a"}),
        json!({"edit": "remove", "toolId": "c"}),
        json!({"edit": "skip", "toolId": "a"}),
        json!({"edit": "skip", "toolId": "c"}),
        json!({"edit": "setInput", "toolId": "a", "input": {"x": "$d"}}),
    ]
    .map(show);
    assert_snapshot!(shown.join("\n"), @"
    step `b` cannot come before step `a`, which it needs
    hint: take the dependency of `b` on `a` out first, if it is not meant
    step `a` cannot come after step `b`, which needs it
    hint: take the dependency of `b` on `a` out first, if it is not meant
    step `d` cannot come before step `a`, which `d` needs through `c`
    hint: take the dependency of `d` on `c` out first, if it is not meant
    step `e` moved from place 5 to place 1
    step `a` cannot be removed, `b`, `c` need it
    hint: skip it instead, or remove what needs `a` first
    step `c` cannot be removed, `d` needs it
    hint: skip it instead, or remove what needs `c` first
    step `a` cannot be skipped, `b` takes `$a.total` from it
    hint: skip `b` first, or give it another input
    step `c` is skipped
    the edited plan would not be valid:
    steps wait for each other: a -> d -> c -> a
    hint: take one of these dependencies out; `a` waits for `d` because it refers to it
    ");
    let without_reader = make(&plan, json!({"edit": "skip", "toolId": "b"})).unwrap().json;
    assert!(make(&without_reader, json!({"edit": "skip", "toolId": "a"})).is_ok());
}

#[test]
fn an_edit_with_a_typo_is_refused() {
    let read = |what: Value| serde_json::from_value::<PlanEdit>(what).unwrap_err().to_string();
    let errors = [
        read(json!({"edit": "skipp", "toolId": "a"})),
        read(json!({"edit": "skip", "id": "a"})),
        read(json!({"edit": "move", "toolId": "a", "to": -1})),
    ];
    assert_snapshot!(errors.join("\n"), @"
    unknown variant `skipp`, expected one of `setInput`, `describe`, `move`, `skip`, `unskip`, `add`, `remove`, `setDependencies`, `replaceAll`
    unknown field `id`, expected `toolId`
    invalid value: integer `-1`, expected usize
    ");
}

proptest! {
    /// After any moves, the plan still runs in an order that its dependencies allow.
    #[test]
    fn moves_keep_every_dependency(moves in proptest::collection::vec((0_usize..6, 0_usize..6), 0..20)) {
        let mut json = plan_json("a b<-a c d<-b,c e f<-e");
        for (from, to) in moves {
            let tool_id = json.tools[from].tool_id.clone();
            let what = PlanEdit::Move { tool_id, to };
            let before = json.clone();
            match apply_edit(&json, &what, &skills(), &BuildOptions::default(), NEW_ID.to_owned()) {
                Ok(edited) => json = edited.json,
                Err(PlanEditError::InvalidPlan(errors)) => prop_assert!(false, "{errors}"),
                Err(_) => prop_assert_eq!(&json, &before),
            }
            for (at, tool) in json.tools.iter().enumerate() {
                let place = |id: &String| json.tools.iter().position(|other| other.tool_id == *id);
                prop_assert!(tool.dependencies.iter().all(|need| place(need) < Some(at)));
            }
        }
    }
}
