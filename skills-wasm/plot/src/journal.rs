//! What the player knows, as a page of a journal. Pure.

use std::collections::BTreeMap;

/// Most entries of one part of the page.
const ENTRIES_MAX: usize = 40;

/// What the journal is written from.
#[derive(Debug, Clone, Default)]
pub struct JournalFacts {
    /// Threads that are open, the most important first.
    pub open: Vec<String>,
    /// Threads that have ended.
    pub closed: Vec<String>,
    /// People whom the player has spoken to.
    pub met: Vec<String>,
    /// What people have told, as `PERSON: TOPIC`.
    pub learned: Vec<String>,
    /// Places that the player has seen.
    pub visited: Vec<String>,
    /// The title of the ending that was reached.
    pub ended: Option<String>,
}

/// The page; a sentence where there is nothing to write.
pub fn journal(facts: &JournalFacts) -> String {
    let mut parts = Vec::new();
    if let Some(ended) = &facts.ended {
        parts.push(format!("The story has ended: {ended}."));
    }
    parts.extend(listed("Still open:", &facts.open));
    parts.extend(listed("Settled:", &facts.closed));
    parts.extend(listed("What you have been told:", &by_person(&facts.learned)));
    let silent = |person: &&String| {
        let start = format!("{person}: ");
        !facts.learned.iter().any(|entry| entry.starts_with(&start))
    };
    let met: Vec<String> = facts.met.iter().filter(silent).cloned().collect();
    parts.extend(listed("You have also met:", &met));
    parts.extend(listed("You have been to:", &facts.visited));
    match parts.is_empty() {
        true => "Your journal is empty so far.".to_owned(),
        false => parts.join("\n\n"),
    }
}

fn listed(title: &str, entries: &[String]) -> Option<String> {
    if entries.is_empty() {
        return None;
    }
    let shown = entries.iter().take(ENTRIES_MAX).map(|entry| format!("- {entry}"));
    let mut lines: Vec<String> = std::iter::once(title.to_owned()).chain(shown).collect();
    if entries.len() > ENTRIES_MAX {
        lines.push(format!("- and {} more", entries.len() - ENTRIES_MAX));
    }
    Some(lines.join("\n"))
}

/// `Mina Holt: the ropes, the tide`, in the order in which people were asked first.
fn by_person(learned: &[String]) -> Vec<String> {
    let mut order: Vec<&str> = Vec::new();
    let mut topics: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (person, topic) in learned.iter().filter_map(|entry| entry.split_once(": ")) {
        if !order.contains(&person) {
            order.push(person);
        }
        topics.entry(person).or_default().push(topic);
    }
    order.iter().map(|person| format!("{person}: {}", topics[person].join(", "))).collect()
}
