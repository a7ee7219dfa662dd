//! `narratoria skill pack`: packs a package into an archive, with the same bytes each time.

use std::{path::Path, sync::Arc};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{ExampleRun, PackageHarness, SigningKey, run_examples, stale_components};
use narratoria_skills::{
    ARCHIVE_SUFFIX, PackError, PackReport, PlayerSide, Problem, Skill, open_package_folder,
    pack as pack_folder,
};
use serde_json::json;
use tokio::task::spawn_blocking;

use super::{packages, signed_archive::signature_path, signing_key, unbuilt::way_out};
use crate::{
    args::{Format, SkillPackArgs},
    error::CliError,
    exit::Exit,
    files, print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Out, Tone, note, report_lines, visible};

/// Most paths that the note about an archive names; `--format json` has all.
const PATHS_SHOWN: usize = 12;

pub(super) async fn pack(args: SkillPackArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    if !args.package.exists() {
        return Err(CliError::NoFile { what: "package", path: args.package }.into());
    }
    let shown = args.package.display().to_string();
    let stale = if args.unchecked { Vec::new() } else { stale_components(&args.package) };
    if !stale.is_empty() {
        return Err(stale_error(&stale, &shown));
    }
    let mut key = None;
    if let Some(file) = &args.sign {
        key = signing_key::open(file, args.password_file.as_deref(), &settings, &mut err)?;
        if key.is_none() {
            return Ok(Exit::Interrupted);
        }
    }
    let mut archive = Vec::new();
    let packed = match pack_folder(&args.package, &mut archive) {
        Ok(packed) => packed,
        Err(PackError::InvalidPackage(problems)) => {
            report_problems(&mut err, &problems);
            let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
            note(&mut err, Tone::Hint, "hint", &way_out(&problems, &shown));
            return Ok(Exit::BadInput);
        }
        Err(error) => return Err(TurnError::new(TurnErrorKind::BadInput, error)),
    };
    let ran = match args.unchecked {
        true => None,
        false => run_its_examples(&args.package, &settings, &mut err).await?,
    };
    if let Some((_, differ)) = ran.filter(|(_, differ)| *differ > 0) {
        let what = match differ {
            1 => "an example does not come out as expected".to_owned(),
            many => format!("{many} examples do not come out as expected"),
        };
        let hint = format!(
            "`narratoria skill test {shown}` shows them; `skill pack --unchecked` packs the package as it is"
        );
        return Err(TurnError::new(TurnErrorKind::Failed, what).hint(hint));
    }
    let name = format!("{}-{}{ARCHIVE_SUFFIX}", packed.name, packed.version);
    let path = args.output.unwrap_or_else(|| name.into());
    write(&path, &archive, &packed, key.as_ref())?;
    if key.is_none() && signature_path(&path).is_file() {
        let signature = signature_path(&path).display().to_string();
        let what = format!("`{}` is the signature of another archive", visible(&signature));
        note(&mut err, Tone::Warning, "warning", &what);
    }
    print_packed(&path, &packed, ran, key.as_ref(), &settings)
}

fn print_packed(
    path: &Path,
    packed: &PackReport,
    ran: Option<(usize, usize)>,
    key: Option<&SigningKey>,
    settings: &CliSettings,
) -> Result<Exit, TurnError> {
    let look = settings.terminal.look;
    let (shown, signature) =
        (path.display().to_string(), signature_path(path).display().to_string());
    if settings.format == Format::Json {
        let mut document = json!({
            "name": packed.name,
            "version": packed.version.to_string(),
            "archive": shown,
            "sha256": packed.sha256,
            "bytes": packed.bytes,
            "files": packed.files.len(),
            "paths": packed.files.iter().map(|(path, _)| path).collect::<Vec<_>>(),
            "examples": ran.map(|(examples, _)| examples),
        });
        if let Some(key) = key {
            document["signature"] = json!(signature);
            document["key"] = json!(key.key().as_str());
        }
        print_document(look, &document)?;
        return Ok(Exit::Done);
    }
    // This is the format of `sha256sum`, so that `sha256sum --check` can read it.
    print_text(look, &format!("{}  {}\n", packed.sha256, visible(&shown)))?;
    let mut err = Out::stderr(look);
    note(&mut err, Tone::Notice, "packed", &contents_text(packed, ran));
    if let Some(key) = key {
        let what = format!("{} by the key {}", visible(&signature), key.key());
        note(&mut err, Tone::Notice, "signed", &what);
    }
    Ok(Exit::Done)
}

