//! A chat as tokens, in the form that the model's own template gives it.
//!
//! The template sees a mark in place of each text, never the text: what it makes of the marks is cut there,
//! and only its own pieces may become control tokens.

use llama_cpp_2::{
    model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel},
    token::LlamaToken,
};

use super::{Chat, ChatMessage, ChatRole, MessagePart, PrefixLifetime, vocabulary::Vocabulary};

/// Tokens that are read at once. A prompt is always cut at the same places, so that it makes no difference to
/// the text how much of it had been read before.
pub(super) const CHUNK: usize = 128;

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TokenizedPrompt {
    pub tokens: Vec<LlamaToken>,
    /// Ends of what is read at once, ascending; the last one is the length.
    pub splits: Vec<usize>,
    /// How many tokens stay from one job to the next; a split, or 0.
    pub session_end: usize,
    /// How many tokens stay from one start to the next; a split, or 0.
    pub disk_end: usize,
}

/// How a model's chats look.
pub(super) enum ChatFormat {
    /// Its own template, or one that its vocabulary is made for.
    Template(LlamaChatTemplate),
    /// It has none: headings.
    Headings,
}

enum PromptPiece<'c> {
    Template(String),
    Part(&'c MessagePart),
}

impl ChatFormat {
    /// How chats of this model look.
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

/// What stands before, between and after the texts of the messages; nothing if the template does not keep
/// each of them once and in order.
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

/// Makes a prompt, or says how many tokens it has at least when that is more than `limit`.
pub(super) fn build(
    chat: &Chat,
    form: &ChatFormat,
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
    // What comes after something short-lived does not live longer.
    let mut keep = PrefixLifetime::Disk;
    for (i, piece) in form.pieces(model, chat).into_iter().enumerate() {
        match piece {
            PromptPiece::Template(text) => {
                prompt.tokens.extend(vocabulary.tokenize_template(&text, i == 0))
            }
            PromptPiece::Part(part) => {
                prompt.tokens.extend(vocabulary.tokenize_plain(&part.text));
                keep = keep.min(part.lifetime);
                if keep >= PrefixLifetime::Session {
                    prompt.split();
                    prompt.session_end = prompt.tokens.len();
                }
                if keep >= PrefixLifetime::Disk {
                    prompt.disk_end = prompt.tokens.len();
                }
            }
        }
    }
    prompt.split();
    if prompt.tokens.len() > limit { Err(prompt.tokens.len()) } else { Ok(prompt) }
}

impl TokenizedPrompt {
    /// Cuts here, and before here wherever a chunk is full.
    fn split(&mut self) {
        let mut last = self.splits.last().copied().unwrap_or(0);
        while last < self.tokens.len() {
            last = (last + CHUNK).min(self.tokens.len());
            self.splits.push(last);
        }
    }
}
