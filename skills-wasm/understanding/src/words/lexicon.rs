//! The verbs that are understood, with their particles.

mod meanings;

use english::{
    VERB_MEANINGS, VerbPhrase, WordClass, inflected, is_verb, verb_phrases, verb_phrases_of,
};
use world_model::{action::Verb, entity::NamedId, words};

use crate::words::tokens::{Token, text_of};

pub(crate) use meanings::Meaning;
use meanings::meaning_of;

/// A verb that has been found: its meaning, and the rest of the clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClauseVerb {
    /// What it means.
    pub(crate) meaning: Meaning,
    /// The name of its meaning in `verbs.tsv`: `do take off`.
    pub(crate) name: &'static str,
    /// How it was written, such as `look under`.
    pub(crate) phrase: String,
    /// The words that it was written with, where they have more than the phrase.
    pub(crate) said: String,
    /// The tokens that are not part of it.
    pub(crate) rest: Vec<Token>,
    /// How often a meaning of a frame has led to it: 0 for the player's own words.
    pub(crate) again: usize,
    /// How it is said, if it is a whole clause.
    pub(crate) utterance: Utterance,
}

/// How a clause is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Utterance {
    /// Who is spoken to by name, in this clause or an earlier one.
    pub(crate) addressed: Option<NamedId>,
    /// Whether this clause has their name.
    pub(crate) is_called: bool,
    /// Whether a question mark ends it.
    pub(crate) is_asked: bool,
}

impl ClauseVerb {
    /// A whole clause, for frames that are of no verb: `question`.
    pub(crate) fn of_clause(kind: &'static str, clause: &[Token]) -> ClauseVerb {
        let (phrase, said) = (String::new(), String::new());
        let rest = clause.to_vec();
        ClauseVerb {
            meaning: Meaning::Help,
            name: kind,
            phrase,
            said,
            rest,
            again: 0,
            utterance: Utterance::default(),
        }
    }

    /// Its name without the kind of meaning: `wave` of `gesture wave`.
    pub(crate) fn own_name(&self) -> &'static str {
        self.name.split_once(' ').map_or(self.name, |(_, name)| name)
    }
}

/// All meanings of the clause's first words, the longest phrase first.
pub(crate) fn verbs_at_start(clause: &[Token]) -> Vec<ClauseVerb> {
    let mut found: Vec<(usize, bool, ClauseVerb)> = Vec::new();
    let Some(first) = clause.first().map(Token::word).filter(|word| !word.is_empty()) else {
        return Vec::new();
    };
    let is_last = |word: &str| clause.last().is_some_and(|last| last.word() == word);
    for entry in verb_phrases_of(first) {
        let (phrase, meaning) = (entry.phrase, meaning_of(entry));
        let name = VERB_MEANINGS[usize::from(entry.meaning)];
        let verb = |said, rest| ClauseVerb {
            meaning,
            name,
            phrase: phrase.to_owned(),
            said,
            rest,
            again: 0,
            utterance: Utterance::default(),
        };
        if let Some((len, rest)) = rest_after(clause, phrase) {
            let said = text_of(&clause[..clause.len() - rest.len()]);
            found.push((len, true, verb(said, rest)));
        } else if let Some((_, particle)) = phrase.split_once(' ')
            && WordClass::InnerParticle.has(particle)
            && clause.len() > 3
            && clause[2].word() == particle
            && clause[1].is(WordClass::ObjectPronoun)
        {
            // `wolf it down in three bites`.
            let rest = [&clause[1..2], &clause[3..]].concat();
            found.push((2, false, verb(phrase.to_owned(), rest)));
        } else if let Some((_, particle)) = phrase.split_once(' ')
            && clause.len() > 2
            && WordClass::Particle.has(particle)
            && is_last(particle)
        {
            let rest = clause[1..clause.len() - 1].to_vec();
            found.push((2, false, verb(phrase.to_owned(), rest)));
        }
    }
    found.sort_by_key(|(len, direct, _)| std::cmp::Reverse((*len, *direct)));
    found.into_iter().map(|(_, _, verb)| verb).collect()
}

/// The words of the phrase, and what follows it. Articles between its words do not matter: `take a look` is `take look`.
fn rest_after(clause: &[Token], phrase: &str) -> Option<(usize, Vec<Token>)> {
    let (mut at, mut len) = (0, 0);
    for word in phrase.split(' ') {
        while len > 0
            && clause.get(at).is_some_and(|t| words::is_hollow(t.word()) && t.word() != word)
        {
            at += 1;
        }
        if clause.get(at).map(Token::word) != Some(word) {
            return None;
        }
        at += 1;
        len += 1;
    }
    Some((len, clause[at..].to_vec()))
}

/// Verbs that are meant where a word is a mistake away from several.
const USUAL: &str = "take look open examine drop light read unlock search give show wear eat drink attack climb close \
    inspect ask talk enter walk grab inventory push pull put get use wait sleep turn tell steal lock pick place throw \
    switch head lift leave press shove listen remove follow check speak greet whisper extinguish descend knock collect \
    borrow return approach touch taste smell hand offer fetch carry study";

/// The verb that a word may be with a typing mistake.
pub(crate) fn corrected(word: &str) -> Option<&'static str> {
    if word.len() < 3 || is_verb(word) {
        return None;
    }
    // `sign the book` sings no book.
    if WordClass::Ordinary.has(word) {
        return inflected(word);
    }
    // `reread` and `reopen` do it again.
    if let Some(again) = word.strip_prefix("re").filter(|again| again.len() > 3)
        && let Some(known) = first_words().find(|known| *known == again)
    {
        return Some(known);
    }
    let is_near = |known: &&str| english::is_typo(word, known);
    let is_risk = |known: &str| {
        let risks = [Verb::Attack, Verb::Steal, Verb::Force, Verb::Sneak, Verb::Extinguish];
        verb_phrases_of(known).iter().any(|entry| match meaning_of(entry) {
            Meaning::Do(verb) => risks.contains(&verb),
            Meaning::Sway(_) | Meaning::Try(_) => true,
            _ => false,
        })
    };
    // A rare verb that harms is meant only where it is spelt right.
    let rare = || {
        let mut long = first_words().filter(|known| known.len() > 5 && word.len() > 5);
        long.find(|known| english::is_typo(word, known) && !is_risk(known))
    };
    // Two letters that have changed places are no other word.
    let swapped =
        || first_words().find(|known| known.len() == word.len() && english::is_swap(word, known));
    inflected(word).or_else(|| USUAL.split(' ').find(is_near)).or_else(swapped).or_else(rare)
}

fn first_words() -> impl Iterator<Item = &'static str> {
    let same_first = |one: &VerbPhrase, other: &VerbPhrase| one.first == other.first;
    let firsts = verb_phrases().chunk_by(same_first);
    firsts.filter_map(|entries| entries.first().map(|entry| entry.first))
}
