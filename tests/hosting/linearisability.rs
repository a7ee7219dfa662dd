//! Is a history of one story linearisable? Its log is a list of changes, some of them of a request; a play of a request adds it if
//! it is not there and answers with its place, and a read answers with the number of changes.
//!
//! The log says in which order the changes came, so nothing has to be searched: each operation gets the earliest moment that its
//! place allows, and the history is linearisable if and only if that moment is not after its answer.

use std::collections::BTreeMap;

/// What a client has asked for, and what it was answered. Times are microseconds of one clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) asked: u64,
    pub(crate) answered: u64,
    pub(crate) answer: OperationAnswer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OperationAnswer {
    /// The request is the change of this place, which counts from 1.
    Stored { request: String, place: u64 },
    /// This try has stored nothing and never will.
    Refused { request: String },
    /// No answer, or one that says that nothing is known.
    Unknown { request: String },
    /// So many changes are there.
    Read { places: u64 },
}

/// Checks a history against the log, whose entries are the requests of the changes. Returns what is wrong.
pub(crate) fn check(log: &[Option<String>], history: &[Operation]) -> Result<(), String> {
    let mut places = BTreeMap::new();
    for (at, request) in log.iter().enumerate() {
        let Some(request) = request else { continue };
        if let Some(first) = places.insert(request.as_str(), at) {
            return Err(format!("{request} is stored twice, at {} and {}", first + 1, at + 1));
        }
    }
    let mut changes = vec![Window { asked: u64::MAX, answered: u64::MAX }; log.len()];
    let mut reads = vec![Vec::new(); log.len() + 1];
    for operation in history {
        let Operation { asked, answered, answer } = operation;
        let window = Window { asked: *asked, answered: *answered };
        match answer {
            OperationAnswer::Read { places } => match usize::try_from(*places).ok() {
                Some(places) if places <= log.len() => reads[places].push(window),
                _ => return Err(format!("a read saw {places} changes of {}", log.len())),
            },
            OperationAnswer::Stored { request, place } => {
                let at = places.get(request.as_str()).map(|at| *at as u64 + 1);
                if at != Some(*place) {
                    return Err(format!("{request} was answered with place {place} and is {at:?}"));
                }
                let change = &mut changes[places[request.as_str()]];
                change.asked = change.asked.min(*asked);
                change.answered = change.answered.min(*answered);
            }
            OperationAnswer::Unknown { request } => {
                if let Some(at) = places.get(request.as_str()) {
                    changes[*at].asked = changes[*at].asked.min(*asked);
                }
            }
            OperationAnswer::Refused { .. } => {}
        }
    }
    for (at, request) in log.iter().enumerate() {
        match request {
            Some(request) if changes[at].asked == u64::MAX => {
                return Err(format!("{request} is stored and every try of it was refused"));
            }
            // Those of no request are the servers' own.
            None => changes[at].asked = 0,
            Some(_) => {}
        }
    }
    in_order(log, &changes, &mut reads)
}

/// The time in which an operation has happened.
#[derive(Debug, Clone, Copy)]
struct Window {
    asked: u64,
    answered: u64,
}

fn in_order(
    log: &[Option<String>],
    changes: &[Window],
    reads: &mut [Vec<Window>],
) -> Result<(), String> {
    let mut now = 0;
    for (place, reads) in reads.iter_mut().enumerate().take(log.len() + 1) {
        if let Some(before) = place.checked_sub(1) {
            now = now.max(changes[before].asked);
            if now > changes[before].answered {
                let request = log[before].as_deref().unwrap_or("a change");
                return Err(format!(
                    "{request} was answered at {} and cannot have happened before {now}",
                    changes[before].answered
                ));
            }
        }
        reads.sort_by_key(|read| read.asked);
        for read in reads {
            now = now.max(read.asked);
            if now > read.answered {
                return Err(format!(
                    "a read of {place} changes was answered at {} and cannot have happened before {now}",
                    read.answered
                ));
            }
        }
    }
    Ok(())
}

/// Reads `0..5 a=2`, `0..5 a refused`, `0.. a` and `0..5 read 3`.
fn operation(text: &str) -> Operation {
    let (times, said) = text.split_once(' ').unwrap();
    let (asked, answered) = times.split_once("..").unwrap();
    let answer = match said.split_once(['=', ' ']) {
        Some(("read", places)) => OperationAnswer::Read { places: places.parse().unwrap() },
        Some((request, "refused")) => OperationAnswer::Refused { request: request.to_owned() },
        Some((request, place)) => {
            OperationAnswer::Stored { request: request.to_owned(), place: place.parse().unwrap() }
        }
        None => OperationAnswer::Unknown { request: said.to_owned() },
    };
    let answered = answered.parse().unwrap_or(u64::MAX);
    Operation { asked: asked.parse().unwrap(), answered, answer }
}

#[track_caller]
fn judge(log: &str, history: &[&str], expected: &str) {
    let log: Vec<Option<String>> =
        log.split_whitespace().map(|it| (it != "-").then(|| it.to_owned())).collect();
    let history: Vec<Operation> = history.iter().map(|text| operation(text)).collect();
    let found = check(&log, &history).map_or_else(|why| why, |()| "linearisable".to_owned());
    assert_eq!(found, expected);
}

#[test]
fn histories_that_can_have_happened_are_accepted() {
    judge("- a b", &["0..9 a=2", "1..5 b=3", "4..6 read 3", "0..1 read 1"], "linearisable");
    // A lost answer, and the same request again.
    judge("a b", &["0.. a", "7..9 a=1", "3..5 b=2"], "linearisable");
    judge("a", &["0..2 a refused", "3..4 a=1", "8..9 a=1", "0..1 read 0"], "linearisable");
    judge("", &["0..2 a refused", "3.. b", "8..9 read 0"], "linearisable");
}

#[test]
fn histories_that_cannot_have_happened_are_refused() {
    judge("a a", &["0..1 a=1"], "a is stored twice, at 1 and 2");
    judge("b", &["0..1 a=1", "0.. b"], "a was answered with place 1 and is None");
    judge("b a", &["0..1 a=1", "0.. b"], "a was answered with place 1 and is Some(2)");
    judge("a", &["0..2 a refused"], "a is stored and every try of it was refused");
    judge(
        "a b",
        &["5..6 a=1", "0..3 b=2"],
        "b was answered at 3 and cannot have happened before 5",
    );
    judge(
        "a",
        &["0..2 a=1", "3..4 read 0"],
        "a was answered at 2 and cannot have happened before 3",
    );
    judge("a", &["0.. a", "0..4 read 2"], "a read saw 2 changes of 1");
    judge(
        "a b",
        &["0..9 a=1", "6..9 b=2", "2..4 read 2"],
        "a read of 2 changes was answered at 4 and cannot have happened before 6",
    );
}
