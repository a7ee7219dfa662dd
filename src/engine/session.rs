//! A story that is being played. Owns the story, the skills and the planner between turns; a `TurnRun` plays each turn.

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    ClockAndIds, FinishedTurn, PlanDraft, Reviewer, Scripts, SessionOptions, SkillLoader,
    SkillStatus, TurnError, TurnRequest, UnfinishedPlan, Update,
    attempt_log::AttemptLog,
    campaign_notes::CampaignNotes,
    entity_place::EntityPlace,
    host_resources::HostResources,
    plan_draft::FILE_PLANNER,
    plan_request::{PREFILL_MAX, PlanRequestBuilder},
    plan_source::PlanSource,
    replan_loop,
    resume::{check_no_unfinished_plan, check_nothing_awaits_approval, restore, unfinished_plan},
    session_skills::SessionSkills,
    skill_status,
    turn_context::TurnContext,
    turn_log::{TurnLog, log_session, log_skills},
    turn_request::check_prompt,
    turn_run::TurnRun,
    update::UpdateSink,
};
use narratoria_executor::{ApprovalPolicy, PendingRequests};
use narratoria_narrator::Planner;
use narratoria_protocol::{EntityId, Memory};
use narratoria_skills::{Catalog, HealthTracker, PackageOrigin, Problem, StoryGuidance};
use narratoria_story::{MemoryEdit, Story};

/// Everything that a session needs.
pub struct SessionSetup {
    /// The usable skills.
    pub catalog: Catalog,
    /// Problems of other packages, for [`Session::started_update`].
    pub problems: Vec<Problem>,
    /// The components of `catalog`.
    pub scripts: Scripts,
    pub planner: Box<dyn Planner>,
    pub story: Story,
    pub clock_and_ids: ClockAndIds,
    pub options: SessionOptions,
}

/// A story being played.
pub struct Session {
    /// The story's entities for the scripts of this turn. The field precedes the story, so that this reader is closed
    /// first: SQLite removes its log only with the last connection, if that one may write.
    entities: Option<EntityPlace>,
    problems: Vec<Problem>,
    skills: SessionSkills,
    planner: Box<dyn Planner>,
    story: Story,
    clock_and_ids: ClockAndIds,
    options: SessionOptions,
    /// Lives as long as the session: a restart resets it (S1 §3.1).
    health: HealthTracker,
    /// Requests of running plans that wait for the player.
    pending: PendingRequests,
    /// The planner's name in the last update that had one.
    reported_planner: String,
    /// The dice of the next turn, if the player asked for those of another turn.
    next_seed: Option<u64>,
    /// Lore and people of the story's campaign.
    campaign_notes: CampaignNotes,
    /// The guides and notes for the texts of this turn's scripts.
    guidance: Option<Arc<StoryGuidance>>,
    /// True if the last turn ended because the host could not do its job. Its journal may remain.
    has_failed: bool,
}

impl Session {
    pub fn open(setup: SessionSetup) -> Session {
        let SessionSetup { catalog, problems, scripts, planner, story, clock_and_ids, options } =
            setup;
        log_session(&story, &catalog);
        Session {
            problems,
            skills: SessionSkills::new(catalog, scripts),
            reported_planner: planner.name().to_owned(),
            planner,
            campaign_notes: CampaignNotes::of(&story),
            guidance: None,
            story,
            clock_and_ids,
            options,
            health: HealthTracker::default(),
            pending: PendingRequests::new(),
            next_seed: None,
            has_failed: false,
            entities: None,
        }
    }

    pub fn story(&self) -> &Story {
        &self.story
    }

    /// Changes a memory for the player. Returns it as it is afterwards, or as it was if it is deleted.
    pub fn edit_memory(
        &mut self,
        id: EntityId,
        edit: &MemoryEdit<'_>,
    ) -> Result<Memory, TurnError> {
        Ok(self.story.edit_memory(id, edit, self.clock_and_ids.now())?)
    }

