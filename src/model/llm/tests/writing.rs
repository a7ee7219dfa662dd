//! Texts with and without a grammar.

use serde_json::{Value, json};

use super::{super::*, harness::*};

fn random(seed: u64) -> Sampling {
    Sampling::Random { temperature: 1.0, seed }
}

#[test]
fn a_plan_is_valid_whatever_the_model_prefers() {
    for seed in 1..4 {
        let model = model(seed);
        for sampling in (0..5).map(random).chain([Sampling::Greedy]) {
            let job = GenerateJob {
                sampling,
                ..under_grammar(chat(&["system: Plan.", "user: go north"]))
            };
            let schema = job.grammar.clone().unwrap().schema;
            let (done, pieces) = write(&model, job);
            let done = done.unwrap();
            assert!(done.is_complete, "{done:?}");
            assert_eq!(pieces.concat(), done.text);
            let value: Value = serde_json::from_str(&done.text).unwrap();
            assert!(jsonschema::is_valid(&schema, &value), "{}", done.text);
            assert!(done.usage.forced > 0, "{done:?}");
        }
    }
}

#[test]
fn there_is_no_white_space_between_tokens() {
    let done = text(&model(1), under_grammar(chat(&["user: go north"])));
    let value: Value = serde_json::from_str(&done.text).unwrap();
    let steps = format!("{{\"steps\":{},\"narrative\":", value["steps"]);
    // Numbers and escapes may be written in several ways, the rest may not.
    assert!(done.text.starts_with("{\"steps\":[[\""), "{}", done.text);
    assert!(steps.len() > 20 && done.text.contains("],\"narrative\":\""), "{}", done.text);
}

#[test]
fn no_control_character_but_a_line_end_gets_into_a_text() {
    let schema =
        json!({"type": "array", "items": {"type": "string"}, "minItems": 30, "maxItems": 30});
    let model = model(1);
    let mut escapes = 0;
    for seed in 0..4 {
        let job = GenerateJob {
            grammar: Some(Grammar { schema: Arc::new(schema.clone()) }),
            tokens_max: 600,
            sampling: random(seed),
            ..job(chat(&["user: go north"]))
        };
        let written = text(&model, job).text;
        let mut letters = written.chars();
        while let Some(letter) = letters.next() {
            assert!(letter >= ' ', "{written}");
            if letter == '\\' {
                let escaped = letters.next();
                assert!(escaped.is_none_or(|it| "n\\\"".contains(it)), "{written}");
                escapes += 1;
            }
        }
    }
    assert!(escapes > 0, "nothing was escaped");
}

#[test]
fn a_text_depends_on_the_seed_alone() {
    let model = model(1);
    let of =
        |sampling| text(&model, GenerateJob { sampling, ..job(chat(&["user: go north"])) }).text;
    assert_eq!(of(random(1)), of(random(1)));
    assert_ne!(of(random(1)), of(random(2)));
    assert_eq!(of(Sampling::Greedy), of(Sampling::Greedy));
    let cold = |temperature| Sampling::Random { temperature, seed: 3 };
    assert_eq!(of(cold(0.0)), of(Sampling::Greedy));
    assert_eq!(of(cold(f32::NAN)), of(Sampling::Greedy));
}

#[test]
fn text_arrives_in_whole_characters_and_without_control_tokens() {
    let model = model(2);
    for seed in 0..8 {
        let (done, pieces) =
            write(&model, GenerateJob { sampling: random(seed), ..job(chat(&["user: sing"])) });
        let done = done.unwrap();
        assert_eq!(pieces.concat(), done.text);
        assert!(pieces.iter().all(|piece| !piece.is_empty()));
        for control in ["<|end|>", "<|user|>", "<s>", "<|placeholder1|>"] {
            assert!(!done.text.contains(control), "{}", done.text);
        }
        assert_eq!(done.is_complete, done.usage.sampled < 40, "{done:?}");
    }
}

#[test]
fn a_text_stops_at_its_limit() {
    let model = model(1);
    let short = |job| GenerateJob { tokens_max: 5, ..job };
    let done = text(&model, short(under_grammar(chat(&["user: go north"]))));
    assert!(!done.is_complete);
    assert_eq!((done.text.as_str(), done.usage.forced + done.usage.sampled), ("{\"ste", 5));
    let done = text(&model, GenerateJob { tokens_max: 0, ..job(chat(&["user: go north"])) });
    assert_eq!((done.text.as_str(), done.is_complete), ("", false));
}

