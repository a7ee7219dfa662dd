//! Texts of untrusted campaigns cannot steer the terminal.

use narratoria_protocol::visible::visible;

use crate::player_machine::PlayerMachine;

/// A storylet that fires in each turn, so that a report quotes it.
const DECK: &str = r#"
[[storylet]]
id = "steers"
once = false
cooldown = 0
priority = 100
text = "Hello \u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\u200b there."
"#;

#[test]
fn the_report_on_a_campaign_gives_a_terminal_nothing_to_obey() {
    let machine = PlayerMachine::new();
    let made = machine.run(&["campaign", "new", "steering"], "");
    assert_eq!(made.exit, Some(0), "{}", made.transcript());
    let decks = machine.path().join("steering/plot/decks");
    std::fs::create_dir_all(&decks).unwrap();
    std::fs::write(decks.join("steers.toml"), DECK).unwrap();
    let mut quotes = 0;
    for format in ["text", "json", "html"] {
        let args =
            ["campaign", "check", "steering", "--walks", "4", "--turns", "25", "--format", format];
        let ran = machine.run(&args, "");
        assert!(matches!(ran.exit, Some(0 | 1)), "{}", ran.transcript());
        for text in [&ran.stdout, &ran.stderr] {
            assert_eq!(visible(text), text.as_str(), "{format}");
            quotes += usize::from(text.contains("owned"));
        }
    }
    assert!(quotes > 0, "no report quotes the text");
}
