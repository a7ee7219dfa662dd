//! `narratoria skill config`.

use std::io;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_skills::{
    ConfigForm, ConfigFormError, ItemKind, PackageHandle, PlayerVariables, Setting, SettingError,
    SettingKind, SettingValue,
};
use serde_json::{Value, json};

use super::find_package;
use crate::{
    args::{Format, SkillConfigArgs},
    confirm::{Agreement, confirm},
    error::CliError,
    exit::Exit,
    hidden_line::ask_hidden,
    interrupt::Interrupts,
    line_source::{self, LineInput, LinePurpose, LineSource},
    player_settings::PlayerSettingsSource,
    print_document, print_text,
    settings::CliSettings,
};
use narratoria_ui::{Out, SettingPrompt, SettingReply, Tone, note, settings_table, visible};

/// Version of the JSON document. 1: the first.
const DOCUMENT_VERSION: u32 = 1;

pub(super) async fn config(args: SkillConfigArgs) -> Result<Exit, TurnError> {
    if !args.stray.is_empty() {
        // The message does not quote the word, because it may be a secret whose `=` was forgotten.
        let what = "there is a word too much on the command line";
        return Err(TurnError::new(TurnErrorKind::BadInput, what).hint(SET_FORM));
    }
    let settings = CliSettings::check(args.common)?;
    let source = PlayerSettingsSource::open(&settings)?;
    let mut err = Out::stderr(settings.terminal.look);
    let found = find_package::find(&args.package, &settings)?;
    let mut form = found.config_form(&source.settings).map_err(form_error)?;
    if args.list {
        print(&form, &settings)?;
        return Ok(Exit::Done);
    }
    if form.file().is_none() {
        settings.home()?;
    }
    if args.import {
        return import(&found, form, (&settings, &source), args.yes, &mut err);
    }
    if args.set.is_empty() && args.unset.is_empty() {
        let asked = fill_in(&mut form, &settings, source.variables(), &mut err).await?;
        if asked != Exit::Done {
            note(&mut err, Tone::Notice, "note", "nothing was changed");
            return Ok(asked);
        }
    } else {
        change(&mut form, &args.set, &args.unset, source.variables())?;
    }
    keep(&found, &form, (&settings, &source), &mut err)?;
    Ok(Exit::Done)
}

const SET_FORM: &str = "a value is written as `--set NAME=VALUE`, in quotes if it has blanks";

/// Applies `--unset`, then `--set`, each in order.
pub(super) fn change(
    form: &mut ConfigForm,
    set: &[String],
    unset: &[String],
    variables: PlayerVariables<'_>,
) -> Result<(), TurnError> {
    for name in unset {
        form.unset(name).map_err(|error| setting_error(form, &error))?;
    }
    let mut given: Vec<(&str, Vec<String>)> = Vec::new();
    for text in set {
        let Some((name, value)) = text.split_once('=') else {
            let what = "what follows `--set` has no `=`";
            return Err(TurnError::new(TurnErrorKind::BadInput, what).hint(SET_FORM));
        };
        match given.iter_mut().find(|(other, _)| *other == name) {
            Some((_, words)) => words.push(value.to_owned()),
            None => given.push((name, vec![value.to_owned()])),
        }
    }
    for (name, words) in given {
        if let Err(error) = form.set(name, &words, variables) {
            return Err(setting_error(form, &error));
        }
    }
    Ok(())
}

/// Asks for every setting.
async fn fill_in(
    form: &mut ConfigForm,
    settings: &CliSettings,
    variables: PlayerVariables<'_>,
    err: &mut Out,
) -> Result<Exit, TurnError> {
    if !settings.terminal.is_interactive || settings.format != Format::Plain {
        let what = "the form needs a terminal that somebody types at";
        let hint = "without one, `--set NAME=VALUE` and `--unset NAME` change settings, `--list` shows them";
        return Err(TurnError::new(TurnErrorKind::BadInput, what).hint(hint));
    }
    let interrupts = Interrupts::listen(settings.terminal.look);
    let lines = line_source::open_for_requests(settings, &interrupts)?;
    let heading = form.title().unwrap_or(form.package()).to_owned();
    let about = form.description().map(|text| format!("{}\n", visible(text)));
    let about = about.unwrap_or_default();
    err.write(&format!("{}\n{about}{}\n", visible(&heading), SettingPrompt::HELP));
    for setting in form.settings().to_vec() {
        let mut prompt = SettingPrompt::new(&setting, form.value(&setting));
        err.write(&prompt.text());
        let reply = loop {
            let ask = prompt.prompt();
            let line = match setting.secret {
                true => ask_hidden(&ask, &interrupts, err)?,
                false => tokio::select! {
                    biased;
                    () = interrupts.exit_token().cancelled() => None,
                    line = shown(&ask, &lines) => line?,
                },
            };
            let Some(line) = line else { return Ok(Exit::Interrupted) };
            match prompt.answer(&line, variables) {
                SettingReply::More => {
                    if settings.terminal.look.interactive {
                        note(err, Tone::Notice, "note", "one more, or an empty line");
                    }
                }
                SettingReply::Refused(why) => note(err, Tone::Hint, "hint", &why),
                reply => break reply,
            }
        };
        let done = match reply {
            SettingReply::Unset => form.unset(&setting.name),
            SettingReply::Words(words) => form.set(&setting.name, &words, variables),
            _ => Ok(()),
        };
        done.map_err(|error| setting_error(form, &error))?;
    }
    Ok(Exit::Done)
}

