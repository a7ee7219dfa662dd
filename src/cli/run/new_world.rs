//! The first turn of a new story: a campaign or a premise becomes a world. The first screen teaches by example.

use narratoria_narrator::{campaign_opening_plan, opening_plan};
use narratoria_protocol::{
    CampaignStart, PLOT_DOCUMENT,
    visible::{clip, visible_line},
};
use serde_json::Value;

use super::{LoopStep, play_session::PlaySession};
use crate::{
    cli::{exit::Exit, premise::Premise},
    ui::{Tone, note},
};

/// Examples that the first screen teaches.
const EXAMPLES_SHOWN: usize = 3;

/// Characters of an example.
const EXAMPLE_CHARS_MAX: usize = 80;

/// Premises for players who name none; the story's seed chooses.
const PREMISES: [&str; 16] = [
    "a lighthouse keeper who has not slept for nine days",
    "a village where every clock stopped at the same minute",
    "an inn at the crossroads whose owner is missing",
    "a monastery in the mountains and the bell that rings by itself",
    "a harbour town that waits for a ship with black sails",
    "a mill whose wheel turns although nobody has worked there for years",
    "an old library that closes at six and the reader who stayed inside",
    "a walled garden and the brass key that fits nothing in it",
    "a salt mine that was closed after one night",
    "a travelling circus that has lost its strong man",
    "a small castle whose lord hears someone in the walls",
    "a ferry that has stopped crossing the river",
    "a snowed-in mountain hut and one guest too many",
    "a caravan camp before the gate of a buried city",
    "an island where the dogs are afraid of the well",
    "a market town on the evening before the hanging",
];

/// The premise of the story with this seed.
fn premise_of_seed(seed: u64) -> &'static str {
    let idx = seed % PREMISES.len() as u64;
    PREMISES[usize::try_from(idx).unwrap_or(0)]
}

/// What a new story with this seed is about; none if it has no world.
pub(super) fn premise_to_tell(
    premise: &Premise,
    seed: u64,
    is_interactive: bool,
) -> Option<String> {
    match premise {
        Premise::Text(text) => Some(text.clone()),
        Premise::NoWorld => None,
        Premise::Unsaid => is_interactive.then(|| premise_of_seed(seed).to_owned()),
    }
}

/// What a story still has to begin with.
enum Beginning {
    /// The title of its campaign.
    Campaign(String),
    Premise(String),
}

/// Beginnings of sentences of a kind: to speak with somebody, to handle something, to go somewhere.
const KINDS_OF_EXAMPLES: [&[&str]; 3] =
    [&["talk ", "ask ", "give "], &["take ", "read ", "open ", "light ", "search "], &["go "]];

/// One sentence of each kind, then the others.
fn first_of_each_kind(possible: &[&str]) -> Vec<String> {
    let is_of = |one: &str, starts: &[&str]| {
        let one = one.to_lowercase();
        starts.iter().any(|start| one.starts_with(start))
    };
    let firsts = KINDS_OF_EXAMPLES
        .iter()
        .filter_map(|starts| possible.iter().position(|one| is_of(one, starts)));
    let mut order: Vec<usize> = firsts.collect();
    let rest: Vec<usize> = (0..possible.len()).filter(|n| !order.contains(n)).collect();
    order.extend(rest);
    order.into_iter().map(|n| possible[n].to_owned()).collect()
}

impl PlaySession {
    /// What the story still has to begin with; none in a story that goes on, and where it has no world.
    fn beginning(&self) -> Option<Beginning> {
        let story = self.session.story();
        if let Ok(Some(heading)) = story.campaign_heading() {
            return (!self.has_campaign_world()).then_some(Beginning::Campaign(heading.title));
        }
        if !story.recent_turns(1).is_ok_and(|turns| turns.is_empty()) {
            return None;
        }
        premise_to_tell(&self.premise, story.seed(), self.is_interactive).map(Beginning::Premise)
    }

    /// Returns true if a world is to be made before the first sentence.
    pub(super) fn begins_with_world(&self) -> bool {
        self.beginning().is_some()
    }

    /// Returns true if the story has a campaign and its world is not there: the beginning failed or was taken back.
    pub(super) fn is_without_campaign_world(&self) -> bool {
        matches!(self.beginning(), Some(Beginning::Campaign(_)))
    }

