//! What the words in a slot of a frame mean, and what that costs.
//!
//! `{held:it}` asks for a [`kind`](phrase_kinds) and its features, as in the rows of `wordings`. `{?held:it}` takes whatever the words
//! mean, of several the one that is held: what suits costs nothing, all else costs something. Behind a dot may stand what the words
//! must come to, and then they cost nothing: `known`, `one`, `mention`, `missing`, `unnamed` (one of the latter two), `unclear`, `nothing`, `all`; a feature of
//! things, which holds only for what is known; a test of the words; `whole`, if all words are of one name; `clause`, if they are one with a
//! subject. `!` turns it round. `first` takes the first of several that may be meant, and asks for words.
//!
//! Beside kinds there are `whom` and `among`: who is spoken to; a person who is here and is named somewhere among the words; `goal`, where
//! the words lead; `someone`, a person and perhaps where; `whose`, whose hand, nose or eyes they name; `text`, any words or none;
//! `owned-by-who`, what the person in the slot `who` has and the last words name; `owned-by-listener`.

use english::WordClass;
use world_model::{
    entity::NamedId,
    want::{Want, suits},
    world::{Holder, World},
};

use crate::{
    built::{door_like, excepted},
    clause_words::is_clause,
    generic::is_everything,
    nouns::{self, Meant, groups, resolve},
    parts::ClauseParts,
    people::{self, addressee},
    phrase_kinds::{self, WORD_TEST_MARKS, want_called},
    tokens::Token,
    trades, travel,
};

/// What it costs that a thing does not suit the verb, that the words are of a description, that they may mean several things, that
/// nothing here is called so, that there are no words.
const UNSUITED: u32 = 2;
const MENTIONED: u32 = 4;
const UNCLEAR: u32 = 5;
const MISSING: u32 = 8;
const NO_WORDS: u32 = 9;

/// A slot of a frame, as its row writes it: `{?held.!lit:it}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameSlot<'r> {
    /// What the meaning calls it.
    pub(super) label: &'r str,
    /// The kind, or what is looked for first.
    kind: &'r str,
    /// The features, with dots between them.
    features: &'r str,
    /// Whether it takes whatever the words mean.
    is_open: bool,
}

impl<'r> FrameSlot<'r> {
    pub(super) fn of(part: &'r str) -> FrameSlot<'r> {
        let inner = part.trim_start_matches('{').trim_end_matches('}');
        let (inner, is_open) = match inner.strip_prefix('?') {
            Some(inner) => (inner, true),
            None => (inner, false),
        };
        let (test, label) = match inner.rsplit_once(':') {
            Some((test, label)) => (test, label),
            None => (inner, inner.split('.').next().unwrap_or(inner)),
        };
        let (kind, features) = test.split_once('.').unwrap_or((test, ""));
        FrameSlot { label, kind, features, is_open }
    }

    /// The slot of the next word that a pattern keeps.
    pub(super) fn word(count: &mut usize) -> FrameSlot<'r> {
        let label = WORD_LABELS.get(*count).copied().unwrap_or_default();
        *count += 1;
        FrameSlot { label, kind: TEXT, features: "", is_open: true }
    }

    /// Returns true if it may have no words.
    pub(super) fn may_be_empty(&self) -> bool {
        self.is_open
    }
}

/// A slot with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SlotWords<'r> {
    pub(super) label: &'r str,
    pub(super) tokens: &'r [Token],
    pub(super) meant: Meant,
    pub(super) cost: u32,
}

impl<'r> SlotWords<'r> {
    /// The slots with what their words mean; nothing if one of them does not mean what it has to.
    pub(super) fn all(
        world: &World,
        slots: &[(FrameSlot<'r>, &'r [Token])],
        parts: &ClauseParts,
    ) -> Option<Vec<SlotWords<'r>>> {
        let mut found: Vec<SlotWords<'r>> = Vec::with_capacity(slots.len());
        // What a `key-of-lock` is depends on the lock, what `all` is on where it comes from.
        let mut slots = slots.to_vec();
        let is_late =
            |slot: &FrameSlot| [KEY_OF, OWNED_BY].iter().any(|of| slot.kind.starts_with(of));
        slots.sort_by_key(|(slot, _)| (slot.label != FROM, is_late(slot)));
        for (slot, tokens) in slots {
            let next = slot.filled(world, tokens, parts, &found)?;
            found.push(next);
        }
        Some(found)
    }
}

/// What a slot is called from which `all` is taken.
const FROM: &str = "from";

/// The key of what another slot names: `{?key-of-lock:key}`.
const KEY_OF: &str = "key-of-";

