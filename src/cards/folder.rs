//! To and from the files of a campaign folder. Knows paths and texts; reads and writes no disk.

mod export;
mod folder_import;
mod from_card;
mod from_chat;
mod from_story;
mod import;
mod lore;
mod overlay;
mod paths;
mod plain_text;
mod profile;
mod sections;
mod story_qualities;
mod to_story;
mod toml_text;

pub use export::{ExportForm, ExportResult, export};
pub use import::{ImportResult, import};
pub use paths::FolderFiles;
