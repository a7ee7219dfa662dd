//! The words of the plain front end: one text for each thing. Pure.

use std::time::Duration;

use narratoria_engine::NarrativeChoice;
use narratoria_protocol::{Event, Message, ResourceUsage};
use serde_json::Value;

use super::text::visible_line;

/// Most dice shown one by one; a skill may roll a thousand.
const DICE_SHOWN_MAX: usize = 20;

/// Names that a line lists one by one.
const NAMED_MAX: usize = 4;

/// Names in a sentence, the first four of them: "`a`, `b`, `c`, `d` and 3 more".
pub fn some_names<T: AsRef<str>>(names: &[T]) -> String {
    let first: Vec<String> =
        names.iter().take(NAMED_MAX).map(|name| format!("`{}`", name.as_ref())).collect();
    match names.len().saturating_sub(NAMED_MAX) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Lists choices with the numbers by which the player picks them.
pub fn choices_list(choices: &[NarrativeChoice]) -> String {
    let number = |(at, choice): (usize, &NarrativeChoice)| {
        format!("  {}. {}\n", at + 1, visible_line(&choice.label))
    };
    choices.iter().enumerate().map(number).collect()
}

/// Returns a script's question with the answers that it offers, and the skill that asks if the player does not know it.
pub fn question_text(asker: Option<&str>, question: &str, choices: &[String]) -> String {
    let number = |(at, label): (usize, &String)| format!("  {}. {}\n", at + 1, visible_line(label));
    let choices: String = choices.iter().enumerate().map(number).collect();
    let question = visible_line(question);
    match asker {
        Some(asker) => format!("{} asks: {question}\n{choices}", visible_line(asker)),
        None => format!("{question}\n{choices}"),
    }
}

/// Returns a roll of dice in the usual form, `roll 1d20+5: [14] + 5 = 19`, as far as the payload has the parts. Dice
/// that do not count stand in parentheses.
pub(super) fn dice_line(payload: Option<&Value>) -> String {
    let field = |name: &str| payload.and_then(|payload| payload.get(name));
    let text = |name: &str| field(name).and_then(Value::as_str).map(visible_line);
    let number = |name: &str| field(name).and_then(Value::as_i64);
    let mut line = "roll".to_owned();
    if let Some(formula) = text("formula") {
        line += &format!(" {formula}");
    }
    if let Some(mode) = text("mode").filter(|mode| mode != "normal") {
        line += &format!(" with {mode}");
    }
    line.push(':');
    if let Some(dice) = field("dice").and_then(Value::as_array) {
        let shown: Vec<String> = dice.iter().take(DICE_SHOWN_MAX).map(die_text).collect();
        let more = if dice.len() > DICE_SHOWN_MAX { ", …" } else { "" };
        line += &format!(" [{}{more}]", shown.join(", "));
    }
    match number("modifier") {
        Some(0) | None => {}
        Some(modifier) if modifier < 0 => line += &format!(" - {}", modifier.unsigned_abs()),
        Some(modifier) => line += &format!(" + {modifier}"),
    }
    match number("total") {
        Some(total) => format!("{line} = {total}"),
        None => line,
    }
}

fn die_text(die: &Value) -> String {
    let value = die.get("value").and_then(Value::as_i64);
    let value = value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let counts = die.get("kept").and_then(Value::as_bool).unwrap_or(true);
    if counts { value } else { format!("({value})") }
}

/// Returns one event of a script, for its author.
pub fn event_line(message: &Message) -> String {
    let compact = |value: &Value| visible_line(&value.to_string());
    let optional = |value: Option<&Value>| value.map(|value| format!(" {}", compact(value)));
    match &message.event {
        Event::Log { level, message, .. } => {
            format!("{}: {}", level.as_str(), visible_line(message))
        }
        Event::StatePatch { .. } => {
            format!("state_patch: {}", compact(&message.to_json()["patch"]))
        }
        Event::Asset { asset_id, kind, media_type, path, .. } => {
            visible_line(&format!("asset: `{asset_id}`, {kind} ({media_type}), at `{path}`"))
        }
        Event::UiEvent { event, payload } => {
            format!(
                "ui_event: {}{}",
                visible_line(event),
                optional(payload.as_ref()).unwrap_or_default()
            )
        }
        Event::Error { error_code, error_message, .. } => {
            visible_line(&format!("error: {error_message} ({error_code})"))
        }
        Event::Done { ok, summary, output } => {
            let word = if *ok { "ok" } else { "not ok" };
            let summary = summary.as_ref().map(|text| format!(", {}", visible_line(text)));
            let output = output.as_ref().filter(|output| !output.is_empty());
            let output = output.map(|output| compact(&Value::Object(output.clone())));
            format!(
                "done: {word}{}{}",
                summary.unwrap_or_default(),
                output.map(|output| format!("\noutput: {output}")).unwrap_or_default()
            )
        }
    }
}

/// Returns the resources that an invocation used. Leaves out a time of zero, because repeatable runs measure none.
pub fn usage_line(usage: &ResourceUsage) -> String {
    let time = match usage.elapsed {
        Duration::ZERO => String::new(),
        elapsed => format!(", {:.1} ms", elapsed.as_secs_f64() * 1e3),
    };
    format!(
        "used: {} fuel, {} KiB of memory, {} bytes of stdout{time}",
        usage.fuel,
        usage.memory_bytes_peak.div_ceil(1 << 10),
        usage.stdout_bytes,
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use narratoria_engine::NarrativeChoice;
    use narratoria_protocol::{Event, Message, ResourceUsage};
    use serde_json::{Value, json};

    use super::{choices_list, dice_line, event_line, some_names, usage_line};

    #[test]
    fn a_sentence_names_a_few_and_counts_the_others() {
        let names =
            |count: usize| some_names(&["ash", "birch", "cedar", "elm", "fir", "gorse"][..count]);
        assert_eq!(names(1), "`ash`");
        assert_eq!(names(4), "`ash`, `birch`, `cedar`, `elm`");
        assert_eq!(names(6), "`ash`, `birch`, `cedar`, `elm` and 2 more");
    }

    #[track_caller]
    fn check_dice(payload: Value, expect: &str) {
        assert_eq!(dice_line(Some(&payload)), expect);
    }

    #[test]
    fn a_roll_reads_as_players_write_it() {
        check_dice(
            json!({"formula": "1d20+5", "mode": "normal", "dice": [{"sides": 20, "value": 14, "kept": true}],
                "modifier": 5, "total": 19}),
            "roll 1d20+5: [14] + 5 = 19",
        );
        check_dice(
            json!({"formula": "1d20-1", "mode": "advantage",
                "dice": [{"value": 3, "kept": false}, {"value": 4, "kept": true}],
                "modifier": -1, "total": 3}),
            "roll 1d20-1 with advantage: [(3), 4] - 1 = 3",
        );
    }

    #[test]
    fn a_roll_without_all_parts_shows_those_it_has() {
        check_dice(json!({"total": 4}), "roll: = 4");
        check_dice(json!({"formula": "\u{1b}[2J", "dice": ["x"]}), r"roll \u{1b}[2J: [?]");
        check_dice(json!([]), "roll:");
    }

    #[test]
    fn a_thousand_dice_fit_on_a_line() {
        let dice = vec![json!({"value": 6}); 1_000];
        assert!(dice_line(Some(&json!({ "dice": dice }))).len() < 100);
    }

    #[test]
    fn choices_are_numbered_from_one() {
        let choice =
            |label: &str| NarrativeChoice { id: None, label: label.to_owned(), prompt: None };
        insta::assert_snapshot!(choices_list(&[choice("Run"), choice("Hide\n\u{7}")]), @r"
          1. Run
          2. Hide \u{7}
        ");
    }

    #[test]
    fn every_event_has_a_line() {
        let line = |event: Event| event_line(&Message { request_id: None, timestamp: None, event });
        let object = |value: Value| value.as_object().cloned().unwrap();
        let patch = object(json!({"door": {"open": true}}));
        assert_eq!(line(Event::StatePatch { patch }), r#"state_patch: {"door":{"open":true}}"#);
        assert_eq!(
            line(Event::UiEvent { event: "map".to_owned(), payload: Some(json!([1])) }),
            "ui_event: map [1]"
        );
        assert_eq!(
            line(Event::Error {
                error_code: "BAD_DICE".to_owned(),
                error_message: "`1x` is no dice".to_owned(),
                details: None
            }),
            "error: `1x` is no dice (BAD_DICE)"
        );
        let output = Some(object(json!({"total": 4})));
        assert_eq!(
            line(Event::Done { ok: true, summary: Some("a four".to_owned()), output }),
            "done: ok, a four\noutput: {\"total\":4}"
        );
    }

    #[test]
    fn usage_is_one_line() {
        let usage = ResourceUsage {
            fuel: 12_345,
            memory_bytes_peak: 1_114_112,
            stdout_bytes: 230,
            elapsed: Duration::from_micros(1_250),
            network_failures: 0,
        };
        insta::assert_snapshot!(usage_line(&usage), @"used: 12345 fuel, 1088 KiB of memory, 230 bytes of stdout, 1.2 ms");
    }
}
