//! Chats that begin with rules and examples: the beginning is read from a text of the program, and each question follows
//! it. Pure.

use narratoria_model::llm::{Chat, ChatMessage, ChatRole, MessagePart, PrefixLifetime};

/// What stands before the answer of a block.
const ANSWER: &str = "\nAnswer: ";

/// The chat of a text of the program. Blocks are separated by an empty line; one without an answer is left out.
pub(super) fn read_examples(text: &str) -> Chat {
    let mut blocks = blocks_of(text);
    let message = |role, text: &str| message(role, text, PrefixLifetime::Disk);
    let rules = blocks.next().map(|rules| message(ChatRole::System, rules));
    let examples = answered(blocks).flat_map(|(question, answer)| {
        [message(ChatRole::User, question), message(ChatRole::Assistant, answer)]
    });
    Chat { messages: rules.into_iter().chain(examples).collect() }
}

/// The questions of a text of the program, each with its answer.
pub(super) fn answered_questions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    answered(blocks_of(text))
}

fn blocks_of(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").map(str::trim).filter(|block| !block.is_empty())
}

fn answered<'t>(blocks: impl Iterator<Item = &'t str>) -> impl Iterator<Item = (&'t str, &'t str)> {
    blocks.filter_map(|block| block.rsplit_once(ANSWER))
}

/// The chat with one more question, which only this job reads.
pub(super) fn ask(beginning: &Chat, question: &str) -> Chat {
    let mut chat = beginning.clone();
    chat.messages.push(message(ChatRole::User, question, PrefixLifetime::Job));
    chat
}

fn message(role: ChatRole, text: &str, lifetime: PrefixLifetime) -> ChatMessage {
    ChatMessage { role, parts: vec![MessagePart { text: text.to_owned(), lifetime }] }
}
