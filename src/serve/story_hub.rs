//! The stories in play, and every call of the host.

use std::{
    collections::{HashMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task,
    time::{Instant, timeout, timeout_at},
};

use crate::{
    HostError, NewStory, Player, StoryHost,
    api_error::ApiError,
    limits::{CREATION_IDS_MAX, HOST_CALLS_MAX, PLAYS_MAX, SERVER_PLAYS_MAX},
    ring::event_id,
    story_play::{OpeningStep, PlayPhase, StoryPlay, WatchGuard, WatcherKind, panicked},
};

/// How often a snapshot is tried while the story moves on, and the longest wait between two tries.
const SNAPSHOT_TRIES: u32 = 20;
const SNAPSHOT_WAIT: Duration = Duration::from_millis(50);

/// How long a stopped turn has to end when the server ends.
const STOP_TIME: Duration = Duration::from_secs(10);

pub(crate) struct StoryHub {
    host: Arc<dyn StoryHost>,
    run: Arc<str>,
    /// Stories that have been in play since the server started.
    plays: Mutex<HashMap<String, Arc<StoryPlay>>>,
    creations: Mutex<VecDeque<(String, Creation)>>,
    calls: Arc<Semaphore>,
    is_ending: Arc<AtomicBool>,
    /// Stories in play of all players of the server, if it has many.
    places: Option<Arc<Semaphore>>,
}

/// The result of a creation, as soon as there is one.
type Creation = watch::Receiver<Option<Result<String, HostError>>>;

/// A story, the news about it, and what is to be done.
type NextStep = (Arc<StoryPlay>, watch::Receiver<()>, OpeningStep);

impl StoryHub {
    pub(crate) fn new(host: Arc<dyn StoryHost>, run: &str) -> StoryHub {
        StoryHub {
            host,
            run: run.into(),
            plays: Mutex::default(),
            creations: Mutex::default(),
            calls: Arc::new(Semaphore::new(HOST_CALLS_MAX)),
            is_ending: Arc::default(),
            places: None,
        }
    }

    /// Takes a place for each story in play.
    pub(crate) fn with_places(self, places: Arc<Semaphore>) -> StoryHub {
        StoryHub { places: Some(places), ..self }
    }

    /// Stories in play.
    pub(crate) fn plays_open(&self) -> usize {
        self.plays().values().filter(|play| play.phase() != PlayPhase::Closed).count()
    }

    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// Calls the host on a thread that may block.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn StoryHost) -> Result<T, HostError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = self.calls.clone().acquire_owned().await.map_err(|_| ApiError::ending())?;
        let host = self.host.clone();
        let called = task::spawn_blocking(move || {
            let _permit = permit;
            call(host.as_ref())
        });
        called.await.map_err(|_| ApiError::from(panicked()))?.map_err(ApiError::from)
    }

    fn plays(&self) -> MutexGuard<'_, HashMap<String, Arc<StoryPlay>>> {
        self.plays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The story, if it has been in play.
    pub(crate) fn known(&self, story: &str) -> Option<Arc<StoryPlay>> {
        self.plays().get(story).cloned()
    }

    /// Puts a story into play, or waits until it is.
    pub(crate) async fn open(&self, story: &str) -> Result<Arc<StoryPlay>, ApiError> {
        loop {
            if self.is_ending.load(Ordering::Relaxed) {
                return Err(ApiError::ending());
            }
            let (play, mut news, step) = self.next_step(story)?;
            let opening = match step {
                OpeningStep::IsOpen => return Ok(play),
                OpeningStep::Opens(opening) => opening,
                OpeningStep::Begin(opening) => {
                    self.begin(&play, opening);
                    opening
                }
                OpeningStep::Ends => {
                    // The sender cannot be gone, because the play is held here.
                    let _ = news.changed().await;
                    continue;
                }
            };
            loop {
                match play.opening_result(opening) {
                    Some(Ok(())) => return Ok(play),
                    Some(Err(error)) => return Err(self.not_opened(&play, error)),
                    None => {}
                }
                let _ = news.changed().await;
            }
        }
    }

    /// Looks on at a story without putting it into play.
    pub(crate) fn look_on(&self, story: &str) -> (Arc<StoryPlay>, WatchGuard) {
        let mut plays = self.plays();
        let play = plays
            .entry(story.to_owned())
            .or_insert_with(|| Arc::new(StoryPlay::new(story, self.run.clone())));
        // Within the lock, so that the entry is not removed before it is watched.
        (play.clone(), play.watch(WatcherKind::Reader))
    }

    /// Returns the story and what is to be done; marks it as being opened if the caller has to do it.
    fn next_step(&self, story: &str) -> Result<NextStep, ApiError> {
        let mut plays = self.plays();
        let play = plays.get(story).cloned();
        let play = play.unwrap_or_else(|| Arc::new(StoryPlay::new(story, self.run.clone())));
        // Before the state is looked at, so that no change of it is missed.
        let news = play.news();
        let step = play.opening_step();
        if let OpeningStep::Begin(opening) = step {
            make_room(&plays)?;
            let place = self.places.clone().map(Semaphore::try_acquire_owned).transpose();
            let place = place.map_err(|_| {
                ApiError::too_many(format!("{SERVER_PLAYS_MAX} stories are in play on this server"))
                    .hint("try again in a minute")
            })?;
            plays.insert(story.to_owned(), play.clone());
            play.begin(opening, place);
        }
        Ok((play, news, step))
    }

    /// Opens the story on a thread of its own. Goes on if the one who asked has gone.
    fn begin(&self, play: &Arc<StoryPlay>, opening: u64) {
        let (play, host, is_ending) = (play.clone(), self.host.clone(), self.is_ending.clone());
        task::spawn_blocking(move || {
            let opened = catch_unwind(AssertUnwindSafe(|| play.open(opening, host.as_ref())));
            if opened.is_err() {
                play.not_opened(opening, panicked());
            }
            if let (true, Some(player)) = (is_ending.load(Ordering::Relaxed), play.player()) {
                player.close();
            }
        });
    }

    fn not_opened(&self, play: &Arc<StoryPlay>, error: HostError) -> ApiError {
        let mut plays = self.plays();
        let is_same = plays.get(&play.story).is_some_and(|known| Arc::ptr_eq(known, play));
        // Otherwise any name that is asked for would be kept.
        if is_same && play.is_needless() {
            plays.remove(&play.story);
        }
        error.into()
    }

    /// Makes a story once, however often that is asked for with one id.
    pub(crate) async fn create(&self, id: String, new: NewStory) -> Result<String, ApiError> {
        if self.is_ending.load(Ordering::Relaxed) {
            return Err(ApiError::ending());
        }
        let permit = self.calls.clone().acquire_owned().await.map_err(|_| ApiError::ending())?;
        let mut creation = self.creation(id.clone(), new, permit);
        let result = match creation.wait_for(Option::is_some).await {
            Ok(result) => result.clone().unwrap_or_else(|| Err(panicked())),
            Err(_) => Err(panicked()),
        };
        if result.is_err() {
            // The next request with this id tries again.
            let mut creations = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
            creations.retain(|(known, other)| *known != id || !other.same_channel(&creation));
        }
        result.map_err(ApiError::from)
    }

    fn creation(&self, id: String, new: NewStory, permit: OwnedSemaphorePermit) -> Creation {
        let mut creations = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, creation)) = creations.iter().find(|(known, _)| *known == id) {
            return creation.clone();
        }
        let (done, creation) = watch::channel(None);
        let host = self.host.clone();
        task::spawn_blocking(move || {
            let _permit = permit;
            done.send_replace(Some(host.create(&new)))
        });
        creations.push_back((id, creation.clone()));
        if creations.len() > CREATION_IDS_MAX {
            creations.pop_front();
        }
        creation
    }

    /// The story as it is now, and the number of the last event that is in it.
    pub(crate) async fn snapshot(
        &self,
        story: &str,
        may_play: bool,
    ) -> Result<(Value, u64), ApiError> {
        let (mut snapshot, number) = self.snapshot_of_all(story).await?;
        snapshot["mayPlay"] = may_play.into();
        Ok((snapshot, number))
    }

    async fn snapshot_of_all(&self, story: &str) -> Result<(Value, u64), ApiError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let name = story.to_owned();
            let told = self.call(move |host| host.snapshot(&name)).await?;
            let Some(play) = self.known(story) else { return Ok((self.not_in_play(told), 0)) };
            let mut news = play.news();
            if let Some(snapshot) = play.snapshot(&told, tries >= SNAPSHOT_TRIES) {
                return Ok(snapshot);
            }
            let _ = timeout(SNAPSHOT_WAIT, news.changed()).await;
        }
    }

    fn not_in_play(&self, mut told: Value) -> Value {
        let turns = told.get("turns").and_then(Value::as_u64).unwrap_or_default();
        let part = json!({
            "at": event_id(&self.run, turns, 0),
            "ready": false,
            "running": null,
            "pending": [],
            "review": null,
            "reviewing": false,
        });
        if let (Some(whole), Value::Object(part)) = (told.as_object_mut(), part) {
            whole.extend(part);
        }
        told
    }

    /// Closes the stories that wait for a line and that nobody has watched for that time.
    pub(crate) fn close_unwatched(&self, time: Duration) {
        let plays = self.plays();
        for player in plays.values().filter_map(|play| play.close_if_unwatched(time)) {
            close(player);
        }
    }

    /// Lets the turns end, for that time, and then stops them.
    pub(crate) async fn end(&self, time: Duration) {
        self.is_ending.store(true, Ordering::Relaxed);
        let plays: Vec<Arc<StoryPlay>> = self.plays().values().cloned().collect();
        plays.iter().filter_map(|play| play.player()).for_each(close);
        let in_time = Instant::now() + time;
        for play in &plays {
            if !has_closed(play, in_time).await
                && let Some(player) = play.player()
            {
                task::spawn_blocking(move || player.stop());
            }
        }
        let at_last = Instant::now() + STOP_TIME;
        for play in &plays {
            if !has_closed(play, at_last).await {
                play.give_up("the turn did not end");
            }
        }
    }
}

/// Closes a story that nobody watches if there are as many in play as may be.
fn make_room(plays: &HashMap<String, Arc<StoryPlay>>) -> Result<(), ApiError> {
    let is_open =
        |play: &&Arc<StoryPlay>| !matches!(play.phase(), PlayPhase::Closed | PlayPhase::Closing);
    if plays.values().filter(is_open).count() < PLAYS_MAX {
        return Ok(());
    }
    let unwatched = plays.values().filter_map(|play| Some((play.unwatched_for()?, play)));
    let longest = unwatched.max_by_key(|(time, _)| *time);
    match longest.and_then(|(_, play)| play.close_if_unwatched(Duration::ZERO)) {
        Some(player) => {
            close(player);
            Ok(())
        }
        None => Err(ApiError::too_many(format!("{PLAYS_MAX} stories are in play"))
            .hint("close the page of another story")),
    }
}

fn close(player: Arc<dyn Player>) {
    task::spawn_blocking(move || player.close());
}

/// Waits until a play has closed.
async fn has_closed(play: &StoryPlay, deadline: Instant) -> bool {
    let mut news = play.news();
    while play.phase() != PlayPhase::Closed {
        if timeout_at(deadline, news.changed()).await.is_err() {
            return false;
        }
    }
    true
}
