//! Asks what to play if a start names no story: a list with numbers, which any terminal and any screen reader can show.

use std::io;

use narratoria_engine::TurnError;
use narratoria_protocol::visible::{clip, visible_line};
use narratoria_story::StoryName;

use super::start::StartChoice;
use crate::{
    browser,
    campaign::{
        free_story_name, playtime,
        source::{self, FoundCampaign},
    },
    error::CliError,
    interrupt::Interrupts,
    line_source::{LineInput, LinePurpose, LineSource},
    premise::Premise,
    settings::CliSettings,
    setup,
};
use narratoria_ui::{Out, Tone, note};

const PROMPT: &str = "number, or what a story should be about> ";
const PREMISE_PROMPT: &str = "what is it about?> ";

/// Most characters of a campaign's description.
const DESCRIPTION_CHARS_MAX: usize = 160;

/// Most words of a premise that name its story.
const NAME_WORDS_MAX: usize = 3;

/// One line of the list.
#[derive(Debug, Clone, PartialEq)]
enum MenuItem {
    /// The story that was played last.
    GoOn {
        story: StoryName,
        /// The title of its campaign.
        title: Option<String>,
        turns: u64,
    },
    Campaign(FoundCampaign),
    OwnPremise,
    Surprise,
    /// Where there is a browser.
    Page,
}

/// The player's answer.
#[derive(Debug, Clone, PartialEq)]
enum Pick {
    Item(usize),
    Premise(Premise),
    Leave,
    /// No item of the list. The text helps the player.
    Unknown(String),
}

/// The result of the question what to play.
pub(super) enum MenuOutcome {
    Choice(Box<StartChoice>),
    /// The page in the browser has a list of its own.
    Page,
    Left {
        interrupted: bool,
    },
}

/// Asks what to play.
pub(super) async fn ask(
    settings: &CliSettings,
    lines: &LineSource,
    interrupts: &Interrupts,
    err: &mut Out,
) -> Result<MenuOutcome, TurnError> {
    let items = items(settings);
    Out::stdout(settings.terminal.look).write(&menu_text(&items));
    let mut wanted = PROMPT;
    loop {
        let line = match next(lines, interrupts, wanted).await? {
            Ok(line) => line,
            Err(interrupted) => return Ok(MenuOutcome::Left { interrupted }),
        };
        let picked = match wanted == PROMPT {
            true => pick(&line, &items),
            false => premise_of(&line),
        };
        let choice = match picked {
            Pick::Leave => return Ok(MenuOutcome::Left { interrupted: false }),
            Pick::Unknown(why) => {
                note(err, Tone::Hint, "hint", &why);
                continue;
            }
            Pick::Item(at) if items[at] == MenuItem::OwnPremise => {
                wanted = PREMISE_PROMPT;
                continue;
            }
            Pick::Item(at) if items[at] == MenuItem::Page => return Ok(MenuOutcome::Page),
            Pick::Item(at) => choice_of(&items[at], settings)?,
            Pick::Premise(premise) => new_story(settings, &name_of(&premise), None, premise)?,
        };
        return Ok(MenuOutcome::Choice(Box::new(choice)));
    }
}

/// Reads a line. Returns an error if the player leaves: true if they interrupted.
async fn next(
    lines: &LineSource,
    interrupts: &Interrupts,
    prompt: &str,
) -> Result<Result<String, bool>, TurnError> {
    let leave = interrupts.exit_token();
    let line = tokio::select! {
        biased;
        () = leave.cancelled() => None,
        line = lines.next(LinePurpose::Answer(prompt)) => Some(line),
    };
    let Some(line) = line else {
        lines.cancel_request().await;
        return Ok(Err(true));
    };
    let failed = |why: io::Error| CliError::Terminal { action: "read a line", why };
    Ok(match line.map_err(failed)? {
        LineInput::Sentence(line) => Ok(line),
        // This picks nothing, so the menu asks again.
        LineInput::Bad { .. } => Ok("?".to_owned()),
        LineInput::Interrupted { .. } => Err(true),
        LineInput::End => Err(false),
    })
}

