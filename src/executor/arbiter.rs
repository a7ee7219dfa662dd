//! Chooses the skill that runs a step with several candidates: S3's arbiter.
//!
//! The rule reads the skills' health once, before anything runs, so that the choice never depends on
//! timing. An [`Arbiter`] may choose another healthy candidate; the trace records the choice and the reason.

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use narratoria_plan::{Candidate, Plan, Step, StepIdx};
use narratoria_skills::{Health, HealthTracker};

/// How long an arbiter may take. Its choice is optional, and the plan's own time runs meanwhile.
pub(crate) const ARBITER_TIMEOUT: Duration = Duration::from_secs(5);

/// Chooses among the candidates of a step that is about to start.
pub trait Arbiter: Send + Sync {
    /// Returns an index into [`ArbitrationRequest::candidates`]. The rule chooses if the result is `None` or
    /// out of range, or if the arbiter takes longer than [`ARBITER_TIMEOUT`].
    fn choose<'a>(
        &'a self,
        request: ArbitrationRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = Option<usize>> + Send + 'a>>;
}

/// A choice to make, and the plan around it.
#[derive(Debug, Clone)]
pub struct ArbitrationRequest<'a> {
    pub plan: &'a Plan,
    /// One entry for each step, in plan order.
    pub progress: Vec<StepProgress>,
    /// The step that is about to start.
    pub step: StepIdx,
    /// Indices into the step's `candidates`: those that are healthy and whose scripts accept the input, the
    /// rule's first choice first. At least two.
    pub candidates: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepProgress {
    Pending,
    /// Also between two attempts.
    InProgress,
    Complete,
    /// Also after a timeout.
    Failed,
    Skipped,
}

/// The script that ran an attempt, or could have run it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExecutedBy {
    pub skill: String,
    pub script: String,
    /// Version of the skill.
    pub version: String,
}

/// How a skill was chosen for a step with several candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Arbitration {
    /// The candidate that begins; `None` when no candidate's script accepts the step's input.
    pub chosen: Option<Arc<ExecutedBy>>,
    pub why: ArbitrationReason,
    /// Candidates that the plan names before the chosen one, and candidates that could not run the step.
    pub passed_over: Vec<PassedOverCandidate>,
    /// In order.
    pub takeovers: Vec<Takeover>,
}

/// A candidate that was not chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct PassedOverCandidate {
    pub candidate: Arc<ExecutedBy>,
    /// For people: its health, or why its script does not accept the input.
    pub why: String,
}

/// The last retry of one candidate failed, and the next candidate went on.
#[derive(Debug, Clone, PartialEq)]
pub struct Takeover {
    pub from: Arc<ExecutedBy>,
    pub to: Arc<ExecutedBy>,
    /// Text of the last failure.
    pub why: String,
    /// Index of the current item in a loop.
    pub item: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArbitrationReason {
    /// By health, then by the plan's suggestion, priority and name.
    Rule,
    /// The arbiter chose.
    Arbiter,
    /// The rule, since the arbiter took longer than [`ARBITER_TIMEOUT`].
    ArbiterSlow,
    /// The rule, since the arbiter named no candidate or panicked.
    ArbiterSilent,
    /// The rule, since the arbiter named a skill that is no candidate.
    ArbiterWrong,
}

impl ArbitrationReason {
    pub(crate) const ALL: [ArbitrationReason; 5] = [
        ArbitrationReason::Rule,
        ArbitrationReason::Arbiter,
        ArbitrationReason::ArbiterSlow,
        ArbitrationReason::ArbiterSilent,
        ArbitrationReason::ArbiterWrong,
    ];

    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ArbitrationReason::Rule => "rule",
            ArbitrationReason::Arbiter => "arbiter",
            ArbitrationReason::ArbiterSlow => "arbiter_slow",
            ArbitrationReason::ArbiterSilent => "arbiter_silent",
            ArbitrationReason::ArbiterWrong => "arbiter_wrong",
        }
    }

    /// For people, as part of a sentence.
    pub fn explanation(self) -> &'static str {
        match self {
            ArbitrationReason::Rule => "first by health, the plan's suggestion, priority and name",
            ArbitrationReason::Arbiter => "the arbiter chose it",
            ArbitrationReason::ArbiterSlow => "the arbiter took too long, so the rule chose",
            ArbitrationReason::ArbiterSilent => "the arbiter named no skill, so the rule chose",
            ArbitrationReason::ArbiterWrong => "the arbiter named no candidate, so the rule chose",
        }
    }
}

impl StepProgress {
    /// S3's word.
    pub fn as_str(self) -> &'static str {
        match self {
            StepProgress::Pending => "pending",
            StepProgress::InProgress => "in_progress",
            StepProgress::Complete => "complete",
            StepProgress::Failed => "failed",
            StepProgress::Skipped => "skipped",
        }
    }
}

impl ExecutedBy {
    pub(crate) fn of(step: &Step, candidate: usize) -> Arc<ExecutedBy> {
        let candidate = &step.candidates[candidate];
        Arc::new(ExecutedBy {
            skill: candidate.skill.name.clone(),
            script: candidate.script().name.clone(),
            version: candidate.skill.version.to_string(),
        })
    }

    /// `<skill>/<script>`.
    pub fn tool_path(&self) -> String {
        format!("{}/{}", self.skill, self.script)
    }

    /// Finds this script among the candidates of `step`. `None` when the step has other candidates by now.
    pub fn candidate_in<'s>(&self, step: &'s Step) -> Option<&'s Candidate> {
        step.candidates.iter().find(|candidate| {
            candidate.skill.name == self.skill && candidate.script().name == self.script
        })
    }
}

/// `<skill>@<version>`, as S3's `executedBy` has it.
impl fmt::Display for ExecutedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.skill, self.version)
    }
}

/// The candidates of a step in the order in which they are tried: healthy ones first. A candidate that has
/// failed permanently is tried only if all have.
pub(crate) fn candidate_order(step: &Step, health: &HealthTracker) -> Vec<usize> {
    let health_of = |candidate: &usize| health.health(&step.candidates[*candidate].skill.name);
    let mut order: Vec<usize> = (0..step.candidates.len()).collect();
    if order.iter().any(|candidate| health_of(candidate) != Health::PermanentFailure) {
        order.retain(|candidate| health_of(candidate) != Health::PermanentFailure);
    }
    order.sort_by_key(|candidate| match health_of(candidate) {
        Health::Healthy => 0,
        Health::Degraded => 1,
        Health::TemporaryFailure => 2,
        Health::PermanentFailure => 3,
    });
    order
}
