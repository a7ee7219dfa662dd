//! The player's settings of a turn (S0 FR-018), one row each. The flag, the key in `[plan]` of `config.toml`, the variable,
//! the messages and the help follow from the row, so that they cannot differ. A flag overrides the variable, the variable
//! the file.

use std::{ffi::OsString, fmt, num::NonZeroUsize, ops::RangeInclusive, time::Duration};

use narratoria_engine::{PlanFreedoms, SessionOptions};
use narratoria_protocol::visible::{clip, visible_line};
use narratoria_sandbox::INVOCATIONS_MAX;

/// Characters that a message quotes of a value.
const SHOWN_CHARS_MAX: usize = 80;

/// The table of `config.toml` with these settings, and the beginning of each flag.
pub(super) const PLAN_TABLE: &str = "plan";

/// A setting. Its number is the index of its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanSetting {
    Timeout,
    Generation,
    Attempts,
    Slots,
    Grace,
    Backoff,
    Early,
    Repair,
    BeyondS0,
}

/// Everything about a setting.
pub(super) struct PlanSettingRow {
    pub(super) setting: PlanSetting,
    /// The flag without its hyphens.
    pub(super) flag: &'static str,
    /// The bounds of the value; those of a switch are [`SWITCH`].
    pub(super) range: RangeInclusive<u64>,
    /// The value that holds without a setting, in words.
    pub(super) default: &'static str,
    pub(super) value_name: &'static str,
    pub(super) help: &'static str,
}

/// The values of a switch: off and on.
const SWITCH: RangeInclusive<u64> = 0..=1;

/// The name of the value of a switch.
const SWITCH_NAME: &str = "on|off";

const COUNT: usize = 9;

/// The settings in the order of [`PlanSetting`].
pub(super) const PLAN_SETTINGS: [PlanSettingRow; COUNT] = [
    PlanSettingRow {
        setting: PlanSetting::Timeout,
        flag: "plan-timeout-ms",
        range: 1..=3_600_000,
        default: "60000",
        value_name: "MS",
        help: "Time of one plan; time in which only people are awaited does not count",
    },
    PlanSettingRow {
        setting: PlanSetting::Generation,
        flag: "plan-generation-ms",
        range: 1..=600_000,
        default: "5000",
        value_name: "MS",
        help: "Time in which a planner must make a plan; then the planner without a model makes it",
    },
    PlanSettingRow {
        setting: PlanSetting::Attempts,
        flag: "plan-attempts",
        range: 1..=20,
        default: "5",
        value_name: "N",
        help: "Plans that are made in one turn; then a template tells it",
    },
    PlanSettingRow {
        setting: PlanSetting::Slots,
        flag: "plan-slots",
        range: 1..=INVOCATIONS_MAX as u64,
        default: "the number of cores",
        value_name: "N",
        help: "Steps that may run at the same time in a parallel plan",
    },
    PlanSettingRow {
        setting: PlanSetting::Grace,
        flag: "plan-grace-ms",
        range: 0..=60_000,
        default: "5000",
        value_name: "MS",
        help: "Time that scripts get when their turn is stopped or the program is asked to end",
    },
    PlanSettingRow {
        setting: PlanSetting::Backoff,
        flag: "plan-backoff-ms",
        range: 0..=60_000,
        default: "100",
        value_name: "MS",
        help: "Wait before the first retry where neither plan nor skill says; it doubles each time",
    },
    PlanSettingRow {
        setting: PlanSetting::Early,
        flag: "plan-early",
        range: SWITCH,
        default: "on",
        value_name: SWITCH_NAME,
        help: "Steps may start while the planner still writes the rest of their plan",
    },
    PlanSettingRow {
        setting: PlanSetting::Repair,
        flag: "plan-repair",
        range: SWITCH,
        default: "on",
        value_name: SWITCH_NAME,
        help: "A script that gave up may get other input in the next plan of the turn",
    },
    PlanSettingRow {
        setting: PlanSetting::BeyondS0,
        flag: "plan-beyond-s0",
        range: SWITCH,
        default: "off",
        value_name: SWITCH_NAME,
        help: "A turn may leave S0: more than 5 plans (FR-023), and more than 5000 ms for one (FR-006)",
    },
];

