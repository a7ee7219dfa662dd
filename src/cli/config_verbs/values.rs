//! The value that each setting has for the next command, and where it comes from. A flag overrides the variable, the
//! variable the file, the file the default.

use serde_json::{Value, json};
use toml_edit::{Document, Item};

use super::keys::{ConfigKey, ConfigValue, config_keys};
use crate::{args::ConfigFlags, config, plan_settings::PLAN_SETTINGS};

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValueOrigin {
    Default,
    /// The line of the file.
    File {
        line: usize,
    },
    Environment {
        variable: String,
    },
    Flag {
        flag: &'static str,
    },
}

/// A setting as the next command finds it.
#[derive(Debug, Clone)]
pub(super) struct EffectiveSetting {
    pub(super) key: ConfigKey,
    /// `None` if the default is no value.
    pub(super) value: Option<ConfigValue>,
    pub(super) origin: ValueOrigin,
}

/// Flags as typed, each by its name.
#[derive(Debug, Default)]
pub(super) struct TypedFlags(Vec<(&'static str, String)>);

impl TypedFlags {
    pub(super) fn of(flags: &ConfigFlags, log_level: Option<&str>) -> TypedFlags {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let mut typed = vec![
            ("campaign", owned(flags.campaign.as_deref())),
            ("premise", owned(flags.premise.as_deref())),
            ("log-level", owned(log_level)),
        ];
        #[cfg(feature = "llama")]
        typed.extend([
            ("model", owned(flags.model.as_deref())),
            ("words-ms", flags.words.words_ms.map(|ms| ms.to_string())),
        ]);
        typed.extend(PLAN_SETTINGS.iter().map(|row| {
            let number = flags.settings.get(row.setting);
            let text = number.map(|number| match (row.is_switch(), number) {
                (true, 0) => "off".to_owned(),
                (true, _) => "on".to_owned(),
                (false, number) => number.to_string(),
            });
            (row.flag, text)
        }));
        TypedFlags(typed.into_iter().filter_map(|(flag, text)| Some((flag, text?))).collect())
    }

    /// Only what is common to all commands.
    pub(super) fn of_log_level(log_level: Option<&str>) -> TypedFlags {
        TypedFlags(log_level.map(|text| ("log-level", text.to_owned())).into_iter().collect())
    }
}

/// Returns all settings, table by table. The text of the file has been checked; what it has no longer is not there.
pub(super) fn effective_settings(
    file: &str,
    variable: impl Fn(&str) -> Option<String>,
    flags: &TypedFlags,
) -> Vec<EffectiveSetting> {
    let document = Document::parse(file).ok();
    let in_file = |key: &ConfigKey| {
        let table = document.as_ref()?.as_table().get(key.table)?.as_table_like()?;
        let item = table.get(key.key)?;
        Some((item_value(item, key)?, config::line(file, item.span())))
    };
    let setting = |key: ConfigKey| {
        let form = key.form;
        // A value of another form is shown as it is: the command that needs it says what is wrong.
        let parse = |text: String| {
            let parsed = form.parse(std::slice::from_ref(&text));
            parsed.unwrap_or(ConfigValue::Text(text))
        };
        let flag = key.flag.and_then(|name| flags.0.iter().find(|(flag, _)| *flag == name));
        if let Some((flag, text)) = flag {
            let (value, origin) = (parse(text.clone()), ValueOrigin::Flag { flag });
            return EffectiveSetting { value: Some(value), origin, key };
        }
        let found = key.variable.as_ref().and_then(|name| {
            let text = variable(name).filter(|text| !text.is_empty())?;
            Some((text, name.clone().into_owned()))
        });
        if let Some((text, variable)) = found {
            let (value, origin) = (parse(text), ValueOrigin::Environment { variable });
            return EffectiveSetting { value: Some(value), origin, key };
        }
        match in_file(&key) {
            Some((value, line)) => {
                let origin = ValueOrigin::File { line };
                EffectiveSetting { value: Some(value), origin, key }
            }
            None => {
                let (value, origin) = (key.default_value(), ValueOrigin::Default);
                EffectiveSetting { value, origin, key }
            }
        }
    };
    config_keys().into_iter().map(setting).collect()
}

/// Returns the value of the file. The table `plan` takes numbers and switches as texts, too.
fn item_value(item: &Item, key: &ConfigKey) -> Option<ConfigValue> {
    if let Some(text) = item.as_str() {
        return key.form.parse(&[text.to_owned()]);
    }
    if let Some(number) = item.as_integer() {
        return Some(ConfigValue::Number(number));
    }
    if let Some(is_on) = item.as_bool() {
        return Some(ConfigValue::Switch(is_on));
    }
    let texts = item.as_array()?.iter().map(|text| text.as_str().map(str::to_owned));
    texts.collect::<Option<_>>().map(ConfigValue::Texts)
}

impl ValueOrigin {
    /// The stable word for programs.
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            ValueOrigin::Default => "default",
            ValueOrigin::File { .. } => "file",
            ValueOrigin::Environment { .. } => "environment",
            ValueOrigin::Flag { .. } => "flag",
        }
    }

    /// The place within the origin: a line, a variable, a flag.
    fn place(&self) -> Option<String> {
        match self {
            ValueOrigin::Default => None,
            ValueOrigin::File { line } => Some(format!("line {line}")),
            ValueOrigin::Environment { variable } => Some(variable.clone()),
            ValueOrigin::Flag { flag } => Some(format!("--{flag}")),
        }
    }

    pub(super) fn text(&self) -> String {
        match self.place() {
            Some(place) => format!("{}: {place}", self.as_str()),
            None => self.as_str().to_owned(),
        }
    }
}

