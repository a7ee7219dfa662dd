//! One story in play for a page, on a thread of its own.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_serve::{HostError, HostErrorKind, PlayOutput, Player, StepDecision};
use narratoria_ui::Out;
use tokio::runtime::Handle;

use crate::{
    interrupt::Interrupts,
    line_source::LineSource,
    planner::SharedPlanner,
    premise::Premise,
    run::{PageLink, PagePlay, PageReviewer, open_for_page, play},
    settings::CliSettings,
};

/// The stack of a play's thread: that of a program's first thread, on which `run` plays.
const STACK_BYTES: usize = 8 << 20;

/// The page's side of a play.
pub(super) struct PagePlayer {
    /// `None` once the play is to end.
    lines: Mutex<Option<mpsc::Sender<String>>>,
    link: Arc<PageLink>,
}

/// The output of a play. Its parts write from several threads, one at a time.
#[derive(Clone)]
struct SharedOutput(Arc<Mutex<Box<dyn PlayOutput>>>);

impl SharedOutput {
    fn lock(&self) -> MutexGuard<'_, Box<dyn PlayOutput>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives each complete line to a function.
struct LineSplitter<F> {
    line: Vec<u8>,
    give: F,
}

impl<F: FnMut(&str)> LineSplitter<F> {
    fn new(give: F) -> LineSplitter<F> {
        LineSplitter { line: Vec::new(), give }
    }
}

impl<F: FnMut(&str)> Write for LineSplitter<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            match byte {
                b'\n' => {
                    (self.give)(&String::from_utf8_lossy(&self.line));
                    self.line.clear();
                }
                byte => self.line.push(*byte),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl PagePlayer {
    /// Opens the story and begins to play it. Waits until it is open.
    pub(super) fn open(
        settings: CliSettings,
        planner: Arc<SharedPlanner>,
        (story, premise): (&str, Premise),
        output: Box<dyn PlayOutput>,
        runtime: Handle,
    ) -> Result<PagePlayer, TurnError> {
        let output = SharedOutput(Arc::new(Mutex::new(output)));
        let interrupts = Interrupts::unheard();
        let link = PageLink::new(interrupts.clone());
        let (sender, receiver) = mpsc::channel();
        let (opened, is_open) = mpsc::channel();
        let (story, page) = (story.to_owned(), page_play(&link, &output));
        let begin = move || {
            let ready = output.clone();
            let lines = LineSource::from_channel(receiver, move || ready.lock().ready());
            let start = lines
                .map_err(|error| TurnError::new(TurnErrorKind::Internal, error))
                .and_then(|lines| {
                    open_for_page(settings, &planner, (&story, premise), lines, interrupts, page)
                });
            let start = match start {
                Ok(start) => start,
                Err(error) => return opened.send(Err(error)).unwrap_or_default(),
            };
            // The opener waits for it.
            let _ = opened.send(Ok(()));
            let played = runtime.block_on(play(start));
            let why = played.err().map(|error| error.to_string());
            output.lock().closed(why.as_deref());
        };
        thread::Builder::new()
            .name("play".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(begin)
            .map_err(|error| TurnError::new(TurnErrorKind::Internal, error))?;
        let gone = || TurnError::new(TurnErrorKind::Internal, "the story could not be opened");
        is_open.recv().map_err(|_| gone())??;
        Ok(PagePlayer { lines: Mutex::new(Some(sender)), link })
    }
}

/// The sinks of a play, which all lead to its output.
fn page_play(link: &Arc<PageLink>, output: &SharedOutput) -> PagePlay {
    let (updates, notes, drafts) = (output.clone(), output.clone(), output.clone());
    PagePlay {
        link: Arc::clone(link),
        updates: Out::new(LineSplitter::new(move |line| updates.lock().update(line)), false),
        notes: Out::new(LineSplitter::new(move |line| notes.lock().notice(line)), false),
        reviewer: PageReviewer::new(Arc::clone(link), move |draft| drafts.lock().review(draft)),
    }
}

fn conflict(message: impl Into<String>) -> HostError {
    HostError::new(HostErrorKind::Conflict, message)
}

impl Player for PagePlayer {
    fn begin_request(&self, id: &str) {
        self.link.begin_request(id);
    }

    fn line(&self, text: &str) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        // A play that has ended takes no line, and says so by `closed`.
        let _ = lines.as_ref().map(|lines| lines.send(text.to_owned()));
    }

    fn decide(&self, tool_id: &str, decision: StepDecision) -> Result<(), HostError> {
        let pending = self.link.pending().ok_or_else(|| conflict("nothing waits yet"))?;
        let decided = match decision {
            StepDecision::Approve => pending.approve(tool_id),
            StepDecision::Deny => pending.deny(tool_id),
            StepDecision::Answer(text) => pending.answer(tool_id, text),
            StepDecision::LeaveUnanswered => pending.leave_unanswered(tool_id),
        };
        decided.map_err(|error| conflict(error.to_string()))
    }

    fn set_reviewing(&self, on: bool) {
        self.link.set_reviewing(on);
    }

    fn review(&self, command: &str) -> Result<(), HostError> {
        match self.link.review(command) {
            true => Ok(()),
            false => Err(conflict("no plan waits for a review")),
        }
    }

    fn stop(&self) {
        self.link.stop();
    }

    fn close(&self) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.link.close();
    }
}

impl Drop for PagePlayer {
    fn drop(&mut self) {
        self.close();
    }
}
