//! Native code of trusted components at the end of the program's own file, so that the first start compiles nothing.
//!
//! The end of the file is a tar, then the tar's length as eight bytes, then a mark. The host reads only the heads of
//! its entries, and the one entry that it needs. Each is named
//! `<sha256 of the component>/<sha256 of the code>`. The code uses no feature that only some processors of this kind
//! have, so the program runs elsewhere too. Code of another version of wasmtime or of other settings is not loaded.
//!
//! A program that can change this file can change this program. So the digests guard only against damage, like those of
//! the cache.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use narratoria_protocol::digest::sha256;
use tar::{Archive, Builder, Header};
use target_lexicon::HOST;

use crate::{load_error::ComponentLoadError, preflight, wasm_engine::portable_engine};

/// The last bytes of a file with embedded code.
const MARK: &[u8; 16] = b"narratoria-code1";

/// The mark, and the length of the tar before it.
const FOOTER_BYTES: u64 = 8 + MARK.len() as u64;

/// Most bytes of one component's code. The largest built-in skill has fifteen million.
pub const EMBEDDED_CODE_BYTES_MAX: u64 = 64 << 20;

/// Native code of a component that the program carries.
pub(crate) struct EmbeddedComponent {
    pub(crate) code: Vec<u8>,
    /// SHA-256 of the code, checked against it.
    pub(crate) code_digest: String,
}

/// A file with compiled components at its end.
pub(crate) struct EmbeddedCode {
    file: PathBuf,
    /// True if there is code in the file. Looked up once.
    is_there: OnceLock<bool>,
}

impl EmbeddedCode {
    pub(crate) fn in_file(file: &Path) -> EmbeddedCode {
        EmbeddedCode { file: file.to_owned(), is_there: OnceLock::new() }
    }

    /// Returns true if the file has code of any component at its end.
    pub(crate) fn is_there(&self) -> bool {
        let find = || tar_start(&mut fs::File::open(&self.file)?);
        *self.is_there.get_or_init(|| find().is_ok_and(|start| start.is_some()))
    }

    /// Returns the code of the component with this digest. `None` if there is none or it is damaged.
    pub(crate) fn code_of(&self, wasm_digest: &str) -> Option<EmbeddedComponent> {
        let found = self.find(wasm_digest);
        found
            .inspect_err(|error| {
                tracing::debug!("no code is read from {}: {error}", self.file.display());
            })
            .ok()?
    }

    fn find(&self, wasm_digest: &str) -> io::Result<Option<EmbeddedComponent>> {
        let mut file = fs::File::open(&self.file)?;
        let Some(start) = tar_start(&mut file)? else { return Ok(None) };
        file.seek(SeekFrom::Start(start))?;
        for entry in Archive::new(TarInFile { file, start }).entries_with_seek()? {
            let entry = entry?;
            let path = entry.path()?;
            let digests = path.to_str().and_then(|path| path.split_once('/'));
            let Some((_, code_digest)) = digests.filter(|(wasm, _)| *wasm == wasm_digest) else {
                continue;
            };
            let code_digest = code_digest.to_owned();
            let mut code = Vec::with_capacity(entry.size().min(EMBEDDED_CODE_BYTES_MAX) as usize);
            entry.take(EMBEDDED_CODE_BYTES_MAX).read_to_end(&mut code)?;
            if sha256(&code) != code_digest {
                tracing::warn!("code in {} is damaged", self.file.display());
                return Ok(None);
            }
            return Ok(Some(EmbeddedComponent { code, code_digest }));
        }
        Ok(None)
    }
}

/// Reads the tar as if the file began with it, because `tar` counts its positions from 0. The reader stops at the
/// blocks of zeros that end every tar.
struct TarInFile {
    file: fs::File,
    start: u64,
}

impl Read for TarInFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.file.read(into)
    }
}

impl Seek for TarInFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(at) => SeekFrom::Start(self.start.saturating_add(at)),
            other => other,
        };
        let before = || io::Error::other("a place before the tar");
        self.file.seek(to)?.checked_sub(self.start).ok_or_else(before)
    }
}

/// Returns the position of the tar in the file; `None` for a file without embedded code.
fn tar_start(file: &mut fs::File) -> io::Result<Option<u64>> {
    let file_bytes = file.metadata()?.len();
    let Some(end) = file_bytes.checked_sub(FOOTER_BYTES) else { return Ok(None) };
    file.seek(SeekFrom::Start(end))?;
    let (mut tar_bytes, mut mark) = ([0; 8], [0; MARK.len()]);
    file.read_exact(&mut tar_bytes)?;
    file.read_exact(&mut mark)?;
    let start = end.checked_sub(u64::from_le_bytes(tar_bytes));
    Ok(start.filter(|_| mark == *MARK))
}

