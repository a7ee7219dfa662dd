//! The host's function, called by the component model's canonical ABI. wit-bindgen would write this module for
//! `contracts/wit/llm.wit`; see `store/host.rs`. A test of the host compares the resulting component with that file.

use super::prose::{LlmText, Prose};
use crate::{
    SkillError,
    abi::{model_error, tag, text},
};

/// The component linker's description of the world `writes`, as `wit_component::metadata::encode` of wit-component
/// 0.254 writes it. In this module for the reason in `store/host.rs`.
#[expect(dead_code, reason = "only the linker of components reads it, and takes it away")]
#[unsafe(link_section = "component-type:narratoria:host@0.1.0:writes")]
static LLM_COMPONENT_TYPE: [u8; 365] = *b"\
    \0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x88\x02\x01A\x02\x01A\x02\
    \x01B\n\x01ks\x01r\x05\x06system\0\x06prompts\nmax-tokensy\x0btemperaturev\x05aloud\x7f\
    \x04\0\x07request\x03\0\x01\x01r\x02\x04texts\x08complete\x7f\x04\0\x05reply\x03\0\x03\
    \x01q\x04\x0bunavailable\x01s\0\x07refused\x01s\0\x09timed-out\0\0\x06failed\x01s\0\x04\0\
    \x05error\x03\0\x05\x01j\x01\x04\x01\x06\x01@\x01\x07request\x02\0\x07\x04\0\x08generate\
    \x01\x08\x03\0\x19narratoria:host/llm@0.1.0\x05\0\x04\0\x1cnarratoria:host/writes@0.1.0\x04\0\
    \x0b\x0c\x01\0\x06writes\x03\0\0\0/\x09producers\x01\x0cprocessed-by\x01\x0dwit-component\
    \x070.254.2";

#[link(wasm_import_module = "narratoria:host/llm@0.1.0")]
unsafe extern "C" {
    #[link_name = "generate"]
    fn host_generate(
        has_system: u32,
        system: *const u8,
        system_bytes: usize,
        prompt: *const u8,
        prompt_bytes: usize,
        tokens_max: u32,
        temperature: f32,
        aloud: u32,
        answer: *mut usize,
    );
}

#[inline(never)]
pub(super) fn generate(prose: &Prose) -> Result<LlmText, SkillError> {
    let mut answer = [0; 4];
    let system = prose.system.as_deref().unwrap_or_default();
    // SAFETY: prompt and system text are readable, and the answer has the four words of its type.
    unsafe {
        host_generate(
            u32::from(prose.system.is_some()),
            system.as_ptr(),
            system.len(),
            prose.prompt.as_ptr(),
            prose.prompt.len(),
            prose.tokens_max,
            prose.temperature,
            u32::from(prose.aloud),
            answer.as_mut_ptr(),
        );
    }
    let [result, first, second, third] = answer;
    // SAFETY: the host has answered as the interface says.
    unsafe {
        if tag(result) == 0 {
            let is_complete = tag(third) != 0;
            return Ok(LlmText { text: text(first, second), is_complete });
        }
        let late = "the time was over before the first word was written";
        Err(model_error([first, second, third], late))
    }
}
