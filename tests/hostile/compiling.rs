//! Components that take the compiler's time and memory. A subprocess compiles them and is stopped, and nothing else
//! notices.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use narratoria_sandbox::{Compiler, ComponentLoadError, LoadedComponent, Sandbox, SandboxOptions};
use narratoria_skills::Grants;

use super::{
    crafted::command,
    support::{self, LIMITS, compiler, ending_text},
};

fn subprocess_sandbox(compile_time: Option<Duration>) -> Sandbox {
    let options =
        SandboxOptions { compiler: compiler(), compile_time, ..SandboxOptions::default() };
    Sandbox::open(&options).unwrap()
}

fn load(sandbox: &Sandbox, wasm: &[u8]) -> Result<LoadedComponent, ComponentLoadError> {
    sandbox.load(wasm, &Grants::default())
}

/// Within every limit of the preflight, and more than a minute's work.
fn slow_to_compile() -> Vec<u8> {
    let adds =
        "local.get 0 i32.const 7 i32.mul local.get 1 i32.xor local.tee 1 local.set 0 ".repeat(400);
    let function = format!("(func (param i32) (local i32) {adds})");
    command(&function.repeat(8_000), "i32.const 0")
}

#[tokio::test]
async fn a_component_from_the_subprocess_runs() {
    let sandbox = subprocess_sandbox(None);
    let component = load(&sandbox, narratoria_guests::ECHO.component).unwrap();
    let ended = support::run(&component, "echo", LIMITS).await.ending;
    assert_eq!(ending_text(&ended), "ok");
    let began = Instant::now();
    load(&sandbox, &command("", "i32.const 0")).unwrap();
    println!("the smallest component took {:?} to compile in a subprocess", began.elapsed());
}

#[test]
fn the_subprocess_returns_the_compilers_error() {
    let error = load(&subprocess_sandbox(None), b"\0asm\x0d\0\x01\0\xff").map(drop).unwrap_err();
    let here = load(&support::sandbox(), b"\0asm\x0d\0\x01\0\xff").map(drop).unwrap_err();
    assert_eq!(error.to_string(), here.to_string());
    assert!(matches!(error, ComponentLoadError::NotAComponent { .. }), "{error}");
}

#[test]
fn a_component_that_takes_too_long_is_given_up_and_its_process_ends() {
    let sandbox = subprocess_sandbox(Some(Duration::from_millis(300)));
    let wasm = slow_to_compile();
    let began = Instant::now();
    let error = load(&sandbox, &wasm).map(drop).unwrap_err();
    assert!(matches!(error, ComponentLoadError::CompileTooLong { .. }), "{error}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    load(&sandbox, narratoria_guests::NULL.component).map(drop).unwrap_or_else(|error| {
        // A busy machine may not even have started the process within 300 ms.
        assert!(matches!(error, ComponentLoadError::CompileTooLong { .. }), "{error}");
    });
}

#[test]
fn stop_compiling_stops_running_and_waiting_compilations() {
    let sandbox = Arc::new(subprocess_sandbox(None));
    let wasm = slow_to_compile();
    std::thread::scope(|scope| {
        let loading = [(); 3].map(|()| scope.spawn(|| load(&sandbox, &wasm).map(drop)));
        sandbox.stop_compiling();
        for loading in loading {
            let error = loading.join().unwrap().unwrap_err();
            assert!(matches!(error, ComponentLoadError::Stopped), "{error}");
        }
    });
}

/// The process notices by itself that the pipe is closed, even if the parent was killed.
#[test]
fn a_process_that_compiles_ends_when_its_parent_does() {
    let Compiler::Subprocess { program, args } = compiler() else { unreachable!() };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let wasm = slow_to_compile();
    stdin.write_all(&[0]).unwrap();
    stdin.write_all(&(wasm.len() as u64).to_le_bytes()).unwrap();
    stdin.write_all(&wasm).unwrap();
    drop(stdin);
    let mut output = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(output.is_empty());
}

#[test]
fn a_missing_or_wrong_compiler_is_reported() {
    let wasm = command("", "i32.const 0");
    for (program, args, expect) in [
        (
            "/nowhere/narratoria",
            vec![],
            "cannot be compiled: the compiler's process failed: `/nowhere/narratoria` cannot be run: No such file or directory (os error 2)",
        ),
        (
            "/bin/sh",
            vec!["-c", "head -c 100 /dev/zero"],
            "cannot be compiled: the compiler's process failed: it is of another version than this program",
        ),
        (
            "/bin/sh",
            vec!["-c", "echo out of order >&2; exit 3"],
            "cannot be compiled: the compiler's process failed: it died (exit status: 3): out of order",
        ),
        (
            "/bin/sh",
            vec!["-c", "kill -XCPU $$"],
            "takes longer to compile than the 300 s that a component may take",
        ),
        (
            "/bin/sh",
            vec!["-c", "echo memory allocation of 9 bytes failed >&2; kill -ABRT $$"],
            "takes more memory to compile than the 4294967296 bytes that a component may take",
        ),
    ] {
        let args = args.into_iter().map(str::to_owned).collect();
        let compiler = Compiler::Subprocess { program: program.into(), args };
        let options = SandboxOptions { compiler, ..SandboxOptions::default() };
        let sandbox = Sandbox::open(&options).unwrap();
        assert_eq!(load(&sandbox, &wasm).map(drop).unwrap_err().to_string(), expect);
    }
}
