//! Random bytes give errors, never a panic; and every file that can be read can be written.

use proptest::prelude::*;

use super::{make::text, shapes};
use crate::{ExportForm, FolderFiles, ImportFile, ImportNotes, export, import};

/// Everything that can be done with a file.
pub(super) fn use_file(name: &str, bytes: &[u8]) {
    let mut notes = ImportNotes::default();
    match ImportFile::parse(name, bytes, &mut notes) {
        Err(error) => assert!(!error.to_string().contains(char::is_control), "{error}"),
        Ok(parsed) => {
            let made = import(&[parsed], &FolderFiles::new(), "");
            for (path, bytes) in &made.files {
                assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..")), "{path}");
                if path.ends_with(".toml") {
                    text(&made.files, path).parse::<toml::Table>().unwrap();
                }
                assert!(
                    path.starts_with("art/")
                        || path.starts_with("cards/")
                        || std::str::from_utf8(bytes).is_ok()
                );
            }
            for form in [
                ExportForm::Card,
                ExportForm::Png,
                ExportForm::Charx,
                ExportForm::Book,
                ExportForm::Chat,
                ExportForm::Twee,
            ] {
                if let Err(problem) = export(&made.files, form, None) {
                    assert!(!problem.to_string().is_empty());
                }
            }
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_no_panic() {
    for shape in shapes::all() {
        let step = (shape.bytes.len() / 40).max(1);
        for end in (0..shape.bytes.len()).step_by(step) {
            use_file(shape.file, &shape.bytes[..end]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_changed_byte_is_no_panic(which in 0_usize..60, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let shapes = shapes::all();
        let shape = &shapes[which % shapes.len()];
        let mut bytes = shape.bytes.clone();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        use_file(shape.file, &bytes);
    }

    #[test]
    fn any_text_is_no_panic(text in "(?s)(::|:|<<if \\$x>>|<<else>>|<</if>>|<<set \\$x to 1>>|\\(else:\\)|x > 1|\\{x:|~ x = 2|\\[\\[|\\]\\]|->|<<|>>|<|>|\\(if:|\\)|\\[|\\]|\\{|\\}|=+|\\*|\\+|-|~|\n| |[a-zé\"'$|]){0,200}") {
        use_file("a.twee", text.as_bytes());
        use_file("a.ink", format!("VAR x = 1\n=== a ===\n{text}").as_bytes());
        use_file("a.html", format!("<tw-storydata name=x startnode=1><tw-passagedata pid=1 {text}").as_bytes());
    }
}
