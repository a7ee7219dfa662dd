//! Nodes as documents keep them, and answers from variables. Answers of whole conditions are tested where texts are parsed.

use serde_json::{Map, Value, json};

use crate::{ConditionNode, answer};

fn node(form: Value) -> Result<ConditionNode, String> {
    serde_json::from_str(&form.to_string()).map_err(|error| error.to_string())
}

fn facts() -> Map<String, Value> {
    let Value::Object(facts) = json!({
        "hour": 19, "place": "quay", "carried": ["rope", "lamp"], "standing": { "Guild": -5 }, "debt": "engaged",
    }) else {
        unreachable!()
    };
    facts
}

#[track_caller]
fn check(form: Value, expect: bool) {
    let node = node(form.clone()).unwrap();
    assert_eq!(answer(&node, &&facts()), Ok(expect), "{form}");
    // Each form is read back as it was written.
    assert_eq!(serde_json::to_value(&node).unwrap(), form);
}

#[test]
fn a_kept_condition_is_answered_from_variables() {
    check(json!([">=", ["var", "hour"], 18]), true);
    check(
        json!(["&&", ["==", ["var", "place"], "quay"], ["in", "rope", ["var", "carried"]]]),
        true,
    );
    check(json!(["||", ["!", true], ["==", ["var", "nobody"], null]]), true);
    check(json!(["in", ["var", "debt"], ["[]", "engaged", "resolved"]]), true);
    check(
        json!([
            "?",
            ["has", ["var", "standing"], "Guild"],
            ["<", [".", ["var", "standing"], "Guild"], 0],
            false
        ]),
        true,
    );
    check(json!(["exists", ["var", "carried"], ["startsWith", ["local", "x", 0], "ro"]]), true);
    check(
        json!([
            "==",
            [
                "size",
                ["map", ["var", "carried"], ["local", "x", 0], ["==", ["local", "x", 0], "lamp"]]
            ],
            1
        ]),
        true,
    );
    check(json!(["==", ["at", ["var", "carried"], 1], "lamp"]), true);
    check(json!(["==", ["neg", ["+", 1, 0.5]], -1.5]), true);
    check(json!(["==", ["{}", "a", 1], ["{}", "a", ["*", 1, 1]]]), true);
}

#[test]
fn a_form_that_no_condition_has_is_refused() {
    let wrong = [
        json!(["&&", true]),
        json!(["!", true, false]),
        json!(["matches", "a", "b"]),
        json!(["step", "a"]),
        json!([]),
        json!([1, 2]),
        json!({"a": 1}),
        json!(["+", 1, 18_446_744_073_709_551_615_u64]),
    ];
    let errors: Vec<String> = wrong.map(|form| node(form).unwrap_err()).into_iter().collect();
    let first = |text: &String| text.split(" at line").next().unwrap_or_default().to_owned();
    assert_eq!(
        errors.iter().map(first).collect::<Vec<_>>().join("\n"),
        "an operator has too few parts\n\
         `!` has too many parts\n\
         `matches` is no operator of a condition\n\
         `step` is no operator of a condition\n\
         an operator has too few parts\n\
         invalid type: integer `1`, expected the name of an operator\n\
         invalid type: map, expected a literal or a list that begins with an operator\n\
         a number of more than 64 bits"
    );
}

/// A document may come from outside: no node of it stops the host or the skill.
#[test]
fn what_no_checker_has_seen_has_no_answer_and_does_not_panic() {
    let cases = [
        (json!(["local", "x", 7]), "it gives null, not true or false"),
        (json!(["size"]), "`size` has no answer for "),
        (json!(["size", 1, 2]), "`size` has no answer for a whole number and a whole number"),
        (json!([".", ["var", "place"], "x"]), "`place` is text and has no `x`"),
    ];
    for (form, expect) in cases {
        assert_eq!(answer(&node(form).unwrap(), &&facts()), Err(expect.to_owned()));
    }
    let deep = format!("{}true{}", "[\"!\",".repeat(500), "]".repeat(500));
    assert!(serde_json::from_str::<ConditionNode>(&deep).is_err());
}

#[test]
fn what_belongs_to_a_plan_is_not_kept() {
    for node in
        [ConditionNode::State, ConditionNode::Step("a".to_owned()), ConditionNode::Double(f64::NAN)]
    {
        let error = serde_json::to_string(&node).unwrap_err().to_string();
        assert!(error.starts_with("a condition that is kept cannot read"), "{error}");
    }
}

/// `||` skips parts without a value, and their sentences are not written again and again.
#[test]
fn only_the_first_faults_of_an_evaluation_get_a_sentence() {
    let fault = |by: u32| json!(["==", ["/", by, 0], 1]);
    let told = |faults: u32| {
        let last =
            (0..faults).map(fault).reduce(|left, right| json!(["&&", ["||", left, true], right]));
        answer(&node(last.unwrap()).unwrap(), &&facts()).unwrap_err()
    };
    assert_eq!(told(4), "`3 / 0` has no value");
    assert_eq!(told(5), "many parts of it have no value");
}
