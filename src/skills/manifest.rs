//! `skill.json`: text that matches `contracts/skill-manifest.schema.json` becomes a [`ManifestJson`].
//!
//! Version 1. The schema checks each field; rules that a schema cannot express are checked when the parts of a skill
//! are put together.

use std::{collections::BTreeMap, sync::LazyLock, time::Duration};

use semver::{Version, VersionReq};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Mismatch, Schema,
    catalog::{RetryPolicy, ScriptLimits},
    grant::{Grant, Grants},
    problem::ProblemList,
};
use narratoria_protocol::Object;

/// Name of the manifest inside a package.
pub(super) const MANIFEST_FILE: &str = "skill.json";

/// Priority of a skill that names none.
pub(super) const PRIORITY_DEFAULT: u8 = 50;

/// Fuel of an attempt whose manifest says nothing: 20 thousand million units, about 10 s of work.
pub const FUEL_DEFAULT: u64 = 20_000_000_000;
/// Most fuel that a manifest may ask for, some minutes of work.
pub const FUEL_MAX: u64 = 1_000_000_000_000;
/// Memory of an attempt whose manifest says nothing. A Rust script needs 1 to 2 MiB.
pub const MEMORY_BYTES_DEFAULT: u64 = 64 << 20;
/// Most memory that a manifest may ask for.
pub const MEMORY_BYTES_MAX: u64 = 1 << 30;
/// Bytes on stdout of an attempt whose manifest says nothing.
pub const STDOUT_BYTES_DEFAULT: u64 = 4 << 20;
/// Most bytes on stdout that a manifest may ask for.
pub const STDOUT_BYTES_MAX: u64 = 64 << 20;
/// Time of an attempt whose manifest says nothing (S0 FR-017).
pub const TIMEOUT_DEFAULT: Duration = Duration::from_secs(30);
/// Most time that a manifest may ask for, in the contract too. A player waits for it.
pub const TIMEOUT_MAX: Duration = Duration::from_secs(300);

/// Version of the program, which a manifest's `requires` is compared with. All crates of the workspace share it.
const PROGRAM_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Longest version requirement, as in the contract.
const REQUIREMENT_CHARS_MAX: usize = 64;

/// The contract, compiled once.
static MANIFEST_SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::of_contract(include_str!("../../contracts/skill-manifest.schema.json"))
});

/// What a text must be, for each pattern of the contract.
const PATTERN_SENTENCES: [(&str, &str); 11] = [
    (
        r"^[a-z0-9]+(-[a-z0-9]+)*$",
        "a name of lower case letters, digits and single hyphens between them",
    ),
    (
        r"^[a-z0-9]+([._-][a-z0-9]+)*$",
        "a tag of lower case letters and digits, such as memory.search",
    ),
    (r"^(0|[1-9][0-9]*)\.", "three numbers with points, such as 1.0.0"),
    (r"^https?://", "an address that begins with https:// or http://"),
    (
        r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/",
        "a path inside the package of letters, digits, `_`, `-` and `.`, such as schemas/tell.input.json",
    ),
    (r"^scripts/", "the path of a component, such as scripts/tell.wasm"),
    (r"^(/([^~/]|~[01])*)+$", "a JSON pointer, such as /world/doors"),
    (r"^(/([^~/]|~[01])*)*$", "a JSON pointer, such as /world/doors"),
    (
        r"^([a-z0-9]+(-[a-z0-9]+)*/|capability:)",
        "a script, such as dice-roller/roll-dice, or capability: and a tag",
    ),
    (
        r"^(\[",
        "a host alone, in lower case and without https:// and path, such as api.example.com or api.example.com:8443",
    ),
    (r"^[A-Za-z_][A-Za-z0-9_]*$", "the name of an environment variable, such as SKY_TOKEN"),
];

/// A mismatch with the contract, for people. A pattern says little to them.
fn said_plainly(mismatch: &Mismatch) -> String {
    if let Some((found, pattern)) = mismatch.what.split_once(" does not match \"")
        && let Some((_, meant)) = PATTERN_SENTENCES.iter().find(|(it, _)| pattern.starts_with(it))
    {
        return format!("must be {meant}; it is {found}");
    }
    let of_version = mismatch.what.split_once(" is not of type \"string\"");
    if let Some((found, _)) = of_version.filter(|_| mismatch.pointer == "/version") {
        return format!("must be a text in quotes, such as \"1.0.0\"; it is {found}");
    }
    mismatch.what.clone()
}

