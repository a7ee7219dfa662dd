//! The scripts: they read the state and the campaign, call the engine, and write what has changed.

use std::{collections::BTreeMap, sync::Arc};

use narratoria_sdk::{Ctx, Done, SkillError, Value, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use narratoria_story_view::{Environment, campaign_document};

use crate::{
    action::{ActReport, BEGIN, DoneAction},
    advance::{DeckReader, PlotParts, PlotTurn, StandingRise},
    document::{GATES_DOCUMENT, GatesDocument, PLOT_DOCUMENT, PlotDocument, texts_document},
    journal::JournalFacts,
    loops::{Loop, Open, PlotImportance, Status},
    now::PlotNow,
    open_hint::{KnownWorld, PlayerKnowledge, open_hint},
};

/// What the player reads where there is no hint.
const NO_HINT: &str = "Nothing comes to mind. Look around, and ask people what they know.";

/// The same after an ending.
const HAS_ENDED: &str = "The story has ended. You can look around as long as you like.";

/// What the player has done.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdvanceInput {
    /// The output of `world/act`.
    #[serde(default)]
    #[schemars(extend("referenceOnly" = true))]
    pub act: Option<Value>,
    /// Whether the story begins.
    #[serde(default)]
    pub begin: bool,
    /// Decides chance; the seed of the step if missing.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// What the player chooses.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChooseInput {
    /// The label of the choice.
    #[schemars(length(min = 1, max = 200), extend("valuesFrom" = "/plot/offered", "wholeValues" = true))]
    pub choice: String,
    /// Decides chance; the seed of the step if missing.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// Nothing is needed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoPlotInput {}

/// A text for the player.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct PlotText {
    /// What the player reads.
    pub text: String,
}

/// The documents that every turn reads.
struct Campaign {
    gates: GatesDocument,
    plot: PlotDocument,
}

impl Campaign {
    /// None in a story without a campaign.
    fn read(ctx: &Ctx) -> Result<Option<Campaign>, SkillError> {
        let files = ctx.campaign();
        let Some(plot) = campaign_document(files, PLOT_DOCUMENT)? else { return Ok(None) };
        let gates = campaign_document(files, GATES_DOCUMENT)?.unwrap_or_default();
        Ok(Some(Campaign { gates, plot }))
    }

    fn parts(&self) -> PlotParts<'_> {
        PlotParts { gates: &self.gates, plot: &self.plot }
    }

    /// The plot in play; as at the beginning where the state has none.
    fn now(&self, ctx: &Ctx) -> Result<PlotNow, SkillError> {
        let mut now = ctx.state_at::<PlotNow>("/plot/now")?.unwrap_or_default();
        now.complete(&self.plot);
        Ok(now)
    }
}

