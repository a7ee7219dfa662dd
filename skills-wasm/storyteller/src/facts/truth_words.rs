//! Words for the check of prose against facts. Data only: a text is a list of words between spaces.

/// Words that end the phrase of a noun.
pub(super) const BOUNDARIES: &str = "\
    a about above across after again against all along already also although always am among an \
    and any are around as at away back be because been before behind being below beneath beside \
    between beyond bit both but by can cannot come comes could did do does down each either else \
    even ever every faster feels few for from gives goes had has have he her here hers him his \
    holds how i if in inside into is it its just lies lighter like little looks makes may me \
    might more most must my near nearly neither never no nor not now of off on once only onto or \
    our out outside over past quite rests says seems shall she should since sits smells so some \
    stands stays still takes than that the their them then there these they this those though \
    through to toward towards under until up upon us was watches we were what when where which \
    while who whom whose why will with within without would yet you your";

/// Nouns that any prose may use: parts of the player, of time, of the senses, and of speech. None of them is a thing that
/// could be taken, a person that could be met, or a place that could be entered.
pub(super) const SAFE_NOUNS: &str = "\
    air answer arm attention back balance beat blood body bolt bone bottom breath calm care ceiling chance \
    chill company cold corner courage dark darkness dawn day distance doubt dusk dust ear ease \
    edge effort end evening eye face fact fear feeling feet finger foot gaze glance grip half \
    hand head heart heartbeat heat hour hurry hush idea inch instant kind knee least leg light \
    liking line lip look luck lung matter memory middle midnight mind minute moment mood morning \
    mouth movement name nerve night noise noon nose nothing one other pace pain palm part past \
    patience pause place point pulse question quiet reason rest rush same scent second sense \
    shade shadow shape shiver shoulder side sigh sight silence skin smell smile sound space step \
    stillness stomach story strength surface surprise taking task taste tear tears thing thought \
    throat thumb time tone tongue top touch trouble truth try turn use view voice warmth way \
    weight while whole will wind word work world worse wrist years \
    floor ground wall sky keeping bow habit ease case lot subject greatest regret style attempt nod last \
    better next first difference good shake";

/// Things, creatures, people and places. A text that names one of them names something that must be there.
pub(super) const CONCRETE_NOUNS: &str = "\
    abbey alley altar amulet angel apple archer armor armour army arrow assassin attic axe baby \
    bag balcony bandit banner barkeep barn barrel basement basket beast bed bell bench bird \
    blacksmith blade boat bones books boots bottle bowl box boy bracelet bread bridge broom \
    brother bucket butcher cabin cabinet cage candle candlestick cannon cape captain car carpet \
    carriage cart castle cat cathedral cave cavern cellar chair chalice chapel child children \
    church cloak clock coat coffin coin compass corpse corridor cottage courtyard cow crab crate \
    creature crow crowbar crown crypt crystal cup cupboard curtain dagger daughter deer demon \
    desk detective devil diamond dog doll donkey door doorway dragon drawer dress dungeon dwarf \
    eagle elf emperor farmer father feather fireplace flag flask flower flute forest fountain \
    fox friend frog garden gate gem ghost giant girl glove gloves goat goblet goblin god gold \
    goose grave guardian guards gun hammer harbour hat helmet hermit hill horn horse house \
    hunter hut idol inn innkeeper island jar jewel key king kitchen knife knight ladder lady \
    lake lamp lantern letter lever library lion locket locks lord machine mage maid man map \
    mayor medallion men merchant merchants mill miller mirror monk monkey monster mother \
    mountain mouse mug mule museum necklace needle nest newspaper nun nurse ogre orb orc owl \
    oxen painting palace pan paper parchment passage pearl pebble pen pencil phone piano pig \
    pillow pipe pirate pistol pistols pit plank pocketknife poet police policeman pony portal \
    portrait pot potion priest priestess prince princess prisoner puzzle queen rabbit radio rat \
    raven razor revolver ribbon rider rifle rings river road robot rod room rope rug sack saddle \
    sailor sarcophagus scabbard sceptre scroll sentry serpent servant sheep shelf shell shield \
    ship shoe shoes shop shovel shrine signpost sister skeleton skull sled snake soldier son \
    sorcerer spear spider spoon stag stair staircase statue stool stove stranger street sword \
    table tavern telephone temple tent thief throne tiger tomb torch tower town traveler \
    traveller treasure troll trunk tunnel turtle umbrella unicorn urn vampire vase vault village \
    villager violin wagon waiter wand warrior watchman waterfall weapon werewolf whale wheel \
    wife window witch wizard wolf wolves woman women workshop wreck zombie";

/// The points of the compass and the stair: a way that the text names must be one of the ways there are.
pub(super) const DIRECTIONS: &[&str] = &["north", "south", "east", "west"];

/// Words that say that something works.
pub(super) const SUCCEEDS: &[&str] = &[
    "succeed",
    "succeeds",
    "it works",
    "gives way",
    "give way",
    "you manage",
    "swings open",
    "slides open",
    "clicks open",
    "springs open",
    "bursts open",
    "flies open",
    "success",
    "triumph",
    "comes free",
    "agrees",
    "consents",
];

/// Words that say that it does not.
pub(super) const FAILS: &[&str] = &[
    "you fail",
    "fails",
    "in vain",
    "to no avail",
    "does not work",
    "doesn't work",
    "nothing happens",
    "refuses",
    "will not budge",
    "won't budge",
    "holds fast",
    "out of reach",
    "slips away",
    "failure",
    "cannot",
    "can't",
];

/// Words that say that a shut thing is open now.
pub(super) const OPENS: &[&str] = &[
    "opens",
    "open it",
    "you open",
    "swings open",
    "slides open",
    "clicks open",
    "unlocks",
    "you unlock",
    "gives way",
    "swings wide",
    "creaks open",
    "stands open",
    "is open",
    "pushes open",
    "push it open",
];

/// Words that say that the player has it now.
pub(super) const TAKES: &[&str] = &[
    "you take",
    "you pick up",
    "you grab",
    "you pocket",
    "you seize",
    "you lift",
    "you snatch",
    "is yours",
    "in your hands",
    "you now hold",
    "you now have",
    "you now carry",
];

/// Words that say that the player is somewhere else now.
pub(super) const LEAVES: &[&str] = &[
    "you leave",
    "you step through",
    "you walk through",
    "you go through",
    "you enter",
    "you arrive",
    "you reach",
    "you climb up",
    "you climb down",
    "you descend",
    "you step out",
    "you step into",
];

/// What the living do.
pub(super) const LIVES: &[&str] = &[
    "says", "said", "speaks", "asks", "answers", "replies", "nods", "smiles", "laughs", "whispers",
    "watches", "looks", "walks", "runs", "shouts", "sighs", "shrugs", "turns", "grins", "stands",
];
