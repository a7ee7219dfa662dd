//! A process that is killed loses nothing that is done, and does nothing twice: the real binary, `SIGKILL`
//! at moments that nobody chose, and `plan resume`.
//!
//! `CRASH_KILLS` says how often, `CRASH_SEED` where chance comes from.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(
    clippy::print_stdout,
    reason = "where the kills have hit is of interest, and so is the seed"
)]

mod process;
mod stage;
mod story_check;

use std::{
    collections::BTreeMap,
    env, fmt,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use process::{KillRng, KillableProcess};
use stage::CrashStage;
use story_check::{CrashProgress, check_steps, lists, outcome, progress};

/// What the program logs when it has a plan and has written nothing down yet.
const PROPOSED: &str = "plan proposed";

/// Processes of one story that are killed at most, before one may come to the end.
const KILLS_MAX: u64 = 4;

/// Of so many first processes, one is killed at any moment of its life and not only of its plan.
const EARLY_ONE_IN: u64 = 8;

/// Of so many unfinished plans, one is dropped.
const DROPPED_ONE_IN: u64 = 12;

/// Threads that play rounds.
const SHARDS: u64 = 2;

/// What the rounds are about.
struct CrashCase {
    stage: CrashStage,
    /// Begins.
    begin: &'static [&'static str],
    /// What is typed.
    line: &'static str,
    /// Two ways to go on, when the journal has that version of the plan.
    resume: fn(u32) -> [&'static [&'static str]; 2],
}

/// What must come of it, and how long that takes.
struct UndisturbedRun {
    outcome: String,
    lists: BTreeMap<String, Vec<String>>,
    /// From its start until it has a plan.
    preparing: Duration,
    /// From then on.
    working: Duration,
}

/// Where the kills have hit.
#[derive(Debug, Default)]
struct KillCounts {
    rounds: u64,
    /// No plan was in the journal.
    before_the_plan: u64,
    /// By version of the plan and number of steps that were over.
    in_the_plan: BTreeMap<(u32, usize), u64>,
    after_the_commit: u64,
    /// The process was over before.
    too_late: u64,
    /// Plans that were dropped, and begun anew.
    dropped: u64,
    /// Of all these, those that hit a process which went on with a plan.
    in_a_resume: u64,
}

impl CrashCase {
    fn process(&self, args: &[&str], story: &str) -> KillableProcess {
        // Whoever goes on with a turn does not type it again.
        let line = if args == self.begin { self.line } else { "" };
        KillableProcess::start(self.stage.command(&[args, &["--story", story]].concat()), line)
    }

    /// Undisturbed.
    fn calm(&self, story: &str) -> UndisturbedRun {
        let mut victim = self.process(self.begin, story);
        assert!(victim.says(PROPOSED));
        let preparing = victim.started().elapsed();
        let (ended, all) = victim.ended();
        assert_eq!(ended.exit, Some(0), "{}", ended.said);
        let stories = self.stage.stories();
        check_steps(&stories, story, &self.kept_from_the_start());
        let (outcome, lists) = (outcome(&stories, story), lists(&stories, story));
        UndisturbedRun { outcome, lists, preparing, working: all.saturating_sub(preparing) }
    }

    /// Steps that the last plan has of the one before it, even when nobody is killed.
    fn kept_from_the_start(&self) -> Vec<String> {
        let kept: &[&str] = if self.line.is_empty() { &[] } else { &["s01", "s02", "s03", "s04"] };
        kept.iter().map(|id| (*id).to_owned()).collect()
    }

