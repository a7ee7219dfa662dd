//! Patterns of clauses, each with the plainer clause that it stands for: the grammar lines of interactive fiction.
//!
//! `press|put {held} in|on {whom} @hand` becomes `give {held} to {whom}`. A pattern is a row of parts with blanks between
//! them, and fits a whole clause:
//!
//! | part | fits |
//! |---|---|
//! | `press\|put` | one of these words; `@hand` is any word of this class, `#do-go` any verb of this meaning, `#verb`, `#form` and `#new` any verb, any form of one and a word that is none, `#light` one that does nothing by itself, `#number` digits, `#told` a verb or its past, `#story` a form of a story, `#third` its third person, `@lugging&!drag` one of all tests, `-ing` any word that ends so, `_` any word, `,` a comma, `.` the end of a sentence; `@class` alone is also a phrase of this class, with commas in it or not |
//! | `^tray\|desk` | one of these words, if nothing here has it in its name, and nothing that is shut up here is called by it |
//! | `!keep\|hold` | a word that is none of these |
//! | `up\|out?`, `@ways*` | the word or nothing, any number of such words |
//! | `<in\|on>` | one of these words, which the plain clause has as `<1>`, and as `<1!>` in the plain form; the second such part is `<2>` |
//! | `{held}` | a phrase that means something of this [`Kind`]; `{held:key}` is called `{key}` in the plain clause |
//! | `{held.lit:lamp}` | the same with these [`features`](phrase_kinds) |
//! | `{held!}` | the same, by nothing but words of its name |
//! | `...` | any words, or none, within a sentence |
//! | `?` | the end of a question |
//! | `"` | what is said aloud |
//! | `$` | no word, where a mark follows or nothing |
//! | `[on\|in ...]` | at the end: these parts, or nothing |
//!
//! The plain clause may have one phrase with another in the place of its pronoun, `{rest|it}`: the first one that may stand for what
//! the other names. It may name what no words of the pattern do, `{lock:key}`, and may hold only under a condition, `… if wants
//! person gift`: the [`referents`]. One that begins with `>` is read by the patterns again.

use english::WordClass;
use world_model::{entity::NamedId, want::Want, world::World};

use crate::{
    forms::row_form::{AGAIN, CONDITION, CONDITION_AND, Kind, PhraseCondition, Referent, RowName},
    names::nouns::is_wholly_named,
    rows::{
        phrase_kinds::{MeantPhrase, is_named, may_mean, meant},
        referents,
    },
    trace::{self, ReadingRow},
    words::{
        needed_words::NeededWords,
        tokens::{Token, before, ends_sentence, is_hollow, is_mark},
        word_tests::{is_known, parted},
    },
};

/// How many ways to fit a clause by its words are tried before a pattern is given up.
const FITS_MAX: usize = 6;

/// Most parts that are compared before a pattern is given up: a campaign brings patterns of its own, and several loose parts
/// fit a long clause in very many ways.
const FIT_STEPS_MAX: usize = 20_000;

/// Most words of a phrase in front of `...` or `{rest}`.
const LOOSE_WORDS_MAX: usize = 6;

/// Most words that a name is looked for in: `the box of matches from the caddy`.
const NAME_WORDS_MAX: usize = 8;

/// Most words of a person's name in front of another phrase.
const PERSON_WORDS_MAX: usize = 4;

/// A pattern, and what it says in plain words: a row of the tables, or of a campaign.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Construction<'r> {
    pub(crate) pattern: &'r str,
    pub(crate) plain: &'r str,
    /// A clause that it fits.
    pub(crate) example: &'r str,
    /// The words that a clause must have for it.
    pub(crate) needed: NeededWords,
}

/// A table of rows, each with its line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordingTable<R: 'static> {
    pub(crate) file: &'static str,
    pub(crate) rows: &'static [(u32, R)],
}

/// A phrase or a word that a pattern has found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundPart<'t> {
    /// The phrase as the pattern writes it: `held.lit:lamp`; nothing for a word.
    pub(crate) phrase: &'t str,
    pub(crate) tokens: &'t [Token],
}

