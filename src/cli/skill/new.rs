//! `narratoria skill new` and `narratoria skill add-script`.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{
    AddScriptError, Language, NewPackageError, NewScript, ScriptFeature, SdkSource, add_script,
    create_empty, create_package, create_prompt_only,
};

use super::{build_consent, packages};
use crate::{
    args::{SkillAddScriptArgs, SkillLanguage, SkillNewArgs, SkillSdk, SkillWith},
    error::CliError,
    exit::Exit,
    print_text, settings,
};
use narratoria_ui::{Out, Tone, note, visible};

pub(super) async fn new(args: SkillNewArgs) -> Result<Exit, TurnError> {
    let language = language(args.lang);
    let sdk = sdk_source(args.sdk, language)?;
    let features: Vec<ScriptFeature> = args.with.iter().copied().map(feature).collect();
    let made = match (args.prompt_only, args.empty) {
        (true, _) => create_prompt_only(&args.dir, &args.name),
        (false, true) => create_empty(&args.dir, &args.name, language, sdk),
        (false, false) => create_package(&args.dir, &args.name, language, sdk, &features),
    };
    let folder = made.map_err(new_package_error)?;
    let made_in = folder.clone();
    // A path that the author will type needs no `./`.
    let folder = folder.strip_prefix(".").unwrap_or(&folder).display().to_string();
    let look = settings::initial_look();
    print_text(look, &format!("{}\n", visible(&folder)))?;
    let mut err = Out::stderr(look);
    if packages::is_built_in(&args.name) {
        let what = format!(
            "`{}` is the name of a built-in skill: players must agree that this one takes its place",
            args.name
        );
        note(&mut err, Tone::Warning, "warning", &what);
    }
    if args.prompt_only {
        let skill_md = format!("write your rules into {folder}/SKILL.md");
        note(&mut err, Tone::Hint, "next", &skill_md);
        note(&mut err, Tone::Hint, "then", &format!("narratoria skill check {folder}"));
        return Ok(Exit::Done);
    }
    build_consent::record_present(&made_in, &mut err);
    if let Some(first) = first_step(language) {
        note(&mut err, Tone::Hint, "first", &format!("in `{folder}`, {first}"));
    }
    note(&mut err, Tone::Hint, "next", &format!("narratoria skill dev {folder}"));
    Ok(Exit::Done)
}

/// Adds a script to a package.
pub(super) async fn add(args: SkillAddScriptArgs) -> Result<Exit, TurnError> {
    let SkillAddScriptArgs { name, package, lang, with } = args;
    let script =
        NewScript { name: &name, language: lang.map(language), feature: with.map(feature) };
    let was_agreed = build_consent::is_agreed(&package);
    let written = add_script(&package, script).map_err(add_script_error)?;
    let look = settings::initial_look();
    // The last paths are changed files, not new ones, and end the list.
    let lines: String = written.iter().map(|path| format!("{}\n", visible(path))).collect();
    print_text(look, &lines)?;
    let mut err = Out::stderr(look);
    if was_agreed {
        build_consent::record_present(&package, &mut err);
    }
    let folder = package.display().to_string();
    // Only a language that is new in the package has such a file.
    let asks = |file: &str| written.iter().any(|path| path == file);
    let languages =
        [("package.json", Language::JavaScript), ("requirements.txt", Language::Python)];
    let new = languages.into_iter().find(|(file, _)| asks(file));
    if let Some(first) = new.and_then(|(_, language)| first_step(language)) {
        note(&mut err, Tone::Hint, "first", &format!("in `{folder}`, {first}"));
    }
    note(&mut err, Tone::Hint, "next", &format!("narratoria skill dev {folder}"));
    Ok(Exit::Done)
}

fn language(lang: SkillLanguage) -> Language {
    match lang {
        SkillLanguage::Rust => Language::Rust,
        SkillLanguage::C => Language::C,
        SkillLanguage::Js => Language::JavaScript,
        SkillLanguage::Python => Language::Python,
    }
}

/// Returns where the SDK comes from. Refuses a choice that the language would ignore.
fn sdk_source(sdk: SkillSdk, language: Language) -> Result<SdkSource, CliError> {
    match (sdk, language) {
        (SkillSdk::Copy, _) => Ok(SdkSource::Copy),
        (SkillSdk::Registry, Language::Rust) => Ok(SdkSource::Registry),
        (SkillSdk::Registry, _) => Err(CliError::SdkWithoutRust),
    }
}

fn feature(with: SkillWith) -> ScriptFeature {
    match with {
        SkillWith::Store => ScriptFeature::Store,
        SkillWith::Http => ScriptFeature::Http,
        SkillWith::Assets => ScriptFeature::Assets,
        SkillWith::Config => ScriptFeature::Config,
        SkillWith::Ask => ScriptFeature::Ask,
        SkillWith::Llm => ScriptFeature::Llm,
        SkillWith::Memory => ScriptFeature::Memory,
    }
}

/// Returns the command that installs the tools of a language, if the package brings them.
fn first_step(language: Language) -> Option<&'static str> {
    match language {
        Language::Rust | Language::C => None,
        Language::JavaScript => Some("npm install"),
        Language::Python => {
            Some("python3 -m venv .venv && .venv/bin/pip install -r requirements.txt")
        }
    }
}

fn new_package_error(error: NewPackageError) -> TurnError {
    let error = match error {
        NewPackageError::Script(error) => return add_script_error(error),
        other => other,
    };
    let (kind, hint) = match &error {
        NewPackageError::BadName { .. } => (TurnErrorKind::BadInput, None),
        NewPackageError::Taken { .. } => {
            (TurnErrorKind::BadInput, Some("take another name, or another folder with `--dir`"))
        }
        NewPackageError::NoFolder { .. } => (TurnErrorKind::NotFound, Some("make it first")),
        NewPackageError::Io { .. } | NewPackageError::Script(_) => (TurnErrorKind::Failed, None),
    };
    let failed = TurnError::new(kind, error);
    match hint {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}

fn add_script_error(error: AddScriptError) -> TurnError {
    let (kind, hint) = match &error {
        AddScriptError::NoPackage { .. } => {
            (TurnErrorKind::NotFound, Some("`narratoria skill new NAME` begins one".to_owned()))
        }
        AddScriptError::NoLanguage { .. } => {
            (TurnErrorKind::BadInput, Some("name it with `--lang`".to_owned()))
        }
        AddScriptError::ScriptExists { .. } | AddScriptError::FileExists { .. } => {
            (TurnErrorKind::BadInput, Some("take another name".to_owned()))
        }
        AddScriptError::BadName { .. } | AddScriptError::Unusable { .. } => {
            (TurnErrorKind::BadInput, None)
        }
        AddScriptError::Io { .. } => (TurnErrorKind::Failed, None),
    };
    hint.into_iter().fold(TurnError::new(kind, error), TurnError::hint)
}
