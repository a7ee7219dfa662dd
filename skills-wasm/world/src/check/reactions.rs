//! Checks what happens when a thing is handled.

use super::{Kinds, Problems, expect};
use crate::definition::ThingDefinition;

/// The deeds that a thing may react to.
const ACTIONS: &[&str] = &["push", "pull", "turn", "use", "give"];

/// Reports reactions to other deeds, and names of what is not there.
pub(super) fn reactions(thing: &ThingDefinition, kinds: &Kinds<'_>, problems: &mut Problems) {
    let name = &thing.name;
    for reaction in &thing.reactions {
        problems.text(name, &format!("a reaction of `{name}`"), &reaction.says);
        if !ACTIONS.contains(&reaction.action.as_str()) {
            let what = format!(
                "`{name}` has a reaction to something else than push, pull, turn, use and give"
            );
            problems.of(&[name], what);
        }
        let is_gift = reaction.action == "give";
        if is_gift && reaction.with.is_none() {
            problems.of(&[name], format!("`{name}` reacts to `give` without a person in `with`"));
        }
        let kind = if is_gift { "person" } else { "thing" };
        if let Some(with) = &reaction.with {
            expect(kinds, name, with, kind, problems);
        }
        if let Some(revealed) = &reaction.reveals {
            expect(kinds, name, revealed, "thing", problems);
        }
    }
}