/// The settings that S0 bounds, each with its most and the rule. [`PlanSetting::BeyondS0`] allows more.
const S0_BOUNDS: [(PlanSetting, u64, &str); 2] =
    [(PlanSetting::Generation, 5_000, "FR-006"), (PlanSetting::Attempts, 5, "FR-023")];

/// The value of each setting that is set somewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PlanSettings([Option<u64>; COUNT]);

/// A value that a setting cannot have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlanSettingError {
    #[error("it must be a whole number from {min} to {max}")]
    OutOfBounds { min: u64, max: u64 },
    #[error("it must be `on` or `off`")]
    NoSwitch,
}

/// A variable that sets something to a value that it cannot have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is `{}`, {why}", visible_line(&clip(value, SHOWN_CHARS_MAX)))]
pub(crate) struct PlanVariableError {
    name: String,
    value: String,
    why: PlanSettingError,
}

/// A setting beyond what S0 allows, without the wish to leave S0.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{flag}` is {value}, and S0 {rule} allows {most} at most")]
pub(crate) struct BeyondS0Error {
    flag: &'static str,
    value: u64,
    most: u64,
    rule: &'static str,
}

impl PlanVariableError {
    /// The variable.
    pub(super) fn variable(&self) -> &str {
        &self.name
    }
}

impl PlanSettingRow {
    /// The key in the table `plan`.
    pub(super) fn key(&self) -> &'static str {
        let rest = self.flag.strip_prefix(PLAN_TABLE).and_then(|rest| rest.strip_prefix('-'));
        rest.expect("each flag begins with the name of the table")
    }

    /// The environment variable.
    pub(super) fn variable(&self) -> String {
        format!("NARRATORIA_{}", self.flag.replace('-', "_").to_uppercase())
    }

    /// Reads a value as it is typed.
    pub(super) fn parse(&self, text: &str) -> Result<u64, PlanSettingError> {
        let text = text.trim();
        if self.is_switch() {
            return match text {
                "on" | "true" => Ok(1),
                "off" | "false" => Ok(0),
                _ => Err(PlanSettingError::NoSwitch),
            };
        }
        let (min, max) = (*self.range.start(), *self.range.end());
        let number = text.parse().ok().filter(|number| self.range.contains(number));
        number.ok_or(PlanSettingError::OutOfBounds { min, max })
    }

    pub(super) fn is_switch(&self) -> bool {
        self.value_name == SWITCH_NAME
    }

    /// The values that it may have, for people.
    pub(super) fn bounds(&self) -> String {
        match self.is_switch() {
            true => "on, off".to_owned(),
            false => format!("{} to {}", self.range.start(), self.range.end()),
        }
    }
}

impl PlanSettings {
    pub(super) fn get(&self, setting: PlanSetting) -> Option<u64> {
        self.0[setting as usize]
    }

    pub(super) fn set(&mut self, setting: PlanSetting, value: u64) {
        self.0[setting as usize] = Some(value);
    }

    /// Takes from `weaker` each setting that is not set here.
    pub(super) fn or(self, weaker: PlanSettings) -> PlanSettings {
        let mut both = self;
        for (own, other) in both.0.iter_mut().zip(weaker.0) {
            *own = own.or(other);
        }
        both
    }

    /// Reads the environment. An empty variable counts as not set.
    pub(super) fn of_environment(
        var: impl Fn(&str) -> Option<OsString>,
    ) -> Result<PlanSettings, PlanVariableError> {
        let mut settings = PlanSettings::default();
        for row in &PLAN_SETTINGS {
            let name = row.variable();
            let Some(value) = var(&name).filter(|value| !value.is_empty()) else { continue };
            let value = value.to_string_lossy().into_owned();
            match row.parse(&value) {
                Ok(number) => settings.set(row.setting, number),
                Err(why) => return Err(PlanVariableError { name, value, why }),
            }
        }
        Ok(settings)
    }

    /// Returns the settings if they keep to S0, or if they say that they leave it.
    pub(super) fn within_s0(self) -> Result<PlanSettings, BeyondS0Error> {
        if self.get(PlanSetting::BeyondS0) == Some(1) {
            return Ok(self);
        }
        for (setting, most, rule) in S0_BOUNDS {
            if let Some(value) = self.get(setting).filter(|value| *value > most) {
                let flag = PLAN_SETTINGS[setting as usize].flag;
                return Err(BeyondS0Error { flag, value, most, rule });
            }
        }
        Ok(self)
    }

