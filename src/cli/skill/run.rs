//! `narratoria skill run`: one script, once, outside any story.

use narratoria_engine::{ScriptCall, TurnError};
use narratoria_protocol::{InvocationEnding, OPERATION_RUN};

use super::{record, script_printer::ScriptPrinter};
use crate::{
    cli::{
        args::{InteractionArgs, SkillRunArgs},
        exit::Exit,
        files,
        interrupt::Interrupts,
        settings::CliSettings,
        setup,
    },
    ui::Out,
};

pub(super) async fn run(args: SkillRunArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    if let Some(path) = &args.replay {
        return record::replay(&settings, path, args.script.as_deref()).await;
    }
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let state = args.state.map(|path| files::read_object(&path, "state")).transpose()?;
    let inputs = args.inputs.map(|path| files::read_object(&path, "inputs")).transpose()?;
    let skill_set = setup::load_skills_without_model(&settings, None, &mut err)?;
    skill_set.warn(&mut err);
    let seed = args.seed.seed;
    let call = ScriptCall {
        tool_path: args.script.as_deref().unwrap_or_default(),
        operation: OPERATION_RUN,
        input: files::read_object(files::stdin(), "input")?,
        state: state.unwrap_or_default(),
        inputs: inputs.unwrap_or_default(),
        seed: seed.unwrap_or_else(setup::draw_seed),
        answers: args.answers,
    };
    let interrupts = Interrupts::listen(look)?;
    let running = interrupts.begin_turn(None);
    let printer = ScriptPrinter::new(look, settings.format, seed.is_some());
    let bare = skill_set.without_story(setup::options(&settings, InteractionArgs::default()));
    let bare = bare.repeatable(seed);
    let stage = bare.stage();
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
        () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
        ran = work => ran?,
    };
    printer.print_ending(&mut Out::stderr(look), &invocation);
    let ok = matches!(invocation.ending, InvocationEnding::Done { .. });
    Ok(if ok { Exit::Done } else { Exit::Failed })
}
