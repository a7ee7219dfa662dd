//! `docs/requirements.md` says what the specifications ask: one row for each name by which code cites them. Every row has
//! a test that names it. A test names what it covers in the comment above it, first the specification and then the words
//! of the page:
//!
//! ```text
//! /// S0 FR-013, FR-019, S2 "Strategy 1": why it is so, if that is not plain.
//! #[test]
//! fn a_sentence() {
//! ```
//!
//! The text after the colon or the full stop is prose, and names nothing. `BLESS=1 cargo test -p narratoria-house
//! requirements` writes the names of the tests into the page.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
};

use crate::{
    citations::{Test, citations, first_name, named, numbers, sections, specifications, tests},
    sources::{at, each_source_file, names_in, read},
};

const PAGE: &str = "docs/requirements.md";

/// Longest sentence of a row: one glance.
const ASKS_CHARS_MAX: usize = 140;

/// Tests that a row shows by name; it counts the others.
const TESTS_SHOWN_MAX: usize = 3;

/// Rows of the page. The specifications do not change, so a missing row is lost.
const ROWS: usize = 224;

/// The folders with tests.
const ROOTS: &[&str] = &["src", "tests", "sdk", "skills-wasm"];

/// Its tests show what a citation looks like.
const THIS_FILE: &str = "tests/house/requirements.rs";

#[test]
fn every_requirement_has_a_test_that_names_it() {
    let mut cited = Cited::default();
    for root in ROOTS {
        each_source_file(root, &mut |path, text| {
            if path != THIS_FILE {
                cited.read(&path, &text);
            }
        });
    }
    assert!(cited.tests > 100, "only {} tests were found: is this the workspace?", cited.tests);
    let page = read(PAGE);
    let requirements = Requirements::read(&page);
    assert_eq!(requirements.words.values().map(Vec::len).sum::<usize>(), ROWS, "rows of {PAGE}");
    let mut faults = requirements.faults.clone();
    faults.extend(cited.faults(&requirements));
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    let wanted = with_tests(&page, &cited.holders(&requirements));
    if env::var_os("BLESS").is_some() {
        // Renamed into its place, because other tests read the page at the same time.
        let new = at("docs/.requirements.md.new");
        fs::write(&new, wanted).unwrap();
        fs::rename(new, at(PAGE)).unwrap();
    } else {
        let stale = stale_rows(&page, &wanted);
        let advice =
            "`BLESS=1 cargo test -p narratoria-house requirements` writes the column of tests";
        assert!(stale.is_empty(), "\n{}\n{advice}\n", stale.join("\n"));
    }
}

