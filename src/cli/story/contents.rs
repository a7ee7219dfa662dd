//! The data of each skill in a story, and the parts of it that a repair drops.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::{
    MEMORY_OWNER, Object, STATE_BUILT_IN_BYTES_MAX, STATE_BYTES_MAX, STATE_SKILL_BYTES_MAX,
    StateAccount, pointer_of, pointer_tokens, visible::visible_word,
};
use narratoria_skills::{Catalog, PackageOrigin};
use narratoria_story::{Story, TICK_AUTHOR, remembered_by};
use serde_json::{Value, json};

/// A story's state and stores, by skill.
pub(super) struct StoryContents {
    account: StateAccount,
    skills: BTreeMap<String, SkillContents>,
}

/// Data of one skill in the story.
#[derive(Default)]
pub(super) struct SkillContents {
    pub(super) is_loaded: bool,
    is_built_in: bool,
    /// Parts of the state that no other skill may change.
    claims: Vec<String>,
    pub(super) state_bytes: usize,
    pub(super) store_bytes: usize,
    store_entries: usize,
    /// The number of texts and memories that the skill added.
    pub(super) remembered: usize,
}

impl StoryContents {
    pub(super) fn read(story: &Story, catalog: &Catalog) -> Result<StoryContents, TurnError> {
        let account = StateAccount::of(story.state());
        let mut skills: BTreeMap<String, SkillContents> = BTreeMap::new();
        for (skill, bytes) in account.skills() {
            skills.entry(skill.to_owned()).or_default().state_bytes = bytes;
        }
        for (owner, store) in story.stores()? {
            for (key, value) in store {
                if owner == MEMORY_OWNER {
                    if let Some(skill) = remembered_by(&value) {
                        skills.entry(skill).or_default().remembered += 1;
                    }
                    continue;
                }
                let skill = skills.entry(owner.clone()).or_default();
                skill.store_entries += 1;
                skill.store_bytes += key.len() + value.len();
            }
        }
        for (skill, memories) in story.memory_authors()? {
            let contents = skills.entry(skill.clone()).or_default();
            contents.remembered += memories;
            contents.is_loaded = skill == TICK_AUTHOR;
        }
        for skill in catalog.iter() {
            let has = account.state().as_object();
            let own = skill.writes.iter().filter(|claim| !claim.is_shared);
            let claims = own.map(|claim| claim.pointer.clone());
            let claims: Vec<String> = claims.filter(|it| find(has, it).is_some()).collect();
            if claims.is_empty() && !skills.contains_key(&skill.name) {
                continue;
            }
            let contents = skills.entry(skill.name.clone()).or_default();
            contents.is_loaded = true;
            contents.is_built_in = skill.origin == PackageOrigin::BuiltIn;
            contents.claims = claims;
        }
        Ok(StoryContents { account, skills })
    }

    pub(super) fn skills(&self) -> &BTreeMap<String, SkillContents> {
        &self.skills
    }

    pub(super) fn state_bytes(&self) -> usize {
        self.account.bytes()
    }

