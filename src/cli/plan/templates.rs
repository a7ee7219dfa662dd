//! `narratoria plan save-template` and `plan templates`: plans with parameters (S2 "Plan Templates").

use std::{fs, io, path::Path};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_plan::{
    self as plan, PLAN_BYTES_MAX, PlanJson, PlanTemplate, PlanTemplateError, TEMPLATE_BYTES_MAX,
};
use narratoria_protocol::{JsonBounds, nearest::nearest, read_json};
use serde_json::{Value, json};

use crate::{
    args::{Format, PlanSaveTemplateArgs, PlanTemplatesArgs},
    error::CliError,
    exit::Exit,
    files, path_text, print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Out, Tone, note, render_table};

const SUFFIX: &str = "json";

pub(super) fn save(args: PlanSaveTemplateArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let json = source(&settings, &args.plan, args.story.as_deref())?;
    let parameters =
        args.parameters.iter().map(|text| parameter(text)).collect::<Result<Vec<_>, _>>()?;
    let mut template =
        PlanTemplate::from_plan(&args.name, &json, &parameters).map_err(template_error)?;
    template.description = args.description.unwrap_or_default();
    let folder = settings.home()?.templates();
    let path = folder.join(format!("{}.{SUFFIX}", template.name));
    if path.exists() && !args.force {
        let error = format!("there is a template `{}` already", template.name);
        return Err(TurnError::new(TurnErrorKind::BadInput, error).hint("`--force` replaces it"));
    }
    let text = serde_json::to_string_pretty(&template.to_json())
        .expect("a template holds only JSON values");
    files::write(&path, "template", format!("{text}\n"))?;
    let look = settings.terminal.look;
    let example = example(&template);
    print_text(
        look,
        &format!("saved the template `{}`; use it with\n  {example}\n", template.name),
    )?;
    Ok(Exit::Done)
}

/// Returns the plan of a file, or of a story.
fn source(settings: &CliSettings, plan: &str, story: Option<&str>) -> Result<PlanJson, TurnError> {
    let Some(story) = story else {
        let text = files::read(Path::new(plan), "plan", PLAN_BYTES_MAX)?;
        return plan::parse_document(&text).map_err(|errors| {
            let hints = errors.hints();
            let error = format!("{}: {errors}", path_text::shown(Path::new(plan)));
            TurnError { hints, ..TurnError::new(TurnErrorKind::BadInput, error) }
        });
    };
    let story = setup::existing_story(settings, story)?;
    serde_json::from_value(story.plan(plan)?.row.plan).map_err(|error| {
        TurnError::new(
            TurnErrorKind::BadInput,
            format!("plan `{plan}` is none that could run: {error}"),
        )
    })
}

fn parameter(text: &str) -> Result<(String, Value), TurnError> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        TurnError::new(TurnErrorKind::BadInput, format!("`--param {text}` has no `=`"))
            .hint("write `--param KEY=VALUE`, such as `--param door=\"the old door\"`")
    })?;
    // Text that is not JSON counts as a string; JSON that breaks a stricter rule is a mistake.
    let value = match read_json(value.as_bytes(), JsonBounds::of_bytes(PLAN_BYTES_MAX)) {
        Ok(value) => value,
        Err(error) if error.is_json() => {
            let what = format!("`--param {name}` {}", error.predicate());
            return Err(TurnError::new(TurnErrorKind::BadInput, what));
        }
        Err(_) => Value::String(value.to_owned()),
    };
    Ok((name.to_owned(), value))
}

/// Reads a saved template.
pub(super) fn load(settings: &CliSettings, name: &str) -> Result<PlanTemplate, TurnError> {
    let folder = settings.home()?.templates();
    plan::check_template_name(name).map_err(template_error)?;
    let path = folder.join(format!("{name}.{SUFFIX}"));
    if !path.exists() {
        let names = names(&folder)?;
        let error =
            TurnError::new(TurnErrorKind::NotFound, format!("there is no template `{name}`"));
        return Err(match nearest(name, &names) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None if names.is_empty() => error.hint("`narratoria plan save-template` keeps one"),
            None => error.hint(format!("there are: `{}`", names.join("`, `"))),
        });
    }
    read(&path)
}

fn read(path: &Path) -> Result<PlanTemplate, TurnError> {
    let bytes = files::read(path, "template", TEMPLATE_BYTES_MAX)?;
    PlanTemplate::parse(&bytes).map_err(|error| {
        let hint = error.hint();
        let error = format!("the template `{}` cannot be used: {error}", path.display());
        hint.into_iter().fold(TurnError::new(TurnErrorKind::BadInput, error), TurnError::hint)
    })
}

fn names(folder: &Path) -> Result<Vec<String>, TurnError> {
    let unreadable = |why| CliError::Unreadable { what: "folder", path: folder.to_owned(), why };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error).into()),
    };
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_stem().and_then(|stem| stem.to_str());
        if let Some(name) = name.filter(|_| path.extension().is_some_and(|ext| ext == SUFFIX)) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

pub(super) fn list(args: PlanTemplatesArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let folder = settings.home()?.templates();
    let (mut rows, mut err) = (Vec::new(), Out::stderr(look));
    for name in names(&folder)? {
        match read(&folder.join(format!("{name}.{SUFFIX}"))) {
            Ok(template) => {
                let parameters = template.parameters.iter().map(|one| one.name.clone());
                rows.push((name, parameters.collect::<Vec<_>>(), template.description));
            }
            // A faulty file does not hide the others.
            Err(error) => note(&mut err, Tone::Warning, "warning", &error.error.to_string()),
        }
    }
    if settings.format == Format::Json {
        let document: Vec<Value> = rows
            .iter()
            .map(|(name, parameters, description)| {
                json!({"name": name, "parameters": parameters, "description": description})
            })
            .collect();
        print_document(look, &document)?;
        return Ok(Exit::Done);
    }
    if rows.is_empty() {
        let text = "there are no templates yet; `narratoria plan save-template` keeps one\n";
        print_text(look, text)?;
        return Ok(Exit::Done);
    }
    let rows: Vec<[String; 3]> = rows
        .into_iter()
        .map(|(name, parameters, what)| [name, parameters.join(" "), what])
        .collect();
    print_text(look, &render_table(["NAME", "PARAMETERS", "WHAT"], &rows, look.width))?;
    Ok(Exit::Done)
}

/// Returns a command line that uses the template.
pub(super) fn example(template: &PlanTemplate) -> String {
    let keys = template.parameters.iter().map(|one| format!(" {}=…", one.name));
    format!("narratoria plan new --template {}{}", template.name, keys.collect::<String>())
}

/// Translates the error, with its hint.
pub(super) fn template_error(error: PlanTemplateError) -> TurnError {
    let hint = error.hint();
    let failed = TurnError::new(TurnErrorKind::BadInput, error);
    hint.into_iter().fold(failed, |failed, hint| failed.hint(hint))
}
