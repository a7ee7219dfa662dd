//! Who runs a step when several could: S3's arbiter.
//!
//! The rule looks at the skills' health once, before anything runs, so that the choice never depends on
//! timing. An [`Arbiter`] may choose otherwise among the healthy; the trace says who was chosen and why.

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use narratoria_plan::{Candidate, Plan, Step, StepIdx};
use narratoria_skills::{Health, HealthTracker};

/// How long an arbiter may take. It is a help, and the plan's own minute passes meanwhile.
pub const ARBITER_TIMEOUT: Duration = Duration::from_secs(5);

/// Chooses among the candidates of a step that is about to start.
pub trait Arbiter: Send + Sync {
    /// An index into [`ArbiterAsk::candidates`]. None, or an index that is none of them, leaves the choice
    /// to the rule, and so does taking longer than [`ARBITER_TIMEOUT`].
    fn choose<'a>(
        &'a self,
        ask: ArbitrationRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = Option<usize>> + Send + 'a>>;
}

/// What an arbiter knows.
#[derive(Debug, Clone)]
pub struct ArbitrationRequest<'a> {
    /// The plan that runs.
    pub plan: &'a Plan,
    /// How far each of its steps is, in plan order.
    pub progress: Vec<StepProgress>,
    /// The step that is about to start.
    pub step: StepIdx,
    /// Indices into the step's `candidates`: those that are healthy and whose script takes the input, the
    /// first choice of the rule first. At least two.
    pub candidates: Vec<usize>,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepProgress {
    /// Not begun.
    Pending,
    /// Runs, or is between two attempts.
    InProgress,
    /// Ended well.
    Complete,
    /// Failed or ran out of time.
    Failed,
    /// Will not run.
    Skipped,
}

/// Who ran an attempt, or could have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExecutedBy {
    /// The skill's name.
    pub skill: String,
    /// The script's name.
    pub script: String,
    /// The skill's version.
    pub version: String,
}

/// How the executor of a step was chosen. Only of steps that have several candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Arbitration {
    /// Who was to run it first; none when no candidate's script takes the step's input.
    pub chosen: Option<Arc<ExecutedBy>>,
    /// Why.
    pub why: ArbitrationReason,
    /// Who stands before the chosen in the plan but was not taken, or could not be taken at all.
    pub passed_over: Vec<PassedOverCandidate>,
    /// Who took over from whom, in order.
    pub takeovers: Vec<Takeover>,
}

/// Somebody who was not chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct PassedOverCandidate {
    /// Who.
    pub candidate: Arc<ExecutedBy>,
    /// For people: its health, or what its script has against the input.
    pub why: String,
}

/// A candidate failed for good and the next went on.
#[derive(Debug, Clone, PartialEq)]
pub struct Takeover {
    /// Who failed.
    pub from: Arc<ExecutedBy>,
    /// Who went on.
    pub to: Arc<ExecutedBy>,
    /// The last failure's text.
    pub why: String,
    /// Index of the item of a loop at which it happened.
    pub item: Option<usize>,
}

/// Why somebody was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArbitrationReason {
    /// By health, then by the plan's suggestion, priority and name.
    Rule,
    /// The arbiter said so.
    Arbiter,
    /// The rule, since the arbiter took longer than [`ARBITER_TIMEOUT`].
    ArbiterSlow,
    /// The rule, since the arbiter named nobody.
    ArbiterSilent,
    /// The rule, since the arbiter named somebody who is no candidate.
    ArbiterWrong,
}

impl ArbitrationReason {
    pub(super) const ALL: [ArbitrationReason; 5] = [
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

    /// A sentence's part for people.
    pub fn explanation(self) -> &'static str {
        match self {
            ArbitrationReason::Rule => "first by health, the plan's suggestion, priority and name",
            ArbitrationReason::Arbiter => "the arbiter chose it",
            ArbitrationReason::ArbiterSlow => "the arbiter took too long, so the rule chose",
            ArbitrationReason::ArbiterSilent => "the arbiter named nobody, so the rule chose",
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
    pub(super) fn of(step: &Step, candidate: usize) -> Arc<ExecutedBy> {
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

    /// The candidate of `step` that this is. None when the plan has another skill there by now.
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

/// The candidates of a step in the order in which they are tried: healthy ones first, those that have
/// failed for good not at all unless nobody else is left.
pub(super) fn candidate_order(step: &Step, health: &HealthTracker) -> Vec<usize> {
    let of = |candidate: &usize| health.health(&step.candidates[*candidate].skill.name);
    let mut order: Vec<usize> = (0..step.candidates.len()).collect();
    if order.iter().any(|candidate| of(candidate) != Health::PermanentFailure) {
        order.retain(|candidate| of(candidate) != Health::PermanentFailure);
    }
    order.sort_by_key(|candidate| match of(candidate) {
        Health::Healthy => 0,
        Health::Degraded => 1,
        Health::TemporaryFailure => 2,
        Health::PermanentFailure => 3,
    });
    order
}
