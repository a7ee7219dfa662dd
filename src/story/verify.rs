//! Checks a whole story: its file, the folds of its states and stores, and the files of its turns. Changes nothing.

use std::collections::BTreeMap;

use crate::{
    Story, StoryError, TurnId,
    assets::{AssetContent, AssetFolder, AssetName},
    columns::{number, text},
    digests,
    fold::{StateFold, parse_patches},
    folder,
    line_tables::{ColumnValue, TABLES},
    number_bounds::{STORY_NUMBER_MAX, number_fault},
    tree,
};
use narratoria_protocol::Stores;

/// Most faults that one check reports. A broken disk has thousands.
pub const STORY_FAULTS_MAX: usize = 100;

/// Most turns that the fault of a file names.
const IDS_SHOWN: usize = 5;

impl Story {
    /// Returns the faults of the story, each a sentence; none if it is sound.
    ///
    /// # Errors
    ///
    /// Returns an error only if the file cannot be read at all.
    pub fn verify(&self) -> Result<Vec<String>, StoryError> {
        let mut faults = self.file_faults()?;
        faults.extend(self.number_faults()?);
        faults.extend(self.changed_turns()?);
        faults.extend(self.snapshot_faults()?);
        faults.extend(self.branch_faults()?);
        faults.extend(self.store_faults()?);
        faults.extend(self.entity_faults()?);
        faults.extend(self.asset_faults()?);
        faults.extend(self.campaign_faults()?);
        faults.truncate(STORY_FAULTS_MAX);
        Ok(faults)
    }

    /// Returns the faults that SQLite finds.
    fn file_faults(&self) -> Result<Vec<String>, StoryError> {
        let sql = "SELECT integrity_check AS fault FROM pragma_integrity_check
                   WHERE integrity_check <> 'ok'
                   UNION ALL
                   SELECT 'a row of `' || \"table\" || '` names a row that is missing'
                   FROM pragma_foreign_key_check";
        let found = self.rows("the check", sql, [], |row| text(row, "fault"))?;
        Ok(found.into_iter().map(|fault| format!("the database: {fault}")).collect())
    }

    /// Returns the turns that are not as they were stored, each as a sentence.
    pub fn changed_turns(&self) -> Result<Vec<String>, StoryError> {
        let failed = |source| StoryError::from_sqlite("read", self.db(), source);
        // All turns are read in one transaction, because another process may play the story meanwhile.
        let tx = self.conn().unchecked_transaction().map_err(failed)?;
        digests::changed_turns(&tx, STORY_FAULTS_MAX).map_err(failed)
    }

    /// Returns the columns with a number out of bounds.
    fn number_faults(&self) -> Result<Vec<String>, StoryError> {
        let mut faults = Vec::new();
        for table in TABLES {
            let numbers =
                table.columns.iter().filter(|column| matches!(column.value, ColumnValue::Integer));
            for column in numbers {
                let (of, name) = (table.table, column.name);
                let sql = format!(
                    "SELECT {name} AS number FROM {of} WHERE {name} NOT BETWEEN 0 AND {STORY_NUMBER_MAX} LIMIT 1"
                );
                for number in self.rows(of, &sql, [], |row| row.get::<_, i64>("number"))? {
                    let fault = number_fault(&number);
                    faults.push(format!("the column `{name}` of `{of}`: {fault}"));
                }
            }
        }
        Ok(faults)
    }

    /// Returns the snapshots that differ from the fold of the turns before them.
    fn snapshot_faults(&self) -> Result<Vec<String>, StoryError> {
        let sql = "SELECT turn FROM snapshots ORDER BY turn";
        let turns = self.rows("`snapshots`", sql, [], |row| row.get("turn").map(TurnId))?;
        let mut faults = Vec::new();
        // The turns are checked one at a time, because all patches of a long story do not fit into memory.
        for turn in turns {
            faults.extend(self.snapshot_fault(turn)?);
        }
        Ok(faults)
    }

