//! What a phrase of a pattern may mean, by what the world says of it: its kind, and features behind dots.
//!
//! `{held.lit:lamp}` is a lit thing that the player has. Features are the names of kinds that a [`Want`] has (`worn`, `open`,
//! `edible` …), those of [`feature`], and tests of the words: `$@body` ends with a word of this class, `^a|an` begins with one of
//! these words, or with a phrase of a class, `~not` has one, `=@hollow` has no others, or is a phrase of a class; `carried` may mean what
//! the player has, `a-thing` means a thing, `called` has all words in its name, `full` has no more than these words in it. `!` turns a feature
//! round.

use english::WordClass;
use world_model::{
    company,
    definition::ThingDefinition,
    entity::{NamedId, NamedKind},
    want::{Want, suits},
    words,
    world::{Holder, World},
};

use crate::{
    described::leading_phrase,
    leads::strip,
    nouns::{
        Meant, carried, entities, first_meant, in_sight, is_wearable, owner_of_part, resolve,
        suited,
    },
    people::{person, person_away},
    plain_clause::name_tokens,
    spans::{nameable, spans},
    tokens::{Token, ends_sentence, is_any, is_hollow, is_hollow_word, is_mark, word_at},
    word_tests::is_known,
};

/// A phrase of a clause that means what its pattern asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MeantPhrase<'r> {
    /// What the plain clause calls it.
    pub(super) label: &'r str,
    /// Its words in the plain clause: people by their names, all else in the player's own words.
    pub(super) plain: Vec<Token>,
    /// What it names, if it is not only words.
    pub(super) ids: Vec<NamedId>,
}

/// The phrase, if it is of this kind and has these features: `held.lit`.
pub(super) fn meant<'r>(
    world: &World,
    kind: &str,
    label: &'r str,
    phrase: &[Token],
) -> Option<MeantPhrase<'r>> {
    let mut parts = kind.split('.');
    let kind = Kind::called(parts.next()?)?;
    let ids = kind.meant(world, phrase)?;
    if !parts.all(|feature| has_feature(world, feature, phrase, &ids)) {
        return None;
    }
    let plain = if kind.is_of_person() || [Kind::Part, Kind::Detail].contains(&kind) {
        name_tokens(world, *ids.first()?).collect()
    } else {
        phrase.to_vec()
    };
    Some(MeantPhrase { label, plain, ids })
}

/// Returns false where the words alone show that they are no phrase of this kind with these features.
pub(super) fn may_mean(world: &World, kind: &str, phrase: &[Token]) -> bool {
    let (name, features) = kind.split_once('.').unwrap_or((kind, ""));
    let is_of_words = |it: &&str| it.trim_start_matches('!').starts_with(WORD_TEST_MARKS);
    let mut tests = features.split('.').filter(is_of_words);
    tests.all(|it| has_feature(world, it, phrase, &[]))
        && (!["deed", "hero", "name"].contains(&name) || meant(world, kind, "", phrase).is_some())
}

/// The test that a phrase of a pattern must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Words without a mark.
    Text,
    /// Words without a mark and without `I`, `we` or `you`.
    Topic,
    /// Words without a mark, or none.
    Rest,
    /// Words and commas within a sentence.
    Piece,
    /// The same, from a verb on, or from what leads to it.
    Deed,
    /// Words that begin with a name, or with an article and a name behind no verb: what the first name means.
    Name,
    /// Who tells of the player: `she`, their name, `young Marsh`, `the new gardener`.
    Hero,
    /// Words that name no entity.
    Unnamed,
    /// Something out of sight that no description mentions.
    Unseen,
    /// Entities anywhere in the world.
    Named,
    /// Entities that the player sees.
    Seen,
    /// Something in sight or in a description, except a place.
    View,
    /// Something in sight or in a description, except people, parts of a body and pockets.
    Spot,
    /// Things that the player has.
    Held,
    /// Things that the player can take.
    Free,
    /// Things that the player has or can take.
    Movable,
    /// A weapon that the player has.
    Weapon,
    /// A thing in sight that reacts to some action.
    Working,
    /// Things to wear, worn already or not.
    Garment,
    /// A place where the player is not.
    Goal,
    /// A person.
    Person,
    /// A person who is here.
    Present,
    /// A person who is here, by a name, `his`, `her`, `they` or `your`.
    Whom,
    /// Somebody who is elsewhere.
    Away,
    /// Things, those first that can be taken.
    Thing,
    /// Things in sight, those first that the player has.
    Tool,
    /// A part of a thing of which only its description speaks, which stands for the thing.
    Detail,
    /// Words that name nothing to read.
    Unread,
    /// Words of a part of a thing that the player has, which is shown with it.
    Part,
    /// Entities that suit this want.
    Suited(Want),
}

