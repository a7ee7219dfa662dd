//! Reads a secret line: keys come one by one, and nothing is echoed.

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use crossterm::{
    event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    terminal::{disable_raw_mode, enable_raw_mode},
};

use super::Out;

/// Longest line. A token has some dozens of characters, a private key some thousands.
pub(crate) const HIDDEN_CHARS_MAX: usize = 16_384;

/// Time between two checks of the stop flag.
const POLL_EVERY: Duration = Duration::from_millis(100);

/// How reading ended.
#[derive(Clone, PartialEq, Eq)]
pub enum HiddenInput {
    Line(String),
    /// The line had more than [`HIDDEN_CHARS_MAX`] characters; all of it is dropped.
    TooLong,
    /// Ctrl-C, or the stop flag.
    Interrupted,
    /// Ctrl-D on an empty line.
    End,
}

/// Restores the terminal when reading ends, even after an error.
struct RawModeGuard;

impl RawModeGuard {
    fn begin() -> io::Result<RawModeGuard> {
        enable_raw_mode().map(|()| RawModeGuard)
    }
}

impl Drop for RawModeGuard {
    fn drop(&mut self) {
        // If this fails, there is nothing else to try.
        let _ = disable_raw_mode();
    }
}

/// Prints the prompt and reads a line. Blocks the thread; once set, `stop` ends it within [`POLL_EVERY`].
pub fn read_hidden(err: &mut Out, prompt: &str, stop: &AtomicBool) -> io::Result<HiddenInput> {
    let prompt = err.lead_to_prompt(prompt);
    let raw = RawModeGuard::begin()?;
    err.write_as_is(prompt);
    let mut typed = HiddenLine::default();
    let read = loop {
        if stop.load(Ordering::Relaxed) {
            break HiddenInput::Interrupted;
        }
        if event::poll(POLL_EVERY)?
            && let Event::Key(key) = event::read()?
            && let Some(read) = typed.press(key)
        {
            break read;
        }
    };
    drop(raw);
    err.write_as_is("\n");
    Ok(read)
}

#[derive(Default)]
struct HiddenLine {
    line: String,
    too_long: bool,
}

impl HiddenLine {
    /// Handles a key. Returns the result if the key ends the line.
    fn press(&mut self, key: KeyEvent) -> Option<HiddenInput> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Some(self.take()),
            // A line feed, which a paste may hold, is Ctrl-J to a terminal in raw mode.
            KeyCode::Char('j' | 'm') if control => return Some(self.take()),
            KeyCode::Char('c') if control => return Some(HiddenInput::Interrupted),
            KeyCode::Char('d') if control && self.line.is_empty() => return Some(HiddenInput::End),
            KeyCode::Char('u') if control => *self = HiddenLine::default(),
            KeyCode::Backspace => {
                self.line.pop();
            }
            KeyCode::Char('h') if control => {
                self.line.pop();
            }
            KeyCode::Char(_) if control => {}
            KeyCode::Char(letter) => {
                self.line.push(letter);
                if self.line.len() > HIDDEN_CHARS_MAX {
                    self.line.clear();
                    self.too_long = true;
                }
            }
            _ => {}
        }
        None
    }

    fn take(&mut self) -> HiddenInput {
        match self.too_long {
            true => HiddenInput::TooLong,
            false => HiddenInput::Line(std::mem::take(&mut self.line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::{HIDDEN_CHARS_MAX, HiddenInput, HiddenLine};

    /// `^x` is Ctrl-X, `<` is backspace, `~` is enter.
    fn typed(keys: &str) -> String {
        let (mut typed, mut control) = (HiddenLine::default(), false);
        for key in keys.chars() {
            let modifiers = if control { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
            let code = match key {
                '^' if !control => {
                    control = true;
                    continue;
                }
                '<' => KeyCode::Backspace,
                '~' => KeyCode::Enter,
                letter => KeyCode::Char(letter),
            };
            control = false;
            match typed.press(KeyEvent::new(code, modifiers)) {
                None => {}
                Some(HiddenInput::Line(line)) => return line,
                Some(HiddenInput::TooLong) => return "too long".to_owned(),
                Some(HiddenInput::Interrupted) => return "interrupted".to_owned(),
                Some(HiddenInput::End) => return "end".to_owned(),
            }
        }
        "still typing".to_owned()
    }

    #[test]
    fn keys_become_a_line() {
        assert_eq!(typed("s3crt<et~"), "s3cret");
        assert_eq!(typed("wrong^us3cret^j"), "s3cret");
        assert_eq!(typed("a^xb^hc~"), "ac");
        assert_eq!(typed("<~"), "");
        assert_eq!(typed("half"), "still typing");
        assert_eq!(typed("half^c"), "interrupted");
        assert_eq!(typed("^d"), "end");
        assert_eq!(typed("a^d~"), "a");
    }

    #[test]
    fn a_line_has_an_end() {
        let longest = "x".repeat(HIDDEN_CHARS_MAX);
        assert_eq!(typed(&format!("{longest}~")), longest);
        assert_eq!(typed(&format!("{longest}x~")), "too long");
    }
}
