//! What the words in a slot of a frame mean, and what that costs.
//!
//! A closed slot, `{held:it}`, fits if its words mean something of its [`kind`](phrase_kinds). An open one, `{?held:it}`, fits
//! whatever they mean: it looks first for what is held, and if it has no features, what does not suit costs something. What must be
//! so is checked, and then costs nothing.

use english::WordClass;
use world_model::{
    entity::NamedId,
    want::{Want, suits},
    world::{Holder, World},
};

use crate::{
    forms::frame_form::{FrameSlot, OpenKind, SlotFeature, SlotKind},
    grammar::built::{door_like, excepted},
    names::{
        nouns::{self, Meant, groups, resolve},
        people::{self, addressee},
        trades, travel,
    },
    words::{
        clause_words::is_clause,
        generic::{is_everything, is_room},
        parts::ClauseParts,
        tokens::Token,
    },
};

/// What a thing costs that does not suit the verb.
const UNSUITED: u32 = 2;

/// What a word of a description costs.
const MENTIONED: u32 = 4;

/// What it costs that several things may be meant.
const UNCLEAR: u32 = 5;

/// What it costs that nothing here is called so.
const MISSING: u32 = 8;

/// What it costs that there are no words.
const NO_WORDS: u32 = 9;

/// A slot with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SlotWords<'r> {
    pub(crate) label: &'static str,
    pub(crate) tokens: &'r [Token],
    pub(crate) meant: Meant,
    pub(crate) cost: u32,
}

/// The slots with what their words mean; nothing if one of them does not mean what it has to.
pub(crate) fn filled<'r>(
    world: &World,
    slots: &[(&'static FrameSlot, &'r [Token])],
    parts: &ClauseParts,
) -> Option<Vec<SlotWords<'r>>> {
    let mut found = Vec::with_capacity(slots.len());
    // What `all` means depends on where it is taken from, and a key on its lock.
    for place in [SlotPlace::First, SlotPlace::Between, SlotPlace::Last] {
        for (slot, tokens) in slots.iter().filter(|(slot, _)| slot.place() == place) {
            let next = slot.filled(world, tokens, parts, &found)?;
            found.push(next);
        }
    }
    Some(found)
}

/// When a slot is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotPlace {
    First,
    Between,
    Last,
}

/// The slot from which `all` is taken.
const FROM: &str = "from";

/// Where something is put: of a place or a person that a door belongs to, the door.
fn receiver(world: &World, tokens: &[Token]) -> Meant {
    let meant = resolve(world, tokens, Want::Holder);
    let is_no_thing = |id: &NamedId| !world.is_openable(*id) && !world.entity(*id).is_thing();
    match &meant {
        Meant::Entities(ids) if ids.iter().all(is_no_thing) => {
            match door_like(world, tokens, Want::Any) {
                Ok(doors @ Meant::Entities(_)) => doors,
                _ => meant,
            }
        }
        _ => meant,
    }
}

impl FrameSlot {
    /// Returns true if its words are what they must be, whatever they mean.
    pub(crate) fn may_have(&self, tokens: &[Token]) -> bool {
        self.words.iter().all(|(test, is_wanted)| test.holds(tokens) == *is_wanted)
    }

    /// Returns true if it may have no words.
    pub(crate) fn may_be_empty(&self) -> bool {
        matches!(self.kind, SlotKind::Open(_))
    }

    fn place(&self) -> SlotPlace {
        match self.kind {
            SlotKind::Open(OpenKind::KeyOf(_) | OpenKind::OwnedBy(_)) => SlotPlace::Last,
            _ if self.label == FROM => SlotPlace::First,
            _ => SlotPlace::Between,
        }
    }

