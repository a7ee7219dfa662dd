//! Nothing but its manifest: features that crates have in both halves of the tests.
