//! `narratoria config edit`: the whole file in the player's editor. Only a text that can be used takes its place.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_ui::{EditedDraft, ExternalEditor, edit_in_editor};

use super::file::{check, file_text, write};
use crate::{
    args::ConfigEditArgs,
    config::CONFIG_BYTES_MAX,
    editor::player_editor,
    error::CliError,
    exit::Exit,
    files,
    interrupt::Interrupts,
    settings::{CliSettings, Home},
};

/// The first lines of a file that is not there yet.
const NEW_FILE: &str = "# The settings of Narratoria. `narratoria config show` lists them all.\n";

/// The ending of a draft, by which editors know its form.
const SUFFIX: &str = ".toml";

pub(super) fn edit(
    args: &ConfigEditArgs,
    settings: &CliSettings,
    home: &Home,
) -> Result<Exit, TurnError> {
    let command = player_editor();
    let bad = |error: &str| TurnError::new(TurnErrorKind::BadInput, error.to_owned());
    if !settings.terminal.editable {
        return Err(bad("an editor needs a terminal")
            .hint("`narratoria config set KEY VALUE` works without one"));
    }
    if command.is_empty() {
        return Err(bad("no editor is named and none is installed")
            .hint("set VISUAL or EDITOR, or use `narratoria config set KEY VALUE`"));
    }
    let before = file_text(home)?;
    let text = match &args.draft {
        Some(draft) => {
            let bytes = files::read(draft, "draft", CONFIG_BYTES_MAX)?;
            String::from_utf8(bytes).map_err(|_| bad("the draft is not UTF-8"))?
        }
        None if before.is_empty() => NEW_FILE.to_owned(),
        None => before.clone(),
    };
    let edited = open(&text, &command, settings, home)?;
    let is_usable = check(&edited.text, home).and_then(|config| {
        config.plan.within_s0().map_err(CliError::from)?;
        Ok(())
    });
    if let Err(error) = is_usable {
        let draft = edited.draft.display();
        return Err(error.hint(format!(
            "the file is as it was; `narratoria config edit --draft {draft}` goes on with your text"
        )));
    }
    // A draft that nobody has changed is as good as the file, and the first lines of a new one alone are none.
    let after = if edited.changed || args.draft.is_some() { &edited.text } else { &before };
    write(&before, after, settings, home)?;
    edited.discard();
    Ok(Exit::Done)
}

/// Lends the terminal, and Ctrl-C with it, to the editor.
fn open(
    text: &str,
    command: &str,
    settings: &CliSettings,
    home: &Home,
) -> Result<EditedDraft, TurnError> {
    let interrupts = Interrupts::listen(settings.terminal.look);
    let lease = interrupts.lease_terminal();
    let folder = home.drafts();
    let editor = ExternalEditor { command, folder: &folder, is_terminal: true };
    let edited = edit_in_editor(text, SUFFIX, editor);
    drop(lease);
    edited.map_err(|error| TurnError::new(TurnErrorKind::Failed, error))
}
