//! The frames of verbs as the chart reads them. The build script reads this file too: it makes such constants of the rows of
//! `grammar`, so that nothing of a row is taken apart while a sentence is read.

use world_model::{action::Verb, want::Want};

use super::row_form::{
    ConstList, Feature, Kind, PhraseCondition, PhraseTest, Referent, RowName, WordTest, named,
};

/// Tests that must all hold, or not hold if they are turned round: `@lugging&!drag`.
pub(crate) type AllOf<T> = ConstList<(T, bool)>;

/// Words of which one is asked for: `in|on|@hand`.
pub(crate) type AnyWord = ConstList<AllOf<WordTest<'static>>>;

/// The phrases of a verb that a row is for, or if it is turned round is not for: `!put..|lay..`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VerbPhrases {
    pub(crate) tests: ConstList<AllOf<VerbTest>>,
    pub(crate) is_wanted: bool,
}

named! {
    /// A test of the phrase of a verb.
    VerbTest {
        + /// It is this one.
        Whole(&'static str),
        + /// It begins so: `put..`.
        Begins(&'static str),
        + /// It ends so: `..-down`.
        Ends(&'static str),
        + /// It is of this class: `@toward`.
        Word(WordTest<'static>),
        + /// Its first word is: `@mending..`.
        FirstWord(WordTest<'static>),
        + /// All words behind the first are: `..@way-word`.
        OtherWords(WordTest<'static>),
    }
}

named! {
    /// A part of a frame.
    FramePart {
        /// There is no object.
        NoObject = "-",
        /// Whatever there is.
        Rest = "...",
        /// There is nothing else.
        End = "$",
        + /// Words that are put into slots.
        Slots(FrameSlots),
        + /// Nothing follows one of these prepositions.
        Without(AnyWord),
        + /// Everything behind the verb by a pattern, with its slots in order.
        Pattern((&'static str, ConstList<FrameSlot>)),
    }
}

/// Slots for words that may be cut anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameSlots {
    pub(crate) of: SlotSource,
    pub(crate) slots: ConstList<FrameSlot>,
}

named! {
    /// Which words are put into slots.
    SlotSource {
        /// The object.
        Object = "",
        /// The object, or without one what follows the first preposition.
        Handled = "_",
        /// Of everything behind the verb the words that name something.
        Naming = "*",
        /// Everything behind the verb.
        Everything = "...",
        + /// What follows the first of these prepositions.
        After(AnyWord),
        + /// Everything behind the first of these words.
        Behind(AnyWord),
    }
}

/// A slot of a frame: `{?held.!lit:it}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameSlot {
    /// What the meaning calls it.
    pub(crate) label: &'static str,
    pub(crate) kind: SlotKind,
    /// What its words must be, before anybody looks for what they mean.
    pub(crate) words: ConstList<(PhraseWords, bool)>,
    /// What they must mean.
    pub(crate) features: ConstList<(SlotFeature, bool)>,
    /// Whether it takes the first of several that may be meant, and something must be meant.
    pub(crate) is_first: bool,
}

named! {
    /// What words in a slot may mean.
    SlotKind {
        + /// Only this: `{held:it}`.
        Closed(Kind),
        + /// Whatever they mean, and this first: `{?held:it}`.
        Open(OpenKind),
    }
}

named! {
    /// What is looked for first in an open slot.
    OpenKind {
        /// Nothing: words, or none.
        Text = "text",
        /// A person who is here and is named somewhere among the words.
        Among = "among",
        /// Where the words lead: of several places not the one where the player is.
        Goal = "goal",
        /// Who is named beside the words that ask what they know.
        Knowing = "knowing",
        /// Where something is put: of a place or a person that a door belongs to, the door.
        Receiver = "receiver",
        /// Somebody, and perhaps where: `the driver on the car deck`.
        Someone = "someone",
        /// What is named beside the words that ask for its state.
        State = "state",
        /// Who is spoken to: by a name, by what they do, or the one who is here.
        Whom = "whom",
        /// Whose hand, nose or eyes the words name.
        Whose = "whose",
        /// What is read: `it`, if the question about what is written names nothing.
        Writing = "writing",
        + /// The key of what another slot names: `key-of-lock`.
        KeyOf(&'static str),
        + /// What the person in another slot has, or who is spoken to: `owned-by-who`.
        OwnedBy(&'static str),
        + /// What opens, the door of a place and the part of a door too: `door-locked`.
        Door(Want),
        + /// The only thing of which only its description has the words: `part-any`.
        Part(Want),
        + /// What suits.
        Wanted(Want),
    }
}

named! {
    /// A test of the words of a phrase.
    PhraseWords {
        + /// `$@body`: the last is one of these.
        Last(AnyWord),
        + /// `^a|an`: the first is, or a phrase of a class begins them.
        First(AnyWord),
        + /// `~not`: one is.
        Has(AnyWord),
        + /// `=@hollow`: each is, or all of them are a phrase of a class.
        Only(AnyWord),
    }
}

named! {
    /// What the words in an open slot come to.
    SlotFeature {
        /// It is known what they mean.
        Known = "known",
        /// They mean one thing.
        One = "one",
        /// They are a word of a description.
        Mention = "mention",
        /// Nothing here is called so.
        Missing = "missing",
        /// One of the latter two.
        Unnamed = "unnamed",
        /// They may mean several things.
        Unclear = "unclear",
        /// They mean nothing.
        Nothing = "nothing",
        /// They are `all` or `everything`.
        All = "all",
        /// All of them are of one name.
        Whole = "whole",
        /// They are a clause with a subject.
        Clause = "clause",
        /// They are this room.
        Room = "room",
        /// It is elsewhere.
        Away = "away",
        /// It was spoken of last.
        Spoken = "spoken",
        /// It is in something.
        Inside = "inside",
        /// It is on something.
        Atop = "atop",
        /// They may be any person.
        Anybody = "anybody",
        /// They name a trade.
        Trade = "trade",
        + /// A feature of what is known.
        Phrase(PhraseTest),
    }
}

/// What a reading by a frame comes to, if the conditions hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameMeaning {
    pub(crate) says: FrameSays,
    pub(crate) conditions: AllOf<FrameCondition>,
}

named! {
    /// What a frame says.
    FrameSays {
        /// No action.
        Nothing = "nothing",
        /// That the verb makes no sense with these words.
        Unknown = "unknown",
        + /// These deeds, one after the other.
        Deeds(ConstList<FrameDeed>),
        + /// What another clause comes to: `> put {it} in {to}`.
        Again(FrameAgain),
        + /// The answer to a question with a noun.
        Question(ConstList<ClausePart>),
        + /// The same, if it needs nothing but a look.
        Seen(ConstList<ClausePart>),
    }
}

/// Another clause that is read instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameAgain {
    pub(crate) clause: ConstList<ClausePart>,
    /// Its verb is the first word alone, whatever longer verb begins so: `> go: {to}`.
    pub(crate) is_verb_alone: bool,
    /// What its first deed has, if it has no other: `; with {tool}`.
    pub(crate) with: ConstList<DeedPart>,
}

named! {
    /// Words of a clause that is read again.
    ClausePart {
        /// The phrase of the verb.
        Phrase = "phrase",
        /// All words behind it.
        Rest = "rest",
        /// What it has behind its first word.
        Tail = "tail",
        + /// The words in a slot.
        Slot(&'static str),
        + /// What is named without a slot.
        Referent(FrameReferent),
        + /// A word.
        Word(&'static str),
    }
}

/// A referent with what stands behind its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameReferent {
    pub(crate) of: Referent,
    pub(crate) argument: &'static str,
}

/// An action of a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameDeed {
    /// What is done; `None` for what the verb means.
    pub(crate) verb: Option<Verb>,
    pub(crate) parts: ConstList<DeedPart>,
}

named! {
    /// A part of an action.
    DeedPart {
        + /// What it is done to: one action for each.
        Target(FrameNamed),
        + /// The second thing.
        With(FrameNamed),
        + /// The same, if it is there; of several the first.
        WithAny(FrameNamed),
        + /// The topic.
        About(ConstList<FrameWords>),
        + /// What is not here.
        Missing(ConstList<FrameWords>),
        + /// The text.
        Text(ConstList<FrameWords>),
        + /// The text, if there is one.
        TextAny(ConstList<FrameWords>),
        + /// The direction.
        Toward(ConstList<FrameWords>),
    }
}

named! {
    /// What a meaning names.
    FrameNamed {
        /// What the clause before this one has uncovered.
        Uncovered = "uncovered",
        /// Who is spoken to, if somebody is.
        Listener = "listener",
        + /// What a slot means.
        Slot(&'static str),
        + /// Each of them that has these features.
        SlotWith((&'static str, AllOf<PhraseTest>)),
        + /// Each thing in sight that has this feature.
        Every(Feature),
        + /// What is in, on or under it.
        Within(ConstList<FrameNamed>),
        + /// The same, which may be nothing.
        AllWithin(ConstList<FrameNamed>),
        + /// What it is in or on.
        Holder(ConstList<FrameNamed>),
        + /// What is named without a slot.
        Referent(FrameReferent),
    }
}

named! {
    /// Words that a meaning names.
    FrameWords {
        /// The phrase of the verb.
        Phrase = "phrase",
        /// What the meaning of the verb has behind its first word: `wave`.
        Name = "name",
        /// All words of the clause without what leads to them.
        Bare = "bare",
        /// All words behind the verb.
        Rest = "rest",
        /// All words of the clause.
        Said = "said",
        /// How long the clause says to sleep.
        Slept = "slept",
        /// How long it says to wait.
        Waited = "waited",
        /// The only direction that the clause says, or that of stairs.
        Way = "way",
        /// One of those that it says.
        SomeWay = "some-way",
        /// Where one leaves.
        WayOut = "way-out",
        /// Where the stairs of the object lead.
        Stairs = "stairs",
        /// The name of who is spoken to.
        Listener = "{listener}",
        /// The player's own words in the second person, or if they are too many what the verb means behind its first word.
        OwnName = "own name",
        + /// The same, or this verb.
        Own(&'static str),
        + /// The words in a slot.
        Slot(&'static str),
        + /// What is meant, with its article.
        The(&'static str),
        + /// Words as they are.
        Word(&'static str),
    }
}

named! {
    /// A condition of a meaning.
    FrameCondition {
        /// Nobody is spoken to, and nobody is here.
        Alone = "alone",
        /// Somebody is spoken to by name.
        Addressed = "addressed",
        /// This clause has the name.
        Called = "called",
        /// A question mark ends the clause.
        Asked = "asked",
        /// The same, or it begins as a question does.
        Question = "question",
        /// It has a `please`.
        Polite = "polite",
        /// No verb, way or question begins it.
        Bare = "bare",
        /// A verb follows behind what leads to it.
        Led = "led",
        /// A noun says the deed.
        Light = "light",
        /// A verb of persuading, or `not`, is there.
        Swayed = "swayed",
        /// It is dark.
        Dark = "dark",
        + /// Who is spoken to has it.
        Theirs(FrameNamed),
        + /// Who is spoken to knows of it.
        Topic(FrameWords),
        + /// It is who is spoken to, and they have nothing to say of what the words name.
        Reticent(&'static str),
        + /// No person need answer it.
        Answered(&'static str),
        + /// Both are the same.
        Same((FrameNamed, FrameNamed)),
        + /// It leads somewhere here.
        Way(FrameWords),
        + /// A condition on what the phrases of these names mean.
        Phrases((PhraseCondition, ConstList<&'static str>)),
    }
}
