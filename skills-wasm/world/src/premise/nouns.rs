//! Words of a premise: which nouns are beings, things, events, and which can be neither met nor carried.

use super::{layout::layout_of_name, tokens::is_verb};
use crate::words;

/// What a noun stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NounKind {
    Being,
    Place,
    Thing,
    /// What can be seen and not be touched: a storm, a wedding.
    Event,
    /// What can only be spoken of: a debt, a secret.
    Matter,
    /// What is not worth a word: a day, a way.
    Nothing,
}

const HE: &str = "man boy father brother uncle son king prince knight wizard monk priest husband grandfather widower butler \
    groom fisherman ferryman postman strongman gentleman nephew emperor duke lord abbot sheriff cowboy bishop grandpa dad \
    mr sir daddy grandad granddad waiter salesman policeman fireman sultan baron count grandson stepfather bellboy master men";

const SHE: &str = "woman girl mother sister aunt daughter queen princess witch nun wife grandmother widow heiress actress maid \
    mrs ms miss mummy mom gran granny nan nana auntie postmistress bride lady niece empress duchess milkmaid grandma mum mermaid waitress governess countess goddess granddaughter \
    stepmother mistress bridesmaid babysitter fairy nurse landlady women";

const BEASTS: &str = "dragon cat dog wolf bear horse bird owl fox rat mouse lion tiger elephant snake spider fish whale shark \
    goat cow pig sheep hen chicken rooster duck goose swan crow raven parrot monkey donkey camel frog toad turtle tortoise \
    rabbit hare deer bee bat troll giant ogre unicorn phoenix griffin kitten puppy robot android monster ghost octopus \
    penguin seal squirrel nightingale sparrow pigeon dove hawk magpie seagull gull canary hamster animal creature beast pet insect hedgehog badger otter beaver lizard ant butterfly moth dinosaur kraken demon alien zombie \
    skeleton bull pony lamb snail crab eagle falcon sphinx golem";

const TRADES: &str = "keeper sailor captain pirate heir child cook baker smith miller shepherd farmer thief hunter ranger \
    miner explorer detective clerk lawyer doctor teacher actor journalist spy soldier guard engineer pilot astronaut \
    gardener librarian archivist musician painter poet writer tailor cartographer courier smuggler merchant innkeeper \
    vampire scholar student professor judge mayor gambler assassin healer alchemist inventor watchmaker clockmaker \
    locksmith gravedigger surgeon driver conductor stranger orphan twin friend neighbour neighbor apprentice servant diver \
    fisher accountant secretary chef barber violinist pianist singer dancer magician botanist archaeologist translator \
    beekeeper forger burglar chemist ambassador diplomat general colonel deputy outlaw angel elf dwarf goblin fairy \
    person people crew family guest visitor traveller traveler passenger porter steward inspector constable sergeant \
    major lieutenant admiral president minister senator emissary messenger prisoner patient customer tenant landlord \
    lodger boss owner manager director author editor printer bookseller peddler pedlar nomad hermit pilgrim prophet \
    priestess saint beggar tramp clown acrobat juggler ringmaster puppeteer ventriloquist baby toddler teenager parent \
    grandparent cousin ancestor relative lover rival enemy colleague partner boyfriend girlfriend fiance survivor castaway \
    stowaway cadet pupil headmaster caretaker janitor cleaner plumber carpenter mason butcher grocer pharmacist hairdresser \
    seamstress weaver potter blacksmith cobbler dentist vet scientist mathematician astronomer astrologer philosopher \
    psychologist biologist physicist programmer hacker mechanic operator technician medic pupil widow watchman villager \
    hero heroine nanny flatmate roommate housemate classmate teammate vicar verger pastor rabbi imam monarch warden \
    barista intern paramedic trainee rookie newcomer bookkeeper tuner sculptor miner harbourmaster stepson kid sibling \
    commander officer bartender psychiatrist therapist counsellor coroner undertaker mortician lifeguard referee coach \
    trainer architect builder electrician welder trucker cyclist commuter hiker climber mountaineer skipper cop florist \
    drummer guitarist fiddler cellist trumpeter minstrel troubadour bugler client regular local voter candidate sorceress sorcerer warlock shaman druid bard squire gran granny nan nana grandad granddad auntie chauffeur hostage witness victim suspect killer murderer bandit robber crook swindler witness";

