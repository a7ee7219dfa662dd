//! Every requirement has a test that names it. A test names what it covers in the comment above it, first
//! the specification and then the words of the table below:
//!
//! ```text
//! /// S0 FR-013, FR-019, S2 "Strategy 1": why it is so, if that is not plain.
//! #[test]
//! fn a_sentence() {
//! ```
//!
//! What stands after the colon or the full stop is prose, and names nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::each_source_file;

/// A specification, and the words by which its requirements are named. S0 is the specification of plan
/// execution, S1 that of its algorithms, S2 that of planning and review, S3 that of the plan's record, S4 that of the ticks.
pub(super) const REQUIREMENTS: &[(&str, &[&str])] = &[
    (
        "S0",
        &[
            "FR-001",
            "FR-002",
            "FR-003",
            "FR-004",
            "FR-005",
            "FR-006",
            "FR-007",
            "FR-008",
            "FR-009",
            "FR-010",
            "FR-011",
            "FR-012",
            "FR-013",
            "FR-014",
            "FR-015",
            "FR-016",
            "FR-017",
            "FR-018",
            "FR-019",
            "FR-020",
            "FR-021",
            "FR-022",
            "FR-023",
            "FR-024",
            "FR-025",
            "FR-026",
            "FR-027",
            "FR-028",
            "FR-029",
            "SC-001",
            "SC-002",
            "SC-005",
            "SC-006",
            "SC-012",
            // "User Scenarios" (§3).
            "Scenario 1",
            "Scenario 2",
            "Scenario 3",
            // "Plan Execution Semantics" (§5).
            "§5.1",
            "§5.2",
            "§5.3(1)",
            "§5.3(2)",
            "§5.3(3)",
            "§5.3(4)",
            "§5.3(5)",
            "§5.3(6)",
            "§5.3(7)",
            "§5.3(8)",
            "§5.4",
            "§5.5",
            // "Edge Cases" (§6).
            "invalid Plan JSON",
            "circular dependencies",
            "the same piece of state",
            "take very long",
            "closes application",
            // "Contracts" (§9).
            "§9",
        ],
    ),
    (
        "S1",
        &[
            // "Plan JSON Structure".
            "§2.1",
            "§2.2",
            // "Skill Error States".
            "Planner Behavior",
            "§3.1",
            // "Plan Execution Algorithm".
            "§4.1",
            "§4.2",
            "§4.3",
            "§4.4",
            // "Replan Loop State Machine".
            "§5.1",
            "§5.2",
            "§5.3",
            // "Deep Merge Algorithm".
            "§6",
            "§6.1",
            // "Timeout and Resource Bounds".
            "§7",
            "§7.1",
        ],
    ),
    (
        "S2",
        &[
            // The headings.
            "LLM Prompt",
            "Plan Validation",
            "Plan Review UI",
            "StepStatus",
            "estimatedDuration",
            "Progress Streaming",
            "Execution Context",
            "Strategy 1",
            "Strategy 2",
            "Strategy 3",
            // "Execution Engine".
            "requestApproval",
            // What a person can do in review.
            "Edit step",
            "Reorder steps",
            "Skip step",
            "Add step",
            "Regenerate plan",
            "Start Execution",
            "Cancel",
            // What the planner can answer to a failure.
            "Retry with different args",
            "Skip and continue",
            "Insert new recovery steps",
            "Abort execution",
            // "Future Enhancements".
            "Conditional Steps",
            "Loops",
            "Human-in-the-Loop",
            "Plan Templates",
        ],
    ),
    (
        "S3",
        &[
            "createPlan",
            "context",
            "reasoning",
            "complexity",
            "tags",
            "constraints",
            "informedByMemories",
            "task",
            "startStep",
            "completeStep",
            "failStep",
            "skipStep",
            "findNextPendingStep",
            "replan",
            "Plan Lifecycle",
            "Plan Persistence",
            "Plan in Arbiter Context",
            "suggestedAgent",
            "executedBy",
            "acceptanceCriteria",
            "previousPlanId",
            "version",
            "currentStepIndex",
            "createdBy",
            "createdAt",
            "updatedAt",
            "startedAt",
            "completedAt",
            "output",
            "error",
            "affectedFiles",
            "dependsOn",
            "instructions",
            "lastError",
            "history",
            // "Integration with XState".
            "PLAN_CREATED",
            "STEP_STARTED",
            "STEP_COMPLETED",
            "STEP_FAILED",
            "PLAN_REPLANNED",
        ],
    ),
    (
        "S4",
        &[
            // §11, the success criteria.
            "Plan schema defined and validated",
            "Planner prompt template",
            "Context builder gathers all necessary information",
            "Plan executor runs tools",
            "Plans are stored",
            "Agent orchestrator",
            "Full tick cycle",
            "tick command executes full planning cycle",
            "Error handling",
            "invalid plans",
            "failed tools",
            // The stages.
            "Starting Tick",
            "Gathering context",
            "Planning scene",
            "Validating plan",
            "Executing tools",
            "Saving plan",
            "Tick complete",
            // The plan and its texts.
            "rationale",
            "scene_intention",
            "actions",
            "pov_character",
            "target_location",
            "expected_outcomes",
            "unknown keys",
            "json fence",
            "Could not extract JSON",
            "Invalid JSON in plan",
            "Plan validation failed",
            "Soft limit of 4 tools",
            "2-4 tools",
            // The context and its texts.
            "novel_name Untitled",
            "current_tick 0",
            "active_character may be none",
            "Story has not yet begun",
            "No previous scenes yet",
            "No open loops yet",
            "No established relationships yet",
            "Story So Far",
            "scenes generated so far",
            "Intensity",
            "Your view",
            "Current Goals",
            "Emotional State",
            "recent_scenes_count",
            "include_overall_summary",
            "seven guidelines",
            "four questions",
            // Files, errors and ways out.
            "plan_NNN.json",
            "state.json",
            "error_NNN.json",
            "error_NNN.log",
            "instructions",
            "two-space JSON",
            "timestamp",
            "last_updated",
            "actions_executed",
            "action_index",
            "context_used",
            "recent_scenes",
            "open_loops_count",
            "traceback",
            "Error Type",
            "Error Message",
            "Partial Execution Results",
            "To retry",
            "To skip",
            "Exit 1",
            "Tool not found",
            "Error executing",
            "Tool execution failed at action",
            "Plan execution halted",
            "STOP on first tool error",
            "--retry",
            "Manually edit the plan",
            "--skip",
            "Skip this tick",
            "dry run",
            "Fixed active character",
            // The tools.
            "memory.search",
            "character.generate",
            "location.generate",
            "relationship.create",
            "relationship.update",
            "relationship.query",
            "Add tick to args",
            "get_open_loops",
            "open loops",
        ],
    ),
];