impl<'t> FoundPart<'t> {
    /// Its kind with its features; its name in the plain clause; whether it must be nothing but a name.
    fn test(&self) -> (&'t str, &'t str, bool) {
        let (phrase, is_whole) = match self.phrase.strip_suffix('!') {
            Some(phrase) => (phrase, true),
            None => (self.phrase, false),
        };
        let (kind, label) = phrase.split_once(':').unwrap_or((phrase, phrase));
        (kind, label, is_whole)
    }
}

impl Construction<'_> {
    /// The clause in plain words, if the pattern fits it.
    pub(crate) fn plainer(&self, world: &World, clause: &[Token]) -> Option<Vec<Token>> {
        self.turned(world, clause, |rest| rest.is_empty()).map(|(plain, _)| plain)
    }

    /// Says the first tokens otherwise, up to where a clause may end. Also returns how many tokens the pattern has taken.
    pub(crate) fn turned(
        &self,
        world: &World,
        tokens: &[Token],
        ends: fn(&[Token]) -> bool,
    ) -> Option<(Vec<Token>, usize)> {
        let mut writing = PlainWriting {
            world,
            plain: self.plain.trim_start_matches(AGAIN),
            answer: None,
            lost: None,
        };
        let mut take = |found: &[FoundPart], rest: usize| {
            writing.answer = writing.written(found).map(|plain| (plain, rest));
            writing.answer.is_some()
        };
        search(world, self.pattern, tokens, ends, &mut take);
        let PlainWriting { answer, lost, .. } = writing;
        #[cfg(test)]
        if answer.is_some() {
            tests::USED.with_borrow_mut(|used| used.insert(self.pattern.to_owned()));
        }
        if answer.is_none()
            && let Some(missing) = lost
        {
            trace::row_lost(|| self.row(), tokens, missing);
        }
        answer.map(|(clause, rest)| (clause, tokens.len() - rest))
    }

    /// True if the patterns read the plain clause once more.
    pub(crate) fn is_read_again(&self) -> bool {
        self.plain.starts_with(AGAIN)
    }

    /// The row, without the place where it stands.
    pub(crate) fn row(&self) -> ReadingRow {
        let [wording, meaning, example] =
            [self.pattern, self.plain, self.example].map(str::to_owned);
        ReadingRow { wording, meaning, example, ..ReadingRow::default() }
    }
}

/// Tries the ways in which a pattern fits tokens up to where a clause may end, until `take` takes one. It is given what was found, and
/// how many tokens are left behind it.
pub(crate) fn search<'t>(
    world: &World,
    pattern: &'t str,
    tokens: &'t [Token],
    ends: fn(&[Token]) -> bool,
    take: &mut dyn FnMut(&[FoundPart<'t>], usize) -> bool,
) {
    let mut search = PatternSearch { world, ends, steps: 0, fits: 0, take };
    // A pattern that begins with a phrase fits in many ways, and each costs a look at the world. Other patterns fail at their first word.
    let is_loose = pattern.starts_with(['{', '.']);
    if !is_loose || search.has_words(pattern, tokens) {
        search.walk(pattern, tokens, true, &mut Vec::new());
    }
}

/// The search for a way in which a pattern fits.
struct PatternSearch<'w, 't> {
    world: &'w World,
    /// Returns true if a clause may end in front of these tokens.
    ends: fn(&[Token]) -> bool,
    /// How many parts have been compared.
    steps: usize,
    /// How often the words have fitted.
    fits: usize,
    /// Returns true if what was found is taken.
    take: &'w mut dyn FnMut(&[FoundPart<'t>], usize) -> bool,
}

