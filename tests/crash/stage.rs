//! One home folder for many stories, three skills that count, and the plans of the killed processes.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::player_machine::share_compiled_skills;

/// Each skill has a store of its own.
pub(crate) const SKILLS: [&str; 3] = ["ash", "birch", "cedar"];

/// Rounds of work of a step; they take some milliseconds.
const WORK: u64 = 2_000_000;

pub(crate) struct CrashStage {
    folder: TempDir,
}

impl CrashStage {
    pub(crate) fn new() -> CrashStage {
        let stage = CrashStage { folder: TempDir::new().unwrap() };
        // All tests share one cache of compiled skills, so that kills hit the plan and not the compiler.
        share_compiled_skills(&stage.path("home"));
        for skill in SKILLS {
            stage.package(skill, "tallies");
        }
        stage.package("elder", "trap");
        stage.write("plan.json", &twelve_steps());
        stage.write("turns.json", &json!([first_try(), second_try()]));
        stage.write("rest.json", &json!([second_try()]));
        stage.write("short.json", &json!([short()]));
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn stories(&self) -> PathBuf {
        self.path("home/stories")
    }

    fn write(&self, name: &str, json: &Value) {
        fs::write(self.path(name), json.to_string()).unwrap();
    }

    /// A command that takes the skills of the stage.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program(args);
        command.args(["--skills", "skills"]);
        command
    }

    /// The binary without the environment of the machine. Its log shows when it has a plan.
    pub(crate) fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(crate::program());
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("NARRATORIA_HOME", self.path("home"))
            .env("NARRATORIA_LOG", "narratoria=info")
            .args(args);
        command
    }

    fn package(&self, skill: &str, guest: &str) {
        let guest = narratoria_guests::find(guest).unwrap_or_else(|| panic!("no guest `{guest}`"));
        let folder = self.path("skills").join(skill);
        fs::create_dir_all(folder.join("scripts")).unwrap();
        fs::create_dir_all(folder.join("schemas")).unwrap();
        fs::write(folder.join("scripts/act.wasm"), guest.component).unwrap();
        fs::write(folder.join("schemas/act.json"), r#"{"type": "object"}"#).unwrap();
        let front_matter = format!("---\nname: {skill}\ndescription: A test.\n---\nA test.\n");
        fs::write(folder.join("SKILL.md"), front_matter).unwrap();
        let manifest = json!({
            "name": skill,
            "displayName": skill,
            "description": "A test.",
            "version": "0.1.0",
            "retryPolicy": {"maxRetries": 1, "backoffMs": 1},
            "scripts": [{
                "name": "act",
                "path": "scripts/act.wasm",
                "description": "A test.",
                "inputSchema": "schemas/act.json",
                "timeout": 60_000,
                "grants": {"store": true},
            }],
        });
        fs::write(folder.join("skill.json"), manifest.to_string()).unwrap();
    }
}

fn step(id: &str, skill: &str, needs: &[&str]) -> Value {
    json!({
        "toolId": id,
        "toolPath": format!("{skill}/act"),
        "input": {"id": id, "work": WORK},
        "dependencies": needs,
        "async": true,
    })
}

fn with(mut step: Value, extra: Value) -> Value {
    let (Value::Object(step_fields), Value::Object(extra)) = (&mut step, extra) else {
        panic!("a step is an object")
    };
    step_fields.extend(extra);
    step
}

fn plan(tools: Value, narrative: &str) -> Value {
    json!({
        "requestId": "00000000-0000-4000-8000-000000000000",
        "narrative": narrative,
        "parallel": true,
        "tools": tools,
    })
}

/// Each skill's steps form a chain, so that each reads the store writes of the steps before it. The chains
/// depend on each other, and include a loop, a condition, a reference and an approval.
fn twelve_steps() -> Value {
    let looped = json!({
        "forEach": ["s06a", "s06b", "s06c"], "input": {"id": "$item", "work": WORK / 3},
    });
    let referring = json!({"input": {"id": "s08", "work": WORK, "seen": "$s05.list[1]"}});
    let tools = json!([
        step("s01", "ash", &[]),
        step("s02", "birch", &[]),
        step("s03", "cedar", &[]),
        step("s04", "ash", &["s01"]),
        step("s05", "birch", &["s02", "s04"]),
        with(step("s06", "cedar", &["s03"]), looped),
        with(step("s07", "ash", &["s04"]), json!({"when": "steps.s05.count == 2"})),
        with(step("s08", "birch", &[]), referring),
        step("s09", "cedar", &["s06"]),
        step("s10", "ash", &["s07", "s08"]),
        with(step("s11", "birch", &["s08"]), json!({"requiresApproval": true})),
        step("s12", "cedar", &["s09", "s10"]),
    ]);
    plan(tools, "Twelve things were done.")
}

/// Three steps.
fn short() -> Value {
    let steps =
        json!([step("s01", "ash", &[]), step("s02", "birch", &["s01"]), step("s03", "cedar", &[])]);
    plan(steps, "Three things were done.")
}

/// Four steps that succeed, one that fails, and one that needs it.
fn first_try() -> Value {
    plan(
        json!([
            step("s01", "ash", &[]),
            step("s02", "birch", &["s01"]),
            step("s03", "cedar", &["s02"]),
            step("s04", "ash", &["s03"]),
            step("bad", "elder", &["s02"]),
            step("s05", "birch", &["bad"]),
        ]),
        "It went wrong.",
    )
}

/// These four steps, and other steps in place of the failed one.
fn second_try() -> Value {
    plan(
        json!([
            step("s01", "ash", &[]),
            step("s02", "birch", &["s01"]),
            step("s03", "cedar", &["s02"]),
            step("s04", "ash", &["s03"]),
            step("good", "cedar", &["s04"]),
            step("s05", "birch", &["good"]),
            step("s06", "ash", &["s05"]),
        ]),
        "It went well.",
    )
}
