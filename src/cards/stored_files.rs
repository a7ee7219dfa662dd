//! Decides which files of a card an import writes to the disk. Their names and contents are untrusted.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_protocol::{
    drawing::is_drawing,
    stored_file::{is_script_or_page, makes_repository, portable_fault, runnable_file},
    visible::{clip, visible_word},
};

use crate::{CHARX_PATH_BYTES_MAX, ImportNotes};

/// Folders in folders that such a path may have.
const PATH_PARTS_MAX: usize = 8;

/// Returns true if a path stays within its folder on every system. No name begins with a dot, because git, shells and
/// editors run the content of some such files.
pub(crate) fn is_plain_path(path: &str) -> bool {
    path.len() <= CHARX_PATH_BYTES_MAX
        && path.split('/').count() <= PATH_PARTS_MAX
        && path.split('/').all(|part| !part.trim().is_empty() && !part.starts_with('.'))
        && portable_fault(path).is_none()
}

/// Returns the files without programs and repositories, and without files whose path is the folder of another file.
/// Each file that is left out gets a note.
pub(crate) fn storable_files(
    mut files: BTreeMap<String, Vec<u8>>,
    notes: &mut ImportNotes,
) -> BTreeMap<String, Vec<u8>> {
    let lower: BTreeSet<String> = files.keys().map(|path| path.to_lowercase()).collect();
    files.retain(|path, content| {
        let folder = format!("{}/", path.to_lowercase());
        let mut below = lower.range(folder.clone()..);
        let why = if runnable_file(path, content).is_some() {
            "a program, and no import keeps one"
        } else if is_script_or_page(path) {
            "a script or a page, and no import keeps one"
        } else if is_markup(path, content) && !is_plain_drawing(content) {
            "markup with more than shapes in it, which a browser may run"
        } else if makes_repository(path, &lower) {
            "part of a repository, in which git runs what its settings say"
        } else if below.next().is_some_and(|next| next.starts_with(&folder)) {
            "other files have it as their folder"
        } else {
            return true;
        };
        notes.not_mapped(clip(&visible_word(path), 80), why);
        false
    });
    files
}

/// By its name, or because a browser would take it for one.
fn is_markup(path: &str, content: &[u8]) -> bool {
    let path = path.to_lowercase();
    let has_ending =
        [".svg", ".svgz", ".xml", ".mht", ".mhtml"].iter().any(|end| path.ends_with(end));
    has_ending || content.trim_ascii_start().to_ascii_lowercase().starts_with(b"<svg")
}

fn is_plain_drawing(content: &[u8]) -> bool {
    std::str::from_utf8(content).is_ok_and(is_drawing)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::storable_files;
    use crate::ImportNotes;

    #[test]
    fn what_a_browser_or_an_interpreter_would_run_is_not_kept() {
        let shapes =
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle r="2"/></svg>"#;
        let runs = shapes.replace("<circle", r#"<circle onload="x()""#);
        let files = [
            ("a/plain.svg", shapes),
            ("a/runs.svg", runs.as_str()),
            ("a/runs.png", runs.as_str()),
            ("a/run.JS", "x()"),
            ("a/run.py", "x()"),
            ("a/page.html", "<p>"),
            ("a/zipped.svgz", "\x1f\u{8b}"),
            ("a/notes.txt", "a note"),
        ];
        let files: BTreeMap<String, Vec<u8>> =
            files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).into();
        let mut notes = ImportNotes::default();
        let kept = storable_files(files, &mut notes);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["a/notes.txt", "a/plain.svg"]);
        assert_eq!(notes.list().len(), 6);
    }
}
