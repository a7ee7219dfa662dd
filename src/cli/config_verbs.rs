//! `narratoria config get | set | unset | edit | path | show`: the player's settings, read and changed.

mod change;
mod edit;
mod file;
mod keys;
mod values;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::{
    nearest::nearest,
    visible::{clip, visible_line, visible_word},
};
use serde_json::{Value, json};

use super::{
    args::{ConfigCommand, ConfigGetArgs, ConfigSetArgs, ConfigShowArgs, ConfigUnsetArgs, Format},
    environment::variable,
    error::CliError,
    exit::Exit,
    plan_settings::PLAN_TABLE,
    print_data, print_document, print_text,
    settings::{CliSettings, Home},
};
use file::{check, fault_of, file_text, with_edit_hint, write};
use keys::{ConfigKey, ConfigValue, config_keys};
use narratoria_ui::{Out, Tone, note, render_table};
use values::{EffectiveSetting, TypedFlags, ValueOrigin, effective_settings};

/// Characters that a message quotes of a value.
const SHOWN_CHARS_MAX: usize = 80;

pub(super) fn config(verb: ConfigCommand, log_level: Option<&str>) -> Result<Exit, TurnError> {
    let settings = CliSettings::bare()?;
    let home = settings.home()?;
    match verb {
        ConfigCommand::Get(args) => get(&args, &settings, home, log_level),
        ConfigCommand::Set(args) => set(&args, &settings, home),
        ConfigCommand::Unset(args) => unset(&args, &settings, home),
        ConfigCommand::Edit(args) => edit::edit(&args, &settings, home),
        ConfigCommand::Path => {
            print_data(settings.terminal.look, &format!("{}\n", home.config().display()))?;
            Ok(Exit::Done)
        }
        ConfigCommand::Show(args) => show(&args, &settings, home, log_level),
    }
}

fn get(
    args: &ConfigGetArgs,
    settings: &CliSettings,
    home: &Home,
    log_level: Option<&str>,
) -> Result<Exit, TurnError> {
    let name = find(&args.key)?.name();
    let look = settings.terminal.look;
    let mut all = effective(home, &TypedFlags::of_log_level(log_level))?;
    all.retain(|setting| setting.key.name() == name);
    if args.format == Format::Json {
        print_document(look, &document(home, &all))?;
        return Ok(Exit::Done);
    }
    for setting in &all {
        match &setting.value {
            Some(ConfigValue::Texts(texts)) => {
                let lines: String = texts.iter().map(|text| format!("{text}\n")).collect();
                print_text(look, &visible_lines(&lines))?;
            }
            Some(value) => print_text(look, &visible_lines(&format!("{value}\n")))?,
            None => {
                let text = format!("`{name}` is not set: {}", setting.key.default_text());
                note(&mut Out::stderr(look), Tone::Notice, "note", &text);
            }
        }
    }
    Ok(Exit::Done)
}

/// Escapes the text of each line.
fn visible_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", visible_line(line))).collect()
}

fn show(
    args: &ConfigShowArgs,
    settings: &CliSettings,
    home: &Home,
    log_level: Option<&str>,
) -> Result<Exit, TurnError> {
    let look = settings.terminal.look;
    let all = effective(home, &TypedFlags::of(&args.flags, log_level))?;
    if args.format == Format::Json {
        print_document(look, &document(home, &all))?;
        return Ok(Exit::Done);
    }
    let text = match args.origin {
        true => {
            let row = |it: &EffectiveSetting| [it.key.name(), it.origin.text(), it.text()];
            let rows: Vec<[String; 3]> = all.iter().map(row).collect();
            render_table(["SETTING", "FROM", "VALUE"], &rows, look.width)
        }
        false => {
            let row = |it: &EffectiveSetting| [it.key.name(), it.text()];
            let rows: Vec<[String; 2]> = all.iter().map(row).collect();
            render_table(["SETTING", "VALUE"], &rows, look.width)
        }
    };
    print_text(look, &text)?;
    Ok(Exit::Done)
}

