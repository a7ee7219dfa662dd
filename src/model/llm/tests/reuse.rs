//! A context reuses the prefix that it has read, and the text does not depend on that.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{super::*, harness::*};

const RULES: &str = "You plan. Each step names a script and what it gets. Play fair, be brief, never \
    decide for the player. Doors may be shut, torches may go out, and a goblin is not always a foe.";

fn turn(story: &str, input: &str) -> Chat {
    chat(&[&format!("system: {RULES}/disk/{story}/session/"), &format!("user: {input}")])
}

fn with_folder(folder: &Path) -> LoadOptions {
    LoadOptions { prefix_folder: Some(folder.to_owned()), ..options() }
}

fn load(seed: u64, folder: &Path) -> Model {
    Model::load(&file(seed), &with_folder(folder)).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .map_or(Vec::new(), |entries| entries.map(|entry| entry.unwrap().path()).collect())
}

/// The text of a model that has read nothing before.
fn cold(seed: u64, chat: Chat) -> GeneratedText {
    text(&model(seed), under_grammar(chat))
}

#[test]
fn the_text_does_not_depend_on_what_was_read_before() {
    let warm = model(1);
    for (story, input) in
        [("It rains.", "go north"), ("It rains.", "go south"), ("Night.", "sleep")]
    {
        let expected = cold(1, turn(story, input));
        assert_eq!(expected.usage.reused, 0);
        // The second time the context has read nearly all of the prompt.
        for _ in 0..2 {
            let done = text(&warm, under_grammar(turn(story, input)));
            assert_eq!(done.text, expected.text);
        }
        let noise = GenerateJob { lane: Lane::Prose, ..job(chat(&["user: sing of the sea"])) };
        text(&warm, noise);
        let done = text(&warm, under_grammar(turn(story, input)));
        assert_eq!(done.text, expected.text);
        assert!(done.usage.reused > RULES.len() && done.usage.reused < done.usage.prompt);
    }
}

#[test]
fn the_longest_common_splits_are_reused() {
    let model = model(1);
    let reused = |story: &str, input: &str| {
        let done = text(&model, under_grammar(turn(story, input)));
        (done.usage.prompt, done.usage.reused)
    };
    // `<|system|>`, a space, a line end.
    let markup = 3;
    assert_eq!(reused("It rains.", "go north").1, 0);
    let rules = markup + RULES.len();
    assert_eq!(reused("It rains.", "go south").1, rules + "It rains.".len());
    assert_eq!(reused("It snows.", "go south").1, rules);
    let (prompt, same) = reused("It snows.", "go south");
    assert!(same == rules + "It snows.".len() && same < prompt);
}

#[test]
fn a_prefix_is_restored_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let expected = cold(1, turn("It rains.", "go north"));
    let first = load(1, folder.path());
    let done = text(&first, under_grammar(turn("It rains.", "go north")));
    assert_eq!((done.text.as_str(), done.usage.restored), (expected.text.as_str(), 0));
    drop(first);
    wait_for_files(1, folder.path());
    let second = load(1, folder.path());
    for (story, input) in [("It rains.", "go north"), ("It snows.", "dance")] {
        let done = text(&second, under_grammar(turn(story, input)));
        assert_eq!(done.text, cold(1, turn(story, input)).text);
        assert!(done.usage.restored > RULES.len(), "{done:?}");
        assert_eq!(done.usage.restored, done.usage.reused);
    }
}

/// Waits until the folder has this many prefixes, and returns their paths.
fn wait_for_files(n: usize, folder: &Path) -> Vec<PathBuf> {
    let deadline = Instant::now() + LONG;
    loop {
        let mut paths = files(folder);
        if paths.len() == n
            && paths.iter().all(|path| path.extension().is_some_and(|end| end == "prefix"))
        {
            paths.sort();
            return paths;
        }
        assert!(Instant::now() < deadline, "{paths:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_prefilled_prefix_is_reused_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let first = load(1, folder.path());
    first.prefill(turn("It rains.", ""), Lane::Plan, Some(grammar()));
    wait_for_files(1, folder.path());
    let expected = cold(1, turn("It rains.", "go north"));
    let done = text(&first, under_grammar(turn("It rains.", "go north")));
    assert_eq!(done.text, expected.text);
    assert!(done.usage.reused > RULES.len() && done.usage.restored == 0, "{done:?}");
    drop(first);
    let second = load(1, folder.path());
    second.prefill(turn("It snows.", ""), Lane::Plan, None);
    let done = text(&second, under_grammar(turn("It snows.", "go north")));
    assert!(done.usage.restored > RULES.len(), "{done:?}");
    assert_eq!(done.text, cold(1, turn("It snows.", "go north")).text);
}

#[test]
fn a_prefill_does_not_discard_a_longer_prefix() {
    let model = model(1);
    let first = text(&model, under_grammar(turn("It rains.", "go north")));
    model.prefill(turn("It rains.", ""), Lane::Plan, None);
    // When this job is done, the thread has also done the prefill.
    text(&model, GenerateJob { lane: Lane::Prose, ..job(chat(&["user: sing"])) });
    let again = text(&model, under_grammar(turn("It rains.", "go north")));
    assert_eq!(again.text, first.text);
    assert!(again.usage.reused > RULES.len());
}

/// Stores a prefix, lets `harm` change its file, and returns whether the next model restores it. The text must be
/// right in any case, and the file valid afterwards.
fn is_restored_after(harm: impl FnOnce(&Path)) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let write = || {
        let model = load(1, folder.path());
        let done = text(&model, under_grammar(turn("It rains.", "go north")));
        (wait_for_files(1, folder.path()), done)
    };
    let (stored, first) = write();
    harm(&stored[0]);
    let (_, second) = write();
    assert_eq!(first.text, second.text);
    let (_, third) = write();
    assert!(third.text == first.text && third.usage.restored > 0);
    second.usage.restored > 0
}

#[test]
fn a_damaged_prefix_is_read_again_and_replaced() {
    assert!(is_restored_after(|_| ()));
    let change = |at: fn(usize) -> usize| {
        move |path: &Path| {
            let mut bytes = fs::read(path).unwrap();
            let at = at(bytes.len());
            bytes[at] ^= 1;
            fs::write(path, bytes).unwrap();
        }
    };
    assert!(!is_restored_after(change(|_| 3)));
    assert!(!is_restored_after(change(|_| 20)));
    assert!(!is_restored_after(change(|_| 60)));
    assert!(!is_restored_after(change(|len| len / 2)));
    assert!(!is_restored_after(change(|len| len - 1)));
    assert!(!is_restored_after(|path| fs::write(path, b"").unwrap()));
    assert!(!is_restored_after(|path| fs::remove_file(path).unwrap()));
    assert!(!is_restored_after(|path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() - 7]).unwrap();
    }));
}