impl Kind {
    /// The kinds by the names that patterns have for them, beside those of [`WANTS`].
    const NAMED: &[(&str, Kind)] = &[
        ("text", Kind::Text),
        ("topic", Kind::Topic),
        ("rest", Kind::Rest),
        ("piece", Kind::Piece),
        ("tail", Kind::Piece),
        ("hero", Kind::Hero),
        ("deed", Kind::Deed),
        ("name", Kind::Name),
        ("unnamed", Kind::Unnamed),
        ("unseen", Kind::Unseen),
        ("named", Kind::Named),
        ("seen", Kind::Seen),
        ("view", Kind::View),
        ("spot", Kind::Spot),
        ("held", Kind::Held),
        ("free", Kind::Free),
        ("movable", Kind::Movable),
        ("weapon", Kind::Weapon),
        ("working", Kind::Working),
        ("garment", Kind::Garment),
        ("goal", Kind::Goal),
        ("person", Kind::Person),
        ("present", Kind::Present),
        ("whom", Kind::Whom),
        ("away", Kind::Away),
        ("thing", Kind::Thing),
        ("tool", Kind::Tool),
        ("detail", Kind::Detail),
        ("unread", Kind::Unread),
        ("part", Kind::Part),
    ];

    /// The kind that a pattern calls so.
    pub(super) fn called(name: &str) -> Option<Kind> {
        let named = Kind::NAMED.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        named.or_else(|| suited_called(name).map(Kind::Suited))
    }

    /// The names of all kinds.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        let wants = WANTS.iter().map(|(name, _)| *name);
        Kind::NAMED.iter().map(|(name, _)| *name).chain(wants)
    }

    /// Whether it is only words, which have no features of things.
    pub(super) fn is_only_words(self) -> bool {
        use Kind::{Deed, Garment, Hero, Piece, Rest, Text, Topic, Unnamed, Unread, Unseen};
        [Text, Topic, Rest, Piece, Deed, Hero, Unnamed, Unseen, Unread, Garment].contains(&self)
    }

    /// Whether it is a person, whom the plain clause calls by name.
    pub(super) fn is_of_person(self) -> bool {
        matches!(self, Kind::Person | Kind::Present | Kind::Whom | Kind::Away)
    }

    /// What a phrase of this kind names: nothing where it is only words.
    fn meant(self, world: &World, phrase: &[Token]) -> Option<Vec<NamedId>> {
        let words = |fits: bool| fits.then(Vec::new);
        let one = |id: Option<NamedId>| id.map(|id| vec![id]);
        let all = |want, fits: &dyn Fn(NamedId) -> bool| {
            entities(world, phrase, want).filter(|ids| ids.iter().all(|id| fits(*id)))
        };
        let is_free = |id| suits(world, id, Want::Takable) && !world.is_with_player(id);
        match self {
            Kind::Text | Kind::Rest => words(!phrase.iter().any(is_mark)),
            Kind::Topic => {
                words(!phrase.iter().any(|it| is_mark(it) || is_any(it, &["i", "we", "you"])))
            }
            Kind::Piece => words(!phrase.iter().any(ends_sentence)),
            Kind::Deed => words(!phrase.iter().any(ends_sentence) && begins_deed(phrase)),
            Kind::Name => first_named(world, phrase),
            Kind::Hero => words(is_hero(world, phrase)),
            Kind::Unnamed => words(matches!(
                resolve(world, phrase, Want::Any),
                Meant::Mention(_) | Meant::Missing(_)
            )),
            Kind::Unseen => words(viewed(world, phrase, |_| true).is_none()),
            Kind::Unread => {
                let read = first_meant(world, phrase, Want::Readable);
                words(!read.is_some_and(|id| suits(world, id, Want::Readable)))
            }
            Kind::Named => all(Want::Any, &|_| true),
            Kind::Thing => all(Want::Takable, &|id| world.entity(id).is_thing()),
            Kind::Tool => {
                all(Want::Carried, &|id| world.entity(id).is_thing() && world.is_seen(id))
            }
            Kind::Detail => match resolve(world, phrase, Want::Any) {
                Meant::Mention(part) => one(owner_of_part(world, &part, Want::Any)),
                _ => None,
            },
            Kind::Seen => in_sight(world, phrase),
            Kind::View => viewed(world, phrase, |id| !world.is_place(id)),
            Kind::Spot => {
                let is_part = |last: &Token| {
                    last.is(WordClass::Body) && !is_named(world, last)
                        || last.word().starts_with("pocket")
                };
                let is_part = phrase.last().is_some_and(is_part);
                viewed(world, phrase, |id| !world.entity(id).is_person()).filter(|_| !is_part)
            }
            Kind::Held => carried(world, phrase),
            Kind::Free => all(Want::Takable, &is_free),
            Kind::Movable => all(Want::Takable, &|id| is_free(id) || world.is_with_player(id)),
            Kind::Weapon => {
                all(Want::Carried, &|id| world.is_with_player(id) && is_armed(world, id))
            }
            Kind::Working => all(Want::Any, &|id| world.is_seen(id) && reacts(world, id)),
            Kind::Garment => words(is_wearable(world, phrase)),
            Kind::Goal => all(Want::Place, &|id| world.is_place(id) && id != world.here),
            Kind::Person => one(person(world, phrase)),
            Kind::Present => one(person(world, phrase)).filter(|ids| world.is_present(ids[0])),
            Kind::Whom => one(whom(world, phrase)).filter(|ids| world.is_present(ids[0])),
            Kind::Away => one(person_away(world, phrase)),
            Kind::Part => one(whole_of(world, phrase)),
            Kind::Suited(want) => suited(world, phrase, want),
        }
    }
}

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