/// Returns `None` if the player leaves.
async fn shown(prompt: &str, lines: &LineSource) -> Result<Option<String>, CliError> {
    let failed = |why| CliError::Terminal { action: "read the terminal", why };
    match lines.next(LinePurpose::Answer(prompt)).await.map_err(failed)? {
        LineInput::Sentence(line) => Ok(Some(line)),
        LineInput::Bad { why, .. } => {
            let why = format!("the line {why}");
            Err(failed(io::Error::new(io::ErrorKind::InvalidData, why)))
        }
        LineInput::Interrupted { .. } | LineInput::End => Ok(None),
    }
}

/// Imports the values of the package's `config.json` into the player's settings, and removes the file. The values may
/// be untrusted, and a `${VAR}` in them reads a variable, so a person agrees first.
fn import(
    found: &PackageHandle,
    mut form: ConfigForm,
    (settings, source): (&CliSettings, &PlayerSettingsSource),
    yes: bool,
    err: &mut Out,
) -> Result<Exit, TurnError> {
    let names: Vec<String> = form.packaged().into_iter().map(str::to_owned).collect();
    if names.is_empty() {
        note(
            err,
            Tone::Notice,
            "note",
            "there is no `config.json` with values that you have not set",
        );
        return Ok(Exit::Done);
    }
    let before: Vec<(String, String)> = form.variables();
    form.take_over_packaged();
    for name in &names {
        let value = form.setting(name).ok().map(|setting| (setting, form.value(setting)));
        let shown = match value {
            Some((setting, SettingValue::Player(value))) => setting.masked(value).to_string(),
            _ => "no setting of this package".to_owned(),
        };
        note(err, Tone::Notice, "config.json", &format!("{name}: {shown}"));
    }
    let new = form.variables().into_iter().filter(|one| !before.contains(one));
    for (variable, setting) in new {
        let what = format!("`{setting}` reads the environment variable `{variable}` from then on");
        note(err, Tone::Warning, "warning", &what);
    }
    let question = "Make these values your own settings?";
    match confirm(question, yes, settings, err)? {
        Agreement::Agreed => {}
        Agreement::Declined => {
            note(err, Tone::Notice, "note", "nothing was changed");
            return Ok(Exit::Refused);
        }
        Agreement::NobodyToAsk => {
            let what = "the values came with the package, and nobody has agreed to them";
            return Err(TurnError::new(TurnErrorKind::BadInput, what)
                .hint("`--yes` makes them your own settings"));
        }
    }
    keep(found, &form, (settings, source), err)?;
    if let Err(error) = found.remove_packaged_config() {
        let what = format!("`config.json` stays in the package: {error}");
        note(err, Tone::Warning, "warning", &what);
    }
    Ok(Exit::Done)
}

/// Writes the settings, names the variables that they read, and reports the settings that are still missing.
fn keep(
    found: &PackageHandle,
    form: &ConfigForm,
    (settings, source): (&CliSettings, &PlayerSettingsSource),
    err: &mut Out,
) -> Result<(), TurnError> {
    let written = write(form, err)?;
    if settings.format == Format::Json {
        let again = found.config_form(&source.settings).map_err(form_error)?;
        print(&again, settings)?;
    }
    if !written {
        note(err, Tone::Notice, "note", "nothing was changed");
    }
    for warning in form.warnings(source.variables()) {
        note(err, Tone::Warning, "warning", &warning);
    }
    Ok(())
}

