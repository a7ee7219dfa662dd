//! Changes that the player makes to a memory. Each is a node of the tree of turns, so that undo takes it back.

use jiff::Timestamp;

use crate::{StoreRow, Story, StoryError, TurnOutcome, TurnRecord};
use narratoria_protocol::{EntityId, EntityKind, Memory};

/// Longest text that a player gives a memory, in bytes.
pub const MEMORY_EDIT_BYTES_MAX: usize = 2 << 10;

/// A change of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryEdit<'a> {
    /// It is always in the planner's context, or no longer.
    Pin(bool),
    /// It has another text.
    Reword(&'a str),
    /// It is gone.
    Forget,
}

impl MemoryEdit<'_> {
    /// The order as the player types it.
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
    /// Changes a memory. Returns it as it is then, or as it was if it is gone.
    ///
    /// # Errors
    ///
    /// [`StoryError::EntityRefused`] if there is no such memory or its text cannot be; those of [`Story::commit`].
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
