//! A pseudo-terminal that a thread of the test plays.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    path::Path,
    process::{Child, Command},
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};

use crate::player_machine::{PlayerMachine, is_record_note, timeless, with_default_signals};

/// How long anything may take before a test gives up.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The request for the cursor's position.
const CURSOR_QUESTION: &str = "\u{1b}[6n";

const ROWS: u16 = 24;
const COLUMNS: u16 = 60;

pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";

pub(crate) struct PtySession {
    child: Child,
    keys: File,
    output: Receiver<String>,
    /// The screen after everything that was written.
    terminal: Arc<Mutex<vt100::Parser>>,
    /// Everything written so far that no wait has passed yet.
    unread: String,
    /// Everything written so far.
    seen: String,
}

/// A failed test leaves no process behind.
impl Drop for PtySession {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
        }
    }
}

impl PtySession {
    pub(crate) fn start(machine: &PlayerMachine, args: &[&str]) -> PtySession {
        PtySession::start_with(machine, args, &[])
    }

    /// One that can draw nothing: what stands on it is what was written.
    pub(crate) fn start_dumb(machine: &PlayerMachine, args: &[&str]) -> PtySession {
        PtySession::start_with(machine, args, &[("TERM", "dumb")])
    }

    /// On a machine that is busy, a turn could be played before what it needs is compiled. That it is not, is
    /// for the tests of [`Terminal::start_cold`].
    pub(crate) fn start_with(
        machine: &PlayerMachine,
        args: &[&str],
        env: &[(&str, &str)],
    ) -> PtySession {
        if args.first() == Some(&"run") {
            machine.compile_skills();
        }
        PtySession::start_cold(machine, args, env)
    }

    /// One whose skills may have to be compiled while it is used.
    pub(crate) fn start_cold(
        machine: &PlayerMachine,
        args: &[&str],
        env: &[(&str, &str)],
    ) -> PtySession {
        let program = crate::program().to_str().unwrap();
        let program = [&[program], args].concat();
        PtySession::start_program(machine, &program, env)
    }

