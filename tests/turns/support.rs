//! Packages made of the naughty guests, and sessions over them. Only for tests.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use narratoria::{
    engine::{Granted, Options, Scripts, Session, Setup, Update, World},
    narrator::Planner,
    sandbox::{Sandbox, SandboxOptions},
    skills::{self, Catalog, Root},
    story::{Story, StoryName},
};
use serde_json::{Value, json};

/// A skill whose only script is one of the guests; the script is called as the guest.
pub(crate) fn write_package(root: &Path, skill: &str, guest: &str, extra: Value) {
    let found = narratoria_guests::find(guest).unwrap_or_else(|| panic!("no guest `{guest}`"));
    let folder = root.join(skill);
    fs::create_dir_all(folder.join("scripts")).unwrap();
    fs::create_dir_all(folder.join("schemas")).unwrap();
    fs::write(folder.join(format!("scripts/{guest}.wasm")), found.component).unwrap();
    fs::write(folder.join("schemas/any.json"), r#"{"type": "object"}"#).unwrap();
    let front_matter = format!("---\nname: {skill}\ndescription: A test.\n---\nA test.\n");
    fs::write(folder.join("SKILL.md"), front_matter).unwrap();
    let mut manifest = json!({
        "name": skill,
        "displayName": skill,
        "description": "A test.",
        "version": "0.1.0",
        "retryPolicy": {"maxRetries": 1, "backoffMs": 1},
        "scripts": [{
            "name": guest,
            "path": format!("scripts/{guest}.wasm"),
            "description": "A test.",
            "inputSchema": "schemas/any.json",
            "timeout": 1000,
            "reads": ["/seen"],
        }],
    });
    merge(&mut manifest, extra);
    fs::write(folder.join("skill.json"), manifest.to_string()).unwrap();
}

fn merge(target: &mut Value, extra: Value) {
    match (target, extra) {
        (Value::Object(target), Value::Object(extra)) => {
            for (key, value) in extra {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(target), Value::Array(extra)) if target.len() == extra.len() => {
            target.iter_mut().zip(extra).for_each(|(target, extra)| merge(target, extra));
        }
        (target, extra) => *target = extra,
    }
}

/// Ids name a plan for ever, over all sessions of a story.
static IDS: AtomicU64 = AtomicU64::new(1);

/// A clock that advances a second at each look, and ids that count.
pub(crate) fn world() -> World {
    let seconds = AtomicU64::new(1_700_000_000);
    World {
        clock: Arc::new(move || {
            let second = seconds.fetch_add(1, Ordering::Relaxed) as i64;
            jiff::Timestamp::from_second(second).unwrap()
        }),
        ids: Arc::new(move || {
            uuid::Uuid::from_u128(
                u128::from(IDS.fetch_add(1, Ordering::Relaxed)) | 4 << 76 | 8 << 60,
            )
        }),
    }
}

/// Two slots, and everything else as in earnest.
pub(crate) fn options() -> Options {
    Options::new(NonZeroUsize::new(2).unwrap())
}

pub(crate) fn load(folders: &[PathBuf]) -> Catalog {
    let roots: Vec<Root> = folders.iter().cloned().map(Root::Folder).collect();
    let loaded = skills::load(&roots, &|_| None);
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    loaded.catalog
}

/// With the story's folder, and one variable to grant and one to keep.
pub(crate) fn prepare(catalog: &mut Catalog, story: &Story) -> Scripts {
    let sandbox = Sandbox::open(&SandboxOptions::default()).unwrap();
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let env = [variable("GREETING", "well met"), variable("SECRET", "1234")].into();
    let granted = Granted { env, folder: Some(story.folder().to_owned()) };
    let (scripts, problems) = Scripts::prepare(&sandbox, catalog, granted);
    assert!(problems.is_empty(), "{problems:#?}");
    scripts
}

pub(crate) fn open_story(home: &Path) -> Story {
    let name = StoryName::parse("demo").unwrap();
    let opened_at = jiff::Timestamp::from_second(1_700_000_000).unwrap();
    Story::open(&home.join("stories"), &name, opened_at, 7).unwrap()
}

pub(crate) fn session(home: &Path, skills: &Path, planner: Box<dyn Planner>) -> Session {
    session_within(home, skills, planner, options())
}

pub(crate) fn session_within(
    home: &Path,
    skills: &Path,
    planner: Box<dyn Planner>,
    options: Options,
) -> Session {
    let mut catalog = load(&[skills.to_owned()]);
    let story = open_story(home);
    let scripts = prepare(&mut catalog, &story);
    Session::open(Setup {
        catalog,
        problems: Vec::new(),
        scripts,
        planner,
        story,
        world: world(),
        options,
    })
}

/// The types of the updates, in order, for reading.
pub(crate) fn types(updates: &[Update]) -> Vec<String> {
    updates
        .iter()
        .map(|update| serde_json::to_value(update).unwrap()["type"].as_str().unwrap().to_owned())
        .collect()
}
