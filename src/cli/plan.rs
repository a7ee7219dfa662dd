//! `narratoria plan new | check | run`.

use std::path::Path;

use narratoria::{
    engine::{Session, Setup, TurnError, Update},
    plan::{self, BuildOptions, PLAN_BYTES_MAX, Plan, PlanErrors, PlanJson},
    protocol::Object,
    skills::Catalog,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    args::{Format, PlanCheckArgs, PlanNewArgs, PlanRunArgs, PlanVerb},
    error::CliError,
    exit::Exit,
    files,
    interrupt::Interrupts,
    print_document,
    settings::Settings,
    setup::{self, Kit},
};
use crate::ui::{Look, Out, Plain, Screen, render_table, report_lines};

pub(super) async fn plan(verb: PlanVerb) -> Result<Exit, TurnError> {
    match verb {
        PlanVerb::New(args) => new(args).await,
        PlanVerb::Check(args) => check(args),
        PlanVerb::Run(args) => run(args).await,
    }
}

async fn new(args: PlanNewArgs) -> Result<Exit, TurnError> {
    let settings = Settings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let mut planner = setup::planner(&args.planner.planner)?;
    let kit = setup::kit(&settings, None, &mut err)?;
    kit.warn(&mut err);
    let seed = args.planner.seed.seed.unwrap_or_else(setup::draw_seed);
    let (bare, state) = (kit.without_story(), Object::new());
    let json = bare.stage().propose_plan(&mut *planner, &state, &args.sentence, seed).await?;
    print_document(look, &json)?;
    Ok(Exit::Done)
}

fn check(args: PlanCheckArgs) -> Result<Exit, TurnError> {
    let settings = Settings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let text = files::read(&args.file, "plan", PLAN_BYTES_MAX)?;
    let kit = setup::kit(&settings, None, &mut err)?;
    kit.warn(&mut err);
    match checked(&text, &kit.catalog) {
        Err(errors) => {
            if settings.format == Format::Json {
                print_document(look, &errors_document(&errors))?;
            }
            tell(&mut err, &args.file, &errors);
            Ok(Exit::BadInput)
        }
        Ok((_, plan)) if settings.format == Format::Json => {
            let steps: Vec<&str> = plan.steps().iter().map(|step| &*step.tool_id).collect();
            print_document(look, &json!({"ok": true, "steps": steps}))?;
            Ok(Exit::Done)
        }
        Ok((_, plan)) => {
            let steps: Vec<&str> = plan.steps().iter().map(|step| &*step.tool_id).collect();
            let count = match steps.len() {
                0 => "no steps".to_owned(),
                1 => format!("1 step: {}", steps[0]),
                many => format!("{many} steps: {}", steps.join(", ")),
            };
            super::print_text(look, &format!("ok: {count}\n"))?;
            Ok(Exit::Done)
        }
    }
}

/// The plan, once as text says it and once as it would run.
fn checked(text: &[u8], catalog: &Catalog) -> Result<(PlanJson, Plan), PlanErrors> {
    let json = plan::parse(text)?;
    let plan = Plan::build(json.clone(), catalog, &BuildOptions::default())?;
    Ok((json, plan))
}

/// Each error with its own way out.
fn tell(err: &mut Out, file: &Path, errors: &PlanErrors) {
    let file = files::shown(file);
    for error in errors.iter() {
        let hints: Vec<String> = error.hint().into_iter().collect();
        report_lines(err, &format!("{file}: {error}"), &hints);
    }
    if errors.left_off() > 0 {
        report_lines(err, &format!("{file}: and {} more", errors.left_off()), &[]);
    }
}

fn errors_document(errors: &PlanErrors) -> Value {
    let one = |error: &plan::PlanError| match error.hint() {
        Some(hint) => json!({"message": error.to_string(), "hint": hint}),
        None => json!({"message": error.to_string()}),
    };
    let errors_told: Vec<Value> = errors.iter().map(one).collect();
    json!({"ok": false, "errors": errors_told, "leftOff": errors.left_off()})
}

