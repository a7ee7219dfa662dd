//! Histories of clients whose servers, database and network fail at random. Servers are processes: they are killed, they sleep past
//! their leases, and they are started again with the copies that they had or with none. On the way to the database answers get lost,
//! connections break, and bytes are held back in one direction or in both; the database falls and starts again. A client sends its
//! request again, to any server, until it has an answer or gives up.
//!
//! `HISTORY_OPERATIONS` sets the number of operations, `HISTORY_SEED` the seed of the faults.

use std::{
    collections::HashMap,
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{self, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use narratoria_hosting::{HostedStories, HostingError, SqliteStoryLog, StoryLog};
use narratoria_story::StoryName;
use narratoria_test_postgres::{DatabaseProxy, Direction, PostgresServer};
use tempfile::TempDir;

use super::{
    ada, all_requests,
    copies::{HostedPlay, now, play_story},
    histories::numbers,
    linearisability::{Operation, OperationAnswer, check},
    postgres, stories,
};

const SERVERS: usize = 3;
const STORIES: usize = 3;
const CLIENTS: usize = 6;

/// So short that a lease runs out in many of the faults.
const LEASE: Duration = Duration::from_millis(300);

/// Operations between two faults, at most.
const CALM_MAX: u64 = 40;

/// How long a client waits for an answer. Two questions to a silent database end before.
const ANSWER_MAX: Duration = Duration::from_secs(20);

/// How often a client sends a request.
const TRIES_MAX: u64 = 5;

/// Set in the process of a server: database, home and name.
const SERVER_OF: &str = "NARRATORIA_TEST_HISTORY_SERVER_OF";

fn story(number: usize) -> StoryName {
    StoryName::parse(&format!("s{number}")).unwrap()
}

/// A play of a story, if this server has it.
type Plays = HashMap<String, Arc<Mutex<Option<HostedPlay>>>>;

/// The process of a server: each line of stdin is a number, a story and a request, or the word `read`; each gets a line.
#[expect(clippy::print_stdout, reason = "the test reads it")]
fn be_a_server(order: &str) {
    let [url, home, name] = order.split(' ').collect::<Vec<_>>().try_into().unwrap();
    let log: Arc<dyn StoryLog> = match url.strip_prefix("sqlite:") {
        Some(file) => Arc::new(SqliteStoryLog::open(Path::new(file)).unwrap()),
        None => postgres(url),
    };
    let home = Path::new(home);
    let server = stories(&log, name, home).with_lease_time(LEASE);
    let mut plays = Plays::new();
    println!("server: ready");
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let [number, story, request] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let (number, request) = (number.to_owned(), request.to_owned());
        let play = plays.entry(story.to_owned()).or_default().clone();
        let (server, name) = (server.clone(), StoryName::parse(story).unwrap());
        let home = home.to_owned();
        thread::spawn(move || {
            let answer = match request.as_str() {
                "read" => read(&server, &home, &name),
                request => answer_to(&server, &home, &name, &play, request),
            };
            println!("server: {number} {answer}");
        });
    }
}

fn read(server: &HostedStories, home: &Path, name: &StoryName) -> String {
    match server.refresh(&ada(), home, name, now()) {
        Ok(refreshed) => format!("read {}", refreshed.head.map_or(0, |head| head.ordinal)),
        Err(HostingError::NoStory { .. }) => "read 0".to_owned(),
        Err(_) => "unknown".to_owned(),
    }
}

/// Plays a request as the program does: unless it is stored, by whoever may write the story.
fn answer_to(
    server: &HostedStories,
    home: &Path,
    name: &StoryName,
    play: &Mutex<Option<HostedPlay>>,
    request: &str,
) -> String {
    let place = || {
        let story = server.log().story(&ada(), name)?;
        story.map_or(Ok(None), |story| server.log().change_of_request(story.id, request))
    };
    match place() {
        Ok(Some(place)) => return format!("stored {place}"),
        Ok(None) => {}
        Err(_) => return "unknown".to_owned(),
    }
    let mut play = play.lock().unwrap();
    let mut played = match play.take() {
        Some(played) => played,
        None => match play_story(server, home, name) {
            Ok(played) => played,
            Err(HostingError::Held { .. }) => return "refused".to_owned(),
            Err(_) => return "unknown".to_owned(),
        },
    };
    match played.commit(request, request.len()) {
        Ok(()) => {
            let at = played.story.log_position().unwrap().unwrap();
            // At times a story is closed, and may be opened anywhere.
            if !at.ordinal.is_multiple_of(16) {
                *play = Some(played);
            }
            format!("stored {}", at.ordinal)
        }
        Err(why) if why.contains("the story is played by") => "refused".to_owned(),
        // Stored before, or nothing is known.
        Err(_) => "unknown".to_owned(),
    }
}

/// Those who wait for answers of a process; `None` when it has ended.
type Waiting = Arc<Mutex<Option<HashMap<u64, Sender<String>>>>>;

/// A server, through all its lives.
struct HistoryServer {
    name: String,
    url: String,
    life: Mutex<ServerLife>,
    numbers: AtomicU64,
}

struct ServerLife {
    process: Child,
    orders: ChildStdin,
    waiting: Waiting,
    home: TempDir,
}

impl ServerLife {
    fn start(url: &str, name: &str, home: TempDir) -> ServerLife {
        let itself = "faulty_histories::histories_with_random_faults_are_linearisable";
        let mut process = Command::new(env::current_exe().unwrap())
            .args([itself, "--exact", "--nocapture"])
            .env(SERVER_OF, format!("{url} {} {name}", home.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap());
        let waiting: Waiting = Arc::new(Mutex::new(Some(HashMap::new())));
        let orders = process.stdin.take().unwrap();
        let answered = waiting.clone();
        thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                let Some((_, said)) = line.split_once("server: ") else { continue };
                let Some((number, answer)) = said.split_once(' ') else { continue };
                let number: u64 = number.parse().unwrap();
                let waits = answered.lock().unwrap().as_mut().unwrap().remove(&number);
                // A client may have given up.
                let _ = waits.map(|waits| waits.send(answer.to_owned()));
            }
            answered.lock().unwrap().take();
        });
        ServerLife { process, orders, waiting, home }
    }
}

