//! Descriptions and sentences of made worlds: the pages `sights` and `talk` in `text`.

include!(concat!(env!("OUT_DIR"), "/sights.rs"));
include!(concat!(env!("OUT_DIR"), "/talk.rs"));

/// Returns what is seen in a place with this name, or `None` if the kinds of places say enough of it.
pub(super) fn sight_of_kind(name: &str) -> Option<&'static str> {
    let head = name.rsplit(' ').next()?.to_lowercase();
    KINDS.iter().find(|(words, _)| words.contains(&head.as_str())).map(|(_, sight)| *sight)
}
