//! Each gate alone, their order, and which storylets of a turn fire.

use narratoria_sdk::json;

use super::{Play, deed, shown, texts, unfired};

#[track_caller]
fn check(storylets: narratoria_sdk::Value, deeds: &[&str], expect: &str) {
    let deeds: Vec<_> = deeds.iter().map(|text| deed(text)).collect();
    assert_eq!(shown(&Play::deck(storylets).advance(&deeds)), expect);
}

#[test]
fn a_storylet_without_conditions_fires_once() {
    let mut play = Play::deck(json!([{ "id": "a", "text": "A gull lands." }]));
    let turn = play.advance(&[]);
    assert_eq!((shown(&turn), texts(&turn)), ("a | ".to_owned(), vec!["A gull lands."]));
    assert_eq!(shown(&play.advance(&[])), " | a (once)");
}

#[test]
fn place_people_and_deeds_must_fit() {
    check(
        json!([{ "id": "a", "at": "harbour" }, { "id": "b", "at": ["harbour", "Quay"] }]),
        &[],
        "b | a (place)",
    );
    check(
        json!([{ "id": "a", "present": ["Mina Holt", "Old Tam"] }, { "id": "b", "present": "Mina Holt" }]),
        &[],
        "b | a (present)",
    );
    let on = json!([
        { "id": "a", "on": { "verb": "take", "target": "rope" } },
        { "id": "b", "on": { "verb": ["take", "drop"], "target": "lamp" } },
        { "id": "c", "on": [{ "verb": "look" }, { "topic": "The Ropes" }] },
    ]);
    check(on.clone(), &["take rope"], "a | b (on), c (on)");
    check(on.clone(), &["drop lamp", "ask Mina Holt: the ropes"], "b c | a (on)");
    check(on, &[], " | a (on), b (on), c (on)");
}

#[test]
fn a_condition_reads_qualities_and_the_world() {
    let storylets = json!([
        { "id": "a", "when": "debt >= 'engaged'" },
        { "id": "b", "when": "hour >= 18 && 'rope' in carried && trust == 2" },
        { "id": "c", "when": "standing['Guild'] > 0" },
    ]);
    check(storylets, &[], "b | a (when: debt >= 'engaged'), c (when: standing['Guild'] > 0)");
}

#[test]
fn the_first_closed_gate_is_reported_in_the_order_of_the_gates() {
    let all = json!({
        "id": "a", "at": "harbour", "present": "Old Tam", "on": { "verb": "take" },
        "when": "trust > 5", "chance": 0.0, "cooldown": 5,
    });
    let mut play = Play::deck(json!([all]));
    let next = |play: &mut Play, deeds: &[&str], expect: &str| {
        let deeds: Vec<_> = deeds.iter().map(|text| deed(text)).collect();
        assert_eq!(shown(&play.advance(&deeds)), format!(" | a ({expect})"));
    };
    next(&mut play, &[], "place");
    play.view["place"] = json!("harbour");
    next(&mut play, &[], "present");
    play.view["present"] = json!(["Old Tam"]);
    next(&mut play, &[], "on");
    next(&mut play, &["take rope"], "when: trust > 5");
    play.now.qualities.insert("trust".to_owned(), crate::now::QualityValue::Number(9));
    next(&mut play, &["take rope"], "chance");
    play.now.fired.insert("a".to_owned(), play.now.turn);
    next(&mut play, &["take rope"], "cooldown");
}

#[test]
fn a_cooldown_of_two_leaves_two_turns_between() {
    let mut play = Play::deck(json!([{ "id": "a", "cooldown": 2, "texts": ["one", "two"] }]));
    let fired: Vec<bool> = (0..7).map(|_| !play.advance(&[]).fired.is_empty()).collect();
    assert_eq!(fired, [true, false, false, true, false, false, true]);
}

