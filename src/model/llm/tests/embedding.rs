//! Vectors of texts, from a model whose words of one group mean the same.

use std::{num::NonZeroUsize, path::Path};

use narratoria_protocol::TextEmbedder;

use crate::llm::{EmbeddingModel, LoadOptions, Model};

fn load(path: &Path) -> EmbeddingModel {
    EmbeddingModel::load(path).unwrap()
}

fn model(folder: &Path, seed: u64) -> EmbeddingModel {
    let path = folder.join(format!("{seed}.gguf"));
    let groups: &[&[&str]] =
        &[&["boat", "ship", "vessel"], &["burns", "fire"], &["cake"], &["lighthouse"]];
    narratoria_models::embedding(&path, groups, seed).unwrap();
    load(&path)
}

fn cosine(model: &EmbeddingModel, one: &str, other: &str) -> f32 {
    let (one, other) = (model.embed(one).unwrap(), model.embed(other).unwrap());
    one.iter().zip(&other).map(|(a, b)| a * b).sum()
}

#[test]
fn texts_of_one_meaning_have_one_direction() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), 1);
    let near = cosine(&model, "The boat burns!", "fire on a ship");
    let far = cosine(&model, "The boat burns!", "a cake");
    assert!(near > 0.99 && far < 0.8, "{near} {far}");
    let length: f32 = model.embed("boat").unwrap().iter().map(|number| number * number).sum();
    assert!((length - 1.0).abs() < 1e-4);
}

#[test]
fn a_text_that_is_too_long_counts_with_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), 1);
    let long = "boat ".repeat(100_000);
    assert!(cosine(&model, &long, "ship") > 0.99);
    for text in ["", " ", "\0", "\u{10ffff}", "[CLS] [SEP]"] {
        // Whatever it is, the next text has its vector.
        let _ = model.embed(text);
        assert!(cosine(&model, "ship", "vessel") > 0.99);
    }
}

#[test]
fn models_with_other_weights_have_other_ids() {
    let folder = tempfile::tempdir().unwrap();
    // The probe has none of the words of these models, and no direction then.
    let with = |seed| {
        let path = folder.path().join("m.gguf");
        narratoria_models::embedding(&path, &[&["lighthouse"], &["nine", "days"]], seed).unwrap();
        load(&path).id().to_owned()
    };
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}

#[test]
fn a_model_for_texts_gives_no_vectors_and_the_other_way_round() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    let told = |error: String| error.replace(&path.display().to_string(), "model.gguf");
    narratoria_models::tiny(&path, 1).unwrap();
    let error = EmbeddingModel::load(&path).unwrap_err();
    insta::assert_snapshot!(told(error.to_string()), @"the model `model.gguf` of the kind `phi3` gives texts no vectors: its kind is for other work; take one made for embeddings, such as `all-minilm-l6-v2`");
    narratoria_models::embedding(&path, &[&["boat"]], 1).unwrap();
    let options =
        LoadOptions { threads: NonZeroUsize::MIN, context_tokens: 256, prefix_folder: None };
    insta::assert_snapshot!(told(Model::load(&path, &options).unwrap_err().to_string()), @"the model `model.gguf` of the kind `bert` does not write text: its kind is for other work; take one made for chats");
}
