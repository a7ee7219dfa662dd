//! Questions without a noun of this world: about the player, the place, the time, the ways, the people, or what to do.

use english::WordClass;
use world_model::{action::Verb, world::World};

use crate::{
    grammar::built::FrameReader,
    names::nouns,
    words::{lexicon::ClauseVerb, tokens::Token},
};

/// What such a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedFor {
    /// Something that an action answers.
    Do(Verb),
    /// What there is to do.
    Help,
    /// What can be heard or smelled.
    Sense(&'static str),
}

/// A kind of question: a sentence is one if it has a word of each group, and none that is not in a group or in `more`.
struct QuestionKind {
    asked: AskedFor,
    groups: &'static [&'static str],
    more: &'static str,
}

/// Most words of a question that no kind knows.
const STRANGE_MAX: usize = 2;

// `KINDS`, the kinds in order; the first that fits is meant.
include!(concat!(env!("OUT_DIR"), "/questions.rs"));

/// Returns true if the word names the current place and nothing in it.
fn is_this_room(world: &World, word: &str) -> bool {
    nouns::is_headed_by(world, world.here, word)
        && !world.seen().any(|id| nouns::is_headed_by(world, id, word))
}

/// The word by which the kinds of questions know it: `in this hallway` is in this place.
fn plain_word<'w>(world: &World, word: &'w str) -> &'w str {
    match word {
        "we" => "i",
        "us" => "me",
        "our" => "my",
        word if is_this_room(world, word) => "place",
        word => word,
    }
}

/// What the clause asks for.
pub(crate) fn asked(world: &World, clause: &[Token], read: FrameReader) -> Option<AskedFor> {
    let mut words: Vec<&str> =
        clause.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    let count = words.len();
    while let Some(len) = WordClass::BeforeAsked.start(|at| words.get(at).copied()) {
        words.drain(..len);
    }
    let is_led = words.len() < count;
    words.truncate(before_others(&words));
    // `by what ways may one leave this room`
    if let ["by" | "to" | "through", "what" | "which", ..] = words.as_slice() {
        words.remove(0);
    }
    let kept = words.into_iter().filter(|word| !WordClass::HollowInQuestion.has(word));
    let words: Vec<&str> = kept.map(|word| plain_word(world, word)).collect();
    let first = words.first()?;
    // `could you tell me the time`
    if is_led && words.len() == 1 && ["time", "hour", "date"].contains(first) {
        return Some(AskedFor::Do(Verb::Time));
    }
    let tokens: Vec<Token> = words.iter().map(|word| Token::of(word)).collect();
    if let Some(built) = read(world, &ClauseVerb::of_clause("asked", &tokens)) {
        return Some(AskedFor::Do(built.ok()?.first()?.action));
    }
    // `see the ways out` and `go out` are no questions.
    if words.len() < 2 || !WordClass::BeginsAskedClause.has(first) {
        return None;
    }
    let found =
        KINDS.iter().find(|kind| kind.fits(&words) && kind.strange(&words).next().is_none());
    let is_name = |word: &str| {
        world.existing().any(|id| world.has_name_with(id, word)) || world.mention(word).is_some()
    };
    let text = words.join(" ");
    let is_known = world.partner().is_some_and(|person| world.topic_of(person, &text).is_some());
    let loose = || {
        KINDS.iter().find(|kind| {
            let is_meant =
                !matches!(kind.asked, AskedFor::Help | AskedFor::Do(Verb::Look | Verb::WhoAmI));
            is_meant
                && kind.fits(&words)
                && kind.strange(&words).count() <= STRANGE_MAX
                && !kind.strange(&words).any(|word| {
                    is_name(word) || ["you", "your", "he", "she", "they"].contains(&word)
                })
        })
    };
    let found = if is_known { found } else { found.or_else(loose) };
    // `what junk have we got in here`
    let is_here = text.ends_with("in here") || text.ends_with("around here");
    found.map(|kind| match kind.asked {
        AskedFor::Do(Verb::Inventory) if is_here => AskedFor::Do(Verb::Look),
        asked => asked,
    })
}

/// Where the words end before those who are left out: `is anybody here except Anselm?`.
fn before_others(words: &[&str]) -> usize {
    let others = ["except", "besides", "apart", "but", "aside"];
    let asks = ["who", "is", "are", "anyone", "anybody"];
    let at = words.iter().position(|word| others.contains(word)).filter(|at| *at > 2);
    at.filter(|_| asks.contains(&words[0])).unwrap_or(words.len())
}

impl QuestionKind {
    /// Returns true if the question has a word of each group.
    fn fits(&self, words: &[&str]) -> bool {
        self.groups.iter().all(|group| words.iter().any(|word| has(group, word)))
    }

    /// The words that this kind of question does not know.
    fn strange<'w>(&self, words: &'w [&str]) -> impl Iterator<Item = &'w str> {
        let known =
            |word: &&str| has(self.more, word) || self.groups.iter().any(|group| has(group, word));
        words.iter().copied().filter(move |word| !known(word))
    }
}

fn has(group: &str, word: &str) -> bool {
    group.split(' ').any(|known| known == word)
}
