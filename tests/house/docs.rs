//! Quotations in the documentation match their sources.
//!
//! A fenced block below a line `<!-- quoted from PATH -->` stands in that file, word for word.

use std::collections::BTreeSet;

use crate::sources::{Package, at, each_source_file, names_in, packages, read};

const MARK: &str = "<!-- quoted from ";

/// Each quotation of a page: the file it names, and the block.
fn quotations(page: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for part in page.split(MARK).skip(1) {
        let (path, rest) = part.split_once(" -->\n```").expect("a block follows the mark");
        let (_, block) = rest.split_once('\n').expect("the fence is a line of its own");
        found.push((path, block.split("```").next().unwrap_or_default()));
    }
    found
}

#[test]
fn what_the_pages_quote_is_there() {
    let mut count = 0;
    for page in pages() {
        for (path, block) in quotations(&read(&page)) {
            assert!(
                read(path).contains(block),
                "{page} quotes `{path}`, which has no such lines (any more):\n{block}"
            );
            count += 1;
        }
    }
    assert!(count > 5, "only {count} quotations were found");
}

#[test]
fn a_quotation_is_the_block_below_its_mark() {
    let page = "a\n<!-- quoted from x/y.rs -->\n```rust\none\n two\n```\nb\n```sh\nthree\n```\n";
    assert_eq!(quotations(page), [("x/y.rs", "one\n two\n")]);
}

/// Lines that the README shows of a session.
const SHOWN_LINES_MAX: usize = 15;

/// The sessions of a page, each a command alone on its line and the transcript below it.
fn sessions(page: &str) -> Vec<(&str, &str)> {
    let parts = page.split("\n`narratoria ").skip(1);
    let session = parts.filter_map(|part| {
        let (command, rest) = part.split_once("`\n")?;
        let (transcript, _) = rest.trim_start().strip_prefix("```text\n")?.split_once("```")?;
        Some((command, transcript))
    });
    session.collect()
}

/// `tests/cli/beginnings.rs` holds the page on playing to what the program prints.
#[test]
fn the_readme_shows_a_part_of_each_beginning_word_for_word() {
    let (readme, playing) = (read("README.md"), read("docs/playing.md"));
    let (parts, wholes) = (sessions(&readme), sessions(&playing));
    assert_eq!(wholes.len(), 2);
    assert_eq!(parts.len(), wholes.len());
    for ((command, part), (whole_command, whole)) in parts.into_iter().zip(wholes) {
        assert_eq!(command, whole_command);
        // Whole turns: from a sentence of the player to the end of an answer.
        let whole = format!("\n{whole}\n> ");
        assert!(part.starts_with("> "), "{command}: a part begins with a sentence:\n{part}");
        assert!(whole.contains(&format!("\n{part}\n> ")), "{command}: not in the page:\n{part}");
        let count = part.lines().count();
        assert!(count <= SHOWN_LINES_MAX, "{command}: {count} lines are too many");
    }
}

/// Returns the pages for people: those of the book, and those of other folders.
pub(crate) fn pages() -> Vec<String> {
    let of_book = names_in("docs").into_iter().filter(|name| name.ends_with(".md"));
    let mut pages: Vec<String> = of_book.map(|name| format!("docs/{name}")).collect();
    let apart = [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "sdk/README.md",
        "sdk/CHANGELOG.md",
    ];
    pages.extend(apart.map(str::to_owned));
    pages.push("contracts/README.md".to_owned());
    pages
}

