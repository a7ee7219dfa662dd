//! The settings of `config.toml`, each with its form, its default, and where else it can be set. Pure.

use std::{borrow::Cow, fmt};

use serde_json::{Value, json};

use crate::{
    config::{CAMPAIGN_VARIABLE, PREMISE_VARIABLE, WORDS_VARIABLE},
    log_filter::LOG_FILTER_DEFAULT,
    log_setup::LOG_VARIABLE,
    plan_settings::{PLAN_SETTINGS, PLAN_TABLE, PlanSettingRow},
};

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueForm {
    Text,
    Number,
    Switch,
    Texts,
    /// A switch, or the texts for which it is on.
    SwitchOrTexts,
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConfigValue {
    Text(String),
    Number(i64),
    Switch(bool),
    Texts(Vec<String>),
}

/// The value without a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DefaultValue {
    /// As it would be typed.
    Typed(&'static str),
    /// It depends on something, or there is none.
    Words(&'static str),
}

/// Everything about a setting.
#[derive(Debug, Clone)]
pub(super) struct ConfigKey {
    pub(super) table: &'static str,
    pub(super) key: &'static str,
    pub(super) form: ValueForm,
    default: DefaultValue,
    /// The values that it takes, for people.
    pub(super) takes: Cow<'static, str>,
    /// The variable that overrides the file.
    pub(super) variable: Option<Cow<'static, str>>,
    /// The flag that overrides the variable, without its hyphens.
    pub(super) flag: Option<&'static str>,
}

const SWITCH: &str = "`true` or `false`";
const AT_LEAST_ONE: &str = "a whole number of at least 1";
const OF_SCRIPT: DefaultValue = DefaultValue::Words("that of each script");
const OF_PROGRAM: DefaultValue = DefaultValue::Words("that of the program");
const ON: DefaultValue = DefaultValue::Typed("true");

use DefaultValue::{Typed, Words};
use ValueForm::{Number, Switch, SwitchOrTexts, Text, Texts};

/// The settings outside the table `plan`: table, key, form, default, values.
const ROWS: [(&str, &str, ValueForm, DefaultValue, &str); 28] = [
    (
        "model",
        "use",
        Text,
        Typed("phi-3.5-mini"),
        "`owner/repo/file.gguf`, a short name that `narratoria model list` shows, a path, or the address of a server",
    ),
    ("model", "download", Switch, ON, SWITCH),
    (
        "model",
        "embedding",
        Text,
        Words("the one that is here"),
        "a short name, `owner/repo/file.gguf`, a path, or `off`",
    ),
    ("model", "server-hosts", Texts, Words("none"), "names of hosts and IP addresses"),
    ("model", "words-ms", Number, Typed("8000"), "a whole number from 0 to 300000"),
    ("limits", "timeout-ms", Number, OF_SCRIPT, AT_LEAST_ONE),
    ("limits", "fuel", Number, OF_SCRIPT, AT_LEAST_ONE),
    ("limits", "memory-mib", Number, OF_SCRIPT, AT_LEAST_ONE),
    ("limits", "stdout-bytes", Number, OF_SCRIPT, AT_LEAST_ONE),
    ("limits", "compile-seconds", Number, OF_PROGRAM, AT_LEAST_ONE),
    ("limits", "compile-memory-mib", Number, OF_PROGRAM, AT_LEAST_ONE),
    ("grants", "store", Switch, ON, SWITCH),
    ("grants", "memory", Switch, ON, SWITCH),
    ("grants", "llm", Switch, ON, SWITCH),
    ("grants", "assets", Switch, ON, SWITCH),
    ("grants", "data", Switch, ON, SWITCH),
    ("grants", "campaign", Switch, ON, SWITCH),
    ("grants", "http", SwitchOrTexts, ON, "`true`, `false`, or the hosts that are allowed"),
    ("grants", "env", SwitchOrTexts, ON, "`true`, `false`, or the variables that are allowed"),
    ("packages", "names", Texts, Words("all"), "names of packages, such as `acme-*`"),
    ("packages", "licenses", Texts, Words("all"), "licences, such as `MIT`"),
    ("packages", "priority", Number, Words("any"), "a whole number from 0 to 255"),
    ("packages", "keys", Texts, Words("all"), "public keys that must have signed the packages"),
    (
        "log",
        "level",
        Text,
        Typed(LOG_FILTER_DEFAULT),
        "`error`, `warn`, `info`, `debug`, `trace`, `off`, or a filter such as `warn,narratoria=debug`",
    ),
    ("generation", "recent_scenes_count", Number, Typed("3"), "a whole number from 0"),
    ("generation", "include_overall_summary", Switch, ON, SWITCH),
    (
        "story",
        "premise",
        Text,
        Words("on a terminal one that the seed chooses, on a pipe `none`"),
        "a text of 1 to 500 bytes, or `none`",
    ),
    (
        "story",
        "campaign",
        Text,
        Words("none"),
        "a name that `narratoria campaign list` shows, or a folder",
    ),
    // The rest follows from `PLAN_SETTINGS`.
];

/// Keys that a variable or a flag of `narratoria run` overrides.
const OVERRIDDEN: [(&str, Option<&str>, &str); 5] = [
    ("model.use", None, "model"),
    ("model.words-ms", Some(WORDS_VARIABLE), "words-ms"),
    ("log.level", Some(LOG_VARIABLE), "log-level"),
    ("story.premise", Some(PREMISE_VARIABLE), "premise"),
    ("story.campaign", Some(CAMPAIGN_VARIABLE), "campaign"),
];

/// Returns all settings, table by table.
pub(super) fn config_keys() -> Vec<ConfigKey> {
    let fixed = ROWS.iter().map(|&(table, key, form, default, takes)| {
        let name = format!("{table}.{key}");
        let overridden = OVERRIDDEN.iter().find(|(of, ..)| *of == name);
        ConfigKey {
            table,
            key,
            form,
            default,
            takes: takes.into(),
            variable: overridden.and_then(|(_, variable, _)| *variable).map(Cow::from),
            flag: overridden.map(|(_, _, flag)| *flag),
        }
    });
    fixed.chain(PLAN_SETTINGS.iter().map(of_plan)).collect()
}

fn of_plan(row: &PlanSettingRow) -> ConfigKey {
    let form = if row.is_switch() { Switch } else { Number };
    let is_value = form.parse(&[row.default.to_owned()]).is_some();
    ConfigKey {
        table: PLAN_TABLE,
        key: row.key(),
        form,
        default: if is_value { Typed(row.default) } else { Words(row.default) },
        takes: if row.is_switch() {
            SWITCH.into()
        } else {
            format!("a whole number from {}", row.bounds()).into()
        },
        variable: Some(row.variable().into()),
        flag: Some(row.flag),
    }
}

impl ConfigKey {
    /// `plan.slots`
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.table, self.key)
    }

    /// Returns the default, if it is a value.
    pub(super) fn default_value(&self) -> Option<ConfigValue> {
        match self.default {
            Typed(text) => self.form.parse(&[text.to_owned()]),
            Words(_) => None,
        }
    }

    /// Returns the default for people.
    pub(super) fn default_text(&self) -> &'static str {
        let (Typed(text) | Words(text)) = self.default;
        text
    }
}

