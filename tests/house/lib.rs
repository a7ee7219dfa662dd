//! Rules that the compiler cannot check. These tests read the sources, manifests and pages of this repository as text.
//!
//! This crate depends on no other crate of the workspace, so it builds in seconds.

#![cfg(test)]

mod address;
mod campaign_sessions;
mod changelog;
mod citations;
mod code;
mod docs;
mod forgotten;
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
mod word_classes;