impl<'t> PatternSearch<'_, 't> {
    /// Whether the words that a pattern needs are there in their order, whatever stands between them.
    fn has_words(&self, pattern: &str, tokens: &[Token]) -> bool {
        let needed = pattern.split(' ').take_while(|part| !part.starts_with('['));
        let mut rest = tokens;
        needed.filter(|part| is_needed_word(part)).all(|part| {
            let at = (0..rest.len()).find(|at| self.begins_with(part, &rest[*at..]));
            rest = at.map_or(&[], |at| &rest[at + 1..]);
            at.is_some()
        })
    }

    /// Whether the first tokens are the word of a part, or a phrase of its class.
    fn begins_with(&self, part: &str, tokens: &[Token]) -> bool {
        tokens.first().is_some_and(|first| self.is_word(part, first, false))
            || phrase_of(part, tokens).is_some()
    }

    /// Fits the parts to the tokens. Returns true if the search is over.
    fn walk(
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
            let is_over = (self.ends)(tokens) && self.conclude(found, tokens.len());
            return is_over || !tokens.is_empty() && self.walk(last, tokens, false, found);
        }
        let (part, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
        if part.is_empty() {
            return (self.ends)(tokens) && self.conclude(found, tokens.len());
        }
        if part == "$" {
            return tokens.first().is_none_or(is_mark) && self.walk(rest, tokens, false, found);
        }
        if ["\"", "?"].contains(&part) {
            let is_it = |it: &Token| match it {
                Token::Quote(_) => part == "\"",
                it => part == "?" && *it == Token::Stop(true),
            };
            let behind = tokens.split_first().filter(|(it, _)| is_it(it));
            return behind.is_some_and(|(_, behind)| self.walk(rest, behind, false, found));
        }
        if part == "..." {
            let most = before(tokens, |token| matches!(token, Token::Stop(_))).len();
            return (0..=most).any(|n| self.walk(rest, &tokens[n..], false, found));
        }
        if let Some(phrase) = part.strip_prefix('{') {
            return self.walk_phrase(phrase.trim_end_matches('}'), rest, tokens, found);
        }
        if let Some(len) = phrase_of(part, tokens)
            && self.walk(rest, &tokens[len..], false, found)
        {
            return true;
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
        let tokens = std::slice::from_ref(first);
        found.push(FoundPart { phrase: "", tokens });
        let is_over = self.walk(rest, behind, false, found);
        found.pop();
        is_over
    }

    /// Fits a phrase: the shortest one that lets the rest fit, or the longest where nothing known follows, or the longest name of a
    /// person in front of another phrase, or the longest words that a name is looked for in.
    fn walk_phrase(
        &mut self,
        phrase: &'t str,
        rest: &'t str,
        tokens: &'t [Token],
        found: &mut Vec<FoundPart<'t>>,
    ) -> bool {
        let part = FoundPart { phrase, tokens };
        let (kind, ..) = part.test();
        let name = kind.split('.').next().unwrap_or_default();
        let least = usize::from(!["rest", "tail"].contains(&name) && !kind.starts_with('?'));
        let most = match name {
            "text" | "topic" | "rest" | "name" | "hero" => before(tokens, is_mark).len(),
            "piece" | "tail" | "deed" => before(tokens, ends_sentence).len(),
            _ => tokens.len(),
        };
        let (ends, world) = (self.ends, self.world);
        let next = rest.split(' ').next().filter(|next| is_needed_word(next));
        let fit = |len: usize| {
            let is_behind = next.is_none_or(|next| self.begins_with(next, &tokens[len..]));
            if !is_behind || !may_mean(world, kind, &tokens[..len]) {
                return false;
            }
            found.push(FoundPart { tokens: &tokens[..len], ..part });
            let is_over = self.walk(rest, &tokens[len..], false, found);
            found.pop();
            is_over
        };
        match rest {
            _ if name == "name" => (least..=most.min(NAME_WORDS_MAX)).rev().any(fit),
            _ if rest.starts_with('{') && Kind::called(kind).is_some_and(Kind::is_of_person) => {
                (least..=most.min(PERSON_WORDS_MAX)).rev().any(fit)
            }
            "" => (least..=most).filter(|len| ends(&tokens[*len..])).any(fit),
            _ if rest.starts_with("...") || rest.starts_with("{rest}") => {
                (least..=most.min(LOOSE_WORDS_MAX)).rev().any(fit)
            }
            _ => (least..=most).any(fit),
        }
    }

    /// Returns true if the token is one of the words of a part.
    fn is_word(&self, words: &str, token: &Token, is_first: bool) -> bool {
        let bare = words.trim_start_matches(['<', '^', '!']).trim_end_matches('>');
        let is_one = parted(bare, b'|').any(|known| is_known(known, token, is_first));
        match words.trim_start_matches('<').as_bytes().first() {
            Some(b'!') => !is_one && !is_mark(token),
            Some(b'^') => is_one && !is_named(self.world, token),
            _ => is_one,
        }
    }

    /// Hands out what was found. Returns true if the search is over.
    fn conclude(&mut self, found: &[FoundPart<'t>], rest: usize) -> bool {
        self.fits += 1;
        (self.take)(found, rest) || self.fits >= FITS_MAX
    }
}

/// Writes the plain clause of a row.
struct PlainWriting<'w> {
    world: &'w World,
    plain: &'w str,
    /// The plain clause, and how many tokens are left behind it.
    answer: Option<(Vec<Token>, usize)>,
    /// Why the row was lost although its words fit, the first time that happened; only while a reading is traced.
    lost: Option<String>,
}