    fn filled<'r>(
        &self,
        world: &World,
        tokens: &'r [Token],
        parts: &ClauseParts,
        others: &[SlotWords],
    ) -> Option<SlotWords<'r>> {
        let label = self.label;
        let kind = match self.kind {
            SlotKind::Open(kind) => kind,
            SlotKind::Closed(kind) => {
                let ids = kind.meant(world, tokens)?;
                let holds = |(feature, is_wanted): &(SlotFeature, bool)| match feature {
                    SlotFeature::Phrase(test) => test.holds(world, tokens, &ids, *is_wanted),
                    _ => false,
                };
                let is_it = self.features.iter().all(holds);
                let meant = if ids.is_empty() { Meant::Nothing } else { Meant::Entities(ids) };
                return is_it.then_some(SlotWords { label, tokens, meant, cost: 0 });
            }
        };
        let (mut meant, want) = resolved(kind, world, tokens, parts, others)?;
        if self.is_first {
            meant = match meant {
                Meant::Unclear(ids) => Meant::Entities(vec![ids[0]]),
                Meant::Nothing => return None,
                meant => meant,
            };
        }
        let holds = |(feature, is_wanted): &(SlotFeature, bool)| {
            has_feature(world, *feature, *is_wanted, tokens, &meant)
        };
        if !self.features.iter().all(holds) {
            return None;
        }
        let is_asked_for = self.is_first || !self.words.is_empty() || !self.features.is_empty();
        let cost = match &meant {
            _ if is_asked_for || kind == OpenKind::Text => 0,
            Meant::Entities(ids) if ids.iter().all(|id| suits(world, *id, want)) => 0,
            Meant::Entities(_) => UNSUITED,
            Meant::Mention(_) => MENTIONED,
            Meant::Unclear(_) => UNCLEAR,
            Meant::Missing(_) => MISSING,
            Meant::Nothing => NO_WORDS,
        };
        Some(SlotWords { label, tokens, meant, cost })
    }
}

/// What the words in an open slot mean, and what would suit.
fn resolved(
    kind: OpenKind,
    world: &World,
    tokens: &[Token],
    parts: &ClauseParts,
    others: &[SlotWords],
) -> Option<(Meant, Want)> {
    let of_other = |label: &str| match meant_by(others, label) {
        Some(Meant::Entities(ids)) => ids.first().copied(),
        _ => None,
    };
    Some(match kind {
        OpenKind::Text => (Meant::Nothing, Want::Any),
        OpenKind::Wanted(want) if is_everything(tokens) && OF_ALL.contains(&want) => {
            (everything(world, want, of_other(FROM), parts), want)
        }
        OpenKind::Wanted(want) => (resolve(world, tokens, want), want),
        OpenKind::KeyOf(label) => {
            let want = of_other(label).map_or(Want::Carried, Want::KeyOf);
            (resolve(world, tokens, want), want)
        }
        OpenKind::OwnedBy(label) => {
            let owner = of_other(label).or_else(|| world.talker().filter(|_| label == "listener"));
            let owned = owner.and_then(|owner| people::owned_by(world, owner, tokens));
            (meant_or_nothing(owned), Want::Owned)
        }
        OpenKind::Door(want) => (doors(world, tokens, want)?, want),
        OpenKind::Part(want) => {
            let Meant::Mention(word) = resolve(world, tokens, want) else { return None };
            (Meant::Entities(vec![nouns::owner_of_part(world, &word, want)?]), want)
        }
        OpenKind::Among => {
            let mut among = [parts.object.as_slice(), tokens].into_iter();
            let named = among.find_map(|it| people::present(world, it));
            (meant_or_nothing(named), Want::Person)
        }
        OpenKind::Goal => (travel::goal_meant(world, tokens), Want::Place),
        OpenKind::Knowing => {
            let asking = [WordClass::HollowAboutPerson];
            (named_beside(world, tokens, &asking, Want::Person), Want::Person)
        }
        OpenKind::Receiver => (receiver(world, tokens), Want::Holder),
        OpenKind::Someone => {
            (meant_or_nothing(people::person_somewhere(world, tokens)), Want::Person)
        }
        OpenKind::State => {
            (named_beside(world, tokens, &[WordClass::AskedState], Want::Any), Want::Any)
        }
        OpenKind::Whom => (addressee(world, tokens), Want::Person),
        OpenKind::Whose => (meant_or_nothing(people::whose(world, tokens)), Want::Person),
        OpenKind::Writing => (writing(world, tokens), Want::Readable),
    })
}

/// What a question names, without the words that only ask.
fn named_beside(world: &World, tokens: &[Token], asking: &[WordClass], want: Want) -> Meant {
    let is_asking = |token: &&Token| asking.iter().any(|class| token.is(*class));
    let named: Vec<Token> = tokens.iter().filter(|token| !is_asking(token)).cloned().collect();
    resolve(world, &named, want)
}

