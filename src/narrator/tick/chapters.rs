//! What a story tells after its last arc: chapters of four scenes, each about one small matter. Their parts stand in
//! `text/chapters.md`.

use super::{cast::CastNames, template::deal};
use pools::{
    ATMOSPHERES, DESCRIPTIONS, FEATURES, GOALS, MATTERS, PLACE_DESCRIPTIONS, PLACE_KINDS,
    PLACE_WORDS, POINTS_OF_VIEW, ROLES, SEEN, SEES, THINGS, TRAITS,
};

pub(super) use pools::{CHAPTER_TITLES, INTENTIONS, PARTS, SUMMARIES};

/// The texts of `text/chapters.md`.
#[deny(dead_code)]
mod pools {
    include!(concat!(env!("OUT_DIR"), "/chapters.rs"));
}

/// Scenes of a chapter: raised, asked, searched, answered.
pub(super) const STEPS: usize = 4;

/// Chapters that have one town and one point of view.
const CHAPTERS_OF_PART: u64 = 6;

/// Stands between the question of a matter and its answer.
const ANSWER_MARK: &str = " => ";

/// Features of a place.
const FEATURES_OF_PLACE: u64 = 4;

/// A scene of a chapter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Chapter {
    /// Counts the chapters of the story from 0.
    pub(super) nth: u64,
    pub(super) step: usize,
    /// Empty until the chapter has begun.
    pub(super) question: String,
    pub(super) cast: CastNames,
}

/// A new person of a chapter, whose name the story gives.
pub(super) struct ChapterPerson {
    pub(super) role: &'static str,
    pub(super) description: &'static str,
    pub(super) traits: [&'static str; 2],
    pub(super) goal: &'static str,
    /// What the point of view thinks of the person, and the other way round.
    pub(super) seen: &'static str,
    pub(super) sees: &'static str,
}

impl Chapter {
    pub(super) fn next(self) -> Chapter {
        if self.step + 1 < STEPS {
            return Chapter { step: self.step + 1, ..self };
        }
        let next = Chapter { nth: self.nth + 1, ..Chapter::default() };
        let stays = next.part() == self.part();
        let pov = if stays { self.cast.pov } else { String::new() };
        Chapter { cast: CastNames { pov, ..CastNames::default() }, ..next }
    }

    /// Counts the parts of the story after its arcs from 1.
    pub(super) fn part(&self) -> u64 {
        self.nth / CHAPTERS_OF_PART + 1
    }

    pub(super) fn begins_part(&self) -> bool {
        self.step == 0 && self.nth.is_multiple_of(CHAPTERS_OF_PART)
    }

    /// True for the first scene after the arcs.
    pub(super) fn begins_all(&self) -> bool {
        self.nth == 0 && self.step == 0
    }

    /// The question and its answer, with their places.
    pub(super) fn matter(&self, seed: u64) -> (&'static str, &'static str) {
        let matter = self.dealt(MATTERS, seed);
        matter.split_once(ANSWER_MARK).unwrap_or((matter, ""))
    }

    pub(super) fn thing(&self, seed: u64) -> &'static str {
        self.dealt(THINGS, seed >> 3)
    }

    pub(super) fn person(&self, seed: u64) -> ChapterPerson {
        ChapterPerson {
            role: self.dealt(ROLES, seed >> 5),
            description: self.dealt(DESCRIPTIONS, seed >> 7),
            traits: [card(TRAITS, seed, self.nth * 2), card(TRAITS, seed, self.nth * 2 + 1)],
            goal: self.dealt(GOALS, seed),
            seen: self.dealt(SEEN, seed),
            sees: self.dealt(SEES, seed),
        }
    }

    /// The role of a new point of view.
    pub(super) fn pov_role(&self, seed: u64) -> &'static str {
        card(POINTS_OF_VIEW, seed, self.part())
    }

    /// A name for a place, which `is_taken` does not refuse.
    pub(super) fn place_name(&self, seed: u64, is_taken: impl Fn(&str) -> bool) -> String {
        let name = |nth: u64| {
            format!(
                "The {} {}",
                card(PLACE_WORDS, seed >> 9, nth),
                card(PLACE_KINDS, seed >> 11, nth)
            )
        };
        let count = (PLACE_WORDS.len() * PLACE_KINDS.len()) as u64;
        let free = (self.nth..self.nth + count).map(name).find(|name| !is_taken(name));
        free.unwrap_or_else(|| format!("{} {}", name(self.nth), self.nth))
    }

    pub(super) fn place_description(&self, seed: u64) -> &'static str {
        self.dealt(PLACE_DESCRIPTIONS, seed)
    }

    pub(super) fn atmosphere(&self, seed: u64) -> &'static str {
        self.dealt(ATMOSPHERES, seed)
    }

    pub(super) fn features(&self, seed: u64) -> Vec<&'static str> {
        let first = self.nth * FEATURES_OF_PLACE;
        (first..first + FEATURES_OF_PLACE).map(|nth| card(FEATURES, seed, nth)).collect()
    }

    fn dealt(&self, pool: &[&'static str], seed: u64) -> &'static str {
        card(pool, seed, self.nth)
    }
}

fn card(pool: &[&'static str], seed: u64, nth: u64) -> &'static str {
    pool[deal(pool.len(), seed, nth)]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{pools::PAGE_PLACES, *};
    use crate::tick::template::SceneSlots;

    #[test]
    fn every_place_of_the_page_is_filled_and_every_matter_has_an_answer() {
        for place in PAGE_PLACES {
            assert!(SceneSlots::default().value(place).is_some(), "{place}");
        }
        let halves = MATTERS.iter().map(|matter| matter.split(ANSWER_MARK).count());
        assert!(halves.into_iter().all(|halves| halves == 2), "{MATTERS:?}");
        assert_eq!((INTENTIONS.len(), SUMMARIES.len()), (STEPS, STEPS - 1));
    }

    #[test]
    fn two_hundred_chapters_are_about_different_matters_at_different_places() {
        for seed in [0, 7, 42, u64::MAX] {
            let (mut matters, mut places) = (BTreeSet::new(), BTreeSet::new());
            for nth in 0..200 {
                let chapter = Chapter { nth, ..Chapter::default() };
                assert!(matters.insert((chapter.matter(seed), chapter.thing(seed))), "{nth}");
                let name = chapter.place_name(seed, |name| places.contains(name));
                assert!(places.insert(name), "{nth}");
            }
        }
    }

    #[test]
    fn a_part_keeps_its_point_of_view() {
        let cast =
            CastNames { pov: "Ada".to_owned(), other: "Bo".to_owned(), ..CastNames::default() };
        let mut chapter = Chapter { cast, question: "Who?".to_owned(), ..Chapter::default() };
        let mut begins = 0;
        for _ in 0..23 {
            chapter = chapter.next();
            assert_eq!(chapter.cast.pov, "Ada");
            begins += u64::from(chapter.begins_part());
        }
        let chapter = chapter.next();
        assert_eq!((begins, chapter.cast.pov.as_str(), chapter.part()), (0, "", 2));
        assert!(chapter.begins_part());
    }
}
