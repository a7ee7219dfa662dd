//! The stories in play for a front end that speaks no HTTP: the hub of the page, with the same rules.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use tokio::sync::watch;

use crate::{
    HostError, HostErrorKind, NewStory, StepDecision, StoryHost, UndecidedStep,
    story_hub::StoryHub,
    story_play::{PlayPhase, StoryPlay, WatchGuard, WatcherKind},
};

/// How often a line opens a play that ends before it can take the line.
const OPENINGS: usize = 2;

/// The stories of one host.
pub struct StoriesInPlay {
    hub: Arc<StoryHub>,
}

/// A story in play. It is kept in play as long as this lives.
pub struct StoryInPlay {
    play: Arc<StoryPlay>,
    _watch: WatchGuard,
}

/// A play at one moment.
#[derive(Debug, Clone)]
pub struct PlaySituation {
    /// It waits for a line.
    pub is_ready: bool,
    pub has_ended: bool,
    /// Turns of the story; unknown until its session has started.
    pub turns: Option<u64>,
    /// Steps that wait for the player, and for which no decision is on its way.
    pub waiting: Vec<UndecidedStep>,
    /// The number of the last event.
    pub last_event: u64,
}

/// An event as the page gets it (`docs/page-api.md, "Events"`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayEvent {
    /// Such as `update`.
    pub name: &'static str,
    /// A line of JSON.
    pub data: String,
}

impl StoriesInPlay {
    /// `run` tells the events of this process from those of another one.
    pub fn new(host: Arc<dyn StoryHost>, run: &str) -> StoriesInPlay {
        StoriesInPlay { hub: Arc::new(StoryHub::new(host, run)) }
    }

    pub(crate) fn hub(&self) -> Arc<StoryHub> {
        self.hub.clone()
    }

    /// Tells this process from another one.
    pub fn run(&self) -> &str {
        self.hub.run()
    }

    /// Calls the host on a thread that may block, as many at a time as the page may.
    pub async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn StoryHost) -> Result<T, HostError> + Send + 'static,
    ) -> Result<T, HostError> {
        Ok(self.hub.call(call).await?)
    }

    /// Makes a story once, however often that is asked for with one id.
    pub async fn create(&self, id: &str, new: NewStory) -> Result<String, HostError> {
        Ok(self.hub.create(id.to_owned(), new).await?)
    }

    /// Puts a story into play, or finds it there.
    pub async fn open(&self, story: &str) -> Result<StoryInPlay, HostError> {
        let play = self.hub.open(story).await?;
        let watch = play.watch(WatcherKind::Player);
        Ok(StoryInPlay { play, _watch: watch })
    }

    /// The story, if it is in play.
    pub fn in_play(&self, story: &str) -> Option<StoryInPlay> {
        let play = self.hub.known(story).filter(|play| play.phase() != PlayPhase::Closed)?;
        let watch = play.watch(WatcherKind::Player);
        Some(StoryInPlay { play, _watch: watch })
    }

    /// The story as it is now: its last turns as they were read, what may be chosen, and what its play does.
    pub async fn snapshot(&self, story: &str) -> Result<Value, HostError> {
        let (snapshot, _) = self.hub.snapshot(story, true).await?;
        Ok(snapshot)
    }

    /// Closes the stories that wait for a line and that nobody has watched for that time.
    pub fn close_unwatched(&self, time: Duration) {
        self.hub.close_unwatched(time);
    }

    /// Lets the turns end, for that time, and then stops them.
    pub async fn end(&self, time: Duration) {
        self.hub.end(time).await;
    }
}

impl StoryInPlay {
    /// Wakes after each change of the play.
    pub fn news(&self) -> watch::Receiver<()> {
        self.play.news()
    }

    pub fn situation(&self) -> PlaySituation {
        let phase = self.play.phase();
        let last_event = self.play.last_event();
        let (turns, waiting) =
            self.play.with_telling(|telling| (telling.turns, telling.undecided()));
        let (is_ready, has_ended) = (phase == PlayPhase::Ready, phase == PlayPhase::Closed);
        PlaySituation { is_ready, has_ended, turns, waiting, last_event }
    }

    /// Says a line once, however often it is said with one id. With `after`, the story must have as many turns. Refused while
    /// a turn runs.
    pub async fn say(
        &mut self,
        stories: &StoriesInPlay,
        id: &str,
        after: Option<u64>,
        text: &str,
    ) -> Result<(), HostError> {
        for _ in 0..OPENINGS {
            let turns = self.situation().turns.unwrap_or_default();
            if self.play.line(id, after.unwrap_or(turns), text).await? {
                return Ok(());
            }
            *self = stories.open(&self.play.story).await?;
        }
        let error = "the play ends as soon as it begins";
        Err(HostError::new(HostErrorKind::Conflict, error))
    }

    /// Returns the events after the one with this number. Returns `None` if some are no longer there.
    pub fn events_after(&self, number: u64) -> Option<Vec<PlayEvent>> {
        let events = self.play.all_events_after(number)?;
        Some(events.into_iter().map(|(name, data)| PlayEvent { name, data }).collect())
    }

    /// Decides about a step that waits for the player, once.
    pub async fn decide(&self, tool_id: &str, decision: StepDecision) -> Result<(), HostError> {
        Ok(self.play.decide(tool_id, decision).await?)
    }

    /// Stops the running turn. Blocks shortly.
    pub fn stop(&self) {
        if let Some(player) = self.play.player() {
            player.stop();
        }
    }

    /// Ends the play if it waits for a line. Returns false if it does not.
    pub fn close(self) -> bool {
        let play = self.play.clone();
        drop(self);
        match play.close_if_unwatched(Duration::ZERO) {
            Some(player) => {
                player.close();
                true
            }
            None => play.phase() == PlayPhase::Closed,
        }
    }
}