#[test]
fn an_unsupported_schema_is_refused() {
    let model = model(1);
    assert_eq!(model.can_write(&grammar().schema), Ok(()));
    let bad = json!({"type": "array", "items": {"type": "integer"}, "uniqueItems": true});
    insta::assert_snapshot!(
        model.can_write(&bad).unwrap_err(),
        @r#"Unimplemented keys: ["uniqueItems"]"#
    );
    insta::assert_snapshot!(model.can_write(&json!(true)).unwrap_err(), @"the schema is not an object");
    assert!(model.can_write(&json!({"type": "string", "minLength": 3, "maxLength": 2})).is_err());
    let grammar = Some(Grammar { schema: Arc::new(bad) });
    let (done, pieces) = write(&model, GenerateJob { grammar, ..job(chat(&["user: go north"])) });
    insta::assert_snapshot!(
        done.unwrap_err(),
        @r#"the grammar cannot be used: Unimplemented keys: ["uniqueItems"]"#
    );
    assert!(pieces.is_empty());
}

#[test]
fn more_grammars_than_the_cache_holds_can_be_used() {
    let model = model(1);
    for round in 0..2 {
        for n in 0..10 {
            let grammar = Some(Grammar { schema: Arc::new(json!({"const": [n]})) });
            let done = text(&model, GenerateJob { grammar, ..job(chat(&["user: count"])) });
            assert_eq!((done.text, done.usage.sampled), (format!("[{n}]"), 0), "{round}");
        }
    }
}

#[test]
fn a_model_without_usable_logits_fails() {
    let mut bytes = std::fs::read(file(1)).unwrap();
    // The last tensor produces the logits.
    let from = bytes.len() - 64 * 365 * 4;
    bytes[from..].fill(0xFF);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nan.gguf");
    std::fs::write(&path, bytes).unwrap();
    let model = Model::load(&path, &options()).unwrap();
    for job in [job(chat(&["user: a"])), under_grammar(chat(&["user: a"]))] {
        for sampling in [Sampling::Greedy, random(1)] {
            let failed = write(
                &model,
                GenerateJob { sampling, grammar: job.grammar.clone(), ..job.clone() },
            );
            insta::allow_duplicates!(insta::assert_snapshot!(
                failed.0.unwrap_err(),
                @"the model failed: it gives no usable numbers for any token, its file may be damaged"
            ));
        }
    }
}

#[test]
fn a_job_may_use_its_whole_lane_and_no_more() {
    let model = model(1);
    assert_eq!([Lane::Plan, Lane::Prose].map(|lane| model.lane_tokens(lane)), [3072, 1024]);
    let words = "word ".repeat(10_000);
    let (done, _) = write(&model, job(chat(&["system: Plan.", &format!("user: {words}")])));
    let GenerateError::TooLong { tokens, limit } = done.unwrap_err() else { panic!("it fits") };
    assert!(limit == 3072 - 40 && tokens > limit, "{tokens} {limit}");
    let of = |n: usize| {
        let job = job(chat(&[&format!("user: {}", "x".repeat(n))]));
        write(&model, GenerateJob { lane: Lane::Prose, tokens_max: 24, ..job }).0
    };
    // `<|user|>`, a line, `<|end|>`, a line, `<|assistant|>`, a line; each line begins with a space.
    let markup = of(1).unwrap().usage.prompt - 1;
    assert_eq!(of(1000 - markup).unwrap().usage.prompt, 1000);
    assert_eq!(of(1001 - markup), Err(GenerateError::TooLong { tokens: 1001, limit: 1000 }));
}

#[test]
fn any_text_can_be_a_prompt_and_be_counted() {
    let model = model(1);
    for input in ["", "\0", "\u{1F409}\u{200D}\u{1F525}", "\u{2}\u{2}", "a\0b", "\n\n \t", "▁▁"]
    {
        let done = text(&model, job(chat(&["system: Plan.", &format!("user: {input}")])));
        assert!(done.usage.prompt > 10);
        assert!(model.count(input) <= input.len(), "{input:?}");
    }
    assert_eq!(model.count("north"), 5);
    assert_eq!(model.count(" north"), 6);
    assert_eq!(model.count(""), 0);
    let silent = Chat { messages: Vec::new() };
    assert!(text(&model, job(silent)).usage.prompt > 0);
}

#[test]
fn two_models_write_at_once() {
    let alone: Vec<_> =
        [1, 2].map(|seed| text(&model(seed), under_grammar(chat(&["user: go"])))).into();
    assert_ne!(alone[0].text, alone[1].text);
    let models = [model(1), model(2)];
    let together =
        [0, 1].map(|i| models[i].generate(under_grammar(chat(&["user: go"])), discard_text()));
    for (alone, together) in alone.iter().zip(together) {
        assert_eq!(wait(together).unwrap().text, alone.text);
    }
}

#[test]
fn a_model_describes_itself() {
    let model = model(1);
    insta::assert_snapshot!(
        format!("{:?}", model.info()),
        @r#"ModelInfo { name: "narratoria-tiny", architecture: "phi3", parameters: 128960, context_tokens: 4096, file_bytes: 525952, gpus: [] }"#
    );
}