/// Compiles the components and writes a copy of the program with their code at its end, in place of code that it
/// already has. The components must be trusted, because nothing limits their compilation. A component
/// that several scripts share is embedded once.
pub fn embed_code(
    program: &Path,
    components: &[&[u8]],
    out: &mut impl Write,
) -> Result<(), ComponentLoadError> {
    let engine = portable_engine(&HOST.to_string()).map_err(ComponentLoadError::Engine)?;
    let mut tar = Builder::new(Vec::new());
    let mut embedded = BTreeSet::new();
    let failed = |source| ComponentLoadError::EmbeddedCode { program: program.to_owned(), source };
    for wasm in components {
        let wasm_digest = sha256(wasm);
        if !embedded.insert(wasm_digest.clone()) {
            continue;
        }
        preflight::check(wasm)?;
        let code = engine
            .precompile_component(wasm)
            .map_err(|error| ComponentLoadError::not_a_component(&error))?;
        let mut header = Header::new_ustar();
        header.set_size(code.len() as u64);
        header.set_mode(0o644);
        let name = format!("{wasm_digest}/{}", sha256(&code));
        tar.append_data(&mut header, name, code.as_slice()).map_err(failed)?;
    }
    let tar = tar.into_inner().map_err(failed)?;
    let mut copy = || {
        let mut file = fs::File::open(program)?;
        let own_bytes = match tar_start(&mut file)? {
            Some(start) => start,
            None => file.metadata()?.len(),
        };
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut file.take(own_bytes), out)?;
        out.write_all(&tar)?;
        out.write_all(&(tar.len() as u64).to_le_bytes())?;
        out.write_all(MARK)
    };
    copy().map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use narratoria_protocol::digest::sha256;
    use tempfile::TempDir;

    use super::{EmbeddedCode, embed_code};
    use crate::{Sandbox, SandboxOptions};

    const PROGRAM: &[u8] = b"\x7fELF and the rest of a program";

    struct Embedded {
        folder: TempDir,
        program: PathBuf,
        wasm: Vec<u8>,
    }

    impl Embedded {
        fn new() -> Embedded {
            let folder = tempfile::tempdir().unwrap();
            let wasm = narratoria_guests::ECHO.component.to_vec();
            let (bare, program) = (folder.path().join("bare"), folder.path().join("program"));
            fs::write(&bare, PROGRAM).unwrap();
            let mut out = Vec::new();
            embed_code(&bare, &[&wasm], &mut out).unwrap();
            fs::write(&program, out).unwrap();
            Embedded { folder, program, wasm }
        }

        fn code(&self) -> Option<Vec<u8>> {
            let found = EmbeddedCode::in_file(&self.program).code_of(&sha256(&self.wasm));
            found.map(|found| found.code)
        }

        /// True if a sandbox with an empty cache has the component without compiling it.
        fn is_loaded(&self) -> bool {
            let options = SandboxOptions {
                cache_folder: Some(self.folder.path().join("cache")),
                embedded_code: Some(self.program.clone()),
                on_demand: true,
                ..SandboxOptions::default()
            };
            let sandbox = Sandbox::open(&options).unwrap();
            sandbox.load_cached(&self.wasm, &narratoria_skills::Grants::default()).is_some()
        }
    }

    #[test]
    fn a_component_whose_code_the_program_carries_is_loaded_and_cached() {
        let embedded = Embedded::new();
        assert!(embedded.is_loaded());
        fs::write(&embedded.program, PROGRAM).unwrap();
        assert!(embedded.is_loaded(), "from the cache");
    }

    #[test]
    fn each_of_several_components_has_its_code() {
        let embedded = Embedded::new();
        let null = narratoria_guests::NULL.component;
        let mut out = Vec::new();
        embed_code(&embedded.program, &[null, &embedded.wasm], &mut out).unwrap();
        fs::write(&embedded.program, out).unwrap();
        let code = EmbeddedCode::in_file(&embedded.program);
        let found = |wasm: &[u8]| code.code_of(&sha256(wasm)).map(|found| sha256(&found.code));
        let (null, echo) = (found(null), found(&embedded.wasm));
        assert!(null.is_some() && echo.is_some() && null != echo, "{null:?} {echo:?}");
        assert!(embedded.is_loaded());
    }

    #[test]
    fn the_program_itself_stays_as_it_was_and_old_code_is_replaced() {
        let embedded = Embedded::new();
        let once = fs::read(&embedded.program).unwrap();
        assert!(once.starts_with(PROGRAM));
        let mut twice = Vec::new();
        embed_code(&embedded.program, &[&embedded.wasm, &embedded.wasm], &mut twice).unwrap();
        assert!(once == twice, "embedding again must not append a second tar");
    }

    #[test]
    fn a_program_without_code_and_an_unknown_component_have_none() {
        let mut embedded = Embedded::new();
        embedded.wasm.push(0);
        assert_eq!(embedded.code(), None);
        for bytes in
            [PROGRAM, b"", b"narratoria-code1", b"\xff\xff\xff\xff\xff\xff\xff\xffnarratoria-code1"]
        {
            fs::write(&embedded.program, bytes).unwrap();
            assert_eq!(embedded.code(), None, "{bytes:?}");
        }
        fs::remove_file(&embedded.program).unwrap();
        assert_eq!(embedded.code(), None);
    }

    #[test]
    fn damaged_code_is_not_loaded() {
        let embedded = Embedded::new();
        let whole = fs::read(&embedded.program).unwrap();
        let code = embedded.code().unwrap();
        let code_at = whole.windows(64).position(|window| window == &code[..64]).unwrap();
        // One byte within the code, one before it (the name in the tar), and a file that lost its middle.
        for at in [code_at + code.len() / 2, PROGRAM.len() + 2] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&embedded.program, &damaged).unwrap();
            assert!(!embedded.is_loaded(), "byte {at}");
        }
        let cut = [&whole[..code_at + 100], &whole[code_at + 612..]].concat();
        fs::write(&embedded.program, &cut).unwrap();
        assert!(!embedded.is_loaded());
    }
}
