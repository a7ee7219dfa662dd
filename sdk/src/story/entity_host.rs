//! As `host.rs`, for `contracts/wit/entities.wit`.

use crate::abi::{tag, text};

/// The component linker's description of the world `populates`, as `wit_component::metadata::encode` of wit-component
/// 0.254 writes it. In this module for the reason in `store/host.rs`.
#[expect(dead_code, reason = "only the linker of components reads it, and takes it away")]
#[unsafe(link_section = "component-type:narratoria:host@0.1.0:populates")]
static ENTITIES_COMPONENT_TYPE: [u8; 316] = *b"\
    \0asm\r\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xd4\x01\x01A\x02\x01A\x02\x01B\x0b\x01j\x01\
    s\x01s\x01@\x02\x04kinds\x06entitys\0\0\x04\0\x06create\x01\x01\x01@\x02\x02ids\x07changess\0\0\x04\0\
    \x06update\x01\x02\x01@\x01\x02ids\0\0\x04\0\x03get\x01\x03\x01@\x02\x04kinds\x04names\0\0\x04\0\x07r\
    esolve\x01\x04\x01@\x01\x05querys\0\0\x04\0\x04find\x01\x05\x03\0\x1enarratoria:host/entities@0.1.0\x05\
    \0\x04\0\x1fnarratoria:host/populates@0.1.0\x04\0\x0b\x0f\x01\0\tpopulates\x03\0\0\0/\tproducers\x01\x0c\
    processed-by\x01\rwit-component\x070.254.2";

type EntityCall = unsafe extern "C" fn(*const u8, usize, *mut usize);
type TwoTexts = unsafe extern "C" fn(*const u8, usize, *const u8, usize, *mut usize);

#[link(wasm_import_module = "narratoria:host/entities@0.1.0")]
unsafe extern "C" {
    #[link_name = "create"]
    fn host_create(a: *const u8, a_bytes: usize, b: *const u8, b_bytes: usize, answer: *mut usize);
    #[link_name = "update"]
    fn host_update(a: *const u8, a_bytes: usize, b: *const u8, b_bytes: usize, answer: *mut usize);
    #[link_name = "get"]
    fn host_get(id: *const u8, id_bytes: usize, answer: *mut usize);
    #[link_name = "resolve"]
    fn host_resolve(a: *const u8, a_bytes: usize, b: *const u8, b_bytes: usize, answer: *mut usize);
    #[link_name = "find"]
    fn host_find(query: *const u8, query_bytes: usize, answer: *mut usize);
}

#[inline(never)]
fn call(function: EntityCall, given: &str) -> Result<String, String> {
    let mut answer = [0; 3];
    // SAFETY: the text is readable, and the answer has the three words of its type. The host answers as the interface
    // says.
    unsafe {
        function(given.as_ptr(), given.len(), answer.as_mut_ptr());
        taken(answer)
    }
}

#[inline(never)]
fn call_with_two(function: TwoTexts, one: &str, other: &str) -> Result<String, String> {
    let mut answer = [0; 3];
    // SAFETY: as above.
    unsafe {
        function(one.as_ptr(), one.len(), other.as_ptr(), other.len(), answer.as_mut_ptr());
        taken(answer)
    }
}

/// Takes the host's answer.
unsafe fn taken([result, place, len]: [usize; 3]) -> Result<String, String> {
    // SAFETY: the caller has it from the host.
    let text = unsafe { text(place, len) };
    if tag(result) == 0 { Ok(text) } else { Err(text) }
}

pub(super) fn create(kind: &str, entity: &str) -> Result<String, String> {
    call_with_two(host_create, kind, entity)
}

pub(super) fn update(id: &str, changes: &str) -> Result<String, String> {
    call_with_two(host_update, id, changes)
}

pub(super) fn get(id: &str) -> Result<String, String> {
    call(host_get, id)
}

pub(super) fn resolve(kind: &str, name: &str) -> Result<String, String> {
    call_with_two(host_resolve, kind, name)
}

pub(super) fn find(query: &str) -> Result<String, String> {
    call(host_find, query)
}
