//! `narratoria story export`, `import` and `gc`: writes a story as a file for people or programs, reads it back, and deletes
//! files that no turn lists.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Seek, Write},
    path::Path,
};

use narratoria_campaign::check_stored;
use narratoria_engine::{TurnError, TurnErrorKind, asset_fault};
use narratoria_protocol::visible::visible_word;
use narratoria_skills::open_outside;
use narratoria_story::{
    BookFormat, BookOutput, BranchName, ExportError, ImportChecks, ImportError, Story, StoryError,
    StoryName, TurnId, import,
};
use serde_json::json;
use tempfile::NamedTempFile;

use super::place::StoryOfVerb;
use crate::{
    args::{CommonArgs, ExportFormat, Format, StoryExportArgs, StoryGcArgs, StoryImportArgs},
    confirm::{Agreement, confirm},
    error::CliError,
    exit::Exit,
    files, hosted_play,
    path_text::STDIN,
    settings::CliSettings,
    setup, system_clock,
};
use narratoria_ui::{Out, Tone, note, raw_stdout, streams};

/// Names the file in error messages.
const EXPORT: &str = "export";

/// What other crates know about the parts of an imported story.
const CHECKS: ImportChecks<'static> = ImportChecks {
    file: &|folder, file, media_type| asset_fault(folder, file, media_type),
    campaign: &|campaign| check_stored(campaign).err(),
};

/// Writes the story up to its head into a file that nobody else sees. Returns it at its beginning.
pub(crate) fn export_to_draft(story: &Story, format: ExportFormat) -> Result<File, TurnError> {
    let failed = |why| CliError::Terminal { action: "write the export", why };
    let mut draft = tempfile::tempfile().map_err(failed)?;
    let mut out = BufWriter::new(&mut draft);
    write(story, format, story.head(), &mut out).map_err(export_error)?;
    out.flush().map_err(failed)?;
    drop(out);
    draft.rewind().map_err(failed)?;
    Ok(draft)
}

pub(super) fn export(args: &StoryExportArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.story.as_deref(), Format::Plain)?;
    let story = of.open()?;
    let branch = args.branch.as_deref().map(|name| tip_of(&story, name)).transpose()?;
    let tip = branch.unwrap_or(story.head());
    let notes = match &args.output {
        Some(path) => export_to_file(&story, args.format, tip, path)?,
        None => export_to_stdout(&story, args.format, tip)?,
    };
    let mut err = Out::stderr(of.settings.terminal.look);
    for text in notes {
        note(&mut err, Tone::Warning, "warning", &visible_word(&text));
    }
    if let Some(path) = &args.output {
        let path = path.display().to_string();
        note(&mut err, Tone::Notice, "note", &format!("wrote `{}`", visible_word(&path)));
    }
    Ok(Exit::Done)
}

fn tip_of(story: &Story, name: &str) -> Result<Option<TurnId>, TurnError> {
    let name = BranchName::parse(name).map_err(StoryError::from)?;
    Ok(story.find_branch(&name)?.turn)
}

/// Writes a draft beside the file and renames it at the end, so that an interrupted export leaves no file of that name.
fn export_to_file(
    story: &Story,
    format: ExportFormat,
    tip: Option<TurnId>,
    path: &Path,
) -> Result<Vec<String>, TurnError> {
    let failed = |why| CliError::Unwritable { what: EXPORT, path: path.to_owned(), why };
    if path.symlink_metadata().is_ok() {
        let error =
            format!("there is a file `{}` already", visible_word(&path.display().to_string()));
        return Err(TurnError::new(TurnErrorKind::BadInput, error).hint("name another file"));
    }
    let mut draft = NamedTempFile::new_in(files::folder_of(path)).map_err(failed)?;
    let notes = {
        let mut out = BufWriter::new(draft.as_file_mut());
        write(story, format, tip, &mut out).map_err(|error| match error {
            ExportError::Story(error) => error.into(),
            ExportError::Output(why) => TurnError::from(failed(why)),
        })?
    };
    draft.as_file().sync_all().map_err(failed)?;
    draft.persist_noclobber(path).map_err(|error| failed(error.error))?;
    Ok(notes)
}

fn export_to_stdout(
    story: &Story,
    format: ExportFormat,
    tip: Option<TurnId>,
) -> Result<Vec<String>, TurnError> {
    let is_for_programs = matches!(format, ExportFormat::Epub | ExportFormat::Ndjson);
    if is_for_programs && streams().stdout {
        let error = "this format is not for a terminal";
        return Err(
            TurnError::new(TurnErrorKind::BadInput, error).hint("`--output FILE` writes a file")
        );
    }
    let failed = |why| CliError::Terminal { action: "write to stdout", why };
    let mut stdout = raw_stdout();
    if format != ExportFormat::Epub {
        let mut out = BufWriter::new(ForwardOutput(&mut stdout));
        return match write(story, format, tip, &mut out) {
            Err(ExportError::Output(why)) if is_closed(&why) => Ok(Vec::new()),
            written => written.map_err(export_error),
        };
    }
    // A book seeks back in its output, so a draft takes it.
    let mut draft = tempfile::tempfile().map_err(failed)?;
    let mut out = BufWriter::new(&mut draft);
    let notes = write(story, format, tip, &mut out).map_err(export_error)?;
    drop(out);
    draft.rewind().map_err(failed)?;
    match io::copy(&mut draft, &mut stdout).and_then(|_| stdout.flush()) {
        Err(why) if !is_closed(&why) => Err(failed(why).into()),
        _ => Ok(notes),
    }
}