/// A page without its fenced blocks.
fn without_blocks(page: &str) -> String {
    let mut inside = false;
    let lines = page.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        inside ^= is_fence;
        !inside && !is_fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The links of a page: each target as it stands.
fn links(page: &str) -> Vec<String> {
    let page = without_blocks(page);
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

/// The places of a page that a link can name: its headings, as GitHub and mdBook name them.
fn places(page: &str) -> Vec<String> {
    let page = without_blocks(page);
    let headings = page.lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(' '));
    headings
        .map(|heading| {
            let heading = heading.to_lowercase().replace(' ', "-");
            heading.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
        })
        .collect()
}

/// A link to a file of this repository, or to a heading of a page, leads somewhere.
#[test]
fn the_links_of_all_pages_lead_somewhere() {
    let mut count = 0;
    for page in pages() {
        let text = read(&page);
        let folder = page.rsplit_once('/').map_or(".", |(folder, _)| folder);
        for link in links(&text).iter().filter(|link| !link.contains("://")) {
            count += 1;
            let (path, place) = link.split_once('#').unwrap_or((link, ""));
            let path = if path.is_empty() { page.clone() } else { format!("{folder}/{path}") };
            assert!(at(&path).exists(), "{page} links {link}");
            if !place.is_empty() {
                let known = places(&read(&path)).iter().any(|known| known == place);
                assert!(known, "{page} links {link}, and that page has no such heading");
            }
        }
    }
    assert!(count > 200, "only {count} links were found");
}

#[test]
fn links_and_headings_are_read_outside_of_blocks() {
    let page =
        "# The `x`, and Y's\n[a](b.md#c) [d](#e)\n```sh\n# no heading\n[f](g)\n```\n## Two words\n";
    assert_eq!(links(page), ["b.md#c", "#e"]);
    assert_eq!(places(page), ["the-x-and-ys", "two-words"]);
}

/// The values of an option in a command line.
fn values<'a>(command: &'a str, option: &'a str) -> impl Iterator<Item = &'a str> {
    let mut words = command.split_whitespace();
    std::iter::from_fn(move || words.find(|word| *word == option).and_then(|_| words.next()))
}

/// Returns true if the package has a target of this kind, such as a bench, with this name.
fn has_target(package: &Package, kind: &str, name: &str) -> bool {
    let listed = package.manifest.get(kind).and_then(toml::Value::as_array);
    let mut names = listed.into_iter().flatten().filter_map(|target| target.get("name")?.as_str());
    let folder = if kind == "test" { "tests" } else { "benches" };
    names.any(|it| it == name)
        || at(&package.folder).join(folder).join(format!("{name}.rs")).is_file()
}

/// What Cargo is asked for on a page: packages, and their tests and benches.
#[test]
fn what_a_page_asks_of_cargo_is_there() {
    let known = packages();
    let (mut count, mut faults) = (0, Vec::new());
    for page in pages().iter().filter(|page| *page != "CHANGELOG.md") {
        let text = read(page);
        for line in text.lines() {
            for command in line.split("cargo ").skip(1).filter_map(|rest| rest.split('`').next()) {
                let mut named: Vec<&str> =
                    values(command, "-p").filter(|name| *name != "CRATE").collect();
                let found = |name: &&str| known.iter().find(|package| package.name == **name);
                let missing = named.iter().filter(|name| found(name).is_none());
                faults.extend(missing.map(|name| format!("{page}: no package `{name}`: {line}")));
                count += named.len();
                if named.is_empty() {
                    named.push("narratoria");
                }
                for (option, kind) in [("--test", "test"), ("--bench", "bench")] {
                    for target in values(command, option) {
                        let has = |package: &Package| has_target(package, kind, target);
                        if !named.iter().filter_map(found).any(has) {
                            faults.push(format!("{page}: no {kind} `{target}`: {line}"));
                        }
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}\n", faults.join("\n"));
    assert!(count > 15, "only {count} packages are named");
}

/// A link whose text is code and whose file is Rust names a function of that file. The rows of the requirements are
/// written so; the answers below them are not.
#[test]
fn the_linked_tests_are_there() {
    let page = read("docs/requirements.md");
    let mut count = 0;
    for part in page.split("[`").skip(1) {
        let Some((name, rest)) = part.split_once("`](../") else { continue };
        let path = rest.split(')').next().unwrap_or_default();
        let is_there = read(path).contains(&format!("fn {name}("));
        assert!(is_there, "docs/requirements.md links `{name}`, which is not in {path}");
        count += 1;
    }
    assert!(count > 200, "only {count} tests are linked");
}

/// Code names a rule by its page and heading: `docs/plans.md, "Loops"`.
#[test]
fn what_code_names_of_the_pages_is_there() {
    let pages = names_in("docs").into_iter().filter(|name| name.ends_with(".md"));
    let pages: Vec<(String, Vec<String>)> =
        pages.map(|name| (name.clone(), headings(&read(&format!("docs/{name}"))))).collect();
    let (mut count, mut faults) = (0, Vec::new());
    for root in ["src", "tests", "sdk", "skills-wasm", "scripts", "benches"] {
        each_source_file(root, &mut |path, text| {
            if path == "tests/house/docs.rs" {
                return;
            }
            for (page, heading) in references(&text) {
                let headings = pages.iter().find(|(name, _)| *name == page).map(|(_, all)| all);
                let is_there = headings.is_some_and(|all| {
                    heading.as_ref().is_none_or(|heading| all.contains(heading))
                });
                if !is_there {
                    faults.push(format!("{path} names docs/{page}, {heading:?}"));
                }
                count += usize::from(heading.is_some());
            }
        });
    }
    assert!(faults.is_empty(), "there are no such pages or headings:\n{}\n", faults.join("\n"));
    assert!(count > 40, "only {count} headings are named");
}

/// A page names limits and types of the library by the names that they have in the sources.
#[test]
fn what_pages_name_of_the_code_is_there() {
    let mut defined = BTreeSet::new();
    for root in ["src", "sdk", "skills-wasm"] {
        each_source_file(root, &mut |_, text| defined.extend(definitions(&text)));
    }
    let (mut count, mut faults) = (0, Vec::new());
    for page in pages() {
        for name in names_of_code(&read(&page)) {
            let is_there = defined.contains(name.rsplit("::").next().unwrap_or_default());
            if !is_there {
                faults.push(format!("{page} names `{name}`"));
            }
            count += 1;
        }
    }
    assert!(faults.is_empty(), "there are no such constants or types:\n{}\n", faults.join("\n"));
    assert!(count > 200, "only {count} names were found");
}

/// The constants and types that a source defines.
fn definitions(source: &str) -> Vec<String> {
    let words: Vec<&str> = source.split_whitespace().collect();
    let is_definition = |word: &str| ["const", "struct", "enum", "trait", "type"].contains(&word);
    let pairs = words.windows(2).filter(|pair| is_definition(pair[0]));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    pairs.map(|pair| pair[1].chars().take_while(|c| is_name(*c)).collect()).collect()
}

/// The code of a page that is a limit such as `STEPS_MAX`, or a type of a crate such as `plan::Arbiter`.
fn names_of_code(page: &str) -> Vec<String> {
    let page = without_blocks(page);
    let is_limit = |code: &str| {
        let is_constant = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        code.chars().all(is_constant)
            && ["_MAX", "_MIN", "_DEFAULT"].iter().any(|end| code.ends_with(end))
    };
    let is_type = |code: &str| {
        let is_path = |c: char| c.is_ascii_lowercase() || c == '_' || c == ':';
        code.rsplit_once("::").is_some_and(|(path, name)| {
            path.chars().all(is_path)
                && name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.chars().all(|c| c.is_ascii_alphanumeric())
        })
    };
    let code = page.split('`').skip(1).step_by(2);
    code.filter(|code| is_limit(code) || is_type(code)).map(str::to_owned).collect()
}

#[test]
fn limits_and_types_are_read_from_pages_and_sources() {
    let page = "`A_MAX`, `B` and `a::b::Cd`, `a::f`\n```\n`C_MAX`\n```\n`HOME_MAX=1`";
    assert_eq!(names_of_code(page), ["A_MAX", "a::b::Cd"]);
    let source = "pub(crate) const A_MAX: usize = 1;\npub struct Cd<'a> {}\nfn b() {}";
    assert_eq!(definitions(source), ["A_MAX", "Cd"]);
}

fn headings(page: &str) -> Vec<String> {
    let page = without_blocks(page);
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| line.trim_start_matches('#').trim().to_owned()).collect()
}

/// Each page that a source names, with the heading behind it if there is one, also across the lines of a comment.
fn references(source: &str) -> Vec<(String, Option<String>)> {
    let lines = source.lines().map(|line| line.trim_start().trim_start_matches(['/', '!']).trim());
    let text = lines.collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for rest in text.split("docs/").skip(1) {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let Some(rest) = rest.strip_prefix(".md") else { continue };
        let heading = rest.trim_start_matches('`').strip_prefix(", \"");
        let heading = heading.and_then(|rest| rest.split_once('"'));
        found.push((format!("{name}.md"), heading.map(|(heading, _)| heading.to_owned())));
    }
    found
}

#[test]
fn a_reference_is_a_page_and_perhaps_a_heading() {
    let source = "/// Why (docs/a-b.md, \"One\n    /// two\"), `docs/c.md`, \"three\";\nread(\"docs/d.md\", \"four\") docs/x";
    let reference =
        |page: &str, heading: Option<&str>| (page.to_owned(), heading.map(str::to_owned));
    assert_eq!(
        references(source),
        [
            reference("a-b.md", Some("One two")),
            reference("c.md", Some("three")),
            reference("d.md", None),
        ]
    );
    assert_eq!(headings("# A\n```sh\n# no\n```\n### B c\n"), ["A", "B c"]);
}
