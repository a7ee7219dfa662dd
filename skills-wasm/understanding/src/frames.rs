//! The frames of verbs: what may stand behind a verb of one meaning, what that comes to, and what it costs. The tables of `grammar`.
//!
//! | part of a frame | what it fits |
//! |---|---|
//! | `{held:it}` | the object: the words in front of the first preposition, if they mean something of this [`kind`](phrase_kinds) |
//! | `{?held:it}` | the object, whatever it means; what is `held` comes first ([`frame_slots`]) |
//! | `{who} {it}` | the object in two parts; so too behind `_`, `...` and prepositions |
//! | `_ {it}` | the object, or without one what follows the first preposition |
//! | `in\|on {to}` | what follows the first of these prepositions |
//! | `... {all}` | everything behind the verb |
//! | `= {who} about {topic}` | everything behind the verb by a [pattern](crate::patterns); its slots may be open, and the first `<to\|at>` is the slot `{1}` |
//! | `* {to}` | of that the words that name something: no prepositions, no directions, and nothing from `with` on |
//! | `...` | whatever there is: at the end, or in front of a preposition |
//! | `to.. {deed}` | everything behind the first of these words |
//! | `-` | there is no object |
//! | `!in\|on` | nothing follows one of these prepositions |
//! | `$` | at the end: there is nothing else |

use crate::{
    lexicon::ClauseVerb, needed_words::NeededWords, tokens::Token, trace::ReadingRow,
    word_tests::is_known,
};

include!(concat!(env!("OUT_DIR"), "/frames.rs"));

/// A row of `grammar`.
#[derive(Debug, Clone, Copy)]
pub(super) struct VerbFrame {
    pub(super) file: &'static str,
    pub(super) line: u32,
    /// The phrases of the verb, with bars between them; empty for all of this meaning.
    pub(super) phrases: &'static str,
    pub(super) frame: &'static str,
    /// What a reading by it costs beside what its words cost: the cheapest reading wins, of several the first.
    pub(super) cost: u32,
    pub(super) meaning: &'static str,
    /// A sentence that it reads.
    pub(super) example: &'static str,
    /// The words that the clause must have for a pattern.
    pub(super) needed: NeededWords,
}

/// The frames of the verbs of one meaning, such as `do take`, in the order of the tables.
pub(super) fn frames_of(meaning: &str) -> &'static [VerbFrame] {
    let at = FRAMES.binary_search_by(|(name, _)| (*name).cmp(meaning));
    at.map_or(&[], |at| FRAMES[at].1)
}

/// All rows in the order of the tables.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static VerbFrame> {
    let rows = FRAMES.iter().flat_map(|(_, frames)| frames.iter());
    let by_place = rows.map(|row| ((row.file, row.line), row));
    by_place.collect::<std::collections::BTreeMap<_, _>>().into_values()
}

impl VerbFrame {
    /// Returns true if it reads all words by a pattern.
    pub(super) fn is_pattern(&self) -> bool {
        self.frame.starts_with("= ")
    }

    /// Returns true if the frame is one of this verb: `put..` begins so, `..-down` ends so, `@toward` is a class, of `@mending..`
    /// the first word is one of the class, of `..@way-word` all behind the first; `a&!b` is `a` and not `b`.
    pub(super) fn is_of(&self, verb: &ClauseVerb) -> bool {
        let (phrases, is_wanted) = match self.phrases.strip_prefix('!') {
            Some(phrases) => (phrases, false),
            None => (self.phrases, true),
        };
        phrases.is_empty() || phrases.split('|').any(|it| is_phrase(it, &verb.phrase)) == is_wanted
    }

    /// Where it stands: `putting.gram:12`.
    #[cfg(test)]
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// The row for people.
    pub(super) fn row(&self) -> ReadingRow {
        ReadingRow {
            file: self.file.to_owned(),
            line: self.line,
            wording: self.frame.to_owned(),
            meaning: self.meaning.to_owned(),
            example: self.example.to_owned(),
        }
    }
}

