//! Random walks through the grammar of a tool set, byte by byte.

use std::{cell::Cell, sync::LazyLock};

use llguidance::{Matcher, ParserFactory, api::TopLevelGrammar};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use toktrie::ApproximateTokEnv;

use narratoria_model::llm::guided;

use super::{build, built_in_catalog, catalog, expand, schemas::input_schema, skill, tool_set};
use narratoria_skills::Schema;

/// A longer text shows that some value has no bound.
const WALK_BYTES_MAX: usize = 60_000;

/// A token for each byte.
static FACTORY: LazyLock<ParserFactory> = LazyLock::new(|| {
    let mut factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).unwrap();
    factory.quiet();
    factory
});

fn matcher(schema: &Value) -> Result<Matcher, String> {
    let schema = guided(schema).unwrap();
    let parser = FACTORY.create_parser(TopLevelGrammar::from_json_schema(schema));
    let matcher = Matcher::new(parser);
    match matcher.get_error() {
        Some(error) => Err(error),
        None => Ok(matcher),
    }
}

/// Why a model cannot use a schema as its grammar.
pub(super) fn can_write(schema: &Value) -> Result<(), String> {
    matcher(schema).map(|_| ())
}

/// A random text of the grammar. Now and then the walk prefers a byte that ends a value: otherwise every value would have
/// its greatest length.
pub(super) fn walk(schema: &Value, rng: &mut SmallRng) -> String {
    let mut matcher = matcher(schema).unwrap();
    let mut text = Vec::new();
    while !matcher.is_stopped() {
        let mask = matcher.compute_mask().unwrap();
        let mut allowed = Vec::new();
        mask.iter_set_entries(|token| allowed.push(token as u32));
        let ends = |token: &&u32| [b'"', b']', b'}'].iter().any(|end| u32::from(*end) == **token);
        let end = allowed.iter().find(ends).filter(|_| rng.random_ratio(1, 8));
        let token = *end.unwrap_or_else(|| &allowed[rng.random_range(0..allowed.len())]);
        matcher.consume_token(token).unwrap();
        match u8::try_from(token) {
            Ok(byte) => text.push(byte),
            Err(_) => break,
        }
        assert!(text.len() < WALK_BYTES_MAX, "{}", String::from_utf8_lossy(&text));
    }
    String::from_utf8(text).unwrap()
}

/// S0 SC-001: every plan that the model can write can run.
#[test]
fn every_walk_through_the_grammar_of_the_built_in_skills_is_a_plan_that_can_run() {
    let catalog = built_in_catalog();
    let tool_set = tool_set(&catalog);
    assert_eq!(tool_set.left_out(), []);
    let mut rng = SmallRng::seed_from_u64(4);
    let schema = tool_set.plan_schema();
    for _ in 0..120 {
        let text = walk(&schema, &mut rng);
        let expanded = expand(&tool_set, &catalog, "I listen\u{0}", &text).unwrap();
        build(expanded, &catalog).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

/// The grammar accepts only what the script's own schema accepts.
#[test]
fn every_walk_through_the_grammar_of_a_random_schema_is_a_plan_that_can_run() {
    let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (tried, offered) = (Cell::new(0), Cell::new(0));
    let strategy = (input_schema(), any::<u64>());
    let run = TestRunner::new_with_rng(config, rng).run(&strategy, |(input, seed)| {
        if Schema::build(input.clone()).is_err() {
            return Ok(());
        }
        tried.set(tried.get() + 1);
        let narrate = json!({"type": "object", "properties": {"x": {"type": "boolean"}}});
        let catalog = catalog(vec![skill("any", "thing", &input), skill("tell", "tale", &narrate)]);
        let mut rng = SmallRng::seed_from_u64(seed);
        let tool_set = tool_set(&catalog);
        offered.set(offered.get() + usize::from(tool_set.left_out().is_empty()));
        for _ in 0..2 {
            let text = walk(&tool_set.plan_schema(), &mut rng);
            let expanded = expand(&tool_set, &catalog, "", &text);
            let plan = expanded.and_then(|expanded| build(expanded, &catalog));
            prop_assert!(plan.is_ok(), "{plan:?}\n{text}\n{}", tool_set.plan_schema());
        }
        Ok(())
    });
    run.unwrap_or_else(|error| panic!("{error}"));
    // Most keywords that no grammar enforces are in optional properties.
    let (tried, offered) = (tried.get(), offered.get());
    assert!(tried > 300 && offered * 2 > tried, "{offered} of {tried}");
}
