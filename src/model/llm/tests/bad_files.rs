//! Files that are no models, or damaged ones: each gets an error with a way out, and none ends the process.

use std::{fs, path::PathBuf};

use tempfile::TempDir;

use super::{super::*, harness::*};

/// Bytes of a header before its vocabulary, and after it.
const HEAD: usize = 1000;
const TAIL: usize = 1500;
/// Random damages that the test tries.
const CASES: u64 = 200;

/// The error for a file with these bytes.
#[track_caller]
fn load_error_of(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    fs::write(&path, bytes).unwrap();
    load_error(&folder, path)
}

fn load_error(folder: &TempDir, path: PathBuf) -> String {
    let error = Model::load(&path, &options()).unwrap_err().to_string();
    error.replace(&folder.path().display().to_string(), "FOLDER")
}

fn good() -> Vec<u8> {
    fs::read(file(1)).unwrap()
}

#[test]
fn an_error_about_the_machine_says_what_to_do() {
    let path = PathBuf::from("phi.gguf");
    insta::assert_snapshot!(ModelLoadError::Memory { path, needed_mib: 1792, available_mib: 900 }, @"the model `phi.gguf` needs 1792 MiB of memory beside its file and 900 MiB are free: close other programs, or take a smaller model");
    insta::assert_snapshot!(ModelLoadError::Cpu { missing: "avx2, fma".to_owned() }, @"this processor lacks avx2, fma, without which a model is too slow to use: play without a model, or on another machine");
}

/// The model with a change after this key.
fn changed(key: &str, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = good();
    let at = bytes.windows(key.len()).position(|window| window == key.as_bytes()).unwrap();
    change(&mut bytes[at + key.len()..]);
    bytes
}

#[test]
fn an_error_about_a_wrong_file_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(load_error(&folder, folder.path().join("none.gguf")), @"there is no model file `FOLDER/none.gguf`: download it first, or name another one");
    insta::assert_snapshot!(load_error(&folder, folder.path().to_owned()), @"`FOLDER` is not a file: name the model's `.gguf` file itself");
    insta::assert_snapshot!(load_error_of(b""), @"`FOLDER/model.gguf` is not a GGUF file, it begins with ``: download the model's `.gguf` file again");
    insta::assert_snapshot!(load_error_of(b"<!DOCTYPE html><html>"), @"`FOLDER/model.gguf` is not a GGUF file, it begins with `<!DO`: download the model's `.gguf` file again");
    insta::assert_snapshot!(load_error_of(&[0xFF; 100]), @r#"`FOLDER/model.gguf` is not a GGUF file, it begins with `\xff\xff\xff\xff`: download the model's `.gguf` file again"#);
    insta::assert_snapshot!(load_error_of(b"GGUF\x01\0\0\0"), @"`FOLDER/model.gguf` is in version 1 of GGUF, 2 and 3 can be read: take another file of this model");
    insta::assert_snapshot!(load_error_of(b"GGUF\0\0\0\x03"), @"`FOLDER/model.gguf` is in version 50331648 of GGUF, 2 and 3 can be read: take another file of this model");
}

#[test]
fn half_a_model_is_reported_as_such() {
    let bytes = good();
    insta::assert_snapshot!(load_error_of(&bytes[..bytes.len() - 1]), @"`FOLDER/model.gguf` has 525951 bytes where its contents need 525952: it was cut off, download it again");
    insta::assert_snapshot!(load_error_of(&bytes[..bytes.len() / 2]), @"`FOLDER/model.gguf` has 262976 bytes where its contents need 525952: it was cut off, download it again");
    insta::assert_snapshot!(load_error_of(&bytes[..1000]), @"`FOLDER/model.gguf` has 1000 bytes where its contents need 1003: it was cut off, download it again");
    insta::assert_snapshot!(load_error_of(&bytes[..10]), @"`FOLDER/model.gguf` has 10 bytes where its contents need 16: it was cut off, download it again");
}

