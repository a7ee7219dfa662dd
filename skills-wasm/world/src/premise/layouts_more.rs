//! More kinds of places: hospitals, libraries, harbours; and what is seen at the first place of the others.

use super::layout::{LayoutShape::Around, PremiseLayout};

pub(super) static MORE: &[PremiseLayout] = &[
    PremiseLayout {
        words: "hospital, clinic, asylum, surgery, ward, infirmary, hospice, nursing home, care home, \
            emergency room, operating theatre",
        shape: Around,
        whole: "You are inside. It is clean, it is never quite dark, and somebody is always awake.",
        places: &[
            ("nurses' desk", "A lit desk, a row of charts, and a board with a lamp for every bed."),
            (
                "ward corridor",
                "Green linoleum, doors on both sides, and a trolley with one bad wheel.",
            ),
            (
                "patient's room",
                "A bed, a chair, and a curtain on a rail. The pillow is still dented.",
            ),
            ("staff room", "A kettle, a row of lockers, and a rota in three colours of ink."),
            ("dispensary", "Brown bottles in order, and a gap where one is missing."),
            ("day room", "Chairs face a window. A jigsaw lies on the sill with its sky left out."),
            ("linen room", "Sheets to the ceiling. It smells of starch and hot iron."),
            ("ambulance bay", "Wet concrete and a red lamp. The doors open by themselves."),
        ],
        dark: (
            "basement passage",
            "Pipes overhead, laundry carts, and a hum that has no direction.",
            "down",
        ),
        locked: ("records office", "Shelves of folders, and a desk lamp that is still warm.", "up"),
        door: "swing door",
        table: "steel trolley",
        trades: &["night porter", "ward sister", "surgeon", "pharmacist", "cleaner"],
    },
    PremiseLayout {
        words: "library, archive, reading room, bookstore, bookshop",
        shape: Around,
        whole: "You are inside. It is quiet, as a place is in which everybody is thinking of something else.",
        places: &[
            (
                "issue desk",
                "A lamp, a date stamp, and a pile of cards with a rubber band around them.",
            ),
            (
                "main aisle",
                "Shelves on both sides, and a ladder on a rail. A cart stands in the way.",
            ),
            ("reading room", "Green lamps and long tables. One chair is drawn back."),
            ("map room", "Shallow drawers from floor to ceiling. One of them does not close."),
            ("bindery", "A press, a pot of glue, and a book without its back."),
            ("newspaper room", "Yesterday hangs on rods. The years before it lie in boxes."),
            ("spiral stairs", "Iron steps that ring. Halfway up somebody has left a glove."),
            ("children's corner", "Low shelves and cushions, and a bear with one ear."),
        ],
        dark: ("closed stacks", "Rows without end and a switch that clicks for nothing.", "down"),
        locked: ("rare book room", "Glass cases, white gloves, and one empty cradle.", "up"),
        door: "panelled door",
        table: "reading desk",
        trades: &["assistant librarian", "archivist", "bookbinder", "night watchman", "student"],
    },
    PremiseLayout {
        words: "harbour, harbor, port, pier, quay, dock, docks, jetty, marina, wharf, boatyard",
        shape: Around,
        whole: "It is all around you: ropes, gulls, and boats that knock against each other.",
        places: &[
            ("quay", "Wet stone, iron rings, and nets that dry on the wall."),
            ("fish market", "Slabs, hoses, and a scale. The ice has been swept into a corner."),
            ("harbour office", "A counter, a barometer, and a list of who is out and who is back."),
            ("net loft", "Nets hang from the beams like weather. A stool stands among them."),
            ("breakwater", "Great stones in the spray, and a lamp on a pole at the end."),
            ("chandlery", "Rope by the yard, tar by the pound, and a cat on the counter."),
            ("boat slip", "Two boats upside down, and the groove where a third went out."),
            ("sailors' tavern", "Low beams and a wet floor. A bell hangs over the bar."),
        ],
        dark: (
            "bonded cellar",
            "Casks in the dark, each with a seal. The tide breathes below.",
            "down",
        ),
        locked: ("customs loft", "Seized things on shelves, each with a label and a date.", "up"),
        door: "tarred door",
        table: "fish crate",
        trades: &["harbour pilot", "net-mender", "customs clerk", "fishwife", "ferryman"],
    },
];

/// What is seen in a place that is more than a room, by the last word of its name.
const SIGHTS: &[(&str, &str)] = &[
    ("mountain mountains peak pass", "Grey rock, thin grass, and a path that gives up halfway."),
    (
        "forest wood woods jungle",
        "Trunks, and more trunks behind them. The path is there if one knows it.",
    ),
    ("lake pond reservoir", "Still water with a skin of light on it, and reeds along the edge."),
    ("river canal stream", "Brown water goes by with a branch in it. The bank is soft."),
    ("sea ocean bay lagoon", "Water to the end of sight. It breathes in and out on the stones."),
    (
        "moor heath swamp marsh tundra",
        "Flat, wet and brown. Something calls from where nothing stands.",
    ),
    ("valley meadow plateau", "Grass bends in the wind. A wall begins here and ends nowhere."),
    ("snow glacier", "White, and then more white. Your own steps are the only mark on it."),
    ("library study", "Shelves to the ceiling, a ladder, and a smell of leather and cold smoke."),
    ("kitchen", "Copper pans in a row, and a table that has been scrubbed white."),
    ("attic", "Trunks under cloths, and a round window that looks at the road."),
    ("cellar basement", "Shelves of bottles, and a heap of coal. The air is cold and sweet."),
    ("wing annexe", "A corridor with doors on both sides, and sheets over what stands in it."),
    ("conservatory", "Ferns press against the glass. Water drips into a tin."),
    ("ballroom", "A floor like ice, gilt chairs along the walls, and a chandelier in a bag."),
    ("office", "A desk, a lamp, and two chairs that do not match."),
    ("ward", "Beds in two rows, each with a chart at its foot."),
    ("boathouse", "A boat on a cradle, oars along the wall, and water under the floor."),
    ("shed", "Tools on nails, a bench, and a window that spiders have curtained."),
    ("hill", "Short grass, a bench, and everything else below."),
    (
        "harbour harbor port quay pier dock",
        "Ropes, gulls, and boats that knock against each other.",
    ),
    ("town village hamlet", "Roofs, smoke, and a dog that has seen you."),
    ("allotment", "Beans on poles, a water butt, and a shed no larger than a wardrobe."),
    ("cemetery graveyard", "Stones in rows. Some have fresh flowers, and most have moss."),
    ("beach shore coast", "Wet sand, and a line of weed that the water has left."),
    ("cottage house hut", "Low walls, and a door that sticks. It is somebody's, and it looks it."),
];

/// What is seen in a place with this name; none for one of which the kinds of places say enough.
pub(super) fn sight_of_kind(name: &str) -> Option<&'static str> {
    let head = name.rsplit(' ').next()?.to_lowercase();
    let found = SIGHTS.iter().find(|(words, _)| words.split(' ').any(|word| word == head));
    found.map(|(_, sight)| *sight)
}
