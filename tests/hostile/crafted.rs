//! Components that no compiler makes: written by hand in the text format, or byte by byte.

#[derive(Clone, Copy)]
pub(crate) struct CraftedComponent {
    pub(crate) name: &'static str,
    make: fn() -> Vec<u8>,
}

impl CraftedComponent {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        (self.make)()
    }
}

pub(crate) const ALL: &[CraftedComponent] = &[
    CraftedComponent { name: "aliases-without-end", make: aliases_without_end },
    CraftedComponent { name: "bytes-32-mib", make: || padded(32 << 20) },
    CraftedComponent { name: "bytes-32-mib-and-one", make: || padded((32 << 20) + 1) },
    CraftedComponent { name: "element-segments", make: element_segments },
    CraftedComponent { name: "exports", make: exports },
    CraftedComponent { name: "function-of-a-mebibyte", make: function_of_a_mebibyte },
    CraftedComponent { name: "functions-100000", make: functions },
    CraftedComponent { name: "globals", make: globals },
    CraftedComponent { name: "imports", make: imports },
    CraftedComponent { name: "imports-a-rocket", make: imports_a_rocket },
    CraftedComponent { name: "imports-the-store", make: imports_the_store },
    CraftedComponent { name: "instances", make: instances },
    CraftedComponent { name: "locals", make: locals },
    CraftedComponent { name: "memories", make: memories },
    CraftedComponent { name: "memory-at-once", make: || command("(memory 4096)", "i32.const 0") },
    CraftedComponent { name: "memory-by-growth", make: memory_by_growth },
    CraftedComponent { name: "modules", make: modules },
    CraftedComponent { name: "nested-components", make: nested_components },
    CraftedComponent { name: "no-run", make: || text("(component)") },
    CraftedComponent { name: "not-wasm", make: || b"\x7fELF\x02\x01\x01".to_vec() },
    CraftedComponent { name: "recursion-by-hand", make: recursion },
    CraftedComponent { name: "returns-an-error", make: || command("", "i32.const 1") },
    CraftedComponent { name: "says-nothing", make: || command("", "i32.const 0") },
    CraftedComponent { name: "segments-of-data", make: segments_of_data },
    CraftedComponent {
        name: "start-loops",
        make: || command("(start $s) (func $s (loop br 0))", "i32.const 0"),
    },
    CraftedComponent {
        name: "start-traps",
        make: || command("(start $s) (func $s unreachable)", "i32.const 0"),
    },
    CraftedComponent {
        name: "table-at-once",
        make: || command("(table 60000 funcref) (memory 250)", "i32.const 0"),
    },
    CraftedComponent { name: "table-by-growth", make: table_by_growth },
    CraftedComponent { name: "tables", make: tables },
    CraftedComponent { name: "truncated", make: truncated },
    CraftedComponent { name: "types", make: types },
];

fn text(wat: &str) -> Vec<u8> {
    wat::parse_str(wat).unwrap_or_else(|error| panic!("{error}"))
}

/// A command of one core module with these fields; `run` is the body of its function.
pub(crate) fn command(fields: &str, run: &str) -> Vec<u8> {
    text(&format!(
        r#"(component
            (core module $m {fields} (func (export "run") (result i32) {run}))
            (core instance $i (instantiate $m))
            {RUN})"#
    ))
}

/// Makes the core instance `$i` a command.
const RUN: &str = r#"
    (func $run (result (result)) (canon lift (core func $i "run")))
    (instance $command (export "run" (func $run)))
    (export "wasi:cli/run@0.2.0" (instance $command))"#;

fn times(n: usize, piece: &str) -> String {
    piece.repeat(n)
}

/// Repeats the piece with its number in place of `#`.
fn numbered(n: usize, piece: &str) -> String {
    (0..n).map(|n| piece.replace('#', &n.to_string())).collect()
}

