//! Turns a planner's proposal into a plan of the host: parses it, stamps its lineage, and notes in its metadata
//! how it was made. Checks nothing.

use serde_json::{Value, json};

use super::attempt_log::{AttemptLog, error_sentences};
use narratoria_narrator::{Fallback, PlanTokens, PlannerError, Proposal};
use narratoria_plan::{self as plan, PlanJson, VERSION_KEY};

/// `metadata.insteadOf`: the planner that was asked but had no plan, and why.
const INSTEAD_KEY: &str = "insteadOf";

/// `metadata.tokens`: the plan's cost to a model.
const TOKENS_KEY: &str = "tokens";

/// A proposal that is no plan.
pub(crate) struct UnusableProposal {
    /// Recorded in place of the plan.
    pub(crate) recorded: Value,
    pub(crate) errors: Vec<String>,
    /// True if another attempt could do better.
    pub(crate) can_retry: bool,
}

/// The plan of a proposal, if it has one.
pub(crate) fn proposed_json(proposal: &Proposal) -> Option<PlanJson> {
    match proposal {
        Proposal::Plan(json) => Some(json.clone()),
        Proposal::Text(text) => plan::parse(text.as_bytes()).ok(),
        Proposal::Abort { .. } => None,
    }
}

/// The plan of a proposal, parsed but not checked.
pub(crate) fn parse_proposal(
    proposal: Result<Proposal, PlannerError>,
) -> Result<PlanJson, UnusableProposal> {
    match proposal {
        Ok(Proposal::Plan(json)) => Ok(json),
        Ok(Proposal::Text(text)) => plan::parse(text.as_bytes()).map_err(|errors| {
            let recorded = text.chars().take(plan::PLAN_BYTES_MAX / 4).collect();
            UnusableProposal {
                recorded: Value::String(recorded),
                errors: error_sentences(&errors),
                can_retry: true,
            }
        }),
        Ok(Proposal::Abort { reason }) => Err(UnusableProposal {
            recorded: Value::Null,
            errors: vec![format!("the planner gave up: {reason}")],
            can_retry: false,
        }),
        Err(error) => Err(UnusableProposal {
            recorded: Value::Null,
            errors: vec![error.to_string()],
            can_retry: !matches!(error, PlannerError::NoUsableSkill),
        }),
    }
}

/// Overwrites the lineage of a plan, whatever the planner wrote there (S0 FR-008, FR-010).
pub(crate) fn stamp_lineage(json: &mut PlanJson, plan_id: &str, attempts: &AttemptLog) {
    plan_id.clone_into(&mut json.request_id);
    json.metadata.generation_attempt = attempts.next_number();
    json.metadata.parent_plan_id = attempts.parent_id().map(str::to_owned);
    json.disabled_skills = attempts.disabled().iter().cloned().collect();
    match attempts.version_count() {
        0 => _ = json.metadata.extra.remove(VERSION_KEY),
        versions => {
            let version = versions.saturating_add(1).into();
            json.metadata.extra.insert(VERSION_KEY.to_owned(), version);
        }
    }
}

/// Notes the planner that this one replaced, and the tokens that the plan cost.
pub(crate) fn note_planner(
    json: &mut PlanJson,
    fallback: Option<&Fallback>,
    tokens: Option<PlanTokens>,
) {
    let extra = &mut json.metadata.extra;
    match fallback {
        None => _ = extra.remove(INSTEAD_KEY),
        Some(Fallback { planner, why }) => {
            extra.insert(INSTEAD_KEY.to_owned(), json!({"voice": planner, "why": why}));
        }
    }
    if let Some(PlanTokens { prompt, reused, sampled, forced }) = tokens {
        let tokens =
            json!({"prompt": prompt, "reused": reused, "sampled": sampled, "forced": forced});
        extra.insert(TOKENS_KEY.to_owned(), tokens);
    }
}
