//! A story of many turns with a large state: what its commits, openings and undos cost.

use serde_json::{Value, json};

use super::{db, open, root, turn};

/// With `STORY_TURNS` in the environment the state has 2 MiB, and `long-story.txt` in the folder for temporary files gets the
/// times of commits, openings and undos.
#[test]
fn a_long_story_opens_as_it_was_and_goes_back_at_once() {
    use std::time::{Duration, Instant};
    let turns: usize =
        std::env::var("STORY_TURNS").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    let root = root();
    let mut story = open(root.path());
    let filled = json!({"parts": (0..if turns == 0 { 20 } else { 2_000 })
        .map(|n| (n.to_string(), json!({"text": "x".repeat(1_000), "n": n})))
        .collect::<serde_json::Map<String, Value>>()});
    story.commit(&turn("fill", &[filled])).unwrap();
    let mut commits: Vec<Duration> = Vec::new();
    let mut opens = Vec::new();
    for n in 0..turns.max(200) {
        let part = (n % 20).to_string();
        let record = turn("go", &[json!({"n": n, "parts": {part: {"n": n}}})]);
        let started = Instant::now();
        story.commit(&record).unwrap();
        commits.push(started.elapsed());
        if [99, turns.max(200) - 1].contains(&n) {
            let started = Instant::now();
            let opened = open(root.path());
            let opening = started.elapsed();
            assert_eq!(opened.state(), story.state());
            let started = Instant::now();
            story.undo(1).unwrap();
            let undo = started.elapsed();
            story.redo(1).unwrap();
            let bytes = std::fs::metadata(db(root.path())).unwrap().len();
            opens.push(format!("turn {}: open {opening:?}, undo {undo:?}, {bytes} bytes", n + 1));
        }
    }
    let median = |part: &[Duration]| {
        let mut part = part.to_vec();
        part.sort();
        part[part.len() / 2]
    };
    let parts = [&commits[50..150], &commits[commits.len() - 100..]];
    let [early, late] = parts.map(median);
    // A busy machine does not make the fastest commits slower.
    let [fast_early, fast_late] = parts.map(|part| part.iter().min().copied().unwrap_or_default());
    let figures = format!(
        "commit {early:?} at turn 100, {late:?} at the end (fastest {fast_early:?}, {fast_late:?}); {}",
        opens.join("; ")
    );
    if turns > 0 {
        std::fs::write(std::env::temp_dir().join("long-story.txt"), figures).unwrap();
    }
}
