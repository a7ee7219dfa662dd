//! A story of many turns with a large state: what its commits, openings, undos and exports cost.

use std::{
    env, fs, io,
    path::Path,
    time::{Duration, Instant},
};

use narratoria_story::{BookFormat, Story};
use serde_json::{Value, json};

use super::{db, open, root, turn};

/// Turns, without `STORY_TURNS`.
const TURNS: usize = 200;

/// After so many turns the file is measured, too.
const MEASURED: [usize; 6] = [100, 1_000, 2_500, 5_000, 7_500, 10_000];

/// How often an opening and an undo are measured. The fastest counts: a busy machine makes none faster.
const TRIES: usize = 9;

/// With `STORY_TURNS` in the environment the state has 2 MiB, and `long-story.txt` in the folder for temporary files gets the
/// times of commits, openings and undos, the sizes, and the memory of exports.
#[test]
fn a_long_story_opens_and_goes_back_as_it_was_and_its_turns_stay_as_cheap() {
    let asked: Option<usize> = env::var("STORY_TURNS").ok().and_then(|count| count.parse().ok());
    let turns = asked.unwrap_or(TURNS);
    let root = root();
    let mut story = open(root.path());
    let filled = json!({"parts": (0..if asked.is_none() { 20 } else { 2_000 })
        .map(|n| (n.to_string(), json!({"text": "x".repeat(1_000), "n": n})))
        .collect::<serde_json::Map<String, Value>>()});
    story.commit(&turn("fill", &[filled])).unwrap();
    let mut commits: Vec<Duration> = Vec::new();
    let mut figures = String::new();
    for n in 0..turns {
        let part = (n % 20).to_string();
        let record = turn("go", &[json!({"n": n, "parts": {part: {"n": n}}})]);
        let started = Instant::now();
        story.commit(&record).unwrap();
        commits.push(started.elapsed());
        if MEASURED.contains(&(n + 1)) || n + 1 == turns {
            figures += &measure(&mut story, root.path(), n + 1);
        }
    }
    let median = |part: &[Duration]| {
        let mut part = part.to_vec();
        part.sort();
        part[part.len() / 2]
    };
    let parts = [&commits[50..150], &commits[commits.len() - 100..]];
    let [early, late] = parts.map(median);
    let [fast_early, fast_late] = parts.map(|part| part.iter().min().copied().unwrap_or_default());
    // The fastest of a hundred hardly depends on what else the machine does.
    let bound = fast_early * 10 + Duration::from_millis(5);
    assert!(fast_late < bound, "a commit took {fast_early:?} at first and {fast_late:?} at last");
    figures += &format!(
        "commit: median {early:?} at turn 100, {late:?} at the end; fastest {fast_early:?}, {fast_late:?}\n"
    );
    figures += &exports(&story);
    let files = fs::read_dir(root.path().join("quest")).unwrap().count();
    figures += &format!("{files} files in the story's folder\n");
    if asked.is_some() {
        fs::write(env::temp_dir().join("long-story.txt"), figures).unwrap();
    }
}

/// What opening the story and taking back its last turn cost now, and its size.
fn measure(story: &mut Story, root: &Path, turns: usize) -> String {
    let fastest =
        |times: &mut dyn FnMut() -> Duration| (0..TRIES).map(|_| times()).min().unwrap_or_default();
    let opening = fastest(&mut || {
        let started = Instant::now();
        let opened = open(root);
        let took = started.elapsed();
        assert_eq!(opened.state(), story.state());
        took
    });
    let undo = fastest(&mut || {
        let last = story.state().clone();
        let started = Instant::now();
        story.undo(1).unwrap();
        let took = started.elapsed();
        assert_ne!(story.state(), &last);
        story.redo(1).unwrap();
        assert_eq!(story.state(), &last);
        took
    });
    let bytes = fs::metadata(db(root)).unwrap().len();
    format!("turn {turns}: open {opening:?}, undo {undo:?}, {bytes} bytes\n")
}

/// Takes what is written and keeps nothing.
struct Sink(u64);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Seek for Sink {
    fn seek(&mut self, _: io::SeekFrom) -> io::Result<u64> {
        Ok(self.0)
    }
}

/// Time and memory of each export.
fn exports(story: &Story) -> String {
    let mut text = String::new();
    let mut export = |name: &str, write: &dyn Fn(&mut Sink)| {
        // The peak counts from now on.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let (before, started, mut out) = (memory("VmRSS:"), Instant::now(), Sink(0));
        write(&mut out);
        let (took, more) = (started.elapsed(), memory("VmHWM:").saturating_sub(before));
        text += &format!("{name}: {} bytes in {took:?}, {more} kB more memory\n", out.0);
    };
    export("ndjson", &|out| _ = story.export_lines(out).unwrap());
    for (name, format) in [("markdown", BookFormat::Markdown), ("html", BookFormat::Html)] {
        export(name, &|out| _ = story.write_book(format, story.head(), out).unwrap());
    }
    text
}

/// A figure of this process, in kB.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