impl ValueForm {
    /// Reads a value as it is typed, each text of a list for itself. Returns `None` if it has another form.
    pub(super) fn parse(self, typed: &[String]) -> Option<ConfigValue> {
        let only = || match typed {
            [only] => Some(only.trim()),
            _ => None,
        };
        let switch = || match only()? {
            "true" | "on" => Some(ConfigValue::Switch(true)),
            "false" | "off" => Some(ConfigValue::Switch(false)),
            _ => None,
        };
        let texts = || ConfigValue::Texts(typed.to_vec());
        match self {
            Text => only().map(|text| ConfigValue::Text(text.to_owned())),
            Number => only()?.parse().ok().map(ConfigValue::Number),
            Switch => switch(),
            Texts => Some(texts()),
            SwitchOrTexts => Some(switch().unwrap_or_else(texts)),
        }
    }
}

impl ConfigValue {
    pub(super) fn document(&self) -> Value {
        match self {
            ConfigValue::Text(text) => json!(text),
            ConfigValue::Number(number) => json!(number),
            ConfigValue::Switch(is_on) => json!(is_on),
            ConfigValue::Texts(texts) => json!(texts),
        }
    }
}

impl fmt::Display for ConfigValue {
    /// Writes the value as it is typed, the texts of a list with commas between them.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigValue::Text(text) => out.write_str(text),
            ConfigValue::Number(number) => write!(out, "{number}"),
            ConfigValue::Switch(is_on) => write!(out, "{is_on}"),
            ConfigValue::Texts(texts) => out.write_str(&texts.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, num::NonZeroUsize, path::Path};

