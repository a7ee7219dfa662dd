//! The sentences of a story that has people and places of its own, from `text/quiet.md`.

pub(super) use pools::{
    QUIET_CLOSINGS, QUIET_COMPANY, QUIET_DEEDS, QUIET_INTENTIONS, QUIET_OPENINGS, QUIET_QUESTIONS,
    QUIET_REMARKS, QUIET_SEARCHES, QUIET_SPEECH, QUIET_SUMMARIES, QUIET_THINGS, QUIET_THOUGHTS,
    QUIET_TITLES,
};

/// The pools, each a constant with the name of its heading.
#[deny(dead_code)]
mod pools {
    include!(concat!(env!("OUT_DIR"), "/quiet.rs"));
}

#[cfg(test)]
mod tests {
    use super::{pools::PAGE_PLACES, *};
    use crate::tick::{
        moment::Signs,
        scene::{LONG_SENTENCE_WORDS, SCENES_WITHOUT_REPETITION},
        template::SceneSlots,
    };

    #[test]
    fn every_place_of_the_page_is_filled() {
        for place in PAGE_PLACES {
            assert!(SceneSlots::default().value(place).is_some(), "{place}");
        }
    }

    /// A short sentence may return after ten scenes, a long one may not; and each pool has enough for ten scenes of one
    /// person at one place, at any hour.
    #[test]
    fn the_quiet_sentences_are_short_and_do_not_run_out() {
        let pools = [
            QUIET_OPENINGS,
            QUIET_THINGS,
            QUIET_DEEDS,
            QUIET_COMPANY,
            QUIET_REMARKS,
            QUIET_THOUGHTS,
            QUIET_CLOSINGS,
        ];
        for pool in pools {
            for sentence in pool {
                // A name has two words, and so may a place, a thing or a deed.
                let names = ["{pov}", "{o}", "{place}", "{Place}", "{feature}", "{doing}"];
                let names: usize = names.iter().map(|name| sentence.matches(name).count()).sum();
                let words = sentence.split_whitespace().count() + names;
                assert!(words < LONG_SENTENCE_WORDS, "{words} words: {sentence}");
            }
            let plain = pool.iter().filter(|sentence| {
                let signs = Signs::of(sentence);
                signs.times.is_none() && signs.weathers.is_none()
            });
            assert!(plain.count() > SCENES_WITHOUT_REPETITION, "{pool:?}");
        }
    }
}
