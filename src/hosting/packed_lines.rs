//! The lines of a change as a database keeps them: a byte that names the form, and then the bytes. Most of a turn is the record
//! of its plan, JSON that says the same names again and again, and takes a ninth of its length when it is deflated.
//!
//! Digests are those of the lines, so the form is no part of the chain. A new form wants a migration that keeps older programs
//! away from the tables.

use std::io::{Read, Write};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use narratoria_story::CHANGE_BYTES_MAX;

/// UTF-8 as it is.
const PLAIN: u8 = 0;
/// UTF-8, deflated (RFC 1951).
const DEFLATED: u8 = 1;

/// Packs lines, deflated if that is shorter.
pub(crate) fn pack(lines: &str) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(vec![DEFLATED], Compression::default());
    let packed = encoder.write_all(lines.as_bytes()).and_then(|()| encoder.finish());
    match packed {
        Ok(packed) if packed.len() <= lines.len() => packed,
        // Short ones. Memory takes every byte, so there is no error.
        _ => [&[PLAIN][..], lines.as_bytes()].concat(),
    }
}

/// Unpacks what [`pack`] has made. Returns `None` for other bytes, and for more lines than a change may have; bytes that were cut off
/// may give a part of the lines, which has another digest.
pub(crate) fn unpack(packed: &[u8]) -> Option<String> {
    let (form, bytes) = packed.split_first()?;
    let lines = match *form {
        PLAIN => bytes.to_vec(),
        DEFLATED => {
            let mut lines = Vec::new();
            let most = CHANGE_BYTES_MAX as u64 + 1;
            DeflateDecoder::new(bytes).take(most).read_to_end(&mut lines).ok()?;
            lines
        }
        _ => return None,
    };
    if lines.len() > CHANGE_BYTES_MAX { None } else { String::from_utf8(lines).ok() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{DEFLATED, PLAIN, pack, unpack};

    #[test]
    fn lines_that_repeat_themselves_take_a_part_of_their_length_and_short_ones_stay() {
        let lines = r#"{"kind":"turn","id":1,"events":[{"type":"narrative_choice"}]}"#.repeat(200);
        let packed = pack(&lines);
        assert!(packed.len() < lines.len() / 20, "{}", packed.len());
        assert_eq!((pack("{}\n"), packed[0]), (b"\0{}\n".to_vec(), DEFLATED));
    }

    #[test]
    fn bytes_that_nobody_has_packed_are_no_lines() {
        for bytes in [&b""[..], &[2, 1, 2], &[DEFLATED, 7, 7, 7], &[PLAIN, 0xff]] {
            assert_eq!(unpack(bytes), None, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn packed_lines_are_unpacked(lines in "(\\PC*\n){0,40}") {
            prop_assert_eq!(unpack(&pack(&lines)), Some(lines));
        }

        #[test]
        fn no_bytes_are_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = unpack(&bytes);
        }
    }
}