/// Where there are tests.
const ROOTS: &[&str] = &["src", "tests", "sdk", "skills-wasm"];

/// Its tests show what a citation looks like.
const THIS_FILE: &str = "tests/house/requirements.rs";

#[test]
fn every_requirement_has_a_test_that_names_it() {
    let mut cited = Cited::default();
    for root in ROOTS {
        each_source_file(root, &mut |path, text| {
            if path != THIS_FILE {
                cited.read(&path, &text);
            }
        });
    }
    assert!(cited.tests > 100, "only {} tests were found: is this the workspace?", cited.tests);
    let faults = cited.faults(REQUIREMENTS);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// What tests name.
#[derive(Default)]
pub(super) struct Cited {
    /// How many tests there are.
    tests: usize,
    /// The citations of each specification, with where they stand.
    pub(super) words: BTreeMap<String, Vec<(String, String)>>,
}

impl Cited {
    pub(super) fn read(&mut self, path: &str, source: &str) {
        for (line, comment) in tests(source) {
            self.tests += 1;
            for (specification, words) in citations(&comment) {
                let place = format!("{path}:{line}");
                self.words.entry(specification).or_default().push((words, place));
            }
        }
    }

    fn faults(&self, requirements: &[(&str, &[&str])]) -> Vec<String> {
        let mut faults = Vec::new();
        for (specification, words) in requirements {
            let cited = self.words.get(*specification).map_or(&[][..], Vec::as_slice);
            for word in *words {
                if !cited.iter().any(|(cited, _)| names(cited, word)) {
                    faults.push(format!(
                        "no test names `{specification} {word}`: write it above the one that covers it"
                    ));
                }
            }
            let known: BTreeSet<&str> = words.iter().copied().collect();
            for (cited, place) in cited {
                for number in numbers(cited).filter(|number| !known.contains(number)) {
                    faults.push(format!(
                        "{place} names `{specification} {number}`, which is not in the table of {THIS_FILE}"
                    ));
                }
            }
        }
        faults
    }
}

/// The first line of each test, counted from 1, and the comment above it.
fn tests(source: &str) -> Vec<(usize, String)> {
    let (mut found, mut comment, mut attributes) = (Vec::new(), String::new(), String::new());
    for (at, line) in source.lines().enumerate() {
        let line = line.trim();
        if let Some(text) = line.strip_prefix("//") {
            // Also those of documentation.
            comment += text.trim_start_matches('/').trim();
            comment.push('\n');
        } else if line.starts_with("#[") {
            attributes += line;
        } else {
            let is_test = ["#[test]", "#[tokio::test"].iter().any(|test| attributes.contains(test));
            let is_run = !attributes.contains("#[ignore");
            let is_function = line.starts_with("fn ") || line.starts_with("async fn ");
            if is_test && is_run && is_function {
                found.push((at + 1, comment.clone()));
            }
            comment.clear();
            attributes.clear();
        }
    }
    found
}

/// Each specification that a comment names, with what it names of it: up to the next specification, or
/// the end of the sentence, or a colon.
fn citations(comment: &str) -> Vec<(String, String)> {
    let text = comment.replace('\n', " ");
    let starts: Vec<usize> = text
        .match_indices('S')
        .map(|(at, _)| at)
        .filter(|at| {
            let before = text[..*at].chars().next_back();
            let mut after = text[at + 1..].chars();
            let is_digit = after.next().is_some_and(|c| c.is_ascii_digit());
            let is_whole = after.next().is_none_or(|c| !c.is_alphanumeric());
            is_digit && is_whole && before.is_none_or(|c| !c.is_alphanumeric())
        })
        .collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| {
            let (specification, words) = text[*start..end].split_at(2);
            let end = [": ", ". "].iter().filter_map(|stop| words.find(stop)).min();
            (specification.to_owned(), words[..end.unwrap_or(words.len())].to_owned())
        })
        .collect()
}