/// Writes the settings if they have changed, and names the variables that they read, because writing means to agree to
/// them.
pub(super) fn write(form: &ConfigForm, err: &mut Out) -> Result<bool, TurnError> {
    let written = form.write().map_err(form_error)?;
    if written {
        let file = form.file().map(|file| file.display().to_string()).unwrap_or_default();
        note(err, Tone::Notice, "note", &format!("`{file}` is written"));
        for (variable, setting) in form.variables() {
            let package = form.package();
            let what = format!(
                "`{package}` gets the environment variable `{variable}`, in the setting `{setting}`"
            );
            note(err, Tone::Notice, "note", &what);
        }
    }
    Ok(written)
}

fn print(form: &ConfigForm, settings: &CliSettings) -> Result<(), CliError> {
    let look = settings.terminal.look;
    if settings.format == Format::Plain {
        return print_text(look, &settings_table(form, look.width));
    }
    let document = json!({
        "version": DOCUMENT_VERSION,
        "package": form.package(),
        "settings": settings_document(form),
        "unlisted": form.unlisted().collect::<Vec<_>>(),
    });
    print_document(look, &document)
}

/// Returns every setting for programs, with secrets masked.
pub(super) fn settings_document(form: &ConfigForm) -> Value {
    form.settings().iter().map(|setting| setting_document(form, setting)).collect()
}

fn setting_document(form: &ConfigForm, setting: &Setting) -> Value {
    let (value, from) = match form.value(setting) {
        SettingValue::Player(value) => (Some(setting.masked(value)), Some("settings")),
        SettingValue::Packaged(value) => (Some(setting.masked(value)), Some("config.json")),
        SettingValue::Default(value) => (Some(setting.masked(value)), Some("default")),
        SettingValue::Missing => (None, None),
    };
    json!({
        "name": setting.name,
        "title": setting.title,
        "description": setting.description,
        "type": kind(setting.kind).0,
        "items": kind(setting.kind).1,
        "choices": setting.choices,
        "required": setting.required,
        "secret": setting.secret,
        "deprecated": setting.deprecated,
        "env": setting.env,
        "default": setting.default.as_ref().map(|value| setting.masked(value)),
        "value": value,
        "from": from,
    })
}

/// Returns the name of a kind in the schema, and that of the items of a list.
fn kind(kind: SettingKind) -> (&'static str, Option<&'static str>) {
    match kind {
        SettingKind::Text => ("string", None),
        SettingKind::Number => ("number", None),
        SettingKind::Integer => ("integer", None),
        SettingKind::Boolean => ("boolean", None),
        SettingKind::List(ItemKind::Text) => ("array", Some("string")),
        SettingKind::List(ItemKind::Number) => ("array", Some("number")),
        SettingKind::List(ItemKind::Integer) => ("array", Some("integer")),
        SettingKind::List(ItemKind::Boolean) => ("array", Some("boolean")),
    }
}

pub(super) fn form_error(error: ConfigFormError) -> TurnError {
    let kind = match &error {
        ConfigFormError::Broken { .. } | ConfigFormError::TooLong { .. } => TurnErrorKind::BadInput,
        ConfigFormError::NoSettings { .. } => TurnErrorKind::NotFound,
        ConfigFormError::NoPlace { .. } | ConfigFormError::Unwritable { .. } => {
            TurnErrorKind::Refused
        }
    };
    TurnError::new(kind, error)
}

fn setting_error(form: &ConfigForm, error: &SettingError) -> TurnError {
    let failed = TurnError::new(TurnErrorKind::BadInput, error.to_string());
    let name = match error {
        SettingError::Unknown { .. } => {
            let names: Vec<&str> = form.settings().iter().map(|one| one.name.as_str()).collect();
            return failed.hint(format!("there are `{}`", names.join("`, `")));
        }
        SettingError::NoList { .. } | SettingError::TooManyItems { .. } => return failed,
        SettingError::WrongKind { name, .. } | SettingError::Refused { name, .. } => name,
    };
    match form.setting(name).map(|setting| (setting.kind, &setting.env)) {
        Ok((SettingKind::List(_), _)) => {
            failed.hint(format!("repeat `--set {name}=ITEM`, or write all of it as a list in JSON"))
        }
        Ok((SettingKind::Text, Some(variable))) => failed
            .hint(format!("`${{{variable}}}` takes it from the environment variable of that name")),
        Ok((SettingKind::Text, None)) | Err(_) => failed,
        Ok(_) => failed.hint("`${NAME}` works in texts only"),
    }
}
