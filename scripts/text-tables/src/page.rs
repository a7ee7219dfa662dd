//! The text of a page → its sections.

use std::collections::{BTreeMap, BTreeSet};

use crate::{TextFault, template};

/// A text and the line it stands in, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLine {
    pub number: usize,
    pub text: String,
}

/// A heading and what stands below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub heading: TextLine,
    pub items: Vec<TextLine>,
    /// The sections one level below.
    pub parts: Vec<Section>,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub path: String,
    /// The names of the table at its top, without their braces.
    pub places: Vec<String>,
    pub sections: Vec<Section>,
}

impl Page {
    /// Reads a page; `path` is for messages.
    pub fn parse(path: &str, text: &str) -> Result<Page, TextFault> {
        let mut page = Page { path: path.to_owned(), places: Vec::new(), sections: Vec::new() };
        let mut has_title = false;
        for (idx, line) in text.lines().enumerate() {
            let number = idx + 1;
            let fault = |what: String| Err(TextFault::at(path, number, what));
            if line != line.trim_end() {
                return fault("blanks end the line".to_owned());
            }
            if line.is_empty() {
                continue;
            }
            let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
            let rest = TextLine { number, text: rest.to_owned() };
            if !has_title {
                if mark != "#" {
                    return fault("a page begins with its title, `# …`".to_owned());
                }
                has_title = true;
                continue;
            }
            match mark {
                "#" => return fault("a page has one title".to_owned()),
                "##" => page.sections.push(Section::new(rest)),
                _ if page.sections.is_empty() => page.add_places(line),
                "###" => page.last_section().parts.push(Section::new(rest)),
                "-" => page.last_part().items.push(rest),
                ">" => {}
                _ => {
                    let what = "begins with none of `## `, `### `, `- ` (a text) and `> ` (a note)";
                    return fault(format!("`{line}` {what}"));
                }
            }
        }
        page.check_headings(&page.sections)?;
        Ok(page)
    }

    fn last_section(&mut self) -> &mut Section {
        self.sections.last_mut().expect("a section has begun")
    }

    fn last_part(&mut self) -> &mut Section {
        let section = self.last_section();
        match section.parts.is_empty() {
            true => section,
            false => section.parts.last_mut().expect("it is not empty"),
        }
    }

    /// Takes the places from the first cell of a table's row; other lines of the introduction are for people.
    fn add_places(&mut self, line: &str) {
        let Some(cell) = line.strip_prefix("| `{").and_then(|rest| rest.split_once(" |")) else {
            return;
        };
        let names = cell.0.split("`{").filter_map(|name| name.trim_end().strip_suffix("}`"));
        self.places.extend(names.map(str::to_owned));
    }

    /// A fault of this page.
    pub fn fault(&self, line: &TextLine, what: impl Into<String>) -> TextFault {
        TextFault::at(&self.path, line.number, what)
    }

    fn check_headings(&self, sections: &[Section]) -> Result<(), TextFault> {
        let mut known = BTreeMap::new();
        for section in sections {
            let heading = &section.heading;
            if heading.text.is_empty() {
                return Err(self.fault(heading, "the heading is empty"));
            }
            if let Some(first) = known.insert(&heading.text, heading.number) {
                let what = format!("`{}` stands in line {first} already", heading.text);
                return Err(self.fault(heading, what));
            }
            self.check_headings(&section.parts)?;
        }
        Ok(())
    }

    /// Checks one text: its places and choices.
    pub fn check(&self, line: &TextLine) -> Result<(), TextFault> {
        let places: BTreeSet<&str> = self.places.iter().map(String::as_str).collect();
        if line.text.trim().is_empty() {
            return Err(self.fault(line, "the text is empty"));
        }
        template::fault_of(&line.text, &places).map_or(Ok(()), |what| Err(self.fault(line, what)))
    }

