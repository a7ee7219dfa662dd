//! The language model for scripts: `narratoria_model` behind the sandbox's trait.

use std::time::Instant;

use tokio_util::sync::CancellationToken;

use narratoria_model::llm::{
    Chat, ChatMessage, ChatRole, GenerateError, GenerateJob, Lane, MessagePart, Model,
    PrefixLifetime, Sampling,
};
use narratoria_sandbox::{
    TextFuture, TextModel, TextModelError, TextModelSink, TextRequest, TextResponse,
};

/// The guidance of plain Agent Skills gets at most this part of the prose lane: a quarter.
const GUIDANCE_SHARE: usize = 4;
/// Tokens of the chat template, and of the separators between the texts.
const TEMPLATE_TOKENS: usize = 32;

/// Writes prose for skills in the model's prose lane. Skills take turns in its queue.
#[derive(Debug, Clone)]
pub struct ProseModel(Model);

impl ProseModel {
    /// Wraps a model for [`GrantedResources::text_model`](super::GrantedResources::text_model), once it is ready.
    pub fn new(model: Model) -> ProseModel {
        ProseModel(model)
    }
}

impl TextModel for ProseModel {
    fn generate(&self, request: TextRequest, on_text: TextModelSink) -> TextFuture {
        let lane_tokens = self.0.lane_tokens(Lane::Prose);
        let request = with_guidance(request, lane_tokens, &|text| self.0.count(text));
        let generating = self.0.generate(job(request), on_text);
        Box::pin(async move {
            match generating.await {
                Ok(generated) => Ok(TextResponse { is_complete: generated.is_complete }),
                Err(error) => Err(text_error(&error)),
            }
        })
    }
}

/// Appends the guidance to the system text: at most [`GUIDANCE_SHARE`] of the lane, and never so much that the answer
/// does not fit.
fn with_guidance(
    mut request: TextRequest,
    lane_tokens: usize,
    count: &dyn Fn(&str) -> usize,
) -> TextRequest {
    let Some(guidance) = request.guidance.take() else { return request };
    let system = request.system.take().unwrap_or_default();
    let written = usize::try_from(request.tokens_max).unwrap_or(usize::MAX);
    let needed = [count(&system), count(&request.prompt), written, TEMPLATE_TOKENS];
    let room = needed.into_iter().fold(lane_tokens, usize::saturating_sub);
    let guidance = guidance.render(room.min(lane_tokens / GUIDANCE_SHARE), count);
    let texts: Vec<String> =
        [system, guidance].into_iter().filter(|text| !text.is_empty()).collect();
    request.system = (!texts.is_empty()).then(|| texts.join("\n\n"));
    request
}

fn job(request: TextRequest) -> GenerateJob {
    let TextRequest { client, system, prompt, tokens_max, temperature, seed, time, .. } = request;
    let message =
        |role, text, lifetime| ChatMessage { role, parts: vec![MessagePart { text, lifetime }] };
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
        // The caller cancels by dropping the future.
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
    use std::{sync::Arc, time::Duration};

    use narratoria_skills::{StoryGuidance, testing};

    use super::*;

    fn request(system: Option<&str>, temperature: f32) -> TextRequest {
        TextRequest {
            client: "storyteller".to_owned(),
            system: system.map(str::to_owned),
            prompt: "The door.".to_owned(),
            guidance: None,
            tokens_max: 180,
            temperature,
            seed: 7,
            time: Duration::from_secs(3),
        }
    }

    #[test]
    fn the_request_of_a_script_is_a_chat_in_the_prose_lane() {
        let before = Instant::now();
        let job = job(request(Some("You narrate."), 0.8));
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

    /// A style guide must never displace the text itself.
    #[test]
    fn guidance_goes_below_the_system_text_as_far_as_it_fits() {
        let mut guide = testing::skill("noir", &[]);
        guide.prompt = "Rain.\n\nNeon.\n\nNo heroes.".to_owned();
        let guidance = StoryGuidance::from_catalog(&testing::catalog([guide]));
        let count = |text: &str| text.split_whitespace().count();
        let system = |lane_tokens: usize, system: Option<&str>| {
            let guidance = Some(Arc::new(guidance.clone()));
            let request = TextRequest { guidance, ..request(system, 0.8) };
            with_guidance(request, lane_tokens, &count).system
        };
        let whole = system(1_024, Some("You narrate.")).unwrap();
        assert!(whole.starts_with("You narrate.\n\nThe player's own guides"), "{whole}");
        assert!(whole.ends_with("\n# noir\n> Rain.\n> Neon.\n> No heroes.\n"), "{whole}");
        assert!(system(1_024, None).unwrap().starts_with("The player's own guides"));
        // 2 tokens for the system text, 2 for the prompt, 180 for the answer and 32 for the template.
        let left = |room: usize| system(2 + 2 + 180 + 32 + room, Some("You narrate.")).unwrap();
        assert!(left(26).ends_with("> Rain.\n"), "{}", left(26));
        assert_eq!(left(10), "You narrate.");
        assert_eq!(system(0, Some("You narrate.")).unwrap(), "You narrate.");
    }

    #[test]
    fn temperature_zero_is_greedy_and_a_missing_system_text_adds_no_message() {
        let job = job(request(None, 0.0));
        assert_eq!(job.sampling, Sampling::Greedy);
        assert_eq!(job.chat.messages.len(), 1);
    }

    #[test]
    fn a_script_gets_the_reason_of_a_failure() {
        let check =
            |error: GenerateError, expect: TextModelError| assert_eq!(text_error(&error), expect);
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
