//! The host's functions, called by the component model's canonical ABI. wit-bindgen would write this module for
//! `contracts/wit/store.wit`; without its macro every author builds three parsers less. A test of the host compares the
//! resulting component with that file.

use crate::abi::{pointer, tag, text};

/// The component linker's description of the world `keeps`, as `wit_component::metadata::encode` of wit-component
/// 0.254 writes it.
///
/// It lies in this module because a module is compiled as one piece, so that the description is linked whenever the
/// functions are.
#[expect(dead_code, reason = "only the linker of components reads it, and takes it away")]
#[unsafe(link_section = "component-type:narratoria:host@0.1.0:keeps")]
static STORE_COMPONENT_TYPE: [u8; 282] = *b"\
    \0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xb6\x01\x01A\x02\x01A\x02\
    \x01B\x0d\x01ks\x01j\x01\0\x01s\x01@\x01\x03keys\0\x01\x04\0\x03get\x01\x02\x01j\0\x01s\
    \x01@\x02\x03keys\x05values\0\x03\x04\0\x03set\x01\x04\x01@\x01\x03keys\0\x03\x04\0\x06d\
    elete\x01\x05\x01ps\x01j\x01\x06\x01s\x01@\x01\x06prefixs\0\x07\x04\0\x04list\x01\x08\
    \x03\0\x1bnarratoria:host/store@0.1.0\x05\0\x04\0\x1bnarratoria:host/keeps@0.1.0\x04\0\
    \x0b\x0b\x01\0\x05keeps\x03\0\0\0/\x09producers\x01\x0cprocessed-by\x01\x0dwit-component\
    \x070.254.2";

#[link(wasm_import_module = "narratoria:host/store@0.1.0")]
unsafe extern "C" {
    #[link_name = "get"]
    fn host_get(key: *const u8, key_bytes: usize, answer: *mut usize);
    #[link_name = "set"]
    fn host_set(
        key: *const u8,
        key_bytes: usize,
        value: *const u8,
        value_bytes: usize,
        answer: *mut usize,
    );
    #[link_name = "delete"]
    fn host_delete(key: *const u8, key_bytes: usize, answer: *mut usize);
    #[link_name = "list"]
    fn host_list(prefix: *const u8, prefix_bytes: usize, answer: *mut usize);
}

#[inline(never)]
pub(super) fn get(key: &str) -> Result<Option<String>, String> {
    let mut answer = [0; 4];
    // SAFETY: the key is readable, and the answer has the four words of its type.
    unsafe { host_get(key.as_ptr(), key.len(), answer.as_mut_ptr()) };
    let [result, first, second, third] = answer;
    // SAFETY: the host has answered as the interface says.
    unsafe {
        match (tag(result), tag(first)) {
            (0, 0) => Ok(None),
            (0, _) => Ok(Some(text(second, third))),
            _ => Err(text(first, second)),
        }
    }
}

#[inline(never)]
pub(super) fn set(key: &str, value: &str) -> Result<(), String> {
    let mut answer = [0; 3];
    // SAFETY: key and value are readable, and the answer has the three words of its type.
    unsafe {
        host_set(key.as_ptr(), key.len(), value.as_ptr(), value.len(), answer.as_mut_ptr());
        unit_or_text(answer)
    }
}

#[inline(never)]
pub(super) fn delete(key: &str) -> Result<(), String> {
    let mut answer = [0; 3];
    // SAFETY: the key is readable, and the answer has the three words of its type.
    unsafe {
        host_delete(key.as_ptr(), key.len(), answer.as_mut_ptr());
        unit_or_text(answer)
    }
}

#[inline(never)]
pub(super) fn list(prefix: &str) -> Result<Vec<String>, String> {
    let mut answer = [0; 3];
    // SAFETY: the prefix is readable, and the answer has the three words of its type. The host has
    // made the list in our memory, with our allocator, as pairs of place and length.
    unsafe {
        host_list(prefix.as_ptr(), prefix.len(), answer.as_mut_ptr());
        let [result, place, len] = answer;
        if tag(result) != 0 {
            return Err(text(place, len));
        }
        let texts = Vec::from_raw_parts(pointer::<[usize; 2]>(place, len), len, len);
        Ok(texts.into_iter().map(|[place, len]| text(place, len)).collect())
    }
}

unsafe fn unit_or_text([result, place, len]: [usize; 3]) -> Result<(), String> {
    match tag(result) {
        0 => Ok(()),
        // SAFETY: the host has answered with a text.
        _ => Err(unsafe { text(place, len) }),
    }
}
