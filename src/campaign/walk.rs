//! Visits the values at a path of a document, with the name of the thing that each belongs to.

use crate::tree::{Node, Tree, TreeEntry};

/// A value, and the place where it was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'n> {
    /// The name of the nearest named thing around it.
    pub(crate) owner: &'n str,
    pub(crate) node: &'n Node,
}

/// Keys that name what a table describes, best first.
const NAME_KEYS: [&str; 3] = ["name", "id", "title"];

/// Each value at a path such as `place.exits.to`, in the order of the file. Lists are looked through, a single value
/// counts as a list of one, and `*` is any key of a table.
pub(crate) fn spots<'n>(root: &'n Node, path: &str) -> Vec<Spot<'n>> {
    let mut found = Vec::new();
    let parts: Vec<&str> = path.split('.').collect();
    collect(Spot { owner: "", node: root }, &parts, &mut found);
    found
}

fn collect<'n>(at: Spot<'n>, parts: &[&str], found: &mut Vec<Spot<'n>>) {
    if let Tree::List(items) = &at.node.tree {
        for node in items {
            collect(Spot { owner: at.owner, node }, parts, found);
        }
        return;
    }
    let owner = name_of(at.node).unwrap_or(at.owner);
    let Some((first, rest)) = parts.split_first() else {
        found.push(at);
        return;
    };
    for entry in at.node.entries() {
        if *first == "*" || entry.key == *first {
            collect(Spot { owner, node: &entry.node }, rest, found);
        }
    }
}

/// Each key of the tables at a path, such as the factions of `storylet.reputation`.
pub(crate) fn key_spots<'n>(root: &'n Node, path: &str) -> Vec<(&'n str, &'n TreeEntry)> {
    let tables = spots(root, path);
    let keys = tables
        .into_iter()
        .flat_map(|spot| spot.node.entries().iter().map(move |entry| (spot.owner, entry)));
    keys.collect()
}

fn name_of(node: &Node) -> Option<&str> {
    NAME_KEYS.iter().find_map(|key| node.text_of(key))
}

/// The words of a text in small letters, joined by hyphens.
pub(crate) fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}
