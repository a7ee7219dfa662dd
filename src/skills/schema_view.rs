//! Reads JSON Schema (2020-12) documents without a value at hand. Plan references, conditions, form filling and
//! the model's grammar all ask their questions here, so that `$ref`, `allOf`, `anyOf`, `oneOf`, `type`, `enum`
//! and `properties` mean the same to each of them. Pure; knows nothing of plans, forms or grammars.
//!
//! Three layers, each built on the one before:
//!
//! 1. [`SchemaKeywords`]: one schema object. Every answer is about that object alone.
//! 2. [`SchemaPlace`]: every schema object that judges one value. References are followed, `allOf` is merged,
//!    `anyOf` and `oneOf` stay choices, and a [`SchemaGap`] records each thing that was not read.
//! 3. [`SchemaType`]: which types a value and its parts may have. An over-approximation: a gap, a keyword that
//!    is not read and a schema beyond the limits all mean "anything", so a value that the validator accepts is
//!    never called impossible. One exception is deliberate: a field that no `properties` lists counts as
//!    missing unless the schema says that there may be others ([`SchemaType::field`]).
//!
//! A reader that needs an under-approximation (the grammar must not offer what the validator refuses) uses the
//! first two layers, and gives up if a place has a gap or a keyword that the reader does not know.

mod keywords;
mod place;
mod schema_type;
#[cfg(test)]
mod tests;
mod type_set;

pub use keywords::SchemaKeywords;
pub use place::{SchemaChoice, SchemaGap, SchemaPlace, resolve};
pub use schema_type::{MissingPart, SchemaType};
pub use type_set::TypeSet;
