//! Histories of many servers on one story: whatever they do at the same time and however they end, what one of them was told to be
//! stored is stored once, in an order in which it can have happened.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use narratoria_hosting::{LeaseOutcome, LogError, StoryLog, verify_chain};

use super::{ada, append, change_after, logs, quest};

/// Servers, and what each tries.
const SERVERS: u64 = 4;
const TRIES: u64 = 150;

/// A lease shorter than a slow server, so that many run out.
const LEASE: Duration = Duration::from_millis(3);

/// An answered change.
#[derive(Debug)]
struct Answered {
    asked: Instant,
    answered: Instant,
    ordinal: u64,
    request: String,
}

/// Numbers that never change for a seed (SplitMix64).
pub(crate) fn numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// A server that plays when it can get the lease, is slow at times, and at times just forgets its lease as a killed one does.
fn server(
    log: &dyn StoryLog,
    number: u64,
    seed: u64,
    ids: &AtomicU64,
    history: &Mutex<Vec<Answered>>,
) {
    let mut draw = numbers(seed ^ number);
    let story = log.story(&ada(), &quest()).unwrap().unwrap();
    let mut tries = 0;
    while tries < TRIES {
        let holder = format!("server {number} life {}", draw());
        let (lease, mut head) = match log.take_lease(story.id, &holder, LEASE).unwrap() {
            LeaseOutcome::Taken { lease, head, .. } => (lease, head),
            LeaseOutcome::Held { left, .. } => {
                thread::sleep(left.min(LEASE));
                continue;
            }
        };
        loop {
            tries += 1;
            let request = format!("r{}", ids.fetch_add(1, Ordering::Relaxed));
            let change = change_after(lease, head.as_ref(), Some(&request), "{}\n");
            if draw().is_multiple_of(8) {
                thread::sleep(LEASE * 2);
            }
            let asked = Instant::now();
            match append(log, lease, &change) {
                Ok(()) => {
                    let (answered, ordinal) = (Instant::now(), change.at.ordinal);
                    history.lock().unwrap().push(Answered { asked, answered, ordinal, request });
                    head = Some(change.at);
                }
                Err(LogError::Fenced { .. }) => break,
                Err(other) => panic!("{other}"),
            }
            match draw() % 6 {
                0 => {
                    log.give_up_lease(lease).unwrap();
                    break;
                }
                // Killed.
                1 => break,
                _ => {}
            }
            if tries >= TRIES {
                break;
            }
        }
    }
}

#[test]
fn histories_of_competing_servers_are_linearisable() {
    let seed = std::env::var("HISTORY_SEED").map_or(7, |text| text.parse().unwrap());
    for test in logs() {
        let log = test.log.as_ref();
        let story = log.create_story(&ada(), &quest()).unwrap();
        let (ids, history) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for number in 0..SERVERS {
                let (ids, history) = (&ids, &history);
                scope.spawn(move || server(log, number, seed, ids, history));
            }
        });
        let mut history = history.into_inner().unwrap();
        history.sort_by_key(|answer| answer.ordinal);
        let mut stored = BTreeMap::new();
        let mut after = 0;
        loop {
            let changes = log.changes_after(story.id, after).unwrap();
            let Some(last) = changes.last() else { break };
            after = last.at.ordinal;
            stored.extend(changes.into_iter().map(|it| (it.at.ordinal, it.request_id.unwrap())));
        }
        let why = format!("{}, seed {seed}", test.name);
        assert!(history.len() > 50, "{why}: {} changes", history.len());
        // Every answer is true, and nothing is stored that was not answered: no answer was lost here.
        assert_eq!(stored.len(), history.len(), "{why}");
        let requests: BTreeSet<&String> = stored.values().collect();
        assert_eq!(requests.len(), stored.len(), "{why}: each once");
        for answer in &history {
            assert_eq!(stored.get(&answer.ordinal), Some(&answer.request), "{why}");
        }
        // What was answered before another was asked for comes before it.
        let mut latest_ask = history[0].asked;
        for answer in &history {
            assert!(answer.answered >= latest_ask, "{why}: {answer:?} comes too late");
            latest_ask = latest_ask.max(answer.asked);
        }
        let story = log.story(&ada(), &quest()).unwrap().unwrap();
        assert_eq!(verify_chain(log, &story), None, "{why}");
    }
}
