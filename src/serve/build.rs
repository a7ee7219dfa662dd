//! Embeds the page. Each file gets the hash of the whole page into its name, and what names it is rewritten, so that a
//! browser keeps a file for ever and never mixes two versions of the page.

use std::{
    env,
    error::Error,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

/// The page itself, whose name has no hash.
const INDEX: &str = "index.html";

/// What the page may be made of, and how it is served.
const MEDIA_TYPES: &[(&str, &str)] = &[
    ("html", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("ico", "image/x-icon"),
    ("woff2", "font/woff2"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=page");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files = Vec::new();
    for entry in fs::read_dir("page")? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a name is no text")?;
        // Drafts of editors.
        if path.is_file() && !name.starts_with('.') && !name.ends_with('~') {
            files.push((name.to_owned(), fs::read(&path)?));
        }
    }
    files.sort();
    let hash = hash_of(&files);
    let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    let mut table = format!("pub(crate) const PAGE_HASH: &str = {hash:?};\n");
    table += "static PAGE_FILES: &[PageFile] = &[\n";
    for (name, bytes) in files {
        let media_type = media_type(&name)?;
        let bytes = match String::from_utf8(bytes) {
            Ok(text) if name == INDEX => {
                rewritten(&with_preloads(&text, &names)?, &names, &hash).into_bytes()
            }
            Ok(text) => rewritten(&text, &names, &hash).into_bytes(),
            Err(error) => error.into_bytes(),
        };
        let gzip = gzip(&bytes)?;
        let served_as = hashed(&name, &hash);
        let plain_at = put(&out, &served_as, &bytes)?;
        let gzip_at = put(&out, &format!("{served_as}.gz"), &gzip)?;
        table += &format!(
            "    PageFile {{ name: {served_as:?}, media_type: {media_type:?}, \
             bytes: include_bytes!({plain_at:?}), gzip: include_bytes!({gzip_at:?}) }},\n"
        );
    }
    table += "];\n";
    fs::write(out.join("page_files.rs"), table)?;
    Ok(())
}

/// A hash over names and contents, because a module names others, which may name it.
fn hash_of(files: &[(String, Vec<u8>)]) -> String {
    let mut hash = Sha256::new();
    for (name, bytes) in files {
        hash.update(name);
        hash.update([0]);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn media_type(name: &str) -> Result<&'static str, Box<dyn Error>> {
    let ending = name.rsplit('.').next().unwrap_or_default();
    let known = MEDIA_TYPES.iter().find(|(known, _)| *known == ending);
    let (_, media_type) = known.ok_or_else(|| format!("page/{name}: no type for `.{ending}`"))?;
    Ok(media_type)
}

/// `main.js` is `main.HASH.js`.
fn hashed(name: &str, hash: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, ending)) if name != INDEX => format!("{stem}.{hash}.{ending}"),
        _ => name.to_owned(),
    }
}

/// The page with a hint for each of its modules, so that a browser asks for all at once and not for one import after the
/// other.
fn with_preloads(text: &str, names: &[String]) -> Result<String, Box<dyn Error>> {
    let (head, rest) = text.split_once("</head>").ok_or("page/index.html: no `</head>`")?;
    let modules = names.iter().filter(|name| name.ends_with(".js"));
    let hints = modules.map(|name| format!("  <link rel=\"modulepreload\" href=\"{name}\">\n  "));
    Ok(format!("{head}{}</head>{rest}", hints.collect::<String>()))
}

/// Replaces each reference to a file of the page: its name between quotes or parentheses, with or without `./` before it.
/// A name without `./` is a reference only where a document or a style sheet says so, because a text may be a name too.
fn rewritten(text: &str, names: &[String], hash: &str) -> String {
    let mut text = text.to_owned();
    for name in names.iter().filter(|name| *name != INDEX) {
        let target = format!("/assets/{}", hashed(name, hash));
        for (open, close) in [("\"", "\""), ("'", "'"), ("`", "`"), ("(", ")")] {
            text =
                text.replace(&format!("{open}./{name}{close}"), &format!("{open}{target}{close}"));
        }
        for open in ["src=\"", "href=\"", "src=\"/", "href=\"/"] {
            text = text.replace(
                &format!("{open}{name}\""),
                &format!("{}{target}\"", open.trim_end_matches('/')),
            );
        }
        for (open, close) in [("url(", ")"), ("url(\"", "\")")] {
            text = text.replace(&format!("{open}{name}{close}"), &format!("{open}{target}{close}"));
        }
    }
    text
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, Box<dyn Error>> {
    let path = folder.join(name);
    fs::write(&path, bytes)?;
    Ok(path)
}
