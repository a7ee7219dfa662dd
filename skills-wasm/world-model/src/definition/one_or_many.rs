//! A field that is one text or a list of texts.

use schemars::JsonSchema;
use serde::{Deserializer, Serialize as _, Serializer};

/// A text, or a list of texts.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum OneOrMany {
    /// One text.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// Reads a text or a list of texts.
struct OneOrManyVisitor;

impl<'de> serde::de::Visitor<'de> for OneOrManyVisitor {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text or a list of texts")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<String>, E> {
        Ok(vec![text.to_owned()])
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element()? {
            texts.push(text);
        }
        Ok(texts)
    }
}

pub(super) fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    from.deserialize_any(OneOrManyVisitor)
}

pub(super) fn as_one_or_many<S: Serializer>(texts: &Vec<String>, to: S) -> Result<S::Ok, S::Error> {
    match texts.as_slice() {
        [one] => to.serialize_str(one),
        many => many.serialize(to),
    }
}
