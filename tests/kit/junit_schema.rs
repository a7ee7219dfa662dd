//! The rules of two schemas for JUnit XML that people validate with: Ant's (`JUnit.xsd` of Windy Road) and Jenkins'
//! (`junit-10.xsd` of its xUnit plugin). Ant's is the stricter one in everything but the time.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::{Reader, events::BytesStart, events::Event};

struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
}

/// Panics at the first rule that the document breaks; returns its cases as `suite/case: how it ended`.
#[track_caller]
pub(crate) fn valid_cases(xml: &str) -> Vec<String> {
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), "{xml}");
    let root = parse(xml);
    assert_eq!(root.name, "testsuites");
    // Ant knows no attribute here.
    assert!(root.attributes.is_empty(), "{:?}", root.attributes);
    root.children.iter().enumerate().flat_map(|(idx, suite)| suite_cases(idx, suite)).collect()
}

#[track_caller]
fn suite_cases(idx: usize, suite: &Element) -> Vec<String> {
    assert_eq!(suite.name, "testsuite");
    let required =
        ["errors", "failures", "hostname", "id", "name", "package", "tests", "time", "timestamp"];
    assert_attributes(suite, &required, &["skipped"]);
    assert_eq!(suite.attributes["id"], idx.to_string());
    for name in ["name", "package", "hostname"] {
        assert!(!suite.attributes[name].trim().is_empty(), "{name}");
    }
    let timestamp = regex::Regex::new(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$").unwrap();
    assert!(timestamp.is_match(&suite.attributes["timestamp"]), "{:?}", suite.attributes);
    assert_time(&suite.attributes["time"]);
    // A sequence in Ant's schema, all of it required.
    let names: Vec<&str> = suite.children.iter().map(|child| child.name.as_str()).collect();
    let [first, cases @ .., out, err] = &names[..] else { panic!("{names:?}") };
    assert_eq!((*first, *out, *err), ("properties", "system-out", "system-err"));
    assert!(cases.iter().all(|name| *name == "testcase"), "{names:?}");
    let cases = &suite.children[1..suite.children.len() - 2];
    let endings: Vec<&str> = cases.iter().map(ending).collect();
    for (attribute, ending) in
        [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
    {
        let count = endings.iter().filter(|found| **found == ending).count();
        assert_eq!(suite.attributes[attribute], count.to_string(), "{attribute}");
    }
    assert_eq!(suite.attributes["tests"], cases.len().to_string());
    let name = &suite.attributes["name"];
    let shown = cases.iter().zip(endings);
    shown.map(|(case, ending)| format!("{name}/{}: {ending}", case.attributes["name"])).collect()
}

#[track_caller]
fn ending(case: &Element) -> &str {
    assert_attributes(case, &["classname", "name", "time"], &[]);
    assert_time(&case.attributes["time"]);
    assert!(case.children.len() <= 1, "one ending for a case");
    let Some(ending) = case.children.first() else { return "passed" };
    match ending.name.as_str() {
        "skipped" => assert_attributes(ending, &[], &["message"]),
        "failure" | "error" => assert_attributes(ending, &["type"], &["message"]),
        other => panic!("a case has no <{other}>"),
    }
    &ending.name
}

#[track_caller]
fn assert_attributes(element: &Element, required: &[&str], optional: &[&str]) {
    let there: BTreeSet<&str> = element.attributes.keys().map(String::as_str).collect();
    let required: BTreeSet<&str> = required.iter().copied().collect();
    assert!(there.is_superset(&required), "<{}> has {there:?}", element.name);
    let allowed: BTreeSet<&str> = required.iter().chain(optional).copied().collect();
    assert!(there.is_subset(&allowed), "<{}> has {there:?}", element.name);
}

/// Jenkins' pattern, without its thousands separators.
#[track_caller]
fn assert_time(time: &str) {
    assert!(regex::Regex::new(r"^\d+\.\d{3}$").unwrap().is_match(time), "{time}");
}

fn parse(xml: &str) -> Element {
    let mut reader = Reader::from_str(xml);
    let mut open =
        vec![Element { name: String::new(), attributes: BTreeMap::new(), children: vec![] }];
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) => open.push(element(&tag)),
            Event::Empty(tag) => open.last_mut().unwrap().children.push(element(&tag)),
            Event::End(_) => {
                let done = open.pop().unwrap();
                open.last_mut().unwrap().children.push(done);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let mut document = open.pop().unwrap();
    assert!(open.is_empty() && document.children.len() == 1, "one root");
    document.children.pop().unwrap()
}

fn element(tag: &BytesStart<'_>) -> Element {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let attributes = tag.attributes().map(|attribute| {
        let attribute = attribute.unwrap();
        (text(attribute.key.as_ref()), text(&attribute.value))
    });
    Element {
        name: text(tag.name().as_ref()),
        attributes: attributes.collect(),
        children: Vec::new(),
    }
}
