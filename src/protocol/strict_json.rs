//! The one reader of JSON from outside: text → values, stricter than `serde_json` is by itself, and bounded.
//!
//! Lines of scripts, and every document that a person, a package, a planner or the network hands over, come through
//! here. Knows nothing of what a document means.
//!
//! - A duplicate key in one object is refused, because some readers take the first value and others the last.
//! - A number that would be read as another one is refused: it is too large, or has too many digits. The reasons are in
//!   `number_text`.
//! - Length, nesting and number of values are bounded ([`JsonBounds`]).
//! - A byte order mark before a document is skipped: some editors write one without being asked. A line of a script has
//!   none.

use std::{
    cell::{Cell, RefCell},
    fmt,
};

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value, map::Entry};

use super::{
    json_size::{ARRAY_VALUES, OBJECT_VALUES},
    number_text::{first_not_kept_in_json, first_not_kept_of, may_be_another},
    quote::quote,
    visible::clip,
};

/// Deepest nesting of arrays and objects in one line or document. Stops values that overflow the stack of code that
/// walks them; serde_json itself would stop at 128. The state may nest deeper:
/// [`STATE_DEPTH_MAX`](crate::STATE_DEPTH_MAX).
pub const DEPTH_MAX: usize = 64;

/// Most JSON values of one invocation, and of one document. A text, a number, a flag or null counts one, an array
/// [`ARRAY_VALUES`] beside its items, an object [`OBJECT_VALUES`] beside its members: so each takes some 70 bytes of the
/// host's memory, whatever its text is. A map of 256 by 256 fields has 66,564.
pub const VALUES_MAX: usize = 200_000;

/// Longest number that a message quotes whole, in characters.
const NUMBER_CHARS_MAX: usize = 80;

/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The byte order marks of UTF-16, which some editors call "Unicode".
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// How much one document may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonBounds {
    /// Longest text.
    pub bytes_max: usize,
    /// Deepest nesting of arrays and objects.
    pub depth_max: usize,
    /// Most values, counted as for [`VALUES_MAX`].
    pub values_max: usize,
}

impl JsonBounds {
    /// A document of that length. It nests, and holds as many values, as all events of an invocation may:
    /// [`DEPTH_MAX`], [`VALUES_MAX`].
    pub const fn of_bytes(bytes_max: usize) -> JsonBounds {
        JsonBounds { bytes_max, depth_max: DEPTH_MAX, values_max: VALUES_MAX }
    }

    /// These bounds with another nesting.
    pub const fn with_depth(self, depth_max: usize) -> JsonBounds {
        JsonBounds { depth_max, ..self }
    }

    /// These bounds with another number of values.
    pub const fn with_values(self, values_max: usize) -> JsonBounds {
        JsonBounds { values_max, ..self }
    }
}

/// Why a text from outside is not read. Lines and columns (in bytes) start at 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrictJsonError {
    /// Refused before anything is read.
    #[error("it has {bytes} bytes, the limit is {limit}")]
    TooLong {
        /// The length.
        bytes: usize,
        /// [`JsonBounds::bytes_max`].
        limit: usize,
    },
    /// Nothing but blanks.
    #[error("it is empty")]
    Empty,
    /// It begins with the byte order mark of UTF-16.
    #[error("it is UTF-16; save it as UTF-8")]
    Utf16,
    /// JSON is UTF-8.
    #[error("it is not UTF-8 (first bad byte at line {line} column {column})")]
    NotUtf8 {
        /// The position of the bad byte.
        line: usize,
        /// The position of the bad byte.
        column: usize,
    },
    /// Deep nesting overflows the stack of code that walks the value.
    #[error("it nests deeper than {limit} levels")]
    TooDeep {
        /// [`JsonBounds::depth_max`].
        limit: usize,
    },
    /// Each value costs many times the memory of its text.
    #[error("it has more than {limit} values")]
    TooManyValues {
        /// [`JsonBounds::values_max`].
        limit: usize,
    },
    /// Two readers could read two different documents.
    #[error("the key {key} stands twice in one object at line {line} column {column}")]
    DuplicateKey {
        /// As JSON, cut short.
        key: String,
        /// The line of the second key.
        line: usize,
        /// The column behind the second key.
        column: usize,
    },
    /// An id or a count would change on the way, and no message would show what was written.
    #[error(
        "the number {number} at line {line} column {column} would be read as another one; write it as a string"
    )]
    Number {
        /// As it is written, cut short.
        number: String,
        /// The line of its first character.
        line: usize,
        /// The column of its first character.
        column: usize,
    },
    /// Not one complete JSON value.
    #[error("{what} at line {line} column {column}")]
    Syntax {
        /// The parser's message.
        what: String,
        /// Position of the parser's error.
        line: usize,
        /// Position of the parser's error.
        column: usize,
    },
    /// The text is JSON, but not of the requested type.
    #[error("{what}")]
    Shape {
        /// The parser's message, with its place.
        what: String,
    },
}

