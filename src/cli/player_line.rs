//! The meaning of a typed line: a sentence, the number of a choice, or a command. Pure.

use narratoria_engine::NarrativeChoice;
use narratoria_protocol::nearest::nearest;

/// Every command with its effect, for `/help` and for hints.
const COMMANDS: [(&str, &str); 5] = [
    ("/choices", "what you were offered last"),
    ("/state", "the story's state as JSON"),
    ("/skills", "the skills in play"),
    ("/help", "this list"),
    ("/quit", "leave; the story is kept"),
];

/// A line, understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PlayerLine<'a> {
    /// A turn.
    Sentence(&'a str),
    Choices,
    State,
    Skills,
    Help,
    Quit,
    /// With something to say instead.
    Unknown(String),
    /// Nothing at all.
    Empty,
}

/// `choices` are those of the last turn: a number picks one. Without choices, a number is a sentence.
pub(super) fn parse_player_line<'a>(
    line: &'a str,
    choices: &'a [NarrativeChoice],
) -> PlayerLine<'a> {
    let line = line.trim();
    match line {
        "" => return PlayerLine::Empty,
        "/choices" => return PlayerLine::Choices,
        "/state" => return PlayerLine::State,
        "/skills" => return PlayerLine::Skills,
        "/help" => return PlayerLine::Help,
        "/quit" => return PlayerLine::Quit,
        _ => {}
    }
    if line.starts_with('/') {
        return PlayerLine::Unknown(unknown(line));
    }
    let is_number = line.bytes().all(|byte| byte.is_ascii_digit());
    if choices.is_empty() || !is_number {
        return PlayerLine::Sentence(line);
    }
    let picked = line.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
    match picked {
        Some(choice) => PlayerLine::Sentence(choice.prompt.as_deref().unwrap_or(&choice.label)),
        None => PlayerLine::Unknown(format!(
            "there is no choice {line}, they go from 1 to {}",
            choices.len()
        )),
    }
}

/// The text of `/help`.
pub(super) fn help() -> String {
    let wide = COMMANDS.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = "Say what you do, or type the number of a choice.\n".to_owned();
    for (name, does) in COMMANDS {
        text += &format!("  {name:wide$}  {does}\n");
    }
    text + "Ctrl-C stops a turn, Ctrl-D leaves.\n"
}

fn unknown(line: &str) -> String {
    let word = line.split_whitespace().next().unwrap_or(line);
    match nearest(word, COMMANDS.map(|(name, _)| name)) {
        Some(name) if name == word => format!("`{name}` stands alone on its line"),
        Some(name) => format!("there is no command `{word}`, did you mean `{name}`?"),
        None => format!("there is no command `{word}`, `/help` lists them"),
    }
}

#[cfg(test)]
mod tests {
    use narratoria_engine::NarrativeChoice;

    use super::{PlayerLine, help, parse_player_line};

    #[track_caller]
    fn check(line: &str, expect: PlayerLine<'_>) {
        let choice = |label: &str, prompt: Option<&str>| NarrativeChoice {
            id: None,
            label: label.to_owned(),
            prompt: prompt.map(str::to_owned),
        };
        let choices = [choice("Run", Some("I run away")), choice("Hide", None)];
        assert_eq!(parse_player_line(line, &choices), expect);
    }

    #[test]
    fn a_line_is_a_sentence() {
        check(" I open the door ", PlayerLine::Sentence("I open the door"));
        check("  ", PlayerLine::Empty);
        check("2 guards?", PlayerLine::Sentence("2 guards?"));
    }

    #[test]
    fn a_number_is_what_the_player_would_have_typed() {
        check("1", PlayerLine::Sentence("I run away"));
        check("2", PlayerLine::Sentence("Hide"));
        for wrong in ["0", "3", "99999999999999999999999"] {
            check(
                wrong,
                PlayerLine::Unknown(format!("there is no choice {wrong}, they go from 1 to 2")),
            );
        }
        assert_eq!(parse_player_line("1", &[]), PlayerLine::Sentence("1"));
    }

    #[test]
    fn a_wrong_command_is_not_played() {
        let mistaken = |text: &str| PlayerLine::Unknown(text.to_owned());
        check("/quit", PlayerLine::Quit);
        check("/quitt", mistaken("there is no command `/quitt`, did you mean `/quit`?"));
        check("/quit now", mistaken("`/quit` stands alone on its line"));
        check("/dance", mistaken("there is no command `/dance`, `/help` lists them"));
    }

    #[test]
    fn help_lists_every_command() {
        insta::assert_snapshot!(help(), @r"
        Say what you do, or type the number of a choice.
          /choices  what you were offered last
          /state    the story's state as JSON
          /skills   the skills in play
          /help     this list
          /quit     leave; the story is kept
        Ctrl-C stops a turn, Ctrl-D leaves.
        ");
    }
}
