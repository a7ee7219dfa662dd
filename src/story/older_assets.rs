//! Files of a story whose format is older than 4: the file of a script lay in the folder of its plan,
//! `assets/<plan>/step-<id>/…`. The migration stores each by its content, and moves the folders of the plans into
//! `assets.version-N`, where they belong to the copy `story.version-N.db`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    path::{Component, Path, PathBuf},
};

use rusqlite::Transaction;

use crate::{
    StoryError,
    assets::{ASSET_BYTES_MAX, ASSETS_FOLDER, AssetFolder, AssetName},
    columns::{rows, text},
    folder::{FILE, FOLDER, kind},
    schema::FORMAT_VERSION,
};

/// The first version whose files are named by their content.
pub(crate) const STORED_BY_CONTENT: i64 = 4;

/// The ending for a file that has none.
const ENDING_DEFAULT: &str = "bin";

/// Returns the folder with the files of a copy `story.version-N.db`.
pub(crate) fn older_folder(version: i64) -> String {
    format!("{ASSETS_FOLDER}.version-{version}")
}

/// The folders of plans whose files are now stored by their content.
#[derive(Debug, Default)]
pub(crate) struct OlderFolders(BTreeSet<String>);

/// Stores the files that the rows name, and puts their new names into the rows. A row whose file is missing stays as it
/// is, and `story verify` reports it.
pub(crate) fn store_by_content(
    tx: &Transaction<'_>,
    db: &Path,
) -> Result<OlderFolders, StoryError> {
    let Some(story) = db.parent() else { return Ok(OlderFolders::default()) };
    let named =
        rows(tx, db, "`assets`", "SELECT DISTINCT path FROM assets", [], |row| text(row, "path"))?;
    let (mut done, mut left) = (BTreeSet::new(), BTreeSet::new());
    let mut stored: BTreeMap<String, AssetName> = BTreeMap::new();
    for path in named.into_iter().filter(|path| AssetName::of_path(path).is_none()) {
        let Some((plan, found)) = find(story, &path)? else { continue };
        match store(story, &found)? {
            Some(name) => {
                stored.insert(path, name);
                done.insert(plan);
            }
            None => {
                left.insert(plan);
            }
        }
    }
    let failed = |source| StoryError::from_sqlite("set up", db, source);
    for (path, name) in &stored {
        tx.execute("UPDATE assets SET path = ?2 WHERE path = ?1", [path, &name.path()])
            .map_err(failed)?;
    }
    Ok(OlderFolders(done.difference(&left).cloned().collect()))
}

impl OlderFolders {
    /// Moves the folders to the copy of the older version. Best effort: every file is stored already, and a folder that
    /// remains is deleted with other files of scripts.
    pub(crate) fn put_aside(self, db: &Path, version: i64) {
        let Some(story) = db.parent().filter(|_| !self.0.is_empty()) else { return };
        let aside = story.join(older_folder(version));
        let _ = fs::create_dir(&aside);
        for plan in self.0 {
            let _ = fs::rename(story.join(ASSETS_FOLDER).join(&plan), aside.join(&plan));
        }
    }
}

/// Returns the folder of the plan, and the present path of the file: its own, or one beside an older copy that was
/// restored.
fn find(story: &Path, named: &str) -> Result<Option<(String, PathBuf)>, StoryError> {
    let parts: Vec<Component<'_>> = Path::new(named).components().collect();
    let is_plain = parts.iter().all(|part| matches!(part, Component::Normal(_)));
    let [Component::Normal(first), Component::Normal(plan), _, ..] = parts[..] else {
        return Ok(None);
    };
    if !is_plain || first != ASSETS_FOLDER {
        return Ok(None);
    }
    let older = (1..FORMAT_VERSION).rev().map(older_folder);
    for folder in [ASSETS_FOLDER.to_owned()].into_iter().chain(older) {
        let path = story.join(folder).join(parts[1..].iter().collect::<PathBuf>());
        if is_reached_without_links(story, &path)? {
            return Ok(Some((plan.to_string_lossy().into_owned(), path)));
        }
    }
    Ok(None)
}

fn is_reached_without_links(story: &Path, path: &Path) -> Result<bool, StoryError> {
    let above = path.ancestors().skip(1).take_while(|above| *above != story);
    for folder in above {
        if kind(folder)? != Some(FOLDER) {
            return Ok(false);
        }
    }
    Ok(kind(path)? == Some(FILE))
}

/// Stores a file; `None` if it is too large for a story.
fn store(story: &Path, path: &Path) -> Result<Option<AssetName>, StoryError> {
    let failed = |source| StoryError::Io { action: "read", path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.len() > ASSET_BYTES_MAX {
        return Ok(None);
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let ending = ending.to_ascii_lowercase();
    let is_plain = !ending.is_empty()
        && ending.len() <= 16
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let ending = if is_plain { ending.as_str() } else { ENDING_DEFAULT };
    let (name, _) = AssetFolder::create(story)?.store(&mut file, ending, ASSET_BYTES_MAX)?;
    Ok(Some(name))
}
