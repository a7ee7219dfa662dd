//! Which patches become part of the state: claims, limits, and their order.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::harness::{ExecutionSetup, ExecutorTestRun, object, parallel, results, run};
use crate::{ReusedResults, StateRules, StepTrace, state_rules::StateLimits};
use narratoria_plan::StepIdx;
use narratoria_protocol::{Object, StateAccount, StateClaims, StoryState};

/// `claims` reads `world /door; party* /group`: the star marks a shared claim.
fn claims(text: &str) -> StateClaims {
    let mut claims = StateClaims::default();
    for claim in text.split("; ").filter(|claim| !claim.is_empty()) {
        let (skill, pointer) = claim.split_once(' ').unwrap();
        claims.add(skill.trim_end_matches('*'), pointer, skill.ends_with('*'));
    }
    claims
}

/// Limits of some hundred bytes: a skill has 400, a step may count on 200, all but the built-in `teller` have 900 of 1,200.
fn small_rules(claimed: &str) -> StateRules {
    StateRules {
        claims: claims(claimed),
        built_in: BTreeSet::from(["teller".to_owned()]),
        limits: StateLimits { whole: 1_200, built_in: 300, skill: 400, step: 200 },
        ..StateRules::default()
    }
}

fn empty() -> StoryState {
    StoryState::default()
}

/// A patch of one member with so many bytes in it.
fn fill(member: &str, bytes: usize) -> Value {
    json!({member: "x".repeat(bytes)})
}

/// The outcome of each step, `done` or the code of its failure.
fn outcomes(ran: &ExecutorTestRun) -> String {
    let word = |(step, trace): (&narratoria_plan::Step, &StepTrace)| {
        let code = trace.outcome.failure().map(crate::Failure::code);
        let tries = trace.attempts.len();
        format!("{} {} {tries}", step.tool_id, code.unwrap_or(trace.outcome.as_str().to_owned()))
    };
    let steps = ran.plan.steps().iter().zip(&ran.trace.steps).map(word);
    steps.collect::<Vec<_>>().join(", ")
}

