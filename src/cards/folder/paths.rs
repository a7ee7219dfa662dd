//! Paths in a campaign folder.

use std::collections::BTreeMap;

/// Files of a campaign folder by their paths, with `/`.
pub type FolderFiles = BTreeMap<String, Vec<u8>>;

/// The folder of the documents of cards, and of everything else that was imported.
pub(crate) const CARDS: &str = "cards/";

/// The folder of the documents of books.
pub(crate) const BOOKS: &str = "cards/books/";

/// The folder of chats.
pub(crate) const CHATS: &str = "cards/chats/";

/// The folder of stories.
pub(crate) const STORIES: &str = "cards/stories/";

/// Below `cards/NAME/`: assets from texts of a PNG picture.
pub(crate) const PNG_TEXTS: &str = "png-texts/";

/// The end of the name of a record of an import.
pub(crate) const RECORD: &str = ".import.json";

/// The file with the keywords of a page of lore.
pub(crate) fn keywords_path(lore: &str) -> String {
    format!("{}.keywords.txt", lore.trim_end_matches(".md"))
}
