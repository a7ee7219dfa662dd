//! Model files over which llama.cpp ends its process.

use std::{fs, io::BufWriter, path::Path};

use narratoria_models::{MetadataValue, ModelShape, TokenKind, phi3, tiny_vocabulary};

use crate::player_machine::PlayerMachine;

const SHAPE: ModelShape =
    ModelShape { embedding: 64, layers: 2, heads: 2, feed_forward: 128, context: 4096 };

/// Writes a model with another value, or with a key more.
fn write(path: &Path, key: &str, value: MetadataValue) {
    let mut file = phi3("hostile", SHAPE, &tiny_vocabulary(), 1);
    match file.keys.iter_mut().find(|(known, _)| known == key) {
        Some((_, known)) => *known = value,
        None => file.keys.push((key.to_owned(), value)),
    }
    file.write(&mut BufWriter::new(fs::File::create(path).unwrap())).unwrap();
}

fn write_long_token(path: &Path) {
    let mut vocabulary = tiny_vocabulary();
    vocabulary.push(("a".repeat(100_000), -1.0, TokenKind::Normal));
    let file = phi3("hostile", SHAPE, &vocabulary, 1);
    file.write(&mut BufWriter::new(fs::File::create(path).unwrap())).unwrap();
}

#[test]
fn no_model_file_ends_the_program_and_the_story_goes_on_without_it() {
    let machine = PlayerMachine::new();
    let text = |text: &str| MetadataValue::Text(text.to_owned());
    let at = |name: &str| machine.path().join(name);
    write(&at("rwkv.gguf"), "tokenizer.ggml.model", text("rwkv"));
    write(&at("plamo2.gguf"), "tokenizer.ggml.model", text("plamo2"));
    write(&at("experts.gguf"), "phi3.expert_count", MetadataValue::U32(100_000));
    write(&at("used.gguf"), "phi3.expert_used_count", MetadataValue::U32(7));
    write_long_token(&at("token.gguf"));
    let mut seen = Vec::new();
    for name in ["rwkv", "plamo2", "experts", "used", "token"] {
        machine.write("kept/config.toml", format!("[model]\nuse = \"../{name}.gguf\"\n"));
        let told = machine.run(&["run", "--story", name], "I look around\n");
        assert!(!told.stdout.is_empty(), "{name}: {}", told.stderr);
        seen.push(format!("{name}: exit {:?}\n{}", told.exit, told.stderr));
    }
    // Where sources are, and the number of a process.
    let sources = regex::Regex::new(r" \S*/registry/src/[^/]+/|\(\d+\) ").unwrap();
    insta::assert_snapshot!(sources.replace_all(&seen.join("\n"), " "));
}
