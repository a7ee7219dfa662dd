//! JUnit XML as Ant and Jenkins define it. Knows suites, cases and text; nothing of rules and examples.
//!
//! The two schemas differ: Ant wants `timestamp`, `hostname`, `package`, `id`, `properties`, `system-out` and
//! `system-err` in every suite and allows no attribute of `testsuites` and no output inside a case; Jenkins allows all
//! of that. So every document has what Ant wants.

use std::{fmt::Write, time::Duration};

use quick_xml::escape::escape;

/// The machine's name is private; Ant's schema asks for this word then.
const HOSTNAME: &str = "localhost";

/// A document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JunitReport {
    /// When the tests began, in UTC: `2026-11-22T17:34:27`.
    pub started: String,
    pub suites: Vec<JunitSuite>,
}

/// The cases of one package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JunitSuite {
    pub name: String,
    /// The class of all its cases: the package as it was named.
    pub class: String,
    pub took: Duration,
    pub cases: Vec<JunitCase>,
    /// Text beside the cases: notes that fail none.
    pub output: String,
    /// Why the package could not be tested.
    pub errors: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JunitCase {
    pub name: String,
    pub took: Duration,
    pub result: JunitResult,
}

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JunitResult {
    Passed,
    Skipped {
        message: String,
    },
    /// The package is at fault.
    Failed {
        message: String,
        kind: String,
        text: String,
    },
    /// The case could not be tried.
    Error {
        message: String,
        kind: String,
        text: String,
    },
}

impl JunitReport {
    pub fn render(&self) -> String {
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
        for (suite_idx, suite) in self.suites.iter().enumerate() {
            suite.render(suite_idx, &self.started, &mut xml);
        }
        xml + "</testsuites>\n"
    }
}

impl JunitSuite {
    fn render(&self, suite_idx: usize, started: &str, xml: &mut String) {
        let count = |is_counted: fn(&JunitResult) -> bool| {
            self.cases.iter().filter(|case| is_counted(&case.result)).count()
        };
        let attributes = [
            ("name", name(&self.name)),
            ("package", name(&self.class)),
            ("id", suite_idx.to_string()),
            ("timestamp", started.to_owned()),
            ("hostname", HOSTNAME.to_owned()),
            ("tests", self.cases.len().to_string()),
            ("failures", count(|result| matches!(result, JunitResult::Failed { .. })).to_string()),
            ("errors", count(|result| matches!(result, JunitResult::Error { .. })).to_string()),
            ("skipped", count(|result| matches!(result, JunitResult::Skipped { .. })).to_string()),
            ("time", seconds(self.took)),
        ];
        open(xml, 1, "testsuite", &attributes);
        xml.push_str(">\n    <properties/>\n");
        for case in &self.cases {
            case.render(&self.class, xml);
        }
        for (element, content) in [("system-out", &self.output), ("system-err", &self.errors)] {
            let _ = writeln!(xml, "    <{element}>{}</{element}>", text(content));
        }
        xml.push_str("  </testsuite>\n");
    }
}

impl JunitCase {
    fn render(&self, class: &str, xml: &mut String) {
        let attributes =
            [("name", name(&self.name)), ("classname", name(class)), ("time", seconds(self.took))];
        open(xml, 2, "testcase", &attributes);
        let (element, message, kind, content) = match &self.result {
            JunitResult::Passed => return xml.push_str("/>\n"),
            JunitResult::Skipped { message } => ("skipped", message, None, ""),
            JunitResult::Failed { message, kind, text } => {
                ("failure", message, Some(kind), text.as_str())
            }
            JunitResult::Error { message, kind, text } => {
                ("error", message, Some(kind), text.as_str())
            }
        };
        xml.push_str(">\n");
        let kind = kind.map(|kind| ("type", kind.clone()));
        let attributes: Vec<_> = [("message", message.clone())].into_iter().chain(kind).collect();
        open(xml, 3, element, &attributes);
        match content {
            "" => xml.push_str("/>\n"),
            content => {
                let _ = writeln!(xml, ">{}</{element}>", text(content));
            }
        }
        xml.push_str("    </testcase>\n");
    }
}

