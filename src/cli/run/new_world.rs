//! The first turn of a new story: a campaign or a premise becomes a world. The first screen teaches by example.

use narratoria_narrator::{campaign_opening_plan, opening_plan};
use narratoria_protocol::visible::{clip, visible_line};
use serde_json::Value;

use super::{LoopStep, play_session::PlaySession, premises::premise_to_tell};
use crate::{exit::Exit, premise::Premise};
use narratoria_ui::{Tone, note};

/// Examples that the first screen teaches.
const EXAMPLES_SHOWN: usize = 3;

/// Most characters of an example.
const EXAMPLE_CHARS_MAX: usize = 80;

/// The campaign or the premise that a new story begins with.
enum Beginning {
    /// The title of its campaign.
    Campaign(String),
    Premise(String),
}

/// Beginnings of sentences of three kinds: to speak with a character, to handle a thing, to go to a place.
const KINDS_OF_EXAMPLES: [&[&str]; 3] =
    [&["talk ", "ask ", "give "], &["take ", "read ", "open ", "light ", "search "], &["go "]];

/// Returns one sentence of each kind, then the others.
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
    /// Returns the campaign or premise that the story still has to begin with; `None` if it has begun or has no world.
    fn beginning(&self) -> Option<Beginning> {
        let story = self.session.story();
        if let Ok(Some(heading)) = story.campaign_heading() {
            return (!self.has_campaign_world()).then_some(Beginning::Campaign(heading.title));
        }
        if !story.recent_turns(1).is_ok_and(|turns| turns.is_empty()) {
            return None;
        }
        premise_to_tell(&self.premise, story.seed(), self.is_interactive || self.is_page)
            .map(Beginning::Premise)
    }

    /// Returns true if a world must be made before the first sentence.
    pub(super) fn begins_with_world(&self) -> bool {
        self.beginning().is_some()
    }

    /// Returns true if the story has a campaign but not its world, because the beginning failed or was taken back.
    pub(super) fn is_without_campaign_world(&self) -> bool {
        matches!(self.beginning(), Some(Beginning::Campaign(_)))
    }

    /// Returns true if the world of the story is that of its campaign.
    fn has_campaign_world(&self) -> bool {
        let world = self.session.story().state().as_object().get("world");
        world.is_some_and(|world| world["campaign"] == true)
    }

    /// Ends play, because nothing in a campaign holds without its world.
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

    /// Shows examples of sentences on the first screen of a story.
    fn teach(&mut self) {
        let story = self.session.story();
        let start = story.campaign().ok().flatten();
        let start = start.and_then(|it| it.start().ok());
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
    use super::first_of_each_kind;

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
