//! `narratoria campaign import`: turns a player's files from other programs into files of a campaign.

use std::{
    fs,
    path::{Path, PathBuf},
};

use narratoria_campaign::{CampaignSource, ProblemWeight, compile};
use narratoria_cards::{
    FolderFiles, IMPORT_FILE_BYTES_MAX, IMPORT_FILES_MAX, ImportContent, ImportFile, ImportNotes,
    NamedFile, STORY_TEXT_BYTES_MAX, import, read_together,
};
use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::{
    is_campaign_name,
    visible::{clip, visible_word},
};

use super::folder_files::{place, read_folder};
use super::story_name::free_name;
use crate::{
    args::CampaignImportArgs,
    error::CliError,
    exit::Exit,
    files, print_text,
    settings::{self, CliSettings},
};
use narratoria_ui::{Out, Tone, note, visible};

/// Most notes that are shown; the rest is counted.
const NOTES_SHOWN_MAX: usize = 60;

/// Names the files in error messages.
const WHAT: &str = "file to import";

pub(super) fn import_files(args: &CampaignImportArgs) -> Result<Exit, TurnError> {
    if args.files.len() > IMPORT_FILES_MAX {
        let count = args.files.len();
        let error =
            format!("{count} files are named, at most {IMPORT_FILES_MAX} are imported at once");
        return Err(
            TurnError::new(TurnErrorKind::BadInput, error).hint("import them in several goes")
        );
    }
    let mut notes = ImportNotes::default();
    // All of them are read before anything is written.
    let owned = read_files(&args.files, &mut notes)?;
    let folder = match &args.to {
        Some(folder) => folder.clone(),
        None => folder_for(&owned).into(),
    };
    let existing = existing_files(&folder, args.to.is_some())?;
    let player = args.player.as_deref().unwrap_or_default();
    let made = import(&owned, &existing, player);
    notes.append(made.notes);
    check_playable(&existing, &made.files, &notes).map_err(|refused| {
        tell_lines(&refused.notes, &mut Out::stderr(settings::initial_look()));
        refused.error
    })?;
    match folder.symlink_metadata() {
        Ok(_) => write_files(&folder, &made.files, &existing)?,
        Err(_) => write_new_folder(&folder, &made.files)?,
    }
    let look = settings::initial_look();
    let shown = visible_word(&folder.display().to_string()).into_owned();
    let lines = made.files.keys().map(|path| format!("{shown}/{}\n", visible(path)));
    print_text(look, &lines.collect::<String>())?;
    let mut err = Out::stderr(look);
    tell_notes(&notes, &mut err);
    note(&mut err, Tone::Hint, "next", &format!("narratoria campaign check {shown}"));
    note(&mut err, Tone::Hint, "then", &format!("narratoria campaign play {shown}"));
    Ok(Exit::Done)
}

/// Why nothing was imported, and what the importer noted before.
pub(crate) struct RefusedImport {
    pub(crate) error: TurnError,
    pub(crate) notes: Vec<String>,
}

impl<E: Into<TurnError>> From<E> for RefusedImport {
    fn from(error: E) -> RefusedImport {
        RefusedImport { error: error.into(), notes: Vec::new() }
    }
}

/// Reads the files that are named, and the Twee files of folders that are named.
fn read_files(paths: &[PathBuf], notes: &mut ImportNotes) -> Result<Vec<ImportFile>, TurnError> {
    let mut named = Vec::new();
    let mut folders = Vec::new();
    for path in paths {
        if path.is_dir() {
            for (name, bytes) in twee_files(path)? {
                named.push(NamedFile { name, bytes });
                folders.push(path.clone());
            }
            continue;
        }
        let bytes = files::read(path, WHAT, IMPORT_FILE_BYTES_MAX)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_else(|| path.display().to_string());
        named.push(NamedFile { name, bytes });
        folders.push(path.parent().map(Path::to_owned).unwrap_or_default());
    }
    let mut include = |at: usize, path: &str| match folders.get(at) {
        Some(folder) => read_included(folder, path),
        None => Err("its folder is not known".to_owned()),
    };
    read_together(&named, &mut include, notes)
        .map_err(|error| TurnError::new(TurnErrorKind::BadInput, error))
}

