//! The cascade under the worst models there are: vectors and answers at random. Whatever they say, a plan can run, names
//! nothing that is not there, and has what the rules are certain of.

use std::{fs, path::Path, sync::Arc, time::Duration};

use narratoria_model::{
    llm::{EmbeddingModel, Model},
    server::{ConnectOptions, ServerAddress},
};
use narratoria_models::server::{FakeModelServer, FakeServerKind, Misdeed};
use narratoria_narrator::{
    LexicalPlanner, PlanRequest, Planner, PlannerDecision, ScriptIndex,
    llama::{CascadePlanner, ModelSlot},
    request_answer,
};
use narratoria_plan::{BuildOptions, Plan, wire::ToolJson};
use narratoria_protocol::{Object, TextEmbedder};
use narratoria_skills::{Catalog, PackageRoot, load};
use serde_json::Value;

use super::models;

/// Sentences of strangers that are planned with each model: every so many-th.
const ONE_IN: usize = 5;

/// Words that have one vector; all others have none. One is of the sentence that identifies a model.
const GROUPS: &[&[&str]] = &[
    &["lighthouse"],
    &["the", "a", "my"],
    &["i", "me", "you"],
    &["sharpen", "grind", "hone"],
    &["horse", "mare", "pony"],
];

/// Packages of strangers, sentences for them, and vectors.
struct Practice {
    catalog: Catalog,
    index: ScriptIndex,
    cases: Vec<Value>,
    _folder: tempfile::TempDir,
}

impl Practice {
    fn load() -> Practice {
        let contracts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/eval");
        let packages = PackageRoot::Folder(contracts.join("practice"));
        let catalog = load(&[narratoria_built_in::built_in(), packages]).catalog;
        let folder = tempfile::tempdir().unwrap();
        let embedding = folder.path().join("embedding.gguf");
        narratoria_models::embedding(&embedding, GROUPS, 1).unwrap();
        let model: Arc<dyn TextEmbedder> = Arc::new(EmbeddingModel::load(&embedding).unwrap());
        let load = Box::new(move || Ok(Arc::clone(&model)));
        let index = ScriptIndex::new(load, None);
        index.prepare(&catalog);
        assert!(index.wait(Duration::from_secs(300)), "the packages have no vectors");
        let text = fs::read_to_string(contracts.join("practice.jsonl")).unwrap();
        let cases = text.lines().step_by(ONE_IN).map(|line| serde_json::from_str(line).unwrap());
        Practice { catalog, index, cases: cases.collect(), _folder: folder }
    }

    /// Plans every sentence and checks the plans. Returns the number of those that the model had a part in.
    fn check(&self, model: Model) -> usize {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (state, mut by_model) = (Object::new(), 0);
        let mut planner = CascadePlanner::new(ModelSlot::ready(model), Some(self.index.clone()));
        for case in &self.cases {
            let (id, sentence) = (&case["id"], case["sentence"].as_str().unwrap());
            let plan_id = || "00000000-0000-4000-8000-000000000000".to_owned();
            let time = Duration::from_secs(60);
            let request = || PlanRequest::first(sentence, &self.catalog, &state, plan_id(), time);
            let answer = runtime.block_on(request_answer(&mut planner, request())).unwrap();
            assert!(answer.fallback.is_none(), "{id}: {:?}", answer.fallback);
            by_model += usize::from(answer.tokens.is_some());
            let PlannerDecision::Plan(plan) = answer.decision else { panic!("{id}: no plan") };
            // What words of a trigger ask for stays.
            let certain = LexicalPlanner::new().plan(&request()).unwrap();
            let is_certain = |tool: &&ToolJson| {
                tool.reason
                    .as_deref()
                    .is_some_and(|it| it.starts_with("the player's words contain"))
            };
            for tool in certain.tools.iter().filter(is_certain) {
                let is_kept = plan.tools.iter().any(|it| it.tool_path == tool.tool_path);
                assert!(is_kept, "{id}: {}", tool.tool_path);
            }
            assert!(!plan.tools.is_empty(), "{id}");
            let built = Plan::build(plan, &self.catalog, &BuildOptions::default());
            built.unwrap_or_else(|error| panic!("{id}: {error:?}"));
        }
        by_model
    }
}

/// S0 FR-001, FR-002, FR-005.
#[test]
fn whatever_vectors_and_model_say_the_plan_can_run_and_tells_the_player_something() {
    let practice = Practice::load();
    let by_model: usize = [2, 3].map(|model| practice.check(models()[model].clone())).iter().sum();
    assert!(by_model > 0, "no model was asked");
}

/// S0 FR-001, FR-005: a model behind a server decides as one in this process, and its faults cost no plan.
#[test]
fn whatever_a_server_says_the_plan_can_run_and_tells_the_player_something() {
    let practice = Practice::load();
    let address = |server: &FakeModelServer| ServerAddress::parse(&server.base()).unwrap();
    let options = ConnectOptions { hosts: Vec::new(), seed: 1, time: Duration::from_secs(60) };
    let connect = |server: &FakeModelServer| Model::connect(&address(server), &options).unwrap();
    for kind in [FakeServerKind::LlamaServer, FakeServerKind::Ollama, FakeServerKind::OpenAi] {
        let server = FakeModelServer::start(kind);
        let model = connect(&server);
        assert!(practice.check(model.clone()) > 0, "{kind:?} was not asked");
        for misdeed in [Misdeed::Status(500), Misdeed::BrokenJson, Misdeed::LongLength] {
            server.set(|setup| setup.misdeed = Some(misdeed));
            assert_eq!(practice.check(model.clone()), 0, "{kind:?}, {misdeed:?}");
        }
    }
}

/// S0 FR-006: a model that is too slow is not waited for.
#[test]
fn a_plan_is_there_in_time_when_the_model_is_not() {
    let catalog = load(&[narratoria_built_in::built_in()]).catalog;
    let mut planner = CascadePlanner::new(ModelSlot::ready(models()[2].clone()), None);
    let state = Object::new();
    let id = "00000000-0000-4000-8000-000000000000".to_owned();
    let request = PlanRequest::first("roll 2d6", &catalog, &state, id, Duration::from_millis(1));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let response = runtime.block_on(planner.propose(request)).unwrap();
    assert_eq!(response.planner, LexicalPlanner::NAME);
}
