use narratoria_engine::{NarrativeChoice, Update};
use serde_json::json;

use crate::ui::{Look, Out, PlainScreen, output::CapturedOutput};

/// What stands on stdout and stderr after these updates.
fn shown(look: Look, updates: &[Update]) -> String {
    let (out, err) = (CapturedOutput::default(), CapturedOutput::default());
    let mut plain = PlainScreen::new(
        Out::new(out.clone(), look.colour_out),
        Out::new(err.clone(), look.colour_err),
        look,
    );
    for update in updates {
        plain.show(update);
        if let Update::StepAsked { tool_id, question, choices, .. } = update {
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

fn finished(outcome: &str, narration: &str, choices: &[&str]) -> Update {
    let choice =
        |label: &&str| NarrativeChoice { id: None, label: (*label).to_owned(), prompt: None };
    Update::TurnFinished {
        turn: 1,
        outcome: outcome.to_owned(),
        narration: narration.to_owned(),
        choices: choices.iter().map(choice).collect(),
        attempts: 1,
        elapsed_ms: 3,
    }
}

fn dice() -> Update {
    Update::UiEvent {
        turn: 1,
        plan_id: "p".to_owned(),
        tool_id: "roll".to_owned(),
        event: "dice_roll".to_owned(),
        payload: Some(
            json!({"formula": "1d20+5", "dice": [{"value": 14}], "modifier": 5, "total": 19}),
        ),
        placeholder: None,
    }
}

#[test]
fn a_pipe_gets_the_story_and_a_blank_line() {
    let updates = [
        started(),
        dice(),
        delta("The lock"),
        delta(" opens."),
        finished("told", "The lock opens.", &["Enter", "Wait"]),
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
fn a_terminal_gets_a_greeting_and_wrapped_prose() {
    let look = Look { width: Some(30), interactive: true, ..Look::default() };
    let text = "You examine the ancient door. Cold air comes from under it.";
    let updates = [started(), delta(text), finished("told", text, &[])];
    insta::assert_snapshot!(shown(look, &updates), @r"
    demo, 2 turns so far
    skills: dice-roller, storyteller
    Say what you do. /help lists
    the commands, Ctrl-D leaves.

    You examine the ancient door.
    Cold air comes from under it.

    --- stderr
    warning: package `bad`: skill.json: not JSON
    ");
}

#[test]
fn what_was_not_streamed_is_told_at_the_end() {
    insta::assert_snapshot!(shown(Look::default(), &[finished("told", "It is dark.", &[])]), @r"
    It is dark.

    --- stderr
    ");
    let half = [delta("It is"), finished("told", "It is dark.", &[])];
    insta::assert_snapshot!(shown(Look::default(), &half), @r"
    It is dark.

    --- stderr
    ");
}

#[test]
fn dice_do_not_tear_a_line_apart() {
    let text = "You try. It opens.";
    let updates = [delta("You try."), dice(), delta(" It opens."), finished("told", text, &[])];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    You try.
    roll 1d20+5: [14] + 5 = 19
    It opens.

    --- stderr
    ");
}

#[test]
fn a_story_that_turned_out_otherwise_is_told_anew() {
    let updates = [delta("You open"), finished("fallback", "Nothing happens.", &[])];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    You open
    [That did not happen. The story goes on as it was before.]
    Nothing happens.

    --- stderr
    ");
}

#[test]
fn what_is_taken_back_is_said_to_be_and_the_rest_follows() {
    let discarded = Update::NarrationDiscarded { turn: 1 };
    let text = "The lock holds. You try the window.";
    let updates = [
        discarded.clone(),
        delta("The lock clicks and the do"),
        discarded,
        delta("The lock"),
        delta(" holds. You"),
        delta(" try the window."),
        finished("told", text, &[]),
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    The lock clicks and the do
    [That did not happen. The story goes on as it was before.]
    The lock holds. You try the window.

    --- stderr
    ");
    let look = Look { width: Some(30), interactive: true, ..Look::default() };
    insta::assert_snapshot!(shown(look, &updates), @r"
    The lock clicks and the do
    [That did not happen. The story goes on as it was before.]
    The lock holds. You try the
    window.

    --- stderr
    ");
}

#[test]
fn who_makes_the_plans_is_a_note_beside_the_story() {
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
        finished("told", "It is dark.", &[]),
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    It is dark.

    --- stderr
    note: `llama` makes the plans from now on, instead of `lexical`
    note: `lexical` makes the plan in place of `llama`: it made no plan within 5s
    ");
}

#[test]
fn what_becomes_of_packages_is_a_line_beside_the_story() {
    let ready = |reloaded| Update::SkillReady {
        skill: "oracle".to_owned(),
        version: "0.2.0".to_owned(),
        reloaded,
    };
    let failed = |kept| Update::SkillFailed {
        skill: "oracle".to_owned(),
        problems: vec!["package `oracle`: skill.json: is not JSON".to_owned()],
        kept,
    };
    let gone = Update::SkillRemoved { skill: "oracle".to_owned() };
    let updates = [ready(false), ready(true), failed(true), failed(false), gone];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    --- stderr
    note: skill `oracle` is ready
    note: skill `oracle` is loaded anew (version 0.2.0)
    warning: package `oracle`: skill.json: is not JSON; what it was before is still used
    warning: package `oracle`: skill.json: is not JSON
    note: skill `oracle` is gone, and so is its package
    ");
}

/// Streamed prose is wrapped as if it had come whole, wherever it was cut.
#[test]
fn a_sentence_in_pieces_is_wrapped_as_a_whole_one() {
    let look = Look { width: Some(20), interactive: true, ..Look::default() };
    let text = "You examine the ancient door. It hums.\n\nCold air comes from under it: 戸 é.";
    let whole = shown(look, &[delta(text), finished("told", text, &[])]);
    for size in 1..text.chars().count() {
        let chars: Vec<char> = text.chars().collect();
        let mut updates: Vec<Update> =
            chars.chunks(size).map(|piece| delta(&piece.iter().collect::<String>())).collect();
        updates.push(finished("told", text, &[]));
        assert_eq!(shown(look, &updates), whole, "pieces of {size}");
    }
}

#[test]
fn nobody_draws_on_the_terminal_but_us() {
    let look = Look { colour_out: true, colour_err: true, ..Look::default() };
    let updates = [
        delta("\u{1b}[2Jgone"),
        Update::StepWarned {
            turn: 1,
            plan_id: "p".to_owned(),
            tool_id: "x".to_owned(),
            error_code: "\u{1b}]0;t\u{7}".to_owned(),
            error_message: "m\u{9b}".to_owned(),
            details: None,
        },
        finished("told", "\u{1b}[2Jgone", &["\u{1b}c"]),
    ];
    let seen = shown(look, &updates);
    assert_eq!(seen.matches('\u{1b}').count(), 2, "only the colour of `warning:`: {seen:?}");
}

#[test]
fn trouble_goes_beside_the_story() {
    let step =
        |update: fn(u64, String, String) -> Update| update(1, "p".to_owned(), "open".to_owned());
    let updates = [
        step(|turn, plan_id, tool_id| Update::StepRetrying {
            turn,
            plan_id,
            tool_id,
            attempt: 2,
            delay_ms: 100,
            error: "trapped".to_owned(),
        }),
        Update::PlanRejected {
            turn: 1,
            attempt: 2,
            plan_id: None,
            errors: vec!["one".to_owned(), "two".to_owned()],
        },
        Update::TurnFailed {
            turn: Some(1),
            kind: "internal".to_owned(),
            message: "cannot write `story.db`: disk full".to_owned(),
            hints: vec!["make room".to_owned()],
        },
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r"
    --- stderr
    note: step `open`: trapped; attempt 2 follows in 100 ms
    note: plan 2 cannot run: one; two
    error: cannot write `story.db`: disk full
    hint: make room
    ");
}

fn step(update: impl Fn(u64, String, String) -> Update) -> Update {
    update(1, "p".to_owned(), "burn".to_owned())
}

fn waiting() -> Update {
    let input = json!({"door": "oak\u{1b}"});
    step(|turn, plan_id, tool_id| Update::StepWaiting {
        turn,
        plan_id,
        tool_id,
        tool_path: "fire/burn".to_owned(),
        input: input.clone(),
        description: None,
    })
}

fn decided(approved: bool, by: &str) -> Update {
    let by = by.to_owned();
    step(|turn, plan_id, tool_id| Update::StepDecided {
        turn,
        plan_id,
        tool_id,
        approved,
        by: by.clone(),
    })
}

/// On a pipe nobody can be asked.
#[test]
fn a_pipe_reads_what_was_decided_for_it() {
    let updates = [waiting(), decided(false, "settings"), waiting(), decided(true, "settings")];
    insta::assert_snapshot!(shown(Look::default(), &updates), @r#"
    --- stderr
    note: step `burn` wants to run `fire/burn` with {"door":"oak\u001b"}
    warning: step `burn` is denied: nobody is there to be asked, `--yes` would approve it
    note: step `burn` wants to run `fire/burn` with {"door":"oak\u001b"}
    note: step `burn` is approved by `--yes`
    "#);
    let look = Look { interactive: true, ..Look::default() };
    assert_eq!(shown(look, &[waiting(), decided(true, "player")]), "--- stderr\n");
}

#[test]
fn a_question_is_part_of_the_story() {
    let started = step(|turn, plan_id, tool_id| Update::StepStarted {
        turn,
        plan_id,
        tool_id,
        tool_path: "storyteller/ask".to_owned(),
        attempt: 1,
    });
    let asked = step(|turn, plan_id, tool_id| Update::StepAsked {
        turn,
        plan_id,
        tool_id,
        question: "Which\ndoor?".to_owned(),
        choices: vec!["oak".to_owned(), "iron".to_owned()],
    });
    let answered = step(|turn, plan_id, tool_id| Update::StepAnswered {
        turn,
        plan_id,
        tool_id,
        answered: false,
    });
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
fn a_pipe_hears_of_progress_now_and_then() {
    let started = step(|turn, plan_id, tool_id| Update::StepStarted {
        turn,
        plan_id,
        tool_id,
        tool_path: "fire/burn".to_owned(),
        attempt: 1,
    });
    let mut updates = vec![started];
    for progress in 0..=100u32 {
        let message = if progress < 55 { "smoke" } else { "fire" };
        updates.push(step(|turn, plan_id, tool_id| Update::StepProgress {
            turn,
            plan_id,
            tool_id,
            progress: progress.into(),
            message: message.to_owned(),
        }));
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
fn what_became_of_a_plan_and_its_steps_is_told() {
    let updates = [
        step(|turn, plan_id, tool_id| Update::StepTakenOver {
            turn,
            plan_id,
            tool_id,
            from: "fire/burn".to_owned(),
            to: "torch/burn".to_owned(),
            error: "trapped".to_owned(),
        }),
        step(|turn, plan_id, tool_id| Update::StepKept {
            turn,
            plan_id,
            tool_id,
            state: "success".to_owned(),
        }),
        Update::PlanRevised {
            turn: 1,
            plan_id: "q".to_owned(),
            parent_plan_id: "p".to_owned(),
            version: 2,
            changes: "`burn` is skipped".to_owned(),
        },
    ];
    insta::assert_snapshot!(shown(Look::default(), &updates), @"
    --- stderr
    warning: step `burn`: `fire/burn` failed: trapped; `torch/burn` takes over
    note: step `burn` is not run again, its result stands (success)
    note: version 2 of the plan: `burn` is skipped
    ");
}
