//! Answers of conditions, and refusals.

mod fuzz;
mod vocabulary;

use std::{collections::BTreeMap, sync::LazyLock};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{CelType, Condition, ConditionBindings, ConditionScope, syntax::CONDITION_BYTES_MAX};
use crate::StepIdx;
use narratoria_skills::{CompileBudget, PatternDialect, PatternFault, PatternSize};

/// `roll` has a closed schema, `look` has none, `my-door` and `a.b` need quotes.
struct DemoConditionScope;

const IDS: [&str; 5] = ["roll", "look", "my-door", "a.b", "rolls"];

impl ConditionScope for DemoConditionScope {
    fn step(&self, id: &str) -> Option<StepIdx> {
        IDS.iter().position(|other| *other == id).map(StepIdx)
    }

    fn ids(&self) -> Vec<String> {
        IDS.map(str::to_owned).to_vec()
    }

    fn output_type(&self, id: &str) -> CelType<'_> {
        match id {
            "roll" => CelType::of_schema(&ROLL),
            "rolls" => CelType::list_of(CelType::of_schema(&ROLL)),
            "a.b" => CelType::of_schema(&OPEN),
            _ => CelType::UNKNOWN,
        }
    }

    fn take_pattern(&self, pattern: &str) -> Result<PatternSize, PatternFault> {
        CompileBudget::default()
            .take_pattern(pattern, PatternDialect::Plain { ignores_case: false })
    }

    fn input_type(&self) -> CelType<'_> {
        CelType::of_schema(&INPUT)
    }
}

static ROLL: LazyLock<Value> = LazyLock::new(|| {
    json!({"type": "object", "properties": {
        "total": {"type": "integer"},
        "mean": {"type": "number"},
        "dice": {"type": "array", "items": {"type": "integer"}},
        "label": {"type": ["string", "null"]},
        "more": {},
    }})
});
static OPEN: LazyLock<Value> =
    LazyLock::new(|| json!({"type": "object", "properties": {"x": {}}, "patternProperties": {}}));
static INPUT: LazyLock<Value> =
    LazyLock::new(|| json!({"type": "object", "properties": {"sides": {"type": "integer"}}}));

fn read(text: &str) -> Result<Condition, String> {
    Condition::build(text, &DemoConditionScope).map_err(|errors| errors.join("\n"))
}

fn answer(condition: &Condition, facts: &Value) -> Result<bool, String> {
    let steps: BTreeMap<&str, &Value> =
        IDS.iter().filter_map(|id| Some((*id, facts.get("steps")?.get(*id)?))).collect();
    let state = facts["state"].as_object().cloned().unwrap_or_default();
    condition
        .holds(&ConditionBindings { steps, state: &state, input: &facts["input"], output: None })
        .map_err(|error| error.to_string())
}

fn demo() -> Value {
    json!({
        "steps": {
            "roll": {"total": 15, "mean": 7.5, "dice": [6, 4, 5], "label": null},
            "my-door": {"open": true},
            "rolls": [{"total": 3}, {"total": 15.0}],
        },
        "state": {"gold": 12, "name": "Änne", "bag": ["torch", "rope"], "hp": {"now": 3, "max": 10.0}},
        "input": {"sides": 20},
    })
}

/// The answer, or all errors.
fn ask(text: &str) -> String {
    match read(text) {
        Err(errors) => errors,
        Ok(condition) => match answer(&condition, &demo()) {
            Ok(holds) => holds.to_string(),
            Err(error) => error,
        },
    }
}

#[track_caller]
fn check(text: &str, expected: bool) {
    assert_eq!(ask(text), expected.to_string(), "{text}");
}

#[test]
fn conditions_look_at_steps_state_and_input() {
    check("steps.roll.total >= 15", true);
    check("steps.roll.total > 15 || state.gold == 12", true);
    check("steps[\"my-door\"].open && input.sides == 20", true);
    check("steps[\"roll\"][\"dice\"][0] == 6", true);
    check("steps.look == null", true);
    check("steps.roll != null ? steps.roll.total < 3 : false", false);
    check("has(state.hp) && !has(state.mana)", true);
    check("'torch' in state.bag && 'hp' in state", true);
    check("state.bag.exists(x, x.startsWith('ro'))", true);
    check("state.bag.all(x, size(x) == 5)", false);
    check("size(state.bag.filter(x, x != 'rope')) == 1", true);
    check("steps.rolls.map(r, r.total > 10, r.total) == [15]", true);
    check("steps.rolls.exists_one(r, r.total == 15)", true);
    check("state.hp.all(key, key in ['now', 'max'])", true);
    check("state.name.matches('^[Ä-Ü]nne$') && size(state.name) == 4", true);
    check("string(state.gold) + '!' == '12!' && int('7') == 7 && double('1.5') == 1.5", true);
    check("state.hp == {'max': 10, 'now': 3}", true);
    check("steps.roll.dice.map(d, steps.rolls.filter(r, r.total > d)).all(l, size(l) == 1)", true);
}

