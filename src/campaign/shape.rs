//! Checks a document against a JSON Schema and says what a person can act on: the thing by its name, the field, the
//! value and the nearest word. The validator of plans and packages knows neither lines nor names.

use narratoria_protocol::{nearest::nearest, visible::clip};
use serde_json::{Map, Value};

use crate::{
    problem::CampaignProblems,
    tree::{Node, Tree},
};

/// The treatment of a field that the schema does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownFields {
    /// A mistake: our own files are closed.
    Refused,
    /// Kept and noted: the format of others grows without us.
    Noted,
}

/// Longest value that a message quotes, in characters.
const VALUE_CHARS_MAX: usize = 60;

/// References that are followed for one value. A schema that refers to itself ends here.
const REFERENCES_MAX: usize = 16;

/// Names by which people know a table, best first.
const NAME_KEYS: [&str; 5] = ["name", "id", "label", "title", "about"];

/// One check of one document.
pub(crate) struct ShapeCheck<'c> {
    file: &'c str,
    root: &'c Value,
    unknown: UnknownFields,
    problems: &'c mut CampaignProblems,
    /// The table with a name, and the way from there.
    owner: Option<String>,
    way: Vec<String>,
}

/// Reports everything that does not fit the schema; true if all fits.
pub(crate) fn fits(
    file: &str,
    node: &Node,
    schema: &Value,
    unknown: UnknownFields,
    problems: &mut CampaignProblems,
) -> bool {
    let before = problems.error_count();
    let mut check =
        ShapeCheck { file, root: schema, unknown, problems, owner: None, way: Vec::new() };
    check.value(node, schema);
    problems.error_count() == before
}