impl Drop for ServerLife {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl HistoryServer {
    fn start(number: usize, url: &str) -> HistoryServer {
        let (name, url) = (format!("server{number}"), url.to_owned());
        let life = ServerLife::start(&url, &name, tempfile::tempdir().unwrap());
        HistoryServer { name, url, life: Mutex::new(life), numbers: AtomicU64::new(0) }
    }

    /// Asks for something; `None` if there is no answer.
    fn ask(&self, story: usize, request: &str) -> Option<String> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = mpsc::channel();
        {
            let mut life = self.life.lock().unwrap();
            life.waiting.lock().unwrap().as_mut()?.insert(number, sender);
            writeln!(life.orders, "{number} s{story} {request}").ok()?;
        }
        answer.recv_timeout(ANSWER_MAX).ok()
    }

    /// Kills the process at once and starts it again, with its copies or with an empty home. Each life has a name of its own, as
    /// those of the program have.
    fn kill(&self, life_number: u64, keeps_copies: bool) {
        let mut life = self.life.lock().unwrap();
        let _ = life.process.kill();
        let _ = life.process.wait();
        let mut home = tempfile::tempdir().unwrap();
        if keeps_copies {
            std::mem::swap(&mut life.home, &mut home);
        }
        *life = ServerLife::start(&self.url, &format!("{}-{life_number}", self.name), home);
    }

