//! A killed tick is part of the story or it is not: the real program ticks, and `SIGKILL` comes at a random moment.
//! After every kill the counter, the scenes and the files agree, and no scene is narrated twice.
//!
//! `CRASH_KILLS` and `CRASH_SEED` are those of the other tests; `TICK_KILLS` is the number for this one alone.

use std::{collections::BTreeSet, time::Duration};

use narratoria_protocol::{Scene, Stored};
use serde_json::Value;

use crate::crash::{
    process::{KillRng, KillableProcess},
    stage::CrashStage,
    story_check::open,
};
use crate::tick_story::{check_files, check_tables};

const STORY: &str = "ticking";

/// Ticks of one process that runs to its end; a killed process rarely gets so far.
const TICKS: &str = "4";

struct TickCase {
    stage: CrashStage,
    /// The ticks of the scenes that were narrated.
    told: BTreeSet<u64>,
    texts: BTreeSet<String>,
}

impl TickCase {
    fn start(&self, count: &str) -> KillableProcess {
        let args = ["tick", "--story", STORY, "--seed", "7", "--format", "json", "--count", count];
        KillableProcess::start(self.stage.program(&args), "")
    }

    /// Reads the output of a process. The last line of one that was killed may be incomplete.
    fn hear(&mut self, stdout: &str, place: &str) {
        for line in stdout.lines() {
            let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
            if event["type"] == "scene" {
                let tick = event["tick"].as_u64().unwrap();
                assert!(self.told.insert(tick), "{place}: tick {tick} is told twice");
                let text = event["text"].as_str().unwrap().to_owned();
                assert!(self.texts.insert(text), "{place}: the scene of tick {tick} came before");
            }
        }
    }

    /// Returns the number of the last tick.
    fn check(&self, place: &str, is_synced: bool) -> u64 {
        let Some(story) = open(&self.stage.stories(), STORY) else { return 0 };
        assert_eq!(story.verify().unwrap(), Vec::<String>::new(), "{place}");
        assert_eq!(story.journal().unwrap(), None, "{place}: a tick has no journal");
        let tick = check_tables(&story, place);
        assert_eq!(story.turns(), tick, "{place}");
        let scenes: Vec<Stored<Scene>> = story.entities().unwrap();
        let texts: BTreeSet<&str> = scenes.iter().map(|scene| scene.value.text.as_str()).collect();
        assert_eq!(texts.len(), scenes.len(), "{place}: a scene is told twice");
        check_files(&story, place, is_synced);
        let last = self.told.last().copied().unwrap_or(0);
        assert!(last <= tick, "{place}: tick {last} is told and not part of the story");
        tick
    }
}

/// S4 "Full tick cycle", "Plans are stored", "state.json": first the plan is stored, then the counter advances, in one
/// transaction.
#[test]
fn a_killed_tick_leaves_a_whole_story_and_nothing_is_told_twice() {
    let kills =
        crate::crash::number("TICK_KILLS").or(crate::crash::number("CRASH_KILLS")).unwrap_or(10);
    let seed = crate::crash::number("CRASH_SEED").unwrap_or(1);
    let mut chance = KillRng::new(seed);
    let stage = CrashStage::new();
    let mut case = TickCase { stage, told: BTreeSet::new(), texts: BTreeSet::new() };
    // The first run warms up the caches, the second one is measured.
    let mut time = Duration::ZERO;
    for _ in 0..2 {
        let (ended, all) = case.start(TICKS).wait();
        assert_eq!(ended.exit, Some(0), "{}", ended.stderr);
        case.hear(&ended.stdout, "before");
        case.check("before", true);
        time = all;
    }
    let (mut killed, mut rounds) = (0, 0);
    let mut before = case.check("before", true);
    while killed < kills {
        rounds += 1;
        let place = format!("round {rounds} with CRASH_SEED={seed}");
        let delay = chance.moment(time);
        let ended = case.start(TICKS).kill_after(delay);
        assert!(matches!(ended.exit, None | Some(0)), "{place}: {ended:?}");
        case.hear(&ended.stdout, &place);
        let after = case.check(&place, false);
        assert!((before..=before + 4).contains(&after), "{place}: from {before} to {after}");
        killed += u64::from(ended.exit.is_none());
        before = after;
    }
    // The next start writes the missing files.
    let (ended, _) = case.start("1").wait();
    assert_eq!(ended.exit, Some(0), "{}", ended.stderr);
    case.hear(&ended.stdout, "at the end");
    assert_eq!(case.check("at the end", true), before + 1);
    println!(
        "ticks: CRASH_SEED={seed}, {killed} kills in {rounds} rounds, {} ticks, {time:.0?} for {TICKS}",
        before + 1
    );
}
