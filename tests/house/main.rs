//! The house itself: sources, manifests and pages, as text. Knows no crate of ours, so that it is built at once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod campaign_sessions;
mod code;
mod docs;
mod imports;
mod layers;
mod names;
mod readers;
mod requirements;
mod security;
mod sources;
mod tidy;