/// The want of this name: that of a kind, or one that only an open slot of a frame has.
pub(super) fn want_called(name: &str) -> Option<Want> {
    suited_called(name).or(match name {
        "any" => Some(Want::Any),
        "held" => Some(Want::Carried),
        "person" => Some(Want::Person),
        "place" => Some(Want::Place),
        _ => None,
    })
}

fn suited_called(name: &str) -> Option<Want> {
    WANTS.iter().find(|(known, _)| *known == name).map(|(_, want)| *want)
}

/// The features of the words themselves, beside the tests that begin with a mark of [`WORD_TEST_MARKS`].
const WORD_FEATURES: &[&str] = &["carried", "a-thing", "called", "full"];

/// What a test of the words of a phrase begins with.
pub(super) const WORD_TEST_MARKS: [char; 4] = ['$', '^', '~', '='];

/// The names of all features.
pub(super) fn features() -> impl Iterator<Item = &'static str> {
    entity_features().chain(WORD_FEATURES.iter().copied())
}

/// The names of the features of what a phrase names.
pub(super) fn entity_features() -> impl Iterator<Item = &'static str> {
    let wants = WANTS.iter().map(|(name, _)| *name);
    FEATURES.iter().map(|(name, _)| *name).chain(wants)
}

/// Returns true if a phrase and all that it names have this feature.
pub(super) fn has_feature(world: &World, name: &str, phrase: &[Token], ids: &[NamedId]) -> bool {
    let (name, wanted) = match name.strip_prefix('!') {
        Some(name) => (name, false),
        None => (name, true),
    };
    let is_one = |token: &Token| name[1..].split('|').any(|known| is_known(known, token, false));
    match name.as_bytes().first() {
        Some(b'$') => phrase.last().is_some_and(is_one) == wanted,
        Some(b'^') => {
            (phrase.first().is_some_and(is_one) || begins(&name[1..], phrase) > 0) == wanted
        }
        Some(b'~') => phrase.iter().any(is_one) == wanted,
        Some(b'=') => {
            (phrase.iter().all(is_one) || begins(&name[1..], phrase) == phrase.len()) == wanted
        }
        _ if name == "carried" => is_carried(world, phrase) == wanted,
        _ if name == "called" => ids.iter().all(|id| is_called(world, *id, phrase)) == wanted,
        _ if name == "full" => ids.iter().all(|id| is_full(world, *id, phrase)) == wanted,
        _ if name == "a-thing" => {
            let first = first_meant(world, phrase, Want::Any);
            first.is_some_and(|id| world.entity(id).is_thing()) == wanted
        }
        _ => ids.iter().all(|id| feature(world, name, *id) == Some(wanted)),
    }
}

/// How many words the longest phrase of one of these classes has that begins the words: `@reply|@short-question`.
fn begins(classes: &str, phrase: &[Token]) -> usize {
    let classes = classes.split('|').filter_map(|it| WordClass::named(it.strip_prefix('@')?));
    let word_at = |at: usize| phrase.get(at).map(Token::word);
    classes.filter_map(|class| class.start(word_at)).max().unwrap_or(0)
}

