//! Data that flows between steps: references and loops, checked against the schemas.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    Plan, ReferenceSlot, ReferenceSource, Step, ValueTemplate, parse,
    testing::{PLAN_ID, build, catalog, render, script, skill},
};
use narratoria_skills::{Catalog, Schema, Skill};

pub(super) fn with_output(mut skill: Skill, output: Value) -> Skill {
    skill.scripts[0].output_schema = Some(Schema::build(output).unwrap());
    skill
}

pub(super) fn with_tag(mut skill: Skill, tag: &str, priority: u8) -> Skill {
    (skill.capabilities, skill.priority) = (vec![tag.to_owned()], priority);
    skill
}

pub(super) fn with_input(mut skill: Skill, input: Value) -> Skill {
    skill.scripts[0].input_schema = Schema::build(input).unwrap();
    skill
}

/// Dice, two searches with different outputs, two narrators with different inputs, a thief that requires approval, and
/// `any/thing`.
pub(super) fn demo() -> Catalog {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let dice = with_output(
        skill("dice", &["roll"]),
        object(json!({
            "total": {"type": "integer"}, "text": {"type": "string"},
            "rolls": {"type": "array", "items": {"type": "integer"}, "maxItems": 9}
        })),
    );
    let people = object(json!({"people": {"type": "array", "items": {"$ref": "#/$defs/person"}}}));
    let mut people = people.as_object().unwrap().clone();
    people
        .insert("$defs".to_owned(), json!({"person": object(json!({"name": {"type": "string"}}))}));
    let memory = with_output(skill("memory", &["search"]), Value::Object(people));
    let oracle =
        with_output(skill("oracle", &["search"]), object(json!({"omens": {"type": "array"}})));
    let takes = |prompt: &str| {
        json!({
            "type": "object", "additionalProperties": false,
            "properties": {
                "prompt": {"type": prompt}, "sum": {"type": "integer"},
                "lines": {"type": "array", "items": {"type": "string"}}
            }
        })
    };
    let bard = with_input(skill("bard", &["tell"]), takes("string"));
    let clerk = with_input(skill("clerk", &["tell"]), takes("integer"));
    let mut thief = skill("thief", &["steal"]);
    thief.scripts.push(script("tell", json!({"type": "object"})));
    thief.scripts[0].requires_approval = true;
    catalog([
        dice,
        with_tag(memory, "search", 40),
        with_tag(oracle, "search", 60),
        with_tag(bard, "telling", 50),
        with_tag(clerk, "telling", 50),
        thief,
        skill("any", &["thing"]),
    ])
}

pub(super) fn built(tools: &Value) -> Result<Plan, String> {
    let text = json!({"requestId": PLAN_ID, "tools": tools}).to_string();
    parse(text.as_bytes()).and_then(|json| build(json, &demo())).map_err(|errors| render(&errors))
}

pub(super) fn show(plan: &Plan) -> String {
    plan.steps().iter().map(|step| show_step(plan, step)).collect::<Vec<_>>().join("\n")
}

/// `tell<-roll bard/tell|clerk/tell {"sum":"$roll.total"} /sum=roll`
fn show_step(plan: &Plan, step: &Step) -> String {
    let id = |step: super::super::StepIdx| plan.step(step).tool_id.clone();
    let needs: Vec<String> = step.needs.iter().map(|need| id(*need)).collect();
    let arrow = if needs.is_empty() { "" } else { "<-" };
    let candidates: Vec<String> = step.candidates.iter().map(|one| one.tool_path()).collect();
    let slot = |slot: &ReferenceSlot| {
        let from = match slot.reference.source {
            ReferenceSource::Step(step) => id(step),
            ReferenceSource::Item => "item".to_owned(),
            ReferenceSource::Index => "index".to_owned(),
        };
        format!(" {}={from}", slot.pointer)
    };
    let template = |template: &ValueTemplate| {
        let slots: String = template.slots().iter().map(slot).collect();
        format!("{}{slots}", template.value())
    };
    let mut text = format!(
        "{}{arrow}{} {} {}",
        step.tool_id,
        needs.join(","),
        candidates.join("|"),
        template(&step.input)
    );
    if let Some(for_each) = &step.for_each {
        text += &format!(" for each of {} (<= {})", template(&for_each.items), for_each.items_max);
    }
    if step.requires_approval {
        text += " once approved";
    }
    text
}

pub(super) fn tools(tools: Value) -> String {
    built(&tools).map_or_else(|errors| errors, |plan| show(&plan))
}

pub(super) fn roll() -> Value {
    json!({"toolId": "roll", "toolPath": "dice/roll"})
}

/// The plan, or the errors, if this field of `bard/tell` refers to `roll`.
fn tell(field: &str, from: &str) -> String {
    let tell = json!({"toolId": "tell", "toolPath": "bard/tell", "input": {(field): from}});
    tools(json!([roll(), tell]))
}

