//! Limits of imports. The player chooses these files, but their contents are untrusted.

/// Longest file. A campaign folder holds as much.
pub const IMPORT_FILE_BYTES_MAX: usize = 64 << 20;

/// Longest JSON document of a card or a book. A book of ten thousand entries has some 10 MiB.
pub const CARD_JSON_BYTES_MAX: usize = 16 << 20;

/// Values of such a document. An entry of a book has some fifty.
pub const CARD_VALUES_MAX: usize = 600_000;

/// Nesting of such a document. Scripts that some programs keep in a card nest some ten levels deep.
pub const CARD_DEPTH_MAX: usize = 64;

/// Chunks of a PNG file. Some programs write one for each 8 KiB of a picture.
pub const PNG_CHUNKS_MAX: usize = 65_536;

/// Bytes that all compressed texts of a PNG file have together, unpacked.
pub const PNG_TEXT_BYTES_MAX: usize = 24 << 20;

/// Bytes that the files of a CHARX have together, unpacked.
pub const CHARX_BYTES_MAX: usize = 64 << 20;

/// Files of a CHARX: a picture for each feeling and each dress.
pub const CHARX_FILES_MAX: usize = 4_096;

/// How many times larger unpacked data may be than packed data. JSON of cards packs by ten; this stops bombs.
pub const UNPACKED_RATIO_MAX: usize = 200;

/// Unpacked bytes that count towards the ratio only from here on: a short text of blanks is no bomb.
pub(crate) const UNPACKED_FREE_BYTES: usize = 1 << 20;

/// Longest path of a file in a CHARX, in bytes.
pub const CHARX_PATH_BYTES_MAX: usize = 240;

/// Assets that a card lists, whether they are in the file or not.
pub const CARD_ASSETS_MAX: usize = 4_096;

/// Greetings of a card besides the first. People read a few.
pub const GREETINGS_MAX: usize = 200;

/// Entries of a world book.
pub const BOOK_ENTRIES_MAX: usize = 10_000;

/// Keywords of one entry.
pub const ENTRY_KEYS_MAX: usize = 1_000;

/// Longest chat. A year of playing has some 10 MiB.
pub const CHAT_BYTES_MAX: usize = 32 << 20;

/// Messages of a chat.
pub const CHAT_MESSAGES_MAX: usize = 20_000;

/// Longest Twee or ink file.
pub const STORY_TEXT_BYTES_MAX: usize = 8 << 20;

/// Passages of a story, or knots and the parts between choices. Each becomes a storylet, and a campaign has room for four
/// thousand.
pub const PASSAGES_MAX: usize = 3_900;

/// Links of one passage.
pub const PASSAGE_LINKS_MAX: usize = 200;

/// Ways in which one passage may read. Each set of conditions that may hold is one.
pub const PASSAGE_VARIANTS_MAX: usize = 12;

/// Bytes of texts beside conditions that stand in several ways to read a passage, in a whole story.
pub const VARIANT_TEXT_BYTES_MAX: usize = 8 << 20;

/// Parts of all conditions of a story, for each way to read a passage.
pub const STORY_LOGIC_PARTS_MAX: usize = 200_000;

/// Variables of a story that conditions ask for. A campaign has room for two hundred.
pub const STORY_VARIABLES_MAX: usize = 150;

/// How deep conditions of a passage nest.
pub const LOGIC_NESTING_MAX: usize = 16;

/// How deep choices of ink nest.
pub const INK_NESTING_MAX: usize = 16;

/// Bytes that the macros of one import may become. A macro of five bytes may stand for a name of hundreds.
pub const MACRO_TEXT_BYTES_MAX: usize = 8 << 20;

/// Most notes of one import. Further notes are only counted.
pub const IMPORT_NOTES_MAX: usize = 400;

/// Most files of one import.
pub const IMPORT_FILES_MAX: usize = 200;
