//! `narratoria tenant-work`: the process that does the work of one tenant. Each line of stdin is an order; each line of stdout is its
//! result. Knows no queue, and ends with its parent.

use std::{
    io::{BufRead, Write},
    num::NonZeroUsize,
    path::PathBuf,
    time::Instant,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::check::{
    CheckMeaning, CheckOptions, CheckStoryCell, check_part, repeatable_digest, write_part,
};
use narratoria_protocol::{JsonBounds, read_json_as};
use narratoria_queue::WORK_BYTES_MAX;
use narratoria_sandbox::Sandbox;
use narratoria_skills::{Catalog, HostPolicy};
use narratoria_ui::{Out, raw_stdout};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
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
pub(super) enum WorkAnswer {
    Done {
        digest: String,
        /// A report of a part, or what a step has come to.
        body: String,
    },
    /// This machine could not do it.
    Failed { why: String },
}

/// Longest line: a request, and a path.
const ORDER_BYTES_MAX: usize = 2 * WORK_BYTES_MAX + 8192;

/// Does what stdin orders, until it ends.
pub(crate) fn do_orders() -> Result<Exit, TurnError> {
    end_with_parent();
    let mut work = TenantWork { parts: PartChecker::new()?, steps: None };
    let failed = |action, why| TurnError::from(CliError::Terminal { action, why });
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|why| failed("read an order on stdin", why))?;
        let answer = match work.answer(&line) {
            Ok(answer) => answer,
            Err(error) => {
                work.parts.kept = None;
                WorkAnswer::Failed { why: error.to_string() }
            }
        };
        let answer = serde_json::to_string(&answer).expect("texts are JSON");
        let mut stdout = raw_stdout();
        let written = writeln!(stdout, "{answer}").and_then(|()| stdout.flush());
        written.map_err(|why| failed("write a result", why))?;
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
    parts: PartChecker,
    /// Once a step was ordered.
    steps: Option<StepRunner>,
}

impl TenantWork {
    fn answer(&mut self, line: &str) -> Result<WorkAnswer, TurnError> {
        let order = read_json_as(line.as_bytes(), JsonBounds::of_bytes(ORDER_BYTES_MAX));
        let order = order.map_err(|error| {
            TurnError::new(TurnErrorKind::BadInput, format!("an order {}", error.predicate()))
        })?;
        match order {
            WorkOrder::Part { folder, request } => self.parts.answer(folder, &request),
            WorkOrder::Step { component, request } => {
                let steps = match &mut self.steps {
                    Some(steps) => steps,
                    None => self.steps.insert(StepRunner::new(self.parts.new_sandbox()?)),
                };
                let finished = steps.run(&component, &request)?;
                let (digest, body) = (finished.repeatable_digest(), finished.write());
                Ok(WorkAnswer::Done { digest, body })
            }
        }
    }
}

/// Does one part after the other. What parts of one check have in common is made once.
struct PartChecker {
    built_in: Catalog,
    settings: CliSettings,
    /// For the story that parts share.
    folder: TempDir,
    kept: Option<KeptForParts>,
}

struct KeptForParts {
    sandbox: Sandbox,
    /// The story follows from the seed.
    seed: u64,
    story: CheckStoryCell,
}

impl PartChecker {
    fn new() -> Result<PartChecker, TurnError> {
        let (settings, folder) = (CliSettings::bare()?, scratch_folder()?);
        Ok(PartChecker { built_in: built_in_skills(), settings, folder, kept: None })
    }

    fn new_sandbox(&self) -> Result<Sandbox, TurnError> {
        let mut err = Out::stderr(self.settings.terminal.look);
        setup::offline_sandbox(&self.settings, &mut err)
    }

    /// The sandbox of this process, and the story of the seed.
    fn common(&mut self, seed: u64) -> Result<(Sandbox, CheckStoryCell), TurnError> {
        let sandbox = match self.kept.take() {
            Some(kept) if kept.seed == seed => {
                let common = (kept.sandbox.clone(), kept.story.clone());
                self.kept = Some(kept);
                return Ok(common);
            }
            Some(kept) => kept.sandbox,
            None => self.new_sandbox()?,
        };
        let story = CheckStoryCell::shared(self.folder.path().to_owned());
        self.kept = Some(KeptForParts { sandbox: sandbox.clone(), seed, story: story.clone() });
        Ok((sandbox, story))
    }

    fn answer(&mut self, folder: PathBuf, request: &str) -> Result<WorkAnswer, TurnError> {
        let bad = |why: String| TurnError::new(TurnErrorKind::BadInput, format!("a part {why}"));
        let request = PartRequest::read(request).map_err(bad)?;
        let scratch = scratch_folder()?;
        let policy = match &request.policy {
            Some((file, text)) => parse_policy_text(text, file)?,
            None => HostPolicy::default(),
        };
        let (sandbox, story) = self.common(request.seed)?;
        let (began, time_budget) = (Instant::now(), request.time_budget());
        let options = CheckOptions {
            sandbox,
            runtime: Handle::current(),
            built_in: self.built_in.clone(),
            policy,
            campaigns: check_campaigns(),
            meaning: CheckMeaning::Absent { why: super::check_client::NO_MEANING.to_owned() },
            // A tenant's package sees nothing of a worker.
            env: Default::default(),
            scratch: scratch.path().to_owned(),
            strict: request.strict,
            jobs: NonZeroUsize::MIN,
            time_budget,
            seed: request.seed,
            started: utc_now(),
        };
        let report = check_part(request.target(folder), request.part(), options, story)
            .map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
        // Out of time, the check has stopped the compilations of this sandbox, so another replaces it.
        if !report.left_out.is_empty() || began.elapsed() >= time_budget {
            self.kept = None;
        }
        Ok(WorkAnswer::Done { digest: repeatable_digest(&report), body: write_part(&report) })
    }
}
