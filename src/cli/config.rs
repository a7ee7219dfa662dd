//! `config.toml` in the home folder: the player's settings. The command line overrides them.
//!
//! ```toml
//! [model]
//! use = "qwen3-1.7b"   # a short name, owner/repo/file.gguf, a path, or the address of a server
//! download = false     # never fetch a model unasked
//! server-hosts = ["box.local"] # hosts beside this machine whose servers of models may get the story
//! words-ms = 20000     # how long it may write before a new story begins
//!
//! [limits]             # upper bounds for one attempt of any script
//! timeout-ms = 10000
//! memory-mib = 256
//! compile-seconds = 60 # for compiling one component
//!
//! [plan]               # settings of a turn; flags and variables override them
//! timeout-ms = 90000
//! slots = 2
//!
//! [story]
//! premise = "none"     # what a new story is about; `none` begins without a world
//! campaign = "NAME"    # the campaign that a new story begins with
//!
//! [generation]         # what a planner of ticks reads
//! recent_scenes_count = 3
//! include_overall_summary = true
//!
//! [log]
//! level = "debug"      # what goes into the log file
//!
//! [grants]             # refused grants, and upper bounds of the others
//! data = false
//! http = ["api.example.com"]
//!
//! [packages]           # which packages are used
//! names = ["weather", "acme-*"]
//! licenses = ["MIT", "Apache-2.0"]
//! priority = 60
//! keys = ["RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"] # who signs the packages
//! ```
//!
//! No file is fine. An unknown key is an error, because a typing mistake must not silently have no effect.

mod file;

use std::{collections::BTreeMap, ops::Range, path::Path, time::Duration};

use narratoria_engine::{TurnError, TurnErrorKind};
#[cfg(feature = "llama")]
use narratoria_model::{
    files::{ModelName, NameError},
    server::ServerAddress,
};
use narratoria_narrator::tick::ContextSettings;
use narratoria_protocol::{
    nearest::nearest,
    visible::{clip, visible_line},
};
use narratoria_sandbox::CompileLimits;
use narratoria_skills::{
    AllowList, Ceiling, Grant, HostNameError, HostPolicy, HttpHost, SignerKey, SignerKeyError,
};
use serde::de::DeserializeOwned;
use toml::{Spanned, de::Deserializer};

#[cfg(feature = "llama")]
use super::words_time::{WordsTime, WordsTimeError};
use super::{
    environment::{raw_variable, variable},
    error::CliError,
    files,
    log_filter::{LogFilterError, parse_log_filter},
    plan_settings::{PLAN_SETTINGS, PlanSettingError, PlanSettingRow, PlanSettings},
    premise::{Premise, PremiseError},
    settings::{CliSettings, Home},
};
use file::{
    AtLeastOne, ConfigFile, GenerationTable, GrantSetting, GrantsTable, LimitsTable, PackagesTable,
    PlanValue, PolicyFile,
};

/// Longest file. All settings take some hundred bytes; the rest is for comments.
pub(super) const CONFIG_BYTES_MAX: usize = 64 << 10;

/// Characters that a message quotes of a line at fault.
const SHOWN_CHARS_MAX: usize = 80;

/// The player's settings that outlast a session.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "llama"), derive(Default))]
pub(super) struct UserConfig {
    /// `[model] use`; the default model without it. A path is absolute.
    #[cfg(feature = "llama")]
    pub(super) model: Option<ModelName>,
    /// `[model] download`: a model may be fetched without asking. True by default.
    #[cfg(feature = "llama")]
    pub(super) download: bool,
    /// `[model] embedding`.
    #[cfg(feature = "llama")]
    pub(super) embedding: EmbeddingChoice,
    /// `[model] server-hosts`, and the host of `use`: hosts besides loopback whose servers may be asked.
    #[cfg(feature = "llama")]
    pub(super) server_hosts: Vec<String>,
    /// `[model] words-ms`.
    #[cfg(feature = "llama")]
    pub(super) words_time: Option<WordsTime>,
    /// `[limits]`, `[grants]` and `[packages]`: upper bounds for packages.
    pub(super) host_policy: HostPolicy,
    /// `[plan]`.
    pub(super) plan: PlanSettings,
    /// `[story] premise`.
    pub(super) premise: Premise,
    /// `[story] campaign`.
    pub(super) campaign: Option<String>,
    /// `[generation]`: what a planner of ticks reads.
    pub(super) context: ContextSettings,
    /// `[log] level`: a level or a filter, checked.
    pub(super) log_level: Option<String>,
    /// `[limits] compile-seconds` and `compile-memory-mib`.
    pub(super) compile_limits: CompileLimits,
}