#[test]
fn a_prefix_of_another_model_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    text(&load(1, folder.path()), under_grammar(turn("It rains.", "go north")));
    let other = load(2, folder.path());
    let done = text(&other, under_grammar(turn("It rains.", "go north")));
    assert_eq!(done.usage.restored, 0);
    assert_eq!(done.text, cold(2, turn("It rains.", "go north")).text);
    drop(other);
    let smaller = LoadOptions { context_tokens: 2048, ..with_folder(folder.path()) };
    let smaller = Model::load(&file(1), &smaller).unwrap();
    let done = text(&smaller, under_grammar(turn("It rains.", "go north")));
    assert_eq!(done.usage.restored, 0);
    wait_for_files(3, folder.path());
}

#[test]
fn a_renamed_prefix_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let model = load(1, folder.path());
    text(&model, under_grammar(turn("It rains.", "go north")));
    // The next prompt would replace a prefix that is not saved by then.
    wait_for_files(1, folder.path());
    text(&model, under_grammar(chat(&[&format!("system: {RULES}!/disk/"), "user: go"])));
    let stored = wait_for_files(2, folder.path());
    let [one, two] = &stored[..] else { panic!("two files") };
    let (first, second) = (fs::read(one).unwrap(), fs::read(two).unwrap());
    fs::write(one, second).unwrap();
    fs::write(two, first).unwrap();
    let done = text(&load(1, folder.path()), under_grammar(turn("It rains.", "go north")));
    assert_eq!(done.usage.restored, 0);
    assert_eq!(done.text, cold(1, turn("It rains.", "go north")).text);
}

#[test]
fn a_folder_that_cannot_be_written_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let no_folder = folder.path().join("file");
    fs::write(&no_folder, b"").unwrap();
    let done = text(&load(1, &no_folder), under_grammar(turn("It rains.", "go north")));
    assert_eq!(done.text, cold(1, turn("It rains.", "go north")).text);
}

#[test]
fn the_oldest_prefixes_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(format!("{name}.prefix"));
    for (age, name) in ["new", "b", "c", "d"].iter().enumerate() {
        fs::write(path(name), [0; 100]).unwrap();
        let time = std::time::SystemTime::now() - Duration::from_secs(age as u64 * 60);
        fs::File::options().write(true).open(path(name)).unwrap().set_modified(time).unwrap();
    }
    fs::write(folder.path().join("story.db"), [0; 1000]).unwrap();
    let left = || {
        let mut names: Vec<_> =
            files(folder.path()).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let unfinished = folder.path().join("e-1.prefix-part");
    fs::write(&unfinished, [0; 100]).unwrap();
    let time = std::time::SystemTime::now() - Duration::from_secs(7200);
    fs::File::options().write(true).open(&unfinished).unwrap().set_modified(time).unwrap();
    prefix_cache::make_room(folder.path(), &path("new"), 3, 1000).unwrap();
    assert_eq!(left(), ["b.prefix", "c.prefix", "new.prefix", "story.db"]);
    prefix_cache::make_room(folder.path(), &path("new"), 3, 250).unwrap();
    assert_eq!(left(), ["b.prefix", "new.prefix", "story.db"]);
    prefix_cache::make_room(folder.path(), &path("new"), 3, 50).unwrap();
    assert_eq!(left(), ["new.prefix", "story.db"]);
}

#[test]
fn prefixes_name_the_versions_that_are_pinned() {
    let manifest = include_str!("../../../../Cargo.toml");
    for name in ["llama-cpp-2", "llama-cpp-sys-2"] {
        let (_, after) = manifest.split_once(&format!("\n{name} = {{ version = \"=")).unwrap();
        let (version, _) = after.split_once('"').unwrap();
        assert!(prefix_cache::VERSIONS.contains(&format!("{name} {version},")), "{name} {version}");
    }
}
