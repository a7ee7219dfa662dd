//! `narratoria serve --database` while its servers are killed at each statement of a turn, cut off from the database, and asked for
//! one thing many times at once.
//!
//! `HOSTED_KILLS` sets how many of the moments of a turn are tried, `HOSTED_SEED` which, `HOSTED_PARTITION_SECONDS` how long a
//! server is cut off.

use std::{process::Command, thread, time::Duration};

use narratoria_hosting::{PlayerId, PostgresStoryLog, StoryLog, verify_chain};
use narratoria_postgres::DatabaseUrl;
use narratoria_sdk::Rng;
use narratoria_story::StoryName;
use narratoria_test_postgres::{DatabaseProxy, Direction, PostgresServer, TripMoment};
use serde_json::{Value, json};

use super::hosting::{databases, lines, start};
use crate::{crash::number, page_client::PageServer, player_machine::PlayerMachine};

const SENTENCE: &str = "roll 2d6";

/// How often the story has a turn with this sentence.
fn turns_of(lines: &str, sentence: &str) -> usize {
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["kind"] == "turn" && line["prompt"] == sentence).count()
}

fn at_once(send: impl Fn(usize) -> u16 + Sync) -> Vec<u16> {
    let send = &send;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..50).map(|number| scope.spawn(move || send(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn a_line_that_is_sent_fifty_times_at_once_is_one_turn() {
    let folder = tempfile::tempdir().unwrap();
    for database in databases(folder.path()) {
        let (one, two) = (PlayerMachine::new(), PlayerMachine::new());
        let (first, second) = (start(&one, &database), start(&two, &database));
        let story = first.create(json!({"premise": "none", "name": "walk"}));
        let mut events = first.events(&story, None);
        events.until("ready");
        let answers = at_once(|_| first.line(&story, "first", 0, SENTENCE));
        assert_eq!(answers, [202; 50], "{database}");
        while events.until("ready")["turns"] != 1 {}

        // Half of them reach a server that may not write the story: it says so, or that the turn is there.
        let answers = at_once(|number| {
            let server = if number % 2 == 0 { &first } else { &second };
            server.line(&story, "second", 1, SENTENCE)
        });
        for (number, status) in answers.into_iter().enumerate() {
            assert!(status == 202 || number % 2 == 1 && status == 409, "{database}: {status}");
        }
        while events.until("ready")["turns"] != 2 {}
        assert_eq!(second.line(&story, "second", 1, SENTENCE), 202, "it is stored");
        for server in [&first, &second] {
            assert_eq!(turns_of(&lines(server, &story), SENTENCE), 2, "{database}");
        }
        drop(events);
        first.kill();
        second.kill();
    }
}

fn kill(pid: u32) {
    let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
    assert!(killed.unwrap().success());
}

/// A database, and a way to it on which servers are killed.
struct HostStage {
    server: &'static PostgresServer,
    url: String,
    proxy: DatabaseProxy,
    log: PostgresStoryLog,
}

impl HostStage {
    fn build() -> Option<HostStage> {
        let server = PostgresServer::shared()?;
        let url = server.database();
        let log = PostgresStoryLog::open(&DatabaseUrl::parse(&url).unwrap()).unwrap();
        Some(HostStage { server, proxy: DatabaseProxy::start(server), url, log })
    }

    fn ask(&self, story: &str, wanted: &str) -> String {
        let database = self.url.rsplit('/').next().unwrap();
        let sql = format!("SELECT {wanted} FROM hosted_story WHERE name = '{story}'");
        self.server.sql(database, &sql)
    }

    /// Waits until another server may take the story.
    fn await_end_of_lease(&self, story: &str) {
        while self.ask(story, "lease_until <= now()") != "t" {
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn is_stored(&self, story: &str, request: &str) -> bool {
        let name = StoryName::parse(story).unwrap();
        let story = self.log.story(&PlayerId::only(), &name).unwrap().unwrap();
        assert_eq!(verify_chain(&self.log, &story), None);
        self.log.change_of_request(story.id, request).unwrap().is_some()
    }

    /// A server that reaches the database through the proxy, with a story of one turn.
    fn begin(&self, machine: &PlayerMachine) -> (PageServer, String) {
        let server = start(machine, &self.proxy.url(&self.url));
        let story = server.create(json!({"premise": "none"}));
        let mut events = server.events(&story, None);
        events.until("ready");
        assert_eq!(server.line(&story, "first", 0, "roll 1d6"), 202);
        while events.until("ready")["turns"] != 1 {}
        (server, story)
    }
}

/// Statements of a turn, when nothing happens.
fn statements_of_a_turn(stage: &HostStage) -> u64 {
    let machine = PlayerMachine::new();
    let (server, story) = stage.begin(&machine);
    let mut events = server.events(&story, None);
    events.until("snapshot");
    let before = stage.proxy.round_trips();
    assert_eq!(server.line(&story, "second", 1, SENTENCE), 202);
    while events.until("ready")["turns"] != 2 {}
    let statements = stage.proxy.round_trips() - before;
    server.kill();
    statements
}

/// Kills a server at a moment of its second turn; its page goes on with another server.
fn kill_at(
    stage: &HostStage,
    (others, moment): (u64, TripMoment),
    survivor: &PageServer,
) -> &'static str {
    let machine = PlayerMachine::new();
    let (server, story) = stage.begin(&machine);
    let mut events = server.events(&story, None);
    events.until("snapshot");
    let pid = server.pid();
    stage.proxy.plan(others, moment, move || kill(pid));
    let answer = server.line_or_end(&story, "second", 1, SENTENCE);
    assert!(matches!(answer, None | Some(202)), "{answer:?}");
    let mut was_told = false;
    while let Some((kind, data)) = events.next_or_end() {
        was_told |= kind == "update" && data["type"] == "turn.finished";
        if kind == "ready" && data["turns"] == 2 {
            // It had fewer statements than the other turn, or the moment is its last one.
            kill(pid);
        }
    }
    server.wait();
    stage.proxy.heal();
    let why = format!("{story}, killed {moment:?} {others}");
    let is_stored = stage.is_stored(&story, "second");
    assert!(is_stored || !was_told, "{why}: the page has read a turn that is not stored");

    stage.await_end_of_lease(&story);
    let was_begun = stage.ask(&story, "open_request") == "second";
    let mut events = survivor.events(&story, None);
    events.until("snapshot");
    if was_begun {
        // A step of the lost try may have had effects outside; the player reads it.
        let notice = events.until("notice");
        assert!(notice["text"].as_str().unwrap().contains("was cut off"), "{why}: {notice}");
    }
    assert_eq!(survivor.line(&story, "second", 1, SENTENCE), 202, "{why}");
    if !is_stored {
        while events.until("ready")["turns"] != 2 {}
    }
    assert!(stage.is_stored(&story, "second"), "{why}");
    assert_eq!(survivor.line(&story, "third", 2, "roll 1d6"), 202, "{why}");
    while events.until("ready")["turns"] != 3 {}
    let after = lines(survivor, &story);
    assert_eq!((turns_of(&after, SENTENCE), turns_of(&after, "roll 1d6")), (1, 2), "{why}");
    // The copy that the killed server has left is behind, or ahead by nothing.
    if others % 2 == 0 {
        let again = start(&machine, &stage.url);
        assert_eq!(lines(&again, &story), after, "{why}");
        again.kill();
    }
    if is_stored { "stored" } else { "played again" }
}

/// docs/hosting.md, "The lease".
#[test]
fn a_server_that_is_killed_at_any_statement_of_a_turn_leaves_one_turn_to_the_next_one() {
    let Some(stage) = HostStage::build() else { return };
    let machine = PlayerMachine::new();
    let survivor = start(&machine, &stage.url);
    let statements = statements_of_a_turn(&stage);
    let moments = [TripMoment::Asked, TripMoment::Done, TripMoment::Answered];
    let mut moments: Vec<(u64, TripMoment)> =
        (0..statements).flat_map(|others| moments.map(|moment| (others, moment))).collect();
    let (kills, seed) = (number("HOSTED_KILLS").unwrap_or(9), number("HOSTED_SEED").unwrap_or(7));
    eprintln!("a turn has {statements} statements; HOSTED_SEED={seed}");
    let mut random = Rng::new(seed);
    for at in (1..moments.len()).rev() {
        let other = usize::try_from(random.next_u64() % (at as u64 + 1)).unwrap();
        moments.swap(at, other);
    }
    moments.truncate(usize::try_from(kills).unwrap());
    for moment in moments {
        let end = kill_at(&stage, moment, &survivor);
        eprintln!("killed {:?} {}: {end}", moment.1, moment.0);
    }
    survivor.kill();
}

/// What is held back of the way to the database.
const PARTITIONS: [&[Direction]; 3] =
    [&[Direction::ToServer, Direction::ToClient], &[Direction::ToServer], &[Direction::ToClient]];

/// Turns of a story as a server tells it.
fn turns(server: &PageServer, story: &str) -> u64 {
    let lines = lines(server, story);
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["kind"] == "turn").count() as u64
}

/// Cuts a server off from the database in the middle of a turn, for so long, while another server goes on.
fn cut_off_in_a_turn(stage: &HostStage, held: &'static [Direction], others: u64, time: Duration) {
    let (one, two) = (PlayerMachine::new(), PlayerMachine::new());
    let (cut_off, story) = stage.begin(&one);
    let other = start(&two, &stage.url);
    let mut seen = cut_off.events(&story, None);
    seen.until("snapshot");
    let (cut_off, story) = (&cut_off, story.as_str());
    stage.proxy.hold_after(others, held);
    let mut events = thread::scope(|scope| {
        let answer = scope.spawn(|| cut_off.line_or_end(story, "of-cut-off", 1, SENTENCE));
        while !stage.proxy.holds(held[0]) {
            thread::sleep(Duration::from_millis(5));
        }
        stage.await_end_of_lease(story);
        let mut events = other.events(story, None);
        events.until("snapshot");
        // The turn of the other server may be stored by now, without its answer.
        let before = turns(&other, story);
        assert_eq!(other.line(story, "of-other", before, "roll 1d6"), 202);
        while events.until("ready")["turns"] != before + 1 {}
        thread::sleep(time);
        stage.proxy.heal();
        let answer = answer.join().unwrap();
        assert!(matches!(answer, Some(202 | 409 | 503)), "{held:?} {others}: {answer:?}");
        events
    });
    let why = format!("{held:?} from {others}");
    // The page sends its line again, to the server that has the story now.
    assert_eq!(other.line(story, "of-cut-off", turns(&other, story), SENTENCE), 202, "{why}");
    let mut after = lines(&other, story);
    while turns_of(&after, SENTENCE) == 0 {
        events.until("ready");
        after = lines(&other, story);
    }
    assert_eq!((turns_of(&after, SENTENCE), turns_of(&after, "roll 1d6")), (1, 2), "{why}");
    // It learns that it no longer has the story, and reads what is there.
    for tries in 0.. {
        if lines(cut_off, story) == after {
            break;
        }
        assert!(tries < 300, "{why}: the server that was cut off reads something else");
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(cut_off.line(story, "late", 3, SENTENCE), 409, "{why}: the other one has it");
}

#[test]
fn a_server_that_is_cut_off_from_the_database_loses_its_story_and_doubles_nothing() {
    let Some(stage) = HostStage::build() else { return };
    let (seed, seconds) =
        (number("HOSTED_SEED").unwrap_or(7), number("HOSTED_PARTITION_SECONDS").unwrap_or(3));
    let statements = statements_of_a_turn(&stage);
    let mut random = Rng::new(seed);
    for held in PARTITIONS {
        let others = random.next_u64() % statements;
        eprintln!("HOSTED_SEED={seed}: {held:?} are held after {others} of {statements}");
        cut_off_in_a_turn(&stage, held, others, Duration::from_secs(seconds));
    }
}