#[test]
fn a_number_is_whole_by_its_value() {
    for total in [json!(15), json!(15.0), json!(1.5e1)] {
        let facts = json!({"steps": {"roll": {"total": total, "dice": [1, 2]}}});
        let holds = |text| answer(&read(text).unwrap(), &facts);
        assert_eq!(holds("steps.roll.total >= 15 && steps.roll.total < 15.5"), Ok(true));
        assert_eq!(
            holds("steps.roll.total / 2 == 7 && steps.roll.dice[steps.roll.total - 14] == 2"),
            Ok(true)
        );
        assert_eq!(holds("steps.roll.total * 1.5 == 22.5"), Ok(true));
    }
    check("9007199254740993 == 9007199254740992.0", false);
    check("9007199254740993 > 9007199254740992.0 && -0.5 < 0 && 0.5 > 0", true);
}

/// A fact may be any whole number of JSON; only what an operation gives is bounded.
#[test]
fn a_fact_beyond_64_bits_with_sign_can_be_compared() {
    let facts = json!({"state": {"large": u64::MAX}});
    let holds = |text| answer(&read(text).unwrap(), &facts);
    assert_eq!(holds("state.large > 9223372036854775807 && state.large % 2 == 1"), Ok(true));
    for text in
        ["state.large + 1 > 0", "state.large - 1 > 0", "-state.large < 0", "state.large * 1 > 0"]
    {
        assert!(holds(text).unwrap_err().contains("is beyond whole numbers of 64 bits"), "{text}");
    }
}

#[test]
fn one_side_can_decide_where_the_other_has_no_value() {
    check("state.mana > 3 || state.gold == 12", true);
    check("state.mana > 3 && state.gold == 11", false);
    check("[1, 'a', 3].exists(x, x > 2)", true);
    check("[1, 'a', 3].all(x, x > 2)", false);
}

