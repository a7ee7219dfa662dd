//! Texts that a language model writes for one invocation. The host's side of `contracts/wit/llm.wit`.

use std::{sync::Arc, time::Duration};

use narratoria_protocol::{InvocationOutput, visible::is_harmless};
use tokio::{
    sync::mpsc::unbounded_channel,
    time::{Instant, timeout},
};
use wasmtime::{
    StoreContextMut,
    component::{ComponentType, Lift, Linker, Lower, WasmStr},
};

use crate::{
    stdin::GuestStdin,
    stdio::SharedStdioCollector,
    text_model::{TextModelClient, TextModelError, TextRequest, TextResponse},
};

/// The interface, in the version that this host offers.
pub(crate) const LLM_INTERFACE: &str = "narratoria:host/llm@0.1.0";

/// Longest prompt with its system text, in bytes: about 4,000 tokens. A small model reads no more than that well.
pub const LLM_PROMPT_BYTES_MAX: usize = 16 << 10;

/// Longest text, in tokens: some 300 words. That is more than a model on a CPU writes while a player waits.
pub const LLM_TOKENS_MAX: u32 = 400;

/// Highest temperature. Beyond it, words fall apart.
pub const LLM_TEMPERATURE_MAX: f32 = 2.0;

/// Most texts of one invocation: all skills and the planner share one model.
pub const LLM_CALLS_MAX: u32 = 4;

/// Longest time of one text, including the wait for the model. A player does not wait longer than that for a story to
/// go on.
pub const LLM_TIME_MAX: Duration = Duration::from_secs(10);

/// Longest text, in bytes. [`LLM_TOKENS_MAX`] English tokens are about 2 KiB, but some models have tokens of
/// hundreds of blanks.
pub const TEXT_BYTES_MAX: usize = 16 << 10;

/// Least time that a script has left when a text has taken too long: enough to continue without the text.
pub const LLM_RESERVE: Duration = Duration::from_millis(250);

/// Why the host does not pass a request to the model. The guest reads the text.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum LlmRefusal {
    #[error("a prompt must not be blank")]
    Blank,
    #[error(
        "a prompt with its system text is at most {LLM_PROMPT_BYTES_MAX} bytes long, this one is {bytes}"
    )]
    TooLong { bytes: usize },
    #[error("a text has 1 to {LLM_TOKENS_MAX} tokens, this one is to have {tokens}")]
    Tokens { tokens: u32 },
    #[error("a temperature is 0 to {LLM_TEMPERATURE_MAX}, this one is {temperature}")]
    Temperature { temperature: f32 },
    #[error("one invocation asks for at most {LLM_CALLS_MAX} texts")]
    TooManyCalls,
}

#[derive(ComponentType, Lift)]
#[component(record)]
pub(crate) struct GuestLlmRequest {
    system: Option<WasmStr>,
    prompt: WasmStr,
    #[component(name = "max-tokens")]
    tokens_max: u32,
    temperature: f32,
    aloud: bool,
}

#[derive(Debug, ComponentType, Lower)]
#[component(record)]
pub(crate) struct GuestLlmReply {
    text: String,
    complete: bool,
}

#[derive(Debug, ComponentType, Lower)]
#[component(variant)]
pub(crate) enum GuestLlmError {
    #[component(name = "unavailable")]
    Unavailable(String),
    #[component(name = "refused")]
    Refused(String),
    #[component(name = "timed-out")]
    TimedOut,
    #[component(name = "failed")]
    Failed(String),
}

impl From<TextModelError> for GuestLlmError {
    fn from(error: TextModelError) -> GuestLlmError {
        match error {
            TextModelError::Unavailable { reason } => GuestLlmError::Unavailable(reason),
            TextModelError::Refused { reason } => GuestLlmError::Refused(reason),
            TextModelError::TimedOut => GuestLlmError::TimedOut,
            TextModelError::Failed { reason } => GuestLlmError::Failed(reason),
        }
    }
}

/// One invocation's access to the language model. Costs nothing until the first request.
pub(crate) struct InvocationLlm {
    text_model: Option<TextModelClient>,
    seed: u64,
    /// The end of the invocation's time, without the time that it waits for a person.
    deadline: Instant,
    stdin: GuestStdin,
    /// Gets the texts that the player sees as they are written.
    collector: SharedStdioCollector,
    calls: u32,
    /// True if the player has seen any text.
    has_narrated: bool,
}

