//! `narratoria skill list | run`.

use std::sync::{Arc, Mutex, PoisonError};

use narratoria::{
    engine::{ScriptCall, TurnError},
    protocol::OPERATION_RUN,
    sandbox::{Ending, Invocation, Said},
    skills::{Grants, Origin, Script, Skill},
};
use serde_json::{Value, json};

use super::{
    args::{Format, PeopleArgs, SkillListArgs, SkillRunArgs, SkillVerb},
    exit::Exit,
    files,
    interrupt::Interrupts,
    print_document, print_text,
    settings::Settings,
    setup,
};
use crate::ui::{
    Out, Tone, event_line, event_value, note, render_table, report_lines, usage_line, visible,
};

pub(super) async fn skill(verb: SkillVerb) -> Result<Exit, TurnError> {
    match verb {
        SkillVerb::List(args) => list(args),
        SkillVerb::Run(args) => run(args).await,
    }
}

fn list(args: SkillListArgs) -> Result<Exit, TurnError> {
    let settings = Settings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let kit = setup::kit_without_model(&settings, None, &mut err)?;
    kit.warn(&mut err);
    if settings.format == Format::Json {
        let skills: Vec<Value> = kit.catalog.iter().map(|skill| skill_document(skill)).collect();
        print_document(look, &skills)?;
        return Ok(Exit::Done);
    }
    let row = |skill: &Arc<Skill>| {
        let scripts: Vec<&str> = skill.scripts.iter().map(|script| &*script.name).collect();
        [
            skill.name.clone(),
            skill.version.to_string(),
            origin(skill),
            scripts.join(", "),
            skill.description.clone(),
        ]
    };
    let rows: Vec<[String; 5]> = kit.catalog.iter().map(row).collect();
    let heading = ["NAME", "VERSION", "FROM", "SCRIPTS", "DESCRIPTION"];
    print_text(look, &render_table(heading, &rows, look.width))?;
    Ok(Exit::Done)
}

/// Where it came from, in a word or a path.
fn origin(skill: &Skill) -> String {
    match &skill.origin {
        Origin::BuiltIn => "built-in".to_owned(),
        Origin::Folder(path) => path.display().to_string(),
    }
}

/// A skill for programs. Its configuration is left out: it may hold secrets.
fn skill_document(skill: &Skill) -> Value {
    let scripts: Vec<Value> =
        skill.scripts.iter().map(|script| script_document(skill, script)).collect();
    json!({
        "name": skill.name,
        "displayName": skill.display_name,
        "description": skill.description,
        "version": skill.version.to_string(),
        "author": skill.author,
        "license": skill.license,
        "origin": origin(skill),
        "capabilities": skill.capabilities,
        "priority": skill.priority,
        "scripts": scripts,
    })
}

fn script_document(skill: &Skill, script: &Script) -> Value {
    let Grants { store, memory, llm, assets, data, http, env } = &script.grants;
    json!({
        "name": script.name,
        "toolPath": format!("{}/{}", skill.name, script.name),
        "description": script.description,
        "inputSchema": script.input_schema.document(),
        "outputSchema": script.output_schema.as_ref().map(|schema| schema.document()),
        "timeout": u64::try_from(script.timeout.as_millis()).unwrap_or(u64::MAX),
        "required": script.required,
        "async": script.is_async,
        "requiresApproval": script.requires_approval,
        "reads": script.reads,
        "limits": {
            "fuel": script.limits.fuel,
            "memoryBytes": script.limits.memory_bytes,
            "stdoutBytes": script.limits.stdout_bytes,
        },
        "grants": {
            "store": store, "memory": memory, "llm": llm, "assets": assets, "data": data,
            "http": http, "env": env,
        },
    })
}

async fn run(args: SkillRunArgs) -> Result<Exit, TurnError> {
    let settings = Settings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let state = args.state.map(|path| files::read_object(&path, "state")).transpose()?;
    let inputs = args.inputs.map(|path| files::read_object(&path, "inputs")).transpose()?;
    let kit = setup::kit_without_model(&settings, None, &mut err)?;
    kit.warn(&mut err);
    let call = ScriptCall {
        tool_path: &args.script,
        operation: OPERATION_RUN,
        input: files::read_object(files::stdin(), "input")?,
        state: state.unwrap_or_default(),
        inputs: inputs.unwrap_or_default(),
        seed: args.seed.seed.unwrap_or_else(setup::draw_seed),
    };
    let interrupts = Interrupts::listen(look)?;
    let running = interrupts.begin_turn(None);
    let out = Arc::new(Mutex::new(Out::stdout(look)));
    let (heard, format) = (Arc::clone(&out), settings.format);
    let sink = Box::new(move |said| {
        // What is said aloud comes again, as part of the output.
        let Said::Event(message) = said else { return };
        let mut out = heard.lock().unwrap_or_else(PoisonError::into_inner);
        out.write(&match format {
            Format::Json => format!("{}\n", event_value(&message)),
            Format::Plain => format!("{}\n", event_line(&message)),
        });
    });
    let bare = kit.without_story(setup::options(&settings, PeopleArgs::default()));
    let stage = bare.stage();
    let invocation = tokio::select! {
        biased;
        () = running.cancel.cancelled() => return Ok(Exit::Interrupted),
        ran = stage.run_script(call, sink) => ran?,
    };
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(end(&mut out, &mut err, format, &invocation))
}

/// The last lines: how it ended and what it cost.
fn end(out: &mut Out, err: &mut Out, format: Format, invocation: &Invocation) -> Exit {
    let Invocation { ending, usage, stderr_tail, .. } = invocation;
    let ok = matches!(ending, Ending::Done { .. });
    if format == Format::Json {
        let refusal = match ending {
            Ending::Refused(refusal) => {
                json!({"code": refusal.code(), "message": refusal.to_string()})
            }
            _ => Value::Null,
        };
        let line = json!({
            "type": "invocation",
            "ok": ok,
            "refusal": refusal,
            "usage": {
                "fuelConsumed": usage.fuel,
                "peakMemoryBytes": usage.memory_bytes_peak,
                "stdoutBytes": usage.stdout_bytes,
                "executionTimeMs": u64::try_from(usage.elapsed.as_millis()).unwrap_or(u64::MAX),
            },
            "stderr": stderr_tail,
        });
        out.write(&format!("{line}\n"));
    } else {
        if let Ending::Refused(refusal) = ending {
            report_lines(err, &format!("the script {refusal} ({})", refusal.code()), &[]);
        }
        for line in stderr_tail.lines() {
            note(err, Tone::Aside, "stderr", line);
        }
        out.write(&format!("{}\n", visible(&usage_line(usage))));
    }
    if ok { Exit::Done } else { Exit::Failed }
}
