//! Repairs a story whose state is unreadable or too large, and drops data that a skill has left in it.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};

use crate::{
    Story, StoryError, StoryName, TurnId,
    backup::{BackupKind, back_up},
    digests,
    fold::{StateFold, parse_patches, put_snapshot},
    format::Durability,
    journal,
    memory_authors::drop_memories,
    store::{STATE_FILE_BYTES_MAX, StoryTransaction},
};
use narratoria_protocol::{MEMORY_OWNER, Object, STATE_DEPTH_MAX, StoryState, is_deeper_than};

/// The field of a remembered text that names the skill that remembered it.
const REMEMBERED_BY: &str = "by";

/// A story that is open even if its state cannot be read.
#[derive(Debug)]
pub struct StoryRepair {
    story: Story,
    faults: Vec<StateFault>,
}

/// A part of the state that could not be read. Repairing drops it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateFault {
    #[error("the member `{member}` of the state {why}")]
    Member { member: String, why: String },
    #[error("the state is not JSON from byte {at} on")]
    Rest { at: usize },
    #[error("what turn {turn} changed in the state cannot be read: {why}")]
    Patch { turn: TurnId, why: String },
}

/// Parts that a repair drops, besides those that cannot be read.
#[derive(Debug, Default)]
pub struct RepairRequest {
    /// Deletes parts of the state, including the host's own member.
    pub patch: Object,
    /// Skills whose stores, remembered texts and memories are dropped.
    pub skills: BTreeSet<String>,
    /// Files to remove from the lists of turns, by their listed names.
    pub files: BTreeSet<String>,
    /// Takes the turns as they are, also those that are not as they were stored.
    pub accept_turns: bool,
}

/// Report of a repair.
#[derive(Debug, PartialEq, Eq)]
pub struct RepairReceipt {
    /// A copy of the database as it was.
    pub backup: PathBuf,
    /// The number of deleted entries of stores.
    pub store_entries: usize,
    /// The number of deleted texts and memories.
    pub remembered: usize,
    /// True if an unfinished plan was dropped, because its steps belonged to a state that could not be read.
    pub dropped_plan: bool,
}

impl StoryRepair {
    /// Opens an existing story. The parts of its state that cannot be read are left out.
    pub fn open(root: &Path, name: &StoryName) -> Result<StoryRepair, StoryError> {
        let (story, faults) = Story::open_damaged(root, name, read_fold)?;
        Ok(StoryRepair { story, faults })
    }

    /// Returns the story as far as it can be read.
    pub fn story(&self) -> &Story {
        &self.story
    }

    pub fn faults(&self) -> &[StateFault] {
        &self.faults
    }

    /// Does the same as [`Story::hold`], so that no other process plays the story while it is repaired.
    pub fn hold(&mut self, since: Timestamp) -> Result<(), StoryError> {
        self.story.hold(since)
    }

    /// Copies the database, then drops everything at once. The state after the last turn changes, and no turn is added.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::PlanRunning`] and [`StoryError::PlanUnfinished`] while the story has an unfinished plan,
    /// unless the state cannot be read; [`StoryError::StateTooBig`] if the rest is too large to be read back.
    pub fn repair(mut self, request: &RepairRequest) -> Result<RepairReceipt, StoryError> {
        let lock = self.story.take_lock()?;
        let mut patch: Object = self.faults.iter().filter_map(StateFault::dropped).collect();
        patch.extend(request.patch.clone());
        let mut state = self.story.state().clone();
        state.apply(&request.patch);
        let text = state.to_json();
        if text.len() > STATE_FILE_BYTES_MAX {
            return Err(StoryError::StateTooBig { bytes: text.len(), limit: STATE_FILE_BYTES_MAX });
        }
        let backup = back_up(self.story.conn(), self.story.folder(), BackupKind::BeforeRepair)?;
        let is_damaged = !self.faults.is_empty();
        // A patch that cannot be read is given up, so its turn is accepted as it is.
        let given_up: Vec<i64> = self.faults.iter().filter_map(StateFault::turn).collect();
        let receipt = self.story.write(Durability::Disk, |story| {
            let failed = |source| story.failed(source);
            let head = story.check_head()?.map(TurnId);
            if !is_damaged {
                journal::check_no_unfinished_plan(story, head.map(TurnId::get))?;
            }
            let mut sound = digests::sound_turns(story.tx).map_err(failed)?;
            sound.extend(given_up);
            let dropped_plan =
                is_damaged && !journal::delete_journal(story.tx).map_err(failed)?.is_empty();
            amend_head(story.tx, head, &patch, &text).map_err(failed)?;
            for path in &request.files {
                let sql = "DELETE FROM assets WHERE path = ?1";
                story.tx.execute(sql, [path]).map_err(failed)?;
            }
            let (store_entries, texts) = drop_entries(story, head, &request.skills)?;
            let remembered = texts + drop_memories(story, head, &request.skills)?;
            match request.accept_turns {
                true => digests::seal_all(story.tx),
                false => digests::seal_again(story.tx, &sound),
            }
            .map_err(failed)?;
            Ok(RepairReceipt { backup, store_entries, remembered, dropped_plan })
        });
        drop(lock);
        receipt
    }
}