impl InvocationLlm {
    pub(crate) fn new(
        text_model: Option<TextModelClient>,
        seed: u64,
        deadline: Instant,
        stdin: GuestStdin,
        collector: SharedStdioCollector,
    ) -> InvocationLlm {
        InvocationLlm {
            text_model,
            seed,
            deadline,
            stdin,
            collector,
            calls: 0,
            has_narrated: false,
        }
    }

    /// Checks the request against the limits. Only a request within all of them counts as a call.
    fn build_request(
        &mut self,
        request: GuestLlmRequest,
        texts: PromptTexts,
    ) -> Result<TextRequest, LlmRefusal> {
        let GuestLlmRequest { tokens_max, temperature, .. } = request;
        let (prompt, system) = match texts {
            PromptTexts { bytes, prompt_and_system: None } => {
                return Err(LlmRefusal::TooLong { bytes });
            }
            PromptTexts { prompt_and_system: Some(texts), .. } => texts,
        };
        if prompt.trim().is_empty() {
            return Err(LlmRefusal::Blank);
        }
        if !(1..=LLM_TOKENS_MAX).contains(&tokens_max) {
            return Err(LlmRefusal::Tokens { tokens: tokens_max });
        }
        if !(0.0..=LLM_TEMPERATURE_MAX).contains(&temperature) {
            return Err(LlmRefusal::Temperature { temperature });
        }
        if self.calls == LLM_CALLS_MAX {
            return Err(LlmRefusal::TooManyCalls);
        }
        // The seed changes, so that two texts of one invocation differ even if their prompts are equal.
        let seed = self.seed.wrapping_add(u64::from(self.calls));
        self.calls += 1;
        let model = self.text_model.as_ref();
        let client = model.map(|model| model.client.clone()).unwrap_or_default();
        let guidance = model.filter(|model| request.aloud && !model.guidance.is_empty());
        let guidance = guidance.map(|model| Arc::clone(&model.guidance));
        let left = self.stdin.time_left(self.deadline);
        let time = LLM_TIME_MAX.min(left.saturating_sub(LLM_RESERVE));
        Ok(TextRequest { client, system, prompt, guidance, tokens_max, temperature, seed, time })
    }