    /// One story: kills, until one process may come to its end.
    fn round(&self, story: &str, calm: &UndisturbedRun, chance: &mut KillRng) -> KillCounts {
        let stories = self.stage.stories();
        let mut count = KillCounts { rounds: 1, ..KillCounts::default() };
        let mut kills = 1 + chance.below(2) * chance.below(KILLS_MAX);
        let finished = loop {
            let before = progress(&stories, story);
            let (args, finished) = match &before {
                CrashProgress::Nothing => (self.begin, self.kept_from_the_start()),
                CrashProgress::Unfinished { .. } if chance.below(DROPPED_ONE_IN) == 0 => {
                    self.drop_plan(story);
                    count.dropped += 1;
                    continue;
                }
                CrashProgress::Unfinished { version, finished } => {
                    let kept = match version {
                        1 if !self.line.is_empty() => self.kept_from_the_start(),
                        _ => finished.clone(),
                    };
                    let ways = (self.resume)(*version);
                    (ways[usize::try_from(chance.below(2)).unwrap()], kept)
                }
                CrashProgress::Committed => break None,
            };
            if kills == 0 {
                let (ended, _) = self.process(args, story).ended();
                assert_eq!(ended.exit, Some(0), "{}", ended.said);
                break Some(finished);
            }
            kills -= 1;
            let mut victim = self.process(args, story);
            let resumed = before != CrashProgress::Nothing;
            let delay = if resumed || chance.below(EARLY_ONE_IN) == 0 {
                chance.moment(calm.preparing + calm.working)
            } else {
                victim.says(PROPOSED);
                chance.moment(calm.working)
            };
            let ended = victim.killed_after(delay);
            count.in_a_resume += u64::from(resumed && ended.exit.is_none());
            match (ended.exit, progress(&stories, story)) {
                (Some(0), CrashProgress::Committed) => count.too_late += 1,
                (None, CrashProgress::Nothing) => count.before_the_plan += 1,
                (None, CrashProgress::Committed) => count.after_the_commit += 1,
                (None, CrashProgress::Unfinished { version, finished }) => {
                    *count.in_the_plan.entry((version, finished.len())).or_default() += 1;
                }
                (exit, after) => panic!("exit {exit:?} and {after:?}: {}", ended.said),
            }
        };
        self.check(story, calm, finished);
        count
    }

    /// Refused while it is there; then forgotten, and the story is as it was before.
    fn drop_plan(&self, story: &str) {
        let (stories, before) = (self.stage.stories(), progress(&self.stage.stories(), story));
        if self.line.is_empty() {
            let (ended, _) = self.process(self.begin, story).ended();
            assert_eq!(ended.exit, Some(4), "{}", ended.said);
            assert!(ended.said.contains("plan resume"), "{}", ended.said);
            assert_eq!(progress(&stories, story), before);
        }
        let (ended, _) = self.process(&["plan", "resume", "--drop"], story).ended();
        assert_eq!(ended.exit, Some(0), "{}", ended.said);
        assert_eq!(progress(&stories, story), CrashProgress::Nothing);
    }

    fn check(&self, story: &str, calm: &UndisturbedRun, finished: Option<Vec<String>>) {
        let stories = self.stage.stories();
        check_same(&calm.outcome, &outcome(&stories, story), story);
        assert_eq!(calm.lists, lists(&stories, story), "`{story}`");
        if let Some(finished) = finished {
            check_steps(&stories, story, &finished);
        }
    }

    /// Rounds until so many kills have hit.
    fn play(&self, name: &str, kills: u64) {
        let seed = number("CRASH_SEED").unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().0);
        println!("{name}: CRASH_SEED={seed}");
        let (done, rounds) = (AtomicU64::new(0), AtomicU64::new(0));
        let shard = |shard: u64| {
            let mut chance = KillRng::new(seed ^ shard);
            // The first warms up, also the cache.
            self.calm(&format!("calm-{shard}-cold"));
            let calm = self.calm(&format!("calm-{shard}"));
            let mut count = KillCounts::default();
            while done.load(Ordering::Relaxed) < kills {
                let round = rounds.fetch_add(1, Ordering::Relaxed);
                let one = self.round(&format!("round-{round}"), &calm, &mut chance);
                done.fetch_add(one.kills(), Ordering::Relaxed);
                count.add(one);
            }
            (calm, count)
        };
        let shards: Vec<(UndisturbedRun, KillCounts)> = thread::scope(|scope| {
            let shards: Vec<_> = (0..SHARDS).map(|n| scope.spawn(move || shard(n))).collect();
            shards.into_iter().map(|shard| shard.join().unwrap()).collect()
        });
        let mut count = KillCounts::default();
        for (calm, of_shard) in shards {
            let UndisturbedRun { preparing, working, .. } = calm;
            println!(
                "{name}: undisturbed {preparing:.0?} until it has a plan, {working:.0?} with it"
            );
            count.add(of_shard);
        }
        println!("{name}: {count}");
    }
}