    /// The wait before the first retry of a skill that names none.
    pub(super) fn backoff(&self) -> Option<Duration> {
        self.get(PlanSetting::Backoff).map(Duration::from_millis)
    }

    /// The options of a session with these settings.
    pub(super) fn apply(&self, options: SessionOptions) -> SessionOptions {
        let millis = |setting, default| self.get(setting).map_or(default, Duration::from_millis);
        let switch = |setting, default| self.get(setting).map_or(default, |value| value == 1);
        let slots = self.get(PlanSetting::Slots).and_then(|slots| usize::try_from(slots).ok());
        let attempts = self.get(PlanSetting::Attempts).and_then(|count| u32::try_from(count).ok());
        SessionOptions {
            plan_timeout: millis(PlanSetting::Timeout, options.plan_timeout),
            generation_timeout: millis(PlanSetting::Generation, options.generation_timeout),
            attempts_max: attempts.unwrap_or(options.attempts_max),
            slots: slots.and_then(NonZeroUsize::new).unwrap_or(options.slots),
            shutdown_grace: millis(PlanSetting::Grace, options.shutdown_grace),
            freedoms: PlanFreedoms {
                early_steps: switch(PlanSetting::Early, options.freedoms.early_steps),
                repaired_steps: switch(PlanSetting::Repair, options.freedoms.repaired_steps),
            },
            ..options
        }
    }
}