    fn signal(&self, signal: &str) {
        let id = self.life.lock().unwrap().process.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

/// What all clients share.
struct Clients<'a> {
    servers: &'a [HistoryServer],
    began: Instant,
    operations: u64,
    done: AtomicU64,
    requests: AtomicU64,
    /// The server that has played a story last.
    holders: [AtomicUsize; STORIES],
    history: Mutex<Vec<(usize, Operation)>>,
}

impl Clients<'_> {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap()
    }

    /// Asks once, and notes it.
    fn ask(&self, server: usize, story: usize, request: &str) -> OperationAnswer {
        let asked = self.now();
        let answer = self.servers[server].ask(story, request);
        let answered = self.now();
        let said = answer.as_deref().and_then(|answer| answer.split_once(' '));
        let request_id = request.to_owned();
        let answer = match (said, answer.as_deref()) {
            (Some(("stored", place)), _) => {
                OperationAnswer::Stored { request: request_id, place: place.parse().unwrap() }
            }
            (Some(("read", places)), _) => {
                OperationAnswer::Read { places: places.parse().unwrap() }
            }
            (_, Some("refused")) => OperationAnswer::Refused { request: request_id },
            _ => OperationAnswer::Unknown { request: request_id },
        };
        let is_unknown = matches!(answer, OperationAnswer::Unknown { .. });
        let operation = Operation {
            asked,
            answered: if is_unknown { u64::MAX } else { answered },
            answer: answer.clone(),
        };
        self.history.lock().unwrap().push((story, operation));
        self.done.fetch_add(1, Ordering::Relaxed);
        answer
    }

    fn be_a_client(&self, seed: u64) {
        let mut draw = numbers(seed);
        while self.done.load(Ordering::Relaxed) < self.operations {
            let number = usize::try_from(draw() % STORIES as u64).unwrap();
            let any =
                |draw: &mut dyn FnMut() -> u64| usize::try_from(draw() % SERVERS as u64).unwrap();
            if draw().is_multiple_of(5) {
                self.ask(any(&mut draw), number, "read");
                continue;
            }
            let request = format!("r{}", self.requests.fetch_add(1, Ordering::Relaxed));
            for _ in 0..TRIES_MAX {
                let known = self.holders[number].load(Ordering::Relaxed);
                let server = if draw().is_multiple_of(8) { any(&mut draw) } else { known };
                match self.ask(server, number, &request) {
                    OperationAnswer::Stored { .. } => {
                        self.holders[number].store(server, Ordering::Relaxed);
                        // A page that is impatient.
                        if draw().is_multiple_of(8) {
                            self.ask(any(&mut draw), number, &request);
                        }
                        break;
                    }
                    _ => self.holders[number].store(any(&mut draw), Ordering::Relaxed),
                }
                if draw().is_multiple_of(16) {
                    break;
                }
                thread::sleep(LEASE / 20);
            }
        }
    }
}

/// The database, and the way of each server to it. An SQLite file has neither.
struct HistoryDatabase<'a> {
    server: Option<&'a PostgresServer>,
    proxies: &'a [DatabaseProxy],
}

/// Fails until the clients have done their operations. Returns how often each kind of fault happened.
fn fail(
    clients: &Clients<'_>,
    database: &HistoryDatabase<'_>,
    seed: u64,
) -> HashMap<&'static str, u32> {
    let (mut draw, mut counts) = (numbers(seed ^ 0xfa11), HashMap::new());
    let mut next = 0;
    while clients.done.load(Ordering::Relaxed) < clients.operations {
        if clients.done.load(Ordering::Relaxed) < next {
            thread::sleep(Duration::from_millis(1));
            continue;
        }
        let victim = usize::try_from(draw() % SERVERS as u64).unwrap();
        let server = &clients.servers[victim];
        let proxy = database.proxies.get(victim);
        // Shorter than a lease, or up to three times as long.
        let time = LEASE * u32::try_from(draw() % 12 + 1).unwrap() / 4;
        let held: &[Direction] = match draw() % 3 {
            0 => &[Direction::ToServer],
            1 => &[Direction::ToClient],
            _ => &[Direction::ToServer, Direction::ToClient],
        };
        let kind = match (draw() % 7, proxy, database.server) {
            (0, ..) | (5 | 6, None, _) => {
                server.kill(draw(), draw().is_multiple_of(2));
                "kill"
            }
            (1, ..) | (_, None, _) | (_, _, None) => {
                server.signal("-STOP");
                thread::sleep(time);
                server.signal("-CONT");
                "sleep"
            }
            (2, Some(proxy), _) => {
                proxy.lose_after(draw() % 8);
                "lost answer"
            }
            (3, Some(proxy), _) => {
                proxy.cut();
                "cut"
            }
            (4, Some(proxy), _) => {
                held.iter().for_each(|direction| proxy.hold(*direction));
                thread::sleep(time);
                if draw().is_multiple_of(2) {
                    proxy.cut();
                }
                proxy.heal();
                "partition"
            }
            // A server that is killed while the way to the database is held back: what it has sent arrives after its death.
            (5, Some(proxy), _) => {
                proxy.hold(Direction::ToServer);
                thread::sleep(time / 4);
                server.kill(draw(), true);
                proxy.heal();
                "kill in a partition"
            }
            (_, _, Some(database)) => {
                database.stop_at_once();
                database.start_again();
                "fall of the database"
            }
        };
        *counts.entry(kind).or_insert(0) += 1;
        next = clients.done.load(Ordering::Relaxed) + 1 + draw() % CALM_MAX;
    }
    database.proxies.iter().for_each(DatabaseProxy::heal);
    counts
}

