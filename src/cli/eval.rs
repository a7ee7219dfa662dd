//! `narratoria eval`: measures how well a planner plans the sentences of a file.

use std::time::Duration;

use narratoria_engine::{
    EvalOptions, SessionOptions, TurnError,
    eval::{self, EVAL_BYTES_MAX, EvalReportJson, Score},
    evaluate,
};

use super::{
    args::{EvalArgs, Format, InteractionArgs},
    exit::Exit,
    files,
    interrupt::Interrupts,
    planner::{self, PlannerSetup},
    print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{EvalProgress, Out, eval_report, report_lines};

/// Default number of misses that are shown to people: about a screen.
const MISSES_SHOWN: usize = 20;

/// Default of `--seed`: two evaluations must be comparable.
const SEED_DEFAULT: u64 = 0;

pub(super) async fn eval(args: EvalArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let text = files::read(&args.file, "dataset", EVAL_BYTES_MAX)?;
    let cases = eval::parse(&text)?;
    let PlannerSetup { mut planner, .. } =
        planner::for_command(&settings, &args.planner, &mut err)?;
    let skill_set =
        setup::load_skills_without_model(&settings, setup::GrantedFolders::default(), &mut err)?;
    skill_set.warn(&mut err);
    eval::check_skills(&cases, &skill_set.catalog)?;
    let interrupts = Interrupts::listen(look);
    let running = interrupts.begin_turn(None);
    let bare = skill_set.without_story(SessionOptions {
        generation_timeout: Duration::from_millis(args.timeout),
        ..setup::options(&settings, InteractionArgs::default())?
    });
    let options = EvalOptions {
        seed: args.planner.seed.seed.unwrap_or(SEED_DEFAULT),
        typing: args.typing.map(Duration::from_millis),
        cancel: running.cancel.clone(),
    };
    let mut counter = EvalProgress::new(look, cases.len());
    let mut on_progress =
        |tried: &eval::CaseResult<'_>| counter.count(tried.is_valid(), tried.is_right());
    let report = evaluate(bare.stage(), &mut *planner, &cases, &options, &mut on_progress).await;
    counter.clear();
    match settings.format {
        Format::Json => {
            print_document(look, &EvalReportJson::new(&report, args.misses.unwrap_or(usize::MAX)))?;
        }
        Format::Plain => {
            print_text(look, &eval_report(&report, args.misses.unwrap_or(MISSES_SHOWN), look))?;
        }
    }
    if report.tried < report.cases {
        return Ok(Exit::Interrupted);
    }
    let valid = is_held(&mut err, "valid plans", report.valid, args.require_valid);
    let right = is_held(&mut err, "right skills", report.right, args.require_accuracy);
    Ok(if valid && right { Exit::Done } else { Exit::Failed })
}

/// Reports a score below the required rate, and returns whether it was reached.
fn is_held(err: &mut Out, what: &str, score: Score, required: Option<f64>) -> bool {
    let Some(required) = required.filter(|required| score.own_rate() < *required) else {
        return true;
    };
    let (own, of) = (score.own, score.total);
    let rate = score.own_rate();
    report_lines(err, &format!("{what}: {own} of {of} ({rate:.4}), required {required}"), &[]);
    false
}
