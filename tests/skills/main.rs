//! Packages as the crate hands them out: in real folders, and with schemas of untrusted authors.

mod bounds;
mod folders;
