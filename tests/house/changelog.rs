//! A changed contract, flag or limit is noted in `CHANGELOG.md`.
//!
//! `contracts/surface.txt` keeps the surface at the time of the last noted change, and the number of changes noted by
//! then.
//! `BLESS=1 cargo test -p narratoria-house changelog` renews it, but only after a new entry.

use std::fs;

use crate::{
    sources::{at, read},
    surface,
};

const KEPT: &str = "contracts/surface.txt";

/// The section of a version whose entries count.
const SECTION: &str = "### Contracts, flags and limits";

/// How a change is noted.
const RENEW: &str = "note the change in CHANGELOG.md, under `## [Unreleased]` in `### Contracts, flags and limits`, \
    and renew the file with `BLESS=1 cargo test -p narratoria-house changelog`";

/// The content of `contracts/surface.txt`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Surface {
    /// Entries of the changelog about contracts, flags and limits.
    noted: usize,
    lines: Vec<String>,
}

impl Surface {
    fn parse(text: &str) -> Surface {
        let mut lines = text.lines().map(str::to_owned);
        let first = lines.next().unwrap_or_default();
        let noted = first.strip_prefix("noted: ").and_then(|count| count.parse().ok());
        Surface { noted: noted.expect("the first line is `noted: N`"), lines: lines.collect() }
    }

    fn text(&self) -> String {
        format!("noted: {}\n{}\n", self.noted, self.lines.join("\n"))
    }

    /// Returns the lines that only one of the two has, as lines of a difference: `-` is gone, `+` is new.
    fn difference(&self, other: &Surface) -> Vec<String> {
        let gone = self.lines.iter().filter(|line| !other.lines.contains(line));
        let new = other.lines.iter().filter(|line| !self.lines.contains(line));
        gone.map(|line| format!("- {line}")).chain(new.map(|line| format!("+ {line}"))).collect()
    }

    /// Returns the reason why the surface may not become `now`. Returns `None` if it may.
    fn refusal(&self, now: &Surface) -> Option<String> {
        let difference = self.difference(now);
        (!difference.is_empty() && now.noted <= self.noted).then(|| {
            format!(
                "{RENEW}; nothing new is noted, and this has changed:\n{}",
                difference.join("\n")
            )
        })
    }
}

/// The entries of all versions about contracts, flags and limits: a release moves them and changes no number.
fn noted(changelog: &str) -> usize {
    let sections = changelog.split(SECTION).skip(1);
    let lines = sections.flat_map(|rest| rest.lines().take_while(|line| !line.starts_with('#')));
    lines.filter(|line| line.starts_with("- ")).count()
}

#[test]
fn a_changed_contract_flag_or_limit_is_noted() {
    let kept = Surface::parse(&read(KEPT));
    let now = Surface { noted: noted(&read("CHANGELOG.md")), lines: surface::lines() };
    if std::env::var_os("BLESS").is_some() {
        if let Some(refusal) = kept.refusal(&now) {
            panic!("{refusal}");
        }
        fs::write(at(KEPT), now.text()).unwrap();
        return;
    }
    let difference = kept.difference(&now);
    assert!(difference.is_empty(), "{RENEW}:\n{}", difference.join("\n"));
    assert_eq!(kept.noted, now.noted, "{KEPT} counts other entries of CHANGELOG.md: {RENEW}");
}

/// Few lines would mean that the sources have moved away from the rule.
#[test]
fn the_surface_has_contracts_arguments_settings_and_limits() {
    let lines = surface::lines();
    for (kind, least) in [("contract ", 50), ("argument ", 200), ("setting ", 8), ("limit ", 200)] {
        let count = lines.iter().filter(|line| line.starts_with(kind)).count();
        assert!(count >= least, "only {count} lines begin with `{kind}`");
    }
}

#[test]
fn the_next_version_has_a_section_for_them() {
    let changelog = read("CHANGELOG.md");
    let next = changelog.split("\n## ").nth(1).expect("a version");
    assert!(next.starts_with("[Unreleased]"), "the first version is `## [Unreleased]`");
    assert!(next.contains(SECTION), "`## [Unreleased]` lacks `{SECTION}`");
}

#[track_caller]
fn check_refusal(kept: (usize, &[&str]), now: (usize, &[&str]), expect: Option<&str>) {
    let surface = |(noted, lines): (usize, &[&str])| Surface {
        noted,
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
    };
    let refusal = surface(kept).refusal(&surface(now));
    let shown =
        refusal.as_deref().and_then(|refusal| refusal.split_once('\n')).map(|(_, rest)| rest);
    assert_eq!(shown, expect);
}

#[test]
fn a_change_is_renewed_only_behind_a_new_entry() {
    check_refusal((2, &["limit A 1"]), (2, &["limit A 1"]), None);
    check_refusal((2, &["limit A 1"]), (2, &["limit A 2"]), Some("- limit A 1\n+ limit A 2"));
    check_refusal((2, &["limit A 1"]), (3, &["limit A 2"]), None);
    check_refusal((2, &["limit A 1"]), (2, &[]), Some("- limit A 1"));
    // An entry about a change that no line shows, and one that was withdrawn with its change.
    check_refusal((2, &["limit A 1"]), (3, &["limit A 1"]), None);
    check_refusal((2, &["limit A 1"]), (1, &["limit A 1"]), None);
}

#[test]
fn entries_are_counted_in_every_version() {
    let section = |entries: &str| format!("{SECTION}\n\n{entries}\n### Fixed\n\n- A fault.\n\n");
    let changelog = format!(
        "# Changelog\n\n## [Unreleased]\n\n{}## [0.1.0]\n\n- Prose.\n\n{}",
        section("- One,\n  in two lines.\n- Two.\n"),
        section("- Three.\n"),
    );
    assert_eq!(noted(&changelog), 3);
    assert_eq!(noted("# Changelog\n"), 0);
}

#[test]
fn a_surface_is_read_as_it_is_written() {
    let surface = Surface { noted: 4, lines: vec!["limit A 1".to_owned(), "limit B 2".to_owned()] };
    assert_eq!(Surface::parse(&surface.text()), surface);
}
