//! `narratoria skill pack`: packs a package into an archive, with the same bytes each time.

use std::path::Path;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_skills::{ARCHIVE_SUFFIX, PackError, Problem, pack as pack_folder};
use serde_json::json;

use super::unbuilt::way_out;
use crate::{
    args::{Format, SkillPackArgs},
    error::CliError,
    exit::Exit,
    files, print_document, print_text,
    settings::CliSettings,
};
use narratoria_ui::{Out, Tone, note, report_lines, visible};

pub(super) fn pack(args: SkillPackArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    if !args.package.exists() {
        return Err(CliError::NoFile { what: "package", path: args.package }.into());
    }
    let mut archive = Vec::new();
    let packed = match pack_folder(&args.package, &mut archive) {
        Ok(packed) => packed,
        Err(PackError::InvalidPackage(problems)) => {
            let mut err = Out::stderr(look);
            report_problems(&mut err, &problems);
            let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
            let hint = way_out(&problems, &args.package.display().to_string());
            note(&mut err, Tone::Hint, "hint", &hint);
            return Ok(Exit::BadInput);
        }
        Err(error) => return Err(TurnError::new(TurnErrorKind::BadInput, error)),
    };
    let name = format!("{}-{}{ARCHIVE_SUFFIX}", packed.name, packed.version);
    let path = args.output.unwrap_or_else(|| name.into());
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    files::write(folder.unwrap_or(Path::new(".")), &path, "archive", &archive)?;
    let shown = path.display().to_string();
    match settings.format {
        Format::Json => print_document(
            look,
            &json!({
                "name": packed.name,
                "version": packed.version.to_string(),
                "archive": shown,
                "sha256": packed.sha256,
                "bytes": packed.bytes,
                "files": packed.files,
            }),
        )?,
        // This is the format of `sha256sum`, so that `sha256sum --check` can read it.
        Format::Plain => print_text(look, &format!("{}  {}\n", packed.sha256, visible(&shown)))?,
    }
    Ok(Exit::Done)
}

/// Reports everything that is wrong with a package.
pub(super) fn report_problems(err: &mut Out, problems: &[Problem]) {
    for problem in problems {
        report_lines(err, &problem.to_string(), &[]);
    }
}
