//! The help and the refusals of a program that has a language model. `tests/cli` has those of every program.

use crate::player_machine::PlayerMachine;

#[test]
fn the_help_names_the_command_of_models() {
    let models = "  model        Fetch, list, check and remove language models\n";
    let help = PlayerMachine::new().transcript(&["--help"], "");
    assert!(help.contains(models), "{help}");
}

/// Long because the help is one value.
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

          --logs
              Print every line that skills write into their log; otherwise only warnings and errors are
              printed

          --planner <PLANNER>
              The planner: `auto`, `llama`, `lexical` or `scripted:FILE` with prepared plans

              [default: auto]

          --model <MODEL>
              Which model: `owner/repo/file.gguf`, the short name of a known one, a path, or
              `http://HOST:PORT/NAME` for one on a server [default: the one of `config.toml`, else
              phi-3.5-mini]

          --offline
              Fetch nothing from anywhere [also: NARRATORIA_OFFLINE]

          --seed <N>
              Seed of all chance; one seed tells one story, to the byte [default: drawn]

          --words-ms <MS>
              Time for the words of a model before a new story begins, where its world is made from a
              premise or its campaign lacks something; 0: none [default: 8000, and 0 with `--seed`;
              also: `words-ms` in `[model]` of config.toml, NARRATORIA_WORDS_MS]

          --queue <URL>
              Let the workers of a fleet run the heavy scripts of the stories: `sqlite:FILE`, or
              `postgres://…`; needs `--blobs`

          --blobs <DIR>
              Folder for the components of these scripts on their way to workers, by their digests

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

          --plan-beyond-s0 <on|off>
              A turn may leave S0: more than 5 plans (FR-023), and more than 5000 ms for one (FR-006),
              on, off [default: off; also: `beyond-s0` in `[plan]` of config.toml,
              NARRATORIA_PLAN_BEYOND_S0]
    --- stderr
    --- exit 0
    ");
}

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
