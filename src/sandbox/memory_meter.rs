//! Counts the memory of all linear memories and tables of an instance together: wasmtime's own limits
//! are per memory, and a component may have many.

use wasmtime::ResourceLimiter;

use crate::wasm_engine::{CORE_INSTANCES_MAX, MEMORIES_USED_MAX, TABLES_USED_MAX};

/// Host memory of one table element.
const TABLE_ELEMENT_BYTES: u64 = size_of::<usize>() as u64;

pub(crate) struct MemoryMeter {
    limit: u64,
    total: u64,
    pub(crate) peak: u64,
    /// The total that the guest would have had with the growth that exceeded its limit.
    pub(crate) refused_total: Option<u64>,
    /// The last permitted growth, which is undone if the allocator refuses it.
    last_added: u64,
}

impl MemoryMeter {
    pub(crate) fn new(limit: u64) -> MemoryMeter {
        MemoryMeter { limit, total: 0, peak: 0, refused_total: None, last_added: 0 }
    }

    /// Traps instead of returning -1: most guests would respond to a failed growth with a trap of their
    /// own, and the reason would be lost.
    fn grow(&mut self, added: u64) -> wasmtime::Result<bool> {
        let wanted = self.total.saturating_add(added);
        if wanted > self.limit {
            self.refused_total = Some(wanted);
            return Err(wasmtime::format_err!("memory limit"));
        }
        self.total = wanted;
        self.peak = self.peak.max(wanted);
        self.last_added = added;
        Ok(true)
    }

    fn undo_last_growth(&mut self) {
        self.total = self.total.saturating_sub(std::mem::take(&mut self.last_added));
    }
}

impl ResourceLimiter for MemoryMeter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.grow(desired.saturating_sub(current) as u64)
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.undo_last_growth();
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.grow((desired.saturating_sub(current) as u64).saturating_mul(TABLE_ELEMENT_BYTES))
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.undo_last_growth();
        Ok(())
    }

    fn instances(&self) -> usize {
        CORE_INSTANCES_MAX as usize
    }

    fn memories(&self) -> usize {
        MEMORIES_USED_MAX as usize
    }

    fn tables(&self) -> usize {
        TABLES_USED_MAX as usize
    }
}
