//! A killed verb is done or not done: the real program plays, undoes, redoes, retries, edits, branches, exports and imports one
//! story, and `SIGKILL` comes at a random moment of each. After every kill the story opens, every turn that was finished is there as it was, none
//! is half there, and the check of the whole story finds nothing.
//!
//! `CRASH_KILLS` and `CRASH_SEED` are those of the other tests.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use narratoria_protocol::Object;
use narratoria_story::{
    AssetFolder, AssetRow, PlanRow, PlanStatus, Story, StoryName, TurnOutcome, TurnRecord,
};
use serde_json::{Value, json};

use crate::crash::{
    process::{KillRng, KillableProcess},
    stage::CrashStage,
    story_check::open,
};

/// The story of the test, and its imported copy.
const STORY: &str = "played";
const COPY: &str = "imported";

/// Turns with files that the story has at first.
const TURNS: u64 = 8;

/// How many kills lie between two comparisons of all turns; between them the newest are compared.
const ALL_TURNS_EVERY: u64 = 50;

/// How a turn is played once more.
const PLANNED: [&str; 5] = ["--planner", "scripted:short.json", "--yes", "--skills", "skills"];

/// Turns that are compared after each kill.
const TURNS_COMPARED: usize = 12;

/// The command that is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verb {
    Play,
    Undo,
    Redo,
    Retry,
    Edit,
    Branch,
    Switch,
    Export,
    Import,
    Backup,
}

const VERBS: [Verb; 10] = [
    Verb::Play,
    Verb::Undo,
    Verb::Redo,
    Verb::Retry,
    Verb::Edit,
    Verb::Branch,
    Verb::Switch,
    Verb::Export,
    Verb::Import,
    Verb::Backup,
];

/// The record of every turn, by its id.
type Turns = BTreeMap<i64, String>;

struct VerbCase {
    stage: CrashStage,
    chance: KillRng,
    /// How long each verb takes that is not killed.
    times: BTreeMap<Verb, Duration>,
    turns: Turns,
    branches: u64,
    /// Turns before the head, and turns that can be redone.
    undoable: u64,
    redoable: u64,
}

impl VerbCase {
    fn file(&self, name: &str) -> PathBuf {
        self.stage.stories().parent().unwrap().join(name)
    }

    fn arguments(&mut self, verb: Verb) -> Vec<String> {
        let export = self.file("export.ndjson").display().to_string();
        let whole = self.file("whole.ndjson").display().to_string();
        let branch = match verb {
            Verb::Switch => self.chance.below(self.branches + 1),
            _ => self.branches + 1,
        };
        let branch = if branch == 0 { "main".to_owned() } else { format!("b{branch}") };
        let turn = (1 + self.chance.below(self.undoable.max(1))).to_string();
        let words: Vec<&str> = match verb {
            Verb::Play => {
                vec!["plan", "run", "plan.json", "--yes", "--story", STORY, "--skills", "skills"]
            }
            Verb::Undo => vec!["story", "undo", STORY],
            Verb::Redo => vec!["story", "redo", STORY],
            Verb::Retry => [&["story", "retry", STORY][..], &PLANNED].concat(),
            Verb::Edit => {
                [&["story", "edit", &turn, "I try", "--story", STORY][..], &PLANNED].concat()
            }
            Verb::Branch => vec!["story", "branch", &branch, "--story", STORY],
            Verb::Switch => vec!["story", "switch", &branch, "--story", STORY],
            Verb::Export => {
                vec!["story", "export", STORY, "--format", "ndjson", "--output", &export]
            }
            Verb::Import => vec!["story", "import", &whole, "--name", COPY],
            Verb::Backup => vec!["story", "backup", STORY],
        };
        words.into_iter().map(str::to_owned).collect()
    }

    fn start(&mut self, verb: Verb) -> KillableProcess {
        let arguments = self.arguments(verb);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        KillableProcess::start(self.stage.program(&arguments), "")
    }

    /// Runs a verb to its end. A verb that is impossible now, such as a redo, ends too.
    fn run(&mut self, verb: Verb) -> Duration {
        let begun = Instant::now();
        let (ended, _) = self.start(verb).wait();
        assert!(matches!(ended.exit, Some(0 | 1)), "{verb:?}: {ended:?}");
        begun.elapsed()
    }

    /// Undoes or plays a turn without a kill, if the verb would have nothing to do.
    fn prepare(&mut self, verb: Verb, place: &str) {
        if matches!(verb, Verb::Undo | Verb::Redo | Verb::Retry | Verb::Edit) && self.undoable == 0
        {
            self.run(Verb::Play);
            self.check(place, false);
        }
        if verb == Verb::Redo && self.redoable == 0 {
            self.run(Verb::Undo);
            self.check(place, false);
        }
    }

    /// Kills a verb once, and checks everything.
    fn kill(&mut self, verb: Verb, place: &str, whole: bool) -> bool {
        let time = self.times[&verb];
        let delay = self.chance.moment(time);
        let ended = self.start(verb).kill_after(delay);
        assert!(matches!(ended.exit, None | Some(0 | 1)), "{place}: {ended:?}");
        self.check(place, whole);
        ended.exit.is_none()
    }