async fn run(args: PlanRunArgs) -> Result<Exit, TurnError> {
    let settings = Settings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let text = files::read(&args.file, "plan", PLAN_BYTES_MAX)?;
    let seed = args.seed.seed;
    let name = args.story.as_deref().map(setup::story_name).transpose()?;
    let folder = match &name {
        Some(name) => Some(settings.home()?.stories().join(name.as_str())),
        None => None,
    };
    let kit = setup::kit(&settings, folder, &mut err)?;
    kit.warn(&mut err);
    let json = match checked(&text, &kit.catalog) {
        Ok((json, _)) => json,
        Err(errors) => {
            if settings.format == Format::Json {
                print_document(look, &errors_document(&errors))?;
            }
            tell(&mut err, &args.file, &errors);
            return Ok(Exit::BadInput);
        }
    };
    // After the check: a plan that cannot run must not begin a story.
    let story = name.map(|name| setup::story(&settings, &name, seed, &mut err)).transpose()?;
    let listen = |why| CliError::Terminal { action: "listen for Ctrl-C", why };
    let interrupts = Interrupts::listen(look).map_err(listen)?;
    let running = interrupts.begin_turn();
    let mut show = news(&settings, look);
    let work = async {
        match story {
            Some(story) => in_story(story, kit, json, &args.file, &running.cancel, &mut show).await,
            None => {
                let seed = seed.unwrap_or_else(setup::draw_seed);
                let bare = kit.without_story();
                let (state, cancel) = (Object::new(), &running.cancel);
                bare.stage().execute_plan(json, state, seed, cancel, &mut show).await
            }
        }
    };
    let result = tokio::select! {
        biased;
        () = interrupts.leave().cancelled() => return Ok(Exit::Interrupted),
        result = work => result?,
    };
    match settings.format {
        Format::Json => print_document(look, &result)?,
        Format::Plain => super::print_text(look, &trace_table(&result, look.width))?,
    }
    let success = result.get("success").and_then(Value::as_bool).unwrap_or(false);
    Ok(match success {
        _ if running.cancel.is_cancelled() => Exit::Interrupted,
        true => Exit::Done,
        false => Exit::Failed,
    })
}

/// What happens while the plan runs: on stderr for people, nowhere for programs, which get it all in
/// the result.
fn news(settings: &Settings, look: Look) -> impl FnMut(Update) + Send + use<> {
    let plain = Plain::new(Out::stderr(look), Out::stderr(look), look);
    let mut screen = (settings.format == Format::Plain).then_some(Screen::Plain(plain));
    move |update| {
        if let Some(screen) = &mut screen {
            screen.show(&update);
        }
    }
}

/// As a turn that is kept.
async fn in_story(
    story: narratoria::story::Story,
    kit: Kit,
    json: PlanJson,
    file: &Path,
    cancel: &CancellationToken,
    show: &mut (dyn FnMut(Update) + Send),
) -> Result<Value, TurnError> {
    let mut session = Session::open(Setup {
        catalog: kit.catalog,
        problems: kit.problems,
        scripts: kit.scripts,
        planner: setup::planner(&super::args::Voice::Lexical)?,
        story,
        world: setup::world(),
        options: setup::options(),
    });
    let prompt = format!("(the plan {})", file.display());
    let (_, result) = session.turn_with_plan(&prompt, json, cancel, show).await?;
    Ok(result)
}

/// What came of each step, from the execution result.
fn trace_table(result: &Value, width: Option<usize>) -> String {
    let results = result.get("toolResults").and_then(Value::as_array);
    let row = |tool: &Value| {
        let text = |field: &str| tool.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
        let number = |field: &str| tool.get(field).and_then(Value::as_u64).unwrap_or(0);
        [
            text("toolId"),
            text("state"),
            format!("{} ms", number("executionTimeMs")),
            number("retryCount").to_string(),
            what(tool),
        ]
    };
    let rows: Vec<[String; 5]> = results.into_iter().flatten().map(row).collect();
    let mut table = render_table(["STEP", "STATE", "TIME", "RETRIES", "WHAT"], &rows, width);
    let success = result.get("success").and_then(Value::as_bool).unwrap_or(false);
    table += if success { "the plan succeeded\n" } else { "the plan failed\n" };
    table
}

/// The most telling line of a step: its error, why it was skipped, or its own summary.
fn what(tool: &Value) -> String {
    let error = tool.pointer("/error/message").and_then(Value::as_str);
    let reason = tool.get("reason").and_then(Value::as_str);
    let events = tool.get("events").and_then(Value::as_array).into_iter().flatten();
    let done = events.filter(|event| event.get("type").and_then(Value::as_str) == Some("done"));
    let summary = done.filter_map(|done| done.get("summary")?.as_str()).next_back();
    error.or(reason).or(summary).unwrap_or("").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::trace_table;

    #[test]
    fn every_step_says_what_came_of_it() {
        let result = json!({
            "success": false,
            "toolResults": [
                {"toolId": "roll", "state": "success", "executionTimeMs": 3, "retryCount": 0,
                 "events": [{"type": "log"}, {"type": "done", "ok": true, "summary": "a four"}],
                 "error": null},
                {"toolId": "open", "state": "timeout", "executionTimeMs": 2003, "retryCount": 3,
                 "events": [], "error": {"message": "ran past its time limit of 500 ms"}},
                {"toolId": "tell", "state": "skipped", "executionTimeMs": 0, "retryCount": 0,
                 "events": [], "error": null, "reason": "dependency_failed"},
            ],
        });
        insta::assert_snapshot!(trace_table(&result, None), @r"
        STEP  STATE    TIME     RETRIES  WHAT
        roll  success  3 ms     0        a four
        open  timeout  2003 ms  3        ran past its time limit of 500 ms
        tell  skipped  0 ms     0        dependency_failed
        the plan failed
        ");
    }

    #[test]
    fn a_result_without_steps_is_a_table_all_the_same() {
        insta::assert_snapshot!(trace_table(&json!({"success": true}), None), @r"
        STEP  STATE  TIME  RETRIES  WHAT
        the plan succeeded
        ");
    }
}
