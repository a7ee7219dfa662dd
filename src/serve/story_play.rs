//! One story: its play, if there is one, and the events for those who watch it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    task,
    time::{Instant, timeout_at},
};

use crate::{
    HostError, HostErrorKind, PlayOutput, Player, StepDecision, StoryHost,
    api_error::ApiError,
    limits::LINE_IDS_MAX,
    ring::{EventKind, EventRing, event_id},
    telling::{NotTaken, Telling},
};

/// How long a line waits for a play that is being opened.
const START_TIME: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlayPhase {
    Closed,
    /// The host opens it.
    Opening,
    /// Open, and nothing is known of a turn.
    Starting,
    Busy,
    /// It waits for a line.
    Ready,
    /// It has been asked to end.
    Closing,
}

/// What has to be done for a story to be in play.
pub(crate) enum OpeningStep {
    IsOpen,
    /// The opening of this number is on its way.
    Opens(u64),
    /// The play before it ends.
    Ends,
    /// The caller opens it.
    Begin(u64),
}

/// What becomes of a line.
enum LineStep {
    /// It was taken before.
    Taken,
    /// The play begins.
    Wait,
    HasEnded,
    Say(Arc<dyn Player>),
}

/// Lives as long as the server, so that the numbers of its events never go back.
pub(crate) struct StoryPlay {
    pub(crate) story: String,
    run: Arc<str>,
    state: Mutex<PlayState>,
    news: watch::Sender<()>,
}

struct PlayState {
    phase: PlayPhase,
    /// Counts the openings; what an earlier play says no longer counts.
    opening: u64,
    /// The last opening that the host did, and the last one that it could not do.
    opened: u64,
    failed: Option<(u64, HostError)>,
    player: Option<Arc<dyn Player>>,
    ring: EventRing,
    /// Notices of the opening, until a line is taken: whoever begins to watch then has not seen their events.
    opening_notices: Vec<String>,
    telling: Telling,
    is_reviewing: bool,
    line_ids: VecDeque<String>,
    watchers: usize,
    /// Browsers that look on, and for which nothing is kept in play.
    readers: usize,
    unused_since: Instant,
    /// Its place among the stories in play of all players.
    place: Option<OwnedSemaphorePermit>,
}

impl StoryPlay {
    pub(crate) fn new(story: &str, run: Arc<str>) -> StoryPlay {
        let state = PlayState {
            phase: PlayPhase::Closed,
            opening: 0,
            opened: 0,
            failed: None,
            player: None,
            ring: EventRing::default(),
            opening_notices: Vec::new(),
            telling: Telling::default(),
            is_reviewing: false,
            line_ids: VecDeque::new(),
            watchers: 0,
            readers: 0,
            unused_since: Instant::now(),
            place: None,
        };
        let (news, _) = watch::channel(());
        StoryPlay { story: story.to_owned(), run, state: Mutex::new(state), news }
    }

    fn state(&self) -> MutexGuard<'_, PlayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes everybody who waits for a change.
    fn change<T>(&self, change: impl FnOnce(&mut PlayState) -> T) -> T {
        let result = change(&mut self.state());
        self.news.send_replace(());
        result
    }

    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    pub(crate) fn phase(&self) -> PlayPhase {
        self.state().phase
    }

    pub(crate) fn opening_step(&self) -> OpeningStep {
        let mut state = self.state();
        match state.phase {
            PlayPhase::Closed => OpeningStep::Begin(state.opening + 1),
            PlayPhase::Closing => OpeningStep::Ends,
            _ if state.player.is_none() => OpeningStep::Opens(state.opening),
            _ => {
                state.unused_since = Instant::now();
                OpeningStep::IsOpen
            }
        }
    }

    /// Marks the story as being opened, before [`StoryPlay::open`].
    pub(crate) fn begin(&self, opening: u64, place: Option<OwnedSemaphorePermit>) {
        self.change(|state| {
            state.opening = opening;
            state.place = place;
            state.phase = PlayPhase::Opening;
            state.opening_notices.clear();
            state.telling = Telling::default();
        });
    }

