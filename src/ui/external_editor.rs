//! Lets the player change a text in an external editor.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

/// Longest text that is read back. A plan is the longest text that a player edits.
const DRAFT_BYTES_MAX: u64 = narratoria_plan::PLAN_BYTES_MAX as u64;

/// Most drafts in a folder.
const DRAFTS_MAX: u32 = 1_000;

/// The editor, and the folder for its drafts.
#[derive(Debug, Clone, Copy)]
pub struct ExternalEditor<'a> {
    /// The command of `$VISUAL` or `$EDITOR`: a program with arguments, as the shell reads it.
    pub command: &'a str,
    /// Created if it does not exist.
    pub folder: &'a Path,
    /// True if stdin and stdout are a terminal. Without one, an editor would never end.
    pub is_terminal: bool,
}

/// The text after editing. The draft stays on the disk until it is discarded.
#[derive(Debug, PartialEq, Eq)]
pub struct EditedDraft {
    pub text: String,
    pub draft: PathBuf,
    /// True if the player changed anything.
    pub changed: bool,
}

/// Why editing failed. The draft keeps everything that was saved.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    #[error("an editor needs a terminal; without one, write the JSON on the line")]
    NoTerminal,
    #[error(
        "no editor is named and none is installed: set VISUAL or EDITOR, or write the JSON on the line"
    )]
    NoEditor,
    /// The folder cannot be created or written.
    #[error("a draft cannot be kept in `{}`", folder.display())]
    Folder {
        folder: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` has {DRAFTS_MAX} drafts already: delete those that you do not need", folder.display())]
    TooMany { folder: PathBuf },
    /// The program is not installed, or cannot be run.
    #[error("the editor `{command}` cannot be started; the draft is `{}`", draft.display())]
    Start {
        command: String,
        draft: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The editor reported with its exit status that the player gave up.
    #[error("the editor `{command}` ended with {status}; the draft is `{}`", draft.display())]
    Failed { command: String, status: ExitStatus, draft: PathBuf },
    /// The draft is missing, too long or not text.
    #[error("the draft `{}` cannot be read", draft.display())]
    Read {
        draft: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Editors that are tried in this order if the environment names none.
const FALLBACK_EDITORS: [&str; 4] = ["sensible-editor", "nano", "vi", "notepad.exe"];

/// Returns the first of [`FALLBACK_EDITORS`] that is in one of these folders.
pub fn fallback_editor(folders: &[PathBuf]) -> Option<String> {
    let is_there = |name: &&&str| folders.iter().any(|folder| folder.join(name).is_file());
    FALLBACK_EDITORS.iter().find(is_there).map(|name| (*name).to_owned())
}

impl EditedDraft {
    /// Deletes the draft. A draft that cannot be deleted does no harm.
    pub fn discard(self) {
        let _ = fs::remove_file(self.draft);
    }
}

/// Opens the text in the editor and waits until the editor closes. The suffix, such as `.json`, shows the editor the
/// format.
pub fn edit_in_editor(
    text: &str,
    suffix: &str,
    editor: ExternalEditor<'_>,
) -> Result<EditedDraft, DraftError> {
    if !editor.is_terminal {
        return Err(DraftError::NoTerminal);
    }
    if editor.command.trim().is_empty() {
        return Err(DraftError::NoEditor);
    }
    let draft = write_draft(text, suffix, editor.folder)?;
    let command = || editor.command.to_owned();
    let status = match editor_command(editor.command, &draft).status() {
        Ok(status) => status,
        Err(source) => return Err(DraftError::Start { command: command(), draft, source }),
    };
    if !status.success() {
        return Err(DraftError::Failed { command: command(), status, draft });
    }
    match read_draft(&draft) {
        Ok(edited) => Ok(EditedDraft { changed: edited != text, text: edited, draft }),
        Err(source) => Err(DraftError::Read { draft, source }),
    }
}

/// Writes a new file; earlier drafts stay as they are.
fn write_draft(text: &str, suffix: &str, folder: &Path) -> Result<PathBuf, DraftError> {
    let failed = |source: io::Error| DraftError::Folder { folder: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    for number in 1..=DRAFTS_MAX {
        let draft = folder.join(format!("draft-{number}{suffix}"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        // Other users must not read the player's text.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&draft).and_then(|mut file| file.write_all(text.as_bytes())) {
            Ok(()) => return Ok(draft),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(DraftError::TooMany { folder: folder.to_owned() })
}

/// Opens the draft by its path again, because many editors replace the file.
fn read_draft(draft: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(draft)?.take(DRAFT_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > DRAFT_BYTES_MAX {
        let what = format!("it is longer than {DRAFT_BYTES_MAX} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    Ok(text)
}

/// Returns the command in the form that git uses: the shell reads it, and the file is its last argument. Ctrl-C goes to
/// the editor; the shell keeps waiting for it.
#[cfg(unix)]
fn editor_command(command: &str, draft: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("trap : INT; {command} \"$@\"")).arg(command).arg(draft);
    shell
}

#[cfg(not(unix))]
fn editor_command(command: &str, draft: &Path) -> Command {
    let mut words = command.split_whitespace();
    let mut editor = Command::new(words.next().unwrap_or_default());
    editor.args(words).arg(draft);
    editor
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt, path::Path};

    use tempfile::TempDir;

    use super::{DraftError, EditedDraft, ExternalEditor, edit_in_editor, fallback_editor};

    /// A folder whose name the shell would split, with a script as the editor.
    fn stage(script: &str) -> (TempDir, String) {
        let home = TempDir::with_prefix("an editor's ").unwrap();
        let path = home.path().join("ed it");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let quoted = format!("\"{}\"", path.display());
        (home, quoted)
    }

    fn edit(home: &Path, command: &str, text: &str) -> Result<EditedDraft, DraftError> {
        let folder = home.join("drafts");
        edit_in_editor(
            text,
            ".json",
            ExternalEditor { command, folder: &folder, is_terminal: true },
        )
    }

    /// The error, its cause and the path of the draft, without the folder of this run.
    #[track_caller]
    fn check(home: &Path, result: Result<EditedDraft, DraftError>, expect: &str) {
        let error = result.unwrap_err();
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        let found = format!("{error}{}", cause.unwrap_or_default());
        assert_eq!(found.replace(home.to_str().unwrap(), "HOME"), expect);
    }

    #[test]
    fn the_edited_text_comes_back_and_the_draft_stays() {
        let (home, editor) =
            stage(r#"[ "$1" = --wait ] && printf '%s' "$(cat "$2") and more" > "$2""#);
        let edited = edit(home.path(), &format!("{editor} --wait"), "one").unwrap();
        assert_eq!((edited.text.as_str(), edited.changed), ("one and more", true));
        assert_eq!(edited.draft, home.path().join("drafts/draft-1.json"));
        assert_eq!(fs::read_to_string(&edited.draft).unwrap(), "one and more");
        assert_eq!(fs::metadata(&edited.draft).unwrap().permissions().mode() & 0o777, 0o600);
        let second = edit(home.path(), &format!("{editor} --wait"), "two").unwrap();
        assert_eq!(second.draft, home.path().join("drafts/draft-2.json"));
        second.discard();
        assert_eq!(fs::read_dir(home.path().join("drafts")).unwrap().count(), 1);
    }

    #[test]
    fn an_editor_may_replace_the_file() {
        let (home, editor) = stage(r#"printf new > "$1.tmp" && mv "$1.tmp" "$1""#);
        assert_eq!(edit(home.path(), &editor, "old").unwrap().text, "new");
    }

    #[test]
    fn an_unchanged_text_is_reported_as_such() {
        let (home, editor) = stage("exit 0");
        assert!(!edit(home.path(), &editor, "as it is\n").unwrap().changed);
    }

    #[test]
    fn an_editor_that_gives_up_leaves_the_draft() {
        let (home, _) = stage("");
        let failed = edit(home.path(), "exit 3;", "text");
        let expect = "the editor `exit 3;` ended with exit status: 3; the draft is `HOME/drafts/draft-1.json`";
        check(home.path(), failed, expect);
        let missing = edit(home.path(), "no-such-editor-at-all", "text").unwrap_err();
        assert!(missing.to_string().contains("exit status: 127"), "{missing}");
    }

    #[test]
    fn a_draft_that_is_gone_or_no_text_is_an_error() {
        let (home, editor) = stage(r#"rm "$1""#);
        check(
            home.path(),
            edit(home.path(), &editor, "text"),
            "the draft `HOME/drafts/draft-1.json` cannot be read: No such file or directory (os error 2)",
        );
        let (home, editor) = stage(r#"head -c 2000000 /dev/zero > "$1""#);
        check(
            home.path(),
            edit(home.path(), &editor, "text"),
            "the draft `HOME/drafts/draft-1.json` cannot be read: it is longer than 1048576 bytes",
        );
    }

    #[test]
    fn editing_needs_a_terminal_and_an_editor() {
        let (home, _) = stage("");
        let folder = home.path().join("drafts");
        let editor = ExternalEditor { command: "vi", folder: &folder, is_terminal: false };
        check(
            home.path(),
            edit_in_editor("x", ".json", editor),
            "an editor needs a terminal; without one, write the JSON on the line",
        );
        let editor = ExternalEditor { command: " ", is_terminal: true, ..editor };
        check(
            home.path(),
            edit_in_editor("x", ".json", editor),
            "no editor is named and none is installed: set VISUAL or EDITOR, or write the JSON on the line",
        );
        assert!(!folder.exists());
    }

    #[test]
    fn the_first_editor_that_is_installed_is_the_fallback() {
        let (home, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let folders = [home.path().to_owned(), other.path().to_owned()];
        assert_eq!(fallback_editor(&folders), None);
        for editor in ["vi", "nano"] {
            fs::write(other.path().join(editor), "").unwrap();
            assert_eq!(fallback_editor(&folders).as_deref(), Some(editor));
        }
        fs::create_dir(home.path().join("sensible-editor")).unwrap();
        assert_eq!(fallback_editor(&folders).as_deref(), Some("nano"));
        assert_eq!(fallback_editor(&[]), None);
    }

    #[test]
    fn a_folder_that_cannot_be_created_is_an_error() {
        let (home, editor) = stage("");
        fs::write(home.path().join("drafts"), "in the way").unwrap();
        check(
            home.path(),
            edit(home.path(), &editor, "x"),
            "a draft cannot be kept in `HOME/drafts`: File exists (os error 17)",
        );
    }
}
