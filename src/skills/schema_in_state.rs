//! A schema as it holds in one state of a story: a part that draws its values from the state takes what is there and
//! nothing else.

use std::{
    ops::Deref,
    sync::{Arc, PoisonError},
};

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::{
    schema::{Mismatch, Schema, SchemaError},
    state_values::{StateValueLists, ValueSource, bind, refusal},
};

/// A schema as it holds in one state of a story.
#[derive(Debug, Clone)]
pub enum SchemaInState<'s> {
    /// It draws nothing from the state.
    Same(&'s Schema),
    Bound(Arc<Schema>),
}

impl Deref for SchemaInState<'_> {
    type Target = Schema;

    fn deref(&self) -> &Schema {
        match self {
            SchemaInState::Same(schema) => schema,
            SchemaInState::Bound(schema) => schema,
        }
    }
}

impl Schema {
    /// The parts that draw their values from the state (`valuesFrom`). Only [`Schema::in_state`] enforces them.
    pub fn value_sources(&self) -> &[ValueSource] {
        &self.sources
    }

    /// The places of the state that the schema draws values from, with repeats.
    pub fn value_pointers(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| source.pointer.as_str())
    }

    /// The schema with the values of this state. Fails only if the values make the schema too large.
    pub fn in_state(&self, lists: &StateValueLists) -> Result<SchemaInState<'_>, SchemaError> {
        if self.sources.is_empty() {
            return Ok(SchemaInState::Same(self));
        }
        let mut last = self.last_bound.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |bound: &&Arc<Schema>| {
            bound.lists.as_ref().is_some_and(|known| known.agree_on(lists, &self.sources))
        };
        if let Some(bound) = last.as_ref().filter(fits) {
            return Ok(SchemaInState::Bound(Arc::clone(bound)));
        }
        let mut bound = Schema::build(bind(&self.document, &self.sources, lists))?;
        bound.lists = Some(lists.clone());
        let bound = Arc::new(bound);
        *last = Some(Arc::clone(&bound));
        Ok(SchemaInState::Bound(bound))
    }

    /// Like [`Schema::mismatches_around`], with the values of this state.
    pub fn mismatches_in_state(
        &self,
        instance: &Value,
        holes: &[&str],
        lists: &StateValueLists,
    ) -> Vec<Mismatch> {
        match self.in_state(lists) {
            Ok(schema) => schema.mismatches_around(instance, holes),
            Err(error) => {
                let what = format!("cannot be checked with the names in scope: {error}");
                vec![Mismatch { pointer: String::new(), what }]
            }
        }
    }

    /// The message for a value that the state does not have; none for any other error.
    pub(super) fn scope_message(&self, error: &ValidationError<'_>) -> Option<String> {
        let lists = self.lists.as_ref()?;
        let ValidationErrorKind::Enum { .. } = error.kind() else { return None };
        let part = error.schema_path().as_str().rsplit_once('/')?.0;
        refusal(self.document.pointer(part)?, error.instance(), lists)
    }
}
