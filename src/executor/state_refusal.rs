//! Why the patches of a step cannot become part of the state, or its writes part of the stores or the entities. People
//! and planners read the text.

use narratoria_plan::quote;
use narratoria_protocol::ClaimViolation;

/// Why the patches of a step cannot become part of the state, or its writes part of the stores or the entities.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateRefusal {
    /// The patch would change a part of the state that another skill claims.
    #[error(
        "its patch would change `{pointer}` of the state, which the skill `{claimed_by}` claims"
    )]
    Protected {
        /// Cut short.
        pointer: String,
        claimed_by: String,
    },
    /// The patch names the host's member of the state.
    #[error("its patch would change `{pointer}` of the state, which belongs to the host")]
    Reserved { pointer: String },
    #[error("its patch nests deeper than {limit} levels")]
    TooDeep {
        /// [`STATE_DEPTH_MAX`](narratoria_protocol::STATE_DEPTH_MAX).
        limit: usize,
    },
    #[error(
        "the skill `{skill}` would have {bytes} bytes of the state, the limit is {limit} for one skill; it must delete or replace what it no longer needs"
    )]
    SkillTooLarge {
        skill: String,
        bytes: usize,
        /// [`STATE_SKILL_BYTES_MAX`](narratoria_protocol::STATE_SKILL_BYTES_MAX), less what a large step must leave for
        /// those beside it.
        limit: usize,
    },
    #[error(
        "the state would be {bytes} bytes long, the limit is {limit}; `narratoria story repair` shows which skills fill it and drops what they wrote"
    )]
    Full {
        bytes: usize,
        /// Bytes that the state's maximum leaves for skills of this kind.
        limit: usize,
    },
    #[error(
        "with what `{skill}` keeps, the stores of all skills would be {bytes} bytes long, the limit is {limit}; `{largest}` has {largest_bytes} of them; `narratoria story repair` shows all, and its `--drop-skill SKILL` empties one"
    )]
    StoresFull {
        skill: String,
        bytes: usize,
        /// Bytes that [`STORES_BYTES_MAX`](narratoria_protocol::STORES_BYTES_MAX) leaves for skills of this kind.
        limit: usize,
        /// The skill with the largest store.
        largest: String,
        largest_bytes: usize,
    },
    #[error(
        "with what `{skill}` adds, the story would have {amount} {what}, the limit is {limit}; {way_out}"
    )]
    EntitiesFull {
        skill: String,
        /// The name of the amount.
        what: String,
        amount: usize,
        /// The part of [`EntityAmounts::limits`](narratoria_protocol::EntityAmounts::limits) for skills of this kind.
        limit: usize,
        way_out: &'static str,
    },
}

impl StateRefusal {
    /// Stable, for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            StateRefusal::Protected { .. } | StateRefusal::Reserved { .. } => "STATE_PROTECTED",
            StateRefusal::TooDeep { .. } => "STATE_TOO_DEEP",
            StateRefusal::SkillTooLarge { .. } => "STATE_QUOTA",
            StateRefusal::Full { .. } => "STATE_FULL",
            StateRefusal::StoresFull { .. } => "STORES_FULL",
            StateRefusal::EntitiesFull { .. } => "ENTITIES_FULL",
        }
    }
}

impl From<ClaimViolation> for StateRefusal {
    fn from(violation: ClaimViolation) -> StateRefusal {
        let pointer = quote(&violation.pointer);
        match violation.claimed_by {
            Some(claimed_by) => StateRefusal::Protected { pointer, claimed_by },
            None => StateRefusal::Reserved { pointer },
        }
    }
}