    pub(crate) fn scripts(&self) -> &Arc<Scripts> {
        self.skills.scripts()
    }

    pub(crate) fn clock_and_ids(&self) -> &ClockAndIds {
        &self.clock_and_ids
    }

    pub(crate) fn story_mut(&mut self) -> &mut Story {
        &mut self.story
    }

    /// Sets the dice of the next turn.
    pub(crate) fn set_next_seed(&mut self, seed: Option<u64>) {
        self.next_seed = seed;
    }

    /// The usable skills.
    pub fn catalog(&self) -> &Catalog {
        self.skills.catalog()
    }

    /// Usable skills that came with the program.
    pub fn built_in_skills(&self) -> BTreeSet<String> {
        let built_in = self.catalog().iter().filter(|skill| skill.origin == PackageOrigin::BuiltIn);
        built_in.map(|skill| skill.name.clone()).collect()
    }

    /// Takes approvals and answers while a turn is played. A clone may go to any thread.
    pub fn pending_requests(&self) -> PendingRequests {
        self.pending.clone()
    }

    /// Returns the first update of a session.
    pub fn started_update(&self) -> Update {
        Update::SessionStarted {
            story: self.story.name().to_string(),
            turns: self.story.turns(),
            skills: self.catalog().iter().map(|skill| skill.name.clone()).collect(),
            problems: self.problems.iter().map(ToString::to_string).collect(),
            narrator: self.reported_planner.clone(),
        }
    }

    /// Returns the last update of a session.
    pub fn finished_update(&self) -> Update {
        Update::SessionFinished { story: self.story.name().to_string(), turns: self.story.turns() }
    }

