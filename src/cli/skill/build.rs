//! `narratoria skill build`.

use std::path::{Path, PathBuf};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{
    BuildTools, BuiltScript, PackageBuildError, SdkCopy, ToolOutput, build_package, compare_sdk,
};

use super::{build_consent, build_tools::build_tools};
use crate::{args::SkillBuildArgs, exit::Exit, interrupt::Interrupts, print_text, settings};
use narratoria_ui::{Look, Out, Tone, note, report, tool_stdio, visible};

pub(super) async fn build(args: SkillBuildArgs) -> Result<Exit, TurnError> {
    let look = settings::initial_look();
    let mut exit = Exit::Done;
    // This asks before signals are handled, so that Ctrl-C at the question ends the program at once.
    let mut agreed = Vec::new();
    for package in args.packages {
        match build_consent::ensure(&package, args.yes, &mut Out::stderr(look)) {
            Ok(()) => agreed.push(package),
            Err(error) => {
                report(&mut Out::stderr(look), &error);
                exit = exit.max(error.kind.into());
            }
        }
    }
    let interrupts = Interrupts::listen(look);
    let running = interrupts.begin_turn(None);
    let tools = build_tools(ToolOutput::Shown(tool_stdio), running.cancel.clone());
    for package in agreed {
        let done = build_one(package.clone(), args.update_sdk, tools.clone(), look).await;
        // The build itself may have written a lock file.
        build_consent::record_present(&package, &mut Out::stderr(look));
        match done {
            Ok(()) => {}
            Err(PackageBuildError::Interrupted) => return Ok(Exit::Interrupted),
            Err(error) => {
                let error = build_error(error);
                // The other packages may be fine; the first failure decides the exit code.
                report(&mut Out::stderr(look), &error);
                if exit == Exit::Done {
                    exit = error.kind.into();
                }
            }
        }
    }
    Ok(exit)
}

async fn build_one(
    package: PathBuf,
    update_sdk: bool,
    tools: BuildTools,
    look: Look,
) -> Result<(), PackageBuildError> {
    if update_sdk {
        narratoria_kit::update_sdk(&package)?;
    }
    if let SdkCopy::Other { version, ours } = compare_sdk(&package) {
        let what = format!(
            "`{}` has another SDK ({}) than this program ({ours}); `--update-sdk` renews it",
            package.display(),
            visible(&version)
        );
        note(&mut Out::stderr(look), Tone::Warning, "note", &what);
    }
    let folder = package.clone();
    // The tools take their time, so they run on a thread that may block.
    let built = tokio::task::spawn_blocking(move || build_package(&folder, &tools))
        .await
        .expect("building does not panic")?;
    if built.is_empty() {
        let what = format!("`{}` has no scripts, so there is nothing to build", package.display());
        note(&mut Out::stderr(look), Tone::Notice, "note", &what);
    }
    for script in &built {
        // A closed stdout costs only this line.
        let _ = print_text(look, &line(&package, script));
    }
    Ok(())
}

/// `demo/scripts/tell.wasm  143 kB`
fn line(package: &Path, script: &BuiltScript) -> String {
    let whole = package.canonicalize().unwrap_or_else(|_| package.to_owned());
    let within = script.path.strip_prefix(&whole).unwrap_or(&script.path);
    let path = package.join(within);
    let path = path.strip_prefix(".").unwrap_or(&path).display().to_string();
    format!("{}  {} kB\n", visible(&path), script.bytes.div_ceil(1000))
}

fn build_error(error: PackageBuildError) -> TurnError {
    let (kind, hints) = match &error {
        PackageBuildError::NoPackage { .. } => {
            (TurnErrorKind::NotFound, vec!["`narratoria skill new NAME` begins one".to_owned()])
        }
        PackageBuildError::BadManifest { .. }
        | PackageBuildError::NoSource { .. }
        | PackageBuildError::Missing { .. }
        | PackageBuildError::NoProgram { .. } => (TurnErrorKind::BadInput, Vec::new()),
        PackageBuildError::NoTool { help: ways_out, .. } => {
            (TurnErrorKind::NotFound, ways_out.clone())
        }
        PackageBuildError::CannotStart { .. }
        | PackageBuildError::ToolFailed { .. }
        | PackageBuildError::Interrupted
        | PackageBuildError::Io { .. } => (TurnErrorKind::Failed, Vec::new()),
    };
    hints.into_iter().fold(TurnError::new(kind, error), TurnError::hint)
}
