//! A memory in this process, within the host's limits for one invocation: for tests, and for programs outside a
//! component. It matches whole words, whatever their case; the host knows their stems as well.

use std::{cmp::Reverse, collections::BTreeSet};

use super::{
    limits::{
        RECALL_QUERY_BYTES_MAX, RECALLED_MAX, RECALLS_MAX, REMEMBERS_MAX, TAG_BYTES_MAX, TAGS_MAX,
        TEXT_TO_REMEMBER_BYTES_MAX,
    },
    text::MemoryText,
};

#[derive(Debug)]
pub(crate) struct FakeMemory {
    texts: Vec<MemoryText>,
    remembers: u32,
    recalls: u32,
}

impl FakeMemory {
    pub(super) fn new(texts: Vec<MemoryText>) -> FakeMemory {
        FakeMemory { texts, remembers: 0, recalls: 0 }
    }

    pub(super) fn texts(&self) -> Vec<MemoryText> {
        self.texts.clone()
    }

    pub(super) fn remember(&mut self, text: &str, tags: &[&str]) -> Result<(), String> {
        if text.is_empty() || text.len() > TEXT_TO_REMEMBER_BYTES_MAX {
            return Err(format!(
                "a text to remember is 1 to {TEXT_TO_REMEMBER_BYTES_MAX} bytes long, this one is {}",
                text.len()
            ));
        }
        if text.contains(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\t')) {
            return Err(
                "a text to remember has no control characters but line ends and tabs".to_owned()
            );
        }
        check_tags(tags)?;
        if self.remembers == REMEMBERS_MAX {
            return Err(format!("one invocation has at most {REMEMBERS_MAX} texts remembered"));
        }
        self.remembers += 1;
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        self.texts.push(MemoryText { text: text.to_owned(), tags });
        Ok(())
    }

    pub(super) fn recall(
        &mut self,
        query: &str,
        tags: &[&str],
        max: u32,
    ) -> Result<Vec<MemoryText>, String> {
        if query.len() > RECALL_QUERY_BYTES_MAX {
            return Err(format!(
                "a query has at most {RECALL_QUERY_BYTES_MAX} bytes, this one has {}",
                query.len()
            ));
        }
        check_tags(tags)?;
        if !(1..=RECALLED_MAX).contains(&max) {
            return Err(format!(
                "at most 1 to {RECALLED_MAX} texts are recalled at once, not {max}"
            ));
        }
        if self.recalls == RECALLS_MAX {
            return Err(format!("one invocation recalls at most {RECALLS_MAX} times"));
        }
        self.recalls += 1;
        let wanted = words(query);
        let has_tags = |one: &MemoryText| {
            let has =
                |tag: &str| one.tags.iter().any(|own| own.to_lowercase() == tag.to_lowercase());
            tags.iter().all(|tag| has(tag))
        };
        let worth = |one: &MemoryText| {
            let own = words(&format!("{} {}", one.text, one.tags.join(" ")));
            if wanted.is_empty() { 1 } else { own.intersection(&wanted).count() }
        };
        let mut found: Vec<(usize, &MemoryText)> = self
            .texts
            .iter()
            .rev()
            .filter(|one| has_tags(one))
            .map(|one| (worth(one), one))
            .filter(|(worth, _)| *worth > 0)
            .collect();
        found.sort_by_key(|(worth, _)| Reverse(*worth));
        Ok(found.into_iter().take(max as usize).map(|(_, one)| one.clone()).collect())
    }
}

fn check_tags(tags: &[&str]) -> Result<(), String> {
    if tags.len() > TAGS_MAX {
        return Err(format!("a text has at most {TAGS_MAX} tags, these are {}", tags.len()));
    }
    for tag in tags {
        if tag.is_empty() || tag.len() > TAG_BYTES_MAX {
            return Err(format!(
                "a tag is 1 to {TAG_BYTES_MAX} bytes long, this one is {}",
                tag.len()
            ));
        }
        if tag.contains(char::is_control) {
            return Err("a tag has no control characters".to_owned());
        }
    }
    Ok(())
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}