    /// Plays one turn to its end. The turn ends in a story, whatever skills and planners do. `Err` means that the host
    /// could not do its job; the story is then as it was before.
    pub async fn turn(
        &mut self,
        prompt: &str,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<FinishedTurn, TurnError> {
        self.play(TurnRequest::sentence(prompt), cancel, updates).await.map(|(turn, _)| turn)
    }

    /// Plays one turn to its end, as [`Session::turn`] does. Also returns the execution result of the last
    /// plan that ran, if one did and [`SessionOptions::returns_result`] asks for it.
    ///
    /// A plan of the request runs under a fresh id, because a file may be run twice and an id names one
    /// execution; its own id, if it has one, becomes the parent.
    pub async fn play(
        &mut self,
        request: TurnRequest<'_>,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<(FinishedTurn, Option<Value>), TurnError> {
        let TurnRequest { prompt, plan, reviewer } = request;
        let prompt = check_prompt(prompt)?;
        self.drop_failed_plan()?;
        check_no_unfinished_plan(&self.story)?;
        let attempts = AttemptLog::new(self.health.permanent_failures());
        let draft = plan.map(|mut json| {
            json.metadata.parent_plan_id = Some(json.request_id).filter(|id| !id.is_empty());
            json.request_id = self.clock_and_ids.new_id();
            let (disabled, state) = (attempts.disabled().clone(), self.story.state().as_object());
            PlanDraft::from_file(json, self.catalog(), disabled, state)
        });
        let draft = draft.transpose()?;
        let mut context = self.turn_context(prompt, cancel);
        context.seed = self.next_seed.take().unwrap_or(context.seed);
        let mut log = TurnLog::new(&self.options);
        let mut updates = log.follow(updates);
        let mut turn = self.start_turn(context, attempts, &mut updates);
        if let Some(PlanDraft { json, created_by, .. }) = &draft {
            turn.record_proposal(created_by, json);
        }
        let (can_replan, first) = (draft.is_none(), draft.map(Into::into));
        let source = PlanSource { first, can_replan, reviewer, regenerations: 0 };
        let played = replan_loop::play(turn, source).await;
        self.has_failed = played.is_err();
        played
    }

    /// Drops the plan of a failed turn, for instance on a full disk, because the player has read that the story is as
    /// it was.
    fn drop_failed_plan(&mut self) -> Result<(), TurnError> {
        if self.has_failed && self.story.holds_plan() {
            self.story.journal_drop()?;
        }
        self.has_failed = false;
        Ok(())
    }

    /// Returns the plan that a process left unfinished in this story. Returns an error if the plan runs in another
    /// process, because no plan can run here meanwhile.
    pub fn unfinished_plan(&self) -> Result<Option<UnfinishedPlan>, TurnError> {
        unfinished_plan(&self.story)
    }

    /// Drops the unfinished plan; the story is as it was before that turn. Returns false if there was none.
    pub fn drop_unfinished(&mut self) -> Result<bool, TurnError> {
        Ok(self.story.journal_drop()?)
    }

    /// Plays the turn of the unfinished plan to its end; returns `None` if there is no such plan. If the plan fails,
    /// others follow as in any turn; `reviewer` reviews only those.
    ///
    /// # Errors
    ///
    /// Returns an error and leaves the turn open if a step needs an approval and the options deny all: a person may have
    /// been about to decide when the process ended.
    pub async fn resume(
        &mut self,
        reviewer: Option<&mut dyn Reviewer>,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<Option<(FinishedTurn, Option<Value>)>, TurnError> {
        let Some(journal) = self.story.journal_resume()? else { return Ok(None) };
        let journal = journal.content;
        let prompt = journal.prompt.clone();
        let context = TurnContext {
            seed: journal.seed,
            started_at: journal.started_at,
            ..self.turn_context(&prompt, cancel)
        };
        let (attempts, start) = restore(journal, &self.story, self.catalog(), &self.health)?;
        if self.options.approvals == ApprovalPolicy::Deny {
            check_nothing_awaits_approval(&start, &prompt, &self.story)?;
        }
        // An edited plan from a file still has no sentence for a planner.
        let can_replan = attempts.first_planner() != Some(FILE_PLANNER);
        let source = PlanSource { first: Some(start), can_replan, reviewer, regenerations: 0 };
        let mut log = TurnLog::new(&self.options);
        let mut updates = log.follow(updates);
        let turn = self.start_turn(context, attempts, &mut updates);
        replan_loop::play(turn, source).await.map(Some)
    }

    fn turn_context<'a>(&self, prompt: &'a str, cancel: &'a CancellationToken) -> TurnContext<'a> {
        let notes = self.campaign_notes.relevant(prompt, self.story.state().as_object());
        TurnContext::next(&self.story, prompt, notes, self.clock_and_ids.now(), cancel)
    }

    /// Reports the changes since the last turn, and that this one has started.
    fn start_turn<'a>(
        &'a mut self,
        context: TurnContext<'a>,
        attempts: AttemptLog,
        updates: UpdateSink<'a>,
    ) -> TurnRun<'a> {
        let started = Instant::now();
        self.entities = Some(EntityPlace::of_turn(&self.story, self.entities.take()));
        let notes = context.notes.notes.iter();
        let notes: Vec<(&str, &str)> = notes.map(|note| (&*note.name, &*note.text)).collect();
        self.guidance = (!notes.is_empty())
            .then(|| Arc::new(self.skills.scripts().guidance().with_notes(&notes)));
        self.report_skills(updates);
        self.report_planner(updates);
        updates(Update::TurnStarted { turn: context.turn, prompt: context.prompt.to_owned() });
        TurnRun {
            host: HostResources {
                catalog: self.skills.catalog(),
                scripts: self.skills.scripts(),
                options: &self.options,
                clock_and_ids: &self.clock_and_ids,
                pending: &self.pending,
                entities: self.entities.as_ref(),
                guidance: self.guidance.as_ref(),
            },
            planner: &mut *self.planner,
            story: &mut self.story,
            health: &mut self.health,
            context,
            attempts,
            updates,
            started,
        }
    }

