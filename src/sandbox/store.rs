//! What a skill keeps from turn to turn, as one invocation sees it: the story's entries with its own
//! changes over them. The host's side of `contracts/wit/store.wit`.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    sync::Arc,
};

use wasmtime::{
    StoreContext, StoreContextMut,
    component::{Linker, WasmStr},
};

use super::{Owner, StoreMap, StoreWrite, invocation::GuestState};

/// The interface, in the version that this host offers.
pub(super) const STORE_INTERFACE: &str = "narratoria:host/store@0.1.0";

/// Longest key, in bytes: a path of a few words. Keys are listed and journaled again and again.
pub const STORE_KEY_BYTES_MAX: usize = 256;

/// Longest value, in bytes: a long scene is about 8 KiB. What is larger belongs into a file.
pub const STORE_VALUE_BYTES_MAX: usize = 64 << 10;

/// Most entries of one skill in one story. A list of keys is handed over whole.
pub const STORE_ENTRIES_MAX: usize = 1_000;

/// Most bytes of one skill in one story, keys and values together: each attempt starts with a copy of
/// it, and every branch of the story keeps its own.
pub const STORE_BYTES_MAX: usize = 1 << 20;

/// Most changes of one invocation. All of them become part of the story's journal.
pub const STORE_WRITES_MAX: usize = 1_000;

/// How much the host copies, compares or checks for a guest before others have their turn and somebody
/// looks at the clock: work that the guest's own fuel does not measure. Well below a millisecond.
pub(super) const BYTES_PER_SLICE: usize = 1 << 20;

/// What a lookup costs at least, in the same measure.
const BYTES_PER_CALL: usize = 256;

/// Why a call changes or finds nothing. The guest reads the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum StoreError {
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

/// How much there is.
#[derive(Debug, Clone, Copy, Default)]
struct StoreSize {
    entries: usize,
    bytes: usize,
}

/// One invocation's view of its skill's store. Empty and free of cost until it is used.
#[derive(Debug, Default)]
pub(super) struct SkillStoreView {
    base: Option<Arc<StoreMap>>,
    /// None for what was deleted.
    changes: BTreeMap<String, Option<String>>,
    writes: usize,
    /// Counted at the first change.
    size: Option<StoreSize>,
    /// Work done since the guest was last held up for it.
    bytes_of_slice: usize,
}

impl SkillStoreView {
    /// `None` is an empty store, for whoever has no story.
    pub(super) fn new(before: Option<Arc<StoreMap>>) -> SkillStoreView {
        SkillStoreView { base: before, ..SkillStoreView::default() }
    }

