//! A way to the database that loses what it is told to lose.

use std::{
    fs,
    io::{Read, Write},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread,
};

use narratoria_test_postgres::PostgresServer;
use tempfile::TempDir;

/// A socket beside that of the server.
pub(crate) struct LossyProxy {
    folder: TempDir,
    port: u16,
    /// Answers until one is lost with its connection; none if negative.
    until_loss: Arc<AtomicI64>,
}

impl LossyProxy {
    pub(crate) fn start(server: &PostgresServer) -> LossyProxy {
        let (folder, port) = (tempfile::tempdir().unwrap(), server.port());
        let socket = |folder: &std::path::Path| folder.join(format!(".s.PGSQL.{port}"));
        let listener = UnixListener::bind(socket(folder.path())).unwrap();
        let target = socket(server.folder());
        let until_loss = Arc::new(AtomicI64::new(-1));
        let counter = until_loss.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = UnixStream::connect(&target) else { continue };
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || forward(from, to, None));
                let counter = counter.clone();
                thread::spawn(move || forward(server, client, Some(&counter)));
            }
        });
        LossyProxy { folder, port, until_loss }
    }

    /// The address of a database of the server, by this way.
    pub(crate) fn url(&self, url: &str) -> String {
        let database = url.rsplit('/').next().unwrap();
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{folder}:{}/{database}", self.port)
    }

    /// Loses the answer after so many others. What was asked has reached the server.
    pub(crate) fn lose_after(&self, answers: i64) {
        self.until_loss.store(answers, Ordering::SeqCst);
    }

    /// Loses nothing any more.
    pub(crate) fn heal(&self) {
        self.until_loss.store(-1, Ordering::SeqCst);
    }
}

impl Drop for LossyProxy {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.folder.path().join(format!(".s.PGSQL.{}", self.port)));
    }
}

fn forward(mut from: UnixStream, mut to: UnixStream, until_loss: Option<&AtomicI64>) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read) = from.read(&mut bytes) {
        let is_lost = until_loss.is_some_and(|left| {
            left.load(Ordering::SeqCst) >= 0 && left.fetch_sub(1, Ordering::SeqCst) == 0
        });
        if read == 0 || is_lost || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
