//! What the compiler cannot see: the sources, manifests and pages of this repository, read as text.
//!
//! Depends on no crate of ours, so it is built in seconds.

#![cfg(test)]

mod campaign_sessions;
mod changelog;
mod citations;
mod code;
mod docs;
mod imports;
mod layers;
mod names;
mod project_files;
mod readers;
mod requirements;
mod security;
mod sources;
mod surface;
mod tidy;
