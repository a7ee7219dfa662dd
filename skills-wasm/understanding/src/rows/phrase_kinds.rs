//! What a phrase of a pattern may mean, by what the world says of it: its kind, and features behind dots.
//!
//! `{held.lit:lamp}` is a lit thing that the player has. Features are the names of kinds that a [`Want`] has (`worn`, `open`,
//! `edible` …), those of [`Feature`], and tests of the words: `$@body` ends with a word of this class, `^a|an` begins with one of
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
    world::World,
};

use crate::{
    forms::{
        frame_form::{AllOf, AnyWord, PhraseWords},
        row_form::{Feature, Kind, PhraseTest, WORD_TEST_MARKS, WordTest},
    },
    names::{
        described::leading_phrase,
        hiding,
        nouns::{
            Meant, carried, entities, first_meant, in_sight, is_wearable, owner_of_part, resolve,
            suited,
        },
        people::{person, person_away},
        spans::{nameable, spans},
    },
    words::{
        leads::strip,
        plain_clause::name_tokens,
        tokens::{Token, ends_sentence, is_any, is_hollow, is_hollow_word, is_mark, word_at},
        word_tests::{is_known, is_one_of},
    },
};

/// A phrase of a clause that means what its pattern asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeantPhrase<'r> {
    /// What the plain clause calls it.
    pub(crate) label: &'r str,
    /// Its words in the plain clause: people by their names, all else in the player's own words.
    pub(crate) plain: Vec<Token>,
    /// What it names, if it is not only words.
    pub(crate) ids: Vec<NamedId>,
}

/// The phrase, if it is of this kind and has these features: `held.lit`.
pub(crate) fn meant<'r>(
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
pub(crate) fn may_mean(world: &World, kind: &str, phrase: &[Token]) -> bool {
    let (name, features) = kind.split_once('.').unwrap_or((kind, ""));
    let is_of_words = |it: &&str| it.trim_start_matches('!').starts_with(WORD_TEST_MARKS);
    let mut tests = features.split('.').filter(is_of_words);
    tests.all(|it| has_feature(world, it, phrase, &[]))
        && (!["deed", "hero", "name"].contains(&name) || meant(world, kind, "", phrase).is_some())
}

