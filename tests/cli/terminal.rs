//! `run` on a real terminal: a pseudo-terminal that a thread of the test plays.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    process::{Child, Command},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use serde_json::json;

use crate::desk::{Desk, plan};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a program writes to ask where the cursor is, and what a terminal answers.
const CURSOR_QUESTION: &str = "\u{1b}[6n";
const CURSOR_ANSWER: &[u8] = b"\x1b[1;1R";

const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<String>,
    /// Everything written so far that no wait has passed yet.
    unread: String,
}

/// A test that fails leaves nobody behind.
impl Drop for Terminal {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
        }
    }
}

impl Terminal {
    fn start(desk: &Desk, args: &[&str]) -> Terminal {
        Terminal::start_with(desk, args, &[])
    }

    fn start_with(desk: &Desk, args: &[&str], env: &[(&str, &str)]) -> Terminal {
        let host = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&host).unwrap();
        unlockpt(&host).unwrap();
        let size = Winsize { ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&host, size).unwrap();
        let path = ptsname(&host, Vec::new()).unwrap().into_string().unwrap();
        let guest = OpenOptions::new().read(true).write(true).open(path).unwrap();
        // `setsid -c` makes it the terminal that Ctrl-C is typed at.
        let mut command = desk.world(Command::new("setsid"));
        command
            .args(["-c", "-w", env!("CARGO_BIN_EXE_narratoria")])
            .args(args)
            .env("TERM", "xterm-256color")
            .envs(env.iter().copied())
            .stdin(guest.try_clone().unwrap())
            .stdout(guest.try_clone().unwrap())
            .stderr(guest);
        let child = command.spawn().unwrap();
        let keys = File::from(host);
        let (mut from, mut answers) = (keys.try_clone().unwrap(), keys.try_clone().unwrap());
        let (send, screen) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Ends with an error when nobody has the terminal any more.
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                if text.contains(CURSOR_QUESTION) {
                    answers.write_all(CURSOR_ANSWER).unwrap();
                }
                if send.send(text).is_err() {
                    break;
                }
            }
        });
        Terminal { child, keys, screen, unread: String::new() }
    }

    /// Waits until the screen has shown this, and forgets what came before. A pause in the middle of a
    /// letter of several bytes may garble that letter, so only ASCII is waited for.
    #[track_caller]
    fn await_text(&mut self, wanted: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.unread.find(wanted) {
                let rest = self.unread.split_off(at + wanted.len());
                return std::mem::replace(&mut self.unread, rest);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(text) => self.unread.push_str(&text),
                Err(error) => panic!("no `{wanted}`, {error}: {:?}", self.unread),
            }
        }
    }

    fn await_prompt(&mut self) {
        self.await_text("> ");
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    #[track_caller]
    fn end(mut self) -> Option<i32> {
        // Reads on, so that nothing the program still has to say holds it up.
        loop {
            match self.screen.recv_timeout(PATIENCE) {
                Ok(text) => self.unread.push_str(&text),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {:?}", self.unread),
            }
        }
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_player_types_picks_a_number_and_leaves() {
    let desk = Desk::new();
    let mut terminal = Terminal::start(&desk, &["run", "--story", "demo"]);
    terminal.await_text("demo, a new story");
    terminal.await_prompt();
    terminal.press("what are my choices?\r");
    terminal.await_text("  1. ");
    terminal.await_prompt();
    terminal.press("1\r");
    terminal.await_text("\u{1b}[?2004l");
    terminal.await_prompt();
    terminal.press("/quit\r");
    assert_eq!(terminal.end(), Some(0));
    let mut terminal = Terminal::start(&desk, &["run", "--story", "demo"]);
    terminal.await_text("demo, 2 turns so far");
    terminal.await_prompt();
    // The arrow up, twice: what was typed in the last session.
    terminal.press("\u{1b}[A\u{1b}[A");
    terminal.await_text("1");
    terminal.press(CTRL_C);
    terminal.await_text("Ctrl-D too");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
    let history = std::fs::read_to_string(desk.path().join("kept/history.txt")).unwrap();
    assert_eq!(history, "what are my choices?\n1\n/quit\n");
}

#[test]
fn ctrl_c_at_the_prompt_leaves_the_second_time() {
    let desk = Desk::new();
    let mut terminal = Terminal::start(&desk, &["run"]);
    terminal.await_prompt();
    terminal.press(&format!("half a sentence{CTRL_C}"));
    terminal.await_text("Ctrl-C again leaves, Ctrl-D too");
    terminal.await_prompt();
    terminal.press(CTRL_C);
    assert_eq!(terminal.end(), Some(130));
}

#[test]
fn ctrl_c_in_a_turn_gives_the_prompt_back() {
    let desk = Desk::new();
    desk.package("slow", "says-then-sleeps");
    let tools = json!([{"toolId": "wait", "toolPath": "slow/act", "input": {}}]);
    desk.write("script.json", format!("[{}]", plan(tools)));
    let args = ["run", "--skills", "skills", "--planner", "scripted:script.json"];
    let env = [("NARRATORIA_LOG", "narratoria=info"), ("NO_COLOR", "1")];
    let mut terminal = Terminal::start_with(&desk, &args, &env);
    terminal.await_prompt();
    terminal.press("I wait\r");
    // The editor has given the terminal back, so Ctrl-C is a signal from here on.
    terminal.await_text("plan proposed");
    terminal.press(CTRL_C);
    terminal.await_text("stopping; Ctrl-C again leaves at once");
    terminal.await_text("the turn was stopped");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn a_request_to_end_gives_the_terminal_back() {
    let desk = Desk::new();
    let mut terminal = Terminal::start(&desk, &["run"]);
    terminal.await_prompt();
    let pid = terminal.child.id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
    // The end of bracketed paste: the editor has cleaned up.
    terminal.await_text("\u{1b}[?2004l");
    assert_eq!(terminal.end(), Some(130));
}

#[test]
fn colour_is_for_those_who_want_it() {
    let desk = Desk::new();
    for (env, coloured) in [(&[][..], true), (&[("NO_COLOR", "1")], false)] {
        let mut terminal = Terminal::start_with(&desk, &["run"], env);
        let greeting = terminal.await_text("/help");
        assert_eq!(greeting.contains("\u{1b}[1m"), coloured, "{greeting:?}");
        terminal.await_prompt();
        terminal.press(CTRL_D);
        assert_eq!(terminal.end(), Some(0));
    }
}

#[test]
fn a_terminal_that_can_do_nothing_gets_a_prompt_all_the_same() {
    let desk = Desk::new();
    let mut terminal = Terminal::start_with(&desk, &["run"], &[("TERM", "dumb")]);
    terminal.await_prompt();
    terminal.press("what are my choices?\n");
    let told = terminal.await_text("  1. ");
    assert!(!told.contains('\u{1b}'), "{told:?}");
    terminal.await_prompt();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}