fn items(settings: &CliSettings) -> Vec<MenuItem> {
    let mut items: Vec<MenuItem> = last_story(settings).into_iter().collect();
    items.extend(source::all(settings).into_iter().map(MenuItem::Campaign));
    items.extend([MenuItem::OwnPremise, MenuItem::Surprise]);
    items.extend(browser::is_there().then_some(MenuItem::Page));
    items
}

fn last_story(settings: &CliSettings) -> Option<MenuItem> {
    let stories = narratoria_story::list(&settings.home().ok()?.stories()).ok()?.stories;
    let played = stories.into_iter().filter_map(|story| {
        let summary = story.summary.ok().filter(|found| found.turns > 0)?;
        Some((summary.updated_at, story.name, summary.turns, summary.title))
    });
    let (_, story, turns, title) = played.max()?;
    Some(MenuItem::GoOn { story, title, turns })
}

fn menu_text(items: &[MenuItem]) -> String {
    let wide = items.len().to_string().len();
    let mut text = "What would you like to play?\n".to_owned();
    for (at, item) in items.iter().enumerate() {
        text += &format!("  {:>wide$}  {}\n", at + 1, visible_line(&item_text(item)));
    }
    text + "Enter takes the first one.\n"
}

fn item_text(item: &MenuItem) -> String {
    match item {
        MenuItem::GoOn { story, title, turns } => {
            let turns = if *turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
            match title {
                Some(title) => format!("go on with {title} (`{story}`, {turns})"),
                None => format!("go on with `{story}` ({turns})"),
            }
        }
        MenuItem::Campaign(campaign) => {
            let card = campaign.card();
            let genre = card.genre.clone().unwrap_or_default();
            let facts = [genre, playtime(&card)];
            let facts: Vec<&str> =
                facts.iter().map(String::as_str).filter(|fact| !fact.is_empty()).collect();
            let facts = match facts.is_empty() {
                true => String::new(),
                false => format!(" ({})", facts.join(", ")),
            };
            let about = card.description.map(|text| format!(": {text}")).unwrap_or_default();
            format!("{}{facts}{}", card.title, clip(&about, DESCRIPTION_CHARS_MAX))
        }
        MenuItem::OwnPremise => "a story of your own: you say what it is about".to_owned(),
        MenuItem::Surprise => "a surprise".to_owned(),
        MenuItem::Page => "all of this in the browser, as a page".to_owned(),
    }
}

/// The meaning of a line.
fn pick(line: &str, items: &[MenuItem]) -> Pick {
    let line = line.trim();
    let last = items.len();
    match line.to_lowercase().as_str() {
        "" => return Pick::Item(0),
        "q" | "quit" | "/quit" | "exit" => return Pick::Leave,
        "?" | "help" | "/help" => {
            let why =
                "type a number of the list, or in your own words what a story should be about";
            return Pick::Unknown(why.to_owned());
        }
        _ => {}
    }
    if line.bytes().all(|byte| byte.is_ascii_digit()) {
        return match line.parse::<usize>().ok().filter(|number| (1..=last).contains(number)) {
            Some(number) => Pick::Item(number - 1),
            None => Pick::Unknown(format!("the numbers go from 1 to {last}")),
        };
    }
    let is_named = |item: &MenuItem| match item {
        MenuItem::GoOn { story, .. } => story.as_str().eq_ignore_ascii_case(line),
        MenuItem::Campaign(campaign) => {
            campaign.name.eq_ignore_ascii_case(line)
                || campaign.card().title.to_lowercase() == line.to_lowercase()
        }
        MenuItem::OwnPremise => false,
        MenuItem::Page => line.eq_ignore_ascii_case("page"),
        MenuItem::Surprise => line.eq_ignore_ascii_case("surprise"),
    };
    match items.iter().position(is_named) {
        Some(at) => Pick::Item(at),
        None => premise_of(line),
    }
}

fn premise_of(line: &str) -> Pick {
    match Premise::parse(line) {
        Ok(premise) => Pick::Premise(premise),
        Err(why) => Pick::Unknown(why.to_string()),
    }
}