    /// Has the host open the story. Blocks.
    pub(crate) fn open(self: &Arc<Self>, opening: u64, host: &dyn StoryHost) {
        let output = StoryOutput { play: self.clone(), opening, has_ended: false };
        let opened = host.open(&self.story, Box::new(output));
        let is_reviewing = self.state().is_reviewing;
        if let (Ok(player), true) = (&opened, is_reviewing) {
            player.set_reviewing(true);
        }
        match opened {
            Ok(player) => self.opened(opening, player.into()),
            Err(error) => self.not_opened(opening, error),
        }
    }

    fn opened(&self, opening: u64, player: Arc<dyn Player>) {
        self.change(|state| {
            state.opened = opening;
            // Otherwise it has ended before the host returned.
            if state.opening != opening || state.phase == PlayPhase::Closed {
                return;
            }
            state.unused_since = Instant::now();
            state.player = Some(player);
            if state.phase == PlayPhase::Opening {
                state.phase = PlayPhase::Starting;
            }
        });
    }

    pub(crate) fn not_opened(&self, opening: u64, error: HostError) {
        self.change(|state| {
            state.failed = Some((opening, error));
            if state.opening == opening {
                state.phase = PlayPhase::Closed;
                state.place = None;
            }
        });
    }

    /// How an opening ended; `None` while it has not.
    pub(crate) fn opening_result(&self, opening: u64) -> Option<Result<(), HostError>> {
        let state = self.state();
        match &state.failed {
            Some((failed, error)) if *failed >= opening => Some(Err(error.clone())),
            _ => (state.opened >= opening).then_some(Ok(())),
        }
    }

    /// Returns true if it was never in play, and nobody waits for it to be.
    pub(crate) fn is_needless(&self) -> bool {
        let state = self.state();
        state.opened == 0 && state.readers == 0 && state.phase == PlayPhase::Closed
    }

    /// Says a line once, however often it is sent. Returns false if the play has ended before it could take the line.
    pub(crate) async fn line(&self, id: &str, after: u64, text: &str) -> Result<bool, ApiError> {
        let deadline = Instant::now() + START_TIME;
        let mut news = self.news();
        loop {
            match self.take_line(id, after)? {
                LineStep::Taken => return Ok(true),
                LineStep::HasEnded => return Ok(false),
                LineStep::Wait => {}
                LineStep::Say(player) => {
                    let (id, text) = (id.to_owned(), text.to_owned());
                    // Nothing is awaited between the two, so a closed connection does not lose the line.
                    let said = task::spawn_blocking(move || {
                        player.begin_request(&id);
                        player.line(&text);
                    })
                    .await;
                    return said.map(|()| true).map_err(|_| ApiError::failed("the line was lost"));
                }
            }
            if timeout_at(deadline, news.changed()).await.is_err() {
                return Err(ApiError::busy());
            }
        }
    }

    fn take_line(&self, id: &str, after: u64) -> Result<LineStep, ApiError> {
        let mut state = self.state();
        if state.line_ids.iter().any(|known| known == id) {
            return Ok(LineStep::Taken);
        }
        let player = match (state.phase, &state.player) {
            (PlayPhase::Ready, Some(player)) => player.clone(),
            (PlayPhase::Opening | PlayPhase::Starting | PlayPhase::Ready, _) => {
                return Ok(LineStep::Wait);
            }
            (PlayPhase::Busy, _) => return Err(ApiError::busy()),
            (PlayPhase::Closed | PlayPhase::Closing, _) => return Ok(LineStep::HasEnded),
        };
        let turns = state.telling.turns.unwrap_or_default();
        if turns != after {
            return Err(ApiError::moved(after, turns));
        }
        state.phase = PlayPhase::Busy;
        state.opening_notices.clear();
        state.line_ids.push_back(id.to_owned());
        if state.line_ids.len() > LINE_IDS_MAX {
            state.line_ids.pop_front();
        }
        Ok(LineStep::Say(player))
    }