#[test]
fn a_condition_without_an_answer_says_why() {
    let answers = [
        "state.mana > 3",
        "steps.look.total > 3",
        "state.gold && true",
        "state.gold > 'a'",
        "state.bag[2] == 'x'",
        "state.hp.now / 0 == 1",
        "state.gold",
        "state.bag.all(x, x > 2)",
        "state.name.all(x, true)",
        "state.gold + 9223372036854775807 > 1",
        "state.gold > 1 && -(-9223372036854775807 - 1) > 0",
        "int(state.name) == 1",
    ]
    .map(ask);
    assert_snapshot!(answers.join("\n"), @r#"
    the condition `state.mana > 3` has no answer: `state` has no `mana`, only `gold`, `name`, `bag`, `hp`
    the condition `steps.look.total > 3` has no answer: `steps.look` is null and has no `total`
    the condition `state.gold && true` has no answer: `state.gold` is a whole number, not true or false
    the condition `state.gold > 'a'` has no answer: `>` cannot be used between a whole number (`state.gold`) and text (`"a"`)
    the condition `state.bag[2] == 'x'` has no answer: `state.bag` has no item 2, it has 2
    the condition `state.hp.now / 0 == 1` has no answer: `3 / 0` has no value
    the condition `state.gold` has no answer: it gives a whole number, not true or false
    the condition `state.bag.all(x, x > 2)` has no answer: `>` cannot be used between text (`x`) and a whole number (`2`)
    the condition `state.name.all(x, true)` has no answer: `state.name` is text, a loop needs a list or an object
    the condition `state.gold + 9223372036854775807 > 1` has no answer: `12 + 9223372036854775807` is beyond whole numbers of 64 bits (-9223372036854775808 to 9223372036854775807)
    the condition `state.gold > 1 && -(-9223372036854775807 - 1) > 0` has no answer: `-(-9223372036854775808)` is beyond whole numbers of 64 bits (-9223372036854775808 to 9223372036854775807)
    the condition `int(state.name) == 1` has no answer: `int` has no answer for text
    "#);
}

#[test]
fn unknown_names_are_refused_with_a_hint() {
    let refused = [
        "steps.rol.total > 3",
        "steps.my-door.open",
        "steps.a.b == 1",
        "steps == {}",
        "steps[state.name] == 1",
        "stat.gold > 1",
        "item.x && gold > 3",
        "sizze(state.bag) > 1",
        "now() > 3",
        "has(steps.roll)",
        "has(state)",
        "state.bag.all(state, true)",
        "state.bag.all(x)",
        "b'x' == b'x'",
        "1u == 1u",
        "Point{x: 1} == 2",
        "state.name.matches(state.name)",
        "state.name.matches('(')",
        "{state.name: 1} == {}",
        "state.?gold == 1",
        "state.name.contains()",
        "contains(state.name, 'x')",
    ]
    .map(ask);
    assert_snapshot!(refused.join("\n"), @r#"
    there is no step `rol`; did you mean `steps.roll`?
    there is no step `my`; write `steps["my-door"]` for step `my-door`
    there is no variable `door`; a condition knows `steps.<toolId>`, `state` and `input`
    there is no step `a`; write `steps["a.b"]` for step `a.b`
    `steps` must be followed by a step: `steps.<toolId>` or `steps["<toolId>"]`
    a step must be written out: `steps["<toolId>"]`
    there is no variable `stat`; did you mean `state`?
    `item` is not known to a condition, which is answered once, before the loop begins
    there is no variable `gold`; a condition knows `steps.<toolId>`, `state` and `input`
    there is no function `sizze`; did you mean `size`?
    there is no function `now`; a condition can call all, contains, double, endsWith, exists, exists_one, existsOne, filter, has, int, map, matches, size, startsWith, string
    write `steps.roll != null` to ask whether step `roll` gave anything
    `has` asks for one field, such as `has(state.door)`
    the first argument of `all` is a variable of its own, such as `x`
    `all` takes a variable and an expression, such as `all(x, x > 0)`
    write text without the `b`, JSON has no bytes
    write `1` without the `u`, JSON has one kind of number
    a condition cannot make messages of a type
    the pattern of `matches` must be written out as text
    the pattern `(` is no regular expression: unclosed group
    a key of an object must be written out as text
    the condition is no CEL expression: column 6: unsupported syntax '.?'
    `contains` is called as `state.name.contains("text")`
    `contains` is called as `state.name.contains("text")`
    "#);
}

#[test]
fn a_condition_that_can_never_have_an_answer_is_refused() {
    let refused = [
        "steps.roll.total",
        "1 < 'a'",
        "1 == 'a'",
        "1 && true",
        "!3",
        "-'a' == 'a'",
        "size(1) == 1",
        "steps.roll.totl > 3",
        "steps.roll.strength > 3",
        "steps.rolls[0].totl > 3",
        "steps.rolls.all(r, r.totl > 3)",
        "steps.rolls.total > 3",
        "steps.roll.total.x == 1",
        "steps.roll.dice.contains(1)",
        "steps.roll.label > 3",
        "input.size > 3",
        "1 in 'abc'",
        "input.sides ? true : false",
        "3.5 % 2 == 1",
        "steps.roll.total > 'a' || nothing",
    ]
    .map(ask);
    assert_snapshot!(refused.join("\n"), @r#"
    the condition gives a whole number, it must be true or false
    `<` cannot be used between `1`, which is a whole number, and `"a"`, which is text
    `==` cannot be used between `1`, which is a whole number, and `"a"`, which is text
    `&&` takes true or false, and `1` is a whole number
    `!` takes true or false, and `3` is a whole number
    `-` takes a number, and `"a"` is text
    `size` takes text or a list or an object, and `1` is a whole number
    `steps.roll` has no field `totl`; did you mean `total`?
    `steps.roll` has no field `strength`; it has `total`, `mean`, `dice`, `label`, `more`
    `steps.rolls[0]` has no field `totl`; did you mean `total`?
    `r` has no field `totl`; did you mean `total`?
    `steps.rolls` is a list or null and has no field `total`
    `steps.roll.total` is a whole number and has no field `x`
    `contains` takes text, and `steps.roll.dice` is a list
    `contains` takes text, and `1` is a whole number
    `>` cannot be used between `steps.roll.label`, which is text or null, and `3`, which is a whole number
    `input` has no field `size`; did you mean `sides`?
    `in` cannot be used between `1`, which is a whole number, and `"abc"`, which is text
    `?` takes true or false, and `input.sides` is a whole number
    `%` cannot be used between `3.5`, which is a fractional number, and `2`, which is a whole number
    `>` cannot be used between `steps.roll.total`, which is a whole number, and `"a"`, which is text
    there is no variable `nothing`; a condition knows `steps.<toolId>`, `state` and `input`
    "#);
    check("steps.roll.label == null && steps.roll.mean > 7 && !has(steps.roll.more)", true);
    check("steps.roll == null || steps['a.b'] == null", true);
}

#[test]
fn text_that_is_no_condition_is_refused_on_one_line() {
    let deep = format!("{}true{}", "(".repeat(60), ")".repeat(60));
    let chain = format!("{} > 0", vec!["1"; 200].join(" + "));
    let long = " ".repeat(CONDITION_BYTES_MAX) + "true";
    let refused = [
        "",
        " ",
        "steps.",
        "1 +",
        "true false",
        "'abc",
        "steps.roll.total >= 15 )",
        "\u{1b}[1m",
        &deep,
        &chain,
        &long,
    ]
    .map(ask);
    assert_snapshot!(refused.join("\n"), @r#"
    the condition is empty; leave `when` out for a step that always runs
    the condition is empty; leave `when` out for a step that always runs
    the condition is no CEL expression: column 7: Syntax error: no viable alternative at input '.'
    the condition is no CEL expression: column 4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!',…
    the condition is no CEL expression: column 6: Syntax error: extraneous input 'false' expecting <EOF>
    the condition is no CEL expression: column 1: Syntax error: token recognition error at: ''abc'
    the condition is no CEL expression: column 24: Syntax error: extraneous input ')' expecting <EOF>
    the condition is no CEL expression: column 1: Syntax error: token recognition error at: '\u{1b}'
    the condition nests deeper than 48 levels
    the condition nests deeper than 48 levels
    the condition has 1004 bytes, the limit is 1000; let a script decide
    "#);
}

/// Each text nests as deep as its length allows, with brackets or without.
#[test]
fn nothing_that_fits_is_too_deep_for_the_stack() {
    let half = CONDITION_BYTES_MAX / 2 - 3;
    let shapes = [
        format!("state{}", ".b".repeat(half - 2)),
        format!("1{}", "+1".repeat(half)),
        format!("1{}", "<1".repeat(half)),
        format!("{}true", "!".repeat(2 * half)),
        format!("1{}", "-".repeat(2 * half)),
        format!("{}1", "- ".repeat(half)),
        format!("a{}", "[1]".repeat(half / 2)),
        format!("a{}", ".f()".repeat(half / 3)),
        format!("true{}", "||true".repeat(half / 4)),
        "true?1:".repeat(half / 4),
        "((((".repeat(half / 2),
        "[{1:".repeat(half / 2),
        ")]}".repeat(half / 2),
        "a(".repeat(half),
        "'".repeat(2 * half),
    ];
    for text in shapes {
        assert!(text.len() <= CONDITION_BYTES_MAX, "{text}");
        ask(&text);
    }
}

#[test]
fn reads_come_from_the_syntax_tree_not_from_the_words_in_the_text() {
    let condition = read("steps.look.state == 'state' || steps.roll.total > input.sides").unwrap();
    assert_eq!(
        (condition.steps(), condition.reads_state()),
        (&[StepIdx(0), StepIdx(1)][..], false)
    );
    let mut condition = read("state.gold > 1 || steps['a.b'].x == steps.roll.total").unwrap();
    assert!(condition.reads_state());
    condition.renumber_steps(&[4, 3, 2, 1, 0]);
    assert_eq!(condition.steps(), [StepIdx(1), StepIdx(4)]);
}

#[test]
fn an_expensive_condition_stops_at_the_limit() {
    let bag: Vec<usize> = (0..2_000).collect();
    let facts = json!({"state": {"bag": bag, "text": "a".repeat(2_000_000)}});
    for text in [
        "state.bag.all(x, state.bag.all(y, x + y >= 0))",
        "size(state.bag.map(x, state.bag + state.bag)) == 1 || true",
        "state.text.matches('(a*)*b')",
        "state.bag.exists(x, state.text.contains('b'))",
    ] {
        let answer = read(text).and_then(|condition| answer(&condition, &facts));
        let error = answer.unwrap_err();
        assert!(
            error.ends_with("it looks at too much (more than 1000000 values)"),
            "{text}: {error}"
        );
    }
}
