//! `narratoria plan diff`: the differences between two plans of a story, or two files.

use std::path::Path;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_plan::{self as plan, PLAN_BYTES_MAX, PlanJson};
use narratoria_story::Story;

use crate::{
    args::{Format, PlanDiffArgs},
    exit::Exit,
    files, print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::diff_view;

pub(super) fn diff(args: PlanDiffArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let of_story = [&args.old, &args.new].iter().any(|which| !is_file(which));
    let story = of_story.then(|| setup::existing_story(&settings, &args.of.story)).transpose()?;
    let old = read(&args.old, story.as_ref())?;
    let new = read(&args.new, story.as_ref())?;
    let diff = plan::diff(&old, &new);
    match settings.format {
        Format::Json => print_document(look, &diff)?,
        Format::Plain => {
            let text = diff.to_string();
            if text.is_empty() {
                print_text(look, "the plans do not differ\n")?;
            }
            let lines: Vec<&str> = text.lines().collect();
            print_text(look, &diff_view(&lines, look))?;
        }
    }
    Ok(Exit::Done)
}

/// Returns true if the text looks like a path; numbers and ids never do.
fn is_file(which: &str) -> bool {
    which == "-"
        || which.contains(['/', '\\'])
        || [".json", ".yaml", ".yml"].iter().any(|end| which.ends_with(end))
}

fn read(which: &str, story: Option<&Story>) -> Result<PlanJson, TurnError> {
    let bad = |error| TurnError::new(TurnErrorKind::BadInput, format!("`{which}`: {error}"));
    let Some(story) = story.filter(|_| !is_file(which)) else {
        let text = files::read(Path::new(which), "plan", PLAN_BYTES_MAX)?;
        return plan::parse_document(&text).map_err(|errors| bad(errors.to_string()));
    };
    let row = story.plan(which)?.row;
    serde_json::from_value(row.plan).map_err(|error| {
        bad(format!("what the planner wrote is no plan that could be compared: {error}"))
            .hint(format!("`narratoria plan show {which}` shows what it wrote"))
    })
}
