//! A store in this process, within the host's limits: for tests, and for programs outside a component.

use std::collections::BTreeMap;

use super::limits::{
    STORE_BYTES_MAX, STORE_ENTRIES_MAX, STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX,
    STORE_WRITES_MAX,
};

#[derive(Debug)]
pub(crate) struct InMemoryStore {
    entries: BTreeMap<String, String>,
    writes: usize,
}

impl InMemoryStore {
    pub(super) fn new(entries: BTreeMap<String, String>) -> InMemoryStore {
        InMemoryStore { entries, writes: 0 }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    pub(super) fn get(&self, key: &str) -> Result<Option<String>, String> {
        check_key(key)?;
        Ok(self.entries.get(key).cloned())
    }

    pub(super) fn set(&mut self, key: &str, value: String) -> Result<(), String> {
        check_key(key)?;
        if value.len() > STORE_VALUE_BYTES_MAX {
            return Err(format!(
                "a value is at most {STORE_VALUE_BYTES_MAX} bytes long, that of `{key}` is {}",
                value.len()
            ));
        }
        let others = || self.entries.iter().filter(|(other, _)| *other != key);
        if others().count() == STORE_ENTRIES_MAX {
            return Err(format!(
                "a skill keeps at most {STORE_ENTRIES_MAX} entries, `{key}` would be one more"
            ));
        }
        let bytes = others().map(|(key, value)| key.len() + value.len()).sum::<usize>()
            + key.len()
            + value.len();
        if bytes > STORE_BYTES_MAX {
            return Err(format!(
                "a skill keeps at most {STORE_BYTES_MAX} bytes, with `{key}` it would be {bytes}"
            ));
        }
        self.count_write(key)?;
        self.entries.insert(key.to_owned(), value);
        Ok(())
    }

    pub(super) fn delete(&mut self, key: &str) -> Result<(), String> {
        check_key(key)?;
        self.count_write(key)?;
        self.entries.remove(key);
        Ok(())
    }

    pub(super) fn list(&self, prefix: &str) -> Result<Vec<String>, String> {
        if prefix.len() > STORE_KEY_BYTES_MAX {
            return Err(format!(
                "a prefix is at most {STORE_KEY_BYTES_MAX} bytes long, as a key is, this one is {}",
                prefix.len()
            ));
        }
        Ok(self.entries.keys().filter(|key| key.starts_with(prefix)).cloned().collect())
    }

    fn count_write(&mut self, key: &str) -> Result<(), String> {
        if self.writes == STORE_WRITES_MAX {
            return Err(format!(
                "one invocation makes at most {STORE_WRITES_MAX} changes, `{key}` would be one more"
            ));
        }
        self.writes += 1;
        Ok(())
    }
}

fn check_key(key: &str) -> Result<(), String> {
    if key.is_empty() || key.len() > STORE_KEY_BYTES_MAX {
        return Err(format!(
            "a key is 1 to {STORE_KEY_BYTES_MAX} bytes long, this one is {}",
            key.len()
        ));
    }
    if key.contains(char::is_control) {
        return Err(format!("the key {key:?} has a control character"));
    }
    Ok(())
}