/// The Twee files of a folder and its folders, by their paths.
fn twee_files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, TurnError> {
    let is_twee = |path: &str| {
        let path = path.to_lowercase();
        path.ends_with(".twee") || path.ends_with(".tw")
    };
    let files: Vec<(String, Vec<u8>)> =
        read_folder(folder)?.into_iter().filter(|(path, _)| is_twee(path)).collect();
    if files.is_empty() {
        let shown = visible_word(&folder.display().to_string()).into_owned();
        let error = format!("`{shown}` is a folder without Twee files (`.twee`, `.tw`)");
        return Err(TurnError::new(TurnErrorKind::BadInput, error)
            .hint("name the files that `narratoria campaign import` is to read"));
    }
    Ok(files)
}

/// Reads a file that an ink file includes, from below its folder and through no link that leads out of it.
fn read_included(folder: &Path, path: &str) -> Result<Vec<u8>, String> {
    let base = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let file = place(base, path);
    let whole = |path: &Path| path.canonicalize().map_err(|error| error.to_string());
    if !whole(&file)?.starts_with(whole(base)?) {
        return Err("it lies outside the folder".to_owned());
    }
    files::read(&file, WHAT, STORY_TEXT_BYTES_MAX).map_err(|error| error.to_string())
}

/// Imports one file into a new campaign of the home folder. Returns the campaign's name and the notes.
pub(crate) fn import_to_home(
    file_name: &str,
    bytes: &[u8],
    settings: &CliSettings,
) -> Result<(String, Vec<String>), RefusedImport> {
    let mut notes = ImportNotes::default();
    let parsed =
        ImportFile::parse(file_name, bytes, &mut notes).map_err(|error| RefusedImport {
            error: TurnError::new(TurnErrorKind::BadInput, error),
            notes: note_lines(&notes),
        })?;
    let owned = [parsed];
    let campaigns = settings.home()?.campaigns();
    let name =
        free_name(&folder_for(&owned), |name| campaigns.join(name).symlink_metadata().is_err());
    let made = import(&owned, &FolderFiles::new(), "");
    notes.append(made.notes);
    check_playable(&FolderFiles::new(), &made.files, &notes)?;
    write_new_folder(&campaigns.join(&name), &made.files)?;
    Ok((name, note_lines(&notes)))
}

/// The notes of an import, as many as are shown.
fn note_lines(notes: &ImportNotes) -> Vec<String> {
    let list = notes.list();
    let mut lines: Vec<String> =
        list.iter().take(NOTES_SHOWN_MAX).map(ToString::to_string).collect();
    let more = list.len().saturating_sub(NOTES_SHOWN_MAX) + notes.left_out();
    if more > 0 {
        lines.push(format!("{more} more notes like these"));
    }
    lines
}

/// Reports the parts of the imported files that were read loosely or that have no place in a campaign.
pub(super) fn tell_notes(notes: &ImportNotes, err: &mut Out) {
    tell_lines(&note_lines(notes), err);
}

fn tell_lines(lines: &[String], err: &mut Out) {
    for line in lines {
        note(err, Tone::Notice, "note", &visible(line));
    }
}

/// Refuses an import that brings an error into the campaign, because the campaign could not be played afterwards. The
/// errors that its folder has already are its author's.
fn check_playable(
    existing: &FolderFiles,
    made: &FolderFiles,
    notes: &ImportNotes,
) -> Result<(), RefusedImport> {
    let mut whole = existing.clone();
    whole.extend(made.iter().map(|(path, content)| (path.clone(), content.clone())));
    let mut errors = errors_of(whole);
    if !errors.is_empty() && !existing.is_empty() {
        let before = errors_of(existing.clone());
        errors.retain(|error| !before.contains(error));
    }
    let Some(first) = errors.first() else { return Ok(()) };
    let more = match errors.len() - 1 {
        0 => String::new(),
        more => format!(" ({more} more)"),
    };
    let error = format!(
        "nothing is imported, because the campaign could not be played: {}{more}",
        visible(first)
    );
    let error = TurnError::new(TurnErrorKind::BadInput, error).hint(
        "a campaign has limits of its own; import fewer of these files, or a part of a large one",
    );
    Err(RefusedImport { error, notes: note_lines(notes) })
}

/// The errors that the campaign's own check finds in these files.
fn errors_of(files: FolderFiles) -> Vec<String> {
    let result = compile(&CampaignSource::in_memory(files), "imported", None);
    let errors = result.problems.iter().filter(|found| found.severity == ProblemWeight::Error);
    errors.map(ToString::to_string).collect()
}

