//! The loaded skills, after every check.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use serde::Deserialize;
use serde_json::Value;

use super::{ComponentFile, Schema, SignerKey, StateValueLists, grant::Grants, state_at};
use narratoria_protocol::Object;
use narratoria_protocol::nearest::nearest;

/// All usable skills, by name.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    skills: BTreeMap<String, Arc<Skill>>,
}

/// One skill package, checked.
#[derive(Clone)]
pub struct Skill {
    /// `^[a-z0-9]+(-[a-z0-9]+)*$`, equals the folder.
    pub name: String,
    /// For people.
    pub display_name: String,
    /// One sentence for planners and people.
    pub description: String,
    pub version: semver::Version,
    pub author: Option<String>,
    /// SPDX expression.
    pub license: Option<String>,
    /// Behavioural prompt: the body of `SKILL.md` or `prompt.md` (S0 FR-004).
    pub prompt: String,
    /// Tags that `capability:` paths select by.
    pub capabilities: Vec<String>,
    /// 0–100; if two skills could do the job, the higher one wins.
    pub priority: u8,
    /// For steps without a policy of their own.
    pub retry: RetryPolicy,
    /// True if the package itself says how long to wait before a retry.
    pub names_backoff: bool,
    /// For the lexical planner, which works without a model.
    pub triggers: Vec<Trigger>,
    /// Documentation, planner shots and test cases in one.
    pub examples: Vec<SkillExample>,
    /// In the manifest's order, names unique; none in a plain Agent Skill, which is a prompt alone.
    pub scripts: Vec<Script>,
    /// The parts of the story's state that only it may change.
    pub writes: Vec<WriteClaim>,
    /// The player's values with `${VAR}` substituted, otherwise the package's. May hold secrets: show
    /// [`Skill::masked_config`] instead.
    pub config: Object,
    /// Names of the settings in `config` that are secret, sorted.
    pub secrets: Vec<String>,
    /// The environment variables that the player's settings read for it, each with the settings that name it.
    pub setting_variables: BTreeMap<String, BTreeSet<String>>,
    pub origin: PackageOrigin,
    /// The key that an installed package was signed with.
    pub signer: Option<SignerKey>,
}

/// A part of the story's state that a skill claims: other skills cannot change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteClaim {
    /// JSON pointer to a member of an object.
    pub pointer: String,
    /// True if other skills that claim it, or a part of it, as shared may change it too.
    pub is_shared: bool,
}

/// One script of a skill.
#[derive(Clone)]
pub struct Script {
    /// Name within the skill.
    pub name: String,
    /// Path of the component inside the package, such as `scripts/roll-dice.wasm`.
    pub path: String,
    /// One sentence for planners and people.
    pub description: String,
    pub input_schema: Schema,
    /// The schema of `output`, if declared.
    pub output_schema: Option<Schema>,
    /// For one attempt, 1 s to 5 min.
    pub timeout: Duration,
    /// Default for steps that do not say.
    pub required: bool,
    /// Default for steps that do not say.
    pub is_async: bool,
    /// True if a person must approve each step first.
    pub requires_approval: bool,
    /// False if planners are not to choose it by themselves: only triggers, commands and people do.
    pub is_offered: bool,
    /// True if it works for so long that a fleet of workers may run it on another machine. Such a script has no grants.
    pub is_heavy: bool,
    /// Codes of errors that say that the input is at fault.
    pub input_errors: Vec<String>,
    /// JSON pointers to the slices of the story's state that the script receives.
    pub reads: Vec<String>,
    pub limits: ScriptLimits,
    /// Everything that the component may touch beyond stdin and stdout.
    pub grants: Grants,
    /// The component, where it lies in the package. Never native code.
    pub component: ComponentFile,
}

/// Limits of one attempt, all on by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Units of wasmtime fuel, roughly one per wasm instruction.
    pub fuel: u64,
    /// Over all linear memories and tables of the instance together, in bytes.
    pub memory_bytes: u64,
    /// Over the whole attempt, in bytes.
    pub stdout_bytes: u64,
}

/// How often and how soon a failed attempt is repeated (S0 FR-015).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts after the first, 0–10.
    pub retries_max: u32,
    /// Before the first retry; doubles each time (S1 §2.1).
    pub backoff: Duration,
}

impl Default for RetryPolicy {
    fn default() -> RetryPolicy {
        RetryPolicy { retries_max: 3, backoff: Duration::from_millis(100) }
    }
}