#[test]
fn a_model_with_an_impossible_header_is_refused() {
    let huge = |after: &mut [u8]| after[..8].fill(0xFF);
    let mut tensors = good();
    huge(&mut tensors[8..]);
    insta::assert_snapshot!(load_error_of(&tensors), @"`FOLDER/model.gguf` is damaged: it has 18446744073709551615 tensors, at most 65536 are possible; download it again");
    insta::assert_snapshot!(load_error_of(&changed("general.name", |after| after[4..12].fill(0x7F))), @"`FOLDER/model.gguf` is damaged: it has 9187201950435737471 bytes in a text, at most 16777216 are possible; download it again");
    insta::assert_snapshot!(load_error_of(&changed("phi3.block_count", |after| after[6] = 100)), @"`FOLDER/model.gguf` is damaged: it has 6553602 layers, at most 512 are possible; download it again");
    let epsilon = |bytes: f32| {
        load_error_of(&changed("rms_epsilon", |after| {
            after[4..8].copy_from_slice(&bytes.to_le_bytes())
        }))
    };
    insta::assert_snapshot!(epsilon(-1.0), @"`FOLDER/model.gguf` is damaged: its `phi3.attention.layer_norm_rms_epsilon` is -1; download it again");
    insta::assert_snapshot!(epsilon(f32::NAN), @"`FOLDER/model.gguf` is damaged: its `phi3.attention.layer_norm_rms_epsilon` is NaN; download it again");
    insta::assert_snapshot!(load_error_of(&changed("phi3.rope.dimension_count", |after| after[4] = 34)), @"`FOLDER/model.gguf` is damaged: its attention turns more numbers than it has; download it again");
    insta::assert_snapshot!(load_error_of(&changed("phi3.embedding_length", |after| after[4..8].fill(0))), @"`FOLDER/model.gguf` is damaged: it does not say how large it is; download it again");
    insta::assert_snapshot!(load_error_of(&changed("phi3.embedding_length", |after| after[4] = 65)), @"llama.cpp cannot load `FOLDER/model.gguf`: check_tensor_dims: tensor 'token_embd.weight' has wrong shape; expected 65, 365, got 64, 365, 1, 1; take another model");
    // One byte token is missing, and one occurs twice.
    insta::assert_snapshot!(load_error_of(&changed("<0x01", |after| after[0] = b'?')), @"`FOLDER/model.gguf` is damaged: its vocabulary has no token for the byte 1; download it again");
    insta::assert_snapshot!(load_error_of(&changed("<0x4", |after| after[0] = b'2')), @"`FOLDER/model.gguf` is damaged: its vocabulary has the token `<0x42>` twice; download it again");
    // Two tokens that are equal up to their first NUL.
    let same = changed("<|placeholder", |after| [after[0], after[24]] = [0, 0]);
    insta::assert_snapshot!(load_error_of(&same), @"`FOLDER/model.gguf` is damaged: its vocabulary has the token `<|placeholder` twice; download it again");
    insta::assert_snapshot!(load_error_of(&changed("tokenizer.ggml.token", |after| after[0] = b'x')), @"`FOLDER/model.gguf` is damaged: it has no vocabulary; download it again");
}

#[test]
fn models_for_other_work_are_refused() {
    let of_kind = |kind: &[u8; 4]| {
        let mut bytes = good();
        while let Some(at) = bytes.windows(4).position(|window| window == b"phi3") {
            bytes[at..at + 4].copy_from_slice(kind);
        }
        load_error_of(&bytes)
    };
    insta::assert_snapshot!(of_kind(b"bert"), @"the model `FOLDER/model.gguf` of the kind `bert` does not write text: its kind is for other work; take one made for chats");
    insta::assert_snapshot!(of_kind(b"phi9"), @"llama.cpp cannot load `FOLDER/model.gguf`: unknown model architecture: 'phi9'; take another model");
    let bert_words =
        changed("tokenizer.ggml.model", |after| after[12..17].copy_from_slice(b"bertx"));
    insta::assert_snapshot!(load_error_of(&bert_words), @"the model `FOLDER/model.gguf` of the kind `phi3` does not write text: its tokenizer is `bertx`; take one made for chats");
}

/// Random damage. The seed is in the message.
#[test]
fn no_damage_ends_the_process() {
    use rand::{RngExt, SeedableRng, rngs::SmallRng};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    let bytes = good();
    let header = bytes.len() - 4 * 128_960;
    let options = LoadOptions { context_tokens: 256, ..options() };
    let (mut good, mut bad) = (0, 0);
    for seed in 0..CASES {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut bytes = bytes.clone();
        for _ in 0..rng.random_range(1..4) {
            // Most of a header is its vocabulary; damage before and after it finds more.
            let at = match rng.random_range(0..4) {
                0 => rng.random_range(0..header),
                1 => rng.random_range(header - TAIL..header),
                _ => rng.random_range(0..HEAD),
            };
            match rng.random_range(0..6) {
                4 => bytes[at] = rng.random_range(0..16),
                5 => bytes[at] = bytes[at].wrapping_mul(2),
                0 => bytes[at] = rng.random(),
                1 => bytes[at] ^= 1 << rng.random_range(0..8),
                2 => bytes.truncate(rng.random_range(0..bytes.len().min(header)) + 1),
                _ => bytes[at..header.min(at + 8)].fill([0, 0xFF][rng.random_range(0..2)]),
            }
            if bytes.len() < header {
                break;
            }
        }
        fs::write(&path, &bytes).unwrap();
        match Model::load(&path, &options) {
            Ok(model) => {
                good += 1;
                for job in [job(chat(&["user: \u{1F409}a"])), under_grammar(chat(&["user: a"]))] {
                    let _ = write(&model, GenerateJob { tokens_max: 20, ..job });
                }
            }
            Err(error) => {
                bad += 1;
                assert!(error.to_string().contains("model.gguf"), "{seed}: {error}");
            }
        }
    }
    assert!(good > 0 && bad > 0, "{good} {bad}");
}
