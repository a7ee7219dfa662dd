//! The host's request, read from stdin. Unknown fields are ignored, missing ones have defaults.

use std::{
    fmt,
    io::{self, Read},
};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};

use crate::{SkillError, Value, clip::clip};

/// Longest request that is read. The host's own limits on input and state are far lower; this one stops a runaway pipe
/// before it takes the component's memory.
pub const REQUEST_BYTES_MAX: u64 = 16 << 20;

/// Longest piece of a value that a message quotes.
const QUOTE_CHARS_MAX: usize = 80;

/// The operation that returns the schemas.
pub(crate) const OPERATION_DESCRIBE: &str = "describe";
/// The ordinary operation, and the default.
pub(crate) const OPERATION_RUN: &str = "run";

/// One invocation's request.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct InvocationRequest {
    #[serde(deserialize_with = "null_is_default")]
    pub(crate) request_id: String,
    #[serde(deserialize_with = "null_is_default")]
    pub(crate) tool: String,
    #[serde(deserialize_with = "null_is_default")]
    pub(crate) operation: String,
    pub(crate) input: Value,
    pub(crate) config: Value,
    pub(crate) state: Value,
    #[serde(deserialize_with = "null_is_default")]
    pub(crate) inputs: Inputs,
    #[serde(deserialize_with = "null_is_default")]
    pub(crate) seed: u64,
}

/// Outputs of the steps before this one, in the order of the text: a map would sort them.
#[derive(Debug, Default)]
pub(crate) struct Inputs(pub(crate) Vec<(String, Value)>);

impl InvocationRequest {
    /// Reads to the end and parses. Blank input is the empty request, so that a person can try a script in a shell.
    pub(crate) fn read(from: impl Read) -> Result<InvocationRequest, SkillError> {
        let mut bytes = Vec::new();
        from.take(REQUEST_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error: io::Error| {
            SkillError::new("INVALID_REQUEST", format!("stdin cannot be read: {error}"))
        })?;
        if bytes.len() as u64 > REQUEST_BYTES_MAX {
            let message = format!("the request is longer than {REQUEST_BYTES_MAX} bytes");
            return Err(SkillError::new("INVALID_REQUEST", message));
        }
        let mut request = if bytes.trim_ascii().is_empty() {
            InvocationRequest::default()
        } else if bytes.trim_ascii_start().starts_with(b"[") {
            // serde would take its items for the fields, in order.
            let message = "the request is not usable: it is an array, not an object";
            return Err(SkillError::new("INVALID_REQUEST", message));
        } else {
            serde_json::from_slice(&bytes).map_err(|error| {
                SkillError::new("INVALID_REQUEST", format!("the request is not usable: {error}"))
            })?
        };
        if request.operation.is_empty() {
            OPERATION_RUN.clone_into(&mut request.operation);
        }
        for value in [&mut request.input, &mut request.config, &mut request.state] {
            if value.is_null() {
                *value = Value::Object(serde_json::Map::new());
            }
        }
        Ok(request)
    }

    /// The input as the script's own type.
    pub(crate) fn input<T: DeserializeOwned>(&self) -> Result<T, SkillError> {
        if !self.input.is_object() {
            // serde would take the items of an array for the fields, in order.
            let message = format!("`input` is {}: it must be an object", quote(&self.input));
            return Err(SkillError::new("INVALID_INPUT", message));
        }
        typed(&self.input, "input", "INVALID_INPUT")
    }
}

/// Turns a value into a type; the error has `code` and names the field, its value and the fault.
pub(crate) fn typed<T: DeserializeOwned>(
    value: &Value,
    what: &str,
    code: &'static str,
) -> Result<T, SkillError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let pointer = pointer_of(error.path());
        let found = value.pointer(&pointer).map(quote);
        let whole = if path == "." { what.to_owned() } else { format!("{what}.{path}") };
        let message = match found {
            Some(found) => format!("`{whole}` is {found}: {}", error.inner()),
            None => format!("`{whole}`: {}", error.inner()),
        };
        SkillError::new(code, message)
    })
}

fn pointer_of(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}

/// The value as JSON, clipped: it may be long.
pub(crate) fn quote(value: &Value) -> String {
    clip(&value.to_string(), QUOTE_CHARS_MAX).into_owned()
}

fn null_is_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    from: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

impl<'de> Deserialize<'de> for Inputs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Inputs, D::Error> {
        struct InputsVisitor;
        impl<'de> Visitor<'de> for InputsVisitor {
            type Value = Inputs;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object with the outputs of earlier steps")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Inputs, A::Error> {
                let mut entries: Vec<(String, Value)> = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    // The first of two equal keys counts.
                    if entries.iter().any(|(known, _)| *known == key) {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        entries.push((key, map.next_value()?));
                    }
                }
                Ok(Inputs(entries))
            }
        }
        from.deserialize_map(InputsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<InvocationRequest, String> {
        InvocationRequest::read(text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn missing_and_null_fields_have_defaults_and_unknown_ones_are_ignored() {
        for text in [
            "",
            " \n",
            "{}",
            r#"{"operation":null,"input":null,"seed":null,"inputs":null,"new":1}"#,
        ] {
            let request = read(text).unwrap();
            assert_eq!(request.operation, "run");
            assert_eq!(request.input, serde_json::json!({}));
            assert_eq!((request.seed, request.inputs.0.len()), (0, 0));
        }
    }

    #[test]
    fn inputs_keep_the_order_of_the_plan() {
        let request = read(r#"{"inputs":{"z":{},"a":null,"m":{"x":1},"z":{"late":1}}}"#).unwrap();
        let order: Vec<&str> = request.inputs.0.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(order, ["z", "a", "m"]);
        assert_eq!(request.inputs.0[0].1, serde_json::json!({}));
    }

    #[test]
    fn a_request_that_is_none_says_where() {
        insta::assert_snapshot!(read("roll it").unwrap_err(), @"INVALID_REQUEST: the request is not usable: expected value at line 1 column 1");
        insta::assert_snapshot!(read(r#"{"seed":-1}"#).unwrap_err(), @"INVALID_REQUEST: the request is not usable: invalid value: integer `-1`, expected u64 at line 1 column 10");
        insta::assert_snapshot!(read(r#"{"inputs":[]}"#).unwrap_err(), @"INVALID_REQUEST: the request is not usable: invalid type: sequence, expected an object with the outputs of earlier steps at line 1 column 10");
    }

    #[test]
    fn an_array_is_neither_a_request_nor_an_input() {
        #[derive(Debug, Deserialize)]
        #[serde(default)]
        struct RollInput {
            count: u8,
        }
        impl Default for RollInput {
            fn default() -> RollInput {
                RollInput { count: 1 }
            }
        }
        insta::assert_snapshot!(read(" []").unwrap_err(), @"INVALID_REQUEST: the request is not usable: it is an array, not an object");
        let input =
            |text| read(text).unwrap().input::<RollInput>().map_err(|error| error.to_string());
        assert_eq!(input("{}").unwrap().count, 1);
        insta::assert_snapshot!(input(r#"{"input":[7]}"#).unwrap_err(), @"INVALID_INPUT: `input` is [7]: it must be an object");
        insta::assert_snapshot!(input(r#"{"input":"7"}"#).unwrap_err(), @r#"INVALID_INPUT: `input` is "7": it must be an object"#);
    }

    #[test]
    fn an_endless_request_is_refused() {
        let error = InvocationRequest::read(io::repeat(b' ')).unwrap_err();
        assert_eq!(error.code, "INVALID_REQUEST");
    }
}
