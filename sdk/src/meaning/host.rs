//! The host's function, called by the component model's canonical ABI. wit-bindgen would write this module for
//! `contracts/wit/meaning.wit`; see `store/host.rs`. A test of the host compares the resulting component with that file.

use crate::{
    SkillError,
    abi::{model_error, pointer, tag},
};

/// The component linker's description of the world `compares`, as `wit_component::metadata::encode` of wit-component
/// 0.254 writes it. In this module for the reason in `store/host.rs`.
#[expect(dead_code, reason = "only the linker of components reads it, and takes it away")]
#[unsafe(link_section = "component-type:narratoria:host@0.1.0:compares")]
static MEANING_COMPONENT_TYPE: [u8; 286] = *b"\
    \0asm\r\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xb7\x01\x01A\x02\x01A\x02\x01B\x07\
    \x01q\x04\x0bunavailable\x01s\0\x07refused\x01s\0\ttimed-out\0\0\x06failed\x01s\0\x04\0\x05\
    error\x03\0\0\x01ps\x01pv\x01j\x01\x03\x01\x01\x01@\x02\x04texts\x06others\x02\0\x04\x04\0\
    \x07compare\x01\x05\x03\0\x1dnarratoria:host/meaning@0.1.0\x05\0\x04\0\
    \x1enarratoria:host/compares@0.1.0\x04\0\x0b\x0e\x01\0\x08compares\x03\0\0\0/\tproducers\x01\
    \x0cprocessed-by\x01\rwit-component\x070.254.0";

#[link(wasm_import_module = "narratoria:host/meaning@0.1.0")]
unsafe extern "C" {
    #[link_name = "compare"]
    fn host_compare(
        text: *const u8,
        text_bytes: usize,
        others: *const [usize; 2],
        others_count: usize,
        answer: *mut usize,
    );
}

#[inline(never)]
pub(super) fn compare(text: &str, others: &[String]) -> Result<Vec<f32>, SkillError> {
    let mut answer = [0; 4];
    let places: Vec<[usize; 2]> =
        others.iter().map(|other| [other.as_ptr().expose_provenance(), other.len()]).collect();
    // SAFETY: the texts are readable, and the answer has the four words of its type. The host has made the list of
    // numbers and its texts in our memory, with our allocator.
    unsafe {
        host_compare(text.as_ptr(), text.len(), places.as_ptr(), places.len(), answer.as_mut_ptr());
        let [result, first, second, third] = answer;
        if tag(result) == 0 {
            return Ok(Vec::from_raw_parts(pointer::<f32>(first, second), second, second));
        }
        Err(model_error([first, second, third], "the time was over"))
    }
}
