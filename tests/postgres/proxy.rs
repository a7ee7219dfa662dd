//! A way to a server on which answers get lost, bytes are held back, and something happens at a chosen statement. It reads the
//! frames of the protocol, so that a moment is exact: before the server has a statement, after it has done it, after the client
//! has the answer.

#![expect(clippy::unwrap_used, reason = "test support: a panic fails the test")]

use std::{
    fs,
    io::{self, Read, Write},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use tempfile::TempDir;

use crate::PostgresServer;

/// A socket in a folder of its own that leads to the server.
pub struct DatabaseProxy {
    folder: TempDir,
    port: u16,
    shared: Arc<SharedState>,
}

/// A moment of a round trip, which is a statement that is read or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TripMoment {
    /// The client has sent it, and the server never gets it.
    Asked,
    /// The server has done it, and the client never gets the answer.
    Done,
    /// The client has the answer.
    Answered,
}

/// A direction of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    ToServer,
    ToClient,
}

#[derive(Default)]
struct SharedState {
    state: Mutex<ProxyState>,
    news: Condvar,
}

#[derive(Default)]
struct ProxyState {
    /// Round trips that were asked for so far, on any connection.
    round_trips: u64,
    plan: Option<PlannedAct>,
    holds_to_server: bool,
    holds_to_client: bool,
    /// How often all connections were cut.
    cuts: u64,
    open: Vec<UnixStream>,
}

/// What happens once, at a moment of a round trip or of the first one after it that gets so far.
struct PlannedAct {
    round_trip: u64,
    moment: TripMoment,
    act: Box<dyn FnOnce() + Send>,
}

impl DatabaseProxy {
    pub fn start(server: &PostgresServer) -> DatabaseProxy {
        let (folder, port) = (tempfile::tempdir().unwrap(), server.port());
        let socket = format!(".s.PGSQL.{port}");
        let listener = UnixListener::bind(folder.path().join(&socket)).unwrap();
        let shared = Arc::new(SharedState::default());
        let (target, state) = (server.folder().join(socket), shared.clone());
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // While the server is away the client sees a closed connection.
                let _ = state.clone().connect(client, &target);
            }
        });
        DatabaseProxy { folder, port, shared }
    }

    /// The address of a database of the server, by this way.
    pub fn url(&self, url: &str) -> String {
        let database = url.rsplit('/').next().unwrap();
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{folder}:{}/{database}", self.port)
    }

    /// Round trips that were asked for so far.
    pub fn round_trips(&self) -> u64 {
        self.shared.lock().round_trips
    }

    /// Does something once, at a moment of the round trip that comes after so many others from now. Replaces what was planned.
    pub fn plan(&self, others: u64, moment: TripMoment, act: impl FnOnce() + Send + 'static) {
        let mut state = self.shared.lock();
        let round_trip = state.round_trips + others + 1;
        state.plan = Some(PlannedAct { round_trip, moment, act: Box::new(act) });
    }

    /// Loses an answer with its connection, after so many others from now.
    pub fn lose_after(&self, others: u64) {
        self.plan(others, TripMoment::Done, || {});
    }

    /// Lets no bytes through in a direction, on open connections and on new ones, until they are released.
    pub fn hold(&self, direction: Direction) {
        *self.shared.lock().holds(direction) = true;
    }

    /// Holds directions as soon as the client has the answer that comes after so many others.
    pub fn hold_after(&self, others: u64, directions: &'static [Direction]) {
        let shared = self.shared.clone();
        self.plan(others, TripMoment::Answered, move || {
            let mut state = shared.lock();
            directions.iter().for_each(|direction| *state.holds(*direction) = true);
        });
    }

    /// True while bytes of a direction are held back.
    pub fn holds(&self, direction: Direction) -> bool {
        *self.shared.lock().holds(direction)
    }

    /// Closes all connections, with the bytes that are held back.
    pub fn cut(&self) {
        let mut state = self.shared.lock();
        state.cuts += 1;
        for connection in state.open.drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        drop(state);
        self.shared.news.notify_all();
    }

    /// Lets all bytes through again, and plans nothing any more.
    pub fn heal(&self) {
        let mut state = self.shared.lock();
        (state.holds_to_server, state.holds_to_client, state.plan) = (false, false, None);
        drop(state);
        self.shared.news.notify_all();
    }
}

impl Drop for DatabaseProxy {
    fn drop(&mut self) {
        // The thread that listens ends with the process; nobody finds it any more.
        let socket = self.folder.path().join(format!(".s.PGSQL.{}", self.port));
        let _ = fs::remove_file(socket);
        self.heal();
        self.cut();
    }
}

impl ProxyState {
    fn holds(&mut self, direction: Direction) -> &mut bool {
        match direction {
            Direction::ToServer => &mut self.holds_to_server,
            Direction::ToClient => &mut self.holds_to_client,
        }
    }
}

