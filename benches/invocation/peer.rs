//! extism in a process of its own, which calls on request. See `benches/peers`.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The output folder of `scripts/peers.sh`.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/peers");

pub(crate) struct Peer {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// None where it was not built.
    pub(crate) fn start(request: &[u8]) -> wasmtime::Result<Option<Peer>> {
        let program = Path::new(FOLDER).join("release/narratoria-peers");
        let plugin = Path::new(FOLDER).join("wasm32-wasip2/skill/narratoria_peer_plugin.wasm");
        if !program.is_file() || !plugin.is_file() {
            return Ok(None);
        }
        let mut child = Command::new(program)
            .arg(plugin)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut orders = child.stdin.take().expect("stdin is piped");
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        writeln!(orders, "request {}", request.len())?;
        orders.write_all(request)?;
        Ok(Some(Peer { child, orders, answers }))
    }

    /// Microseconds a call.
    pub(crate) fn calls(&mut self, calls: u32) -> wasmtime::Result<f64> {
        writeln!(self.orders, "calls {calls}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        wasmtime::ensure!(!line.is_empty(), "the peer has ended: {:?}", self.child.try_wait());
        let nanoseconds: f64 = line.trim().parse()?;
        Ok(nanoseconds / 1e3 / f64::from(calls))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
