//! Plan records (S3) for people: one record, a list of them, the difference of two. Pure. Reads
//! records as JSON, so that an exported file is shown like the story's own record.

use serde_json::Value;

use super::{
    Look, Tone,
    skill_log::{SkillLogLine, skill_log},
    table::{fit_cells, render_cut_table, render_table},
    text::{cut_line, visible_line},
    wrap::wrap_prose_and_words,
};

const STEPS_HEADING: [&str; 6] = ["#", "STEP", "STATUS", "BY", "TOOK", "STARTED"];

/// The columns of the step and of its executor, and the most columns of their cells if the table does not fit.
const STEP: usize = 1;
const BY: usize = 3;
const CELLS: [(usize, usize); 2] = [(STEP, 24), (BY, 24)];

/// Columns of an output if lines have no limit; `plan export` has all of it.
const OUTPUT_COLUMNS: usize = 100;

const INDENT: &str = "     ";

/// A shorter overrun is not reported, however short the step was expected to be.
const OVERRUN_SECONDS_MIN: f64 = 0.25;

/// One line of `plan list`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanListRow {
    /// Its number in the story.
    pub ordinal: u64,
    /// The first characters of its id.
    pub id: String,
    pub turn: u64,
    pub version: u32,
    pub planner: String,
    pub status: String,
    pub task: String,
}

pub fn plans_table(rows: &[PlanListRow], look: Look) -> String {
    let rows: Vec<[String; 7]> = rows
        .iter()
        .map(|row| {
            [
                row.ordinal.to_string(),
                row.id.clone(),
                row.turn.to_string(),
                row.version.to_string(),
                row.planner.clone(),
                row.status.clone(),
                row.task.clone(),
            ]
        })
        .collect();
    let heads = ["PLAN", "ID", "TURN", "VERSION", "BY", "STATUS", "TASK"];
    headed(&render_table(heads, &rows, look.width), look)
}

/// Returns one plan with its lineage and the result of each step, and the log of its scripts if [`Look::logs`] is set.
pub fn record_view(record: &Value, look: Look) -> String {
    let say = |name: &str| field_text(record, name);
    let mut text = String::new();
    let title = cut(&format!("plan {}", say("id").unwrap_or_default()), "", look);
    text += &Tone::Strong.paint(&title, look.colour_out);
    text.push('\n');
    let version = say("version").map(|version| format!(", version {version}"));
    let status = words(&say("status").unwrap_or_default()) + &version.unwrap_or_default();
    let made = match (say("createdBy"), say("createdAt")) {
        (Some(by), Some(at)) => Some(format!("{by}, {at}")),
        (by, at) => by.or(at),
    };
    let facts = [
        ("status", Some(status)),
        ("task", say("task")),
        ("made by", made),
        ("changed", say("updatedAt").filter(|at| Some(at) != say("createdAt").as_ref())),
        ("follows", say("previousPlanId")),
        ("changes", say("changes")),
        ("because", say("reasoning")),
        ("took", duration_text(record)),
        ("memory", sentences(record, "memories")),
        ("keep to", sentences(record, "constraints")),
        ("learned", sentences(record, "discoveries")),
    ];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            text += &hanging(&format!("{name:7}  "), &fact, look);
        }
    }
    let steps = record.get("steps").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if steps.is_empty() {
        return text;
    }
    text.push('\n');
    let mut rows = step_rows(steps);
    let whole = rows.clone();
    let cut = fit_cells(STEPS_HEADING, &mut rows, &CELLS, look);
    let table = headed(&render_cut_table(STEPS_HEADING, &rows, look.width), look);
    let mut lines = table.lines();
    text += lines.next().unwrap_or_default();
    text.push('\n');
    for (((line, step), cut), whole) in lines.zip(steps).zip(&cut).zip(&whole) {
        text += line;
        text.push('\n');
        for (column, what) in [(STEP, "step"), (BY, "by")] {
            if cut.contains(&column) {
                let line = hanging(INDENT, &format!("{what} {}", whole[column]), look);
                text += &painted(Tone::Notice, &line, look);
            }
        }
        step_details(step, look, &mut text);
        if look.logs {
            text += &step_log(record, step, look);
        }
    }
    text
}

