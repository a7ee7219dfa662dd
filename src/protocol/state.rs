//! The story's state: a JSON object that patches change and that scripts see slices of. Pure.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Object,
    json_size::{member_size, object_size},
    merge::merge_counted,
    pointer::key_of_token,
};

/// Most bytes of the state, as [`json_size`](crate::json_size()) counts them. A long adventure's state is some tens of KiB;
/// the store reads all of it when a story is opened, and 8 MiB take some tens of milliseconds and at most 72 MiB of memory.
pub const STATE_BYTES_MAX: usize = 8 << 20;

/// The share of [`STATE_BYTES_MAX`] that is reserved for the built-in skills together, so that a story that other
/// skills
/// have filled can go on.
pub const STATE_BUILT_IN_BYTES_MAX: usize = 1 << 20;

/// Most bytes of the state that one skill has written. Several skills fit beside each other.
pub const STATE_SKILL_BYTES_MAX: usize = 2 << 20;

/// Bytes that are guaranteed to a step of a parallel plan, independently of the steps beside it: as many as the whole
/// state of a long adventure. A step that writes more leaves as many for each of the others.
pub const STATE_STEP_BYTES_MAX: usize = 64 << 10;

/// Deepest nesting of the state, and of everything else that the store writes. The wire lets
/// [`DEPTH_MAX`](crate::DEPTH_MAX) levels through and a result wraps them in a few more; serde_json writes any depth
/// but reads back no more than 127.
pub const STATE_DEPTH_MAX: usize = 96;

/// The member of the state that belongs to the host. No script reads it, and a patch of it fails its step.
pub const STATE_RESERVED_KEY: &str = "narratoria";

/// The state of a story: what skills see of it, and beside it the host's own member ([`STATE_RESERVED_KEY`]), which
/// only [`StoryState::apply`] and the text of the state have. A clone shares the members until one of the two changes.
#[derive(Debug, Clone, PartialEq)]
pub struct StoryState {
    visible: Arc<Object>,
    /// Empty, or the host's member alone.
    reserved: Object,
    /// Sizes of the two, as [`json_size`](crate::json_size()) counts them. Patches keep them up to date.
    visible_bytes: usize,
    reserved_bytes: usize,
}

impl Default for StoryState {
    fn default() -> StoryState {
        StoryState::new(Object::new())
    }
}

impl StoryState {
    /// Takes an object as the state.
    pub fn new(mut object: Object) -> StoryState {
        let mut reserved = Object::new();
        if let Some((key, value)) = object.swap_remove_entry(STATE_RESERVED_KEY) {
            reserved.insert(key, value);
        }
        let (visible_bytes, reserved_bytes) = (object_size(&object), object_size(&reserved));
        StoryState { visible: Arc::new(object), reserved, visible_bytes, reserved_bytes }
    }

    /// All of it that skills may see.
    pub fn as_object(&self) -> &Object {
        &self.visible
    }

    /// Bytes of what skills may see, as [`json_size`](crate::json_size()) counts them.
    pub fn bytes(&self) -> usize {
        self.visible_bytes
    }

    /// Bytes of all of it, the host's member included. Its text is not longer.
    pub fn whole_bytes(&self) -> usize {
        self.visible_bytes + self.reserved_bytes
    }

    /// [`StoryState::whole_bytes`] after these patches. The work depends on what they write and replace, never on the
    /// rest of the state.
    pub fn whole_bytes_after(&self, patches: &[Object]) -> usize {
        let mut part = self.touched_by(patches);
        let rest = self.whole_bytes() - part.whole_bytes();
        patches.iter().for_each(|patch| part.apply(patch));
        rest + part.whole_bytes()
    }