const THINGS: &str = "letter diary book note map newspaper ticket contract will postcard poster scroll manuscript photograph \
    picture painting portrait sign ledger recipe notebook journal parcel toll coin purse wallet money gold silver treasure \
    jewel diamond ruby pearl ring necklace bracelet locket brooch crown tiara watch clock hourglass compass telescope \
    lantern lamp candle torch match mirror key lock box chest trunk suitcase bag basket bottle glass cup mug teapot kettle \
    pot pan plate spoon fork knife sword dagger gun pistol rifle arrow shield helmet armour hammer saw axe rope chain \
    anchor sail oar net bell whistle drum violin piano guitar flute trumpet fiddle cello harp accordion organ doll toy \
    puppet kite ball card dice table chair bed desk wardrobe cupboard shelf bench door window curtain carpet blanket pillow \
    coat hat cap shoe boot glove scarf dress shirt uniform mask umbrella cane ladder wheel cart wagon bicycle car machine \
    engine computer telephone phone radio television tap camera film tape record gramophone typewriter oven stove bread cake \
    loaf pie soup stew apple orange pear egg cheese honey jam tea coffee wine beer milk water flour sugar salt seed flower \
    rose tree plant leaf root mushroom stone rock crystal amulet talisman wand potion spell idol statue totem bone skull \
    feather egg shell button needle thread cloth quilt flag banner medal trophy badge stamp paper pen ink pencil brush \
    chessboard puzzle pipe cigar soap towel bucket barrel crate sack tin jar vase urn coffin cradle altar fountain hatch \
    valve lever pump generator antenna satellite capsule device gadget battery wire tool hook fishing-rod saddle harness \
    helicopter truck tractor motorcycle sledge sled heirloom gift present souvenir keepsake package envelope briefcase \
    pillar tapestry chandelier lens scale weight spectacles monocle collar leash cage trap skeleton-key formula chandelier \
    mailbag satchel rucksack backpack broom medicine safe drawer seat lighter ticket microphone bandage syringe laptop \
    tablet marble domino dinner meal breakfast supper lunch sandwich biscuit chocolate sweet pancake dumpling";

const EVENTS: &str = "storm snow rain fog snowstorm blizzard thunderstorm hurricane flood fire earthquake eclipse tide wind \
    wedding funeral regatta coronation fete gala audition party trial strike plague feast festival race contest competition birthday play concert show auction \
    ball dance duel battle war parade hanging election exam reunion picnic rehearsal premiere performance carnival \
    ceremony ritual seance meeting anniversary banquet siege heatwave drought moon sun sky sea star comet light smoke noise \
    sound music song voice smell shadow ceiling wall floor stairs staircase chimney fireplace grave dam lift elevator wing furniture footprint footstep darkness silence";

const MATTERS: &str = "secret debt curse murder crime mystery revenge truth memory past dream story idea plan love death life \
    game name job bet wager promise rumour rumor prophecy legend riddle question answer problem trouble danger fear guilt \
    lie accident theft disappearance inheritance fortune luck trick prank quarrel argument feud truce rule law tax price \
    bill rent loan mistake error wish hope hunger thirst pain illness disease cure magic power country surface contact orchestra choir band army police government council club vow oath face dark height turn-out deadline salary \
    shift-work permission blood";

const NOTHING: &str = "day night year time way morning evening week month hour minute second winter summer autumn spring eve \
    edge middle heart end world sleep front top bottom side wrong dead living century future something nothing anything \
    everything thing kind sort lot bit couple pair number part place midnight noon midday dawn dusk afternoon today \
    tomorrow yesterday tonight now then once monday tuesday wednesday thursday friday saturday sunday o'clock am pm clock's \
    mile metre kilometre inch body corpse sight late turn shift favour favor spite case help rest someone somebody everybody everyone nobody anybody one ones \
    other others others' hand hands eye eyes head own mind \
    january february march april may june july august september october november december christmas nowhere somewhere";

