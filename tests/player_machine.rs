//! One player's machine: a home folder, a folder of skills, and the real binary.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio},
    sync::Once,
    time::{Duration, Instant},
};

use narratoria_skills::{PackageOrigin, Schema, SettingsFolder};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take before a test gives up; not how long it is expected to take.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(300);

/// Compiles the built-in skills before the first test of this process. Otherwise the first tests would do it at once, each
/// of them all, and take longer than their terminals wait.
static BUILT_IN_SKILLS: Once = Once::new();

pub(crate) struct PlayerMachine {
    folder: TempDir,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: Option<i32>,
}

/// A command that gives a program the default signals. Under `nohup`, and in the background of a script, the tests ignore
/// some, and a program inherits that.
pub(crate) fn with_default_signals(program: &Path) -> Command {
    // SIGHUP, SIGINT, SIGQUIT and SIGTERM are the signals 1, 2, 3 and 15.
    const ASKED: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 14;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    if mask & ASKED == 0 {
        return Command::new(program);
    }
    let mut command = Command::new("/usr/bin/env");
    command.arg("--default-signal=HUP,INT,QUIT,TERM").arg(program);
    command
}

impl PlayerMachine {
    pub(crate) fn new() -> PlayerMachine {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("skills")).unwrap();
        share_compiled_skills(&folder.path().join("kept"));
        let machine = PlayerMachine { folder };
        BUILT_IN_SKILLS.call_once(|| machine.compile_built_in_skills());
        machine
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file beside the home and the skills; commands run in that folder.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// The player's settings of the package in this folder.
    pub(crate) fn settings_file(&self, package: &str) -> PathBuf {
        let (home, folder) = (self.path().join("kept"), self.path().join(package));
        let name = folder.file_name().unwrap().to_str().unwrap();
        let settings = SettingsFolder::new(home.join("settings"), home.join("skills"));
        settings.file(name, &PackageOrigin::Folder(folder.clone())).unwrap()
    }

    /// Writes the player's settings of the package in this folder.
    pub(crate) fn write_settings(&self, package: &str, settings: &str) {
        let file = self.settings_file(package);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, settings).unwrap();
    }

    /// The binary in a world that says nothing about the machine it runs on.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.isolate(with_default_signals(crate::program()));
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs any program.
    pub(crate) fn isolate(&self, mut command: Command) -> Command {
        command
            .current_dir(self.path())
            .env_clear()
            .env("NARRATORIA_HOME", self.path().join("kept"))
            // Otherwise the first launch on a terminal would fetch a model.
            .env("NARRATORIA_OFFLINE", "1")
            // Tests that want a world name a premise; to the others a story begins empty.
            .env("NARRATORIA_PREMISE", "none")
            .env("COLUMNS", "100");
        command
    }

    pub(crate) fn run(&self, args: &[&str], stdin: impl Into<Vec<u8>>) -> CommandOutput {
        let output = assert_cmd::Command::from_std(self.command(args))
            .write_stdin(stdin)
            .timeout(TIMEOUT)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(&self.path().display().to_string(), "[machine]")
        };
        let stderr = text(output.stderr);
        let stderr = stderr.split_inclusive('\n').filter(|line| !is_compile_note(line)).collect();
        CommandOutput { stdout: text(output.stdout), stderr, exit: output.status.code() }
    }

    /// The whole outcome as one value.
    pub(crate) fn transcript(&self, args: &[&str], stdin: impl Into<Vec<u8>>) -> String {
        self.run(args, stdin).transcript()
    }

    /// Compiles the built-in skills unless another process has done it for this program: each test may be a process.
    fn compile_built_in_skills(&self) {
        let program = fs::metadata(crate::program()).unwrap();
        let stamp = format!("{:?} {}", program.modified().unwrap(), program.len());
        let _one_at_a_time = lock(&shared_folder().join("lock"));
        let compiled_for = shared_folder().join("compiled-for");
        if fs::read_to_string(&compiled_for).is_ok_and(|compiled| compiled == stamp) {
            return;
        }
        self.compile_skills();
        fs::write(compiled_for, stamp).unwrap();
    }

    /// Has every skill in `skills`, and each that is built in, compiled from now on.
    pub(crate) fn compile_skills(&self) {
        drop(self.run(&["skill", "list", "--skills", "skills"], ""));
    }

    pub(crate) fn start(&self, args: &[&str]) -> RunningCommand {
        self.start_with(args, &[])
    }

    pub(crate) fn start_with(&self, args: &[&str], env: &[(&str, &str)]) -> RunningCommand {
        let mut command = self.command(args);
        command.envs(env.iter().copied());
        RunningCommand::spawn(command)
    }

    /// A package in `skills` whose only script, `act`, is one of the naughty guests.
    pub(crate) fn package(&self, skill: &str, guest: &str) {
        self.package_with(skill, guest, json!({}));
    }

    /// Writes a package with more fields for its script.
    pub(crate) fn package_with(&self, skill: &str, guest: &str, more: Value) {
        let guest = narratoria_guests::find(guest).unwrap_or_else(|| panic!("no guest `{guest}`"));
        let folder = self.path().join("skills").join(skill);
        fs::create_dir_all(folder.join("scripts")).unwrap();
        fs::create_dir_all(folder.join("schemas")).unwrap();
        fs::write(folder.join("scripts/act.wasm"), guest.component).unwrap();
        fs::write(folder.join("schemas/act.json"), r#"{"type": "object"}"#).unwrap();
        let front_matter = format!("---\nname: {skill}\ndescription: A test.\n---\nA test.\n");
        fs::write(folder.join("SKILL.md"), front_matter).unwrap();
        let mut manifest = json!({
            "name": skill,
            "displayName": skill,
            "description": "A test.",
            "version": "0.9.0",
            "retryPolicy": {"maxRetries": 0},
            "scripts": [{
                "name": "act",
                "path": "scripts/act.wasm",
                "description": "A test.",
                "inputSchema": "schemas/act.json",
                "timeout": 60_000,
            }],
        });
        let script = manifest["scripts"][0].as_object_mut().unwrap();
        script.extend(more.as_object().unwrap().clone());
        fs::write(folder.join("skill.json"), manifest.to_string()).unwrap();
    }
}

