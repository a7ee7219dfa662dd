//! The results of walks, for people and programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    dead_ends::{DeadEnd, dead_end_lines},
    survey::{CampaignSurvey, REPORTED_MAX},
};

/// Stands behind a count.
const TIMES: &str = "×";

/// The findings of all walks.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WalkReport {
    /// The version of this document.
    pub v: u32,
    /// The title of the campaign.
    pub title: String,
    /// Walks that were made.
    pub walks: usize,
    /// Walks for which there was no time.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// The longest walk, in turns.
    pub turns: usize,
    /// The seed of all of them.
    pub seed: u64,
    /// Turns of all walks together.
    pub turns_played: u64,
    /// Storylets of the campaign.
    pub storylets: usize,
    /// The storylets that never fired.
    pub never_fired: Vec<NeverFired>,
    /// All endings.
    pub endings: Vec<EndingWalks>,
    /// Walks that could not leave a place.
    pub stuck: Vec<StuckWalk>,
    /// Walks that came to a moment from which no ending can be reached.
    pub dead_ends: Vec<DeadEnd>,
    /// Topics that no person ever answered, without those that are meant to be rare.
    pub unanswered: Vec<UnansweredTopic>,
    /// Authored texts that came twice within twenty turns, with how often.
    pub repeated: Vec<(String, u32)>,
    /// All places with the turns that walks spent there.
    pub places: Vec<PlaceVisits>,
    /// The findings that need no walk.
    pub survey: CampaignSurvey,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A storylet that never fired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NeverFired {
    /// Its id.
    pub id: String,
    /// Its deck.
    pub deck: String,
    /// The conditions that failed first, the most frequent first, with how often.
    pub failed: Vec<(String, u32)>,
}

/// An ending and the walks that reached it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndingWalks {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How many walks.
    pub walks: usize,
    /// The fewest turns that it took.
    pub turns_least: Option<u64>,
    /// The turns of the walk in the middle.
    pub turns_middle: Option<u64>,
    /// The most turns.
    pub turns_most: Option<u64>,
}

/// A walk that could not leave a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StuckWalk {
    /// The seed of the walk.
    pub seed: u64,
    /// The place.
    pub place: String,
    /// The turn in which that was certain.
    pub turn: u64,
}

/// A topic that was never answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnansweredTopic {
    /// The person who knows it.
    pub person: String,
    /// The topic.
    pub topic: String,
    /// Its condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// A place and the turns that walks spent there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaceVisits {
    /// Its name.
    pub name: String,
    /// The turns.
    pub visits: u64,
}

impl WalkReport {
    /// Returns true if all walks were made and nothing was found that its author should look at.
    pub fn is_clean(&self) -> bool {
        let unreached = self.endings.iter().any(|ending| ending.walks == 0);
        let unseen = self.places.iter().any(|place| place.visits == 0);
        self.left_out == 0
            && self.never_fired.is_empty()
            && !unreached
            && !unseen
            && self.stuck.is_empty()
            && self.dead_ends.is_empty()
            && self.unanswered.is_empty()
            && self.repeated.is_empty()
            && self.survey.is_clean()
    }

