//! Adds an entry to a JSON text of an author, and leaves everything else as it is written.

use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value, de::StrRead};

/// Adds an item to the array under `name` of the object `text`; an array that does not exist is added too. `None` if
/// `text` is no object, or the value under `name` no array.
pub(super) fn push_item(text: &str, name: &str, item: &str) -> Option<String> {
    let whole = whole(text)?;
    match member(text, whole.clone(), name)? {
        Some(found) if text[found.clone()].starts_with('[') => Some(append(text, found, item)),
        Some(_) => None,
        None => Some(append(text, whole, &format!("\"{name}\": [\n  {}\n]", indented(item, "  ")))),
    }
}

/// Removes the items of the array under `name` of the object `text` for which `is_gone` returns true. `None` if `text` is
/// no object, or the value under `name` no array; a missing array has no items.
pub(super) fn remove_items(
    text: &str,
    name: &str,
    is_gone: impl Fn(&Value) -> bool,
) -> Option<String> {
    let Some(array) = member(text, whole(text)?, name)? else { return Some(text.to_owned()) };
    if !text[array.clone()].starts_with('[') {
        return None;
    }
    let skip = |at: usize| at + (text[at..].len() - text[at..].trim_start().len());
    let (mut kept, mut at, mut gone) = (Vec::new(), array.start + 1, 0);
    while !text[skip(at)..].starts_with(']') {
        let start = skip(at);
        let end = start + value_len(&text[start..])?;
        match is_gone(&serde_json::from_str(&text[start..end]).ok()?) {
            true => gone += 1,
            // With the blanks before it, so that it stays where its author wrote it.
            false => kept.push(&text[at..end]),
        }
        let comma = skip(end);
        at = if text[comma..].starts_with(',') { comma + 1 } else { end };
    }
    if gone == 0 {
        return Some(text.to_owned());
    }
    let close = if kept.is_empty() { "" } else { &text[at..array.end - 1] };
    let items = kept.join(",");
    Some(format!("{}{items}{close}{}", &text[..=array.start], &text[array.end - 1..]))
}

/// Adds a member to the object under `name` of the object `text`, unless it has one of that name. `None` if one of the
/// two is no object.
pub(super) fn push_member(text: &str, name: &str, key: &str, value: &str) -> Option<String> {
    let found = member(text, whole(text)?, name)??;
    match member(text, found.clone(), key)? {
        Some(_) => Some(text.to_owned()),
        None => Some(append(text, found, &format!("\"{key}\": {}", value.trim_end()))),
    }
}

/// The place of the document's value, without the blanks around it.
fn whole(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let end = start + value_len(&text[start..])?;
    text[end..].trim().is_empty().then_some(start..end)
}

/// The place of a member's value in an object; the last one, if the name is there twice. `None` for no object.
fn member(text: &str, object: Range<usize>, name: &str) -> Option<Option<Range<usize>>> {
    let skip = |at: usize| at + (text[at..].len() - text[at..].trim_start().len());
    if !text[object.clone()].starts_with('{') {
        return None;
    }
    let (mut at, mut found) = (skip(object.start + 1), None);
    while !text[at..].starts_with('}') {
        let key_end = at + value_len(&text[at..])?;
        let key: String = serde_json::from_str(&text[at..key_end]).ok()?;
        let start = skip(skip(key_end) + 1);
        let end = start + value_len(&text[start..])?;
        if key == name {
            found = Some(start..end);
        }
        at = skip(end);
        if text[at..].starts_with(',') {
            at = skip(at + 1);
        }
    }
    Some(found)
}

