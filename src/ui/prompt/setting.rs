//! The prompt for one setting of a package.

use narratoria_skills::{PlayerVariables, Setting, SettingError, SettingKind, SettingValue};
use serde_json::Value;

use crate::{form_table::value_text, text::visible_line};

/// The line that removes a value.
const UNSET: &str = "-";

/// Most choices that are shown.
const CHOICES_SHOWN_MAX: usize = 20;

/// A setting that waits for its value.
pub struct SettingPrompt<'f> {
    setting: &'f Setting,
    current: SettingValue<'f>,
    /// The items of a list so far.
    items: Vec<String>,
}

/// The reply to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingReply {
    /// The value stays.
    Keep,
    /// The value is removed.
    Unset,
    /// The words of the new value, which the schema accepts.
    Words(Vec<String>),
    /// The list continues.
    More,
    /// Why the line is not a value.
    Refused(String),
}

impl<'f> SettingPrompt<'f> {
    /// Printed above the first setting.
    pub const HELP: &'static str = "An empty line keeps what is there, `-` takes it away. `${NAME}` in a text is read from the \
         environment when the skill is loaded. Ctrl-C leaves, and nothing is changed.";

    pub fn new(setting: &'f Setting, current: SettingValue<'f>) -> SettingPrompt<'f> {
        SettingPrompt { setting, current, items: Vec::new() }
    }

    /// Describes the setting in a few lines.
    pub fn text(&self) -> String {
        let setting = self.setting;
        let mut text = format!("\n{}", setting.name);
        if let Some(title) = &setting.title {
            text += &format!(": {}", visible_line(title));
        }
        text.push('\n');
        if let Some(description) = &setting.description {
            text += &format!("  {}\n", visible_line(description));
        }
        let mut notes = vec![match setting.choices.is_empty() {
            true => setting.kind.to_string(),
            false => format!("one of {}", self.choices()),
        }];
        let rules = [("minimum", "at least"), ("maximum", "at most")];
        for (rule, words) in rules {
            if let Some(bound) = setting.schema().get(rule) {
                notes.push(format!("{words} {}", visible_line(&bound.to_string())));
            }
        }
        if let Some(pattern) = setting.schema().get("pattern").and_then(Value::as_str) {
            notes.push(format!("like `{}`", visible_line(pattern)));
        }
        if setting.required {
            notes.push("required".to_owned());
        }
        if setting.secret {
            notes.push("secret, not shown".to_owned());
        }
        if setting.deprecated {
            notes.push("deprecated".to_owned());
        }
        text += &format!("  {}\n", notes.join(", "));
        if let Some(variable) = &setting.env {
            text += &format!(
                "  better not written down: `${{{variable}}}` takes it from the environment\n"
            );
        }
        let (now, from) = match self.current {
            SettingValue::Player(value) => (value_text(setting, value), ""),
            SettingValue::Packaged(value) => (value_text(setting, value), " (of the package)"),
            SettingValue::Default(value) => (value_text(setting, value), " (default)"),
            SettingValue::Missing => ("not set".to_owned(), ""),
        };
        text + &format!("  now: {now}{from}\n")
    }

    pub fn prompt(&self) -> String {
        match (self.setting.kind, self.items.len()) {
            (SettingKind::List(_), count @ 1..) => format!("{}[{count}]> ", self.setting.name),
            _ => format!("{}> ", self.setting.name),
        }
    }

    /// Reads a line, and checks it against the schema.
    pub fn answer(&mut self, line: &str, variables: PlayerVariables<'_>) -> SettingReply {
        let line = line.trim();
        let is_list = matches!(self.setting.kind, SettingKind::List(_));
        match (line, self.items.is_empty()) {
            ("", true) => return self.keep(),
            (UNSET, true) => return SettingReply::Unset,
            ("", false) => {
                let items = std::mem::take(&mut self.items);
                return self.words(items, variables);
            }
            _ => {}
        }
        if !is_list || (self.items.is_empty() && line.starts_with('[')) {
            return self.words(vec![self.chosen(line)], variables);
        }
        // Each item is checked at once; the number of items and duplicates are checked at the end.
        let mut items = self.items.clone();
        items.push(self.chosen(line));
        match self.setting.parse_item(items.last().map_or("", String::as_str), variables) {
            Ok(()) => {
                self.items = items;
                SettingReply::More
            }
            Err(error) => SettingReply::Refused(error.to_string()),
        }
    }

    fn keep(&self) -> SettingReply {
        match self.current {
            SettingValue::Missing if self.setting.required => {
                let what = format!("the setting `{}` is required", self.setting.name);
                SettingReply::Refused(what)
            }
            _ => SettingReply::Keep,
        }
    }

    fn words(&self, words: Vec<String>, variables: PlayerVariables<'_>) -> SettingReply {
        let refused = |error: SettingError| SettingReply::Refused(error.to_string());
        self.setting.parse(&words, variables).map_or_else(refused, |_| SettingReply::Words(words))
    }

    /// Resolves the number of a choice. If the words of one choice are the number of another, the words win.
    fn chosen(&self, line: &str) -> String {
        let words: Vec<String> = self.setting.choices.iter().map(words_of).collect();
        if words.iter().any(|word| word == line) {
            return line.to_owned();
        }
        let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        number.and_then(|at| words.get(at).cloned()).unwrap_or_else(|| line.to_owned())
    }

    fn choices(&self) -> String {
        let choices = &self.setting.choices;
        let shown = choices.iter().take(CHOICES_SHOWN_MAX).enumerate();
        let shown: Vec<String> = shown
            .map(|(at, choice)| format!("{}. {}", at + 1, visible_line(&words_of(choice))))
            .collect();
        let more = choices.len().saturating_sub(CHOICES_SHOWN_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", shown.join(" "))
    }
}