impl Kind {
    /// What a phrase of this kind names: nothing where it is only words.
    pub(crate) fn meant(self, world: &World, phrase: &[Token]) -> Option<Vec<NamedId>> {
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
            Kind::Piece | Kind::Tail => words(!phrase.iter().any(ends_sentence)),
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

/// Returns true if a phrase and all that it names have this feature: `!fixed`, `$@body`.
fn has_feature(world: &World, name: &str, phrase: &[Token], ids: &[NamedId]) -> bool {
    let (name, is_wanted) = match name.strip_prefix('!') {
        Some(name) => (name, false),
        None => (name, true),
    };
    let is_one = |token: &Token| name[1..].split('|').any(|known| is_known(known, token, false));
    let begun = || {
        let classes = name[1..].split('|').filter_map(|it| it.strip_prefix('@'));
        begun_by(classes.filter_map(WordClass::named), phrase)
    };
    match name.as_bytes().first() {
        Some(b'$') => phrase.last().is_some_and(is_one) == is_wanted,
        Some(b'^') => (phrase.first().is_some_and(is_one) || begun() > 0) == is_wanted,
        Some(b'~') => phrase.iter().any(is_one) == is_wanted,
        Some(b'=') => (phrase.iter().all(is_one) || begun() == phrase.len()) == is_wanted,
        _ => PhraseTest::called(name).is_some_and(|test| test.holds(world, phrase, ids, is_wanted)),
    }
}

impl PhraseWords {
    /// Returns true if the words of a phrase are so.
    pub(crate) fn holds(self, phrase: &[Token]) -> bool {
        let begun = |words: AnyWord| {
            let class = |test: &AllOf<WordTest>| match test.as_ref() {
                [(WordTest::Class(class), true)] => Some(*class),
                _ => None,
            };
            begun_by(words.iter().filter_map(class), phrase)
        };
        match self {
            PhraseWords::Last(words) => phrase.last().is_some_and(|it| is_one_of(&words, it)),
            PhraseWords::First(words) => {
                phrase.first().is_some_and(|it| is_one_of(&words, it)) || begun(words) > 0
            }
            PhraseWords::Has(words) => phrase.iter().any(|it| is_one_of(&words, it)),
            PhraseWords::Only(words) => {
                phrase.iter().all(|it| is_one_of(&words, it)) || begun(words) == phrase.len()
            }
        }
    }
}

impl PhraseTest {
    /// Returns true if a phrase and all that it names are so, or if `is_wanted` is false are not.
    pub(crate) fn holds(
        self,
        world: &World,
        phrase: &[Token],
        ids: &[NamedId],
        is_wanted: bool,
    ) -> bool {
        let is_so = match self {
            PhraseTest::Carried => is_carried(world, phrase),
            PhraseTest::Called => ids.iter().all(|id| is_called(world, *id, phrase)),
            PhraseTest::Full => ids.iter().all(|id| is_full(world, *id, phrase)),
            PhraseTest::AThing => {
                first_meant(world, phrase, Want::Any).is_some_and(|id| world.entity(id).is_thing())
            }
            PhraseTest::Entities(feature) => {
                return ids.iter().all(|id| feature.is_of(world, *id) == is_wanted);
            }
        };
        is_so == is_wanted
    }
}

/// How many words the longest phrase of one of these classes has that begins the words.
fn begun_by(classes: impl Iterator<Item = WordClass>, phrase: &[Token]) -> usize {
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

impl Feature {
    /// Whether an entity has it.
    pub(crate) fn is_of(self, world: &World, id: NamedId) -> bool {
        match self {
            Feature::Suits(want) => suits(world, id, want),
            Feature::Seen => world.is_seen(id),
            Feature::Held => world.is_with_player(id),
            Feature::Free => suits(world, id, Want::Takable) && !world.is_with_player(id),
            Feature::Movable => suits(world, id, Want::Takable) || world.is_with_player(id),
            Feature::Here => id == world.here,
            Feature::Door => world.is_door(id),
            Feature::Place => world.is_place(id),
            Feature::Person => world.entity(id).is_person(),
            Feature::Creature => world.is_creature(id),
            Feature::Thing => world.entity(id).is_thing(),
            Feature::Scenery => matches!(world.entity(id).kind, NamedKind::Scenery(..)),
            Feature::Fixed => world.thing(id).is_some_and(|thing| thing.fixed),
            Feature::Openable => world.is_openable(id),
            Feature::Container => world.container(id).is_some(),
            Feature::Laden => hiding::held_by(world, id).next().is_some(),
            Feature::Lockable => world.key_of(id).is_some() && !world.conditions[id.0].locked,
            Feature::Light => suits(world, id, Want::Lit) || suits(world, id, Want::Unlit),
            Feature::Reacting => reacts(world, id),
            Feature::Igniting => ignites(world, id),
            Feature::Used => world.thing(id).is_some_and(|thing| thing.reacts_to("use")),
            Feature::Usable => {
                world.thing(id).is_some_and(|thing| thing.fixed || thing.reacts_to("use"))
            }
            Feature::Plain => is_plain(world, id),
            Feature::Hiding => hides(world, id),
            Feature::Useful => reacts(world, id) || serves(world, id),
        }
    }
}

/// It lights something or is the key of something.
fn serves(world: &World, id: NamedId) -> bool {
    let is_needed = |other| is_lit_with(world, other, id) || world.key_of(other) == Some(id);
    world.existing().any(is_needed)
}

/// The light needs this to be lit.
pub(crate) fn is_lit_with(world: &World, light: NamedId, flame: NamedId) -> bool {
    let light = world.thing(light).and_then(|thing| thing.light.as_ref());
    light.and_then(|light| light.needs.as_deref()) == Some(world.name(flame))
}

/// A search of it brings something to light.
fn hides(world: &World, id: NamedId) -> bool {
    let is_under = |other: &ThingDefinition| other.hidden.as_deref() == Some(world.name(id));
    world.definition.things.iter().any(is_under)
}

/// It is struck or flicked, or something here is lit with it.
fn ignites(world: &World, id: NamedId) -> bool {
    reacts(world, id) || world.seen().any(|other| is_lit_with(world, other, id))
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
pub(crate) fn is_named(world: &World, token: &Token) -> bool {
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
