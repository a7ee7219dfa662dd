//! A context that computes with another number of threads goes on where it was.

use std::sync::Arc;

use llama_cpp_2::{
    model::{LlamaModel, params::LlamaModelParams},
    token::LlamaToken,
};
use narratoria_models::MemoryShape;

use super::{
    super::{
        abort::AbortCheck, backend::backend, lane::LaneContext, prompt::TokenizedPrompt,
        queue::JobQueue,
    },
    harness::*,
};

const CONTEXT: usize = 512;

#[test]
fn what_was_read_moves_with_the_threads_and_the_next_token_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shaped.gguf");
    let mut files = vec![file(1)];
    for memory in MemoryShape::ALL {
        narratoria_models::tiny_of_shape(&path, memory, 1).unwrap();
        let own = folder.path().join(format!("{memory:?}.gguf"));
        std::fs::rename(&path, &own).unwrap();
        files.push(own);
    }
    let backend = backend().unwrap();
    let tokens: Vec<LlamaToken> = (0..300).map(|n| LlamaToken(270 + n % 60)).collect();
    let prompt = TokenizedPrompt {
        tokens: tokens.clone(),
        splits: vec![200, 300],
        session_end: 200,
        disk_end: 0,
    };
    for path in files {
        let params = LlamaModelParams::default();
        let model = LlamaModel::load_from_file(backend, &path, &params).unwrap();
        let abort = Arc::new(AbortCheck::new(Arc::new(JobQueue::default())));
        let logits = |moves: bool| {
            let mut lane = LaneContext::open(backend, &model, CONTEXT, 1, &abort).unwrap();
            lane.read(&prompt, 200).unwrap();
            // A text in progress is dropped.
            lane.feed(&tokens[..7]).unwrap();
            if moves {
                lane.take_threads(backend, &model, 2, 0);
            } else {
                lane.rewind(200);
            }
            lane.read(&prompt, 300).unwrap();
            (lane.common_prefix_len(&prompt), lane.logits().to_vec())
        };
        assert_eq!(logits(true), logits(false), "{}", path.display());
        assert_eq!(logits(true).0, 300);
    }
}