fn words_of(choice: &Value) -> String {
    choice.as_str().map_or_else(|| choice.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use narratoria_skills::{
        ConfigForm, HostPolicy, PackageHandle, PlayerVariables, SettingsFolder,
    };

    use super::{SettingPrompt, SettingReply};

    const SCHEMA: &str = r#"{"type": "object", "required": ["token"], "properties": {
        "token": {"type": "string", "secret": true, "maxLength": 8, "env": "SKY_TOKEN", "title": "Key\u001b[2J"},
        "units": {"type": "string", "enum": ["metric", "2", "imperial"], "default": "metric"},
        "days": {"type": "integer", "minimum": 1, "maximum": 7, "description": "How far it looks."},
        "towns": {"type": "array", "items": {"type": "string", "minLength": 2}, "maxItems": 2}
    }}"#;

    fn form() -> ConfigForm {
        let files = [
            ("skill.json", "{}"),
            ("config-schema.json", SCHEMA),
            ("config.json", r#"{"days": 3}"#),
        ];
        let files: BTreeMap<String, Vec<u8>> = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
            .collect();
        PackageHandle::in_memory("sky", files).config_form(&SettingsFolder::none()).unwrap()
    }

    /// The replies to the lines, in order.
    fn check(name: &str, lines: &[&str]) -> String {
        let form = form();
        let setting = form.setting(name).unwrap();
        let mut prompt = SettingPrompt::new(setting, form.value(setting));
        let mut replies = Vec::new();
        for line in lines {
            let asked = prompt.prompt();
            let reply = match prompt
                .answer(line, PlayerVariables::new(&|_| None, &HostPolicy::default()))
            {
                SettingReply::Refused(why) => why,
                reply => format!("{reply:?}"),
            };
            replies.push(format!("{asked}{line}: {reply}"));
        }
        replies.join("\n")
    }

    #[test]
    fn the_text_describes_accepted_values() {
        let form = form();
        let text: String = form
            .settings()
            .iter()
            .map(|setting| SettingPrompt::new(setting, form.value(setting)).text())
            .collect();
        insta::assert_snapshot!(text, @r#"
        token: Key\u{1b}[2J
          a text, required, secret, not shown
          better not written down: `${SKY_TOKEN}` takes it from the environment
          now: not set

        units
          one of 1. metric 2. 2 3. imperial
          now: metric (default)

        days
          How far it looks.
          a whole number, such as `3`, at least 1, at most 7
          now: 3 (of the package)

        towns
          a list of texts, such as `["a", "b"]`
          now: not set
        "#);
    }

    #[test]
    fn a_line_keeps_removes_or_sets_the_value() {
        insta::assert_snapshot!(check("token", &["", "123456789", "s3cret"]), @r#"
        token> : the setting `token` is required
        token> 123456789: the setting `token` cannot be this: the value is longer than 8 characters
        token> s3cret: Words(["s3cret"])
        "#);
        insta::assert_snapshot!(check("units", &["", "1", "2", "3", "furlongs", "-"]), @r#"
        units> : Keep
        units> 1: Words(["metric"])
        units> 2: Words(["2"])
        units> 3: Words(["imperial"])
        units> furlongs: the setting `units` cannot be this: the value is not one of "metric", "2" or "imperial"
        units> -: Unset
        "#);
        insta::assert_snapshot!(check("days", &["many", "2.5", "9", "${DAYS}", " 2 "]), @r#"
        days> many: the setting `days` must be a whole number, such as `3`
        days> 2.5: the setting `days` must be a whole number, such as `3`
        days> 9: the setting `days` cannot be this: the value is greater than the maximum of 7
        days> ${DAYS}: the setting `days` must be a whole number, such as `3`
        days>  2 : Words(["2"])
        "#);
    }

    #[test]
    fn a_list_is_read_item_by_item_or_as_json() {
        insta::assert_snapshot!(check("towns", &["Rome", "x", "Bern", ""]), @r#"
        towns> Rome: More
        towns[1]> x: the setting `towns` cannot be this: the value is shorter than 2 characters
        towns[1]> Bern: More
        towns[2]> : Words(["Rome", "Bern"])
        "#);
        insta::assert_snapshot!(check("towns", &["Rome", "Bern", "Oslo", ""]), @"
        towns> Rome: More
        towns[1]> Bern: More
        towns[2]> Oslo: More
        towns[3]> : the setting `towns` cannot be this: the value has more than 2 items
        ");
        insta::assert_snapshot!(check("towns", &[r#"["Rome"]"#]), @r#"towns> ["Rome"]: Words(["[\"Rome\"]"])"#);
        insta::assert_snapshot!(check("towns", &["[Rome", "[7]"]), @r#"
        towns> [Rome: the setting `towns` must be a list of texts, such as `["a", "b"]`
        towns> [7]: the setting `towns` cannot be this: at /0 the value is not of type "string"
        "#);
    }
}