/// Returns the name of a new folder, made from the first file.
fn folder_for(owned: &[ImportFile]) -> String {
    let title = owned.first().map(|file| match &file.content {
        ImportContent::Card(card) => card.card.fields.name.clone(),
        ImportContent::Story(story) if !story.title.is_empty() => story.title.clone(),
        ImportContent::Book(book) if !book.name.is_empty() => book.name.clone(),
        _ => file.name.rsplit_once('.').map_or(file.name.as_str(), |(stem, _)| stem).to_owned(),
    });
    let title = title.unwrap_or_default().to_lowercase();
    let words =
        title.split(|letter: char| !letter.is_ascii_lowercase() && !letter.is_ascii_digit());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name = clip(&words.join("-"), 40).trim_end_matches(['-', '…']).to_owned();
    if is_campaign_name(&name) { name } else { "imported".to_owned() }
}

/// Returns the files of an existing folder. A folder that the player has not named must not exist yet.
fn existing_files(folder: &Path, is_named: bool) -> Result<FolderFiles, TurnError> {
    let shown = visible_word(&folder.display().to_string()).into_owned();
    if folder.symlink_metadata().is_err() {
        return Ok(FolderFiles::new());
    }
    if !folder.is_dir() {
        let error = format!("`{shown}` is not a folder");
        return Err(
            TurnError::new(TurnErrorKind::BadInput, error).hint("`--to FOLDER` names another")
        );
    }
    if !is_named {
        let error = format!("there is a folder `{shown}` already");
        let hint = format!(
            "`--to {shown}` adds to it, and changes nothing that is there; `--to FOLDER` names another"
        );
        return Err(TurnError::new(TurnErrorKind::BadInput, error).hint(hint));
    }
    let files = read_folder(folder)?;
    if !files.is_empty() && !files.contains_key("manifest.json") {
        let error = format!("`{shown}` has files in it, and is not the folder of a campaign");
        let hint = "a campaign has `manifest.json`; name its folder, or a new one";
        return Err(TurnError::new(TurnErrorKind::BadInput, error).hint(hint));
    }
    Ok(files)
}

/// Writes a folder that does not exist yet, whole or not at all.
fn write_new_folder(folder: &Path, made: &FolderFiles) -> Result<(), TurnError> {
    let unwritable =
        |why| TurnError::from(CliError::Unwritable { what: WHAT, path: folder.to_owned(), why });
    let parent = files::folder_of(folder);
    fs::create_dir_all(parent).map_err(unwritable)?;
    // The draft lies in the same parent folder, because a rename does not work across file systems.
    let beside = tempfile::Builder::new().prefix(".import").tempdir_in(parent);
    let beside = beside.map_err(unwritable)?;
    let whole = beside.path().join("campaign");
    write_files(&whole, made, &FolderFiles::new())?;
    fs::rename(&whole, folder).map_err(unwritable)
}

/// Returns an error if the path of one of these files goes through a link, which would lead out of the folder.
fn check_no_links(folder: &Path, made: &FolderFiles) -> Result<(), TurnError> {
    for path in made.keys() {
        let mut at = folder.to_owned();
        for part in path.split('/') {
            at.push(part);
            if at.symlink_metadata().is_ok_and(|found| found.file_type().is_symlink()) {
                let shown = visible_word(&at.display().to_string()).into_owned();
                let error = format!("`{shown}` is a link, and nothing is written through it");
                let hint =
                    "put a folder or a file in its place, or name another folder with `--to`";
                return Err(TurnError::new(TurnErrorKind::BadInput, error).hint(hint));
            }
        }
    }
    Ok(())
}

fn write_files(folder: &Path, made: &FolderFiles, existing: &FolderFiles) -> Result<(), TurnError> {
    check_no_links(folder, made)?;
    for (path, content) in made {
        let file = place(folder, path);
        match existing.contains_key(path) {
            true => files::replace(&file, WHAT, content)?,
            false => {
                // A file that was not read, such as a link, must not be written through.
                if file.symlink_metadata().is_ok() {
                    let why = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
                    return Err(CliError::Unwritable { what: WHAT, path: file, why }.into());
                }
                files::write(&file, WHAT, content)?;
            }
        }
    }
    Ok(())
}
