//! The text of `config.toml` as serde reads it: tables, keys and values, with the place of each.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, SeqAccess, Visitor},
};
use toml::Spanned;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ConfigFile {
    pub(super) model: ModelTable,
    pub(super) limits: LimitsTable,
    pub(super) grants: GrantsTable,
    pub(super) packages: PackagesTable,
    pub(super) log: LogTable,
    pub(super) generation: GenerationTable,
    pub(super) story: StoryTable,
    /// The keys are checked against [`PLAN_SETTINGS`](crate::plan_settings::PLAN_SETTINGS).
    pub(super) plan: BTreeMap<Spanned<String>, Spanned<PlanValue>>,
}

/// A policy for packages: the tables of `config.toml` that are about them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PolicyFile {
    pub(super) limits: LimitsTable,
    pub(super) grants: GrantsTable,
    pub(super) packages: PackagesTable,
}

/// A value in `[plan]`, as a player would type it; `None` if it cannot be typed.
#[derive(Debug)]
pub(super) struct PlanValue(pub(super) Option<String>);

/// `[model]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct ModelTable {
    #[serde(rename = "use")]
    pub(super) name: Option<Spanned<String>>,
    pub(super) download: Option<bool>,
    pub(super) embedding: Option<Spanned<String>>,
    #[serde(rename = "server-hosts")]
    pub(super) server_hosts: Option<Vec<Spanned<String>>>,
    #[serde(rename = "words-ms")]
    pub(super) words_ms: Option<Spanned<i64>>,
}

/// `[log]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct LogTable {
    pub(super) level: Option<Spanned<String>>,
}

/// `[story]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct StoryTable {
    pub(super) premise: Option<Spanned<String>>,
    pub(super) campaign: Option<String>,
}

/// `[generation]`, with S4's own names.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct GenerationTable {
    pub(super) recent_scenes_count: Option<usize>,
    pub(super) include_overall_summary: Option<bool>,
}

/// `[limits]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table", rename_all = "kebab-case")]
pub(super) struct LimitsTable {
    pub(super) timeout_ms: Option<Spanned<AtLeastOne>>,
    pub(super) fuel: Option<Spanned<AtLeastOne>>,
    pub(super) memory_mib: Option<Spanned<AtLeastOne>>,
    pub(super) stdout_bytes: Option<Spanned<AtLeastOne>>,
    pub(super) compile_seconds: Option<AtLeastOne>,
    pub(super) compile_memory_mib: Option<AtLeastOne>,
}

/// `[grants]`: a key for each grant.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct GrantsTable {
    pub(super) store: Option<Spanned<bool>>,
    pub(super) memory: Option<Spanned<bool>>,
    pub(super) llm: Option<Spanned<bool>>,
    pub(super) assets: Option<Spanned<bool>>,
    pub(super) data: Option<Spanned<bool>>,
    pub(super) campaign: Option<Spanned<bool>>,
    pub(super) http: Option<Spanned<GrantSetting>>,
    pub(super) env: Option<Spanned<GrantSetting>>,
}

/// `[packages]`: which packages are used.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct PackagesTable {
    pub(super) names: Option<Spanned<Vec<String>>>,
    pub(super) licenses: Option<Spanned<Vec<String>>>,
    pub(super) priority: Option<Spanned<u8>>,
    pub(super) keys: Option<Spanned<Vec<String>>>,
}

/// A limit. Zero would stop every script.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtLeastOne(pub(super) u64);

/// A grant that has a list: hosts or variables.
#[derive(Debug)]
pub(super) enum GrantSetting {
    /// `true`: grants everything that skills ask for.
    All,
    /// `false`.
    Nothing,
    /// Only these.
    Only(Vec<String>),
}

impl<'de> Deserialize<'de> for AtLeastOne {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<AtLeastOne, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = AtLeastOne;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a whole number of at least 1")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<AtLeastOne, E> {
                match u64::try_from(number) {
                    Ok(number) if number > 0 => Ok(AtLeastOne(number)),
                    _ => Err(E::invalid_value(de::Unexpected::Signed(number), &self)),
                }
            }
        }
        from.deserialize_i64(Number)
    }
}

impl<'de> Deserialize<'de> for PlanValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<PlanValue, D::Error> {
        Ok(PlanValue(match toml::Value::deserialize(from)? {
            toml::Value::Integer(number) => Some(number.to_string()),
            toml::Value::Boolean(is_on) => Some(is_on.to_string()),
            toml::Value::String(text) => Some(text),
            _ => None,
        }))
    }
}

impl<'de> Deserialize<'de> for GrantSetting {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<GrantSetting, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = GrantSetting;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("`true`, `false` or a list of texts")
            }

            fn visit_bool<E>(self, all: bool) -> Result<GrantSetting, E> {
                Ok(if all { GrantSetting::All } else { GrantSetting::Nothing })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut texts: A) -> Result<GrantSetting, A::Error> {
                let mut only = Vec::new();
                while let Some(text) = texts.next_element()? {
                    only.push(text);
                }
                Ok(GrantSetting::Only(only))
            }
        }
        from.deserialize_any(List)
    }
}
