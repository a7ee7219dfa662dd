//! The error that all of lowering shares.

/// Why no value of a place can be offered. The text continues a sentence that begins with the name of the place.
pub(in crate::llama) type LoweringError = String;
