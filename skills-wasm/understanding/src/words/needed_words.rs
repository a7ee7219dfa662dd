//! Which words a row needs, so that a clause without them is not compared with it.

use crate::{
    forms::word_bits::word_bit,
    words::tokens::{Token, is_mark},
};

/// The bits of words of which a clause must have one for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NeededWords {
    /// At its beginning.
    pub(crate) first: u128,
    /// Anywhere.
    pub(crate) anywhere: u128,
}

impl NeededWords {
    /// A row that needs no word is compared with every clause.
    pub(crate) const NONE: NeededWords = NeededWords { first: u128::MAX, anywhere: u128::MAX };
}

/// The bits of the words of a clause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClauseWords {
    first: u128,
    anywhere: u128,
}

impl ClauseWords {
    /// The words of a clause. Its first may be a verb in the third person.
    pub(crate) fn of(clause: &[Token]) -> ClauseWords {
        let first = clause.first().map_or(0, |token| {
            let plain = token
                .word()
                .strip_suffix('s')
                .map_or(0, |plain| word_bit(plain) | plain.strip_suffix('e').map_or(0, word_bit));
            bit(token) | plain
        });
        ClauseWords { first, anywhere: clause.iter().fold(first, |bits, token| bits | bit(token)) }
    }

    /// Returns true if the clause may have the words that the row needs.
    pub(crate) fn may_fit(self, needed: NeededWords) -> bool {
        self.first & needed.first != 0 && self.anywhere & needed.anywhere != 0
    }
}

fn bit(token: &Token) -> u128 {
    word_bit(if is_mark(token) { "," } else { token.word() })
}