#[expect(clippy::print_stderr, reason = "a person wants to see the seed and the faults")]
fn try_out(url: &str, database: &HistoryDatabase<'_>, operations: u64, seed: u64) {
    let url_of = |number: usize| {
        database.proxies.get(number).map_or_else(|| url.to_owned(), |proxy| proxy.url(url))
    };
    let servers: Vec<HistoryServer> =
        (0..SERVERS).map(|number| HistoryServer::start(number, &url_of(number))).collect();
    let clients = Clients {
        servers: &servers,
        began: Instant::now(),
        operations,
        done: AtomicU64::new(0),
        requests: AtomicU64::new(0),
        holders: Default::default(),
        history: Mutex::default(),
    };
    let faults = thread::scope(|scope| {
        for client in 0..CLIENTS {
            let clients = &clients;
            scope.spawn(move || clients.be_a_client(seed ^ client as u64));
        }
        fail(&clients, database, seed)
    });
    let took = clients.began.elapsed();
    let history = clients.history.into_inner().unwrap();
    drop(servers);
    let log: Arc<dyn StoryLog> = match url.strip_prefix("sqlite:") {
        Some(file) => Arc::new(SqliteStoryLog::open(Path::new(file)).unwrap()),
        None => postgres(url),
    };
    let mut stored = 0;
    for number in 0..STORIES {
        let log = all_requests(log.as_ref(), &story(number));
        stored += log.len();
        let of_story = history.iter().filter(|(of, _)| *of == number);
        let of_story: Vec<Operation> = of_story.map(|(_, operation)| operation.clone()).collect();
        if let Err(why) = check(&log, &of_story) {
            panic!("seed {seed}, story {number}: {why}\n{faults:?}");
        }
    }
    let count =
        |is: fn(&OperationAnswer) -> bool| history.iter().filter(|(_, it)| is(&it.answer)).count();
    eprintln!(
        "seed {seed}: {} operations in {took:?}, {stored} changes, {} refused, {} unknown, faults {faults:?}",
        history.len(),
        count(|answer| matches!(answer, OperationAnswer::Refused { .. })),
        count(|answer| matches!(answer, OperationAnswer::Unknown { .. })),
    );
    assert!(stored > history.len() / 8, "seed {seed}: only {stored} changes");
    // A copy from nothing is whole.
    let home = tempfile::tempdir().unwrap();
    let reader = stories(&log, "reader", home.path());
    for number in 0..STORIES {
        reader.refresh(&ada(), home.path(), &story(number), now()).unwrap();
    }
}

/// The test runs itself as the servers.
#[test]
fn histories_with_random_faults_are_linearisable() {
    if let Ok(order) = env::var(SERVER_OF) {
        return be_a_server(&order);
    }
    let number = |name: &str, usual| env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (operations, seed) = (number("HISTORY_OPERATIONS", 2_000), number("HISTORY_SEED", 7));
    let folder = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite:{}", folder.path().join("stories.db").display());
    try_out(&sqlite, &HistoryDatabase { server: None, proxies: &[] }, operations / 4, seed);
    let Some(server) = PostgresServer::start() else { return };
    let proxies: Vec<DatabaseProxy> = (0..SERVERS).map(|_| DatabaseProxy::start(&server)).collect();
    let database = HistoryDatabase { server: Some(&server), proxies: &proxies };
    try_out(&server.database(), &database, operations, seed);
}
