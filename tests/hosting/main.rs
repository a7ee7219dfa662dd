//! Hosted stories on real databases: what holds for one log holds for the other, and no failure of a server, of the database or
//! of the way between them loses a change or stores one twice.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

mod contract;
mod copies;
mod failures;
mod faulty_histories;
mod histories;
mod linearisability;
mod versions;

use std::{path::Path, sync::Arc, time::Duration};

use narratoria_hosting::{
    HostedStories, HostedStory, Lease, LeaseOutcome, LogError, NewChange, PlayerId, PlayerQuota,
    PostgresStoryLog, SqliteStoryLog, StoredChange, StoryLog, change_digest, verify_chain,
};
use narratoria_postgres::DatabaseUrl;
use narratoria_story::{LogPosition, StoryName};
use narratoria_test_postgres::PostgresServer;
use tempfile::TempDir;

/// Longer than any test.
const LONG: Duration = Duration::from_secs(600);

/// A log with what it lives in.
struct TestLog {
    name: &'static str,
    log: Arc<dyn StoryLog>,
    _folder: Option<TempDir>,
}

/// One of each kind; PostgreSQL if the machine has it.
fn logs() -> Vec<TestLog> {
    let folder = tempfile::tempdir().unwrap();
    let log = SqliteStoryLog::open(&folder.path().join("stories.db")).unwrap();
    let sqlite = TestLog { name: "sqlite", log: Arc::new(log), _folder: Some(folder) };
    let postgres = PostgresServer::shared().map(|server| TestLog {
        name: "postgres",
        log: postgres(&server.database()),
        _folder: None,
    });
    [sqlite].into_iter().chain(postgres).collect()
}

fn postgres(url: &str) -> Arc<dyn StoryLog> {
    Arc::new(PostgresStoryLog::open(&DatabaseUrl::parse(url).unwrap()).unwrap())
}

fn ada() -> PlayerId {
    PlayerId::parse("ada").unwrap()
}

fn quest() -> StoryName {
    StoryName::parse("quest").unwrap()
}

fn stories(log: &Arc<dyn StoryLog>, holder: &str, home: &Path) -> HostedStories {
    HostedStories::open(log.clone(), holder, PlayerQuota::default(), home).unwrap()
}

#[track_caller]
fn take(log: &dyn StoryLog, story: &HostedStory, holder: &str) -> Lease {
    match log.take_lease(story.id, holder, LONG).unwrap() {
        LeaseOutcome::Taken { lease, .. } => lease,
        held => panic!("{held:?}"),
    }
}

/// A change that follows a position.
fn change_after(
    lease: Lease,
    before: Option<&LogPosition>,
    request_id: Option<&str>,
    lines: &str,
) -> StoredChange {
    let ordinal = before.map_or(0, |at| at.ordinal) + 1;
    let mut change = StoredChange {
        at: LogPosition { ordinal, digest: String::new() },
        prev_digest: before.map(|at| at.digest.clone()).unwrap_or_default(),
        fence: lease.fence,
        request_id: request_id.map(str::to_owned),
        branch: "main".to_owned(),
        format: 8,
        lines: lines.to_owned(),
    };
    change.at.digest = change_digest(lease.story, &change);
    change
}

fn append(log: &dyn StoryLog, lease: Lease, change: &StoredChange) -> Result<(), LogError> {
    log.append(
        lease,
        &NewChange {
            at: &change.at,
            prev_digest: &change.prev_digest,
            request_id: change.request_id.as_deref(),
            branch: &change.branch,
            format: change.format,
            lines: &change.lines,
            turns: 1,
            work_ms: 250,
        },
    )
}

/// Appends a change and returns its position.
#[track_caller]
fn add(
    log: &dyn StoryLog,
    lease: Lease,
    before: Option<&LogPosition>,
    request_id: Option<&str>,
) -> LogPosition {
    let change = change_after(lease, before, request_id, "{}\n");
    append(log, lease, &change).unwrap();
    change.at
}

/// The request of each change of a story, in order; the chain must hold.
fn all_requests(log: &dyn StoryLog, name: &StoryName) -> Vec<Option<String>> {
    let Some(story) = log.story(&ada(), name).unwrap() else { return Vec::new() };
    assert_eq!(verify_chain(log, &story), None);
    let (mut found, mut after) = (Vec::new(), 0);
    loop {
        let changes = log.changes_after(story.id, after).unwrap();
        let Some(last) = changes.last() else { return found };
        after = last.at.ordinal;
        found.extend(changes.into_iter().map(|change| change.request_id));
    }
}