    fn snapshot_fault(&self, turn: TurnId) -> Result<Option<String>, StoryError> {
        let sql = "SELECT parent, patch FROM turns WHERE id = ?1";
        let found = self.rows("`turns`", sql, [turn.get()], |row| {
            Ok((row.get::<_, Option<i64>>("parent")?.map(TurnId), text(row, "patch")?))
        })?;
        let Some((parent, patch)) = found.into_iter().next() else { return Ok(None) };
        // After a repair, a snapshot replaces a patch that can no longer be read.
        let Ok(patches) = parse_patches(&patch) else { return Ok(None) };
        let Ok(mut folded) = self.folded(parent) else { return Ok(None) };
        patches.iter().for_each(|patch| folded.apply(patch));
        Ok(match self.folded(Some(turn)) {
            Err(what) => Some(format!("the state after turn id {turn}: {what}")),
            Ok(kept) if kept != folded => {
                Some(format!("the snapshot of turn id {turn} is not what the turns before it make"))
            }
            Ok(_) => None,
        })
    }

    /// Returns the branches whose state does not fold.
    fn branch_faults(&self) -> Result<Vec<String>, StoryError> {
        let branches = self.branches()?.into_iter();
        let fault = |branch: crate::Branch| {
            let what = self.folded(branch.turn).err()?;
            Some(format!("the state of the branch `{}`: {what}", branch.name))
        };
        Ok(branches.filter_map(fault).collect())
    }

    /// Returns the stores that differ from what the turns of the story have written.
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

    /// Returns the files of turns that are missing or have other bytes than when they were stored.
    fn asset_faults(&self) -> Result<Vec<String>, StoryError> {
        let mut faults = Vec::new();
        for (path, turns) in self.listed_files()? {
            let what = match self.file_content(&path)? {
                AssetContent::Whole(_) => continue,
                AssetContent::Missing => "is missing",
                AssetContent::Changed => "has other bytes than when it was stored",
            };
            faults.push(format!("the file `{path}` of turn id {} {what}", list_ids(&turns)));
        }
        Ok(faults)
    }

    /// Returns the files that turns list and that do not exist.
    pub fn missing_files(&self) -> Result<Vec<String>, StoryError> {
        let mut missing = Vec::new();
        for path in self.listed_files()?.into_keys() {
            if self.file_content(&path)? == AssetContent::Missing {
                missing.push(path);
            }
        }
        Ok(missing)
    }

    /// Returns the files that turns list and that are missing or changed.
    pub fn damaged_files(&self) -> Result<Vec<String>, StoryError> {
        let mut damaged = Vec::new();
        for path in self.listed_files()?.into_keys() {
            if !matches!(self.file_content(&path)?, AssetContent::Whole(_)) {
                damaged.push(path);
            }
        }
        Ok(damaged)
    }

    /// Returns the files that turns of all branches list, with the first few of these turns.
    fn listed_files(&self) -> Result<BTreeMap<String, Vec<i64>>, StoryError> {
        let sql = "SELECT DISTINCT path, turn FROM assets ORDER BY path, turn";
        let mut listed: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for (path, turn) in
            self.rows("`assets`", sql, [], |row| Ok((text(row, "path")?, row.get("turn")?)))?
        {
            let turns = listed.entry(path).or_default();
            if turns.len() <= IDS_SHOWN {
                turns.push(turn);
            }
        }
        Ok(listed)
    }

    /// Returns the content of a file. One of an older version is only checked for existence, because its digest is
    /// unknown.
    fn file_content(&self, path: &str) -> Result<AssetContent, StoryError> {
        let failed = |source| {
            let path = self.folder().join(path);
            StoryError::Io { action: "read", path, source }
        };
        let Some(name) = AssetName::of_path(path) else {
            let found = folder::kind(&self.folder().join(path));
            return Ok(match found {
                Ok(Some(folder::FILE)) => AssetContent::Whole(0),
                _ => AssetContent::Missing,
            });
        };
        match AssetFolder::open(self.folder())? {
            Some(folder) => folder.content(&name).map_err(failed),
            None => Ok(AssetContent::Missing),
        }
    }

    fn folded(&self, turn: Option<TurnId>) -> Result<narratoria_protocol::StoryState, String> {
        let fold =
            StateFold::read(self.conn(), self.db(), turn).map_err(|error| error.to_string())?;
        let fold = fold.ok_or_else(|| "its turn is missing".to_owned())?;
        fold.state().map_err(|fault| fault.what)
    }
}

fn list_ids(turns: &[i64]) -> String {
    let more = if turns.len() > IDS_SHOWN { ", …" } else { "" };
    let shown: Vec<String> = turns.iter().take(IDS_SHOWN).map(i64::to_string).collect();
    format!("{}{more}", shown.join(", "))
}
