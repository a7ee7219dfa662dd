//! What of the story's text is told while a turn still goes on, and when. Pure: hears what steps say, gives
//! what to tell.
//!
//! Invariant: what was told since the last discard is `shown`, and at the end of the turn it is the turn's
//! narration. As long as nothing contradicts it, more is only ever appended.
//!
//! # The order
//!
//! The narration is the plan's own narrative and then the texts of its steps, in plan order. So a step's
//! words are passed on as they come once all before them is certain: the plan is written to its end (its
//! narrative comes first, and only then is it known), and every earlier step is over. Until then they wait.
//! Nothing is told early for its own sake: without a step that speaks, all of it comes at the end.
//!
//! The items of a loop are told once the loop is over.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{
    Update,
    narration_text::{append, joined, output_texts},
};
use narratoria_executor::{ExecutionEvent, Outcome, StepTrace};
use narratoria_plan::Plan;

/// What was told of one turn, and what could be told next.
#[derive(Debug, Default)]
pub(super) struct NarrationStream {
    /// Since the last discard.
    shown: String,
    /// None while the plan is being written.
    plan: Option<PlanOutline>,
    /// By `toolId`; what has not begun is not there.
    steps: BTreeMap<String, StepNarration>,
}

/// A plan that is written to its end.
#[derive(Debug)]
struct PlanOutline {
    narrative: String,
    /// `toolId`s in plan order.
    order: Vec<String>,
}

/// A step's part of the narration.
#[derive(Debug)]
enum StepNarration {
    /// What its attempt has said so far.
    Streaming(String),
    /// What it came to.
    Finished { texts: Vec<String>, has_streamed: bool },
}

/// What is to be told.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NarrationUpdate {
    /// First: what was told does not count.
    discards: bool,
    /// Then: this, if it is anything.
    text: String,
}

impl NarrationUpdate {
    /// As updates of a turn, in order.
    pub(super) fn into_updates(self, turn: u64) -> impl Iterator<Item = Update> {
        let discarded = self.discards.then_some(Update::NarrationDiscarded { turn });
        let text = Some(self.text).filter(|text| !text.is_empty());
        discarded.into_iter().chain(text.map(|text| Update::NarrationDelta { turn, text }))
    }
}

impl NarrationStream {
    /// A plan is being written, and steps of it may start meanwhile.
    pub(super) fn reset(&mut self) {
        self.plan = None;
        self.steps.clear();
    }

    /// The plan is written to its end. What its steps have said counts.
    pub(super) fn set_plan(&mut self, plan: &Plan) -> NarrationUpdate {
        let order = plan.steps().iter().map(|step| step.tool_id.clone()).collect();
        self.set_order(plan.narrative().unwrap_or_default(), order)
    }

    fn set_order(&mut self, narrative: &str, order: Vec<String>) -> NarrationUpdate {
        self.plan = Some(PlanOutline { narrative: narrative.to_owned(), order });
        self.advance()
    }

    /// News of a plan.
    pub(super) fn apply(&mut self, plan: &Plan, news: &ExecutionEvent<'_>) -> NarrationUpdate {
        match *news {
            ExecutionEvent::StepStarted { step, item: None, .. } => {
                self.step_started(&plan.step(step).tool_id)
            }
            ExecutionEvent::StepNarrated { step, text, .. }
                if plan.step(step).for_each.is_none() =>
            {
                self.step_narrated(&plan.step(step).tool_id, text)
            }
            ExecutionEvent::StepReused { step, trace }
            | ExecutionEvent::StepFinished { step, trace } => {
                self.step_finished(&plan.step(step).tool_id, step_texts(trace))
            }
            _ => NarrationUpdate::default(),
        }
    }

    /// An attempt begins: what the one before it said does not count.
    fn step_started(&mut self, tool_id: &str) -> NarrationUpdate {
        self.steps.insert(tool_id.to_owned(), StepNarration::Streaming(String::new()));
        NarrationUpdate::default()
    }

