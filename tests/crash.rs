//! A killed process loses no finished step and repeats none: the real binary, `SIGKILL` at random moments,
//! and `plan resume`.
//!
//! `CRASH_KILLS` sets the number of kills, `CRASH_SEED` the seed of the random numbers.

#![cfg(unix)]
#![expect(
    clippy::print_stdout,
    reason = "a person wants to see the seed and the moments of the kills"
)]

mod process;
mod rewind;
mod stage;
mod story_check;
mod ticks;
mod verbs;

use std::{
    collections::BTreeMap,
    env, fmt,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

pub(crate) use process::KillRng;
use process::KillableProcess;
use stage::CrashStage;
use story_check::{CrashProgress, check_steps, lists, outcome, progress};

/// The program logs this when it has a plan and has not begun the journal.
const PROPOSED: &str = "plan proposed";

/// Most kills in one story before a process may end by itself.
const KILLS_MAX: u64 = 4;

/// One first process in this number is killed at any moment, even before it has a plan.
const EARLY_ONE_IN: u64 = 8;

/// One unfinished plan in this number is dropped.
const DROPPED_ONE_IN: u64 = 12;

/// Threads that run rounds.
const SHARDS: u64 = 2;

/// The commands of all rounds of a test.
struct CrashCase {
    stage: CrashStage,
    /// Arguments that begin the turn.
    begin: &'static [&'static str],
    /// The player's input.
    line: &'static str,
    /// Two commands that resume the given version of the plan.
    resume: fn(u32) -> [&'static [&'static str]; 2],
}

/// The result of a process that is not killed, and its times.
struct UndisturbedRun {
    outcome: String,
    lists: BTreeMap<String, Vec<String>>,
    /// From its start until it has a plan.
    preparing: Duration,
    /// From the plan to its end.
    working: Duration,
}

/// How many kills happened in each phase.
#[derive(Debug, Default)]
struct KillCounts {
    rounds: u64,
    /// Before the journal had a plan.
    before_the_plan: u64,
    /// By version of the plan and number of finished steps.
    in_the_plan: BTreeMap<(u32, usize), u64>,
    after_the_commit: u64,
    /// After the end of the process.
    too_late: u64,
    /// Plans that were dropped and begun again.
    dropped: u64,
    /// Kills of a process that resumed a plan; the other fields count them too.
    in_a_resume: u64,
}

impl CrashCase {
    fn process(&self, args: &[&str], story: &str) -> KillableProcess {
        // A process that resumes a turn gets no input.
        let line = if args == self.begin { self.line } else { "" };
        KillableProcess::start(self.stage.command(&[args, &["--story", story]].concat()), line)
    }

    /// Runs a process without a kill.
    fn undisturbed(&self, story: &str) -> UndisturbedRun {
        let mut process = self.process(self.begin, story);
        assert!(process.wait_for(PROPOSED));
        let preparing = process.started().elapsed();
        let (ended, all) = process.wait();
        assert_eq!(ended.exit, Some(0), "{}", ended.stderr);
        let stories = self.stage.stories();
        check_steps(&stories, story, &self.reused_without_kill());
        let (outcome, lists) = (outcome(&stories, story), lists(&stories, story));
        UndisturbedRun { outcome, lists, preparing, working: all.saturating_sub(preparing) }
    }

    /// Steps that the last plan reuses from the plan before it, even without a kill.
    fn reused_without_kill(&self) -> Vec<String> {
        let reused: &[&str] =
            if self.line.is_empty() { &[] } else { &["s01", "s02", "s03", "s04"] };
        reused.iter().map(|id| (*id).to_owned()).collect()
    }

    /// One story: some kills, then a process that may end by itself.
    fn round(&self, story: &str, undisturbed: &UndisturbedRun, chance: &mut KillRng) -> KillCounts {
        let stories = self.stage.stories();
        let mut count = KillCounts { rounds: 1, ..KillCounts::default() };
        let mut kills = 1 + chance.below(2) * chance.below(KILLS_MAX);
        let finished = loop {
            let before = progress(&stories, story);
            let (args, finished) = match &before {
                CrashProgress::Nothing => (self.begin, self.reused_without_kill()),
                CrashProgress::Unfinished { .. } if chance.below(DROPPED_ONE_IN) == 0 => {
                    self.drop_plan(story);
                    count.dropped += 1;
                    continue;
                }
                CrashProgress::Unfinished { version, finished } => {
                    let reused = match version {
                        1 if !self.line.is_empty() => self.reused_without_kill(),
                        _ => finished.clone(),
                    };
                    let commands = (self.resume)(*version);
                    (commands[usize::try_from(chance.below(2)).unwrap()], reused)
                }
                CrashProgress::Committed => break None,
            };
            if kills == 0 {
                let (ended, _) = self.process(args, story).wait();
                assert_eq!(ended.exit, Some(0), "{}", ended.stderr);
                break Some(finished);
            }
            kills -= 1;
            let mut process = self.process(args, story);
            let resumed = before != CrashProgress::Nothing;
            let delay = if resumed || chance.below(EARLY_ONE_IN) == 0 {
                chance.moment(undisturbed.preparing + undisturbed.working)
            } else {
                process.wait_for(PROPOSED);
                chance.moment(undisturbed.working)
            };
            let ended = process.kill_after(delay);
            count.in_a_resume += u64::from(resumed && ended.exit.is_none());
            match (ended.exit, progress(&stories, story)) {
                (Some(0), CrashProgress::Committed) => count.too_late += 1,
                (None, CrashProgress::Nothing) => count.before_the_plan += 1,
                (None, CrashProgress::Committed) => count.after_the_commit += 1,
                (None, CrashProgress::Unfinished { version, finished }) => {
                    *count.in_the_plan.entry((version, finished.len())).or_default() += 1;
                }
                (exit, after) => panic!("exit {exit:?} and {after:?}: {}", ended.stderr),
            }
        };
        self.check(story, undisturbed, finished);
        count
    }