impl SharedState {
    fn lock(&self) -> MutexGuard<'_, ProxyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connect(self: Arc<Self>, client: UnixStream, target: &Path) -> io::Result<()> {
        let server = UnixStream::connect(target)?;
        let cuts = {
            let mut state = self.lock();
            state.open.extend([client.try_clone()?, server.try_clone()?]);
            state.cuts
        };
        let (numbers, answered) = mpsc::channel();
        let (from, to) = (client.try_clone()?, server.try_clone()?);
        let shared = self.clone();
        thread::spawn(move || {
            let ways = (from.try_clone(), to.try_clone());
            // An error is the end of the connection, for both sides.
            let _ = shared.forward_requests(from, to, &numbers, cuts);
            close(ways);
        });
        thread::spawn(move || {
            let ways = (client.try_clone(), server.try_clone());
            let _ = self.forward_answers(server, client, &answered, cuts);
            close(ways);
        });
        Ok(())
    }

    /// Waits until bytes may go in a direction. An error if the connection was cut meanwhile.
    fn pass(&self, direction: Direction, cuts: u64) -> io::Result<()> {
        let mut state = self.lock();
        while *state.holds(direction) && state.cuts == cuts {
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.cuts == cuts { Ok(()) } else { Err(io::ErrorKind::ConnectionReset.into()) }
    }

    /// What is planned for this moment.
    fn take(&self, round_trip: u64, moment: TripMoment) -> Option<Box<dyn FnOnce() + Send>> {
        let mut state = self.lock();
        let is_now = |plan: &mut PlannedAct| plan.moment == moment && plan.round_trip <= round_trip;
        state.plan.take_if(is_now).map(|plan| plan.act)
    }

    fn forward_requests(
        &self,
        mut client: UnixStream,
        mut server: UnixStream,
        numbers: &Sender<u64>,
        cuts: u64,
    ) -> io::Result<()> {
        // The first message has no kind; its answer ends as those of round trips do.
        let mut start = vec![0; 4];
        client.read_exact(&mut start)?;
        read_rest(&mut client, &mut start)?;
        let _ = numbers.send(0);
        self.pass(Direction::ToServer, cuts)?;
        server.write_all(&start)?;
        // Statements go together, up to the message that wants their answer.
        let mut group = Vec::new();
        loop {
            let message = read_message(&mut client)?;
            let kind = message[0];
            group.extend(message);
            match kind {
                b'P' | b'B' | b'D' | b'E' | b'C' => continue,
                b'S' | b'Q' => {
                    let number = {
                        let mut state = self.lock();
                        state.round_trips += 1;
                        state.round_trips
                    };
                    if let Some(act) = self.take(number, TripMoment::Asked) {
                        act();
                        return Ok(());
                    }
                    let _ = numbers.send(number);
                }
                _ => {}
            }
            self.pass(Direction::ToServer, cuts)?;
            server.write_all(&group)?;
            group.clear();
        }
    }

    fn forward_answers(
        &self,
        mut server: UnixStream,
        mut client: UnixStream,
        numbers: &Receiver<u64>,
        cuts: u64,
    ) -> io::Result<()> {
        let mut answer = Vec::new();
        loop {
            let message = match read_message(&mut server) {
                Ok(message) => message,
                // What the server says before it ends the connection.
                Err(error) => {
                    self.pass(Direction::ToClient, cuts)?;
                    client.write_all(&answer)?;
                    return Err(error);
                }
            };
            let kind = message[0];
            answer.extend(message);
            let number = match kind {
                b'Z' => numbers.recv().unwrap_or_default(),
                // The client answers it.
                b'R' => 0,
                _ => continue,
            };
            if number > 0
                && let Some(act) = self.take(number, TripMoment::Done)
            {
                act();
                return Ok(());
            }
            self.pass(Direction::ToClient, cuts)?;
            client.write_all(&answer)?;
            answer.clear();
            if number > 0
                && let Some(act) = self.take(number, TripMoment::Answered)
            {
                act();
            }
        }
    }
}

fn close((one, other): (io::Result<UnixStream>, io::Result<UnixStream>)) {
    for way in [one, other].into_iter().flatten() {
        let _ = way.shutdown(Shutdown::Both);
    }
}

/// A kind, a length of itself and of the rest, and the rest.
fn read_message(from: &mut UnixStream) -> io::Result<Vec<u8>> {
    let mut message = vec![0; 5];
    from.read_exact(&mut message)?;
    read_rest(from, &mut message)?;
    Ok(message)
}

/// Reads the rest of a message, of which the last four bytes so far are the length.
fn read_rest(from: &mut UnixStream, message: &mut Vec<u8>) -> io::Result<()> {
    let begun = message.len();
    let length = u32::from_be_bytes(message[begun - 4..].try_into().expect("they are four"));
    message.resize(begun + (length as usize).saturating_sub(4), 0);
    from.read_exact(&mut message[begun..])
}
