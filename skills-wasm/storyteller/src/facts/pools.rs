//! Which other ways there are to say a fact. The sentences stand in `text/facts.md`; `variety` chooses and fills them.

use crate::story::Style;

pub(super) use sentences::*;

/// The pools of `text/facts.md`, each a constant with the name of its heading. The build script has checked them.
// A pool that no code asks for is a mistake of the page; the compiler shows its line.
#[deny(dead_code)]
mod sentences {
    include!(concat!(env!("OUT_DIR"), "/facts.rs"));
}

/// Other ways to say a kind of fact than its own sentence; none for most.
pub(super) fn of_kind(kind: &str, because: Option<&str>) -> &'static [&'static str] {
    match kind {
        "taken" => TAKEN,
        "dropped" => DROPPED,
        "given" => GIVEN,
        "received" => RECEIVED,
        "shown" => SHOWN,
        "silent" => SILENT,
        "gesture" if because == Some("listen") => LISTENS,
        _ => &[],
    }
}

/// How a deed that is done may sound in the style.
pub(super) fn touch_of_deed(style: Style) -> &'static [&'static str] {
    match style {
        Style::Noir => DEED_NOIR,
        Style::Whimsical => DEED_WHIMSICAL,
        Style::Classic | Style::Terse => &[],
    }
}

/// How a refusal may sound in the style.
pub(super) fn touch_of_refusal(style: Style) -> &'static [&'static str] {
    match style {
        Style::Noir => REFUSAL_NOIR,
        Style::Whimsical => REFUSAL_WHIMSICAL,
        Style::Classic | Style::Terse => &[],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use narratoria_facts::Fact;

    use super::PAGE_PLACES;
    use crate::facts::{WorldView, variety::slots_of};

    /// A writer reads the table of the page and no code.
    #[test]
    fn the_places_of_the_page_are_those_that_are_filled() {
        let view = WorldView {
            here: Some("kitchen".to_owned()),
            people: vec!["Ada".to_owned()],
            ..WorldView::default()
        };
        let given = Fact::new("given", "Bram", "You give the lamp.").object("lamp").other("Ida");
        let contents = Fact::you("contents", "You see a key in the sack.").object("sack");
        let facts = [given.place("kitchen"), contents.because("in").detail("key")];
        let filled: BTreeSet<&str> =
            facts.iter().flat_map(|fact| slots_of(fact, &view).places()).collect();
        assert_eq!(filled, PAGE_PLACES.iter().copied().collect());
    }

    /// Words that say how often, how calmly, or how visibly something is done: they tell the player nothing.
    const FILLER: &[&str] = &[
        "once more",
        "once again",
        "as before",
        "as ever",
        "hurry",
        "haste",
        "more ado",
        "your time",
        "steady hand",
        "as things stand",
        "closer look",
        "your attention",
        "you note",
        "you notice",
        "you spot",
        "you make out",
        "in plain sight",
        "within reach",
        "close at hand",
        "second thought",
        "for now",
        "nothing stops you",
        "nobody stops you",
        "nobody says",
        "as far as you can tell",
        "and that is that",
        "in vain",
        "after a moment",
        "without another",
    ];

    #[test]
    fn no_line_of_the_pages_is_filler() {
        for page in ["facts.md", "deeds.md"] {
            let text = std::fs::read_to_string(format!("text/{page}")).unwrap();
            for line in
                text.lines().filter(|line| line.starts_with("- ") && !line.starts_with("- **"))
            {
                let lower = line.to_lowercase();
                let found: Vec<&&str> =
                    FILLER.iter().filter(|words| lower.contains(**words)).collect();
                assert!(found.is_empty(), "{page}: {found:?}: {line}");
            }
        }
    }
}
