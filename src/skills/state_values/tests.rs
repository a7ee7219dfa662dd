//! Schemas that draw values from the state.

use serde_json::{Value, json};

use super::{
    STATE_VALUE_BYTES_MAX, STATE_VALUES_BYTES_MAX, STATE_VALUES_MAX, StateValueLists,
    VALUE_SOURCES_MAX, nearest_values, state_at,
};
use crate::Schema;
use narratoria_protocol::Object;

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

/// The mismatches of `input` in this state.
fn check(schema: &Value, state: Value, input: Value) -> String {
    let schema = Schema::build(schema.clone()).unwrap();
    let lists = StateValueLists::read(schema.value_pointers(), &object(state));
    let found = schema.mismatches_in_state(&input, &[], &lists);
    let found: Vec<String> =
        found.iter().map(|one| format!("{}: {}", one.pointer, one.what)).collect();
    found.join("\n")
}

fn target() -> Value {
    json!({"type": "object", "properties": {"target": {"type": "string", "valuesFrom": "/scope"}}})
}

#[test]
fn only_what_the_state_has_can_be_named() {
    let state = json!({"scope": ["brass lantern", "Mira", "iron door"]});
    let named = |name: &str| check(&target(), state.clone(), json!({"target": name}));
    assert_eq!(named("Mira"), "");
    insta::assert_snapshot!(
        ["Mirra", "lantern", "the iron door", "lanturn", "sword"].map(named).join("\n"), @r#"
    /target: "Mirra" is not in scope (`/scope`); did you mean "Mira"?
    /target: "lantern" is not in scope (`/scope`); did you mean "brass lantern"?
    /target: "the iron door" is not in scope (`/scope`); did you mean "iron door"?
    /target: "lanturn" is not in scope (`/scope`); did you mean "brass lantern"?
    /target: "sword" is not in scope (`/scope`); there are: "brass lantern", "Mira", "iron door"
    "#);
}

#[test]
fn an_open_part_takes_any_text_where_the_state_has_no_list() {
    let open = json!({"type": "object", "properties": {
        "who": {"type": "string", "maxLength": 6, "valuesFrom": "/people", "openWithoutList": true}}});
    let named = |state: Value, name: &str| check(&open, state, json!({"who": name}));
    assert_eq!(named(json!({}), "Mira"), "");
    assert_eq!(named(json!({"people": {"Mira": {}}}), "Mira"), "");
    insta::assert_snapshot!(
        [
            named(json!({}), "Gandalf"),
            named(json!({"people": {"Mira": {}}}), "Sauron"),
            named(json!({"people": {}}), "Mira"),
        ].join("\n"), @r#"
    /who: "Gandalf" is longer than 6 characters
    /who: "Sauron" is not in scope (`/people`); there are: "Mira"
    /who: "Mira" is not in scope: nothing is, the list at `/people` is empty
    "#);
}

#[test]
fn where_nothing_is_nothing_can_be_named() {
    let named = |state| check(&target(), state, json!({"target": "sword"}));
    insta::assert_snapshot!(
        [json!({}), json!({"scope": []}), json!({"scope": 3}), json!({"scope": [3, "", "a\nb"]})]
            .map(named)
            .join("\n"), @r#"
    /target: "sword" is not in scope: the state has no list at `/scope`
    /target: "sword" is not in scope: nothing is, the list at `/scope` is empty
    /target: "sword" is not in scope: the state has no list at `/scope`
    /target: "sword" is not in scope: nothing is, the list at `/scope` is empty
    "#);
    assert_eq!(
        check(&target(), json!({}), json!({})),
        "",
        "a field that is left out names nothing"
    );
}

#[test]
fn the_keys_of_an_object_are_values() {
    assert_eq!(check(&target(), json!({"scope": {"Mira": {}}}), json!({"target": "Mira"})), "");
}

#[test]
fn a_source_may_lie_in_items_definitions_and_branches() {
    let schema = json!({
        "type": "object",
        "properties": {
            "actions": {"type": "array", "items": {"$ref": "#/$defs/action"}},
            "who": {"anyOf": [{"const": "me"}, {"type": "string", "valuesFrom": "/people"}]},
            "with": {"type": ["string", "null"], "valuesFrom": "/things"},
            "valuesFrom": {"const": "a field may have this name"}
        },
        "$defs": {"action": {"properties": {"target": {"type": "string", "valuesFrom": "/things"}}}}
    });
    let state = json!({"things": ["rope"], "people": ["Mira"]});
    let check = |input| check(&schema, state.clone(), input);
    assert_eq!(check(json!({"actions": [{"target": "rope"}], "who": "me", "with": null})), "");
    assert_eq!(check(json!({"who": "Mira", "with": "rope"})), "");
    insta::assert_snapshot!(check(json!({"actions": [{}, {"target": "hope"}]})), @r#"/actions/1/target: "hope" is not in scope (`/things`); did you mean "rope"?"#);
    assert!(check(json!({"who": "Ulf"})).starts_with("/who: "));
}

#[test]
fn a_hole_is_judged_when_it_is_filled() {
    let schema = Schema::build(target()).unwrap();
    let lists = StateValueLists::default();
    let input = json!({"target": "$step.name"});
    assert_eq!(schema.mismatches_in_state(&input, &["/target"], &lists), []);
    assert_eq!(schema.mismatches_in_state(&input, &[], &lists).len(), 1);
}

#[test]
fn a_keyword_that_could_not_be_kept_is_refused() {
    let fault = |part: Value| {
        let schema = json!({"type": "object", "properties": {"x": part}});
        Schema::build(schema).err().map(|error| error.to_string()).unwrap_or_default()
    };
    insta::assert_snapshot!([
        json!({"type": "string", "valuesFrom": 3}),
        json!({"type": "string", "valuesFrom": "scope"}),
        json!({"type": "string", "valuesFrom": "/narratoria/x"}),
        json!({"type": "string", "valuesFrom": format!("/{}", "x".repeat(500))}),
        json!({"valuesFrom": "/scope"}),
        json!({"type": ["string", "integer"], "valuesFrom": "/scope"}),
        json!({"type": "string", "enum": ["a"], "valuesFrom": "/scope"}),
        json!({"not": {"type": "string", "valuesFrom": "/scope"}}),
    ].map(fault).join("\n"), @r#"
    not a usable JSON Schema (2020-12): /properties/x/valuesFrom: must be a JSON pointer to a list in the state, such as `/world/scope/things`
    not a usable JSON Schema (2020-12): /properties/x/valuesFrom: `scope` is no JSON pointer, it must begin with `/`
    not a usable JSON Schema (2020-12): /properties/x/valuesFrom: `/narratoria/x` belongs to the host
    not a usable JSON Schema (2020-12): /properties/x/valuesFrom: has 501 bytes, the limit is 500
    not a usable JSON Schema (2020-12): /properties/x/valuesFrom: needs `"type": "string"` beside it, or `["string", "null"]`
    not a usable JSON Schema (2020-12): /properties/x/valuesFrom: needs `"type": "string"` beside it, or `["string", "null"]`
    not a usable JSON Schema (2020-12): /properties/x/valuesFrom: may not stand beside `enum`
    not a usable JSON Schema (2020-12): /properties/x/not/valuesFrom: may not stand within `not`, `if`, `then`, `else` or `propertyNames`
    "#);
    let many: Object = (0..=VALUE_SOURCES_MAX)
        .map(|idx| (format!("x{idx}"), json!({"type": "string", "valuesFrom": "/scope"})))
        .collect();
    let error = Schema::build(json!({"type": "object", "properties": many})).unwrap_err();
    assert!(error.to_string().contains("in 33 places, the limit is 32"), "{error}");
}

#[test]
fn a_list_of_any_size_is_bounded() {
    let read = |items: Vec<String>| {
        let lists = StateValueLists::read(["/scope"], &object(json!({"scope": items})));
        let list = lists.get("/scope").unwrap().clone();
        (list.values.len(), list.left_out)
    };
    let number = |idx: usize| format!("thing {idx}");
    assert_eq!(read((0..STATE_VALUES_MAX + 9).map(number).collect()), (STATE_VALUES_MAX, 9));
    assert_eq!(read(vec!["x".repeat(STATE_VALUE_BYTES_MAX + 1), "lamp".to_owned()]), (1, 1));
    let long = |idx: usize| format!("{idx:03}{}", "x".repeat(STATE_VALUE_BYTES_MAX - 3));
    let fit = STATE_VALUES_BYTES_MAX / STATE_VALUE_BYTES_MAX;
    assert_eq!(read((0..100).map(long).collect()), (fit, 100 - fit));
    assert_eq!(read(vec!["lamp".to_owned(), "lamp".to_owned()]), (1, 0), "each once");
}

#[test]
fn the_largest_lists_still_make_a_schema() {
    let fields: Object = (0..VALUE_SOURCES_MAX)
        .map(|idx| (format!("x{idx}"), json!({"type": "string", "valuesFrom": "/scope"})))
        .collect();
    let scope: Vec<String> = (0..STATE_VALUES_MAX).map(|idx| format!("thing {idx}")).collect();
    let schema = json!({"type": "object", "properties": fields});
    assert_eq!(check(&schema, json!({"scope": scope}), json!({"x0": "thing 255"})), "");
}

#[test]
fn a_place_of_the_host_is_empty() {
    let state = object(json!({"narratoria": {"a": 1}, "a/b": {"c": [{"d": 7}]}}));
    assert_eq!(state_at(&state, "/narratoria/a"), None);
    assert_eq!(state_at(&state, "/a~1b/c/0/d"), Some(&json!(7)));
    assert_eq!(state_at(&state, "/a~1b/c/x"), None);
    assert_eq!(state_at(&state, ""), None);
}

#[test]
fn the_nearest_names_come_first() {
    let names: Vec<String> = ["old door", "iron door", "Mira", "lamp"].map(str::to_owned).to_vec();
    assert_eq!(nearest_values("door", &names), ["old door", "iron door"]);
    assert_eq!(nearest_values("LAMP", &names), ["lamp"]);
    assert_eq!(nearest_values("", &names), [""; 0]);
}