    fn step_narrated(&mut self, tool_id: &str, text: &str) -> NarrationUpdate {
        match self.steps.get_mut(tool_id) {
            Some(StepNarration::Streaming(said)) => said.push_str(text),
            _ => return NarrationUpdate::default(),
        }
        self.advance()
    }

    fn step_finished(&mut self, tool_id: &str, texts: Vec<String>) -> NarrationUpdate {
        let said = self.steps.get(tool_id);
        let has_spoken =
            matches!(said, Some(StepNarration::Streaming(said)) if !said.trim().is_empty());
        self.steps.insert(
            tool_id.to_owned(),
            StepNarration::Finished { texts, has_streamed: has_spoken },
        );
        self.advance()
    }

    /// The turn is over, and this is its narration.
    pub(super) fn finish(&mut self, narration: &str) -> NarrationUpdate {
        match narration.strip_prefix(self.shown.as_str()) {
            Some(rest) => {
                let text = rest.to_owned();
                self.shown.push_str(&text);
                NarrationUpdate { discards: false, text }
            }
            None => self.restart(narration.to_owned()),
        }
    }

    fn advance(&mut self) -> NarrationUpdate {
        let Some(so_far) = self.text_so_far() else { return NarrationUpdate::default() };
        match so_far.strip_prefix(self.shown.as_str()) {
            Some(rest) => {
                let text = rest.to_owned();
                self.shown = so_far;
                NarrationUpdate { discards: false, text }
            }
            // An attempt that begins anew may well say the same.
            None if self.shown.starts_with(&so_far) => NarrationUpdate::default(),
            None => self.restart(so_far),
        }
    }

    fn restart(&mut self, text: String) -> NarrationUpdate {
        self.shown.clone_from(&text);
        NarrationUpdate { discards: true, text }
    }

    /// How the narration begins, up to the last words of a step that speaks. None when nothing need be told
    /// yet.
    fn text_so_far(&self) -> Option<String> {
        let PlanOutline { narrative, order } = self.plan.as_ref()?;
        let (mut text, mut spoken) = (joined([narrative.as_str()]), None);
        for tool_id in order {
            match self.steps.get(tool_id) {
                Some(StepNarration::Finished { texts, has_streamed: has_spoken }) => {
                    texts.iter().for_each(|part| append(&mut text, part));
                    spoken = if *has_spoken { Some(text.len()) } else { spoken };
                }
                Some(StepNarration::Streaming(said)) => {
                    append(&mut text, said);
                    spoken = if said.trim().is_empty() { spoken } else { Some(text.len()) };
                    break;
                }
                None => break,
            }
        }
        text.truncate(spoken?);
        Some(text)
    }
}

