//! The note for a player whose machine is too slow for a model. Pure.

use narratoria_model::{
    files::{EMBEDDING_ALIAS, KNOWN, KnownModel},
    llm::ModelInfo,
};
use narratoria_narrator::llama::LATE_MAX;

/// Returns what a player can do if the machine is too slow for a model.
pub(super) fn too_slow_text(model: &ModelInfo) -> String {
    format!(
        "`{}` is too slow for this machine: it had no time for {LATE_MAX} sentences in a row, which were planned without it; {}",
        model.name,
        smaller_model_hint(model.file_bytes)
    )
}

/// Names a smaller model, or the way to play without one.
pub(crate) fn smaller_model_hint(bytes: u64) -> String {
    let smaller = KNOWN
        .iter()
        .filter(|known| known.alias != EMBEDDING_ALIAS && known.bytes < bytes)
        .min_by_key(|known| known.bytes);
    match smaller {
        Some(KnownModel { alias, .. }) => format!(
            "a smaller one may do: `narratoria model pull {alias}`, then `narratoria run --model {alias}`"
        ),
        None => "`--planner lexical` plays without a model".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use narratoria_model::llm::ModelInfo;

    use super::too_slow_text;

    fn text(gigabytes: f64) -> String {
        too_slow_text(&ModelInfo {
            name: "Big".to_owned(),
            architecture: "phi3".to_owned(),
            parameters: 4_000_000_000,
            context_tokens: 4096,
            file_bytes: (gigabytes * 1e9) as u64,
            gpus: Vec::new(),
        })
    }

    #[test]
    fn a_model_that_is_too_slow_has_a_smaller_one_to_take_or_none() {
        insta::assert_snapshot!(text(2.4), @"`Big` is too slow for this machine: it had no time for 3 sentences in a row, which were planned without it; a smaller one may do: `narratoria model pull qwen3-1.7b`, then `narratoria run --model qwen3-1.7b`");
        insta::assert_snapshot!(text(0.4), @"`Big` is too slow for this machine: it had no time for 3 sentences in a row, which were planned without it; `--planner lexical` plays without a model");
    }
}