/// What the person in another slot has: `{?owned-by-who:it}`.
const OWNED_BY: &str = "owned-by-";

/// Of several things that may be meant the first; never nothing.
const FIRST: &str = "first";

/// Words that need mean nothing.
const TEXT: &str = "text";

/// What slots of words are called that a pattern keeps.
const WORD_LABELS: [&str; 3] = ["1", "2", "3"];

/// What opens, the door of a place and the part of a door too: `{?door-locked:it}`.
const DOOR: &str = "door-";

/// The only thing of which only its description has the words: `{?part-any:it}`.
const PART: &str = "part-";

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

impl<'r> FrameSlot<'r> {
    fn filled(
        &self,
        world: &World,
        tokens: &'r [Token],
        parts: &ClauseParts,
        others: &[SlotWords<'r>],
    ) -> Option<SlotWords<'r>> {
        let label = self.label;
        if !self.is_open {
            let test = match self.features {
                "" => self.kind.to_owned(),
                features => format!("{}.{features}", self.kind),
            };
            let phrase = phrase_kinds::meant(world, &test, label, tokens)?;
            let meant = match phrase.ids.as_slice() {
                [] => Meant::Nothing,
                ids => Meant::Entities(ids.to_vec()),
            };
            return Some(SlotWords { label, tokens, meant, cost: 0 });
        }
        // The words are looked at before what they mean is looked for.
        let is_test = |it: &&str| it.trim_start_matches('!').starts_with(WORD_TEST_MARKS);
        let features = || self.features.split('.').filter(|it| !it.is_empty());
        let mut tests = features().filter(is_test);
        if !tests.all(|test| phrase_kinds::has_feature(world, test, tokens, &[])) {
            return None;
        }
        let (mut meant, want) = self.resolved(world, tokens, parts, others)?;
        if features().any(|feature| feature == FIRST) {
            meant = match meant {
                Meant::Unclear(ids) => Meant::Entities(vec![ids[0]]),
                Meant::Nothing => return None,
                meant => meant,
            };
        }
        let mut others = features().filter(|it| !is_test(it) && *it != FIRST);
        if !others.all(|feature| has_feature(world, feature, tokens, &meant)) {
            return None;
        }
        // What a row asks for costs nothing.
        let cost = match &meant {
            _ if !self.features.is_empty() || self.kind == TEXT => 0,
            Meant::Entities(ids) if ids.iter().all(|id| suits(world, *id, want)) => 0,
            Meant::Entities(_) => UNSUITED,
            Meant::Mention(_) => MENTIONED,
            Meant::Unclear(_) => UNCLEAR,
            Meant::Missing(_) => MISSING,
            Meant::Nothing => NO_WORDS,
        };
        Some(SlotWords { label, tokens, meant, cost })
    }

    /// What the words mean, and what would suit.
    fn resolved(
        &self,
        world: &World,
        tokens: &[Token],
        parts: &ClauseParts,
        others: &[SlotWords],
    ) -> Option<(Meant, Want)> {
        if let Some(label) = self.kind.strip_prefix(KEY_OF) {
            let want = match meant_by(others, label) {
                Some(Meant::Entities(ids)) => Want::KeyOf(ids[0]),
                _ => Want::Carried,
            };
            return Some((resolve(world, tokens, want), want));
        }
        if let Some(label) = self.kind.strip_prefix(OWNED_BY) {
            let owner = match meant_by(others, label) {
                Some(Meant::Entities(ids)) => Some(ids[0]),
                _ => world.talker().filter(|_| label == "listener"),
            };
            let owned = owner.and_then(|owner| people::owned_by(world, owner, tokens));
            return Some((meant_or_nothing(owned), Want::Owned));
        }
        if let Some(name) = self.kind.strip_prefix(DOOR) {
            let want = want_called(name)?;
            return Some((doors(world, tokens, want)?, want));
        }
        if let Some(name) = self.kind.strip_prefix(PART) {
            let want = want_called(name)?;
            let Meant::Mention(word) = resolve(world, tokens, want) else { return None };
            let owner = nouns::owner_of_part(world, &word, want)?;
            return Some((Meant::Entities(vec![owner]), want));
        }
        if let Some(found) = self.resolved_by_name(world, tokens, parts) {
            return Some(found);
        }
        let want = want_called(self.kind)?;
        if is_everything(tokens) && OF_ALL.contains(&want) {
            let from = match meant_by(others, FROM) {
                Some(Meant::Entities(ids)) => ids.first().copied(),
                _ => None,
            };
            return Some((everything(world, want, from, parts), want));
        }
        Some((resolve(world, tokens, want), want))
    }