/// What a step that is over adds to the narration.
fn step_texts(trace: &StepTrace) -> Vec<String> {
    match &trace.outcome {
        Outcome::Done { output, .. } => output_texts(output).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// The teller of one turn: steps that run while a plan is written speak between its steps.
#[derive(Debug, Default)]
pub(super) struct SharedNarration(Mutex<NarrationStream>);

impl SharedNarration {
    pub(super) fn lock(&self) -> MutexGuard<'_, NarrationStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A plan that is written to its end is about to run.
    pub(super) fn start_plan(&self, plan: &Plan) -> NarrationUpdate {
        let mut teller = self.lock();
        teller.reset();
        teller.set_plan(plan)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{NarrationStream, NarrationUpdate, joined};

    /// What a player reads.
    #[derive(Default)]
    struct PlayerScreen {
        text: String,
        discards: usize,
    }

    impl PlayerScreen {
        fn show(&mut self, telling: NarrationUpdate) {
            if telling.discards {
                self.text.clear();
                self.discards += 1;
            }
            self.text += &telling.text;
        }
    }

    fn order(ids: &str) -> Vec<String> {
        ids.split_whitespace().map(str::to_owned).collect()
    }

    fn whole(text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    /// Each line is one event: `know narrative|ids`, `start id`, `say id text`, `over id text`, `begin`,
    /// `end text`. Gives what was told after each.
    fn check(events: &str) -> String {
        let mut teller = NarrationStream::default();
        let lines = events.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| {
            let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
            let (first, second) = rest.split_once(['|', ' ']).unwrap_or((rest, ""));
            let unquoted = |text: &str| text.replace("\\n", "\n").replace('_', " ");
            let telling = match verb {
                "begin" => {
                    teller.reset();
                    NarrationUpdate::default()
                }
                "know" => teller.set_order(&unquoted(first), order(second)),
                "start" => teller.step_started(first),
                "say" => teller.step_narrated(first, &unquoted(second)),
                "over" => teller.step_finished(first, whole(&unquoted(second))),
                "end" => teller.finish(&unquoted(rest)),
                verb => panic!("`{verb}` is no event"),
            };
            let sign = if telling.discards { "discard " } else { "" };
            format!("{line} -> {sign}{:?}", telling.text)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_step_that_speaks_is_heard_at_once_after_what_comes_before_it() {
        insta::assert_snapshot!(check("
            know You_kneel.|roll tell
            start roll
            over roll
            start tell
            say tell The_lock
            say tell _clicks._
            say tell Then_it_opens.
            over tell The_lock_clicks._Then_it_opens.
            end You_kneel.\\n\\nThe_lock_clicks._Then_it_opens.
        "), @r#"
        know You_kneel.|roll tell -> ""
        start roll -> ""
        over roll -> ""
        start tell -> ""
        say tell The_lock -> "You kneel.\n\nThe lock"
        say tell _clicks._ -> " clicks."
        say tell Then_it_opens. -> " Then it opens."
        over tell The_lock_clicks._Then_it_opens. -> ""
        end You_kneel.\n\nThe_lock_clicks._Then_it_opens. -> ""
        "#);
    }

    #[test]
    fn a_step_waits_for_those_before_it_and_only_one_speaks_at_a_time() {
        insta::assert_snapshot!(check("
            know |a b c
            start a
            start b
            say b Second
            say a First
            start c
            say c Third
            over b Second.
            over a First.
            end First.\\n\\nSecond.\\n\\nThird.
        "), @r#"
        know |a b c -> ""
        start a -> ""
        start b -> ""
        say b Second -> ""
        say a First -> "First"
        start c -> ""
        say c Third -> ""
        over b Second. -> ""
        over a First. -> ".\n\nSecond.\n\nThird"
        end First.\n\nSecond.\n\nThird. -> "."
        "#);
    }

    #[test]
    fn while_the_plan_is_written_nothing_is_told_and_then_all_that_was_said() {
        insta::assert_snapshot!(check("
            begin
            start tell
            say tell The_lock
            know You_kneel.|tell
            say tell _clicks
            end You_kneel.\\n\\nThe_lock_clicks.
        "), @r#"
        begin -> ""
        start tell -> ""
        say tell The_lock -> ""
        know You_kneel.|tell -> "You kneel.\n\nThe lock"
        say tell _clicks -> " clicks"
        end You_kneel.\n\nThe_lock_clicks. -> "."
        "#);
    }

    #[test]
    fn an_attempt_that_says_the_same_again_is_not_told_twice() {
        insta::assert_snapshot!(check("
            know |a
            start a
            say a You_open
            start a
            say a You
            say a _open_the_door.
            start a
            say a No.
            end No.
        "), @r#"
        know |a -> ""
        start a -> ""
        say a You_open -> "You open"
        start a -> ""
        say a You -> ""
        say a _open_the_door. -> " the door."
        start a -> ""
        say a No. -> discard "No."
        end No. -> ""
        "#);
    }

    #[test]
    fn a_turn_that_ends_otherwise_takes_back_what_was_told() {
        insta::assert_snapshot!(check("
            know |a
            start a
            say a You_open
            over a
            end Nothing_happens.
            begin
            end
        "), @r#"
        know |a -> ""
        start a -> ""
        say a You_open -> "You open"
        over a -> ""
        end Nothing_happens. -> discard "Nothing happens."
        begin -> ""
        end -> discard ""
        "#);
    }

    #[derive(Debug, Clone)]
    enum StreamEvent {
        Reset,
        SetPlan(String, Vec<usize>),
        StepStarted(usize),
        StepNarrated(usize, String),
        StepFinished(usize, Vec<String>),
    }

    const STEPS: usize = 4;

    fn words() -> impl Strategy<Value = String> {
        "[aé \n]{0,6}"
    }

    fn event() -> impl Strategy<Value = StreamEvent> {
        prop_oneof![
            1 => Just(StreamEvent::Reset),
            3 => (words(), Just((0..STEPS).collect::<Vec<_>>()).prop_shuffle())
                .prop_map(|(narrative, order)| StreamEvent::SetPlan(narrative, order)),
            4 => (0..STEPS).prop_map(StreamEvent::StepStarted),
            9 => (0..STEPS, words()).prop_map(|(step, text)| StreamEvent::StepNarrated(step, text)),
            4 => (0..STEPS, prop::collection::vec(words(), 0..3))
                .prop_map(|(step, texts)| StreamEvent::StepFinished(step, texts)),
        ]
    }

    fn play(teller: &mut NarrationStream, event: StreamEvent) -> NarrationUpdate {
        let id = |step: usize| format!("s{step}");
        match event {
            StreamEvent::Reset => {
                teller.reset();
                NarrationUpdate::default()
            }
            StreamEvent::SetPlan(narrative, order) => {
                teller.set_order(&narrative, order.into_iter().map(id).collect())
            }
            StreamEvent::StepStarted(step) => teller.step_started(&id(step)),
            StreamEvent::StepNarrated(step, text) => teller.step_narrated(&id(step), &text),
            StreamEvent::StepFinished(step, texts) => teller.step_finished(&id(step), texts),
        }
    }

    proptest! {
        /// The invariant: whatever happens, what was told since the last discard is the narration.
        #[test]
        fn what_was_told_is_the_narration(
            events in prop::collection::vec(event(), 0..40), narration in "[aé \n]{0,12}",
        ) {
            let (mut teller, mut screen) = (NarrationStream::default(), PlayerScreen::default());
            for event in events {
                screen.show(play(&mut teller, event));
                prop_assert_eq!(&screen.text, &teller.shown);
            }
            screen.show(teller.finish(&narration));
            prop_assert_eq!(screen.text, narration);
        }

        /// Where every step ends with what it said, in whatever order, nothing is ever taken back.
        #[test]
        fn what_comes_true_is_never_taken_back(
            narrative in words(),
            said in prop::collection::vec(prop::collection::vec(words(), 0..4), STEPS),
            turns in prop::collection::vec(0..STEPS, 0..40),
            known_at in 0usize..40,
        ) {
            let (mut teller, mut screen) = (NarrationStream::default(), PlayerScreen::default());
            let order: Vec<String> = (0..STEPS).map(|step| format!("s{step}")).collect();
            let mut next = [0; STEPS];
            let everybody = (0..STEPS).flat_map(|step| [step; 6]);
            for (at, step) in turns.into_iter().chain(everybody).enumerate() {
                if at == known_at.min(STEPS * 6 - 1) {
                    screen.show(teller.set_order(&narrative, order.clone()));
                }
                let (id, pieces) = (&order[step], &said[step]);
                screen.show(match next[step] {
                    0 => teller.step_started(id),
                    n if n <= pieces.len() => teller.step_narrated(id, &pieces[n - 1]),
                    n if n == pieces.len() + 1 => teller.step_finished(id, vec![pieces.concat()]),
                    _ => NarrationUpdate::default(),
                });
                next[step] += 1;
            }
            let texts: Vec<String> = said.iter().map(|pieces| pieces.concat()).collect();
            let parts = [narrative.as_str()].into_iter().chain(texts.iter().map(String::as_str));
            let narration = joined(parts);
            screen.show(teller.finish(&narration));
            prop_assert_eq!((screen.text, screen.discards), (narration, 0));
        }
    }
}
