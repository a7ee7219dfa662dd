//! `docs/security.md` names the tests that hold each promise; they exist.

use std::collections::BTreeSet;

use crate::sources::{each_source_file, read};

/// The tests that a page names: texts between backquotes in the last column of its tables of promises.
fn named_tests(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let last = rows.filter_map(|row| row.trim_end_matches('|').rsplit('|').next());
    let quoted = last.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted.filter(|name| name.contains('_') && !name.contains(' ')).collect()
}

#[test]
fn every_test_that_the_threat_model_names_exists() {
    let page = read("docs/security.md");
    let mut tests = BTreeSet::new();
    for folder in ["src", "sdk", "skills-wasm", "tests"] {
        each_source_file(folder, &mut |_, text| {
            for part in text.split("fn ").skip(1) {
                tests.insert(part.split(['(', '<']).next().unwrap_or_default().to_owned());
            }
        });
    }
    let named = named_tests(&page);
    assert!(named.len() > 40, "only {} tests are named", named.len());
    let missing: Vec<&str> = named.into_iter().filter(|name| !tests.contains(*name)).collect();
    assert_eq!(missing, [""; 0], "docs/security.md names tests that are not there");
}

/// A promise without a test is a wish.
#[test]
fn every_promise_names_a_test() {
    let page = read("docs/security.md");
    let promises = page.split("| promise | shown by |\n|---|---|\n").skip(1);
    let rows = promises.flat_map(|table| table.lines().take_while(|line| line.starts_with('|')));
    let rows: Vec<&str> = rows.collect();
    assert!(rows.len() > 30, "only {} promises were found", rows.len());
    for row in rows {
        assert!(!named_tests(row).is_empty(), "{row}");
    }
}

#[test]
fn a_name_between_backquotes_in_the_last_column_is_a_test() {
    let page = "| a `b_c` | `d_e`, `f_g` |\nno `row_here`\n| h | the word `i j_k` |\n";
    assert_eq!(named_tests(page), ["d_e", "f_g"]);
}
