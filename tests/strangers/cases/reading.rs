//! Documents that two readers would read in two ways, or that no reader should.

use serde_json::json;

use crate::strangers::package::{NAME, Stranger, Verdict, manifest};

pub(crate) fn all() -> Vec<Stranger> {
    let manifest = manifest().to_string();
    let again = |field: &str| manifest.replacen('{', &format!("{{{field},"), 1);
    let case = |name: &str, text: Vec<u8>| {
        Stranger::new(format!("a manifest {name}"), Verdict::Refused).file("skill.json", text)
    };
    let utf16: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        case("with two names", again(r#""name":"other""#).into()),
        case("with two lists of scripts", again(r#""scripts":[]"#).into()),
        case("with the same grant twice", {
            manifest.replace(r#""assets":true"#, r#""assets":false,"assets":true"#).into()
        }),
        case("with one key written in two ways", again(r#""n\u0061me":"stranger""#).into()),
        case("with something after its end", format!("{manifest} {{}}").into()),
        case("with a NUL after its end", format!("{manifest}\0").into()),
        case("in UTF-16", utf16),
        case("that is not UTF-8", b"{\"name\": \"\xff\"}".to_vec()),
        case("with a comment", format!("// a comment\n{manifest}").into()),
        case("that is empty", Vec::new()),
        case("whose name is a path", {
            manifest.replace("\"name\":\"stranger\"", "\"name\":\"../stranger\"").into()
        }),
        case("with a version beyond numbers", {
            manifest.replace("0.1.0", "99999999999999999999.0.0").into()
        }),
        Stranger::new("a schema with two types", Verdict::Refused)
            .file("schemas/act.json", r#"{"type":"object","properties":{},"type":"string"}"#),
        Stranger::new(
            "a schema of settings with the same key twice, deep inside",
            Verdict::Refused,
        )
        .file(
            "config-schema.json",
            r#"{"type":"object","properties":{"a":{"type":"string","type":"number"}}}"#,
        ),
        Stranger::new("a config.json with the same key twice", Verdict::Harmless)
            .file("config-schema.json", r#"{"type":"object","properties":{"a":{"type":"string"}}}"#)
            .file("config.json", r#"{"a":"one","a":"two"}"#),
        Stranger::new("a front matter with two names", Verdict::Harmless).file(
            "SKILL.md",
            format!("---\nname: {NAME}\nname: other\ndescription: A.\n---\nA stranger.\n"),
        ),
        Stranger::new("an example with two inputs", Verdict::Harmless).file(
            "examples/a.json",
            json!({"script": "act"}).to_string().replace('{', r#"{"input":{},"input":{},"#),
        ),
    ]
}
