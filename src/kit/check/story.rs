//! The story around the requests of a check: a real one, which the built-in skills have begun and played for some turns.
//! In a made-up state a script could tell a check by a part that no skill writes like that. Knows sessions and planners;
//! knows nothing of the checked package.

use std::{
    collections::BTreeSet,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use jiff::Timestamp;
use narratoria_campaign::{CampaignSource, compile};
use narratoria_engine::{
    ClockAndIds, GrantedResources, Scripts, Session, SessionOptions, SessionSetup, TurnRequest,
};
use narratoria_executor::{ApprovalPolicy, QuestionPolicy};
use narratoria_narrator::{LexicalPlanner, campaign_opening_plan, opening_plan};
use narratoria_protocol::{CompiledCampaign, EntityReader, Object, key_of_token};
use narratoria_skills::{Catalog, Skill};
use narratoria_story::{Story, StoryName, campaign_folder};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::options::{CheckCampaign, CheckOptions};
use crate::chance::RequestChance;

/// The skills that play it; the others are not compiled for it. They make a world, tell, and throw dice.
const SKILLS: [&str; 4] = ["world", "storyteller", "dice-roller", "player-choices"];
/// Further skills that a campaign needs: its plot, and the opinions of factions and people.
const CAMPAIGN_SKILLS: [&str; 3] = ["plot", "reputation", "npc-perception"];
/// Most turns after the beginning. Each takes some milliseconds.
const TURNS_MAX: i64 = 6;
/// One story in this number has a campaign.
const CAMPAIGN_ONE_IN: i64 = 4;
/// One sentence in this number is no deed that the world offers.
const FREE_SENTENCE_ONE_IN: i64 = 4;
/// Range of the second in which a story began.
const BEGAN: (i64, i64) = (1_600_000_000, 1_900_000_000);

/// The story of a check, which is played once a package needs it. Clones share it, and so may checks with the same seed and
/// sandbox, one after the other.
#[derive(Clone)]
pub struct CheckStoryCell {
    /// The folder in which the story has its own; `None` for the scratch folder of the check.
    folder: Option<PathBuf>,
    story: Arc<OnceCell<CheckStory>>,
}

impl CheckStoryCell {
    /// For one check.
    pub fn new() -> CheckStoryCell {
        CheckStoryCell { folder: None, story: Arc::default() }
    }

    /// For several checks. The folder lasts as long as they do.
    pub fn shared(folder: PathBuf) -> CheckStoryCell {
        CheckStoryCell { folder: Some(folder), story: Arc::default() }
    }

    pub(super) async fn play(&self, options: &CheckOptions) -> Result<&CheckStory, String> {
        let folder = self.folder.as_deref().unwrap_or(&options.scratch);
        self.story.get_or_try_init(|| CheckStory::play(options, folder)).await
    }
}

impl Default for CheckStoryCell {
    fn default() -> CheckStoryCell {
        CheckStoryCell::new()
    }
}

/// A story of the built-in skills.
pub(super) struct CheckStory {
    /// The state after the beginning, and after each turn.
    states: Vec<Object>,
    /// Members of the state that the built-in skills claim.
    pub(super) claimed: BTreeSet<String>,
    /// The folder of its campaign, as scripts with that grant see it.
    pub(super) campaign: Option<PathBuf>,
    /// Its people, places and memories.
    pub(super) entities: Arc<dyn EntityReader>,
    /// Removes the story in the end.
    _folder: TempDir,
}

impl CheckStory {
    /// Plays a story that follows from the seed of the check, in a folder of its own. The error says what this machine could not do.
    async fn play(options: &CheckOptions, within: &Path) -> Result<CheckStory, String> {
        let mut chance = RequestChance::of(options.seed, "story");
        let folder = TempDir::new_in(within).map_err(said)?;
        let name = StoryName::parse(chance.word()).map_err(said)?;
        let clock_and_ids = clock_and_ids(&mut chance);
        let began = (clock_and_ids.clock)();
        let root = folder.path().join("stories");
        let mut story = Story::open(&root, &name, began, chance.seed()).map_err(said)?;
        let campaign = match chance.number(1, CAMPAIGN_ONE_IN) {
            1 => begin_campaign(options, &mut story, folder.path(), began, &mut chance)?,
            _ => None,
        };
        let mut catalog = playing_skills(&options.built_in, campaign.is_some());
        let granted = GrantedResources {
            folder: Some(story.folder().to_owned()),
            campaign: campaign.as_ref().map(|(_, folder)| folder.clone()),
            ..GrantedResources::default()
        };
        let (scripts, problems) = Scripts::prepare(&options.sandbox, &mut catalog, granted);
        if let Some(problem) = problems.first() {
            return Err(problem.to_string());
        }
        let title = campaign.as_ref().map(|(campaign, _)| campaign.title());
        let mut played = PlayedSession {
            session: Session::open(SessionSetup {
                catalog,
                problems,
                scripts,
                planner: Box::new(LexicalPlanner::new()),
                story,
                clock_and_ids,
                options: session_options(),
            }),
            states: Vec::new(),
        };
        played.begin(title, &mut chance).await?;
        for _ in 0..chance.number(0, TURNS_MAX) {
            let sentence = sentence(played.session.story().state().as_object(), &mut chance);
            played.turn(TurnRequest::sentence(&sentence)).await?;
        }
        let entities = played.session.story().entity_access().map_err(said)?;
        Ok(CheckStory {
            states: played.states,
            claimed: options.built_in.iter().flat_map(|skill| claimed_members(skill)).collect(),
            campaign: campaign.map(|(_, folder)| folder),
            entities: Arc::new(entities),
            _folder: folder,
        })
    }

    /// The state when so much of the story has passed. Time does not run backwards in a story.
    pub(super) fn state_at(&self, passed: usize, total: usize) -> &Object {
        let last = self.states.len() - 1;
        &self.states[(passed * self.states.len() / total.max(1)).min(last)]
    }

    /// The state after one of its turns.
    pub(super) fn any_state(&self, chance: &mut RequestChance) -> &Object {
        let idx = chance.number(0, self.states.len() as i64 - 1);
        &self.states[usize::try_from(idx).unwrap_or_default()]
    }
}

struct PlayedSession {
    session: Session,
    states: Vec<Object>,
}

impl PlayedSession {
    async fn begin(
        &mut self,
        title: Option<&str>,
        chance: &mut RequestChance,
    ) -> Result<(), String> {
        let premise = premise(chance);
        let catalog: &Catalog = self.session.catalog();
        let (prompt, plan) = match title {
            Some(title) => (title, campaign_opening_plan(catalog, title)),
            None => (premise.as_str(), opening_plan(catalog, &premise)),
        };
        self.turn(TurnRequest { prompt, plan, reviewer: None }).await
    }

    async fn turn(&mut self, request: TurnRequest<'_>) -> Result<(), String> {
        let cancel = CancellationToken::new();
        self.session.play(request, &cancel, &mut |_| {}).await.map_err(said)?;
        self.states.push(self.session.story().state().as_object().clone());
        Ok(())
    }
}

/// The members of the state in which the claims of a skill lie.
pub(super) fn claimed_members(skill: &Skill) -> impl Iterator<Item = String> {
    let members = skill.writes.iter().filter_map(|claim| claim.pointer.split('/').nth(1));
    members.map(|member| key_of_token(member).into_owned())
}

fn playing_skills(built_in: &Catalog, has_campaign: bool) -> Catalog {
    let mut catalog = built_in.clone();
    let plays =
        |name: &str| SKILLS.contains(&name) || has_campaign && CAMPAIGN_SKILLS.contains(&name);
    let others: Vec<String> =
        built_in.iter().map(|skill| skill.name.clone()).filter(|name| !plays(name)).collect();
    for name in others {
        catalog.remove(&name);
    }
    catalog
}

fn said(error: impl ToString) -> String {
    error.to_string()
}

fn session_options() -> SessionOptions {
    SessionOptions {
        approvals: ApprovalPolicy::Grant,
        questions: QuestionPolicy::Unanswered,
        repeatable: true,
        returns_result: false,
        ..SessionOptions::new(NonZeroUsize::MIN)
    }
}

/// Ids of the seed, and a clock that advances some seconds at each reading.
fn clock_and_ids(chance: &mut RequestChance) -> ClockAndIds {
    let seconds = AtomicI64::new(chance.number(BEGAN.0, BEGAN.1));
    let step = chance.number(1, 9);
    let ids = Mutex::new(chance.clone());
    ClockAndIds {
        clock: Arc::new(move || {
            let second = seconds.fetch_add(step, Ordering::Relaxed);
            Timestamp::from_second(second).unwrap_or_default()
        }),
        ids: Arc::new(move || ids.lock().unwrap_or_else(PoisonError::into_inner).uuid()),
    }
}

/// One of the campaigns of the program, and its folder as scripts see it.
fn begin_campaign(
    options: &CheckOptions,
    story: &mut Story,
    folder: &Path,
    now: Timestamp,
    chance: &mut RequestChance,
) -> Result<Option<(CompiledCampaign, PathBuf)>, String> {
    let Some(CheckCampaign { name, files }) = chance.pick(&options.campaigns) else {
        return Ok(None);
    };
    let source = CampaignSource::in_memory(files.iter().copied());
    let compiled = compile(&source, name, None).campaign;
    let Some(campaign) = compiled else { return Ok(None) };
    story.set_campaign(&campaign).map_err(said)?;
    let seen = campaign_folder(&folder.join("campaigns"), &campaign, now).map_err(said)?;
    Ok(Some((campaign, seen)))
}

/// Returns a premise that a player might type for a new story.
fn premise(chance: &mut RequestChance) -> String {
    let (of, and) = (chance.text(3, 40), chance.text(3, 40));
    format!("a {} with a {} and the {of} of {and}", chance.word(), chance.word())
}

/// A deed that the world offers, or words of a player who does not care.
fn sentence(state: &Object, chance: &mut RequestChance) -> String {
    let offered = state.get("world").and_then(|world| world.pointer("/scope/possible"));
    let offered = offered.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_free = chance.number(1, FREE_SENTENCE_ONE_IN) == 1;
    let deed = chance.pick(offered).and_then(|one| one["sentence"].as_str());
    match deed.filter(|_| !is_free) {
        Some(deed) => deed.to_owned(),
        None => chance.text(4, 80),
    }
}
