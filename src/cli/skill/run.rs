//! `narratoria skill run`: runs one script once, outside any story. With `--story`, the script sees a story but changes none.

use std::path::{Path, PathBuf};

use narratoria_engine::{ScriptCall, TurnError};
use narratoria_protocol::{InvocationEnding, OPERATION_RUN, Object, Stores};
use narratoria_story::Story;

use super::{record, run_folder::RunFolder, script_printer::ScriptPrinter};
use crate::{
    args::{InteractionArgs, SkillRunArgs},
    clock_and_ids,
    exit::Exit,
    files,
    interrupt::Interrupts,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Out, Tone, note};

pub(super) async fn run(args: SkillRunArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    if let Some(path) = &args.replay {
        return record::replay(&settings, path, args.script.as_deref()).await;
    }
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let read =
        |path: Option<PathBuf>, what| path.map(|path| files::read_object(&path, what)).transpose();
    let (state, inputs) = (read(args.state, "state")?, read(args.inputs, "inputs")?);
    let story = args.story.map(|name| setup::existing_story(&settings, &name)).transpose()?;
    let folder = RunFolder::open(args.keep.as_deref())?;
    let granted = folder.granted(&settings, story.as_ref())?;
    let tool_path = args.script.as_deref().unwrap_or_default();
    let skill_set = setup::load_script(&settings, tool_path, granted, &mut err)?;
    let seed = args.seed.seed;
    let printer = ScriptPrinter::new(look, settings.format, seed.is_some());
    let options = setup::options(&settings, InteractionArgs::default())?;
    let bare = skill_set.without_story(options).repeatable(seed);
    let stage = bare.stage();
    // The script is looked up before stdin is read, so that a mistyped name does not wait for input.
    let (skill, script_idx) = stage.script(tool_path)?;
    if let Some(story) = &story {
        folder.copy_data(story.folder(), &skill.name)?;
    }
    let (state, stores) = visible_state(story.as_ref(), state)?;
    let call = ScriptCall {
        tool_path,
        operation: OPERATION_RUN,
        input: files::read_object(files::stdin(), "input")?,
        state,
        inputs: inputs.unwrap_or_default(),
        seed: seed.unwrap_or_else(clock_and_ids::draw_seed),
        answers: args.answers,
        stores,
    };
    let interrupts = Interrupts::listen(look);
    let running = interrupts.begin_turn(None);
    let on_event = printer.event_sink();
    let work = async {
        match &args.record {
            Some(path) => record::record(&settings, stage, call, path, on_event, &mut err).await,
            None => {
                let mut on_event = on_event;
                stage.run_script(call, Box::new(move |said| on_event(&said))).await
            }
        }
    };
    let invocation = tokio::select! {
        biased;
        () = running.grace_over() => return Ok(Exit::Interrupted),
        ran = work => ran?,
    };
    printer.print_ending(&mut err, &invocation);
    if running.cancel.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    let grants = &skill.scripts[script_idx].grants;
    if grants.has_folder() && args.record.is_none() {
        note_files(args.keep.as_deref(), &mut err);
    }
    Ok(match invocation.ending {
        InvocationEnding::Done { .. } => Exit::Done,
        _ => Exit::Failed,
    })
}

/// Returns the state and the stores that the script sees: those of the story, or the given state.
fn visible_state(
    story: Option<&Story>,
    given: Option<Object>,
) -> Result<(Object, Stores), TurnError> {
    Ok(match story {
        Some(story) => (story.state().as_object().clone(), story.stores()?),
        None => (given.unwrap_or_default(), Stores::new()),
    })
}

/// Says where the script's files are.
fn note_files(kept_in: Option<&Path>, err: &mut Out) {
    let text = match kept_in {
        Some(dir) => format!("its files are in `{}`", dir.display()),
        None => "its files are deleted; `--keep DIR` keeps them".to_owned(),
    };
    note(err, Tone::Notice, "note", &text);
}
