//! Models with random weights. These tests hold for trained ones as well.

mod architectures;
mod bad_files;
mod choosing;
mod embedding;
mod harness;
mod prompts;
mod reuse;
mod stopping;
mod threads;
mod writing;
