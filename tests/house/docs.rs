//! What the documentation quotes is what is there.
//!
//! A fenced block below a line `<!-- quoted from PATH -->` stands in that file, word for word.

use std::fs;

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
    for entry in fs::read_dir("docs").expect("the folder of pages can be read") {
        let page = entry.expect("the folder of pages can be read").path();
        if page.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(&page).expect("a page is text");
        for (path, block) in quotations(&text) {
            let file = fs::read_to_string(path).unwrap_or_default();
            assert!(
                file.contains(block),
                "{} quotes `{path}`, which has no such lines (any more):\n{block}",
                page.display()
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
        let text = fs::read_to_string(page).expect("the page is there");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            if path.contains("://") || path.is_empty() {
                continue;
            }
            assert!(fs::exists(format!("docs/{path}")).unwrap_or(false), "{page} links {link}");
        }
    }
}
