//! Reading what the host has answered, as the canonical ABI of the component model lays it out.

/// A discriminant is one byte; the rest of its word is nobody's.
pub(crate) fn tag(word: usize) -> usize {
    word & 0xff
}

/// Takes a text that the host has made in our memory, with our allocator.
pub(crate) unsafe fn text(place: usize, len: usize) -> String {
    // SAFETY: the caller says that it is one; the component model lets no other than UTF-8 through.
    unsafe { String::from_raw_parts(pointer(place, len), len, len) }
}

/// Where something lies. Nothing lies nowhere: what is empty has not been allocated.
pub(crate) fn pointer<T>(place: usize, len: usize) -> *mut T {
    if len == 0 { std::ptr::dangling_mut() } else { std::ptr::with_exposed_provenance_mut(place) }
}
