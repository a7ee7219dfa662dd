//! How near texts are in their meaning, for one invocation. The host's side of `contracts/wit/meaning.wit`.

use std::{fmt, sync::Arc, time::Duration};

use tokio::{task::spawn_blocking, time::Instant};
use wasmtime::{
    StoreContextMut,
    component::{Linker, WasmList, WasmStr},
};

use crate::{
    llm::{GuestLlmError, LLM_RESERVE},
    stdin::GuestStdin,
    text_model::TextModelError,
};

/// The interface, in the version that this host offers.
pub(crate) const MEANING_INTERFACE: &str = "narratoria:host/meaning@0.1.0";

/// Most texts that one call compares with its text.
pub const COMPARED_TEXTS_MAX: usize = 256;

/// Most bytes of all texts of one call.
pub const COMPARED_BYTES_MAX: usize = 64 << 10;

/// Most calls of one invocation.
pub const COMPARISONS_MAX: u32 = 4;

/// Longest time of one call. A player does not wait longer for a story to go on.
pub const COMPARISON_TIME_MAX: Duration = Duration::from_secs(10);

/// Compares texts by their meaning. The sandbox knows no model; its caller passes one in behind this trait.
pub trait TextComparer: fmt::Debug + Send + Sync {
    /// The cosine of each of the others with the text, in their order. Called on a thread that may block.
    fn compare(
        &self,
        text: &str,
        others: &[String],
        time: Duration,
    ) -> Result<Vec<f32>, TextModelError>;
}

/// Why the host does not pass a call to the model. The guest reads the text.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum ComparisonRefusal {
    #[error("one call compares at most {COMPARED_TEXTS_MAX} texts, these are {count}")]
    Count { count: usize },
    #[error("the texts of one call have at most {COMPARED_BYTES_MAX} bytes, these have more")]
    Bytes,
    #[error("one invocation compares at most {COMPARISONS_MAX} times")]
    Calls,
}

/// One invocation's comparisons. Cost nothing until the first call.
pub(crate) struct InvocationComparisons {
    comparer: Option<Arc<dyn TextComparer>>,
    /// The end of the invocation's time, without the time that it waits for a person.
    deadline: Instant,
    stdin: GuestStdin,
    calls: u32,
}

impl InvocationComparisons {
    pub(crate) fn new(
        comparer: Option<Arc<dyn TextComparer>>,
        deadline: Instant,
        stdin: GuestStdin,
    ) -> InvocationComparisons {
        InvocationComparisons { comparer, deadline, stdin, calls: 0 }
    }

    /// Only texts within the limits count as a call.
    async fn compare(
        &mut self,
        texts: Result<ComparedTexts, ComparisonRefusal>,
    ) -> Result<Vec<f32>, GuestLlmError> {
        let refused = |why: ComparisonRefusal| GuestLlmError::Refused(why.to_string());
        let ComparedTexts { text, others } = texts.map_err(refused)?;
        if self.calls == COMPARISONS_MAX {
            return Err(refused(ComparisonRefusal::Calls));
        }
        self.calls += 1;
        let Some(comparer) = self.comparer.clone() else {
            let reason = "this host has no model that compares texts".to_owned();
            return Err(GuestLlmError::Unavailable(reason));
        };
        let left = self.stdin.time_left(self.deadline);
        let time = COMPARISON_TIME_MAX.min(left.saturating_sub(LLM_RESERVE));
        let count = others.len();
        match spawn_blocking(move || comparer.compare(&text, &others, time)).await {
            Ok(Ok(cosines)) if cosines.len() == count => Ok(cosines),
            Ok(Ok(cosines)) => {
                let reason = format!("{count} texts gave {} numbers", cosines.len());
                Err(GuestLlmError::Failed(reason))
            }
            Ok(Err(error)) => Err(error.into()),
            Err(error) => Err(GuestLlmError::Failed(error.to_string())),
        }
    }
}

/// The texts of a call, within the limits.
struct ComparedTexts {
    text: String,
    others: Vec<String>,
}

impl ComparedTexts {
    fn read<T: 'static>(
        text: &WasmStr,
        others: &WasmList<WasmStr>,
        mut caller: StoreContextMut<'_, T>,
    ) -> wasmtime::Result<Result<ComparedTexts, ComparisonRefusal>> {
        let count = others.len();
        if count > COMPARED_TEXTS_MAX {
            return Ok(Err(ComparisonRefusal::Count { count }));
        }
        let others: Vec<WasmStr> = others.iter(&mut caller)?.collect::<wasmtime::Result<_>>()?;
        let mut bytes = 0;
        let mut texts = Vec::with_capacity(count + 1);
        for text in std::iter::once(text).chain(&others) {
            let text = text.to_str(&caller)?;
            bytes += text.len();
            if bytes > COMPARED_BYTES_MAX {
                return Ok(Err(ComparisonRefusal::Bytes));
            }
            texts.push(text.into_owned());
        }
        let text = texts.remove(0);
        Ok(Ok(ComparedTexts { text, others: texts }))
    }
}

/// Adds the interface. `access` finds the invocation's comparisons in the guest's state.
pub(crate) fn add_to_linker<T: Send + 'static>(
    linker: &mut Linker<T>,
    access: fn(&mut T) -> &mut InvocationComparisons,
) -> wasmtime::Result<()> {
    let mut meaning = linker.instance(MEANING_INTERFACE)?;
    meaning.func_wrap_async(
        "compare",
        move |mut caller, (text, others): (WasmStr, WasmList<WasmStr>)| {
            Box::new(async move {
                let texts = ComparedTexts::read(
                    &text,
                    &others,
                    wasmtime::AsContextMut::as_context_mut(&mut caller),
                )?;
                let compared = access(caller.data_mut()).compare(texts).await;
                if compared.is_err() {
                    // A guest that asks in a loop must not block other tasks or the check of the clock.
                    tokio::task::yield_now().await;
                }
                Ok((compared,))
            })
        },
    )
}
