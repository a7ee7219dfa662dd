//! A worker's way to the database, on which it is killed at a chosen request.

use std::{
    fs,
    io::{Read, Write},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use narratoria_test_postgres::PostgresServer;
use tempfile::TempDir;

/// When the worker of a request is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KillMoment {
    /// The request does not reach the database.
    BeforeRequest,
    /// The database has done what was asked, and the worker does not hear of it.
    BeforeAnswer,
    /// So long after the worker has the answer.
    AfterAnswer(Duration),
}

/// A socket beside that of the server.
pub(super) struct WorkerProxy {
    folder: TempDir,
    port: u16,
    way: Arc<ProxyWay>,
}

struct ProxyWay {
    requests: AtomicUsize,
    at: Option<(usize, KillMoment)>,
    /// The chosen request has passed, and its answer has not.
    is_armed: AtomicBool,
    worker: OnceLock<i32>,
    /// The worker has ended, and its number may be another process's.
    is_over: AtomicBool,
    kill: fn(i32),
}

impl WorkerProxy {
    pub(super) fn start(
        server: &PostgresServer,
        at: Option<(usize, KillMoment)>,
        kill: fn(i32),
    ) -> WorkerProxy {
        let (folder, port) = (tempfile::tempdir().unwrap(), server.port());
        let socket = |folder: &Path| folder.join(format!(".s.PGSQL.{port}"));
        let listener = UnixListener::bind(socket(folder.path())).unwrap();
        let target = socket(server.folder());
        let (requests, is_armed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (worker, is_over) = (OnceLock::new(), AtomicBool::new(false));
        let way = Arc::new(ProxyWay { requests, at, is_armed, worker, is_over, kill });
        let ways = Arc::clone(&way);
        thread::spawn(move || {
            for worker in listener.incoming().map_while(Result::ok) {
                let Ok(server) = UnixStream::connect(&target) else { continue };
                let (from, to) = (worker.try_clone().unwrap(), server.try_clone().unwrap());
                let way = Arc::clone(&ways);
                thread::spawn(move || forward(from, to, |passed| passed || way.request()));
                let way = Arc::clone(&ways);
                thread::spawn(move || forward(server, worker, |passed| way.answer(passed)));
            }
        });
        WorkerProxy { folder, port, way }
    }

    /// The address of a database of the server, by this way.
    pub(super) fn url(&self, url: &str) -> String {
        let database = url.rsplit('/').next().unwrap();
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{folder}:{}/{database}", self.port)
    }

    /// Names the process to kill.
    pub(super) fn set_worker(&self, pid: u32) {
        self.way.worker.set(pid.cast_signed()).unwrap();
    }

    /// The worker has ended. Returns how many requests there were.
    pub(super) fn end(self) -> usize {
        self.way.is_over.store(true, Ordering::SeqCst);
        self.way.requests.load(Ordering::SeqCst)
    }
}

impl Drop for WorkerProxy {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.folder.path().join(format!(".s.PGSQL.{}", self.port)));
    }
}

impl ProxyWay {
    fn kill(&self) {
        let worker = *self.worker.wait();
        if !self.is_over.load(Ordering::SeqCst) {
            (self.kill)(worker);
        }
    }

    /// Returns false if the request does not pass.
    fn request(&self) -> bool {
        let nth = self.requests.fetch_add(1, Ordering::SeqCst) + 1;
        match self.at {
            Some((at, KillMoment::BeforeRequest)) if at == nth => {
                self.kill();
                false
            }
            Some((at, _)) if at == nth => {
                self.is_armed.store(true, Ordering::SeqCst);
                true
            }
            _ => true,
        }
    }

    /// Is asked before an answer has passed, and after it. Returns false if it does not pass.
    fn answer(self: &Arc<ProxyWay>, passed: bool) -> bool {
        match self.at {
            Some((_, KillMoment::BeforeAnswer))
                if !passed && self.is_armed.swap(false, Ordering::SeqCst) =>
            {
                self.kill();
                false
            }
            Some((_, KillMoment::AfterAnswer(after)))
                if passed && self.is_armed.swap(false, Ordering::SeqCst) =>
            {
                let way = Arc::clone(self);
                thread::spawn(move || {
                    thread::park_timeout(after);
                    way.kill();
                });
                true
            }
            _ => true,
        }
    }
}

/// Passes on what comes, and asks before and after each piece.
fn forward(mut from: UnixStream, mut to: UnixStream, may_pass: impl Fn(bool) -> bool) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read) = from.read(&mut bytes) {
        if read == 0 || !may_pass(false) || to.write_all(&bytes[..read]).is_err() {
            break;
        }
        may_pass(true);
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
