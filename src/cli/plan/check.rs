//! `narratoria plan check`: reports all faults of a plan at once.

use narratoria_engine::TurnError;
use narratoria_plan::{
    self as plan, BuildOptions, PLAN_BYTES_MAX, Plan, PlanErrors, PlanJson, embedded_references,
};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;
use serde_json::{Value, json};

use crate::{
    args::{Format, PlanCheckArgs},
    exit::Exit,
    files, path_text, print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Out, Tone, note, report_lines};

pub(super) fn check(args: PlanCheckArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let text = files::read(&args.file, "plan", PLAN_BYTES_MAX)?;
    let skill_set =
        setup::load_skills_without_model(&settings, setup::GrantedFolders::default(), &mut err)?;
    skill_set.warn(&mut err);
    let story = args.story.map(|name| setup::existing_story(&settings, &name)).transpose()?;
    let state = story.as_ref().map(|story| story.state().as_object());
    match parse_and_build(&text, &skill_set.catalog, state) {
        Err(errors) => {
            if settings.format == Format::Json {
                print_document(look, &errors_document(&errors))?;
            }
            report_plan_errors(&mut err, &path_text::shown(&args.file), &errors);
            Ok(Exit::BadInput)
        }
        Ok((json, plan)) if settings.format == Format::Json => {
            let steps: Vec<&str> = plan.steps().iter().map(|step| &*step.tool_id).collect();
            let mut document = json!({"ok": true, "steps": steps});
            let warnings: Vec<String> =
                embedded_references(&json).iter().map(ToString::to_string).collect();
            if !warnings.is_empty() {
                document["warnings"] = json!(warnings);
            }
            print_document(look, &document)?;
            Ok(Exit::Done)
        }
        Ok((json, plan)) => {
            report_plan_warnings(&mut err, &path_text::shown(&args.file), &json);
            let steps: Vec<&str> = plan.steps().iter().map(|step| &*step.tool_id).collect();
            let count = match steps.len() {
                0 => "no steps".to_owned(),
                1 => format!("1 step: {}", steps[0]),
                many => format!("{many} steps: {}", steps.join(", ")),
            };
            print_text(look, &format!("ok: {count}\n"))?;
            Ok(Exit::Done)
        }
    }
}

/// Reads the plan, and builds it as it would run. If there is a state, its names must be those that the state has.
pub(super) fn parse_and_build(
    text: &[u8],
    catalog: &Catalog,
    state: Option<&Object>,
) -> Result<(PlanJson, Plan), PlanErrors> {
    let state_values = state.map(|state| catalog.state_values(state));
    let options = BuildOptions { state_values, ..BuildOptions::default() };
    Plan::from_document(text, catalog, &options)
}

/// Reports each error with its place and its own hint.
pub(super) fn report_plan_errors(err: &mut Out, from: &str, errors: &PlanErrors) {
    for error in errors.iter() {
        let hints: Vec<String> = error.hint().into_iter().collect();
        report_lines(err, &format!("{from}: {error}"), &hints);
    }
    if errors.left_off() > 0 {
        report_lines(err, &format!("{from}: and {} more", errors.left_off()), &[]);
    }
}

/// Reports what is probably meant otherwise in a plan that can run.
pub(super) fn report_plan_warnings(err: &mut Out, from: &str, json: &PlanJson) {
    for embedded in embedded_references(json) {
        note(err, Tone::Warning, "warning", &format!("{from}: {embedded}"));
    }
}

pub(super) fn errors_document(errors: &PlanErrors) -> Value {
    let one = |error: &plan::PlanError| match error.hint() {
        Some(hint) => json!({"message": error.to_string(), "hint": hint}),
        None => json!({"message": error.to_string()}),
    };
    let listed: Vec<Value> = errors.iter().map(one).collect();
    json!({"ok": false, "errors": listed, "leftOff": errors.left_off()})
}
