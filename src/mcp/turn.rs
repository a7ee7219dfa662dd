//! Playing a story in one call: opens it, says a line, has the player asked for what the turn needs, and returns what was told.
//!
//! A client that asks its player between two calls gets the state of the first one, and sends it back with the answers. The
//! state names places in the story and nothing else, so a made-up one shows other events of the story at most.

use narratoria_protocol::{JsonBounds, read_json_as, visible::visible_line};
use narratoria_serve::{StoriesInPlay, StoryInPlay, UndecidedStep};
use rmcp::{
    RoleServer,
    model::{
        CallToolResponse, InputRequiredResult, InputResponses, ProgressNotificationParam,
        ProgressToken,
    },
    service::RequestContext,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Duration, Instant, sleep};

use crate::{
    asking::{AskedClient, AskedSteps, AskingWay, PlayerForm, decision},
    call_error::CallError,
    turn_result::{PlayReport, told_text},
};

/// How often a client learns that a turn goes on.
const PROGRESS_TIME: Duration = Duration::from_millis(500);

/// Bytes of a state that a client sends back.
const CALL_STATE_BYTES: usize = 4096;

/// What a client sends beside the arguments when it calls again.
pub(crate) struct Resumption {
    pub(crate) state: Option<String>,
    pub(crate) answers: Option<InputResponses>,
}

/// How far a call has come.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallState {
    /// The process that has the story in play.
    run: String,
    pub(crate) story: String,
    /// The last event before the call.
    from: u64,
    /// The line has been said, or there is none.
    is_said: bool,
}

/// A line of the player.
pub(crate) struct SaidLine {
    pub(crate) text: String,
    /// Said once, however often a client sends it with one id.
    pub(crate) id: String,
    /// Turns of the story that the line follows.
    pub(crate) after: Option<u64>,
}

/// One call that plays a story.
pub(crate) struct TurnCall<'c> {
    stories: &'c StoriesInPlay,
    asked: &'c AskedSteps,
    client: AskedClient<'c>,
    way: AskingWay,
    progress: ProgressTeller,
    notes: Vec<String>,
}

/// Why a play is no longer waited for.
enum Settled {
    Ready,
    Ended,
    Asks(Vec<UndecidedStep>),
    /// The client has gone before its player has answered. The turn stays open.
    Gone,
}

/// Stops a turn whose call nobody waits for any more.
struct TurnStopper(Option<StoryInPlay>);

impl TurnStopper {
    fn play(&mut self) -> Result<&mut StoryInPlay, CallError> {
        self.0.as_mut().ok_or_else(|| CallError::failed("the story is not in play"))
    }

    fn release(mut self) -> Option<StoryInPlay> {
        self.0.take()
    }
}

impl Drop for TurnStopper {
    fn drop(&mut self) {
        if let Some(play) = &self.0
            && !play.situation().is_ready
        {
            play.stop();
        }
    }
}

impl CallState {
    /// Reads a state that a client has sent back.
    pub(crate) fn parse(text: &str, run: &str) -> Result<CallState, CallError> {
        let state: CallState =
            read_json_as(text.as_bytes(), JsonBounds::of_bytes(CALL_STATE_BYTES)).map_err(
                |error| CallError::bad_input(format!("`requestState` is not as it was: {error}")),
            )?;
        match state.run == run {
            true => Ok(state),
            false => Err(CallError::conflict("the server has been started again since that call")
                .hint("`story_wait` shows how far the story is")),
        }
    }
}