/// S0 FR-011, S2 "Execution Context".
#[test]
fn a_reference_is_a_dependency() {
    assert_snapshot!(tools(json!([
        {"toolId": "c", "toolPath": "any/thing", "input": {"x": ["$b"], "y": "$a.z"}},
        {"toolId": "b", "toolPath": "any/thing", "dependencies": ["a"], "input": {"x": "$a", "y": "$a"}},
        {"toolId": "a", "toolPath": "any/thing"},
        {"toolId": "d", "toolPath": "any/thing", "forEach": ["$c.x", 1]},
    ])), @r#"
    a any/thing {}
    b<-a any/thing {"x":"$a","y":"$a"} /x=a /y=a
    c<-a,b any/thing {"x":["$b"],"y":"$a.z"} /x/0=b /y=a
    d<-c any/thing {} for each of ["$c.x",1] /0=c (<= 32)
    "#);
}

/// S0 FR-009, FR-012.
#[test]
fn references_can_form_a_cycle() {
    assert_snapshot!(tools(json!([
        {"toolId": "a", "toolPath": "any/thing", "input": {"x": "$b.y"}},
        {"toolId": "b", "toolPath": "any/thing", "dependencies": ["a"]},
    ])), @"
    error: steps wait for each other: a -> b -> a
    hint: take one of these dependencies out; `a` waits for `b` because it refers to it
    category: circular_dependency
    ");
    assert_snapshot!(tools(json!([
        {"toolId": "a", "toolPath": "any/thing", "input": {"x": "$a.y"}},
    ])), @r#"
    error: tools[0] ("a").input.x: `$a.y` is what the step itself gives, which is not known before it has run
    hint: refer to another step; write `$$a.y` for the text itself
    category: circular_dependency
    "#);
}

#[test]
fn a_reference_to_no_step_gets_the_nearest_name() {
    assert_snapshot!(tools(json!([
        roll(),
        {"toolId": "a", "toolPath": "any/thing", "input": {
            "x": {"y": [1, "$rol.total"]}, "z": "$gold pieces", "w": "$item.name", "v": "$roll[x]",
        }},
    ])), @r#"
    error: tools[1] ("a").input.x.y[1]: `$rol.total` refers to `rol`, which is not in the plan
    error: tools[1] ("a").input.z: `$gold pieces` refers to `gold pieces`, which is not in the plan
    error: tools[1] ("a").input.w: `$item.name` refers to `item`, which is not in the plan
    error: tools[1] ("a").input.v: `$roll[x]` is not a reference: between `[` and `]` stands the number of an item, counted from 0
    hint: did you mean `$roll`?
    hint: write `$$gold pieces` for the text itself
    hint: `$item` is known in the `input` of a step with `forEach`; write `$$item.name` for the text itself
    hint: a path looks like `.name` or `[0]`; write `$$roll[x]` for the text itself
    category: invalid_json
    "#);
}

#[test]
fn a_path_must_be_in_the_producers_schema() {
    assert_snapshot!(tell("sum", "$roll.total"), @r#"
    roll dice/roll {}
    tell<-roll bard/tell {"sum":"$roll.total"} /sum=roll
    "#);
    assert_snapshot!(tell("sum", "$roll.rolls[8]"), @r#"
    roll dice/roll {}
    tell<-roll bard/tell {"sum":"$roll.rolls[8]"} /sum=roll
    "#);
    assert_snapshot!(tell("sum", "$roll.totl"), @r#"
    error: tools[1] ("tell").input.sum: `$roll.totl` leads nowhere: `$roll` has no field `totl`
    hint: did you mean `$roll.total`?
    category: invalid_json
    "#);
    assert_snapshot!(tell("sum", "$roll.weather"), @r#"
    error: tools[1] ("tell").input.sum: `$roll.weather` leads nowhere: `$roll` has no field `weather`
    hint: `$roll` has: total, text, rolls
    category: invalid_json
    "#);
    assert_snapshot!(tell("sum", "$roll.total.x"), @r#"
    error: tools[1] ("tell").input.sum: `$roll.total.x` leads nowhere: `$roll.total` is an integer, which has no fields
    category: invalid_json
    "#);
    assert_snapshot!(tell("sum", "$roll.rolls.x"), @r#"
    error: tools[1] ("tell").input.sum: `$roll.rolls.x` leads nowhere: `$roll.rolls` is a list, which has no fields
    hint: take an item of it, such as `$roll.rolls[0]`
    category: invalid_json
    "#);
    assert_snapshot!(tell("sum", "$roll.rolls[9]"), @r#"
    error: tools[1] ("tell").input.sum: `$roll.rolls[9]` leads nowhere: `$roll.rolls` has 9 items at most
    category: invalid_json
    "#);
    assert_snapshot!(tell("sum", "$roll[0]"), @r#"
    error: tools[1] ("tell").input.sum: `$roll[0]` leads nowhere: `$roll` is an object, not a list
    hint: `$roll` has: total, text, rolls
    category: invalid_json
    "#);
}

#[test]
fn the_value_of_a_reference_must_have_a_type_that_the_consumer_takes() {
    assert_snapshot!(tell("sum", "$roll.text"), @r#"
    error: tools[1] ("tell").input.sum: `$roll.text` is a string, `bard/tell` takes an integer
    category: invalid_json
    "#);
    assert_snapshot!(tell("sum", "$roll"), @r#"
    error: tools[1] ("tell").input.sum: `$roll` is an object, `bard/tell` takes an integer
    hint: parts of it that would do: $roll.total
    category: invalid_json
    "#);
    assert_snapshot!(tell("prompt", "$roll.rolls"), @r#"
    error: tools[1] ("tell").input.prompt: `$roll.rolls` is a list, `bard/tell` takes a string
    category: invalid_json
    "#);
    assert_snapshot!(tell("lines", "$roll.rolls"), @r#"
    roll dice/roll {}
    tell<-roll bard/tell {"lines":"$roll.rolls"} /lines=roll
    "#);
    assert_snapshot!(tell("summ", "$roll.total"), @r#"
    error: tools[1] ("tell").input: Additional properties are not allowed ('summ' was unexpected); did you mean `sum`?
    hint: `bard/tell` takes: prompt, sum, lines
    category: invalid_json
    "#);
}

#[test]
fn a_step_without_an_output_schema_may_give_any_object() {
    let tell = |from: &str| {
        tools(json!([
            {"toolId": "a", "toolPath": "any/thing"},
            {"toolId": "b", "toolPath": "bard/tell", "input": {"prompt": from}},
        ]))
    };
    assert_snapshot!(tell("$a.x[0].y"), @r#"
    a any/thing {}
    b<-a bard/tell {"prompt":"$a.x[0].y"} /prompt=a
    "#);
    assert_snapshot!(tell("$a"), @r#"
    error: tools[1] ("b").input.prompt: `$a` is an object or null, `bard/tell` takes a string
    category: invalid_json
    "#);
    assert_snapshot!(tell("$a[0]"), @r#"
    error: tools[1] ("b").input.prompt: `$a[0]` leads nowhere: `$a` is an object or null, not a list
    category: invalid_json
    "#);
}

#[test]
fn a_loop_gives_a_list_of_what_its_script_gives() {
    let tell = |field: &str, from: &str| {
        tools(json!([
            {"toolId": "rolls", "toolPath": "dice/roll", "forEach": [1, 2, "$$3"]},
            {"toolId": "tell", "toolPath": "bard/tell", "input": {(field): from}},
        ]))
    };
    assert_snapshot!(tell("sum", "$rolls[1].total"), @r#"
    rolls dice/roll {} for each of [1,2,"$3"] (<= 32)
    tell<-rolls bard/tell {"sum":"$rolls[1].total"} /sum=rolls
    "#);
    assert_snapshot!(tell("sum", "$rolls.total"), @r#"
    error: tools[1] ("tell").input.sum: `$rolls.total` leads nowhere: `$rolls` is a list, which has no fields
    hint: take an item of it, such as `$rolls[0]`
    category: invalid_json
    "#);
    assert_snapshot!(tell("sum", "$rolls[1].totl"), @r#"
    error: tools[1] ("tell").input.sum: `$rolls[1].totl` leads nowhere: `$rolls[1]` has no field `totl`
    hint: did you mean `$rolls[1].total`?
    category: invalid_json
    "#);
    assert_snapshot!(tell("sum", "$rolls"), @r#"
    error: tools[1] ("tell").input.sum: `$rolls` is a list, `bard/tell` takes an integer
    category: invalid_json
    "#);
}

#[test]
fn an_item_is_what_the_list_holds() {
    let greet = |prompt: &str| {
        tools(json!([
            {"toolId": "find", "toolPath": "memory/search"},
            {"toolId": "greet", "toolPath": "bard/tell", "forEach": "$find.people",
             "maxItems": 4, "input": {"prompt": prompt}},
        ]))
    };
    assert_snapshot!(greet("$item.name"), @r#"
    find memory/search {}
    greet<-find bard/tell {"prompt":"$item.name"} /prompt=item for each of "$find.people" =find (<= 4)
    "#);
    assert_snapshot!(greet("$item.nam"), @r#"
    error: tools[1] ("greet").input.prompt: `$item.nam` leads nowhere: `$item` has no field `nam`
    hint: did you mean `$item.name`?
    category: invalid_json
    "#);
    assert_snapshot!(greet("$item"), @r#"
    error: tools[1] ("greet").input.prompt: `$item` is an object, `bard/tell` takes a string
    hint: parts of it that would do: $item.name
    category: invalid_json
    "#);
    assert_snapshot!(greet("$index"), @r#"
    error: tools[1] ("greet").input.prompt: `$index` is an integer, `bard/tell` takes a string
    category: invalid_json
    "#);
    assert_snapshot!(greet("$index.x"), @r#"
    error: tools[1] ("greet").input.prompt: `$index.x` leads nowhere: `$index` is an integer, which has no fields
    category: invalid_json
    "#);
}

#[test]
fn a_loop_needs_a_list_of_bounded_length() {
    let each = |items: Value, more: Value| {
        let mut tool = json!({"toolId": "a", "toolPath": "any/thing", "forEach": items});
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tools(json!([roll(), tool]))
    };
    assert_snapshot!(each(json!([]), json!({})), @"
    roll dice/roll {}
    a any/thing {} for each of [] (<= 32)
    ");
    assert_snapshot!(each(json!(vec![0; 33]), json!({})), @r#"
    error: tools[1] ("a").forEach has 33 items, the limit is 32
    hint: set `maxItems` to 33, or leave 1 out
    category: invalid_json
    "#);
    assert_snapshot!(each(json!([1, 2, 3]), json!({"maxItems": 2})), @r#"
    error: tools[1] ("a").forEach has 3 items, the limit is 2
    hint: set `maxItems` to 3, or leave 1 out
    category: invalid_json
    "#);
    assert_snapshot!(each(json!(vec![0; 257]), json!({"maxItems": 256})), @r#"
    error: tools[1] ("a").forEach has 257 items, the limit is 256
    hint: spread the list over several steps
    category: invalid_json
    "#);
    assert_snapshot!(each(json!("$roll.text"), json!({})), @r#"
    error: tools[1] ("a").forEach: `$roll.text` is a string, `forEach` takes a list
    category: invalid_json
    "#);
    assert_snapshot!(each(json!("$roll.rols"), json!({})), @r#"
    error: tools[1] ("a").forEach: `$roll.rols` leads nowhere: `$roll` has no field `rols`
    hint: did you mean `$roll.rolls`?
    category: invalid_json
    "#);
    assert_snapshot!(each(json!("roll"), json!({})), @r#"
    error: tools[1] ("a").forEach is "roll"; it is a list, or a reference to one such as `$step.items`
    category: invalid_json
    "#);
    assert_snapshot!(each(json!("$5"), json!({})), @r#"
    error: tools[1] ("a").forEach is "$5"; it is a list, or a reference to one such as `$step.items`
    category: invalid_json
    "#);
    assert_snapshot!(each(json!(["$item"]), json!({})), @r#"
    error: tools[1] ("a").forEach[0]: `$item` refers to `item`, which is not in the plan
    hint: `$item` is known in the `input` of a step with `forEach`; write `$$item` for the text itself
    category: invalid_json
    "#);
    assert_snapshot!(tools(json!([{"toolId": "a", "toolPath": "any/thing", "maxItems": 2}])), @"
    error: step `a` has `maxItems`, but no `forEach`
    hint: add `forEach`, or take it out
    category: invalid_json
    ");
}

#[test]
fn expect_is_a_schema() {
    assert_snapshot!(tools(json!([
        {"toolId": "a", "toolPath": "any/thing", "expect": {"type": "objct"}},
        {"toolId": "b", "toolPath": "any/thing", "expect": {"$ref": "other.json"}},
        {"toolId": "c", "toolPath": "any/thing", "expect": {"required": ["text"]}},
    ])), @r#"
    error: tools[0] ("a").expect: not a usable JSON Schema (2020-12): /type: "objct" is not valid under any of the schemas listed in the 'anyOf' keyword
    error: tools[1] ("b").expect: not a usable JSON Schema (2020-12): Resource 'other.json' is not present in a registry and retrieving it failed: No base URI is available
    hint: `expect` is a JSON Schema that refers to nothing else, such as `{"required": ["text"]}`
    category: invalid_json
    "#);
}

#[test]
fn an_input_with_references_is_checked_around_them() {
    assert_snapshot!(tools(json!([
        roll(),
        {"toolId": "tell", "toolPath": "bard/tell", "input": {
            "prompt": "$roll.text", "sum": "six", "lines": ["$roll.text", 7], "typo": "$roll.text"
        }},
    ])), @r#"
    error: tools[1] ("tell").input.sum: "six" is not of type "integer"
    error: tools[1] ("tell").input.lines[1]: 7 is not of type "string"
    error: tools[1] ("tell").input: Additional properties are not allowed ('typo' was unexpected)
    hint: `bard/tell` takes: prompt, sum, lines
    category: invalid_json
    "#);
}