impl StateFault {
    /// Returns the turn whose patch cannot be read.
    fn turn(&self) -> Option<i64> {
        match self {
            StateFault::Patch { turn, .. } => Some(turn.get()),
            StateFault::Member { .. } | StateFault::Rest { .. } => None,
        }
    }

    /// Returns the member of a patch that deletes the part.
    fn dropped(&self) -> Option<(String, Value)> {
        match self {
            StateFault::Member { member, .. } => Some((member.clone(), Value::Null)),
            StateFault::Rest { .. } | StateFault::Patch { .. } => None,
        }
    }
}

/// Folds the state from everything that can be read.
fn read_fold(fold: &StateFold) -> (StoryState, Vec<StateFault>) {
    let (mut state, mut faults) = read_parts(fold.snapshot.as_deref().unwrap_or("{}"));
    for (turn, text) in &fold.patches {
        match parse_patches(text) {
            Ok(patches) => patches.iter().for_each(|patch| state.apply(patch)),
            Err(why) => faults.push(StateFault::Patch { turn: *turn, why }),
        }
    }
    (state, faults)
}

/// Reads the members of a state one by one, and leaves out those that cannot be read or nest too deep. Does not recurse
/// into those.
fn read_parts(text: &str) -> (StoryState, Vec<StateFault>) {
    let (mut members, mut faults) = (Object::new(), Vec::new());
    let mut at = 0;
    let complete = next_byte(text, &mut at, b'{').and_then(|()| {
        while next_byte(text, &mut at, b'}').is_none() {
            let key: String = next_value(text, &mut at)?.0;
            next_byte(text, &mut at, b':')?;
            let (_, value) = next_value::<IgnoredAny>(text, &mut at)?;
            match serde_json::from_str::<Value>(value) {
                Ok(value) if !is_deeper_than(STATE_DEPTH_MAX - 1, &value) => {
                    members.insert(key, value);
                }
                Ok(_) => faults.push(StateFault::Member {
                    member: key,
                    why: format!("nests deeper than {STATE_DEPTH_MAX} levels"),
                }),
                Err(error) => {
                    let why = format!("cannot be read: {error}");
                    faults.push(StateFault::Member { member: key, why });
                }
            }
            // If a comma is missing, the search for the next key finds that.
            _ = next_byte(text, &mut at, b',');
        }
        Some(())
    });
    if complete.is_none() || !text[at..].trim().is_empty() {
        faults.push(StateFault::Rest { at });
    }
    (StoryState::new(members), faults)
}

/// Skips one byte of punctuation, if it comes next.
fn next_byte(text: &str, at: &mut usize, byte: u8) -> Option<()> {
    let rest = text[*at..].trim_start();
    let found = rest.as_bytes().first() == Some(&byte);
    found.then(|| *at = text.len() - rest.len() + 1)
}

/// Skips one value, and returns it with its text.
fn next_value<'t, T: serde::Deserialize<'t>>(
    text: &'t str,
    at: &mut usize,
) -> Option<(T, &'t str)> {
    let mut values = Deserializer::from_str(&text[*at..]).into_iter::<T>();
    let value = values.next()?.ok()?;
    let start = *at;
    *at += values.byte_offset();
    Some((value, &text[start..*at]))
}

/// Changes the state at the head: the patch joins those of the last turn, so that the fold of all turns is still the
/// state, and a snapshot replaces patches that can no longer be folded.
fn amend_head(
    tx: &Transaction<'_>,
    head: Option<TurnId>,
    patch: &Object,
    state: &str,
) -> rusqlite::Result<()> {
    let Some(head) = head else { return Ok(()) };
    let sql = "SELECT patch FROM turns WHERE id = ?1";
    let patches: Option<String> = tx.query_row(sql, [head.get()], |row| row.get(0)).optional()?;
    if let Some(patches) = patches
        && let Some(before) = patches.trim_end().strip_suffix(']')
    {
        let comma = if before.trim_end().ends_with('[') { "" } else { "," };
        let patch = Value::Object(patch.clone());
        let patches = format!("{before}{comma}{patch}]");
        tx.execute("UPDATE turns SET patch = ?2 WHERE id = ?1", params![head.get(), patches])?;
    }
    put_snapshot(tx, head, state)
}