/// When the lexical planner picks a script, and with which input.
#[derive(Debug, Clone, Default)]
pub struct Trigger {
    /// Name of the script within the skill.
    pub script: String,
    /// Each fires the trigger, compared word by word and stem by stem.
    pub phrases: Vec<String>,
    /// Each fires the trigger; named groups fill the input.
    pub patterns: Vec<regex::Regex>,
    /// Their named groups fill the input; they do not fire the trigger.
    pub captures: Vec<regex::Regex>,
    /// Strings may hold `{sentence}`, `{group}` and `{group|default}`.
    pub input: Object,
    /// True if a narration of the outcome follows.
    pub narrate: bool,
    /// This script answers when no other trigger fires, and narrates the results of the others.
    pub fallback: bool,
    /// Counts only if the state has a value at this place (JSON pointer).
    pub if_state: Option<String>,
    /// Counts only if it has none.
    pub unless_state: Option<String>,
    /// Takes every sentence, or the clauses of it, that no other trigger takes.
    pub takes_rest: bool,
    /// Fields of `input` without which the trigger does not count, though the script can do without them.
    pub needs: Vec<String>,
    /// Steps that follow the script in the same plan.
    pub follow_ups: Vec<FollowUp>,
}

impl Trigger {
    /// Returns true if the trigger counts in this state.
    pub fn counts_in(&self, state: &Object) -> bool {
        let has = |pointer: &String| state_at(state, pointer).is_some_and(|value| !value.is_null());
        self.if_state.as_ref().is_none_or(has) && !self.unless_state.as_ref().is_some_and(has)
    }
}

/// A step that a trigger adds to the plan after its own script.
#[derive(Debug, Clone, Default)]
pub struct FollowUp {
    /// Its `toolId`, by which later steps of the trigger refer to it.
    pub id: String,
    /// `<skill>/<script>`, or `capability:<tag>`. The step is left out if the catalog has no such script.
    pub tool: String,
    /// Like that of a trigger. A string that begins with one dollar is a reference.
    pub input: Object,
    /// The condition of the step (CEL).
    pub when: Option<String>,
    pub description: Option<String>,
    pub required: bool,
    /// The player is asked before it runs, also where its script does not demand that.
    pub requires_approval: bool,
    /// Comes after the narration and does not become part of it.
    pub after_narration: bool,
}

/// One file of `examples/`.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillExample {
    /// Path inside the package, such as `examples/roll.json`.
    pub file: String,
    /// Name of the script within the skill.
    pub script: String,
    /// A sentence with which a player would get here.
    pub sentence: Option<String>,
    pub input: Object,
    pub state: Option<Value>,
    /// Outputs of the steps that it depends on.
    pub inputs: Option<Object>,
    /// Documents of the story's campaign, by path.
    pub campaign: Option<Object>,
    /// What the host answers in this run.
    pub services: ExampleServices,
    /// 0 if the example has none.
    pub seed: u64,
    /// The expected result; the keys are those of `contracts/skill-example.schema.json`.
    pub expect: Object,
}

/// What an example says of the services of the host.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExampleServices {
    /// Settings, over those of the package.
    pub config: Object,
    /// Values that the skill has kept.
    pub store: Object,
    /// Texts that the story remembers, the oldest first.
    pub memory: Vec<ExampleMemory>,
    /// Answers to the script's questions.
    pub answers: Vec<String>,
    /// Answers of hosts, by address.
    pub http: BTreeMap<String, ExampleAnswer>,
    /// Texts of the language model.
    pub llm: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ExampleMemory {
    pub text: String,
    #[serde(default)]
    pub tags: Vec<String>,
}

/// An answer of a host.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct ExampleAnswer {
    pub status: Option<u16>,
    /// A text, or a value that is sent as JSON.
    #[serde(default)]
    pub body: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackageOrigin {
    /// Embedded in the binary.
    BuiltIn,
    Folder(PathBuf),
}

/// Why a `toolPath` names no usable script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolPathError {
    #[error("`{path}` is not a tool path")]
    Malformed { path: String },
    #[error("there is no skill `{skill}`")]
    UnknownSkill {
        skill: String,
        /// The nearest name, if one is near.
        near: Option<String>,
    },
    #[error("skill `{skill}` has no script `{script}`")]
    UnknownScript {
        skill: String,
        script: String,
        /// Names of the skill's scripts.
        has: Vec<String>,
    },
    #[error("no skill has the capability `{tag}`")]
    UnknownCapability { tag: String },
}

impl Catalog {
    /// Adds or replaces a skill; returns the replaced one.
    pub fn insert(&mut self, skill: Skill) -> Option<Arc<Skill>> {
        self.insert_shared(Arc::new(skill))
    }

    /// Adds a skill that another catalog has as well; returns the replaced one.
    pub fn insert_shared(&mut self, skill: Arc<Skill>) -> Option<Arc<Skill>> {
        self.skills.insert(skill.name.clone(), skill)
    }

