//! Makes a tick part of the story: its plan, its scene, the changes that the scene makes to its people, a memory of it,
//! and the counter, in one transaction.

use std::collections::BTreeMap;

use jiff::Timestamp;
use narratoria_narrator::tick::{THREAD_KEY, TickContext, TickPlan};
use narratoria_protocol::{
    Character, ENTITY_OWNER, Entity, EntityId, EntityKind, Location, Memory, Novel, OpenLoop,
    Relationship, Scene, TickRecord,
};
use narratoria_story::{StoreRow, Story, TICK_AUTHOR, TurnOutcome, TurnRecord};
use serde_json::json;

use super::{
    documents::{plan_file, timestamp},
    event::TickEvent,
    run::ExecutedActions,
    view::EXTRA_THREAD,
    writing::WrittenScene,
};
use crate::{
    TurnError,
    assets::collect_assets,
    close::{store_rows, turn_patches},
};

/// The significance of the memory of a scene; it is higher if the scene answers a question.
const SIGNIFICANCE: u8 = 5;
const SIGNIFICANCE_OF_ANSWER: u8 = 7;

pub(super) struct TickCommit<'a> {
    pub(super) tick: u64,
    pub(super) seed: u64,
    pub(super) started_at: Timestamp,
    pub(super) now: Timestamp,
    pub(super) plan: &'a TickPlan,
    pub(super) context: Option<&'a TickContext>,
    pub(super) warnings: &'a [String],
    pub(super) pov: Option<&'a str>,
    /// The name of the story.
    pub(super) novel_name: &'a str,
    pub(super) scene: WrittenScene,
    pub(super) executed: ExecutedActions,
}