    use narratoria_engine::SessionOptions;
    use narratoria_skills::RetryPolicy;

    use super::{ConfigKey, ConfigValue, LOG_FILTER_DEFAULT, ValueForm, config_keys};
    use crate::{
        config::UserConfig,
        plan_settings::{PlanSetting, PlanSettings},
    };

    /// The configuration of a file with one setting, or with none.
    fn config_with(key: &ConfigKey, value: Option<&ConfigValue>) -> UserConfig {
        // A value of JSON is one of TOML.
        let line = |value: &ConfigValue| format!("{} = {}\n", key.key, value.document());
        let text = format!("[{}]\n{}", key.table, value.map(line).unwrap_or_default());
        UserConfig::of_bytes(text.into_bytes(), Path::new("config.toml")).unwrap()
    }

    fn session_options(config: &UserConfig) -> SessionOptions {
        config.plan.apply(SessionOptions::new(NonZeroUsize::new(3).unwrap()))
    }

    /// What the program goes by under a configuration, with the values that it takes where a setting is missing.
    fn effective(config: &UserConfig) -> String {
        let backoff = config.plan.backoff().unwrap_or(RetryPolicy::default().backoff);
        let level = config.log_level.as_deref().unwrap_or(LOG_FILTER_DEFAULT);
        let mut six_attempts = PlanSettings::default();
        six_attempts.set(PlanSetting::Attempts, 6);
        let beyond_s0 = six_attempts.or(config.plan).within_s0().is_ok();
        let UserConfig { host_policy, premise, campaign, context, compile_limits, .. } = config;
        format!(
            "{:?} {backoff:?} {level} {beyond_s0} {host_policy:?} {premise:?} {campaign:?} {context:?} {compile_limits:?} {}",
            session_options(config),
            model_settings(config)
        )
    }

    #[cfg(feature = "llama")]
    fn model_settings(config: &UserConfig) -> String {
        use narratoria_model::files::{ModelName, default_model};

        let UserConfig { model, download, embedding, server_hosts, words_time, .. } = config;
        let model = model.clone().unwrap_or_else(|| ModelName::Hub(default_model()));
        let words_time = words_time.unwrap_or_else(|| crate::words_time::WordsTime::unset(false));
        format!("{model:?} {download} {embedding:?} {server_hosts:?} {words_time:?}")
    }

