//! What can lie behind the locked door, and how its story ends: it is opened, it is read, or it is enough to have it.

/// What ends the story of a prize.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrizeEnd {
    /// It opens, and something written is in it.
    Opened(&'static str),
    /// It is read.
    Read,
    /// It is held.
    Held,
}

/// Something that is worth a locked door.
#[derive(Debug)]
pub(super) struct PremisePrize {
    pub(super) name: &'static str,
    pub(super) sight: &'static str,
    pub(super) end: PrizeEnd,
}

pub(super) const PRIZES: &[PremisePrize] = &[
    PremisePrize {
        name: "sealed casket",
        sight: "Wax holds the lid, and nothing else does. It wants to be opened.",
        end: PrizeEnd::Opened("folded letter"),
    },
    PremisePrize {
        name: "lacquered box",
        sight: "Black and red, with a lid that slides. Something light moves in it.",
        end: PrizeEnd::Opened("strip of paper"),
    },
    PremisePrize {
        name: "travelling case",
        sight: "Two straps and a label with a town that nobody here comes from.",
        end: PrizeEnd::Opened("unsent letter"),
    },
    PremisePrize {
        name: "biscuit tin",
        sight: "A castle on the lid, half rubbed away by thumbs.",
        end: PrizeEnd::Opened("folded confession"),
    },
    PremisePrize {
        name: "silver mask",
        sight: "A calm face. Inside, somebody has scratched a name, and it is not the one you expected.",
        end: PrizeEnd::Held,
    },
    PremisePrize {
        name: "glass heart",
        sight: "Red glass, as large as a fist, with a crack that was mended with gold.",
        end: PrizeEnd::Held,
    },
    PremisePrize {
        name: "amber idol",
        sight: "A small crouching figure. Something with wings has died in its chest, long ago.",
        end: PrizeEnd::Held,
    },
    PremisePrize {
        name: "black ledger",
        sight: "Columns of names and sums. The last page is in another hand.",
        end: PrizeEnd::Read,
    },
    PremisePrize {
        name: "signed confession",
        sight: "Two pages and four signatures. One of them has been crossed out.",
        end: PrizeEnd::Read,
    },
    PremisePrize {
        name: "bound register",
        sight: "A heavy book of births and deaths. A ribbon marks one page.",
        end: PrizeEnd::Read,
    },
];

/// What is written on what is in a prize, or on the prize itself.
pub(super) const LAST_WORDS: &[&str] = &[
    "To whoever opens this: it is all true. Tell it before they lock it up again.",
    "I kept this because I was ashamed, and I was ashamed because I kept it. Let it be known now.",
    "We all signed. None of us slept afterwards. You who read this are free of it; tell the others that they are.",
    "It was not your fault. It was nobody's. It was only easier to lock a door than to say so.",
    "Here is what was taken, and from whom. Give it back, and ask for nothing.",
    "If they tell you that it never happened, show them this.",
];

/// The prize of this name.
pub(super) fn prize_of(name: &str) -> Option<&'static PremisePrize> {
    PRIZES.iter().find(|prize| prize.name == name)
}
