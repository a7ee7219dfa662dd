//! The voice of a language model (S0 FR-001): it writes a compact plan under a grammar that allows nothing
//! else. What it cannot do in time the lexical voice does (S0 FR-005, FR-006).

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Form, Menu, ModelSlot, prompt};
use crate::{
    llm::{Chat, Generated, Grammar, Job, Keep, Lane, Model, Sampling},
    narrator::{Answer, Ask, Instead, LexicalVoice, Planner, Proposal, Reading, Thinking, Tokens},
    plan::{PlanJson, wire::MetadataJson},
    protocol::Object,
    skills::Catalog,
};

/// Most tokens of a plan. Four steps with long inputs have about 250.
pub const PLAN_TOKENS_MAX: usize = 512;

/// What is left of the generation's time for the lexical voice, which takes a millisecond, and for a machine
/// that is busy: the model is told to stop this much earlier.
const RESERVE: Duration = Duration::from_millis(100);

/// Who asks, in the model's queue.
const CLIENT: &str = "planner";

const NAME: &str = "llama";

/// The voice of a language model. While there is none, the lexical voice speaks for itself.
#[derive(Debug)]
pub struct LlamaVoice {
    slot: ModelSlot,
    stand_in: LexicalVoice,
    form: Form,
    /// Of the last catalog.
    menu: Option<(u64, Menu)>,
}

impl LlamaVoice {
    /// A voice for the model that is or will be in this slot.
    pub fn new(slot: ModelSlot) -> LlamaVoice {
        LlamaVoice::with_form(slot, Form::Tuple)
    }

    /// The same, with a plan written in another form: for whoever wants to compare them.
    pub fn with_form(slot: ModelSlot, form: Form) -> LlamaVoice {
        LlamaVoice { slot, stand_in: LexicalVoice::new(), form, menu: None }
    }

    /// What the model may use. Packages do not change while they are loaded, so that what can be offered is
    /// looked up once.
    fn menu(&mut self, ask: &Ask<'_>, model: &Model) -> Menu {
        let key = fingerprint(ask.catalog);
        let known = self.menu.take().filter(|(known, _)| *known == key);
        let (_, menu) = self.menu.insert(known.unwrap_or_else(|| {
            let menu = Menu::of(ask.catalog, &[], &|schema| model.can_write(schema));
            for (path, why) in menu.left_out() {
                tracing::warn!("the model cannot use `{path}`: {why}");
            }
            (key, menu.with_form(self.form))
        }));
        menu.with_disabled(ask.disabled)
    }

    fn chat(ask: &Ask<'_>, menu: &Menu, model: &Model) -> Chat {
        let room = model.lane_tokens(Lane::Plan).saturating_sub(PLAN_TOKENS_MAX);
        prompt(ask, menu, &|text| model.count(text), room)
    }

    async fn think(&mut self, ask: &Ask<'_>, model: &Model) -> Result<Answer, String> {
        let asked_at = Instant::now();
        let menu = self.menu(ask, model);
        if menu.is_empty() {
            return Err("no skill is left that it could use".to_owned());
        }
        let job = Job {
            client: CLIENT.to_owned(),
            lane: Lane::Plan,
            chat: LlamaVoice::chat(ask, &menu, model),
            grammar: Some(Grammar { schema: Arc::new(menu.schema()) }),
            tokens_max: PLAN_TOKENS_MAX,
            sampling: Sampling::Greedy,
            deadline: asked_at + ask.budget.saturating_sub(RESERVE),
            cancel: CancellationToken::new(),
        };
        let early = ask.early.clone();
        let mut reader = menu.reader(ask);
        let on_text = Box::new(move |text: &str| {
            for step in reader.push(text) {
                if let Some(early) = &early {
                    // Nobody hears it once the turn is over.
                    let _ = early.send(step);
                }
            }
        });
        let written = model.generate(job, on_text).await.map_err(|error| error.to_string())?;
        if !written.is_complete {
            return Err(format!("its plan is longer than {PLAN_TOKENS_MAX} tokens"));
        }
        let plan = plan(ask, &menu, &written, model, asked_at.elapsed())?;
        let (usage, by) = (written.usage, NAME.to_owned());
        let tokens = Tokens {
            prompt: usage.prompt,
            reused: usage.reused,
            sampled: usage.sampled,
            forced: usage.forced,
        };
        Ok(Answer { by, proposal: Proposal::Plan(plan), instead: None, tokens: Some(tokens) })
    }
}