    /// The texts of a pool, which are well formed and different; there is at least one.
    pub fn pool<'p>(&self, section: &'p Section) -> Result<&'p [TextLine], TextFault> {
        if let Some(part) = section.parts.first() {
            let what = format!("`{}` is a pool and has no parts", section.heading.text);
            return Err(self.fault(&part.heading, what));
        }
        if section.items.is_empty() {
            let what = format!("the pool `{}` is empty", section.heading.text);
            return Err(self.fault(&section.heading, what));
        }
        section.items.iter().try_for_each(|item| self.check(item))?;
        self.check_different(&section.items)?;
        Ok(&section.items)
    }

    /// The words and phrases of a section, each once. Its items hold several, with commas between them.
    pub fn words(&self, section: &Section) -> Result<Vec<TextLine>, TextFault> {
        self.words_of(self.pool(section)?)
    }

    /// The words and phrases of lines, each once. A line holds several, with commas between them.
    pub fn words_of(&self, lines: &[TextLine]) -> Result<Vec<TextLine>, TextFault> {
        let mut found = Vec::new();
        for item in lines {
            let words = item.text.split(", ");
            found.extend(words.map(|word| TextLine { number: item.number, text: word.to_owned() }));
        }
        if let Some(word) =
            found.iter().find(|word| word.text.is_empty() || word.text.contains(','))
        {
            let what = "one comma and one blank stand between words, and none at the end";
            return Err(self.fault(word, what));
        }
        self.check_different(&found)?;
        Ok(found)
    }

    /// The sections of the page, whose headings begin so, one after the other.
    pub fn sections_named<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[&Section; N], TextFault> {
        for (section, name) in self.sections.iter().zip(names) {
            if !section.heading.text.starts_with(name) {
                let what = format!("`{name}` is expected before `{}`", section.heading.text);
                return Err(self.fault(&section.heading, what));
            }
        }
        if let Some(section) = self.sections.get(N) {
            return Err(self.fault(&section.heading, "the page ends with another section"));
        }
        let found: Vec<&Section> = self.sections.iter().collect();
        found.try_into().map_err(|found: Vec<&Section>| {
            TextFault::of_file(&self.path, format!("it has no section `{}`", names[found.len()]))
        })
    }

    /// The pools that are the parts of a section. It has these and no others, and no texts beside them.
    pub fn pools<'p, const N: usize>(
        &self,
        section: &'p Section,
        names: [&str; N],
    ) -> Result<[&'p [TextLine]; N], TextFault> {
        if let Some(item) = section.items.first() {
            return Err(self.fault(item, format!("a text stands in none of {}", names.join(", "))));
        }
        let mut found: [&[TextLine]; N] = [&[]; N];
        for (pool, part) in found.iter_mut().zip(self.parts(section, names)?) {
            *pool = self.pool(part)?;
        }
        Ok(found)
    }

    /// The parts of a section, which has these and no others.
    pub fn parts<'p, const N: usize>(
        &self,
        section: &'p Section,
        names: [&str; N],
    ) -> Result<[&'p Section; N], TextFault> {
        let is_unknown = |part: &&Section| !names.contains(&part.heading.text.as_str());
        if let Some(part) = section.parts.iter().find(is_unknown) {
            let what = format!("`{}` has no part `{}`", section.heading.text, part.heading.text);
            return Err(self.fault(&part.heading, what));
        }
        let mut found = [section; N];
        for (place, name) in found.iter_mut().zip(names) {
            let part = section.parts.iter().find(|part| part.heading.text == name);
            let missing = || format!("`{}` has no `### {name}`", section.heading.text);
            *place = part.ok_or_else(|| self.fault(&section.heading, missing()))?;
        }
        Ok(found)
    }

    /// Refuses a text that stands there twice.
    pub fn check_different<'t>(
        &self,
        lines: impl IntoIterator<Item = &'t TextLine>,
    ) -> Result<(), TextFault> {
        let mut known = BTreeMap::new();
        for line in lines {
            if let Some(first) = known.insert(&line.text, line.number) {
                let what = format!("`{}` stands in line {first} already", line.text);
                return Err(self.fault(line, what));
            }
        }
        Ok(())
    }

    /// A section's heading as the name of a constant: `taken off` is `TAKEN_OFF`.
    pub fn constant(&self, section: &Section) -> Result<String, TextFault> {
        let heading = &section.heading;
        let is_plain = |c: char| c.is_ascii_lowercase() || c == ' ';
        if !heading.text.chars().all(is_plain) {
            let what = "the name of a pool has small letters and blanks";
            return Err(self.fault(heading, what));
        }
        Ok(heading.text.to_ascii_uppercase().replace(' ', "_"))
    }

    /// A constant with the file and the line, which the compiler shows where no code asks for it.
    pub fn definition(
        &self,
        section: &Section,
        kind: &str,
        value: &str,
    ) -> Result<String, TextFault> {
        let (name, line) = (self.constant(section)?, section.heading.number);
        let path = &self.path;
        Ok(format!("pub(crate) const {name}: {kind} = /* {path}:{line} */ {value};\n"))
    }

    /// The places of the page's table, if it has one, for a test that compares them with what the code fills.
    pub fn places_definition(&self) -> String {
        let places: Vec<&str> = self.places.iter().map(String::as_str).collect();
        if places.is_empty() {
            return String::new();
        }
        format!("#[cfg(test)]\npub(crate) const PAGE_PLACES: &[&str] = &{places:?};\n")
    }
}

