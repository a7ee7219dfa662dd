//! Every sentence of the dataset, with the effect on the world that must hold afterwards.

use super::readings::check;

#[test]
fn sentences_have_their_effect() {
    check(&[("lighthouse", "lighthouse"), ("train", "train"), ("garden", "garden")]);
}

/// Two worlds and their sentences, written in one go before the parser was asked: the first score is in the page on worlds.
#[test]
fn sentences_of_two_later_worlds_have_their_effect() {
    check(&[("held-out-pool", "pool"), ("held-out-cistern", "cistern")]);
}

/// A question finds nobody, a pronoun means nobody; only what the program is asked for means nothing in the story.
#[test]
fn what_is_meant_for_people_says_so_where_nobody_is() {
    check(&[("nobody-lighthouse", "lighthouse")]);
}

/// Another world, and sentences that no rule was made for.
#[test]
fn sentences_of_a_world_that_was_written_later_have_their_effect() {
    check(&[("held-out", "abbey")]);
}
