//! A story as a plain tree in memory that has every turn as a whole, without folds and logs. Knows what each verb does, and
//! nothing of files.

use std::collections::BTreeMap;

use narratoria_protocol::{Object, merge};
use narratoria_story::TurnOutcome;
use serde_json::{Value, json};

use super::object;

/// A verb.
#[derive(Debug, Clone)]
pub(crate) enum StoryVerb {
    Turn(u8),
    /// So many turns are undone, and another one is played in their place.
    Edit(u64, u8),
    Retry,
    /// A turn that the player stopped.
    Stop,
    Undo(u64),
    Redo(u64),
    Branch(u8, u8),
    Switch(u8),
    RenameBranch(u8, u8),
    DeleteBranch(u8),
    Pin,
    Forget,
    Reopen,
    Rename,
    Backup,
    Restore,
    /// The story goes on as the one that was imported.
    ExportAndImport,
    CollectGarbage,
}

/// All that the story is after a turn, as a whole.
#[derive(Debug, Clone)]
pub(crate) struct ModelTurn {
    pub(crate) parent: usize,
    pub(crate) depth: u64,
    /// Turns that had followed the same one.
    pub(crate) take: u64,
    pub(crate) prompt: String,
    pub(crate) outcome: TurnOutcome,
    pub(crate) state: Object,
    pub(crate) stores: BTreeMap<String, BTreeMap<String, String>>,
    /// Text and pin of each memory.
    pub(crate) memories: BTreeMap<u64, (String, bool)>,
    /// The bytes of its file.
    pub(crate) file: Option<String>,
}

/// The tree, without folds and logs. Turn 0 is the beginning, and each turn has its place as its id.
#[derive(Debug, Clone)]
pub(crate) struct TreeModel {
    pub(crate) turns: Vec<ModelTurn>,
    /// The turn of each branch, and the turns that can be redone, the nearest last.
    pub(crate) branches: BTreeMap<String, (usize, Vec<usize>)>,
    pub(crate) current: String,
}

impl TreeModel {
    pub(crate) fn new() -> TreeModel {
        let beginning = ModelTurn {
            parent: 0,
            depth: 0,
            take: 0,
            prompt: String::new(),
            outcome: TurnOutcome::Narrated,
            state: Object::new(),
            stores: BTreeMap::new(),
            memories: BTreeMap::new(),
            file: None,
        };
        let branches = BTreeMap::from([("main".to_owned(), (0, Vec::new()))]);
        TreeModel { turns: vec![beginning], branches, current: "main".to_owned() }
    }

    pub(crate) fn head(&self) -> usize {
        self.branches[&self.current].0
    }

    /// Adds a turn after the head, to which it does not move.
    fn add(&mut self, prompt: String, outcome: TurnOutcome) -> &mut ModelTurn {
        let parent = self.head();
        let take = self.turns.iter().skip(1).filter(|turn| turn.parent == parent).count() as u64;
        let above = self.turns[parent].clone();
        let depth = above.depth + 1;
        self.turns.push(ModelTurn { parent, depth, take, prompt, outcome, file: None, ..above });
        self.turns.last_mut().unwrap()
    }

    fn advance(&mut self) {
        self.branches.insert(self.current.clone(), (self.turns.len() - 1, Vec::new()));
    }

    fn play(&mut self, n: u8) {
        let id = self.turns.len() as u64;
        let next = self.add(n.to_string(), TurnOutcome::Narrated);
        merge(&mut next.state, &object(patch(n)));
        let (key, value) = write(n);
        let store = next.stores.entry("lamp".to_owned()).or_default();
        match value {
            Some(value) => _ = store.insert(key, value),
            None => _ = store.remove(&key),
        }
        next.stores.retain(|_, store| !store.is_empty());
        if remembers(n) {
            next.memories.insert(id, (format!("You saw the {n}."), false));
        }
        next.file = file(n);
        self.advance();
    }

    fn undo(&mut self, n: u64) -> bool {
        let (mut head, mut redo) = self.branches[&self.current].clone();
        if n > self.turns[head].depth {
            return false;
        }
        for _ in 0..n {
            redo.push(head);
            head = self.turns[head].parent;
        }
        self.branches.insert(self.current.clone(), (head, redo));
        true
    }

