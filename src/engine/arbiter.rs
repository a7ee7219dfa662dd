//! Between the executor, which asks who runs a step, and a voice that has an opinion (S3's arbiter).

use std::{pin::Pin, sync::Arc};

use super::recorder::SharedRecord;
use crate::{
    executor::{Arbiter, ArbiterAsk},
    narrator::{Case, Contender, Judge},
};

/// Puts each question to a judge, with the plan's record as it stands.
pub(super) struct Court {
    pub(super) judge: Arc<dyn Judge>,
    pub(super) record: SharedRecord,
}

impl Arbiter for Court {
    fn choose<'a>(
        &'a self,
        ask: ArbiterAsk<'a>,
    ) -> Pin<Box<dyn Future<Output = Option<usize>> + Send + 'a>> {
        let step = ask.plan.step(ask.step);
        let contender = |candidate: &usize| {
            let skill = &step.candidates[*candidate].skill;
            Contender { skill: skill.name.clone(), description: skill.description.clone() }
        };
        let case = Case {
            record: self.record.lock().clone(),
            step: ask.step.0,
            contenders: ask.candidates.iter().map(contender).collect(),
        };
        Box::pin(async move {
            let name = self.judge.choose(&case).await?;
            let named = |contender: &Contender| contender.skill == name;
            // Somebody who is no candidate is no index either: the executor says that it was wrong.
            Some(case.contenders.iter().position(named).unwrap_or(usize::MAX))
        })
    }
}
