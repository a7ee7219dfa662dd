//! Connects the executor's [`Arbiter`] with a planner that chooses skills (S3's arbiter).

use std::pin::Pin;

use super::recorder::SharedRecord;
use narratoria_executor::{Arbiter, ArbitrationRequest};
use narratoria_narrator::{ArbiterCandidate, SkillChoiceRequest, SkillChooser};

/// Asks the planner, and shows it the plan's record with the progress so far.
pub(super) struct PlannerArbiter {
    pub(super) arbiter: SkillChooser,
    pub(super) record: SharedRecord,
}

impl Arbiter for PlannerArbiter {
    fn choose<'a>(
        &'a self,
        request: ArbitrationRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = Option<usize>> + Send + 'a>> {
        let step = request.plan.step(request.step);
        let skills = request.candidates.iter().map(|index| &step.candidates[*index].skill);
        let candidates: Vec<ArbiterCandidate> = skills
            .map(|skill| ArbiterCandidate {
                skill: skill.name.clone(),
                description: skill.description.clone(),
            })
            .collect();
        let names: Vec<String> = candidates.iter().map(|one| one.skill.clone()).collect();
        let record = self.record.lock().clone();
        let choice =
            (self.arbiter)(SkillChoiceRequest { record, step: request.step.0, candidates });
        Box::pin(async move {
            let name = choice.await?;
            // The name of another skill becomes an index out of range, which the executor reports as wrong.
            Some(names.iter().position(|candidate| *candidate == name).unwrap_or(usize::MAX))
        })
    }
}