/// The model that finds memories by their meaning.
#[cfg(feature = "llama")]
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum EmbeddingChoice {
    /// The default one, if it is here.
    #[default]
    Default,
    /// Words alone.
    Off,
    Model(ModelName),
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
enum UserConfigError {
    #[error("it is not UTF-8")]
    NotText,
    #[error("line {line}: it is not TOML: {why}")]
    NotToml { line: usize, why: String },
    #[error("line {line}: there is no key `{key}`")]
    UnknownKey { line: usize, key: String, hint: String },
    #[error("line {line}: `{source_line}`: {why}")]
    WrongValue { line: usize, source_line: String, why: String },
    #[cfg(feature = "llama")]
    #[error("line {line}: `model.{key}`: {why}")]
    BadModel { line: usize, key: &'static str, why: NameError },
    #[cfg(feature = "llama")]
    #[error(
        "line {line}: `model.embedding` is a server, and only a model file gives texts vectors"
    )]
    ServerForEmbedding { line: usize },
    #[cfg(feature = "llama")]
    #[error(
        "line {line}: `model.server-hosts` has `{host}`, which is no name of a host and no IP address"
    )]
    BadServerHost { line: usize, host: String },
    #[cfg(feature = "llama")]
    #[error("line {line}: `model.words-ms`: {why}")]
    BadWordsTime { line: usize, why: WordsTimeError },
    #[error("line {line}: `plan.{key}` is `{value}`, {why}")]
    BadPlanSetting { line: usize, key: &'static str, value: String, why: PlanSettingError },
    #[error("line {line}: `log.level` is `{value}`, {why}")]
    BadLogLevel { line: usize, value: String, why: LogFilterError },
    #[error("line {line}: `story.premise`: {why}")]
    BadPremise { line: usize, why: PremiseError },
    #[error("line {line}: `grants.http`: {why}")]
    BadHost { line: usize, why: HostNameError },
    #[error("line {line}: `packages.keys`: {why}")]
    BadKey { line: usize, why: SignerKeyError },
}

#[cfg(feature = "llama")]
impl Default for UserConfig {
    fn default() -> UserConfig {
        UserConfig {
            model: None,
            download: true,
            embedding: EmbeddingChoice::Default,
            server_hosts: Vec::new(),
            words_time: None,
            host_policy: HostPolicy::default(),
            plan: PlanSettings::default(),
            premise: Premise::Unsaid,
            campaign: None,
            context: ContextSettings::default(),
            log_level: None,
            compile_limits: CompileLimits::default(),
        }
    }
}

impl UserConfig {
    /// Reads the file of this home, if there is one.
    pub(super) fn load(home: &Home) -> Result<UserConfig, TurnError> {
        match read_config(home)? {
            Some(bytes) => UserConfig::of_bytes(bytes, &home.config()),
            None => Ok(UserConfig::default()),
        }
    }

    /// Reads what the file at this path has or would have.
    pub(super) fn of_bytes(bytes: Vec<u8>, path: &Path) -> Result<UserConfig, TurnError> {
        parse_file(bytes, path, CONFIGURATION, UserConfig::parse)
    }

    /// Relative paths begin at the file's folder.
    fn parse(text: &str, path: &Path) -> Result<UserConfig, UserConfigError> {
        let file: ConfigFile = parse_tables(text)?;
        #[cfg(feature = "llama")]
        let model = file.model.name.map(|name| model_name(text, "use", &name, path)).transpose()?;
        Ok(UserConfig {
            #[cfg(feature = "llama")]
            server_hosts: server_hosts_of(text, file.model.server_hosts, model.as_ref())?,
            #[cfg(feature = "llama")]
            model,
            #[cfg(feature = "llama")]
            download: file.model.download.unwrap_or(true),
            #[cfg(feature = "llama")]
            embedding: match file.model.embedding {
                None => EmbeddingChoice::Default,
                Some(word) if word.get_ref() == "off" => EmbeddingChoice::Off,
                Some(name) => match model_name(text, "embedding", &name, path)? {
                    ModelName::Server(_) => {
                        let line = line(text, Some(name.span()));
                        return Err(UserConfigError::ServerForEmbedding { line });
                    }
                    name => EmbeddingChoice::Model(name),
                },
            },
            #[cfg(feature = "llama")]
            words_time: file.model.words_ms.map(|ms| words_time_of(text, &ms)).transpose()?,
            compile_limits: compile_limits_of(&file.limits),
            plan: plan_settings_of(text, &file.plan)?,
            premise: premise_of(text, file.story.premise)?,
            campaign: file.story.campaign,
            context: context_of(&file.generation),
            log_level: file.log.level.map(|level| log_level_of(text, level)).transpose()?,
            host_policy: host_policy_of(text, path, file.limits, file.grants, file.packages)?,
        })
    }
}

