//! The host's state for one running guest: the data of its wasmtime store, and the linker that connects the
//! guest's imports to it. Knows every host service; knows nothing of how a run begins or ends.

use rand::{SeedableRng, rngs::SmallRng};
use tokio::time::Instant;
use wasmtime::{
    Engine,
    component::{Linker, ResourceTable},
};
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView, filesystem::WasiFilesystemView};
use wasmtime_wasi_http::{WasiHttpCtxView, WasiHttpView};

use crate::{
    clock::{CountingClock, StoppedClock},
    disk_quota::DiskQuota,
    filesystem::{self, QuotaFilesystemView},
    http::{self, HttpGrant, InvocationHttp},
    input::{InvocationInput, Preopen},
    llm::{self, InvocationLlm},
    memory_meter::MemoryMeter,
    repeatable_files::RepeatableFiles,
    stdin::GuestStdin,
    stdio::{GuestStderr, GuestStdout, SharedStdioCollector},
    store::{self, SkillStoreView},
    story_entities::{self, EntityView},
    story_memory::{self, StoryMemoryView},
    text_comparison::{self, InvocationComparisons},
};

/// Host objects (streams, pollables, errors) that a guest may hold at once. wasi-libc holds about ten.
pub const RESOURCES_MAX: usize = 1_024;

/// [`RESOURCES_MAX`] for a guest with the `http` grant, because each request that it begins holds texts in the host.
/// The SDK needs about ten objects for one request.
pub const RESOURCES_WITH_HTTP_MAX: usize = 256;

/// Most random bytes in one call; the host allocates them.
pub const RANDOM_BYTES_MAX: u64 = 64 << 10;

pub(crate) struct GuestState {
    wasi: WasiState,
    pub(crate) disk: DiskQuota,
    repeatable_files: RepeatableFiles,
    pub(crate) memory_meter: MemoryMeter,
    pub(crate) skill_store: SkillStoreView,
    pub(crate) story_memory: StoryMemoryView,
    pub(crate) entities: EntityView,
    llm: InvocationLlm,
    comparisons: InvocationComparisons,
    http: InvocationHttp,
}

/// The state of WASI itself, without the quotas around it.
struct WasiState {
    ctx: WasiCtx,
    table: ResourceTable,
}

impl GuestState {
    pub(crate) fn new(
        input: InvocationInput,
        http_grant: HttpGrant,
        deadline: Instant,
        stdin: &GuestStdin,
        collector: &SharedStdioCollector,
    ) -> wasmtime::Result<GuestState> {
        let mut wasi = WasiCtx::builder();
        wasi.stdin(stdin.clone())
            .stdout(GuestStdout(collector.clone()))
            .stderr(GuestStderr(collector.clone()))
            .wall_clock(StoppedClock)
            .monotonic_clock(CountingClock::default())
            .secure_random(SmallRng::seed_from_u64(input.seed))
            .insecure_random(SmallRng::seed_from_u64(input.seed))
            .insecure_random_seed(u128::from(input.seed))
            .max_random_size(RANDOM_BYTES_MAX)
            .allow_tcp(false)
            .allow_udp(false)
            .envs(&input.env);
        if !input.script.is_empty() {
            wasi.arg(&input.script);
        }
        // Reading a file takes less time than passing the read to another thread. Writing may take long.
        wasi.allow_blocking_current_thread(input.preopens.iter().all(|folder| !folder.writable));
        for Preopen { host, guest, writable } in &input.preopens {
            let perms = if *writable { FsPerms::ReadWrite } else { FsPerms::ReadOnly };
            wasi.preopened_dir(host, guest, perms)?;
        }
        let mut table = ResourceTable::new();
        let author = input.entities.as_ref().map(|it| it.author.clone()).unwrap_or_default();
        let has_no_http = http_grant.hosts.is_empty() && http_grant.withheld.is_empty();
        table.set_max_capacity(match has_no_http {
            true => RESOURCES_MAX,
            false => RESOURCES_WITH_HTTP_MAX,
        });
        Ok(GuestState {
            wasi: WasiState { ctx: wasi.build(), table },
            disk: DiskQuota::measure(&input.preopens, input.disk_room, input.turn_disk),
            repeatable_files: RepeatableFiles::default(),
            memory_meter: MemoryMeter::new(input.limits.memory_bytes),
            skill_store: SkillStoreView::new(input.store),
            story_memory: StoryMemoryView::new(input.memory, input.seed, author),
            entities: EntityView::new(input.entities),
            http: InvocationHttp::new(
                http_grant,
                input.prepared_answers,
                deadline,
                stdin.clone(),
                collector.clone(),
            ),
            comparisons: InvocationComparisons::new(input.text_comparer, deadline, stdin.clone()),
            llm: InvocationLlm::new(
                input.text_model,
                input.seed,
                deadline,
                stdin.clone(),
                collector.clone(),
            ),
        })
    }

    fn filesystem_view(&mut self) -> QuotaFilesystemView<'_> {
        QuotaFilesystemView {
            disk: self.disk.clone(),
            repeatable: &mut self.repeatable_files,
            inner: self.wasi.filesystem(),
        }
    }
}

impl WasiView for WasiState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.ctx, table: &mut self.table }
    }
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        self.wasi.ctx()
    }
}

impl WasiHttpView for GuestState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let InvocationHttp { ctx, hooks } = &mut self.http;
        WasiHttpCtxView { ctx, hooks, table: &mut self.wasi.table }
    }
}

/// Offers every interface to every component: [`crate::imports`] checks what a component may import.
pub(crate) fn new_linker(engine: &Engine) -> wasmtime::Result<Linker<GuestState>> {
    let mut linker: Linker<GuestState> = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    store::add_to_linker(&mut linker, |guest| &mut guest.skill_store)?;
    story_memory::add_to_linker(&mut linker, |guest| &mut guest.story_memory)?;
    story_entities::add_to_linker(&mut linker, |guest| &mut guest.entities)?;
    llm::add_to_linker(&mut linker, |guest| &mut guest.llm)?;
    text_comparison::add_to_linker(&mut linker, |guest| &mut guest.comparisons)?;
    http::add_to_linker(&mut linker)?;
    filesystem::add_to_linker(&mut linker, GuestState::filesystem_view)?;
    Ok(linker)
}