impl PlainWriting<'_> {
    /// The plain clause, if all phrases mean what they have to.
    fn written(&mut self, found: &[FoundPart]) -> Option<Vec<Token>> {
        let world = self.world;
        let mut phrases = Vec::with_capacity(found.len());
        for part in found.iter().filter(|part| !part.phrase.is_empty()) {
            let ((kind, label, is_whole), tokens) = (part.test(), part.tokens);
            let is_named = !is_whole || is_wholly_named(world, tokens, Want::Any);
            match meant(world, kind, label, tokens).filter(|_| is_named) {
                Some(phrase) => phrases.push(phrase),
                // `the` is a try, not a phrase that somebody may have meant.
                None if tokens.iter().all(is_hollow) => return None,
                None => return self.lose(|| trace::missing_phrase(kind, tokens)),
            }
        }
        let (plain, conditions) = self.plain.split_once(CONDITION).unwrap_or((self.plain, ""));
        let conditions = conditions.split(CONDITION_AND).filter(|it| !it.is_empty());
        for condition in conditions {
            if !condition_holds(world, condition, &phrases) {
                return self.lose(|| format!("`if {condition}` does not hold"));
            }
        }
        let words: Vec<&Token> =
            found.iter().filter(|found| found.phrase.is_empty()).flat_map(|it| it.tokens).collect();
        let mut clause = Vec::new();
        for part in plain.split(' ').filter(|part| !part.is_empty()) {
            match part.trim_matches(['{', '}', '<', '>']) {
                number if part.ends_with("=>") => {
                    let number = number.trim_end_matches('=').parse::<usize>().ok()?;
                    let noun = words.get(number.checked_sub(1)?)?.word();
                    let verb = english::deed_of(noun).or_else(|| english::verb_word(noun))?;
                    clause.push(Token::of(verb));
                }
                number if part.starts_with('<') => {
                    let (number, is_plain) = match number.strip_suffix('!') {
                        Some(number) => (number, true),
                        None => (number, false),
                    };
                    let word = words.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
                    let is_plain = is_plain && !english::is_verb(word.word());
                    let plain = english::inflected(word.word()).filter(|_| is_plain);
                    clause.push(plain.map_or_else(|| (*word).clone(), Token::of));
                }
                name if part.starts_with('{') => match phrase_named(world, name, &phrases) {
                    Some(words) => clause.extend(words),
                    None => return self.lose(|| format!("there is no `{part}` here")),
                },
                "-" => {}
                "." => clause.push(Token::Stop(false)),
                "?" => clause.push(Token::Stop(true)),
                "," => clause.push(Token::Comma),
                plain => clause.push(Token::of(plain)),
            }
        }
        Some(clause)
    }

    /// Notes what is missing, if somebody asks.
    fn lose<T>(&mut self, missing: impl FnOnce() -> String) -> Option<T> {
        if self.lost.is_none() {
            self.lost = trace::asked(missing);
        }
        None
    }
}

/// Whether a condition of a row holds: `wants person gift`.
fn condition_holds(world: &World, condition: &str, phrases: &[MeantPhrase]) -> bool {
    let (name, labels) = condition.split_once(' ').unwrap_or((condition, ""));
    let ids = |label: &str| ids_of(phrases, label);
    PhraseCondition::named(name)
        .is_some_and(|it| referents::holds(world, it, labels.split(' '), &ids, world.talker()))
}

/// Whether a part of a pattern is a word that must be there.
fn is_needed_word(part: &str) -> bool {
    let is_other = part.starts_with(['{', '[', '!', '^']) || part.ends_with(['?', '*']);
    !is_other && !["", "...", "$", "\""].contains(&part)
}