    /// Reports a change of the planner.
    fn report_planner(&mut self, updates: UpdateSink<'_>) {
        let to = self.planner.name().to_owned();
        if to != self.reported_planner {
            let from = std::mem::replace(&mut self.reported_planner, to.clone());
            updates(Update::NarratorChanged { from, to });
        }
    }

    /// Lets the planner read ahead while the player types a sentence. Returns at once. Takes the skills that
    /// are ready, so that the planner reads the right ones.
    pub fn prepare(&mut self) {
        self.take_skills();
        if !self.planner.reads_ahead() {
            return;
        }
        let cancel = CancellationToken::new();
        let attempts = AttemptLog::new(self.health.permanent_failures());
        let context = self.turn_context("", &cancel);
        let (catalog, state) = (self.skills.catalog(), self.story.state().as_object());
        // The request asks for no plan, so it has no id.
        let builder =
            PlanRequestBuilder::new(&context, catalog, state, &attempts, &self.health, "");
        self.planner.prepare(&builder.build(self.options.generation_timeout, None));
    }

    /// Lets the planner read ahead and waits for it, `PREFILL_MAX` at most, when no player is typing.
    pub async fn prefill(&mut self) {
        let cancel = CancellationToken::new();
        let attempts = AttemptLog::new(self.health.permanent_failures());
        let context = self.turn_context("", &cancel);
        let (catalog, state) = (self.skills.catalog(), self.story.state().as_object());
        let builder =
            PlanRequestBuilder::new(&context, catalog, state, &attempts, &self.health, "");
        self.planner.prefill(builder.build(PREFILL_MAX, None)).await;
    }

    /// Takes further skills from this loader, which must be the one that loaded the session's first skills.
    pub fn set_skill_loader(&mut self, loader: SkillLoader) {
        self.skills.set_loader(loader);
    }

    /// Checks if packages have changed, and takes the skills that are ready. Returns true if anything has changed. With
    /// a
    /// `limit`, waits no longer than that and only for small components; without one, until all skills are ready.
    pub async fn refresh_skills(&mut self, limit: Option<Duration>) -> bool {
        self.skills.refresh(limit).await;
        self.take_skills()
    }

    fn take_skills(&mut self) -> bool {
        self.skills.take_changes(&mut self.health)
    }

    /// The usable skills with their health, in name order.
    pub fn skill_statuses(&self) -> Vec<SkillStatus> {
        skill_status::list(self.catalog(), &self.health)
    }

    /// Forgets the failures of a skill, so that plans use it again (S0 FR-028). Returns the update, or `None` if the
    /// skill was healthy. The error names a skill that is not in play.
    pub fn enable_skill(&mut self, name: &str) -> Result<Option<Update>, TurnError> {
        let changed = skill_status::enable(name, self.skills.catalog(), &mut self.health)?;
        let turn = self.story.turns().max(1);
        Ok(changed.map(|change| Update::HealthChanged {
            turn,
            skill: name.to_owned(),
            from: change.from,
            to: change.to,
        }))
    }

    /// Completes when skills have changed; never without a loader.
    pub fn skills_changed(&self) -> impl Future<Output = ()> + Send + 'static {
        self.skills.changed()
    }

    /// Names of the skills that are not ready yet.
    pub fn pending_skills(&self) -> Vec<String> {
        self.skills.pending_names()
    }

    /// Returns the names of the pending skills that take a moment rather than seconds.
    pub fn small_pending_skills(&self) -> Vec<String> {
        self.skills.small_pending_names()
    }

    /// Reports the skills that have changed since the last report.
    pub fn report_skills(&mut self, updates: UpdateSink<'_>) {
        for update in self.skills.take_updates() {
            log_skills(&update);
            updates(update);
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("story", &self.story.name()).finish_non_exhaustive()
    }
}
