//! Reads the host's answers in the layout of the component model's canonical ABI.

use crate::SkillError;

/// A discriminant is one byte; the rest of its word is undefined.
pub(crate) fn tag(word: usize) -> usize {
    word & 0xff
}

/// Takes a text that the host has allocated in our memory, with our allocator.
pub(crate) unsafe fn text(place: usize, len: usize) -> String {
    // SAFETY: the caller promises such a text, and the component model guarantees UTF-8.
    unsafe { String::from_raw_parts(pointer(place, len), len, len) }
}

/// The pointer to a value. An empty value has not been allocated, so its pointer dangles.
pub(crate) fn pointer<T>(place: usize, len: usize) -> *mut T {
    if len == 0 { std::ptr::dangling_mut() } else { std::ptr::with_exposed_provenance_mut(place) }
}

/// Takes the variant `error` of `llm.wit` and `meaning.wit`. `late` is the message of `timed-out`, which has no text.
pub(crate) unsafe fn model_error([kind, place, len]: [usize; 3], late: &str) -> SkillError {
    let code = match tag(kind) {
        0 => SkillError::LLM_UNAVAILABLE,
        1 => SkillError::LLM_REFUSED,
        2 => return SkillError::new(SkillError::LLM_TIMED_OUT, late),
        _ => SkillError::LLM_FAILED,
    };
    // SAFETY: the caller promises that the host has answered with this variant, whose other cases have a text.
    SkillError::new(code, unsafe { text(place, len) })
}
