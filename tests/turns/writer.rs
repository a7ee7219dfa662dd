//! A voice that writes its plans step by step, as the tests say, and may wait for what comes of a step before
//! it writes on. Only for tests.

use std::{
    collections::VecDeque,
    future::pending,
    sync::{Arc, Mutex},
};

use narratoria::{
    engine::{Options, Session, Turn, Update},
    narrator::{Answer, Ask, Instead, Planner, PlannerError, Proposal, Thinking, recovery_prompt},
};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    support::{Stage, options},
    told::told,
};

/// What the voice does next.
pub(crate) enum Act {
    /// Writes a step.
    Step(Value),
    /// Waits until this was told, as a line of [`told`].
    Until(&'static str),
    /// Ends with a plan.
    Whole(Value),
    /// Ends with a text.
    Text(&'static str),
    /// Ends with a plan of another voice.
    Instead(Value),
    /// Ends with nothing.
    Error(&'static str),
    /// Never ends.
    Never,
}

/// What was told so far, a line for each update.
pub(crate) type Seen = watch::Receiver<Vec<String>>;

pub(crate) struct Writer {
    acts: VecDeque<Act>,
    seen: Seen,
    /// What it was asked, one text for each time.
    pub(crate) heard: Arc<Mutex<Vec<String>>>,
}

/// A session with such a voice, and the other end of what it sees.
pub(crate) struct Desk {
    pub(crate) session: Session,
    pub(crate) seen: watch::Sender<Vec<String>>,
    pub(crate) heard: Arc<Mutex<Vec<String>>>,
}

impl Desk {
    pub(crate) fn new(stage: &Stage, acts: Vec<Act>) -> Desk {
        Desk::within(stage, acts, options())
    }

    pub(crate) fn within(stage: &Stage, acts: Vec<Act>, options: Options) -> Desk {
        let (seen, sees) = watch::channel(Vec::new());
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let writer = Writer { acts: acts.into(), seen: sees, heard: Arc::clone(&heard) };
        Desk { session: stage.session_within(writer, options), seen, heard }
    }

    /// Plays a turn; gives what was told.
    pub(crate) async fn play(&mut self, sentence: &str) -> (Turn, Vec<Update>) {
        self.play_until(sentence, |_, _| ()).await
    }

    /// The same, with somebody who hears each update.
    pub(crate) async fn play_until(
        &mut self,
        sentence: &str,
        mut hear: impl FnMut(&Update, &CancellationToken) + Send,
    ) -> (Turn, Vec<Update>) {
        let (mut updates, cancel) = (Vec::new(), CancellationToken::new());
        let seen = &self.seen;
        let mut sink = |update: Update| {
            hear(&update, &cancel);
            seen.send_modify(|seen| seen.push(told(std::slice::from_ref(&update))));
            updates.push(update);
        };
        let turn = self.session.turn(sentence, &cancel, &mut sink).await.unwrap();
        (turn, updates)
    }
}

impl Planner for Writer {
    fn name(&self) -> &str {
        "writer"
    }

    fn propose<'a>(&'a mut self, ask: Ask<'a>) -> Thinking<'a> {
        let mut heard = format!("attempt {}", ask.attempt);
        if ask.early.is_none() {
            heard += "\nnothing may start early";
        }
        if let Some(failure) = ask.last_failure {
            heard += &format!("\nfailure: {failure}");
        }
        if let Some(previous) = &ask.previous {
            heard += &format!("\n{}", recovery_prompt(previous));
        }
        self.heard.lock().unwrap().push(heard);
        let plan = |json: Value| Proposal::Plan(serde_json::from_value(json).unwrap());
        Box::pin(async move {
            loop {
                let answer = match self.acts.pop_front().expect("it was asked once too often") {
                    Act::Step(step) => {
                        let step = serde_json::from_value(step).unwrap();
                        if let Some(early) = &ask.early {
                            early.send(step).unwrap();
                        }
                        continue;
                    }
                    Act::Until(line) => {
                        let told = |seen: &Vec<String>| seen.iter().any(|told| told == line);
                        self.seen.wait_for(told).await.unwrap();
                        continue;
                    }
                    Act::Whole(json) => Answer::by("writer", plan(json)),
                    Act::Text(text) => Answer::by("writer", Proposal::Text(text.to_owned())),
                    Act::Instead(json) => {
                        let why = "its model fell asleep".to_owned();
                        let instead = Some(Instead { of: "writer".to_owned(), why });
                        Answer { instead, ..Answer::by("lexical", plan(json)) }
                    }
                    Act::Error(reason) => {
                        return Err(PlannerError::Failed { reason: reason.to_owned() });
                    }
                    Act::Never => pending().await,
                };
                return Ok(answer);
            }
        })
    }
}