/// Endings of trades.
const TRADE_ENDINGS: &[&str] = &[
    "keeper", "maker", "smith", "monger", "wright", "man", "woman", "men", "women", "herd", "ist",
    "eer", "ician", "seller", "teller", "maid", "mistress", "wife", "girl", "boy", "lady", "nurse",
    "mate", "teacher", "driver", "worker", "master", "owner", "dealer", "lighter", "hunter",
    "player", "child",
];

/// Words that make a being an image of it: `a stone lion`.
const IMAGES: &[&str] = &[
    "teddy",
    "toy",
    "stuffed",
    "rocking",
    "tin",
    "china",
    "stone",
    "bronze",
    "plastic",
    "rubber",
    "glass",
    "paper",
    "gingerbread",
    "plush",
];

/// Returns true if the word is whoever does something: `collector`.
fn is_doer(head: &str) -> bool {
    const THINGS_THAT_DO: &str = "locker drawer cooker opener holder burner ringer liver stopper dropper freezer trailer counter planter cleaver \
        closer lower longer later";
    let one = singular(head);
    let Some(stem) = one.strip_suffix("er").or_else(|| one.strip_suffix("or")) else {
        return false;
    };
    // `collect-or`, `tame-r`, `run-n-er`.
    let undoubled = stem.len() > 3 && stem.as_bytes().ends_with(&[stem.as_bytes()[stem.len() - 2]]);
    let does = is_verb(stem)
        || is_verb(&format!("{stem}e"))
        || (undoubled && stem.is_char_boundary(stem.len() - 1) && is_verb(&stem[..stem.len() - 1]));
    stem.len() > 2 && does && !has(THINGS_THAT_DO, &one)
}

fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// The singular of a noun.
pub(super) fn singular(word: &str) -> String {
    let irregular = [
        ("men", "man"),
        ("women", "woman"),
        ("children", "child"),
        ("people", "person"),
        ("wolves", "wolf"),
        ("thieves", "thief"),
        ("wives", "wife"),
        ("knives", "knife"),
        ("mice", "mouse"),
        ("geese", "goose"),
        ("shelves", "shelf"),
        ("leaves", "leaf"),
        ("loaves", "loaf"),
        ("elves", "elf"),
        ("dwarves", "dwarf"),
        ("lives", "life"),
        ("feet", "foot"),
        ("teeth", "tooth"),
    ];
    if let Some((_, one)) = irregular.iter().find(|(many, _)| *many == word) {
        return (*one).to_owned();
    }
    for (many, one) in irregular.iter().take(2) {
        if let Some(front) = word.strip_suffix(many).filter(|front| front.len() > 2) {
            return format!("{front}{one}");
        }
    }
    if let Some(front) = word.strip_suffix("ies").filter(|front| front.len() > 1) {
        return format!("{front}y");
    }
    for ending in ["ches", "shes", "sses", "xes", "oes"] {
        if let Some(front) = word.strip_suffix(ending) {
            return format!("{front}{}", &ending[..ending.len() - 2]);
        }
    }
    match word.strip_suffix('s') {
        Some(front) if front.len() > 2 && !front.ends_with(['s', 'u', 'i']) => front.to_owned(),
        _ => word.to_owned(),
    }
}

/// Returns true if the noun is one of many, such as `teapots`.
pub(super) fn is_plural(word: &str) -> bool {
    singular(word) != word && !has(THINGS, word) && !has(NOTHING, word)
}

/// What the last word of a noun stands for; none for a word that no table has.
fn known_kind(head: &str) -> Option<NounKind> {
    let one = singular(head);
    let tables = [
        (NOTHING, NounKind::Nothing),
        (HE, NounKind::Being),
        (SHE, NounKind::Being),
        (BEASTS, NounKind::Being),
        (TRADES, NounKind::Being),
        (THINGS, NounKind::Thing),
        (EVENTS, NounKind::Event),
        (MATTERS, NounKind::Matter),
    ];
    let found = tables.iter().find(|(table, _)| has(table, head) || has(table, &one));
    found.map(|(_, kind)| *kind)
}

