//! The first launch of a campaign, and what a turn asks of the network.

use std::fs;

use narratoria_models::hub::{FakeHub, HubRequestKind, InjectedFault, NAME};

use crate::{
    player_machine::PlayerMachine,
    pty::{CTRL_D, PtySession},
};

/// Plays the campaign with more arguments.
const PLAY: [&str; 6] = ["run", "--campaign", "every-last-spoon", "--story", "hesk", "--seed=7"];

/// What its author says of the tide board. Around it the storyteller's words vary.
const TIDE_BOARD: &str = "A slate in a frame, chalked fresh each morning.";

/// S0 FR-001, FR-007: the campaign begins while its model is still being fetched, and waits for nothing.
#[test]
fn the_first_launch_plays_the_campaign_while_the_model_is_fetched() {
    let machine = PlayerMachine::new();
    narratoria_models::tiny(&machine.path().join("tiny.gguf"), 1).unwrap();
    let hub = FakeHub::start(fs::read(machine.path().join("tiny.gguf")).unwrap());
    machine.write("kept/config.toml", format!("[model]\nuse = \"{NAME}\"\n"));
    hub.inject_fault(HubRequestKind::File, InjectedFault::Stall(200_000));
    let endpoint = hub.endpoint();
    let env = [("HF_ENDPOINT", endpoint.as_str()), ("NARRATORIA_OFFLINE", "0")];
    let mut terminal = PtySession::start_with(&machine, &PLAY, &env);
    terminal.await_text("The packet does not tie up at Hesk.");
    terminal.await_text("is fetched");
    terminal.await_prompt();
    hub.await_stall();
    terminal.press("x tide board\r");
    terminal.await_text("chalked fresh");
    terminal.await_prompt();
    hub.release();
    terminal.press(CTRL_D);
    assert_eq!(terminal.end(), Some(0));
}

/// S0 FR-007: plans are made here. A pipe asks no host for anything.
#[test]
fn a_turn_of_a_campaign_asks_no_host_for_anything() {
    let machine = PlayerMachine::new();
    let hub = FakeHub::start(Vec::new());
    let mut command = machine.command(&PLAY);
    command.env("HF_ENDPOINT", hub.endpoint()).env_remove("NARRATORIA_OFFLINE");
    let mut command = assert_cmd::Command::from_std(command);
    let output = command.write_stdin("look closely at the tide board\n").output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains(TIDE_BOARD));
    assert_eq!(hub.requests(), []);
}
