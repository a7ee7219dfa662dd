//! The real binary, as a player and as a program use it: stdout, stderr and exit status as one value.

#[cfg(target_os = "linux")]
mod approvals;
mod archives;
mod authoring;
mod beginnings;
mod books;
mod campaign_checks;
#[cfg(target_os = "linux")]
mod campaign_evening;
mod campaign_failures;
mod campaign_folders;
mod campaign_sessions;
mod campaign_undo;
mod campaigns;
#[cfg(target_os = "linux")]
mod config_file;
#[cfg(target_os = "linux")]
mod configure;
#[cfg(target_os = "linux")]
mod consent;
mod consent_settings;
mod damage;
mod dev;
#[cfg(unix)]
mod doctor;
mod downloads;
#[cfg(target_os = "linux")]
mod embedded_skills;
mod enable;
mod eval;
mod evening;
mod exports;
mod heavy_component;
mod heavy_scripts;
mod host_policy;
#[cfg(target_os = "linux")]
mod hosting;
#[cfg(target_os = "linux")]
mod hosting_failures;
mod importing;
mod input_sizes;
mod inspect;
mod languages;
mod logs;
mod mcp;
mod mcp_http;
mod odd_home;
mod outside;
mod page;
mod plans;
mod play;
#[cfg(target_os = "linux")]
mod progress;
#[cfg(target_os = "linux")]
mod questions;
mod recording;
mod records;
mod registries;
mod reload;
mod repeatable;
#[cfg(target_os = "linux")]
mod resume;
#[cfg(target_os = "linux")]
mod review;
mod secrets;
mod services;
mod signals;
mod signatures;
mod skill_run;
mod skills;
mod stories;
mod story_play;
mod story_state;
#[cfg(target_os = "linux")]
mod sums;
mod templates;
#[cfg(target_os = "linux")]
mod terminal;
mod terminal_escapes;
mod ticks;
mod undo;
mod unwritable;
mod walkthroughs;
mod world;
mod world_reading;
mod yaml_plans;

use crate::player_machine::PlayerMachine;

#[test]
fn help_says_what_there_is() {
    // Without the feature nothing else is missing.
    let models = "  model        Fetch, list, check and remove language models\n";
    let told = PlayerMachine::new().transcript(&["--help"], "");
    assert_eq!(told.contains(models), cfg!(feature = "llama"), "{told}");
    insta::assert_snapshot!(told.replace(models, ""), @"
    Tells interactive stories on your own machine.

    A sentence becomes a plan, the plan runs skill scripts in a sandbox, and their results become the
    story. Nothing leaves this machine.

    Usage: narratoria <COMMAND>

    Commands:
      run          Play a story, one sentence a turn [alias: play]
      serve        Play in a browser
      mcp          Let a program of others play stories and use the author's tools, by the Model Context
                   Protocol
      worker       Do the checks of a fleet: take parts from a queue, one after the other
      tick         Let the story go on by itself, one scene a tick
      plan         Make, check, run and look at plans
      skill        Make, check, install and run skills
      story        List, read, export and repair stories, and go back in them
      campaign     Play, write, check, import and export campaigns
      world        Show how sentences are read, for authors
      eval         Measure how well a planner plans the sentences of a file; nothing runs
      config       Read and change your settings: the file `config.toml` of the home folder
      doctor       Say what is there on this machine, what is missing or wrong, and what to type
      schema       Print a contract: the form of manifests, plans, reports and the rest
      completions  Print the completions of a shell, such as `narratoria completions bash`
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Environment:
      NARRATORIA_HOME  where stories and compiled skills are kept
                       [default: $XDG_DATA_HOME/narratoria, else ~/.local/share/narratoria]
      NARRATORIA_LOG   what to log in `logs` of that folder, such as `debug` or `warn,narratoria=debug`;
                       also on stderr if that is no terminal; `--log-level` overrides it
      NO_COLOR         no colour, even on a colour terminal
      VISUAL, EDITOR   editor for a step under review and for `narratoria config edit`

    Exit codes:
      0 done   1 the work failed   2 bad usage or bad input   3 something named does not exist
      4 refused by policy   70 a fault of the program   130 interrupted
    --- stderr
    --- exit 0
    ");
}

#[test]
fn a_log_filter_that_is_none_is_said() {
    let machine = PlayerMachine::new();
    let output = machine.command(&["skill", "list"]).env("NARRATORIA_LOG", "=,=").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("error: NARRATORIA_LOG is `=,=`"), "{stderr}");
}