impl KillCounts {
    fn kills(&self) -> u64 {
        let in_the_plan: u64 = self.in_the_plan.values().sum();
        self.before_the_plan + in_the_plan + self.after_the_commit
    }

    fn add(&mut self, other: KillCounts) {
        let KillCounts { rounds, before_the_plan, in_the_plan, after_the_commit, .. } = &other;
        self.rounds += rounds;
        self.before_the_plan += before_the_plan;
        self.after_the_commit += after_the_commit;
        self.too_late += other.too_late;
        self.in_a_resume += other.in_a_resume;
        self.dropped += other.dropped;
        for (place, kills) in in_the_plan {
            *self.in_the_plan.entry(*place).or_default() += kills;
        }
    }
}

impl fmt::Display for KillCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KillCounts { rounds, before_the_plan, after_the_commit, too_late, in_a_resume, .. } =
            self;
        write!(f, "{} kills in {rounds} stories, {in_a_resume} of a resume: ", self.kills())?;
        write!(f, "{before_the_plan} before the plan began")?;
        for ((version, finished), kills) in &self.in_the_plan {
            write!(f, ", {kills} after {finished} steps of version {version}")?;
        }
        write!(f, ", {after_the_commit} after the commit ({too_late} came too late)")?;
        write!(f, "; {} plans were dropped and begun anew", self.dropped)
    }
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, it must be a number")))
}

/// Says where they differ, not all that is the same.
#[track_caller]
fn check_same(expected: &str, found: &str, story: &str) {
    let pairs = expected.lines().zip(found.lines());
    let same = pairs.take_while(|(expected, found)| expected == found).count();
    let around = |text: &str| {
        let lines: Vec<&str> = text.lines().skip(same.saturating_sub(8)).take(16).collect();
        lines.join("\n")
    };
    assert!(
        expected == found,
        "`{story}` ended otherwise:\n{}\nmust be\n{}",
        around(found),
        around(expected)
    );
}

/// DESIGN §6, S3 "Plan Persistence": every finished step exactly once, and always the same end.
#[test]
fn a_plan_that_is_killed_goes_on_without_repeating_a_finished_step() {
    let case = CrashCase {
        stage: CrashStage::new(),
        begin: &["plan", "run", "plan.json", "--yes", "--seed", "7"],
        line: "",
        resume: |_| [&["plan", "resume", "--yes"], &["run", "--yes"]],
    };
    case.play("plan run", number("CRASH_KILLS").unwrap_or(200));
}

/// S2 strategy 3, DESIGN §6: also where a planner has made another plan that keeps results of the first.
#[test]
fn a_turn_that_is_killed_before_or_after_a_replan_ends_as_if_nothing_had_been() {
    let case = CrashCase {
        stage: CrashStage::new(),
        begin: &["run", "--planner", "scripted:turns.json", "--seed", "7"],
        line: "I try\n",
        resume: |version| match version {
            1 => [
                &["plan", "resume", "--planner", "scripted:rest.json"],
                &["run", "--planner", "scripted:rest.json"],
            ],
            _ => [&["plan", "resume"], &["run"]],
        },
    };
    case.play("run", number("CRASH_KILLS").unwrap_or(60));
}
