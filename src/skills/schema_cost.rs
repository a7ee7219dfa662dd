//! Limits the cost of a schema. References can double the work at every step (`a` refers to `b` twice, `b` to `c`
//! twice, …), and a validator follows all of them: a schema of one page could block the host for ever. Pure; reads
//! the document only.

use std::collections::HashMap;

use serde_json::Value;

/// Most parts of a schema after every reference is replaced by its target. A hand-written schema has a few hundred.
pub const SCHEMA_PARTS_MAX: usize = 10_000;

/// Longest chain of references.
pub const SCHEMA_REFS_DEEP_MAX: usize = 32;

/// Most times that a schema which refers to itself may repeat its checks of one value.
const REPEATS_MAX: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SchemaCost {
    /// References that lead back to a schema around them.
    loops: usize,
}

/// Walks the document once and follows its references. The error says why it costs too much.
pub(super) fn estimate(document: &Value) -> Result<SchemaCost, String> {
    let mut names = HashMap::new();
    collect_names(document, &mut names);
    let mut walk = SchemaCostWalker { document, names, open: vec![document], parts: 0, loops: 0 };
    walk.visit(document)?;
    Ok(SchemaCost { loops: walk.loops })
}

impl SchemaCost {
    /// Deepest value that may be checked. Each level can multiply the work by the number of loops.
    pub(super) fn depth_max(self) -> usize {
        if self.loops < 2 {
            return usize::MAX;
        }
        REPEATS_MAX.ilog(self.loops) as usize
    }
}

/// How deep arrays and objects nest in a value; 0 for a scalar.
pub(super) fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

struct SchemaCostWalker<'s> {
    document: &'s Value,
    /// `$id`, `$anchor` and `$dynamicAnchor`, without `#`.
    names: HashMap<&'s str, &'s Value>,
    /// The schemas that are being expanded, outermost first.
    open: Vec<&'s Value>,
    parts: usize,
    loops: usize,
}

impl<'s> SchemaCostWalker<'s> {
    fn visit(&mut self, node: &'s Value) -> Result<(), String> {
        self.parts += 1;
        if self.parts > SCHEMA_PARTS_MAX {
            return Err(format!("has more than {SCHEMA_PARTS_MAX} parts, its references followed"));
        }
        match node {
            Value::Array(items) => items.iter().try_for_each(|item| self.visit(item)),
            Value::Object(fields) => fields.iter().try_for_each(|(key, value)| {
                match (key.as_str(), value.as_str()) {
                    ("$ref" | "$dynamicRef", Some(place)) => self.follow(place),
                    // Visited only where a reference leads to it.
                    ("$defs" | "definitions", _) => Ok(()),
                    _ => self.visit(value),
                }
            }),
            _ => Ok(()),
        }
    }

    fn follow(&mut self, place: &str) -> Result<(), String> {
        let target = self.resolve(place);
        if self.open.iter().any(|open| std::ptr::eq(*open, target)) {
            self.loops += 1;
            return Ok(());
        }
        if self.open.len() > SCHEMA_REFS_DEEP_MAX {
            return Err(format!("chains more than {SCHEMA_REFS_DEEP_MAX} references"));
        }
        self.open.push(target);
        let visited = self.visit(target);
        self.open.pop();
        visited
    }

    /// An unknown target counts as the whole document, which is the most that it could cost.
    fn resolve(&self, place: &str) -> &'s Value {
        let (base, fragment) = place.split_once('#').unwrap_or((place, ""));
        let base = match base {
            "" => self.document,
            name => self.names.get(name).copied().unwrap_or(self.document),
        };
        if fragment.starts_with('/') {
            return base.pointer(fragment).unwrap_or(self.document);
        }
        match fragment {
            "" => base,
            name => self.names.get(name).copied().unwrap_or(self.document),
        }
    }
}

fn collect_names<'s>(node: &'s Value, names: &mut HashMap<&'s str, &'s Value>) {
    match node {
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value.as_str()) {
                    ("$id" | "$anchor" | "$dynamicAnchor", Some(name)) => {
                        names.insert(name.trim_end_matches('#'), node);
                    }
                    _ => collect_names(value, names),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{depth, estimate};

    /// A schema whose `d0` asks `d1` twice, and so on.
    fn doubling(levels: usize) -> Value {
        let mut defs = serde_json::Map::new();
        for level in 0..levels {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            defs.insert(format!("d{level}"), json!({"allOf": [next.clone(), next]}));
        }
        defs.insert(format!("d{levels}"), json!({"type": "object"}));
        json!({"$defs": defs, "$ref": "#/$defs/d0"})
    }

    fn check(document: &Value) -> String {
        match estimate(document) {
            Ok(cost) if cost.depth_max() == usize::MAX => "any depth".to_owned(),
            Ok(cost) => format!("depth {}", cost.depth_max()),
            Err(error) => error,
        }
    }

    #[test]
    fn work_that_doubles_at_every_step_is_refused() {
        assert_eq!(check(&doubling(5)), "any depth");
        assert_eq!(check(&doubling(20)), "has more than 10000 parts, its references followed");
        let chain: serde_json::Map<String, Value> = (0..40)
            .map(|idx| (format!("d{idx}"), json!({"$ref": format!("#/$defs/d{}", idx + 1)})))
            .collect();
        let chain = json!({"$defs": chain, "$ref": "#/$defs/d0"});
        assert_eq!(check(&chain), "chains more than 32 references");
    }

    #[test]
    fn the_more_often_a_schema_refers_to_itself_the_flatter_its_values() {
        assert_eq!(check(&json!({"properties": {"next": {"$ref": "#"}}})), "any depth");
        let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        assert_eq!(check(&tree), "depth 20");
        let anchored = json!({"$ref": "#t", "$defs": {"t": {
            "$anchor": "t", "items": {"anyOf": vec![json!({"$ref": "#t"}); 16]}
        }}});
        assert_eq!(check(&anchored), "depth 5");
    }

    #[test]
    fn depth_counts_what_nests() {
        assert_eq!(depth(&json!(1)), 0);
        assert_eq!(depth(&json!({"a": [1, {}]})), 3);
    }
}