    /// Returns true if the world of the story is that of its campaign.
    fn has_campaign_world(&self) -> bool {
        let world = self.session.story().state().as_object().get("world");
        world.is_some_and(|world| world["campaign"] == true)
    }

    /// Without its world nothing of a campaign is true, so play ends.
    fn refuse_campaign(&mut self, title: &str) -> LoopStep {
        let text = format!(
            "the campaign `{title}` could not begin its world; the next `run` of this story tries again, and `story why` \
             tells what failed"
        );
        note(&mut self.err, Tone::Error, "error", &text);
        self.exit = Exit::Failed;
        LoopStep::Exit
    }

    /// Plays the opening turn of a new story, if it begins with a world.
    pub(super) async fn begin_world(&mut self) -> LoopStep {
        let Some(beginning) = self.beginning() else { return LoopStep::Continue };
        if !self.await_all_skills().await {
            return LoopStep::Exit;
        }
        let (plan, prompt) = match &beginning {
            Beginning::Campaign(title) => {
                (campaign_opening_plan(self.session.catalog(), title), title)
            }
            Beginning::Premise(premise) => (opening_plan(self.session.catalog(), premise), premise),
        };
        self.opening_plan = plan;
        if self.opening_plan.is_none() {
            if let Beginning::Campaign(title) = &beginning {
                return self.refuse_campaign(title);
            }
            if matches!(self.premise, Premise::Text(_)) {
                let text = "no skill in play can make a world, so the story begins without one";
                note(&mut self.err, Tone::Warning, "warning", text);
            }
            if self.is_interactive {
                let scene = self.recap(1);
                self.screen.lock().say(&scene);
            }
            return LoopStep::Continue;
        }
        let step = self.play(Some(prompt)).await;
        if let Beginning::Campaign(title) = &beginning
            && step == LoopStep::Continue
            && !self.has_campaign_world()
        {
            return self.refuse_campaign(title);
        }
        if step == LoopStep::Continue && self.is_interactive {
            self.teach();
        }
        step
    }

    /// Teaches by example, on the first screen of a story.
    fn teach(&mut self) {
        let story = self.session.story();
        let start = story.campaign().ok().flatten();
        let start = start.and_then(|it| it.read::<CampaignStart>(PLOT_DOCUMENT).ok()?);
        let mut examples = start.map(|start| start.first.examples).unwrap_or_default();
        if examples.is_empty() {
            let possible = story.state().as_object().get("world");
            let possible = possible.and_then(|world| world.pointer("/scope/possible"));
            let possible = possible.and_then(Value::as_array).into_iter().flatten();
            let possible: Vec<&str> = possible.filter_map(|one| one["sentence"].as_str()).collect();
            examples = first_of_each_kind(&possible);
        }
        if examples.is_empty() {
            return;
        }
        let mut text = "You might type:\n".to_owned();
        for example in examples.iter().take(EXAMPLES_SHOWN) {
            text += &format!("  {}\n", visible_line(&clip(example, EXAMPLE_CHARS_MAX)));
        }
        text += "`hint` helps when you are stuck, `help` lists the commands.\n\n";
        self.screen.lock().say(&text);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{PREMISES, first_of_each_kind, premise_of_seed};
    use crate::cli::premise::Premise;

    #[test]
    fn a_seed_has_its_premise_and_every_premise_has_seeds() {
        let premises: BTreeSet<&str> = (0..100).chain([u64::MAX]).map(premise_of_seed).collect();
        assert_eq!(premises.len(), PREMISES.len());
        for premise in PREMISES {
            assert_eq!(Premise::parse(premise), Ok(Premise::Text(premise.to_owned())));
        }
    }

    #[test]
    fn the_first_screen_has_somebody_something_and_somewhere() {
        let possible = [
            "light the lamp",
            "search the bench",
            "talk to the woman",
            "go east to the gate",
            "wait",
        ];
        let examples = first_of_each_kind(&possible).join(", ");
        let expected =
            "talk to the woman, light the lamp, go east to the gate, search the bench, wait";
        assert_eq!(examples, expected);
        assert_eq!(first_of_each_kind(&["wait"]), ["wait"]);
        assert_eq!(first_of_each_kind(&[]), Vec::<String>::new());
    }
}
