//! A campaign's conditions: the names that they may use, how ladders compare, and the messages.

use insta::assert_snapshot;
use serde_json::{Map, Value, json};

use crate::{ConditionVariable, ConditionVocabulary, VariableKind};

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn variables() -> Vec<ConditionVariable> {
    let names = |what: &str, known: &[&str]| (what.to_owned(), words(known));
    let (place, places) = names("place", &["quay", "rope loft"]);
    let (thing, things) = names("thing", &["rope", "brass key"]);
    let (faction, factions) = names("faction", &["Harbour Guild"]);
    let variable = |name: &str, kind| ConditionVariable { name: name.to_owned(), kind };
    vec![
        variable("debt", VariableKind::Ladder { rungs: words(&["quiet", "engaged", "resolved"]) }),
        variable("trust", VariableKind::Whole),
        variable("hour", VariableKind::Whole),
        variable("place", VariableKind::Name { what: place.clone(), known: places.clone() }),
        variable("visited", VariableKind::Names { what: place, known: places }),
        variable("carried", VariableKind::Names { what: thing, known: things }),
        variable("chosen", VariableKind::Names { what: "choice".to_owned(), known: Vec::new() }),
        variable("standing", VariableKind::Numbers { what: faction, known: factions }),
    ]
}

/// The answer in a story, or all errors.
fn ask(text: &str) -> String {
    let vocabulary = ConditionVocabulary::new(variables()).unwrap();
    let compiled = match vocabulary.compile(text) {
        Ok(compiled) => compiled,
        Err(errors) => return errors.join("\n"),
    };
    // This is how a document of the campaign stores it.
    let kept = serde_json::to_string(&compiled).unwrap();
    let compiled: narratoria_conditions::CompiledCondition = serde_json::from_str(&kept).unwrap();
    let facts: Map<String, Value> = match json!({
        "debt": "engaged", "trust": 3, "hour": 19, "place": "quay", "visited": ["quay"],
        "carried": ["rope"], "chosen": ["a/b"], "standing": {},
    }) {
        Value::Object(facts) => facts,
        _ => Map::new(),
    };
    match compiled.holds(&&facts) {
        Ok(holds) => holds.to_string(),
        Err(error) => error,
    }
}

#[track_caller]
fn check(text: &str, expected: bool) {
    assert_eq!(ask(text), expected.to_string(), "{text}");
}

#[test]
fn a_ladder_compares_by_the_order_of_its_rungs() {
    check("debt >= 'engaged'", true);
    check("debt > 'engaged'", false);
    check("debt < 'resolved' && debt <= 'engaged' && debt > 'quiet'", true);
    check("debt == 'engaged' && debt != 'quiet'", true);
    check("'engaged' <= debt && 'resolved' > debt && 'engaged' == debt", true);
    check("debt in ['quiet', 'engaged']", true);
    check("!(debt >= 'resolved') || false", true);
}

#[test]
fn names_are_found_without_case_and_numbers_begin_at_zero() {
    check("place == 'Quay' && 'QUAY' in visited && 'Brass Key' in carried", false);
    check("'Rope' in carried && !('brass key' in carried)", true);
    check("carried.exists(x, x == 'ROPE')", true);
    check("standing['harbour guild'] == 0 && standing['Harbour Guild'] < 1", true);
    check("'a/b' in chosen && !('c/d' in chosen)", true);
    check("place in ['quay', 'rope loft'] && hour >= 18 && trust + 1 == 4", true);
}

#[test]
fn what_a_campaign_does_not_have_is_refused_with_the_nearest() {
    let refused = [
        "debt >= 'engagd'",
        "debt == 'paid'",
        "debt >= 2",
        "debt == trust",
        "debt < 'quiet'",
        "debt in ['quiet', 'gone']",
        "place == 'quey' && 'rop' in carried",
        "'lamp' in carried",
        "place in ['quai']",
        "carried.exists(x, x == 'ropes')",
        "standing['Harbour Gild'] > 1",
        "standing.Watch > 1",
        "has(standing['Harbour Guild'])",
        "'Guild' in standing",
        "hours > 3",
        "state.gold > 3",
        "steps.look == null",
        "place.matches('q.*')",
        "trust > 'a'",
        "",
        "hour >",
    ]
    .map(ask);
    assert_snapshot!(refused.join("\n"), @r#"
    `engagd` is no rung of `debt`; did you mean `engaged`?
    `paid` is no rung of `debt`; there is `quiet`, `engaged`, `resolved`
    `debt` is a ladder: compare it with one of its rungs, `quiet`, `engaged`, `resolved`
    `debt` is a ladder: compare it with one of its rungs, `quiet`, `engaged`, `resolved`
    no rung of `debt` is < `quiet`, so this is never true
    `gone` is no rung of `debt`; there is `quiet`, `engaged`, `resolved`
    there is no place `quey`; did you mean `quay`?
    there is no thing `rop`; did you mean `rope`?
    there is no thing `lamp`; there is `rope`, `brass key`
    there is no place `quai`; did you mean `quay`?
    there is no thing `ropes`; did you mean `rope`?
    there is no faction `Harbour Gild`; did you mean `Harbour Guild`?
    there is no faction `Watch`; there is `Harbour Guild`
    `has` asks for one field, such as `has(state.door)`
    there is no faction `Guild`; there is `Harbour Guild`
    there is no variable `hours`; did you mean `hour`?
    there is no variable `state`; a condition here knows carried, chosen, debt, hour, place, standing, trust, visited
    there is no variable `steps`; a condition here knows carried, chosen, debt, hour, place, standing, trust, visited
    `matches` is not known to a condition here; use `contains`, `startsWith` or `endsWith`
    `>` cannot be used between `trust`, which is a whole number, and `"a"`, which is text
    the condition is empty; leave it out
    the condition is no CEL expression: column 7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!',…
    "#);
}

#[test]
fn variables_that_cannot_be_are_refused() {
    let ladder = |name: &str, rungs: &[&str]| ConditionVariable {
        name: name.to_owned(),
        kind: VariableKind::Ladder { rungs: words(rungs) },
    };
    let wrong = vec![
        ladder("Debt", &["a", "b"]),
        ladder("in", &["a", "b"]),
        ladder("size", &["a", "b"]),
        ladder("one", &["a"]),
        ladder("twice", &["a", "b", "a"]),
        ladder("twice", &["a", "b"]),
    ];
    assert_snapshot!(ConditionVocabulary::new(wrong).unwrap_err().join("\n"), @r#"
    `Debt` cannot be a variable: it must be letters (a-z), digits and underscores, a letter first
    `in` cannot be a variable: it is a word of conditions
    `size` cannot be a variable: it is a word of conditions
    the ladder `one` needs two rungs or more
    the ladder `twice` has the rung `a` twice
    the variable `twice` is declared twice
    "#);
}
