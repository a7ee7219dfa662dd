use narratoria_engine::{StepEvent, StepState, StepUpdate, Update};
use proptest::prelude::*;
use serde_json::json;

use super::LiveSteps;
use crate::{Look, Out, PlainScreen, TerminalSize, output::CapturedOutput};

/// A terminal, as far as a test needs it to see the text on it.
#[derive(Default)]
struct TerminalEmulator {
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl TerminalEmulator {
    fn write(&mut self, text: &str, columns: usize) {
        let mut chars = text.chars();
        while let Some(char) = chars.next() {
            match char {
                '\n' => (self.row, self.column) = (self.row + 1, 0),
                '\r' => self.column = 0,
                '\u{1b}' => self.apply_escape(&mut chars),
                char => {
                    if self.column == columns {
                        (self.row, self.column) = (self.row + 1, 0);
                    }
                    let row = self.row;
                    self.lines.resize(self.lines.len().max(row + 1), Vec::new());
                    let line = &mut self.lines[row];
                    line.resize(line.len().max(self.column + 1), ' ');
                    line[self.column] = char;
                    self.column += 1;
                }
            }
        }
    }

    fn apply_escape(&mut self, chars: &mut std::str::Chars<'_>) {
        assert_eq!(chars.next(), Some('['));
        let mut number = String::new();
        let command = loop {
            match chars.next().unwrap() {
                digit if digit.is_ascii_digit() => number.push(digit),
                command => break command,
            }
        };
        let number: Option<usize> = number.parse().ok();
        match command {
            'A' => self.row -= number.unwrap(),
            'G' => self.column = number.unwrap() - 1,
            'J' => {
                self.lines.truncate(self.row + 1);
                if let Some(line) = self.lines.get_mut(self.row) {
                    line.truncate(self.column);
                }
            }
            other => panic!("unknown escape `{other}`"),
        }
    }

    /// Makes the terminal narrower. It wraps its lines again, and the cursor stays with its letter.
    fn narrow(&mut self, columns: usize) {
        let (mut lines, mut cursor) = (Vec::new(), (0, 0));
        for (row, line) in self.lines.iter().enumerate() {
            if row == self.row {
                cursor = (lines.len() + self.column / columns, self.column % columns);
            }
            lines.extend(line.chunks(columns).map(<[char]>::to_vec));
            if line.is_empty() {
                lines.push(Vec::new());
            }
        }
        if self.row >= self.lines.len() {
            cursor = (lines.len() + self.row - self.lines.len(), self.column);
        }
        (self.lines, self.row, self.column) = (lines, cursor.0, cursor.1);
    }

    fn text(&self) -> String {
        let line = |line: &Vec<char>| format!("{}\n", line.iter().collect::<String>().trim_end());
        self.lines.iter().map(line).collect()
    }
}

/// The text on a terminal of `columns` after each update.
fn screens(columns: usize, has_live_lines: bool, updates: &[Update]) -> Vec<String> {
    let look = Look {
        width: Some(columns),
        interactive: true,
        live: has_live_lines.then_some(TerminalSize { columns, rows: 24 }),
        ..Look::default()
    };
    let captured = CapturedOutput::default();
    let out = || Out::new(captured.clone(), false).with_width(Some(columns));
    let mut plain = PlainScreen::new(out(), out(), look);
    let show = |update: &Update| {
        plain.show(update);
        if let Update::Step(StepUpdate {
            tool_id,
            event: StepEvent::Asked { question, choices },
            ..
        }) = update
        {
            plain.ask(tool_id, question, choices);
            plain.release();
        }
        let mut screen = TerminalEmulator::default();
        screen.write(&captured.text(), columns);
        screen.text()
    };
    updates.iter().map(show).collect()
}

fn step(tool_id: &str, event: StepEvent) -> Update {
    Update::step(1, "p", tool_id, event)
}

fn started(tool_id: &str, attempt: u32) -> Update {
    step(tool_id, StepEvent::Started { tool_path: format!("skill/{tool_id}"), attempt })
}

fn progress(tool_id: &str, progress: f64, message: &str) -> Update {
    step(tool_id, StepEvent::Progressed { progress, message: message.to_owned() })
}

fn retrying(tool_id: &str) -> Update {
    let error = "trapped".to_owned();
    step(tool_id, StepEvent::Retrying { attempt: 2, delay_ms: 200, error })
}

fn waiting(tool_id: &str) -> Update {
    let (tool_path, input) = (format!("skill/{tool_id}"), json!({"door": "oak"}));
    step(tool_id, StepEvent::Waiting { tool_path, input, description: None })
}

fn asked(tool_id: &str) -> Update {
    let (question, choices) = ("Which door?".to_owned(), vec!["oak".to_owned()]);
    step(tool_id, StepEvent::Asked { question, choices })
}

fn finished(tool_id: &str, error: Option<&str>) -> Update {
    let event = StepEvent::Finished {
        state: if error.is_some() { StepState::Failed } else { StepState::Success },
        summary: None,
        output: None,
        error: error.map(str::to_owned),
        reason: None,
        execution_time_ms: 0,
        retry_count: 0,
        fuel_consumed: 0,
        peak_memory_bytes: 0,
        stdout_bytes: 0,
    };
    step(tool_id, event)
}

fn delta(text: &str) -> Update {
    Update::NarrationDelta { turn: 1, text: text.to_owned() }
}

/// S2 "Progress Streaming".
#[test]
fn each_running_step_has_a_line_that_follows_it() {
    let updates = [
        started("light", 1),
        started("roll", 1),
        progress("light", 42.4, "striking"),
        retrying("roll"),
        waiting("burn"),
    ];
    insta::assert_snapshot!(screens(70, true, &updates).last().unwrap(), @r"
    light  skill/light  [####------] 42%  striking
    roll   skill/roll  attempt 2 in 200 ms: trapped
    burn   skill/burn  waiting for your approval
    ");
}

fn written(tool_id: &str) -> Update {
    let tool = json!({"toolId": tool_id, "toolPath": format!("skill/{tool_id}"), "input": {}});
    Update::PlanGrowing {
        turn: 1,
        attempt: 1,
        plan_id: "p".to_owned(),
        planner: "llama".to_owned(),
        tool: Box::new(serde_json::from_value(tool).unwrap()),
    }
}

#[test]
fn a_plan_has_lines_while_it_is_written() {
    let plan_started = |steps| Update::PlanStarted {
        turn: 1,
        plan_id: "p".to_owned(),
        steps,
        estimated_duration: None,
    };
    let updates = [written("light"), started("light", 1), written("tell"), plan_started(2)];
    insta::assert_snapshot!(screens(70, true, &updates)[2], @r"
    light  skill/light
    tell   skill/tell  planned
    ");
    assert_eq!(screens(70, true, &updates)[3].trim(), "");
}

#[test]
fn only_a_failure_leaves_a_line() {
    let updates = [
        started("light", 1),
        started("roll", 1),
        finished("light", None),
        finished("roll", Some("no dice")),
    ];
    insta::assert_snapshot!(screens(70, true, &updates).last().unwrap(), @"warning: step `roll` failed: no dice");
}

#[test]
fn narration_stands_above_the_lines() {
    let updates = [
        started("light", 1),
        delta("The lock gives way "),
        progress("light", 50.0, "striking"),
        delta("at last, and the door opens."),
        asked("light"),
    ];
    let screens = screens(24, true, &updates);
    insta::assert_snapshot!(screens[2], @r"
    The lock gives way
    light  [#####-----] 50…
    ");
    insta::assert_snapshot!(screens[4], @"
    The lock gives way at
    last, and the door
    opens.
    skill/light asks: Which
      door?
      1. oak
    light  [#####-----] 50…
    ");
}

#[test]
fn more_steps_than_lines_are_counted() {
    let updates: Vec<Update> = (0..12).map(|at| started(&format!("s{at}"), 1)).collect();
    let screen = screens(40, true, &updates).pop().unwrap();
    assert_eq!(screen.lines().count(), super::LINES_MAX);
    assert_eq!(screen.lines().last(), Some("and 5 more"));
}

#[test]
fn a_step_cannot_draw_outside_its_line() {
    let captured = CapturedOutput::default();
    let look = Look { live: Some(TerminalSize { columns: 40, rows: 9 }), ..Look::default() };
    let mut plain = PlainScreen::new(
        Out::new(captured.clone(), false),
        Out::new(captured.clone(), false),
        look,
    );
    plain.show(&started("light", 1));
    plain.show(&progress("light", 1.0, "\u{1b}[2J\nmore"));
    assert!(!captured.text().contains("\u{1b}[2J"));
    let mut screen = TerminalEmulator::default();
    screen.write(&captured.text(), 40);
    insta::assert_snapshot!(screen.text(), @r"light  [----------] 1%  \u{1b}[2J more");
}

#[test]
fn nothing_is_drawn_while_the_player_is_asked() {
    let captured = CapturedOutput::default();
    let look = Look { live: Some(TerminalSize { columns: 40, rows: 9 }), ..Look::default() };
    let mut plain = PlainScreen::new(
        Out::new(captured.clone(), false),
        Out::new(captured.clone(), false),
        look,
    );
    plain.show(&started("light", 1));
    plain.hold();
    let before = captured.text();
    plain.show(&progress("light", 1.0, "striking"));
    assert_eq!(captured.text(), before);
    plain.release();
    assert!(captured.text().ends_with("light  [----------] 1%  striking\r"));
}

/// Most terminals wrap their lines again when they are resized, and some cut them.
#[test]
fn a_resized_terminal_keeps_no_copy_of_the_lines() {
    let look = Look { live: Some(TerminalSize { columns: 60, rows: 9 }), ..Look::default() };
    for (story, column) in
        [("", 0), ("The lock gives way at last, and the door ", 41), ("A door", 6)]
    {
        for wraps in [true, false] {
            let mut live = LiveSteps::new(look);
            for tool_id in ["light", "a-very-long-name"] {
                live.apply(&started(tool_id, 1));
                live.apply(&progress(tool_id, 40.0, "striking a match at the old door"));
            }
            let mut screen = TerminalEmulator::default();
            screen.write(&format!("once\n{story}{}", live.redraw(column)), 60);
            if wraps {
                screen.narrow(30);
            }
            live.resize(Some(TerminalSize { columns: 30, rows: 9 }));
            let erased = live.erase();
            screen.write(&erased.text, 30);
            let shown = screen.text();
            assert!(shown.starts_with("once\n") && !shown.contains("match"), "{shown}");
            assert_eq!(shown.replace('\n', ""), format!("once{}", story.trim_end()), "{shown}");
            assert_eq!(erased.starts_line, column >= 30);
            screen.write("more", 30);
            let last = screen.text().trim_end().lines().last().unwrap().to_owned();
            let expect =
                if erased.starts_line { "more".to_owned() } else { format!("{story}more") };
            assert_eq!(last, expect);
        }
    }
}

fn update() -> impl Strategy<Value = Update> {
    let name = prop::sample::select(vec!["a", "bb", "a-very-long-name-of-a-step"]);
    (name, 0..9, "[a-z戸 \n]{0,40}", 0.0..100.0).prop_map(
        |(name, kind, text, percent)| match kind {
            0 => started(name, 1),
            1 => progress(name, percent, &text),
            2 => retrying(name),
            3 => waiting(name),
            4 => finished(name, None),
            5 => finished(name, Some(&text)),
            _ => delta(&text.replace('戸', "d")),
        },
    )
}

proptest! {
    /// Whatever lines were drawn, the story and its notes end up on the screen as if there had been none.
    #[test]
    fn live_lines_leave_no_trace(updates in prop::collection::vec(update(), 0..30), columns in 20usize..60) {
        let ends = ["a", "bb", "a-very-long-name-of-a-step"].map(|name| finished(name, None));
        let updates = [updates, ends.to_vec()].concat();
        let is_quiet = |update: &&Update| {
            let Update::Step(step) = update else { return true };
            !matches!(step.event, StepEvent::Progressed { .. } | StepEvent::Retrying { .. })
        };
        let without: Vec<Update> = updates.iter().filter(is_quiet).cloned().collect();
        let with = screens(columns, true, &updates).pop();
        let without = screens(columns, false, &without).pop();
        let ended = |text: Option<String>| text.map(|text| text.trim_end().to_owned());
        prop_assert_eq!(ended(with), ended(without));
    }
}
