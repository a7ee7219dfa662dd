//! Scripts in C: by the wasi-sdk, or by a clang of the system with a libc for WASI and the linker for components
//! that comes with Rust.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use super::{BuildTools, PackageBuildError, rust::sysroot};

/// The usual folder of the wasi-sdk.
const SDK_FOLDER: &str = "/opt/wasi-sdk";

/// Target triples under which a libc for WASI may be installed, newest first. The linker makes components for the older
/// ones too.
const LIBC_TARGETS: [&str; 3] = ["wasm32-wasip2", "wasm32-wasip1", "wasm32-wasi"];

/// Compiles one file and links it.
pub(super) fn build(
    folder: &Path,
    from: &Path,
    to: &Path,
    tools: &BuildTools,
) -> Result<(), PackageBuildError> {
    let clang = Clang::find(folder, tools)?;
    let object = to.with_extension("o");
    let mut compile = clang.command(folder, tools);
    // Messages of `assert` would carry this machine's folders into the component.
    compile.arg(format!("-ffile-prefix-map={}=.", folder.display()));
    compile.args(["-Os", "-Wall", "-Wextra", "-c", "-o"]).arg(&object).arg(from);
    // Linked without `-Os`: with it clang calls any `wasm-opt` of the search path, which cannot read components.
    let mut link = clang.command(folder, tools);
    link.args(&clang.link_args).args(["-Wl,--strip-all", "-o"]).arg(to).arg(&object);
    let built = tools.run(compile).and_then(|()| tools.run(link));
    let _ = std::fs::remove_file(&object);
    built
}

/// Returns the clang that makes components.
pub(super) fn find(folder: &Path, tools: &BuildTools) -> Result<PathBuf, PackageBuildError> {
    Clang::find(folder, tools).map(|clang| clang.program)
}

/// A clang that makes components.
struct Clang {
    program: PathBuf,
    target: &'static str,
    /// The linker, if it is not clang's own.
    link_args: Vec<OsString>,
}

impl Clang {
    fn find(folder: &Path, tools: &BuildTools) -> Result<Clang, PackageBuildError> {
        let sdk =
            tools.var("WASI_SDK_PATH").map_or_else(|| PathBuf::from(SDK_FOLDER), PathBuf::from);
        let program = sdk.join("bin").join("clang");
        if program.is_file() {
            return Ok(Clang { program, target: LIBC_TARGETS[0], link_args: Vec::new() });
        }
        let program = tools
            .find("clang")
            .ok_or_else(|| missing("there is no `clang` on the search path and no wasi-sdk"))?;
        let linker = linker(folder, tools)
            .ok_or_else(|| missing("there is no `wasm-component-ld` and no wasi-sdk"))?;
        let mut targets = LIBC_TARGETS.into_iter();
        let Some(target) = targets.find(|target| has_libc(folder, tools, &program, target)) else {
            let program = program.display();
            let what = format!("`{program}` finds no libc for WASI, and there is no wasi-sdk");
            return Err(missing(&what));
        };
        let with_path = |flag: &str, path: &Path| {
            let mut flag = OsString::from(flag);
            flag.push(path);
            flag
        };
        let mut link_args = vec![with_path("-fuse-ld=", &linker)];
        // It calls another linker and makes a component of the result.
        link_args.extend(
            inner_linker(&linker, tools).map(|inner| with_path("-Wl,--wasm-ld-path=", &inner)),
        );
        Ok(Clang { program, target, link_args })
    }

    fn command(&self, folder: &Path, tools: &BuildTools) -> Command {
        let mut command = tools.command(&self.program, folder);
        command.arg(format!("--target={}", self.target));
        command
    }
}

fn missing(what: &str) -> PackageBuildError {
    PackageBuildError::NoTool {
        what: what.to_owned(),
        help: vec![
            "unpack the wasi-sdk and set WASI_SDK_PATH to its folder".to_owned(),
            "or, on Debian: `apt-get install clang lld wasi-libc libclang-rt-dev-wasm32`, and Rust with \
             the target wasm32-wasip2, whose linker is used"
                .to_owned(),
        ],
    }
}

/// Returns true if this clang compiles `#include <stdio.h>` for the target and has something to link with it.
fn has_libc(folder: &Path, tools: &BuildTools, clang: &Path, target: &str) -> bool {
    let ask = |arg: &str| {
        let mut command = tools.command(clang, folder);
        command.arg(format!("--target={target}")).arg(arg);
        tools.query(command)
    };
    // A clang that does not find the file prints its bare name.
    let is_there = |path: Option<String>| path.is_some_and(|path| Path::new(&path).is_file());
    let mut preprocess = tools.command(clang, folder);
    preprocess.arg(format!("--target={target}")).args(["-E", "-include", "stdio.h", "-x", "c"]);
    preprocess.arg("/dev/null");
    is_there(ask("-print-file-name=libc.a"))
        && is_there(ask("-print-libgcc-file-name"))
        && tools.query(preprocess).is_some()
}

/// The WebAssembly linker that the component linker calls: Rust's own lies beside it. `None` if the component linker
/// finds one by itself.
fn inner_linker(linker: &Path, tools: &BuildTools) -> Option<PathBuf> {
    const LINKER: &str = "wasm-ld";
    if tools.find(LINKER).is_some() {
        return None;
    }
    Some(linker.with_file_name("gcc-ld").join(LINKER)).filter(|path| path.is_file())
}

/// Returns the linker that makes components: on the search path, otherwise that of the Rust toolchain.
fn linker(folder: &Path, tools: &BuildTools) -> Option<PathBuf> {
    const LINKER: &str = "wasm-component-ld";
    tools.find(LINKER).or_else(|| {
        let hosts = sysroot(folder, tools, None)?.join("lib/rustlib");
        let mut hosts: Vec<PathBuf> =
            std::fs::read_dir(hosts).ok()?.flatten().map(|entry| entry.path()).collect();
        hosts.sort();
        hosts.into_iter().map(|host| host.join("bin").join(LINKER)).find(|path| path.is_file())
    })
}
