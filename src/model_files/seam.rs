//! Where new bytes meet those of an earlier try. Pure.
//!
//! The client does not tell whether a server kept to the range that it was asked for. So a range begins a little
//! before the end of what is there, and what comes first must be the same.

/// What an answer turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// Too little came to know.
    NotYet,
    /// It goes on where the file ends, with this.
    GoesOn(Vec<u8>),
    /// It is the whole file from its beginning, which this is.
    Anew(Vec<u8>),
    /// It is something else.
    Differs,
}

/// What is there, and what came.
#[derive(Debug)]
pub(super) struct Seam {
    /// The last bytes that are there.
    tail: Vec<u8>,
    /// As many from the beginning.
    head: Vec<u8>,
    came: Vec<u8>,
    is_closed: bool,
}

impl Seam {
    pub(super) fn new(tail: Vec<u8>, head: Vec<u8>) -> Seam {
        Seam { tail, head, came: Vec::new(), is_closed: false }
    }

    /// Takes the next bytes.
    pub(super) fn meet(&mut self, bytes: &[u8]) -> Met {
        if self.is_closed {
            return Met::GoesOn(bytes.to_vec());
        }
        self.came.extend_from_slice(bytes);
        if self.came.len() < self.tail.len() {
            return Met::NotYet;
        }
        self.is_closed = true;
        let mut came = std::mem::take(&mut self.came);
        if came.starts_with(&self.tail) {
            Met::GoesOn(came.split_off(self.tail.len()))
        } else if came.starts_with(&self.head) {
            Met::Anew(came)
        } else {
            Met::Differs
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Met, Seam};

    fn seam() -> Seam {
        Seam::new(b"xyz".to_vec(), b"abc".to_vec())
    }

    #[test]
    fn what_goes_on_is_told_from_what_begins_anew() {
        assert_eq!(seam().meet(b"xyz12"), Met::GoesOn(b"12".to_vec()));
        assert_eq!(seam().meet(b"abcd"), Met::Anew(b"abcd".to_vec()));
        assert_eq!(seam().meet(b"axyz"), Met::Differs);
    }

    #[test]
    fn it_waits_until_it_knows() {
        let mut seam = seam();
        assert_eq!(seam.meet(b"x"), Met::NotYet);
        assert_eq!(seam.meet(b""), Met::NotYet);
        assert_eq!(seam.meet(b"yz1"), Met::GoesOn(b"1".to_vec()));
        assert_eq!(seam.meet(b"abc"), Met::GoesOn(b"abc".to_vec()));
    }

    #[test]
    fn where_nothing_is_there_everything_goes_on() {
        assert_eq!(Seam::new(Vec::new(), Vec::new()).meet(b"abc"), Met::GoesOn(b"abc".to_vec()));
    }
}
