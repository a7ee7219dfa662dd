//! Models with random weights: whatever holds for them holds for trained ones.

mod bad_files;
mod embedding;
mod harness;
mod prompts;
mod reuse;
mod stopping;
mod writing;
