//! `narratoria skill inspect`.

use std::{collections::BTreeMap, sync::Arc};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::{
    self as kit, ExampleRun, GrantFacts, GrantUse, LimitFacts, NameList, PackageHarness,
    ScriptFacts,
};
use narratoria_protocol::InvocationEnding;
use narratoria_skills::{ConfigForm, ConfigFormError, ListedFiles, Skill, ValueSource};
use serde_json::{Value, json};

use super::{
    config,
    consent::{demands_document, demands_of, other_skills, suggested_variables},
    find_package,
    usage::usage_document,
};
use crate::{
    args::{Format, SkillInspectArgs},
    environment,
    exit::Exit,
    player_settings::PlayerSettingsSource,
    print_document, print_text,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Out, PackageView, Tone, note, package_view};

/// Version of `contracts/skill-inspection.schema.json`.
const DOCUMENT_VERSION: u32 = 1;

pub(super) async fn inspect(args: SkillInspectArgs) -> Result<Exit, TurnError> {
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let source = PlayerSettingsSource::open(&settings)?;
    let found = find_package::find(&args.package, &settings)?;
    let form = match found.config_form(&source.settings) {
        Ok(form) => Some(form),
        Err(ConfigFormError::NoSettings { .. }) => None,
        // Loading the package below reports everything that is wrong.
        Err(_) => None,
    };
    let mut files = found.list_files();
    let (mut skill, notes) = found
        .load_with_notes(&source.side().tolerating_missing())
        .map_err(|all| find_package::broken(&all))?;
    for problem in notes {
        note(&mut err, Tone::Notice, "note", &problem.to_string());
    }
    // Shows the effective values. A refused grant stops the skill from running, but not its inspection.
    for refused in source.policy.apply(&mut skill) {
        note(&mut err, Tone::Warning, "warning", &refused.to_string());
    }
    // The components are left out here, because the table of scripts shows them.
    files.paths.retain(|path| skill.scripts.iter().all(|script| script.path != *path));
    let asks_for = demands_of(&skill, &other_skills(&settings, &source));
    let skill = Arc::new(skill);
    let scripts = kit::inspect(&skill);
    let runs = match args.no_run {
        true => None,
        false => run_examples(&skill, &settings, &mut err).await?,
    };
    if settings.format == Format::Json {
        let document = document(&skill, &scripts, runs.as_deref(), form.as_ref());
        let mut document = with_files(document, &skill, &files);
        document["asksFor"] = demands_document(&asks_for);
        if let Some(key) = &skill.signer {
            document["key"] = json!(key.as_str());
        }
        print_document(look, &document)?;
        return Ok(Exit::Done);
    }
    let view = PackageView {
        files: &files,
        asks_for: &asks_for,
        suggested: form.iter().flat_map(|form| suggested_variables(form, &skill)).collect(),
        skill: &skill,
        origin: find_package::origin(&skill.origin),
        scripts: &scripts,
        runs: runs.as_deref(),
        form: form.as_ref(),
    };
    print_text(look, &package_view(&view, look.width))?;
    Ok(Exit::Done)
}

/// Runs the examples. Returns `None` if the package cannot run; the report says so and shows the rest.
async fn run_examples(
    skill: &Arc<Skill>,
    settings: &CliSettings,
    err: &mut Out,
) -> Result<Option<Vec<ExampleRun>>, TurnError> {
    if skill.examples.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let failed = |why: std::io::Error| {
        TurnError::new(TurnErrorKind::Internal, format!("the examples cannot be run: {why}"))
    };
    let sandbox = setup::sandbox(settings, err)?;
    let scratch = tempfile::tempdir().map_err(failed)?;
    let env = skill.granted_env(environment::variable);
    match PackageHarness::build(Arc::clone(skill), &sandbox, env, scratch.path().to_owned()) {
        Ok(rig) => Ok(Some(kit::run_examples(&rig).await.map_err(failed)?)),
        Err((path, error)) => {
            let what = format!("the examples are not run: {path} {error}");
            note(err, Tone::Warning, "warning", &what);
            Ok(None)
        }
    }
}

fn document(
    skill: &Skill,
    scripts: &[ScriptFacts],
    runs: Option<&[ExampleRun]>,
    form: Option<&ConfigForm>,
) -> Value {
    let examples = skill.examples.iter().enumerate().map(|(at, example)| {
        let run = runs.map(|runs| &runs[at]);
        json!({
            "file": example.file,
            "script": example.script,
            "seed": example.seed,
            "result": run.map(result),
            "differences": run.map(|run| &run.differences),
            "usage": run.map(|run| usage_document(&run.run.invocation.usage)),
        })
    });
    json!({
        "version": DOCUMENT_VERSION,
        "name": skill.name,
        "displayName": skill.display_name,
        "description": skill.description,
        "packageVersion": skill.version.to_string(),
        "author": skill.author,
        "license": skill.license,
        "origin": find_package::origin(&skill.origin),
        "scripts": scripts.iter().map(script).collect::<Vec<_>>(),
        "examples": examples.collect::<Vec<_>>(),
        "settings": form.map(config::settings_document),
    })
}

/// Adds the size of the package's prompt and the files that the host lists but never runs.
fn with_files(mut document: Value, skill: &Skill, files: &ListedFiles) -> Value {
    document["promptBytes"] = json!(skill.prompt.len());
    document["files"] = json!({"listed": files.paths, "more": files.is_cut_short});
    document
}

fn script(facts: &ScriptFacts) -> Value {
    let component = match &facts.component {
        Err(why) => json!({"error": why}),
        Ok(component) => {
            let memories = component.memories.iter();
            let memories =
                memories.map(|memory| json!({"bytes": memory.bytes, "bytesMax": memory.bytes_max}));
            json!({
                "imports": names(&component.imports),
                "exports": names(&component.exports),
                "coreModules": component.modules,
                "functions": component.functions,
                "tables": component.tables,
                "memories": memories.collect::<Vec<_>>(),
            })
        }
    };
    let limits = facts.limits.iter().map(|limit| {
        let LimitFacts { what, value: holds, default, ceiling } = limit;
        (what.name(), json!({"holds": holds, "default": default, "ceiling": ceiling}))
    });
    let grants = facts.grants.iter().map(|facts| {
        let GrantFacts { grant, granted, is_optional, names, used } = facts;
        let used = (*used != GrantUse::None).then(|| used.as_str());
        let mut document = json!({"granted": granted, "names": names, "use": used});
        if *is_optional {
            document["optional"] = json!(true);
        }
        (grant.as_str(), document)
    });
    let mut document = json!({
        "name": facts.name,
        "path": facts.path,
        "bytes": facts.bytes,
        "sha256": facts.sha256,
        "component": component,
        "grants": grants.collect::<BTreeMap<_, _>>(),
        "limits": limits.collect::<BTreeMap<_, _>>(),
        "inputSchemaBytes": facts.input_schema_bytes,
        "outputSchemaBytes": facts.output_schema_bytes,
    });
    if !facts.values_from.is_empty() {
        let source = |one: &ValueSource| json!({"part": one.part, "pointer": one.pointer});
        document["valuesFrom"] = facts.values_from.iter().map(source).collect();
    }
    document
}

fn names(names: &NameList) -> Value {
    json!({"count": names.count, "listed": names.listed})
}

fn result(run: &ExampleRun) -> &'static str {
    match (&run.run.invocation.ending, run.differences.is_empty()) {
        (InvocationEnding::Aborted(_), _) => "refused",
        (_, false) => "differs",
        (_, true) => "ok",
    }
}
