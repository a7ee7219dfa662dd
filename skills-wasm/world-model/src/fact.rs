//! What an action has done, as a sentence and as names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact of a world. `subject`, `object`, `other` and `place` are names of this world, or words of its descriptions.
pub type WorldFact = narratoria_facts::Fact<FactKind>;

/// The kinds of facts. `o` is `object`, `w` is `other`, `p` is `place`, `b` is `because`, `d` is `details`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// The player goes. o direction, p the new place, w the door, where there is one.
    Moved,
    /// A description in its author's words. o the place, thing or person; p where.
    Described,
    /// The things that lie here. p where, d their names.
    ThingsHere,
    /// The people who are here. p where, d their names.
    PeopleHere,
    /// A person is busy. s the person, d what the person is doing.
    Doing,
    /// A person comes. s the person, p where.
    Arrived,
    /// A person goes. s the person, p where from.
    Left,
    /// The dead who lie here. p where, d their names.
    DeadHere,
    /// The ways out. p where, d directions and places in pairs: `north`, `kitchen`, `up`, `loft`.
    Exits,
    /// It is too dark to see. p where.
    Dark,
    /// What is in or on a thing. o the thing, b `in` or `on`, d the names (empty: nothing).
    Contents,
    /// o the thing, w where it was (a thing or a person), p where.
    Taken,
    /// o the thing, p where.
    Dropped,
    /// o the thing, w the container.
    PutIn,
    /// o the thing, w what it lies on.
    PutOn,
    /// o the door or thing, w the key or tool. b `forced` after a check of strength.
    Opened,
    /// o the door or thing.
    Closed,
    /// o the door or thing, w the key.
    Locked,
    /// o the door or thing, w the key. b `picked` after a check.
    Unlocked,
    /// The player gives. o the thing, w the person.
    Given,
    /// A person gives the player something. s the person, o the thing. b `thanks` or `asked` or `persuaded`.
    Received,
    /// o the thing, w the person.
    Shown,
    /// A person speaks. s the person, o the topic (missing for a greeting), d the words without quotation marks.
    Said,
    /// The player speaks. o the words, w the person.
    Spoken,
    /// A person has no answer. s the person, o the topic.
    Silent,
    /// o the thing, d what is written there.
    Read,
    /// o the thing.
    Worn,
    /// o the thing.
    TakenOff,
    /// o the thing, which is gone now.
    Eaten,
    /// o the thing, which is gone now.
    Drunk,
    /// o the thing, w what lit it.
    Lit,
    /// o the thing.
    Extinguished,
    /// The player strikes. o the person or thing, w the weapon, b `success` or `failure`.
    Attacked,
    /// Somebody is hurt: s `you` or the person, w who did it.
    Hurt,
    /// A person dies. s the person, w the weapon.
    Died,
    /// A thing moves a little or does what its author wrote. o the thing, w the tool, b the verb (`push`, `use` …).
    Used,
    /// A gesture that changes nothing: o its target, b the verb (`touch`, `smell`, `listen`, `jump` …).
    Gesture,
    /// Something hidden comes to light. o the thing, w where it was, p where.
    Found,
    /// A search without result. o what was searched.
    NothingFound,
    /// Taken without leave, after a check. o the thing, w the person.
    Stolen,
    /// A person notices an attempt. s the person, o the thing or place, b the attempt's skill.
    Noticed,
    /// A person gives way. s the person, o the topic, thing or place, b the skill.
    Persuaded,
    /// A person does not give way. s the person, o the topic, thing or place, b the skill.
    Unmoved,
    /// A free attempt after a check. d the player's words, b `success` or `failure`.
    Attempted,
    /// Time passes. d how long, such as `10 minutes`.
    Waited,
    /// d the new time in words.
    Slept,
    /// What the player carries. d the names (empty: nothing).
    Carrying,
    /// What the player wears. d the names.
    Wearing,
    /// Who the player is. o the name, d the description.
    Identity,
    /// Where the player is. p the place.
    Whereabouts,
    /// Where something is that the player knows of. o the thing or person, p where, w its holder.
    KnownPlace,
    /// What the player remembers: whom they have talked to, what they were told, where they have been. d the names.
    Recalled,
    /// d the time in words.
    TimeTold,
    /// Not done. o and w the things it was about, b the reason's code.
    Refused,
    /// The sentence means nothing here. d up to three sentences that are possible now.
    NotUnderstood,
    /// The sentence means several things. d the possible ones.
    Question,
    /// A thread begins. o its name.
    ThreadOpened,
    /// A thread ends well. o its name.
    ThreadDone,
    /// The words of a campaign's author, told as they are.
    Told,
}