/// The length of the phrase of a class that begins the tokens, where it has several words: of `@takes-back` that of `no, wait`.
fn phrase_of(part: &str, tokens: &[Token]) -> Option<usize> {
    let class = WordClass::named(part.strip_prefix('@')?)?;
    let said = || before(tokens, ends_sentence).iter().enumerate().filter(|(_, it)| !is_mark(it));
    let len = class.start(|n| said().nth(n).map(|(_, it)| it.word())).filter(|len| *len > 1)?;
    said().nth(len - 1).map(|(last, _)| last + 1)
}

/// The words of a phrase of the pattern, or of what is meant without one.
fn phrase_named(world: &World, name: &str, phrases: &[MeantPhrase]) -> Option<Vec<Token>> {
    let called = |name: &str| phrases.iter().find(|phrase| phrase.label == name);
    if let Some((said, meant)) = name.split_once('|').filter(|_| !name.contains(':')) {
        return Some(with_name(world, called(said)?, called(meant)?));
    }
    if let Some(phrase) = called(name) {
        return Some(phrase.plain.clone());
    }
    let (name, argument) = name.split_once(':').unwrap_or((name, ""));
    let ids = |label: &str| ids_of(phrases, label);
    referents::words_for(world, Referent::named(name)?, argument, &ids)
}

/// The words of a phrase with those of another in the place of the first pronoun that may stand for it.
fn with_name(world: &World, said: &MeantPhrase, name: &MeantPhrase) -> Vec<Token> {
    let pronoun = match name.ids.first() {
        None => WordClass::ItOrThem,
        Some(id) if world.entity(*id).is_person() => WordClass::PronounOfPerson,
        Some(_) => WordClass::PronounOfThing,
    };
    match said.plain.iter().position(|token| token.is(pronoun)) {
        Some(at) => [&said.plain[..at], &name.plain, &said.plain[at + 1..]].concat(),
        None => said.plain.clone(),
    }
}

/// What the phrase of this label names.
fn ids_of<'p>(phrases: &'p [MeantPhrase], label: &str) -> Option<&'p [NamedId]> {
    phrases.iter().find(|phrase| phrase.label == label).map(|phrase| phrase.ids.as_slice())
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, collections::BTreeSet, fs, path::Path};

    use narratoria_sdk::Value;
    use serde::Deserialize as _;

    use world_model::{definition::WorldDefinition, world::World};

    use crate::{
        grammar::frames,
        rows::{plainer::tests::patterns, sentence_rows},
        testing::{readings, sentence_lines},
    };

    thread_local! {
        /// The patterns that have said something in plain words.
        pub(crate) static USED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
    }

    /// The world of a set of sentences: the end of its name, so far as there is such a world.
    fn world_of(set: &str) -> World {
        let ends = set.match_indices('-').map(|(at, _)| &set[at + 1..]);
        let file = |name: &str| format!("tests/worlds/{name}.json");
        let name = std::iter::once(set).chain(ends).find(|name| Path::new(&file(name)).exists());
        let text = fs::read_to_string(file(name.unwrap_or("abbey"))).unwrap();
        let value: Value = text.parse().unwrap();
        World::begin(WorldDefinition::deserialize(value).unwrap())
    }

    /// A row that only its example needs may be a wording of its own, or one that another row has taken over: a new name in
    /// this list is looked at.
    #[test]
    fn the_rows_that_no_sentence_of_the_sets_uses_are_known() {
        for entry in fs::read_dir("tests/sentences").unwrap() {
            let path = entry.unwrap().path();
            let set = path.file_stem().unwrap().to_str().unwrap();
            let text = fs::read_to_string(&path).unwrap();
            readings(&world_of(set), sentence_lines(&text));
        }
        let rows = patterns().into_iter().chain(sentence_rows::all());
        let unused = USED.with_borrow(|used| {
            rows.filter(|row| !used.contains(row.pattern))
                .map(|row| format!("{}  # {}", row.pattern, row.example))
                .collect::<Vec<_>>()
        });
        let unused_frames = frames::tests::USED.with_borrow(|used| {
            let frames = frames::all().filter(|frame| !used.contains(&frame.place()));
            frames.map(|it| format!("{}  # {}", it.place(), it.example)).collect::<Vec<_>>()
        });
        insta::assert_snapshot!([unused, unused_frames].concat().join("\n"));
    }
}