impl Planner for LlamaVoice {
    fn name(&self) -> &str {
        match self.slot.model() {
            Some(_) => NAME,
            None => self.stand_in.name(),
        }
    }

    fn prepare(&mut self, ask: &Ask<'_>) {
        let Some(model) = self.slot.model() else { return };
        let menu = self.menu(ask, &model);
        if !menu.is_empty() {
            let grammar = Grammar { schema: Arc::new(menu.schema()) };
            model.warm(LlamaVoice::chat(ask, &menu, &model), Lane::Plan, Some(grammar));
        }
    }

    fn read_up<'a>(&'a mut self, ask: Ask<'a>) -> Reading<'a> {
        Box::pin(async move {
            let Some(model) = self.slot.model() else { return };
            let menu = self.menu(&ask, &model);
            if menu.is_empty() {
                return;
            }
            self.prepare(&ask);
            let mut chat = LlamaVoice::chat(&ask, &menu, &model);
            for message in &mut chat.messages {
                message.parts.retain(|part| part.keep > Keep::Job);
            }
            let job = Job {
                client: CLIENT.to_owned(),
                lane: Lane::Plan,
                chat,
                grammar: None,
                tokens_max: 1,
                sampling: Sampling::Greedy,
                deadline: Instant::now() + ask.budget,
                cancel: CancellationToken::new(),
            };
            if let Err(error) = model.generate(job, Box::new(|_| {})).await {
                tracing::warn!("`{NAME}` could not read ahead: {error}");
            }
        })
    }

    fn propose<'a>(&'a mut self, ask: Ask<'a>) -> Thinking<'a> {
        Box::pin(async move {
            let Some(model) = self.slot.model() else { return self.stand_in.propose(ask).await };
            let why = match self.think(&ask, &model).await {
                Ok(answer) => return Ok(answer),
                Err(why) => why,
            };
            tracing::info!("`{NAME}` made no plan: {why}");
            let answer = self.stand_in.propose(ask).await?;
            let of = NAME.to_owned();
            Ok(Answer { instead: Some(Instead { of, why }), ..answer })
        })
    }
}

/// The compact plan as Plan JSON (S0 FR-002), with what it cost.
fn plan(
    ask: &Ask<'_>,
    menu: &Menu,
    written: &Generated,
    model: &Model,
    took: Duration,
) -> Result<PlanJson, String> {
    let expanded = menu.expand(&written.text, ask).map_err(|error| error.to_string())?;
    let usage = &written.usage;
    let mut extra = Object::new();
    let mut note = |field: &str, value: Value| _ = extra.insert(field.to_owned(), value);
    note("planner", NAME.into());
    note("model", model.info().name.clone().into());
    note(
        "tokens",
        serde_json::json!({
            "prompt": usage.prompt,
            "reused": usage.reused,
            "sampled": usage.sampled,
            "forced": usage.forced,
        }),
    );
    note("generationMs", u64::try_from(took.as_millis()).unwrap_or(u64::MAX).into());
    Ok(PlanJson {
        request_id: ask.plan_id.clone(),
        narrative: expanded.narrative,
        tools: expanded.tools,
        parallel: true,
        disabled_skills: ask.disabled.to_vec(),
        on_failure: None,
        // S0 FR-010.
        metadata: MetadataJson {
            generation_attempt: ask.attempt,
            parent_plan_id: ask.parent_plan_id.map(str::to_owned),
            extra,
        },
    })
}

/// What a menu hangs on.
fn fingerprint(catalog: &Catalog) -> u64 {
    let mut hasher = DefaultHasher::new();
    for skill in catalog.iter() {
        (&skill.name, skill.version.to_string()).hash(&mut hasher);
    }
    hasher.finish()
}
