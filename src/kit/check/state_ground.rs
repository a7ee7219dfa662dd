//! The state of a request to a script: that of a real story, with the parts that only the package's examples know.

use std::{collections::BTreeSet, io, sync::Arc};

use super::story::{CheckStory, claimed_members};
use crate::{PackageHarness, chance::RequestChance, harness::HarnessStory};
use narratoria_protocol::{NoEntities, Object};
use narratoria_skills::Skill;

/// The state of a story, as the scripts of one skill may find it.
pub(super) struct StateGround<'c> {
    /// `None` if no script looks at a story.
    story: Option<&'c CheckStory>,
    /// Members of the state that the skill claims.
    own: BTreeSet<String>,
}

impl<'c> StateGround<'c> {
    pub(super) fn of(skill: &Skill, story: Option<&'c CheckStory>) -> StateGround<'c> {
        StateGround { story, own: claimed_members(skill).collect() }
    }

    /// Returns true if only the built-in skills, or this skill, may write this member of the state.
    pub(super) fn is_claimed(&self, member: &str) -> bool {
        self.own.contains(member) || self.is_built_in(member)
    }

    pub(super) fn is_own(&self, member: &str) -> bool {
        self.own.contains(member)
    }

    pub(super) fn is_built_in(&self, member: &str) -> bool {
        self.story.is_some_and(|story| story.claimed.contains(member))
    }

    /// The state of the story when so much of it has passed.
    pub(super) fn state_at(&self, passed: usize, total: usize) -> Option<&Object> {
        self.story.map(|story| story.state_at(passed, total))
    }

    /// The state of some moment of the story, with these parts.
    pub(super) fn around_any(&self, parts: Object, chance: &mut RequestChance) -> Object {
        let around = self.story.map(|story| story.any_state(chance));
        self.around(around, parts)
    }

    /// The parts that no built-in skill claims, in this state. Where the story has no such part, the state has none either.
    pub(super) fn around(&self, around: Option<&Object>, parts: Object) -> Object {
        let mut state = around.cloned().unwrap_or_default();
        state.extend(parts.into_iter().filter(|(member, _)| !self.is_built_in(member)));
        state
    }

    pub(super) fn begin_story(
        &self,
        harness: &PackageHarness,
        script_idx: usize,
    ) -> io::Result<HarnessStory> {
        let campaign = self.story.and_then(|story| story.campaign.as_deref());
        let entities = self.story.map(|story| Arc::clone(&story.entities));
        harness.join_story(script_idx, campaign, entities.unwrap_or_else(|| Arc::new(NoEntities)))
    }
}
