//! Where the lexical planner is in the story that it tells. It writes this into its plan, so a scene knows the thread that it
//! follows, and the next tick goes on from there.

use serde_json::{Value, json};

use super::{
    arcs::{ARCS, Arc, BEATS, Beat, PersonSpec, THREADS, Thread},
    cast::CastNames,
    chapters::{Chapter, STEPS},
    story_view::{TickCharacter, TickLoop, TickStory},
};
use narratoria_protocol::Object;

/// The field of the plan.
pub const THREAD_KEY: &str = "thread";

/// In the thread of a loop that is answered: the answer.
pub(super) const ANSWER_KEY: &str = "answer";

/// A place in an arc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArcPlace {
    /// Counts the arcs of the story from 0.
    pub(super) arc_nth: u64,
    /// [`THREADS`] for the end of the arc.
    pub(super) thread_idx: usize,
    pub(super) beat_idx: usize,
    /// Names of the persons of the threads so far.
    pub(super) people: Vec<String>,
    /// Names of the places of the threads so far.
    pub(super) places: Vec<String>,
}

/// What a scene of the lexical planner follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SceneThread {
    Arc(ArcPlace),
    /// A loop that no arc has opened: by the player, a skill or a model.
    Loop {
        id: String,
        stage: usize,
        cast: CastNames,
    },
    /// What the story tells after its last arc.
    Chapter(Chapter),
    /// A scene of people and places that the story has, in which nothing is opened and nothing is answered.
    Quiet(CastNames),
}

/// The key of the people of a quiet scene.
const QUIET_KEY: &str = "quiet";

/// Stages of a loop that no arc has opened: taken up, harder, settled.
pub(super) const STAGES: usize = 3;

impl ArcPlace {
    /// The beginning of an arc.
    pub(super) fn begin(arc_nth: u64) -> ArcPlace {
        ArcPlace { arc_nth, thread_idx: 0, beat_idx: 0, people: Vec::new(), places: Vec::new() }
    }

    /// The arc of a story with that seed.
    pub(super) fn arc(&self, seed: u64) -> &'static Arc {
        let count = ARCS.len() as u64;
        let at = (seed >> 3).wrapping_add(self.arc_nth) % count;
        ARCS[usize::try_from(at).unwrap_or_default()]
    }

    /// The thread; that of the end is the last one.
    pub(super) fn thread(&self, seed: u64) -> &'static Thread {
        &self.arc(seed).threads[self.place_idx()]
    }

    pub(super) fn is_end(&self) -> bool {
        self.thread_idx == THREADS
    }

    pub(super) fn beat(&self, seed: u64) -> &'static Beat {
        match self.is_end() {
            true => &self.arc(seed).end,
            false => &self.thread(seed).beats[self.beat_idx],
        }
    }

    /// The next place in the arc, or the beginning of the next arc; `None` after the last. No story tells an arc twice.
    pub(super) fn next(mut self) -> Option<ArcPlace> {
        if self.is_end() {
            let next = self.arc_nth + 1;
            return (next < ARCS.len() as u64).then(|| ArcPlace::begin(next));
        }
        self.beat_idx += 1;
        if self.beat_idx == BEATS {
            self.beat_idx = 0;
            self.thread_idx += 1;
        }
        Some(self)
    }

    /// Index of the thread whose person this thread has.
    pub(super) fn person_idx(&self, seed: u64) -> usize {
        let at = self.place_idx();
        match self.arc(seed).threads[at].person {
            PersonSpec::Same(earlier) => earlier,
            PersonSpec::New(_) | PersonSpec::Friend(_) => at,
        }
    }

    /// Index of the thread that the scene belongs to.
    pub(super) fn place_idx(&self) -> usize {
        self.thread_idx.min(THREADS - 1)
    }

    /// The person of the thread, if the story knows one by now.
    pub(super) fn person<'a>(&self, story: &'a TickStory, seed: u64) -> Option<&'a TickCharacter> {
        let name = self.people.get(self.person_idx(seed)).filter(|name| !name.is_empty())?;
        story.characters.iter().find(|one| one.name == *name)
    }

    /// True if the loop is the question of the arc, or of a thread of it.
    pub(super) fn owns(&self, one: &TickLoop, seed: u64, town: &str) -> bool {
        let arc = self.arc(seed);
        let questions = arc.threads.iter().map(|thread| thread.question).chain([arc.question]);
        questions.into_iter().any(|question| one.description == question.replace("{town}", town))
    }
}

impl SceneThread {
    pub(super) fn to_value(&self) -> Value {
        match self {
            SceneThread::Arc(ArcPlace { arc_nth, thread_idx, beat_idx, people, places }) => json!({
                "arc": arc_nth, "thread": thread_idx, "beat": beat_idx, "people": people, "places": places,
            }),
            SceneThread::Loop { id, stage, cast } => {
                let mut value = cast.to_value();
                value["loop"] = id.as_str().into();
                value["stage"] = (*stage).into();
                value
            }
            SceneThread::Chapter(Chapter { nth, step, question, cast }) => {
                let mut value = cast.to_value();
                value["chapter"] = (*nth).into();
                value["step"] = (*step).into();
                value["question"] = question.as_str().into();
                value
            }
            SceneThread::Quiet(cast) => {
                let mut value = cast.to_value();
                value[QUIET_KEY] = true.into();
                value
            }
        }
    }

