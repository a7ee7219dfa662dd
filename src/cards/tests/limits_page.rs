//! The page names each limit with its value.

use std::{collections::BTreeMap, fs};

use crate::*;

#[test]
fn every_limit_of_imports_stands_on_the_page() {
    macro_rules! named {
        ($($name:ident)*) => { BTreeMap::from([$((stringify!($name).to_owned(), $name.to_string())),*]) };
    }
    let constants = named! {
        IMPORT_FILES_MAX IMPORT_FILE_BYTES_MAX CARD_JSON_BYTES_MAX CARD_VALUES_MAX CARD_DEPTH_MAX PNG_CHUNKS_MAX PNG_TEXT_BYTES_MAX
        CHARX_BYTES_MAX CHARX_FILES_MAX CHARX_PATH_BYTES_MAX UNPACKED_RATIO_MAX CARD_ASSETS_MAX GREETINGS_MAX BOOK_ENTRIES_MAX
        ENTRY_KEYS_MAX CHAT_BYTES_MAX CHAT_MESSAGES_MAX STORY_TEXT_BYTES_MAX PASSAGES_MAX PASSAGE_LINKS_MAX INK_NESTING_MAX
        MACRO_TEXT_BYTES_MAX IMPORT_NOTES_MAX PASSAGE_VARIANTS_MAX VARIANT_TEXT_BYTES_MAX STORY_LOGIC_PARTS_MAX STORY_VARIABLES_MAX
        LOGIC_NESTING_MAX
    };
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/importing.md");
    let page = fs::read_to_string(page).unwrap();
    let mut there = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with('|') && line.contains("_MAX`")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        there.insert(cells[2].trim_matches('`').to_owned(), cells[3].to_owned());
    }
    assert_eq!(there, constants);
    let own = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/limits.rs")).unwrap();
    let declared = own.lines().filter(|line| line.starts_with("pub const")).count();
    assert_eq!(declared, constants.len(), "a limit is not on the page");
}