/// What is read. A question that names nothing, such as `what is written there`, asks about `it`.
fn writing(world: &World, tokens: &[Token]) -> Meant {
    let asking = [WordClass::HollowAboutWriting, WordClass::Written];
    let named = named_beside(world, tokens, &asking, Want::Readable);
    let is_page = |token: &Token| ["it", "line", "page", "pages", "cover"].contains(&token.word());
    let is_it = tokens.iter().any(is_page) || world.last.it.is_some();
    match named {
        Meant::Nothing if is_it => resolve(world, &[Token::of("it")], Want::Readable),
        named => named,
    }
}

fn meant_or_nothing(id: Option<NamedId>) -> Meant {
    id.map_or(Meant::Nothing, |id| Meant::Entities(vec![id]))
}

/// The kinds of open slots in which `all` means everything of that kind.
const OF_ALL: [Want; 7] = [
    Want::Takable,
    Want::Carried,
    Want::Edible,
    Want::Drinkable,
    Want::Readable,
    Want::Lit,
    Want::Unlit,
];

/// What opens: of a list, what each of its names opens.
fn doors(world: &World, tokens: &[Token], want: Want) -> Option<Meant> {
    let groups = groups(tokens);
    if groups.len() < 2 {
        return door_like(world, tokens, want).ok();
    }
    let meant: Vec<Meant> =
        groups.iter().map(|it| door_like(world, it, want)).collect::<Result<_, _>>().ok()?;
    let known = |it: &Meant| match it {
        Meant::Entities(ids) => ids.clone(),
        _ => Vec::new(),
    };
    let ids: Vec<NamedId> = meant.iter().flat_map(known).collect();
    if ids.is_empty() { meant.into_iter().next() } else { Some(Meant::Entities(ids)) }
}

/// Everything that suits, but for what the clause leaves out: `all except the lamp`.
fn everything(world: &World, want: Want, from: Option<NamedId>, parts: &ClauseParts) -> Meant {
    let but = excepted(world, parts);
    let mut ids = nouns::everything(world, want, from);
    ids.retain(|id| !but.contains(id));
    match ids.is_empty() {
        true if want == Want::Takable => Meant::Missing("anything to take".to_owned()),
        true => Meant::Missing("anything".to_owned()),
        false => Meant::Entities(ids),
    }
}

fn meant_by<'s>(slots: &'s [SlotWords], label: &str) -> Option<&'s Meant> {
    slots.iter().find(|slot| slot.label == label).map(|slot| &slot.meant)
}

/// Returns true if the words in an open slot come to this, or if `is_wanted` is false do not.
fn has_feature(
    world: &World,
    feature: SlotFeature,
    is_wanted: bool,
    tokens: &[Token],
    meant: &Meant,
) -> bool {
    let ids = match meant {
        Meant::Entities(ids) => ids.as_slice(),
        _ => &[],
    };
    let held = |is_so: fn(&Holder) -> bool| {
        !ids.is_empty() && ids.iter().all(|id| is_so(&world.holders[id.0]))
    };
    let missing = |is_so: fn(&str) -> bool| matches!(meant, Meant::Missing(words) if is_so(words));
    let is_so = match feature {
        SlotFeature::Known => !ids.is_empty(),
        SlotFeature::One => ids.len() == 1,
        SlotFeature::Mention => matches!(meant, Meant::Mention(_)),
        SlotFeature::Missing => matches!(meant, Meant::Missing(_)),
        SlotFeature::Unnamed => matches!(meant, Meant::Mention(_) | Meant::Missing(_)),
        SlotFeature::Unclear => matches!(meant, Meant::Unclear(_)),
        SlotFeature::Nothing => *meant == Meant::Nothing,
        SlotFeature::All => is_everything(tokens),
        SlotFeature::Whole => nouns::is_wholly_named(world, tokens, Want::Any),
        SlotFeature::Clause => is_clause(world, tokens),
        SlotFeature::Room => is_room(tokens),
        SlotFeature::Away => {
            ids.iter().any(|id| world.thing(*id).is_some() && !world.is_present(*id))
        }
        SlotFeature::Spoken => world.spoken_of().is_some_and(|last| ids.contains(&last)),
        SlotFeature::Inside => held(|holder| matches!(holder, Holder::In(_))),
        SlotFeature::Atop => held(|holder| matches!(holder, Holder::On(_))),
        SlotFeature::Anybody => missing(trades::may_be_anybody),
        SlotFeature::Trade => missing(trades::names_a_trade),
        // Of what is not known no feature is so.
        SlotFeature::Phrase(_) if ids.is_empty() => false,
        SlotFeature::Phrase(test) => return test.holds(world, tokens, ids, is_wanted),
    };
    is_so == is_wanted
}
