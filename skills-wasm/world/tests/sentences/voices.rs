//! Sentences in the voices of several people: a set has a section `## veteran` for each.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
};

use world::world::World;

use super::effects::{SentenceScore, measure, read};

/// Plays each section. Prints the score of each voice with what was misunderstood, and fails where fewer than `floor` sentences
/// had their effect.
pub(crate) fn check_voices(name: &str, world: &World, text: &str, floor: usize) {
    let (mut right, mut all, mut report) = (0, 0, String::new());
    for section in text.split("\n## ").skip(1) {
        let (voice, lines) = section.split_once('\n').unwrap();
        let mut score = SentenceScore::default();
        measure(world, read(lines), &mut score);
        let _ = writeln!(report, "{voice}: {} of {}\n{}", score.right, score.all, score.wrong);
        right += score.right;
        all += score.all;
    }
    let _ = writeln!(io::stderr(), "{name}: understood {right} of {all}\n{report}");
    assert!(right >= floor, "{name}: understood {right} of {all}, not {floor}:\n{report}");
}
