//! The file of the bench model: made once, with random weights, and quantised by llama.cpp itself.

use std::{
    error::Error,
    ffi::CString,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use llama_cpp_2::{LogOptions, send_logs_to_tracing};
use llama_cpp_sys_2 as sys;

/// Of the weights.
const SEED: u64 = 20_240_607;

/// Packages whose documentation gives the vocabulary enough English.
const DOCUMENTED: [&str; 5] = ["clap_builder", "jiff", "regex", "tokio", "wasmtime"];

/// Where the bench model lies, after it has been made if it was not there: half a minute and 900 MB on the
/// way to 145 MB. The vocabulary is that of this checkout, so `make clean` and this give the same model.
pub(crate) fn bench_model() -> Result<PathBuf, Box<dyn Error>> {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("target/models");
    let path = folder.join("bench-q4km.gguf");
    if path.is_file() {
        return Ok(path);
    }
    fs::create_dir_all(&folder)?;
    let text = narratoria_models::text(root, &documented(root)?)?;
    let (plain, part) = (folder.join("bench-f32.part"), folder.join("bench-q4km.part"));
    narratoria_models::bench(&plain, &text, SEED)?;
    let quantised = quantise(&plain, &part);
    fs::remove_file(&plain)?;
    quantised?;
    fs::rename(part, &path)?;
    Ok(path)
}

/// Folders of the packages, in the versions of the lock file.
fn documented(root: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root)
        .output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&cargo.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("cargo lists no packages")?;
    DOCUMENTED
        .iter()
        .map(|name| {
            let package = packages.iter().find(|package| package["name"] == *name);
            let manifest = package.and_then(|package| package["manifest_path"].as_str());
            let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
            Ok(folder.ok_or_else(|| format!("cargo knows no package `{name}`"))?.to_owned())
        })
        .collect()
}

fn quantise(from: &Path, to: &Path) -> io::Result<()> {
    let name = |path: &Path| CString::new(path.as_os_str().as_encoded_bytes());
    let (from, to) = (name(from)?, name(to)?);
    send_logs_to_tracing(LogOptions::default().with_logs_enabled(false));
    // Safety: both names end in a zero, and llama.cpp reads its parameters only while it works.
    let failed = unsafe {
        sys::llama_backend_init();
        let mut how = sys::llama_model_quantize_default_params();
        how.ftype = sys::LLAMA_FTYPE_MOSTLY_Q4_K_M;
        sys::llama_model_quantize(from.as_ptr(), to.as_ptr(), &how)
    };
    match failed {
        0 => Ok(()),
        _ => Err(io::Error::other("llama.cpp could not quantise the bench model")),
    }
}
