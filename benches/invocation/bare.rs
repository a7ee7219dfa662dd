//! Bare wasmtime on the same engine: fuel, stdin and stdout, without the rest of the sandbox.

use wasmtime::{
    Engine, Store,
    component::{Component, Linker, ResourceTable},
};
use wasmtime_wasi::{
    WasiCtx, WasiCtxView, WasiView,
    p2::{
        bindings::CommandPre,
        pipe::{MemoryInputPipe, MemoryOutputPipe},
    },
};

use crate::job::LIMITS;

pub(crate) struct Bare(CommandPre<BareGuest>);

struct BareGuest {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for BareGuest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl Bare {
    pub(crate) fn new(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Bare> {
        let mut linker = Linker::new(engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
        let component = Component::from_binary(engine, wasm)?;
        Ok(Bare(CommandPre::new(linker.instantiate_pre(&component)?)?))
    }

    pub(crate) async fn call(&self, line: &[u8]) -> wasmtime::Result<()> {
        let stdout = MemoryOutputPipe::new(LIMITS.stdout_bytes as usize);
        let mut store = self.store(line, stdout.clone())?;
        let command = self.0.instantiate_async(&mut store).await?;
        let returned = command.wasi_cli_run().call_run(&mut store).await?;
        wasmtime::ensure!(returned.is_ok(), "the guest failed");
        wasmtime::ensure!(stdout.contents().ends_with(b"\n"), "the guest said nothing");
        Ok(())
    }

    /// The part of a call before the guest runs, and what dropping the instance costs.
    pub(crate) async fn instantiate(&self, line: &[u8]) -> wasmtime::Result<()> {
        let stdout = MemoryOutputPipe::new(LIMITS.stdout_bytes as usize);
        let mut store = self.store(line, stdout)?;
        self.0.instantiate_async(&mut store).await.map(drop)
    }

    fn store(&self, line: &[u8], stdout: MemoryOutputPipe) -> wasmtime::Result<Store<BareGuest>> {
        let mut wasi = WasiCtx::builder();
        wasi.stdin(MemoryInputPipe::new(line.to_vec())).stdout(stdout);
        let guest = BareGuest { wasi: wasi.build(), table: ResourceTable::new() };
        let mut store = Store::new(self.0.engine(), guest);
        store.set_fuel(LIMITS.fuel)?;
        store.fuel_async_yield_interval(Some(100_000))?;
        // The engine checks epochs, and no thread advances them for this store.
        store.set_epoch_deadline(1 << 40);
        Ok(store)
    }
}
