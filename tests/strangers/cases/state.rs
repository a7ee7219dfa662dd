//! Packages that would make a story unplayable through its state.

use serde_json::{Value, json};

use crate::strangers::package::{Stranger, Verdict};

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!({"n": inner}))
}

pub(crate) fn all() -> Vec<Stranger> {
    let case = |name: &str, orders: Value| {
        Stranger::new(format!("a script that {name}"), Verdict::Loads).orders(orders)
    };
    let filled = |bytes: usize| json!({"full": "x".repeat(bytes)});
    vec![
        case(
            "fills the state with one patch of nearly a megabyte",
            json!([["patch", filled(1_000_000)]]),
        ),
        case("fills the state with many patches", {
            json!(
                (0..9)
                    .map(|n| json!(["patch", {(format!("full-{n}")): "x".repeat(90_000)}]))
                    .collect::<Vec<_>>()
            )
        })
        .steps(3),
        Stranger::new("a package that claims items of lists", Verdict::Refused)
            .manifest(json!({"writes": ["/rolls/3", "/party/-"]})),
        case("deletes nine thousand members that are not there", {
            let members: serde_json::Map<String, Value> =
                (0..9_000).map(|n| (format!("m{n}"), Value::Null)).collect();
            let line = json!({"version": "0", "type": "state_patch", "patch": members});
            json!([["say", line.to_string(), 9]])
        }),
        case("nests the state", json!([["patch", nested(55)], ["patch", {"n": nested(55)}]])),
        case("deletes the host's part of the state", json!([["patch", {"narratoria": null}]])),
        case("replaces the host's part of the state", json!([["patch", {"narratoria": 7}]])),
        case("writes into the host's part of the state", {
            json!([["patch", {"narratoria": {"owners": {"dice": "stranger"}}}]])
        }),
        case("deletes what the dice keep", {
            json!([["patch", {"dice": null, "rolls": null, "choices": null, "lastRoll": null}]])
        }),
        case("makes a hundred thousand members", {
            let members: serde_json::Map<String, Value> =
                (0..20_000).map(|n| (format!("m{n}"), json!(n))).collect();
            json!([["patch", members]])
        }),
        case("patches with an empty key and control characters", {
            json!([["patch", {"": {"": 1}, "\u{1b}[2J": "\u{202e}", "a/b~c": 1}]])
        }),
    ]
}
