//! Reads the host's answers in the layout of the component model's canonical ABI.

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
