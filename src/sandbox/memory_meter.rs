//! Counts memory over all linear memories and tables of an instance together: wasmtime's own limits
//! are per memory, and a component may have many.

use wasmtime::ResourceLimiter;

use super::wasm_engine::{CORE_INSTANCES_MAX, MEMORIES_USED_MAX, TABLES_USED_MAX};

/// What one table element costs the host.
const TABLE_ELEMENT_BYTES: u64 = size_of::<usize>() as u64;

pub(super) struct MemoryMeter {
    limit: u64,
    total: u64,
    pub(super) peak: u64,
    /// Set when the guest asked for more than it may have; the total it would have had.
    pub(super) refused_total: Option<u64>,
    /// What the last permitted growth added, in case the allocator then refuses it.
    last_added: u64,
}

impl MemoryMeter {
    pub(super) fn new(limit: u64) -> MemoryMeter {
        MemoryMeter { limit, total: 0, peak: 0, refused_total: None, last_added: 0 }
    }

    /// Traps rather than answering -1: most guests would answer a failed growth with a trap of their
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
