//! `narratoria check-part`: the process that does the work of one tenant. Each line of stdin is an order; each line of stdout is its
//! result. Knows no queue, and ends with its parent.

use std::{
    fs,
    io::{BufRead, Write},
    num::NonZeroUsize,
    path::PathBuf,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::check::{
    CheckMeaning, CheckOptions, check_part, repeatable_digest, write_part,
};
use narratoria_protocol::{JsonBounds, read_json_as};
use narratoria_queue::WORK_BYTES_MAX;
use narratoria_skills::{Catalog, HostPolicy};
use narratoria_ui::{Out, raw_stdout};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::{part_request::PartRequest, step_process::StepRunner};
use crate::{
    clock_and_ids::utc_now,
    config::parse_policy_text,
    error::CliError,
    exit::Exit,
    settings::CliSettings,
    setup,
    skill::{built_in_skills, check_campaigns, scratch_folder},
};

/// A piece of work, and where its files are.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum WorkOrder {
    Part {
        /// The folder of the package.
        folder: PathBuf,
        /// The text of a [`PartRequest`].
        request: String,
    },
    Step {
        /// The file of the component.
        component: PathBuf,
        /// The text of a [`StepRequest`](super::step_request::StepRequest).
        request: String,
    },
}

/// What came out.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum PartAnswer {
    Done {
        digest: String,
        report: String,
    },
    /// This machine could not do it.
    Failed {
        why: String,
    },
}

/// Longest line: a request, and a path.
const ORDER_BYTES_MAX: usize = 2 * WORK_BYTES_MAX + 8192;

/// Does the parts that stdin names, until it ends.
pub(crate) fn check_parts() -> Result<Exit, TurnError> {
    end_with_parent();
    let mut work = TenantWork { built_in: built_in_skills(), steps: None };
    let failed = |action, why| TurnError::from(CliError::Terminal { action, why });
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|why| failed("read a part on stdin", why))?;
        let answer = match work.answer(&line) {
            Ok(answer) => answer,
            Err(error) => PartAnswer::Failed { why: error.to_string() },
        };
        let answer = serde_json::to_string(&answer).expect("texts are JSON");
        let mut stdout = raw_stdout();
        let written = writeln!(stdout, "{answer}").and_then(|()| stdout.flush());
        written.map_err(|why| failed("write the report of a part", why))?;
    }
    Ok(Exit::Done)
}

/// A worker that is killed must not leave its parts running.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
            tracing::debug!("this process may outlive its worker: {error}");
        }
    }
}

/// What the process has for its orders.
struct TenantWork {
    built_in: Catalog,
    /// Once a step was ordered.
    steps: Option<StepRunner>,
}

impl TenantWork {
    fn answer(&mut self, line: &str) -> Result<PartAnswer, TurnError> {
        let order = read_json_as(line.as_bytes(), JsonBounds::of_bytes(ORDER_BYTES_MAX));
        let order = order.map_err(|error| {
            TurnError::new(TurnErrorKind::BadInput, format!("an order {}", error.predicate()))
        })?;
        match order {
            WorkOrder::Part { folder, request } => part_answer(folder, &request, &self.built_in),
            WorkOrder::Step { component, request } => {
                let steps = match &mut self.steps {
                    Some(steps) => steps,
                    None => {
                        let settings = CliSettings::bare()?;
                        let mut err = Out::stderr(settings.terminal.look);
                        let sandbox = setup::offline_sandbox(&settings, &mut err)?;
                        self.steps.insert(StepRunner::new(sandbox))
                    }
                };
                let finished = steps.run(&component, &request)?;
                let (digest, report) = (finished.repeatable_digest(), finished.write());
                Ok(PartAnswer::Done { digest, report })
            }
        }
    }
}

fn part_answer(
    folder: PathBuf,
    request: &str,
    built_in: &Catalog,
) -> Result<PartAnswer, TurnError> {
    let bad = |why: String| TurnError::new(TurnErrorKind::BadInput, format!("a part {why}"));
    let request = PartRequest::read(request).map_err(bad)?;
    let settings = CliSettings::bare()?;
    let scratch = scratch_folder()?;
    let policy = match &request.policy {
        Some((file, text)) => parse_policy_text(text, file)?,
        None => HostPolicy::default(),
    };
    let mut err = Out::stderr(settings.terminal.look);
    let options = CheckOptions {
        sandbox: setup::offline_sandbox(&settings, &mut err)?,
        runtime: Handle::current(),
        built_in: built_in.clone(),
        policy,
        campaigns: check_campaigns(),
        meaning: CheckMeaning::Absent { why: super::check_client::NO_MEANING.to_owned() },
        // A tenant's package sees nothing of a worker.
        env: Default::default(),
        scratch: scratch.path().to_owned(),
        strict: request.strict,
        jobs: NonZeroUsize::MIN,
        time_budget: request.time_budget(),
        seed: request.seed,
        started: utc_now(),
    };
    let report = check_part(request.target(folder), request.part(), options)
        .map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
    // A package may have left files in folders of its own.
    drop(fs::remove_dir_all(scratch.path()));
    Ok(PartAnswer::Done { digest: repeatable_digest(&report), report: write_part(&report) })
}
