//! Streams the narration while the turn still runs: takes the events of steps and decides which text the player
//! can read already. Pure.
//!
//! Invariant: the text sent since the last discard is `shown`, and at the end of the turn it is the turn's
//! narration. Text is only appended, unless an event contradicts what was sent.
//!
//! # The order
//!
//! The narration is the plan's own narrative and then the texts of its steps, in plan order. A step's text is
//! sent as it comes if everything before it is certain: the plan is complete (its narrative comes first, and is
//! known only then) and every earlier step has ended. Until then the text waits. A plan without a step that
//! streams sends all its text at the end.
//!
//! The items of a loop are sent when the loop has ended.

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

/// The text of one turn: sent already, or waiting.
#[derive(Debug, Default)]
pub(super) struct NarrationStream {
    /// The text that was sent since the last discard.
    shown: String,
    /// `None` while the plan is being written.
    plan: Option<PlanOutline>,
    /// By `toolId`; without steps that have not started.
    steps: BTreeMap<String, StepNarration>,
}

/// The parts of a complete plan that the narration needs.
#[derive(Debug)]
struct PlanOutline {
    narrative: String,
    /// `toolId`s in plan order.
    order: Vec<String>,
}

/// A step's part of the narration.
#[derive(Debug)]
enum StepNarration {
    /// The text of the running attempt so far.
    Streaming(String),
    /// The texts of the step's result.
    Finished { texts: Vec<String>, has_streamed: bool },
}

/// The next piece of the narration.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NarrationUpdate {
    /// True if the text that was sent before is void.
    discards: bool,
    /// Text to append after that; may be empty.
    text: String,
}

impl NarrationUpdate {
    pub(super) fn into_updates(self, turn: u64) -> impl Iterator<Item = Update> {
        let discarded = self.discards.then_some(Update::NarrationDiscarded { turn });
        let text = Some(self.text).filter(|text| !text.is_empty());
        discarded.into_iter().chain(text.map(|text| Update::NarrationDelta { turn, text }))
    }
}

impl NarrationStream {
    /// Starts again for another plan that is being written. Steps of it may start meanwhile.
    pub(super) fn reset(&mut self) {
        self.plan = None;
        self.steps.clear();
    }

    /// Sets the complete plan. The text that its steps have already streamed counts.
    pub(super) fn set_plan(&mut self, plan: &Plan) -> NarrationUpdate {
        let order = plan.steps().iter().map(|step| step.tool_id.clone()).collect();
        self.set_order(plan.narrative().unwrap_or_default(), order)
    }

    fn set_order(&mut self, narrative: &str, order: Vec<String>) -> NarrationUpdate {
        self.plan = Some(PlanOutline { narrative: narrative.to_owned(), order });
        self.advance()
    }

    pub(super) fn apply(&mut self, plan: &Plan, event: &ExecutionEvent<'_>) -> NarrationUpdate {
        match *event {
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

    /// Starts an attempt, and drops the text of the attempt before it.
    fn step_started(&mut self, tool_id: &str) -> NarrationUpdate {
        self.steps.insert(tool_id.to_owned(), StepNarration::Streaming(String::new()));
        NarrationUpdate::default()
    }

    fn step_narrated(&mut self, tool_id: &str, text: &str) -> NarrationUpdate {
        match self.steps.get_mut(tool_id) {
            Some(StepNarration::Streaming(streamed)) => streamed.push_str(text),
            _ => return NarrationUpdate::default(),
        }
        self.advance()
    }

    fn step_finished(&mut self, tool_id: &str, texts: Vec<String>) -> NarrationUpdate {
        let has_streamed = match self.steps.get(tool_id) {
            Some(StepNarration::Streaming(streamed)) => !streamed.trim().is_empty(),
            _ => false,
        };
        self.steps.insert(tool_id.to_owned(), StepNarration::Finished { texts, has_streamed });
        self.advance()
    }

    /// Ends the stream with the narration of the turn.
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
            // An attempt that starts again may stream the same text again.
            None if self.shown.starts_with(&so_far) => NarrationUpdate::default(),
            None => self.restart(so_far),
        }
    }

    fn restart(&mut self, text: String) -> NarrationUpdate {
        self.shown.clone_from(&text);
        NarrationUpdate { discards: true, text }
    }

    /// Returns the narration up to the last text of a step that streams; `None` if nothing needs to be sent yet.
    fn text_so_far(&self) -> Option<String> {
        let PlanOutline { narrative, order } = self.plan.as_ref()?;
        let (mut text, mut streamed_end) = (joined([narrative.as_str()]), None);
        for tool_id in order {
            match self.steps.get(tool_id) {
                Some(StepNarration::Finished { texts, has_streamed }) => {
                    texts.iter().for_each(|part| append(&mut text, part));
                    if *has_streamed {
                        streamed_end = Some(text.len());
                    }
                }
                Some(StepNarration::Streaming(streamed)) => {
                    append(&mut text, streamed);
                    if !streamed.trim().is_empty() {
                        streamed_end = Some(text.len());
                    }
                    break;
                }
                None => break,
            }
        }
        text.truncate(streamed_end?);
        Some(text)
    }
}