#[test]
fn the_nearest_misses_come_first() {
    let storylets = json!([
        { "id": "far", "at": "harbour" },
        { "id": "told", "text": "x" },
        { "id": "near", "on": { "verb": "take" } },
        { "id": "nearest", "when": "trust > 5" },
        { "id": "part", "linked": true },
    ]);
    let mut play = Play::deck(storylets);
    play.advance(&[]);
    let expect = " | nearest (when: trust > 5), near (on), far (place), told (once), part (linked)";
    assert_eq!(shown(&play.advance(&[])), expect);
}

#[test]
fn priority_then_specificity_decide_who_claims_a_person() {
    let storylets = json!([
        { "id": "plain", "present": "Mina Holt" },
        { "id": "special", "present": "Mina Holt", "when": "hour > 1 && trust < 9" },
        { "id": "urgent", "present": "Mina Holt", "priority": 51 },
        { "id": "free", "present": "Mina Holt", "claims": [] },
    ]);
    let mut play = Play::deck(storylets);
    assert_eq!(shown(&play.advance(&[])), "urgent free | plain (claims), special (claims)");
    assert_eq!(shown(&play.advance(&[])), "special | plain (claims), urgent (once), free (once)");
}

#[test]
fn a_deck_fires_as_often_as_it_may_and_a_turn_has_three_at_most() {
    let storylet = |id: &str| json!({ "id": id });
    let mut play = Play::of(json!({ "decks": {
        "many": { "per_turn": 9, "storylet": [storylet("a"), storylet("b"), storylet("c"), storylet("d")] },
        "one": { "storylet": [storylet("e"), storylet("f")] },
    } }));
    let turn = play.advance(&[]);
    assert_eq!(turn.fired.len(), 3);
    let of_one = turn.fired.iter().filter(|one| one.deck == "one").count();
    assert!(of_one <= 1, "{turn:?}");
    assert!(turn.checked.iter().all(|one| one.failed == "per-turn"));
}

#[test]
fn chance_is_that_of_the_seed() {
    let storylets = json!([{ "id": "a", "chance": 0.25, "cooldown": 0 }]);
    let fired = |seed: u64| {
        let mut play = Play::deck(storylets.clone());
        play.seed = seed;
        (0..400).map(|_| play.advance(&[]).fired.len()).collect::<Vec<_>>()
    };
    assert_eq!(fired(7), fired(7));
    assert_ne!(fired(7), fired(8));
    let count: usize = fired(7).iter().sum();
    assert!((60..=140).contains(&count), "{count} of 400");
}

#[test]
fn each_text_is_told_before_one_comes_again_and_none_twice_in_a_row() {
    let mut play = Play::deck(json!([{ "id": "a", "cooldown": 0, "texts": ["1", "2", "3", "4"] }]));
    let mut told: Vec<String> = Vec::new();
    for _ in 0..40 {
        play.now.fired.clear();
        told.push(texts(&play.advance(&[])).concat());
    }
    for round in told.chunks(4).take(1) {
        let mut round = round.to_vec();
        round.sort();
        assert_eq!(round, ["1", "2", "3", "4"]);
    }
    assert!(told.windows(2).all(|pair| pair[0] != pair[1]), "{told:?}");
}

#[test]
fn qualities_change_as_the_storylet_says_and_no_further() {
    let mut play = Play::deck(json!([
        { "id": "a", "sets": { "debt": "engaged", "nothing": "x" }, "raises": { "trust": 3 } },
        { "id": "b", "when": "debt == 'engaged'", "raises": { "trust": 99 } },
    ]));
    // Conditions see the moment before the turn.
    assert_eq!(shown(&play.advance(&[])), "a | b (when: debt == 'engaged')");
    assert_eq!(json!(play.now.qualities), json!({ "debt": "engaged", "trust": 5 }));
    play.advance(&[]);
    assert_eq!(json!(play.now.qualities), json!({ "debt": "engaged", "trust": 10 }));
}