/// The length of the JSON value that a text begins with.
fn value_len(text: &str) -> Option<usize> {
    let mut values = Deserializer::new(StrRead::new(text)).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// Adds an item, or a member with its name, at the end of a container.
fn append(text: &str, container: Range<usize>, item: &str) -> String {
    let close = container.end - 1;
    let before = text[..close].trim_end();
    let line = text[..close].rsplit('\n').next().unwrap_or_default();
    let indent: String = line.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    let is_empty = before.len() == container.start + 1;
    let comma = if is_empty { "" } else { "," };
    let inner = format!("{indent}  ");
    let item = indented(item.trim_end(), &inner);
    format!("{before}{comma}\n{inner}{item}\n{indent}{}", &text[close..])
}

/// A text of several lines, all but the first indented.
fn indented(text: &str, by: &str) -> String {
    text.trim_end().replace('\n', &format!("\n{by}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_comes_last_and_the_rest_stays_as_it_was() {
        let text = "{\n  \"scripts\": [\n    { \"name\":   \"tell\" }\n  ],\n  \"x\": [1,2]\n}\n";
        insta::assert_snapshot!(push_item(text, "scripts", "{\n  \"name\": \"two\"\n}\n").unwrap(), @r#"
        {
          "scripts": [
            { "name":   "tell" },
            {
              "name": "two"
            }
          ],
          "x": [1,2]
        }
        "#);
    }

    #[test]
    fn an_item_goes_and_the_rest_stays_as_it_was() {
        let text =
            "{\n  \"a\": [\n    { \"n\":  1 },\n    {\"n\": 2},\n    3\n  ],\n  \"x\": [1,2]\n}\n";
        let without = |n: i64| remove_items(text, "a", |item| item["n"] == n).unwrap();
        assert_eq!(without(2), text.replace("\n    {\"n\": 2},", ""));
        assert_eq!(without(1), text.replace("\n    { \"n\":  1 },", ""));
        assert_eq!(without(9), text);
        assert_eq!(
            remove_items(text, "a", |_| true).unwrap(),
            "{\n  \"a\": [],\n  \"x\": [1,2]\n}\n"
        );
        assert_eq!(remove_items("{}", "a", |_| true).as_deref(), Some("{}"));
        assert_eq!(remove_items(r#"{"a": 1}"#, "a", |_| true), None);
    }

    #[test]
    fn a_missing_or_empty_array_is_begun() {
        let value = |text: Option<String>| serde_json::from_str::<Value>(&text.unwrap()).unwrap();
        assert_eq!(value(push_item("{}", "a", "1")), json!({"a": [1]}));
        assert_eq!(value(push_item(r#"{"b":"]}"}"#, "a", "1")), json!({"b": "]}", "a": [1]}));
        assert_eq!(value(push_item(r#"{"a":[]}"#, "a", "1")), json!({"a": [1]}));
    }

    #[test]
    fn what_is_no_object_or_no_array_is_not_changed() {
        for text in ["", "[]", "{", r#"{"a": 7}"#, r#"{"a": [} "#, "{} {}"] {
            assert_eq!(push_item(text, "a", "1"), None, "{text}");
        }
    }

    #[test]
    fn a_member_that_is_there_stays() {
        let text = r#"{"properties": {"greeting": {"type": "string"}}}"#;
        assert_eq!(push_member(text, "properties", "greeting", "{}").as_deref(), Some(text));
        let more = push_member(text, "properties", "colour", "{}\n").unwrap();
        let more: Value = serde_json::from_str(&more).unwrap();
        assert_eq!(more["properties"], json!({"greeting": {"type": "string"}, "colour": {}}));
    }

    fn documents() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            "[ -~\\n\"]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[a-c\"\\]]{0,2}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn only_the_items_are_gone(mut document in documents(), pretty in any::<bool>()) {
            let text = if pretty { format!("{document:#}\n") } else { document.to_string() };
            let removed = remove_items(&text, "a", Value::is_string).map(|text| {
                serde_json::from_str::<Value>(&text).unwrap()
            });
            let is_text = |it: &Value| it.is_string();
            let expected = document.as_object_mut().and_then(|object| {
                if let Some(found) = object.get_mut("a") {
                    found.as_array_mut()?.retain(|it| !is_text(it));
                }
                Some(Value::Object(object.clone()))
            });
            prop_assert_eq!(removed, expected);
        }

        /// Whatever an author has written, and however: the value has one item more and nothing else is different.
        #[test]
        fn only_the_item_is_new(mut document in documents(), pretty in any::<bool>()) {
            let text = if pretty { format!("{document:#}\n") } else { document.to_string() };
            let added = push_item(&text, "a", "{\"b\": [7]}").map(|text| {
                serde_json::from_str::<Value>(&text).unwrap()
            });
            let expected = document.as_object_mut().and_then(|object| {
                object.entry("a").or_insert_with(|| json!([])).as_array_mut()?.push(json!({"b": [7]}));
                Some(Value::Object(object.clone()))
            });
            prop_assert_eq!(added, expected);
        }
    }
}