impl ShapeCheck<'_> {
    fn value(&mut self, node: &Node, schema: &Value) {
        let schema = resolve(self.root, schema);
        let Some(rules) = schema.as_object() else { return };
        if let Some(branches) = branches(rules) {
            return self.branches(node, branches);
        }
        if !self.has_type(node, rules) {
            return;
        }
        self.words(node, rules);
        match &node.tree {
            Tree::Table(_) => self.table(node, rules),
            Tree::List(items) => self.list(node, items, rules),
            Tree::Text(text) => self.text(node, text, rules),
            Tree::Number(number) => self.number(node, number.as_f64().unwrap_or(0.0), rules),
            Tree::Bool(_) | Tree::Null => {}
        }
    }

    /// Checks a value that may have several forms: the one whose type fits is meant, and its mistakes are reported.
    fn branches(&mut self, node: &Node, branches: &[Value]) {
        let root = self.root;
        let same_type: Vec<&Value> = branches
            .iter()
            .map(|branch| resolve(root, branch))
            .filter(|branch| type_fits(node, branch))
            .collect();
        let Some(best) = same_type.iter().max_by_key(|branch| likeness(node, branch)) else {
            let forms: Vec<String> = branches
                .iter()
                .map(|branch| type_words(resolve(root, branch)))
                .filter(|word| !word.is_empty())
                .collect();
            let mut forms = forms;
            forms.dedup();
            let what = format!("must be {}, not {}", forms.join(" or "), kind_of(node));
            return self.error(node.line, &what);
        };
        // A value of a list of words may fit another branch than the first.
        if same_type.iter().any(|branch| fits_quietly(node, branch, root)) {
            return;
        }
        let words: Vec<&str> = same_type.iter().flat_map(|branch| enum_words(branch)).collect();
        match node.text() {
            Some(text) if !words.is_empty() => {
                let what = wrong_word(text, &words);
                self.error(node.line, &what);
            }
            _ => self.value(node, best),
        }
    }

    fn has_type(&mut self, node: &Node, rules: &Map<String, Value>) -> bool {
        let wanted = wanted_types(rules);
        if wanted.is_empty() || wanted.iter().any(|wanted| is_type(node, wanted)) {
            return true;
        }
        let wanted = wanted.iter().filter(|wanted| **wanted != "null").copied();
        let words: Vec<&str> = wanted.map(type_word).collect();
        let what = format!("must be {}, not {}", words.join(" or "), kind_of(node));
        self.error(node.line, &what);
        false
    }

    fn words(&mut self, node: &Node, rules: &Map<String, Value>) {
        let words = words_of(rules);
        if words.is_empty() {
            return;
        }
        match node.text() {
            Some(text) if !words.contains(&text) => {
                let what = wrong_word(text, &words);
                self.error(node.line, &what);
            }
            _ => {}
        }
    }

    fn table(&mut self, node: &Node, rules: &Map<String, Value>) {
        let empty = Map::new();
        let known = rules.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let rest = rules.get("additionalProperties");
        for entry in node.entries() {
            if let Some(schema) = known.get(&entry.key) {
                self.inner(&entry.key, |check| check.value(&entry.node, schema));
                continue;
            }
            match rest {
                Some(schema @ Value::Object(_)) => {
                    self.inner(&entry.key, |check| check.value(&entry.node, schema));
                }
                Some(Value::Bool(true)) => {}
                None if known.is_empty() => {}
                _ => self.unknown_field(entry.line, &entry.key, known),
            }
        }
        let required = rules.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in required.filter_map(Value::as_str) {
            if node.get(key).is_none() {
                self.error(node.line, &format!("lacks the field `{key}`"));
            }
        }
    }

    fn unknown_field(&mut self, line: usize, key: &str, known: &Map<String, Value>) {
        if key.starts_with('$') {
            return;
        }
        let shown = clip(key, VALUE_CHARS_MAX);
        let near = nearest(key, known.keys());
        let way_out = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.unknown == UnknownFields::Noted => "it is kept and not used".to_owned(),
            None => format!("its fields are {}", listed(known.keys().map(String::as_str))),
        };
        let what = format!("has no field `{shown}`; {way_out}");
        match self.unknown {
            UnknownFields::Refused => self.error(line, &what),
            UnknownFields::Noted => {
                let message = self.message(&what);
                self.problems.note(self.file, Some(line), message);
            }
        }
    }

    fn list(&mut self, node: &Node, items: &[Node], rules: &Map<String, Value>) {
        let bound = |key: &str| rules.get(key).and_then(Value::as_u64);
        if let Some(max) = bound("maxItems").filter(|max| items.len() as u64 > *max) {
            self.error(node.line, &format!("has {} entries, the limit is {max}", items.len()));
        }
        if let Some(min) = bound("minItems").filter(|min| (items.len() as u64) < *min) {
            let word = if min == 1 { "entry" } else { "entries" };
            self.error(node.line, &format!("must have at least {min} {word}"));
        }
        let Some(schema) = rules.get("items") else { return };
        for (n, item) in items.iter().enumerate() {
            let kept = (self.owner.clone(), self.way.clone());
            match item_name(item) {
                Some(name) => {
                    self.owner = Some(name);
                    self.way.clear();
                }
                None => {
                    let last = self.way.pop().unwrap_or_default();
                    self.way.push(format!("{last} {}", n + 1).trim_start().to_owned());
                }
            }
            self.value(item, schema);
            (self.owner, self.way) = kept;
        }
    }

    fn text(&mut self, node: &Node, text: &str, rules: &Map<String, Value>) {
        let chars = text.chars().count();
        let bound = |key: &str| rules.get(key).and_then(Value::as_u64);
        if let Some(max) = bound("maxLength").filter(|max| chars as u64 > *max) {
            self.error(node.line, &format!("has {chars} characters, the limit is {max}"));
        }
        if bound("minLength").is_some_and(|min| (chars as u64) < min) {
            self.error(node.line, "is empty: write something, or leave the field out");
        }
        let Some(pattern) = rules.get("pattern").and_then(Value::as_str) else { return };
        if !pattern_holds(pattern, text) {
            let shown = clip(text, VALUE_CHARS_MAX);
            let what = format!("is `{shown}`, it must be {}", pattern_words(pattern));
            self.error(node.line, &what);
        }
    }

    fn number(&mut self, node: &Node, number: f64, rules: &Map<String, Value>) {
        let bound = |key: &str| rules.get(key).and_then(Value::as_f64);
        if let Some(min) = bound("minimum").filter(|min| number < *min) {
            self.error(node.line, &format!("is {number}, it must be at least {min}"));
        }
        if let Some(max) = bound("maximum").filter(|max| number > *max) {
            self.error(node.line, &format!("is {number}, it must be at most {max}"));
        }
    }

    fn inner(&mut self, key: &str, check: impl FnOnce(&mut Self)) {
        self.way.push(clip(key, VALUE_CHARS_MAX).into_owned());
        check(self);
        self.way.pop();
    }

    fn error(&mut self, line: usize, what: &str) {
        let message = self.message(what);
        self.problems.error(self.file, Some(line), message);
    }

    /// `harbour`: `exits 2`, `direction` lacks …
    fn message(&self, what: &str) -> String {
        let way =
            self.way.iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(" \u{203a} ");
        let owner = self.owner.as_ref().map(|name| format!("`{}`", clip(name, VALUE_CHARS_MAX)));
        match (owner, way.is_empty()) {
            (Some(owner), true) => format!("{owner} {what}"),
            (Some(owner), false) => format!("{owner}: {way} {what}"),
            (None, true) => format!("the file {what}"),
            (None, false) => format!("{way} {what}"),
        }
    }
}

