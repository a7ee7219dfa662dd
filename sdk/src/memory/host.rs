//! The host's functions, called by the component model's canonical ABI. wit-bindgen would write this module for
//! `contracts/wit/memory.wit`; see `store/host.rs`. A test of the host compares the resulting component with that file.

use super::text::MemoryText;
use crate::abi::{pointer, tag, text};

/// The component linker's description of the world `remembers`, as `wit_component::metadata::encode` of wit-component
/// 0.254 writes it. In this module for the reason in `store/host.rs`.
#[expect(dead_code, reason = "only the linker of components reads it, and takes it away")]
#[unsafe(link_section = "component-type:narratoria:host@0.1.0:remembers")]
static MEMORY_COMPONENT_TYPE: [u8; 289] = *b"\
    \0asm\r\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xb9\x01\x01A\x02\x01A\x02\x01B\n\
    \x01ps\x01r\x02\x04texts\x04tags\0\x04\0\x05entry\x03\0\x01\x01j\0\x01s\x01@\x02\x04texts\
    \x04tags\0\0\x03\x04\0\x08remember\x01\x04\x01p\x02\x01j\x01\x05\x01s\x01@\x03\x05querys\
    \x04tags\0\x03maxy\0\x06\x04\0\x06recall\x01\x07\x03\0\x1cnarratoria:host/memory@0.1.0\x05\
    \0\x04\0\x1fnarratoria:host/remembers@0.1.0\x04\0\x0b\x0f\x01\0\tremembers\x03\0\0\0/\tprod\
    ucers\x01\x0cprocessed-by\x01\rwit-component\x070.254.2";

#[link(wasm_import_module = "narratoria:host/memory@0.1.0")]
unsafe extern "C" {
    #[link_name = "remember"]
    fn host_remember(
        text: *const u8,
        text_bytes: usize,
        tags: *const [usize; 2],
        tags_count: usize,
        answer: *mut usize,
    );
    #[link_name = "recall"]
    fn host_recall(
        query: *const u8,
        query_bytes: usize,
        tags: *const [usize; 2],
        tags_count: usize,
        max: u32,
        answer: *mut usize,
    );
}

/// Place and length of each text.
fn places(texts: &[&str]) -> Vec<[usize; 2]> {
    texts.iter().map(|text| [text.as_ptr().expose_provenance(), text.len()]).collect()
}

#[inline(never)]
pub(super) fn remember(text_: &str, tags: &[&str]) -> Result<(), String> {
    let mut answer = [0; 3];
    let tags = places(tags);
    // SAFETY: text and tags are readable, and the answer has the three words of its type. The host answers as
    // the interface says.
    unsafe {
        host_remember(text_.as_ptr(), text_.len(), tags.as_ptr(), tags.len(), answer.as_mut_ptr());
        let [result, place, len] = answer;
        match tag(result) {
            0 => Ok(()),
            _ => Err(text(place, len)),
        }
    }
}

#[inline(never)]
pub(super) fn recall(query: &str, tags: &[&str], max: u32) -> Result<Vec<MemoryText>, String> {
    let mut answer = [0; 3];
    let tags = places(tags);
    let (bytes, count) = (query.len(), tags.len());
    // SAFETY: query and tags are readable, and the answer has the three words of its type. The host has made the
    // lists in our memory, with our allocator: entries of place and length of the text, and of the tags; and
    // each tag as place and length.
    unsafe {
        host_recall(query.as_ptr(), bytes, tags.as_ptr(), count, max, answer.as_mut_ptr());
        let [result, place, len] = answer;
        if tag(result) != 0 {
            return Err(text(place, len));
        }
        let entries = Vec::from_raw_parts(pointer::<[usize; 4]>(place, len), len, len);
        let entry = |[place, len, tags, count]: [usize; 4]| {
            let tags = Vec::from_raw_parts(pointer::<[usize; 2]>(tags, count), count, count);
            let tags = tags.into_iter().map(|[place, len]| text(place, len)).collect();
            MemoryText { text: text(place, len), tags }
        };
        Ok(entries.into_iter().map(entry).collect())
    }
}
