//! Items of the form `key: value`, each of which is asked for.

use crate::{Page, Section, TextFault, TextLine};

/// The fields of a section that have not been taken yet.
#[derive(Debug)]
pub struct Fields<'p> {
    page: &'p Page,
    heading: &'p TextLine,
    /// Key and value, in the order of the page.
    left: Vec<(&'p str, TextLine)>,
}

impl<'p> Fields<'p> {
    /// The section's items as fields. Its parts are left to the caller.
    pub fn of(page: &'p Page, section: &'p Section) -> Result<Fields<'p>, TextFault> {
        let mut left = Vec::new();
        for item in &section.items {
            let Some((key, value)) = item.text.split_once(": ") else {
                return Err(page.fault(item, format!("`{}` is no `key: value`", item.text)));
            };
            left.push((key, TextLine { number: item.number, text: value.to_owned() }));
        }
        Ok(Fields { page, heading: &section.heading, left })
    }

    /// The values of a key, well formed and different; empty if it has none.
    pub fn optional(&mut self, key: &str) -> Result<Vec<TextLine>, TextFault> {
        let (found, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.left).into_iter().partition(|(known, _)| *known == key);
        self.left = left;
        let found: Vec<TextLine> = found.into_iter().map(|(_, value)| value).collect();
        found.iter().try_for_each(|value| self.page.check(value))?;
        self.page.check_different(&found)?;
        Ok(found)
    }

    /// The values of a key that must have at least one.
    pub fn list(&mut self, key: &str) -> Result<Vec<TextLine>, TextFault> {
        let found = self.optional(key)?;
        if found.is_empty() {
            let what = format!("`{}` has no `{key}: …`", self.heading.text);
            return Err(self.page.fault(self.heading, what));
        }
        Ok(found)
    }

    /// The values of a key that must have exactly `count`.
    pub fn several(&mut self, key: &str, count: usize) -> Result<Vec<TextLine>, TextFault> {
        let found = self.list(key)?;
        if found.len() == count {
            return Ok(found);
        }
        let (has, name) = (found.len(), &self.heading.text);
        let what = format!("`{name}` has {has} of `{key}: …`, and {count} are wanted");
        Err(self.page.fault(self.heading, what))
    }

    /// The only value of a key, as a literal of Rust.
    pub fn one(&mut self, key: &str) -> Result<String, TextFault> {
        let found = self.several(key, 1)?;
        Ok(format!("{:?}", found[0].text))
    }

    /// Refuses a key that was not asked for.
    pub fn finish(self) -> Result<(), TextFault> {
        let unknown = self.left.first();
        unknown.map_or(Ok(()), |(key, value)| {
            let what = format!("`{}` knows no `{key}: …`", self.heading.text);
            Err(self.page.fault(value, what))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A person has one name and two traits.
    fn person(text: &str) -> Result<String, TextFault> {
        let page = Page::parse("a.md", text)?;
        let mut fields = Fields::of(&page, &page.sections[0])?;
        let name = fields.one("name")?;
        let traits = crate::slice(&fields.several("trait", 2)?);
        fields.finish()?;
        Ok(format!("{name} {traits}"))
    }

    #[track_caller]
    fn check(items: &str, expect: &str) {
        let found = person(&format!("# People\n## Ada\n{items}"));
        assert_eq!(found.unwrap_or_else(|fault| fault.to_string()), expect);
    }

    #[test]
    fn every_field_is_there_and_known() {
        check(
            "- name: Ada: a name\n- trait: a\n- trait: b\n",
            "\"Ada: a name\" &[\n    \"a\",\n    \"b\",\n]",
        );
        check("- trait: a\n- trait: b\n", "a.md:2: `Ada` has no `name: …`");
        check("- name: Ada\n- trait: b\n", "a.md:2: `Ada` has 1 of `trait: …`, and 2 are wanted");
        check("- name: Ada\n- trait: b\n- trait: b\n", "a.md:5: `b` stands in line 4 already");
        check("- name: Ada\n- trait: a\n- age: 9\n- trait: b\n", "a.md:5: `Ada` knows no `age: …`");
        check(
            "- name: {x}\n- trait: a\n- trait: b\n",
            "a.md:3: the page's table has no place `{x}`",
        );
        check("- Ada\n", "a.md:3: `Ada` is no `key: value`");
    }
}
