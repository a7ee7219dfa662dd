//! Every folder of `tests/kit/spoilt` is a good package spoilt in one way, and what `skill check` says of it.
//!
//! `BLESS=1 cargo test --test program kit::` rewrites the texts, and the table of `docs/checking.md`. Read the
//! difference before it is committed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
};

use narratoria_kit::check::{FindingLevel, RULES};

use crate::kit::recipe::{CheckFixture, NAME};

/// Rules that no package can break on every machine on which the tests run, each with its reason.
const NOT_SPOILT: [(&str, &str); 9] = [
    ("check/not-repeatable", "two workers of a fleet are compared; `parts.rs` has tests"),
    ("check/time-budget", "how far a check comes in its time differs; `budget.rs` has tests"),
    ("check/worker-lost", "a package of a fleet ends its workers; `fleet` has tests"),
    ("check/too-many", "`budget.rs` makes a package with a thousand faults"),
    ("install/built-in-name", "`gate.rs`: the player of these packages agreed to their name"),
    ("package/unreadable", "a test below names a folder that is none"),
    ("meaning/not-found", "it needs a model of sentence vectors; `src/kit/check/meaning/tests.rs`"),
    ("meaning/false-alarm", "it needs one too"),
    ("files/odd", "a test below makes a pipe where there are pipes"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kit/spoilt")
}

fn bless() -> bool {
    std::env::var_os("BLESS").is_some()
}

fn recipes() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

/// Returns the report of one package without the number of hostile requests, which no recipe is about.
fn check_transcript(recipe: &Path) -> String {
    let text = fs::read_to_string(recipe.join("recipe.txt")).unwrap();
    let bench = CheckFixture::from_recipe(&text);
    let args = [&["skill", "check", NAME, "--seed", "7"], &bench.args()[..]].concat();
    let told = bench.run(&args).transcript();
    let counts = regex::Regex::new(r"\d+ hostile requests?").unwrap();
    let told = counts.replace_all(&told, "[N] hostile requests");
    // The fuel of a script depends on the compiler that built it.
    let used = regex::Regex::new(r"(its examples use) \d+ at most").unwrap();
    used.replace_all(&told, "$1 [N] at most").into_owned()
}

#[test]
fn every_spoilt_package_is_told_with_exactly_the_text_beside_it() {
    let recipes = recipes();
    assert!(recipes.len() >= 30, "{} spoilt packages", recipes.len());
    let (next, wrong) = (Mutex::new(recipes.iter()), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let Some(recipe) = next.lock().unwrap().next() else { return };
            let found = check_transcript(recipe);
            let beside = recipe.join("expect.txt");
            let expect = fs::read_to_string(&beside).unwrap_or_default();
            if bless() {
                fs::write(&beside, &found).unwrap();
            } else if found != expect {
                let name = recipe.file_name().unwrap().to_string_lossy();
                wrong.lock().unwrap().push(format!("{name}: expected\n{expect}found\n{found}"));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_package_that_breaks_it() {
    let mut shown: BTreeSet<String> =
        NOT_SPOILT.iter().map(|(rule, _)| (*rule).to_owned()).collect();
    for recipe in recipes() {
        let text = fs::read_to_string(recipe.join("expect.txt")).unwrap_or_default();
        let rules = text.lines().filter_map(|line| line.strip_suffix(']')?.rsplit_once('['));
        shown.extend(rules.map(|(_, rule)| rule.to_owned()));
    }
    let known: BTreeSet<String> = RULES.iter().map(|rule| rule.id.to_owned()).collect();
    let missing: Vec<&String> = known.difference(&shown).collect();
    assert!(missing.is_empty(), "no package breaks {missing:?}");
}

/// A package that fails must fail by the rule after which its folder is named, and a spoilt package passes a strict
/// check only if its fault is no more than a note.
#[test]
fn what_is_spoilt_fails_or_says_why_not() {
    for recipe in recipes() {
        let name = recipe.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(recipe.join("expect.txt")).unwrap_or_default();
        let levels: BTreeMap<&str, usize> = ["error: ", "warning: ", "note: "]
            .map(|word| {
                (word, text.lines().filter(|line| line.starts_with(&format!("  {word}"))).count())
            })
            .into();
        let exit = if levels["error: "] > 0 { "--- exit 1\n" } else { "--- exit 0\n" };
        assert!(text.ends_with(exit), "{name}: {text}");
        assert!(levels.values().sum::<usize>() > 0, "{name} is not spoilt");
    }
}

#[test]
fn the_page_lists_every_rule_with_its_reason_and_its_way_out() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/checking.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut table = String::from("| rule | level | why | way out |\n|---|---|---|---|\n");
    for rule in RULES {
        let level = match rule.level {
            FindingLevel::Error => "error",
            FindingLevel::Warning => "warning",
            FindingLevel::Note => "note",
        };
        table += &format!("| `{}` | {level} | {} | {} |\n", rule.id, rule.why, rule.help);
    }
    let (begin, end) = ("<!-- rules -->\n", "<!-- end of rules -->\n");
    let (before, rest) = page.split_once(begin).unwrap();
    let (found, after) = rest.split_once(end).unwrap();
    if bless() {
        fs::write(&path, format!("{before}{begin}{table}{end}{after}")).unwrap();
    } else {
        assert_eq!(found, table);
    }
}
