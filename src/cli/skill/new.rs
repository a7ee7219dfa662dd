//! `narratoria skill new`.

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{Language, NewPackageError, create_package};

use crate::{
    cli::{
        args::{SkillLanguage, SkillNewArgs},
        exit::Exit,
        print_text, settings,
    },
    ui::{Out, Tone, note, visible},
};

pub(super) async fn new(args: SkillNewArgs) -> Result<Exit, TurnError> {
    let language = match args.lang {
        SkillLanguage::Rust => Language::Rust,
        SkillLanguage::C => Language::C,
        SkillLanguage::Js => Language::JavaScript,
        SkillLanguage::Python => Language::Python,
    };
    let folder = create_package(&args.dir, &args.name, language).map_err(new_package_error)?;
    // A path that the author will type needs no `./`.
    let folder = folder.strip_prefix(".").unwrap_or(&folder).display().to_string();
    let look = settings::initial_look();
    print_text(look, &format!("{}\n", visible(&folder)))?;
    let mut err = Out::stderr(look);
    if let Some(first) = first_step(language) {
        note(&mut err, Tone::Hint, "first", &format!("in `{folder}`, {first}"));
    }
    note(&mut err, Tone::Hint, "next", &format!("narratoria skill build {folder}"));
    note(&mut err, Tone::Hint, "then", &format!("narratoria skill check {folder}"));
    Ok(Exit::Done)
}

/// The command that installs the tools of a language, if the package brings them.
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
    let (kind, hint) = match &error {
        NewPackageError::BadName { .. } => (TurnErrorKind::BadInput, None),
        NewPackageError::Taken { .. } => {
            (TurnErrorKind::BadInput, Some("take another name, or another folder with `--dir`"))
        }
        NewPackageError::NoFolder { .. } => (TurnErrorKind::NotFound, Some("make it first")),
        NewPackageError::Io { .. } => (TurnErrorKind::Failed, None),
    };
    let failed = TurnError::new(kind, error);
    match hint {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}