impl TickCommit<'_> {
    /// Commits the tick. Returns the news of its scene, and a warning for each asset that the story does not keep.
    pub(super) fn commit(self, story: &mut Story) -> Result<(TickEvent, Vec<String>), TurnError> {
        let executed = &self.executed;
        let (scene_id, scene, store_writes) = self.rows(story)?;
        let (assets, refused) = collect_assets(
            story.turns() + 1,
            &executed.plan,
            &executed.trace,
            &[executed.row.id.as_str()],
            story.folder(),
        )?;
        let turn = TurnRecord {
            prompt: format!("tick {}", self.tick),
            narration: scene.text.clone(),
            outcome: TurnOutcome::Ticked,
            choices: Vec::new(),
            patches: turn_patches(story.state(), &executed.trace),
            plans: vec![executed.row.clone()],
            assets: assets.into_iter().map(|kept| kept.row).collect(),
            store_writes,
            seed: self.seed,
            started_at: self.started_at,
            finished_at: self.now,
        };
        story.commit(&turn)?;
        let Scene { title, text, summary, .. } = scene;
        let scene =
            TickEvent::Scene { tick: self.tick, id: scene_id.to_string(), title, text, summary };
        Ok((scene, refused.into_iter().map(|asset| asset.message).collect()))
    }

    /// Returns the scene, and the tick's writes to the story's people, places and memories.
    fn rows(&self, story: &Story) -> Result<(EntityId, Scene, Vec<StoreRow>), TurnError> {
        let TickCommit { tick, now, plan, executed, .. } = self;
        let mut rows = TickRows::new(story, store_rows(&executed.trace));
        let draft = &self.scene.draft;
        let people = rows.named::<Character>(&draft.people, |one| &one.name)?;
        let place = match draft.place.is_empty() {
            true => None,
            false => rows
                .all::<Location>()?
                .into_iter()
                .find(|(_, one)| one.name == draft.place)
                .map(|(id, _)| id),
        };
        let novel = story.novel()?;
        let pov = self.point_of_view(&rows, &people, &novel)?;
        let scene_id = story.next_entity_id(EntityKind::Scene)?;
        let scene = Scene {
            title: draft.title.clone(),
            tick: *tick,
            summary: draft.summary.clone(),
            text: draft.text.clone(),
            pov_character: pov,
            location: place,
            characters: people.clone(),
        };
        rows.add(scene_id, &scene);
        rows.place_people(&people, pov, place, draft.mood)?;
        rows.date_relationships(*tick, scene_id);
        let answers = rows.date_loops(story, scene_id)?;
        self.remember(&mut rows, &people, place, answers)?;
        let document = plan.document.clone().into();
        let file =
            plan_file(*tick, *now, &document, &executed.execution, self.context, self.warnings);
        let extra = match plan.document.get(THREAD_KEY) {
            Some(thread) => json!({ EXTRA_THREAD: thread }),
            None => serde_json::Value::Null,
        };
        let record = TickRecord { scene: Some(scene_id), plan_file: file, extra };
        rows.add(EntityId::new(EntityKind::Tick, *tick), &record);
        let active = match self.pov {
            Some(_) => pov,
            None => novel.active_character.or(pov),
        };
        let last_updated = Some(timestamp(*now));
        let novel = Novel {
            novel_name: self.novel_name.to_owned(),
            current_tick: *tick,
            active_character: active,
            last_updated,
        };
        rows.add(EntityId::NOVEL, &novel);
        Ok((scene_id, scene, rows.rows))
    }

    /// Adds the memory of the scene. `answers` is true if it resolves an open loop.
    fn remember(
        &self,
        rows: &mut TickRows<'_>,
        people: &[EntityId],
        place: Option<EntityId>,
        answers: bool,
    ) -> Result<(), TurnError> {
        let draft = &self.scene.draft;
        let memory = Memory {
            summary: draft.summary.join(" "),
            entities: people.iter().copied().chain(place).collect(),
            entity_types: entity_types(people, place),
            place: draft.place.clone(),
            significance: if answers { SIGNIFICANCE_OF_ANSWER } else { SIGNIFICANCE },
            turn: rows.story.turns() + 1,
            tick: Some(self.tick),
            tags: vec!["scene".to_owned()],
            by: TICK_AUTHOR.to_owned(),
            ..Memory::default()
        };
        let id = rows.next_id(EntityKind::Memory)?;
        rows.add(id, &memory);
        Ok(())
    }

    /// Returns the character whose point of view the scene has.
    fn point_of_view(
        &self,
        rows: &TickRows<'_>,
        people: &[EntityId],
        novel: &Novel,
    ) -> Result<Option<EntityId>, TurnError> {
        let named = self.pov.or(self.plan.pov_character.as_deref());
        let named = named.and_then(|id| EntityId::parse_as(id, EntityKind::Character).ok());
        if let Some(id) = named
            && rows.get::<Character>(id)?.is_some()
        {
            return Ok(Some(id));
        }
        Ok(novel.active_character.or_else(|| people.first().copied()))
    }
}

fn entity_types(people: &[EntityId], place: Option<EntityId>) -> Vec<String> {
    let people = (!people.is_empty()).then_some("character");
    let place = place.map(|_| "location");
    people.into_iter().chain(place).map(str::to_owned).collect()
}

/// The writes of a tick, on top of the story as it was.
struct TickRows<'a> {
    story: &'a Story,
    rows: Vec<StoreRow>,
}

