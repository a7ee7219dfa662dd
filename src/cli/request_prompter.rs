//! Asks the player, or reads from a pipe, the approvals and answers that a running plan requests. Runs beside the
//! plan and shares its lines with the sentences.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use narratoria_engine::{StepEvent, StepUpdate, Update};
use narratoria_executor::{PendingRequestKind, PendingRequests};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    interrupt::{Interrupts, RunningSteps, running_steps},
    line_source::{self, LineInput, LineSource},
    player_line::COMMANDS,
    screen::SharedScreen,
};
use narratoria_ui::{
    ApprovalPrompt, ApprovalReply, Look, Out, QuestionPrompt, Tone, WaitingStep, note,
    question_text,
};

/// Watches the update stream for steps that wait for a person, and records which steps run.
pub(super) struct RequestNotifier {
    requests: mpsc::UnboundedSender<PlayerRequest>,
    steps: RunningSteps,
}

/// A request to a person.
enum PlayerRequest {
    Approval(WaitingStep),
    Answer { tool_id: String, question: QuestionPrompt },
}

/// Serves [`PendingRequests`] whenever the notifier signals.
pub(super) struct RequestPrompter {
    pending: PendingRequests,
    lines: LineSource,
    notifications: mpsc::UnboundedReceiver<PlayerRequest>,
    screen: Option<SharedScreen>,
    err: Out,
    look: Look,
    approvals: ApprovalPrompt,
    questions: Vec<(String, QuestionPrompt)>,
    /// `toolId`s of the requests on the screen that the last line did not settle.
    shown: Vec<String>,
    quit: QuitRequest,
    /// True if a page answers the requests.
    is_answered_elsewhere: bool,
}

/// True once the player has asked to leave instead of answering. Clones share it.
#[derive(Clone, Default)]
pub(super) struct QuitRequest(Arc<AtomicBool>);

