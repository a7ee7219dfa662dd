//! Random sequences of a story's verbs against a plain tree in memory that has every turn as a whole. No branch leaks into
//! another one, and nothing that was ever there is lost.
//!
//! `STORY_SEQUENCES` sets how many sequences there are.

use std::{
    collections::BTreeMap,
    env, fs,
    io::Cursor,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use narratoria_protocol::{EntityId, EntityKind, Memory};
use narratoria_story::{
    self as story, AssetFolder, AssetRow, BranchName, MemoryEdit, StoreRow, Story, StoryError,
    StoryName, TurnId, TurnOutcome, TurnRecord,
};
use proptest::prelude::*;
use tempfile::TempDir;

use super::{
    SEED, asset, at,
    export_lines::NO_CHECKS,
    plan, turn,
    verb_model::{StoryVerb, TreeModel, branch_name, file, patch, remembers, write},
};

/// Sequences, without `STORY_SEQUENCES`.
const SEQUENCES: u32 = 20_000;

/// Tests that share them, and run at the same time.
const SHARDS: u32 = 4;

/// Where files cost no disk, on machines that have such a place.
const MEMORY_DISK: &str = "/dev/shm";

fn verb() -> impl Strategy<Value = StoryVerb> {
    prop_oneof![
        20 => any::<u8>().prop_map(StoryVerb::Turn),
        6 => (1..4_u64, any::<u8>()).prop_map(|(back, n)| StoryVerb::Edit(back, n)),
        4 => Just(StoryVerb::Retry),
        3 => Just(StoryVerb::Stop),
        12 => (1..4_u64).prop_map(StoryVerb::Undo),
        12 => (1..4_u64).prop_map(StoryVerb::Redo),
        6 => (0..4_u8, any::<u8>()).prop_map(|(name, at)| StoryVerb::Branch(name, at)),
        8 => (0..4_u8).prop_map(StoryVerb::Switch),
        3 => (0..4_u8, 0..4_u8).prop_map(|(from, to)| StoryVerb::RenameBranch(from, to)),
        3 => (0..4_u8).prop_map(StoryVerb::DeleteBranch),
        3 => Just(StoryVerb::Pin),
        2 => Just(StoryVerb::Forget),
        2 => Just(StoryVerb::Reopen),
        1 => Just(StoryVerb::Rename),
        1 => Just(StoryVerb::Backup),
        1 => Just(StoryVerb::Restore),
        1 => Just(StoryVerb::ExportAndImport),
        1 => Just(StoryVerb::CollectGarbage),
    ]
}

/// Most sequences are short: a mistake of two verbs shows in a few.
fn verbs() -> impl Strategy<Value = Vec<StoryVerb>> {
    prop_oneof![
        9 => proptest::collection::vec(verb(), 1..12),
        1 => proptest::collection::vec(verb(), 12..40),
    ]
}

fn parsed(name: &str) -> BranchName {
    BranchName::parse(name).unwrap()
}

/// The story on a disk.
struct PlayedStory {
    root: TempDir,
    name: StoryName,
    story: Option<Story>,
    /// A copy of the database, and the model as it was then.
    copy: Option<(PathBuf, TreeModel)>,
}

impl PlayedStory {
    /// A new story. Its database is a copy of one that was created before: that is most of the work.
    fn begin() -> PlayedStory {
        static NEW: OnceLock<Vec<u8>> = OnceLock::new();
        let root = match Path::new(MEMORY_DISK).is_dir() {
            true => tempfile::tempdir_in(MEMORY_DISK),
            false => tempfile::tempdir(),
        };
        let (root, name) = (root.unwrap(), StoryName::parse("quest").unwrap());
        let db = root.path().join("quest/story.db");
        let new = NEW.get_or_init(|| {
            let elsewhere = super::root();
            drop(super::open(elsewhere.path()));
            fs::read(super::db(elsewhere.path())).unwrap()
        });
        fs::create_dir(db.parent().unwrap()).unwrap();
        fs::write(db, new).unwrap();
        let mut played = PlayedStory { root, name, story: None, copy: None };
        played.open();
        played
    }

    fn open(&mut self) {
        self.story = None;
        self.story = Some(Story::open(self.root.path(), &self.name, at(0), SEED).unwrap());
    }

    fn story(&mut self) -> &mut Story {
        self.story.as_mut().unwrap()
    }

    fn play(&mut self, n: u8) -> Result<(), StoryError> {
        let story = self.story();
        let id = story.turns_ever()? + 1;
        let (key, value) = write(n);
        let mut store_writes = vec![StoreRow { skill: "lamp".to_owned(), key, value }];
        if remembers(n) {
            let memory = Memory { summary: format!("You saw the {n}."), ..Memory::default() };
            store_writes.push(StoreRow::entity(EntityId::new(EntityKind::Memory, id), &memory));
        }
        let plan_id = format!("p{id}");
        let mut assets = Vec::new();
        if let Some(bytes) = file(n) {
            let folder = AssetFolder::create(story.folder())?;
            let (name, _) = folder.store(&mut bytes.as_bytes(), "txt", 99)?;
            assets.push(AssetRow { path: name.path(), ..asset(&plan_id, "map") });
        }
        let plans = vec![plan(&plan_id)];
        let record =
            TurnRecord { plans, assets, store_writes, ..turn(&n.to_string(), &[patch(n)]) };
        story.commit(&record).map(drop)
    }

    fn edit_memory(&mut self, edit: &MemoryEdit<'_>) -> Result<(), StoryError> {
        let newest = self.story().last_entities::<Memory>(1)?.pop();
        let id = newest.map_or(EntityId::new(EntityKind::Memory, 0), |memory| memory.id);
        self.story().edit_memory(id, edit, at(3)).map(drop)
    }

    fn branch(&mut self, new: u8, at: u8) -> Result<(), StoryError> {
        let story = self.story();
        let at = i64::try_from(u64::from(at) % (story.turns_ever()? + 1)).unwrap();
        let found = story.all_turns(usize::MAX)?.into_iter().find(|turn| turn.id.get() == at);
        story.create_branch(&parsed(&branch_name(new)), found.map(|turn| turn.id))
    }

    fn apply(&mut self, verb: &StoryVerb, model: &mut TreeModel) -> Result<(), StoryError> {
        match verb {
            StoryVerb::Turn(n) => self.play(*n),
            StoryVerb::Edit(back, n) => {
                self.story().undo(*back)?;
                self.play(*n)
            }
            StoryVerb::Retry => {
                let last = self.story().recent_turns(1)?.pop();
                let n = last.and_then(|last| last.prompt.parse().ok());
                let why = || StoryError::Damaged { path: "it".into(), what: "no turn".into() };
                let n = n.ok_or_else(why)?;
                self.story().undo(1)?;
                self.play(n)
            }
            StoryVerb::Stop => {
                let stopped = turn("stop", &[]);
                let stopped = TurnRecord { outcome: TurnOutcome::Cancelled, ..stopped };
                self.story().commit_aside(&stopped).map(drop)
            }
            StoryVerb::Undo(n) => self.story().undo(*n).map(drop),
            StoryVerb::Redo(n) => self.story().redo(*n).map(drop),
            StoryVerb::Branch(new, at) => self.branch(*new, *at),
            StoryVerb::Switch(to) => self.story().switch(&parsed(&branch_name(*to))).map(drop),
            StoryVerb::RenameBranch(from, to) => {
                let (from, to) = (parsed(&branch_name(*from)), parsed(&branch_name(*to)));
                self.story().rename_branch(&from, &to)
            }
            StoryVerb::DeleteBranch(which) => {
                self.story().delete_branch(&parsed(&branch_name(*which)))
            }
            StoryVerb::Pin => self.edit_memory(&MemoryEdit::Pin(true)),
            StoryVerb::Forget => self.edit_memory(&MemoryEdit::Forget),
            _ => self.apply_to_files(verb, model),
        }
    }

    /// Verbs on the files of the story as a whole. Only a copy that is put back changes anything.
    fn apply_to_files(
        &mut self,
        verb: &StoryVerb,
        model: &mut TreeModel,
    ) -> Result<(), StoryError> {
        let root = self.root.path().to_owned();
        match verb {
            StoryVerb::Reopen => {}
            StoryVerb::Rename => {
                let new = StoryName::parse(&format!("{}-x", self.name)).unwrap();
                self.story = None;
                fs::rename(root.join(self.name.as_str()), root.join(new.as_str())).unwrap();
                (self.name, self.copy) = (new, None);
            }
            StoryVerb::Backup => self.copy = Some((self.story().back_up()?, model.clone())),
            StoryVerb::Restore => {
                if let Some((copy, before)) = self.copy.clone() {
                    self.story = None;
                    story::restore(&root, &self.name, &copy, at(4))?;
                    *model = before;
                }
            }
            StoryVerb::ExportAndImport => {
                let mut lines = Vec::new();
                assert_eq!(self.story().export_lines(&mut lines).unwrap().notes, [""; 0]);
                let new = StoryName::parse(&format!("{}-i", self.name)).unwrap();
                let mut lines = Cursor::new(lines);
                story::import(&root, Some(&new), &mut lines, at(5), NO_CHECKS).unwrap();
                (self.name, self.copy) = (new, None);
            }
            StoryVerb::CollectGarbage => {
                let unlisted = self.story().unlisted_files()?;
                self.story().remove_unlisted(&unlisted)?;
            }
            _ => unreachable!("it is no verb of files"),
        }
        self.open();
        Ok(())
    }
}

fn memories(story: &Story) -> BTreeMap<u64, (String, bool)> {
    let memories = story.entities::<Memory>().unwrap().into_iter();
    memories.map(|it| (it.id.number, (it.value.summary, it.value.pinned))).collect()
}

/// Compares the head with the model.
fn check_head(story: &Story, model: &TreeModel) -> Result<(), TestCaseError> {
    let (head, redo) = &model.branches[&model.current];
    let expected = &model.turns[*head];
    prop_assert_eq!(story.branch().as_str(), &model.current);
    let place = (story.turns(), story.redoable().unwrap());
    prop_assert_eq!(place, (expected.depth, redo.len() as u64));
    prop_assert_eq!(story.state().as_object(), &expected.state);
    prop_assert_eq!(&story.stores().unwrap(), &expected.stores);
    prop_assert_eq!(&memories(story), &expected.memories);
    Ok(())
}

/// Compares every turn and every branch with the model, by the verbs that read.
fn check_tree(story: &Story, model: &TreeModel) -> Result<(), TestCaseError> {
    prop_assert_eq!(story.verify().unwrap(), Vec::<String>::new());
    let mut found = story.all_turns(usize::MAX).unwrap();
    found.reverse();
    prop_assert_eq!(found.len() + 1, model.turns.len());
    for (node, turn) in found.iter().zip(&model.turns[1..]) {
        let report = story.turn_report(node.id).unwrap();
        let parent = node.parent.map_or(0, TurnId::get);
        prop_assert_eq!(parent, turn.parent as i64);
        prop_assert_eq!((node.number, node.take), (turn.depth, turn.take));
        prop_assert_eq!((&node.prompt, node.outcome), (&turn.prompt, turn.outcome));
        let state = story.state_at(node.id).unwrap();
        prop_assert_eq!(state.as_object(), &turn.state);
        prop_assert_eq!(&story.stores_at(node.id).unwrap(), &turn.stores);
        let file = report.assets.first().map(|asset| story.folder().join(&asset.path));
        prop_assert_eq!(&file.map(|file| fs::read_to_string(file).unwrap()), &turn.file);
    }
    let names: Vec<(String, u64)> =
        story.branches().unwrap().into_iter().map(|it| (it.name.to_string(), it.turns)).collect();
    let expected = model.branches.iter();
    let expected: Vec<(String, u64)> =
        expected.map(|(name, (turn, _))| (name.clone(), model.turns[*turn].depth)).collect();
    prop_assert_eq!(names, expected);
    let line: Vec<i64> =
        story.log(story.head(), usize::MAX).unwrap().iter().map(|turn| turn.id.get()).collect();
    let expected = model.line(model.head()).into_iter().rev().map(|turn| turn as i64);
    prop_assert_eq!(line, expected.collect::<Vec<i64>>());
    check_difference(story, model)
}

/// Compares the first branch with the last one.
fn check_difference(story: &Story, model: &TreeModel) -> Result<(), TestCaseError> {
    let tips: Vec<usize> = model.branches.values().map(|(turn, _)| *turn).collect();
    let (from, to) = (tips[0], tips[tips.len() - 1]);
    let ids = story.all_turns(usize::MAX).unwrap();
    let id = |turn: usize| ids.iter().find(|node| node.id.get() == turn as i64).map(|node| node.id);
    let found = story.compare(id(from), id(to)).unwrap();
    let (left, entered) = (model.line(from), model.line(to));
    let shared = left.iter().zip(&entered).take_while(|(one, other)| one == other).count();
    let counts = (found.left_count, found.entered_count);
    prop_assert_eq!(counts, (left.len() - shared, entered.len() - shared));
    let is_same = model.turns[from].state == model.turns[to].state;
    prop_assert_eq!(found.state.is_empty(), is_same);
    let is_same = model.turns[from].stores == model.turns[to].stores;
    prop_assert_eq!(found.stores.is_empty(), is_same);
    Ok(())
}

fn check(verbs: &[StoryVerb]) -> Result<(), TestCaseError> {
    let (mut played, mut model) = (PlayedStory::begin(), TreeModel::new());
    for verb in verbs {
        let done = played.apply(verb, &mut model);
        prop_assert_eq!(done.is_ok(), model.apply(verb), "{:?}: {:?}", verb, done);
        check_head(played.story(), &model)?;
    }
    check_tree(played.story(), &model)
}

fn config() -> ProptestConfig {
    let sequences = env::var("STORY_SEQUENCES").map_or(SEQUENCES, |count| count.parse().unwrap());
    ProptestConfig::with_cases(sequences.div_ceil(SHARDS))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_story_is_the_tree_that_its_verbs_make_1(verbs in verbs()) { check(&verbs)?; }

    #[test]
    fn the_story_is_the_tree_that_its_verbs_make_2(verbs in verbs()) { check(&verbs)?; }

    #[test]
    fn the_story_is_the_tree_that_its_verbs_make_3(verbs in verbs()) { check(&verbs)?; }

    #[test]
    fn the_story_is_the_tree_that_its_verbs_make_4(verbs in verbs()) { check(&verbs)?; }
}
