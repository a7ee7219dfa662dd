//! Copies of stories on servers: played here, read there, built again anywhere.

use std::{fs, path::Path, time::Instant};

use jiff::Timestamp;
use narratoria_hosting::{
    HeldCopy, HostedStories, HostingError, RequestFate, change_digest, verify_chain,
};
use narratoria_story::{Story, StoryName, TurnOutcome, TurnRecord};
use serde_json::json;

use super::{ada, append, change_after, logs, quest, stories, take};

pub(crate) fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

pub(crate) fn turn(n: usize) -> TurnRecord {
    TurnRecord {
        prompt: format!("I go {n}"),
        narration: format!("You went {n} steps. {}", "It is dark. ".repeat(20)),
        outcome: TurnOutcome::Narrated,
        choices: Vec::new(),
        patches: vec![
            json!({"steps": n, format!("at{}", n % 10): {"n": n}}).as_object().unwrap().clone(),
        ],
        plans: Vec::new(),
        assets: Vec::new(),
        store_writes: Vec::new(),
        seed: 7,
        started_at: now(),
        finished_at: now(),
    }
}

/// A story that a server plays.
pub(crate) struct HostedPlay {
    pub(crate) story: Story,
    pub(crate) held: narratoria_hosting::HeldStory,
    pub(crate) notes: Vec<String>,
}

impl HostedPlay {
    pub(crate) fn commit(&mut self, request: &str, n: usize) -> Result<(), String> {
        // What the database says of it comes with the commit.
        let _ = self.held.begin_request(request);
        self.story.commit(&turn(n)).map(drop).map_err(|error| error.to_string())
    }
}

pub(crate) fn play(server: &HostedStories, root: &Path) -> Result<HostedPlay, HostingError> {
    play_story(server, root, &quest())
}

pub(crate) fn play_story(
    server: &HostedStories,
    root: &Path,
    name: &StoryName,
) -> Result<HostedPlay, HostingError> {
    server.create(&ada(), name)?;
    let HeldCopy { held, sink, notes } = server.hold(&ada(), root, name, now())?;
    let mut story = Story::open(root, name, now(), 7)?;
    story.attach_log(Box::new(sink))?;
    Ok(HostedPlay { story, held, notes })
}

/// The digest of all lines of a story.
pub(crate) fn digest(root: &Path) -> String {
    let story = Story::open_existing(root, &quest()).unwrap();
    assert_eq!(story.verify().unwrap(), Vec::<String>::new());
    let mut lines = Vec::new();
    story.export_lines(&mut lines).unwrap();
    narratoria_protocol::digest::sha256(&lines)
}

#[test]
fn a_story_goes_on_on_another_server_with_an_empty_home() {
    for test in logs() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (first, second) =
            (stories(&test.log, "one", one.path()), stories(&test.log, "two", two.path()));
        let mut played = play(&first, one.path()).unwrap();
        for n in 0..5 {
            played.commit(&format!("r{n}"), n).unwrap();
        }
        let Err(HostingError::Held { holder, .. }) = play(&second, two.path()).map(|_| ()) else {
            panic!("{}", test.name)
        };
        assert_eq!(holder, "one");
        // A reader on the other server sees the same.
        second.refresh(&ada(), two.path(), &quest(), now()).unwrap();
        assert_eq!(digest(two.path()), digest(one.path()));
        drop(played);
        let mut played = play(&second, two.path()).unwrap();
        assert_eq!((played.story.turns(), played.notes.len()), (5, 0));
        played.commit("r5", 5).unwrap();
        played.story.undo(2).unwrap();
        drop(played);
        let refreshed = first.refresh(&ada(), one.path(), &quest(), now()).unwrap();
        assert!(!refreshed.is_rebuilt, "its copy was only behind");
        assert_eq!(digest(one.path()), digest(two.path()));
        let fate = |id: &str| second.fate_of_request(&ada(), &quest(), id).unwrap();
        assert_eq!((fate("r5"), fate("r6")), (RequestFate::Stored, RequestFate::New));
    }
}

#[test]
fn a_copy_that_is_gone_or_damaged_is_built_again_with_the_same_digest() {
    for test in logs() {
        let home = tempfile::tempdir().unwrap();
        let server = stories(&test.log, "one", home.path());
        let mut played = play(&server, home.path()).unwrap();
        for n in 0..10 {
            played.commit(&format!("r{n}"), n).unwrap();
        }
        drop(played);
        let expected = digest(home.path());
        let db = home.path().join("quest/story.db");
        for damage in 0..4 {
            match damage {
                0 => fs::remove_dir_all(home.path().join("quest")).unwrap(),
                1 => fs::remove_file(&db).unwrap(),
                2 => fs::write(&db, b"nothing that a database begins with, in many bytes").unwrap(),
                _ => {
                    let bytes = fs::read(&db).unwrap();
                    fs::write(&db, &bytes[..bytes.len() / 2]).unwrap();
                }
            }
            let refreshed = server.refresh(&ada(), home.path(), &quest(), now());
            if !refreshed.is_ok_and(|it| it.is_rebuilt) {
                server.rebuild(&ada(), home.path(), &quest(), now()).unwrap();
            }
            assert_eq!(digest(home.path()), expected, "{} damage {damage}", test.name);
        }
    }
}

