//! Files of other programs. Bytes become cards, world books, chats and branching stories; these become
//! files of a campaign folder, and files of a folder become these again.
//!
//! - [`ImportFile::parse`]: bytes → what they are. Values are read as programs write them; each deviation gets a note.
//! - [`import`]: what was read → files of a campaign. The original lies in `cards/`, so that nothing is lost.
//! - [`export`]: files of a campaign → a file for other programs: the original, with what an author has changed.
//!
//! Parts that have no place in a campaign are listed in [`ImportNotes`] and never dropped. This crate is pure: no disk,
//! no clock. It knows nothing of worlds and plots but the paths and texts of a campaign folder.

#![warn(missing_docs)]

mod book;
mod book_words;
mod branching;
mod card;
mod card_dialects;
mod card_fields;
mod card_text;
mod charx;
mod chat;
mod damaged_book;
mod entities;
mod error;
mod folder;
mod ink;
mod ink_weave;
mod ink_words;
mod limits;
mod logic;
mod loose;
mod macros;
mod note;
mod passage_text;
mod piece_builder;
mod png;
mod source;
mod stored_files;
mod story_files;
mod taken_names;
#[cfg(test)]
mod tests;
mod twee;
mod twee_markup;
mod twine_html;
mod variants;

pub use book::{BookEntry, WorldBook};
pub use book_words::WorldBookFormat;
pub use branching::{BranchingStory, LinkOffer, PassageLink, StoryFormat, StoryPassage};
pub use card::CharacterCard;
pub use card_fields::{AssetPlace, CardAsset, CardFields, CardFormat};
pub use charx::CharxFiles;
pub use chat::{ChatLine, ChatLog};
pub use error::{CardError, CardProblem};
pub use folder::{ExportForm, ExportResult, FolderFiles, ImportResult, export, import};
pub use limits::{
    BOOK_ENTRIES_MAX, CARD_ASSETS_MAX, CARD_DEPTH_MAX, CARD_JSON_BYTES_MAX, CARD_VALUES_MAX,
    CHARX_BYTES_MAX, CHARX_FILES_MAX, CHARX_PATH_BYTES_MAX, CHAT_BYTES_MAX, CHAT_MESSAGES_MAX,
    ENTRY_KEYS_MAX, GREETINGS_MAX, IMPORT_FILE_BYTES_MAX, IMPORT_FILES_MAX, IMPORT_NOTES_MAX,
    INK_NESTING_MAX, LOGIC_NESTING_MAX, MACRO_TEXT_BYTES_MAX, PASSAGE_LINKS_MAX,
    PASSAGE_VARIANTS_MAX, PASSAGES_MAX, PNG_CHUNKS_MAX, PNG_TEXT_BYTES_MAX, STORY_LOGIC_PARTS_MAX,
    STORY_TEXT_BYTES_MAX, STORY_VARIABLES_MAX, UNPACKED_RATIO_MAX, VARIANT_TEXT_BYTES_MAX,
};
pub use logic::{
    SourceChange, StorySetting, StorySource, StoryTest, StoryValue, StoryVariable, TestOperator,
};
pub use macros::MacroNames;
pub use note::{ImportNote, ImportNotes, NoteKind};
pub use png::{PngPicture, PngText};
pub use source::{CardFile, ImportContent, ImportFile};
pub use story_files::{IncludeReader, NamedFile, read_together};