/// The schema itself, behind its references.
pub(crate) fn resolve<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut at = schema;
    for _ in 0..REFERENCES_MAX {
        let Some(path) = at.get("$ref").and_then(Value::as_str) else { return at };
        let Some(found) = path.strip_prefix('#').and_then(|path| root.pointer(path)) else {
            return &Value::Bool(true);
        };
        at = found;
    }
    &Value::Bool(true)
}

fn branches(rules: &Map<String, Value>) -> Option<&[Value]> {
    let list = rules.get("anyOf").or_else(|| rules.get("oneOf"))?;
    list.as_array().map(Vec::as_slice)
}

fn wanted_types(rules: &Map<String, Value>) -> Vec<&str> {
    match rules.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn type_fits(node: &Node, schema: &Value) -> bool {
    let Some(rules) = schema.as_object() else { return true };
    let wanted = wanted_types(rules);
    wanted.is_empty() || wanted.iter().any(|wanted| is_type(node, wanted))
}

fn is_type(node: &Node, wanted: &str) -> bool {
    match &node.tree {
        Tree::Null => wanted == "null",
        Tree::Bool(_) => wanted == "boolean",
        Tree::Text(_) => wanted == "string",
        Tree::List(_) => wanted == "array",
        Tree::Table(_) => wanted == "object",
        Tree::Number(number) => match wanted {
            "number" => true,
            "integer" => number.as_f64().is_some_and(|number| number.fract() == 0.0),
            _ => false,
        },
    }
}

fn type_word(wanted: &str) -> &'static str {
    match wanted {
        "null" => "nothing",
        "boolean" => "true or false",
        "string" => "a text",
        "array" => "a list",
        "object" => "a table",
        "integer" => "a whole number",
        _ => "a number",
    }
}

fn type_words(schema: &Value) -> String {
    let Some(rules) = schema.as_object() else { return String::new() };
    let wanted = wanted_types(rules);
    let wanted = wanted.iter().filter(|wanted| **wanted != "null");
    wanted.map(|wanted| type_word(wanted)).collect::<Vec<_>>().join(" or ")
}