    /// Checks that another plan is refused, drops the plan, and checks that nothing of it is left.
    fn drop_plan(&self, story: &str) {
        let (stories, before) = (self.stage.stories(), progress(&self.stage.stories(), story));
        if self.line.is_empty() {
            let (ended, _) = self.process(self.begin, story).wait();
            assert_eq!(ended.exit, Some(4), "{}", ended.stderr);
            assert!(ended.stderr.contains("plan resume"), "{}", ended.stderr);
            assert_eq!(progress(&stories, story), before);
        }
        let (ended, _) = self.process(&["plan", "resume", "--drop"], story).wait();
        assert_eq!(ended.exit, Some(0), "{}", ended.stderr);
        assert_eq!(progress(&stories, story), CrashProgress::Nothing);
    }

    fn check(&self, story: &str, undisturbed: &UndisturbedRun, finished: Option<Vec<String>>) {
        let stories = self.stage.stories();
        check_same(&undisturbed.outcome, &outcome(&stories, story), story);
        assert_eq!(undisturbed.lists, lists(&stories, story), "`{story}`");
        if let Some(finished) = finished {
            check_steps(&stories, story, &finished);
        }
    }

    /// Runs rounds until `kills` kills have happened.
    fn play(&self, name: &str, kills: u64) {
        let seed = number("CRASH_SEED").unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().0);
        println!("{name}: CRASH_SEED={seed}");
        let (done, rounds) = (AtomicU64::new(0), AtomicU64::new(0));
        let shard = |shard: u64| {
            let mut chance = KillRng::new(seed ^ shard);
            // The first run warms up the caches.
            self.undisturbed(&format!("calm-{shard}-cold"));
            let undisturbed = self.undisturbed(&format!("calm-{shard}"));
            let mut count = KillCounts::default();
            while done.load(Ordering::Relaxed) < kills {
                let round = rounds.fetch_add(1, Ordering::Relaxed);
                let one = self.round(&format!("round-{round}"), &undisturbed, &mut chance);
                done.fetch_add(one.kills(), Ordering::Relaxed);
                count.add(one);
            }
            (undisturbed, count)
        };
        let shards: Vec<(UndisturbedRun, KillCounts)> = thread::scope(|scope| {
            let shards: Vec<_> = (0..SHARDS).map(|n| scope.spawn(move || shard(n))).collect();
            shards.into_iter().map(|shard| shard.join().unwrap()).collect()
        });
        let mut count = KillCounts::default();
        for (undisturbed, of_shard) in shards {
            let UndisturbedRun { preparing, working, .. } = undisturbed;
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
        write!(f, "; {} plans were dropped and begun again", self.dropped)
    }
}

/// The number that a variable sets, if it is set.
pub(crate) fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, it must be a number")))
}

/// Shows only the lines around the first difference.
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
        "`{story}` ended differently:\n{}\nmust be\n{}",
        around(found),
        around(expected)
    );
}

/// S3 "Plan Persistence", docs/plans.md, "After a crash": every finished step runs exactly once, and the end is always
/// the same.
#[test]
fn a_killed_plan_resumes_without_repeating_a_finished_step() {
    let case = CrashCase {
        stage: CrashStage::new(),
        begin: &["plan", "run", "plan.json", "--yes", "--seed", "7"],
        line: "",
        resume: |_| [&["plan", "resume", "--yes"], &["run", "--yes"]],
    };
    case.play("plan run", number("CRASH_KILLS").unwrap_or(200));
}

/// S2 strategy 3, docs/plans.md, "After a crash": even if a replan reuses results of the first plan.
#[test]
fn a_turn_killed_before_or_after_a_replan_ends_as_without_the_kill() {
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
