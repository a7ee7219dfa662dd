//! Questions and the memories that answer them, among many others like them.

const NAMES: &str = "Mira Tolk Elena Marcus Bren Sable Iven Oda Ruk Fenna Halden Isolde Jory Kestrel Lune Maro Nessa Orrin \
    Petra Quill Rhea Soren Tamsin Ulric Vesna Wystan Xanthe Yorick Zella Aldous Brisa Corin Dagny Edric Farah Gideon Hester \
    Imre Juno Kaspar Liesl Morgan Niko Ottilie Pavel Ragna Sigrid Teodor Una Viktor Wilma Yara Anselm Beata Cyprian Dunya \
    Emeric Fabian Greta Hanno Ilse Jasper Katya Leopold Mathis Nadia Osric Phoebe Quentin Roswitha";
const PLACES: &str = "archive lighthouse mill cathedral quarry orchard tavern harbour observatory crypt granary bridge chapel \
    foundry market monastery greenhouse barracks aqueduct theatre";
const THINGS: &str = "lantern compass ledger dagger locket flute map mirror seal ring cloak clock chalice goblet key scroll \
    telescope tapestry sabre violin";
const FEARS: &str = "fire wolves water heights spiders thunder crowds darkness ghosts snakes";
const SKILLS: &str = "sail forge dance read heal fence hunt brew juggle pray";
const TIMES: &str = "dawn noon dusk midnight harvest midwinter";
const SECRETS: &str =
    "nightingale amber oleander quicksilver juniper saffron obsidian marigold hemlock cinnabar";

fn pick(list: &str, number: usize) -> &str {
    let words: Vec<&str> = list.split_whitespace().collect();
    words[number % words.len()]
}

/// A fact and a question that it answers; some questions have none of its words but the names.
pub(crate) fn fact(kind: usize, draw: &mut impl FnMut() -> usize) -> (String, String) {
    let (n, m) = (pick(NAMES, draw()), pick(NAMES, draw()));
    let (p, o, t) = (pick(PLACES, draw()), pick(THINGS, draw()), pick(TIMES, draw()));
    let (fear, skill) = (pick(FEARS, draw()), pick(SKILLS, draw()));
    let count = 2 + draw() % 90;
    match kind {
        0 => (format!("{n} keeps the {o} in the {p}."), format!("Where does {n} keep the {o}?")),
        1 => (
            format!("{n} owes {m} {count} silver coins for the {o}."),
            format!("How much money does {n} owe {m} for the {o}?"),
        ),
        2 => (
            format!("{n} is afraid of {fear} since the {p} burned."),
            format!("What has {n} been afraid of since the {p}?"),
        ),
        3 => (
            format!("{n} lost a brother at the {p} at {t}."),
            format!("Which relative did {n} lose at the {p}?"),
        ),
        4 => (
            format!("{n} promised to meet {m} at the {p} at {t}."),
            format!("When is {n} meeting {m} at the {p}, as promised?"),
        ),
        5 => (
            format!("The password that {n} set for the {p} is {}.", pick(SECRETS, draw())),
            format!("What is {n}'s password for the {p}?"),
        ),
        6 => (
            format!("{n} was seen leaving the {p} with a {o}."),
            format!("Who left the {p} carrying the {o}, was it {n}?"),
        ),
        7 => (format!("{n} taught {m} how to {skill}."), format!("What did {n} teach {m}?")),
        8 => (format!("{m} betrayed {n} over the {o}."), format!("Why was {n} betrayed by {m}?")),
        9 => (
            format!("The {o} of {n} was stolen from the {p} at {t}."),
            format!("When did a thief steal {n}'s {o}?"),
        ),
        10 => (
            format!("{n} married {m} in the {p}."),
            format!("Where was the wedding of {n} and {m}?"),
        ),
        _ => (
            format!("{n} carries a scar from a duel over the {o}."),
            format!("How did {n} get that scar from the duel?"),
        ),
    }
}

/// The same numbers each time.
pub(crate) fn numbers(seed: u64) -> impl FnMut() -> usize {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 40).unwrap()
    }
}

/// Questions with the texts of the memories that answer them, and all memories.
pub(crate) fn dataset(memories: usize) -> (Vec<(String, String)>, Vec<String>) {
    let mut draw = numbers(7);
    let pairs: Vec<(String, String)> = (0..180).map(|nth| fact(nth % 12, &mut draw)).collect();
    let mut all: Vec<String> = pairs.iter().map(|(fact, _)| fact.clone()).collect();
    let mut draw = numbers(8);
    while all.len() < memories {
        let kind = draw() % 12;
        all.push(fact(kind, &mut draw).0);
    }
    // The right ones lie anywhere among the others.
    let mut order = numbers(9);
    for at in (1..all.len()).rev() {
        all.swap(at, order() % (at + 1));
    }
    let questions = pairs.into_iter().map(|(fact, question)| (question, fact)).collect();
    (questions, all)
}
