//! Hostile and ordinary requests, sent to every script. A script must answer each with a proper end, whatever the answer
//! is.

use std::{collections::BTreeMap, io, time::Duration};

use super::{
    budget::CheckBudget,
    finding::{FindingCollector, FindingLocation},
    hostile_requests::{HostileKind, HostileRequest, RequestBody, requests},
    rules::{self, Rule},
    state_ground::StateGround,
    story::CheckStory,
    story_under_check::StoryUnderCheck,
    triggered::TriggeredInputs,
};
use crate::{PackageHarness, chance::RequestChance};
use narratoria_protocol::{InvocationEnding, InvocationOutcome};

/// Longest time of a script for a hostile request, even if its manifest allows more. Refusing takes milliseconds, on a
/// busy machine some hundred.
pub const HOSTILE_TIME_MAX: Duration = Duration::from_secs(10);
/// Most requests that one finding names.
const NAMED_MAX: usize = 3;

/// Sends every request to every script, or to one alone, in an order that the seed decides; returns the number of requests.
pub(super) async fn check(
    harness: &PackageHarness,
    only: Option<&str>,
    around: Option<&CheckStory>,
    seed: u64,
    budget: &CheckBudget,
    findings: &mut FindingCollector<'_>,
) -> io::Result<usize> {
    let mut count = 0;
    let triggered = TriggeredInputs::of(harness.skill());
    for (script_idx, script) in harness.skill().scripts.iter().enumerate() {
        let name = &script.name;
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let place = format!("{}/{name}", harness.skill().name);
        let mut chance = RequestChance::of(seed, &place);
        let ground = StateGround::of(harness.skill(), around);
        let mut requests: Vec<(usize, HostileRequest)> =
            requests(harness, script_idx, &ground, &triggered, &mut chance)
                .into_iter()
                .enumerate()
                .collect();
        let total = requests.len();
        chance.shuffle(&mut requests);
        let in_story = requests.iter().filter(|(_, request)| request.is_in_story()).count();
        let mut story = StoryUnderCheck::begin(harness, script_idx, &ground, in_story)?;
        let mut faults: BTreeMap<&str, BrokenRule> = BTreeMap::new();
        for (sent, (request_idx, request)) in requests.into_iter().enumerate() {
            let HostileRequest { what, kind, body, seed } = request;
            let mut fresh;
            let (story, stdin) = match body {
                RequestBody::Bytes(stdin) => {
                    fresh = ground.begin_story(harness, script_idx)?;
                    (&mut fresh, stdin)
                }
                // Ordinary requests find the state that earlier ones left, as in a story.
                RequestBody::InStory(call) => story.next(*call),
            };
            let run = harness.run_bytes_in(story, script_idx, stdin, seed, HOSTILE_TIME_MAX);
            let Some(ran) = budget.run(run).await else {
                let left = total - sent;
                findings.leave_out(format!("{left} of {total} hostile requests to `{name}`"));
                break;
            };
            count += 1;
            if let Some((rule, how)) = broken_rule(&ran?.invocation, kind) {
                let first =
                    BrokenRule { rule, first_idx: usize::MAX, how: None, requests: Vec::new() };
                faults.entry(rule.id).or_insert(first).add(request_idx, what, how);
                // A script that hangs once will hang again, and each time costs the whole limit.
                if rule == &rules::HOSTILE_HANG {
                    break;
                }
            }
        }
        for fault in faults.into_values() {
            let place = FindingLocation::field("skill.json", format!("/scripts/{script_idx}"));
            findings.add(fault.rule, place, format!("`{name}` {}", summary(fault)));
        }
    }
    Ok(count)
}

struct BrokenRule {
    rule: &'static Rule,
    /// Index of the first request in the order in which they were made.
    first_idx: usize,
    /// The ending of that request, if the rule does not name it.
    how: Option<String>,
    requests: Vec<(usize, String)>,
}

impl BrokenRule {
    fn add(&mut self, request_idx: usize, what: String, how: Option<String>) {
        if request_idx < self.first_idx {
            self.first_idx = request_idx;
            self.how = how;
        }
        self.requests.push((request_idx, what));
    }
}

/// The first few by name, the others by number. Independent of the order in which they were sent.
fn summary(mut fault: BrokenRule) -> String {
    fault.requests.sort();
    let mut named: Vec<&str> = Vec::new();
    let mut rest = 0;
    for (_, what) in &fault.requests {
        match named.len() < NAMED_MAX && !named.contains(&what.as_str()) {
            true => named.push(what),
            false => rest += 1,
        }
    }
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let how = fault.how.as_ref().map(|how| format!("; the script {how}")).unwrap_or_default();
    let did = match fault.rule.id {
        "hostile/garbage" | "hostile/accepted" => "says `ok: true` to",
        "hostile/silent" => "fails without a word on",
        "hostile/trap" => "crashes on",
        "hostile/hang" => "does not end on",
        "hostile/exit" => "exits with a failure status on",
        "hostile/memory" => "asks for too much memory on",
        _ => "breaks the protocol on",
    };
    format!("{did}: {}{more}{how}", named.join("; "))
}

/// The rule that an answer breaks, with the ending if the rule does not name it.
fn broken_rule(
    invocation: &InvocationOutcome,
    kind: HostileKind,
) -> Option<(&'static Rule, Option<String>)> {
    let refusal = match &invocation.ending {
        InvocationEnding::Done { .. } => {
            return match kind {
                HostileKind::Garbage => Some((&rules::HOSTILE_GARBAGE, None)),
                HostileKind::Wrong => Some((&rules::HOSTILE_ACCEPTED, None)),
                HostileKind::Fair => None,
            };
        }
        InvocationEnding::Failed { summary: None, error_code: None, .. } => {
            return Some((&rules::HOSTILE_SILENT, None));
        }
        InvocationEnding::Failed { .. } => return None,
        InvocationEnding::Aborted(refusal) => refusal,
    };
    let rule = match refusal.code() {
        "TRAP" => &rules::HOSTILE_TRAP,
        "TOOL_TIMEOUT" | "FUEL_EXHAUSTED" => &rules::HOSTILE_HANG,
        "EXIT_FAILURE" => &rules::HOSTILE_EXIT,
        "MEMORY_EXCEEDED" => &rules::HOSTILE_MEMORY,
        _ => &rules::HOSTILE_PROTOCOL,
    };
    Some((rule, Some(refusal.to_string())))
}
