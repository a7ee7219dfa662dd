//! One catalog, one story, one model, and what came of playing them.

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use narratoria_engine::{
    self as engine, GrantedResources, Scripts, Session, SessionOptions, SessionSetup, Update,
};
use narratoria_executor::ApprovalPolicy;
use narratoria_model::llm::Model;
use narratoria_narrator::{
    PlannerError,
    llama::{LlamaPlanner, ModelSlot},
};
use narratoria_sandbox::{Sandbox, SandboxOptions};
use narratoria_skills::{self as skills, PackageRoot};
use narratoria_story::{Story, StoryName};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::narrator::{
    packages,
    recording_planner::{CallLog, RecordingPlanner},
    sentences,
};

/// What many turns came to.
#[derive(Debug, Default)]
pub(crate) struct StressTally {
    pub(crate) plans: u64,
    pub(crate) by_model: u64,
    pub(crate) steps: u64,
    /// Of the model's own plans: prompt, reused, sampled, forced.
    pub(crate) tokens: [usize; 4],
    /// In the voice.
    pub(crate) thinking: Duration,
    /// Why another voice answered, and how often.
    pub(crate) instead: BTreeMap<String, u64>,
    /// How turns ended.
    pub(crate) outcomes: BTreeMap<String, u64>,
    /// The longest time after a deadline, and when that was.
    pub(crate) late: Duration,
    pub(crate) latest: String,
    /// What must not be.
    pub(crate) wrong: Vec<String>,
}

impl StressTally {
    pub(crate) fn add(&mut self, other: StressTally) {
        self.plans += other.plans;
        self.by_model += other.by_model;
        self.steps += other.steps;
        self.thinking += other.thinking;
        self.tokens.iter_mut().zip(other.tokens).for_each(|(sum, more)| *sum += more);
        let add = |to: &mut BTreeMap<String, u64>, from: BTreeMap<String, u64>| {
            from.into_iter().for_each(|(what, count)| *to.entry(what).or_default() += count);
        };
        add(&mut self.instead, other.instead);
        add(&mut self.outcomes, other.outcomes);
        if other.late >= self.late {
            (self.late, self.latest) = (other.late, other.latest);
        }
        self.wrong.extend(other.wrong);
    }
}

/// A session over packages at random.
pub(crate) struct RandomSession {
    seed: u64,
    rng: SmallRng,
    session: Session,
    log: CallLog,
    _folder: TempDir,
}

/// Built-in skills that the models do not see. With all twelve a prompt in characters fills the context, so the model
/// would never plan, and the others would read for most of the time.
const LEFT_OUT: [&str; 9] = [
    "character",
    "character-portraits",
    "location",
    "memory",
    "npc-perception",
    "plot",
    "relationship",
    "reputation",
    "world",
];

