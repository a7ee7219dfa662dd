//! What rows may name: the kinds of phrases, their features, what a meaning names without a phrase, conditions, and tests of one
//! word. The build script reads this file too: it refuses a row of `grammar` that names anything else, and writes the rest as
//! constants.

use std::{fmt, ops::Deref};

use english::{VERB_MEANINGS, WordClass};
use world_model::want::Want;

/// A list of a constant. Its `Debug` is the Rust that makes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConstList<T: 'static>(pub(crate) &'static [T]);

impl<T> Deref for ConstList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for ConstList<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ConstList(&{:?})", self.0)
    }
}

/// What rows call by a name.
pub(crate) trait RowName: Copy + 'static {
    /// The values by their names.
    const NAMED: &'static [(&'static str, Self)];

    /// The value of this name.
    fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// An enum whose values rows call by a name. Its `Debug` is the Rust that makes it.
macro_rules! named {
    ($(#[$doc:meta])* $of:ident {
        $($(#[$about:meta])* $name:ident = $word:expr,)*
        $(+ $(#[$with_about:meta])* $with:ident($inner:ty),)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $of {
            $($(#[$about])* $name,)*
            $($(#[$with_about])* $with($inner),)*
        }

        impl RowName for $of {
            const NAMED: &'static [(&'static str, $of)] = &[$(($word, $of::$name),)*];
        }

        impl std::fmt::Debug for $of {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($of::$name => out.write_str(concat!(stringify!($of), "::", stringify!($name))),)*
                    $($of::$with(inner) => {
                        write!(out, concat!(stringify!($of), "::", stringify!($with), "({:?})"), inner)
                    })*
                }
            }
        }
    };
}
pub(crate) use named;

/// A plain clause that begins so is read by the patterns once more.
pub(crate) const AGAIN: &str = "> ";

/// Begins the conditions behind a plain clause; the other one joins them.
pub(crate) const CONDITION: &str = " if ";
pub(crate) const CONDITION_AND: &str = " and ";

/// The wants of which a kind and a feature have the name.
const WANTS: &[(&str, Want)] = &[
    ("worn", Want::Worn),
    ("wearable", Want::Wearable),
    ("open", Want::Open),
    ("closed", Want::Closed),
    ("locked", Want::Locked),
    ("unlit", Want::Unlit),
    ("lit", Want::Lit),
    ("edible", Want::Edible),
    ("drinkable", Want::Drinkable),
    ("readable", Want::Readable),
    ("owned", Want::Owned),
    ("holder", Want::Holder),
    ("way", Want::Place),
    ("takable", Want::Takable),
];

fn suited_called(name: &str) -> Option<Want> {
    WANTS.iter().find(|(known, _)| *known == name).map(|(_, want)| *want)
}

named! {
    /// The test that a phrase of a pattern must pass.
    Kind {
        /// Words without a mark.
        Text = "text",
        /// Words without a mark and without `I`, `we` or `you`.
        Topic = "topic",
        /// Words without a mark, or none.
        Rest = "rest",
        /// Words and commas within a sentence.
        Piece = "piece",
        /// Words and commas within a sentence, or none.
        Tail = "tail",
        /// Who tells of the player: `she`, their name, `young Marsh`, `the new gardener`.
        Hero = "hero",
        /// The same, from a verb on, or from what leads to it.
        Deed = "deed",
        /// Words that begin with a name, or with an article and a name behind no verb: what the first name means.
        Name = "name",
        /// Words that name no entity.
        Unnamed = "unnamed",
        /// Something out of sight that no description mentions.
        Unseen = "unseen",
        /// Entities anywhere in the world.
        Named = "named",
        /// Entities that the player sees.
        Seen = "seen",
        /// Something in sight or in a description, except a place.
        View = "view",
        /// Something in sight or in a description, except people, parts of a body and pockets.
        Spot = "spot",
        /// Things that the player has.
        Held = "held",
        /// Things that the player can take.
        Free = "free",
        /// Things that the player has or can take.
        Movable = "movable",
        /// A weapon that the player has.
        Weapon = "weapon",
        /// A thing in sight that reacts to some action.
        Working = "working",
        /// Things to wear, worn already or not.
        Garment = "garment",
        /// A place where the player is not.
        Goal = "goal",
        /// A person.
        Person = "person",
        /// A person who is here.
        Present = "present",
        /// A person who is here, by a name, `his`, `her`, `they` or `your`.
        Whom = "whom",
        /// Somebody who is elsewhere.
        Away = "away",
        /// Things, those first that can be taken.
        Thing = "thing",
        /// Things in sight, those first that the player has.
        Tool = "tool",
        /// A part of a thing of which only its description speaks, which stands for the thing.
        Detail = "detail",
        /// Words that name nothing to read.
        Unread = "unread",
        /// Words of a part of a thing that the player has, which is shown with it.
        Part = "part",
        + /// Entities that suit this want.
        Suited(Want),
    }
}

impl Kind {
    /// The kind that a pattern calls so.
    pub(crate) fn called(name: &str) -> Option<Kind> {
        Kind::named(name).or_else(|| suited_called(name).map(Kind::Suited))
    }

    /// The names of all kinds.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        let wants = WANTS.iter().map(|(name, _)| *name);
        Kind::NAMED.iter().map(|(name, _)| *name).chain(wants)
    }

    /// Whether it is only words, which have no features of things.
    pub(crate) fn is_only_words(self) -> bool {
        use Kind::{Deed, Garment, Hero, Piece, Rest, Tail, Text, Topic, Unnamed, Unread, Unseen};
        [Text, Topic, Rest, Piece, Tail, Deed, Hero, Unnamed, Unseen, Unread, Garment]
            .contains(&self)
    }

    /// Whether it is a person, whom the plain clause calls by name.
    pub(crate) fn is_of_person(self) -> bool {
        matches!(self, Kind::Person | Kind::Present | Kind::Whom | Kind::Away)
    }
}

named! {
    /// What a feature says of an entity.
    Feature {
        /// It is in sight.
        Seen = "seen",
        /// The player has it.
        Held = "held",
        /// The player can take it.
        Free = "free",
        /// Either of the two.
        Movable = "movable",
        /// It is the place of the player.
        Here = "here",
        /// A door.
        Door = "door",
        /// A place.
        Place = "place",
        /// A person.
        Person = "person",
        /// An animal or a monster.
        Creature = "creature",
        /// A thing.
        Thing = "thing",
        /// A part of a place.
        Scenery = "scenery",
        /// It stays where it is.
        Fixed = "fixed",
        /// It can be opened.
        Openable = "openable",
        /// Things go in it.
        Container = "container",
        /// Something is in it or on it.
        Laden = "laden",
        /// It has a key and is not locked.
        Lockable = "lockable",
        /// It can be lit.
        Light = "light",
        /// It reacts to some deed.
        Reacting = "reacting",
        /// It reacts to something, or something here is lit with it.
        Igniting = "igniting",
        /// It reacts to being used.
        Used = "used",
        /// The same, or it is fixed.
        Usable = "usable",
        /// Nothing happens with it, and nothing lies under it.
        Plain = "plain",
        /// Something lies under it.
        Hiding = "hiding",
        /// It reacts to some deed, lights something or is a key.
        Useful = "useful",
        + /// It suits this want.
        Suits(Want),
    }
}

impl Feature {
    /// The feature that a row calls so.
    pub(crate) fn called(name: &str) -> Option<Feature> {
        suited_called(name).map(Feature::Suits).or_else(|| Feature::named(name))
    }

    /// The names of all features of entities.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        let wants = WANTS.iter().map(|(name, _)| *name);
        Feature::NAMED.iter().map(|(name, _)| *name).chain(wants)
    }
}

named! {
    /// What a feature says of a phrase: of its words, or of what they name.
    PhraseTest {
        /// The player has something that the words may mean.
        Carried = "carried",
        /// They mean a thing first.
        AThing = "a-thing",
        /// All words are in the name.
        Called = "called",
        /// The name has no more than these words.
        Full = "full",
        + /// It holds for all that they name.
        Entities(Feature),
    }
}

impl PhraseTest {
    /// The test that a row calls so.
    pub(crate) fn called(name: &str) -> Option<PhraseTest> {
        PhraseTest::named(name).or_else(|| Feature::called(name).map(PhraseTest::Entities))
    }

    /// The names of all tests.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        Feature::names().chain(PhraseTest::NAMED.iter().map(|(name, _)| *name))
    }
}

/// What a test of the words of a phrase begins with: its last, its first, one, each of them is one of these.
pub(crate) const WORD_TEST_MARKS: [char; 4] = ['$', '^', '~', '='];

named! {
    /// What a meaning names without a phrase.
    Referent {
        /// Who is spoken to.
        Partner = "partner",
        /// The same, if it is an animal.
        Pet = "pet",
        /// The way to the other end of this place.
        Beyond = "beyond",
        /// What is here and sounds when it is used.
        Horn = "horn",
        /// What was spoken of, if it has these features.
        It = "it",
        /// What was spoken of, what that is in, or the only thing here that has these features.
        Near = "near",
        /// The two things with these features that were spoken of, or the only two here.
        Both = "both",
        /// What is here and has one of these words in its name.
        Here = "here",
        /// What is here and locked, and takes this key.
        Lock = "lock",
        /// What is here and unlit, and takes this flame.
        Lamp = "lamp",
        /// The only thing here that this is used on.
        Source = "source",
        /// What the player has that moves this person.
        Gift = "gift",
        /// What the player has that this person wants.
        Wish = "wish",
        /// Who is here and wants it.
        Wisher = "wisher",
        /// Who has it, or would trade it.
        Owner = "owner",
        /// The place that a part of this one leads to, which has one of its names.
        Behind = "behind",
        /// The first that they have.
        Belonging = "belonging",
        /// The first of what the words mean.
        First = "first",
        /// The thing by its name, whatever the words describe it by.
        Name = "name",
        /// Where it lies: `on the table`.
        Around = "around",
        /// All that is seen in it or on it.
        Contents = "contents",
        /// The only thing in it or on it that the player can take.
        Sole = "sole",
        /// What there is to drink in it.
        Drink = "drink",
    }
}

/// What stands behind the name of a referent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferentArgument {
    /// Nothing: `{partner}`.
    Nothing,
    /// Features of what is looked for: `{near:container.open}`.
    Features,
    /// Words, one of which is in its name: `{here:bell}`.
    Word,
    /// The label of a phrase of the pattern: `{lock:key}`.
    Phrase,
}

