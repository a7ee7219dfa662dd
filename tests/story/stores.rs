//! The skills' stores: at the head, after any turn, and within their size limit.

use std::collections::BTreeMap;

use narratoria_protocol::{STORES_BYTES_MAX, Stores};
use narratoria_story::{StoreRow, TurnId, TurnRecord};
use proptest::prelude::*;
use rusqlite::Connection;

use super::{db, message, open, root, turn};

/// `skill/key=value` writes, `skill/key` deletes.
fn writes(text: &str) -> TurnRecord {
    let write = |word: &str| {
        let (at, value) =
            word.split_once('=').map_or((word, None), |(at, value)| (at, Some(value)));
        let (skill, key) = at.split_once('/').unwrap();
        StoreRow { skill: skill.to_owned(), key: key.to_owned(), value: value.map(str::to_owned) }
    };
    TurnRecord { store_writes: text.split_whitespace().map(write).collect(), ..turn("go", &[]) }
}

fn store_text(stores: &Stores) -> String {
    let words = stores.iter().flat_map(|(skill, store)| {
        store.iter().map(move |(key, value)| format!("{skill}/{key}={value}"))
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_skill_reads_its_own_values_only() {
    let root = root();
    let mut story = open(root.path());
    let mut seen = Vec::new();
    for text in ["a/k=1 b/k=2", "a/k=3 a/l=4 a/k=5", "a/l b/k b/none", ""] {
        story.commit(&writes(text)).unwrap();
        seen.push(store_text(&open(root.path()).stores().unwrap()));
    }
    insta::assert_snapshot!(seen.join("\n"), @"
    a/k=1 b/k=2
    a/k=5 a/l=4 b/k=2
    a/k=5
    a/k=5
    ");
}

#[test]
fn stores_can_be_read_across_a_fork() {
    let root = root();
    let mut story = open(root.path());
    let mut ids = Vec::new();
    for text in ["a/k=1", "a/k=2 a/l=2", "a/m=3"] {
        ids.push(story.commit(&writes(text)).unwrap().turn);
    }
    // A branch, as a later version may create it: the head is the first turn again.
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch(
        "UPDATE branches SET turn = 1;
         DELETE FROM store_now; INSERT INTO store_now VALUES ('a', 'k', '1');",
    )
    .unwrap();
    let mut story = open(root.path());
    ids.push(story.commit(&writes("a/k b/n=9")).unwrap().turn);
    let at = |id: &TurnId| store_text(&story.stores_at(*id).unwrap());
    insta::assert_snapshot!(ids.iter().map(at).collect::<Vec<_>>().join("\n"), @"
    a/k=1
    a/k=2 a/l=2
    a/k=2 a/l=2 a/m=3
    b/n=9
    ");
    conn.execute_batch("UPDATE turns SET depth = 9 WHERE id = 2").unwrap();
    let error = story.stores_at(ids[2]).unwrap_err();
    insta::assert_snapshot!(message(root.path(), &error), @"`ROOT/quest/story.db` is damaged: nothing leads to turn 3 before its depth 3; `narratoria story restore quest FILE` puts a copy in its place");
    let other = root.path().join("other");
    let error = super::try_open(&other, "quest").unwrap().stores_at(ids[2]).unwrap_err();
    insta::assert_snapshot!(error, @"the story `quest` has no turn 3");
}

#[test]
fn the_stores_have_a_limit_and_a_deletion_makes_room() {
    let root = root();
    let mut story = open(root.path());
    let half = "x".repeat(STORES_BYTES_MAX / 2 - "ak".len());
    story.commit(&writes(&format!("a/k={half}"))).unwrap();
    let error = story.commit(&writes(&format!("b/s=1 b/k={half}x"))).unwrap_err();
    insta::assert_snapshot!(error, @"the turn would make the skills' stores 16777220 bytes long, the limit is 16777216 for a story; the largest write is to `k` of `b`, which must delete or replace what it no longer needs");
    assert_eq!(story.turns(), 1);
    story.commit(&writes("a/k")).unwrap();
    // Stores of exactly the limit are accepted.
    story.commit(&writes(&format!("a/k={half} b/k={half}"))).unwrap();
    assert_eq!(story.stores().unwrap().len(), 2);
    let error = story.commit(&writes("b/l=1")).unwrap_err();
    assert!(error.to_string().contains("16777219 bytes"), "{error}");
    // Stores over the limit are not read.
    let conn = Connection::open(db(root.path())).unwrap();
    conn.execute_batch("INSERT INTO store_now VALUES ('c', 'k', '')").unwrap();
    insta::assert_snapshot!(message(root.path(), &story.stores().unwrap_err()), @"`ROOT/quest/story.db` is damaged: `store_now` is 16777218 bytes long, the limit is 16777216; `narratoria story restore quest FILE` puts a copy in its place");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Replaying the log gives the stores, and reading them after each turn gives the stores of that turn.
    #[test]
    fn the_stores_equal_their_replayed_log(
        turns in proptest::collection::vec("([ab]/[kl](=[0-9])? ?){0,5}", 0..6),
    ) {
        let root = root();
        let mut story = open(root.path());
        let mut stores_after = Vec::new();
        for text in &turns {
            let words: Vec<&str> = text.split_whitespace().flat_map(|run| {
                // Words may follow each other without a space; each begins with a skill and its slash.
                let starts: Vec<usize> = run.match_indices('/').map(|(at, _)| at - 1).collect();
                let ends = starts[1..].iter().copied().chain([run.len()]).collect::<Vec<_>>();
                starts.into_iter().zip(ends).map(|(from, to)| &run[from..to]).collect::<Vec<_>>()
            }).collect();
            let id = story.commit(&writes(&words.join(" "))).unwrap().turn;
            stores_after.push((id, story.stores().unwrap()));
        }
        for (id, stores) in &stores_after {
            prop_assert_eq!(&story.stores_at(*id).unwrap(), stores);
        }
        let mut replayed = BTreeMap::new();
        let conn = Connection::open(db(root.path())).unwrap();
        let mut log = conn
            .prepare("SELECT skill, key, value_before, value_after FROM store_log ORDER BY turn")
            .unwrap();
        let rows = log.query_map([], |row| {
            Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?)))
        }).unwrap();
        for row in rows {
            let (at, (before, after)): ((String, String), (Option<String>, Option<String>)) = row.unwrap();
            prop_assert_ne!(&before, &after);
            prop_assert_eq!(replayed.get(&at).cloned(), before);
            match after {
                Some(value) => drop(replayed.insert(at, value)),
                None => drop(replayed.remove(&at)),
            }
        }
        let mut stores = Stores::new();
        let mut bytes = 0;
        for ((skill, key), value) in replayed {
            bytes += skill.len() + key.len() + value.len();
            stores.entry(skill).or_default().insert(key, value);
        }
        prop_assert_eq!(story.stores().unwrap(), stores);
        let size: i64 = conn.query_one("SELECT bytes FROM store_size", [], |row| row.get(0)).unwrap();
        prop_assert_eq!(usize::try_from(size).unwrap(), bytes);
    }
}
