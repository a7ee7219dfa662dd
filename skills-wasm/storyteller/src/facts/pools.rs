//! Which other ways there are to say a fact. The sentences stand in `text/facts.md`; `variety` chooses and fills them.

use crate::story::Style;

pub(super) use sentences::*;

/// The pools of `text/facts.md`, each a constant with the name of its heading. The build script has checked them.
// A pool that no code asks for is a mistake of the page; the compiler shows its line.
#[deny(dead_code)]
mod sentences {
    include!(concat!(env!("OUT_DIR"), "/facts.rs"));
}

/// The templates of a kind of fact, most particular first. An unknown kind has none, and its own sentence tells it.
pub(super) fn of_kind(kind: &str, because: Option<&str>) -> &'static [&'static str] {
    match kind {
        "taken" | "stolen" => TAKEN,
        "dropped" => DROPPED,
        "put_in" | "put_on" => PUT,
        "opened" => OPENED,
        "unlocked" => UNLOCKED,
        "closed" => CLOSED,
        "locked" => LOCKED,
        "given" => GIVEN,
        "received" => RECEIVED,
        "shown" => SHOWN,
        "worn" => WORN,
        "taken_off" => TAKEN_OFF,
        "eaten" | "drunk" => CONSUMED,
        "lit" => LIT,
        "extinguished" => EXTINGUISHED,
        "found" => FOUND,
        "nothing_found" => NOTHING_FOUND,
        "waited" => WAITED,
        "carrying" => CARRYING,
        "wearing" => WEARING,
        "not_understood" | "question" => &[],
        "moved" => MOVED,
        "things_here" => THINGS_HERE,
        "exits" => EXITS,
        "whereabouts" => WHEREABOUTS,
        "people_here" => PEOPLE_HERE,
        "silent" => SILENT,
        "gesture" if because == Some("listen") => LISTENS,
        "persuaded" => PERSUADED,
        "unmoved" => UNMOVED,
        "noticed" => NOTICED,
        "perception" => PERCEPTION,
        "standing" => STANDING,
        _ => &[],
    }
}

/// The templates of a refusal, by its reason and its words.
pub(super) fn of_refusal(because: Option<&str>, text: &str) -> &'static [&'static str] {
    match because.unwrap_or_default() {
        "not_here" if text.contains(" not see ") => NOT_HERE,
        _ if text.starts_with("You had better ") => ADVISED,
        "already_carried" | "already_worn" | "already_lit" | "already_open" | "already_closed"
        | "already_locked" | "already_there" | "held" | "worn" | "not_lit" | "not_locked" => {
            ALREADY
        }
        _ if !is_tried(because, text) => NOT_NOW,
        _ => REFUSED,
    }
}

/// Returns true if the player attempted a deed. Asking where nobody hears, or looking into the dark, attempts none.
pub(super) fn is_tried(because: Option<&str>, text: &str) -> bool {
    match because.unwrap_or_default() {
        "no_one" | "dark" | "no_words" => false,
        "not_here" => text.contains(" not see "),
        _ => true,
    }
}

/// How a deed that is done may sound in the style.
pub(super) fn touch_of_deed(style: Style) -> &'static [&'static str] {
    match style {
        Style::Classic => DEED_CLASSIC,
        Style::Noir => DEED_NOIR,
        Style::Whimsical => DEED_WHIMSICAL,
        Style::Terse => &[],
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
        let exits = |ways: &[&str]| {
            let ways = ways.iter().map(|way| (*way).to_owned()).collect();
            Fact::you("exits", "You can go from here.").details(ways)
        };
        let facts = [
            given.place("kitchen"),
            contents.because("in").detail("key"),
            Fact::you("moved", "You go north.").object("north"),
            exits(&["north", "yard"]),
            exits(&["north", "yard", "up", "loft"]),
            Fact::you("refused", "You would have to say what to give to Ida."),
        ];
        let filled: BTreeSet<&str> =
            facts.iter().flat_map(|fact| slots_of(fact, &view).places()).collect();
        assert_eq!(filled, PAGE_PLACES.iter().copied().collect());
    }
}
