//! The play of a page: what happens goes to the page, and what its player decides comes back beside the lines.

use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use narratoria_engine::{PlanDraft, ReviewFuture, ReviewVerdict, Reviewer};
use narratoria_executor::PendingRequests;
use narratoria_hosting::HeldStory;
use narratoria_ui::{Out, ReviewPrompt};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    interrupt::Interrupts,
    review::{draft_steps, verdict_of},
};

/// Said of a command that shows the plan or opens an editor.
const OTHERWISE_SHOWN: &str = "the page shows the plan itself; say what is to be changed";

/// What a page shares with the play that it shows.
pub(crate) struct PageLink {
    interrupts: Interrupts,
    /// Set when the session is there.
    pending: OnceLock<PendingRequests>,
    is_reviewing: AtomicBool,
    /// Takes the commands of the review that waits.
    review: Mutex<Option<mpsc::UnboundedSender<String>>>,
    /// Set when the story is one of a database.
    held: OnceLock<HeldStory>,
}

/// The sinks of a play that a page shows.
pub(crate) struct PagePlay {
    pub(crate) link: Arc<PageLink>,
    /// Takes the updates, a line each.
    pub(crate) updates: Out,
    /// Takes the notes for people.
    pub(crate) notes: Out,
    pub(crate) reviewer: PageReviewer,
}

/// Shows drafts to a page and waits for its commands.
pub(crate) struct PageReviewer {
    link: Arc<PageLink>,
    /// Takes the draft that waits; `None` when it waits no longer.
    show: Box<dyn FnMut(Option<Value>) + Send>,
}

impl PageLink {
    pub(crate) fn new(interrupts: Interrupts) -> Arc<PageLink> {
        Arc::new(PageLink {
            interrupts,
            pending: OnceLock::new(),
            is_reviewing: AtomicBool::new(false),
            review: Mutex::default(),
            held: OnceLock::new(),
        })
    }

    /// Ends the play when another server has taken its story.
    pub(super) fn set_held(self: &Arc<Self>, held: HeldStory) {
        let link = Arc::downgrade(self);
        held.on_lost(move || {
            if let Some(link) = link.upgrade() {
                link.close();
            }
        });
        // A link has one story.
        let _ = self.held.set(held);
    }

    /// Says which request the next line is.
    pub(crate) fn begin_request(&self, id: &str) {
        if let Some(held) = self.held.get()
            && let Err(error) = held.begin_request(id)
        {
            // The turn meets the same when it is stored.
            tracing::warn!(%error, "a request is not noted");
        }
    }

    /// Takes the requests of the session's plans, once.
    pub(super) fn set_pending(&self, pending: PendingRequests) {
        // A link has one session.
        let _ = self.pending.set(pending);
    }

    /// The requests that wait for the player. `None` while the story is being opened.
    pub(crate) fn pending(&self) -> Option<&PendingRequests> {
        self.pending.get()
    }

    /// Says if the plans of the next turns wait for a review.
    pub(crate) fn set_reviewing(&self, on: bool) {
        self.is_reviewing.store(on, Ordering::Relaxed);
    }

    /// Gives a command to the review that waits. Returns false if none does.
    pub(crate) fn review(&self, command: &str) -> bool {
        let waiting = self.review.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.as_ref().is_some_and(|review| review.send(command.to_owned()).is_ok())
    }

    /// Stops the running turn.
    pub(crate) fn stop(&self) {
        self.interrupts.stop_only_turn();
        self.review("cancel");
    }

    /// Ends the play when its turn has ended.
    pub(crate) fn close(&self) {
        self.interrupts.leave_after_turn();
    }
}

impl PageReviewer {
    pub(crate) fn new(
        link: Arc<PageLink>,
        show: impl FnMut(Option<Value>) + Send + 'static,
    ) -> PageReviewer {
        PageReviewer { link, show: Box::new(show) }
    }

    /// True if the next plan waits for its player.
    pub(super) fn is_on(&self) -> bool {
        self.link.is_reviewing.load(Ordering::Relaxed)
    }

    async fn decide(&mut self, draft: &PlanDraft, refused: Option<&str>) -> ReviewVerdict {
        let (commands, mut given) = mpsc::unbounded_channel();
        *self.link.review.lock().unwrap_or_else(PoisonError::into_inner) = Some(commands);
        let mut refused = refused.map(str::to_owned);
        loop {
            (self.show)(Some(draft_document(draft, refused.as_deref())));
            // The link keeps the sender.
            let Some(command) = given.recv().await else { return ReviewVerdict::Cancel };
            let parsed = ReviewPrompt::new(&draft.json).parse(&command);
            let verdict = match parsed {
                Ok(command) => verdict_of(draft, command),
                Err(error) => Err(error.to_string()),
            };
            match verdict {
                Ok(Some(verdict)) => {
                    *self.link.review.lock().unwrap_or_else(PoisonError::into_inner) = None;
                    (self.show)(None);
                    return verdict;
                }
                Ok(None) => refused = Some(OTHERWISE_SHOWN.to_owned()),
                Err(why) => refused = Some(why),
            }
        }
    }
}

impl Reviewer for PageReviewer {
    fn review<'a>(
        &'a mut self,
        draft: &'a PlanDraft,
        refused: Option<&'a str>,
    ) -> ReviewFuture<'a> {
        Box::pin(self.decide(draft, refused))
    }
}

/// The draft as the page shows it, in the order of its text; `refused` says why the last command had no effect.
fn draft_document(draft: &PlanDraft, refused: Option<&str>) -> Value {
    let command = |(form, does)| json!({"form": form, "does": does});
    let commands: Vec<Value> = ReviewPrompt::commands().map(command).collect();
    let mut document = json!({
        "planId": draft.json.request_id,
        "version": draft.version,
        "createdBy": draft.created_by,
        "plan": draft.json,
        "steps": draft_steps(draft),
        "done": draft.reused_results,
        "commands": commands,
    });
    if let Some(why) = refused {
        document["refused"] = why.into();
    }
    document
}
