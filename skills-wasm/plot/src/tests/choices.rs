//! Choices, what follows them, and hints.

use narratoria_sdk::{Value, json};

use super::{Play, deed, shown, texts};

fn offering() -> Value {
    json!([
        { "id": "ask", "text": "Mina waits.", "choices": [
            { "label": "Tell her the truth", "text": "You tell her.", "raises": { "trust": 1 }, "then": "thanks" },
            { "label": "Say nothing", "when": "trust > 1" },
            { "label": "Shout", "when": "trust > 5" },
        ] },
        { "id": "thanks", "linked": true, "text": "She thanks you.", "choices": [{ "label": "Bow" }] },
        { "id": "later", "when": "'ask/tell-her-the-truth' in chosen", "text": "Mina waves." },
    ])
}

fn labels(play: &Play) -> Vec<&str> {
    play.now.offered.iter().map(|choice| choice.label.as_str()).collect()
}

#[test]
fn a_storylet_offers_the_choices_whose_condition_holds() {
    let mut play = Play::deck(offering());
    let turn = play.advance(&[]);
    assert_eq!(labels(&play), ["Tell her the truth", "Say nothing"]);
    assert_eq!(turn.offered, play.now.offered);
}

#[test]
fn a_choice_is_told_and_leads_to_the_next_storylet() {
    let mut play = Play::deck(offering());
    play.advance(&[]);
    let turn = play.choose("tell her the TRUTH").unwrap();
    assert_eq!(texts(&turn), ["You tell her.", "She thanks you."]);
    assert_eq!((shown(&turn), labels(&play)), ("thanks | ".to_owned(), vec!["Bow"]));
    assert_eq!(json!(play.now.chosen), json!({ "ask/tell-her-the-truth": 2 }));
    assert_eq!(json!(play.now.qualities["trust"]), json!(3));
    assert_eq!(texts(&play.advance(&[])), ["Mina waves."]);
}

#[test]
fn what_is_not_offered_cannot_be_chosen() {
    let mut play = Play::deck(offering());
    let error = play.choose("Shout").unwrap_err();
    assert_eq!(error.message, "`Shout` cannot be chosen: nothing is offered now");
    play.advance(&[]);
    let error = play.choose("Shout").unwrap_err();
    assert_eq!(
        error.message,
        "`Shout` cannot be chosen; offered are \u{201c}Tell her the truth\u{201d}, \u{201c}Say nothing\u{201d}"
    );
}

#[test]
fn a_choice_that_has_become_impossible_changes_nothing() {
    let mut play = Play::deck(offering());
    play.advance(&[]);
    play.now.qualities.insert("trust".to_owned(), crate::now::QualityValue::Number(0));
    let turn = play.choose("Say nothing").unwrap();
    assert_eq!(texts(&turn), ["It is too late for that now."]);
    assert!(play.now.chosen.is_empty() && play.now.offered.is_empty());
}

#[test]
fn choices_lapse_when_the_player_has_done_something_else_three_times() {
    let mut play = Play::deck(offering());
    play.advance(&[]);
    // A sentence that was not understood is no answer.
    for _ in 0..5 {
        play.advance(&[]);
    }
    assert_eq!(labels(&play).len(), 2);
    for left in [2, 2, 0] {
        play.advance(&[deed("take rope")]);
        assert_eq!(labels(&play).len(), left);
    }
    assert_eq!(
        play.choose("Say nothing").unwrap_err().message,
        "`Say nothing` cannot be chosen: nothing is offered now"
    );
}

#[test]
fn choices_that_last_stay_until_one_of_them_is_taken() {
    let mut play = Play::deck(json!([
        { "id": "well", "lasting": true, "choices": [{ "label": "Lean over" }, { "label": "Call" }] },
        { "id": "owl", "on": { "verb": "listen" }, "choices": [{ "label": "Hoot" }, { "label": "Call" }] },
    ]));
    play.advance(&[]);
    for _ in 0..5 {
        play.advance(&[deed("take rope")]);
    }
    play.view["place"] = json!("yard");
    play.advance(&[deed("go north")]);
    assert_eq!(labels(&play), ["Lean over", "Call"]);
    // New choices come first. Of two with the same label, only the new one is offered.
    play.advance(&[deed("listen")]);
    assert_eq!(labels(&play), ["Hoot", "Call", "Lean over"]);
    play.choose("Hoot").unwrap();
    assert_eq!(labels(&play), ["Lean over"]);
    play.choose("Lean over").unwrap();
    assert!(labels(&play).is_empty());
}