/// Returns the lines that the scripts of a step wrote into their log.
fn step_log(record: &Value, step: &Value, look: Look) -> String {
    let results = record.pointer("/result/toolResults").and_then(Value::as_array);
    let id = step.get("toolId");
    let result = results.into_iter().flatten().find(|result| result.get("toolId") == id);
    let lines = result.map(skill_log).unwrap_or_default();
    let lines = lines.iter().map(|SkillLogLine { level, text }| {
        let tone = match level.as_str() {
            "warn" => Tone::Warning,
            "error" => Tone::Error,
            _ => Tone::Notice,
        };
        painted(tone, &hanging(INDENT, &format!("log {level}: {text}"), look), look)
    });
    lines.collect()
}

/// Colours the lines of a difference: added, removed, changed.
pub fn diff_view<T: AsRef<str>>(lines: &[T], look: Look) -> String {
    let paint = |line: &T| {
        // Blanks at the start of a line stay, because they show the structure of a difference.
        let line = super::text::visible(line.as_ref()).replace(['\n', '\t'], " ");
        let tone = match line.trim_start().chars().next() {
            Some('+') => Some(Tone::Added),
            Some('-') => Some(Tone::Removed),
            Some('~') => Some(Tone::Warning),
            _ => None,
        };
        format!(
            "{}\n",
            tone.map_or_else(|| line.clone(), |tone| tone.paint(&line, look.colour_out))
        )
    };
    lines.iter().map(paint).collect()
}

fn step_rows(steps: &[Value]) -> Vec<[String; 6]> {
    let row = |(at, step): (usize, &Value)| {
        let number = step.get("index").and_then(Value::as_u64).map_or(at as u64, |index| index) + 1;
        let by = field_text(step, "executedBy")
            .or_else(|| field_text(step, "suggestedSkill").map(|by| format!("({by})")));
        [
            number.to_string(),
            field_text(step, "toolId").unwrap_or_default(),
            words(&field_text(step, "status").unwrap_or_default()),
            by.unwrap_or_default(),
            time_text(step),
            field_text(step, "startedAt").unwrap_or_default(),
        ]
    };
    steps.iter().enumerate().map(row).collect()
}

