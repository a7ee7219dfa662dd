//! `narratoria skill config`.

use std::{io, path::Path};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_skills::{
    ConfigForm, ConfigFormError, ItemKind, PackageHandle, Setting, SettingError, SettingKind,
    SettingValue,
};
use serde_json::{Value, json};

use super::find_package;
use crate::{
    cli::{
        args::{Format, SkillConfigArgs},
        environment,
        error::CliError,
        exit::Exit,
        interrupt::Interrupts,
        line_source::{self, LineInput, LinePurpose, LineSource},
        print_document, print_text,
        settings::CliSettings,
    },
    ui::{
        HiddenInput, Out, SettingPrompt, SettingReply, Tone, note, read_hidden, settings_table,
        visible,
    },
};

/// Version of the JSON document. 1: the first.
const DOCUMENT_VERSION: u32 = 1;

pub(super) async fn config(args: SkillConfigArgs) -> Result<Exit, TurnError> {
    if !args.stray.is_empty() {
        // Not quoted: it may be the value of a secret whose `=` was forgotten.
        let what = "there is a word too much on the command line";
        return Err(TurnError::new(TurnErrorKind::BadInput, what).hint(SET_FORM));
    }
    let settings = CliSettings::check(args.common)?;
    let mut err = Out::stderr(settings.terminal.look);
    let found = find_package::find(&args.package, &settings)?;
    let mut form = found.config_form().map_err(form_error)?;
    if args.list {
        print(&form, &settings)?;
        return Ok(Exit::Done);
    }
    if args.set.is_empty() && args.unset.is_empty() {
        let asked = fill_in(&mut form, &settings, &mut err).await?;
        if asked != Exit::Done {
            note(&mut err, Tone::Notice, "note", "nothing was changed");
            return Ok(asked);
        }
    } else {
        change(&mut form, &args.set, &args.unset)?;
    }
    keep(&found, &form, &settings, &mut err)?;
    Ok(Exit::Done)
}

const SET_FORM: &str = "a value is written as `--set NAME=VALUE`, in quotes if it has blanks";

/// Returns the variable's value, as the loader will see it.
fn variable(name: &str) -> Option<String> {
    environment::variable(name)
}

/// Applies `--unset`, then `--set`, each in order.
fn change(form: &mut ConfigForm, set: &[String], unset: &[String]) -> Result<(), TurnError> {
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
        if let Err(error) = form.set(name, &words, &variable) {
            return Err(setting_error(form, &error));
        }
    }
    Ok(())
}

/// Asks for every setting.
async fn fill_in(
    form: &mut ConfigForm,
    settings: &CliSettings,
    err: &mut Out,
) -> Result<Exit, TurnError> {
    if !settings.terminal.is_interactive || settings.format != Format::Plain {
        let what = "the form needs a terminal that somebody types at";
        let hint = "without one, `--set NAME=VALUE` and `--unset NAME` change settings, `--list` shows them";
        return Err(TurnError::new(TurnErrorKind::BadInput, what).hint(hint));
    }
    let interrupts = Interrupts::listen(settings.terminal.look)?;
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
                true => hidden(&ask, &interrupts, err)?,
                false => tokio::select! {
                    biased;
                    () = interrupts.exit_token().cancelled() => None,
                    line = shown(&ask, &lines) => line?,
                },
            };
            let Some(line) = line else { return Ok(Exit::Interrupted) };
            match prompt.answer(&line, &variable) {
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
            SettingReply::Words(words) => form.set(&setting.name, &words, &variable),
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
        LineInput::Interrupted | LineInput::End => Ok(None),
    }
}

/// Asks without an echo.
fn hidden(
    prompt: &str,
    interrupts: &Interrupts,
    err: &mut Out,
) -> Result<Option<String>, CliError> {
    let failed = |why| CliError::Terminal { action: "read the terminal", why };
    loop {
        match read_hidden(err, prompt, interrupts.break_editor()).map_err(failed)? {
            HiddenInput::Line(line) => return Ok(Some(line)),
            HiddenInput::TooLong => note(err, Tone::Hint, "hint", "that is too long for a secret"),
            HiddenInput::Interrupted | HiddenInput::End => return Ok(None),
        }
    }
}

/// Writes the settings and reports the ones that are still missing.
fn keep(
    found: &PackageHandle,
    form: &ConfigForm,
    settings: &CliSettings,
    err: &mut Out,
) -> Result<(), TurnError> {
    let written = found.write_config(form).map_err(form_error)?;
    if settings.format == Format::Json {
        let again = found.config_form().map_err(form_error)?;
        print(&again, settings)?;
    }
    let file = Path::new(&find_package::origin(found.origin())).join("config.json");
    let what = match written {
        true => format!("`{}` is written", file.display()),
        false => "nothing was changed".to_owned(),
    };
    note(err, Tone::Notice, "note", &what);
    for warning in form.warnings(&variable) {
        note(err, Tone::Warning, "warning", &warning);
    }
    Ok(())
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

/// Every setting for programs, secrets masked.
pub(super) fn settings_document(form: &ConfigForm) -> Value {
    form.settings().iter().map(|setting| setting_document(form, setting)).collect()
}

fn setting_document(form: &ConfigForm, setting: &Setting) -> Value {
    let (value, from) = match form.value(setting) {
        SettingValue::InFile(value) => (Some(setting.masked(value)), Some("config.json")),
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

/// The name of a kind in the schema, and of the items of a list.
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

fn form_error(error: ConfigFormError) -> TurnError {
    let (kind, hint) = match &error {
        ConfigFormError::Broken { .. } | ConfigFormError::TooLong { .. } => {
            (TurnErrorKind::BadInput, None)
        }
        ConfigFormError::NoSettings { .. } => (TurnErrorKind::NotFound, None),
        ConfigFormError::BuiltIn { .. } | ConfigFormError::Unwritable { .. } => (
            TurnErrorKind::Refused,
            Some("copy the package into a folder of your own, and name that with `--skills`"),
        ),
    };
    let failed = TurnError::new(kind, error);
    match hint {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
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