/// What a noun of these words stands for; none for one that no table has.
pub(super) fn kind_of(noun: &[String]) -> Option<NounKind> {
    let head = noun.last()?;
    let is_image = noun[..noun.len() - 1].iter().any(|word| IMAGES.contains(&word.as_str()));
    let name = noun.join(" ");
    match known_kind(head) {
        Some(NounKind::Being) if is_image => Some(NounKind::Thing),
        // `a space station` and `the sea`, `a moon`: a whole phrase may be a place.
        Some(NounKind::Event) if noun.len() > 1 && layout_of_name(&name).is_some() => {
            Some(NounKind::Place)
        }
        Some(kind) => Some(kind),
        None if layout_of_name(&name).is_some() => Some(NounKind::Place),
        None if is_doer(head) => Some(NounKind::Being),
        // `a ropemaker` and `a rope maker`; a maker alone may be anything.
        None if TRADE_ENDINGS.iter().any(|ending| {
            head.ends_with(ending) && (head.len() > ending.len() || noun.len() > 1)
        }) =>
        {
            Some(NounKind::Being)
        }
        None if ["ness", "ism", "ance"].iter().any(|ending| head.ends_with(ending)) => {
            Some(NounKind::Matter)
        }
        None => None,
    }
}

/// Returns true if the word is an animal or no human being: whoever begins with it does not mean to be it.
pub(super) fn is_beast(head: &str) -> bool {
    let being = ["robot", "android", "ghost", "alien"];
    has(BEASTS, &singular(head)) && !being.contains(&head)
}

/// The pronoun of a being; none where the word does not say it.
pub(super) fn pronoun_of(head: &str) -> Option<&'static str> {
    let one = singular(head);
    if has(HE, &one) || one.ends_with("man") && !one.ends_with("woman") {
        Some("he")
    } else if has(SHE, &one)
        || one.ends_with("woman")
        || one.ends_with("maid")
        || one.ends_with("wife")
        || one.ends_with("mistress")
    {
        Some("she")
    } else if has(BEASTS, &one) {
        Some("it")
    } else {
        None
    }
}

/// Words for the same relatives.
const KIN: &[&str] = &[
    "grandmother grandma gran granny nan nana",
    "grandfather grandpa grandad granddad",
    "mother mum mom mummy mam",
    "father dad daddy papa",
    "aunt auntie aunty",
    "child kid",
    "flatmate roommate housemate",
];

/// Other words for the same relative: `grandma` for a grandmother.
pub(super) fn kin_aliases(head: &str) -> Vec<String> {
    let one = singular(head);
    let all = KIN.iter().find(|all| has(all, &one)).copied().unwrap_or_default();
    all.split(' ').filter(|other| !other.is_empty() && *other != one).map(str::to_owned).collect()
}

/// Returns true if a thing of this name opens and holds others.
pub(super) fn is_openable(head: &str) -> bool {
    let openable = "box chest trunk suitcase bag basket crate safe drawer jar tin parcel package envelope briefcase wardrobe \
        cupboard coffin urn cage satchel rucksack backpack purse wallet mailbag";
    has(openable, &singular(head))
}

/// What can be done with a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThingUse {
    Read,
    Eat,
    Drink,
    Wear,
    /// It is too large to be carried.
    Stays,
    Carry,
}

/// What a thing of this name is for.
pub(super) fn use_of(head: &str) -> ThingUse {
    let one = singular(head);
    let tables = [
        (
            "letter diary book note map newspaper ticket contract will postcard poster scroll manuscript sign ledger recipe notebook \
            journal telegram formula",
            ThingUse::Read,
        ),
        (
            "bread cake loaf pie apple orange pear egg cheese jam honey soup stew dinner meal breakfast supper lunch sandwich \
            biscuit chocolate sweet pancake dumpling",
            ThingUse::Eat,
        ),
        ("tea coffee wine beer milk water potion", ThingUse::Drink),
        (
            "coat hat cap shoe boot glove scarf dress shirt uniform mask ring necklace bracelet locket crown tiara helmet",
            ThingUse::Wear,
        ),
        (
            "table chair bed desk wardrobe cupboard shelf bench door window curtain carpet piano organ oven stove machine engine \
            car cart wagon tree fountain statue altar truck tractor helicopter generator satellite pillar chandelier coffin \
            television wheel anchor bell clock safe cage computer pump antenna capsule",
            ThingUse::Stays,
        ),
    ];
    let found = tables.iter().find(|(table, _)| has(table, &one) || has(table, words::stem(head)));
    found.map_or(ThingUse::Carry, |(_, what)| *what)
}
