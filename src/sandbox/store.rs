//! A skill's key-value store as one invocation sees it: the story's entries with the invocation's own changes
//! over them. The host's side of `contracts/wit/store.wit`.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    sync::Arc,
};

use narratoria_protocol::{Owner, StoreMap, StoreWrite};
use wasmtime::{
    StoreContext,
    component::{Linker, WasmStr},
};

/// The interface, in the version that this host offers.
pub(crate) const STORE_INTERFACE: &str = "narratoria:host/store@0.1.0";

/// Longest key, in bytes: a path of a few words. Keys are listed and journaled many times.
pub const STORE_KEY_BYTES_MAX: usize = 256;

/// Longest value, in bytes: a long scene is about 8 KiB. Larger data belongs in a file.
pub const STORE_VALUE_BYTES_MAX: usize = 64 << 10;

/// Most entries of one skill in one story. `list` returns all keys at once.
pub const STORE_ENTRIES_MAX: usize = 1_000;

/// Most bytes of one skill in one story, keys and values together: each attempt starts with a copy of
/// them, and every branch of the story has its own.
pub const STORE_BYTES_MAX: usize = 1 << 20;

/// Most changes of one invocation. All of them become part of the story's journal.
pub const STORE_WRITES_MAX: usize = 1_000;

/// Bytes that the host copies, compares or checks for a guest before it yields, so that other tasks run and the
/// clock is checked. The guest's fuel does not measure this work. Well below a millisecond.
pub(crate) const BYTES_PER_SLICE: usize = 1 << 20;

/// The least work that one call counts as, in terms of [`BYTES_PER_SLICE`].
const BYTES_PER_CALL: usize = 256;

/// Why a call fails. The guest reads the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("a key is 1 to {STORE_KEY_BYTES_MAX} bytes long, this one is {bytes}")]
    KeyLength { bytes: usize },
    #[error(
        "a prefix is at most {STORE_KEY_BYTES_MAX} bytes long, as a key is, this one is {bytes}"
    )]
    PrefixLength { bytes: usize },
    #[error("the key {key:?} has a control character")]
    KeyControl { key: String },
    #[error("a value is at most {STORE_VALUE_BYTES_MAX} bytes long, that of `{key}` is {bytes}")]
    ValueTooLong { key: String, bytes: usize },
    #[error("a skill keeps at most {STORE_ENTRIES_MAX} entries, `{key}` would be one more")]
    TooManyEntries { key: String },
    #[error("a skill keeps at most {STORE_BYTES_MAX} bytes, with `{key}` it would be {bytes}")]
    TooManyBytes { key: String, bytes: usize },
    #[error("one invocation makes at most {STORE_WRITES_MAX} changes, `{key}` would be one more")]
    TooManyWrites { key: String },
}

#[derive(Debug, Clone, Copy, Default)]
struct StoreSize {
    entries: usize,
    bytes: usize,
}

/// One invocation's view of its skill's store. Costs nothing until it is used.
#[derive(Debug, Default)]
pub(crate) struct SkillStoreView {
    base: Option<Arc<StoreMap>>,
    /// `None` for a deleted key.
    changes: BTreeMap<String, Option<String>>,
    writes: usize,
    /// Counted at the first change.
    size: Option<StoreSize>,
    /// Work done since the host last yielded.
    bytes_of_slice: usize,
}

impl SkillStoreView {
    /// Creates the view. Without a base the store is empty, as for invocations outside a story.
    pub(crate) fn new(base: Option<Arc<StoreMap>>) -> SkillStoreView {
        SkillStoreView { base, ..SkillStoreView::default() }
    }

    /// Returns the changes, one write for each key, sorted.
    pub(crate) fn into_writes(self) -> impl Iterator<Item = StoreWrite> {
        let changed = self.changes.into_iter();
        changed.map(|(key, value)| StoreWrite { owner: Owner::Skill, key, value })
    }

    fn get(&self, key: &str) -> Result<Option<&String>, StoreError> {
        check_key(key)?;
        Ok(self.find(key))
    }

    fn find(&self, key: &str) -> Option<&String> {
        match self.changes.get(key) {
            Some(value) => value.as_ref(),
            None => self.base.as_ref()?.get(key),
        }
    }

