//! Names of people and of the town, and the pronouns that go with a name. Plain data.

/// Pronouns of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pronouns {
    pub(super) subject: &'static str,
    pub(super) possessive: &'static str,
    pub(super) object: &'static str,
    pub(super) reflexive: &'static str,
}

const SHE: Pronouns =
    Pronouns { subject: "she", possessive: "her", object: "her", reflexive: "herself" };
const HE: Pronouns =
    Pronouns { subject: "he", possessive: "his", object: "him", reflexive: "himself" };
/// For a name that is not in the lists.
const THEY: Pronouns =
    Pronouns { subject: "they", possessive: "their", object: "them", reflexive: "themself" };

/// Given names that go with "she".
const SHE_NAMES: [&str; 24] = [
    "Ada", "Berit", "Clemence", "Dagny", "Elspeth", "Freya", "Greta", "Hanne", "Imke", "Jorun",
    "Katrin", "Linnea", "Maren", "Nell", "Oda", "Petra", "Rosalind", "Sunniva", "Tilda", "Una",
    "Verity", "Wenna", "Ysolde", "Zelda",
];

/// Given names that go with "he".
const HE_NAMES: [&str; 24] = [
    "Aldous", "Bram", "Caspar", "Dirk", "Edmund", "Florian", "Garrick", "Hollis", "Ivar", "Jasper",
    "Konrad", "Leif", "Matthias", "Nils", "Osric", "Piers", "Quill", "Rafe", "Soren", "Tobias",
    "Ulric", "Viggo", "Wystan", "Yorick",
];

const FAMILY_NAMES: [&str; 24] = [
    "Ashdown",
    "Birch",
    "Coldwell",
    "Drake",
    "Eastlake",
    "Farrow",
    "Gale",
    "Harrow",
    "Ingram",
    "Jarrow",
    "Kestrel",
    "Lockwood",
    "Marsh",
    "Northcote",
    "Orchard",
    "Pell",
    "Quayle",
    "Rushmere",
    "Sallow",
    "Thorne",
    "Underhill",
    "Vane",
    "Whitlock",
    "Yarrow",
];

/// Towns of a new story.
const TOWNS: [&str; 6] =
    ["Harrowmere", "Saltby", "Ashferry", "Wrenmouth", "Tidewell", "Marlstrand"];

/// The pronouns of a full name, by its given name.
pub(super) fn pronouns(name: &str) -> Pronouns {
    let given = name.split_whitespace().next().unwrap_or(name);
    if SHE_NAMES.contains(&given) {
        SHE
    } else if HE_NAMES.contains(&given) {
        HE
    } else {
        THEY
    }
}

/// The town of a story with that seed.
pub(super) fn town(seed: u64) -> &'static str {
    pick(&TOWNS, seed >> 7)
}

/// The `nth` name of a story: no two of the first 500 or so are alike, nor do two neighbours share a given name or a family
/// name.
pub(super) fn full_name(seed: u64, nth: u64) -> String {
    let given: &[&str] = if (seed ^ nth.wrapping_mul(7)) & 1 == 0 { &SHE_NAMES } else { &HE_NAMES };
    let round = nth / 24;
    let first = pick(given, seed.wrapping_add(nth.wrapping_mul(7)));
    let last = pick(
        &FAMILY_NAMES,
        (seed >> 11).wrapping_add(nth.wrapping_mul(5)).wrapping_add(round.wrapping_mul(11)),
    );
    format!("{first} {last}")
}

fn pick<'a>(from: &[&'a str], at: u64) -> &'a str {
    let len = from.len() as u64;
    from[usize::try_from(at % len).unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_cast_of_twenty_has_twenty_names() {
        for seed in [0, 1, 7, 42, u64::MAX] {
            let names: BTreeSet<String> = (0..20).map(|nth| full_name(seed, nth)).collect();
            assert_eq!(names.len(), 20, "{names:?}");
        }
    }

    #[test]
    fn a_name_has_pronouns() {
        assert_eq!(pronouns("Ada Birch").subject, "she");
        assert_eq!(pronouns("Leif").possessive, "his");
        assert_eq!(pronouns("Xanthe Moon").object, "them");
    }
}
