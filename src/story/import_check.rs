//! Checks an imported story as a whole before it is committed, for faults that no single line shows. The folds of its
//! states, its stores and its files are left to [`Story::verify`](crate::Story::verify).

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::Path,
};

use narratoria_protocol::{
    CAMPAIGN_BYTES_MAX, CAMPAIGN_DOCUMENTS_MAX, CompiledCampaign, ENTITIES_BYTES_MAX,
    STORES_BYTES_MAX, json_text_values_max,
};
use rusqlite::Transaction;

use crate::{
    BRANCHES_MAX, STATE_FILE_BYTES_MAX, StoryError,
    assets::{ASSETS_FOLDER, AssetName},
    columns::{number, rows, text},
    import_error::ImportError,
};

/// Checks a file: its folder, its name there and its declared media type. Returns its fault, if it has one.
pub type FileCheck<'a> = &'a dyn Fn(&Path, &str, &str) -> Option<String>;

/// Checks what the readers of a campaign's documents read. Returns their first fault.
pub type CampaignCheck<'a> = &'a dyn Fn(&CompiledCampaign) -> Option<String>;

/// Checks of content that the store itself does not know.
#[derive(Clone, Copy)]
pub struct ImportChecks<'a> {
    pub file: FileCheck<'a>,
    pub campaign: CampaignCheck<'a>,
}

/// Most turns of a story that is imported.
pub const IMPORT_TURNS_MAX: usize = 1_000_000;

/// Most bytes of patches between a turn and the snapshot before it, because a fold holds them in memory. In a story of
/// this program they are at most as long as its state.
pub const IMPORT_FOLD_BYTES_MAX: u64 = 256 << 20;

/// Most JSON values of a snapshot and of the patches since, counted as for
/// [`VALUES_MAX`](narratoria_protocol::VALUES_MAX), because a fold holds them in memory. A story of this program has at
/// most a million in its state.
pub const IMPORT_FOLD_VALUES_MAX: u64 = 3_000_000;

/// Each fault, with a query that finds it.
const FAULTS: &[(&str, &str)] = &[
    ("a row names a row that is missing", "SELECT 1 FROM pragma_foreign_key_check"),
    (
        "a fact of every story is missing",
        "SELECT 1 WHERE (SELECT count(*) FROM meta WHERE key IN ('seed', 'opened_at', 'branch')) <> 3",
    ),
    ("the branch that is played is missing", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM head)"),
    (
        "a turn has an impossible number",
        "SELECT 1 FROM turns WHERE id < 1 OR take < 0 OR since_snapshot < 0",
    ),
    (
        "a turn's number is not the one after its parent's",
        "SELECT 1 FROM turns LEFT JOIN turns AS above ON above.id = turns.parent
         WHERE turns.depth <> coalesce(above.depth, 0) + 1 OR above.id >= turns.id",
    ),
    (
        "a plan has an impossible number",
        "SELECT 1 FROM plans WHERE ordinal < 1 OR attempt NOT BETWEEN 0 AND 4294967295
         OR version NOT BETWEEN 0 AND 4294967295",
    ),
    (
        "the stores have no size",
        "SELECT 1 WHERE (SELECT count(*) FROM store_size WHERE bytes >= 0) <> 1",
    ),
];

pub(crate) fn check(
    tx: &Transaction<'_>,
    db: &Path,
    folder: &Path,
    check_file: FileCheck<'_>,
) -> Result<(), ImportError> {
    let not_whole = |what: String| ImportError::NotWhole { what };
    check_sizes(tx, db)?;
    for (what, sql) in FAULTS {
        if tx
            .prepare(sql)
            .and_then(|mut found| found.exists([]))
            .map_err(|source| StoryError::from_sqlite("read", db, source))?
        {
            return Err(not_whole((*what).to_owned()));
        }
    }
    let facts = "SELECT key, value FROM meta WHERE key IN ('seed', 'opened_at')";
    for (key, value) in
        rows(tx, db, "`meta`", facts, [], |row| Ok((text(row, "key")?, text(row, "value")?)))?
    {
        let is_fine = match key.as_str() {
            "seed" => value.parse::<u64>().is_ok(),
            _ => value.parse::<jiff::Timestamp>().is_ok(),
        };
        if !is_fine {
            return Err(not_whole(format!("its `{key}` is `{}`", crate::name::quote(&value))));
        }
    }
    check_folds(tx, db)?;
    check_files(tx, db, folder, check_file)
}

