//! Failures of servers, of the database, and of the way between them.

use std::{
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use narratoria_hosting::{HostedStories, HostingError, LogError, StoryLog};
use narratoria_test_postgres::{DatabaseProxy, PostgresServer};

use super::{
    ada, all_requests, append, change_after,
    copies::{HostedPlay, digest, now, play},
    logs, postgres, quest, stories, take,
};

/// The requests of the quest, in order.
fn requests(log: &dyn StoryLog) -> Vec<String> {
    assert!(log.story(&ada(), &quest()).unwrap().is_some());
    all_requests(log, &quest()).into_iter().flatten().collect()
}

#[test]
fn the_same_request_fifty_times_at_once_is_stored_once() {
    for test in logs() {
        let log = test.log.as_ref();
        let story = log.create_story(&ada(), &quest()).unwrap();
        let lease = take(log, &story, "one");
        let change = change_after(lease, None, Some("only"), "{}\n");
        let answers: Vec<Result<(), LogError>> = thread::scope(|scope| {
            let threads: Vec<_> =
                (0..50).map(|_| scope.spawn(|| append(log, lease, &change))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "{}", test.name);
        assert_eq!(requests(log), ["only"], "{}", test.name);
    }
}

/// Plays while something happens to the database. Returns what was answered.
fn play_through(
    server: &HostedStories,
    home: &Path,
    turns: usize,
    mut before: impl FnMut(usize),
) -> Vec<String> {
    let mut answered = Vec::new();
    let mut played: Option<HostedPlay> = None;
    for n in 0..turns {
        before(n);
        let id = format!("r{n}");
        // As a page does: the same request until there is an answer.
        loop {
            if server
                .fate_of_request(&ada(), &quest(), &id)
                .is_ok_and(|fate| fate == narratoria_hosting::RequestFate::Stored)
            {
                break;
            }
            let mut now_played = match played.take() {
                Some(played) => played,
                None => match play(server, home) {
                    Ok(played) => played,
                    Err(HostingError::Held { left, .. }) => {
                        thread::sleep(left.min(Duration::from_millis(50)));
                        continue;
                    }
                    Err(_) => continue,
                },
            };
            if now_played.commit(&id, n).is_ok() {
                played = Some(now_played);
                break;
            }
        }
        answered.push(id);
    }
    answered
}

#[test]
fn a_database_that_falls_during_commits_loses_and_doubles_nothing() {
    let Some(database) = PostgresServer::start() else { return };
    let log = postgres(&database.database());
    let home = tempfile::tempdir().unwrap();
    let server = stories(&log, "one", home.path());
    let is_over = Arc::new(AtomicBool::new(false));
    let answered = thread::scope(|scope| {
        let stopping = is_over.clone();
        let database = &database;
        scope.spawn(move || {
            let mut falls = 0;
            while falls < 4 || !stopping.load(Ordering::Relaxed) && falls < 8 {
                thread::sleep(Duration::from_millis(150));
                database.stop_at_once();
                database.start_again();
                falls += 1;
            }
        });
        let answered = play_through(&server, home.path(), 200, |_| {
            thread::sleep(Duration::from_millis(4));
        });
        is_over.store(true, Ordering::Relaxed);
        answered
    });
    assert_eq!(requests(log.as_ref()), answered);
    let other = tempfile::tempdir().unwrap();
    let second = stories(&log, "two", other.path());
    second.refresh(&ada(), other.path(), &quest(), now()).unwrap();
    server.refresh(&ada(), home.path(), &quest(), now()).unwrap();
    assert_eq!(digest(other.path()), digest(home.path()));
}

#[test]
fn an_answer_that_is_lost_is_asked_for() {
    let Some(database) = PostgresServer::shared() else { return };
    let url = database.database();
    let proxy = DatabaseProxy::start(database);
    let log = postgres(&proxy.url(&url));
    let home = tempfile::tempdir().unwrap();
    let server = stories(&log, "one", home.path());
    let answered = play_through(&server, home.path(), 60, |n| {
        // Now the answer to the request, now that to the change, now one of those that follow.
        if n % 2 == 0 {
            proxy.lose_after(n as u64 / 2 % 6);
        }
    });
    proxy.heal();
    assert_eq!(requests(log.as_ref()), answered);
    server.refresh(&ada(), home.path(), &quest(), now()).unwrap();
    let other = tempfile::tempdir().unwrap();
    stories(&log, "two", other.path()).refresh(&ada(), other.path(), &quest(), now()).unwrap();
    assert_eq!(digest(other.path()), digest(home.path()));
}

/// Set in the process of a server: the address of its database, and its home.
const SERVER_OF: &str = "NARRATORIA_TEST_SERVER_OF";

/// Leases of these servers.
const SHORT: Duration = Duration::from_millis(400);

/// A server as a process of its own, which plays until it is ended. It says each request that is stored.
struct ServerProcess {
    process: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl ServerProcess {
    fn start(url: &str, home: &Path, name: &str) -> ServerProcess {
        let itself = "failures::a_server_that_is_killed_in_a_turn_is_followed_by_another";
        let mut process = Command::new(env::current_exe().unwrap())
            .args([itself, "--exact", "--nocapture"])
            .env(SERVER_OF, format!("{url} {} {name}", home.display()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap());
        ServerProcess { process, lines }
    }

    /// The next line that it says about the story.
    fn said(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some((_, said)) = line.split_once("server: ") {
                return Some(said.trim().to_owned());
            }
        }
    }

    fn signal(&self, signal: &str) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

#[expect(clippy::print_stdout, reason = "the test reads it")]
fn be_a_server(order: &str) {
    let [url, home, name] = order.split(' ').collect::<Vec<_>>().try_into().unwrap();
    let (log, home) = (postgres(url), Path::new(home));
    let server = stories(&log, name, home).with_lease_time(SHORT);
    let mut played = loop {
        match play(&server, home) {
            Ok(played) => break played,
            Err(HostingError::Held { left, .. }) => thread::sleep(left),
            Err(error) => panic!("{error}"),
        }
    };
    for n in 0.. {
        let id = format!("{name}-{n}");
        match played.commit(&id, n) {
            Ok(()) => println!("server: {id}"),
            Err(why) => return println!("server: refused {why}"),
        }
    }
}

/// The test runs itself as the servers.
#[test]
fn a_server_that_is_killed_in_a_turn_is_followed_by_another() {
    if let Ok(order) = env::var(SERVER_OF) {
        return be_a_server(&order);
    }
    let Some(database) = PostgresServer::shared() else { return };
    let url = database.database();
    let log = postgres(&url);
    let (mut answered, mut last_home) = (Vec::new(), None);
    for round in 0..6_u64 {
        let home = tempfile::tempdir().unwrap();
        let mut server = ServerProcess::start(&url, home.path(), &format!("s{round}"));
        answered.push(server.said().unwrap());
        thread::sleep(Duration::from_millis(7 * round + 3));
        server.signal("-KILL");
        while let Some(said) = server.said() {
            answered.push(said);
        }
        server.process.wait().unwrap();
        last_home = Some(home);
    }
    let stored = requests(log.as_ref());
    // The last turn of a killed server may be stored without an answer; its page asks and learns it.
    let unanswered = stored.iter().filter(|id| !answered.contains(id)).count();
    assert!(unanswered <= 6, "{unanswered}");
    let of_answered: Vec<&String> = stored.iter().filter(|id| answered.contains(id)).collect();
    assert_eq!(of_answered, answered.iter().collect::<Vec<_>>(), "each once, in order");
    // The copy of the killed server, brought to the end, is the story that an empty home gets.
    let (home, empty) = (last_home.unwrap(), tempfile::tempdir().unwrap());
    for folder in [home.path(), empty.path()] {
        stories(&log, "after", folder).refresh(&ada(), folder, &quest(), now()).unwrap();
    }
    assert_eq!(digest(home.path()), digest(empty.path()));
}

#[test]
fn a_server_that_slept_past_its_lease_writes_nothing_more() {
    let Some(database) = PostgresServer::shared() else { return };
    let url = database.database();
    let log = postgres(&url);
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut sleeper = ServerProcess::start(&url, home.path(), "sleeper");
    sleeper.said().unwrap();
    sleeper.signal("-STOP");
    let server = stories(&log, "other", other.path());
    let mut played = loop {
        match play(&server, other.path()) {
            Ok(played) => break played,
            Err(HostingError::Held { left, .. }) => thread::sleep(left),
            Err(error) => panic!("{error}"),
        }
    };
    played.commit("of-other", 1).unwrap();
    sleeper.signal("-CONT");
    let refused = loop {
        match sleeper.said() {
            Some(said) if said.starts_with("refused") => break said,
            Some(_) => {}
            None => panic!("it does not say why it ends"),
        }
    };
    assert!(refused.contains("the story is played by other"), "{refused}");
    sleeper.process.wait().unwrap();
    played.commit("of-other-2", 2).unwrap();
    let stored = requests(log.as_ref());
    assert_eq!(stored[stored.len() - 2..], ["of-other", "of-other-2"], "nothing between them");
}
