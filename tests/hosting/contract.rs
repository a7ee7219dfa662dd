//! The contract of a log, for each of them.

use std::{collections::BTreeMap, thread, time::Duration};

use narratoria_hosting::{
    ChainFault, HostedStory, Lease, LeaseOutcome, LogError, PlayerId, PlayerUse, StoryId, StoryLog,
    limits::READ_CHANGES_MAX, verify_chain,
};
use narratoria_story::{LogPosition, StoryName};
use proptest::prelude::*;

use super::{LONG, ada, add, append, change_after, logs, quest, take};

fn found(log: &dyn StoryLog) -> HostedStory {
    log.story(&ada(), &quest()).unwrap().unwrap()
}

#[test]
fn a_story_belongs_to_its_player() {
    for test in logs() {
        let (log, other) = (test.log.as_ref(), PlayerId::parse("bob").unwrap());
        assert_eq!(log.story(&ada(), &quest()).unwrap(), None, "{}", test.name);
        let story = log.create_story(&ada(), &quest()).unwrap();
        assert_eq!(log.create_story(&ada(), &quest()).unwrap(), story, "once");
        let tower = log.create_story(&ada(), &StoryName::parse("tower").unwrap()).unwrap();
        let of_bob = log.create_story(&other, &quest()).unwrap();
        assert!(of_bob.id != story.id);
        assert_eq!(log.stories(&ada()).unwrap(), [story, tower]);
        assert_eq!(log.stories(&other).unwrap(), [of_bob]);
        log.ping().unwrap();
    }
}

#[test]
fn one_server_at_a_time_has_the_lease() {
    for test in logs() {
        let log = test.log.as_ref();
        let story = log.create_story(&ada(), &quest()).unwrap();
        let first = take(log, &story, "one");
        let LeaseOutcome::Held { holder, left } = log.take_lease(story.id, "two", LONG).unwrap()
        else {
            panic!("{}", test.name)
        };
        assert_eq!(holder, "one");
        assert!(left > LONG / 2 && left <= LONG, "{left:?}");
        let again = take(log, &story, "one");
        assert!(again.fence > first.fence, "its own lease, with another fence");
        assert!(matches!(log.renew_lease(first, LONG), Err(LogError::Fenced { .. })));
        log.renew_lease(again, LONG).unwrap();
        log.give_up_lease(first).unwrap();
        assert!(matches!(log.take_lease(story.id, "two", LONG), Ok(LeaseOutcome::Held { .. })));
        log.give_up_lease(again).unwrap();
        take(log, &story, "two");
        assert_eq!(log.take_lease(StoryId(99_999), "two", LONG), Err(LogError::NoStory));
    }
}

#[test]
fn a_lease_that_has_run_out_is_taken_and_its_holder_writes_nothing_more() {
    for test in logs() {
        let log = test.log.as_ref();
        let story = log.create_story(&ada(), &quest()).unwrap();
        let short = Duration::from_millis(50);
        let LeaseOutcome::Taken { lease, .. } = log.take_lease(story.id, "one", short).unwrap()
        else {
            panic!("{}", test.name)
        };
        let at = add(log, lease, None, Some("a"));
        log.begin_request(lease, "b").unwrap();
        let (second, head, open) = loop {
            match log.take_lease(story.id, "two", LONG).unwrap() {
                LeaseOutcome::Taken { lease, head, open_request } => {
                    break (lease, head, open_request);
                }
                LeaseOutcome::Held { left, .. } => thread::sleep(left),
            }
        };
        assert_eq!((head.as_ref(), open.as_deref()), (Some(&at), Some("b")));
        let late = change_after(lease, Some(&at), Some("b"), "{}\n");
        let refused = append(log, lease, &late);
        assert_eq!(refused, Err(LogError::Fenced { holder: "two".to_owned() }), "{}", test.name);
        assert!(matches!(log.begin_request(lease, "c"), Err(LogError::Fenced { .. })));
        add(log, second, Some(&at), Some("b"));
        assert_eq!(log.changes_after(story.id, 0).unwrap().len(), 2);
    }
}

