//! Patterns, one a line: measured as triggers, conditions and schemas have them, and then in a package.

use narratoria_skills::{
    PATTERNS_BYTES_MAX, PackageHandle, PatternBudget, PatternDialect, PlayerSide, Schema,
};
use serde_json::{Value, json};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let patterns: Vec<&str> = text.lines().filter(|line| !line.is_empty()).take(64).collect();
    let dialects = [
        PatternDialect::Plain { ignores_case: true },
        PatternDialect::Plain { ignores_case: false },
        PatternDialect::Ecma,
    ];
    for dialect in dialects {
        let mut budget = PatternBudget::default();
        for pattern in &patterns {
            let measured = budget.take(pattern, dialect);
            assert_eq!(
                measured.is_ok(),
                measured.as_ref().map_err(ToString::to_string).is_ok_and(|size| size.states > 0),
                "{pattern:?}"
            );
            assert!(budget.bytes_taken() <= PATTERNS_BYTES_MAX, "{pattern:?}");
        }
    }
    for pattern in &patterns {
        if let Ok(schema) = Schema::build(json!({ "pattern": pattern })) {
            let subjects = [json!(text), json!("a".repeat(64)), json!("")];
            for subject in &subjects {
                let _ = schema.mismatches(subject);
            }
        }
    }
    let triggers = json!([{"script": "act", "patterns": patterns}]);
    let manifest: Value = json!({
        "name": "act", "description": "d", "version": "1.0.0", "triggers": triggers,
        "scripts": [
            {"name": "act", "path": "scripts/act.wasm", "description": "d", "inputSchema": "in.json"}
        ],
    });
    let files = [
        ("skill.json", manifest.to_string().into_bytes()),
        ("prompt.md", b"p".to_vec()),
        ("in.json", br#"{"type": "object"}"#.to_vec()),
        ("scripts/act.wasm", b"\0asm\x0d\0\x01\0".to_vec()),
    ];
    let files = files.map(|(path, content)| (path.to_owned(), content)).into();
    if let Err(problems) = PackageHandle::in_memory("act", files).load(&PlayerSide::none()) {
        assert!(!problems.is_empty(), "refused without a word");
        for problem in problems {
            let shown = problem.to_string();
            assert!(!shown.contains("exceeds size limit"), "measured too small: {shown}");
            assert!(!shown.contains(char::is_control), "a terminal would obey: {shown:?}");
        }
    }
}
