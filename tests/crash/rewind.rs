//! A killed `story undo` or `story redo` is done or not done, and never half: the real program, `SIGKILL` at random
//! moments, and everything in the story after each.
//!
//! `CRASH_KILLS` and `CRASH_SEED` are those of the other tests.

use std::{path::Path, process::Command, time::Duration};

use jiff::Timestamp;
use narratoria_protocol::Object;
use narratoria_story::{StoreRow, Story, StoryName, TurnOutcome, TurnRecord};
use serde_json::{Value, json};

use crate::crash::process::{KillRng, KillableProcess};

/// Turns of the story.
const TURNS: u64 = 40;

/// How long an undo takes at most that is not killed; nearly all take less.
const UNDO_TIME: Duration = Duration::from_millis(80);

fn turn(n: u64) -> TurnRecord {
    let object = |value: Value| -> Object { value.as_object().unwrap().clone() };
    TurnRecord {
        prompt: n.to_string(),
        narration: format!("Turn {n}."),
        outcome: TurnOutcome::Narrated,
        choices: Vec::new(),
        patches: vec![object(json!({"n": n, format!("k{}", n % 5): "x".repeat(9_000)}))],
        plans: Vec::new(),
        assets: Vec::new(),
        store_writes: vec![StoreRow {
            skill: "lamp".to_owned(),
            key: format!("k{}", n % 3),
            value: (!n.is_multiple_of(4)).then(|| n.to_string()),
        }],
        seed: n,
        started_at: Timestamp::UNIX_EPOCH,
        finished_at: Timestamp::UNIX_EPOCH,
    }
}

fn open(stories: &Path) -> Story {
    Story::open(stories, &StoryName::parse("rewound").unwrap(), Timestamp::UNIX_EPOCH, 7).unwrap()
}

fn content(story: &Story) -> (String, Value) {
    (story.state().to_json(), json!(story.stores().unwrap()))
}

/// docs/stories.md, "Going back": undo and redo rewind everything together.
#[test]
fn a_killed_undo_or_redo_is_done_or_not_done() {
    let home = tempfile::tempdir().unwrap();
    let stories = home.path().join("stories");
    let mut story = open(&stories);
    let mut contents = vec![content(&story)];
    for n in 1..=TURNS {
        story.commit(&turn(n)).unwrap();
        contents.push(content(&story));
    }
    drop(story);
    let kills = crate::crash::number("CRASH_KILLS").unwrap_or(40);
    let seed = crate::crash::number("CRASH_SEED").unwrap_or(1);
    let mut chance = KillRng::new(seed);
    let (mut at, mut done) = (TURNS, 0);
    for round in 0..kills {
        let goes_back = at == TURNS || (at > 0 && chance.below(2) == 0);
        let (verb, most) = if goes_back { ("undo", at) } else { ("redo", TURNS - at) };
        let turns = 1 + chance.below(most);
        let mut command = Command::new(crate::program());
        let turns_text = turns.to_string();
        command.env_clear().env("NARRATORIA_HOME", home.path()).args([
            "story",
            verb,
            "rewound",
            "--turns",
            &turns_text,
        ]);
        let ended = KillableProcess::start(command, "").kill_after(chance.moment(UNDO_TIME));
        let moved = if goes_back { at - turns } else { at + turns };
        let story = open(&stories);
        let now = story.turns();
        let place = format!("kill {round} with seed {seed}: {verb} {turns} from {at}: {ended:?}");
        assert!(now == at || (now == moved && ended.exit.is_none_or(|exit| exit == 0)), "{place}");
        assert_eq!(content(&story), contents[usize::try_from(now).unwrap()], "{place}");
        assert_eq!(story.redoable().unwrap(), TURNS - now, "{place}");
        assert_eq!(story.verify().unwrap(), Vec::<String>::new(), "{place}");
        done += u64::from(now != at);
        at = now;
    }
    println!("{kills} kills with seed {seed}: {done} moves were done");
}
