//! Files to import → files of a campaign folder.

use std::collections::BTreeSet;

use super::{
    folder_import::FolderImport,
    from_card::import_card,
    from_chat::import_chat,
    from_story::import_story,
    lore::import_book,
    paths::{BOOKS, CARDS, CHATS, FolderFiles, STORIES},
    plain_text::pretty,
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
        if let Some(path) = original_there(&file.content, &folder) {
            let why = format!("it is in the campaign already, as `{path}`, so nothing is added");
            folder.notes.not_mapped(format!("the file `{}`", file.name), why);
            continue;
        }
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

/// Returns the path of an equal original in the folder: the same file was imported before.
fn original_there(content: &ImportContent, folder: &FolderImport<'_>) -> Option<String> {
    let (within, original) = match content {
        ImportContent::Card(file) => (CARDS, pretty(&file.card.original).into_bytes()),
        ImportContent::Book(book) => (BOOKS, pretty(&book.original).into_bytes()),
        ImportContent::Chat(chat) => (CHATS, chat.write().into_bytes()),
        ImportContent::Story(story) => (STORIES, story.original.clone().into_bytes()),
    };
    let path = folder.find_content(within, &original)?;
    let ImportContent::Card(file) = content else { return Some(path) };
    // The same card may come again with its pictures.
    let name = path.strip_prefix(CARDS)?.strip_suffix(".json")?;
    let brings_files =
        file.picture.is_some() || !file.files.is_empty() || !file.png_assets.is_empty();
    let has_files =
        || ["cards/{}/", "art/{}."].iter().any(|at| folder.has_below(&at.replace("{}", name)));
    (!brings_files || has_files()).then_some(path)
}
