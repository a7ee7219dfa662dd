//! The meaning of a typed line: a sentence, the number of a choice, or a command. Pure.

use narratoria_engine::NarrativeChoice;
use narratoria_protocol::nearest::nearest;

use super::shorthand::{advice_for_words, command_of_words};

/// Every command with its effect, for `/help` and for hints.
pub(super) const COMMANDS: &[(&str, &str)] = &[
    ("/undo", "take back the last turn, or `/undo 3` the last three"),
    ("/redo", "bring back what was taken back"),
    ("/retry", "play the last turn again with other dice; `/retry same` with the same"),
    (
        "/edit",
        "`/edit I knock` plays the last turn with another sentence, `/edit 3 I knock` turn 3",
    ),
    ("/branch", "the branches; `/branch NAME` names this turn"),
    ("/switch", "`/switch NAME` plays on from there"),
    ("/history", "the turns so far"),
    ("/recap", "where you are and how it came to that"),
    ("/hint", "a way on, if you are stuck; costs no turn"),
    ("/map", "the places that you have seen, and their exits"),
    ("/journal", "what you know, what is open, whom you have met"),
    ("/choices", "what you were offered last"),
    ("/why", "how the last turn came about, or `/why 3` turn 3; `/why full` shows every step"),
    ("/plan", "the plan of the last turn as JSON"),
    ("/memory", "what the story remembers"),
    ("/assets", "the files that turns have made"),
    ("/state", "the story's state as JSON, or a part: `/state /player`"),
    ("/skills", "the skills in play, and how they are"),
    ("/enable", "with a name: bring a skill back that has failed for good"),
    ("/help", "this list"),
    ("/quit", "leave; the story is kept"),
];

/// The meaning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PlayerLine<'a> {
    /// A turn with this sentence.
    Sentence(&'a str),
    Choices,
    Skills,
    /// The name of the skill that is to come back.
    Enable(&'a str),
    Help,
    Quit,
    /// No known command. The text helps the player.
    Unknown(String),
    /// An empty line.
    Empty,
}

/// Reads a line. `choices` are those that were offered last: a number picks one. Without choices, a number is a
/// sentence.
pub(super) fn parse_player_line<'a>(
    line: &'a str,
    choices: &'a [NarrativeChoice],
) -> PlayerLine<'a> {
    let line = line.trim();
    if let Some(advice) = advice_for_words(line) {
        return PlayerLine::Unknown(advice.to_owned());
    }
    let line = command_of_words(line).unwrap_or(line);
    match line {
        "" => return PlayerLine::Empty,
        "/choices" => return PlayerLine::Choices,
        "/help" => return PlayerLine::Help,
        "/quit" => return PlayerLine::Quit,
        _ => {}
    }
    if let Some(command) = parse_skill_command(line) {
        return command;
    }
    if line.starts_with('/') {
        return PlayerLine::Unknown(unknown(line));
    }
    match pick_choice(line, choices) {
        None => PlayerLine::Sentence(line),
        Some(Ok(sentence)) => PlayerLine::Sentence(sentence),
        Some(Err(why)) => PlayerLine::Unknown(why),
    }
}

/// Reads the commands about skills, which programs have too: `/skills` and `/enable NAME`.
pub(super) fn parse_skill_command(line: &str) -> Option<PlayerLine<'_>> {
    let mut words = line.split_whitespace();
    let (command, name, more) = (words.next()?, words.next(), words.next());
    match (command, name, more) {
        ("/skills", None, _) => Some(PlayerLine::Skills),
        ("/enable", Some(name), None) => Some(PlayerLine::Enable(name)),
        ("/enable", _, _) => {
            let what = "`/enable` takes the name of one skill, and `/skills` lists them";
            Some(PlayerLine::Unknown(what.to_owned()))
        }
        _ => None,
    }
}