fn step_details(step: &Value, look: Look, text: &mut String) {
    let numbers = |name: &str| {
        let numbers = step.get(name).and_then(Value::as_array).into_iter().flatten();
        numbers
            .filter_map(Value::as_u64)
            .map(|index| (index + 1).to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let list = |name: &str| {
        let items = step.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut lines: Vec<String> = field_text(step, "description").into_iter().collect();
    let needs = numbers("dependsOn");
    lines.extend((!needs.is_empty()).then(|| format!("needs {needs}")));
    let verb = if field_text(step, "status").as_deref() == Some("blocked") {
        "blocked"
    } else {
        "skipped"
    };
    lines.extend(field_text(step, "reason").map(|why| format!("{verb}: {}", words(&why))));
    lines.extend(field_text(step, "instructions").map(|text| format!("instructions: {text}")));
    lines.extend(criteria(step));
    lines.extend(overrun_text(step));
    let files = list("affectedFiles");
    lines.extend((!files.is_empty()).then(|| format!("files: {}", files.join(", "))));
    for line in lines {
        *text += &painted(Tone::Notice, &hanging(INDENT, &line, look), look);
    }
    if let Some(error) = field_text(step, "error") {
        *text += &painted(Tone::Error, &hanging(INDENT, &format!("error: {error}"), look), look);
    }
    let output =
        step.get("output").filter(|output| !output.is_null() && **output != serde_json::json!({}));
    if let Some(output) = output {
        let line = cut(&format!("output: {output}"), INDENT, look);
        *text += &painted(Tone::Notice, &format!("{INDENT}{line}\n"), look);
    }
}

/// Returns the acceptance criteria of a step, judged or not.
fn criteria(step: &Value) -> Vec<String> {
    let items = |name: &str| step.get(name).and_then(Value::as_array).into_iter().flatten();
    let judged: Vec<String> = items("judgments")
        .filter_map(|judgment| {
            let text = field_text(judgment, "criterion")?;
            let by = match field_text(judgment, "by")?.as_str() {
                "model" => "the model",
                "player" => "you",
                _ => "the host",
            };
            Some(match field_text(judgment, "verdict")?.as_str() {
                "met" => format!("holds: {text} (says {by})"),
                "unmet" => format!("does not hold: {text} (says {by})"),
                _ if by == "you" => format!("must hold: {text} (you judge it)"),
                _ => format!("must hold: {text} (not judged)"),
            })
        })
        .collect();
    if !judged.is_empty() {
        return judged;
    }
    let texts = items("acceptanceCriteria").filter_map(Value::as_str);
    texts.map(|text| format!("must hold: {text}")).collect()
}

/// Returns one list of a record's context as text.
fn sentences(record: &Value, name: &str) -> Option<String> {
    let items = record.get("context")?.get(name)?.as_array()?;
    let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    (!items.is_empty()).then(|| items.join("; "))
}

/// Returns a field as text, unless it is null or blank.
fn field_text(value: &Value, name: &str) -> Option<String> {
    match value.get(name)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        other => Some(other.to_string()),
    }
}

/// Turns `in_progress` into `in progress`.
fn words(status: &str) -> String {
    status.replace('_', " ")
}

fn time_text(step: &Value) -> String {
    took_ms(step).map(|took| format!("{took} ms")).unwrap_or_default()
}

fn took_ms(step: &Value) -> Option<i64> {
    let time = |name: &str| step.get(name)?.as_str()?.parse::<jiff::Timestamp>().ok();
    match (time("startedAt"), time("completedAt")) {
        (Some(from), Some(to)) => Some(to.as_millisecond() - from.as_millisecond()),
        _ => None,
    }
}

/// Returns the time of a plan that has run beside the expected one: `1.3 s, estimated 2 s`.
fn duration_text(record: &Value) -> Option<String> {
    let estimated = record.get("estimatedDuration").and_then(Value::as_f64)?;
    let took = record.pointer("/result/executionTimeMs").and_then(Value::as_f64);
    let took = took.map(|ms| format!("{}, ", seconds_text(ms / 1_000.0))).unwrap_or_default();
    Some(format!("{took}estimated {}", seconds_text(estimated)))
}

/// Reports that a step took much longer than expected.
fn overrun_text(step: &Value) -> Option<String> {
    let estimated = step.get("estimatedDuration").and_then(Value::as_f64)?;
    let took = took_ms(step)? as f64 / 1_000.0;
    let is_much_longer = took > 2.0 * estimated && took > estimated + OVERRUN_SECONDS_MIN;
    is_much_longer.then(|| format!("took longer than the {} expected", seconds_text(estimated)))
}

/// Returns milliseconds for a time that a person does not notice, otherwise seconds with one digit.
fn seconds_text(seconds: f64) -> String {
    match seconds < 1.0 {
        true => format!("{:.0} ms", seconds * 1_000.0),
        false => format!("{seconds:.1} s"),
    }
}

fn cut(line: &str, indent: &str, look: Look) -> String {
    let columns_max = look.width.unwrap_or(OUTPUT_COLUMNS).saturating_sub(indent.len());
    cut_line(&visible_line(line), columns_max, look.ascii)
}

/// Wraps a text with a hanging indent as wide as `first`. A word that is wider than the screen goes on in the next line.
fn hanging(first: &str, words: &str, look: Look) -> String {
    let room = look.width.map(|width| width.saturating_sub(first.len()).max(1));
    let wrapped = wrap_prose_and_words(&visible_line(words), room);
    let mut text = String::new();
    for (nth, line) in wrapped.lines().enumerate() {
        let blank = " ".repeat(first.len());
        text += &format!("{}{line}\n", if nth == 0 { first } else { &blank });
    }
    text
}

/// Colours each line separately, so that no colour is left on at its end.
fn painted(tone: Tone, text: &str, look: Look) -> String {
    text.lines().map(|line| format!("{}\n", tone.paint(line, look.colour_out))).collect()
}

fn headed(table: &str, look: Look) -> String {
    let (heading, rest) = table.split_once('\n').unwrap_or((table, ""));
    format!("{}\n{rest}", Tone::Strong.paint(heading, look.colour_out))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use unicode_width::UnicodeWidthStr;

    use super::{PlanListRow, diff_view, plans_table, record_view};
    use crate::Look;

    fn record() -> Value {
        json!({
            "id": "b8a4d1c7-0e6f-4c39-a1d2-7c9e5f3b2a44",
            "task": "I burn the old door down and go through, whatever may be behind it",
            "status": "in_progress",
            "version": 2,
            "previousPlanId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11",
            "createdBy": "lexical",
            "createdAt": "2026-01-23T10:00:00Z",
            "updatedAt": "2026-01-23T10:00:03Z",
            "currentStepIndex": 1,
            "changes": "`roll` is skipped",
            "reasoning": "there are no dice",
            "context": {"constraints": ["without the skill `dice`", "quietly"], "discoveries": []},
            "steps": [
                {"index": 0, "toolId": "light", "description": "Light the torch", "status": "complete",
                    "executedBy": "item-keeper@1.2.0", "startedAt": "2026-01-23T10:00:00.100Z",
                    "completedAt": "2026-01-23T10:00:01.350Z", "output": {"lit": true},
                    "affectedFiles": ["assets/torch.svg"], "dependsOn": []},
                {"index": 1, "toolId": "burn", "description": "", "status": "failed",
                    "executedBy": "fire@0.1.0", "startedAt": "2026-01-23T10:00:02Z", "completedAt": null,
                    "error": "the door is \u{1b}[2Jwet", "dependsOn": [0], "affectedFiles": [],
                    "acceptanceCriteria": ["the door is gone"], "instructions": "Mind the curtains",
                    "judgments": [
                        {"criterion": "it is warm", "verdict": "met", "by": "condition"},
                        {"criterion": "the door is gone", "verdict": "unmet", "by": "model"},
                        {"criterion": "it is fun", "verdict": "open", "by": "player"},
                        {"criterion": "it is over", "verdict": "open", "by": "expect"}]},
                {"index": 2, "toolId": "tell", "status": "pending", "suggestedSkill": "storyteller",
                    "dependsOn": [0, 1], "output": null},
            ],
        })
    }

    /// S3: status, version, lineage, and the result of each step.
    #[test]
    fn a_record_shows_where_a_plan_comes_from_and_how_far_it_is() {
        let look = Look { width: Some(60), ..Look::default() };
        insta::assert_snapshot!(record_view(&record(), look), @r#"
        plan b8a4d1c7-0e6f-4c39-a1d2-7c9e5f3b2a44
        status   in progress, version 2
        task     I burn the old door down and go through, whatever
                 may be behind it
        made by  lexical, 2026-01-23T10:00:00Z
        changed  2026-01-23T10:00:03Z
        follows  3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11
        changes  `roll` is skipped
        because  there are no dice
        keep to  without the skill `dice`; quietly

        #  STEP   STATUS    BY                 TOOK     STARTED
        1  light  complete  item-keeper@1.2.0  1250 ms  2026-01-23T…
             Light the torch
             files: assets/torch.svg
             output: {"lit":true}
        2  burn   failed    fire@0.1.0                  2026-01-23T…
             needs 1
             instructions: Mind the curtains
             holds: it is warm (says the host)
             does not hold: the door is gone (says the model)
             must hold: it is fun (you judge it)
             must hold: it is over (not judged)
             error: the door is \u{1b}[2Jwet
        3  tell   pending   (storyteller)
             needs 1 2
        "#);
    }

    #[test]
    fn a_record_on_a_pipe_is_not_wrapped() {
        insta::assert_snapshot!(record_view(&record(), Look::default()), @r#"
        plan b8a4d1c7-0e6f-4c39-a1d2-7c9e5f3b2a44
        status   in progress, version 2
        task     I burn the old door down and go through, whatever may be behind it
        made by  lexical, 2026-01-23T10:00:00Z
        changed  2026-01-23T10:00:03Z
        follows  3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11
        changes  `roll` is skipped
        because  there are no dice
        keep to  without the skill `dice`; quietly

        #  STEP   STATUS    BY                 TOOK     STARTED
        1  light  complete  item-keeper@1.2.0  1250 ms  2026-01-23T10:00:00.100Z
             Light the torch
             files: assets/torch.svg
             output: {"lit":true}
        2  burn   failed    fire@0.1.0                  2026-01-23T10:00:02Z
             needs 1
             instructions: Mind the curtains
             holds: it is warm (says the host)
             does not hold: the door is gone (says the model)
             must hold: it is fun (you judge it)
             must hold: it is over (not judged)
             error: the door is \u{1b}[2Jwet
        3  tell   pending   (storyteller)
             needs 1 2
        "#);
    }

    #[test]
    fn a_record_with_few_fields_is_shown() {
        insta::assert_snapshot!(record_view(&json!({"id": "x", "status": "draft"}), Look::default()), @r"
        plan x
        status   draft
        ");
        record_view(&json!([1]), Look::default());
        record_view(&json!({"steps": [1, {"index": "x"}]}), Look::default());
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        for width in 20..90 {
            let text = record_view(&record(), Look { width: Some(width), ..Look::default() });
            assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
        }
    }

    #[test]
    fn no_name_and_no_word_loses_a_part_on_a_narrow_screen() {
        let path = "kept/stories/the-long-night/assets/torch-in-the-wind.svg";
        let record = json!({"id": "x", "status": "complete", "steps": [{
            "toolId": "light-the-torch-of-the-harbour-master", "status": "complete",
            "executedBy": "item-keeper-of-the-harbour@1.2.0", "affectedFiles": [path],
        }]});
        for width in 20..90 {
            let text = record_view(&record, Look { width: Some(width), ..Look::default() });
            let letters: String = text.split_whitespace().collect();
            for whole in
                [path, "light-the-torch-of-the-harbour-master", "item-keeper-of-the-harbour@1.2.0"]
            {
                assert!(letters.contains(whole), "{width}: {whole}\n{text}");
            }
        }
    }

    #[test]
    fn plans_are_listed_one_a_line() {
        let row = |version: u32, status: &str, task: &str| PlanListRow {
            ordinal: u64::from(version) + 6,
            id: "b8a4d1c7".to_owned(),
            turn: 3,
            version,
            planner: "lexical".to_owned(),
            status: status.to_owned(),
            task: task.to_owned(),
        };
        let rows = [row(1, "failed", "I burn\nthe door"), row(2, "complete", "I burn the door")];
        insta::assert_snapshot!(plans_table(&rows, Look { width: Some(72), ..Look::default() }), @r"
        PLAN  ID        TURN  VERSION  BY       STATUS    TASK
        7     b8a4d1c7  3     1        lexical  failed    I burn the door
        8     b8a4d1c7  3     2        lexical  complete  I burn the door
        ");
    }

    #[test]
    fn a_difference_has_the_colours_of_one() {
        let lines = ["+ step `open`", "- step `burn`", "~ step `tell`", "    input: 1\u{1b}"];
        insta::assert_snapshot!(diff_view(&lines, Look::default()), @r"
        + step `open`
        - step `burn`
        ~ step `tell`
            input: 1\u{1b}
        ");
        let look = Look { colour_out: true, ..Look::default() };
        assert!(
            diff_view(&lines, look).starts_with("\u{1b}[32m+ step `open`\u{1b}[0m\n\u{1b}[31m- ")
        );
    }
}