impl Referent {
    /// What stands behind its name.
    pub(crate) fn argument(self) -> ReferentArgument {
        match self {
            Referent::Partner | Referent::Pet | Referent::Beyond | Referent::Horn => {
                ReferentArgument::Nothing
            }
            Referent::It | Referent::Near | Referent::Both => ReferentArgument::Features,
            Referent::Here => ReferentArgument::Word,
            _ => ReferentArgument::Phrase,
        }
    }
}

named! {
    /// A condition of a row on what its phrases name.
    PhraseCondition {
        /// Both are persons, or neither is.
        Alike = "alike",
        /// Nobody is here to whom it could be shown, or it is a light.
        Unshown = "unshown",
        /// The gift moves this person.
        Wants = "wants",
        /// The key is the one of this lock, which is locked.
        Opens = "opens",
        /// The two are not the same.
        Differs = "differs",
        /// It is in the holder.
        Inside = "inside",
        /// The tool is used on it.
        Takes = "takes",
        /// Somebody is spoken to, or a person who can answer is here.
        Listened = "listened",
    }
}

impl PhraseCondition {
    /// Of how many phrases it is.
    pub(crate) fn phrases(self) -> usize {
        match self {
            PhraseCondition::Listened => 0,
            PhraseCondition::Unshown => 1,
            _ => 2,
        }
    }
}

