//! A bit for each word, by which most rows are passed over. The build script reads this file too: it has the bits of the rows
//! ready.

/// The bit of a word. Words share bits, so that a bit only says that a word may be there.
pub(crate) const fn word_bit(word: &str) -> u128 {
    let bytes = word.as_bytes();
    let (mut hash, mut at) = (0x811c_9dc5_u32, 0);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    1 << ((hash ^ (hash >> 16)) & 127)
}