/// Returns true if all words that say something are in the name.
fn is_called(world: &World, id: NamedId, phrase: &[Token]) -> bool {
    phrase.iter().filter(|it| !is_hollow(it)).all(|it| world.has_name_with(id, it.word()))
}

/// Returns true if the words are at least as many as those of the name: `lamp` is no `lamp room`.
fn is_full(world: &World, id: NamedId, phrase: &[Token]) -> bool {
    let said = phrase.iter().filter(|it| !is_hollow(it)).count();
    said >= world.name(id).split_whitespace().filter(|it| !words::is_hollow(it)).count()
}

/// Returns true if the player has something that the words may mean.
fn is_carried(world: &World, phrase: &[Token]) -> bool {
    match resolve(world, phrase, Want::Carried) {
        Meant::Entities(ids) | Meant::Unclear(ids) => {
            ids.iter().any(|id| world.is_with_player(*id))
        }
        _ => false,
    }
}

/// Whether an entity has the feature of this name; nothing for no feature.
pub(super) fn feature(world: &World, name: &str, id: NamedId) -> Option<bool> {
    if let Some(want) = suited_called(name) {
        return Some(suits(world, id, want));
    }
    FEATURES.iter().find(|(known, _)| *known == name).map(|(_, is_it)| is_it(world, id))
}

/// A test of an entity.
type EntityTest = fn(&World, NamedId) -> bool;

/// The features of entities by their names, beside those of [`WANTS`].
const FEATURES: &[(&str, EntityTest)] = &[
    ("seen", |world, id| world.is_seen(id)),
    ("held", |world, id| world.is_with_player(id)),
    ("free", |world, id| suits(world, id, Want::Takable) && !world.is_with_player(id)),
    ("movable", |world, id| suits(world, id, Want::Takable) || world.is_with_player(id)),
    ("here", |world, id| id == world.here),
    ("door", |world, id| world.is_door(id)),
    ("place", |world, id| world.is_place(id)),
    ("person", |world, id| world.entity(id).is_person()),
    ("creature", |world, id| world.is_creature(id)),
    ("thing", |world, id| world.entity(id).is_thing()),
    ("scenery", |world, id| matches!(world.entity(id).kind, NamedKind::Scenery(..))),
    ("fixed", |world, id| world.thing(id).is_some_and(|thing| thing.fixed)),
    ("openable", |world, id| world.is_openable(id)),
    ("container", |world, id| world.container(id).is_some()),
    ("laden", |world, id| {
        [Holder::On(id), Holder::In(id)].iter().any(|it| !world.held_by(*it).is_empty())
    }),
    ("lockable", |world, id| world.key_of(id).is_some() && !world.conditions[id.0].locked),
    ("light", |world, id| suits(world, id, Want::Lit) || suits(world, id, Want::Unlit)),
    ("reacting", reacts),
    ("igniting", ignites),
    ("used", |world, id| world.thing(id).is_some_and(|thing| thing.reacts_to("use"))),
    ("usable", |world, id| {
        world.thing(id).is_some_and(|thing| thing.fixed || thing.reacts_to("use"))
    }),
    ("plain", is_plain),
    ("hiding", hides),
    ("useful", |world, id| reacts(world, id) || serves(world, id)),
];

/// It lights something or is the key of something.
fn serves(world: &World, id: NamedId) -> bool {
    let name = Some(world.name(id));
    let is_needed = |other: NamedId| {
        let light = world.thing(other).and_then(|thing| thing.light.as_ref());
        light.is_some_and(|light| light.needs.as_deref() == name) || world.key_of(other) == Some(id)
    };
    world.existing().any(is_needed)
}

/// A search of it brings something to light.
fn hides(world: &World, id: NamedId) -> bool {
    let is_under = |other: &ThingDefinition| other.hidden.as_deref() == Some(world.name(id));
    world.definition.things.iter().any(is_under)
}

/// It is struck or flicked, or something here is lit with it.
fn ignites(world: &World, id: NamedId) -> bool {
    let lights = |other: NamedId| {
        let light = world.thing(other).and_then(|thing| thing.light.as_ref());
        light.and_then(|light| light.needs.as_deref()) == Some(world.name(id))
    };
    reacts(world, id) || world.seen().any(lights)
}

/// Nothing happens with it, and nothing may lie under it.
fn is_plain(world: &World, id: NamedId) -> bool {
    world.thing(id).is_some_and(|thing| thing.reactions.is_empty()) && !hides(world, id)
}

