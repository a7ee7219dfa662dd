//! The cache notices reloaded skills.

use std::cell::Cell;

use serde_json::{Value, json};

use super::{catalog, skill, tool_set, walk};
use crate::llama::tool_set_cache::ToolSetCache;
use narratoria_skills::Catalog;

#[test]
fn a_reloaded_skill_of_the_same_version_gets_the_grammar_of_its_new_schema() {
    let lock = |ways: Value| {
        let input =
            json!({"type": "object", "required": ["way"], "properties": {"way": {"enum": ways}}});
        skill("lock", "open", &input)
    };
    let built = Cell::new(0);
    let mut cache = ToolSetCache::default();
    let mut schema = |catalog: &Catalog| {
        let can_write = |schema: &Value| {
            built.set(built.get() + 1);
            walk::can_write(schema)
        };
        cache.get(catalog, &can_write).plan_schema()
    };
    let mut catalog =
        catalog(vec![lock(json!(["lever"])), skill("tell", "tale", &json!({"type": "object"}))]);
    let before = schema(&catalog);
    assert_eq!(
        (&schema(&catalog), built.get()),
        (&before, 1),
        "an unchanged catalog is not read again"
    );

    let version = catalog.get("lock").unwrap().version.clone();
    catalog.insert(lock(json!(["pick", "kick"])));
    assert_eq!(catalog.get("lock").unwrap().version, version);
    let after = schema(&catalog);
    assert_eq!(after, tool_set(&catalog).plan_schema());
    assert!(
        before.to_string().contains("lever") && !after.to_string().contains("lever"),
        "{after}"
    );

    catalog.remove("tell");
    assert_eq!(schema(&catalog), tool_set(&catalog).plan_schema());
}
