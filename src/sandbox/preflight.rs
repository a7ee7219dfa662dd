//! Counts what a component contains before anything compiles it, and refuses one that exceeds a limit. Reads the
//! section headers and the sizes of functions once, in constant memory, so it is fast for any bytes. Does
//! not validate the component: the compiler does.

use narratoria_skills::COMPONENT_BYTES_MAX;
use wasmparser::{ElementItems, FunctionBody, Parser, Payload, SectionLimited};

use crate::load_error::ComponentLoadError;

/// Core modules and components inside a component, all levels together. A component of componentize-py has about
/// twenty: the interpreter, its libraries, and adapters between them.
pub const NESTED_MAX: u64 = 128;

/// Deepest nesting of these. Tools that compose components nest two or three deep; each level makes the
/// compiler call itself.
pub const NESTING_MAX: u64 = 8;

/// Functions with a body. A whole JavaScript or Python engine has some 30,000. Each costs the compiler
/// memory before it is compiled, and the host a table entry afterwards.
pub const FUNCTIONS_MAX: u64 = 65_536;

/// Bytes of one function's body. The main loop of CPython is about 100 KiB. The compiler's memory and time grow
/// faster than the function.
pub const FUNCTION_BYTES_MAX: u64 = 512 << 10;

/// Local variables of one function. Code built without optimisation has a few thousand. Each costs the compiler
/// a bit in each block.
pub const LOCALS_MAX: u64 = 10_000;

/// Types, of core modules and of components. Large programs have about two thousand.
pub const TYPES_MAX: u64 = 20_000;

/// Imports of all modules. Dynamically linked libraries import every symbol by name.
pub const IMPORTS_MAX: u64 = 65_536;

/// Exports of all modules and of instances made of exports: as many as imports.
pub const EXPORTS_MAX: u64 = 65_536;

/// Aliases, instances and lifted or lowered functions of components, which connect modules.
pub const TIES_MAX: u64 = 65_536;

/// Global variables. Dynamically linked libraries have one for each address that they share.
pub const GLOBALS_MAX: u64 = 65_536;

/// Declared memories, in modules that are used or not. An invocation may have fewer.
pub const MEMORIES_MAX: u64 = 32;

/// Declared tables, in modules that are used or not. An invocation may have fewer.
pub const TABLES_MAX: u64 = 128;

/// Data segments, each copied when an instance starts. The snapshot of a whole interpreter has up to 10,000.
pub const DATA_SEGMENTS_MAX: u64 = 20_000;

/// Segments of table elements.
pub const ELEMENT_SEGMENTS_MAX: u64 = 20_000;

/// Table elements in all segments. They stay in the host's memory as long as the component does.
pub const ELEMENTS_MAX: u64 = 1 << 18;

struct BoundedCount {
    what: &'static str,
    limit: u64,
    found: u64,
}

impl BoundedCount {
    const fn new(what: &'static str, limit: u64) -> BoundedCount {
        BoundedCount { what, limit, found: 0 }
    }

    fn add(&mut self, more: impl Into<u64>) -> Result<(), ComponentLoadError> {
        self.found = self.found.saturating_add(more.into());
        self.check()
    }

    /// Counts the largest size instead of the sum.
    fn raise_to(&mut self, size: u64) -> Result<(), ComponentLoadError> {
        self.found = self.found.max(size);
        self.check()
    }

    fn check(&self) -> Result<(), ComponentLoadError> {
        let &BoundedCount { what, limit, found } = self;
        if found > limit {
            Err(ComponentLoadError::LimitExceeded { what, found, limit })
        } else {
            Ok(())
        }
    }
}

struct ComponentCounts {
    nested: BoundedCount,
    nesting: BoundedCount,
    functions: BoundedCount,
    function_bytes: BoundedCount,
    locals: BoundedCount,
    types: BoundedCount,
    imports: BoundedCount,
    exports: BoundedCount,
    linkages: BoundedCount,
    globals: BoundedCount,
    memories: BoundedCount,
    tables: BoundedCount,
    data_segments: BoundedCount,
    element_segments: BoundedCount,
    elements: BoundedCount,
    /// Bytes of all functions; bounded by those of the component.
    code_bytes: u64,
}