fn choice_of(item: &MenuItem, settings: &CliSettings) -> Result<StartChoice, TurnError> {
    match item {
        MenuItem::GoOn { story, .. } => Ok(StartChoice {
            story: story.clone(),
            campaign: None,
            insists_on_campaign: false,
            premise: Premise::Unsaid,
        }),
        MenuItem::Campaign(campaign) => {
            new_story(settings, &campaign.name, Some(campaign.clone()), Premise::Unsaid)
        }
        MenuItem::OwnPremise | MenuItem::Surprise | MenuItem::Page => {
            new_story(settings, "story", None, Premise::Unsaid)
        }
    }
}

fn new_story(
    settings: &CliSettings,
    name: &str,
    campaign: Option<FoundCampaign>,
    premise: Premise,
) -> Result<StartChoice, TurnError> {
    let story = setup::story_name(&free_story_name(settings, name)?)?;
    Ok(StartChoice { story, campaign, insists_on_campaign: true, premise })
}

/// Returns the name of a story with this premise: its first words that mean something.
pub(super) fn name_of(premise: &Premise) -> String {
    const SMALL: [&str; 12] =
        ["a", "an", "the", "of", "in", "on", "and", "who", "with", "to", "is", "has"];
    let Premise::Text(text) = premise else { return "story".to_owned() };
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && !SMALL.contains(word));
    let name: String = words.take(NAME_WORDS_MAX).collect::<Vec<_>>().join("-");
    let name: String = name.chars().take(40).collect();
    match name.trim_end_matches('-') {
        "" => "story".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::source::CampaignPlace;

    fn items() -> Vec<MenuItem> {
        let story = StoryName::parse("mill").unwrap();
        let campaign = FoundCampaign {
            name: "last-reading".to_owned(),
            place: CampaignPlace::Folder("/nowhere".into()),
        };
        vec![
            MenuItem::GoOn { story, title: None, turns: 3 },
            MenuItem::Campaign(campaign),
            MenuItem::OwnPremise,
            MenuItem::Surprise,
        ]
    }

    #[test]
    fn a_menu_is_a_list_with_numbers() {
        insta::assert_snapshot!(menu_text(&items()), @"
        What would you like to play?
          1  go on with `mill` (3 turns)
          2  last-reading
          3  a story of your own: you say what it is about
          4  a surprise
        Enter takes the first one.
        ");
    }

    #[test]
    fn a_story_goes_on_under_the_title_of_its_campaign() {
        let story = StoryName::parse("ferry-2").unwrap();
        let title = Some("The Ferry House".to_owned());
        let item = MenuItem::GoOn { story, title, turns: 1 };
        assert_eq!(item_text(&item), "go on with The Ferry House (`ferry-2`, 1 turn)");
    }

    #[test]
    fn a_line_is_a_number_a_name_or_a_premise() {
        let check = |line: &str, expect: Pick| assert_eq!(pick(line, &items()), expect, "{line}");
        check("", Pick::Item(0));
        check(" 2 ", Pick::Item(1));
        check("Last-Reading", Pick::Item(1));
        check("surprise", Pick::Item(3));
        check("quit", Pick::Leave);
        check("5", Pick::Unknown("the numbers go from 1 to 4".to_owned()));
        check("0", Pick::Unknown("the numbers go from 1 to 4".to_owned()));
        check("a mill", Pick::Premise(Premise::Text("a mill".to_owned())));
        assert!(matches!(pick("...", &items()), Pick::Unknown(_)));
        assert!(matches!(pick("?", &items()), Pick::Unknown(_)));
    }

    #[test]
    fn a_story_is_named_after_its_premise() {
        let name = |text: &str| name_of(&Premise::Text(text.to_owned()));
        assert_eq!(name("a lighthouse keeper who has not slept"), "lighthouse-keeper-not");
        assert_eq!(name("Die Mühle"), "die-m-hle");
        assert_eq!(name("日本"), "story");
        assert_eq!(name_of(&Premise::NoWorld), "story");
    }
}
