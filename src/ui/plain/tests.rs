use narratoria_engine::{
    DecidedBy, NarrativeChoice, StepEvent, StepState, StepUpdate, TurnErrorKind, Update,
};
use narratoria_plan::PlanJson;
use narratoria_protocol::LogLevel;
use narratoria_story::TurnOutcome;
use serde_json::json;

use crate::{Emphasis, Look, Out, PlainScreen, output::CapturedOutput};

/// The text on stdout and stderr after these updates.
fn shown(look: Look, updates: &[Update]) -> String {
    let (out, err) = (CapturedOutput::default(), CapturedOutput::default());
    let mut plain = PlainScreen::new(
        Out::new(out.clone(), look.colour_out).with_width(look.width),
        Out::new(err.clone(), look.colour_err).with_width(look.err_width),
        look,
    );
    for update in updates {
        plain.show(update);
        if let Update::Step(StepUpdate {
            tool_id,
            event: StepEvent::Asked { question, choices },
            ..
        }) = update
        {
            plain.ask(tool_id, question, choices);
        }
    }
    format!("{}--- stderr\n{}", out.text(), err.text())
}

fn started() -> Update {
    Update::SessionStarted {
        story: "demo".to_owned(),
        turns: 2,
        skills: vec!["dice-roller".to_owned(), "storyteller".to_owned()],
        problems: vec!["package `bad`: skill.json: not JSON".to_owned()],
        narrator: "lexical".to_owned(),
    }
}

fn delta(text: &str) -> Update {
    Update::NarrationDelta { turn: 1, text: text.to_owned() }
}

fn finished(outcome: TurnOutcome, narration: &str, choices: &[&str]) -> Update {
    let choice =
        |label: &&str| NarrativeChoice { id: None, label: (*label).to_owned(), prompt: None };
    Update::TurnFinished {
        turn: 1,
        outcome,
        narration: narration.to_owned(),
        choices: choices.iter().map(choice).collect(),
        attempts: 1,
        elapsed_ms: 3,
    }
}

fn dice() -> Update {
    let payload = json!({"formula": "1d20+5", "dice": [{"value": 14}], "modifier": 5, "total": 19});
    let event = "dice_roll".to_owned();
    step(StepEvent::UiEvent { event, payload: Some(payload), placeholder: None })
}