fn reacts(world: &World, id: NamedId) -> bool {
    world.thing(id).is_some_and(|thing| !thing.reactions.is_empty())
}

/// Returns true if a verb stands at the beginning, or behind what leads to it: `I wanted to eat the pie`.
fn begins_deed(phrase: &[Token]) -> bool {
    let verb = strip(phrase).iter().find(|token| !token.is(WordClass::BeforeMeantDeed));
    verb.is_some_and(|verb| english::is_verb_form(verb.word()))
}

/// Returns true if the words tell of the player. A name that somebody or something here has is theirs.
fn is_hero(world: &World, phrase: &[Token]) -> bool {
    let player = &world.definition.player;
    let (name, role) = (words::split(&player.name), leading_phrase(&player.description).pop());
    let is_name = |token: &Token| name.iter().any(|known| known == token.word());
    let is_new = |token: &Token| !world.seen().any(|id| world.has_name_with(id, token.word()));
    let is_role = |token: &Token| {
        token.is(WordClass::Hero) || role.as_deref().is_some_and(|role| role == token.word())
    };
    match phrase {
        [who] if who.is(WordClass::ThirdPerson) => true,
        [the, new @ .., who] if is_any(the, &["the", "our"]) && is_role(who) => {
            new.len() < 2 && new.iter().all(is_new) && is_new(who)
        }
        [first, name @ ..] if first.is(WordClass::Epithet) => {
            !name.is_empty() && name.iter().all(is_name)
        }
        name => name.iter().all(is_name),
    }
}

/// What the first name among the words means: `the box of matches from the caddy`.
fn first_named(world: &World, phrase: &[Token]) -> Option<Vec<NamedId>> {
    let article = usize::from(is_hollow_word(phrase.first()?));
    let noun = &phrase[article..];
    let words: Vec<&str> = noun.iter().map(Token::word).collect();
    let first = spans(world, &words, &nameable(world)).into_iter().next()?;
    let has_verb = || words.iter().any(|word| english::is_verb(word));
    (first.start == 0 || article > 0 && !has_verb()).then_some(first.ids)
}

/// What the player sees or a description mentions, if all that is named fits.
fn viewed(world: &World, phrase: &[Token], fits: impl Fn(NamedId) -> bool) -> Option<Vec<NamedId>> {
    match resolve(world, phrase, Want::Any) {
        Meant::Entities(ids) => {
            let is_it = |id: &NamedId| world.is_seen(*id) && fits(*id);
            ids.iter().all(is_it).then_some(ids)
        }
        Meant::Mention(_) => Some(Vec::new()),
        _ => None,
    }
}

/// The thing that the player has whose description has one of the words: the anklet of the bells.
fn whole_of(world: &World, phrase: &[Token]) -> Option<NamedId> {
    let is_part = |id: &NamedId| {
        let looks = words::split(world.description(*id));
        phrase.iter().any(|token| !is_hollow(token) && looks.iter().any(|it| it == token.word()))
    };
    world.thing_ids().filter(|id| world.is_with_player(*id)).find(is_part)
}

/// Returns true if something here has the word in its name, or something that is shut up here is called by it: the cap in the
/// closed chest is no cap of the chest.
pub(super) fn is_named(world: &World, token: &Token) -> bool {
    let word = token.word();
    let is_called = |id: NamedId| {
        world.has_name_with(id, word)
            && world.names(id).iter().any(|name| name.last().is_some_and(|head| head == word))
    };
    world.seen().any(|id| world.has_name_with(id, word))
        || world.thing_ids().any(|id| is_called(id) && world.is_shut_up_here(id))
}

fn is_armed(world: &World, id: NamedId) -> bool {
    let is_weapon = |name: &Vec<String>| name.last().is_some_and(|it| company::is_weapon(it));
    world.names(id).iter().any(is_weapon)
}

/// The person whose hand, nose or eyes a phrase speaks of: `Anna`, `her big rough`, `your`. `No way he` is nobody.
fn whom(world: &World, phrase: &[Token]) -> Option<NamedId> {
    match word_at(phrase, 0) {
        "no" | "not" | "never" | "nobody" => None,
        "his" | "he" | "him" => person(world, &[Token::of("him")]),
        "her" | "she" => person(world, &[Token::of("her")]),
        "their" | "they" | "them" => person(world, &[Token::of("them")]),
        "your" | "you" => world.partner(),
        _ => person(world, phrase),
    }
}
