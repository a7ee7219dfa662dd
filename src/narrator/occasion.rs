//! Where a script makes sense: the conditions of the triggers that lead to it. Pure.

use narratoria_protocol::Object;
use narratoria_skills::{Catalog, Script, Skill, Trigger};

use crate::plan_step::tool_path;

/// Returns true if a script makes sense in this state: nothing leads to it, or a trigger that does counts there
/// (`ifState`, `unlessState`). A trigger leads to its own script and to the steps that follow it.
pub fn makes_sense_in(catalog: &Catalog, skill: &Skill, script: &Script, state: &Object) -> bool {
    let own = skill.triggers.iter().filter(|trigger| trigger.script == script.name);
    let path = tool_path(skill, script);
    let follows =
        |trigger: &&Trigger| trigger.follow_ups.iter().any(|follow_up| follow_up.tool == path);
    let others = catalog.iter().flat_map(|skill| &skill.triggers).filter(follows);
    let mut is_led_to = false;
    for trigger in own.chain(others) {
        if trigger.counts_in(state) {
            return true;
        }
        is_led_to = true;
    }
    !is_led_to
}