/// A valid component of this many bytes, with nothing in it.
fn padded(bytes: usize) -> Vec<u8> {
    let mut component = b"\0asm\x0d\0\x01\0".to_vec();
    // A custom section: its number, its length in five bytes, a name of one letter, and padding.
    let length = bytes - component.len() - 6;
    component.push(0);
    for shift in [0, 7, 14, 21] {
        component.push((length >> shift) as u8 & 0x7f | 0x80);
    }
    component.push((length >> 28) as u8);
    component.extend([1, b'p']);
    component.resize(bytes, 0);
    component
}

fn truncated() -> Vec<u8> {
    let mut component = command("", "i32.const 0");
    component.truncate(component.len() - 3);
    component
}

fn memory_by_growth() -> Vec<u8> {
    command("(memory 1)", "(loop (drop (memory.grow (i32.const 1))) br 0) i32.const 0")
}

fn table_by_growth() -> Vec<u8> {
    command(
        "(memory 250) (table $t 1 funcref)",
        "(loop (drop (table.grow $t (ref.null func) (i32.const 100))) br 0) i32.const 0",
    )
}

fn recursion() -> Vec<u8> {
    command(
        "(func $deep (param i64) (call $deep (local.get 0)))",
        "(call $deep (i64.const 1)) i32.const 0",
    )
}

/// Each instance has a page of memory of its own.
fn instances() -> Vec<u8> {
    text(&format!(
        r#"(component
            (core module $m (memory 1) (func (export "run") (result i32) i32.const 0))
            {} (core instance $i (instantiate $m)) {RUN})"#,
        times(200, "(core instance (instantiate $m))")
    ))
}

fn memories() -> Vec<u8> {
    text(&format!("(component {})", times(33, "(core module (memory 1))")))
}

fn tables() -> Vec<u8> {
    command(&times(129, "(table 1 funcref)"), "i32.const 0")
}

fn functions() -> Vec<u8> {
    command(&times(100_000, "(func)"), "i32.const 0")
}

fn function_of_a_mebibyte() -> Vec<u8> {
    command("", &format!("{} i32.const 0", times(1 << 20, "nop ")))
}

fn locals() -> Vec<u8> {
    command(&format!("(func (local {}))", times(10_001, "i32 ")), "i32.const 0")
}

fn types() -> Vec<u8> {
    command(&times(20_001, "(type (func))"), "i32.const 0")
}

fn globals() -> Vec<u8> {
    command(&times(65_537, "(global i32 (i32.const 0))"), "i32.const 0")
}

fn imports() -> Vec<u8> {
    text(&format!("(component (core module {}))", times(65_537, r#"(import "" "" (func))"#)))
}

fn exports() -> Vec<u8> {
    command(
        &format!("(func $f) {}", numbered(65_537, r##"(export "#" (func $f))"##)),
        "i32.const 0",
    )
}

fn segments_of_data() -> Vec<u8> {
    command(&format!("(memory 1) {}", times(20_001, r#"(data (i32.const 0) "x")"#)), "i32.const 0")
}

fn element_segments() -> Vec<u8> {
    command(
        &format!("(table 1 funcref) (func $f) {}", times(20_001, "(elem func $f)")),
        "i32.const 0",
    )
}

fn modules() -> Vec<u8> {
    text(&format!("(component {})", times(129, "(core module)")))
}

fn nested_components() -> Vec<u8> {
    text(&format!("{}{}", times(10, "(component "), times(10, ")")))
}

fn aliases_without_end() -> Vec<u8> {
    text(&format!(
        r#"(component (core module $m (func (export "f"))) (core instance $i (instantiate $m)) {})"#,
        numbered(65_537, r#"(alias core export $i "f" (core func $f#))"#)
    ))
}

fn imports_a_rocket() -> Vec<u8> {
    text(r#"(component (import "acme:rocket/launch" (instance)))"#)
}

fn imports_the_store() -> Vec<u8> {
    text(r#"(component (import "narratoria:host/store@0.1.0" (instance)))"#)
}
