//! `narratoria completions`: the scripts by which a shell completes commands and options. Hidden ones are left out.

use clap::{Command, CommandFactory};
use narratoria_engine::TurnError;

use super::{
    args::{Arguments, CompletionsArgs},
    exit::Exit,
    print_data, settings,
};

const NAME: &str = "narratoria";

pub(super) fn completions(args: &CompletionsArgs) -> Result<Exit, TurnError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut visible(&Arguments::command()), NAME, &mut text);
    print_data(settings::initial_look(), &String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}

/// Returns the command without its hidden parts. Rebuilds it, because clap's generators show hidden parts too.
fn visible(command: &Command) -> Command {
    let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    // Names of commands are static; the program ends when it has printed them.
    let name: &'static str = command.get_name().to_owned().leak();
    Command::new(name)
        .about(command.get_about().cloned().unwrap_or_default())
        .args(arguments.cloned())
        .subcommands(commands.map(visible))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, ValueEnum};
    use clap_complete::Shell;

    use super::{Arguments, NAME, visible};

    #[test]
    fn nothing_internal_is_completed() {
        for shell in Shell::value_variants() {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut visible(&Arguments::command()), NAME, &mut text);
            let text = String::from_utf8(text).unwrap();
            for shown in ["install", "completions", "schema", "replay"] {
                assert!(text.contains(shown), "{shell}: {shown}");
            }
            for hidden in
                ["compile-component", "compile__component", "try-model", "try__model", "stray"]
            {
                assert!(!text.contains(hidden), "{shell}: {hidden}");
            }
        }
    }
}