/// Checks the numbers of rows and bytes before anything is read into memory.
fn check_sizes(tx: &Transaction<'_>, db: &Path) -> Result<(), ImportError> {
    let limits: [(&str, &str, usize); 8] = [
        ("turns", "SELECT count(*) AS n FROM turns", IMPORT_TURNS_MAX),
        ("branches", "SELECT count(*) AS n FROM branches", BRANCHES_MAX),
        ("facts", "SELECT count(*) AS n FROM meta", BRANCHES_MAX),
        (
            "bytes in the stores of its skills",
            "SELECT coalesce(sum(octet_length(skill) + octet_length(key) + octet_length(value)), 0) AS n
             FROM store_now",
            STORES_BYTES_MAX,
        ),
        (
            "bytes in its entities",
            "SELECT coalesce(sum(octet_length(value)), 0) AS n FROM entity_now",
            ENTITIES_BYTES_MAX,
        ),
        (
            "bytes in a state",
            "SELECT coalesce(max(octet_length(state)), 0) AS n FROM snapshots",
            STATE_FILE_BYTES_MAX,
        ),
        (
            "documents of its campaign",
            "SELECT count(*) AS n FROM campaign_documents",
            CAMPAIGN_DOCUMENTS_MAX,
        ),
        (
            "bytes in its campaign",
            "SELECT coalesce(sum(octet_length(document) + octet_length(text)), 0) AS n
             FROM campaign_documents",
            CAMPAIGN_BYTES_MAX,
        ),
    ];
    for (what, sql, limit) in limits {
        let found = rows(tx, db, what, sql, [], |row| number::<usize>(row, "n"))?;
        if let Some(found) = found.into_iter().find(|found| *found > limit) {
            let what = format!("it has {found} {what}, the limit is {limit}");
            return Err(ImportError::NotWhole { what });
        }
    }
    Ok(())
}

/// Checks that no state takes more memory to fold than one of this program.
fn check_folds(tx: &Transaction<'_>, db: &Path) -> Result<(), ImportError> {
    let failed = |source| StoryError::from_sqlite("read", db, source);
    let sql = "SELECT id, parent, patch, snapshots.state FROM turns
               LEFT JOIN snapshots ON snapshots.turn = turns.id ORDER BY id";
    let mut select = tx.prepare(sql).map_err(failed)?;
    let mut found = select.query([]).map_err(failed)?;
    let mut weights: HashMap<i64, FoldWeight> = HashMap::new();
    while let Some(row) = found.next().map_err(failed)? {
        let text = |at: usize| row.get_ref(at)?.as_str_or_null().map_err(rusqlite::Error::from);
        let id: i64 = row.get(0).map_err(failed)?;
        let parent: Option<i64> = row.get(1).map_err(failed)?;
        let (patch, snapshot) = (text(2).map_err(failed)?, text(3).map_err(failed)?);
        let above = parent.and_then(|parent| weights.get(&parent)).copied().unwrap_or_default();
        let folded = above.with(FoldWeight::of(patch));
        let kept = FoldWeight { bytes: 0, ..FoldWeight::of(snapshot) };
        for weight in [folded, kept] {
            weight.check(id)?;
        }
        weights.insert(id, if snapshot.is_some() { kept } else { folded });
    }
    Ok(())
}

/// The memory that a fold takes.
#[derive(Debug, Clone, Copy, Default)]
struct FoldWeight {
    /// The bytes of patches as text.
    bytes: u64,
    /// The values of the state and of the patches.
    values: u64,
}

impl FoldWeight {
    fn of(text: Option<&str>) -> FoldWeight {
        let text = text.unwrap_or_default();
        FoldWeight { bytes: text.len() as u64, values: json_text_values_max(text) as u64 }
    }

    fn with(self, other: FoldWeight) -> FoldWeight {
        FoldWeight { bytes: self.bytes + other.bytes, values: self.values + other.values }
    }

    fn check(self, turn: i64) -> Result<(), ImportError> {
        for (found, of, limit) in [
            (self.bytes, "bytes", IMPORT_FOLD_BYTES_MAX),
            (self.values, "JSON values", IMPORT_FOLD_VALUES_MAX),
        ] {
            if found > limit {
                let what = format!(
                    "the state after turn id {turn} folds from {found} {of}, the limit is {limit}"
                );
                return Err(ImportError::NotWhole { what });
            }
        }
        Ok(())
    }
}

/// Checks that a turn lists every stored file, and that each matches its row.
fn check_files(
    tx: &Transaction<'_>,
    db: &Path,
    folder: &Path,
    check_file: FileCheck<'_>,
) -> Result<(), ImportError> {
    let sql = "SELECT DISTINCT path, media_type FROM assets";
    let listed = rows(tx, db, "`assets`", sql, [], |row| {
        Ok((text(row, "path")?, text(row, "media_type")?))
    })?;
    let assets = folder.join(ASSETS_FOLDER);
    let mut names = BTreeSet::new();
    for (path, media_type) in listed {
        let Some(name) = AssetName::of_path(&path) else { continue };
        let file_name = name.file_name();
        // A file may have been missing already when the story was exported.
        if assets.join(&file_name).is_file()
            && let Some(what) = check_file(&assets, &file_name, &media_type)
        {
            return Err(ImportError::NotWhole { what });
        }
        names.insert(file_name);
    }
    for entry in fs::read_dir(&assets).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !names.contains(&name) {
            let what = format!("no turn lists the file `{name}`");
            return Err(ImportError::NotWhole { what });
        }
    }
    Ok(())
}
