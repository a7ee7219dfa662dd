//! Files to import → files of a campaign folder.

use std::collections::BTreeSet;

use super::{
    folder_import::FolderImport, from_card::import_card, from_chat::import_chat,
    from_story::import_story, lore::import_book, paths::FolderFiles,
};
use crate::{ImportContent, ImportFile, ImportNotes};

/// The additions of an import to a folder.
#[derive(Debug, Clone, Default)]
pub struct ImportResult {
    /// New files, and files with something added. No other file changes.
    pub files: FolderFiles,
    /// The notes of the import.
    pub notes: ImportNotes,
}

/// Returns the files that these imports add to a campaign folder. Existing files do not change, but lists get more
/// entries.
pub fn import(parsed: &[ImportFile], existing: &FolderFiles, player: &str) -> ImportResult {
    let mut notes = ImportNotes::default();
    let mut folder = FolderImport {
        existing,
        added: FolderFiles::new(),
        notes: &mut notes,
        player: player.to_owned(),
        current: BTreeSet::new(),
    };
    folder.know_player();
    for file in parsed {
        let stem = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        match &file.content {
            ImportContent::Card(card) => import_card(card, &mut folder),
            ImportContent::Book(book) => import_book(book, stem, &mut folder),
            ImportContent::Chat(chat) => import_chat(chat, stem, &mut folder),
            ImportContent::Story(story) => import_story(story, stem, &mut folder),
        }
    }
    ImportResult { files: folder.added, notes }
}