    /// What the words mean for a kind that has a rule of its own.
    fn resolved_by_name(
        &self,
        world: &World,
        tokens: &[Token],
        parts: &ClauseParts,
    ) -> Option<(Meant, Want)> {
        Some(match self.kind {
            TEXT => (Meant::Nothing, Want::Any),
            "among" => {
                let mut among = [parts.object.as_slice(), tokens].into_iter();
                let named = among.find_map(|it| people::present(world, it));
                (meant_or_nothing(named), Want::Person)
            }
            // Where the words lead: of several places not the one where the player is.
            "goal" => (travel::goal_meant(world, tokens), Want::Place),
            "knowing" => {
                let asking = [WordClass::HollowAboutPerson];
                (named_beside(world, tokens, &asking, Want::Person), Want::Person)
            }
            "receiver" => (receiver(world, tokens), Want::Holder),
            // Somebody, and perhaps where: `the driver on the car deck`.
            "someone" => (meant_or_nothing(people::person_somewhere(world, tokens)), Want::Person),
            "state" => {
                let asking = [WordClass::AskedState];
                (named_beside(world, tokens, &asking, Want::Any), Want::Any)
            }
            // Who is spoken to: by a name, by what they do, or the one who is here.
            "whom" => (addressee(world, tokens), Want::Person),
            // Whose hand, nose or eyes the words name.
            "whose" => (meant_or_nothing(people::whose(world, tokens)), Want::Person),
            "writing" => (writing(world, tokens), Want::Readable),
            _ => return None,
        })
    }
}

/// What a question names beside the words that ask.
fn named_beside(world: &World, tokens: &[Token], asking: &[WordClass], want: Want) -> Meant {
    let is_asking = |token: &&Token| asking.iter().any(|class| token.is(*class));
    let named: Vec<Token> = tokens.iter().filter(|token| !is_asking(token)).cloned().collect();
    resolve(world, &named, want)
}

/// What is read: `it`, if the question about what is written names nothing.
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

/// What `all` means all of, in a slot that looks for it first.
const OF_ALL: [Want; 7] = [
    Want::Takable,
    Want::Carried,
    Want::Edible,
    Want::Drinkable,
    Want::Readable,
    Want::Lit,
    Want::Unlit,
];

/// What opens, of each name in a list.
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

/// All that suits, without what the clause leaves out.
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

fn has_feature(world: &World, feature: &str, tokens: &[Token], meant: &Meant) -> bool {
    let (name, is_wanted) = match feature.strip_prefix('!') {
        Some(name) => (name, false),
        None => (feature, true),
    };
    let is_it = match (name, meant) {
        ("known", it) => matches!(it, Meant::Entities(_)),
        ("one", it) => matches!(it, Meant::Entities(ids) if ids.len() == 1),
        ("mention", it) => matches!(it, Meant::Mention(_)),
        ("missing", it) => matches!(it, Meant::Missing(_)),
        ("unnamed", it) => matches!(it, Meant::Mention(_) | Meant::Missing(_)),
        ("unclear", it) => matches!(it, Meant::Unclear(_)),
        ("nothing", it) => matches!(it, Meant::Nothing),
        ("all", _) => is_everything(tokens),
        ("whole", _) => nouns::is_wholly_named(world, tokens, Want::Any),
        ("clause", _) => is_clause(world, tokens),
        ("room", _) => crate::generic::is_room(tokens),
        ("away", Meant::Entities(ids)) => {
            ids.iter().any(|id| world.thing(*id).is_some() && !world.is_present(*id))
        }
        ("away", _) => false,
        ("spoken", Meant::Entities(ids)) => {
            world.spoken_of().is_some_and(|last| ids.contains(&last))
        }
        ("spoken", _) => false,
        ("inside", Meant::Entities(ids)) => {
            ids.iter().all(|id| matches!(world.holders[id.0], Holder::In(_)))
        }
        ("atop", Meant::Entities(ids)) => {
            ids.iter().all(|id| matches!(world.holders[id.0], Holder::On(_)))
        }
        ("inside" | "atop", _) => false,
        ("anybody", Meant::Missing(words)) => trades::may_be_anybody(words),
        ("anybody", _) => false,
        ("trade", Meant::Missing(words)) => trades::names_a_trade(words),
        ("trade", _) => false,
        // A feature of things holds for what is known alone.
        (_, Meant::Entities(ids)) => return phrase_kinds::has_feature(world, feature, tokens, ids),
        _ => false,
    };
    is_it == is_wanted
}