#[tokio::test(start_paused = true)]
async fn a_patch_of_what_another_skill_claims_fails_its_step_at_once() {
    let setup = ExecutionSetup {
        rules: small_rules("world /door/lock; host-like /x"),
        start: StoryState::new(object(json!({"door": {"lock": "iron", "colour": "red"}}))),
        patches: json!({"burn": {"door": null}, "paint": {"door": {"colour": "blue"}}, "own": {"narratoria": {}}}),
        ..ExecutionSetup::default()
    };
    let ran = run("paint burn@3 look<-burn own?@3", setup).await;
    assert_snapshot!(outcomes(&ran), @"paint success 1, burn STATE_PROTECTED 1, look skipped 0, own STATE_PROTECTED 1");
    assert_snapshot!(results(&ran), @r#"
    paint success {"saw":null,"got":[]}, 1 tries
    burn failed its patch would change `/door` of the state, which the skill `world` claims, 1 tries
    look skipped dependency_failed, 0 tries
    own failed its patch would change `/narratoria` of the state, which belongs to the host, 1 tries
    {"door":{"lock":"iron","colour":"blue"}}
    failure, disabled: burn own
    "#);
}

#[tokio::test(start_paused = true)]
async fn another_skill_may_take_over_from_one_that_may_not_write() {
    let setup = ExecutionSetup {
        rules: small_rules("lock /door"),
        start: empty(),
        patches: json!({"open": {"door": "open"}}),
        ..ExecutionSetup::default()
    };
    let ran = run("open%brute|lock", setup).await;
    assert_snapshot!(outcomes(&ran), @"open success 2");
    assert_eq!(ran.trace.steps[0].executed_by().unwrap().skill, "lock");
}

#[tokio::test(start_paused = true)]
async fn a_step_that_passes_a_limit_fails_and_the_others_go_on() {
    let setup = |patches: Value| ExecutionSetup {
        rules: small_rules(""),
        start: empty(),
        patches,
        ..ExecutionSetup::default()
    };
    let patches = json!({
        "a": fill("a", 120), "b": fill("b", 120), "c": fill("c", 120),
        "wide": fill("w", 200), "less": {"a": null, "b": null}, "again": fill("c", 120),
        "d": fill("d", 120), "e": fill("e", 120), "f": fill("f", 120), "g": fill("g", 120),
        "h": fill("h", 120), "narrate": fill("story", 120),
    });
    // One skill.
    let text = "a%k b%k c?@3%k wide?%k less%k again%k";
    let ran = run(text, setup(patches.clone())).await;
    assert_snapshot!(outcomes(&ran), @"a success 1, b success 1, c STATE_QUOTA 1, wide STATE_QUOTA 1, less success 1, again success 1");
    // Several skills fill the state, and the built-in one goes on.
    let text = "a b c d e f? g?<-f h? narrate%teller";
    let ran = run(text, setup(patches)).await;
    assert_snapshot!(outcomes(&ran), @"a success 1, b success 1, c success 1, d success 1, e success 1, f STATE_FULL 1, g STATE_FULL 1, h STATE_FULL 1, narrate success 1");
    assert!(ran.trace.success);
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_passes_a_limit_fails_once_its_items_are_over() {
    let setup = ExecutionSetup {
        rules: small_rules(""),
        start: empty(),
        patches: json!({"many": fill("m", 380)}),
        tool_fields: json!({"many": {"forEach": [1, 2, 3]}}),
        ..ExecutionSetup::default()
    };
    let ran = run("many@2", setup).await;
    assert_snapshot!(outcomes(&ran), @"many STATE_QUOTA 3");
}

/// Each fits alone, but not both together: the later one in the plan's order fails, whichever ends first.
#[tokio::test(start_paused = true)]
async fn the_later_of_two_steps_fails_whichever_ends_first() {
    for [first, second] in [["d10", "d50"], ["d50", "d10"], ["d10", "d10"]] {
        let patches = json!({
            "a": fill("a", 130), "b": fill("b", 130), "c": fill("c", 130), "d": {"d": 1}
        });
        let text = format!("a&%k b&%k:{first} c&?@3%k:{second} d&<-c after&<-b");
        let setup =
            ExecutionSetup { rules: small_rules(""), start: empty(), patches, ..parallel() };
        let ran = run(&text, setup).await;
        assert_eq!(
            outcomes(&ran),
            "a success 1, b success 1, c STATE_QUOTA 1, d success 1, after success 1"
        );
        // `d` depends on an optional step that failed, and runs only when that is known.
        assert_eq!(
            ran.requests.iter().filter(|request| request.inputs.contains_key("c")).count(),
            1
        );
        assert!(ran.trace.steps[3].attempts[0].started.as_millis() >= 50 || second == "d10");
    }
}

/// A step may rely on its share, so one that wants more must leave the shares of the others.
#[tokio::test(start_paused = true)]
async fn a_large_step_leaves_room_for_those_beside_it() {
    for [first, second] in [["d10", "d50"], ["d50", "d10"]] {
        let patches = json!({"a": fill("a", 300), "b": fill("b", 100), "c": fill("a", 300)});
        let text = format!("a&?%k:{first} b&%k:{second} c&%k<-b");
        let setup =
            ExecutionSetup { rules: small_rules(""), start: empty(), patches, ..parallel() };
        let ran = run(&text, setup).await;
        assert_eq!(outcomes(&ran), "a STATE_QUOTA 1, b success 1, c STATE_QUOTA 1");
    }
    // With nothing beside it, it has the whole quota.
    let patches = json!({"a": fill("a", 300), "b": {"a": null}, "c": fill("c", 300)});
    let setup = ExecutionSetup { rules: small_rules(""), start: empty(), patches, ..parallel() };
    let ran = run("a&%k b&%k<-a c&%k<-b", setup).await;
    assert_eq!(outcomes(&ran), "a success 1, b success 1, c success 1");
}

/// A step that waits for an earlier one holds no slot, so the earlier one can run.
#[tokio::test(start_paused = true)]
async fn a_step_that_waits_to_be_accepted_blocks_no_other() {
    let patches = json!({
        "a": fill("a", 130), "b": fill("b", 130), "c": fill("c", 130), "slow": {}, "z": {},
    });
    let setup =
        ExecutionSetup { rules: small_rules(""), start: empty(), patches, slots: 2, ..parallel() };
    let ran = run("slow&:d100 a&%k<-slow b&%k c&?%k z&<-c", setup).await;
    assert_snapshot!(ran.timeline, @r#"
      0 slow starts
      0 b starts
      0 b success
      0 c starts
    100 slow success
    100 a starts
    100 a success
    100 c failed: the skill `k` would have 525 bytes of the state, the limit is 400 for one skill; it must delete or replace what it no longer needs
    100 z starts
    100 z success
    100 plan success
    "#);
    assert_snapshot!(outcomes(&ran), @"slow success 1, a success 1, b success 1, c STATE_QUOTA 1, z success 1");
}

/// A plan that ends early still decides about the waiting steps.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_plan_settles_the_steps_that_wait() {
    let patches = json!({"a": fill("a", 150), "b": fill("b", 150), "c": fill("c", 150), "z": {}});
    let setup = || ExecutionSetup {
        rules: small_rules(""),
        start: empty(),
        patches: patches.clone(),
        ..parallel()
    };
    let text = "a&%k:h b&%k:d10 c&%k:d10 z&<-c";
    let ran = run(text, ExecutionSetup { plan_timeout_ms: 500, ..setup() }).await;
    assert_snapshot!(outcomes(&ran), @"a PLAN_TIMEOUT 1, b success 1, c success 1, z skipped 0");
    let ran = run(text, ExecutionSetup { cancel_at_ms: Some(20), ..setup() }).await;
    assert_snapshot!(outcomes(&ran), @"a CANCELLED 1, b success 1, c success 1, z skipped 0");
    let approve = json!({"a": {"requiresApproval": true}});
    let people: Vec<super::harness::PersonAction> =
        vec![(300, |pending| pending.deny("a").unwrap())];
    let with_person = ExecutionSetup { tool_fields: approve, person_actions: people, ..setup() };
    let ran = run("a&?%k b&%k:d10 c&%k:d10 z&<-c", with_person).await;
    assert_snapshot!(outcomes(&ran), @"a skipped 0, b success 1, c success 1, z success 1");
}

#[tokio::test(start_paused = true)]
async fn reused_results_that_fit_keep_their_place_and_the_others_run_again() {
    let patches = json!({"a": fill("a", 130), "b": fill("b", 130), "c": fill("c", 130), "z": {}});
    let setup = |reused: ReusedResults, patches: &Value| ExecutionSetup {
        rules: small_rules(""),
        start: empty(),
        patches: patches.clone(),
        reused_results: reused,
        ..parallel()
    };
    let small = json!({"a": fill("a", 1), "b": fill("b", 130), "c": fill("c", 130), "z": {}});
    let text = "a&?%k b&%k z&<-b c&?%k";
    let first = run(text, setup(ReusedResults::new(), &small)).await;
    assert_snapshot!(outcomes(&first), @"a success 1, b success 1, z success 1, c success 1");
    let reuse = |steps: &[usize]| -> ReusedResults {
        steps.iter().map(|idx| (StepIdx(*idx), first.trace.steps[*idx].clone())).collect()
    };
    // `b` and `c` have run, so `a` does not fit any more.
    let ran = run(text, setup(reuse(&[1, 2, 3]), &patches)).await;
    assert_snapshot!(outcomes(&ran), @"a STATE_QUOTA 1, b success 1, z success 1, c success 1");
    assert_eq!(ran.requests.len(), 1);
    // A result whose skill may not write it any more runs again, with what needs it.
    let denied =
        ExecutionSetup { rules: small_rules("other /b"), ..setup(reuse(&[0, 1, 2, 3]), &small) };
    let ran = run(text, denied).await;
    assert_snapshot!(outcomes(&ran), @"a success 1, b STATE_PROTECTED 1, z skipped 0, c success 1");
    let reused: Vec<bool> = ran.trace.steps.iter().map(|step| step.reused).collect();
    assert_eq!(reused, [true, false, false, true]);
}

// Random plans of three skills that fill the state.

#[derive(Debug, Clone)]
struct FillingStep {
    skill: usize,
    needs: Vec<usize>,
    is_optional: bool,
    patch: Vec<(String, Option<usize>)>,
    ms: [u64; 2],
}

const SKILLS: [&str; 4] = ["k0", "k1", "k2", "teller"];

fn filling_step() -> impl Strategy<Value = FillingStep> {
    let patch = proptest::collection::vec(
        ("[a-d](/[a-c])?", proptest::option::weighted(0.8, 0..120_usize)),
        0..3,
    );
    let needs = proptest::collection::vec(0..9_usize, 0..2);
    (0..SKILLS.len(), needs, any::<bool>(), patch, [0..40_u64, 0..40_u64]).prop_map(
        |(skill, needs, is_optional, patch, ms)| FillingStep {
            skill,
            needs,
            is_optional,
            patch,
            ms,
        },
    )
}

fn patch(step: &FillingStep) -> Value {
    let mut patch = Object::new();
    for (place, bytes) in &step.patch {
        let value = bytes.map_or(Value::Null, |bytes| json!("x".repeat(bytes)));
        match place.split_once('/') {
            None => _ = patch.insert(place.clone(), value),
            Some((member, inner)) => {
                let slot = patch.entry(member).or_insert_with(|| json!({}));
                if let Value::Object(members) = slot {
                    members.insert(inner.to_owned(), value);
                }
            }
        }
    }
    Value::Object(patch)
}

fn text(steps: &[FillingStep], timing: usize) -> String {
    let word = |(idx, step): (usize, &FillingStep)| {
        let optional = if step.is_optional { "?" } else { "" };
        let needs: BTreeSet<String> = match idx {
            0 => BTreeSet::new(),
            _ => step.needs.iter().map(|need| format!("s{}", need % idx)).collect(),
        };
        let needs = needs.into_iter().collect::<Vec<_>>().join(",");
        let (skill, ms) = (SKILLS[step.skill], step.ms[timing]);
        format!("s{idx}&{optional}%{skill}<-{needs}:d{ms}")
    };
    steps.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

fn clock() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

proptest! {
    /// Random claims and random patches of several skills: the timing and the slots change nothing, no limit is
    /// passed, and no skill changes what another one claims.
    #[test]
    fn the_state_stays_within_its_rules_whatever_the_timing(
        steps in proptest::collection::vec(filling_step(), 1..10),
        claimed in proptest::collection::vec((0..SKILLS.len(), "/[a-d](/[a-c])?", any::<bool>()), 0..3),
        slots in 1..5_usize,
    ) {
        let mut rules = small_rules("");
        rules.limits.step = 120;
        for (skill, pointer, is_shared) in &claimed {
            rules.claims.add(SKILLS[*skill], pointer, *is_shared);
        }
        let patches: Object =
            steps.iter().enumerate().map(|(idx, step)| (format!("s{idx}"), patch(step))).collect();
        let start = StoryState::new(object(json!({"a": {"a": "start"}, "d": "start"})));
        let ran = |timing: usize, slots: usize| {
            let setup = ExecutionSetup {
                rules: rules.clone(),
                start: start.clone(),
                patches: Value::Object(patches.clone()),
                slots,
                ..parallel()
            };
            clock().block_on(run(&text(&steps, timing), setup))
        };
        let (one, other) = (ran(0, 8), ran(1, slots));
        prop_assert_eq!(results(&one), results(&other));
        let mut account = StateAccount::of(&start);
        for (skill, patch) in one.trace.skill_patches() {
            prop_assert!(rules.claims.check(skill, patch).is_ok());
            account.apply(skill, patch);
        }
        prop_assert_eq!(account.state(), &one.trace.state);
        let built_in = account.bytes_of("teller");
        prop_assert!(account.bytes() <= 1_200, "{}", account.bytes());
        prop_assert!(account.bytes() - built_in.min(300) <= 900);
        for skill in SKILLS {
            prop_assert!(account.bytes_of(skill) <= 400);
        }
    }
}
