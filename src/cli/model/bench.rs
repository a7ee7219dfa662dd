//! `narratoria model bench`: how fast a model is on this machine, and what that means for play.

use std::{
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use narratoria_engine::{SessionOptions, TurnError, TurnErrorKind};
use narratoria_model::{
    files::size_text,
    llm::{GenerateError, Model, ModelInfo},
};
use narratoria_narrator::llama::{APTITUDE_MIN, PlannerSpeed, measure_aptitude, measure_speed};
use narratoria_protocol::millis;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::context::ModelCommandContext;
use crate::{
    args::{ModelBenchArgs, ModelChoice},
    clock_and_ids,
    exit::Exit,
    interrupt::Interrupts,
    model_record::{ModelRecord, SpeedRecord, seconds},
    planner::{chosen_model, smaller_model_hint},
    system_clock,
};
use narratoria_ui::{Out, Tone, note};

/// How long a measurement may take. A model that needs longer is far too slow.
const BENCH_TIME_MAX: Duration = Duration::from_secs(180);

/// Questions that a sentence needs: fewer are not enough for one part of it.
const QUESTIONS_MIN: u32 = 2;
/// With this many there is time for a sentence of two parts, or for a form.
const QUESTIONS_ENOUGH: u32 = 4;

pub(super) async fn bench(args: ModelBenchArgs) -> Result<Exit, TurnError> {
    let context = ModelCommandContext::open(args.format)?;
    let choice = ModelChoice { model: args.model.clone(), offline: args.offline };
    let mut err = Out::stderr(context.look);
    let interrupts = Interrupts::listen(context.look);
    let running = interrupts.begin_turn(None);
    let started = Instant::now();
    let (location, model) = chosen_model(&context.settings, &choice)?;
    let loaded_in = started.elapsed();
    if let Some(text) = model.warning() {
        note(&mut err, Tone::Warning, "warning", &text);
    }
    let deadline = Instant::now() + BENCH_TIME_MAX;
    let seed = clock_and_ids::draw_seed();
    let measured = tokio::select! {
        measured = measure(&model, seed, deadline, &running.cancel) => measured,
        () = running.cancel.cancelled() => Err(GenerateError::Cancelled),
    };
    let (speed, aptitude) = match measured {
        Ok(measured) => measured,
        Err(GenerateError::Cancelled) => return Ok(Exit::Interrupted),
        Err(error) => {
            let failed = TurnError::new(TurnErrorKind::Failed, format!("`{location}`: {error}"));
            return Err(match error {
                GenerateError::TimedOut { .. } => failed
                    .hint(format!("it was measured for {} s", BENCH_TIME_MAX.as_secs()))
                    .hint(smaller_model_hint(model.info().file_bytes)),
                _ => failed,
            });
        }
    };
    let bytes = model.info().file_bytes;
    let record = ModelRecord { location, bytes, aptitude, speed: Some(speed.clone()) };
    let kept = context.settings.home().map(|home| record.write(home));
    if let Ok(Err(why)) = kept {
        note(&mut err, Tone::Warning, "warning", &format!("`model list` will not show it: {why}"));
    }
    let plan_time = SessionOptions::new(NonZeroUsize::MIN).generation_timeout;
    let text = text(model.info(), &record, &speed, (loaded_in, plan_time));
    context.print(&document(model.info(), &record, loaded_in), &text)?;
    Ok(Exit::Done)
}

/// The speed, and the aptitude if the model gives probabilities.
async fn measure(
    model: &Model,
    seed: u64,
    deadline: Instant,
    cancel: &CancellationToken,
) -> Result<(SpeedRecord, Option<f64>), GenerateError> {
    let PlannerSpeed { read_per_second, written_per_second, first_question, question } =
        measure_speed(model, seed, deadline, cancel).await?;
    let aptitude = match question {
        Some(_) => Some(measure_aptitude(model, deadline).await?),
        None => None,
    };
    let speed = SpeedRecord {
        read_per_second,
        written_per_second,
        first_question_ms: millis(first_question),
        question_ms: question.map(millis),
        at: system_clock::now().to_string(),
    };
    Ok((speed, aptitude))
}

fn document(info: &ModelInfo, record: &ModelRecord, loaded_in: Duration) -> Value {
    json!({
        "model": {
            "name": info.name,
            "architecture": info.architecture,
            "contextTokens": info.context_tokens,
            "gpus": info.gpus,
        },
        "loadedInMs": millis(loaded_in),
        "measured": record,
    })
}

fn text(
    info: &ModelInfo,
    record: &ModelRecord,
    speed: &SpeedRecord,
    (loaded_in, plan_time): (Duration, Duration),
) -> String {
    let mut text = format!("{} ({})", record.location, info.architecture);
    if info.file_bytes > 0 {
        text += &format!(", {}", size_text(info.file_bytes));
    }
    let computes = match info.gpus.as_slice() {
        [] if record.location.starts_with("http") => "on the server's machine".to_owned(),
        [] => "on the processor".to_owned(),
        gpus => format!("on {}", gpus.join(", ")),
    };
    let rate = |tokens: Option<f64>| match tokens {
        Some(tokens) => format!("{tokens:.1} tokens a second"),
        None => "unknown".to_owned(),
    };
    let first = format!("{:.1} s", seconds(speed.first_question_ms));
    let question = match speed.question_ms {
        Some(ms) => format!("{:.1} s", seconds(ms)),
        None => "it gives no probabilities, so the planner asks it none".to_owned(),
    };
    let understands = match record.aptitude {
        Some(share) => format!("{:.0} of 100 pairs of known questions", share * 100.0),
        None => "unknown".to_owned(),
    };
    let rows = [
        ("computed", computes),
        ("ready after", format!("{:.1} s", loaded_in.as_secs_f64())),
        ("reads", rate(speed.read_per_second)),
        ("writes", rate(speed.written_per_second)),
        ("first question", first),
        ("a question", question),
        ("understands", understands),
    ];
    text.push('\n');
    for (label, value) in rows {
        text += &format!("  {label:<15} {value}\n");
    }
    text + &expectation(record, speed, plan_time) + "\n"
}

/// What a player may expect, in a sentence.
fn expectation(record: &ModelRecord, speed: &SpeedRecord, plan_time: Duration) -> String {
    let Some(question_ms) = speed.question_ms else {
        return "It writes prose; plans are made without it.".to_owned();
    };
    if record.aptitude.is_some_and(|aptitude| aptitude < APTITUDE_MIN) {
        return format!(
            "It understands too little for plans, {:.0} pairs are needed: it writes prose, and plans are made without it.",
            APTITUDE_MIN * 100.0
        );
    }
    let time = plan_time.as_secs();
    let questions = u32::try_from(
        plan_time.as_millis().checked_div(u128::from(question_ms)).unwrap_or(u128::MAX),
    );
    let questions = questions.unwrap_or(u32::MAX);
    match questions {
        QUESTIONS_ENOUGH.. => format!(
            "It is quick enough: a sentence needs one to four questions, and {time} s are enough for {}.",
            if questions > 50 { "many".to_owned() } else { questions.to_string() }
        ),
        QUESTIONS_MIN.. => format!(
            "It is slow here: {time} s are enough for {questions} questions, and a sentence of several parts needs four; \
             what it has no time for is planned without it."
        ),
        _ => format!(
            "It is too slow here: {time} s are not enough for the two questions of a simple sentence, so most plans are made \
             without it; {}.",
            smaller_model_hint(record.bytes)
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ModelRecord, SpeedRecord, expectation};

    #[test]
    fn a_player_is_told_what_to_expect_of_a_model() {
        let told = |question_ms, aptitude| {
            let speed = SpeedRecord {
                read_per_second: None,
                written_per_second: None,
                first_question_ms: 0,
                question_ms,
                at: String::new(),
            };
            let record = ModelRecord {
                location: "/big.gguf".to_owned(),
                bytes: 2_400_000_000,
                aptitude: Some(aptitude),
                speed: None,
            };
            expectation(&record, &speed, Duration::from_secs(5))
        };
        let speeds = [Some(0), Some(700), Some(1_300), Some(2_400), Some(2_600), None];
        let mut all = speeds.map(|question_ms| told(question_ms, 0.9)).to_vec();
        all.push(told(Some(700), 0.6));
        insta::assert_snapshot!(all.join("\n"), @"
        It is quick enough: a sentence needs one to four questions, and 5 s are enough for many.
        It is quick enough: a sentence needs one to four questions, and 5 s are enough for 7.
        It is slow here: 5 s are enough for 3 questions, and a sentence of several parts needs four; what it has no time for is planned without it.
        It is slow here: 5 s are enough for 2 questions, and a sentence of several parts needs four; what it has no time for is planned without it.
        It is too slow here: 5 s are not enough for the two questions of a simple sentence, so most plans are made without it; a smaller one may do: `narratoria model pull qwen3-1.7b`, then `narratoria run --model qwen3-1.7b`.
        It writes prose; plans are made without it.
        It understands too little for plans, 80 pairs are needed: it writes prose, and plans are made without it.
        ");
    }
}
