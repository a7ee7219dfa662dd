//! Chats that begin with rules and examples: the beginning is read from a text of the program, and each question follows
//! it. Pure.

use narratoria_model::llm::{Chat, ChatMessage, ChatRole, MessagePart, PrefixLifetime};

/// What stands before the answer of a block.
const ANSWER: &str = "\nAnswer: ";

/// The chat of a text of the program. Blocks are separated by an empty line; one without an answer is left out.
pub(super) fn read_examples(text: &str) -> Chat {
    let mut blocks = text.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
    let message = |role, text: &str| message(role, text, PrefixLifetime::Disk);
    let rules = blocks.next().map(|rules| message(ChatRole::System, rules));
    let examples =
        blocks.filter_map(|block| block.rsplit_once(ANSWER)).flat_map(|(question, answer)| {
            [message(ChatRole::User, question), message(ChatRole::Assistant, answer)]
        });
    Chat { messages: rules.into_iter().chain(examples).collect() }
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