#[test]
fn a_change_follows_the_head_and_a_request_is_stored_once() {
    for test in logs() {
        let log = test.log.as_ref();
        let story = log.create_story(&ada(), &quest()).unwrap();
        let lease = take(log, &story, "one");
        let first = add(log, lease, None, Some("a"));
        let not_next = change_after(lease, None, None, "{}\n");
        assert!(
            matches!(append(log, lease, &not_next), Err(LogError::Fenced { .. })),
            "{}",
            test.name
        );
        let again = change_after(lease, Some(&first), Some("a"), "{}\n");
        assert_eq!(
            append(log, lease, &again),
            Err(LogError::RequestTaken { request_id: "a".to_owned() })
        );
        let second = add(log, lease, Some(&first), None);
        let third = add(log, lease, Some(&second), None);
        let find = |id: &str| log.change_of_request(story.id, id).unwrap();
        assert_eq!((find("a"), find("b")), (Some(1), None));
        let found = found(log);
        assert_eq!((found.head.as_ref(), found.bytes), (Some(&third), 12));
        assert_eq!(verify_chain(log, &found), None);
        let used = log.use_of(&ada()).unwrap();
        assert_eq!(
            used,
            PlayerUse { turns: 3, work_ms: 750, bytes: 12 },
            "the refused ones do not count"
        );
    }
}

#[test]
fn a_long_log_is_read_in_parts_and_comes_back_byte_for_byte() {
    for test in logs() {
        let log = test.log.as_ref();
        let story = log.create_story(&ada(), &quest()).unwrap();
        let lease = take(log, &story, "one");
        let mut last: Option<LogPosition> = None;
        let count = READ_CHANGES_MAX + 7;
        for n in 0..count {
            let text = format!("{{\"n\":{n},\"text\":\"é \\u0001 {}\"}}\n", "x".repeat(n % 50));
            let change = change_after(lease, last.as_ref(), None, &text);
            append(log, lease, &change).unwrap();
            last = Some(change.at);
        }
        let big = "y".repeat(9 << 20);
        for _ in 0..2 {
            let change = change_after(lease, last.as_ref(), None, &big);
            append(log, lease, &change).unwrap();
            last = Some(change.at);
        }
        assert_eq!(
            log.changes_after(story.id, 0).unwrap().len(),
            READ_CHANGES_MAX,
            "{}",
            test.name
        );
        let after = log.changes_after(story.id, count as u64).unwrap();
        assert_eq!((after.len(), after[0].lines.len()), (1, big.len()));
        assert_eq!(verify_chain(log, &found(log)), None);
    }
}

/// docs/hosting.md, "The chain": a log is never read past a fault.
#[test]
fn a_changed_row_a_missing_row_and_a_lost_end_are_found() {
    let Some(server) = narratoria_test_postgres::PostgresServer::shared() else { return };
    for (damage, expected) in [
        (
            "UPDATE story_change SET lines = '[]' WHERE ordinal = 3",
            "change 3 is not as it was stored",
        ),
        (
            "UPDATE story_change SET lines = set_byte(lines, 2, 7) WHERE ordinal = 4",
            "change 4 is not as it was stored",
        ),
        (
            "UPDATE story_change SET request_id = 'z' WHERE ordinal = 2",
            "change 2 is not as it was stored",
        ),
        ("DELETE FROM story_change WHERE ordinal = 2", "change 2 is missing"),
        (
            "DELETE FROM story_change WHERE ordinal > 3",
            "the log ends with change 3, and its head is change 5",
        ),
        ("UPDATE hosted_story SET head_digest = 'd'", "change 5 is not as it was stored"),
    ] {
        let url = server.database();
        let log = super::postgres(&url);
        let story = log.create_story(&ada(), &quest()).unwrap();
        let lease = take(log.as_ref(), &story, "one");
        let mut last = None;
        for _ in 0..5 {
            last = Some(add(log.as_ref(), lease, last.as_ref(), None));
        }
        server.sql(url.rsplit('/').next().unwrap(), damage);
        let fault = verify_chain(log.as_ref(), &found(log.as_ref()));
        assert_eq!(
            fault.as_ref().map(ChainFault::to_string).as_deref(),
            Some(expected),
            "{damage}"
        );
    }
}

/// What servers do.
#[derive(Debug, Clone)]
enum LogDeed {
    Create(u8),
    Take { story: u8, server: u8 },
    GiveUp { story: u8, server: u8 },
    Append { story: u8, server: u8, request: Option<u8> },
    Request { story: u8, request: u8 },
}