    /// Waits for the text. A text whose time ran out is returned incomplete, like one with too many tokens: the
    /// player may have read it already.
    async fn generate(
        &mut self,
        request: TextRequest,
        aloud: bool,
    ) -> Result<GuestLlmReply, GuestLlmError> {
        let Some(TextModelClient { model, .. }) = &self.text_model else {
            return Err(GuestLlmError::Unavailable("this host has no language model".to_owned()));
        };
        let time = request.time;
        // The model writes on a thread of its own. Its pieces go through a channel so that they reach the sink
        // between the script's events, and never after the script has ended.
        let (sender, mut pieces) = unbounded_channel::<String>();
        let on_text = Box::new(move |piece: &str| _ = sender.send(piece.to_owned()));
        let mut generating = model.generate(request, on_text);
        let mut text =
            TextBuffer { starts_paragraph: aloud && self.has_narrated, ..TextBuffer::default() };
        let listener = aloud.then(|| self.collector.clone());
        let ended = timeout(time, async {
            loop {
                tokio::select! {
                    biased;
                    Some(piece) = pieces.recv() => text.push(&piece, listener.as_ref()),
                    ended = &mut generating => break ended,
                }
                if text.is_full {
                    break Ok(TextResponse { is_complete: false });
                }
            }
        })
        .await;
        drop(generating);
        while let Ok(piece) = pieces.try_recv() {
            text.push(&piece, listener.as_ref());
        }
        self.has_narrated |= aloud && !text.content.is_empty();
        match ended.unwrap_or(Err(TextModelError::TimedOut)) {
            Ok(TextResponse { is_complete }) => {
                Ok(GuestLlmReply { complete: is_complete && !text.is_full, text: text.content })
            }
            Err(TextModelError::TimedOut) if !text.content.is_empty() => {
                Ok(GuestLlmReply { text: text.content, complete: false })
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// A text as it grows, without control characters and without white space around it.
#[derive(Debug, Default)]
struct TextBuffer {
    content: String,
    /// White space that becomes part of the text only if something follows.
    pending_space: String,
    /// True if the text reached [`TEXT_BYTES_MAX`] and was cut.
    is_full: bool,
    /// True if the player has seen an earlier text, so that this one starts a new paragraph.
    starts_paragraph: bool,
}

impl TextBuffer {
    /// Appends a piece, and sends the accepted part to `listener`.
    fn push(&mut self, piece: &str, listener: Option<&SharedStdioCollector>) {
        let taken_before = self.content.len();
        for letter in piece.chars() {
            let letter = if letter == '\t' { ' ' } else { letter };
            if !is_harmless(letter) {
                continue;
            }
            if letter.is_whitespace() && self.content.is_empty() {
                continue;
            }
            if self.content.len() + self.pending_space.len() + letter.len_utf8() > TEXT_BYTES_MAX {
                self.is_full = true;
                break;
            }
            if letter.is_whitespace() {
                self.pending_space.push(letter);
            } else {
                self.content.push_str(&self.pending_space);
                self.pending_space.clear();
                self.content.push(letter);
            }
        }
        let new = &self.content[taken_before..];
        if let (false, Some(listener)) = (new.is_empty(), listener) {
            let paragraph = if std::mem::take(&mut self.starts_paragraph) { "\n\n" } else { "" };
            listener.lock().emit(InvocationOutput::Narration(format!("{paragraph}{new}")));
        }
    }
}

/// The guest's prompt and system text; only their length if they exceed the limit.
struct PromptTexts {
    bytes: usize,
    prompt_and_system: Option<(String, Option<String>)>,
}

impl PromptTexts {
    fn read<T: 'static>(
        request: &GuestLlmRequest,
        caller: &StoreContextMut<'_, T>,
    ) -> wasmtime::Result<PromptTexts> {
        let prompt = request.prompt.to_str(caller)?;
        let system = match &request.system {
            Some(system) => Some(system.to_str(caller)?),
            None => None,
        };
        let bytes = prompt.len() + system.as_ref().map_or(0, |system| system.len());
        let is_within = bytes <= LLM_PROMPT_BYTES_MAX;
        let taken = is_within.then(|| (prompt.into_owned(), system.map(|text| text.into_owned())));
        Ok(PromptTexts { bytes, prompt_and_system: taken })
    }
}

/// Adds the interface. `access` finds the invocation's model in the guest's state.
pub(crate) fn add_to_linker<T: Send + 'static>(
    linker: &mut Linker<T>,
    access: fn(&mut T) -> &mut InvocationLlm,
) -> wasmtime::Result<()> {
    let mut llm = linker.instance(LLM_INTERFACE)?;
    llm.func_wrap_async("generate", move |mut caller, (request,): (GuestLlmRequest,)| {
        Box::new(async move {
            let texts = PromptTexts::read(&request, &caller)?;
            let aloud = request.aloud;
            let llm = access(caller.data_mut());
            let reply = match llm.build_request(request, texts) {
                Ok(request) => llm.generate(request, aloud).await,
                Err(refusal) => Err(GuestLlmError::Refused(refusal.to_string())),
            };
            if reply.is_err() {
                // A guest that asks in a loop must not block other tasks or the check of the clock.
                tokio::task::yield_now().await;
            }
            Ok((reply,))
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn joined(pieces: &[&str]) -> String {
        let mut text = TextBuffer::default();
        pieces.iter().for_each(|piece| text.push(piece, None));
        text.content
    }

    #[test]
    fn a_text_has_no_control_or_hidden_characters_and_no_white_space_around_it() {
        assert_eq!(
            joined(&[" \n The", " door\u{1b}[31m", " \r\n", "\n opens.\u{9b}", "\n\n "]),
            "The door[31m \n\n opens."
        );
        assert_eq!(joined(&["a\tb\u{0}\u{7f}c\u{202e}\u{e0041}d"]), "a bcd");
        assert_eq!(joined(&[" ", "\n", "\u{7}"]), "");
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_between_two_characters() {
        for piece in ["é", "€", " ", "x "] {
            let mut text = TextBuffer::default();
            text.push("abc", None);
            (0..TEXT_BYTES_MAX).for_each(|_| text.push(piece, None));
            assert!(text.is_full, "{piece:?}");
            let bytes = text.content.len() + text.pending_space.len();
            assert!((TEXT_BYTES_MAX - 3..=TEXT_BYTES_MAX).contains(&bytes), "{piece:?}: {bytes}");
        }
    }

    proptest! {
        #[test]
        fn a_text_does_not_depend_on_how_it_is_cut_into_pieces(
            pieces in prop::collection::vec("[ \n\tab\u{7}é]{0,4}", 0..8),
        ) {
            let whole = pieces.concat();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(joined(&pieces), joined(&[&whole]));
            let plain: String = whole.replace('\t', " ").replace('\u{7}', "");
            prop_assert_eq!(joined(&[&whole]), plain.trim());
        }
    }
}
