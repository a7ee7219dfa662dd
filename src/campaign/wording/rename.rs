//! Another name wherever a name stands.

use serde_json::Value;

/// The form of a name, which depends on the kind of thing it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameForm {
    /// Words in small letters, with an article in a sentence.
    Place,
    /// A proper name.
    Person,
}

/// Replaces a name in all texts of a document: where it is the whole text, and in sentences. A name in small letters may
/// be a common word there, such as `study`, so that it counts only after its article.
pub(super) fn rename(value: &mut Value, from: &str, to: &str, form: NameForm) {
    match value {
        Value::String(text) if text == from => to.clone_into(text),
        Value::String(text) if text.contains(from) => *text = renamed(text, from, to, form),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, from, to, form)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| rename(field, from, to, form));
        }
        _ => {}
    }
}

fn renamed(text: &str, from: &str, to: &str, form: NameForm) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        out.push_str(before);
        let is_open = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let is_whole = is_open(out.chars().next_back()) && is_open(after.chars().next());
        let has_article = out.ends_with("the ") || out.ends_with("The ");
        let is_name = is_whole && (form == NameForm::Person || has_article);
        out.push_str(if is_name { to } else { from });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{NameForm, rename};

    #[test]
    fn a_name_is_another_wherever_it_stands_and_no_other_word_is() {
        let mut value = json!({
            "to": "study",
            "says": "You study it. The study is locked, and a studyhall is near the study.",
            "about": ["study", "door"],
        });
        rename(&mut value, "study", "map room", NameForm::Place);
        let says = "You study it. The map room is locked, and a studyhall is near the map room.";
        assert_eq!(value, json!({"to": "map room", "says": says, "about": ["map room", "door"]}));
        let mut value = json!(["Ida Lund", "Ask Ida Lund, not Ida Lundberg.", "Ida Lund's ferry"]);
        rename(&mut value, "Ida Lund", "Mo Ash", NameForm::Person);
        assert_eq!(value, json!(["Mo Ash", "Ask Mo Ash, not Ida Lundberg.", "Mo Ash's ferry"]));
    }
}
