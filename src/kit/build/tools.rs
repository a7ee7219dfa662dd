//! The programs that build: found on the search path, run with the caller's environment, ended when the user presses
//! Ctrl-C.

use std::{
    ffi::{OsStr, OsString},
    fs::OpenOptions,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use super::PackageBuildError;

/// Longest time until a Ctrl-C takes effect.
const POLL_EVERY: Duration = Duration::from_millis(20);

/// Longest time that a tool gets to end by itself after a request.
const TERMINATE_MAX: Duration = Duration::from_secs(2);

/// The place for the output of tools.
#[derive(Debug, Clone)]
pub enum ToolOutput {
    /// Writer for the caller's own output.
    Shown(fn() -> Stdio),
    /// The end of a file, so that the caller can show it later. Nowhere, if the file cannot be opened.
    File(PathBuf),
}

impl ToolOutput {
    fn stdio(&self) -> Stdio {
        match self {
            ToolOutput::Shown(stdio) => stdio(),
            ToolOutput::File(path) => {
                let file = OpenOptions::new().append(true).create(true).open(path);
                file.map_or_else(|_| Stdio::null(), Stdio::from)
            }
        }
    }
}

/// The machine's programs and environment.
#[derive(Debug, Clone)]
pub struct BuildTools {
    /// The environment that tools start with.
    pub env: Vec<(OsString, OsString)>,
    /// The folders of its search path.
    pub path: Vec<PathBuf>,
    /// The stdout and the stderr of each tool.
    pub output: ToolOutput,
    /// The folder for compiled crates that packages share; `None`: each package compiles its own.
    pub crate_cache: Option<PathBuf>,
    /// The folder for the interpreters that run scripts from their source; `None`: every change is built.
    pub base_cache: Option<PathBuf>,
    /// Ends the running tool.
    pub cancel: CancellationToken,
}

impl BuildTools {
    /// The value of a variable, unless it is empty.
    pub(super) fn var(&self, name: &str) -> Option<&OsStr> {
        let named = |(found, _): &&(OsString, OsString)| found == name;
        self.env.iter().find(named).map(|(_, value)| &**value).filter(|value| !value.is_empty())
    }

    /// A program on the search path.
    pub(super) fn find(&self, program: &str) -> Option<PathBuf> {
        self.path.iter().map(|folder| folder.join(program)).find(|path| is_program(path))
    }

    /// A package's own program, in this place of its folder or of one above it; else the one on the search path.
    pub(super) fn find_near(&self, folder: &Path, place: &str, program: &str) -> Option<PathBuf> {
        let mut near = folder.ancestors().map(|above| above.join(place).join(program));
        near.find(|path| is_program(path)).or_else(|| self.find(program))
    }

    /// A command with the environment and nothing on stdin.
    pub(super) fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).env_clear().stdin(Stdio::null());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a tool to its end and passes its output on.
    pub(super) fn run(&self, mut command: Command) -> Result<(), PackageBuildError> {
        command.stdout(self.output.stdio()).stderr(self.output.stdio());
        self.finish(command).map(drop)
    }

    /// Runs a tool to its end and returns its stdout.
    pub(super) fn run_for_stdout(
        &self,
        mut command: Command,
    ) -> Result<Vec<u8>, PackageBuildError> {
        command.stdout(Stdio::piped()).stderr(self.output.stdio());
        self.finish(command)
    }

    /// Returns a program's stdout; `None` if it fails or does not exist.
    pub(super) fn query(&self, mut command: Command) -> Option<String> {
        let output = command.stderr(Stdio::null()).output().ok()?;
        let said = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| said.trim_end().to_owned())
    }

    fn finish(&self, mut command: Command) -> Result<Vec<u8>, PackageBuildError> {
        let program = Path::new(command.get_program()).file_name().unwrap_or_default();
        let program = program.to_string_lossy().into_owned();
        // In a group of its own, so that the tool's own processes end with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|source| PackageBuildError::CannotStart {
            program: program.clone(),
            source,
        })?;
        // Read on another thread: a full pipe would stop the tool, and this loop must watch for Ctrl-C.
        let reader = child.stdout.take().map(|mut stdout| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                stdout.read_to_end(&mut bytes).map(|_| bytes)
            })
        });
        let cannot = |source| PackageBuildError::CannotStart { program: program.clone(), source };
        let status = loop {
            if let Some(status) = child.try_wait().map_err(cannot)? {
                break status;
            }
            if self.cancel.is_cancelled() {
                terminate(&mut child);
                return Err(PackageBuildError::Interrupted);
            }
            thread::sleep(POLL_EVERY);
        };
        if !status.success() {
            return Err(PackageBuildError::ToolFailed { program, status: shown(status) });
        }
        let bytes = reader.map(|reader| reader.join().expect("reading does not panic"));
        bytes.transpose().map(Option::unwrap_or_default).map_err(cannot)
    }
}

/// Asks the tool and its processes to end, then ends the tool itself if it has not.
fn terminate(child: &mut Child) {
    // The standard library cannot signal a group; this program is on every Unix.
    #[cfg(unix)]
    let _ = Command::new("kill")
        .args(["-TERM", "--", &format!("-{}", child.id())])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let asked = Instant::now();
    while cfg!(unix) && asked.elapsed() < TERMINATE_MAX {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(POLL_EVERY);
    }
    // It may have ended in between.
    let _ = child.kill();
    let _ = child.wait();
}

fn shown(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit {code}"),
        None => "ended by a signal".to_owned(),
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn tools(cancel: &CancellationToken) -> BuildTools {
        let env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        let path = vec!["/usr/bin".into(), "/bin".into()];
        BuildTools {
            env,
            path,
            output: ToolOutput::Shown(Stdio::null),
            crate_cache: None,
            base_cache: None,
            cancel: cancel.clone(),
        }
    }

    fn shell(tools: &BuildTools, script: &str) -> Command {
        let shell = tools.find("sh").expect("there is a shell");
        let mut command = tools.command(&shell, Path::new("/"));
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_tool_s_stdout_is_returned() {
        let tools = tools(&CancellationToken::new());
        let said = tools.run_for_stdout(shell(&tools, "echo $PATH; cat")).unwrap();
        assert_eq!(said, b"/usr/bin:/bin\n");
    }

    #[test]
    fn a_tool_that_fails_is_named_with_its_exit() {
        let tools = tools(&CancellationToken::new());
        let error = tools.run(shell(&tools, "exit 3")).unwrap_err();
        assert_eq!(error.to_string(), "`sh` failed (exit 3); what it said is above");
    }

    /// The pipe stays open as long as the grandchild lives: reading to its end shows that it is gone.
    #[test]
    fn an_interrupt_ends_the_tool_and_its_processes() {
        let cancel = CancellationToken::new();
        let tools = tools(&cancel);
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut command = shell(&tools, "sleep 600 & echo started; wait");
        command.stdout(writer);
        let building = thread::spawn(move || tools.finish(command));
        let mut word = [0; 8];
        reader.read_exact(&mut word).unwrap();
        assert_eq!(&word, b"started\n");
        cancel.cancel();
        assert!(matches!(building.join().unwrap(), Err(PackageBuildError::Interrupted)));
        assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), 0);
    }
}