    /// Any program, such as a shell that starts ours.
    pub(crate) fn start_program(
        machine: &PlayerMachine,
        program: &[&str],
        env: &[(&str, &str)],
    ) -> PtySession {
        let host = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&host).unwrap();
        unlockpt(&host).unwrap();
        tcsetwinsize(&host, size(COLUMNS)).unwrap();
        let path = ptsname(&host, Vec::new()).unwrap().into_string().unwrap();
        let guest = OpenOptions::new().read(true).write(true).open(path).unwrap();
        // `setsid -c` makes it the terminal that Ctrl-C is typed at.
        let mut command = machine.isolate(with_default_signals(Path::new("setsid")));
        command
            .args(["-c", "-w"])
            .args(program)
            .env("TERM", "xterm-256color")
            .envs(env.iter().copied())
            .stdin(guest.try_clone().unwrap())
            .stdout(guest.try_clone().unwrap())
            .stderr(guest);
        let child = command.spawn().unwrap();
        let keys = File::from(host);
        let (mut from, mut answers) = (keys.try_clone().unwrap(), keys.try_clone().unwrap());
        let (send, output) = mpsc::channel();
        let terminal = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let drawn = Arc::clone(&terminal);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Ends with an error once no process has the terminal.
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                let (row, column) = {
                    let mut drawn = drawn.lock().unwrap();
                    drawn.process(&bytes[..count]);
                    drawn.screen().cursor_position()
                };
                if text.contains(CURSOR_QUESTION) {
                    // In one write: keys that are pressed meanwhile must not come in its middle.
                    let answer = format!("\u{1b}[{};{}R", row + 1, column + 1);
                    answers.write_all(answer.as_bytes()).unwrap();
                }
                if send.send(text).is_err() {
                    break;
                }
            }
        });
        let (unread, seen) = (String::new(), String::new());
        PtySession { child, keys, output, terminal, unread, seen }
    }

    /// Makes the terminal wider or narrower, as a person does with its window.
    pub(crate) fn resize(&self, columns: u16) {
        self.terminal.lock().unwrap().screen_mut().set_size(ROWS, columns);
        tcsetwinsize(&self.keys, size(columns)).unwrap();
    }

    /// The text that stands on the screen now.
    pub(crate) fn screen(&self) -> String {
        let terminal = self.terminal.lock().unwrap();
        let lines = terminal.screen().contents();
        lines.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// The colour of the first of these letters on the screen.
    pub(crate) fn colour_of(&self, text: &str) -> vt100::Color {
        let terminal = self.terminal.lock().unwrap();
        let screen = terminal.screen();
        let (_, columns) = screen.size();
        let found = screen.rows(0, columns).zip(0..).find_map(|(line, row)| {
            line.find(text).map(|byte| (row, line[..byte].chars().count()))
        });
        let (row, column) = found.unwrap_or_else(|| panic!("no `{text}`:\n{}", screen.contents()));
        screen.cell(row, column.try_into().unwrap()).unwrap().fgcolor()
    }

    fn read_output(&mut self, text: &str) {
        self.unread.push_str(text);
        self.seen.push_str(text);
    }

    /// Waits until the screen has shown this, and forgets what came before. A pause in the middle of a
    /// letter of several bytes may garble that letter, so only ASCII is waited for.
    #[track_caller]
    pub(crate) fn await_text(&mut self, wanted: &str) -> String {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(at) = self.unread.find(wanted) {
                let rest = self.unread.split_off(at + wanted.len());
                return std::mem::replace(&mut self.unread, rest);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(text) => self.read_output(&text),
                Err(error) => panic!("no `{wanted}`, {error}: {:?}", self.unread),
            }
        }
    }

    /// Returns true if the screen has ever shown this.
    pub(crate) fn has_seen(&self, wanted: &str) -> bool {
        self.seen.contains(wanted)
    }

    #[track_caller]
    pub(crate) fn await_prompt(&mut self) {
        self.await_text("> ");
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for a text, and then types a line.
    #[track_caller]
    pub(crate) fn answer(&mut self, wanted: &str, line: &str) {
        self.await_text(wanted);
        self.press(&format!("{line}\r"));
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    #[track_caller]
    pub(crate) fn end(self) -> Option<i32> {
        self.end_seen().0
    }

    /// The exit code, and everything that stood on the screen. The terminal must be as it was.
    #[track_caller]
    pub(crate) fn end_seen(mut self) -> (Option<i32>, String) {
        // Reads on, so that nothing the program still has to say holds it up.
        loop {
            match self.output.recv_timeout(TIMEOUT) {
                Ok(text) => self.read_output(&text),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {:?}", self.unread),
            }
        }
        let modes = tcgetattr(&self.keys).unwrap().local_modes;
        let usual = LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        assert!(modes.contains(usual), "the terminal was left in another mode: {modes:?}");
        (self.child.wait().unwrap().code(), std::mem::take(&mut self.seen))
    }

    /// The output as one text, for a terminal that cannot draw.
    #[track_caller]
    pub(crate) fn transcript(self) -> String {
        let (exit, seen) = self.end_seen();
        let seen = timeless(&seen.replace('\r', ""));
        // The path of a record is longer than the line.
        let is_path = |line: &str| line.starts_with("  `") && line.contains("/kept/records/");
        let is_noted = |line: &str| is_record_note(line) || line == "note: recorded in";
        let lines = seen.lines().map(str::trim_end);
        let lines: Vec<&str> = lines.filter(|line| !is_path(line) && !is_noted(line)).collect();
        format!("{}\n--- exit {}", lines.join("\n"), exit.map_or(-1, |code| code))
    }
}

fn size(columns: u16) -> Winsize {
    Winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}