/// A database that was set back, or a replica that took over, has lost what this server still has.
#[test]
fn a_lost_end_of_the_log_is_said_and_the_copy_is_kept() {
    let Some(server) = narratoria_test_postgres::PostgresServer::shared() else { return };
    let url = server.database();
    let log = super::postgres(&url);
    let home = tempfile::tempdir().unwrap();
    let hosted = stories(&log, "one", home.path());
    let mut played = play(&hosted, home.path()).unwrap();
    for n in 0..5 {
        played.commit(&format!("r{n}"), n).unwrap();
    }
    drop(played);
    server.sql(
        url.rsplit('/').next().unwrap(),
        "DELETE FROM story_change WHERE ordinal > 4;
         UPDATE hosted_story SET head_ordinal = 4,
             head_digest = (SELECT digest FROM story_change WHERE ordinal = 4)",
    );
    let played = play(&hosted, home.path()).unwrap();
    assert_eq!(played.story.turns(), 3);
    assert!(played.notes[0].contains("has lost the last 2 changes"), "{:?}", played.notes);
    assert!(home.path().join(".kept-quest-1/story.db").exists());
    let story = log.story(&ada(), &quest()).unwrap().unwrap();
    assert_eq!(verify_chain(log.as_ref(), &story), None);
}

/// Two versions of the program work on one database; the older one leaves to the newer what it cannot read.
#[test]
fn a_story_in_a_newer_format_is_refused_and_its_copy_stays() {
    for test in logs() {
        let (home, log) = (tempfile::tempdir().unwrap(), test.log.as_ref());
        let server = stories(&test.log, "one", home.path());
        let mut played = play(&server, home.path()).unwrap();
        played.commit("a", 1).unwrap();
        drop(played);
        let before = digest(home.path());
        let story = log.story(&ada(), &quest()).unwrap().unwrap();
        let lease = take(log, &story, "newer");
        let mut change = change_after(lease, story.head.as_ref(), None, "{}\n");
        change.format = 99;
        change.at.digest = change_digest(lease.story, &change);
        append(log, lease, &change).unwrap();
        log.give_up_lease(lease).unwrap();
        let refused = server.refresh(&ada(), home.path(), &quest(), now()).unwrap_err().to_string();
        let expected = "change 3 of the story has format 99, this program reads up to 8; use a newer narratoria";
        assert_eq!(refused, expected, "{}", test.name);
        assert_eq!(digest(home.path()), before);
        assert_eq!(verify_chain(log, &log.story(&ada(), &quest()).unwrap().unwrap()), None);
    }
}

/// docs/hosting.md, "Sizing": a thousand turns are built again within two seconds.
#[test]
fn a_story_of_a_thousand_turns_is_built_again_quickly() {
    for test in logs() {
        let home = tempfile::tempdir().unwrap();
        let server = stories(&test.log, "one", home.path());
        let mut played = play(&server, home.path()).unwrap();
        let mut times = Vec::new();
        for n in 0..1_000 {
            let began = Instant::now();
            played.commit(&format!("r{n}"), n).unwrap();
            times.push(began.elapsed());
        }
        drop(played);
        let expected = digest(home.path());
        fs::remove_dir_all(home.path().join("quest")).unwrap();
        let began = Instant::now();
        server.refresh(&ada(), home.path(), &quest(), now()).unwrap();
        let took = began.elapsed();
        assert_eq!(digest(home.path()), expected);
        let alone = tempfile::tempdir().unwrap();
        let mut story = Story::open(alone.path(), &quest(), now(), 7).unwrap();
        let mut plain: Vec<_> = (0..1_000)
            .map(|n| {
                let began = Instant::now();
                story.commit(&turn(n)).unwrap();
                began.elapsed()
            })
            .collect();
        plain.sort();
        times.sort();
        eprintln!(
            "{}: rebuilt in {took:?}; commit p50 {:?}, p95 {:?}; without a log p50 {:?}, p95 {:?}",
            test.name, times[500], times[950], plain[500], plain[950]
        );
        // Far above what it takes, so that a busy machine does not fail the test.
        assert!(took.as_secs() < 30, "{} {took:?}", test.name);
    }
}
