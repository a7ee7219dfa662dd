//! Packages made of the naughty guests, and sessions over them. Only for tests.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use narratoria_engine::{
    ClockAndIds, FinishedTurn, GrantedResources, Scripts, Session, SessionOptions, SessionSetup,
    StepEvent, StepUpdate, Update,
};
use narratoria_narrator::{
    PlanFuture, PlanRequest, PlanResponse, Planner, ScriptedPlanner, recovery_report,
};
use narratoria_plan::{Arbiter, BuildOptions, Plan};
use narratoria_sandbox::{Sandbox, SandboxOptions, TextModelSlot};
use narratoria_skills::{self as skills, Catalog, PackageRoot, Problem};
use narratoria_story::{PlanRow, Story, StoryName, export_runnable_plan};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::update_lines::{check, lines_of};

/// Writes a skill whose only script is one of the guests; the script has the guest's name.
pub(crate) fn write_package(root: &Path, skill: &str, guest: &str, extra: Value) {
    let found = narratoria_guests::find(guest).unwrap_or_else(|| panic!("no guest `{guest}`"));
    let folder = root.join(skill);
    fs::create_dir_all(folder.join("scripts")).unwrap();
    fs::create_dir_all(folder.join("schemas")).unwrap();
    fs::write(folder.join(format!("scripts/{guest}.wasm")), found.component).unwrap();
    fs::write(folder.join("schemas/any.json"), r#"{"type": "object"}"#).unwrap();
    let front_matter = format!("---\nname: {skill}\ndescription: A test.\n---\nA test.\n");
    fs::write(folder.join("SKILL.md"), front_matter).unwrap();
    let mut manifest = json!({
        "name": skill,
        "displayName": skill,
        "description": "A test.",
        "version": "0.1.0",
        "retryPolicy": {"maxRetries": 1, "backoffMs": 1},
        "scripts": [{
            "name": guest,
            "path": format!("scripts/{guest}.wasm"),
            "description": "A test.",
            "inputSchema": "schemas/any.json",
            "timeout": 1000,
            "reads": ["/seen"],
        }],
    });
    merge(&mut manifest, extra);
    fs::write(folder.join("skill.json"), manifest.to_string()).unwrap();
}

fn merge(target: &mut Value, extra: Value) {
    match (target, extra) {
        (Value::Object(target), Value::Object(extra)) => {
            for (key, value) in extra {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(target), Value::Array(extra)) if target.len() == extra.len() => {
            target.iter_mut().zip(extra).for_each(|(target, extra)| merge(target, extra));
        }
        (target, extra) => *target = extra,
    }
}

/// The next id. An id names a plan for ever, so all sessions share it.
static IDS: AtomicU64 = AtomicU64::new(1);

/// A clock that advances a second at each reading, and ids that count.
pub(crate) fn clock_and_ids() -> ClockAndIds {
    let seconds = AtomicU64::new(1_700_000_000);
    ClockAndIds {
        clock: Arc::new(move || {
            let second = seconds.fetch_add(1, Ordering::Relaxed) as i64;
            jiff::Timestamp::from_second(second).unwrap()
        }),
        ids: Arc::new(move || {
            uuid::Uuid::from_u128(
                u128::from(IDS.fetch_add(1, Ordering::Relaxed)) | 4 << 76 | 8 << 60,
            )
        }),
    }
}

/// Two slots; the defaults for everything else.
pub(crate) fn options() -> SessionOptions {
    SessionOptions::new(NonZeroUsize::new(2).unwrap())
}

pub(crate) fn load(folders: &[PathBuf]) -> Catalog {
    let roots: Vec<PackageRoot> = folders.iter().cloned().map(PackageRoot::Folder).collect();
    let loaded = skills::load(&roots);
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    loaded.catalog
}

/// Compiles the scripts, with the story's folder, one variable to grant and one to withhold.
pub(crate) fn prepare(catalog: &mut Catalog, story: &Story) -> Scripts {
    let (scripts, problems) = prepare_with(catalog, story, TextModelSlot::default());
    assert!(problems.is_empty(), "{problems:#?}");
    scripts
}

/// The same with a language model; also returns the problems.
pub(crate) fn prepare_with(
    catalog: &mut Catalog,
    story: &Story,
    text_model: TextModelSlot,
) -> (Scripts, Vec<Problem>) {
    // Each component is compiled once for all tests, not once for each session.
    let cache_folder = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("components"));
    let sandbox = Sandbox::open(&SandboxOptions { cache_folder, ..SandboxOptions::default() });
    let sandbox = sandbox.unwrap();
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let env = [variable("GREETING", "well met"), variable("SECRET", "1234")].into();
    let folder = Some(story.folder().to_owned());
    let granted = GrantedResources { env, folder, text_model, ..GrantedResources::default() };
    Scripts::prepare(&sandbox, catalog, granted)
}

pub(crate) fn open_story(home: &Path) -> Story {
    let name = StoryName::parse("demo").unwrap();
    let opened_at = jiff::Timestamp::from_second(1_700_000_000).unwrap();
    Story::open(&home.join("stories"), &name, opened_at, 7).unwrap()
}

pub(crate) fn session(home: &Path, skills: &Path, planner: Box<dyn Planner>) -> Session {
    session_within(home, skills, planner, options())
}

pub(crate) fn session_within(
    home: &Path,
    skills: &Path,
    planner: Box<dyn Planner>,
    options: SessionOptions,
) -> Session {
    let mut catalog = load(&[skills.to_owned()]);
    let story = open_story(home);
    let scripts = prepare(&mut catalog, &story);
    Session::open(SessionSetup {
        catalog,
        problems: Vec::new(),
        scripts,
        planner,
        story,
        clock_and_ids: clock_and_ids(),
        options,
    })
}

/// The types of the updates, in order, for reading.
pub(crate) fn types(updates: &[Update]) -> Vec<String> {
    updates
        .iter()
        .map(|update| serde_json::to_value(update).unwrap()["type"].as_str().unwrap().to_owned())
        .collect()
}

/// A home and a folder of skills.
pub(crate) struct TurnStage {
    pub(crate) home: TempDir,
    pub(crate) skills: TempDir,
}

impl TurnStage {
    pub(crate) fn new(packages: &[(&str, &str, Value)]) -> TurnStage {
        let stage =
            TurnStage { home: tempfile::tempdir().unwrap(), skills: tempfile::tempdir().unwrap() };
        for (skill, guest, extra) in packages {
            write_package(stage.skills.path(), skill, guest, extra.clone());
        }
        stage
    }

    pub(crate) fn session(&self, planner: impl Planner + 'static) -> Session {
        session(self.home.path(), self.skills.path(), Box::new(planner))
    }

    pub(crate) fn session_within(
        &self,
        planner: impl Planner + 'static,
        options: SessionOptions,
    ) -> Session {
        session_within(self.home.path(), self.skills.path(), Box::new(planner), options)
    }
}

pub(crate) async fn play(session: &mut Session, sentence: &str) -> (FinishedTurn, Vec<Update>) {
    let mut updates = Vec::new();
    let cancel = CancellationToken::new();
    let turn = session.turn(sentence, &cancel, &mut |update| updates.push(update)).await.unwrap();
    // Formatting the updates checks that they fit their contract.
    assert!(!lines_of(&updates).is_empty());
    check_plans_that_ran(session);
    (turn, updates)
}

/// Each plan of the last turn that ran is a plan for everyone: `plan check` takes what `plan export --plan-only` prints.
fn check_plans_that_ran(session: &Session) {
    let Some(turn) = session.story().newest_turn().unwrap() else { return };
    let rows = session.story().plans_of_turn(turn).unwrap();
    for row in rows.iter().filter(|row| row.result.is_some()) {
        let text = export_runnable_plan(row).to_string();
        let checked =
            Plan::from_document(text.as_bytes(), session.catalog(), &BuildOptions::default());
        assert!(checked.is_ok(), "{}\n{text}", checked.unwrap_err());
    }
}

pub(crate) fn scripted(responses: Value) -> ScriptedPlanner {
    ScriptedPlanner::parse(&responses.to_string()).unwrap()
}

pub(crate) fn plan(tools: Value) -> Value {
    json!({"requestId": "00000000-0000-4000-8000-000000000000", "tools": tools})
}

pub(crate) fn tool(id: &str, path: &str, dependencies: &[&str]) -> Value {
    json!({"toolId": id, "toolPath": path, "input": {}, "dependencies": dependencies})
}

/// A plan with a narrative. The guest `echo` returns its input, which has no `text`, so the narrative is the whole
/// narration.
pub(crate) fn narrated(tools: Value, narrative: &str) -> Value {
    let mut plan = plan(tools);
    plan["narrative"] = json!(narrative);
    plan
}

/// The store of a skill in the story.
pub(crate) fn store_of(session: &Session, skill: &str) -> Value {
    let stores = session.story().stores().unwrap();
    let store = stores.get(skill).cloned().unwrap_or_default();
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    store.iter().map(|(key, text)| (key.clone(), value(text))).collect()
}

/// The last output of a step that was successful.
pub(crate) fn output_of(updates: &[Update], step: &str) -> Value {
    let outputs =
        updates.iter().rev().filter_map(|update| match update {
            Update::Step(StepUpdate {
                tool_id, event: StepEvent::Finished { output, .. }, ..
            }) if tool_id == step => output.clone(),
            _ => None,
        });
    outputs.into_iter().next().unwrap_or_else(|| panic!("`{step}` has no output"))
}

/// The store grant, for guests that write to it.
pub(crate) fn keeps() -> Value {
    json!({"scripts": [{"grants": {"store": true}}]})
}

/// A scripted planner that logs its requests and may bring an arbiter.
pub(crate) struct LoggingPlanner {
    pub(crate) planner: ScriptedPlanner,
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
    pub(crate) arbiter: Option<Arc<dyn Arbiter>>,
}

impl LoggingPlanner {
    pub(crate) fn new(responses: Value) -> (LoggingPlanner, Arc<Mutex<Vec<String>>>) {
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (planner, arbiter) = (scripted(responses), None);
        (LoggingPlanner { planner, requests: Arc::clone(&requests), arbiter }, requests)
    }
}

impl Planner for LoggingPlanner {
    fn name(&self) -> &str {
        "listener"
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        let mut entry = format!("attempt {}", request.attempt);
        if let Some(remark) = request.feedback {
            entry += &format!("\nremark: {remark}");
        }
        if let Some(failure) = request.last_failure {
            entry += &format!("\nfailure: {failure}");
        }
        if !request.disabled_skills.is_empty() {
            entry += &format!("\ndisabled: {}", request.disabled_skills.join(", "));
        }
        if let Some(previous) = &request.previous_plan {
            entry += &format!("\n{}", recovery_report(previous));
        }
        self.requests.lock().unwrap().push(entry);
        let answer = self.planner.propose(request);
        Box::pin(async { Ok(PlanResponse { planner: "listener".to_owned(), ..answer.await? }) })
    }

    fn arbiter(&self) -> Option<Arc<dyn Arbiter>> {
        self.arbiter.clone()
    }
}

/// A step with these fields as well.
pub(crate) fn with(mut tool: Value, fields: Value) -> Value {
    let fields = fields.as_object().unwrap().clone();
    tool.as_object_mut().unwrap().extend(fields);
    tool
}

/// The plans of the last turn, also of one that the player stopped.
pub(crate) fn plans_of(session: &Session) -> Vec<PlanRow> {
    let turn = session.story().newest_turn().unwrap().unwrap();
    let rows = session.story().plans_of_turn(turn).unwrap();
    for row in &rows {
        row.result.iter().for_each(|result| check("execution-result", result));
        row.record.iter().for_each(|record| check("plan-record", &record.to_json()));
    }
    rows
}