/// A manifest as its text has it, defaults filled in.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ManifestJson {
    pub(super) name: String,
    pub(super) display_name: Option<String>,
    pub(super) description: String,
    pub(super) version: String,
    pub(super) author: Option<String>,
    pub(super) license: Option<String>,
    pub(super) prompt: Option<String>,
    pub(super) config_schema: Option<String>,
    #[serde(default)]
    pub(super) capabilities: Vec<String>,
    #[serde(default = "priority_default")]
    pub(super) priority: u8,
    #[serde(default)]
    pub(super) dependencies: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) retry_policy: RetryJson,
    #[serde(default)]
    pub(super) triggers: Vec<TriggerJson>,
    #[serde(default)]
    pub(super) writes: Vec<WriteClaimJson>,
    pub(super) scripts: Vec<ScriptJson>,
}

/// A part of the state that the skill claims: a pointer, or a pointer with `shared`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum WriteClaimJson {
    Pointer(String),
    Detailed {
        pointer: String,
        #[serde(default)]
        shared: bool,
    },
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RetryJson {
    max_retries: Option<u32>,
    backoff_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TriggerJson {
    pub(super) script: String,
    #[serde(default)]
    pub(super) phrases: Vec<String>,
    #[serde(default)]
    pub(super) patterns: Vec<String>,
    #[serde(default)]
    pub(super) captures: Vec<String>,
    #[serde(default)]
    pub(super) input: Object,
    #[serde(default = "yes")]
    pub(super) narrate: bool,
    #[serde(default)]
    pub(super) fallback: bool,
    pub(super) if_state: Option<String>,
    pub(super) unless_state: Option<String>,
    #[serde(default)]
    pub(super) rest: bool,
    #[serde(default)]
    pub(super) needs: Vec<String>,
    #[serde(default)]
    pub(super) then: Vec<FollowUpJson>,
}

/// A step that a trigger adds after its script.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FollowUpJson {
    pub(super) id: String,
    pub(super) tool: String,
    #[serde(default)]
    pub(super) input: Object,
    pub(super) when: Option<String>,
    pub(super) description: Option<String>,
    #[serde(default = "yes")]
    pub(super) required: bool,
    #[serde(default)]
    pub(super) requires_approval: bool,
    #[serde(default)]
    pub(super) after_narration: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScriptJson {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) description: String,
    pub(super) input_schema: String,
    pub(super) output_schema: Option<String>,
    timeout: Option<u64>,
    #[serde(default = "yes")]
    pub(super) required: bool,
    #[serde(default, rename = "async")]
    pub(super) is_async: bool,
    #[serde(default)]
    pub(super) requires_approval: bool,
    #[serde(default = "yes")]
    pub(super) offered: bool,
    #[serde(default)]
    pub(super) heavy: bool,
    #[serde(default)]
    pub(super) input_errors: Vec<String>,
    #[serde(default)]
    pub(super) reads: Vec<String>,
    #[serde(default)]
    limits: ScriptLimitsJson,
    #[serde(default)]
    grants: GrantsJson,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScriptLimitsJson {
    fuel: Option<u64>,
    #[serde(rename = "memoryMiB")]
    memory_mib: Option<u64>,
    stdout_bytes: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GrantsJson {
    store: GrantRequestJson,
    memory: GrantRequestJson,
    llm: GrantRequestJson,
    assets: GrantRequestJson,
    data: GrantRequestJson,
    campaign: GrantRequestJson,
    http: NamedGrantJson,
    env: NamedGrantJson,
}

/// `true`, or an object that asks for the grant and says whether the script can do without it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum GrantRequestJson {
    Plain(bool),
    Detailed { optional: bool },
}

/// A list of hosts or variables, or an object with the list.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum NamedGrantJson {
    Plain(Vec<String>),
    Detailed {
        #[serde(alias = "hosts", alias = "variables")]
        names: Vec<String>,
        #[serde(default)]
        optional: bool,
    },
}

impl Default for GrantRequestJson {
    fn default() -> GrantRequestJson {
        GrantRequestJson::Plain(false)
    }
}

impl Default for NamedGrantJson {
    fn default() -> NamedGrantJson {
        NamedGrantJson::Plain(Vec::new())
    }
}

impl GrantRequestJson {
    fn is_requested(&self) -> bool {
        !matches!(self, GrantRequestJson::Plain(false))
    }

    fn is_optional(&self) -> bool {
        matches!(self, GrantRequestJson::Detailed { optional: true })
    }
}

impl NamedGrantJson {
    fn names(&self) -> &[String] {
        let (NamedGrantJson::Plain(names) | NamedGrantJson::Detailed { names, .. }) = self;
        names
    }

    fn is_optional(&self) -> bool {
        matches!(self, NamedGrantJson::Detailed { optional: true, .. })
    }
}

fn priority_default() -> u8 {
    PRIORITY_DEFAULT
}