#[test]
fn what_it_changes_elsewhere_is_handed_on() {
    let mut play = Play::deck(json!([{
        "id": "a", "changes": [{ "move": "rope", "to": "you" }, { "minutes": 30 }],
        "reputation": { "Guild": 5 }, "feelings": { "Mina Holt": -10 },
        "opens": { "thread": "Who cut the ropes?", "importance": "high" }, "closes": "The rain", "remember": "Rain.",
    }]));
    let turn = play.advance(&[]);
    let said = json!(turn);
    assert_eq!(said["changes"], json!([{ "move": "rope", "to": "you" }, { "minutes": 30 }]));
    assert_eq!(said["reputation"], json!([{ "faction": "Guild", "by": 5 }]));
    assert_eq!(said["feelings"], json!([{ "person": "Mina Holt", "by": -10 }]));
    assert_eq!(
        (turn.opens.len(), turn.closes.concat(), turn.remember.concat()),
        (1, "The rain".to_owned(), "Rain.".to_owned())
    );
}

#[test]
fn an_ending_stops_the_plot() {
    let mut play = Play::of(json!({
        "qualities": { "ladder": { "debt": ["quiet", "resolved"] } },
        "decks": { "deck": { "storylet": [
            { "id": "a", "sets": { "debt": "resolved" }, "choices": [{ "label": "Go on" }] }, { "id": "b" },
        ] } },
        "endings": { "ending": [
            { "id": "poor", "title": "Poor", "when": "debt == 'resolved'", "text": "You are poor." },
            { "id": "home", "title": "Home", "when": "debt == 'resolved'", "text": "You are home.", "priority": 60 },
        ] },
    }));
    play.now.fired.insert("b".to_owned(), 0);
    let turn = play.advance(&[]);
    let fact = turn.facts.last().unwrap();
    assert_eq!(
        (fact.fact.as_str(), fact.object.as_deref(), fact.text.as_str()),
        ("ended", Some("Home"), "You are home.")
    );
    assert!(turn.offered.is_empty());
    play.now.fired.clear();
    assert_eq!(shown(&play.advance(&[])), " | ");
}

#[test]
fn only_the_texts_of_decks_that_fire_are_read() {
    let decks: std::collections::BTreeMap<String, narratoria_sdk::Value> = (0..100)
        .map(|deck| {
            let storylets: Vec<_> = (0..10)
                .map(|at| json!({ "id": format!("s{deck}-{at}"), "at": "far away", "text": "x" }))
                .collect();
            (format!("d{deck}"), json!({ "storylet": storylets }))
        })
        .collect();
    let mut decks = json!(decks);
    decks["d7"]["storylet"][3]["at"] = json!("quay");
    let mut play = Play::of(json!({ "decks": decks }));
    let turn = play.advance(&[]);
    assert_eq!((turn.fired.len(), unfired(&turn).len(), turn.checked_left_off), (1, 999, 0));
    assert_eq!(play.read, ["d7"]);
    // What is read after each action stays small.
    let bytes = json!(play.documents.gates).to_string().len();
    assert!(bytes < 100 * 1_000, "{bytes}");
}

/// The world knows an author's verb by name alone. What answers a deed says which one, so that nobody tells it twice.
#[test]
fn a_verb_of_the_authors_own_is_a_deed_that_a_storylet_answers() {
    let act = json!({ "results": [{ "done": true,
        "action": { "action": "own", "text": "tag", "target": "ewe" } }] });
    let mut play = Play::deck(json!([
        { "id": "tagged", "on": { "verb": "tag", "target": "ewe" }, "text": "The tag goes through." },
        { "id": "rain", "text": "It rains." },
    ]));
    let turn = play.advance(&crate::action::ActReport::read(Some(&act)).done());
    let told = |text: &str| {
        let fact = turn.facts.iter().find(|fact| fact.text == text).unwrap();
        (fact.because.clone().unwrap_or_default(), fact.object.clone().unwrap_or_default())
    };
    assert_eq!(told("The tag goes through."), ("deed".to_owned(), "ewe".to_owned()));
    assert_eq!(told("It rains."), (String::new(), String::new()));
}