    /// Reads what a plan has. It may have been edited, so anything that does not fit is no thread.
    pub(super) fn from_object(object: &Object) -> Option<SceneThread> {
        let number = |key: &str| object.get(key).and_then(Value::as_u64);
        let counter = |key: &str| number(key).filter(|nth| *nth < u64::from(u32::MAX));
        let index = |key: &str, limit: usize| {
            number(key).and_then(|found| usize::try_from(found).ok()).filter(|at| *at <= limit)
        };
        let cast = || CastNames::from_object(object);
        if let Some(id) = object.get("loop").and_then(Value::as_str) {
            let stage = index("stage", STAGES - 1)?;
            return Some(SceneThread::Loop { id: id.to_owned(), stage, cast: cast() });
        }
        if object.contains_key("chapter") {
            let question = object.get("question").and_then(Value::as_str).unwrap_or_default();
            return Some(SceneThread::Chapter(Chapter {
                nth: counter("chapter")?,
                step: index("step", STEPS - 1)?,
                question: question.to_owned(),
                cast: cast(),
            }));
        }
        if object.contains_key(QUIET_KEY) {
            return Some(SceneThread::Quiet(cast()));
        }
        let names = |key: &str| -> Vec<String> {
            let list = object.get(key).and_then(Value::as_array).into_iter().flatten();
            list.take(THREADS).filter_map(|name| name.as_str().map(str::to_owned)).collect()
        };
        Some(SceneThread::Arc(ArcPlace {
            arc_nth: counter("arc")?,
            thread_idx: index("thread", THREADS)?,
            beat_idx: index("beat", BEATS - 1)?,
            people: names("people"),
            places: names("places"),
        }))
    }

    /// The thread of the next scene: of the weightiest open loop that a tick may answer, unless the story's own arcs have
    /// opened it. Otherwise the arcs go on in a story that began with them or with nothing, and chapters follow the last;
    /// a story with people and places of its own has a quiet scene.
    pub(super) fn next(story: &TickStory, seed: u64, town: &str) -> SceneThread {
        let threads = || story.scenes.iter().rev().filter_map(|scene| scene.thread.as_ref());
        let last = threads().filter_map(SceneThread::from_object).find(SceneThread::is_own);
        let owns = |one: &TickLoop| match &last {
            Some(SceneThread::Arc(place)) => place.owns(one, seed, town),
            Some(SceneThread::Chapter(chapter)) => one.description == chapter.question,
            _ => false,
        };
        if let Some(one) = story.weightiest_loop().filter(|one| !owns(one)) {
            let stages = threads()
                .filter(|thread| thread.get("loop").and_then(Value::as_str) == Some(&one.id));
            let stage = stages.count().min(STAGES - 1);
            return SceneThread::Loop { id: one.id.clone(), stage, cast: CastNames::default() };
        }
        if !is_invented(story) {
            return SceneThread::Quiet(CastNames::default());
        }
        match last {
            Some(SceneThread::Arc(place)) => place
                .next()
                .map_or_else(|| SceneThread::Chapter(Chapter::default()), SceneThread::Arc),
            Some(SceneThread::Chapter(chapter)) => SceneThread::Chapter(chapter.next()),
            _ => SceneThread::Arc(ArcPlace::begin(0)),
        }
    }

    /// True for what the planner tells of its own accord.
    fn is_own(&self) -> bool {
        matches!(self, SceneThread::Arc(_) | SceneThread::Chapter(_))
    }
}

/// True if the planner may invent people, places and a town: the story has none of its own, or began with those of an arc.
pub(super) fn is_invented(story: &TickStory) -> bool {
    let threads = story.scenes.iter().filter_map(|scene| scene.thread.as_ref());
    let mut own = threads.filter_map(SceneThread::from_object).filter(SceneThread::is_own);
    let is_empty = story.characters.is_empty() && story.locations.is_empty();
    story.world.is_none() && (is_empty || own.next().is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_arc_has_thirteen_scenes() {
        let mut place = ArcPlace::begin(0);
        let mut titles = Vec::new();
        while place.arc_nth == 0 {
            titles.push(place.beat(8).title);
            place = place.next().unwrap();
        }
        assert_eq!(titles.len(), 13, "{titles:?}");
        assert_eq!(titles.last(), Some(&place_title_of_end()));
    }

    fn place_title_of_end() -> &'static str {
        ArcPlace::begin(0).arc(8).end.title
    }

    proptest! {
        #[test]
        fn a_thread_is_read_as_it_was_written(arc in 0..9_u64, thread in 0..=THREADS, beat in 0..BEATS) {
            let people = vec!["Ada Birch".to_owned()];
            let place = ArcPlace { arc_nth: arc, thread_idx: thread, beat_idx: beat, people, places: Vec::new() };
            let written = SceneThread::Arc(place);
            let value = written.to_value();
            prop_assert_eq!(SceneThread::from_object(value.as_object().unwrap()), Some(written));
        }

        #[test]
        fn other_threads_are_read_as_they_were_written(nth in 0..9_u64, at in 0..STAGES) {
            let name = |name: &str| name.to_owned();
            let cast = CastNames { pov: name("Ada"), other: name("Bo"), place: name("quay") };
            let threads = [
                SceneThread::Loop { id: name("OL7"), stage: at, cast: cast.clone() },
                SceneThread::Chapter(Chapter { nth, step: at, question: name("Who?"), cast: cast.clone() }),
                SceneThread::Quiet(cast),
            ];
            for written in threads {
                let value = written.to_value();
                prop_assert_eq!(SceneThread::from_object(value.as_object().unwrap()), Some(written));
            }
        }

        /// A person may have edited the plan.
        #[test]
        fn any_thread_is_read_or_left_alone(arc in any::<i64>(), thread in any::<i32>(), beat in any::<u8>()) {
            let value = json!({"arc": arc, "thread": thread, "beat": beat, "people": [1, "a"], "places": "b"});
            if let Some(SceneThread::Arc(place)) = SceneThread::from_object(value.as_object().unwrap()) {
                place.beat(3);
                if let Some(next) = place.clone().next() {
                    next.beat(3);
                }
                place.person_idx(1);
            }
        }
    }
}