/// Returns the sentence of the choice that a number picks, or the reason why it picks none. Returns `None` if the line
/// is no number, or no choices were offered.
pub(super) fn pick_choice<'a>(
    line: &str,
    choices: &'a [NarrativeChoice],
) -> Option<Result<&'a str, String>> {
    let line = line.trim();
    let by_words = number_of_choice(line, choices.len());
    let line = by_words.as_deref().unwrap_or(line);
    let is_number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    if choices.is_empty() || !is_number {
        return None;
    }
    let numbered = line.parse::<usize>().ok().and_then(|at| choices.get(at.checked_sub(1)?));
    // The player may type `3212` if "£3,212" is offered.
    let digits = |label: &str| label.chars().filter(char::is_ascii_digit).collect::<String>();
    let picked = numbered.or_else(|| choices.iter().find(|choice| digits(&choice.label) == line));
    let sentence = picked.map(|choice| choice.prompt.as_deref().unwrap_or(&choice.label));
    Some(
        sentence.ok_or_else(|| {
            format!("there is no choice {line}, they go from 1 to {}", choices.len())
        }),
    )
}

/// Finds the number in `the first one`, `number two` and `option 3`.
fn number_of_choice(line: &str, count: usize) -> Option<String> {
    let lower = line.to_lowercase();
    let line = lower.trim_end_matches(['.', '!']).trim_end_matches(" please").trim_end_matches(',');
    let starts = ["i'll take ", "i'd take ", "i take ", "i choose ", "i pick ", "let's take "];
    let named = starts.iter().find_map(|start| line.strip_prefix(start)).unwrap_or(line);
    let ordinal = named.strip_prefix("the ").and_then(|named| {
        let word = ["one", "choice", "option"].iter().find_map(|noun| named.strip_suffix(noun))?;
        let word = word.trim_end();
        if word == "last" {
            return Some(count);
        }
        ORDINALS.iter().position(|known| *known == word).map(|at| at + 1)
    });
    let numbered = || {
        let leads = ["number ", "option ", "choice ", "no. ", "#"];
        let word = leads.iter().find_map(|lead| named.strip_prefix(lead))?.trim();
        let cardinal = CARDINALS.iter().position(|known| *known == word).map(|at| at + 1);
        cardinal.or_else(|| word.parse().ok())
    };
    let number = ordinal.or_else(numbered).filter(|number| (1..=count).contains(number));
    number.map(|number| number.to_string())
}

const ORDINALS: &[&str] = &["first", "second", "third", "fourth", "fifth", "sixth"];

const CARDINALS: &[&str] = &["one", "two", "three", "four", "five", "six"];

/// The text of `/help`.
pub(super) fn help() -> String {
    let wide = COMMANDS.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = "Say what you do, or type the number of a choice.\n".to_owned();
    for (name, does) in COMMANDS {
        text += &format!("  {name:wide$}  {does}\n");
    }
    text + "Short: l (look), x door, n s e w, i, z (wait), g (again).\nCtrl-C stops a turn, Ctrl-D leaves.\n"
}