    /// Removes a skill, for instance because its component is unusable.
    pub fn remove(&mut self, name: &str) -> Option<Arc<Skill>> {
        self.skills.remove(name)
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Skill>> {
        self.skills.get(name)
    }

    /// Returns true if these are its skills, in name order. A skill that was loaded again is another one.
    pub fn consists_of(&self, skills: &[Arc<Skill>]) -> bool {
        skills.len() == self.skills.len()
            && skills.iter().zip(self.iter()).all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// All skills in name order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Skill>> {
        self.skills.values()
    }

    /// The values that input schemas draw from this state, by their places.
    pub fn state_values(&self, state: &Object) -> StateValueLists {
        let scripts = self.iter().flat_map(|skill| &skill.scripts);
        StateValueLists::read(
            scripts.flat_map(|script| script.input_schema.value_pointers()),
            state,
        )
    }

    pub fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// Leaves the skill of this script alone, with the scripts of its component alone. Changes nothing if there is no such
    /// script.
    pub fn keep_only(&mut self, tool_path: &str) {
        let Ok((skill, idx)) = self.resolve(tool_path) else { return };
        let mut kept = Skill::clone(skill);
        let path = kept.scripts[idx].path.clone();
        kept.scripts.retain(|script| script.path == path);
        self.skills = [(kept.name.clone(), Arc::new(kept))].into();
    }

    /// Resolves `<skill>/<script>`, `<skill>.<script>` (S4) or `skills/<skill>/scripts/<file>.wasm`. The host never
    /// executes the path itself (docs/plans.md, "How the host chooses a skill").
    pub fn resolve(&self, tool_path: &str) -> Result<(&Arc<Skill>, usize), ToolPathError> {
        let parts: Vec<&str> = tool_path.split('/').collect();
        let (skill, wanted, by_file) = match parts.as_slice() {
            ["skills", skill, "scripts", file] if file.ends_with(".wasm") => (*skill, *file, true),
            [skill, script] if !skill.is_empty() && !script.is_empty() => (*skill, *script, false),
            // No name of a skill or a script has a dot.
            [dotted] => match dotted.split_once('.') {
                Some((skill, script)) if self.get(skill).is_some() && !script.contains('.') => {
                    (skill, script, false)
                }
                _ => return Err(ToolPathError::Malformed { path: tool_path.to_owned() }),
            },
            _ => return Err(ToolPathError::Malformed { path: tool_path.to_owned() }),
        };
        let found = self.get(skill).ok_or_else(|| ToolPathError::UnknownSkill {
            skill: skill.to_owned(),
            near: nearest(skill, self.skills.keys()),
        })?;
        let idx = found.scripts.iter().position(|script| {
            if by_file {
                script.path.strip_prefix("scripts/") == Some(wanted)
            } else {
                script.name == wanted
            }
        });
        match idx {
            Some(idx) => Ok((found, idx)),
            None => Err(ToolPathError::UnknownScript {
                skill: skill.to_owned(),
                script: wanted.to_owned(),
                has: found.scripts.iter().map(|script| script.name.clone()).collect(),
            }),
        }
    }
}

impl Skill {
    /// Returns true for a plain Agent Skill: its prompt guides planner and storyteller, and nothing of it runs.
    pub fn is_prompt_only(&self) -> bool {
        self.scripts.is_empty()
    }

    pub fn script(&self, name: &str) -> Option<&Script> {
        self.scripts.iter().find(|script| script.name == name)
    }

    /// The environment variables granted to its scripts, as far as `read` finds them.
    pub fn granted_env(&self, read: impl Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
        let named = self.scripts.iter().flat_map(|script| &script.grants.env);
        named.filter_map(|name| Some((name.clone(), read(name)?))).collect()
    }

    /// The configuration as people and logs may see it: every secret is [`SECRET_MASK`].
    pub fn masked_config(&self) -> Object {
        let mut shown = self.config.clone();
        for name in &self.secrets {
            if let Some(value) = shown.get_mut(name) {
                *value = Value::from(SECRET_MASK);
            }
        }
        shown
    }
}

/// Stands for a secret wherever a configuration is shown. Does not reveal the secret's length.
pub const SECRET_MASK: &str = "********";

// Implemented by hand, because a derived one would print secrets and whole components.
impl fmt::Debug for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skill")
            .field("name", &self.name)
            .field("version", &format_args!("{}", self.version))
            .field("origin", &self.origin)
            .field("scripts", &self.scripts)
            .field("config", &self.masked_config())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("name", &self.name)
            .field("path", &self.path)
            .field("component", &self.component)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for PackageOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackageOrigin::BuiltIn => f.write_str("the built-in one"),
            PackageOrigin::Folder(path) => write!(f, "`{}`", path.display()),
        }
    }
}