impl StrictJsonError {
    /// The refusal of a number of the text, which stands at that offset.
    fn number(text: &str, (at, number): (usize, &str)) -> StrictJsonError {
        let (line, column) = place_after(&text.as_bytes()[..at]);
        StrictJsonError::Number {
            number: clip(number, NUMBER_CHARS_MAX).into_owned(),
            line,
            column,
        }
    }

    /// Returns true if another text of the same form could be read: the text is JSON, and breaks a stricter rule.
    pub fn is_json(&self) -> bool {
        !matches!(
            self,
            StrictJsonError::Syntax { .. }
                | StrictJsonError::Empty
                | StrictJsonError::Utf16
                | StrictJsonError::NotUtf8 { .. }
        )
    }

    /// The predicate of a sentence about the document: `is not JSON: …` only if it is not.
    pub fn predicate(&self) -> String {
        match self {
            StrictJsonError::Syntax { .. } => format!("is not JSON: {self}"),
            StrictJsonError::Empty => "is empty, it must hold JSON".to_owned(),
            StrictJsonError::DuplicateKey { .. }
            | StrictJsonError::Number { .. }
            | StrictJsonError::Shape { .. } => format!("cannot be used: {self}"),
            other => other.to_string().trim_start_matches("it ").to_owned(),
        }
    }
}

/// Reads a document from outside.
pub fn read_json(bytes: &[u8], bounds: JsonBounds) -> Result<Value, StrictJsonError> {
    let text = checked_text(bytes, bounds)?;
    parse(text, bounds.values_max).map(|(value, _)| value)
}

/// Reads a document from outside as a `T`; the error names the place where it is no `T`.
pub fn read_json_as<T: DeserializeOwned>(
    bytes: &[u8],
    bounds: JsonBounds,
) -> Result<T, StrictJsonError> {
    let text = checked_text(bytes, bounds)?;
    parse(text, bounds.values_max)?;
    // Read again as a `T`, because only then does an error have its place.
    serde_json::from_str(text).map_err(|error| StrictJsonError::Shape { what: error.to_string() })
}

/// The text without a byte order mark, if its length, encoding and nesting are fine.
fn checked_text(bytes: &[u8], bounds: JsonBounds) -> Result<&str, StrictJsonError> {
    let text = bounded_text(bytes, bounds.bytes_max)?;
    if nests_deeper_than(bounds.depth_max, text.as_bytes()) {
        return Err(StrictJsonError::TooDeep { limit: bounds.depth_max });
    }
    Ok(text)
}

/// Returns the text of a document of any format from outside, without a byte order mark, if its length and its encoding
/// are fine.
pub fn bounded_text(bytes: &[u8], bytes_max: usize) -> Result<&str, StrictJsonError> {
    if bytes.len() > bytes_max {
        let (bytes, limit) = (bytes.len(), bytes_max);
        return Err(StrictJsonError::TooLong { bytes, limit });
    }
    if UTF_16_MARKS.iter().any(|mark| bytes.starts_with(mark)) {
        return Err(StrictJsonError::Utf16);
    }
    let bytes = without_byte_order_mark(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let (line, column) = place_after(&bytes[..error.valid_up_to()]);
        StrictJsonError::NotUtf8 { line, column }
    })?;
    if text.trim_ascii().is_empty() {
        return Err(StrictJsonError::Empty);
    }
    Ok(text)
}

