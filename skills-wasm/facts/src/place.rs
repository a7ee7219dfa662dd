//! The name of a place → the phrase that says where its visitors are: `on the quay`. Knows words, not the world.

use crate::the;

/// Places that one is on.
const ON: &[&str] = &[
    "aeroplane",
    "airship",
    "asteroid",
    "balcony",
    "bank",
    "barge",
    "battlements",
    "beach",
    "boat",
    "bridge",
    "bus",
    "causeway",
    "cliff",
    "coast",
    "deck",
    "dock",
    "dune",
    "dunes",
    "farm",
    "ferry",
    "field",
    "flat",
    "floor",
    "footbridge",
    "gallery",
    "glacier",
    "green",
    "headland",
    "hill",
    "island",
    "jetty",
    "landing",
    "lane",
    "lawn",
    "ledge",
    "moon",
    "moor",
    "mountain",
    "path",
    "pier",
    "plane",
    "planet",
    "plateau",
    "platform",
    "promenade",
    "quay",
    "raft",
    "ridge",
    "road",
    "roof",
    "rooftop",
    "sands",
    "ship",
    "shore",
    "side",
    "slip",
    "slipway",
    "stage",
    "stair",
    "staircase",
    "stairs",
    "station",
    "steamer",
    "steps",
    "strand",
    "street",
    "submarine",
    "terrace",
    "track",
    "train",
    "tram",
    "viaduct",
    "yacht",
];

/// Places that one is at.
const AT: &[&str] = &[
    "booth",
    "cairn",
    "corner",
    "counter",
    "crossroads",
    "desk",
    "end",
    "fountain",
    "gate",
    "lake",
    "lookout",
    "mast",
    "milestone",
    "mill",
    "mooring",
    "point",
    "pond",
    "pool",
    "pools",
    "post",
    "reception",
    "spring",
    "stones",
    "stop",
    "table",
    "tarn",
    "wall",
    "way",
    "well",
];

/// The place with its article and its preposition: `on the quay`, `at the well`, `in the kitchen`.
///
/// ```
/// # use narratoria_facts::within;
/// assert_eq!(within("village green"), "on the village green");
/// assert_eq!(within("Neb Point"), "at Neb Point");
/// assert_eq!(within("the kitchen"), "in the kitchen");
/// ```
pub fn within(place: &str) -> String {
    let head = place.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let preposition = match head.as_str() {
        head if ON.contains(&head) => "on",
        head if AT.contains(&head) => "at",
        _ => "in",
    };
    format!("{preposition} {}", the(place))
}
