//! The process that does one tenant's work. With bubblewrap it sees the program, the system's libraries and its own folder; no
//! network, no other process, no file of another tenant, and nothing of the queue.

use std::{
    ffi::OsString,
    fs, io,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    thread,
};

use narratoria_queue::{RESULT_BYTES_MAX, Tenant};
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::args::{Isolation, TENANT_WORK};

/// Longest line of an answer: a result in quotation marks, with each of them escaped.
const ANSWER_BYTES_MAX: u64 = 2 * RESULT_BYTES_MAX as u64;

/// What a system's programs need, where it is there.
const SYSTEM: [&str; 6] =
    ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives"];

/// Starts processes of tenants.
#[derive(Debug, Clone)]
pub(super) struct TenantProcesses {
    program: PathBuf,
    bubblewrap: bool,
}

/// A running process. Ends when it is dropped.
pub(super) struct TenantProcess {
    pub(super) tenant: Tenant,
    child: Child,
    stdin: ChildStdin,
    /// Lines of its answers. Ends when the process does.
    answers: UnboundedReceiver<String>,
    folder: TempDir,
}

impl TenantProcesses {
    /// `Err` says why bubblewrap does not work here, if it must.
    pub(super) fn new(program: PathBuf, isolation: Isolation) -> Result<TenantProcesses, String> {
        let mut processes = TenantProcesses { program, bubblewrap: true };
        match isolation {
            Isolation::Process => processes.bubblewrap = false,
            Isolation::Auto => processes.bubblewrap = processes.try_bubblewrap().is_ok(),
            Isolation::Bubblewrap => processes.try_bubblewrap()?,
        }
        Ok(processes)
    }

    pub(super) fn has_bubblewrap(&self) -> bool {
        self.bubblewrap
    }

    /// Starts the program once under bubblewrap, which some machines do not allow.
    fn try_bubblewrap(&self) -> Result<(), String> {
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        let tried = self.command(folder.path(), "--version").output();
        match tried.map_err(|error| error.to_string())? {
            ran if ran.status.success() => Ok(()),
            ran => Err(String::from_utf8_lossy(&ran.stderr).trim().to_owned()),
        }
    }

    fn command(&self, folder: &Path, argument: &str) -> Command {
        let mut command = match self.bubblewrap {
            false => Command::new(&self.program),
            true => {
                let mut bubblewrap = Command::new("bwrap");
                bubblewrap.args(["--unshare-all", "--die-with-parent", "--new-session"]);
                for path in SYSTEM {
                    bubblewrap.args(["--ro-bind-try", path, path]);
                }
                let bind = |how: &str, path: &Path| -> Vec<OsString> {
                    vec![how.into(), path.into(), path.into()]
                };
                bubblewrap.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
                bubblewrap.args(bind("--ro-bind", &self.program)).args(bind("--bind", folder));
                bubblewrap.arg("--chdir").arg(folder).arg(&self.program);
                bubblewrap
            }
        };
        command.arg(argument).current_dir(folder).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("TMPDIR", folder.join("scratch"));
        command.env("HOME", folder).env("NARRATORIA_HOME", folder.join("home"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    pub(super) fn start(&self, tenant: &Tenant) -> io::Result<TenantProcess> {
        let folder = TempDir::with_prefix("narratoria-tenant")?;
        for name in ["scratch", "home"] {
            fs::create_dir(folder.path().join(name))?;
        }
        let mut child = self.command(folder.path(), TENANT_WORK).spawn()?;
        let (sender, answers) = unbounded_channel();
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.ok_or_else(|| io::Error::other("it has no pipes"))?;
        thread::Builder::new().name("tenant".to_owned()).spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut line = String::new();
                let read = stdout.by_ref().take(ANSWER_BYTES_MAX).read_line(&mut line);
                let is_whole = line.ends_with('\n');
                if read.is_err() || !is_whole || sender.send(line).is_err() {
                    return;
                }
            }
        })?;
        Ok(TenantProcess { tenant: tenant.clone(), child, stdin, answers, folder })
    }
}

impl TenantProcess {
    /// Returns false if it has ended by itself.
    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// An empty folder for the next package.
    pub(super) fn package_folder(&self, name: &str) -> io::Result<PathBuf> {
        let packages = self.folder.path().join("packages");
        if packages.exists() {
            fs::remove_dir_all(&packages)?;
        }
        let folder = packages.join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    pub(super) fn send(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.stdin, "{line}")?;
        self.stdin.flush()
    }

    /// The next answer; `None` if the process has ended.
    pub(super) async fn answer(&mut self) -> Option<String> {
        self.answers.recv().await
    }
}

impl Drop for TenantProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