/// Makes a home folder whose cache all homes share: compiling the built-in skills takes a second, and every test needs
/// them.
pub(crate) fn share_compiled_skills(home: &Path) {
    let shared = shared_folder().join("cache");
    fs::create_dir_all(&shared).unwrap();
    fs::create_dir(home).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(shared, home.join("cache")).unwrap();
}

/// Returns the folder that all tests of this program share, in any process.
fn shared_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-skills")
}

/// Waits until no other process has this file, and keeps it until the lock is dropped.
pub(crate) fn lock(file: &Path) -> fs::File {
    let file = fs::File::create(file).unwrap();
    file.lock().unwrap();
    file
}

impl CommandOutput {
    /// Returns the transcript without the parts that differ in each run.
    pub(crate) fn timeless(&self) -> String {
        timeless(&self.transcript())
    }

    pub(crate) fn transcript(&self) -> String {
        let CommandOutput { stdout, stderr, exit } = self;
        let exit = exit.map_or_else(|| "signal".to_owned(), |code| code.to_string());
        let told = format!("{stdout}--- stderr\n{stderr}--- exit {exit}");
        let lines = told.lines().map(str::trim_end).filter(|line| !is_record_note(line));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Stdout as one JSON document, or its last line: the result, behind the updates of `plan run --format json`.
    pub(crate) fn result(&self) -> Value {
        let whole = serde_json::from_str(&self.stdout).ok();
        whole.or_else(|| self.lines().pop()).unwrap_or_else(|| panic!("{}", self.transcript()))
    }

    /// Every line of stdout as JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let parse = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
        };
        self.stdout.lines().map(parse).collect()
    }
}

/// Says that compiling takes a while, which it does on a slow machine.
fn is_compile_note(line: &str) -> bool {
    line.starts_with("note: compiling `")
        && ["`; that happens once\n", " more; that happens once\n"]
            .iter()
            .any(|end| line.ends_with(end))
}

/// Returns true if the line names the record of a plan without a story: it has a path of this machine. `records.rs`
/// shows it.
pub(crate) fn is_record_note(line: &str) -> bool {
    line.starts_with("note: recorded in `")
}

/// Returns the text without the parts that differ in each run: ids, points in time and durations.
pub(crate) fn timeless(text: &str) -> String {
    let replaced = |text: &str, pattern: &str, with: &str| {
        regex::Regex::new(pattern).unwrap().replace_all(text, with).into_owned()
    };
    let text =
        replaced(text, r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "[ID]");
    let text = replaced(&text, r"\b20\d\d-\d\d-\d\dT[0-9:.]+Z", "[AT]");
    let text = replaced(&text, r"\b\d+ ms\b( *[\d\[])", "[TIME]$1");
    let text = replaced(&text, r"(TIME|TOOK) +(RETRIES|STARTED)", "$1 $2");
    let text = replaced(&text, r" {2,}\[AT\]", "  [AT]");
    replaced(&text, r"\[TIME\] +", "[TIME] ")
}

