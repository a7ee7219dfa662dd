//! Packages whose triggers take the player's sentences and come to nothing.

use serde_json::{Value, json};

use crate::strangers::package::{Stranger, Verdict};

/// A package that takes every sentence with `roll`, and adds a step to it.
fn follow_up(name: &str, step: Value) -> Stranger {
    let mut step = step;
    step["id"] = json!("after");
    let trigger = json!([{"script": "act", "phrases": ["roll"], "then": [step]}]);
    Stranger::new(format!("a follow-up {name}"), Verdict::Loads)
        .manifest(json!({"triggers": trigger}))
}

/// The next turn is `I roll 1d20`: it must play.
pub(crate) fn all() -> Vec<Stranger> {
    let when = |name: &str, condition: String| {
        follow_up(name, json!({"tool": "stranger/act", "when": condition}))
    };
    vec![
        when(
            "whose condition nests too deep",
            format!("{}true{}", "(".repeat(400), ")".repeat(400)),
        ),
        when(
            "whose condition has too large a pattern",
            r#""a".matches("(\\w{1000}){1000}")"#.to_owned(),
        ),
        when("whose condition divides by zero", "1 / 0 == 1".to_owned()),
        when("whose condition takes too long", {
            format!("{}true{}", "[1,2,3,4,5,6,7,8,9].all(a, ".repeat(8), ")".repeat(8))
        }),
        follow_up("that needs an output that is not there", {
            json!({"tool": "stranger/act", "input": {"a": "$act.nothing"}})
        }),
        follow_up("that asks for what a built-in skill cannot do", {
            json!({"tool": "dice-roller/roll-dice", "input": {"formula": "a die"}})
        }),
    ]
}