/// An output that cannot seek. Only a book needs to.
struct ForwardOutput<'a>(&'a mut dyn Write);

impl Write for ForwardOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for ForwardOutput<'_> {
    fn seek(&mut self, _: io::SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns true if the reader of stdout has read as much as it wanted.
fn is_closed(why: &io::Error) -> bool {
    why.kind() == io::ErrorKind::BrokenPipe
}

/// Returns notes about what was left out.
fn write(
    story: &Story,
    format: ExportFormat,
    tip: Option<TurnId>,
    out: &mut dyn BookOutput,
) -> Result<Vec<String>, ExportError> {
    let format = match format {
        ExportFormat::Ndjson => return Ok(story.export_lines(out)?.notes),
        ExportFormat::Markdown => BookFormat::Markdown,
        ExportFormat::Html => BookFormat::Html,
        ExportFormat::Epub => BookFormat::Epub,
    };
    let receipt = story.write_book(format, tip, out)?;
    Ok(match receipt.files_left_out {
        0 => Vec::new(),
        1 => vec!["1 file is only named: it is missing, changed or too large".to_owned()],
        more => {
            vec![format!("{more} files are only named: they are missing, changed or too large")]
        }
    })
}

fn export_error(error: ExportError) -> TurnError {
    match error {
        ExportError::Story(error) => error.into(),
        ExportError::Output(why) => CliError::Terminal { action: "write the export", why }.into(),
    }
}

/// Imports an exported story under its own name. Returns its name and notes about files that were missing.
pub(crate) fn import_story_lines(
    settings: &CliSettings,
    lines: &mut dyn BufRead,
) -> Result<(StoryName, Vec<String>), TurnError> {
    let root = settings.home()?.stories();
    let receipt = import(&root, None, lines, system_clock::now(), CHECKS).map_err(import_error)?;
    hosted_play::add_imported(settings, &receipt.name)?;
    Ok((receipt.name, receipt.missing_files.iter().map(|path| missing_text(path)).collect()))
}

fn missing_text(path: &str) -> String {
    format!("the file `{}` was missing already", visible_word(path))
}

pub(super) fn import_story(args: &StoryImportArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(CommonArgs { skills: Vec::new(), format: args.format })?;
    let root = settings.home()?.stories();
    let name = args.name.as_deref().map(setup::story_name).transpose()?;
    let receipt = match args.file == Path::new(STDIN) {
        true => import(&root, name.as_ref(), &mut io::stdin().lock(), system_clock::now(), CHECKS),
        false => {
            let failed = |error| CliError::outside_file(EXPORT, &args.file, error);
            let file: File = open_outside(&args.file).map_err(failed)?;
            let mut lines = BufReader::new(file);
            import(&root, name.as_ref(), &mut lines, system_clock::now(), CHECKS)
        }
    };
    let receipt = receipt.map_err(import_error)?;
    let of = StoryOfVerb { settings, name: receipt.name };
    let mut err = Out::stderr(of.settings.terminal.look);
    for path in &receipt.missing_files {
        note(&mut err, Tone::Warning, "warning", &missing_text(path));
    }
    let document = json!({
        "story": of.name.as_str(),
        "turns": receipt.turns,
        "missingFiles": receipt.missing_files,
    });
    let text = format!(
        "the story `{0}` has {1} turns in all branches; `narratoria run --story {0}` plays it\n",
        of.name, receipt.turns
    );
    of.print(&document, &text)
}

fn import_error(error: ImportError) -> TurnError {
    let kind = match error {
        ImportError::Story(error) => return error.into(),
        ImportError::NameTaken { .. } => TurnErrorKind::Failed,
        _ => TurnErrorKind::BadInput,
    };
    TurnError::new(kind, error)
}

pub(super) fn gc(args: &StoryGcArgs) -> Result<Exit, TurnError> {
    let of = StoryOfVerb::find(args.of.story.as_deref(), args.of.format)?;
    let story = of.open_to_change()?;
    let files = story.unlisted_files()?;
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let mut err = Out::stderr(of.settings.terminal.look);
    for file in &files {
        let text = format!("no turn lists `{}` ({} bytes)", visible_word(&file.path), file.bytes);
        note(&mut err, Tone::Notice, "note", &text);
    }
    if !files.is_empty() {
        match confirm("Remove these files?", args.yes, &of.settings, &mut err)? {
            Agreement::Agreed => story.remove_unlisted(&files)?,
            Agreement::Declined => {
                let error = "the files are where they were";
                return Err(TurnError::new(TurnErrorKind::Refused, error));
            }
            Agreement::NobodyToAsk => {
                let error = "removing files needs an agreement";
                return Err(TurnError::new(TurnErrorKind::BadInput, error).hint("`--yes` agrees"));
            }
        }
    }
    let removed: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let document = json!({"story": of.name.as_str(), "removed": removed, "bytes": bytes});
    let text = match files.len() {
        0 => format!("every file of the story `{}` is listed by a turn\n", of.name),
        1 => format!("removed 1 file, {bytes} bytes\n"),
        more => format!("removed {more} files, {bytes} bytes\n"),
    };
    of.print(&document, &text)
}