    #[cfg(not(feature = "llama"))]
    fn model_settings(_: &UserConfig) -> &'static str {
        "none"
    }

    /// A value that is not the default.
    fn other_value(key: &ConfigKey) -> ConfigValue {
        let text = match (key.form, key.name().as_str()) {
            (ValueForm::Switch, _) => {
                let is_on = key.default_value() == Some(ConfigValue::Switch(true));
                return ConfigValue::Switch(!is_on);
            }
            (ValueForm::Number, _) => {
                let Some(ConfigValue::Number(number)) = key.default_value() else {
                    return ConfigValue::Number(1);
                };
                return ConfigValue::Number(number - 1);
            }
            (ValueForm::SwitchOrTexts, _) => return ConfigValue::Switch(false),
            (_, "model.use") => "qwen3-4b",
            (_, "model.embedding") => "off",
            (_, "model.server-hosts") => "models.example.org",
            (_, "log.level") => "debug",
            (_, "story.premise" | "story.campaign") => "none",
            (_, "packages.keys") => "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
            (_, "packages.names" | "packages.licenses") => "MIT",
            (_, other) => panic!("the test has no value for `{other}`"),
        };
        key.form.parse(&[text.to_owned()]).unwrap()
    }

    /// The words of a default that is no value, as far as the program has none without the setting.
    fn words_without(key: &ConfigKey, config: &UserConfig) -> Option<&'static str> {
        let UserConfig { host_policy, compile_limits, .. } = config;
        let (is_unset, words) = match key.name().as_str() {
            "limits.timeout-ms" => (host_policy.timeout.is_none(), "that of each script"),
            "limits.fuel" => (host_policy.fuel.is_none(), "that of each script"),
            "limits.memory-mib" => (host_policy.memory_bytes.is_none(), "that of each script"),
            "limits.stdout-bytes" => (host_policy.stdout_bytes.is_none(), "that of each script"),
            "limits.compile-seconds" => {
                (compile_limits.cpu_seconds.is_none(), "that of the program")
            }
            "limits.compile-memory-mib" => {
                (compile_limits.memory_bytes.is_none(), "that of the program")
            }
            "packages.names" => (host_policy.names.is_none(), "all"),
            "packages.licenses" => (host_policy.licenses.is_none(), "all"),
            "packages.priority" => (host_policy.priority.is_none(), "any"),
            "packages.keys" => (host_policy.keys.is_none(), "all"),
            "story.premise" => (
                matches!(config.premise, crate::premise::Premise::Unsaid),
                "on a terminal one that the seed chooses, on a pipe `none`",
            ),
            "story.campaign" => (config.campaign.is_none(), "none"),
            "plan.slots" => (session_options(config).slots.get() == 3, "the number of cores"),
            #[cfg(feature = "llama")]
            "model.embedding" => (
                config.embedding == crate::config::EmbeddingChoice::Default,
                "the one that is here",
            ),
            #[cfg(feature = "llama")]
            "model.server-hosts" => (config.server_hosts.is_empty(), "none"),
            _ => return None,
        };
        is_unset.then_some(words)
    }

    /// `config show` prints the defaults of this table; the code has its own.
    #[test]
    fn each_default_is_the_one_that_the_program_goes_by() {
        for key in config_keys() {
            if key.table == "model" && cfg!(not(feature = "llama")) {
                continue;
            }
            let name = key.name();
            let without = config_with(&key, None);
            let set_to_other = config_with(&key, Some(&other_value(&key)));
            assert_ne!(effective(&set_to_other), effective(&without), "{name} has no effect here");
            match key.default_value() {
                Some(default) => {
                    let with = config_with(&key, Some(&default));
                    assert_eq!(effective(&with), effective(&without), "{name}");
                }
                None => {
                    assert_eq!(words_without(&key, &without), Some(key.default_text()), "{name}");
                }
            }
        }
    }

    /// Returns the keys that the file may have in a table, as the error about another key lists them.
    fn keys_in_file(table: &str) -> Vec<String> {
        let text = format!("[{table}]\n0123456789 = 1\n");
        let error = UserConfig::of_bytes(text.into_bytes(), Path::new("config.toml")).unwrap_err();
        let hint = error.hints.join("\n");
        let list = hint.strip_prefix("the keys are ").unwrap_or_else(|| panic!("{error}: {hint}"));
        list.split(", ").map(|key| key.trim_matches('`').to_owned()).collect()
    }

    #[test]
    fn the_settings_are_those_that_the_file_may_have() {
        let mut tables = BTreeMap::<&str, Vec<String>>::new();
        for key in config_keys() {
            tables.entry(key.table).or_default().push(key.key.to_owned());
        }
        assert_eq!(tables.len(), 8);
        for (table, keys) in tables {
            assert_eq!(keys, keys_in_file(table), "{table}");
        }
    }

    #[test]
    fn a_default_that_is_a_value_has_the_form_of_the_setting() {
        let found: Vec<String> = config_keys()
            .iter()
            .filter_map(|key| Some(format!("{}={}", key.name(), key.default_value()?)))
            .collect();
        assert_eq!(found.len(), 22, "{found:#?}");
        for expected in ["model.words-ms=8000", "plan.early=true", "plan.attempts=5"] {
            assert!(found.iter().any(|one| one == expected), "{found:#?}");
        }
        assert!(!found.iter().any(|one| one.starts_with("plan.slots")), "{found:#?}");
    }

    #[test]
    fn a_value_is_read_by_its_form() {
        let read = |form: ValueForm, typed: &[&str]| {
            form.parse(&typed.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(read(ValueForm::Number, &["-7"]), Some(ConfigValue::Number(-7)));
        assert_eq!(read(ValueForm::Number, &["7 s"]), None);
        assert_eq!(read(ValueForm::Switch, &["off"]), Some(ConfigValue::Switch(false)));
        assert_eq!(read(ValueForm::Switch, &["0"]), None);
        assert_eq!(read(ValueForm::Text, &["a", "b"]), None);
        let both = ConfigValue::Texts(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(read(ValueForm::Texts, &["a", "b"]), Some(both.clone()));
        assert_eq!(read(ValueForm::SwitchOrTexts, &["a", "b"]), Some(both));
        assert_eq!(read(ValueForm::SwitchOrTexts, &["true"]), Some(ConfigValue::Switch(true)));
    }
}