/// The bytes without the byte order mark of UTF-8 that some editors write before a text.
pub fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Returns true if arrays and objects nest deeper than `limit`. Counts brackets outside strings, so the bytes need not be
/// valid JSON.
pub fn nests_deeper_than(limit: usize, line: &[u8]) -> bool {
    // Nearly all lines have fewer brackets, and counting them all is faster than following strings.
    if line.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() <= limit {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Reads a value of any format by the rules of this reader: no key twice in one object, and no number that JSON lacks. The
/// format's own reader bounds it, and [`check_numbers`] its numbers.
pub fn read_value_from<'de, D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
    CountingSeed(&ReadSoFar::of_at_most(usize::MAX)).deserialize(from)
}

/// Refuses a document of any format if a number of its text was read as another one into this value.
pub fn check_numbers(text: &str, value: &Value) -> Result<(), StrictJsonError> {
    let mut doubtful = Vec::new();
    collect_doubtful(value, &mut doubtful);
    match first_not_kept_of(text, &doubtful) {
        Some(found) => Err(StrictJsonError::number(text, found)),
        None => Ok(()),
    }
}

fn collect_doubtful(value: &Value, doubtful: &mut Vec<f64>) {
    match value {
        Value::Number(number) if number.is_f64() => {
            doubtful.extend(number.as_f64().filter(|read| may_be_another(*read)));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_doubtful(item, doubtful)),
        Value::Object(fields) => fields.values().for_each(|it| collect_doubtful(it, doubtful)),
        _ => {}
    }
}

/// Line and column of the byte after `before`.
fn place_after(before: &[u8]) -> (usize, usize) {
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    (line, before.len() - line_start + 1)
}

/// Returns the value and the number of values in it, itself included, counted as for [`VALUES_MAX`].
pub(super) fn parse(text: &str, values_max: usize) -> Result<(Value, usize), StrictJsonError> {
    let read = ReadSoFar::of_at_most(values_max);
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = CountingSeed(&read).deserialize(&mut reader);
    let value = value.and_then(|value| reader.end().map(|()| value));
    if read.left.get().is_none() {
        return Err(StrictJsonError::TooManyValues { limit: values_max });
    }
    let is_too_large = |error: &serde_json::Error| without_place(error) == OUT_OF_RANGE;
    if value.as_ref().map_or_else(is_too_large, |_| read.is_doubtful.get())
        && let Some(found) = first_not_kept_in_json(text)
    {
        return Err(StrictJsonError::number(text, found));
    }
    let error = match value {
        Ok(value) => return Ok((value, values_max - read.left.get().unwrap_or(0))),
        Err(error) => error,
    };
    let (line, column) = (error.line().max(1), error.column().max(1));
    Err(match read.duplicate.take() {
        Some(key) => StrictJsonError::DuplicateKey { key, line, column },
        None => StrictJsonError::Syntax { what: without_place(&error), line, column },
    })
}

/// The parser's message about a number beyond the range of a double, where it stops to read.
const OUT_OF_RANGE: &str = "number out of range";

/// The parser's message without its place.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// Facts about a document while it is read.
struct ReadSoFar {
    /// How many more values there may be; `None` after one too many.
    left: Cell<Option<usize>>,
    /// The duplicate key, once there is one.
    duplicate: RefCell<Option<String>>,
    /// True once there was a double that may have been written as another number.
    is_doubtful: Cell<bool>,
}

impl ReadSoFar {
    fn of_at_most(values_max: usize) -> ReadSoFar {
        ReadSoFar {
            left: Cell::new(Some(values_max)),
            duplicate: RefCell::default(),
            is_doubtful: Cell::default(),
        }
    }

    fn count<E: Error>(&self, values: usize) -> Result<(), E> {
        let left = self.left.get().and_then(|left| left.checked_sub(values));
        self.left.set(left);
        left.map(|_| ()).ok_or_else(|| E::custom("too many values"))
    }
}

/// Reads one value.
#[derive(Clone, Copy)]
struct CountingSeed<'c>(&'c ReadSoFar);

