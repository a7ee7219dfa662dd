//! Files that are imported together: several Twee files are one story, and an ink file may include others.

use std::collections::BTreeSet;

use narratoria_protocol::{bounded_text, without_byte_order_mark};

use crate::{
    CardError, CardProblem, IMPORT_FILES_MAX, ImportFile, ImportNotes, STORY_TEXT_BYTES_MAX,
    ink::{is_ink_file, knot_name},
    twee::{begins_story, is_twee_file},
};

/// A file by its name, without folders, and its content.
pub struct NamedFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Brings a file that another one includes: the index of the first file, and a path below its folder. The error says why
/// it cannot be read.
pub type IncludeReader<'r> = dyn FnMut(usize, &str) -> Result<Vec<u8>, String> + 'r;

/// Reads files that are imported together.
pub fn read_together(
    files: &[NamedFile],
    include: &mut IncludeReader<'_>,
    notes: &mut ImportNotes,
) -> Result<Vec<ImportFile>, CardError> {
    let is_twee = |file: &&NamedFile| is_twee_file(&file.name, &file.bytes);
    let twee: Vec<&NamedFile> = files.iter().filter(is_twee).collect();
    // Each of several with settings is a story of its own.
    let stories = twee.iter().filter(|file| begins_story(&file.bytes)).count();
    let joins = twee.len() > 1 && stories <= 1;
    let mut read = Vec::new();
    let mut is_joined = false;
    for (at, file) in files.iter().enumerate() {
        let problem = |problem: CardProblem| problem.in_file(&file.name);
        if joins && is_twee(&file) {
            if !std::mem::replace(&mut is_joined, true) {
                let text = joined(&twee)?;
                let what = format!("{} Twee files", twee.len());
                notes.changed(what, "they are one story, kept as one file");
                read.push(ImportFile::parse(&file.name, text.as_bytes(), notes)?);
            }
            continue;
        }
        if is_ink_file(&file.name, &file.bytes) {
            let bytes = &mut |path: &str| include(at, path);
            let whole = with_includes(&file.name, &file.bytes, bytes).map_err(problem)?;
            read.push(ImportFile::parse(&file.name, whole.as_bytes(), notes)?);
            continue;
        }
        read.push(ImportFile::parse(&file.name, &file.bytes, notes)?);
    }
    Ok(read)
}

/// Twee files one after the other.
fn joined(files: &[&NamedFile]) -> Result<String, CardError> {
    let mut whole = String::new();
    for file in files {
        let text = bounded_text(&file.bytes, STORY_TEXT_BYTES_MAX)
            .map_err(|problem| CardProblem::Text { problem }.in_file(&file.name))?;
        let bytes = whole.len() + text.len() + 2;
        if bytes > STORY_TEXT_BYTES_MAX {
            let problem = CardProblem::TooLong { bytes, limit: STORY_TEXT_BYTES_MAX };
            return Err(problem.in_file(&format!("{} and the others", file.name)));
        }
        whole += text.trim_end();
        whole += "\n\n";
    }
    Ok(whole)
}

/// An ink text with the files that it includes: their knots stand behind its own, as ink has it.
fn with_includes(
    name: &str,
    bytes: &[u8],
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<String, CardProblem> {
    let text = bounded_text(bytes, STORY_TEXT_BYTES_MAX)
        .map_err(|problem| CardProblem::Text { problem })?;
    if !text.lines().any(|line| included(line).is_some()) {
        return Ok(text.to_owned());
    }
    let open = vec![name.to_owned()];
    let mut includer =
        Includer { read, open, done: BTreeSet::new(), bytes: text.len(), knots: String::new() };
    let (head, knots) = includer.parts(text)?;
    Ok(format!("{head}{knots}{}", includer.knots))
}

/// The path of a line `INCLUDE path`.
fn included(line: &str) -> Option<&str> {
    line.trim().strip_prefix("INCLUDE ").map(str::trim)
}

struct Includer<'r> {
    read: &'r mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    /// The files that are being read, each included by the one before it.
    open: Vec<String>,
    done: BTreeSet<String>,
    /// Bytes of all of them.
    bytes: usize,
    /// The knots of included files.
    knots: String,
}