impl EffectiveSetting {
    /// Returns the value for people; without one, how the program comes to it.
    pub(super) fn text(&self) -> String {
        match &self.value {
            Some(value) => value.to_string(),
            None => format!("({})", self.key.default_text()),
        }
    }

    /// Returns an entry of `config-values.schema.json`.
    pub(super) fn document(&self) -> Value {
        json!({
            "key": self.key.name(),
            "value": self.value.as_ref().map(ConfigValue::document),
            "origin": self.origin.as_str(),
            "place": self.origin.place(),
            "default": self.key.default_text(),
            "takes": self.key.takes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{TypedFlags, effective_settings};
    use crate::{
        args::ConfigFlags,
        plan_settings::{PlanSetting, PlanSettings},
    };

    /// Flags of a command that plays, as its parser reads them.
    fn flags_of(settings: PlanSettings) -> ConfigFlags {
        ConfigFlags {
            campaign: None,
            premise: Some("none".to_owned()),
            #[cfg(feature = "llama")]
            model: None,
            #[cfg(feature = "llama")]
            words: crate::args::WordsArgs::default(),
            settings,
        }
    }

    #[test]
    fn a_flag_overrides_the_variable_the_variable_the_file_and_the_file_the_default() {
        let mut settings = PlanSettings::default();
        settings.set(PlanSetting::Early, 0);
        let flags = TypedFlags::of(&flags_of(settings), Some("debug"));
        let variable = |name: &str| match name {
            "NARRATORIA_PLAN_EARLY" => Some("on".to_owned()),
            "NARRATORIA_PLAN_SLOTS" => Some("3".to_owned()),
            "NARRATORIA_PLAN_ATTEMPTS" => Some(String::new()),
            _ => None,
        };
        let file = "[plan]\nslots = 2\nattempts = \"4\"\n[grants]\nhttp = [\"a.example\"]\n";
        let all = effective_settings(file, variable, &flags);
        let shown = |name: &str| {
            let found = all.iter().find(|setting| setting.key.name() == name).unwrap();
            format!("{} {}", found.text(), found.origin.text())
        };
        let names = [
            "plan.early",
            "plan.slots",
            "plan.attempts",
            "plan.grace-ms",
            "grants.http",
            "grants.env",
            "story.premise",
            "log.level",
            "limits.fuel",
        ];
        insta::assert_snapshot!(names.map(shown).join("\n"), @r"
        false flag: --plan-early
        3 environment: NARRATORIA_PLAN_SLOTS
        4 file: line 3
        5000 default
        a.example file: line 5
        true default
        none flag: --premise
        debug flag: --log-level
        (that of each script) default
        ");
    }
}