/// Writes the archive, and its signature beside it.
fn write(
    path: &Path,
    archive: &[u8],
    packed: &PackReport,
    key: Option<&SigningKey>,
) -> Result<(), TurnError> {
    let signed = key.map(|key| key.sign(packed, archive)).transpose();
    let signed = signed.map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
    files::write(path, "archive", archive)?;
    if let Some(signed) = signed {
        files::write(&signature_path(path), "signature", signed)?;
    }
    Ok(())
}

fn stale_error(stale: &[String], package: &str) -> TurnError {
    let named = stale.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    let verb = if stale.len() == 1 { "is" } else { "are" };
    let what = format!("{named} {verb} older than the sources of `{package}`");
    let hint = format!(
        "`narratoria skill build {package}` builds it; `skill pack --unchecked` packs the package as it is"
    );
    TurnError::new(TurnErrorKind::BadInput, what).hint(hint)
}

/// Runs the examples as `skill check` does, without any settings of a player. Returns how many there are, and how many
/// differ; `None` if the package has none, or lacks settings.
async fn run_its_examples(
    package: &Path,
    settings: &CliSettings,
    err: &mut Out,
) -> Result<Option<(usize, usize)>, TurnError> {
    let Some(skill) = runnable(package) else { return Ok(None) };
    let sandbox = setup::offline_sandbox(settings, err)?;
    let scratch = packages::scratch_folder()?;
    let (env, folder) = (packages::environment(), scratch.path().to_owned());
    let name = skill.name.clone();
    let work = move || PackageHarness::build(Arc::new(skill), &sandbox, env, folder);
    let harness = setup::announce_compiling(&name, err, spawn_blocking(work)).await;
    let harness = harness.map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
    let harness = harness.map_err(|(path, error)| {
        TurnError::new(TurnErrorKind::BadInput, format!("`{path}`: {error}"))
    })?;
    let runs = run_examples(&harness).await;
    let runs = runs.map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
    let differs = |run: &&ExampleRun| !run.differences.is_empty();
    Ok(Some((runs.len(), runs.iter().filter(differs).count())))
}

/// The package, if it loads without settings and has examples.
fn runnable(package: &Path) -> Option<Skill> {
    let package = open_package_folder(package).ok()?;
    let skill = package.load(&PlayerSide::none().tolerating_missing()).ok()?;
    (!skill.examples.is_empty()).then_some(skill)
}

/// `9 files, 154 kB, 2 examples run: skill.json, …`
fn contents_text(packed: &PackReport, ran: Option<(usize, usize)>) -> String {
    let PackReport { files, bytes, .. } = packed;
    let ran = match ran {
        None => String::new(),
        Some((1, _)) => ", 1 example run".to_owned(),
        Some((examples, _)) => format!(", {examples} examples run"),
    };
    let paths: Vec<&str> = files.iter().take(PATHS_SHOWN).map(|(path, _)| path.as_str()).collect();
    let more = match files.len().saturating_sub(PATHS_SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let word = if files.len() == 1 { "file" } else { "files" };
    let (count, kilobytes) = (files.len(), bytes.div_ceil(1000));
    format!("{count} {word}, {kilobytes} kB{ran}: {}{more}", paths.join(", "))
}

/// Reports everything that is wrong with a package.
pub(super) fn report_problems(err: &mut Out, problems: &[Problem]) {
    for problem in problems {
        report_lines(err, &problem.to_string(), &[]);
    }
}
