//! A text that the player changes in an editor of their own.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

/// Longest text that is read back: a plan may have as much, and nothing that is edited is longer.
const DRAFT_BYTES_MAX: u64 = narratoria_plan::PLAN_BYTES_MAX as u64;

/// Drafts that may lie in a folder until somebody clears up.
const DRAFTS_MAX: u32 = 1_000;

/// Where drafts lie and with what they are opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExternalEditor<'a> {
    /// As in `$VISUAL` or `$EDITOR`: a program with arguments, as the shell reads it.
    pub(crate) command: &'a str,
    /// Made if it is not there.
    pub(crate) folder: &'a Path,
    /// Whether stdin and stdout are a terminal: an editor that nobody can see never ends.
    pub(crate) is_terminal: bool,
}

/// What came back. The draft stays on the disk until it is discarded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EditedDraft {
    pub(crate) text: String,
    pub(crate) draft: PathBuf,
    /// Whether the player changed anything.
    pub(crate) changed: bool,
}

/// Why nothing came back. What was written by then is in the draft.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DraftError {
    /// A pipe cannot edit.
    #[error("an editor needs a terminal")]
    NoTerminal,
    /// Neither variable says anything.
    #[error("no editor is named: set VISUAL or EDITOR")]
    NoEditor,
    /// The folder is not to be had.
    #[error("a draft cannot be kept in `{}`", folder.display())]
    Folder {
        folder: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Somebody never clears up.
    #[error("`{}` has {DRAFTS_MAX} drafts already: delete those that you do not need", folder.display())]
    TooMany { folder: PathBuf },
    /// It is not installed, or is no program.
    #[error("the editor `{command}` cannot be started; the draft is `{}`", draft.display())]
    Start {
        command: String,
        draft: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Editors say in this way that nothing is to follow.
    #[error("the editor `{command}` ended with {status}; the draft is `{}`", draft.display())]
    Failed { command: String, status: ExitStatus, draft: PathBuf },
    /// Gone, too long or not text.
    #[error("the draft `{}` cannot be read", draft.display())]
    Read {
        draft: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl EditedDraft {
    /// The draft is needed no longer. One that cannot be deleted does no harm.
    pub(crate) fn discard(self) {
        let _ = fs::remove_file(self.draft);
    }
}

/// Lets the player change a text; waits until the editor closes. `suffix`, such as `.json`, tells the
/// editor what it is.
pub(crate) fn edit_in_editor(
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

/// A new file; those of before stay as they are.
fn write_draft(text: &str, suffix: &str, folder: &Path) -> Result<PathBuf, DraftError> {
    let failed = |source: io::Error| DraftError::Folder { folder: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    for number in 1..=DRAFTS_MAX {
        let draft = folder.join(format!("draft-{number}{suffix}"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        // What the player writes is nobody else's business.
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

/// By its path, not by an open file: many editors write a new file in the old one's place.
fn read_draft(draft: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(draft)?.take(DRAFT_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > DRAFT_BYTES_MAX {
        let what = format!("it is longer than {DRAFT_BYTES_MAX} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    Ok(text)
}

/// As git does it: the shell reads the command, the file is its last argument. Ctrl-C is the editor's; the
/// shell goes on waiting for it.
#[cfg(unix)]
fn editor_command(command: &str, draft: &Path) -> Command {
    let mut order = Command::new("sh");
    order.arg("-c").arg(format!("trap : INT; {command} \"$@\"")).arg(command).arg(draft);
    order
}

#[cfg(not(unix))]
fn order(command: &str, draft: &Path) -> Command {
    let mut words = command.split_whitespace();
    let mut order = Command::new(words.next().unwrap_or_default());
    editor_command.args(words).arg(draft);
    editor_command
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt, path::Path};

    use tempfile::TempDir;

    use super::{DraftError, EditedDraft, ExternalEditor, edit_in_editor};

    /// A folder whose name the shell would take apart, with a script as the editor.
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

    /// What it says, its cause, and where the draft is, without the folder of this run.
    #[track_caller]
    fn check(home: &Path, result: Result<EditedDraft, DraftError>, expect: &str) {
        let error = result.unwrap_err();
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        let found = format!("{error}{}", cause.unwrap_or_default());
        assert_eq!(found.replace(home.to_str().unwrap(), "HOME"), expect);
    }

    #[test]
    fn what_the_editor_writes_comes_back_and_the_draft_stays() {
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
    fn an_editor_that_writes_a_new_file_is_understood() {
        let (home, editor) = stage(r#"printf new > "$1.tmp" && mv "$1.tmp" "$1""#);
        assert_eq!(edit(home.path(), &editor, "old").unwrap().text, "new");
    }

    #[test]
    fn nothing_changed_is_said() {
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
    fn nobody_edits_through_a_pipe_or_without_an_editor() {
        let (home, _) = stage("");
        let folder = home.path().join("drafts");
        let editor = ExternalEditor { command: "vi", folder: &folder, is_terminal: false };
        check(home.path(), edit_in_editor("x", ".json", editor), "an editor needs a terminal");
        let editor = ExternalEditor { command: " ", is_terminal: true, ..editor };
        check(
            home.path(),
            edit_in_editor("x", ".json", editor),
            "no editor is named: set VISUAL or EDITOR",
        );
        assert!(!folder.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_is_an_error() {
        let (home, editor) = stage("");
        fs::write(home.path().join("drafts"), "in the way").unwrap();
        check(
            home.path(),
            edit(home.path(), &editor, "x"),
            "a draft cannot be kept in `HOME/drafts`: File exists (os error 17)",
        );
    }
}