impl fmt::Display for PlanSettingRow {
    /// Writes the row of the table in `docs/commands.md`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlanSettingRow { flag, default, value_name, help, .. } = self;
        let (key, variable, bounds) = (self.key(), self.variable(), self.bounds());
        // A bar would end the cell.
        let value = if self.is_switch() { "WORD" } else { value_name };
        write!(
            out,
            "| `--{flag} {value}` | `{key}` | `{variable}` | {default} | {bounds} | {help} |"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use narratoria_engine::SessionOptions;

    use super::{PLAN_SETTINGS, PLAN_TABLE, PlanSetting, PlanSettings};

    fn options() -> SessionOptions {
        SessionOptions::new(NonZeroUsize::new(3).unwrap())
    }

    fn shown(options: &SessionOptions) -> String {
        format!(
            "{:?} {:?} {} {} {:?} {} {}",
            options.plan_timeout,
            options.generation_timeout,
            options.attempts_max,
            options.slots,
            options.shutdown_grace,
            options.freedoms.early_steps,
            options.freedoms.repaired_steps
        )
    }

    /// S0 FR-018, FR-023, §6, S1 §7: the numbers of the specifications hold without a setting.
    #[test]
    fn without_a_setting_the_defaults_of_the_specifications_hold() {
        assert_eq!(shown(&PlanSettings::default().apply(options())), "60s 5s 5 3 5s true true");
        let defaults = PLAN_SETTINGS.map(|row| row.default);
        let expected =
            ["60000", "5000", "5", "the number of cores", "5000", "100", "on", "on", "off"];
        assert_eq!(defaults, expected);
    }

    #[test]
    fn each_setting_reaches_its_option() {
        let mut settings = PlanSettings::default();
        for (number, row) in (11..).zip(&PLAN_SETTINGS) {
            settings.set(row.setting, number);
        }
        assert_eq!(shown(&settings.apply(options())), "11ms 12ms 13 14 15ms false false");
        assert_eq!(settings.backoff().map(|wait| wait.as_millis()), Some(16));
    }

    /// S0 FR-006, FR-023: more than S0 allows needs a setting that says so, and fewer need none.
    #[test]
    fn no_setting_leaves_s0_without_saying_so() {
        let of = |setting, value, beyond: Option<u64>| {
            let mut settings = PlanSettings::default();
            settings.set(setting, value);
            beyond.into_iter().for_each(|value| settings.set(PlanSetting::BeyondS0, value));
            settings.within_s0().map_err(|error| error.to_string())
        };
        for (setting, most, refused) in [
            (PlanSetting::Attempts, 5, "`plan-attempts` is 6, and S0 FR-023 allows 5 at most"),
            (
                PlanSetting::Generation,
                5_000,
                "`plan-generation-ms` is 5001, and S0 FR-006 allows 5000 at most",
            ),
        ] {
            assert!(of(setting, 1, None).is_ok() && of(setting, most, None).is_ok());
            assert_eq!(of(setting, most + 1, None), Err(refused.to_owned()));
            assert_eq!(of(setting, most + 1, Some(0)), Err(refused.to_owned()));
            assert!(of(setting, most + 1, Some(1)).is_ok());
        }
        assert!(of(PlanSetting::Timeout, 3_600_000, None).is_ok());
    }

    #[test]
    fn a_row_is_found_by_its_setting_and_its_names_follow_from_the_flag() {
        for (idx, row) in PLAN_SETTINGS.iter().enumerate() {
            assert_eq!(row.setting as usize, idx, "{}", row.flag);
            assert_eq!(format!("{PLAN_TABLE}-{}", row.key()), row.flag);
        }
        let timeout = &PLAN_SETTINGS[PlanSetting::Timeout as usize];
        assert_eq!(timeout.key(), "timeout-ms");
        assert_eq!(timeout.variable(), "NARRATORIA_PLAN_TIMEOUT_MS");
    }

    #[test]
    fn a_value_is_a_whole_number_within_its_bounds() {
        for row in PLAN_SETTINGS.iter().filter(|row| !row.is_switch()) {
            let (min, max) = (*row.range.start(), *row.range.end());
            assert_eq!(row.parse(&min.to_string()), Ok(min));
            assert_eq!(row.parse(&format!(" {max} ")), Ok(max));
            let mut wrong: Vec<String> =
                ["", "-1", "1.5", "1e3", "5s", "99999999999999999999"].map(str::to_owned).into();
            wrong.push((max + 1).to_string());
            wrong.extend(min.checked_sub(1).map(|below| below.to_string()));
            for text in wrong {
                let error = row.parse(&text).unwrap_err().to_string();
                assert_eq!(error, format!("it must be a whole number from {min} to {max}"));
            }
        }
    }

    #[test]
    fn a_switch_is_on_or_off() {
        let row = &PLAN_SETTINGS[PlanSetting::Early as usize];
        let read = |text| row.parse(text).ok();
        let all = ["on", "true", "off", "false", "1", "0", "yes", ""].map(read);
        assert_eq!(all, [Some(1), Some(1), Some(0), Some(0), None, None, None, None]);
        assert_eq!(row.parse("never").unwrap_err().to_string(), "it must be `on` or `off`");
    }

    #[test]
    fn the_stronger_of_two_places_wins() {
        let of = |attempts: Option<u64>, slots: Option<u64>| {
            let mut settings = PlanSettings::default();
            attempts.into_iter().for_each(|number| settings.set(PlanSetting::Attempts, number));
            slots.into_iter().for_each(|number| settings.set(PlanSetting::Slots, number));
            settings
        };
        assert_eq!(of(Some(1), None).or(of(Some(2), Some(3))), of(Some(1), Some(3)));
    }

    #[test]
    fn a_variable_that_is_wrong_is_named_with_its_value_and_the_bounds() {
        let check = |name: &'static str, value: &'static str| {
            PlanSettings::of_environment(|asked| (asked == name).then(|| value.into()))
        };
        let mut one = PlanSettings::default();
        one.set(PlanSetting::Grace, 0);
        assert_eq!(check("NARRATORIA_PLAN_GRACE_MS", "0").unwrap(), one);
        assert_eq!(check("NARRATORIA_PLAN_GRACE_MS", "").unwrap(), PlanSettings::default());
        let error = check("NARRATORIA_PLAN_SLOTS", "many").unwrap_err().to_string();
        let expected = "NARRATORIA_PLAN_SLOTS is `many`, it must be a whole number from 1 to 128";
        assert_eq!(error, expected);
    }

    /// The table in the documentation follows from the rows.
    #[test]
    fn the_page_of_commands_shows_each_row() {
        let page = include_str!("../../docs/commands.md");
        for row in &PLAN_SETTINGS {
            assert!(page.contains(&row.to_string()), "docs/commands.md lacks the row\n{row}");
        }
    }
}
