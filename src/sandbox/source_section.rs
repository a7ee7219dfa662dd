//! A component with the source of its script behind its code. An author who plays a script then waits for no compiler:
//! the interpreter in the component stays the same, and only the section changes.
//!
//! The host gives the source to the script on stdin, before the request: its length in [`SOURCE_HEAD_BYTES`] bytes of
//! decimal digits, blanks and a line end, then the source itself. Only a host with
//! [`SandboxOptions::runs_sources`](crate::SandboxOptions) does so. Any other one ignores the section.

/// The name of the custom section, the last section of the component.
const SOURCE_SECTION: &str = "narratoria-source";

/// Longest source. Longer scripts must be built.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;

/// The bytes of the head that gives the length of a source on stdin.
pub const SOURCE_HEAD_BYTES: usize = 16;

/// Fuel on top of the script's own for each byte of its source, because reading a source is not the script's work. It
/// is generous, because only authors run sources.
pub(crate) const FUEL_PER_SOURCE_BYTE: u64 = 10_000;

/// Bytes before the first section of a component.
const PREAMBLE_BYTES: usize = 8;

/// Appends a source to a component that has none.
pub fn append_source(component: &[u8], source: &[u8]) -> Vec<u8> {
    let mut section = Vec::new();
    write_length(&mut section, SOURCE_SECTION.len());
    section.extend(SOURCE_SECTION.as_bytes());
    section.extend(source);
    let mut with_source = component.to_vec();
    // A custom section.
    with_source.push(0);
    write_length(&mut with_source, section.len());
    with_source.extend(section);
    with_source
}

/// Returns the component without its last section, and the source in it; `None` if the last section is another one, or
/// longer than a source may be.
pub(crate) fn split_source(component: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = component.get(PREAMBLE_BYTES..)?;
    let mut last = None;
    while let Some((id, after)) = rest.split_first() {
        let (length, after) = read_length(after)?;
        last = Some((*id, rest.len(), after.get(..length)?));
        rest = &after[length..];
    }
    let (id, bytes_to_end, section) = last?;
    let (name_length, section) = read_length(section)?;
    let (name, source) = section.split_at_checked(name_length)?;
    let is_source = id == 0 && name == SOURCE_SECTION.as_bytes();
    let base = &component[..component.len() - bytes_to_end];
    (is_source && source.len() <= SOURCE_BYTES_MAX).then_some((base, source))
}

/// Returns the stdin of a script with a source.
pub(crate) fn stdin_with(source: &[u8], request: &[u8]) -> Vec<u8> {
    let mut stdin = format!("{:>1$}\n", source.len(), SOURCE_HEAD_BYTES - 1).into_bytes();
    stdin.extend(source);
    stdin.extend(request);
    stdin
}

/// Writes a length as LEB128, the form of WebAssembly.
fn write_length(to: &mut Vec<u8>, mut length: usize) {
    while length > 0x7f {
        to.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    to.push(length as u8);
}

fn read_length(from: &[u8]) -> Option<(usize, &[u8])> {
    let mut length = 0_usize;
    // Lengths have 32 bits, which are five bytes of seven bits.
    for (idx, byte) in from.iter().take(5).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * idx);
        if byte & 0x80 == 0 {
            return Some((length, &from[idx + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn a_source_of_any_length_comes_back() {
        for length in [0, 1, 100, 127, 128, 20_000, SOURCE_BYTES_MAX] {
            let source = vec![b'x'; length];
            let component = append_source(EMPTY, &source);
            assert_eq!(split_source(&component), Some((EMPTY, &*source)), "{length}");
        }
    }

    #[test]
    fn what_has_no_source_is_left_as_it_is() {
        let other = b"\0asm\x0d\0\x01\0\x00\x05\x04name";
        let too_long = append_source(EMPTY, &vec![b'x'; SOURCE_BYTES_MAX + 1]);
        let whole = append_source(EMPTY, b"source");
        let cases = [b"".as_slice(), EMPTY, other, &too_long, &whole[..whole.len() - 1]];
        for component in cases {
            assert_eq!(split_source(component), None, "{} bytes", component.len());
        }
        let before = [&whole[..], b"\x00\x05\x04name"].concat();
        assert_eq!(split_source(&before), None, "another section is the last one");
    }

    #[test]
    fn the_source_comes_before_the_request() {
        assert_eq!(stdin_with(b"run", b"{}\n"), b"              3\nrun{}\n");
    }
}