/// The comments of tests are not the only citations: code, contracts and pages cite nothing that the page does not
/// have.
#[test]
fn each_name_of_a_requirement_is_on_the_page() {
    let requirements = Requirements::of_page();
    let mut faults = Vec::new();
    let mut check = |path: &str, text: &str| {
        if path != THIS_FILE {
            faults.extend(unknown_names(path, text, &requirements));
        }
    };
    for root in ROOTS.iter().chain(&["benches"]) {
        each_source_file(root, &mut |path, text| check(&path, &text));
    }
    for (folder, end) in [("docs", ".md"), ("contracts", ".json")] {
        for name in names_in(folder).iter().filter(|name| name.ends_with(end)) {
            let path = format!("{folder}/{name}");
            check(&path, &read(&path));
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// The rows of the page.
#[derive(Debug, Default)]
pub(super) struct Requirements {
    /// The words of each specification, in the order of the page.
    words: BTreeMap<String, Vec<String>>,
    /// The sections of each specification that have a heading, such as `§6`.
    sections: BTreeMap<String, Vec<String>>,
    /// The faults of the page.
    faults: Vec<String>,
}

impl Requirements {
    pub(super) fn of_page() -> Requirements {
        Requirements::read(&read(PAGE))
    }

    fn read(page: &str) -> Requirements {
        let mut found = Requirements::default();
        // The specification whose part of the page this is.
        let mut part = String::new();
        for (at, line) in page.lines().enumerate() {
            if let Some(heading) = line.strip_prefix("## ") {
                part = heading.split(':').next().unwrap_or_default().to_owned();
            } else if line.starts_with("### ") {
                found.sections.entry(part.clone()).or_default().extend(sections(line));
            } else if let Some(row) = Row::of(line) {
                let words = found.words.entry(part.clone()).or_default();
                let fault = row.fault(&part, words);
                words.push(row.word.to_owned());
                found.faults.extend(fault.map(|what| format!("{PAGE}:{}: {what}", at + 1)));
            } else if line.starts_with("| `S") {
                found.faults.push(format!("{PAGE}:{}: no row of a requirement", at + 1));
            }
        }
        found
    }

    pub(super) fn words(&self, specification: &str) -> &[String] {
        self.words.get(specification).map_or(&[], Vec::as_slice)
    }

    /// Returns true if the section, such as `§5.3(7)`, has a row or a heading, or is a part of one that has.
    fn has_section(&self, specification: &str, section: &str) -> bool {
        let headings = self.sections.get(specification).into_iter().flatten();
        headings.chain(self.words(specification)).any(|known| {
            let rest = section.strip_prefix(known.as_str());
            known.starts_with('§')
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(']))
        })
    }
}

/// A row of the page: `` | `S0 FR-013` | What it asks. | tests | ``.
struct Row<'p> {
    specification: &'p str,
    word: &'p str,
    asks: &'p str,
    tests: &'p str,
}

impl<'p> Row<'p> {
    /// Returns `None` if the line is no row of a requirement.
    fn of(line: &'p str) -> Option<Row<'p>> {
        let (name, rest) = line.strip_prefix("| `S")?.split_once("` |")?;
        let name = &line[3..][..name.len() + 1];
        let (specification, word) = name.split_once(' ')?;
        let (asks, tests) = rest.split_once('|').unwrap_or((rest, ""));
        let tests = tests.strip_suffix('|').unwrap_or(tests);
        Some(Row { specification, word, asks: asks.trim(), tests: tests.trim() })
    }

    /// Returns the fault of a row below the heading of `part` and after the rows with these words, if it has one.
    fn fault(&self, part: &str, before: &[String]) -> Option<String> {
        let Row { specification, word, asks, tests } = self;
        let chars = asks.chars().count();
        let what = if *specification != part {
            format!("stands below the heading of `{part}`")
        } else if before.iter().any(|known| known == word) {
            "stands twice".to_owned()
        } else if tests.contains('|') {
            "has more than three cells".to_owned()
        } else if chars > ASKS_CHARS_MAX {
            format!("has a sentence of {chars} characters, more than {ASKS_CHARS_MAX}")
        } else if !asks.ends_with('.') || asks.contains(". ") {
            "does not say what it asks in one sentence".to_owned()
        } else {
            return None;
        };
        Some(format!("`{specification} {word}` {what}"))
    }
}

/// The page with the tests of each row in its last cell.
fn with_tests(page: &str, holders: &Holders) -> String {
    let lines = page.lines().map(|line| {
        let Some(Row { specification, word, asks, .. }) = Row::of(line) else {
            return line.to_owned();
        };
        let tests = holders.get(&(specification.to_owned(), word.to_owned()));
        let tests = tests.map(shown).unwrap_or_default();
        format!("| `{specification} {word}` | {asks} | {tests} |")
    });
    lines.map(|line| line + "\n").collect()
}

/// The first tests with links to their files, and how many more there are.
fn shown(tests: &BTreeSet<TestPlace>) -> String {
    let links = tests.iter().take(TESTS_SHOWN_MAX);
    let links: Vec<String> =
        links.map(|TestPlace { path, test }| format!("[`{test}`](../{path})")).collect();
    let more = tests.len().saturating_sub(TESTS_SHOWN_MAX);
    links.join(", ") + &if more > 0 { format!(" + {more} more") } else { String::new() }
}

/// The rows of the page that are not as wanted.
fn stale_rows(page: &str, wanted: &str) -> Vec<String> {
    let pairs = page.lines().zip(wanted.lines()).enumerate();
    let stale = pairs.filter(|(_, (is, wanted))| is != wanted);
    stale.map(|(at, (_, wanted))| format!("{PAGE}:{}: must be {wanted}", at + 1)).collect()
}

/// The tests that name each requirement, given as specification and word.
type Holders = BTreeMap<(String, String), BTreeSet<TestPlace>>;

/// A test, by its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TestPlace {
    path: String,
    test: String,
}

/// The requirements that tests name.
#[derive(Default)]
pub(super) struct Cited {
    /// The number of tests.
    tests: usize,
    citations: Vec<Citation>,
}

/// The requirements of one specification that the comment above one test names.
struct Citation {
    specification: String,
    words: String,
    place: TestPlace,
    /// Counted from 1.
    line: usize,
}

impl Cited {
    pub(super) fn read(&mut self, path: &str, source: &str) {
        for Test { line, name, comment } in tests(source) {
            self.tests += 1;
            for (specification, words) in citations(&comment) {
                let place = TestPlace { path: path.to_owned(), test: name.clone() };
                self.citations.push(Citation { specification, words, place, line });
            }
        }
    }

    pub(super) fn holders(&self, requirements: &Requirements) -> Holders {
        let mut found = Holders::new();
        for Citation { specification, words, place, .. } in &self.citations {
            for word in named(words, requirements.words(specification)) {
                let requirement = (specification.clone(), word.to_owned());
                found.entry(requirement).or_default().insert(place.clone());
            }
        }
        found
    }

    fn faults(&self, requirements: &Requirements) -> Vec<String> {
        let holders = self.holders(requirements);
        let mut faults = Vec::new();
        for (specification, words) in &requirements.words {
            for word in words {
                if !holders.contains_key(&(specification.clone(), word.clone())) {
                    faults.push(format!(
                        "no test names `{specification} {word}`: write it above the one that covers it"
                    ));
                }
            }
        }
        for Citation { specification, words, place, line } in &self.citations {
            for slip in slips(words, specification, requirements) {
                faults.push(format!(
                    "{}:{line} names `{specification} {slip}`, which is not on {PAGE}",
                    place.path
                ));
            }
        }
        faults
    }
}

/// Returns the parts of a citation that the page does not have: numbers, sections, and words in quotation marks or
/// backticks.
fn slips(cited: &str, specification: &str, requirements: &Requirements) -> Vec<String> {
    let words = requirements.words(specification);
    let unknown_number = |number: &&str| !words.iter().any(|word| word == number);
    let numbers = numbers(cited).filter(unknown_number).map(str::to_owned);
    let sections =
        sections(cited).filter(|section| !requirements.has_section(specification, section));
    let quoted = ['"', '`'].into_iter().flat_map(|mark| cited.split(mark).skip(1).step_by(2));
    let is_unknown = |text: &&str| !text.starts_with('§') && named(text, words).is_empty();
    numbers.chain(sections).chain(quoted.filter(is_unknown).map(str::to_owned)).collect()
}

/// Sections, numbers and quoted words that follow the name of a specification anywhere in a text and are not on the page.
fn unknown_names(path: &str, text: &str, requirements: &Requirements) -> Vec<String> {
    let mut faults = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for start in specifications(line) {
            let (specification, rest) = line[start..].split_at(2);
            for slip in slips(&first_name(rest), specification, requirements) {
                faults.push(format!(
                    "{path}:{}: names `{specification} {slip}`, which is not on {PAGE}",
                    at + 1
                ));
            }
        }
    }
    faults
}

mod proofs {
    use super::{Cited, Requirements, stale_rows, unknown_names, with_tests};

    const PAGE: &str = "## S0: a\n\n### Parts (§4.2, §6)\n\n| `S0 FR-013` | A. |  |\n| `S0 FR-019` | B. |  |\n\n\
        ## S2: b\n\n| `S2 Strategy 1` | C. |  |\n\n## S3\n\n| `S3 replan` | D. |  |\n";

    #[track_caller]
    fn check(source: &str, faults: &[&str]) {
        check_on(PAGE, source, faults);
    }

    #[track_caller]
    fn check_on(page: &str, source: &str, faults: &[&str]) {
        let mut cited = Cited::default();
        cited.read("a.rs", source);
        let requirements = Requirements::read(page);
        assert_eq!(requirements.faults, [""; 0], "{page}");
        assert_eq!(cited.faults(&requirements), faults, "{source}");
    }

    fn missing(words: &str) -> String {
        format!("no test names `{words}`: write it above the one that covers it")
    }

    #[test]
    fn one_comment_may_name_many() {
        check(
            "/// S0 FR-013 and FR-019,\n/// S2, strategy 1, S3 `replan`: why.\n#[test]\nfn a() {}",
            &[],
        );
    }

    #[test]
    fn each_of_several_tests_may_name_one() {
        check(
            "// S0 FR-013\n#[tokio::test(start_paused = true)]\nasync fn a() {}\n\
             proptest! {\n    /// S0 FR-019, S2 \"Strategy 1: Skip\"\n    #[test]\n    fn b() {}\n}\n\
             #[test]\n// S3 replan.\nfn c() {}",
            &[],
        );
    }

    #[test]
    fn what_is_not_above_a_test_that_runs_names_nothing() {
        let all = "S0 FR-013, FR-019, S2 strategy 1, S3 replan";
        let faults = ["S0 FR-013", "S0 FR-019", "S2 Strategy 1", "S3 replan"].map(missing);
        let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
        for source in [
            format!("/// {all}\nfn a() {{}}"),
            format!("//! {all}\n\n#[test]\nfn a() {{}}"),
            format!("#[test]\nfn a() {{\n    // {all}\n}}"),
            format!("/// {all}\n#[test]\n#[ignore = \"long\"]\nfn a() {{}}"),
            format!("/// Why: {all}.\nconst A: u8 = 1;\n#[test]\nfn a() {{}}"),
        ] {
            check(&source, &faults);
        }
    }

    #[test]
    fn prose_names_nothing() {
        let faults = ["S0 FR-019", "S2 Strategy 1", "S3 replan"].map(missing);
        let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
        check("/// S0 FR-013: not FR-019, nor a replan.\n#[test]\nfn a() {}", &faults);
    }

    #[test]
    fn a_requirement_that_there_is_not_is_a_slip() {
        for slip in ["FR-190", "SC-019"] {
            let source = format!(
                "/// S0 FR-013, FR-019, {slip}, S2 strategy 1, S3 replan\n#[test]\nfn a() {{}}"
            );
            let fault = format!("a.rs:3 names `S0 {slip}`, which is not on docs/requirements.md");
            check(&source, &[&fault]);
        }
    }
    #[test]
    fn a_quoted_word_or_a_section_that_there_is_not_is_a_slip() {
        let all = "S0 FR-013, FR-019, S2 strategy 1, S3 replan";
        for (cited, fault) in [
            ("S2 \"Strategy 9\"", Some("S2 Strategy 9")),
            ("S3 `replans`", Some("S3 replans")),
            ("S0 §6.1, §4.2(3)", None),
            ("S0 §5", Some("S0 §5")),
            ("S0 §61", Some("S0 §61")),
            ("S2 \"Strategy 1: Skip\"", None),
            ("S3 docs/plans.md, \"Loops\"", None),
        ] {
            let source = format!("/// {all}, {cited}: why.\n#[test]\nfn a() {{}}");
            let fault = fault.map(|fault| {
                format!("a.rs:3 names `{fault}`, which is not on docs/requirements.md")
            });
            check(&source, &fault.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_word_within_a_longer_one_is_not_named() {
        let page = "## S3\n| `S3 context` | A. |  |\n| `S3 Plan in Arbiter Context` | B. |  |\n";
        let missing = missing("S3 context");
        check_on(page, "/// S3 \"Plan in Arbiter Context\"\n#[test]\nfn a() {}", &[&missing]);
        check_on(page, "/// S3 \"Plan in Arbiter Context\", context\n#[test]\nfn a() {}", &[]);
    }

    #[test]
    fn names_outside_of_tests_are_compared_too() {
        let text = "S0 FR-013, S1-like\nsee (S0 §6), S0 §9 and S0 FR-020, S3, `replan`, S3 \"plan\", S3 \"re";
        let faults = unknown_names("a.md", text, &Requirements::read(PAGE));
        let fault =
            |word: &str| format!("a.md:2: names `{word}`, which is not on docs/requirements.md");
        assert_eq!(faults, [fault("S0 §9"), fault("S0 FR-020"), fault("S3 plan")]);
    }

    #[test]
    fn a_row_has_the_tests_that_name_it() {
        let mut cited = Cited::default();
        cited
            .read("x/b.rs", "/// S3 replan\n#[test]\nfn d() {}\n/// S3 replan\n#[test]\nfn c() {}");
        cited.read("a.rs", "/// S3 replan, S2 strategy 1\n#[test]\nasync fn z() {}\n/// S3 replan\n#[test]\nfn y() {}");
        let wanted = with_tests(PAGE, &cited.holders(&Requirements::read(PAGE)));
        assert_eq!(
            stale_rows(PAGE, &wanted),
            [
                "docs/requirements.md:10: must be | `S2 Strategy 1` | C. | [`z`](../a.rs) |",
                "docs/requirements.md:14: must be | `S3 replan` | D. | [`y`](../a.rs), [`z`](../a.rs), [`c`](../x/b.rs) + 1 more |",
            ]
        );
        // Written once, the page is as it should be.
        assert_eq!(with_tests(&wanted, &cited.holders(&Requirements::read(&wanted))), wanted);
    }

    #[test]
    fn a_row_says_in_one_sentence_what_it_asks() {
        for (row, fault) in [
            ("| `S0 FR-1` | A. |  |", None),
            ("| `S1 FR-1` | A. |  |", Some("`S1 FR-1` stands below the heading of `S0`")),
            ("| `S0 FR-0` | A. |  |", Some("`S0 FR-0` stands twice")),
            ("| `S0 FR-1` | A. |  |  |", Some("`S0 FR-1` has more than three cells")),
            ("| `S0 FR-1` |  |  |", Some("`S0 FR-1` does not say what it asks in one sentence")),
            (
                "| `S0 FR-1` | A. B. |  |",
                Some("`S0 FR-1` does not say what it asks in one sentence"),
            ),
            ("| `S0 FR-1`, | A. |  |", Some("no row of a requirement")),
        ] {
            let page = format!("## S0: a\n| `S0 FR-0` | A. |  |\n{row}\n");
            let fault = fault.map(|fault| format!("docs/requirements.md:3: {fault}"));
            assert_eq!(Requirements::read(&page).faults, fault.into_iter().collect::<Vec<_>>());
        }
        let page = format!("## S0\n| `S0 FR-1` | {}. |  |\n", "a".repeat(140));
        let long = "`S0 FR-1` has a sentence of 141 characters, more than 140";
        assert_eq!(Requirements::read(&page).faults, [format!("docs/requirements.md:2: {long}")]);
    }
}