    fn change(&mut self, key: String, value: Option<String>) -> Result<(), StoreError> {
        check_key(&key)?;
        let value_bytes = value.as_ref().map_or(0, String::len);
        if value_bytes > STORE_VALUE_BYTES_MAX {
            return Err(StoreError::ValueTooLong { key, bytes: value_bytes });
        }
        if self.writes == STORE_WRITES_MAX {
            return Err(StoreError::TooManyWrites { key });
        }
        let before = self.size();
        self.size = Some(before);
        let mut after = before;
        if let Some(old) = self.find(&key) {
            after.entries -= 1;
            after.bytes -= key.len() + old.len();
        }
        if value.is_some() {
            after.entries += 1;
            after.bytes += key.len() + value_bytes;
        }
        // A store that exceeds today's limits, because older ones were higher, may still shrink.
        if after.entries > before.entries.max(STORE_ENTRIES_MAX) {
            return Err(StoreError::TooManyEntries { key });
        }
        if after.bytes > before.bytes.max(STORE_BYTES_MAX) {
            return Err(StoreError::TooManyBytes { key, bytes: after.bytes });
        }
        self.size = Some(after);
        self.writes += 1;
        self.changes.insert(key, value);
        Ok(())
    }

    fn size(&self) -> StoreSize {
        self.size.unwrap_or_else(|| {
            let before = self.base.iter().flat_map(|entries| entries.iter());
            before.fold(StoreSize::default(), |size, (key, value)| StoreSize {
                entries: size.entries + 1,
                bytes: size.bytes + key.len() + value.len(),
            })
        })
    }

    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        if prefix.len() > STORE_KEY_BYTES_MAX {
            return Err(StoreError::PrefixLength { bytes: prefix.len() });
        }
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let before = self.base.iter().flat_map(|entries| entries.range::<str, _>(from));
        let mut keys: BTreeSet<&String> =
            before.map(|(key, _)| key).take_while(|key| key.starts_with(prefix)).collect();
        let changed = self.changes.range::<str, _>(from);
        for (key, value) in changed.take_while(|(key, _)| key.starts_with(prefix)) {
            match value {
                Some(_) => keys.insert(key),
                None => keys.remove(key),
            };
        }
        Ok(keys.into_iter().cloned().collect())
    }

    /// Counts the work. Returns true if the host should yield.
    fn slice_is_over(&mut self, bytes: usize) -> bool {
        self.bytes_of_slice += BYTES_PER_CALL + bytes;
        let over = self.bytes_of_slice >= BYTES_PER_SLICE;
        if over {
            self.bytes_of_slice = 0;
        }
        over
    }
}

fn check_key(key: &str) -> Result<(), StoreError> {
    if key.is_empty() || key.len() > STORE_KEY_BYTES_MAX {
        return Err(StoreError::KeyLength { bytes: key.len() });
    }
    if key.contains(char::is_control) {
        return Err(StoreError::KeyControl { key: key.to_owned() });
    }
    Ok(())
}

/// The `result<T, string>` that every function returns.
type StoreCallResult<T> = Result<T, String>;

