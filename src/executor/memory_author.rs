//! Records the author of a remembered text. The sandbox does not know the skill of an invocation, and a story must be
//! able to drop the texts of a removed skill.

use serde_json::Value;

use narratoria_protocol::{Owner, StoreWrite};

/// The field of an entry of the story's memory that names its skill.
const REMEMBERED_BY: &str = "by";

/// Adds the skill to each text that it remembered.
pub(crate) fn name_author(writes: &mut [StoreWrite], skill: &str) {
    for write in writes.iter_mut().filter(|write| write.owner == Owner::Story) {
        let entry = write.value.as_deref().and_then(|text| serde_json::from_str(text).ok());
        if let Some(Value::Object(mut entry)) = entry {
            entry.insert(REMEMBERED_BY.to_owned(), Value::from(skill));
            write.value = Some(Value::Object(entry).to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_joins_the_storys_memory_names_its_author() {
        let write = |owner, value: Option<&str>| StoreWrite {
            owner,
            key: "k".to_owned(),
            value: value.map(str::to_owned),
        };
        let mut writes = [
            write(Owner::Story, Some(r#"{"text":"A key."}"#)),
            write(Owner::Story, None),
            write(Owner::Story, Some("no entry")),
            write(Owner::Skill, Some(r#"{"text":"A key."}"#)),
        ];
        name_author(&mut writes, "world");
        let values = writes.map(|write| write.value.unwrap_or("-".to_owned()));
        let expect = [r#"{"text":"A key.","by":"world"}"#, "-", "no entry", r#"{"text":"A key."}"#];
        assert_eq!(values, expect);
    }
}
