//! Compiles schemas to grammars.

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

/// Grammars in the cache. A player has one set of skills, and steps of a plan have some schemas of their own.
const GRAMMARS_MAX: usize = 8;
/// Longest reason that an error carries.
const REASON_CHARS_MAX: usize = 300;

/// Compiles grammars and caches the last ones.
pub(super) struct GrammarCache {
    factory: ParserFactory,
    /// The most recently used one last.
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

    /// A matcher at the beginning of the grammar.
    pub(super) fn matcher(&self, schema: &Arc<Value>) -> Result<Matcher, String> {
        let lock = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |other: &Arc<Value>| Arc::ptr_eq(other, schema) || other == schema;
        let mut compiled = lock();
        if let Some(at) = compiled.iter().position(|(other, _)| is_same(other)) {
            let found = compiled.remove(at).map(|found| (found.1.deep_clone(), found));
            if let Some((matcher, found)) = found {
                compiled.push_back(found);
                return Ok(matcher);
            }
        }
        drop(compiled);
        let base = self.build(schema)?;
        let matcher = base.deep_clone();
        let mut compiled = lock();
        if compiled.len() == GRAMMARS_MAX {
            compiled.pop_front();
        }
        compiled.push_back((Arc::clone(schema), base));
        Ok(matcher)
    }

    /// Compiles a grammar into the cache.
    pub(super) fn precompile(&self, schema: &Arc<Value>) -> Result<(), String> {
        self.matcher(schema).map(|_| ())
    }

    /// The error is the reason why the schema cannot be a grammar.
    pub(super) fn check(&self, schema: &Value) -> Result<(), String> {
        self.build(schema).map(|_| ())
    }

    fn build(&self, schema: &Value) -> Result<Matcher, String> {
        let schema = guided(schema).ok_or("the schema is not an object")?;
        let grammar = TopLevelGrammar::from_json_schema(schema);
        let matcher = Matcher::new(self.factory.create_parser(grammar));
        match matcher.get_error() {
            Some(error) => Err(first_lines(&error)),
            None => Ok(matcher),
        }
    }
}

/// The schema with what a model writes under it besides: no white space between tokens, which doubles a text and which a
/// model may never stop writing; and few escapes, which suffice for every text and let in no control character of ASCII
/// but a line end. `None` if the schema is no object.
pub fn guided(schema: &Value) -> Option<Value> {
    let mut schema = schema.as_object()?.clone();
    schema.insert(
        "x-guidance".to_owned(),
        json!({
            "whitespace_flexible": false,
            "item_separator": ",",
            "key_separator": ":",
            "json_allowed_escapes": "n\\\"",
        }),
    );
    Some(Value::Object(schema))
}

/// The lines of an error before its backtrace, joined and shortened.
pub(super) fn first_lines(error: &str) -> String {
    let lines: Vec<&str> =
        error.lines().map(str::trim).take_while(|line| *line != "<backtrace>").collect();
    lines.join(" ").chars().take(REASON_CHARS_MAX).collect()
}
