//! Patterns of clauses, each with the plainer clause that it stands for: the grammar lines of interactive fiction.
//!
//! `press|put {held} in|on {whom} @hand` becomes `give {held} to {whom}`. A pattern is a row of parts with blanks between
//! them, and fits a whole clause:
//!
//! | part | fits |
//! |---|---|
//! | `press\|put` | one of these words; `@hand` is any word of this [`WordClass`], `-ing` any word that ends so, `_` any word, `,` a comma |
//! | `^tray\|desk` | one of these words, if nothing here has it in its name |
//! | `!keep\|hold` | a word that is none of these |
//! | `up\|out?`, `@ways*` | the word or nothing, any number of such words |
//! | `<in\|on>` | one of these words, which the plain clause has as `<1>`; the second such part is `<2>` |
//! | `{held}` | a phrase that means something of this [`Kind`]; `{held:key}` is called `{key}` in the plain clause |
//! | `{held!}` | the same, by nothing but words of its name |
//! | `...` | any words, or none |
//! | `[on\|in ...]` | at the end: these parts, or nothing |

use english::WordClass;

use crate::{
    company,
    entity::NamedId,
    parse::{
        nouns::{Meant, Want, carried, in_sight, is_wholly_named, resolve, suited, suits},
        people::person,
        plain_clause::name_tokens,
        tokens::{Token, is_any, is_mark, word_at},
        trace::{self, ReadingRow},
        verbless::is_wearable,
    },
    world::World,
};

/// How many ways to fit a clause by its words are tried before a pattern is given up.
const FITS_MAX: usize = 6;

/// Most parts that are compared before a pattern is given up: a campaign brings patterns of its own, and several loose parts
/// fit a long clause in very many ways.
const FIT_STEPS_MAX: usize = 20_000;

/// Most words of a phrase in front of `...` or `{rest}`.
const LOOSE_WORDS_MAX: usize = 6;

/// A pattern, and what it says in plain words: a row of the tables, or of a campaign.
#[derive(Debug, Clone, Copy)]
pub(super) struct Construction<'r> {
    pub(super) pattern: &'r str,
    pub(super) plain: &'r str,
    /// A clause that it fits.
    pub(super) example: &'r str,
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
    /// Entities that suit this want.
    Suited(Want),
}

impl Kind {
    /// The kinds by the names that patterns have for them.
    pub(super) const NAMED: &[(&str, Kind)] = &[
        ("text", Kind::Text),
        ("topic", Kind::Topic),
        ("rest", Kind::Rest),
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
        ("worn", Kind::Suited(Want::Worn)),
        ("wearable", Kind::Suited(Want::Wearable)),
        ("open", Kind::Suited(Want::Open)),
        ("closed", Kind::Suited(Want::Closed)),
        ("locked", Kind::Suited(Want::Locked)),
        ("unlit", Kind::Suited(Want::Unlit)),
        ("lit", Kind::Suited(Want::Lit)),
        ("edible", Kind::Suited(Want::Edible)),
        ("drinkable", Kind::Suited(Want::Drinkable)),
        ("readable", Kind::Suited(Want::Readable)),
        ("owned", Kind::Suited(Want::Owned)),
        ("holder", Kind::Suited(Want::Holder)),
    ];