    /// Returns a sentence for each amount beyond its limit.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let built_in = self.skills.values().filter(|skill| skill.is_built_in);
        let built_in: usize = built_in.map(|skill| skill.state_bytes).sum();
        let limit = STATE_BYTES_MAX - STATE_BUILT_IN_BYTES_MAX.saturating_sub(built_in);
        let bytes = self.account.bytes();
        if bytes > limit {
            problems.push(format!(
                "the state has {bytes} bytes, the limit is {limit}; only built-in skills can add to it"
            ));
        }
        for (name, skill) in &self.skills {
            let (name, bytes) = (visible_word(name), skill.state_bytes);
            if bytes >= STATE_SKILL_BYTES_MAX {
                problems.push(format!(
                    "`{name}` has {bytes} bytes of the state, the limit is {STATE_SKILL_BYTES_MAX}; it cannot add to it"
                ));
            }
            if !skill.is_loaded {
                problems.push(format!(
                    "`{name}` is not loaded; `--drop-skill {name}` drops what it has left"
                ));
            }
        }
        problems
    }

    /// Adds a skill's data in the state to the parts to drop: the parts that it claims, and members that are mostly its
    /// own.
    pub(super) fn add_skill(&self, name: &str, parts: &mut StateParts) -> Result<(), TurnError> {
        let Some(skill) = self.skills.get(name) else {
            let error = format!("the skill `{}` has nothing in this story", visible_word(name));
            let known: Vec<String> =
                self.skills.keys().map(|name| format!("`{}`", visible_word(name))).collect();
            let hint = match known.is_empty() {
                true => "no skill has".to_owned(),
                false => format!("these have: {}", known.join(", ")),
            };
            return Err(TurnError::new(TurnErrorKind::NotFound, error).hint(hint));
        };
        skill.claims.iter().for_each(|pointer| parts.add(pointer));
        for share in self.account.shares_of(name) {
            if share.bytes * 2 > share.member_bytes {
                parts.add(&pointer_of(&[share.member]));
            }
        }
        Ok(())
    }

    /// Adds a named part of the state.
    pub(super) fn add_part(&self, pointer: &str, parts: &mut StateParts) -> Result<(), TurnError> {
        let shown = visible_word(pointer);
        let error = match find(self.account.state().as_object(), pointer) {
            Some(true) => {
                parts.add(pointer);
                return Ok(());
            }
            Some(false) => format!("`{shown}` is in a list, which can only be dropped whole"),
            None => format!("the state has no part `{shown}`"),
        };
        let hint = "`narratoria run --format json` and `/state` show the state";
        Err(TurnError::new(TurnErrorKind::NotFound, error).hint(hint))
    }

    /// Returns the patch that drops these parts and corrects the accounts.
    pub(super) fn patch(&self, parts: &StateParts) -> Object {
        let mut account = self.account.clone();
        // A patch of deletions counts against no skill.
        account.apply("", &parts.patch);
        let mut patch = parts.patch.clone();
        patch.extend(account.record_patch().into_iter().flatten());
        patch
    }

    pub(super) fn document(&self) -> Value {
        let skill = |(name, skill): (&String, &SkillContents)| {
            let members = self.account.shares_of(name).into_iter().map(|share| {
                json!({"member": share.member, "bytes": share.bytes, "ofBytes": share.member_bytes})
            });
            json!({
                "name": name,
                "loaded": skill.is_loaded,
                "stateBytes": skill.state_bytes,
                "members": members.collect::<Vec<_>>(),
                "storeBytes": skill.store_bytes,
                "storeEntries": skill.store_entries,
                "rememberedTexts": skill.remembered,
            })
        };
        self.skills.iter().map(skill).collect()
    }
}

/// Parts of the state, none within another.
#[derive(Default)]
pub(super) struct StateParts {
    /// The patch that deletes them.
    patch: Object,
}

impl StateParts {
    fn add(&mut self, pointer: &str) {
        let Some(tokens) = pointer_tokens(pointer) else { return };
        let Some((last, way)) = tokens.split_last() else { return };
        let mut members = &mut self.patch;
        for token in way {
            let slot = members.entry(token.clone()).or_insert_with(|| json!({}));
            match slot {
                Value::Object(inner) => members = inner,
                // A part around it is dropped already.
                _ => return,
            }
        }
        members.insert(last.clone(), Value::Null);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patch.is_empty()
    }

    /// Returns their JSON pointers.
    pub(super) fn pointers(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        collect_pointers(&self.patch, &mut Vec::new(), &mut found);
        found
    }
}

fn collect_pointers(members: &Object, way: &mut Vec<String>, found: &mut BTreeSet<String>) {
    for (key, value) in members {
        way.push(key.clone());
        match value {
            Value::Object(inner) => collect_pointers(inner, way, found),
            _ => _ = found.insert(pointer_of(way)),
        }
        way.pop();
    }
}

/// Returns true if a pointer names a part of the state that can be dropped, false if it names an item of a list, and
/// `None` if it names nothing.
fn find(state: &Object, pointer: &str) -> Option<bool> {
    let tokens = pointer_tokens(pointer)?;
    let (first, rest) = tokens.split_first()?;
    let (mut value, mut is_member) = (state.get(first)?, true);
    for token in rest {
        match value {
            Value::Object(members) => value = members.get(token)?,
            Value::Array(items) => {
                is_member = false;
                value = items.get(token.parse::<usize>().ok()?)?;
            }
            _ => return None,
        }
    }
    Some(is_member)
}
