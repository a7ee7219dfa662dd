//! Where new bytes meet those of an earlier try. Pure.
//!
//! The client does not tell whether a server kept to the range that it was asked for. So a range begins a little
//! before the end of what is there, and what comes first must be the same.

/// What an answer turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OverlapCheck {
    /// Too little came to know.
    Undecided,
    /// It goes on where the file ends, with this.
    Continues(Vec<u8>),
    /// It is the whole file from its beginning, which this is.
    Restarts(Vec<u8>),
    /// It is something else.
    Differs,
}

/// What is there, and what came.
#[derive(Debug)]
pub(super) struct ResumeOverlap {
    /// The last bytes that are there.
    tail: Vec<u8>,
    /// As many from the beginning.
    head: Vec<u8>,
    received: Vec<u8>,
    is_closed: bool,
}

impl ResumeOverlap {
    pub(super) fn new(tail: Vec<u8>, head: Vec<u8>) -> ResumeOverlap {
        ResumeOverlap { tail, head, received: Vec::new(), is_closed: false }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> OverlapCheck {
        if self.is_closed {
            return OverlapCheck::Continues(bytes.to_vec());
        }
        self.received.extend_from_slice(bytes);
        if self.received.len() < self.tail.len() {
            return OverlapCheck::Undecided;
        }
        self.is_closed = true;
        let mut came = std::mem::take(&mut self.received);
        if came.starts_with(&self.tail) {
            OverlapCheck::Continues(came.split_off(self.tail.len()))
        } else if came.starts_with(&self.head) {
            OverlapCheck::Restarts(came)
        } else {
            OverlapCheck::Differs
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OverlapCheck, ResumeOverlap};

    fn seam() -> ResumeOverlap {
        ResumeOverlap::new(b"xyz".to_vec(), b"abc".to_vec())
    }

    #[test]
    fn what_goes_on_is_told_from_what_begins_anew() {
        assert_eq!(seam().push(b"xyz12"), OverlapCheck::Continues(b"12".to_vec()));
        assert_eq!(seam().push(b"abcd"), OverlapCheck::Restarts(b"abcd".to_vec()));
        assert_eq!(seam().push(b"axyz"), OverlapCheck::Differs);
    }

    #[test]
    fn it_waits_until_it_knows() {
        let mut seam = seam();
        assert_eq!(seam.push(b"x"), OverlapCheck::Undecided);
        assert_eq!(seam.push(b""), OverlapCheck::Undecided);
        assert_eq!(seam.push(b"yz1"), OverlapCheck::Continues(b"1".to_vec()));
        assert_eq!(seam.push(b"abc"), OverlapCheck::Continues(b"abc".to_vec()));
    }

    #[test]
    fn where_nothing_is_there_everything_goes_on() {
        assert_eq!(
            ResumeOverlap::new(Vec::new(), Vec::new()).push(b"abc"),
            OverlapCheck::Continues(b"abc".to_vec())
        );
    }
}