/// Calls `make` with the texts of the campaign.
fn with_decks<T>(
    ctx: &Ctx,
    make: impl FnOnce(&mut DeckReader<'_>) -> Result<T, SkillError>,
) -> Result<T, SkillError> {
    let mut known = BTreeMap::new();
    let mut read = |deck: &str| {
        if let Some(texts) = known.get(deck) {
            return Ok(Arc::clone(texts));
        }
        let path = texts_document(deck);
        let texts = campaign_document(ctx.campaign(), &path)?.ok_or_else(|| {
            let message = format!("the campaign has no `{path}`");
            SkillError::new("INVALID_CAMPAIGN", message)
        })?;
        let texts = Arc::new(texts);
        known.insert(deck.to_owned(), Arc::clone(&texts));
        Ok(texts)
    };
    make(&mut read)
}

/// `plot/advance`: tells the storylets of this turn. Does nothing in a story without a campaign.
pub fn advance(ctx: &mut Ctx, input: AdvanceInput) -> Result<Done<PlotTurn>, SkillError> {
    let Some(campaign) = Campaign::read(ctx)? else {
        return Ok(Done::ok().summary("no campaign").output(PlotTurn::default()));
    };
    let seed = input.seed.unwrap_or(ctx.seed());
    let report = ActReport::read(input.act.as_ref());
    let (mut now, mut actions) = (campaign.now(ctx)?, report.done());
    if input.begin {
        now = PlotNow::begin(&campaign.plot);
        actions = vec![DoneAction { action: BEGIN.to_owned(), ..DoneAction::default() }];
    } else {
        now.turn += 1;
    }
    now.apply(&campaign.plot, &report.sets, &report.raises);
    let mut turn = with_decks(ctx, |read| {
        let environment = Environment::of(ctx.state());
        let parts = campaign.parts();
        crate::advance::advance(parts, &mut now, environment, &actions, seed, read)
    })?;
    turn.feelings.splice(0..0, report.feelings);
    if input.begin {
        let starts = campaign.plot.factions.iter().filter(|faction| faction.start != 0);
        let start = |faction: &crate::definition::FactionDefinition| StandingRise {
            faction: faction.name.clone(),
            by: faction.start,
            begin: true,
        };
        turn.reputation.splice(0..0, starts.map(start));
    }
    // The process ends now: freeing each gate of a large campaign would take a tenth of its time.
    std::mem::forget(campaign);
    finish(ctx, &now, turn)
}

/// `plot/choose`: takes a choice that a storylet has offered.
pub fn choose(ctx: &mut Ctx, input: ChooseInput) -> Result<Done<PlotTurn>, SkillError> {
    let Some(campaign) = Campaign::read(ctx)? else {
        return Err(SkillError::new("NO_CAMPAIGN", "a story without a campaign offers no choices"));
    };
    let seed = input.seed.unwrap_or(ctx.seed());
    let mut now = campaign.now(ctx)?;
    now.turn += 1;
    let turn = with_decks(ctx, |read| {
        let environment = Environment::of(ctx.state());
        crate::choose::choose(campaign.parts(), &mut now, environment, &input.choice, seed, read)
    })?;
    finish(ctx, &now, turn)
}

/// `plot/hint`: what a player reads who asks for a hint.
pub fn hint(ctx: &mut Ctx, _: NoPlotInput) -> Result<Done<PlotText>, SkillError> {
    let found = match Campaign::read(ctx)? {
        None => None,
        Some(campaign) => {
            let now = campaign.now(ctx)?;
            if now.ended.is_some() {
                return Ok(Done::ok().output(PlotText { text: HAS_ENDED.to_owned() }));
            }
            let environment = Environment::of(ctx.state());
            let parts = campaign.parts();
            with_decks(ctx, |read| crate::hint::hint(parts, &now, &environment, ctx.seed(), read))?
        }
    };
    let text = match found {
        Some(text) => text,
        None => open_hint(&known_world(ctx)?, &player_knowledge(ctx))
            .unwrap_or_else(|| NO_HINT.to_owned()),
    };
    Ok(Done::ok().output(PlotText { text }))
}

/// `plot/journal`: what the player knows.
pub fn journal(ctx: &mut Ctx, _: NoPlotInput) -> Result<Done<PlotText>, SkillError> {
    let known = player_knowledge(ctx);
    let mut facts =
        JournalFacts { ended: ctx.state_at("/plot/now/ended/title")?, ..JournalFacts::default() };
    let mut loops: Vec<Loop> = ctx.entities().find("loop", None)?;
    loops.sort_by_key(|one| std::cmp::Reverse(one.importance));
    for one in loops {
        match one.status {
            Status::Open => facts.open.push(one.description),
            Status::Resolved => facts.closed.push(one.description),
            Status::Abandoned => {}
        }
    }
    for thread in known_world(ctx)?.threads {
        if known.is_open(&thread) {
            facts.open.push(known.standing(&thread).to_owned());
        } else if known.done.contains(&thread.name) {
            facts.closed.push(thread.ending);
        }
    }
    (facts.met, facts.learned, facts.visited) = (known.met, known.learned, known.visited);
    let text = crate::journal::journal(&facts);
    Ok(Done::ok().output(PlotText { text }))
}

/// The world as its author wrote it: that of the campaign, or the one that a premise has become.
fn known_world(ctx: &Ctx) -> Result<KnownWorld, SkillError> {
    match campaign_document::<KnownWorld>(ctx.campaign(), "world.json")? {
        Some(world) => Ok(world),
        None => Ok(ctx.state_at::<KnownWorld>("/world/map")?.unwrap_or_default()),
    }
}

fn player_knowledge(ctx: &Ctx) -> PlayerKnowledge {
    ctx.state_at("/world/view").ok().flatten().unwrap_or_default()
}

/// Writes down what a turn has changed.
fn finish(ctx: &mut Ctx, now: &PlotNow, turn: PlotTurn) -> Result<Done<PlotTurn>, SkillError> {
    let patch = now.patch_from(ctx.state().pointer("/plot/now"));
    ctx.patch(json!({ "plot": patch }));
    // A thread or a memory that cannot be kept must not cost the player the turn.
    for (what, kept) in
        [("thread", keep_threads(ctx, &turn)), ("memory", keep_memories(ctx, &turn))]
    {
        if let Err(error) = kept {
            ctx.warn(&format!("a {what} was not kept: {error}"));
        }
    }
    let fired: Vec<&str> = turn.fired.iter().map(|one| one.id.as_str()).collect();
    let summary = match (&turn.ended, fired.is_empty()) {
        (Some(ended), _) => format!("the ending `{}`", ended.id),
        (None, true) => "no storylet".to_owned(),
        (None, false) => fired.join(", "),
    };
    Ok(Done::ok().summary(summary).output(turn))
}

fn keep_threads(ctx: &mut Ctx, turn: &PlotTurn) -> Result<(), SkillError> {
    if turn.opens.is_empty() && turn.closes.is_empty() {
        return Ok(());
    }
    let known: Vec<Loop> = ctx.entities().find("loop", None)?;
    let open =
        |text: &str| known.iter().find(|one| one.description == text && one.status == Status::Open);
    for opens in turn.opens.iter().filter(|opens| open(&opens.thread).is_none()) {
        let thread = Open {
            description: opens.thread.clone(),
            importance: opens.importance.unwrap_or(PlotImportance::Medium),
            category: "campaign".to_owned(),
            created_in_scene: None,
            characters: Vec::new(),
        };
        let _: Loop = ctx.entities().create("loop", &thread)?;
    }
    for closes in turn.closes.iter().filter_map(|text| open(text)) {
        let _: Loop = ctx.entities().update(&closes.id, &json!({ "status": Status::Resolved }))?;
    }
    Ok(())
}

fn keep_memories(ctx: &mut Ctx, turn: &PlotTurn) -> Result<(), SkillError> {
    for text in &turn.remember {
        ctx.memory().remember(text, &["campaign"])?;
    }
    Ok(())
}
