//! Models with random weights: whatever holds for them holds for trained ones.

mod bad_files;
mod harness;
mod prompts;
mod reuse;
mod stopping;
mod writing;