fn unknown(line: &str) -> String {
    let word = line.split_whitespace().next().unwrap_or(line);
    match nearest(word, COMMANDS.iter().map(|(name, _)| *name)) {
        Some(name) if name == word => format!("`{name}` stands alone on its line"),
        Some(name) => format!("there is no command `{word}`, did you mean `{name}`?"),
        None => format!("there is no command `{word}`, `/help` lists them"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use narratoria_engine::NarrativeChoice;

    use super::{COMMANDS, PlayerLine, help, parse_player_line};

    fn choice(label: &str, prompt: Option<&str>) -> NarrativeChoice {
        NarrativeChoice { id: None, label: label.to_owned(), prompt: prompt.map(str::to_owned) }
    }

    #[track_caller]
    fn check(line: &str, expect: PlayerLine<'_>) {
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
        let sums = [choice("£2,912", None), choice("£3,212", None)];
        assert_eq!(parse_player_line("3212", &sums), PlayerLine::Sentence("£3,212"));
        assert_eq!(parse_player_line("1", &sums), PlayerLine::Sentence("£2,912"));
    }

    #[test]
    fn a_number_may_be_a_word() {
        for line in
            ["the first one", "number one", "I'll take the first option, please.", "Option 1"]
        {
            check(line, PlayerLine::Sentence("I run away"));
        }
        for line in ["the second one", "the last one", "choice two"] {
            check(line, PlayerLine::Sentence("Hide"));
        }
        for line in ["the first door", "take the second one", "number nine", "the third one"] {
            check(line, PlayerLine::Sentence(line));
        }
    }

    #[test]
    fn a_wrong_command_is_not_played() {
        let mistaken = |text: &str| PlayerLine::Unknown(text.to_owned());
        check("/quit", PlayerLine::Quit);
        check("/quitt", mistaken("there is no command `/quitt`, did you mean `/quit`?"));
        check("/quit now", mistaken("`/quit` stands alone on its line"));
        check("/skills", PlayerLine::Skills);
        check("  /enable  dice-roller ", PlayerLine::Enable("dice-roller"));
        for wrong in ["/enable", "/enable dice-roller storyteller"] {
            check(
                wrong,
                mistaken("`/enable` takes the name of one skill, and `/skills` lists them"),
            );
        }
        check("/dance", mistaken("there is no command `/dance`, `/help` lists them"));
    }

    #[test]
    fn commands_are_understood_as_plain_words() {
        check("quit", PlayerLine::Quit);
        check("Exit", PlayerLine::Quit);
        check("?", PlayerLine::Help);
        check("help", PlayerLine::Help);
        for words in ["undo", "save", "restart"] {
            let PlayerLine::Unknown(advice) = parse_player_line(words, &[]) else {
                panic!("`{words}` is played")
            };
            assert!(!advice.contains("there is no command"), "{advice}");
        }
        check("I quit my job", PlayerLine::Sentence("I quit my job"));
    }

    /// docs/playing.md, "All commands in play".
    #[test]
    fn the_page_for_players_has_every_command_and_no_other() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/playing.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, below) = page.split_once("## All commands in play").unwrap();
        let table = below.split("\n\n").nth(1).unwrap();
        let code = table.split('`').skip(1).step_by(2).filter(|code| code.starts_with('/'));
        let on_page: BTreeSet<&str> =
            code.filter_map(|code| code.split_whitespace().next()).collect();
        let all: BTreeSet<&str> = COMMANDS.iter().map(|(command, _)| *command).collect();
        assert_eq!(on_page, all);
    }

    #[test]
    fn help_lists_every_command() {
        insta::assert_snapshot!(help(), @"
        Say what you do, or type the number of a choice.
          /undo     take back the last turn, or `/undo 3` the last three
          /redo     bring back what was taken back
          /retry    play the last turn again with other dice; `/retry same` with the same
          /edit     `/edit I knock` plays the last turn with another sentence, `/edit 3 I knock` turn 3
          /branch   the branches; `/branch NAME` names this turn
          /switch   `/switch NAME` plays on from there
          /history  the turns so far
          /recap    where you are and how it came to that
          /hint     a way on, if you are stuck; costs no turn
          /map      the places that you have seen, and their exits
          /journal  what you know, what is open, whom you have met
          /choices  what you were offered last
          /why      how the last turn came about, or `/why 3` turn 3; `/why full` shows every step
          /plan     the plan of the last turn as JSON
          /memory   what the story remembers
          /assets   the files that turns have made
          /state    the story's state as JSON, or a part: `/state /player`
          /skills   the skills in play, and how they are
          /enable   with a name: bring a skill back that has failed for good
          /help     this list
          /quit     leave; the story is kept
        Short: l (look), x door, n s e w, i, z (wait), g (again).
        Ctrl-C stops a turn, Ctrl-D leaves.
        ");
    }
}