/// A test of one word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordTest<'r> {
    /// `_`.
    Any,
    /// `,`.
    Comma,
    /// `.`: the end of a sentence.
    Stop,
    /// `@hand`.
    Class(WordClass),
    /// `#do-go`.
    Verb(&'r str),
    /// `-ing`.
    Ending(&'r str),
    /// The word itself.
    Word(&'r str),
}

impl<'r> WordTest<'r> {
    /// The test that a row writes so; nothing for a class that does not exist.
    pub(crate) fn of(text: &'r str) -> Option<WordTest<'r>> {
        Some(match text.as_bytes().first() {
            Some(b'@') => WordTest::Class(WordClass::named(&text[1..])?),
            Some(b'#') => WordTest::Verb(&text[1..]),
            Some(b'-') => WordTest::Ending(&text[1..]),
            Some(b'_') if text.len() == 1 => WordTest::Any,
            Some(b',') if text.len() == 1 => WordTest::Comma,
            Some(b'.') if text.len() == 1 => WordTest::Stop,
            _ => WordTest::Word(text),
        })
    }
}

impl fmt::Debug for WordTest<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WordTest::Any => out.write_str("WordTest::Any"),
            WordTest::Comma => out.write_str("WordTest::Comma"),
            WordTest::Stop => out.write_str("WordTest::Stop"),
            WordTest::Class(class) => write!(out, "WordTest::Class(WordClass::{class:?})"),
            WordTest::Verb(meaning) => write!(out, "WordTest::Verb({meaning:?})"),
            WordTest::Ending(ending) => write!(out, "WordTest::Ending({ending:?})"),
            WordTest::Word(word) => write!(out, "WordTest::Word({word:?})"),
        }
    }
}

/// What `#` asks of a word beside a meaning of `verbs.tsv`, each with what it fits.
pub const VERB_TESTS: [(&str, &str); 10] = [
    ("verb", "Any verb."),
    ("form", "Any form of a verb."),
    ("third", "The third person of a verb."),
    ("told", "A verb, or its past in `ed`."),
    ("story", "A form with which a story tells of a deed: `takes`, `opened`, `took`, `set`."),
    ("number", "Digits."),
    ("light", "A verb that does nothing by itself, such as `tilt`."),
    ("deed", "A noun of a deed, such as `peek`."),
    ("given", "A noun of a deed that is given to a thing, such as `push`."),
    ("new", "A word that is no verb."),
];

/// Returns true if there is such a test: `#verb`, `#do-go`.
pub(crate) fn is_verb_test(name: &str) -> bool {
    VERB_TESTS.iter().any(|(test, _)| *test == name)
        || VERB_MEANINGS.iter().any(|meaning| meaning.split(' ').eq(name.split('-')))
}
