//! Rights of the installed skills over the state and the stores: their claims, and the limits.

use std::collections::BTreeSet;

use narratoria_protocol::{
    EntityAmounts, STATE_BUILT_IN_BYTES_MAX, STATE_BYTES_MAX, STATE_SKILL_BYTES_MAX,
    STATE_STEP_BYTES_MAX, STORES_BUILT_IN_BYTES_MAX, STORES_BYTES_MAX, StateAccount, StateClaims,
};
use narratoria_skills::{Catalog, PackageOrigin};

/// Rights of the installed skills over the state and the stores.
#[derive(Debug, Clone, Default)]
pub struct StateRules {
    pub(crate) claims: StateClaims,
    pub(crate) built_in: BTreeSet<String>,
    pub(crate) limits: StateLimits,
    pub(crate) stores: StoreLimits,
    pub(crate) entities: EntityLimits,
}

/// The most entities that a story may have. Tests use smaller limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntityLimits(pub(crate) EntityAmounts);

impl Default for EntityLimits {
    fn default() -> EntityLimits {
        EntityLimits(EntityAmounts::limits())
    }
}

/// The limits of the stores of all skills in bytes. Tests use smaller ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoreLimits {
    pub(crate) whole: usize,
    /// The part that is reserved for the story's memory and the built-in skills.
    pub(crate) built_in: usize,
}

impl Default for StoreLimits {
    fn default() -> StoreLimits {
        StoreLimits { whole: STORES_BYTES_MAX, built_in: STORES_BUILT_IN_BYTES_MAX }
    }
}

/// The limits of the state in bytes. Tests use smaller ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StateLimits {
    pub(crate) whole: usize,
    pub(crate) built_in: usize,
    pub(crate) skill: usize,
    pub(crate) step: usize,
}

impl Default for StateLimits {
    fn default() -> StateLimits {
        StateLimits {
            whole: STATE_BYTES_MAX,
            built_in: STATE_BUILT_IN_BYTES_MAX,
            skill: STATE_SKILL_BYTES_MAX,
            step: STATE_STEP_BYTES_MAX,
        }
    }
}

impl StateRules {
    /// Returns the rules of all skills, whether a plan uses them or not.
    pub fn of(catalog: &Catalog) -> StateRules {
        let built_in = catalog.iter().filter(|skill| skill.origin == PackageOrigin::BuiltIn);
        let built_in = built_in.map(|skill| skill.name.clone()).collect();
        StateRules { claims: catalog.claims(), built_in, ..StateRules::default() }
    }

    pub(crate) fn built_in_bytes(&self, account: &StateAccount) -> usize {
        self.built_in.iter().map(|skill| account.bytes_of(skill)).sum()
    }
}