#[test]
fn a_pipe_gets_the_story_and_a_blank_line() {
    let updates = [
        started(),
        dice(),
        delta("The lock"),
        delta(" opens."),
        finished(TurnOutcome::Narrated, "The lock opens.", &["Enter", "Wait"]),
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    roll 1d20+5: [14] + 5 = 19
    The lock opens.

      1. Enter
      2. Wait

    --- stderr
    warning: package `bad`: skill.json: not JSON
    ");
}

#[test]
fn the_greeting_names_the_story_by_its_title() {
    let captured = CapturedOutput::default();
    let look = Look { interactive: true, ..Look::default() };
    let err = Out::new(CapturedOutput::default(), false);
    let mut plain = PlainScreen::new(Out::new(captured.clone(), false), err, look);
    plain.set_title("The Ferry House".to_owned());
    plain.show(&started());
    assert!(
        captured.text().starts_with("The Ferry House, 2 turns so far\n"),
        "{}",
        captured.text()
    );
}

#[test]
fn a_terminal_gets_a_greeting_and_wrapped_prose() {
    let look = Look { width: Some(30), interactive: true, ..Look::default() };
    let text = "You examine the ancient door. Cold air comes from under it.";
    let updates = [started(), delta(text), finished(TurnOutcome::Narrated, text, &[])];
    insta::assert_snapshot!(shown(look, &updates), @"
    demo, 2 turns so far
    skills: dice-roller,
      storyteller
    Say what you do. /help lists
    the commands, Ctrl-D leaves.

    You examine the ancient door.
    Cold air comes from under it.

    --- stderr
    warning: the package `bad` cannot be used; `narratoria skill list` says why
    ");
}

/// Deltas are single words or parts of them.
#[test]
fn a_terminal_shows_emphasis_and_a_pipe_gets_its_marks() {
    let text = "It is *very old*, and a *word stays.";
    let updates = [
        delta("It is *ve"),
        delta("ry"),
        delta(" old*"),
        delta(", and a *word stays."),
        finished(TurnOutcome::Narrated, text, &["*Run*"]),
    ];
    let shown = |emphasis, width| {
        let look = Look { emphasis, width, ..Look::default() };
        shown(look, &updates).replace('\u{1b}', "^")
    };
    insta::assert_snapshot!(shown(Emphasis::Italic, Some(24)), @"
    It is ^[3mvery^[23m ^[3mold^[23m, and a
    *word stays.

      1. ^[3mRun^[23m

    --- stderr
    ");
    insta::assert_snapshot!(shown(Emphasis::Plain, Some(60)), @"
    It is very old, and a *word stays.

      1. Run

    --- stderr
    ");
    insta::assert_snapshot!(shown(Emphasis::Marks, None), @"
    It is *very old*, and a *word stays.

      1. *Run*

    --- stderr
    ");
}

/// Notes, questions and choices break between words as prose does.
#[test]
fn long_lines_break_between_words() {
    let look = Look { width: Some(30), err_width: Some(30), interactive: true, ..Look::default() };
    let asked = step(StepEvent::Asked {
        question: "Which of the two doors do you open?".to_owned(),
        choices: vec!["the oak one that smells of smoke and of rain".to_owned()],
    });
    let failed = Update::TurnFailed {
        turn: Some(1),
        kind: TurnErrorKind::Internal,
        message: "cannot write `/kept/with/a/very/long/path/story.db`: disk full".to_owned(),
        hints: vec!["make room, or choose another place".to_owned()],
    };
    let choices = ["Follow the river to its source in the hills"];
    let updates = [asked, finished(TurnOutcome::Narrated, "It is dark.", &choices), failed];
    insta::assert_snapshot!(shown(look, &updates), @"
    burn asks: Which of the two
      doors do you open?
      1. the oak one that smells
         of smoke and of rain
    It is dark.

      1. Follow the river to its
         source in the hills

    --- stderr
    error: cannot write
      `/kept/with/a/very/long/path/story.db`:
      disk full
    hint: make room, or choose
      another place
    ");
}

#[test]
fn narration_that_was_not_streamed_is_printed_at_the_end() {
    insta::assert_snapshot!(shown(Look::default(), &[finished(TurnOutcome::Narrated, "It is dark.", &[])]), @r"
    It is dark.

    --- stderr
    ");
    let half = [delta("It is"), finished(TurnOutcome::Narrated, "It is dark.", &[])];
    insta::assert_snapshot!(shown(Look::default(), &half), @r"
    It is dark.

    --- stderr
    ");
}

#[test]
fn dice_stand_on_a_line_of_their_own() {
    let text = "You try. It opens.";
    let updates = [
        delta("You try."),
        dice(),
        delta(" It opens."),
        finished(TurnOutcome::Narrated, text, &[]),
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    You try.
    roll 1d20+5: [14] + 5 = 19
    It opens.

    --- stderr
    ");
}

#[test]
fn another_final_narration_replaces_the_streamed_one() {
    let updates = [delta("You open"), finished(TurnOutcome::Fallback, "Nothing happens.", &[])];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    You open
    [That did not happen. The story goes on as it was before.]
    Nothing happens.

    --- stderr
    ");
}

#[test]
fn discarded_narration_is_retracted_and_the_rest_follows() {
    let discarded = Update::NarrationDiscarded { turn: 1 };
    let text = "The lock holds. You try the window.";
    let updates = [
        discarded.clone(),
        delta("The lock clicks and the do"),
        discarded,
        delta("The lock"),
        delta(" holds. You"),
        delta(" try the window."),
        finished(TurnOutcome::Narrated, text, &[]),
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    The lock clicks and the do
    [That did not happen. The story goes on as it was before.]
    The lock holds. You try the window.

    --- stderr
    ");
    let look = Look { width: Some(30), interactive: true, ..Look::default() };
    insta::assert_snapshot!(shown(look, &updates), @"
    The lock clicks and the do
    [That did not happen. The
      story goes on as it was
      before.]
    The lock holds. You try the
    window.

    --- stderr
    ");
}

#[test]
fn a_change_of_planner_is_a_note_on_stderr() {
    let updates = [
        Update::NarratorChanged { from: "lexical".to_owned(), to: "llama".to_owned() },
        Update::PlannerReplaced {
            turn: 1,
            attempt: 1,
            planner: "llama".to_owned(),
            by: "lexical".to_owned(),
            reason: "it made no plan within 5s".to_owned(),
        },
        delta("It is dark."),
        finished(TurnOutcome::Narrated, "It is dark.", &[]),
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    It is dark.

    --- stderr
    note: `llama` makes the plans from now on, instead of `lexical`
    note: `lexical` makes the plan in place of `llama`: it made no plan within 5s
    ");
}

#[test]
fn news_of_packages_is_a_line_on_stderr() {
    let ready = |reloaded| Update::SkillReady {
        skill: "oracle".to_owned(),
        version: "0.2.0".to_owned(),
        reloaded,
    };
    let failed = |still_used| Update::SkillFailed {
        skill: "oracle".to_owned(),
        problems: vec!["package `oracle`: skill.json: is not JSON".to_owned()],
        still_used,
    };
    let removed = Update::SkillRemoved { skill: "oracle".to_owned() };
    let updates = [ready(false), ready(true), failed(true), failed(false), removed];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    --- stderr
    note: skill `oracle` is loaded again (version 0.2.0)
    warning: package `oracle`: skill.json: is not JSON; the version loaded before is still used
    warning: package `oracle`: skill.json: is not JSON
    note: skill `oracle` is gone, and so is its package
    ");
}

/// Streamed prose is wrapped as if it had come in one piece, wherever it was cut.
#[test]
fn prose_in_pieces_is_wrapped_like_prose_in_one_piece() {
    let look = Look { width: Some(20), interactive: true, ..Look::default() };
    let text = "You examine the ancient door. It hums.\n\nCold air comes from under it: 戸 é.";
    let whole = shown(look, &[delta(text), finished(TurnOutcome::Narrated, text, &[])]);
    for size in 1..text.chars().count() {
        let chars: Vec<char> = text.chars().collect();
        let mut updates: Vec<Update> =
            chars.chunks(size).map(|piece| delta(&piece.iter().collect::<String>())).collect();
        updates.push(finished(TurnOutcome::Narrated, text, &[]));
        assert_eq!(shown(look, &updates), whole, "pieces of {size}");
    }
}

#[test]
fn untrusted_text_cannot_draw_on_the_terminal() {
    let look = Look { colour_out: true, colour_err: true, ..Look::default() };
    let updates = [
        delta("\u{1b}[2Jgone"),
        step(StepEvent::Warned {
            error_code: "\u{1b}]0;t\u{7}".to_owned(),
            error_message: "m\u{9b}".to_owned(),
            details: None,
        }),
        finished(TurnOutcome::Narrated, "\u{1b}[2Jgone", &["\u{1b}c"]),
    ];
    let text = shown(look, &updates);
    assert_eq!(text.matches('\u{1b}').count(), 2, "only the colour of `warning:`: {text:?}");
}

#[test]
fn failures_go_to_stderr() {
    let updates = [
        step(StepEvent::Retrying { attempt: 2, delay_ms: 100, error: "trapped".to_owned() }),
        Update::PlanRejected {
            turn: 1,
            attempt: 2,
            plan_id: None,
            errors: vec!["one".to_owned(), "two".to_owned()],
        },
        Update::PlanRejected {
            turn: 1,
            attempt: 3,
            plan_id: Some("p".to_owned()),
            errors: vec!["step `door` needs `trch`, which is not in the plan".to_owned()],
        },
        Update::TurnFailed {
            turn: Some(1),
            kind: TurnErrorKind::Internal,
            message: "cannot write `story.db`: disk full".to_owned(),
            hints: vec!["make room".to_owned()],
        },
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    --- stderr
    note: step `burn`: trapped; attempt 2 follows in 100 ms
    note: attempt 2 gave no plan; the log says why
    note: plan 3 does not work; the log says why
    error: cannot write `story.db`: disk full
    hint: make room
    ");
}

/// S0 §5.3(7): what a script logs, makes, sends to the interface and reports as an error is on the screen.
#[test]
fn a_player_sees_what_the_events_of_a_script_say() {
    let logged = |level, message: &str| {
        step(StepEvent::Logged { level, message: message.to_owned(), fields: None })
    };
    let toast = StepEvent::UiEvent {
        event: "toast".to_owned(),
        payload: None,
        placeholder: Some("[fire/burn: toast]".to_owned()),
    };
    let picture = StepEvent::AssetCreated {
        asset_id: "map".to_owned(),
        kind: "image".to_owned(),
        media_type: "image/png".to_owned(),
        path: "assets/map.png".to_owned(),
        metadata: None,
    };
    let fault = StepEvent::Warned {
        error_code: "WET".to_owned(),
        error_message: "the wood is wet".to_owned(),
        details: None,
    };
    let updates = [
        logged(LogLevel::Info, "sparks"),
        logged(LogLevel::Warn, "smoke"),
        dice(),
        step(toast),
        step(picture),
        step(fault),
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @"
    roll 1d20+5: [14] + 5 = 19
    [fire/burn: toast]
    [image: assets/map.png]
    --- stderr
    warning: step `burn`: smoke
    warning: step `burn`: the wood is wet (WET)
    ");
    let all = shown(Look { logs: true, ..Look::default() }, &updates);
    assert!(all.contains("log: step `burn`: info: sparks\n"), "{all}");
}

fn step(event: StepEvent) -> Update {
    Update::step(1, "p", "burn", event)
}

fn step_started(tool_path: &str) -> Update {
    step(StepEvent::Started { tool_path: tool_path.to_owned(), attempt: 1 })
}

fn waiting() -> Update {
    let (tool_path, input) = ("fire/burn".to_owned(), json!({"door": "oak\u{1b}"}));
    step(StepEvent::Waiting { tool_path, input, description: None })
}

fn decided(approved: bool, by: DecidedBy) -> Update {
    step(StepEvent::Decided { approved, by })
}

/// On a pipe there is no player to ask.
#[test]
fn a_pipe_gets_the_decisions_of_the_settings() {
    let updates = [
        waiting(),
        decided(false, DecidedBy::Settings),
        waiting(),
        decided(true, DecidedBy::Settings),
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r#"
    --- stderr
    note: step `burn` wants to run `fire/burn` with {"door":"oak\u001b"}
    warning: step `burn` is denied: nobody is there to be asked, `--yes` would approve it
    note: step `burn` wants to run `fire/burn` with {"door":"oak\u001b"}
    note: step `burn` is approved by `--yes`
    "#);
    let look = Look { interactive: true, ..Look::default() };
    assert_eq!(shown(look, &[waiting(), decided(true, DecidedBy::Player)]), "--- stderr\n");
}

#[test]
fn a_question_is_part_of_the_story() {
    let started = step_started("storyteller/ask");
    let asked = step(StepEvent::Asked {
        question: "Which\ndoor?".to_owned(),
        choices: vec!["oak".to_owned(), "iron".to_owned()],
    });
    let answered = step(StepEvent::Answered { answered: false });
    insta::assert_snapshot!(shown(Look::default(), &[started, delta("Hm."), asked, answered]), @r"
    Hm.
    storyteller/ask asks: Which door?
      1. oak
      2. iron
    --- stderr
    note: step `burn` got no answer
    ");
}

#[test]
fn a_pipe_gets_a_line_for_every_tenth_percent() {
    let mut updates = vec![step_started("fire/burn")];
    for progress in 0..=100u32 {
        let message = if progress < 55 { "smoke" } else { "fire" }.to_owned();
        updates.push(step(StepEvent::Progressed { progress: progress.into(), message }));
    }
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    --- stderr
    note: step `burn`: 0% smoke
    note: step `burn`: 10% smoke
    note: step `burn`: 20% smoke
    note: step `burn`: 30% smoke
    note: step `burn`: 40% smoke
    note: step `burn`: 50% smoke
    note: step `burn`: 55% fire
    note: step `burn`: 65% fire
    note: step `burn`: 75% fire
    note: step `burn`: 85% fire
    note: step `burn`: 95% fire
    note: step `burn`: 100% fire
    ");
}

#[test]
fn changes_of_steps_and_the_player_s_own_edits_are_notes() {
    let edited = serde_json::from_str(r#"{"requestId": "q", "tools": []}"#);
    let edited: PlanJson = edited.unwrap();
    let revised = |version, changes: &str, plan| Update::PlanRevised {
        turn: 1,
        plan_id: "q".to_owned(),
        parent_plan_id: "p".to_owned(),
        version,
        changes: changes.to_owned(),
        plan,
    };
    let updates = [
        step(StepEvent::TakenOver {
            from: "fire/burn".to_owned(),
            to: "torch/burn".to_owned(),
            error: "trapped".to_owned(),
        }),
        step(StepEvent::Reused { state: StepState::Success }),
        revised(2, "`burn` is skipped", Some(Box::new(edited))),
        // The planner's own repair.
        revised(3, "`burn` runs `torch/burn`", None),
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @"
    --- stderr
    warning: step `burn`: `fire/burn` failed: trapped; `torch/burn` takes over
    note: step `burn` is not run again, its result stands (success)
    note: version 2 of the plan: `burn` is skipped
    ");
}

/// A person reads a limited part of what a script says, and how much was left out.
#[test]
fn the_lines_of_scripts_have_a_sum_for_each_turn() {
    let toast = || {
        let placeholder = Some(format!("[loud/act: toast: {}]", "x".repeat(900)));
        step(StepEvent::UiEvent { event: "toast".to_owned(), payload: None, placeholder })
    };
    let started = |turn| Update::TurnStarted { turn, prompt: "go".to_owned() };
    let mut updates = vec![started(1)];
    updates.extend((0..4_000).map(|_| toast()));
    updates.extend([finished(TurnOutcome::Narrated, "You go.", &[]), started(2), toast()]);
    let shown = shown(Look::default(), &updates);
    let lines = |start: &str| shown.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((shown.len() > 64 << 10, shown.len() < 70 << 10), (true, true), "{}", shown.len());
    let kept = lines("[loud/act: toast: x");
    let note = format!("{} more lines of skills left out", 4_001 - kept);
    assert!(shown.contains("You go.") && shown.contains(&note), "no `{note}`");
    assert!(shown.lines().all(|line| line.chars().count() <= 401));
}
