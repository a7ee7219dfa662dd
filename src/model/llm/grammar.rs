//! Schemas as grammars.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use llguidance::{
    Matcher, ParserFactory, api::TopLevelGrammar, earley::SlicedBiasComputer, toktrie::TokEnv,
};
use serde_json::{Value, json};
use toktrie::InferenceCapabilities;

use super::vocabulary::Vocabulary;

/// Grammars that are kept. A player has one set of skills, and steps of a plan some schemas of their own.
const GRAMMARS_MAX: usize = 8;
/// Longest reason that is passed on.
const REASON_CHARS_MAX: usize = 300;

/// Makes grammars, and keeps the last ones.
pub(super) struct GrammarCache {
    factory: ParserFactory,
    /// The latest last.
    compiled: Mutex<VecDeque<(Arc<Value>, Matcher)>>,
}

impl GrammarCache {
    pub(super) fn new(vocabulary: &Arc<Vocabulary>) -> Result<GrammarCache, String> {
        let env: TokEnv = Arc::clone(vocabulary) as _;
        let can = InferenceCapabilities { ff_tokens: true, ..Default::default() };
        let mut factory = ParserFactory::new(&env, can, &SlicedBiasComputer::json_slices())
            .map_err(|error| error.to_string())?;
        factory.quiet();
        factory.limits_mut().verbose_errors = false;
        Ok(GrammarCache { factory, compiled: Mutex::default() })
    }

    /// A grammar at its beginning.
    pub(super) fn matcher(&self, schema: &Arc<Value>) -> Result<Matcher, String> {
        let made = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |known: &Arc<Value>| Arc::ptr_eq(known, schema) || known == schema;
        let mut known = made();
        if let Some(at) = known.iter().position(|(known, _)| is_it(known)) {
            let latest = known.remove(at).map(|found| (found.1.deep_clone(), found));
            if let Some((matcher, found)) = latest {
                known.push_back(found);
                return Ok(matcher);
            }
        }
        drop(known);
        let base = self.build(schema)?;
        let matcher = base.deep_clone();
        let mut known = made();
        if known.len() == GRAMMARS_MAX {
            known.pop_front();
        }
        known.push_back((Arc::clone(schema), base));
        Ok(matcher)
    }

    /// Makes a grammar ahead of time.
    pub(super) fn precompile(&self, schema: &Arc<Value>) -> Result<(), String> {
        self.matcher(schema).map(|_| ())
    }

    /// Whether a schema can be held to, or why not.
    pub(super) fn check(&self, schema: &Value) -> Result<(), String> {
        self.build(schema).map(|_| ())
    }

    fn build(&self, schema: &Value) -> Result<Matcher, String> {
        let Value::Object(schema) = schema else {
            return Err("the schema is not an object".to_owned());
        };
        let mut schema = schema.clone();
        // White space doubles what is written, and a model may find no end of it.
        schema.insert(
            "x-guidance".to_owned(),
            json!({"whitespace_flexible": false, "item_separator": ",", "key_separator": ":"}),
        );
        let grammar = TopLevelGrammar::from_json_schema(Value::Object(schema));
        let matcher = Matcher::new(self.factory.create_parser(grammar));
        match matcher.get_error() {
            Some(error) => Err(first_lines(&error)),
            None => Ok(matcher),
        }
    }
}

/// The first lines of an error, on one.
pub(super) fn first_lines(error: &str) -> String {
    let lines: Vec<&str> =
        error.lines().map(str::trim).take_while(|line| *line != "<backtrace>").collect();
    lines.join(" ").chars().take(REASON_CHARS_MAX).collect()
}
