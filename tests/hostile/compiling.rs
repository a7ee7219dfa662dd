//! Components that take the compiler's time and memory. A subprocess compiles them and is stopped, and nothing else
//! notices.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use narratoria_sandbox::{
    COMPILE_CPU_SECONDS_MAX, COMPILE_MEMORY_BYTES_MAX, CompileLimits, Compiler, ComponentLoadError,
    LoadedComponent, Sandbox, SandboxOptions,
};
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
    command(&function.repeat(4_000), "i32.const 0")
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

/// A module of functions that are never called. Each is all loops, whose compile time grows faster than their number.
fn loops(functions: usize, loops: usize) -> Vec<u8> {
    let loops = "(loop local.get 0 br_if 0)".repeat(loops);
    let function = format!("(func (param i32) {loops})");
    command(&function.repeat(functions), "i32.const 0")
}

/// No count of sections shows what these cost: from tens to thousands of processor seconds, and up to gigabytes.
#[test]
fn a_component_that_costs_more_than_its_seconds_or_its_memory_is_given_up() {
    let sandbox = subprocess_sandbox(None);
    let began = Instant::now();
    let error = load(&sandbox, &loops(2, 40_000)).map(drop).unwrap_err();
    assert!(
        matches!(
            error,
            ComponentLoadError::CompileTooLong { .. } | ComponentLoadError::CompileTooLarge { .. }
        ),
        "{error}"
    );
    // Five processor seconds, on a machine that is busy with other tests.
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

/// A compiler that is not there would be missed.
#[test]
fn a_component_that_was_refused_costs_its_seconds_once() {
    let folder = tempfile::tempdir().unwrap();
    let open = |compiler, cpu_seconds| {
        let options = SandboxOptions {
            compiler,
            cache_folder: Some(folder.path().to_owned()),
            compile_limits: CompileLimits { cpu_seconds, memory_bytes: None },
            ..SandboxOptions::default()
        };
        Sandbox::open(&options).unwrap()
    };
    let nobody = || Compiler::Subprocess { program: "/nowhere/narratoria".into(), args: vec![] };
    let wasm = loops(64, 4_000);
    let refused = |sandbox: Sandbox| load(&sandbox, &wasm).map(drop).unwrap_err().to_string();
    let first = refused(open(compiler(), Some(1)));
    assert!(first.starts_with("takes longer to compile than the 1 s"), "{first}");
    assert_eq!(refused(open(nobody(), Some(1))), first);
    let more = refused(open(nobody(), Some(2)));
    assert!(more.contains("`/nowhere/narratoria` cannot be run"), "{more}");
}

#[test]
fn the_player_may_allow_less_time_and_less_memory() {
    let limited = |compile_limits| {
        let options =
            SandboxOptions { compiler: compiler(), compile_limits, ..SandboxOptions::default() };
        let sandbox = Sandbox::open(&options).unwrap();
        load(&sandbox, &loops(64, 4_000)).map(drop).unwrap_err()
    };
    let error = limited(CompileLimits { cpu_seconds: Some(1), memory_bytes: None });
    assert!(error.to_string().starts_with("takes longer to compile than the 1 s"), "{error}");
    // A slow machine must not run out of seconds first.
    let error = limited(CompileLimits { cpu_seconds: Some(120), memory_bytes: Some(300 << 20) });
    assert!(matches!(error, ComponentLoadError::CompileTooLarge { limit: 314_572_800 }), "{error}");
}

#[test]
fn stop_compiling_stops_running_and_waiting_compilations() {
    let sandbox = subprocess_sandbox(None);
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
    for number in [COMPILE_CPU_SECONDS_MAX, COMPILE_MEMORY_BYTES_MAX, wasm.len() as u64] {
        stdin.write_all(&number.to_le_bytes()).unwrap();
    }
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
            "takes longer to compile than the 5 s that a component may take; `compile-seconds` under `[limits]` in `config.toml` allows more",
        ),
        (
            "/bin/sh",
            vec!["-c", "echo memory allocation of 9 bytes failed >&2; kill -ABRT $$"],
            "takes more memory to compile than the 1000000000 bytes that a component may take; `compile-memory-mib` under `[limits]` in `config.toml` allows more",
        ),
    ] {
        let args = args.into_iter().map(str::to_owned).collect();
        let compiler = Compiler::Subprocess { program: program.into(), args };
        let options = SandboxOptions { compiler, ..SandboxOptions::default() };
        let sandbox = Sandbox::open(&options).unwrap();
        assert_eq!(load(&sandbox, &wasm).map(drop).unwrap_err().to_string(), expect);
    }
}