/// Adds the interface. `view` finds the invocation's store in the guest's state.
pub(crate) fn add_to_linker<T: Send + 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut SkillStoreView,
) -> wasmtime::Result<()> {
    let mut store = linker.instance(STORE_INTERFACE)?;
    store.func_wrap_async("get", move |mut caller, (key,): (WasmStr,)| {
        Box::new(async move {
            let (key, key_bytes) = read_guest_text(&key, &caller, STORE_KEY_BYTES_MAX)?;
            let view = view(caller.data_mut());
            let found: StoreCallResult<Option<String>> = match key {
                None => Err(StoreError::KeyLength { bytes: key_bytes }.to_string()),
                Some(key) => view.get(&key).map(Option::<&String>::cloned).map_err(as_text),
            };
            let value_bytes = found.iter().flatten().map(String::len).sum::<usize>();
            yield_after_slice(view, key_bytes + value_bytes).await;
            Ok((found,))
        })
    })?;
    store.func_wrap_async("set", move |mut caller, (key, value): (WasmStr, WasmStr)| {
        Box::new(async move {
            let (key, key_bytes) = read_guest_text(&key, &caller, STORE_KEY_BYTES_MAX)?;
            let (value, value_bytes) = read_guest_text(&value, &caller, STORE_VALUE_BYTES_MAX)?;
            let view = view(caller.data_mut());
            let changed: StoreCallResult<()> = match (key, value) {
                (None, _) => Err(StoreError::KeyLength { bytes: key_bytes }.to_string()),
                (Some(key), None) => {
                    Err(StoreError::ValueTooLong { key, bytes: value_bytes }.to_string())
                }
                (Some(key), Some(value)) => view.change(key, Some(value)).map_err(as_text),
            };
            yield_after_slice(view, key_bytes + value_bytes).await;
            Ok((changed,))
        })
    })?;
    store.func_wrap_async("delete", move |mut caller, (key,): (WasmStr,)| {
        Box::new(async move {
            let (key, bytes) = read_guest_text(&key, &caller, STORE_KEY_BYTES_MAX)?;
            let view = view(caller.data_mut());
            let changed: StoreCallResult<()> = match key {
                None => Err(StoreError::KeyLength { bytes }.to_string()),
                Some(key) => view.change(key, None).map_err(as_text),
            };
            yield_after_slice(view, bytes).await;
            Ok((changed,))
        })
    })?;
    store.func_wrap_async("list", move |mut caller, (prefix,): (WasmStr,)| {
        Box::new(async move {
            let (prefix, bytes) = read_guest_text(&prefix, &caller, STORE_KEY_BYTES_MAX)?;
            let view = view(caller.data_mut());
            let keys: StoreCallResult<Vec<String>> = match prefix {
                None => Err(StoreError::PrefixLength { bytes }.to_string()),
                Some(prefix) => view.list(&prefix).map_err(as_text),
            };
            let listed = keys.iter().flatten().map(|key| BYTES_PER_CALL + key.len());
            let bytes = bytes + listed.sum::<usize>();
            yield_after_slice(view, bytes).await;
            Ok((keys,))
        })
    })?;
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes the error by value")]
fn as_text(error: StoreError) -> String {
    error.to_string()
}

/// Reads the guest's text and its length. Returns `None`, and does not copy, if the text is longer than `bytes_max`.
pub(crate) fn read_guest_text<'a, T: 'static>(
    text: &WasmStr,
    caller: impl Into<StoreContext<'a, T>>,
    bytes_max: usize,
) -> wasmtime::Result<(Option<String>, usize)> {
    let text = text.to_str(caller)?;
    let bytes = text.len();
    Ok(((bytes <= bytes_max).then(|| text.into_owned()), bytes))
}

/// Lets other tasks run and the clock be checked once the host has done enough work for this guest.
async fn yield_after_slice(view: &mut SkillStoreView, bytes: usize) {
    if view.slice_is_over(bytes) {
        tokio::task::yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum StoreOperation {
        Set(String, String),
        Delete(String),
        List(String),
    }

    fn store_operations() -> impl Strategy<Value = Vec<StoreOperation>> {
        let key = || "[ab/]{1,3}";
        prop::collection::vec(
            prop_oneof![
                (key(), "[xy]{0,2}").prop_map(|(key, value)| StoreOperation::Set(key, value)),
                key().prop_map(StoreOperation::Delete),
                "[ab/]{0,2}".prop_map(StoreOperation::List),
            ],
            0..20,
        )
    }

    proptest! {
        /// Writes are buffered, and a script cannot tell (docs/writing-skills.md, "Keeping something").
        #[test]
        fn a_script_reads_its_own_buffered_writes(
            before in prop::collection::btree_map("[ab/]{1,3}", "[xy]{0,2}", 0..8),
            operations in store_operations(),
        ) {
            let mut plain = before.clone();
            let mut view = SkillStoreView::new(Some(Arc::new(before.clone())));
            for operation in operations {
                match operation {
                    StoreOperation::Set(key, value) => {
                        prop_assert_eq!(view.change(key.clone(), Some(value.clone())), Ok(()));
                        plain.insert(key, value);
                    }
                    StoreOperation::Delete(key) => {
                        prop_assert_eq!(view.change(key.clone(), None), Ok(()));
                        plain.remove(&key);
                    }
                    StoreOperation::List(prefix) => {
                        let keys = plain.keys().filter(|key| key.starts_with(&prefix));
                        prop_assert_eq!(view.list(&prefix), Ok(keys.cloned().collect()));
                    }
                }
                let bytes = plain.iter().map(|(key, value)| key.len() + value.len()).sum();
                let size = view.size();
                prop_assert_eq!((size.entries, size.bytes), (plain.len(), bytes));
            }
            for key in before.keys().chain(plain.keys()) {
                prop_assert_eq!(view.get(key), Ok(plain.get(key)));
            }
            let mut after = before;
            for StoreWrite { key, value, .. } in view.into_writes() {
                match value {
                    Some(value) => after.insert(key, value),
                    None => after.remove(&key),
                };
            }
            prop_assert_eq!(after, plain);
        }
    }
}
