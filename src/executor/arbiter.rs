//! Chooses the skill that runs a step with several candidates: S3's arbiter.
//!
//! The rule reads the skills' health once, before anything runs, so that the choice never depends on timing. An
//! [`Arbiter`] may choose another healthy candidate; the trace records the choice and the reason.

use std::{fmt, sync::Arc};

use narratoria_plan::{Arbiter, Candidate, Step};
use narratoria_skills::{Health, HealthTracker};

/// The arbiter of a plan, with facts that the plan itself does not have.
#[derive(Clone)]
pub struct PlanArbiter {
    pub arbiter: Arc<dyn Arbiter>,
    /// The player's sentence.
    pub task: String,
    /// Why the plan before this one failed.
    pub last_error: Option<String>,
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
    /// The first candidate; `None` if no candidate's script accepts the step's input.
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
    /// The rule chose, because the arbiter took longer than [`ARBITER_TIMEOUT`](narratoria_plan::ARBITER_TIMEOUT).
    ArbiterSlow,
    /// The rule chose, because the arbiter named no candidate or panicked.
    ArbiterSilent,
    /// The rule chose, because the arbiter named a skill that is no candidate.
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

    /// Returns the reason for people, as a part of a sentence.
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

    /// Finds this script among the candidates of `step`. Returns `None` if the step has other candidates by now.
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

/// Returns the candidates of a step in the order in which they are tried: healthy ones first. A candidate that has
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