fn yes() -> bool {
    true
}

impl RetryJson {
    pub(super) fn names_backoff(&self) -> bool {
        self.backoff_ms.is_some()
    }

    pub(super) fn policy(&self) -> RetryPolicy {
        let default = RetryPolicy::default();
        RetryPolicy {
            retries_max: self.max_retries.unwrap_or(default.retries_max),
            backoff: self.backoff_ms.map_or(default.backoff, Duration::from_millis),
        }
    }
}

impl ScriptJson {
    pub(super) fn timeout(&self) -> Duration {
        self.timeout.map_or(TIMEOUT_DEFAULT, Duration::from_millis)
    }

    /// The host's limits hold even if the contract should allow a larger number.
    pub(super) fn limits(&self) -> ScriptLimits {
        let memory = self.limits.memory_mib.map(|mib| mib.saturating_mul(1 << 20));
        ScriptLimits {
            fuel: self.limits.fuel.unwrap_or(FUEL_DEFAULT).min(FUEL_MAX),
            memory_bytes: memory.unwrap_or(MEMORY_BYTES_DEFAULT).min(MEMORY_BYTES_MAX),
            stdout_bytes: self
                .limits
                .stdout_bytes
                .unwrap_or(STDOUT_BYTES_DEFAULT)
                .min(STDOUT_BYTES_MAX),
        }
    }

    pub(super) fn grants(&self) -> Grants {
        let GrantsJson { store, memory, llm, assets, data, campaign, http, env } = &self.grants;
        let optional = [
            (Grant::Store, store.is_optional()),
            (Grant::Memory, memory.is_optional()),
            (Grant::Llm, llm.is_optional()),
            (Grant::Assets, assets.is_optional()),
            (Grant::Data, data.is_optional()),
            (Grant::Campaign, campaign.is_optional()),
            (Grant::Http, http.is_optional()),
            (Grant::Env, env.is_optional()),
        ];
        Grants {
            store: store.is_requested(),
            memory: memory.is_requested(),
            llm: llm.is_requested(),
            assets: assets.is_requested(),
            data: data.is_requested(),
            campaign: campaign.is_requested(),
            http: http.names().to_vec(),
            env: env.names().to_vec(),
            optional: optional.into_iter().filter(|(_, is)| *is).map(|(grant, _)| grant).collect(),
            withheld: BTreeMap::new(),
        }
    }

    /// The place of the list of hosts in a script's entry.
    pub(super) fn hosts_pointer(&self) -> &'static str {
        match self.grants.http {
            NamedGrantJson::Plain(_) => "/grants/http",
            NamedGrantJson::Detailed { .. } => "/grants/http/hosts",
        }
    }
}

/// Checks a manifest against the contract; problems go to `findings`.
pub(super) fn parse_manifest(
    mut document: Value,
    findings: &mut ProblemList,
) -> Option<ManifestJson> {
    // First: a manifest for a newer program may well have fields that this one does not know.
    if let Some(what) = unmet_requirement(&document, PROGRAM_VERSION) {
        findings.field(MANIFEST_FILE, "/requires/narratoria", what);
        return None;
    }
    let mismatches = MANIFEST_SCHEMA.mismatches(&document);
    for mismatch in &mismatches {
        findings.field(MANIFEST_FILE, &mismatch.pointer, said_plainly(mismatch));
    }
    if !mismatches.is_empty() {
        return None;
    }
    whole_numbers(&mut document);
    match serde_json::from_value(document) {
        Ok(manifest) => Some(manifest),
        Err(error) => {
            findings.file(MANIFEST_FILE, error.to_string());
            None
        }
    }
}

/// Why this program is none for the manifest, if it is not. A requirement of another form is left to the contract.
fn unmet_requirement(document: &Value, program: &str) -> Option<String> {
    let wanted = document.get("requires")?.get("narratoria")?.as_str()?;
    if wanted.len() > REQUIREMENT_CHARS_MAX {
        return None;
    }
    let requirement = match VersionReq::parse(wanted) {
        Ok(requirement) => requirement,
        Err(error) => return Some(format!("`{wanted}` is not a version requirement: {error}")),
    };
    let version = Version::parse(program).ok()?;
    let what = format!(
        "needs Narratoria {wanted}, this is {program}: use such a program, or another version of the package"
    );
    (!requirement.matches(&version)).then_some(what)
}

/// JSON Schema counts `1000.0` as an integer, serde does not.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        Value::Number(number) if number.is_f64() => {
            if let Some(float) = number.as_f64()
                && float.fract() == 0.0
                && (0.0..9e15).contains(&float)
            {
                *value = Value::from(float as u64);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