fn kind_of(node: &Node) -> String {
    match &node.tree {
        Tree::Null => "nothing".to_owned(),
        Tree::Bool(value) => format!("{value}"),
        Tree::Number(number) => format!("the number {number}"),
        Tree::Text(text) => format!("the text `{}`", clip(text, VALUE_CHARS_MAX)),
        Tree::List(_) => "a list".to_owned(),
        Tree::Table(_) => "a table".to_owned(),
    }
}

/// How many fields of a table a form has, less those that it needs and that are not there.
fn likeness(node: &Node, schema: &Value) -> i64 {
    let empty = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let shared = node.entries().iter().filter(|entry| known.contains_key(&entry.key)).count();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let missing = required.filter_map(Value::as_str).filter(|key| node.get(key).is_none()).count();
    i64::try_from(shared).unwrap_or(0) * 2 - i64::try_from(missing).unwrap_or(0)
}

fn fits_quietly(node: &Node, schema: &Value, root: &Value) -> bool {
    let mut problems = CampaignProblems::default();
    let unknown = UnknownFields::Refused;
    let mut check = ShapeCheck {
        file: "",
        root,
        unknown,
        problems: &mut problems,
        owner: None,
        way: Vec::new(),
    };
    check.value(node, schema);
    !problems.has_errors()
}

fn words_of(rules: &Map<String, Value>) -> Vec<&str> {
    let list = rules.get("enum").and_then(Value::as_array).into_iter().flatten();
    list.chain(rules.get("const")).filter_map(Value::as_str).collect()
}

fn enum_words(schema: &Value) -> Vec<&str> {
    schema.as_object().map(words_of).unwrap_or_default()
}

fn wrong_word(text: &str, words: &[&str]) -> String {
    let shown = clip(text, VALUE_CHARS_MAX);
    // A word in other capitals is the word.
    let folded = words.iter().find(|word| word.eq_ignore_ascii_case(text));
    match folded.map(|word| (*word).to_owned()).or_else(|| nearest(text, words)) {
        Some(near) => format!("is `{shown}`; did you mean `{near}`?"),
        None => format!("is `{shown}`, it must be one of {}", listed(words.iter().copied())),
    }
}

fn listed<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

/// The name of a table in a list.
fn item_name(item: &Node) -> Option<String> {
    let named = NAME_KEYS.iter().find_map(|key| item.get(key))?;
    let name = named.items().first()?.text()?;
    (!name.trim().is_empty()).then(|| name.to_owned())
}

/// The patterns of the contracts, each with the words for it. No regular expression of an outsider is run.
const PATTERNS: [(&str, &str); 6] = [
    (r"^[0-9]+\.[0-9]+\.[0-9]+$", "a version such as `1.0.0`"),
    (r"^beat_[0-9]{3}$", "of the form `beat_001`"),
    (r"^art/", "a file of the folder `art/`"),
    (r"^music/", "a file of the folder `music/`"),
    (
        r"^[a-z0-9]+(-[a-z0-9]+)*$",
        "small letters, digits and single hyphens, such as `the-cut-rope`",
    ),
    (r"^[a-z][a-z0-9_]*$", "small letters, digits and `_`, such as `trust_of_mina`"),
];

fn pattern_words(pattern: &str) -> &str {
    PATTERNS.iter().find(|(known, _)| *known == pattern).map_or(pattern, |(_, words)| words)
}

fn pattern_holds(pattern: &str, text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    match PATTERNS.iter().position(|(known, _)| *known == pattern) {
        Some(0) => text.split('.').count() == 3 && text.split('.').all(is_number),
        Some(1) => text.strip_prefix("beat_").is_some_and(|n| n.len() == 3 && is_number(n)),
        Some(2) => text.starts_with("art/"),
        Some(3) => text.starts_with("music/"),
        Some(4) => text.split('-').all(is_word),
        Some(5) => is_identifier(text),
        _ => true,
    }
}

/// True for a name that a condition can use.
pub(crate) fn is_identifier(text: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(is_part)
}