    fn check(&mut self, place: &str, whole: bool) {
        let stories = self.stage.stories();
        let mut story = open(&stories, STORY).unwrap();
        assert_eq!(story.verify().unwrap(), Vec::<String>::new(), "{place}");
        let found = turns(&story, if whole { usize::MAX } else { TURNS_COMPARED });
        for (id, turn) in &found {
            let before = self.turns.entry(*id).or_insert_with(|| turn.clone());
            assert_eq!(before, turn, "{place}: turn id {id}");
        }
        assert_eq!(story.turns_ever().unwrap(), self.turns.len() as u64, "{place}");
        self.branches = story.branches().unwrap().len() as u64 - 1;
        (self.undoable, self.redoable) = (story.turns(), story.redoable().unwrap());
        // A plan that was cut off goes on or is given up; other tests resume.
        if story.journal().unwrap().is_some() {
            assert!(story.journal_drop().unwrap(), "{place}");
        }
        drop(story);
        if let Some(copy) = open(&stories, COPY) {
            assert_eq!(copy.verify().unwrap(), Vec::<String>::new(), "{place}");
            drop(copy);
            fs::remove_dir_all(stories.join(COPY)).unwrap();
        }
        // An export has its name only when it is whole.
        let export = self.file("export.ndjson");
        if export.exists() {
            fs::rename(export, self.file("whole.ndjson")).unwrap();
            let time = self.run(Verb::Import);
            assert!(open(&stories, COPY).is_some(), "{place}: after {time:?}");
            fs::remove_dir_all(stories.join(COPY)).unwrap();
        }
        // Copies, and drafts of exports that were killed.
        for folder in [stories.join(STORY), self.file("")] {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if name.starts_with("story.backup-") || name.starts_with(".tmp") {
                    fs::remove_file(path).unwrap();
                }
            }
        }
    }
}

/// Returns the records of the newest turns, and the states after them.
fn turns(story: &Story, newest: usize) -> Turns {
    let turns = story.all_turns(newest).unwrap().into_iter();
    turns
        .map(|turn| {
            let state = story.state_at(turn.id).unwrap().to_json();
            let plans = story.plans_of_turn(turn.id).unwrap();
            let assets = story.assets_of_turn(turn.id).unwrap();
            (turn.id.get(), format!("{turn:?} {state} {plans:?} {assets:?}"))
        })
        .collect()
}

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

/// A story with some files.
fn begin(stage: &CrashStage) {
    let name = StoryName::parse(STORY).unwrap();
    let at = Timestamp::UNIX_EPOCH;
    let mut story = Story::open(&stage.stories(), &name, at, 7).unwrap();
    for n in 0..TURNS {
        let folder = AssetFolder::create(story.folder()).unwrap();
        let map = "map ".repeat(40_000) + &n.to_string();
        let (file, _) = folder.store(&mut map.as_bytes(), "txt", 1 << 20).unwrap();
        let id = format!("p{n}");
        let plan = PlanRow {
            id: id.clone(),
            attempt: 1,
            parent_plan_id: None,
            planner: "file".to_owned(),
            status: PlanStatus::Complete,
            plan: json!({"requestId": id, "tools": []}),
            result: None,
            errors: Vec::new(),
            created_at: at,
            record: None,
            seen: None,
        };
        let asset = AssetRow {
            plan: id,
            tool_id: "draw".to_owned(),
            asset_id: "map".to_owned(),
            kind: "map".to_owned(),
            media_type: "text/plain".to_owned(),
            path: file.path(),
            metadata: None,
        };
        let turn = TurnRecord {
            prompt: n.to_string(),
            narration: format!("Turn {n}."),
            outcome: TurnOutcome::Narrated,
            choices: Vec::new(),
            patches: vec![object(json!({"n": n, format!("k{}", n % 5): "x".repeat(9_000)}))],
            plans: vec![plan],
            assets: vec![asset],
            store_writes: Vec::new(),
            seed: n,
            started_at: at,
            finished_at: at,
        };
        story.commit(&turn).unwrap();
    }
}

/// docs/architecture.md, "The story": a turn is one transaction, and so is every other verb.
#[test]
fn a_killed_verb_leaves_a_whole_story_with_every_finished_turn() {
    let kills = crate::crash::number("CRASH_KILLS").unwrap_or(100);
    let seed = crate::crash::number("CRASH_SEED").unwrap_or(1);
    let stage = CrashStage::new();
    begin(&stage);
    let mut case = VerbCase {
        stage,
        chance: KillRng::new(seed),
        times: BTreeMap::new(),
        turns: Turns::new(),
        branches: 0,
        undoable: 0,
        redoable: 0,
    };
    // The first run of each verb warms up the caches, the second one is measured.
    for verb in [VERBS, VERBS].concat() {
        case.check("before", true);
        case.prepare(verb, "before");
        let time = case.run(verb);
        case.times.insert(verb, time);
    }
    case.check("before", true);
    let mut killed: BTreeMap<Verb, u64> = BTreeMap::new();
    let mut round = 0;
    while killed.values().sum::<u64>() < kills {
        round += 1;
        let verb = VERBS[usize::try_from(case.chance.below(VERBS.len() as u64)).unwrap()];
        let place = format!("round {round} with seed {seed}: {verb:?}");
        case.prepare(verb, &place);
        if case.kill(verb, &place, round % ALL_TURNS_EVERY == 0) {
            *killed.entry(verb).or_default() += 1;
        }
    }
    case.check("at the end", true);
    println!(
        "verbs: CRASH_SEED={seed}, {kills} kills in {round} rounds, {killed:?}; {} turns",
        case.turns.len()
    );
}
