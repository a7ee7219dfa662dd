//! What the documentation quotes is what is there.
//!
//! A fenced block below a line `<!-- quoted from PATH -->` stands in that file, word for word.

use crate::sources::{at, names_in, read};

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
    for page in names_in("docs").iter().filter(|name| name.ends_with(".md")) {
        let text = read(&format!("docs/{page}"));
        for (path, block) in quotations(&text) {
            assert!(
                read(path).contains(block),
                "docs/{page} quotes `{path}`, which has no such lines (any more):\n{block}"
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

/// A link to a file of this repository leads somewhere.
#[test]
fn the_links_of_the_authors_pages_lead_somewhere() {
    for page in ["docs/writing-skills.md", "docs/skills-in-other-languages.md"] {
        let text = read(page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            if path.contains("://") || path.is_empty() {
                continue;
            }
            assert!(at(&format!("docs/{path}")).exists(), "{page} links {link}");
        }
    }
}
