//! `narratoria campaign export`: a campaign as a file that other programs read.

use std::path::PathBuf;

use narratoria_cards::{ExportForm, export};
use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::visible_word;

use super::{folder_files::read_folder, import::tell_notes};
use crate::{
    args::{CampaignExportArgs, CampaignForm},
    error::CliError,
    exit::Exit,
    files, print_text, settings,
};
use narratoria_ui::{Out, visible};

/// Names the file in error messages.
const WHAT: &str = "export";

pub(super) fn export_folder(args: &CampaignExportArgs) -> Result<Exit, TurnError> {
    let folder = visible_word(&args.folder.display().to_string()).into_owned();
    if !args.folder.is_dir() {
        let error = format!("there is no folder `{folder}`");
        return Err(TurnError::new(TurnErrorKind::NotFound, error));
    }
    let form = match args.form {
        CampaignForm::Card => ExportForm::Card,
        CampaignForm::Png => ExportForm::Png,
        CampaignForm::Charx => ExportForm::Charx,
        CampaignForm::Book => ExportForm::Book,
        CampaignForm::Chat => ExportForm::Chat,
        CampaignForm::Twee => ExportForm::Twee,
    };
    let files_there = read_folder(&args.folder)?;
    let exported = export(&files_there, form, args.name.as_deref()).map_err(|problem| {
        TurnError::new(TurnErrorKind::BadInput, format!("`{folder}` {problem}"))
    })?;
    let file = match &args.out {
        Some(file) => file.clone(),
        None => PathBuf::from(&exported.file_name),
    };
    let shown = visible_word(&file.display().to_string()).into_owned();
    if file.symlink_metadata().is_ok() {
        let error = format!("there is a file `{shown}` already");
        return Err(
            TurnError::new(TurnErrorKind::BadInput, error).hint("`--out FILE` names another")
        );
    }
    if !files::folder_of(&file).is_dir() {
        let why = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(CliError::Unwritable { what: WHAT, path: file, why }.into());
    }
    files::write(&file, WHAT, &exported.bytes)?;
    let look = settings::initial_look();
    print_text(look, &format!("{}\n", visible(&shown)))?;
    tell_notes(&exported.notes, &mut Out::stderr(look));
    Ok(Exit::Done)
}
