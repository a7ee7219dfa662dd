//! Checks that the goals of threads and of their stages name things, places and people of the world.

use super::{GOALS, Kinds, PARTS_MAX, Problems, expect};
use crate::definition::{GoalDefinition, WorldDefinition};

/// The goals that can be seen at any time, so that a stage may have them.
const LASTING_GOALS: &[&str] = &["held", "given", "reached", "opened", "lit"];

pub(super) fn threads(world: &WorldDefinition, kinds: &Kinds<'_>, problems: &mut Problems) {
    for thread in &world.threads {
        let name = &thread.name;
        problems.name("thread", name);
        let stages = thread.stages.iter().map(|stage| &stage.says);
        for text in [&thread.opening, &thread.ending].into_iter().chain(stages) {
            problems.text(name, &format!("a text of `{name}`"), text);
        }
        problems.count("stages of one thread", thread.stages.len(), PARTS_MAX);
        goal(name, &thread.goal, GOALS, kinds, problems);
        for stage in &thread.stages {
            goal(name, &stage.once, LASTING_GOALS, kinds, problems);
        }
    }
}

fn goal(
    thread: &str,
    goal: &GoalDefinition,
    known: &[&str],
    kinds: &Kinds<'_>,
    problems: &mut Problems,
) {
    if !known.contains(&goal.kind.as_str()) {
        let what = format!("a goal of `{thread}` is `{}`, none of {}", goal.kind, known.join(", "));
        problems.of(&[thread], what);
    }
    match goal.kind.as_str() {
        "held" | "given" | "lit" | "read" => expect(kinds, thread, &goal.target, "thing", problems),
        "reached" => expect(kinds, thread, &goal.target, "place", problems),
        _ => {}
    }
    match &goal.to {
        Some(to) => expect(kinds, thread, to, "person", problems),
        None if goal.kind == "given" => {
            problems.of(&[thread], format!("the goal of `{thread}` must say `to` whom"));
        }
        None => {}
    }
}
