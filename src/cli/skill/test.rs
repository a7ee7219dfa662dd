//! `narratoria skill test`: the examples of packages, run and compared.

use std::{cell::RefCell, collections::BTreeSet, env, path::Path, sync::Arc};

use narratoria::{
    engine::TurnError,
    kit::{ExampleRun, Rig, check::Target, run_example},
    sandbox::{Ending, Sandbox},
    skills::{self, Ceilings, Example, Problem},
};
use serde_json::{Value, json};

use super::{packages, usage_document};
use crate::{
    cli::{
        args::{CommonArgs, Format, SkillTestArgs},
        config,
        exit::Exit,
        interrupt::Interrupts,
        print_document,
        settings::Settings,
        setup,
    },
    ui::{Look, Out, Tone, example_text, note, report_lines},
};

/// Version of `contracts/skill-test-report.schema.json`.
const VERSION: u32 = 1;

/// What came of all packages.
#[derive(Default)]
struct Tally {
    packages: Vec<Value>,
    examples: usize,
    differ: usize,
    unusable: usize,
}

pub(super) async fn test(args: SkillTestArgs) -> Result<Exit, TurnError> {
    let common = CommonArgs { skills: args.packages.skills.clone(), format: args.format };
    let settings = Settings::check(common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let scratch = packages::scratch()?;
    let targets = packages::find(&args.packages, scratch.path())?;
    let sandbox = setup::sandbox(&settings, &mut err)?;
    let interrupts = Interrupts::listen(look)?;
    let running = interrupts.begin_turn(None);
    let mut tally = Tally::default();
    for target in &targets {
        let tested = one(target, &sandbox, scratch.path(), &settings, &mut err, &mut tally);
        tokio::select! {
            biased;
            () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
            tested = tested => tested?,
        }
    }
    let Tally { packages, examples, differ, unusable } = tally;
    let is_ok = differ == 0 && unusable == 0;
    match settings.format {
        Format::Json => print_document(
            look,
            &json!({
                "version": VERSION,
                "ok": is_ok,
                "examples": examples,
                "differ": differ,
                "packages": packages,
            }),
        )?,
        Format::Plain => {
            let summary =
                format!("{examples} run, {} as expected, {differ} not\n", examples - differ);
            Out::stdout(look).write(&summary);
        }
    }
    Ok(match (unusable, differ) {
        (0, 0) => Exit::Done,
        (0, _) => Exit::Failed,
        _ => Exit::BadInput,
    })
}

/// Runs the examples of one package, and tells each as it ends.
async fn one(
    target: &Target,
    sandbox: &Sandbox,
    scratch: &Path,
    settings: &Settings,
    err: &mut Out,
    tally: &mut Tally,
) -> Result<(), TurnError> {
    let ceilings = config::ceilings(settings)?;
    let rig = match rig(target, sandbox, scratch, &ceilings, err) {
        Ok(rig) => rig,
        Err(problems) => {
            for problem in &problems {
                let hint = "`narratoria skill check` says more".to_owned();
                report_lines(err, problem, &[hint]);
            }
            tally.unusable += 1;
            tally.packages.push(json!({
                "name": target.name, "folder": target.shown, "ok": false,
                "problems": problems, "examples": [],
            }));
            return Ok(());
        }
    };
    let look = settings.terminal.look;
    let (mut out, mut documents, mut differ) = (Out::stdout(look), Vec::new(), 0);
    for example in &rig.skill().examples {
        let failed = |error| TurnError::new(narratoria::engine::ErrorKind::Internal, error);
        let run = run_example(&rig, example).await.map_err(failed)?;
        tally.examples += 1;
        differ += usize::from(!run.differences.is_empty());
        match settings.format {
            Format::Json => documents.push(document(example, &run)),
            Format::Plain => out.write(&shown(&target.name, example, &run, look)),
        }
    }
    tally.differ += differ;
    tally.packages.push(json!({
        "name": target.name, "folder": target.shown, "ok": differ == 0,
        "problems": [], "examples": documents,
    }));
    Ok(())
}

/// The package on the bench, or all that keeps it from there.
fn rig(
    target: &Target,
    sandbox: &Sandbox,
    scratch: &Path,
    ceilings: &Ceilings,
    err: &mut Out,
) -> Result<Rig, Vec<String>> {
    let unset = RefCell::new(BTreeSet::new());
    let lookup = |name: &str| {
        let value = env::var(name).ok();
        if value.is_none() {
            unset.borrow_mut().insert(name.to_owned());
        }
        value
    };
    let skill = skills::load_package_without_secrets(&target.folder, &lookup);
    for name in unset.take() {
        let what = format!("the variable `{name}` of `config.json` is not set");
        note(err, Tone::Aside, "note", &format!("package `{}`: {what}", target.name));
    }
    let told = |problems: Vec<Problem>| problems.iter().map(Problem::to_string).collect::<Vec<_>>();
    let mut skill = skill.map_err(told)?;
    let refused = ceilings.apply(&mut skill);
    if !refused.is_empty() {
        return Err(told(refused));
    }
    let env = packages::environment();
    Rig::build(Arc::new(skill), sandbox, env, scratch.to_owned())
        .map_err(|(path, error)| vec![format!("package `{}`: {path}: {error}", target.name)])
}

fn shown(skill: &str, example: &Example, run: &ExampleRun, look: Look) -> String {
    example_text(skill, &example.file, run, look)
}

fn document(example: &Example, run: &ExampleRun) -> Value {
    let invocation = &run.ran.invocation;
    let (ending, message) = match &invocation.ending {
        Ending::Done { summary, .. } => ("done", summary.clone()),
        Ending::GaveUp { summary, .. } => ("gave-up", summary.clone()),
        Ending::Refused(refusal) => ("refused", Some(refusal.to_string())),
    };
    let events: Vec<Value> = run.ran.said.iter().map(|said| said.to_json()).collect();
    json!({
        "file": example.file,
        "script": example.script,
        "ok": run.differences.is_empty(),
        "differences": run.differences,
        "ending": ending,
        "message": message,
        "events": events,
        "stderr": invocation.stderr_tail,
        "usage": usage_document(&invocation.usage),
    })
}
