use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    FILLED_INPUT_BYTES_MAX, Reference, ReferenceCheckError, ReferenceError, ReferenceScope,
    ReferenceSlot, ReferenceSource, ValueTemplate,
    grammar::{self, ReferenceNames},
};
use crate::StepIdx;

const STEPS: [&str; 7] = ["own", "roll", "roll.total", "a-b_c", "7", "item", "item.name"];

fn with_names<T>(steps: &[&str], in_loop: bool, act: impl FnOnce(ReferenceNames<'_>) -> T) -> T {
    let by_id: HashMap<&str, usize> = steps.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    act(ReferenceNames { by_id: &by_id, own: 0, in_loop })
}

/// Parses a string in a plan with these steps: `roll .dice [0]`, `text`, or the error.
fn read_among(steps: &[&str], in_loop: bool, text: &str) -> String {
    match with_names(steps, in_loop, |names| grammar::read(text, names)) {
        Ok(None) => "text".to_owned(),
        Ok(Some(reference)) => show(&reference, steps),
        Err(why) => format!("`{text}` {why}"),
    }
}

fn show(reference: &Reference, steps: &[&str]) -> String {
    let mut words = vec![match reference.source {
        ReferenceSource::Step(StepIdx(step)) => steps[step].to_owned(),
        ReferenceSource::Item => "the item".to_owned(),
        ReferenceSource::Index => "its place".to_owned(),
    }];
    words.extend(reference.path.iter().map(ToString::to_string));
    words.join(" ")
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(read_among(&STEPS, false, text), expect);
}

/// S2, "Execution Context": a whole string that begins with a dollar is another step's output.
#[test]
fn a_reference_is_a_step_and_a_path() {
    check("$roll", "roll");
    check("$roll.dice[0].sides", "roll .dice [0] .sides");
    check("$roll[0][12]", "roll [0] [12]");
    check("$a-b_c.x y.é", "a-b_c .x y .é");
    check("$roll.a]b", "roll .a]b");
}

#[test]
fn the_longest_id_that_fits_wins() {
    check("$roll.total", "roll.total");
    check("$roll.total.x", "roll.total .x");
    check("$roll.total[0]", "roll.total [0]");
    check("$roll.totals", "roll .totals");
    check("$item.name.x", "item.name .x");
}

#[test]
fn a_dollar_without_a_name_or_within_a_string_is_text() {
    for text in ["$5", "$", "5 $roll", "$.x", "$[0]", "$-1", "$$roll", "$ roll", "$é"] {
        check(text, "text");
    }
    check("$7", "7");
    check("$7.50", "7 .50");
}

#[test]
fn a_typo_in_a_reference_is_an_error_and_not_text() {
    check("$roll.", "`$roll.` is not a reference: after `.` comes the name of a field");
    check("$roll..a", "`$roll..a` is not a reference: after `.` comes the name of a field");
    let index =
        "is not a reference: between `[` and `]` stands the number of an item, counted from 0";
    for text in ["$roll[x]", "$roll[-1]", "$roll[]", "$roll[+1]", "$roll[99999999999999999999]"] {
        check(text, &format!("`{text}` {index}"));
    }
    check("$roll[0", "`$roll[0` is not a reference: a `[` is not closed");
    check("$roll[0]x", "`$roll[0]x` is not a reference: after `]` comes `.`, `[` or the end");
    check("$rol.dice", "`$rol.dice` refers to `rol`, which is not in the plan");
    check("$roll dice", "`$roll dice` refers to `roll dice`, which is not in the plan");
    check("$index", "`$index` refers to `index`, which is not in the plan");
    check("$own.x", "`$own.x` is what the step itself gives, which is not known before it has run");
}

#[test]
fn references_have_limits() {
    let long = format!("$roll.{}", "x".repeat(1019));
    assert!(read_among(&STEPS, false, &long[..1024]).starts_with("roll .x"));
    check(&long, &format!("`{long}` has 1025 bytes, the limit of a reference is 1024"));
    let deep = format!("$roll{}", ".x".repeat(65));
    check(&deep, &format!("`{deep}` leads 65 levels deep, the limit of a reference is 64"));
    check(&format!("$5{}", "0".repeat(5000)), "text");
}

#[test]
fn within_a_loop_item_and_index_are_the_loops_own() {
    let read = |steps: &[&str], text| read_among(steps, true, text);
    assert_eq!(read(&["own"], "$item"), "the item");
    assert_eq!(read(&["own"], "$item.names[1]"), "the item .names [1]");
    assert_eq!(read(&["own"], "$index"), "its place");
    assert_eq!(read(&["own", "items"], "$items[0]"), "items [0]");
    assert_eq!(
        read(&["own", "item"], "$item.x"),
        "`$item.x` could be the loop's own `$item` or step `item`"
    );
    assert_eq!(
        read(&STEPS, "$item.name"),
        "`$item.name` could be the loop's own `$item` or step `item.name`"
    );
    let hint = ReferenceCheckError::Ambiguous { word: "item".to_owned(), step: "item".to_owned() };
    assert_eq!(hint.hint("$item"), Some("give step `item` another id".to_owned()));
}

fn template(value: Value) -> ValueTemplate {
    let mut invalid = Vec::new();
    let template =
        with_names(&STEPS, true, |names| grammar::parse_template(value, names, &mut invalid));
    assert!(invalid.is_empty(), "{invalid:?}");
    template
}

#[test]
fn a_doubled_dollar_is_a_literal_one() {
    let written = template(json!({"a": "$$roll", "b": ["$$$"], "c": "$$"}));
    assert_eq!(written.value(), &json!({"a": "$roll", "b": ["$$"], "c": "$"}));
    assert!(written.slots().is_empty());
}

/// Step 1 gave an output, step 3 was skipped.
struct DemoReferenceScope;

impl ReferenceScope for DemoReferenceScope {
    fn output(&self, step: StepIdx) -> Result<&Value, &'static str> {
        static OUTPUT: std::sync::LazyLock<Value> =
            std::sync::LazyLock::new(|| json!({"dice": [4, 6], "none": {}, "deep": {"": null}}));
        if step.0 == 1 { Ok(&OUTPUT) } else { Err("was skipped (condition_false)") }
    }

    fn tool_id(&self, step: StepIdx) -> &str {
        STEPS[step.0]
    }

    fn item(&self) -> Option<(&Value, usize)> {
        static ITEM: std::sync::LazyLock<Value> =
            std::sync::LazyLock::new(|| json!({"name": "Elin"}));
        Some((&ITEM, 2))
    }
}

