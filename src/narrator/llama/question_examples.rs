//! Reads the beginning of a chat from a text: the rules, then blocks of a question and its answer. Pure.

use narratoria_model::llm::{Chat, ChatMessage, ChatRole, MessagePart, PrefixLifetime};

/// What stands before the answer of a block.
const ANSWER: &str = "\nAnswer: ";

/// The chat of a text of the program. Blocks are separated by an empty line; one without an answer is left out.
pub(super) fn read_examples(text: &str) -> Chat {
    let mut blocks = text.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
    let message = |role, text: &str| {
        let part = MessagePart { text: text.to_owned(), lifetime: PrefixLifetime::Disk };
        ChatMessage { role, parts: vec![part] }
    };
    let rules = blocks.next().map(|rules| message(ChatRole::System, rules));
    let examples =
        blocks.filter_map(|block| block.rsplit_once(ANSWER)).flat_map(|(question, answer)| {
            [message(ChatRole::User, question), message(ChatRole::Assistant, answer)]
        });
    Chat { messages: rules.into_iter().chain(examples).collect() }
}