/// Returns the bytes of the file; `None` if there is none.
pub(super) fn read_config(home: &Home) -> Result<Option<Vec<u8>>, CliError> {
    match files::read(&home.config(), CONFIGURATION, CONFIG_BYTES_MAX) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(CliError::NoFile { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The file in messages.
pub(super) const CONFIGURATION: &str = "configuration";

/// A file of `--policy` in messages.
const POLICY: &str = "policy";

/// Reads the policy for packages in a file of its own.
pub(super) fn load_policy(path: &Path) -> Result<HostPolicy, TurnError> {
    let bytes = files::read(path, POLICY, CONFIG_BYTES_MAX)?;
    parse_file(bytes, path, POLICY, parse_policy)
}

/// Reads a policy that another process has read from this file.
pub(super) fn parse_policy_text(text: &str, file: &str) -> Result<HostPolicy, TurnError> {
    parse_file(text.as_bytes().to_owned(), Path::new(file), POLICY, parse_policy)
}

/// The text of a file of a policy.
pub(super) fn policy_text(path: &Path) -> Result<String, TurnError> {
    let bytes = files::read(path, POLICY, CONFIG_BYTES_MAX)?;
    parse_file(bytes, path, POLICY, |text, _| Ok(text.to_owned()))
}

fn parse_policy(text: &str, path: &Path) -> Result<HostPolicy, UserConfigError> {
    let PolicyFile { limits, grants, packages } = parse_tables(text)?;
    host_policy_of(text, path, limits, grants, packages)
}

/// Parses the bytes of a file; an error names the file.
fn parse_file<T>(
    bytes: Vec<u8>,
    path: &Path,
    what: &str,
    parse: impl FnOnce(&str, &Path) -> Result<T, UserConfigError>,
) -> Result<T, TurnError> {
    let text = String::from_utf8(bytes).map_err(|_| UserConfigError::NotText);
    text.and_then(|text| parse(&text, path)).map_err(|error| {
        let hint = error.hint();
        let failed = TurnError::new(
            TurnErrorKind::BadInput,
            format!("the {what} `{}`, {error}", path.display()),
        );
        hint.into_iter().fold(failed, TurnError::hint)
    })
}

fn parse_tables<T: DeserializeOwned>(text: &str) -> Result<T, UserConfigError> {
    let from = Deserializer::parse(text).map_err(|error| UserConfigError::NotToml {
        line: line(text, error.span()),
        why: error.message().to_owned(),
    })?;
    T::deserialize(from).map_err(|error| UserConfigError::wrong(text, &error))
}

/// Returns the upper bounds for packages from the player's configuration.
pub(super) fn host_policy(settings: &CliSettings) -> Result<HostPolicy, TurnError> {
    let policy = match settings.home() {
        Ok(home) => UserConfig::load(home)?.host_policy,
        // Without a home there is no configuration either.
        Err(_) => HostPolicy::default(),
    };
    Ok(HostPolicy { backoff: plan_settings(settings)?.backoff(), ..policy })
}

/// The variable that sets the premise of a new story.
pub(super) const PREMISE_VARIABLE: &str = "NARRATORIA_PREMISE";

/// The variable that names the campaign of a new story.
pub(super) const CAMPAIGN_VARIABLE: &str = "NARRATORIA_CAMPAIGN";

/// Returns the campaign of new stories. The variable overrides the file.
pub(super) fn campaign(settings: &CliSettings) -> Result<Option<String>, TurnError> {
    match variable(CAMPAIGN_VARIABLE).filter(|text| !text.is_empty()) {
        Some(name) => Ok(Some(name)),
        None => {
            Ok(settings.home().ok().map(UserConfig::load).transpose()?.and_then(|it| it.campaign))
        }
    }
}

/// Returns the premise of a new story. The flag overrides the variable, the variable the file.
pub(super) fn premise(flag: Option<&str>, settings: &CliSettings) -> Result<Premise, TurnError> {
    let from_variable = || variable(PREMISE_VARIABLE).filter(|text| !text.is_empty());
    if let Some(text) = flag.map(str::to_owned).or_else(from_variable) {
        return Premise::parse(&text).map_err(|why| CliError::BadPremise(why).into());
    }
    match settings.home() {
        Ok(home) => Ok(UserConfig::load(home)?.premise),
        Err(_) => Ok(Premise::Unsaid),
    }
}

/// The variable that limits how long a model writes before a story begins.
pub(super) const WORDS_VARIABLE: &str = "NARRATORIA_WORDS_MS";

/// Returns how long a model writes before a story begins. The flag overrides the variable, the variable the file.
#[cfg(feature = "llama")]
pub(super) fn words_time(
    flag: Option<u64>,
    is_repeatable: bool,
    settings: &CliSettings,
) -> Result<Duration, TurnError> {
    let from_variable = || variable(WORDS_VARIABLE).filter(|text| !text.is_empty());
    let time = match (flag, from_variable(), settings.home()) {
        (Some(ms), ..) => Some(WordsTime::of_ms(ms)),
        (None, Some(text), _) => {
            let time = WordsTime::parse(&text);
            Some(time.map_err(|why| CliError::BadWordsTime { name: WORDS_VARIABLE, why })?)
        }
        (None, None, Ok(home)) => UserConfig::load(home)?.words_time,
        (None, None, Err(_)) => None,
    };
    Ok(time.unwrap_or_else(|| WordsTime::unset(is_repeatable)).duration())
}

#[cfg(feature = "llama")]
fn words_time_of(text: &str, ms: &Spanned<i64>) -> Result<WordsTime, UserConfigError> {
    let line = line(text, Some(ms.span()));
    WordsTime::parse(&ms.get_ref().to_string())
        .map_err(|why| UserConfigError::BadWordsTime { line, why })
}

/// Returns what a planner of ticks reads of the story.
pub(super) fn tick_context(settings: &CliSettings) -> Result<ContextSettings, TurnError> {
    match settings.home() {
        Ok(home) => Ok(UserConfig::load(home)?.context),
        Err(_) => Ok(ContextSettings::default()),
    }
}

fn context_of(table: &GenerationTable) -> ContextSettings {
    let default = ContextSettings::default();
    ContextSettings {
        recent_scenes: table.recent_scenes_count.unwrap_or(default.recent_scenes),
        overall_summary: table.include_overall_summary.unwrap_or(default.overall_summary),
    }
}

/// Returns the level of the log file in the configuration, or `None` if it cannot be read: the command that needs the
/// configuration reports why.
pub(super) fn log_level(home: &Home) -> Option<String> {
    UserConfig::load(home).ok()?.log_level
}

/// Returns the settings of a turn: flags, then the environment, then the configuration.
pub(super) fn plan_settings(settings: &CliSettings) -> Result<PlanSettings, TurnError> {
    let variables = PlanSettings::of_environment(raw_variable).map_err(CliError::from)?;
    let file = match settings.home() {
        Ok(home) => UserConfig::load(home)?.plan,
        Err(_) => PlanSettings::default(),
    };
    let all = settings.plan_flags.or(variables).or(file);
    Ok(all.within_s0().map_err(CliError::from)?)
}

/// Returns the player's limits for compiling a component.
pub(super) fn compile_limits(settings: &CliSettings) -> Result<CompileLimits, TurnError> {
    match settings.home() {
        Ok(home) => Ok(UserConfig::load(home)?.compile_limits),
        Err(_) => Ok(CompileLimits::default()),
    }
}

fn compile_limits_of(limits: &LimitsTable) -> CompileLimits {
    let number = |limit: Option<AtLeastOne>| limit.map(|AtLeastOne(number)| number);
    CompileLimits {
        cpu_seconds: number(limits.compile_seconds),
        memory_bytes: number(limits.compile_memory_mib)
            .map(|mebibytes| mebibytes.saturating_mul(1 << 20)),
    }
}

/// `[plan]`.
fn plan_settings_of(
    text: &str,
    table: &BTreeMap<Spanned<String>, Spanned<PlanValue>>,
) -> Result<PlanSettings, UserConfigError> {
    let mut settings = PlanSettings::default();
    for (key, value) in table {
        let line = line(text, Some(key.span()));
        let Some(row) = PLAN_SETTINGS.iter().find(|row| row.key() == key.get_ref()) else {
            let known = PLAN_SETTINGS.each_ref().map(PlanSettingRow::key);
            return Err(UserConfigError::unknown_key(line, key.get_ref(), &known));
        };
        let (PlanValue(typed), span) = (value.get_ref(), value.span());
        let value = typed.as_deref().unwrap_or_else(|| text.get(span).unwrap_or_default());
        match row.parse(value) {
            Ok(number) => settings.set(row.setting, number),
            Err(why) => {
                let value = visible_line(&clip(value, SHOWN_CHARS_MAX));
                return Err(UserConfigError::BadPlanSetting { line, key: row.key(), value, why });
            }
        }
    }
    Ok(settings)
}

/// `[story]`.
fn premise_of(text: &str, premise: Option<Spanned<String>>) -> Result<Premise, UserConfigError> {
    let Some(premise) = premise else { return Ok(Premise::Unsaid) };
    let line = line(text, Some(premise.span()));
    Premise::parse(premise.get_ref()).map_err(|why| UserConfigError::BadPremise { line, why })
}

/// `[log]`.
fn log_level_of(text: &str, level: Spanned<String>) -> Result<String, UserConfigError> {
    let line = line(text, Some(level.span()));
    let value = level.into_inner();
    match parse_log_filter(&value) {
        Ok(_) => Ok(value),
        Err(why) => {
            let value = visible_line(&clip(&value, SHOWN_CHARS_MAX));
            Err(UserConfigError::BadLogLevel { line, value, why })
        }
    }
}

/// `[limits]`, `[grants]` and `[packages]`.
fn host_policy_of(
    text: &str,
    path: &Path,
    limits: LimitsTable,
    grants: GrantsTable,
    packages: PackagesTable,
) -> Result<HostPolicy, UserConfigError> {
    let number = |limit: Option<Spanned<AtLeastOne>>| {
        limit.map(|limit| Ceiling {
            line: line(text, Some(limit.span())),
            most: limit.into_inner().0,
        })
    };
    let list = |texts: Option<Spanned<Vec<String>>>| {
        texts.map(|texts| AllowList {
            line: line(text, Some(texts.span())),
            only: texts.into_inner(),
        })
    };
    let mut policy = HostPolicy {
        file: path.display().to_string(),
        timeout: number(limits.timeout_ms)
            .map(|it| Ceiling { line: it.line, most: Duration::from_millis(it.most) }),
        fuel: number(limits.fuel),
        memory_bytes: number(limits.memory_mib)
            .map(|it| Ceiling { most: it.most.saturating_mul(1 << 20), ..it }),
        stdout_bytes: number(limits.stdout_bytes),
        names: list(packages.names),
        licenses: list(packages.licenses),
        priority: packages
            .priority
            .map(|it| Ceiling { line: line(text, Some(it.span())), most: it.into_inner() }),
        keys: packages.keys.map(|keys| keys_of(text, keys)).transpose()?,
        ..HostPolicy::default()
    };
    let switches = [
        (Grant::Store, grants.store),
        (Grant::Memory, grants.memory),
        (Grant::Llm, grants.llm),
        (Grant::Assets, grants.assets),
        (Grant::Data, grants.data),
        (Grant::Campaign, grants.campaign),
    ];
    for (grant, switch) in switches {
        if let Some(switch) = switch.filter(|switch| !switch.get_ref()) {
            policy.refused.insert(grant, line(text, Some(switch.span())));
        }
    }
    for (grant, allowed) in [(Grant::Http, grants.http), (Grant::Env, grants.env)] {
        let Some(allowed) = allowed else { continue };
        let line = line(text, Some(allowed.span()));
        match (allowed.into_inner(), grant) {
            (GrantSetting::All, _) => {}
            (GrantSetting::Nothing, _) => _ = policy.refused.insert(grant, line),
            (GrantSetting::Only(hosts), Grant::Http) => {
                let hosts = hosts.iter().map(|host| HttpHost::parse(host));
                let only = hosts.collect::<Result<_, _>>();
                let only = only.map_err(|why| UserConfigError::BadHost { line, why })?;
                policy.hosts = Some(AllowList { line, only });
            }
            (GrantSetting::Only(only), _) => policy.env = Some(AllowList { line, only }),
        }
    }
    Ok(policy)
}

/// `keys` of `[packages]`.
fn keys_of(
    text: &str,
    keys: Spanned<Vec<String>>,
) -> Result<AllowList<SignerKey>, UserConfigError> {
    let line = line(text, Some(keys.span()));
    let only = keys.get_ref().iter().map(|key| SignerKey::parse(key)).collect::<Result<_, _>>();
    only.map(|only| AllowList { line, only }).map_err(|why| UserConfigError::BadKey { line, why })
}

/// Relative paths begin at the folder of the file, not where the program was started.
#[cfg(feature = "llama")]
fn model_name(
    text: &str,
    key: &'static str,
    name: &Spanned<String>,
    file: &Path,
) -> Result<ModelName, UserConfigError> {
    let parsed = ModelName::parse(name.get_ref());
    let line = line(text, Some(name.span()));
    Ok(match parsed.map_err(|why| UserConfigError::BadModel { line, key, why })? {
        ModelName::Path(path) => {
            let path = file.parent().unwrap_or(Path::new("")).join(path);
            ModelName::Path(std::path::absolute(&path).unwrap_or(path))
        }
        name @ (ModelName::Hub(_) | ModelName::Server(_)) => name,
    })
}

/// Returns the hosts whose servers may be asked: those of the list, and that of the model in use.
#[cfg(feature = "llama")]
fn server_hosts_of(
    text: &str,
    hosts: Option<Vec<Spanned<String>>>,
    model: Option<&ModelName>,
) -> Result<Vec<String>, UserConfigError> {
    let mut allowed = Vec::new();
    for host in hosts.into_iter().flatten() {
        // A port or a path beside the name would make another text.
        let parsed = ServerAddress::parse(&format!("http://{}", host.get_ref()));
        let is_host = parsed.is_ok_and(|it| it.host().eq_ignore_ascii_case(host.get_ref()));
        if !is_host {
            let line = line(text, Some(host.span()));
            return Err(UserConfigError::BadServerHost { line, host: host.into_inner() });
        }
        allowed.push(host.into_inner());
    }
    if let Some(ModelName::Server(address)) = model {
        allowed.push(address.host().to_owned());
    }
    Ok(allowed)
}

/// Returns the number of the line on which the span begins, from 1.
pub(super) fn line(text: &str, span: Option<Range<usize>>) -> usize {
    let start = span.map_or(0, |span| span.start);
    text.as_bytes().iter().take(start).filter(|byte| **byte == b'\n').count() + 1
}

impl UserConfigError {
    /// Translates an error of serde, which names an unknown key and then the keys that exist, each in
    /// backticks.
    fn wrong(text: &str, error: &toml::de::Error) -> UserConfigError {
        let line = line(text, error.span());
        let mut quoted = error.message().split('`').skip(1).step_by(2);
        if error.message().starts_with("unknown field")
            && let Some(key) = quoted.next()
        {
            return UserConfigError::unknown_key(line, key, &quoted.collect::<Vec<_>>());
        }
        let source_line = text.lines().nth(line - 1).unwrap_or_default().trim();
        let source_line = visible_line(&clip(source_line, SHOWN_CHARS_MAX));
        UserConfigError::WrongValue { line, source_line, why: error.message().to_owned() }
    }

    fn unknown_key(line: usize, key: &str, known: &[&str]) -> UserConfigError {
        let hint = match nearest(key, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys are `{}`", known.join("`, `")),
        };
        UserConfigError::UnknownKey { line, key: key.to_owned(), hint }
    }

    fn hint(&self) -> Option<String> {
        match self {
            UserConfigError::UnknownKey { hint, .. } => Some(hint.clone()),
            #[cfg(feature = "llama")]
            UserConfigError::BadModel { why, .. } => why.hint(),
            _ => None,
        }
    }
}

#[cfg(all(test, feature = "llama"))]
mod tests;
