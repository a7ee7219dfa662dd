//! Stubs for host services whose optional grant the player refuses. A component that imports them is loaded, and every
//! call returns an error that says so.

use narratoria_skills::{Grant, Grants};
use wasmtime::component::{Linker, WasmList, WasmStr};

use crate::{
    llm::{GuestLlmError, GuestLlmReply, GuestLlmRequest, LLM_INTERFACE},
    store::STORE_INTERFACE,
    story_entities::{ENTITIES_INTERFACE, MEMORIES_INTERFACE},
    story_memory::{MEMORY_INTERFACE, MemoryEntry},
    text_comparison::MEANING_INTERFACE,
};

/// Replaces the services behind the withheld grants. The others need no stub: without a folder, a variable or a host
/// there is nothing to find.
pub(crate) fn replace_withheld<T: Send + 'static>(
    linker: &mut Linker<T>,
    grants: &Grants,
) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    for grant in grants.withheld.keys() {
        match grant {
            Grant::Store => replace_store(linker)?,
            Grant::Memory => {
                replace_memory(linker)?;
                replace_entities(linker)?;
            }
            Grant::Llm => replace_llm(linker)?,
            Grant::Assets | Grant::Data | Grant::Campaign | Grant::Http | Grant::Env => {}
        }
    }
    linker.allow_shadowing(false);
    Ok(())
}

/// Returns the text that the guest reads.
fn refusal(grant: Grant) -> String {
    format!("`{}` is not granted: the player has refused this optional grant", grant.as_str())
}

/// Refuses a call, and yields, because a guest that asks in a loop must not block other tasks or the check of the
/// clock.
async fn refuse<V>(grant: Grant) -> wasmtime::Result<(Result<V, String>,)> {
    tokio::task::yield_now().await;
    Ok((Err(refusal(grant)),))
}

fn replace_store<T: Send + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut store = linker.instance(STORE_INTERFACE)?;
    store.func_wrap_async("get", |_, (_,): (WasmStr,)| {
        Box::new(refuse::<Option<String>>(Grant::Store))
    })?;
    store.func_wrap_async("set", |_, (_, _): (WasmStr, WasmStr)| {
        Box::new(refuse::<()>(Grant::Store))
    })?;
    store.func_wrap_async("delete", |_, (_,): (WasmStr,)| Box::new(refuse::<()>(Grant::Store)))?;
    store.func_wrap_async("list", |_, (_,): (WasmStr,)| {
        Box::new(refuse::<Vec<String>>(Grant::Store))
    })
}

fn replace_memory<T: Send + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut memory = linker.instance(MEMORY_INTERFACE)?;
    memory.func_wrap_async("remember", |_, (_, _): (WasmStr, Vec<WasmStr>)| {
        Box::new(refuse::<()>(Grant::Memory))
    })?;
    memory.func_wrap_async("recall", |_, (_, _, _): (WasmStr, Vec<WasmStr>, u32)| {
        Box::new(refuse::<Vec<MemoryEntry>>(Grant::Memory))
    })
}

fn replace_entities<T: Send + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut memories = linker.instance(MEMORIES_INTERFACE)?;
    for name in ["remember", "search", "pin", "unpin", "forget"] {
        memories.func_wrap_async(name, |_, (_,): (WasmStr,)| {
            Box::new(refuse::<String>(Grant::Memory))
        })?;
    }
    let mut entities = linker.instance(ENTITIES_INTERFACE)?;
    for name in ["get", "find"] {
        entities.func_wrap_async(name, |_, (_,): (WasmStr,)| {
            Box::new(refuse::<String>(Grant::Memory))
        })?;
    }
    for name in ["create", "update", "resolve"] {
        entities.func_wrap_async(name, |_, (_, _): (WasmStr, WasmStr)| {
            Box::new(refuse::<String>(Grant::Memory))
        })?;
    }
    Ok(())
}

fn replace_llm<T: Send + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut llm = linker.instance(LLM_INTERFACE)?;
    llm.func_wrap_async("generate", |_, (_,): (GuestLlmRequest,)| {
        Box::new(async {
            tokio::task::yield_now().await;
            let reason = refusal(Grant::Llm);
            Ok((Err::<GuestLlmReply, _>(GuestLlmError::Unavailable(reason)),))
        })
    })?;
    let mut meaning = linker.instance(MEANING_INTERFACE)?;
    meaning.func_wrap_async("compare", |_, (_, _): (WasmStr, WasmList<WasmStr>)| {
        Box::new(async {
            tokio::task::yield_now().await;
            let reason = refusal(Grant::Llm);
            Ok((Err::<Vec<f32>, _>(GuestLlmError::Unavailable(reason)),))
        })
    })
}
