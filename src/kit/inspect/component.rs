//! The content of a component, read from its bytes section by section. Nothing is validated or compiled: the sandbox
//! decides whether it can run.

use wasmparser::{Encoding, Parser, Payload};

/// Most names of imports, and of exports, that are listed. A whole Python imports about thirty.
const NAMES_MAX: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComponentFacts {
    pub imports: NameList,
    pub exports: NameList,
    /// Number of core modules inside it, at any depth.
    pub modules: u64,
    /// Number of functions of all its core modules.
    pub functions: u64,
    /// Memories of its core modules, in the order of the file.
    pub memories: Vec<MemoryFacts>,
    /// Number of tables of all its core modules.
    pub tables: u64,
}

/// The first names, and the number of all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameList {
    /// In the order of the file, at most [`NAMES_MAX`].
    pub listed: Vec<String>,
    pub count: u64,
}

/// One linear memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryFacts {
    /// Initial size.
    pub bytes: u64,
    /// Largest size, if the component names one.
    pub bytes_max: Option<u64>,
}

impl NameList {
    fn of(all: &[String]) -> NameList {
        let listed = all[..all.len().min(NAMES_MAX)].to_vec();
        NameList { listed, count: all.len() as u64 }
    }

    /// Number of names that are not listed.
    pub fn left_out(&self) -> u64 {
        self.count - self.listed.len() as u64
    }
}

/// Reads a component; also returns all its imports. The error is the parser's message with the place.
pub(crate) fn read(wasm: &[u8]) -> Result<(ComponentFacts, Vec<String>), String> {
    read_all(wasm).map_err(|error| error.to_string())
}

fn read_all(wasm: &[u8]) -> wasmparser::Result<(ComponentFacts, Vec<String>)> {
    let mut facts = ComponentFacts::default();
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    // The components and modules around the current payload, outermost first.
    let mut open: Vec<Encoding> = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::Version { encoding, .. } => {
                open.push(encoding);
                if encoding == Encoding::Module {
                    facts.modules += 1;
                }
            }
            Payload::End(_) => {
                open.pop();
            }
            Payload::ComponentImportSection(section) if open.len() == 1 => {
                for import in section {
                    imports.push(import?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if open.len() == 1 => {
                for export in section {
                    exports.push(export?.name.name.to_owned());
                }
            }
            Payload::FunctionSection(section) => {
                facts.functions += u64::from(section.count());
            }
            Payload::TableSection(section) => facts.tables += u64::from(section.count()),
            Payload::MemorySection(section) => {
                for memory in section {
                    let memory = memory?;
                    let page = 1_u64.checked_shl(memory.page_size_log2.unwrap_or(16));
                    let bytes = |pages: u64| pages.saturating_mul(page.unwrap_or(u64::MAX));
                    facts.memories.push(MemoryFacts {
                        bytes: bytes(memory.initial),
                        bytes_max: memory.maximum.map(bytes),
                    });
                }
            }
            _ => {}
        }
    }
    (facts.imports, facts.exports) = (NameList::of(&imports), NameList::of(&exports));
    Ok((facts, imports))
}

#[cfg(test)]
mod tests {
    use super::{ComponentFacts, MemoryFacts, NAMES_MAX, read};

    fn wat(text: &str) -> ComponentFacts {
        read(&wat::parse_str(text).unwrap()).unwrap().0
    }

    #[test]
    fn a_component_is_read_down_to_the_modules_inside_its_components() {
        let facts = wat(r#"(component
            (import "wasi:io/poll@0.2.0" (instance))
            (import "narratoria:host/store@0.1.0" (instance))
            (core module (memory 2) (memory 1 4) (table 3 funcref) (func) (func))
            (component
                (import "not-of-the-host" (instance))
                (core module (func)))
            (core module $m (func (export "run")))
            (core instance $i (instantiate $m))
            (func $run (canon lift (core func $i "run")))
            (export "run" (func $run)))"#);
        assert_eq!(facts.imports.listed, ["wasi:io/poll@0.2.0", "narratoria:host/store@0.1.0"]);
        assert_eq!(facts.exports.listed, ["run"]);
        assert_eq!((facts.modules, facts.functions, facts.tables), (3, 4, 1));
        let pages = |pages: u64| pages << 16;
        assert_eq!(
            facts.memories,
            [
                MemoryFacts { bytes: pages(2), bytes_max: None },
                MemoryFacts { bytes: pages(1), bytes_max: Some(pages(4)) },
            ]
        );
    }

    #[test]
    fn a_broken_component_is_reported_with_the_place() {
        insta::assert_snapshot!(read(b"\0asm\x0d\0\x01\0\x0a\x05\x01").unwrap_err(), @"unexpected end-of-file (at offset 0xa)");
        insta::assert_snapshot!(read(b"").unwrap_err(), @"unexpected end-of-file (at offset 0x0)");
    }

    #[test]
    fn a_thousand_imports_are_counted_and_not_all_listed() {
        let imports: String =
            (0..1_000).map(|at| format!("(import \"a{at}\" (instance))")).collect();
        let facts = wat(&format!("(component {imports})"));
        assert_eq!((facts.imports.count, facts.imports.listed.len()), (1_000, NAMES_MAX));
        assert_eq!(facts.imports.left_out(), 1_000 - NAMES_MAX as u64);
    }
}