    /// The part of the state that is enough to apply these patches.
    pub(crate) fn touched_by<'a>(
        &self,
        patches: impl IntoIterator<Item = &'a Object>,
    ) -> StoryState {
        let (mut visible, mut reserved) = (Object::new(), Object::new());
        for patch in patches {
            copy_touched(&self.visible, patch, &mut visible);
            copy_touched(&self.reserved, patch, &mut reserved);
        }
        visible.extend(reserved);
        StoryState::new(visible)
    }

    /// The host's member.
    pub(crate) fn reserved(&self) -> Option<&Value> {
        self.reserved.get(STATE_RESERVED_KEY)
    }

    /// Applies one patch: equal patches in equal order give equal states.
    pub fn apply(&mut self, patch: &Object) {
        for (key, value) in patch {
            self.apply_member(key, value);
        }
    }

    /// Sets a member as it is, even to null.
    pub(crate) fn put_member(&mut self, key: &str, value: Value) {
        self.apply_member(key, &Value::Null);
        let (target, bytes) = match key == STATE_RESERVED_KEY {
            true => (&mut self.reserved, &mut self.reserved_bytes),
            false => (Arc::make_mut(&mut self.visible), &mut self.visible_bytes),
        };
        *bytes += member_size(key, &value);
        target.insert(key.to_owned(), value);
    }

    /// Applies one member of a patch. Returns by how many bytes the state grew.
    pub(crate) fn apply_member(&mut self, key: &str, value: &Value) -> i64 {
        let (target, bytes) = match key == STATE_RESERVED_KEY {
            true => (&mut self.reserved, &mut self.reserved_bytes),
            false => (Arc::make_mut(&mut self.visible), &mut self.visible_bytes),
        };
        let growth = merge_counted(target, key, value);
        *bytes = bytes.saturating_add_signed(isize::try_from(growth).unwrap_or(isize::MAX));
        growth
    }

    /// An object that holds only the values that the JSON pointers (RFC 6901) name, each at its own place: from
    /// `{"player": {"hp": 7, "name": "Ada"}}` the pointer `/player/hp` takes `{"player": {"hp": 7}}`.
    ///
    /// A malformed pointer, or one to nothing, adds nothing; the pointer `""` takes everything. A pointer into an
    /// array takes an array in which the other elements before it are null, so that every index stays right.
    pub fn slice(&self, pointers: &[String]) -> Value {
        let mut slices = Object::new();
        for pointer in pointers {
            if pointer.is_empty() {
                return Value::Object(Object::clone(&self.visible));
            }
            let mut tokens = pointer.split('/').map(|t| key_of_token(t).into_owned());
            let (Some(""), Some(key)) = (tokens.next().as_deref(), tokens.next()) else { continue };
            let Some(source) = self.visible.get(&key) else { continue };
            let tokens: Vec<String> = tokens.collect();
            if find(source, &tokens).is_some() {
                copy(source, &tokens, slices.entry(key).or_insert(Value::Null));
            }
        }
        Value::Object(slices)
    }

    /// Reads the text that [`StoryState::to_json`] wrote.
    pub fn parse(text: &str) -> serde_json::Result<StoryState> {
        serde_json::from_str(text).map(StoryState::new)
    }

    /// The state as compact JSON, the host's member last.
    pub fn to_json(&self) -> String {
        let text = |object: &Object| {
            serde_json::to_string(object).expect("a JSON object always has a text")
        };
        let visible = text(&self.visible);
        match (self.visible.is_empty(), self.reserved.is_empty()) {
            (_, true) => visible,
            (true, false) => text(&self.reserved),
            (false, false) => {
                format!("{},{}", &visible[..visible.len() - 1], &text(&self.reserved)[1..])
            }
        }
    }
}

/// Copies the values that a patch replaces or looks into to the same places in `slot`, which holds what earlier patches
/// have copied from this `source`.
fn copy_touched(source: &Object, patch: &Object, slot: &mut Object) {
    for (key, change) in patch {
        match (source.get(key), change) {
            (None, _) => {}
            (Some(Value::Object(inner)), Value::Object(change)) => {
                let slot = slot.entry(key.clone()).or_insert_with(|| Value::Object(Object::new()));
                if let Value::Object(slot) = slot {
                    copy_touched(inner, change, slot);
                }
            }
            (Some(value), _) => _ = slot.insert(key.clone(), value.clone()),
        }
    }
}

