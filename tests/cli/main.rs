//! The real binary, as a player and as a program use it: stdout, stderr and exit status as one value.

#![expect(clippy::unwrap_used, reason = "a test may panic, helpers of tests too")]

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
#[cfg(feature = "llama")]
mod campaign_words;
mod campaigns;
#[cfg(target_os = "linux")]
mod configure;
#[cfg(target_os = "linux")]
mod consent;
mod consent_settings;
mod damage;
mod dev;
#[cfg(target_os = "linux")]
mod embedded_skills;
mod enable;
mod eval;
mod evening;
mod exports;
mod heavy_component;
mod host_policy;
mod importing;
mod input_sizes;
mod inspect;
mod languages;
mod logs;
#[cfg(feature = "llama")]
mod models;
#[cfg(all(feature = "llama", target_os = "linux"))]
mod narrating;
mod outside;
mod plans;
mod play;
mod player_machine;
#[cfg(target_os = "linux")]
mod progress;
#[cfg(target_os = "linux")]
mod pty;
#[cfg(target_os = "linux")]
mod questions;
mod recording;
mod records;
mod reload;
mod repeatable;
#[cfg(target_os = "linux")]
mod resume;
#[cfg(target_os = "linux")]
mod review;
mod secrets;
mod services;
mod signals;
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
mod tick_story;
mod ticks;
mod undo;
mod unwritable;
mod walkthroughs;
mod world;
mod yaml_plans;

use player_machine::PlayerMachine;

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
      tick         Let the story go on by itself, one scene a tick
      plan         Make, check, run and look at plans
      skill        Make, check, install and run skills
      story        List, read, export and repair stories, and go back in them
      campaign     Play, write, check, import and export campaigns
      eval         Measure how well a planner plans the sentences of a file; nothing runs
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
      VISUAL, EDITOR   editor for a step under review

    Exit codes:
      0 done   1 the work failed   2 bad usage or bad input   3 something named does not exist
      4 refused by policy   70 a fault of the program   130 interrupted
    --- stderr
    --- exit 0
    ");
}

/// Long because the help is one value.
#[cfg(feature = "llama")]
#[test]
fn the_help_of_run_says_how_it_is_played() {
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["run", "--help"], ""), @"
    Play a story, one sentence a turn

    A terminal gets a line editor with history; from a pipe, every line is a turn. The story is saved:
    its name continues it. The next line answers a question of a step. Ctrl-C stops the turn, a second
    one leaves. On a terminal, `narratoria` alone plays, too.

    Usage: narratoria run [OPTIONS]

    Options:
          --story <NAME>
              Name of the story; a new one begins if there is none of that name [default: that of the
              campaign; without one a terminal asks what to play, and a pipe plays `default`]

          --campaign <NAME|FOLDER>
              The campaign that a new story begins with: a name that `narratoria campaign list` shows,
              or a folder [also: `campaign` in `[story]` of config.toml, NARRATORIA_CAMPAIGN]

          --premise <TEXT>
              What a new story is about: it becomes a small world; `none` begins without one [default:
              on a terminal one that the seed chooses, on a pipe none; also: `premise` in `[story]` of
              config.toml, NARRATORIA_PREMISE]

          --review
              Look at each plan before it runs: change, skip, add or remove steps, ask for another

          --yes
              Approve every step that asks for it; otherwise a terminal asks the player, and a pipe
              approves none

          --planner <PLANNER>
              The planner: `auto`, `llama`, `lexical` or `scripted:FILE` with prepared plans

              [default: auto]

          --model <MODEL>
              Which model: `owner/repo/file.gguf`, the short name of a known one, or a path [default:
              the one of `config.toml`, else phi-3.5-mini]

          --offline
              Fetch nothing from anywhere [also: NARRATORIA_OFFLINE]

          --seed <N>
              Seed of all chance; one seed tells one story, to the byte [default: drawn]

          --words-ms <MS>
              Time for the words of a model before a new story begins, where its world is made from a
              premise or its campaign lacks something; 0: none [default: 8000, and 0 with `--seed`;
              also: `words-ms` in `[model]` of config.toml, NARRATORIA_WORDS_MS]

          --skills <DIR>
              Folder with skill packages. They come before the built-in ones; of two with one name the
              first wins [repeatable]

          --format <FORMAT>
              Format of stdout

              Possible values:
              - plain: For people
              - json:  For programs

              [default: plain]

      -h, --help
              Print help (see a summary with '-h')

    Settings of a turn:
          --plan-timeout-ms <MS>
              Time of one plan; time in which only people are awaited does not count, 1 to 3600000
              [default: 60000; also: `timeout-ms` in `[plan]` of config.toml,
              NARRATORIA_PLAN_TIMEOUT_MS]

          --plan-generation-ms <MS>
              Time in which a planner must make a plan; then the planner without a model makes it, 1 to
              600000 [default: 5000; also: `generation-ms` in `[plan]` of config.toml,
              NARRATORIA_PLAN_GENERATION_MS]

          --plan-attempts <N>
              Plans that are made in one turn; then a template tells it, 1 to 20 [default: 5; also:
              `attempts` in `[plan]` of config.toml, NARRATORIA_PLAN_ATTEMPTS]

          --plan-slots <N>
              Steps that may run at the same time in a parallel plan, 1 to 128 [default: the number of
              cores; also: `slots` in `[plan]` of config.toml, NARRATORIA_PLAN_SLOTS]

          --plan-grace-ms <MS>
              Time that scripts get when their turn is stopped or the program is asked to end, 0 to
              60000 [default: 5000; also: `grace-ms` in `[plan]` of config.toml,
              NARRATORIA_PLAN_GRACE_MS]

          --plan-backoff-ms <MS>
              Wait before the first retry where neither plan nor skill says; it doubles each time, 0 to
              60000 [default: 100; also: `backoff-ms` in `[plan]` of config.toml,
              NARRATORIA_PLAN_BACKOFF_MS]

          --plan-early <on|off>
              Steps may start while the planner still writes the rest of their plan, on, off [default:
              on; also: `early` in `[plan]` of config.toml, NARRATORIA_PLAN_EARLY]

          --plan-repair <on|off>
              A script that gave up may get other input in the next plan of the turn, on, off [default:
              on; also: `repair` in `[plan]` of config.toml, NARRATORIA_PLAN_REPAIR]
    --- stderr
    --- exit 0
    ");
}

#[cfg(feature = "llama")]
#[test]
fn bad_usage_is_exit_2() {
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["run", "--planner", "oracle"], ""), @"
    --- stderr
    error: invalid value 'oracle' for '--planner <PLANNER>': it must be `auto`, `llama`, `lexical` or `scripted:FILE`

    For more information, try '--help'.
    --- exit 2
    ");
    insta::assert_snapshot!(PlayerMachine::new().transcript(&["rnu"], ""), @"
    --- stderr
    error: unrecognized subcommand 'rnu'

    Usage: narratoria <COMMAND>

    For more information, try '--help'.
    --- exit 2
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
