//! A stdin as the host gives it: the request, its end, and an answer for each question.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Read},
};

use serde_json::json;

/// Reports an end of file after each of its lines, and goes on as long as there are lines.
pub(super) struct ScriptedStdin {
    line: Vec<u8>,
    read: usize,
    /// True once the end of the line has been seen, so that the next one may come.
    ended: bool,
    answers: VecDeque<String>,
}

impl ScriptedStdin {
    pub(super) fn new(request: &str, answers: Vec<String>) -> ScriptedStdin {
        let line = format!("{request}\n").into_bytes();
        ScriptedStdin { line, read: 0, ended: false, answers: answers.into() }
    }
}

impl BufRead for ScriptedStdin {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read == self.line.len() {
            if !self.ended {
                self.ended = true;
                return Ok(&[]);
            }
            if let Some(answer) = self.answers.pop_front() {
                self.line = format!("{}\n", json!({ "answer": answer })).into_bytes();
                self.read = 0;
                // A script reads an answer only to its line end.
            }
        }
        Ok(&self.line[self.read..])
    }

    fn consume(&mut self, bytes: usize) {
        self.read += bytes;
    }
}

impl Read for ScriptedStdin {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?.read(into)?;
        self.consume(bytes);
        Ok(bytes)
    }
}