#[test]
fn a_choice_that_is_no_longer_possible_is_not_offered() {
    let mut play = Play::deck(offering());
    play.advance(&[]);
    play.now.qualities.insert("trust".to_owned(), crate::now::QualityValue::Number(0));
    play.advance(&[]);
    assert_eq!(labels(&play), ["Tell her the truth"]);
    let storylets = json!([{ "id": "a", "present": "Mina Holt", "choices": [{ "label": "Bow" }] }]);
    let mut play = Play::deck(storylets);
    play.advance(&[]);
    assert_eq!(labels(&play), ["Bow"]);
    play.view["present"] = json!([]);
    play.advance(&[]);
    assert!(labels(&play).is_empty());
}

#[test]
fn what_asks_the_player_something_is_told_last() {
    let mut play = Play::deck(json!([
        { "id": "ask", "priority": 90, "text": "What do you write?", "choices": [{ "label": "Rain" }] },
        { "id": "wind", "priority": 50, "text": "The wind stops." },
        { "id": "owl", "priority": 10, "text": "An owl calls." },
    ]));
    let turn = play.advance(&[]);
    assert_eq!(texts(&turn), ["The wind stops.", "An owl calls.", "What do you write?"]);
    assert_eq!(shown(&turn), "ask wind owl | ");
    assert_eq!(labels(&play), ["Rain"]);
}

#[test]
fn choices_stay_until_the_player_leaves_or_others_are_offered() {
    let mut play = Play::deck(offering());
    play.advance(&[]);
    play.advance(&[]);
    assert_eq!(labels(&play).len(), 2);
    play.view["place"] = json!("mill");
    play.advance(&[]);
    assert!(labels(&play).is_empty());
}

#[test]
fn what_follows_a_choice_fires_once_and_under_its_condition() {
    let storylets = json!([
        { "id": "a", "cooldown": 0, "choices": [{ "label": "x", "then": "b" }, { "label": "y", "then": "c" }] },
        { "id": "b", "linked": true, "at": "far away", "text": "B" },
        { "id": "c", "linked": true, "when": "trust > 5", "text": "C" },
    ]);
    let mut play = Play::deck(storylets);
    play.advance(&[]);
    assert_eq!(texts(&play.choose("x").unwrap()), ["B"]);
    play.advance(&[]);
    assert_eq!(shown(&play.choose("x").unwrap()), " | b (once)");
    play.advance(&[]);
    play.advance(&[]);
    assert_eq!(shown(&play.choose("y").unwrap()), " | c (when: trust > 5)");
}

#[test]
fn a_hint_is_the_campaigns_or_that_of_a_storylet_that_waits() {
    let storylets = json!([
        { "id": "a", "at": "harbour", "hint": "The harbour might be worth a look." },
        { "id": "b", "at": "harbour", "when": "trust > 5", "hint": "Never.", "priority": 90 },
    ]);
    let mut play = Play::deck(storylets.clone());
    assert_eq!(play.hint().as_deref(), Some("The harbour might be worth a look."));
    play.now.fired.insert("a".to_owned(), 0);
    assert_eq!(play.hint(), None);
    let mut play = Play::of(json!({
        "qualities": { "counter": { "trust": { "to": 10 } } },
        "decks": { "deck": { "storylet": storylets } },
        "hints": { "hint": [{ "when": "hour < 6", "text": "Sleep." }, { "when": "hour > 18", "text": "Light a lamp." }] },
    }));
    assert_eq!(play.hint().as_deref(), Some("Light a lamp."));
}
