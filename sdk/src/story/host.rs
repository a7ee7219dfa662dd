//! The host's functions, called by the component model's canonical ABI. wit-bindgen would write this module for
//! `contracts/wit/memories.wit`; see `store/host.rs`. A test of the host compares the resulting component with that file.

use crate::abi::{tag, text};

/// The component linker's description of the world `recollects`, as `wit_component::metadata::encode` of wit-component
/// 0.254 writes it. In this module for the reason in `store/host.rs`.
#[expect(dead_code, reason = "only the linker of components reads it, and takes it away")]
#[unsafe(link_section = "component-type:narratoria:host@0.1.0:recollects")]
static MEMORIES_COMPONENT_TYPE: [u8; 279] = *b"\
    \0asm\r\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xae\x01\x01A\x02\x01A\x02\x01B\t\x01j\x01s\x01\
    s\x01@\x01\x06memorys\0\0\x04\0\x08remember\x01\x01\x01@\x01\x05querys\0\0\x04\0\x06search\x01\x02\x01\
    @\x01\x02ids\0\0\x04\0\x03pin\x01\x03\x04\0\x05unpin\x01\x03\x04\0\x06forget\x01\x03\x03\0\x1enarrato\
    ria:host/memories@0.1.0\x05\0\x04\0 narratoria:host/recollects@0.1.0\x04\0\x0b\x10\x01\0\nrecollects\x03\
    \0\0\0/\tproducers\x01\x0cprocessed-by\x01\rwit-component\x070.254.2";

type OneText = unsafe extern "C" fn(*const u8, usize, *mut usize);

#[link(wasm_import_module = "narratoria:host/memories@0.1.0")]
unsafe extern "C" {
    #[link_name = "remember"]
    fn host_remember(memory: *const u8, memory_bytes: usize, answer: *mut usize);
    #[link_name = "search"]
    fn host_search(query: *const u8, query_bytes: usize, answer: *mut usize);
    #[link_name = "pin"]
    fn host_pin(id: *const u8, id_bytes: usize, answer: *mut usize);
    #[link_name = "unpin"]
    fn host_unpin(id: *const u8, id_bytes: usize, answer: *mut usize);
    #[link_name = "forget"]
    fn host_forget(id: *const u8, id_bytes: usize, answer: *mut usize);
}

#[inline(never)]
fn call(function: OneText, given: &str) -> Result<String, String> {
    let mut answer = [0; 3];
    // SAFETY: the text is readable, and the answer has the three words of its type. The host answers as the interface
    // says.
    unsafe {
        function(given.as_ptr(), given.len(), answer.as_mut_ptr());
        let [result, place, len] = answer;
        match tag(result) {
            0 => Ok(text(place, len)),
            _ => Err(text(place, len)),
        }
    }
}

pub(super) fn remember(memory: &str) -> Result<String, String> {
    call(host_remember, memory)
}

pub(super) fn search(query: &str) -> Result<String, String> {
    call(host_search, query)
}

pub(super) fn pin(id: &str) -> Result<String, String> {
    call(host_pin, id)
}

pub(super) fn unpin(id: &str) -> Result<String, String> {
    call(host_unpin, id)
}

pub(super) fn forget(id: &str) -> Result<String, String> {
    call(host_forget, id)
}
