//! The frames of verbs: what may stand behind a verb of one meaning, what that comes to, and what it costs. The build script reads
//! the tables of `grammar`, refuses a row that is wrong, and writes the others as constants of [`frame_form`](crate::forms::frame_form),
//! which says what each part means.

use crate::{
    forms::{
        frame_form::{AllOf, FrameMeaning, FramePart, VerbPhrases, VerbTest},
        row_form::ConstList,
    },
    trace::ReadingRow,
    words::{lexicon::ClauseVerb, needed_words::NeededWords, tokens::Token},
};

/// The rows, and which of them are for each meaning of a verb.
#[rustfmt::skip]
mod table {
    use english::WordClass;
    use world_model::{action::Verb, want::Want::*};

    use crate::{forms::{frame_form::*, row_form::*}, grammar::frames::VerbFrame, words::needed_words::NeededWords};

    include!(concat!(env!("OUT_DIR"), "/frames.rs"));
}

/// A row of `grammar`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VerbFrame {
    pub(crate) file: &'static str,
    pub(crate) line: u32,
    /// The phrases of the verb that it is for; none for all of this meaning.
    phrases: VerbPhrases,
    pub(crate) parts: ConstList<FramePart>,
    /// What a reading by it costs beside what its words cost: the cheapest reading wins, of several the first.
    pub(crate) cost: u32,
    /// What it comes to: the first of these whose conditions hold and which names what is there.
    pub(crate) meanings: ConstList<FrameMeaning>,
    /// The words that the clause must have.
    pub(crate) needed: NeededWords,
    /// Its columns as they are written, for people.
    frame: &'static str,
    meaning: &'static str,
    pub(crate) example: &'static str,
}

/// The frames of the verbs of one meaning, such as `do take`, in the order of the tables.
pub(crate) fn frames_of(meaning: &str) -> &'static [&'static VerbFrame] {
    let at = table::FRAMES.binary_search_by(|(name, _)| (*name).cmp(meaning));
    at.map_or(&[], |at| table::FRAMES[at].1)
}

/// All rows, by the names of their files.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = &'static VerbFrame> {
    let mut rows: Vec<&VerbFrame> = table::ROWS.iter().collect();
    rows.sort_by_key(|row| (row.file, row.line));
    rows.into_iter()
}

impl VerbFrame {
    /// Returns true if it reads all words by a pattern.
    pub(crate) fn is_pattern(&self) -> bool {
        matches!(self.parts.first(), Some(FramePart::Pattern(_)))
    }

    /// Returns true if the frame is one of this verb.
    pub(crate) fn is_of(&self, verb: &ClauseVerb) -> bool {
        let VerbPhrases { tests, is_wanted } = self.phrases;
        let is_it = |all: &AllOf<VerbTest>| {
            all.iter().all(|(test, is_it)| test.fits(&verb.phrase) == *is_it)
        };
        tests.is_empty() || tests.iter().any(is_it) == is_wanted
    }

    /// Where it stands: `putting.gram:12`.
    #[cfg(test)]
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// The row for people.
    pub(crate) fn row(&self) -> ReadingRow {
        ReadingRow {
            file: self.file.to_owned(),
            line: self.line,
            wording: self.frame.to_owned(),
            meaning: self.meaning.to_owned(),
            example: self.example.to_owned(),
        }
    }
}

impl VerbTest {
    /// Returns true if the phrase of a verb is so.
    fn fits(self, phrase: &str) -> bool {
        let (first, tail) = phrase.split_once(' ').unwrap_or((phrase, ""));
        match self {
            VerbTest::Whole(known) => phrase == known,
            VerbTest::Begins(start) => phrase.starts_with(start),
            VerbTest::Ends(end) => phrase.ends_with(end),
            VerbTest::Word(test) => test.fits(&Token::of(phrase), false),
            VerbTest::FirstWord(test) => test.fits(&Token::of(first), false),
            VerbTest::OtherWords(test) => {
                !tail.is_empty() && tail.split(' ').all(|it| test.fits(&Token::of(it), false))
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{cell::RefCell, collections::BTreeSet};

    use super::*;
    use world_model::action::Action;

    use crate::{rows::plainer::tests::storehouse, understand_traced, words::tokens::text_of};

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