/// Returns true if arrays and objects nest deeper than `levels`. Recurses no deeper than that itself.
pub fn is_deeper_than(levels: usize, value: &Value) -> bool {
    match value {
        Value::Array(items) => {
            levels == 0 || items.iter().any(|value| is_deeper_than(levels - 1, value))
        }
        Value::Object(members) => {
            levels == 0 || members.values().any(|value| is_deeper_than(levels - 1, value))
        }
        _ => false,
    }
}

/// Follows the tokens of an RFC 6901 pointer from its second one on.
fn find<'a>(source: &'a Value, tokens: &[String]) -> Option<&'a Value> {
    tokens.iter().try_fold(source, |source, token| match source {
        Value::Object(members) => members.get(token),
        Value::Array(items) => items.get(list_index(token)?),
        _ => None,
    })
}

/// Copies the value that `tokens` name in `source` to the same place in `slot`. The caller has found it there.
///
/// Invariant: `slot` is null, or holds only what earlier pointers copied from this `source`.
fn copy(source: &Value, tokens: &[String], slot: &mut Value) {
    let Some((token, rest)) = tokens.split_first() else {
        slot.clone_from(source);
        return;
    };
    match source {
        Value::Object(members) => {
            if slot.is_null() {
                *slot = Value::Object(Object::new());
            }
            if let (Some(source), Value::Object(slots)) = (members.get(token), slot) {
                copy(source, rest, slots.entry(token.clone()).or_insert(Value::Null));
            }
        }
        Value::Array(items) => {
            if slot.is_null() {
                *slot = Value::Array(Vec::new());
            }
            if let (Some(idx), Value::Array(slots)) = (list_index(token), slot) {
                if slots.len() <= idx {
                    slots.resize(idx + 1, Value::Null);
                }
                copy(&items[idx], rest, &mut slots[idx]);
            }
        }
        _ => {}
    }
}

