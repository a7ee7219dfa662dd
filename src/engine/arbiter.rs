//! Between the executor, which asks who runs a step, and a voice that has an opinion (S3's arbiter).

use std::{pin::Pin, sync::Arc};

use super::recorder::SharedRecord;
use narratoria_executor::{Arbiter, ArbitrationRequest};
use narratoria_narrator::{ArbiterCandidate, SkillArbiter, SkillChoiceRequest};

/// Puts each question to a judge, with the plan's record as it stands.
pub(super) struct PlannerArbiter {
    pub(super) arbiter: Arc<dyn SkillArbiter>,
    pub(super) record: SharedRecord,
}

impl Arbiter for PlannerArbiter {
    fn choose<'a>(
        &'a self,
        ask: ArbitrationRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = Option<usize>> + Send + 'a>> {
        let step = ask.plan.step(ask.step);
        let contender = |candidate: &usize| {
            let skill = &step.candidates[*candidate].skill;
            ArbiterCandidate { skill: skill.name.clone(), description: skill.description.clone() }
        };
        let case = SkillChoiceRequest {
            record: self.record.lock().clone(),
            step: ask.step.0,
            candidates: ask.candidates.iter().map(contender).collect(),
        };
        Box::pin(async move {
            let name = self.arbiter.choose(&case).await?;
            let named = |contender: &ArbiterCandidate| contender.skill == name;
            // Somebody who is no candidate is no index either: the executor says that it was wrong.
            Some(case.candidates.iter().position(named).unwrap_or(usize::MAX))
        })
    }
}