impl Section {
    fn new(heading: TextLine) -> Section {
        Section { heading, items: Vec::new(), parts: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: &str = "# Pools\n\nAny text.\n\n| place | is |\n|---|---|\n| `{o}` `{p}` | a |\n\n";

    /// The pools of a page as constants, or what is wrong.
    fn pools(text: &str) -> Result<String, TextFault> {
        let page = Page::parse("a.md", text)?;
        let mut code = String::new();
        for section in &page.sections {
            let value = crate::slice(page.pool(section)?);
            code += &page.definition(section, "&[&str]", &value)?;
        }
        Ok(code)
    }

    #[track_caller]
    fn check(below: &str, expect: &str) {
        let found = pools(&format!("{TOP}{below}"));
        assert_eq!(found.unwrap_or_else(|fault| fault.to_string()), expect);
    }

    #[test]
    fn a_pool_is_a_constant_with_its_line() {
        check(
            "## taken off\n> A note.\n- You \"take\" {o}.\n\n- You take {p}.\n",
            "pub(crate) const TAKEN_OFF: &[&str] = /* a.md:9 */ &[\n    \"You \\\"take\\\" {o}.\",\n    \
             \"You take {p}.\",\n];\n",
        );
    }

    #[test]
    fn a_pool_has_texts_and_each_once() {
        check("## a\n- b\n## c\n", "a.md:11: the pool `c` is empty");
        check("## a\n- b\n- c\n- b\n", "a.md:12: `b` stands in line 10 already");
        check("## a\n- b\n-\n", "a.md:11: the text is empty");
        check("## a\n- b\n## a\n- c\n", "a.md:11: `a` stands in line 9 already");
    }

    #[test]
    fn a_section_has_the_pools_that_are_asked_for() {
        let found = |below: &str| {
            let page = Page::parse("a.md", &format!("# A\n## b\n{below}")).unwrap();
            let pools = page.pools(&page.sections[0], ["short", "full"]);
            pools.map_or_else(|fault| fault.to_string(), |[_, full]| full[0].text.clone())
        };
        assert_eq!(found("### full\n- c\n### short\n- d\n"), "c");
        assert_eq!(found("### full\n- c\n"), "a.md:2: `b` has no `### short`");
        assert_eq!(found("### full\n- c\n### short\n"), "a.md:5: the pool `short` is empty");
        assert_eq!(found("### long\n- c\n"), "a.md:3: `b` has no part `long`");
        assert_eq!(found("- c\n### full\n"), "a.md:3: a text stands in none of short, full");
    }

    #[test]
    fn words_stand_between_commas() {
        let found = |below: &str| {
            let page = Page::parse("a.md", &format!("# A\n## b\n{below}")).unwrap();
            let words = page.words(&page.sections[0]);
            words.map_or_else(|fault| fault.to_string(), |words| crate::array(&words))
        };
        assert_eq!(
            found("- to, give way\n- on\n"),
            "[\n    \"to\",\n    \"give way\",\n    \"on\",\n]"
        );
        assert_eq!(found("- to, on\n- up, to\n"), "a.md:4: `to` stands in line 3 already");
        let commas = "a.md:3: one comma and one blank stand between words, and none at the end";
        for wrong in ["- to, on,\n", "- to,on\n", "- to, , on\n"] {
            assert_eq!(found(wrong), commas);
        }
    }

    #[test]
    fn a_page_has_the_sections_that_are_asked_for() {
        let found = |below: &str| {
            let page = Page::parse("a.md", &format!("# A\n{below}")).unwrap();
            let sections = page.sections_named(["First", "Last"]);
            sections.map_or_else(|fault| fault.to_string(), |[_, last]| last.heading.text.clone())
        };
        assert_eq!(found("## First\n## Last one\n"), "Last one");
        assert_eq!(found("## Last\n"), "a.md:2: `First` is expected before `Last`");
        assert_eq!(found("## First\n"), "a.md: it has no section `Last`");
        assert_eq!(
            found("## First\n## Last\n## More\n"),
            "a.md:4: the page ends with another section"
        );
    }

    #[test]
    fn a_text_has_places_of_the_table_only() {
        check("## a\n- {q}\n", "a.md:10: the page's table has no place `{q}`");
    }

    #[test]
    fn a_line_without_a_mark_is_no_text() {
        let marks = "begins with none of `## `, `### `, `- ` (a text) and `> ` (a note)";
        check("## a\nYou take it.\n", &format!("a.md:10: `You take it.` {marks}"));
        check("## a\n#### b\n", &format!("a.md:10: `#### b` {marks}"));
        check("## a\n- b \n", "a.md:10: blanks end the line");
        check("## a\n# b\n", "a.md:10: a page has one title");
        check("## a\n### b\n- c\n", "a.md:10: `a` is a pool and has no parts");
        check("## A\n- b\n", "a.md:9: the name of a pool has small letters and blanks");
        let untitled = pools("## a\n- b\n").unwrap_err().to_string();
        assert_eq!(untitled, "a.md:1: a page begins with its title, `# …`");
    }
}
