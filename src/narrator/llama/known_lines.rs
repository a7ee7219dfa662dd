//! Lines of a prompt with knowledge beside the story itself: notes of its campaign and memories. They stand at the end,
//! because they change with the sentence.

use super::{quote::quoted, token_budget::PromptPart};
use crate::PlanRequest;

/// Longest text of a memory.
const MEMORY_CHARS_MAX: usize = 300;

/// Longest text of a note of the campaign, and its longest name.
const NOTE_CHARS_MAX: usize = 400;
const NOTE_NAME_CHARS_MAX: usize = 60;

/// Notes of the campaign, one line each.
pub(super) fn note_lines(request: &PlanRequest<'_>) -> impl Iterator<Item = PromptPart> {
    let count = request.notes.len();
    request.notes.iter().enumerate().map(move |(nth, note)| {
        let (name, text) =
            (quoted(&note.name, NOTE_NAME_CHARS_MAX), quoted(&note.text, NOTE_CHARS_MAX));
        PromptPart::droppable(format!("Known of {name}: {text}\n"), 0, count - nth)
    })
}

/// Memories, one line each. The pinned ones are dropped last.
pub(super) fn memory_lines(request: &PlanRequest<'_>) -> impl Iterator<Item = PromptPart> {
    let count = request.memories.len();
    request.memories.iter().enumerate().map(move |(nth, memory)| {
        let text = quoted(&memory.text, MEMORY_CHARS_MAX);
        let text = format!("Remembered ({}, turn {}): {text}\n", memory.id, memory.turn);
        PromptPart::droppable(text, if memory.pinned { 4 } else { 0 }, count - nth)
    })
}