/// An array index as RFC 6901 writes it: decimal, without a sign and without leading zeros.
pub(crate) fn list_index(token: &str) -> Option<usize> {
    let is_plain = token == "0" || !token.starts_with(['0', '+']);
    is_plain.then(|| token.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::{object, tree, with_nulls};

    #[track_caller]
    fn check_slice(pointers: &[&str], slice: Value) {
        let state = StoryState::new(object(json!({
            "player": {"hp": 7, "name": "Ada", "bag": [{"id": "rope", "kg": 2}, "torch", "key"]},
            "odd": {"a/b": 1, "m~n": 2, "": 3},
            "nothing": null,
        })));
        let pointers: Vec<String> = pointers.iter().map(|&pointer| pointer.to_owned()).collect();
        assert_eq!(state.slice(&pointers), slice);
    }

    #[test]
    fn a_slice_holds_each_named_value_at_its_own_place() {
        check_slice(&[], json!({}));
        check_slice(&["/player/hp"], json!({"player": {"hp": 7}}));
        check_slice(
            &["/player/name", "/nothing", "/player/hp"],
            json!({"player": {"name": "Ada", "hp": 7}, "nothing": null}),
        );
        check_slice(&["/odd/a~1b", "/odd/m~0n"], json!({"odd": {"a/b": 1, "m~n": 2}}));
        check_slice(&["/odd/"], json!({"odd": {"": 3}}));
    }

    #[test]
    fn pointers_to_nothing_are_left_out() {
        check_slice(
            &["/", "/x", "/player/x", "/player/hp/x", "/player/bag/3", "/player/bag/-"],
            json!({}),
        );
        check_slice(
            &["player", "x/player", " /player", "/player/bag/01", "/player/bag/+1"],
            json!({}),
        );
    }

    #[test]
    fn overlapping_pointers_give_the_larger_slice() {
        let odd = json!({"odd": {"a/b": 1, "m~n": 2, "": 3}});
        check_slice(&["/odd", "/odd/a~1b"], odd.clone());
        check_slice(&["/odd/a~1b", "/odd"], odd);
    }

    #[test]
    fn a_pointer_into_an_array_keeps_the_index_and_hides_the_other_items() {
        check_slice(&["/player/bag/1"], json!({"player": {"bag": [null, "torch"]}}));
        check_slice(
            &["/player/bag/2", "/player/bag/0/kg"],
            json!({"player": {"bag": [{"kg": 2}, null, "key"]}}),
        );
    }

    #[test]
    fn nesting_is_counted_in_arrays_and_objects() {
        let nested = |levels| (0..levels).fold(json!(1), |value, _| json!({"a": [value]}));
        assert!(!is_deeper_than(0, &json!("flat")));
        assert!(!is_deeper_than(8, &nested(4)));
        assert!(is_deeper_than(7, &nested(4)));
    }

    /// Only patches and the text of the state reach the host's member.
    #[test]
    fn the_hosts_member_is_kept_and_never_seen() {
        let mut state = StoryState::new(object(json!({"hp": 7})));
        state.apply(&object(json!({"narratoria": {"a": 1, "b": 2}, "gold": 3})));
        state.apply(&object(json!({"narratoria": {"b": null}})));
        assert_eq!(Value::Object(state.as_object().clone()), json!({"hp": 7, "gold": 3}));
        assert_eq!(state.slice(&["/narratoria".to_owned()]), json!({}));
        assert_eq!(state.slice(&[String::new()]), json!({"hp": 7, "gold": 3}));
        assert_eq!(state.to_json(), r#"{"hp":7,"gold":3,"narratoria":{"a":1}}"#);
        assert_eq!(StoryState::parse(&state.to_json()).unwrap(), state);
        state.apply(&object(json!({"hp": null, "gold": null})));
        assert_eq!(state.to_json(), r#"{"narratoria":{"a":1}}"#);
    }

    proptest! {
        #[test]
        fn a_slice_agrees_with_the_state_at_every_pointer(
            state in tree(with_nulls()), keys in proptest::collection::vec("(/[a-d0-2]){1,4}", 0..5),
        ) {
            let whole = Value::Object(state.clone());
            let slice = StoryState::new(state).slice(&keys);
            for pointer in &keys {
                prop_assert_eq!(slice.pointer(pointer), whole.pointer(pointer));
            }
        }

        #[test]
        fn the_bytes_after_patches_are_known_before_they_are_applied(
            start in tree(with_nulls()),
            patches in proptest::collection::vec((tree(with_nulls()), any::<bool>()), 0..6),
        ) {
            let mut state = StoryState::new(start);
            let patches: Vec<Object> = patches
                .into_iter()
                .map(|(patch, is_host)| match is_host {
                    true => object(json!({"narratoria": patch})),
                    false => patch,
                })
                .collect();
            let after = state.whole_bytes_after(&patches);
            let before = state.clone();
            let text = before.to_json();
            patches.iter().for_each(|patch| state.apply(patch));
            prop_assert_eq!(state.whole_bytes(), after);
            prop_assert_eq!(&StoryState::parse(&state.to_json()).unwrap(), &state);
            prop_assert!(state.to_json().len() <= after);
            // The clone has not changed with it.
            prop_assert_eq!(before.to_json(), text);
        }

        #[test]
        fn a_state_reads_back_as_it_was_written(state in tree(with_nulls()), float: f64) {
            let mut state = StoryState::new(state);
            state.apply(&object(json!({"float": float})));
            prop_assert_eq!(StoryState::parse(&state.to_json()).unwrap(), state);
        }
    }
}
