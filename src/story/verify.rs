//! Checks a whole story: its file, the folds of its states and stores, and the files of its turns. Changes nothing.

use std::collections::BTreeMap;

use crate::{
    Story, StoryError, TurnId,
    columns::{number, text},
    fold::{StateFold, parse_patches},
    folder, tree,
};
use narratoria_protocol::Stores;

/// Most faults that one check reports. A broken disk has thousands.
pub const STORY_FAULTS_MAX: usize = 100;

impl Story {
    /// The faults of the story, each a sentence; none if it is whole.
    ///
    /// # Errors
    ///
    /// An error only if the file cannot be read at all.
    pub fn verify(&self) -> Result<Vec<String>, StoryError> {
        let mut faults = self.file_faults()?;
        faults.extend(self.snapshot_faults()?);
        faults.extend(self.branch_faults()?);
        faults.extend(self.store_faults()?);
        faults.extend(self.asset_faults()?);
        faults.truncate(STORY_FAULTS_MAX);
        Ok(faults)
    }

    /// Faults that SQLite finds.
    fn file_faults(&self) -> Result<Vec<String>, StoryError> {
        let sql = "SELECT integrity_check AS fault FROM pragma_integrity_check
                   WHERE integrity_check <> 'ok'
                   UNION ALL
                   SELECT 'a row of `' || \"table\" || '` names a row that is missing'
                   FROM pragma_foreign_key_check";
        let found = self.rows("the check", sql, [], |row| text(row, "fault"))?;
        Ok(found.into_iter().map(|fault| format!("the database: {fault}")).collect())
    }

    /// Snapshots that are not what the turns before them make.
    fn snapshot_faults(&self) -> Result<Vec<String>, StoryError> {
        let sql = "SELECT snapshots.turn AS id, turns.parent, turns.patch
                   FROM snapshots JOIN turns ON turns.id = snapshots.turn ORDER BY id";
        let found = self.rows("`snapshots`", sql, [], |row| {
            let parent = row.get::<_, Option<i64>>("parent")?.map(TurnId);
            Ok((TurnId(row.get("id")?), parent, text(row, "patch")?))
        })?;
        let mut faults = Vec::new();
        for (turn, parent, patch) in found {
            // A repair keeps a snapshot where a patch cannot be read any more.
            let Ok(patches) = parse_patches(&patch) else { continue };
            let Ok(mut folded) = self.folded(parent) else { continue };
            patches.iter().for_each(|patch| folded.apply(patch));
            match self.folded(Some(turn)) {
                Err(what) => faults.push(format!("the state after turn id {turn}: {what}")),
                Ok(kept) if kept != folded => faults.push(format!(
                    "the snapshot of turn id {turn} is not what the turns before it make"
                )),
                Ok(_) => {}
            }
        }
        Ok(faults)
    }

    /// Branches whose state does not fold.
    fn branch_faults(&self) -> Result<Vec<String>, StoryError> {
        let branches = self.branches()?.into_iter();
        let fault = |branch: crate::Branch| {
            let what = self.folded(branch.turn).err()?;
            Some(format!("the state of the branch `{}`: {what}", branch.name))
        };
        Ok(branches.filter_map(fault).collect())
    }

    /// Stores that are not what the turns of the story have written.
    fn store_faults(&self) -> Result<Vec<String>, StoryError> {
        let path = tree::path(self.conn(), self.db(), None, self.head())?;
        let mut expected = Stores::new();
        let changes = crate::skill_store::changes_of(self.conn(), self.db(), &path)?;
        for ((skill, key), value) in changes {
            if let Some(value) = value {
                expected.entry(skill).or_default().insert(key, value);
            }
        }
        let found = self.stores()?;
        let empty = BTreeMap::new();
        let skills = expected.keys().chain(found.keys());
        let mut faults: Vec<String> = skills
            .filter(|skill| {
                expected.get(*skill).unwrap_or(&empty) != found.get(*skill).unwrap_or(&empty)
            })
            .map(|skill| format!("the store of `{skill}` is not what the turns have written"))
            .collect();
        faults.sort();
        faults.dedup();
        let sql = "SELECT bytes FROM store_size";
        let size = self.rows("`store_size`", sql, [], |row| number::<usize>(row, "bytes"))?;
        let entry = |skill: &String, store: &BTreeMap<String, String>| -> usize {
            store.iter().map(|(key, value)| skill.len() + key.len() + value.len()).sum()
        };
        let bytes: usize = found.iter().map(|(skill, store)| entry(skill, store)).sum();
        if size != [bytes] {
            faults.push(format!("the stores have {bytes} bytes, the file says {size:?}"));
        }
        Ok(faults)
    }

    /// Files of turns that are gone.
    fn asset_faults(&self) -> Result<Vec<String>, StoryError> {
        let sql = "SELECT turn, path FROM assets ORDER BY rowid";
        let found = self
            .rows("`assets`", sql, [], |row| Ok((TurnId(row.get("turn")?), text(row, "path")?)))?;
        let is_there = |path: &str| {
            let path = self.folder().join(path);
            matches!(folder::kind(&path), Ok(Some(folder::FILE)))
        };
        let fault = |(turn, path): (TurnId, String)| {
            (!is_there(&path)).then(|| format!("the file `{path}` of turn id {turn} is missing"))
        };
        Ok(found.into_iter().filter_map(fault).collect())
    }

    fn folded(&self, turn: Option<TurnId>) -> Result<narratoria_protocol::StoryState, String> {
        let fold =
            StateFold::read(self.conn(), self.db(), turn).map_err(|error| error.to_string())?;
        let fold = fold.ok_or_else(|| "its turn is missing".to_owned())?;
        fold.state().map_err(|fault| fault.what)
    }
}