impl Default for ComponentCounts {
    fn default() -> ComponentCounts {
        ComponentCounts {
            nested: BoundedCount::new("modules and components inside it", NESTED_MAX),
            nesting: BoundedCount::new("levels of components inside components", NESTING_MAX),
            functions: BoundedCount::new("functions", FUNCTIONS_MAX),
            function_bytes: BoundedCount::new("bytes in one function", FUNCTION_BYTES_MAX),
            locals: BoundedCount::new("local variables in one function", LOCALS_MAX),
            types: BoundedCount::new("types", TYPES_MAX),
            imports: BoundedCount::new("imports", IMPORTS_MAX),
            exports: BoundedCount::new("exports", EXPORTS_MAX),
            linkages: BoundedCount::new("aliases, instances and adapted functions", TIES_MAX),
            globals: BoundedCount::new("global variables", GLOBALS_MAX),
            memories: BoundedCount::new("memories", MEMORIES_MAX),
            tables: BoundedCount::new("tables", TABLES_MAX),
            data_segments: BoundedCount::new("data segments", DATA_SEGMENTS_MAX),
            element_segments: BoundedCount::new("element segments", ELEMENT_SEGMENTS_MAX),
            elements: BoundedCount::new("table elements", ELEMENTS_MAX),
            code_bytes: 0,
        }
    }
}

/// Refuses a component that exceeds a limit; returns the bytes of all its functions. Accepts bytes that it cannot read,
/// because the compiler reports what is wrong with them.
pub(crate) fn check(wasm: &[u8]) -> Result<u64, ComponentLoadError> {
    let mut bytes = BoundedCount::new("bytes", COMPONENT_BYTES_MAX);
    bytes.raise_to(wasm.len() as u64)?;
    let (mut counts, mut depth) = (ComponentCounts::default(), 0_u64);
    for payload in Parser::new(0).parse_all(wasm) {
        let Ok(payload) = payload else { break };
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                depth += 1;
                counts.nested.add(1_u64)?;
                counts.nesting.raise_to(depth)?;
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            payload => counts.section(payload)?,
        }
    }
    Ok(counts.code_bytes)
}

/// Part of the compile settings' digest, because code from another process or from the cache must have passed the same
/// limits.
pub(crate) const PREFLIGHT_LIMITS: [u64; 15] = [
    NESTED_MAX,
    NESTING_MAX,
    FUNCTIONS_MAX,
    FUNCTION_BYTES_MAX,
    LOCALS_MAX,
    TYPES_MAX,
    IMPORTS_MAX,
    EXPORTS_MAX,
    TIES_MAX,
    GLOBALS_MAX,
    MEMORIES_MAX,
    TABLES_MAX,
    DATA_SEGMENTS_MAX,
    ELEMENT_SEGMENTS_MAX,
    ELEMENTS_MAX,
];

impl ComponentCounts {
    fn section(&mut self, payload: Payload<'_>) -> Result<(), ComponentLoadError> {
        match payload {
            Payload::TypeSection(section) => self.types.add(section.count()),
            Payload::CoreTypeSection(section) => self.types.add(section.count()),
            Payload::ComponentTypeSection(section) => self.types.add(section.count()),
            Payload::ImportSection(section) => self.imports.add(section.count()),
            Payload::ComponentImportSection(section) => self.imports.add(section.count()),
            Payload::ExportSection(section) => self.exports.add(section.count()),
            Payload::ComponentExportSection(section) => self.exports.add(section.count()),
            Payload::ComponentAliasSection(section) => self.linkages.add(section.count()),
            Payload::ComponentCanonicalSection(section) => self.linkages.add(section.count()),
            Payload::ComponentInstanceSection(section) => self.linkages.add(section.count()),
            Payload::InstanceSection(section) => self.instances(section),
            Payload::GlobalSection(section) => self.globals.add(section.count()),
            Payload::MemorySection(section) => self.memories.add(section.count()),
            Payload::TableSection(section) => self.tables.add(section.count()),
            Payload::DataSection(section) => self.data_segments.add(section.count()),
            Payload::ElementSection(section) => {
                self.element_segments.add(section.count())?;
                for segment in section.into_iter().map_while(Result::ok) {
                    self.elements.add(match segment.items {
                        ElementItems::Functions(items) => items.count(),
                        ElementItems::Expressions(_, items) => items.count(),
                    })?;
                }
                Ok(())
            }
            Payload::CodeSectionEntry(body) => self.function(&body),
            _ => Ok(()),
        }
    }

    /// An instance may bundle exports of others; each counts as an export of its own.
    fn instances(
        &mut self,
        section: SectionLimited<'_, wasmparser::Instance<'_>>,
    ) -> Result<(), ComponentLoadError> {
        self.linkages.add(section.count())?;
        for instance in section.into_iter().map_while(Result::ok) {
            if let wasmparser::Instance::FromExports(exports) = instance {
                self.exports.add(exports.len() as u64)?;
            }
        }
        Ok(())
    }

    fn function(&mut self, body: &FunctionBody<'_>) -> Result<(), ComponentLoadError> {
        self.functions.add(1_u64)?;
        self.code_bytes += body.range().len() as u64;
        self.function_bytes.raise_to(body.range().len() as u64)?;
        let Ok(groups) = body.get_locals_reader() else { return Ok(()) };
        let counts = groups.into_iter().map_while(Result::ok);
        self.locals.raise_to(counts.map(|(count, _)| u64::from(count)).sum())
    }
}