impl<'c> TurnCall<'c> {
    pub(crate) fn new(
        stories: &'c StoriesInPlay,
        asked: &'c AskedSteps,
        client: AskedClient<'c>,
    ) -> TurnCall<'c> {
        let progress = ProgressTeller::new(client.context);
        TurnCall {
            stories,
            asked,
            client,
            way: AskingWay::of(client.context),
            progress,
            notes: Vec::new(),
        }
    }

    /// Plays the story until it waits for a line, or asks its player by the result.
    pub(crate) async fn play(
        mut self,
        story: &str,
        line: Option<SaidLine>,
        state: Option<CallState>,
        answers: Option<InputResponses>,
    ) -> Result<CallToolResponse, CallError> {
        let before = self.stories.in_play(story).map_or(0, |play| play.situation().last_event);
        let played = self.stories.open(story).await?;
        let mut guard = TurnStopper(Some(played));
        let mut state = match state {
            Some(state) if state.story == story => state,
            Some(_) => {
                return Err(CallError::bad_input("`requestState` belongs to another story"));
            }
            None => {
                let (run, story) = (self.stories.run().to_owned(), story.to_owned());
                CallState { run, story, from: before, is_said: line.is_none() }
            }
        };
        self.progress.from = state.from;
        if let Some(answers) = answers {
            self.take_answers(guard.play()?, &answers).await?;
        }
        let mut line = line;
        loop {
            match self.settle(story, guard.play()?).await? {
                Settled::Asks(steps) => {
                    guard.release();
                    return ask_by_result(&steps, &state);
                }
                Settled::Gone => {
                    guard.release();
                    return Err(CallError::failed("the client has gone"));
                }
                Settled::Ended => {
                    guard.release();
                    return Err(CallError::conflict("the play of the story has ended"));
                }
                Settled::Ready => {}
            }
            let Some(line) = line.take().filter(|_| !state.is_said) else { break };
            let play = guard.play()?;
            play.say(self.stories, &line.id, line.after, &line.text).await?;
            state.is_said = true;
        }
        let events = guard.release().and_then(|play| play.events_after(state.from));
        let snapshot = self.stories.snapshot(story).await?;
        let mut report = PlayReport::new(story, events.as_deref().unwrap_or_default());
        report.tell_last_of(&snapshot);
        self.notes.drain(..).for_each(|note| report.note(note));
        Ok(report.into_result(&snapshot).into())
    }

    /// Waits until the play wants something.
    async fn settle(&mut self, story: &str, play: &StoryInPlay) -> Result<Settled, CallError> {
        let mut news = play.news();
        loop {
            news.borrow_and_update();
            let situation = play.situation();
            if situation.has_ended {
                return Ok(Settled::Ended);
            }
            if situation.is_ready {
                return Ok(Settled::Ready);
            }
            if self.way == AskingWay::ByRequest
                && self.client.gone.is_cancelled()
                && !situation.waiting.is_empty()
            {
                return Ok(Settled::Gone);
            }
            let is_decided = match (self.way, situation.waiting.is_empty()) {
                (_, true) => false,
                (AskingWay::ByResult, false) => return Ok(Settled::Asks(situation.waiting)),
                (AskingWay::ByRequest, false) => {
                    self.ask_now(story, play, &situation.waiting).await
                }
                (AskingWay::Never, false) => self.decide_without(play, &situation.waiting).await,
            };
            if is_decided {
                continue;
            }
            self.progress.tell(play).await;
            tokio::select! {
                _ = news.changed() => {}
                () = sleep(PROGRESS_TIME) => {}
            }
        }
    }

    /// Asks about each step, one after the other. Returns true if all were decided.
    async fn ask_now(
        &mut self,
        story: &str,
        play: &StoryInPlay,
        waiting: &[UndecidedStep],
    ) -> bool {
        let mut is_decided = true;
        for step in waiting {
            let right = self.asked.begin(story, &step.tool_id);
            let form = PlayerForm::of(step);
            let answer = match &right {
                Some(_) => tokio::select! {
                    answer = form.ask(self.client) => Some(answer),
                    // The plan goes on without it, or another client of the story has decided.
                    () = until_decided(play, step) => None,
                },
                None => None,
            };
            if self.client.gone.is_cancelled() {
                return true;
            }
            is_decided &= match answer {
                Some(answer) => self.decide(play, step, answer.as_ref()).await,
                None => false,
            };
        }
        is_decided
    }

    async fn decide_without(&mut self, play: &StoryInPlay, waiting: &[UndecidedStep]) -> bool {
        let mut is_decided = true;
        for step in waiting {
            is_decided &= self.decide(play, step, None).await;
            let step = visible_line(&step.tool_id);
            self.notes.push(format!(
                "step `{step}` needs the player, and this client shows no forms (elicitation)"
            ));
        }
        is_decided
    }

    async fn decide(
        &mut self,
        play: &StoryInPlay,
        step: &UndecidedStep,
        answer: Option<&Value>,
    ) -> bool {
        let decided = play.decide(&step.tool_id, decision(step, answer)).await;
        if let Err(error) = &decided {
            self.notes.push(error.to_string());
        }
        decided.is_ok()
    }

    /// Takes the answers that a client sends with its call. One that has not said that it can ask its player has none.
    async fn take_answers(
        &mut self,
        play: &StoryInPlay,
        answers: &InputResponses,
    ) -> Result<(), CallError> {
        if self.way == AskingWay::Never {
            let error = "answers come from a client that shows forms (elicitation)";
            return Err(CallError::bad_input(error));
        }
        for step in play.situation().waiting {
            // A step without an answer waits on.
            if let Some(answer) = answers.get(&step.tool_id) {
                self.decide(play, &step, Some(answer)).await;
            }
        }
        Ok(())
    }
}

/// Waits until a step waits no longer.
async fn until_decided(play: &StoryInPlay, step: &UndecidedStep) {
    let mut news = play.news();
    loop {
        news.borrow_and_update();
        if !play.situation().waiting.iter().any(|waiting| waiting.tool_id == step.tool_id) {
            return;
        }
        // The sender cannot be gone, because the play is held here.
        let _ = news.changed().await;
    }
}

fn ask_by_result(
    steps: &[UndecidedStep],
    state: &CallState,
) -> Result<CallToolResponse, CallError> {
    let failed = |error: serde_json::Error| CallError::failed(error.to_string());
    let requests = steps.iter().map(|step| {
        Ok((step.tool_id.clone(), PlayerForm::of(step).input_request().map_err(failed)?))
    });
    let requests = requests.collect::<Result<_, CallError>>()?;
    let state = serde_json::to_string(state).map_err(failed)?;
    Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
}

/// Tells a client that has asked for it how a turn goes on: its text as it is told.
struct ProgressTeller {
    token: Option<ProgressToken>,
    peer: rmcp::Peer<RoleServer>,
    /// The last event that was told.
    from: u64,
    told: Instant,
}

impl ProgressTeller {
    fn new(context: &RequestContext<RoleServer>) -> ProgressTeller {
        let (token, peer) = (context.meta.get_progress_token(), context.peer.clone());
        ProgressTeller { token, peer, from: 0, told: Instant::now() }
    }

    async fn tell(&mut self, play: &StoryInPlay) {
        let Some(token) = &self.token else { return };
        let last = play.situation().last_event;
        if self.told.elapsed() < PROGRESS_TIME || last <= self.from {
            return;
        }
        let text = told_text(&play.events_after(self.from).unwrap_or_default());
        self.from = last;
        self.told = Instant::now();
        let progress = ProgressNotificationParam::new(token.clone(), last as f64);
        let progress = match text.is_empty() {
            true => progress,
            false => progress.with_message(text),
        };
        // A client that has gone wants no news.
        let _ = self.peer.notify_progress(progress).await;
    }
}
