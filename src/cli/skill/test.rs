//! `narratoria skill test`: the examples of packages, run and compared.

use std::{cell::RefCell, collections::BTreeSet, path::Path, sync::Arc};

use narratoria_engine::TurnError;
use narratoria_kit::{ExampleRun, PackageHarness, check::CheckTarget, run_example};
use narratoria_protocol::InvocationEnding;
use narratoria_sandbox::Sandbox;
use narratoria_skills::{self as skills, HostPolicy, Problem, SkillExample};
use serde_json::{Value, json};

use super::{packages, usage::usage_document};
use crate::{
    cli::{
        args::{CommonArgs, Format, SkillTestArgs},
        config, environment,
        exit::Exit,
        interrupt::Interrupts,
        print_document,
        settings::CliSettings,
        setup,
    },
    ui::{Look, Out, Tone, example_text, note, report_lines},
};

/// Version of `contracts/skill-test-report.schema.json`.
const VERSION: u32 = 1;

/// Results of all packages.
#[derive(Default)]
struct TestTotals {
    packages: Vec<Value>,
    examples: usize,
    differ: usize,
    unusable: usize,
}

pub(super) async fn test(args: SkillTestArgs) -> Result<Exit, TurnError> {
    let common = CommonArgs { skills: args.packages.skills.clone(), format: args.format };
    let settings = CliSettings::check(common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let scratch = packages::scratch_folder()?;
    let targets = packages::find(&args.packages, scratch.path())?;
    let sandbox = setup::sandbox(&settings, &mut err)?;
    let interrupts = Interrupts::listen(look)?;
    let running = interrupts.begin_turn(None);
    let mut tally = TestTotals::default();
    for target in &targets {
        let tested =
            test_package(target, &sandbox, scratch.path(), &settings, &mut err, &mut tally);
        tokio::select! {
            biased;
            () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
            tested = tested => tested?,
        }
    }
    let TestTotals { packages, examples, differ, unusable } = tally;
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
async fn test_package(
    target: &CheckTarget,
    sandbox: &Sandbox,
    scratch: &Path,
    settings: &CliSettings,
    err: &mut Out,
    tally: &mut TestTotals,
) -> Result<(), TurnError> {
    let ceilings = config::host_policy(settings)?;
    let rig = match build_harness(target, sandbox, scratch, &ceilings, err) {
        Ok(rig) => rig,
        Err(problems) => {
            for problem in &problems {
                let hint = "`narratoria skill check` says more".to_owned();
                report_lines(err, problem, &[hint]);
            }
            tally.unusable += 1;
            tally.packages.push(json!({
                "name": target.name, "folder": target.display_name, "ok": false,
                "problems": problems, "examples": [],
            }));
            return Ok(());
        }
    };
    let look = settings.terminal.look;
    let (mut out, mut documents, mut differ) = (Out::stdout(look), Vec::new(), 0);
    for example in &rig.skill().examples {
        let failed = |error| TurnError::new(narratoria_engine::TurnErrorKind::Internal, error);
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
        "name": target.name, "folder": target.display_name, "ok": differ == 0,
        "problems": [], "examples": documents,
    }));
    Ok(())
}

/// The package on the bench, or all that keeps it from there.
fn build_harness(
    target: &CheckTarget,
    sandbox: &Sandbox,
    scratch: &Path,
    ceilings: &HostPolicy,
    err: &mut Out,
) -> Result<PackageHarness, Vec<String>> {
    let unset = RefCell::new(BTreeSet::new());
    let lookup = |name: &str| {
        let value = environment::variable(name);
        if value.is_none() {
            unset.borrow_mut().insert(name.to_owned());
        }
        value
    };
    let skill = skills::load_package_without_secrets(&target.folder, &lookup);
    for name in unset.take() {
        let what = format!("the variable `{name}` of `config.json` is not set");
        note(err, Tone::Notice, "note", &format!("package `{}`: {what}", target.name));
    }
    let lines =
        |problems: Vec<Problem>| problems.iter().map(Problem::to_string).collect::<Vec<_>>();
    let mut skill = skill.map_err(lines)?;
    let refused = ceilings.apply(&mut skill);
    if !refused.is_empty() {
        return Err(lines(refused));
    }
    let env = packages::environment();
    PackageHarness::build(Arc::new(skill), sandbox, env, scratch.to_owned())
        .map_err(|(path, error)| vec![format!("package `{}`: {path}: {error}", target.name)])
}

fn shown(skill: &str, example: &SkillExample, run: &ExampleRun, look: Look) -> String {
    example_text(skill, &example.file, run, look)
}

fn document(example: &SkillExample, run: &ExampleRun) -> Value {
    let invocation = &run.run.invocation;
    let (ending, message) = match &invocation.ending {
        InvocationEnding::Done { summary, .. } => ("done", summary.clone()),
        InvocationEnding::Failed { summary, .. } => ("gave-up", summary.clone()),
        InvocationEnding::Aborted(refusal) => ("refused", Some(refusal.to_string())),
    };
    let events: Vec<Value> = run.run.messages.iter().map(|said| said.to_json()).collect();
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