    fn redo(&mut self, n: u64) -> bool {
        let (mut head, mut redo) = self.branches[&self.current].clone();
        if n > redo.len() as u64 {
            return false;
        }
        for _ in 0..n {
            head = redo.pop().unwrap();
        }
        self.branches.insert(self.current.clone(), (head, redo));
        true
    }

    /// Changes the newest memory. Returns whether there is one.
    fn edit_memory(&mut self, verb: &StoryVerb) -> bool {
        let Some(id) = self.turns[self.head()].memories.keys().next_back().copied() else {
            return false;
        };
        let order = if matches!(verb, StoryVerb::Pin) { "pin" } else { "forget" };
        let edited = self.add(format!("/memory {order} M{id}"), TurnOutcome::Edited);
        match verb {
            StoryVerb::Pin => edited.memories.get_mut(&id).unwrap().1 = true,
            _ => _ = edited.memories.remove(&id),
        }
        self.advance();
        true
    }

    fn change_branches(&mut self, verb: &StoryVerb) -> bool {
        match verb {
            StoryVerb::Branch(new, at) => {
                let at = usize::from(*at) % self.turns.len();
                // Turn 0 stands for the head.
                let at = if at == 0 { self.head() } else { at };
                let new = branch_name(*new);
                let is_new = !self.branches.contains_key(&new);
                if is_new {
                    self.branches.insert(new, (at, Vec::new()));
                }
                is_new
            }
            StoryVerb::Switch(to) => {
                let is_there = self.branches.contains_key(&branch_name(*to));
                if is_there {
                    self.current = branch_name(*to);
                }
                is_there
            }
            StoryVerb::RenameBranch(from, to) => {
                let (from, to) = (branch_name(*from), branch_name(*to));
                if self.branches.contains_key(&to) || !self.branches.contains_key(&from) {
                    return false;
                }
                let branch = self.branches.remove(&from).unwrap();
                self.branches.insert(to.clone(), branch);
                if self.current == from {
                    self.current = to;
                }
                true
            }
            StoryVerb::DeleteBranch(which) => {
                let which = branch_name(*which);
                which != self.current && self.branches.remove(&which).is_some()
            }
            _ => unreachable!("it is no verb of branches"),
        }
    }

    /// Carries out a verb, and returns whether it can be.
    pub(crate) fn apply(&mut self, verb: &StoryVerb) -> bool {
        match verb {
            StoryVerb::Turn(n) => self.play(*n),
            StoryVerb::Edit(back, n) => {
                if !self.undo(*back) {
                    return false;
                }
                self.play(*n);
            }
            StoryVerb::Retry => {
                let head = self.turns[self.head()].clone();
                let Ok(n) = head.prompt.parse() else { return false };
                self.undo(1);
                self.play(n);
            }
            StoryVerb::Stop => _ = self.add("stop".to_owned(), TurnOutcome::Cancelled),
            StoryVerb::Undo(n) => return self.undo(*n),
            StoryVerb::Redo(n) => return self.redo(*n),
            StoryVerb::Pin | StoryVerb::Forget => return self.edit_memory(verb),
            StoryVerb::Branch(..)
            | StoryVerb::Switch(_)
            | StoryVerb::RenameBranch(..)
            | StoryVerb::DeleteBranch(_) => return self.change_branches(verb),
            _ => {}
        }
        true
    }

    /// The turns from the first to this one.
    pub(crate) fn line(&self, mut turn: usize) -> Vec<usize> {
        let mut line = Vec::new();
        while turn != 0 {
            line.push(turn);
            turn = self.turns[turn].parent;
        }
        line.reverse();
        line
    }
}

pub(crate) fn branch_name(n: u8) -> String {
    ["main", "tower", "cellar", "road"][usize::from(n)].to_owned()
}

pub(crate) fn patch(n: u8) -> Value {
    json!({"n": n, format!("k{}", n % 4): (!n.is_multiple_of(3)).then(|| json!({"at": n, "list": [null, n]}))})
}

pub(crate) fn write(n: u8) -> (String, Option<String>) {
    (format!("k{}", n % 3), (!n.is_multiple_of(5)).then(|| n.to_string()))
}

pub(crate) fn remembers(n: u8) -> bool {
    n % 3 == 1
}

pub(crate) fn file(n: u8) -> Option<String> {
    n.is_multiple_of(4).then(|| format!("map {}", n % 5))
}