/// Returns true if the phrase of a verb is this one. A `-` stands for the blank.
fn is_phrase(test: &str, phrase: &str) -> bool {
    if test.contains('&') {
        return test.split('&').all(|test| match test.strip_prefix('!') {
            Some(other) => !is_phrase(other, phrase),
            None => is_phrase(test, phrase),
        });
    }
    let is_word = |test: &str, word: &str| is_known(test, &Token::of(word), false);
    let (first, tail) = phrase.split_once(' ').unwrap_or((phrase, ""));
    match (test.strip_prefix("..@"), test.strip_suffix("..")) {
        (Some(_), _) => {
            return !tail.is_empty() && tail.split(' ').all(|it| is_word(&test[2..], it));
        }
        (_, Some(class)) if class.starts_with('@') => return is_word(class, first),
        _ if test.starts_with('@') => return is_word(test, phrase),
        _ => {}
    }
    let same = |one: &str, other: &str| {
        one.len() == other.len()
            && one.bytes().zip(other.bytes()).all(|(a, b)| a == b || a == b'-' && b == b' ')
    };
    let size = phrase.len();
    match (test.strip_prefix(".."), test.strip_suffix("..")) {
        (Some(end), _) => size >= end.len() && same(end, &phrase[size - end.len()..]),
        (None, Some(start)) => size >= start.len() && same(start, &phrase[..start.len()]),
        (None, None) => same(test, phrase),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::{cell::RefCell, collections::BTreeSet};

    use super::*;
    use world_model::action::Action;

    use crate::{plainer::tests::storehouse, tokens::text_of, understand_traced};

    thread_local! {
        /// The places of the frames that have read something.
        pub(in crate) static USED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
    }

    /// Notes that a frame has read a clause; `FRAME_USES=1` prints it.
    pub(crate) fn use_of(frame: &VerbFrame, verb: &ClauseVerb) {
        let is_new = USED.with_borrow_mut(|used| used.insert(frame.place()));
        if is_new && std::env::var_os("FRAME_USES").is_some() {
            println!("{}: {} {}", frame.place(), verb.phrase, text_of(&verb.rest));
        }
    }

    /// What the example of a row comes to, and the rows that made it so, in the first place where the row does.
    fn played(frame: &VerbFrame) -> (String, Vec<String>) {
        let mut world = storehouse();
        let places: Vec<_> = world.place_ids().collect();
        let mut first = None;
        for (place, is_dark) in
            [false, true].into_iter().flat_map(|dark| places.iter().map(move |it| (*it, dark)))
        {
            world.here = place;
            if is_dark {
                world.conditions.iter_mut().for_each(|it| it.lit = false);
            }
            let (meaning, trace) = understand_traced(&world, frame.example);
            let actions: Vec<String> = meaning.actions.iter().map(Action::in_words).collect();
            let rows = trace.steps.iter().filter_map(|step| step.row.as_ref());
            let rows: Vec<String> = rows.map(|row| format!("{}:{}", row.file, row.line)).collect();
            let read = (actions.join("; "), rows);
            if read.1.contains(&frame.place()) {
                return read;
            }
            first = first.or(Some(read));
        }
        first.unwrap_or_default()
    }

    #[test]
    fn each_frame_reads_its_example() {
        let (mut lines, mut wrong) = (Vec::new(), Vec::new());
        for frame in all() {
            let (actions, places) = played(frame);
            if !places.contains(&frame.place()) {
                let by = places.join(", ");
                wrong.push(format!("{} `{}`: {actions}, by {by}", frame.place(), frame.example));
            }
            lines.push(format!("{} => {actions}", frame.example));
        }
        assert_eq!(wrong.join("\n"), "");
        insta::assert_snapshot!(lines.join("\n"));
    }
}
