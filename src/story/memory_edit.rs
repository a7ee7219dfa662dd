//! Changes that the player makes to a memory. Each is a node of the tree of turns, so that undo takes it back.

use jiff::Timestamp;

use crate::{StoreRow, Story, StoryError, TurnOutcome, TurnRecord};
use narratoria_protocol::{EntityId, EntityKind, Memory};

/// Longest text that a player gives a memory, in bytes.
pub const MEMORY_EDIT_BYTES_MAX: usize = 2 << 10;

/// A change of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryEdit<'a> {
    /// Pins the memory to the planner's context, or unpins it.
    Pin(bool),
    /// Replaces the text.
    Reword(&'a str),
    /// Deletes the memory.
    Forget,
}

impl MemoryEdit<'_> {
    /// Returns the order as the player would type it.
    fn order(&self, id: EntityId) -> String {
        match self {
            MemoryEdit::Pin(true) => format!("/memory pin {id}"),
            MemoryEdit::Pin(false) => format!("/memory unpin {id}"),
            MemoryEdit::Reword(text) => format!("/memory edit {id} {text}"),
            MemoryEdit::Forget => format!("/memory forget {id}"),
        }
    }
}

impl Story {
    /// Changes a memory. Returns it as it is afterwards, or as it was if it is deleted.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::EntityRefused`] if there is no such memory or its text is invalid; those of
    /// [`Story::commit`].
    pub fn edit_memory(
        &mut self,
        id: EntityId,
        edit: &MemoryEdit<'_>,
        at: Timestamp,
    ) -> Result<Memory, StoryError> {
        let refused = |why: String| StoryError::EntityRefused { id: id.to_string(), why };
        let found = match id.kind {
            EntityKind::Memory => self.entity::<Memory>(id)?,
            _ => None,
        };
        let mut memory =
            found.ok_or_else(|| refused("there is no such memory; `/memory` lists them".into()))?;
        let write = match edit {
            MemoryEdit::Forget => StoreRow::entity_deleted(id),
            MemoryEdit::Pin(pinned) => {
                memory.pinned = *pinned;
                StoreRow::entity(id, &memory)
            }
            MemoryEdit::Reword(text) => {
                let bytes = text.trim().len();
                if bytes == 0 || bytes > MEMORY_EDIT_BYTES_MAX {
                    return Err(refused(format!(
                        "its text is 1 to {MEMORY_EDIT_BYTES_MAX} bytes long, this one is {bytes}"
                    )));
                }
                memory.summary = text.trim().to_owned();
                StoreRow::entity(id, &memory)
            }
        };
        let record = TurnRecord {
            prompt: edit.order(id),
            narration: String::new(),
            outcome: TurnOutcome::Edited,
            choices: Vec::new(),
            patches: Vec::new(),
            plans: Vec::new(),
            assets: Vec::new(),
            store_writes: vec![write],
            seed: self.seed(),
            started_at: at,
            finished_at: at,
        };
        self.commit(&record)?;
        Ok(memory)
    }
}
