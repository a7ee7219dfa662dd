//! A planner that writes its plans step by step, as the tests say, and may wait for an update before it writes
//! on. Only for tests.

use std::{
    collections::VecDeque,
    future::pending,
    sync::{Arc, Mutex},
};

use narratoria_engine::{FinishedTurn, Session, SessionOptions, Update};
use narratoria_narrator::{
    Fallback, PlanFuture, PlanRequest, PlanResponse, Planner, PlannerError, Proposal,
    recovery_report,
};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    support::{TurnStage, options},
    update_lines::lines_of,
};

/// The next action of the planner.
pub(crate) enum PlannerAction {
    /// Writes a step.
    Step(Value),
    /// Waits for this update, as a line of [`lines_of`].
    Until(&'static str),
    /// Ends with a plan.
    Whole(Value),
    /// Ends with a text.
    Text(&'static str),
    /// Ends with a plan of another planner.
    Instead(Value),
    /// Ends with nothing.
    Error(&'static str),
    /// Never ends.
    Never,
}

/// The updates so far, a line each.
pub(crate) type SeenLines = watch::Receiver<Vec<String>>;

pub(crate) struct StepwisePlanner {
    acts: VecDeque<PlannerAction>,
    seen: SeenLines,
    /// The requests that it got, one text each.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

/// A session with such a planner, and the sender of the updates that it waits for.
pub(crate) struct StepwiseSession {
    pub(crate) session: Session,
    pub(crate) seen: watch::Sender<Vec<String>>,
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

impl StepwiseSession {
    pub(crate) fn new(stage: &TurnStage, acts: Vec<PlannerAction>) -> StepwiseSession {
        StepwiseSession::within(stage, acts, options())
    }

    pub(crate) fn within(
        stage: &TurnStage,
        acts: Vec<PlannerAction>,
        options: SessionOptions,
    ) -> StepwiseSession {
        let (seen, sees) = watch::channel(Vec::new());
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let writer =
            StepwisePlanner { acts: acts.into(), seen: sees, requests: Arc::clone(&requests) };
        StepwiseSession { session: stage.session_within(writer, options), seen, requests }
    }

    /// Plays a turn and returns its updates.
    pub(crate) async fn play(&mut self, sentence: &str) -> (FinishedTurn, Vec<Update>) {
        self.play_until(sentence, |_, _| ()).await
    }

    /// The same, with a function that gets each update.
    pub(crate) async fn play_until(
        &mut self,
        sentence: &str,
        mut on_update: impl FnMut(&Update, &CancellationToken) + Send,
    ) -> (FinishedTurn, Vec<Update>) {
        let (mut updates, cancel) = (Vec::new(), CancellationToken::new());
        let seen = &self.seen;
        let mut sink = |update: Update| {
            on_update(&update, &cancel);
            seen.send_modify(|seen| seen.push(lines_of(std::slice::from_ref(&update))));
            updates.push(update);
        };
        let turn = self.session.turn(sentence, &cancel, &mut sink).await.unwrap();
        (turn, updates)
    }
}

impl Planner for StepwisePlanner {
    fn name(&self) -> &str {
        "writer"
    }

    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a> {
        let mut entry = format!("attempt {}", request.attempt);
        if request.eager_steps.is_none() {
            entry += "\nnothing may start early";
        }
        if let Some(failure) = request.last_failure {
            entry += &format!("\nfailure: {failure}");
        }
        if let Some(previous) = &request.previous_plan {
            entry += &format!("\n{}", recovery_report(previous));
        }
        self.requests.lock().unwrap().push(entry);
        let plan = |json: Value| Proposal::Plan(serde_json::from_value(json).unwrap());
        Box::pin(async move {
            loop {
                let answer = match self.acts.pop_front().expect("it was asked once too often") {
                    PlannerAction::Step(step) => {
                        let step = serde_json::from_value(step).unwrap();
                        if let Some(early) = &request.eager_steps {
                            early.send(step).unwrap();
                        }
                        continue;
                    }
                    PlannerAction::Until(line) => {
                        let lines = |seen: &Vec<String>| seen.iter().any(|lines| lines == line);
                        self.seen.wait_for(lines).await.unwrap();
                        continue;
                    }
                    PlannerAction::Whole(json) => PlanResponse::from_planner("writer", plan(json)),
                    PlannerAction::Text(text) => {
                        PlanResponse::from_planner("writer", Proposal::Text(text.to_owned()))
                    }
                    PlannerAction::Instead(json) => {
                        let why = "its model fell asleep".to_owned();
                        let instead =
                            Some(Fallback { planner: "writer".to_owned(), why, text: None });
                        PlanResponse {
                            fallback: instead,
                            ..PlanResponse::from_planner("lexical", plan(json))
                        }
                    }
                    PlannerAction::Error(reason) => {
                        return Err(PlannerError::Failed { reason: reason.to_owned() });
                    }
                    PlannerAction::Never => pending().await,
                };
                return Ok(answer);
            }
        })
    }
}