    /// The report as lines for a terminal.
    pub fn render_text(&self) -> String {
        let fired = self.storylets - self.never_fired.len();
        let mut text = format!(
            "{} walks of up to {} turns (seed {}): {} of {} storylets fired, {} turns in all\n",
            self.walks, self.turns, self.seed, fired, self.storylets, self.turns_played
        );
        let left_out = (self.left_out > 0).then(|| {
            let walks = self.walks + self.left_out;
            format!(
                "the time budget is spent, and {} of {walks} walks were left out; `narratoria campaign check --time-budget SECONDS` gives it more",
                self.left_out
            )
        });
        section(&mut text, "not complete", left_out.into_iter());
        section(&mut text, "endings", self.endings.iter().map(ending_line));
        section(&mut text, "storylets that never fired", self.never_fired.iter().map(never_line));
        let unseen = self.places.iter().filter(|place| place.visits == 0);
        section(&mut text, "places that no walk has seen", unseen.map(|place| place.name.clone()));
        section(&mut text, "places that a walk could not leave", stuck_lines(&self.stuck));
        let dead_ends = dead_end_lines(&self.dead_ends).into_iter();
        section(&mut text, "dead ends: no ending can be reached after", dead_ends);
        let topics = self.unanswered.iter().map(|one| match &one.when {
            Some(when) => format!("{}: {} (when {when})", one.person, one.topic),
            None => format!("{}: {}", one.person, one.topic),
        });
        section(&mut text, &meant("topics that were never answered", "rare"), topics);
        let repeated = self.repeated.iter().map(|(text, count)| format!("{count}{TIMES} {text}"));
        section(&mut text, &meant("texts that came twice within 20 turns", "refrain"), repeated);
        let survey = &self.survey;
        let one_way = survey.one_way.iter().cloned();
        section(&mut text, &meant("exits that do not lead back", "one_way"), one_way);
        section(&mut text, "nouns that cannot be examined", survey.unknown_nouns.iter().cloned());
        let told = survey.told_nouns.iter().cloned();
        section(&mut text, "things of storylets that are nowhere (no fault)", told);
        let doubles = survey.doubles.iter().cloned();
        section(&mut text, &meant("sentences that stand twice", "refrain"), doubles);
        section(&mut text, "names that may be spelt two ways", survey.spellings.iter().cloned());
        text
    }
}

/// A title with the field by which an author says that it is meant so.
fn meant(title: &str, field: &str) -> String {
    format!("{title} (`{field} = true` where that is meant)")
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return;
    }
    *text += &format!("\n{title}:\n");
    for line in lines.iter().take(REPORTED_MAX) {
        *text += &format!("  {line}\n");
    }
    if lines.len() > REPORTED_MAX {
        *text += &format!("  and {} more\n", lines.len() - REPORTED_MAX);
    }
}

/// A line for each place, with the walk that was stuck first.
fn stuck_lines(stuck: &[StuckWalk]) -> impl Iterator<Item = String> {
    let mut places: BTreeMap<&str, Vec<&StuckWalk>> = BTreeMap::new();
    for one in stuck {
        places.entry(&one.place).or_default().push(one);
    }
    places.into_iter().filter_map(|(place, walks)| {
        let first = walks.iter().min_by_key(|one| one.turn)?;
        let (count, turn, seed) = (walks_in_words(walks.len()), first.turn, first.seed);
        Some(format!("{place}: {count}, one from turn {turn} on (its seed is {seed})"))
    })
}

fn walks_in_words(count: usize) -> String {
    if count == 1 { "1 walk".to_owned() } else { format!("{count} walks") }
}

fn ending_line(ending: &EndingWalks) -> String {
    let EndingWalks { id, title, walks, turns_least, turns_middle, turns_most } = ending;
    match (turns_least, turns_middle, turns_most) {
        (Some(least), Some(middle), Some(most)) => format!(
            "{id} \u{201c}{title}\u{201d}: {}, after {least} to {most} turns, {middle} in the middle",
            walks_in_words(*walks)
        ),
        _ => format!("{id} \u{201c}{title}\u{201d}: never reached"),
    }
}

fn never_line(never: &NeverFired) -> String {
    let failed: Vec<String> =
        never.failed.iter().map(|(reason, count)| format!("{reason} {count}{TIMES}")).collect();
    let why = match failed.is_empty() {
        true => "never looked at: it is the `then` of no choice, or others were always nearer"
            .to_owned(),
        false => failed.join(", "),
    };
    format!("{} ({}): {why}", never.id, never.deck)
}

/// The report as one page for a browser.
#[derive(Debug)]
pub struct WalkReportPage<'r> {
    /// The findings.
    pub report: &'r WalkReport,
    /// Places with the exits that the page draws.
    pub world: &'r world_model::definition::WorldDefinition,
}