impl<'a> TickRows<'a> {
    fn new(story: &'a Story, rows: Vec<StoreRow>) -> TickRows<'a> {
        TickRows { story, rows }
    }

    fn add<T: Entity>(&mut self, id: EntityId, value: &T) {
        self.rows.push(StoreRow::entity(id, value));
    }

    /// Returns the last text that this tick has written, by id; `None` for a deleted one.
    fn written(&self, kind: EntityKind) -> BTreeMap<EntityId, Option<&str>> {
        let own = self.rows.iter().filter(|row| row.skill == ENTITY_OWNER);
        own.filter_map(|row| {
            let id = EntityId::parse_as(&row.key, kind).ok()?;
            Some((id, row.value.as_deref()))
        })
        .collect()
    }

    fn all<T: Entity>(&self) -> Result<Vec<(EntityId, T)>, TurnError> {
        let mut all: BTreeMap<EntityId, T> =
            self.story.entities::<T>()?.into_iter().map(|one| (one.id, one.value)).collect();
        for (id, text) in self.written(T::KIND) {
            match text.and_then(|text| serde_json::from_str(text).ok()) {
                Some(value) => _ = all.insert(id, value),
                None => _ = all.remove(&id),
            }
        }
        Ok(all.into_iter().collect())
    }

    fn get<T: Entity>(&self, id: EntityId) -> Result<Option<T>, TurnError> {
        match self.written(T::KIND).get(&id) {
            Some(text) => Ok(text.and_then(|text| serde_json::from_str(text).ok())),
            None => Ok(self.story.entity(id)?),
        }
    }

    /// Returns the ids of the names that the story knows, in the order of the names.
    fn named<T: Entity>(
        &self,
        names: &[String],
        name: impl Fn(&T) -> &str,
    ) -> Result<Vec<EntityId>, TurnError> {
        let all = self.all::<T>()?;
        let find =
            |wanted: &String| all.iter().find(|(_, one)| name(one) == wanted).map(|(id, _)| *id);
        Ok(names.iter().filter_map(find).collect())
    }

    /// Returns the first free id after those that the plan has used.
    fn next_id(&self, kind: EntityKind) -> Result<EntityId, TurnError> {
        let next = self.story.next_entity_id(kind)?.number;
        let used = self.written(kind).into_keys().map(|id| id.number + 1).max().unwrap_or(0);
        Ok(EntityId::new(kind, next.max(used)))
    }

    /// Moves the people of the scene to where it takes place.
    fn place_people(
        &mut self,
        people: &[EntityId],
        pov: Option<EntityId>,
        place: Option<EntityId>,
        mood: &str,
    ) -> Result<(), TurnError> {
        for id in people {
            let Some(mut character) = self.get::<Character>(*id)? else { continue };
            if place.is_some() {
                character.current_state.location = place;
            }
            if pov == Some(*id) {
                mood.clone_into(&mut character.current_state.emotional_state);
            }
            self.add(*id, &character);
        }
        Ok(())
    }

    /// Records the scene in what this tick adds to the history of relationships. A scene that the plan names stays.
    fn date_relationships(&mut self, tick: u64, scene: EntityId) {
        let mut dated: Vec<(EntityId, Relationship)> = Vec::new();
        for (id, text) in self.written(EntityKind::Relationship) {
            let Some(mut one) =
                text.and_then(|text| serde_json::from_str::<Relationship>(text).ok())
            else {
                continue;
            };
            for event in one.history.iter_mut().filter(|event| event.tick == tick) {
                event.scene_id.get_or_insert(scene);
            }
            dated.push((id, one));
        }
        dated.iter().for_each(|(id, one)| self.add(*id, one));
    }

    /// Records the scene in the loops that this tick has opened or resolved. Returns true if one was resolved.
    fn date_loops(&mut self, story: &Story, scene: EntityId) -> Result<bool, TurnError> {
        let mut dated: Vec<(EntityId, OpenLoop)> = Vec::new();
        let mut answers = false;
        for (id, text) in self.written(EntityKind::Loop) {
            let Some(mut one) = text.and_then(|text| serde_json::from_str::<OpenLoop>(text).ok())
            else {
                continue;
            };
            let is_new = story.entity::<OpenLoop>(id)?.is_none();
            if is_new && one.created_in_scene.is_none() {
                one.created_in_scene = Some(scene);
            }
            if one.weight(0) == 0 && one.resolved_in_scene.is_none() {
                one.resolved_in_scene = Some(scene);
                answers = true;
            }
            dated.push((id, one));
        }
        dated.iter().for_each(|(id, one)| self.add(*id, one));
        Ok(answers)
    }
}