/// Writes the beginning of a tag, without its end.
fn open(xml: &mut String, depth: usize, element: &str, attributes: &[(&str, String)]) {
    let _ = write!(xml, "{}<{element}", "  ".repeat(depth));
    for (attribute, value) in attributes {
        // A reader takes a line end in an attribute for a blank.
        let value = text(value).replace('\n', "&#10;").replace('\t', "&#9;");
        let _ = write!(xml, " {attribute}=\"{value}\"");
    }
}

/// A name has at least one character and no blanks around it.
fn name(of: &str) -> String {
    match of.split_whitespace().collect::<Vec<_>>().join(" ") {
        name if name.is_empty() => "-".to_owned(),
        name => name,
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Escapes markup, and replaces the characters that no XML document may have (XML 1.0 §2.2).
fn text(of: &str) -> String {
    let is_allowed = |char: char| match char {
        '\t' | '\n' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        char => char >= ' ',
    };
    let allowed: String =
        of.chars().map(|char| if is_allowed(char) { char } else { '\u{fffd}' }).collect();
    escape(allowed.as_str()).into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use quick_xml::{Reader, events::Event};

    use super::{JunitCase, JunitReport, JunitResult, JunitSuite};

    fn report(name: &str, message: &str) -> JunitReport {
        let case = |result| JunitCase {
            name: name.to_owned(),
            took: Duration::from_millis(1_234),
            result,
        };
        let (message, kind, text) =
            (message.to_owned(), "a/b".to_owned(), format!("{message}\nmore"));
        let cases = vec![
            case(JunitResult::Passed),
            case(JunitResult::Skipped { message: message.clone() }),
            case(JunitResult::Failed {
                message: message.clone(),
                kind: kind.clone(),
                text: text.clone(),
            }),
            case(JunitResult::Error { message, kind, text }),
        ];
        let suite = JunitSuite {
            name: name.to_owned(),
            class: "skills/x".to_owned(),
            took: Duration::from_secs(2),
            cases,
            output: "note".to_owned(),
            errors: String::new(),
        };
        JunitReport { started: "2026-11-22T17:34:27".to_owned(), suites: vec![suite] }
    }

    #[test]
    fn a_document_has_every_ending_and_counts_them() {
        insta::assert_snapshot!(report("dice", "it <differs> \"here\"").render(), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
          <testsuite name="dice" package="skills/x" id="0" timestamp="2026-11-22T17:34:27" hostname="localhost" tests="4" failures="1" errors="1" skipped="1" time="2.000">
            <properties/>
            <testcase name="dice" classname="skills/x" time="1.234"/>
            <testcase name="dice" classname="skills/x" time="1.234">
              <skipped message="it &lt;differs&gt; &quot;here&quot;"/>
            </testcase>
            <testcase name="dice" classname="skills/x" time="1.234">
              <failure message="it &lt;differs&gt; &quot;here&quot;" type="a/b">it &lt;differs&gt; &quot;here&quot;
        more</failure>
            </testcase>
            <testcase name="dice" classname="skills/x" time="1.234">
              <error message="it &lt;differs&gt; &quot;here&quot;" type="a/b">it &lt;differs&gt; &quot;here&quot;
        more</error>
            </testcase>
            <system-out>note</system-out>
            <system-err></system-err>
          </testsuite>
        </testsuites>
        "#);
    }

    proptest! {
        /// Whatever a package is called and a script says.
        #[test]
        fn no_text_breaks_the_document(name in ".*", message in "(.|\n|\u{0}|]]>|<|&)*") {
            let xml = report(&name, &message).render();
            let mut reader = Reader::from_str(&xml);
            let mut cases = 0;
            loop {
                match reader.read_event().unwrap() {
                    Event::Eof => break,
                    Event::Start(tag) | Event::Empty(tag) => {
                        cases += usize::from(tag.name().as_ref() == b"testcase");
                        for attribute in tag.attributes() {
                            attribute.unwrap();
                        }
                    }
                    _ => {}
                }
            }
            prop_assert_eq!(cases, 4);
        }
    }
}