/// Every line of an update stream keeps the contract.
#[track_caller]
pub(crate) fn check_updates(lines: &[Value]) {
    check_contract(include_str!("../contracts/update.schema.json"), lines);
}

/// Every line keeps the contract.
#[track_caller]
pub(crate) fn check_contract(contract: &str, lines: &[Value]) {
    let contract = Schema::build(serde_json::from_str(contract).unwrap()).unwrap();
    for line in lines {
        assert_eq!(contract.mismatches(line), [], "{line}");
    }
}

/// A plan of such tools, in a file's words.
pub(crate) fn plan(tools: Value) -> String {
    json!({"requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "tools": tools}).to_string()
}

/// A command that is still running.
pub(crate) struct RunningCommand {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    stderr: Option<BufReader<ChildStderr>>,
}

/// A failed test leaves no process behind.
impl Drop for RunningCommand {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
        }
    }
}

impl RunningCommand {
    /// Starts a command with a pipe at each end.
    pub(crate) fn spawn(mut command: Command) -> RunningCommand {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        RunningCommand {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().map(BufReader::new),
            stderr: child.stderr.take().map(BufReader::new),
            child,
        }
    }

    pub(crate) fn type_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        writeln!(stdin, "{line}").unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Stops reading, as `head` does.
    pub(crate) fn close_stdout(&mut self) {
        self.stdout = None;
    }

    /// Reads updates up to one of this type. The test's own time limit stops a wait for ever.
    pub(crate) fn await_update(&mut self, wanted: &str) -> Value {
        let stdout = self.stdout.as_mut().expect("stdout is open");
        let mut line = String::new();
        while stdout.read_line(&mut line).unwrap() > 0 {
            let update: Value = serde_json::from_str(&line).unwrap();
            if update["type"] == wanted {
                return update;
            }
            line.clear();
        }
        panic!("the program ended before `{wanted}`");
    }

    /// Reads updates up to one of this type; returns those before it, and that one.
    #[cfg(target_os = "linux")]
    pub(crate) fn updates_until(&mut self, wanted: &str) -> (Vec<Value>, Value) {
        let stdout = self.stdout.as_mut().expect("stdout is open");
        let (mut line, mut before) = (String::new(), Vec::new());
        while stdout.read_line(&mut line).unwrap() > 0 {
            let update: Value = serde_json::from_str(&line).unwrap();
            if update["type"] == wanted {
                return (before, update);
            }
            before.push(update);
            line.clear();
        }
        panic!("the program ended before `{wanted}`");
    }

    /// The most memory that the process has had so far.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_memory_bytes(&self) -> u64 {
        self.memory_bytes("VmHWM:")
    }

    /// The memory that the process has now.
    #[cfg(target_os = "linux")]
    pub(crate) fn resident_memory_bytes(&self) -> u64 {
        self.memory_bytes("VmRSS:")
    }

    #[cfg(target_os = "linux")]
    fn memory_bytes(&self, field: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let bytes = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        bytes.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// Reads one line of stdout.
    pub(crate) fn stdout_line(&mut self) -> String {
        let mut line = String::new();
        let count = self.stdout.as_mut().expect("stdout is open").read_line(&mut line).unwrap();
        assert_ne!(count, 0, "the program wrote no such line");
        line
    }

    /// Reads one line of stderr.
    pub(crate) fn await_stderr_line(&mut self) -> String {
        let mut line = String::new();
        let count = self.stderr.as_mut().expect("stderr is open").read_line(&mut line).unwrap();
        assert_ne!(count, 0, "the program wrote no such line");
        line
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &pid]).status().unwrap();
        assert!(status.success());
    }

    /// Returns the exit code, the time until it came, and the text printed since.
    pub(crate) fn end_with_stdout(mut self) -> (Option<i32>, Duration, String) {
        let (asked, mut stdout) = (Instant::now(), String::new());
        if let Some(mut from) = self.stdout.take() {
            std::io::Read::read_to_string(&mut from, &mut stdout).unwrap();
        }
        (self.end().0, asked.elapsed(), stdout)
    }

    /// Returns the exit code, the time until it came, and the text written to stderr since.
    pub(crate) fn end(mut self) -> (Option<i32>, Duration, String) {
        let asked = Instant::now();
        self.stdin = None;
        if let Some(mut stdout) = self.stdout.take() {
            std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
        }
        let mut stderr = String::new();
        if let Some(mut from) = self.stderr.take() {
            std::io::Read::read_to_string(&mut from, &mut stderr).unwrap();
        }
        let status = self.child.wait().unwrap();
        (status.code(), asked.elapsed(), stderr)
    }
}