impl RandomSession {
    pub(crate) fn new(seed: u64, model: Model, packages_max: usize) -> RandomSession {
        let mut rng = SmallRng::seed_from_u64(seed);
        let folder = tempfile::tempdir().unwrap();
        let skills = folder.path().join("skills");
        std::fs::create_dir_all(&skills).unwrap();
        packages::write(&skills, packages_max, &mut rng);
        let roots = [PackageRoot::Folder(skills), narratoria_built_in::built_in()];
        let mut catalog = skills::load(&roots).catalog;
        LEFT_OUT.iter().for_each(|name| drop(catalog.remove(name)));
        let name = StoryName::parse("demo").unwrap();
        let opened_at = jiff::Timestamp::from_second(1_700_000_000).unwrap();
        let stories = folder.path().join("stories");
        let story = Story::open(&stories, &name, opened_at, seed).unwrap();
        // Each component is compiled once, not once for each world.
        let cache_folder = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("components"));
        let options = SandboxOptions { cache_folder, ..SandboxOptions::default() };
        let sandbox = Sandbox::open(&options).unwrap();
        let granted = GrantedResources {
            folder: Some(story.folder().to_owned()),
            ..GrantedResources::default()
        };
        let (scripts, _) = Scripts::prepare(&sandbox, &mut catalog, granted);
        let log = CallLog::default();
        let voice = LlamaPlanner::new(ModelSlot::ready(model));
        let mut options = SessionOptions::new(NonZeroUsize::new(2).unwrap());
        // A model may ask for consent, and no person is there.
        options.approvals = ApprovalPolicy::Grant;
        if rng.random_ratio(1, 8) {
            // Too little for most plans.
            options.generation_timeout = Duration::from_millis(rng.random_range(101..400));
        }
        let session = Session::open(SessionSetup {
            catalog,
            problems: Vec::new(),
            scripts,
            planner: Box::new(RecordingPlanner { voice, log: Arc::clone(&log) }),
            story,
            clock_and_ids: world(),
            options,
        });
        RandomSession { seed, rng, session, log, _folder: folder }
    }

    /// Plays turns with sentences at random.
    pub(crate) async fn play(mut self, turns: usize) -> StressTally {
        let mut tally = StressTally::default();
        for turn in 0..turns {
            let sentence = sentences::random(&mut self.rng);
            let shown: String = sentence.chars().take(40).collect();
            let place = format!("seed {}, turn {turn}, {shown:?}", self.seed);
            let mut updates = Vec::new();
            let cancel = CancellationToken::new();
            let ended =
                self.session.turn(&sentence, &cancel, &mut |update| updates.push(update)).await;
            // What has no words is refused before anybody is asked.
            let is_refused = sentence.trim().is_empty() || sentence.len() > 65_536;
            match ended {
                Ok(turn) => *tally.outcomes.entry(format!("{:?}", turn.outcome)).or_default() += 1,
                Err(_) if is_refused => {}
                Err(error) => tally.wrong.push(format!("{place}: {error}")),
            }
            look(&place, &updates, &mut tally);
            self.listen(&place, &mut tally);
        }
        tally
    }

    /// What the voice was asked, and when it answered.
    fn listen(&self, place: &str, tally: &mut StressTally) {
        for heard in self.log.lock().unwrap().drain(..) {
            tally.thinking += heard.took;
            if heard.late() >= tally.late {
                tally.late = heard.late();
                tally.latest = format!("{place}, {:?} of {:?}", heard.took, heard.budget);
            }
            match heard.answer {
                Some(Ok(answer)) => {
                    tally.by_model += 1;
                    let cost = answer.tokens.unwrap_or_default();
                    let cost = [cost.prompt, cost.reused, cost.sampled, cost.forced];
                    tally.tokens.iter_mut().zip(cost).for_each(|(sum, more)| *sum += more);
                }
                Some(Err(PlannerError::Failed { reason })) => {
                    let why = reason.replace(|char: char| char.is_ascii_digit(), "");
                    *tally.instead.entry(why).or_default() += 1;
                }
                other => tally.wrong.push(format!("{place}: the voice answered {other:?}")),
            }
        }
    }
}

/// Every plan that was proposed ran to its end, and none was refused.
fn look(place: &str, updates: &[Update], tally: &mut StressTally) {
    let (mut open, mut wrong) = (BTreeMap::new(), Vec::new());
    for update in updates {
        match update {
            Update::PlanProposed { plan, planner, attempt, .. } => {
                tally.plans += 1;
                tally.steps += plan.tools.len() as u64;
                open.insert(plan.request_id.clone(), format!("{planner}, attempt {attempt}"));
            }
            Update::PlanRejected { plan_id, errors, .. } => {
                let by = plan_id.as_ref().and_then(|plan_id| open.remove(plan_id));
                // In place of a plan that failed, a model may give up.
                let gave_up = errors.iter().all(|error| error.starts_with("the planner gave up"));
                if !gave_up {
                    wrong.push(format!("refused, by {by:?}: {errors:?}"));
                }
            }
            Update::PlanFinished { plan_id, .. } if open.remove(plan_id).is_none() => {
                wrong.push(format!("plan {plan_id} ended and was never proposed"));
            }
            _ => {}
        }
    }
    wrong.extend(open.iter().map(|(plan_id, by)| format!("plan {plan_id} by {by} never ended")));
    tally.wrong.extend(wrong.into_iter().map(|what| format!("{place}: {what}")));
}

/// A clock that advances a second at each look, and ids that count.
pub(crate) fn world() -> engine::ClockAndIds {
    static IDS: AtomicU64 = AtomicU64::new(1);
    let seconds = AtomicU64::new(1_700_000_000);
    engine::ClockAndIds {
        clock: Arc::new(move || {
            let second = seconds.fetch_add(1, Ordering::Relaxed) as i64;
            jiff::Timestamp::from_second(second).unwrap()
        }),
        ids: Arc::new(|| {
            let id = u128::from(IDS.fetch_add(1, Ordering::Relaxed));
            uuid::Uuid::from_u128(id | 4 << 76 | 8 << 60)
        }),
    }
}