impl<'de> DeserializeSeed<'de> for CountingSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        self.0.count(1)?;
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CountingSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        if may_be_another(value) {
            self.0.is_doubtful.set(true);
        }
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom(format_args!("`{value}` is no number in JSON")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.0.count(ARRAY_VALUES - 1)?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.0.count(OBJECT_VALUES - 1)?;
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            match object.entry(key) {
                Entry::Occupied(entry) => {
                    let key = quote(&Value::String(entry.key().clone()));
                    let error =
                        A::Error::custom(format_args!("the key {key} stands twice in one object"));
                    self.0.duplicate.replace(Some(key));
                    return Err(error);
                }
                Entry::Vacant(entry) => {
                    entry.insert(entries.next_value_seed(self)?);
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{JsonBounds, StrictJsonError, read_json, read_json_as};

    const BOUNDS: JsonBounds = JsonBounds { bytes_max: 64, depth_max: 3, values_max: 21 };

    fn show(bytes: &[u8]) -> String {
        match read_json(bytes, BOUNDS) {
            Ok(value) => value.to_string(),
            Err(error) => format!("{} | {}", error, error.predicate()),
        }
    }

    #[test]
    fn each_refusal_names_its_reason_and_its_place() {
        let table = [
            &b"{\"a\": 1,\n \"a\": 2}"[..],
            b"[{\"a\": {\"b\": 1, \"\\u0062\": 2}}]",
            b"",
            b" \n",
            b"{\"a\": }",
            b"[1] 2",
            b"[1e400]",
            b"[1,\n 18446744073709551617]",
            b"[\"1e400\", -0, 1e-400]",
            b"[\"\xff\"]",
            b"\xff\xfe[\0]\0",
            b"[[[[1]]]]",
            b"[{},{},1,2]",
            &[b' '; 65],
        ]
        .map(show);
        assert_eq!(
            table.join("\n"),
            r#"the key "a" stands twice in one object at line 2 column 4 | cannot be used: the key "a" stands twice in one object at line 2 column 4
the key "b" stands twice in one object at line 1 column 24 | cannot be used: the key "b" stands twice in one object at line 1 column 24
it is empty | is empty, it must hold JSON
it is empty | is empty, it must hold JSON
expected value at line 1 column 7 | is not JSON: expected value at line 1 column 7
trailing characters at line 1 column 5 | is not JSON: trailing characters at line 1 column 5
the number 1e400 at line 1 column 2 would be read as another one; write it as a string | cannot be used: the number 1e400 at line 1 column 2 would be read as another one; write it as a string
the number 18446744073709551617 at line 2 column 2 would be read as another one; write it as a string | cannot be used: the number 18446744073709551617 at line 2 column 2 would be read as another one; write it as a string
the number 1e-400 at line 1 column 15 would be read as another one; write it as a string | cannot be used: the number 1e-400 at line 1 column 15 would be read as another one; write it as a string
it is not UTF-8 (first bad byte at line 1 column 3) | is not UTF-8 (first bad byte at line 1 column 3)
it is UTF-16; save it as UTF-8 | is UTF-16; save it as UTF-8
it nests deeper than 3 levels | nests deeper than 3 levels
it has more than 21 values | has more than 21 values
it has 65 bytes, the limit is 64 | has 65 bytes, the limit is 64"#
        );
    }

    #[test]
    fn a_byte_order_mark_is_skipped_once_and_only_before_the_text() {
        assert_eq!(show(b"\xef\xbb\xbf{\"a\": 1}"), r#"{"a":1}"#);
        for wrong in [&b"\xef\xbb\xbf\xef\xbb\xbf1"[..], b"[\xef\xbb\xbf1]", b"1\xef\xbb\xbf"] {
            assert!(matches!(read_json(wrong, BOUNDS), Err(StrictJsonError::Syntax { .. })));
        }
    }

    #[test]
    fn a_document_of_another_shape_names_the_place() {
        let found = read_json_as::<Vec<u8>>(b"[1,\n-1]", BOUNDS).unwrap_err();
        assert_eq!(
            found.to_string(),
            "invalid value: integer `-1`, expected u8 at line 2 column 2"
        );
        assert_eq!(read_json_as::<Vec<u8>>(b"[1, 2]", BOUNDS).unwrap(), [1, 2]);
    }

    #[test]
    fn what_is_read_is_what_serde_json_reads() {
        for value in [json!({"b": [1, -2, 2.5], "a": null}), json!([true, "x\u{0}é", {}, []])] {
            assert_eq!(read_json(value.to_string().as_bytes(), BOUNDS).unwrap(), value);
        }
        assert_eq!(
            read_json(b"[18446744073709551615, 18446744073709551616]", BOUNDS).unwrap(),
            json!([u64::MAX, 18446744073709551616.0])
        );
        assert_eq!(
            read_json(b"[1e3, 1.50, -0, 0.1, 18446744073709552000]", BOUNDS).unwrap(),
            json!([1e3, 1.5, -0.0, 0.1, 18446744073709551616.0])
        );
    }
}
