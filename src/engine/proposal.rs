//! Turns a planner's answer into a plan of the host: stamps its lineage, and notes in its metadata how it was made.
//! Checks nothing.

use serde_json::{Value, json};

use super::attempt_log::AttemptLog;
use narratoria_narrator::{Fallback, NoPlan, PlanTokens, PlannerView, SeenMemory};
#[cfg(doc)]
use narratoria_plan::BuildOptions;
use narratoria_plan::{CONTEXT_KEY, PlanJson, TASK_KEY, VERSION_KEY};
use narratoria_skills::{Catalog, Health, HealthTracker};

/// `metadata.insteadOf`: the planner that was asked but had no plan, and why.
const INSTEAD_KEY: &str = "insteadOf";

/// `metadata.tokens`: the plan's cost to a model.
const TOKENS_KEY: &str = "tokens";

/// `metadata.informedByMemories`: the memories that the plan rests on (S3).
const INFORMED_BY_KEY: &str = "informedByMemories";

/// Most entries of a list of sentences in a plan's metadata, as `contracts/plan-json.schema.json` has it.
const CONTEXT_SENTENCES_MAX: usize = 64;

/// An answer without a plan.
pub(crate) struct UnusableAnswer {
    /// The planner that was asked.
    pub(crate) planner: String,
    /// The text that is recorded in place of the plan.
    pub(crate) recorded: Value,
    pub(crate) errors: Vec<String>,
    /// True if another attempt could do better.
    pub(crate) can_retry: bool,
}

impl UnusableAnswer {
    pub(crate) fn aborted(planner: String, reason: &str) -> UnusableAnswer {
        UnusableAnswer {
            planner,
            recorded: json!({ "abort": reason }),
            errors: vec![format!("the planner gave up: {reason}")],
            can_retry: false,
        }
    }
}

impl From<NoPlan> for UnusableAnswer {
    fn from(no_plan: NoPlan) -> UnusableAnswer {
        let (errors, can_retry) = (no_plan.reasons(), no_plan.can_retry());
        let Fallback { planner, text, .. } = no_plan.fallback;
        UnusableAnswer { planner, recorded: text.into(), errors, can_retry }
    }
}

/// Overwrites the lineage of a plan, even if the planner wrote its own (S0 FR-008, FR-010). The plan lists every disabled
/// skill; [`BuildOptions::disabled_skills_of`] takes out those that its steps may use.
pub(crate) fn stamp_lineage(json: &mut PlanJson, plan_id: &str, attempts: &AttemptLog) {
    plan_id.clone_into(&mut json.request_id);
    json.metadata.generation_attempt = attempts.next_number();
    json.metadata.parent_plan_id = attempts.parent_id().map(str::to_owned);
    json.disabled_skills = attempts.disabled().iter().cloned().collect();
    // S3: the task of a turn's plan is the player's sentence, even if the planner set another.
    json.metadata.extra.shift_remove(TASK_KEY);
    match attempts.version_count() {
        0 => _ = json.metadata.extra.remove(VERSION_KEY),
        versions => {
            let version = versions.saturating_add(1).into();
            json.metadata.extra.insert(VERSION_KEY.to_owned(), version);
        }
    }
}

/// Says in the reason of each step that its skill is not reliable, whichever planner chose it (S1 §3).
pub(crate) fn note_unreliable_skills(
    json: &mut PlanJson,
    catalog: &Catalog,
    health: &HealthTracker,
) {
    for tool in &mut json.tools {
        let Ok((skill, _)) = catalog.resolve(&tool.tool_path) else { continue };
        let caution = match health.health(&skill.name) {
            Health::Healthy | Health::PermanentFailure => continue,
            Health::Degraded => "has failed often lately",
            Health::TemporaryFailure => "did not answer the last time",
        };
        let caution = format!("with caution, since `{}` {caution}", skill.name);
        tool.reason = Some(match tool.reason.take() {
            Some(reason) if !reason.is_empty() => format!("{reason}; {caution}"),
            _ => caution,
        });
    }
}

/// S3: the memories that the planner has read inform its plan. Its own entries come first; the lists keep their limit.
pub(crate) fn note_memories(json: &mut PlanJson, known: &[SeenMemory], view: &PlannerView) {
    let read = known.iter().filter(|memory| view.memories.contains(&memory.id));
    let texts: Vec<Value> = read.map(|memory| memory.text.as_str().into()).collect();
    if texts.is_empty() {
        return;
    }
    let extra = &mut json.metadata.extra;
    add_sentences(extra.entry(INFORMED_BY_KEY).or_insert_with(|| json!([])), &texts);
    let context = extra.entry(CONTEXT_KEY).or_insert_with(|| json!({}));
    if let Some(context) = context.as_object_mut() {
        add_sentences(context.entry("memories").or_insert_with(|| json!([])), &texts);
    }
}

fn add_sentences(list: &mut Value, sentences: &[Value]) {
    let Some(list) = list.as_array_mut() else { return };
    for sentence in sentences {
        if !list.contains(sentence) && list.len() < CONTEXT_SENTENCES_MAX {
            list.push(sentence.clone());
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
        Some(Fallback { planner, why, text }) => {
            let mut instead = json!({"voice": planner, "why": why});
            if let Some(text) = text {
                instead["text"] = text.as_str().into();
            }
            extra.insert(INSTEAD_KEY.to_owned(), instead);
        }
    }
    if let Some(PlanTokens { prompt, reused, sampled, forced }) = tokens {
        let tokens =
            json!({"prompt": prompt, "reused": reused, "sampled": sampled, "forced": forced});
        extra.insert(TOKENS_KEY.to_owned(), tokens);
    }
}

#[cfg(test)]
mod tests {
    use narratoria_narrator::{PlannerView, SeenMemory};
    use narratoria_plan::PlanJson;
    use serde_json::json;

    use super::{CONTEXT_SENTENCES_MAX, note_memories};

    fn known(count: usize) -> Vec<SeenMemory> {
        let memory = |nth| SeenMemory {
            id: format!("M{nth}"),
            text: format!("Fact {nth}."),
            turn: 1,
            pinned: false,
        };
        (1..=count).map(memory).collect()
    }

    fn view(known: &[SeenMemory]) -> PlannerView {
        let memories = known.iter().map(|memory| memory.id.clone()).collect();
        PlannerView { recent_turns: 0, memories, cut: Vec::new() }
    }

    #[test]
    fn a_plan_names_the_memories_that_its_planner_has_read_behind_its_own() {
        let mut plan = PlanJson::new("x".to_owned(), Vec::new());
        plan.metadata.extra.insert("informedByMemories".to_owned(), json!(["Fact 2.", "Hers."]));
        let known = known(3);
        note_memories(&mut plan, &known, &view(&known[1..]));
        assert_eq!(
            json!(plan.metadata.extra),
            json!({
                "informedByMemories": ["Fact 2.", "Hers.", "Fact 3."],
                "context": {"memories": ["Fact 2.", "Fact 3."]}
            })
        );
    }

    #[test]
    fn a_plan_whose_planner_read_no_memory_names_none_and_a_long_list_keeps_its_limit() {
        let mut plan = PlanJson::new("x".to_owned(), Vec::new());
        note_memories(&mut plan, &known(3), &PlannerView::default());
        assert!(plan.metadata.extra.is_empty());
        let known = known(CONTEXT_SENTENCES_MAX + 9);
        note_memories(&mut plan, &known, &view(&known));
        let named = plan.metadata.extra["informedByMemories"].as_array().unwrap();
        assert_eq!(named.len(), CONTEXT_SENTENCES_MAX);
    }
}