/// The texts that a finished step adds to the narration.
fn step_texts(trace: &StepTrace) -> Vec<String> {
    match &trace.outcome {
        Outcome::Done { output, .. } => output_texts(output).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// The stream of one turn, shared by the steps that run while the plan is being written.
#[derive(Debug, Default)]
pub(super) struct SharedNarration(Mutex<NarrationStream>);

impl SharedNarration {
    pub(super) fn lock(&self) -> MutexGuard<'_, NarrationStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prepares for a complete plan that is about to run.
    pub(super) fn start_plan(&self, plan: &Plan) -> NarrationUpdate {
        let mut stream = self.lock();
        stream.reset();
        stream.set_plan(plan)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{NarrationStream, NarrationUpdate, joined};

    /// The text as a player sees it.
    #[derive(Default)]
    struct PlayerScreen {
        text: String,
        discards: usize,
    }

    impl PlayerScreen {
        fn show(&mut self, update: NarrationUpdate) {
            if update.discards {
                self.text.clear();
                self.discards += 1;
            }
            self.text += &update.text;
        }
    }

    fn order(ids: &str) -> Vec<String> {
        ids.split_whitespace().map(str::to_owned).collect()
    }

    fn whole(text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    /// Each line is one event: `know narrative|ids`, `start id`, `say id text`, `over id text`, `begin`,
    /// `end text`. Returns the update after each.
    fn check(events: &str) -> String {
        let mut stream = NarrationStream::default();
        let lines = events.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| {
            let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
            let (first, second) = rest.split_once(['|', ' ']).unwrap_or((rest, ""));
            let unquoted = |text: &str| text.replace("\\n", "\n").replace('_', " ");
            let update = match verb {
                "begin" => {
                    stream.reset();
                    NarrationUpdate::default()
                }
                "know" => stream.set_order(&unquoted(first), order(second)),
                "start" => stream.step_started(first),
                "say" => stream.step_narrated(first, &unquoted(second)),
                "over" => stream.step_finished(first, whole(&unquoted(second))),
                "end" => stream.finish(&unquoted(rest)),
                verb => panic!("`{verb}` is no event"),
            };
            let sign = if update.discards { "discard " } else { "" };
            format!("{line} -> {sign}{:?}", update.text)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_step_streams_as_soon_as_everything_before_it_is_certain() {
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
    fn a_step_waits_for_the_steps_before_it_and_only_one_streams_at_a_time() {
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
    fn text_waits_until_the_plan_is_complete() {
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
    fn a_retry_that_streams_the_same_text_is_not_sent_twice() {
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
    fn a_turn_that_ends_differently_discards_the_text() {
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

    fn play(stream: &mut NarrationStream, event: StreamEvent) -> NarrationUpdate {
        let id = |step: usize| format!("s{step}");
        match event {
            StreamEvent::Reset => {
                stream.reset();
                NarrationUpdate::default()
            }
            StreamEvent::SetPlan(narrative, order) => {
                stream.set_order(&narrative, order.into_iter().map(id).collect())
            }
            StreamEvent::StepStarted(step) => stream.step_started(&id(step)),
            StreamEvent::StepNarrated(step, text) => stream.step_narrated(&id(step), &text),
            StreamEvent::StepFinished(step, texts) => stream.step_finished(&id(step), texts),
        }
    }

    proptest! {
        /// The invariant: the text since the last discard is the narration, whatever happens.
        #[test]
        fn the_text_since_the_last_discard_is_the_narration(
            events in prop::collection::vec(event(), 0..40), narration in "[aé \n]{0,12}",
        ) {
            let (mut stream, mut screen) = (NarrationStream::default(), PlayerScreen::default());
            for event in events {
                screen.show(play(&mut stream, event));
                prop_assert_eq!(&screen.text, &stream.shown);
            }
            screen.show(stream.finish(&narration));
            prop_assert_eq!(screen.text, narration);
        }

        /// If every step ends with the text that it streamed, nothing is discarded, in whatever order steps end.
        #[test]
        fn text_that_comes_true_is_never_discarded(
            narrative in words(),
            streamed in prop::collection::vec(prop::collection::vec(words(), 0..4), STEPS),
            turns in prop::collection::vec(0..STEPS, 0..40),
            known_at in 0usize..40,
        ) {
            let (mut stream, mut screen) = (NarrationStream::default(), PlayerScreen::default());
            let order: Vec<String> = (0..STEPS).map(|step| format!("s{step}")).collect();
            let mut next = [0; STEPS];
            let rest = (0..STEPS).flat_map(|step| [step; 6]);
            for (at, step) in turns.into_iter().chain(rest).enumerate() {
                if at == known_at.min(STEPS * 6 - 1) {
                    screen.show(stream.set_order(&narrative, order.clone()));
                }
                let (id, pieces) = (&order[step], &streamed[step]);
                screen.show(match next[step] {
                    0 => stream.step_started(id),
                    n if n <= pieces.len() => stream.step_narrated(id, &pieces[n - 1]),
                    n if n == pieces.len() + 1 => stream.step_finished(id, vec![pieces.concat()]),
                    _ => NarrationUpdate::default(),
                });
                next[step] += 1;
            }
            let texts: Vec<String> = streamed.iter().map(|pieces| pieces.concat()).collect();
            let parts = [narrative.as_str()].into_iter().chain(texts.iter().map(String::as_str));
            let narration = joined(parts);
            screen.show(stream.finish(&narration));
            prop_assert_eq!((screen.text, screen.discards), (narration, 0));
        }
    }
}
