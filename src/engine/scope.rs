//! The names that the player can use now, as the skill of the world writes them down (docs/worlds.md). Pure.

use narratoria_protocol::Object;
use serde_json::Value;

/// Returns the names of one list of `/world/scope`, such as `things`; none in a story without a world.
pub fn names_in_scope<'s>(
    state: &'s Object,
    list: &str,
) -> impl Iterator<Item = &'s str> + use<'s> {
    let scope = state.get("world").and_then(|world| world.pointer("/scope")?.get(list));
    let names = scope.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str)
}
