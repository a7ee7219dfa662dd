//! The lines that a step's scripts wrote into their log, read from an execution result. Pure.

use serde_json::Value;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillLogLine {
    /// `debug`, `info`, `warn` or `error`.
    pub level: String,
    /// The message with its fields, and the attempt if there were several. Untrusted.
    pub text: String,
}

/// Returns the lines of a tool's result, in the order of its attempts. The last one counts those that the record left
/// off.
pub fn skill_log(result: &Value) -> Vec<SkillLogLine> {
    let attempts = result.get("attempts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut lines = Vec::new();
    for (at, attempt) in attempts.iter().enumerate() {
        let prefix =
            if attempts.len() > 1 { format!("attempt {}: ", at + 1) } else { String::new() };
        let events = attempt.get("events").and_then(Value::as_array).into_iter().flatten();
        lines.extend(events.filter_map(|event| log_line(event, &prefix)));
        if let Some(left_off) = attempt.get("eventsLeftOff").and_then(Value::as_u64) {
            let text = format!("{prefix}and {left_off} events more that the record left off");
            lines.push(SkillLogLine { level: "info".to_owned(), text });
        }
    }
    lines
}

/// Returns the line of a log or of an error event.
fn log_line(event: &Value, prefix: &str) -> Option<SkillLogLine> {
    let text = |field: &str| event.get(field).and_then(Value::as_str);
    match text("type")? {
        "log" => {
            let fields = event.get("fields").map(|fields| format!(" {fields}")).unwrap_or_default();
            let text = format!("{prefix}{}{fields}", text("message")?);
            Some(SkillLogLine { level: event.get("level")?.as_str()?.to_owned(), text })
        }
        "error" => {
            let text = format!("{prefix}{} ({})", text("errorMessage")?, text("errorCode")?);
            Some(SkillLogLine { level: "error".to_owned(), text })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::skill_log;

    fn lines(result: &Value) -> Vec<String> {
        let lines = skill_log(result);
        lines.into_iter().map(|line| format!("{} {}", line.level, line.text)).collect()
    }

    #[test]
    fn logs_and_errors_of_every_attempt_are_lines() {
        let log = json!({"type": "log", "level": "info", "message": "still here"});
        let fields =
            json!({"type": "log", "level": "warn", "message": "slow", "fields": {"ms": 9}});
        let error = json!({"type": "error", "errorCode": "LOST", "errorMessage": "no luck"});
        let done = json!({"type": "done", "ok": true});
        assert_eq!(
            lines(&json!({"attempts": [
                {"events": [log, error], "eventsLeftOff": 3},
                {"events": [fields, done]},
            ]})),
            [
                "info attempt 1: still here",
                "error attempt 1: no luck (LOST)",
                "info attempt 1: and 3 events more that the record left off",
                "warn attempt 2: slow {\"ms\":9}",
            ]
        );
        assert_eq!(lines(&json!({"attempts": [{"events": [log]}]})), ["info still here"]);
    }

    #[test]
    fn what_is_no_result_has_no_lines() {
        for result in
            [json!(null), json!([1]), json!({"attempts": [{"events": [1, {"type": "log"}]}]})]
        {
            assert!(skill_log(&result).is_empty(), "{result}");
        }
    }
}
