//! Finds the named package: by its folder, or by the name of a skill.

use std::path::{MAIN_SEPARATOR, Path};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::nearest::nearest;
use narratoria_skills::{self as skills, PackageHandle, PackageOrigin, Problem};

use crate::{settings::CliSettings, setup};

/// Most names that an error shows.
const NAMES_SHOWN: usize = 8;

/// Finds the package. Text that looks like a path, or names a folder with a package, is a folder; any other text is the
/// name of a package of `--skills` or of a built-in one.
pub(super) fn find(named: &str, settings: &CliSettings) -> Result<PackageHandle, TurnError> {
    let path = Path::new(named);
    let is_path = named.contains(['/', MAIN_SEPARATOR]) || matches!(named, "." | "..");
    if is_path || skills::is_package_folder(path) {
        return match path.exists() {
            true => skills::open_package_folder(path).map_err(|problem| broken(&[problem])),
            false => {
                let what = format!("the package `{named}` does not exist");
                Err(TurnError::new(TurnErrorKind::NotFound, what))
            }
        };
    }
    let mut found = skills::find_in_roots(&setup::roots(settings), &settings.skill_settings());
    match found.iter().position(|one| one.name() == named) {
        Some(at) => Ok(found.swap_remove(at)),
        None => Err(unknown(named, &found)),
    }
}

/// Returns an error with everything that is wrong with a package.
pub(super) fn broken(problems: &[Problem]) -> TurnError {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    TurnError::new(TurnErrorKind::BadInput, lines.join("\n"))
}

/// Returns the origin of a package as a word or a path.
pub(super) fn origin(origin: &PackageOrigin) -> String {
    match origin {
        PackageOrigin::BuiltIn => "built-in".to_owned(),
        PackageOrigin::Folder(path) => path.display().to_string(),
    }
}

fn unknown(named: &str, found: &[PackageHandle]) -> TurnError {
    let mut names: Vec<String> = found.iter().map(|found| found.name().to_owned()).collect();
    names.sort_unstable();
    let error = TurnError::new(TurnErrorKind::NotFound, format!("there is no skill `{named}`"));
    let hint = match nearest(named, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let more = if names.len() > NAMES_SHOWN { ", …" } else { "" };
            names.truncate(NAMES_SHOWN);
            format!("there are `{}`{more}", names.join("`, `"))
        }
    };
    error.hint(hint).hint(format!("a folder is written with a slash: `./{named}`"))
}