/// Returns true if the citation has these words, not as part of longer ones. Small and large letters are the same.
pub(super) fn names(cited: &str, words: &str) -> bool {
    let (cited, words) = (cited.to_lowercase(), words.to_lowercase());
    cited.match_indices(&words).any(|(at, _)| {
        let before = cited[..at].chars().next_back();
        let after = cited[at + words.len()..].chars().next();
        [before, after].into_iter().flatten().all(|c| !c.is_alphanumeric() && c != '_')
    })
}

/// The numbers that a citation names.
fn numbers(cited: &str) -> impl Iterator<Item = &str> {
    let parts = cited.split(|c: char| !c.is_alphanumeric() && c != '-');
    parts.filter(|part| part.starts_with("FR-") || part.starts_with("SC-"))
}

mod proofs {
    use super::Cited;

    const TABLE: &[(&str, &[&str])] =
        &[("S0", &["FR-013", "FR-019"]), ("S2", &["Strategy 1"]), ("S3", &["replan"])];

    #[track_caller]
    fn check(source: &str, faults: &[&str]) {
        let mut cited = Cited::default();
        cited.read("a.rs", source);
        assert_eq!(cited.faults(TABLE), faults, "{source}");
    }

    fn missing(words: &str) -> String {
        format!("no test names `{words}`: write it above the one that covers it")
    }

    #[test]
    fn one_comment_may_name_many() {
        check(
            "/// S0 FR-013 and FR-019,\n/// S2, strategy 1, S3 `replan`: why.\n#[test]\nfn a() {}",
            &[],
        );
    }

    #[test]
    fn each_of_several_tests_may_name_one() {
        check(
            "// S0 FR-013\n#[tokio::test(start_paused = true)]\nasync fn a() {}\n\
             proptest! {\n    /// S0 FR-019, S2 \"Strategy 1: Skip\"\n    #[test]\n    fn b() {}\n}\n\
             #[test]\n// S3 replan.\nfn c() {}",
            &[],
        );
    }

    #[test]
    fn what_is_not_above_a_test_that_runs_names_nothing() {
        let all = "S0 FR-013, FR-019, S2 strategy 1, S3 replan";
        let faults = ["S0 FR-013", "S0 FR-019", "S2 Strategy 1", "S3 replan"].map(missing);
        let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
        for source in [
            format!("/// {all}\nfn a() {{}}"),
            format!("//! {all}\n\n#[test]\nfn a() {{}}"),
            format!("#[test]\nfn a() {{\n    // {all}\n}}"),
            format!("/// {all}\n#[test]\n#[ignore = \"long\"]\nfn a() {{}}"),
            format!("/// Why: {all}.\nconst A: u8 = 1;\n#[test]\nfn a() {{}}"),
        ] {
            check(&source, &faults);
        }
    }

    #[test]
    fn prose_names_nothing() {
        let faults = ["S0 FR-019", "S2 Strategy 1", "S3 replan"].map(missing);
        let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
        check("/// S0 FR-013: not FR-019, nor a replan.\n#[test]\nfn a() {}", &faults);
    }

    #[test]
    fn a_requirement_that_there_is_not_is_a_slip() {
        for slip in ["FR-190", "SC-019"] {
            let source = format!(
                "/// S0 FR-013, FR-019, {slip}, S2 strategy 1, S3 replan\n#[test]\nfn a() {{}}"
            );
            let fault = format!(
                "a.rs:3 names `S0 {slip}`, which is not in the table of tests/house/requirements.rs"
            );
            check(&source, &[&fault]);
        }
    }
}