    /// What changed: one write for each key, sorted.
    pub(super) fn into_writes(self) -> impl Iterator<Item = StoreWrite> {
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
        // What is too large already, because the limits were once higher, may still shrink.
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

    /// Whether it is somebody else's turn after this much more work.
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

/// What the guest reads: an answer or a sentence.
type StoreCallResult<T> = Result<T, String>;

/// Offers the interface to every component; who may import it is checked when a component is loaded.
pub(super) fn add_to_linker(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    let mut store = linker.instance(STORE_INTERFACE)?;
    store.func_wrap_async("get", |mut caller, (key,): (WasmStr,)| {
        Box::new(async move {
            let (answer, bytes): (StoreCallResult<Option<String>>, _) = {
                let key = key.to_str(&caller)?;
                let found = caller.data().skill_store.get(&key);
                let bytes =
                    key.len() + found.as_ref().map_or(0, |found| found.map_or(0, String::len));
                (found.map(Option::<&String>::cloned).map_err(as_text), bytes)
            };
            yield_after_slice(&mut caller, bytes).await;
            Ok((answer,))
        })
    })?;
    store.func_wrap_async("set", |mut caller, (key, value): (WasmStr, WasmStr)| {
        Box::new(async move {
            let (key, key_bytes) = read_guest_text(&key, &caller, STORE_KEY_BYTES_MAX)?;
            let (value, value_bytes) = read_guest_text(&value, &caller, STORE_VALUE_BYTES_MAX)?;
            let answer: StoreCallResult<()> = match (key, value) {
                (None, _) => Err(StoreError::KeyLength { bytes: key_bytes }.to_string()),
                (Some(key), None) => {
                    Err(StoreError::ValueTooLong { key, bytes: value_bytes }.to_string())
                }
                (Some(key), Some(value)) => {
                    caller.data_mut().skill_store.change(key, Some(value)).map_err(as_text)
                }
            };
            yield_after_slice(&mut caller, key_bytes + value_bytes).await;
            Ok((answer,))
        })
    })?;
    store.func_wrap_async("delete", |mut caller, (key,): (WasmStr,)| {
        Box::new(async move {
            let (key, bytes) = read_guest_text(&key, &caller, STORE_KEY_BYTES_MAX)?;
            let answer: StoreCallResult<()> = match key {
                None => Err(StoreError::KeyLength { bytes }.to_string()),
                Some(key) => caller.data_mut().skill_store.change(key, None).map_err(as_text),
            };
            yield_after_slice(&mut caller, bytes).await;
            Ok((answer,))
        })
    })?;
    store.func_wrap_async("list", |mut caller, (prefix,): (WasmStr,)| {
        Box::new(async move {
            let (answer, bytes): (StoreCallResult<Vec<String>>, _) = {
                let prefix = prefix.to_str(&caller)?;
                let keys = caller.data().skill_store.list(&prefix);
                let listed = keys.iter().flatten().map(|key| BYTES_PER_CALL + key.len());
                let bytes = prefix.len() + listed.sum::<usize>();
                (keys.map_err(as_text), bytes)
            };
            yield_after_slice(&mut caller, bytes).await;
            Ok((answer,))
        })
    })?;
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn as_text(error: StoreError) -> String {
    error.to_string()
}

/// The guest's text and its length; the text only if it is not longer than `bytes_max`, for nobody
/// copies what is refused anyway.
pub(super) fn read_guest_text<'a>(
    text: &WasmStr,
    caller: impl Into<StoreContext<'a, GuestState>>,
    bytes_max: usize,
) -> wasmtime::Result<(Option<String>, usize)> {
    let text = text.to_str(caller)?;
    let bytes = text.len();
    Ok(((bytes <= bytes_max).then(|| text.into_owned()), bytes))
}

/// Lets others run, and the clock be looked at, when the guest has had enough done for it.
async fn yield_after_slice(caller: &mut StoreContextMut<'_, GuestState>, bytes: usize) {
    if caller.data_mut().skill_store.slice_is_over(bytes) {
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
        /// DESIGN §3: writes are buffered. Seen from within, it is as if they were not.
        #[test]
        fn what_a_script_sees_is_what_it_would_have_after_its_writes(
            before in prop::collection::btree_map("[ab/]{1,3}", "[xy]{0,2}", 0..8),
            orders in store_operations(),
        ) {
            let mut plain = before.clone();
            let mut kept = SkillStoreView::new(Some(Arc::new(before.clone())));
            for order in orders {
                match order {
                    StoreOperation::Set(key, value) => {
                        prop_assert_eq!(kept.change(key.clone(), Some(value.clone())), Ok(()));
                        plain.insert(key, value);
                    }
                    StoreOperation::Delete(key) => {
                        prop_assert_eq!(kept.change(key.clone(), None), Ok(()));
                        plain.remove(&key);
                    }
                    StoreOperation::List(prefix) => {
                        let keys = plain.keys().filter(|key| key.starts_with(&prefix));
                        prop_assert_eq!(kept.list(&prefix), Ok(keys.cloned().collect()));
                    }
                }
                let bytes = plain.iter().map(|(key, value)| key.len() + value.len()).sum();
                let size = kept.size();
                prop_assert_eq!((size.entries, size.bytes), (plain.len(), bytes));
            }
            for key in before.keys().chain(plain.keys()) {
                prop_assert_eq!(kept.get(key), Ok(plain.get(key)));
            }
            let mut after = before;
            for StoreWrite { key, value, .. } in kept.into_writes() {
                match value {
                    Some(value) => after.insert(key, value),
                    None => after.remove(&key),
                };
            }
            prop_assert_eq!(after, plain);
        }
    }
}
