//! The functions of both interfaces for the guest. Each takes one or two texts and returns a text or a sentence.

use std::sync::Arc;

use narratoria_protocol::STORY_MEMORY_BYTES_MAX;
use wasmtime::component::{Linker, WasmStr};

use super::{Answer, EntityView};
use crate::store::read_guest_text;

/// The interface, in the version that this host offers.
pub(crate) const ENTITIES_INTERFACE: &str = "narratoria:host/entities@0.1.0";

/// The interface, in the version that this host offers.
pub(crate) const MEMORIES_INTERFACE: &str = "narratoria:host/memories@0.1.0";

/// Longest text that a call takes: an entity, with space for indentation.
const CALL_BYTES_MAX: usize = 8 * STORY_MEMORY_BYTES_MAX;

type View<T> = fn(&mut T) -> &mut EntityView;

fn too_long(bytes: usize) -> String {
    format!("a text is at most {CALL_BYTES_MAX} bytes long, this one is {bytes}")
}

fn add_call<T: Send + 'static>(
    linker: &mut wasmtime::component::LinkerInstance<'_, T>,
    name: &str,
    view: View<T>,
    call: fn(&mut EntityView, &str) -> Answer<String>,
) -> wasmtime::Result<()> {
    linker.func_wrap_async(name, move |mut caller, (text,): (WasmStr,)| {
        Box::new(async move {
            let (text, bytes) = read_guest_text(&text, &caller, CALL_BYTES_MAX)?;
            let answer = match text {
                None => Err(too_long(bytes)),
                Some(text) => call(view(caller.data_mut()), &text),
            };
            tokio::task::yield_now().await;
            Ok((answer,))
        })
    })
}

fn add_call_of_two<T: Send + 'static>(
    linker: &mut wasmtime::component::LinkerInstance<'_, T>,
    name: &str,
    view: View<T>,
    call: fn(&mut EntityView, &str, &str) -> Answer<String>,
) -> wasmtime::Result<()> {
    linker.func_wrap_async(name, move |mut caller, (one, other): (WasmStr, WasmStr)| {
        Box::new(async move {
            let (one, one_bytes) = read_guest_text(&one, &caller, CALL_BYTES_MAX)?;
            let (other, other_bytes) = read_guest_text(&other, &caller, CALL_BYTES_MAX)?;
            let answer = match (one, other) {
                (Some(one), Some(other)) => call(view(caller.data_mut()), &one, &other),
                (None, _) => Err(too_long(one_bytes)),
                (_, None) => Err(too_long(other_bytes)),
            };
            tokio::task::yield_now().await;
            Ok((answer,))
        })
    })
}

/// Adds both interfaces. `view` finds the entities in the guest's state.
pub(crate) fn add_to_linker<T: Send + 'static>(
    linker: &mut Linker<T>,
    view: View<T>,
) -> wasmtime::Result<()> {
    let mut entities = linker.instance(ENTITIES_INTERFACE)?;
    add_call_of_two(&mut entities, "create", view, EntityView::create)?;
    add_call_of_two(&mut entities, "update", view, EntityView::update)?;
    add_call_of_two(&mut entities, "resolve", view, EntityView::resolve)?;
    add_call(&mut entities, "get", view, EntityView::get)?;
    add_call(&mut entities, "find", view, EntityView::find)?;
    let mut memories = linker.instance(MEMORIES_INTERFACE)?;
    add_call(&mut memories, "remember", view, EntityView::remember)?;
    add_call(&mut memories, "pin", view, |view, id| view.set_pinned(id, true))?;
    add_call(&mut memories, "unpin", view, |view, id| view.set_pinned(id, false))?;
    add_call(&mut memories, "forget", view, EntityView::forget)?;
    memories.func_wrap_async("search", move |mut caller, (text,): (WasmStr,)| {
        Box::new(async move {
            let (text, bytes) = read_guest_text(&text, &caller, CALL_BYTES_MAX)?;
            let view = view(caller.data_mut());
            let answer = match text {
                None => Err(too_long(bytes)),
                Some(text) => search(view, &text).await,
            };
            tokio::task::yield_now().await;
            Ok((answer,))
        })
    })
}

/// Searches the story on a blocking thread, because with many memories it takes longer than a task may hold its thread.
async fn search(view: &mut EntityView, query: &str) -> Answer<String> {
    let query = view.admit_search(query)?;
    let (reader, of_story) = (Arc::clone(&view.input().reader), query.clone());
    let found = tokio::task::spawn_blocking(move || reader.search(&of_story)).await;
    let base = found.map_err(|error| error.to_string())??;
    Ok(view.found(&query, base))
}