impl Includer<'_> {
    /// The lines before the first knot, with those of included files, and the other lines.
    fn parts(&mut self, text: &str) -> Result<(String, String), CardProblem> {
        let (mut head, mut knots) = (String::new(), String::new());
        for line in text.lines() {
            let into = match knots.is_empty() && knot_name(line.trim()).is_none() {
                true => &mut head,
                false => &mut knots,
            };
            match included(line) {
                Some(path) => {
                    let part = self.include(path)?;
                    into.push_str(&part);
                }
                None => into.push_str(line),
            }
            into.push('\n');
        }
        Ok((head, knots))
    }

    fn include(&mut self, written: &str) -> Result<String, CardProblem> {
        let path = path_below(written).ok_or_else(|| {
            CardProblem::Shape(format!("includes `{written}`, which leads out of its folder"))
        })?;
        if let Some(at) = self.open.iter().position(|open| *open == path) {
            let circle = [&self.open[at..], &[path]].concat().join("` includes `");
            return Err(CardProblem::Shape(format!("includes files in a circle: `{circle}`")));
        }
        if self.done.contains(&path) {
            return Ok(String::new());
        }
        if self.done.len() >= IMPORT_FILES_MAX {
            let (count, limit) = (self.done.len() + 1, IMPORT_FILES_MAX);
            return Err(CardProblem::TooMany { count, what: "included files", limit });
        }
        self.done.insert(path.clone());
        let bytes = (self.read)(&path)
            .map_err(|why| CardProblem::Shape(format!("includes `{path}`, and {why}")))?;
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > STORY_TEXT_BYTES_MAX {
            let (bytes, limit) = (self.bytes, STORY_TEXT_BYTES_MAX);
            return Err(CardProblem::TooLong { bytes, limit });
        }
        let text = std::str::from_utf8(without_byte_order_mark(&bytes)).map_err(|_| {
            CardProblem::Shape(format!("includes `{path}`, and that file is no text"))
        })?;
        self.open.push(path);
        let (head, knots) = self.parts(text)?;
        self.open.pop();
        self.knots += &knots;
        Ok(head)
    }
}

/// A path below a folder, in its shortest form. `None` if it leads out of it.
fn path_below(written: &str) -> Option<String> {
    let written = written.trim_matches('"').replace('\\', "/");
    if written.starts_with('/') || written.contains([':', '\0']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in written.split('/') {
        match part.trim() {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{NamedFile, path_below, read_together};
    use crate::{ImportContent, ImportNotes};

    fn read(files: &[(&str, &str)], others: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let named = |(name, text): &(&str, &str)| NamedFile {
            name: (*name).to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let files: Vec<NamedFile> = files.iter().map(named).collect();
        let mut include = |_: usize, path: &str| {
            let found = others.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| text.as_bytes().to_vec()).ok_or("there is none".to_owned())
        };
        let read = read_together(&files, &mut include, &mut ImportNotes::default());
        let told = |content: ImportContent| match content {
            ImportContent::Story(story) => {
                let names: Vec<&str> =
                    story.passages.iter().map(|passage| passage.name.as_str()).collect();
                names.join(" ")
            }
            _ => "no story".to_owned(),
        };
        let read = read.map_err(|error| error.to_string())?;
        Ok(read.into_iter().map(|file| told(file.content)).collect())
    }

    #[test]
    fn several_twee_files_are_one_story_and_those_with_settings_stories_of_their_own() {
        let files = [
            ("a.twee", ":: StoryData\n{\"start\": \"Hall\"}\n:: Hall\n[[Cellar]]\n"),
            ("b.tw", ":: Cellar\nDark.\n"),
        ];
        assert_eq!(read(&files, &[]).unwrap(), ["Hall Cellar"]);
        let apart = [files[0], ("c.twee", ":: StoryData\n{}\n:: Yard\nRain.\n")];
        assert_eq!(read(&apart, &[]).unwrap(), ["Hall", "Yard"]);
    }

    #[test]
    fn an_ink_file_includes_others_of_its_folder() {
        let main = "INCLUDE parts/b.ink\nHello. -> b\n=== a ===\nA.\n-> END\n";
        let others = [
            ("parts/b.ink", "INCLUDE c.ink\n=== b ===\nB. -> c\n"),
            ("c.ink", "=== c ===\nC. -> a\n"),
        ];
        let told = read(&[("main.ink", main)], &others).unwrap();
        assert_eq!(told, ["the beginning a c b"]);
    }

    #[test]
    fn an_include_that_is_missing_goes_in_a_circle_or_leads_out_is_an_error() {
        let main = |path: &str| format!("INCLUDE {path}\n=== a ===\nA.\n-> END\n");
        let error = |path: &str| {
            let others = [("b.ink", "INCLUDE c.ink\n"), ("c.ink", "INCLUDE x/../b.ink\n")];
            read(&[("main.ink", &main(path))], &others).unwrap_err()
        };
        assert_eq!(error("d.ink"), "`main.ink` includes `d.ink`, and there is none");
        assert_eq!(
            error("b.ink"),
            "`main.ink` includes files in a circle: `b.ink` includes `c.ink` includes `b.ink`"
        );
        for path in ["../b.ink", "/etc/passwd", "x/../../b.ink", "C:b.ink"] {
            assert!(error(path).ends_with("which leads out of its folder"), "{path}");
        }
        assert_eq!(path_below("./x\\y.ink").unwrap(), "x/y.ink");
    }

    #[test]
    fn included_files_have_a_sum() {
        let main: String = (0..9).map(|n| format!("INCLUDE {n}.ink\n")).collect();
        let text = "x\n".repeat(500_000);
        let names: Vec<String> = (0..9).map(|n| format!("{n}.ink")).collect();
        let others: Vec<(&str, &str)> =
            names.iter().map(|name| (name.as_str(), text.as_str())).collect();
        let error = read(&[("main.ink", &format!("{main}=== a ===\n"))], &others).unwrap_err();
        assert!(error.contains("has 9000"), "{error}");
        assert!(error.ends_with("the limit is 8388608"), "{error}");
    }
}
