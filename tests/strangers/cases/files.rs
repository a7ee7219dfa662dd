//! Folders with entries that are no ordinary files, and files whose content is not of the kind that their names say.

use serde_json::json;

use crate::strangers::package::{Odd, Stranger, Verdict};

pub(crate) fn all() -> Vec<Stranger> {
    let odd = |name: &str, path: &str, odd: Odd| {
        Stranger::new(format!("a package whose {name}"), Verdict::Refused).odd(path, odd)
    };
    let elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0".to_vec();
    vec![
        odd("manifest is a pipe", "skill.json", Odd::Fifo),
        odd("manifest is a folder", "skill.json", Odd::Folder),
        odd("manifest is an endless device", "skill.json", Odd::Link("/dev/zero")),
        odd("manifest is a terabyte", "skill.json", Odd::Sparse(1 << 40)),
        odd("manifest is a link to itself", "skill.json", Odd::Link("skill.json")),
        odd("schema is a pipe", "schemas/act.json", Odd::Fifo),
        odd("schema is an endless device", "schemas/act.json", Odd::Link("/dev/zero")),
        odd("schema is a file of the player", "schemas/act.json", Odd::Link("/etc/passwd")),
        odd("component is a pipe", "scripts/act.wasm", Odd::Fifo),
        odd("component is a terabyte", "scripts/act.wasm", Odd::Sparse(1 << 40)),
        odd("prompt is an endless device", "SKILL.md", Odd::Link("/dev/zero")),
        odd("prompt is a pipe", "SKILL.md", Odd::Fifo),
        odd("settings are a pipe", "config-schema.json", Odd::Fifo),
        Stranger::new("a package whose examples are a link to all files", Verdict::Harmless)
            .odd("examples", Odd::Link("/")),
        Stranger::new("a package whose example is a pipe", Verdict::Harmless)
            .odd("examples/a.json", Odd::Fifo),
        Stranger::new("a package whose config.json is a pipe", Verdict::Harmless)
            .odd("config.json", Odd::Fifo),
        Stranger::new("a package with a native program", Verdict::Refused)
            .file("scripts/helper", elf.clone()),
        Stranger::new("a package whose component is a native program", Verdict::Refused)
            .file("scripts/act.wasm", elf),
        Stranger::new("a package with a program for Windows named as a text", Verdict::Refused)
            .file("notes.txt", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0".to_vec()),
        Stranger::new("a package without its component", Verdict::Refused)
            .without("scripts/act.wasm"),
        Stranger::new("a package whose script lies outside", Verdict::Refused).manifest(json!({
            "scripts": [{"name": "act", "path": "../../script.json", "description": "A.",
                "inputSchema": "schemas/act.json"}]})),
        Stranger::new("a package with ten thousand files", Verdict::Harmless).many_files(10_000),
    ]
}
