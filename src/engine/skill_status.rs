//! The skills of a session with their health. Enables again a skill that has failed permanently (S0 FR-028).

use narratoria_protocol::nearest::nearest;
use narratoria_skills::{Catalog, HealthTracker, HealthTransition};

use super::{TurnError, TurnErrorKind, update::SkillStatus};

/// Every usable skill, in name order.
pub(crate) fn list(catalog: &Catalog, health: &HealthTracker) -> Vec<SkillStatus> {
    let status = |name: &str, description: &str| SkillStatus {
        name: name.to_owned(),
        description: description.to_owned(),
        health: health.health(name),
    };
    catalog.iter().map(|skill| status(&skill.name, &skill.description)).collect()
}

/// Forgets the failures of a skill; `None` if it was healthy.
pub(crate) fn enable(
    name: &str,
    catalog: &Catalog,
    health: &mut HealthTracker,
) -> Result<Option<HealthTransition>, TurnError> {
    if catalog.get(name).is_none() {
        let what = format!("there is no skill `{name}` in play");
        let error = TurnError::new(TurnErrorKind::NotFound, what);
        return Err(match nearest(name, catalog.iter().map(|skill| &skill.name)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("`/skills` lists them"),
        });
    }
    Ok(health.reset(name))
}
