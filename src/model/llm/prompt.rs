//! Turns a chat into tokens with the model's own template.
//!
//! The template sees a mark in place of each text, never the text. Its output is cut at the marks, and only the
//! template's own pieces may become control tokens.

use llama_cpp_2::{
    model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel},
    token::LlamaToken,
};

use super::{Chat, ChatMessage, ChatRole, MessagePart, PrefixLifetime, vocabulary::Vocabulary};

/// Tokens that are read at once. A prompt is always cut at the same places, so that the text does not depend on how
/// much of the prompt the context had read before.
pub(super) const CHUNK: usize = 128;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TokenizedPrompt {
    pub tokens: Vec<LlamaToken>,
    /// Ends of the pieces that are read at once, ascending; the last one is the length.
    pub splits: Vec<usize>,
    /// Tokens that stay the same from one job to the next; a split, or 0.
    pub session_end: usize,
    /// Tokens that stay the same from one start of the program to the next; a split, or 0.
    pub disk_end: usize,
}

/// How a model's chats are written as text.
pub(super) enum ChatFormat {
    /// The model's own template, or one that its vocabulary is made for.
    Template(LlamaChatTemplate),
    /// Plain headings, for a model without a template.
    Headings,
}

enum PromptPiece<'c> {
    Template(String),
    Part(&'c MessagePart),
}

impl ChatFormat {
    pub(super) fn of(model: &LlamaModel, vocabulary: &Vocabulary) -> ChatFormat {
        let probe =
            [ChatRole::System, ChatRole::User].map(|role| ChatMessage { role, parts: Vec::new() });
        let works =
            |template: &LlamaChatTemplate| split_template(model, template, &probe).is_some();
        if let Some(own) = model.chat_template(None).ok().filter(works) {
            return ChatFormat::Template(own);
        }
        tracing::warn!("the model has no chat template that can be used");
        let has_marks =
            ["<|im_start|>", "<|im_end|>"].iter().all(|name| vocabulary.has_control(name));
        match LlamaChatTemplate::new("chatml").ok().filter(|chatml| has_marks && works(chatml)) {
            Some(chatml) => ChatFormat::Template(chatml),
            None => ChatFormat::Headings,
        }
    }

    fn pieces<'c>(&self, model: &LlamaModel, chat: &'c Chat) -> Vec<PromptPiece<'c>> {
        let between = match self {
            ChatFormat::Template(template) => split_template(model, template, &chat.messages),
            ChatFormat::Headings => None,
        };
        let mut between = between.unwrap_or_else(|| headings(&chat.messages)).into_iter();
        let mut pieces: Vec<_> = between.next().map(PromptPiece::Template).into_iter().collect();
        for (message, after) in chat.messages.iter().zip(between) {
            pieces.extend(message.parts.iter().map(PromptPiece::Part));
            pieces.push(PromptPiece::Template(after));
        }
        pieces
    }
}

/// The template's text before, between and after the messages; `None` if the template does not contain each message
/// once and in order.
fn split_template(
    model: &LlamaModel,
    template: &LlamaChatTemplate,
    messages: &[ChatMessage],
) -> Option<Vec<String>> {
    let mark = |i: usize| format!("narratoria-message-{i}-");
    let marked = messages.iter().enumerate().map(|(i, message)| {
        let role = match message.role {
            ChatRole::System => "system",
            ChatRole::User => "user",
            ChatRole::Assistant => "assistant",
        };
        LlamaChatMessage::new(role.to_owned(), mark(i)).ok()
    });
    let marked: Vec<_> = marked.collect::<Option<_>>()?;
    let text = model.apply_chat_template(template, &marked, true).ok()?;
    let mut rest = text.as_str();
    let mut between = Vec::new();
    for i in 0..messages.len() {
        let (before, after) = rest.split_once(&mark(i))?;
        between.push(before.to_owned());
        rest = after;
    }
    between.push(rest.to_owned());
    let is_once = between.iter().all(|piece| !piece.contains("narratoria-message-"));
    is_once.then_some(between)
}

fn headings(messages: &[ChatMessage]) -> Vec<String> {
    let heading = |role| match role {
        ChatRole::System => "### Instructions:\n",
        ChatRole::User => "### User:\n",
        ChatRole::Assistant => "### Assistant:\n",
    };
    let mut between = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let gap = if i == 0 { "" } else { "\n\n" };
        between.push(format!("{gap}{}", heading(message.role)));
    }
    let gap = if messages.is_empty() { "" } else { "\n\n" };
    between.push(format!("{gap}{}", heading(ChatRole::Assistant)));
    between
}

/// Builds a prompt. The error is a lower bound of its tokens, if that exceeds `limit`.
pub(super) fn build(
    chat: &Chat,
    format: &ChatFormat,
    model: &LlamaModel,
    vocabulary: &Vocabulary,
    limit: usize,
) -> Result<TokenizedPrompt, usize> {
    let parts = || chat.messages.iter().flat_map(|message| &message.parts);
    let least = vocabulary.tokens_min(parts().map(|part| part.text.len()).sum());
    if least > limit {
        return Err(least);
    }
    let mut prompt =
        TokenizedPrompt { tokens: Vec::new(), splits: Vec::new(), session_end: 0, disk_end: 0 };
    // A part does not outlive the parts before it.
    let mut lifetime = PrefixLifetime::Disk;
    for (i, piece) in format.pieces(model, chat).into_iter().enumerate() {
        match piece {
            PromptPiece::Template(text) => {
                prompt.tokens.extend(vocabulary.tokenize_template(&text, i == 0))
            }
            PromptPiece::Part(part) => {
                prompt.tokens.extend(vocabulary.tokenize_plain(&part.text));
                lifetime = lifetime.min(part.lifetime);
                if lifetime >= PrefixLifetime::Session {
                    prompt.split();
                    prompt.session_end = prompt.tokens.len();
                }
                if lifetime >= PrefixLifetime::Disk {
                    prompt.disk_end = prompt.tokens.len();
                }
            }
        }
    }
    prompt.split();
    if prompt.tokens.len() > limit { Err(prompt.tokens.len()) } else { Ok(prompt) }
}

impl TokenizedPrompt {
    /// Adds a split at the end, and one wherever a chunk is full.
    fn split(&mut self) {
        let mut last = self.splits.last().copied().unwrap_or(0);
        while last < self.tokens.len() {
            last = (last + CHUNK).min(self.tokens.len());
            self.splits.push(last);
        }
    }
}
