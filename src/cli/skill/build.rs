//! `narratoria skill build`.

use std::{
    env,
    path::{Path, PathBuf},
};

use narratoria::{
    engine::{ErrorKind, TurnError},
    kit::{BuildError, BuiltScript, SdkCopy, Tools, build_package, look_at_sdk, renew_sdk},
};

use crate::{
    cli::{args::SkillBuildArgs, exit::Exit, interrupt::Interrupts, print_text, settings},
    ui::{Look, Out, Tone, note, report, visible, words_of_tools},
};

pub(super) async fn build(args: SkillBuildArgs) -> Result<Exit, TurnError> {
    let look = settings::first_look();
    let interrupts = Interrupts::listen(look)?;
    let running = interrupts.begin_turn(None);
    let tools = Tools {
        env: env::vars_os().collect(),
        path: env::var_os("PATH").iter().flat_map(env::split_paths).collect(),
        words: words_of_tools,
        cancel: running.cancel.clone(),
    };
    let mut exit = Exit::Done;
    for package in args.packages {
        let done = build_one(package, args.update_sdk, tools.clone(), look).await;
        match done {
            Ok(()) => {}
            Err(BuildError::Interrupted) => return Ok(Exit::Interrupted),
            Err(error) => {
                let error = told(error);
                // The others may be fine all the same; the first failure decides how it ends.
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
    tools: Tools,
    look: Look,
) -> Result<(), BuildError> {
    if update_sdk {
        renew_sdk(&package)?;
    }
    if let SdkCopy::Other { version, ours } = look_at_sdk(&package) {
        let what = format!(
            "`{}` has another SDK ({}) than this program ({ours}); `--update-sdk` renews it",
            package.display(),
            visible(&version)
        );
        note(&mut Out::stderr(look), Tone::Warning, "note", &what);
    }
    let folder = package.clone();
    // A thread that may wait: the tools take their time.
    let built = tokio::task::spawn_blocking(move || build_package(&folder, &tools))
        .await
        .expect("building does not panic")?;
    for script in &built {
        // Whoever does not read misses nothing else.
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

fn told(error: BuildError) -> TurnError {
    let (kind, hints) = match &error {
        BuildError::NoPackage { .. } => {
            (ErrorKind::NotFound, vec!["`narratoria skill new NAME` begins one".to_owned()])
        }
        BuildError::BadManifest { .. }
        | BuildError::NoSource { .. }
        | BuildError::Missing { .. }
        | BuildError::NoProgram { .. } => (ErrorKind::BadInput, Vec::new()),
        BuildError::NoTool { ways_out, .. } => (ErrorKind::NotFound, ways_out.clone()),
        BuildError::CannotStart { .. }
        | BuildError::ToolFailed { .. }
        | BuildError::Interrupted
        | BuildError::Io { .. } => (ErrorKind::Failed, Vec::new()),
    };
    hints.into_iter().fold(TurnError::new(kind, error), TurnError::hint)
}