impl QuitRequest {
    pub(super) fn is_made(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl RequestNotifier {
    /// To be called with every update, before it is shown.
    pub(super) fn observe(&self, update: &Update) {
        let Update::Step(step) = update else { return };
        self.steps.observe(step);
        let StepUpdate { tool_id, event, .. } = step;
        let request = match event {
            StepEvent::Waiting { tool_path, input, description } => {
                PlayerRequest::Approval(WaitingStep {
                    tool_id: tool_id.clone(),
                    tool_path: tool_path.clone(),
                    input: input.clone(),
                    description: description.clone(),
                })
            }
            StepEvent::Asked { question, choices } => PlayerRequest::Answer {
                tool_id: tool_id.clone(),
                question: QuestionPrompt {
                    asker: tool_id.clone(),
                    question: question.clone(),
                    choices: choices.clone(),
                },
            },
            _ => return,
        };
        // The receiver is gone only when the plan has ended.
        let _ = self.requests.send(request);
    }
}

impl RequestPrompter {
    /// `screen` shows this plan, if anything is shown.
    pub(super) fn new(
        requests: PendingRequests,
        lines: LineSource,
        screen: Option<SharedScreen>,
        look: Look,
    ) -> (RequestPrompter, RequestNotifier) {
        let (notify, notifications) = mpsc::unbounded_channel();
        let (approvals, questions) = (ApprovalPrompt::new(), Vec::new());
        let (err, look, shown) = (Out::stderr(look), look.of_stderr(look.interactive), Vec::new());
        let prompter = RequestPrompter {
            pending: requests,
            lines,
            notifications,
            screen,
            err,
            look,
            approvals,
            questions,
            shown,
            quit: QuitRequest::default(),
            is_answered_elsewhere: false,
        };
        (prompter, RequestNotifier { requests: notify, steps: running_steps() })
    }

    /// Leaves the requests to a page, which decides by the [`PendingRequests`] themselves.
    pub(super) fn answered_elsewhere(self) -> RequestPrompter {
        RequestPrompter { is_answered_elsewhere: true, ..self }
    }

    /// Becomes true when the player leaves instead of answering.
    pub(super) fn quit_request(&self) -> QuitRequest {
        self.quit.clone()
    }

    /// Serves requests until `work` is done. Returns `None` if the program leaves before.
    pub(super) async fn run_while_serving<T>(
        self,
        interrupts: &Interrupts,
        cancel: &CancellationToken,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let (lines, screen) = (self.lines.clone(), self.screen.clone());
        let done = tokio::select! {
            biased;
            () = interrupts.exit_token().cancelled() => None,
            done = work => Some(done),
            () = self.serve(cancel) => None,
        };
        lines.cancel_request().await;
        if let Some(screen) = screen {
            screen.lock().release();
        }
        done
    }

    /// Runs until it is dropped with the plan. Asks about all waiting steps together. Requests that arrive while the
    /// player types come next, so that no answer goes to a question that the player has not read.
    async fn serve(mut self, cancel: &CancellationToken) {
        if self.is_answered_elsewhere {
            return std::future::pending().await;
        }
        loop {
            if self.questions.is_empty() && self.approvals.is_empty() {
                match self.notifications.recv().await {
                    Some(wanted) => self.add_request(wanted),
                    // The plan has ended, so this future is dropped soon.
                    None => std::future::pending().await,
                }
            }
            while let Ok(wanted) = self.notifications.try_recv() {
                self.add_request(wanted);
            }
            self.drop_settled();
            if self.questions.is_empty() && self.approvals.is_empty() {
                continue;
            }
            self.show();
            let prompt = match self.questions.is_empty() {
                true => self.approvals.prompt(),
                false => QuestionPrompt::PROMPT,
            };
            match self.lines.next(line_source::LinePurpose::Answer(prompt)).await {
                Ok(LineInput::Sentence(line)) => match self.command(&line) {
                    None => self.take(&line),
                    Some("/quit") => {
                        self.quit.0.store(true, Ordering::Relaxed);
                        cancel.cancel();
                        std::future::pending().await
                    }
                    Some(command) => self.show_mistake(&format!(
                        "`{command}` comes after the answer; `/quit` leaves without one"
                    )),
                },
                Ok(LineInput::Bad { why, .. }) => self.show_mistake(&format!("the answer {why}")),
                Ok(LineInput::Interrupted { .. }) => {
                    cancel.cancel();
                    // The plan ends soon, and drops this future.
                    std::future::pending().await
                }
                Ok(LineInput::End) | Err(_) => self.refuse_all(),
            }
            if self.shown.is_empty() {
                self.hold(false);
            }
        }
    }

    fn add_request(&mut self, wanted: PlayerRequest) {
        match wanted {
            PlayerRequest::Approval(step) => self.approvals.add(step),
            PlayerRequest::Answer { tool_id, question } => self.questions.push((tool_id, question)),
        }
    }

    /// Drops requests that a timeout or a cancel has settled before the person answered.
    fn drop_settled(&mut self) {
        let waiting = self.pending.pending();
        let asks = |tool_id: &str| {
            waiting.iter().any(|one| {
                one.tool_id == tool_id && matches!(one.kind, PendingRequestKind::Question(_))
            })
        };
        self.questions.retain(|(tool_id, _)| asks(tool_id));
        for tool_id in self.approvals.ids() {
            let waits = waiting.iter().any(|one| {
                one.tool_id == tool_id && matches!(one.kind, PendingRequestKind::Approval { .. })
            });
            if !waits {
                self.approvals.remove(&tool_id);
            }
        }
    }

    /// Returns the player's command if the line is one. A program that reads the update stream has no commands.
    fn command(&self, line: &str) -> Option<&'static str> {
        let has_commands = self.screen.as_ref().is_some_and(|screen| screen.lock().has_commands());
        let named = |(name, _): &&(&'static str, &str)| *name == line.trim();
        COMMANDS.iter().filter(|_| has_commands).find(named).map(|(name, _)| *name)
    }

    /// Shows questions first, one at a time: they are part of the story, and a script waits in the middle of its work.
    fn show(&mut self) {
        let question = self.questions.first();
        let asking = match question {
            Some((tool_id, _)) => vec![tool_id.clone()],
            None => self.approvals.ids(),
        };
        if self.shown == asking {
            return;
        }
        self.shown = asking;
        if let (Some(screen), Some((tool_id, asked))) = (&self.screen, question) {
            // The question is printed before the screen is held, because the text above leads to it.
            if screen.lock().ask(tool_id, &asked.question, &asked.choices) {
                return self.hold(true);
            }
        }
        self.hold(true);
        match question {
            Some(_) if self.screen.is_some() && !self.look.interactive => {}
            Some((_, asked)) => {
                let text = question_text(Some(&asked.asker), &asked.question, &asked.choices);
                self.err.write(&text);
            }
            None => {
                let text = self.approvals.text(self.look);
                self.err.write_for_consent(&text);
            }
        }
    }

    fn take(&mut self, line: &str) {
        if let Some((tool_id, question)) = self.questions.first() {
            match question.answer(line) {
                Ok(answer) => {
                    let answered = self.pending.answer(tool_id, answer);
                    self.questions.remove(0);
                    self.shown.clear();
                    if let Err(error) = answered {
                        self.show_mistake(&error.to_string());
                    }
                }
                Err(error) => self.show_mistake(&error.to_string()),
            }
            return;
        }
        match self.approvals.answer(line) {
            ApprovalReply::Shown(text) => self.err.write_for_consent(&text),
            ApprovalReply::Refused(why) => self.show_mistake(&why),
            ApprovalReply::Decided(decided) => {
                self.shown.clear();
                for (tool_id, approved) in decided {
                    let done = match approved {
                        true => self.pending.approve(&tool_id),
                        false => self.pending.deny(&tool_id),
                    };
                    if let Err(error) = done {
                        self.show_mistake(&error.to_string());
                    }
                }
            }
        }
    }

    /// Refuses every waiting request: the lines have ended.
    fn refuse_all(&mut self) {
        self.shown.clear();
        for (tool_id, _) in std::mem::take(&mut self.questions) {
            // Another decision may have settled it already.
            let _ = self.pending.leave_unanswered(&tool_id);
        }
        self.pending.deny_all();
    }

    fn show_mistake(&mut self, text: &str) {
        note(&mut self.err, Tone::Hint, "hint", text);
    }

    fn hold(&self, held: bool) {
        let Some(screen) = &self.screen else { return };
        let mut screen = screen.lock();
        if held { screen.hold() } else { screen.release() }
    }
}
