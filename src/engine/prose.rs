//! The language model as scripts see it: `llm` behind the trait of `sandbox`.

use std::time::Instant;

use tokio_util::sync::CancellationToken;

use narratoria_model::llm::{
    Chat, ChatMessage, ChatRole, GenerateError, GenerateJob, Lane, MessagePart, Model,
    PrefixLifetime, Sampling,
};
use narratoria_sandbox::{
    TextFuture, TextModel, TextModelError, TextModelSink, TextRequest, TextResponse,
};

/// Writes prose for skills, in the model's own share of the context. Each skill has its turn in the queue.
#[derive(Debug, Clone)]
pub struct ProseModel(Model);

impl ProseModel {
    /// For [`Granted::text_model`](super::Granted::text_model), once the model is ready.
    pub fn new(model: Model) -> ProseModel {
        ProseModel(model)
    }
}

impl TextModel for ProseModel {
    fn generate(&self, ask: TextRequest, on_text: TextModelSink) -> TextFuture {
        let generating = self.0.generate(job(ask), on_text);
        Box::pin(async move {
            match generating.await {
                Ok(generated) => Ok(TextResponse { is_complete: generated.is_complete }),
                Err(error) => Err(text_error(&error)),
            }
        })
    }
}

fn job(ask: TextRequest) -> GenerateJob {
    let TextRequest { client, system, prompt, tokens_max, temperature, seed, time } = ask;
    let message =
        |role, text, keep| ChatMessage { role, parts: vec![MessagePart { text, lifetime: keep }] };
    let system = system.map(|system| message(ChatRole::System, system, PrefixLifetime::Session));
    let prompt = message(ChatRole::User, prompt, PrefixLifetime::Job);
    let sampling = match temperature > 0.0 {
        true => Sampling::Random { temperature, seed },
        false => Sampling::Greedy,
    };
    GenerateJob {
        client,
        lane: Lane::Prose,
        chat: Chat { messages: system.into_iter().chain([prompt]).collect() },
        grammar: None,
        tokens_max: usize::try_from(tokens_max).unwrap_or(usize::MAX),
        sampling,
        deadline: Instant::now() + time,
        // Who does not want it any more drops the future.
        cancel: CancellationToken::new(),
    }
}

fn text_error(error: &GenerateError) -> TextModelError {
    let reason = error.to_string();
    match error {
        GenerateError::TimedOut { .. } => TextModelError::TimedOut,
        GenerateError::TooLong { .. } => TextModelError::Refused { reason },
        GenerateError::Busy { .. } => TextModelError::Unavailable { reason },
        GenerateError::Cancelled | GenerateError::Grammar { .. } | GenerateError::Failed { .. } => {
            TextModelError::Failed { reason }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ask(system: Option<&str>, temperature: f32) -> TextRequest {
        TextRequest {
            client: "storyteller".to_owned(),
            system: system.map(str::to_owned),
            prompt: "The door.".to_owned(),
            tokens_max: 180,
            temperature,
            seed: 7,
            time: Duration::from_secs(3),
        }
    }

    #[test]
    fn what_a_script_asks_is_a_chat_in_the_share_of_prose() {
        let before = Instant::now();
        let job = job(ask(Some("You narrate."), 0.8));
        let left = job.deadline - before;
        assert!(left >= Duration::from_secs(3) && left < Duration::from_secs(4), "{left:?}");
        assert_eq!(
            (job.client.as_str(), job.lane, job.tokens_max),
            ("storyteller", Lane::Prose, 180)
        );
        assert_eq!(job.sampling, Sampling::Random { temperature: 0.8, seed: 7 });
        let parts: Vec<(ChatRole, &str, PrefixLifetime)> = job
            .chat
            .messages
            .iter()
            .flat_map(|message| message.parts.iter().map(|part| (message.role, part)))
            .map(|(role, part)| (role, part.text.as_str(), part.lifetime))
            .collect();
        let system = (ChatRole::System, "You narrate.", PrefixLifetime::Session);
        assert_eq!(parts, [system, (ChatRole::User, "The door.", PrefixLifetime::Job)]);
    }

    #[test]
    fn without_chance_the_likeliest_word_is_taken_and_without_a_system_text_there_is_none() {
        let job = job(ask(None, 0.0));
        assert_eq!(job.sampling, Sampling::Greedy);
        assert_eq!(job.chat.messages.len(), 1);
    }

    #[test]
    fn what_the_model_says_of_a_failure_is_what_the_script_is_told() {
        let check =
            |error: GenerateError, told: TextModelError| assert_eq!(text_error(&error), told);
        check(GenerateError::TimedOut { doing: "wrote" }, TextModelError::TimedOut);
        let reason = "the prompt has 3000 tokens, at most 900 fit".to_owned();
        check(
            GenerateError::TooLong { tokens: 3000, limit: 900 },
            TextModelError::Refused { reason },
        );
        let reason = "9 texts are waiting to be written already".to_owned();
        check(GenerateError::Busy { waiting: 9 }, TextModelError::Unavailable { reason });
        let reason = "it was cancelled".to_owned();
        check(GenerateError::Cancelled, TextModelError::Failed { reason });
    }
}