/// Deletes the stores of skills and the texts that they remembered. Returns the number of entries and texts.
fn drop_entries(
    story: &StoryTransaction<'_>,
    head: Option<TurnId>,
    skills: &BTreeSet<String>,
) -> Result<(usize, usize), StoryError> {
    let (mut entries, mut texts) = (0, 0);
    let failed = |source| story.failed(source);
    let of_skill = |skill: &str, value: &str, owner: &str| match owner == MEMORY_OWNER {
        true => remembered_by(value).as_deref() == Some(skill),
        false => owner == skill,
    };
    for owner in skills.iter().map(String::as_str).chain([MEMORY_OWNER]) {
        let sql = "SELECT key, value FROM store_now WHERE skill = ?1";
        let rows: Vec<(String, String)> = {
            let mut select = story.tx.prepare(sql).map_err(failed)?;
            let rows = select.query_map([owner], |row| Ok((row.get(0)?, row.get(1)?)));
            rows.and_then(Iterator::collect).map_err(failed)?
        };
        for (key, value) in rows {
            if skills.iter().any(|skill| of_skill(skill, &value, owner)) {
                drop_entry(story.tx, head, (owner, &key, &value)).map_err(failed)?;
                match owner == MEMORY_OWNER {
                    true => texts += 1,
                    false => entries += 1,
                }
            }
        }
    }
    Ok((entries, texts))
}

/// The skill that remembered a text, if the entry names it.
pub fn remembered_by(value: &str) -> Option<String> {
    let entry: Value = serde_json::from_str(value).ok()?;
    entry.get(REMEMBERED_BY)?.as_str().map(str::to_owned)
}

/// Deletes one entry as a part of the last turn, whose log has the value before it.
fn drop_entry(
    tx: &Transaction<'_>,
    head: Option<TurnId>,
    (owner, key, value): (&str, &str, &str),
) -> rusqlite::Result<()> {
    tx.execute("DELETE FROM store_now WHERE skill = ?1 AND key = ?2", [owner, key])?;
    let bytes = i64::try_from(owner.len() + key.len() + value.len()).unwrap_or(i64::MAX);
    tx.execute("UPDATE store_size SET bytes = max(0, bytes - ?1)", [bytes])?;
    let Some(head) = head else { return Ok(()) };
    let sql = "INSERT INTO store_log (turn, skill, key, value_before, value_after)
               VALUES (?1, ?2, ?3, ?4, NULL)
               ON CONFLICT (turn, skill, key) DO UPDATE SET value_after = NULL";
    tx.execute(sql, params![head.get(), owner, key, value])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> String {
        let (state, faults) = read_parts(text);
        let faults = faults.iter().map(|fault| format!("; {fault}"));
        format!("{}{}", state.to_json(), faults.collect::<String>())
    }

    #[test]
    fn every_part_that_can_be_read_is_kept() {
        let deep = format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000));
        let text = format!(r#" {{"a": {{"b":1.50}} , "deep":{deep},"c\n" :"x"}} "#);
        insta::assert_snapshot!(read(&text), @r#"{"a":{"b":1.5},"c\n":"x"}; the member `deep` of the state cannot be read: recursion limit exceeded at line 1 column 128"#);
        insta::assert_snapshot!(read(&format!(r#"{{"a":{}1{}}}"#, "[".repeat(100), "]".repeat(100))), @"{}; the member `a` of the state nests deeper than 96 levels");
        insta::assert_snapshot!(read(r#"{"a":1,"b":tru"#), @r#"{"a":1}; the state is not JSON from byte 11 on"#);
        insta::assert_snapshot!(read("[1]"), @"{}; the state is not JSON from byte 0 on");
        insta::assert_snapshot!(read(""), @"{}; the state is not JSON from byte 0 on");
        insta::assert_snapshot!(read(r#"{"a":1} {}"#), @r#"{"a":1}; the state is not JSON from byte 7 on"#);
    }

    proptest! {
        #[test]
        fn a_state_that_can_be_read_is_read_whole(
            members in proptest::collection::btree_map(".{0,4}", ".{0,4}", 0..4), number: f64,
        ) {
            let mut object: Object =
                members.into_iter().map(|(key, text)| (key, Value::from(text))).collect();
            object.insert("n".to_owned(), Value::from(vec![Value::from(number)]));
            let (state, faults) = read_parts(&Value::Object(object.clone()).to_string());
            prop_assert_eq!(state, StoryState::new(object));
            prop_assert!(faults.is_empty());
        }

        #[test]
        fn no_text_is_too_much(text in r#"[\[\]{}",:a1 \\]{0,40}"#) {
            read_parts(&text);
        }
    }
}