fn deed() -> impl Strategy<Value = LogDeed> {
    let (story, server) = (0..2_u8, 0..3_u8);
    prop_oneof![
        1 => story.clone().prop_map(LogDeed::Create),
        3 => (story.clone(), server.clone()).prop_map(|(story, server)| LogDeed::Take { story, server }),
        2 => (story.clone(), server.clone()).prop_map(|(story, server)| LogDeed::GiveUp { story, server }),
        8 => (story.clone(), server, proptest::option::of(0..6_u8))
            .prop_map(|(story, server, request)| LogDeed::Append { story, server, request }),
        2 => (story, 0..6_u8).prop_map(|(story, request)| LogDeed::Request { story, request }),
    ]
}

/// A story as it should be.
#[derive(Debug, Default)]
struct ModelStory {
    holder: Option<u8>,
    fence: u64,
    requests: Vec<Option<u8>>,
}

fn outcome<T>(result: Result<T, LogError>) -> Result<T, &'static str> {
    result.map_err(|error| match error {
        LogError::Fenced { .. } => "fenced",
        LogError::RequestTaken { .. } => "taken",
        LogError::NoStory => "no story",
        other => panic!("{other}"),
    })
}

/// Long because each deed has its expectation beside it.
fn check(log: &dyn StoryLog, deeds: &[LogDeed]) {
    let mut model: BTreeMap<u8, ModelStory> = BTreeMap::new();
    // What each server last knew of a story: its lease, and the head.
    let mut known: BTreeMap<(u8, u8), (Lease, Option<LogPosition>)> = BTreeMap::new();
    let name = |story: u8| StoryName::parse(&format!("s{story}")).unwrap();
    for deed in deeds {
        match *deed {
            LogDeed::Create(story) => {
                log.create_story(&ada(), &name(story)).unwrap();
                model.entry(story).or_default();
            }
            LogDeed::Take { story, server } => {
                let Some(expected) = model.get_mut(&story) else { continue };
                let id = log.story(&ada(), &name(story)).unwrap().unwrap().id;
                let taken = log.take_lease(id, &format!("server {server}"), LONG).unwrap();
                let may = expected.holder.is_none_or(|holder| holder == server);
                match taken {
                    LeaseOutcome::Taken { lease, head, .. } => {
                        assert!(may);
                        assert!(lease.fence > expected.fence);
                        assert_eq!(
                            head.as_ref().map_or(0, |at| at.ordinal),
                            expected.requests.len() as u64
                        );
                        (expected.holder, expected.fence) = (Some(server), lease.fence);
                        known.insert((story, server), (lease, head));
                    }
                    LeaseOutcome::Held { holder, .. } => {
                        assert!(!may);
                        assert_eq!(Some(holder), expected.holder.map(|it| format!("server {it}")));
                    }
                }
            }
            LogDeed::GiveUp { story, server } => {
                let Some((lease, _)) = known.get(&(story, server)) else { continue };
                log.give_up_lease(*lease).unwrap();
                let expected = model.get_mut(&story).unwrap();
                if expected.fence == lease.fence {
                    expected.holder = None;
                }
            }
            LogDeed::Append { story, server, request } => {
                let Some((lease, head)) = known.get_mut(&(story, server)) else { continue };
                let expected = model.get_mut(&story).unwrap();
                let id = request.map(|request| format!("r{request}"));
                let change = change_after(*lease, head.as_ref(), id.as_deref(), "{}\n");
                let is_next = expected.fence == lease.fence;
                let is_taken = request.is_some() && expected.requests.contains(&request);
                let wanted = match (is_next, is_taken) {
                    (false, _) => Err("fenced"),
                    (true, true) => Err("taken"),
                    (true, false) => Ok(()),
                };
                assert_eq!(outcome(append(log, *lease, &change)), wanted, "{deed:?}");
                if wanted.is_ok() {
                    expected.requests.push(request);
                    *head = Some(change.at);
                }
            }
            LogDeed::Request { story, request } => {
                let Some(expected) = model.get(&story) else { continue };
                let id = log.story(&ada(), &name(story)).unwrap().unwrap().id;
                let found = log.change_of_request(id, &format!("r{request}")).unwrap();
                let wanted = expected.requests.iter().position(|known| *known == Some(request));
                assert_eq!(found, wanted.map(|at| at as u64 + 1));
            }
        }
    }
    for (story, expected) in model {
        let story = log.story(&ada(), &name(story)).unwrap().unwrap();
        assert_eq!(story.head.as_ref().map_or(0, |at| at.ordinal), expected.requests.len() as u64);
        assert_eq!(verify_chain(log, &story), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn each_log_does_what_the_model_does(deeds in proptest::collection::vec(deed(), 1..60)) {
        for test in logs() {
            check(test.log.as_ref(), &deeds);
        }
    }
}
