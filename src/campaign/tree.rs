//! A document with its lines: the common form of TOML and JSON, with the line of every value.

use narratoria_protocol::{JsonBounds, StrictJsonError, bounded_text, read_json};
use serde_json::{Map, Number, Value};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{files::CAMPAIGN_TEXT_FILE_BYTES_MAX, problem::CampaignProblems};

/// Deepest nesting of a document. Stops a file that overflows the stack.
pub(crate) const TREE_DEPTH_MAX: usize = 32;

/// Most values of one document.
const TREE_VALUES_MAX: usize = 200_000;

/// A value and its line, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) tree: Tree,
}

/// A value of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Table(Vec<TreeEntry>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeEntry {
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) node: Node,
}

impl Node {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The entries of a table; none of anything else.
    pub(crate) fn entries(&self) -> &[TreeEntry] {
        match &self.tree {
            Tree::Table(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; a single value is a list of one.
    pub(crate) fn items(&self) -> &[Node] {
        match &self.tree {
            Tree::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.tree {
            Tree::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Node::text)
    }

    /// The line of the first text in it that is such a one.
    pub(crate) fn line_of_text(&self, is_such: &dyn Fn(&str) -> bool) -> Option<usize> {
        match &self.tree {
            Tree::Text(text) => is_such(text).then_some(self.line),
            Tree::List(items) => items.iter().find_map(|item| item.line_of_text(is_such)),
            Tree::Table(entries) => {
                entries.iter().find_map(|entry| entry.node.line_of_text(is_such))
            }
            Tree::Null | Tree::Bool(_) | Tree::Number(_) => None,
        }
    }

    /// The value without its lines.
    pub(crate) fn value(&self) -> Value {
        match &self.tree {
            Tree::Null => Value::Null,
            Tree::Bool(value) => Value::Bool(*value),
            Tree::Number(number) => Value::Number(number.clone()),
            Tree::Text(text) => Value::String(text.clone()),
            Tree::List(items) => items.iter().map(Node::value).collect(),
            Tree::Table(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), entry.node.value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

/// The text of a file with plain line ends, if its encoding is fine.
pub(crate) fn plain_text(
    file: &str,
    bytes: &[u8],
    problems: &mut CampaignProblems,
) -> Option<String> {
    let bytes_max = usize::try_from(CAMPAIGN_TEXT_FILE_BYTES_MAX).unwrap_or(usize::MAX);
    match bounded_text(bytes, bytes_max) {
        Ok(text) => Some(text.replace("\r\n", "\n")),
        Err(StrictJsonError::Empty) => Some(String::new()),
        Err(StrictJsonError::NotUtf8 { line, .. }) => {
            problems.error(file, Some(line), "is not UTF-8: save it as UTF-8".to_owned());
            None
        }
        Err(StrictJsonError::Utf16) => {
            problems.error(file, None, "is UTF-16: save it as UTF-8".to_owned());
            None
        }
        Err(error) => {
            problems.error(file, None, error.to_string());
            None
        }
    }
}

/// Reads a JSON file.
pub(crate) fn read_json_tree(
    file: &str,
    bytes: &[u8],
    problems: &mut CampaignProblems,
) -> Option<Node> {
    let text = plain_text(file, bytes, problems)?;
    let bounds =
        JsonBounds::of_bytes(text.len()).with_depth(TREE_DEPTH_MAX).with_values(TREE_VALUES_MAX);
    match read_json(text.as_bytes(), bounds) {
        Ok(value) => Some(JsonLines { bytes: text.as_bytes(), at: 0, line: 1 }.node(value)),
        Err(error) => {
            let line = match &error {
                StrictJsonError::Syntax { line, .. }
                | StrictJsonError::DuplicateKey { line, .. }
                | StrictJsonError::Number { line, .. } => Some(*line),
                _ => None,
            };
            let what = match &error {
                StrictJsonError::Syntax { what, .. } => format!("is not JSON: {what}"),
                StrictJsonError::DuplicateKey { key, .. } => {
                    format!("the key {key} stands twice: remove one")
                }
                StrictJsonError::Number { number, .. } => {
                    format!(
                        "the number {number} would be read as another one; write it as a string"
                    )
                }
                error => error.predicate(),
            };
            problems.error(file, line, what);
            None
        }
    }
}

/// Follows a JSON text that has been read, to find the lines of its values.
struct JsonLines<'t> {
    bytes: &'t [u8],
    at: usize,
    line: usize,
}

impl JsonLines<'_> {
    fn node(&mut self, value: Value) -> Node {
        self.blanks();
        let line = self.line;
        let tree = match value {
            Value::Null => Tree::Null,
            Value::Bool(value) => Tree::Bool(value),
            Value::Number(number) => Tree::Number(number),
            Value::String(text) => Tree::Text(text),
            Value::Array(items) => {
                self.at += 1;
                let items = items.into_iter().map(|item| {
                    let node = self.node(item);
                    self.blanks();
                    self.skip(b',');
                    node
                });
                let items = items.collect();
                self.blanks();
                self.skip(b']');
                return Node { line, tree: Tree::List(items) };
            }
            Value::Object(object) => {
                self.at += 1;
                let entries = object.into_iter().map(|(key, value)| self.entry(key, value));
                let entries = entries.collect();
                self.blanks();
                self.skip(b'}');
                return Node { line, tree: Tree::Table(entries) };
            }
        };
        self.scalar();
        Node { line, tree }
    }

    fn entry(&mut self, key: String, value: Value) -> TreeEntry {
        self.blanks();
        let line = self.line;
        self.scalar();
        self.blanks();
        self.skip(b':');
        let node = self.node(value);
        self.blanks();
        self.skip(b',');
        TreeEntry { key, line, node }
    }

    fn blanks(&mut self) {
        while let Some(byte) = self.bytes.get(self.at)
            && byte.is_ascii_whitespace()
        {
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
    }

    fn skip(&mut self, expected: u8) {
        self.at += usize::from(self.bytes.get(self.at) == Some(&expected));
    }

    /// Past a text, a number or a word.
    fn scalar(&mut self) {
        let is_text = self.bytes.get(self.at) == Some(&b'"');
        self.at += usize::from(is_text);
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' if is_text => self.at += 1,
                b'"' if is_text => {
                    self.at += 1;
                    return;
                }
                b',' | b']' | b'}' | b':' if !is_text => return,
                byte if !is_text && byte.is_ascii_whitespace() => return,
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// Reads a TOML file. Reports every mistake of its syntax that the parser can go on after.
pub(crate) fn read_toml_tree(
    file: &str,
    bytes: &[u8],
    problems: &mut CampaignProblems,
) -> Option<Node> {
    let text = plain_text(file, bytes, problems)?;
    let lines = TomlLines::new(&text);
    if let Some(line) = lines.too_deep(&text) {
        let what = format!("it nests deeper than {TREE_DEPTH_MAX} levels");
        problems.error(file, Some(line), what);
        return None;
    }
    let (table, errors) = DeTable::parse_recoverable(&text);
    for error in &errors {
        let line = error.span().map(|span| lines.of(span.start));
        problems.error(file, line, format!("is not TOML: {}", error.message()));
    }
    if !errors.is_empty() {
        return None;
    }
    let mut reader = TomlReader { lines: &lines, values: 0, faults: Vec::new() };
    let node = reader.table(1, table.into_inner());
    let is_fine = reader.faults.is_empty();
    for (line, what) in reader.faults {
        problems.error(file, Some(line), what);
    }
    is_fine.then_some(node)
}

/// The offsets at which the lines of a text begin.
struct TomlLines {
    starts: Vec<usize>,
}

impl TomlLines {
    fn new(text: &str) -> TomlLines {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        TomlLines { starts: std::iter::once(0).chain(starts).collect() }
    }

    fn of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).max(1)
    }

    /// The line that nests too deep, by its brackets or by the dots of a key. Looked for before parsing, because the
    /// parser follows both without a limit of ours.
    fn too_deep(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let (mut depth, mut dots, mut at) = (0_usize, 0_usize, 0);
        while let Some(byte) = bytes.get(at) {
            let rest = &bytes[at..];
            match byte {
                b'#' => at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
                b'"' | b'\'' => at += toml_text_len(rest),
                _ => at += 1,
            }
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                b'.' => dots += 1,
                b'\n' | b'=' | b',' => dots = 0,
                _ => {}
            }
            if depth > TREE_DEPTH_MAX || dots > TREE_DEPTH_MAX {
                return Some(self.of(at - 1));
            }
        }
        None
    }
}

/// How long the text is that begins here, with its quotes. One that does not end is as long as the rest.
fn toml_text_len(bytes: &[u8]) -> usize {
    let quote = bytes[0];
    let is_long = bytes.starts_with(&[quote; 3]);
    let end: &[u8] = if is_long { &[quote; 3] } else { &[quote] };
    let mut at = end.len();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 2,
            b'\n' if !is_long => return at,
            _ if bytes[at..].starts_with(end) => return at + end.len(),
            _ => at += 1,
        }
    }
    bytes.len()
}

struct TomlReader<'l> {
    lines: &'l TomlLines,
    values: usize,
    faults: Vec<(usize, String)>,
}

impl TomlReader<'_> {
    fn table(&mut self, line: usize, table: DeTable<'_>) -> Node {
        let mut entries: Vec<(usize, TreeEntry)> = Vec::new();
        for (key, value) in table {
            let at = key.span().start;
            let node = self.node(value);
            let line = self.lines.of(at);
            let key = key.into_inner().into_owned();
            entries.push((at, TreeEntry { key, line, node }));
        }
        // In the order of the file, so that findings are in that order.
        entries.sort_by_key(|(at, _)| *at);
        let entries = entries.into_iter().map(|(_, entry)| entry).collect();
        Node { line, tree: Tree::Table(entries) }
    }

    fn node(&mut self, value: Spanned<DeValue<'_>>) -> Node {
        let line = self.lines.of(value.span().start);
        self.values += 1;
        if self.values == TREE_VALUES_MAX {
            self.faults.push((line, format!("it has more than {TREE_VALUES_MAX} values")));
        }
        let tree = match value.into_inner() {
            DeValue::String(text) => Tree::Text(text.into_owned()),
            DeValue::Boolean(value) => Tree::Bool(value),
            DeValue::Integer(number) => {
                let parsed = i64::from_str_radix(number.as_str(), number.radix());
                match parsed {
                    Ok(number) => Tree::Number(number.into()),
                    Err(_) => self.fault(line, format!("the number {number} is too large")),
                }
            }
            DeValue::Float(number) => {
                let parsed = number.as_str().parse().ok().and_then(Number::from_f64);
                match parsed {
                    Some(number) => Tree::Number(number),
                    None => self.fault(line, format!("`{number}` is no number here")),
                }
            }
            DeValue::Datetime(time) => self.fault(
                line,
                format!("`{time}` is a time for TOML; write it as a text: \"{time}\""),
            ),
            DeValue::Array(items) => {
                Tree::List(items.into_iter().map(|item| self.node(item)).collect())
            }
            DeValue::Table(table) => return self.table(line, table),
        };
        Node { line, tree }
    }

    fn fault(&mut self, line: usize, what: String) -> Tree {
        self.faults.push((line, what));
        Tree::Null
    }
}