    /// Decides about a step that waits for the player, once.
    pub(crate) async fn decide(
        self: &Arc<Self>,
        tool_id: &str,
        decision: StepDecision,
    ) -> Result<(), ApiError> {
        let of_question =
            matches!(decision, StepDecision::Answer(_) | StepDecision::LeaveUnanswered);
        let player = self.player().ok_or_else(|| nothing_waits(tool_id))?;
        let taken = self.with_telling(|telling| telling.take(tool_id, of_question));
        taken.map_err(|error| match error {
            NotTaken::NothingWaits => nothing_waits(tool_id),
            NotTaken::OtherKind if of_question => {
                ApiError::bad_input(format!("the step `{tool_id}` waits for an approval"))
            }
            NotTaken::OtherKind => {
                ApiError::bad_input(format!("the step `{tool_id}` waits for an answer"))
            }
        })?;
        let (play, tool_id) = (self.clone(), tool_id.to_owned());
        let decided = task::spawn_blocking(move || {
            let decided = player.decide(&tool_id, decision);
            if decided.is_err() {
                play.with_telling(|telling| telling.give_back(&tool_id));
            }
            decided
        });
        decided.await.unwrap_or_else(|_| Err(panicked())).map_err(ApiError::from)
    }

    pub(crate) fn has_line(&self, id: &str) -> bool {
        self.state().line_ids.iter().any(|known| known == id)
    }

    /// The player, if the story is in play.
    pub(crate) fn player(&self) -> Option<Arc<dyn Player>> {
        self.state().player.clone()
    }

    /// Whether a plan waits for a verdict.
    pub(crate) fn has_review(&self) -> bool {
        self.state().telling.review.is_some()
    }

    pub(crate) fn with_telling<T>(&self, ask: impl FnOnce(&mut Telling) -> T) -> T {
        ask(&mut self.state().telling)
    }

    pub(crate) fn keep_reviewing(&self, on: bool) {
        self.state().is_reviewing = on;
    }

    /// Counts a watcher as long as the guard lives. A player keeps the story in play.
    pub(crate) fn watch(self: &Arc<Self>, kind: WatcherKind) -> WatchGuard {
        let mut state = self.state();
        match kind {
            WatcherKind::Player => state.watchers += 1,
            WatcherKind::Reader => state.readers += 1,
        }
        WatchGuard { play: self.clone(), kind }
    }

    /// See [`EventRing::after`].
    pub(crate) fn events_after(&self, number: u64) -> Option<(String, u64)> {
        self.state().ring.after(number, &self.run)
    }

    /// See [`EventRing::all_after`]; each event with the name of its kind and its data.
    pub(crate) fn all_events_after(&self, number: u64) -> Option<Vec<(&'static str, String)>> {
        let state = self.state();
        let events = state.ring.all_after(number)?;
        Some(events.map(|(name, data)| (name, data.to_owned())).collect())
    }

    /// The data of the notices that the play has begun with, for those who have not seen its first events.
    pub(crate) fn opening_notices(&self) -> Vec<String> {
        self.state().opening_notices.clone()
    }

    /// The number of the last event.
    pub(crate) fn last_event(&self) -> u64 {
        self.state().ring.last()
    }

    /// Returns the host's part of the snapshot with the part of the play, and the number of the last event that it has
    /// in it. Returns `None` if the two are of different moments; `at_all_costs` takes them nevertheless.
    pub(crate) fn snapshot(&self, told: &Value, at_all_costs: bool) -> Option<(Value, u64)> {
        let state = self.state();
        let turns = told.get("turns").and_then(Value::as_u64).unwrap_or_default();
        let agree = state.phase == PlayPhase::Closed
            || state.telling.turns.is_none_or(|known| known == turns);
        if !agree && !at_all_costs {
            return None;
        }
        let last = state.ring.last();
        let mut snapshot = told.clone();
        let telling = &state.telling;
        let part = json!({
            "at": event_id(&self.run, turns, last),
            "ready": state.phase == PlayPhase::Ready,
            "running": telling.running,
            "pending": telling.waiting,
            "review": telling.review,
            "reviewing": state.is_reviewing,
        });
        if let (Some(whole), Value::Object(part)) = (snapshot.as_object_mut(), part) {
            whole.extend(part);
        }
        Some((snapshot, last))
    }

    /// Returns the player to be closed if the story waits for a line and nobody has watched it for that time.
    pub(crate) fn close_if_unwatched(&self, time: Duration) -> Option<Arc<dyn Player>> {
        let mut state = self.state();
        let is_unused = state.watchers == 0 && state.unused_since.elapsed() >= time;
        match state.phase {
            PlayPhase::Ready if is_unused && state.player.is_some() => {
                state.phase = PlayPhase::Closing;
                state.player.clone()
            }
            PlayPhase::Closed if is_unused => {
                state.ring.clear();
                None
            }
            _ => None,
        }
    }

