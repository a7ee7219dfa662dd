//! Embeds the model of sentence vectors that `NARRATORIA_EMBEDDING_MODEL_FILE` names. Without it the program has none.

use std::{env, path::Path};

const VARIABLE: &str = "NARRATORIA_EMBEDDING_MODEL_FILE";

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rustc-check-cfg=cfg(has_embedding_model)");
    let Some(file) = env::var_os(VARIABLE).filter(|file| !file.is_empty()) else {
        return;
    };
    let Some(file) = Path::new(&file).to_str().filter(|file| Path::new(file).is_file()) else {
        println!("cargo::error={VARIABLE} names no file: {}", Path::new(&file).display());
        return;
    };
    println!("cargo::rerun-if-changed={file}");
    println!("cargo::rustc-cfg=has_embedding_model");
    println!("cargo::rustc-env={VARIABLE}={file}");
}