    /// The kind that a pattern calls so.
    pub(super) fn called(name: &str) -> Option<Kind> {
        Kind::NAMED.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// The words for it in the plain clause, if the phrase means something of this kind: people by their names, all else in the
    /// player's own words.
    fn plain(self, world: &World, phrase: &[Token]) -> Option<Vec<Token>> {
        let who = match self {
            Kind::Person => Some(person(world, phrase)?),
            Kind::Present => Some(person(world, phrase).filter(|id| world.is_present(*id))?),
            Kind::Whom => Some(whom(world, phrase).filter(|id| world.is_present(*id))?),
            _ => None,
        };
        if let Some(who) = who {
            return Some(name_tokens(world, who).collect());
        }
        self.is_meant(world, phrase).then(|| phrase.to_vec())
    }

    fn is_meant(self, world: &World, phrase: &[Token]) -> bool {
        let all = |want, fits: &dyn Fn(NamedId) -> bool| match resolve(world, phrase, want) {
            Meant::Entities(ids) => ids.into_iter().all(fits),
            _ => false,
        };
        let is_free = |id| suits(world, id, Want::Takable) && !world.is_with_player(id);
        match self {
            Kind::Text | Kind::Rest => !phrase.iter().any(is_mark),
            Kind::Topic => !phrase.iter().any(|it| is_mark(it) || is_any(it, &["i", "we", "you"])),
            Kind::Unnamed => {
                matches!(resolve(world, phrase, Want::Any), Meant::Mention(_) | Meant::Missing(_))
            }
            Kind::Unseen => !is_viewed(world, phrase, |_| true),
            Kind::Named => all(Want::Any, &|_| true),
            Kind::Seen => in_sight(world, phrase).is_some(),
            Kind::View => is_viewed(world, phrase, |id| !world.is_place(id)),
            Kind::Spot => {
                let is_part = |last: &Token| {
                    last.is(WordClass::Body) && !is_named(world, last)
                        || last.word().starts_with("pocket")
                };
                !phrase.last().is_some_and(is_part)
                    && is_viewed(world, phrase, |id| !world.entity(id).is_person())
            }
            Kind::Held => carried(world, phrase).is_some(),
            Kind::Free => all(Want::Takable, &is_free),
            Kind::Movable => all(Want::Takable, &|id| is_free(id) || world.is_with_player(id)),
            Kind::Weapon => {
                all(Want::Carried, &|id| world.is_with_player(id) && is_armed(world, id))
            }
            Kind::Working => all(Want::Any, &|id| {
                let reacts = world.thing(id).is_some_and(|thing| !thing.reactions.is_empty());
                world.is_seen(id) && reacts
            }),
            Kind::Garment => is_wearable(world, phrase),
            Kind::Goal => all(Want::Place, &|id| world.is_place(id) && id != world.here),
            Kind::Person | Kind::Present | Kind::Whom => false,
            Kind::Suited(want) => suited(world, phrase, want).is_some(),
        }
    }
}

/// Returns true if the player sees all that is named, or a description mentions it.
fn is_viewed(world: &World, phrase: &[Token], fits: impl Fn(NamedId) -> bool) -> bool {
    match resolve(world, phrase, Want::Any) {
        Meant::Entities(ids) => ids.iter().all(|id| world.is_seen(*id) && fits(*id)),
        Meant::Mention(_) => true,
        _ => false,
    }
}

/// Returns true if something here has the word in its name.
fn is_named(world: &World, token: &Token) -> bool {
    let mut here = world.seen();
    here.any(|id| world.has_name_with(id, token.word()))
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

/// A phrase or a word that a pattern has found.
#[derive(Debug, Clone, Copy)]
struct FoundPart<'t> {
    /// Its name in the plain clause; nothing for a word.
    label: &'t str,
    kind: Option<Kind>,
    /// Whether it must be nothing but a name.
    is_whole: bool,
    tokens: &'t [Token],
}

impl Construction<'_> {
    /// The clause in plain words, if the pattern fits it.
    pub(super) fn plainer(&self, world: &World, clause: &[Token]) -> Option<Vec<Token>> {
        let mut search =
            PatternSearch { world, plain: self.plain, steps: 0, fits: 0, answer: None, lost: None };
        search.walk(self.pattern, clause, true, &mut Vec::new());
        if search.answer.is_none()
            && let Some(missing) = search.lost
        {
            trace::row_lost(|| self.row(), clause, missing);
        }
        search.answer
    }

    /// The row, without the place where it stands.
    pub(super) fn row(&self) -> ReadingRow {
        let [wording, meaning, example] =
            [self.pattern, self.plain, self.example].map(str::to_owned);
        ReadingRow { wording, meaning, example, ..ReadingRow::default() }
    }
}

/// The search for a way in which a pattern fits.
struct PatternSearch<'w> {
    world: &'w World,
    plain: &'w str,
    /// How many parts have been compared.
    steps: usize,
    /// How often the words have fitted.
    fits: usize,
    answer: Option<Vec<Token>>,
    /// The first phrase that does not mean what it has to, if somebody asks how the sentence is read.
    lost: Option<String>,
}