    /// How long nobody has watched it, if it waits for a line.
    pub(crate) fn unwatched_for(&self) -> Option<Duration> {
        let state = self.state();
        (state.phase == PlayPhase::Ready && state.watchers == 0 && state.player.is_some())
            .then(|| state.unused_since.elapsed())
    }

    fn say(state: &mut PlayState, kind: EventKind, data: String) {
        let turns = state.telling.turns.unwrap_or_default();
        state.ring.push(turns, kind, data);
    }

    /// Ends the play of that opening.
    fn end(&self, opening: u64, why: Option<&str>) {
        self.change(|state| {
            if state.opening != opening || state.phase == PlayPhase::Closed {
                return;
            }
            state.telling.settle();
            state.player = None;
            state.phase = PlayPhase::Closed;
            state.place = None;
            state.unused_since = Instant::now();
            let data = why.map_or_else(|| json!({}), |why| json!({ "why": why }));
            StoryPlay::say(state, EventKind::Closed, data.to_string());
        });
    }

    /// Counts the play as ended, although it goes on.
    pub(crate) fn give_up(&self, why: &str) {
        let opening = self.state().opening;
        self.end(opening, Some(why));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatcherKind {
    Player,
    Reader,
}

/// Somebody watches a story.
pub(crate) struct WatchGuard {
    play: Arc<StoryPlay>,
    kind: WatcherKind,
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        let mut state = self.play.state();
        match self.kind {
            WatcherKind::Player => {
                state.watchers = state.watchers.saturating_sub(1);
                state.unused_since = Instant::now();
            }
            WatcherKind::Reader => state.readers = state.readers.saturating_sub(1),
        }
    }
}

/// What the host says of one opening.
struct StoryOutput {
    play: Arc<StoryPlay>,
    opening: u64,
    has_ended: bool,
}

impl StoryOutput {
    fn with_state(&self, change: impl FnOnce(&mut PlayState)) {
        self.play.change(|state| {
            let is_current = state.opening == self.opening && state.phase != PlayPhase::Closed;
            if is_current {
                change(state);
            }
        });
    }
}

impl PlayOutput for StoryOutput {
    fn update(&mut self, line: &str) {
        self.with_state(|state| {
            state.telling.update(line);
            if state.telling.running.is_some() && state.phase == PlayPhase::Starting {
                state.phase = PlayPhase::Busy;
            }
            StoryPlay::say(state, EventKind::Update, line.to_owned());
        });
    }

    fn notice(&mut self, text: &str) {
        let data = json!({ "text": text }).to_string();
        self.with_state(|state| {
            if matches!(state.phase, PlayPhase::Opening | PlayPhase::Starting) {
                state.opening_notices.push(data.clone());
            }
            StoryPlay::say(state, EventKind::Notice, data);
        });
    }

    fn review(&mut self, draft: Option<Value>) {
        let data = draft.as_ref().map_or_else(|| "null".to_owned(), Value::to_string);
        self.with_state(|state| {
            state.telling.review = draft;
            StoryPlay::say(state, EventKind::Review, data);
        });
    }

    fn ready(&mut self) {
        self.with_state(|state| {
            state.telling.settle();
            if state.phase != PlayPhase::Closing {
                state.phase = PlayPhase::Ready;
            }
            state.unused_since = Instant::now();
            let turns = state.telling.turns.unwrap_or_default();
            StoryPlay::say(state, EventKind::Ready, json!({ "turns": turns }).to_string());
        });
    }

    fn closed(&mut self, why: Option<&str>) {
        self.has_ended = true;
        self.play.end(self.opening, why);
    }
}

impl Drop for StoryOutput {
    fn drop(&mut self) {
        if !self.has_ended {
            self.play.end(self.opening, Some("the play has ended without a reason"));
        }
    }
}

/// The error of a decision that comes too late, or for another story.
pub(crate) fn nothing_waits(tool_id: &str) -> ApiError {
    ApiError::conflict(format!("the step `{tool_id}` waits for nothing"))
}

/// The error of a host that panicked.
pub(crate) fn panicked() -> HostError {
    HostError::new(HostErrorKind::Failed, "the host has failed unexpectedly")
}