/// Fills a value of step `own`, which loops over people.
fn fill(value: Value) -> String {
    let mut invalid = Vec::new();
    let steps = ["own", "roll", "x", "a-b_c"];
    let template =
        with_names(&steps, true, |names| grammar::parse_template(value, names, &mut invalid));
    assert!(invalid.is_empty(), "{invalid:?}");
    match template.fill(&DemoReferenceScope) {
        Ok(value) => value.to_string(),
        Err(error) => error.to_string(),
    }
}

/// S2, "Execution Context".
#[test]
fn every_slot_is_filled_at_any_depth() {
    let written = json!({"a/b": {"~": ["$roll.dice[1]", "$roll.dice"]}, "$roll": "$item.name"});
    assert_eq!(fill(written), r#"{"a/b":{"~":[6,[4,6]]},"$roll":"Elin"}"#);
    assert_eq!(fill(json!("$index")), "2");
    assert_eq!(fill(json!(["$item", "$$item"])), r#"[{"name":"Elin"},"$item"]"#);
}

#[test]
fn a_step_without_an_output_is_null_as_a_whole_only() {
    assert_eq!(fill(json!(["$a-b_c"])), "[null]");
    assert_eq!(
        fill(json!(["$a-b_c.x"])),
        "`$a-b_c.x` has no value: step `a-b_c` was skipped (condition_false)"
    );
}

#[test]
fn a_path_that_leads_nowhere_says_what_is_there() {
    let check = |text: &str, expect: &str| {
        assert_eq!(fill(json!([text])), format!("`{text}` has no value: {expect}"));
    };
    check("$roll.total", "there is no `total`, only dice, none, deep");
    check("$roll.none.x", "`x` is asked of an object without fields");
    check("$roll.dice[2]", "there is no item 2, the list has 2");
    check("$roll.dice.x", "`x` is asked of a list");
    check("$roll[0]", "item 0 is asked of an object");
    check("$roll.dice[0][0]", "item 0 is asked of a number");
    check("$index.x", "`x` is asked of a number");
}

/// A step whose output is one long text.
struct LongOutput(Value);

impl ReferenceScope for LongOutput {
    fn output(&self, _: StepIdx) -> Result<&Value, &'static str> {
        Ok(&self.0)
    }

    fn tool_id(&self, _: StepIdx) -> &str {
        "long"
    }

    fn item(&self) -> Option<(&Value, usize)> {
        None
    }
}

/// A list of `count` references to the same step.
fn many_references(count: usize) -> ValueTemplate {
    let reference = Reference {
        text: "$long".to_owned(),
        source: ReferenceSource::Step(StepIdx(0)),
        path: Vec::new(),
    };
    let slot = |at| ReferenceSlot { pointer: format!("/{at}"), reference: reference.clone() };
    ValueTemplate { value: json!(vec![0; count]), slots: (0..count).map(slot).collect() }
}

#[test]
fn references_fill_an_input_up_to_its_maximum_whatever_the_outputs_are_made_of() {
    let long = "x".repeat(1 << 20);
    for output in [
        json!(long),
        json!([long]),
        json!({"text": long}),
        json!({ long.clone(): 1 }),
        json!(vec![0; 1 << 17]),
    ] {
        let scope = LongOutput(output);
        assert!(many_references(3).fill(&scope).is_ok());
        let refused = many_references(10_000).fill(&scope).unwrap_err();
        let limit = FILLED_INPUT_BYTES_MAX;
        assert_eq!(refused, ReferenceError::TooLarge { reference: "$long".to_owned(), limit });
        // A condition sees null for a value that is too large.
        let seen = many_references(10_000).fill_or_null(&scope);
        assert_eq!(seen.as_array().unwrap().iter().filter(|item| !item.is_null()).count(), 3);
    }
}