/// Returns a document of `config-values.schema.json`.
fn document(home: &Home, settings: &[EffectiveSetting]) -> Value {
    let values: Vec<Value> = settings.iter().map(EffectiveSetting::document).collect();
    json!({"path": home.config().display().to_string(), "values": values})
}

/// Returns all settings, if the file can be used.
fn effective(home: &Home, flags: &TypedFlags) -> Result<Vec<EffectiveSetting>, TurnError> {
    let text = file_text(home)?;
    check(&text, home).map_err(with_edit_hint)?;
    Ok(effective_settings(&text, variable, flags))
}

fn set(args: &ConfigSetArgs, settings: &CliSettings, home: &Home) -> Result<Exit, TurnError> {
    let key = find(&args.key)?;
    let value = parse(&key, &args.values, home)?;
    let before = file_text(home)?;
    let after = match change::with_value(&before, &key, &value) {
        Ok(Some(after)) => after,
        // The file is no TOML, or it has something else in the place of the table.
        Ok(None) | Err(_) => return Err(with_edit_hint(fault_of(before.into_bytes(), home))),
    };
    let config = check(&after, home).map_err(with_edit_hint)?;
    if key.table == PLAN_TABLE {
        config.plan.within_s0().map_err(CliError::from)?;
    }
    write(&before, &after, settings, home)?;
    warn_if_overridden(&key, settings, home);
    Ok(Exit::Done)
}

fn unset(args: &ConfigUnsetArgs, settings: &CliSettings, home: &Home) -> Result<Exit, TurnError> {
    let key = find(&args.key)?;
    let before = file_text(home)?;
    let after = match change::without(&before, &key) {
        Ok(after) => after.unwrap_or_else(|| before.clone()),
        Err(_) => return Err(with_edit_hint(fault_of(before.into_bytes(), home))),
    };
    // A file with another fault is one line nearer to being whole.
    write(&before, &after, settings, home)?;
    Ok(Exit::Done)
}

/// Finds a setting by its name.
fn find(name: &str) -> Result<ConfigKey, TurnError> {
    let mut keys = config_keys();
    if let Some(idx) = keys.iter().position(|key| key.name() == name) {
        return Ok(keys.swap_remove(idx));
    }
    let names: Vec<String> = keys.iter().map(ConfigKey::name).collect();
    let shown = visible_word(name);
    let error = TurnError::new(TurnErrorKind::NotFound, format!("there is no setting `{shown}`"));
    Err(match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`narratoria config show` lists them"),
    })
}

/// Reads a value as it is typed, and checks it as the file would be checked that has it alone.
fn parse(key: &ConfigKey, typed: &[String], home: &Home) -> Result<ConfigValue, TurnError> {
    let wrong = |hints: Vec<String>| {
        let shown = visible_line(&clip(&typed.join(" "), SHOWN_CHARS_MAX));
        let error = format!("`{}` cannot be `{shown}`, it takes {}", key.name(), key.takes);
        hints.into_iter().fold(TurnError::new(TurnErrorKind::BadInput, error), TurnError::hint)
    };
    let value = key.form.parse(typed).ok_or_else(|| wrong(Vec::new()))?;
    let alone = change::with_value("", key, &value).ok().flatten().unwrap_or_default();
    match check(&alone, home) {
        Ok(_) => Ok(value),
        Err(error) => Err(wrong(error.hints)),
    }
}

/// Warns that a variable has another say. Flags are another command's.
fn warn_if_overridden(key: &ConfigKey, settings: &CliSettings, home: &Home) {
    let name = key.name();
    let all = effective(home, &TypedFlags::default()).unwrap_or_default();
    let origin = all.into_iter().find(|it| it.key.name() == name).map(|it| it.origin);
    if let Some(ValueOrigin::Environment { variable }) = origin {
        let text = format!("the variable {variable} is set, and overrides the file");
        note(&mut Out::stderr(settings.terminal.look), Tone::Warning, "warning", &text);
    }
}
