//! The flags of the settings of a turn, made of their table.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::plan_settings::{PLAN_SETTINGS, PlanSettings};

const HEADING: &str = "Settings of a turn";

impl Args for PlanSettings {
    fn augment_args(command: Command) -> Command {
        PLAN_SETTINGS.iter().fold(command, |command, row| {
            let (file, variable) = (row.key(), row.variable());
            let bounds = row.bounds();
            let help = format!(
                "{}, {bounds} [default: {}; also: `{file}` in `[plan]` of config.toml, {variable}]",
                row.help, row.default
            );
            command.arg(
                Arg::new(row.flag)
                    .long(row.flag)
                    .value_name(row.value_name)
                    .value_parser(move |text: &str| row.parse(text))
                    .help_heading(HEADING)
                    .hide_short_help(true)
                    .help(help),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        PlanSettings::augment_args(command)
    }
}

impl FromArgMatches for PlanSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PlanSettings, clap::Error> {
        let mut settings = PlanSettings::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for row in &PLAN_SETTINGS {
            if let Some(number) = matches.get_one::<u64>(row.flag) {
                self.set(row.setting, *number);
            }
        }
        Ok(())
    }
}
