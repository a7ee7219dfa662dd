//! Plays a block of pasted lines, one turn for each line, once the player agrees.

use super::{LoopStep, PlaySession};
use crate::{
    error::CliError,
    line_source::{LineInput, LinePurpose},
};
use narratoria_ui::{Tone, note};

impl PlaySession {
    /// Plays what the player typed. A terminal asks before it plays several lines, because a paste may be a slip.
    pub(super) async fn handle_text(&mut self, text: &str) -> Result<LoopStep, CliError> {
        let lines = typed_lines(text);
        let [_, _, ..] = lines[..] else {
            return Ok(self.handle_line(text).await);
        };
        match self.confirm_block(lines.len()).await? {
            Some(true) => {}
            Some(false) => {
                note(&mut self.err, Tone::Notice, "note", "nothing was played");
                return Ok(LoopStep::Continue);
            }
            None => return Ok(LoopStep::Exit),
        }
        for (at, line) in lines.iter().enumerate() {
            self.screen.lock().print(&format!("> {line}\n"));
            self.was_stopped = false;
            if self.handle_line(line).await == LoopStep::Exit {
                return Ok(LoopStep::Exit);
            }
            let left = lines.len() - at - 1;
            if self.was_stopped && left > 0 {
                let text = format!("{} not played", counted(left));
                note(&mut self.err, Tone::Notice, "note", &text);
                break;
            }
        }
        Ok(LoopStep::Continue)
    }

    /// Asks the player. `None` if they leave.
    async fn confirm_block(&mut self, count: usize) -> Result<Option<bool>, CliError> {
        let prompt = format!("play {}? [Y/n]> ", counted(count));
        loop {
            let Some(line) = self.line(LinePurpose::Answer(&prompt)).await? else {
                return Ok(None);
            };
            let word = match line {
                LineInput::Sentence(line) => line.trim().to_lowercase(),
                LineInput::Bad { .. } => "?".to_owned(),
                LineInput::Interrupted { .. } => return Ok(Some(false)),
                LineInput::End => return Ok(None),
            };
            match word.as_str() {
                "" | "y" | "yes" => return Ok(Some(true)),
                "n" | "no" => return Ok(Some(false)),
                _ => {
                    let ways = "Enter plays each line as a turn, `n` plays none of them";
                    note(&mut self.err, Tone::Hint, "hint", ways);
                }
            }
        }
    }
}

/// Returns the lines of a text that are not empty.
fn typed_lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

fn counted(lines: usize) -> String {
    match lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    }
}

#[cfg(test)]
mod tests {
    use super::typed_lines;

    #[test]
    fn blank_lines_do_not_count() {
        assert_eq!(typed_lines(" go\r\n\n\t\nlook \n"), ["go", "look"]);
        assert_eq!(typed_lines("\n go \n"), ["go"]);
        assert_eq!(typed_lines(" \n"), Vec::<&str>::new());
    }
}