impl PatternSearch<'_> {
    /// Fits the parts to the tokens. Returns true if the search is over.
    fn walk<'t>(
        &mut self,
        pattern: &'t str,
        tokens: &'t [Token],
        is_first: bool,
        found: &mut Vec<FoundPart<'t>>,
    ) -> bool {
        self.steps += 1;
        if self.steps > FIT_STEPS_MAX {
            return true;
        }
        if let Some(last) = pattern.strip_prefix('[') {
            let last = last.strip_suffix(']').unwrap_or(last);
            return if tokens.is_empty() {
                self.conclude(found)
            } else {
                self.walk(last, tokens, false, found)
            };
        }
        let (part, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
        if part.is_empty() {
            return tokens.is_empty() && self.conclude(found);
        }
        if part == "..." {
            return (0..=tokens.len()).any(|n| self.walk(rest, &tokens[n..], false, found));
        }
        if let Some(phrase) = part.strip_prefix('{') {
            return self.walk_phrase(phrase.trim_end_matches('}'), rest, tokens, found);
        }
        let many = part.ends_with('*');
        let words = part.trim_end_matches(['?', '*']);
        let is_it = |token: &Token| self.is_word(words, token, is_first);
        if many || part.ends_with('?') {
            let most = if many { tokens.len() } else { 1 };
            let count = tokens.iter().take(most).take_while(|token| is_it(token)).count();
            return (0..=count).rev().any(|n| self.walk(rest, &tokens[n..], false, found));
        }
        let Some((first, behind)) = tokens.split_first().filter(|(first, _)| is_it(first)) else {
            return false;
        };
        if !part.starts_with('<') {
            return self.walk(rest, behind, false, found);
        }
        found.push(FoundPart {
            label: "",
            kind: None,
            is_whole: false,
            tokens: std::slice::from_ref(first),
        });
        let is_over = self.walk(rest, behind, false, found);
        found.pop();
        is_over
    }

    /// Fits a phrase: the shortest one that lets the rest fit, or the longest where nothing known follows.
    fn walk_phrase<'t>(
        &mut self,
        phrase: &'t str,
        rest: &'t str,
        tokens: &'t [Token],
        found: &mut Vec<FoundPart<'t>>,
    ) -> bool {
        let (phrase, is_whole) = match phrase.strip_suffix('!') {
            Some(phrase) => (phrase, true),
            None => (phrase, false),
        };
        let (kind, label) = phrase.split_once(':').unwrap_or((phrase, phrase));
        let kind = Kind::called(kind);
        let least = usize::from(kind != Some(Kind::Rest));
        let most = tokens.len();
        let mut fit = |len: usize| {
            found.push(FoundPart { label, kind, is_whole, tokens: &tokens[..len] });
            let is_over = self.walk(rest, &tokens[len..], false, found);
            found.pop();
            is_over
        };
        match rest {
            "" => most >= least && fit(most),
            _ if rest.starts_with("...") || rest.starts_with("{rest}") => {
                (least..=most.min(LOOSE_WORDS_MAX)).rev().any(fit)
            }
            _ => (least..=most).any(fit),
        }
    }

    /// Returns true if the token is one of the words of a part.
    fn is_word(&self, words: &str, token: &Token, is_first: bool) -> bool {
        let bare = words.trim_start_matches(['<', '^', '!']).trim_end_matches('>');
        let is_one = bare.split('|').any(|known| is_known(known, token, is_first));
        match words.as_bytes().first() {
            Some(b'!') => !is_one && !is_mark(token),
            Some(b'^') => is_one && !is_named(self.world, token),
            _ => is_one,
        }
    }

    /// Takes the answer, if all phrases mean what they have to. Returns true if the search is over.
    fn conclude(&mut self, found: &[FoundPart]) -> bool {
        self.fits += 1;
        self.answer = self.written(found);
        self.answer.is_some() || self.fits >= FITS_MAX
    }

    /// The plain clause.
    fn written(&mut self, found: &[FoundPart]) -> Option<Vec<Token>> {
        let mut phrases = Vec::with_capacity(found.len());
        for phrase in found.iter().filter(|found| found.kind.is_some() || !found.label.is_empty()) {
            let is_named =
                || !phrase.is_whole || is_wholly_named(self.world, phrase.tokens, Want::Any);
            let plain = phrase.kind.filter(|_| is_named());
            let Some(plain) = plain.and_then(|kind| kind.plain(self.world, phrase.tokens)) else {
                if self.lost.is_none() {
                    self.lost = trace::missing(phrase.label, phrase.tokens);
                }
                return None;
            };
            phrases.push((phrase.label, plain));
        }
        let words: Vec<&Token> =
            found.iter().filter(|found| found.label.is_empty()).flat_map(|it| it.tokens).collect();
        let mut clause = Vec::new();
        for part in self.plain.split(' ') {
            match part.trim_matches(['{', '}', '<', '>']) {
                "partner" => clause.extend(name_tokens(self.world, self.world.partner()?)),
                "1" => clause.push((*words.first()?).clone()),
                "2" => clause.push((*words.get(1)?).clone()),
                plain if part.starts_with('{') => {
                    let phrase = phrases.iter().find(|(label, _)| *label == plain)?;
                    clause.extend(phrase.1.iter().cloned());
                }
                plain => clause.push(Token::of(plain)),
            }
        }
        Some(clause)
    }
}

/// Returns true if the token is this word, of this class, or ends so. The first word of a clause may be in the third person.
fn is_known(known: &str, token: &Token, is_first: bool) -> bool {
    let said = token.word();
    if let Some(name) = known.strip_prefix('@') {
        return WordClass::named(name).is_some_and(|class| {
            class.has(said) || is_first && plain_form(said, &|verb| class.has(verb))
        });
    }
    if let Some(ending) = known.strip_prefix('-') {
        return said.len() > ending.len() && said.ends_with(ending);
    }
    match known {
        "_" => !is_mark(token),
        "," => *token == Token::Comma,
        _ => said == known || is_first && plain_form(said, &|verb| verb == known),
    }
}

/// Returns true if the word is the third person of such a verb and is no verb itself.
fn plain_form(said: &str, is_it: &dyn Fn(&str) -> bool) -> bool {
    let is_plain = |ending: &str| said.strip_suffix(ending).is_some_and(is_it);
    said.ends_with('s') && (is_plain("s") || is_plain("es")) && !english::is_verb(said)
}
