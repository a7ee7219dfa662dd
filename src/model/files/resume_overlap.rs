//! Compares the first bytes of a response with the end of the partial download that it continues. Pure.
//!
//! A response does not prove that the server kept to the requested range. So the range begins a little before the end
//! of the partial download, and its first bytes must be equal.

#[derive(Debug, PartialEq, Eq)]
pub(super) enum OverlapCheck {
    /// Too few bytes have arrived.
    Undecided,
    /// The response continues the file, with these bytes.
    Continues(Vec<u8>),
    /// The response is the whole file; these are its first bytes.
    Restarts(Vec<u8>),
    /// The response is another file.
    Differs,
}

#[derive(Debug)]
pub(super) struct ResumeOverlap {
    /// The last bytes of the partial download.
    tail: Vec<u8>,
    /// As many of its first bytes.
    head: Vec<u8>,
    received: Vec<u8>,
    is_decided: bool,
}

impl ResumeOverlap {
    pub(super) fn new(tail: Vec<u8>, head: Vec<u8>) -> ResumeOverlap {
        ResumeOverlap { tail, head, received: Vec::new(), is_decided: false }
    }

    /// Checks the next bytes of the response.
    pub(super) fn push(&mut self, bytes: &[u8]) -> OverlapCheck {
        if self.is_decided {
            return OverlapCheck::Continues(bytes.to_vec());
        }
        self.received.extend_from_slice(bytes);
        if self.received.len() < self.tail.len() {
            return OverlapCheck::Undecided;
        }
        self.is_decided = true;
        let mut received = std::mem::take(&mut self.received);
        if received.starts_with(&self.tail) {
            OverlapCheck::Continues(received.split_off(self.tail.len()))
        } else if received.starts_with(&self.head) {
            OverlapCheck::Restarts(received)
        } else {
            OverlapCheck::Differs
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OverlapCheck, ResumeOverlap};

    fn overlap() -> ResumeOverlap {
        ResumeOverlap::new(b"xyz".to_vec(), b"abc".to_vec())
    }

    #[test]
    fn a_continuation_a_restart_and_another_file_are_distinguished() {
        assert_eq!(overlap().push(b"xyz12"), OverlapCheck::Continues(b"12".to_vec()));
        assert_eq!(overlap().push(b"abcd"), OverlapCheck::Restarts(b"abcd".to_vec()));
        assert_eq!(overlap().push(b"axyz"), OverlapCheck::Differs);
    }

    #[test]
    fn the_check_waits_for_enough_bytes() {
        let mut overlap = overlap();
        assert_eq!(overlap.push(b"x"), OverlapCheck::Undecided);
        assert_eq!(overlap.push(b""), OverlapCheck::Undecided);
        assert_eq!(overlap.push(b"yz1"), OverlapCheck::Continues(b"1".to_vec()));
        assert_eq!(overlap.push(b"abc"), OverlapCheck::Continues(b"abc".to_vec()));
    }

    #[test]
    fn every_response_continues_an_empty_download() {
        assert_eq!(
            ResumeOverlap::new(Vec::new(), Vec::new()).push(b"abc"),
            OverlapCheck::Continues(b"abc".to_vec())
        );
    }
}
