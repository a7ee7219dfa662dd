//! Ticks (S4): a story goes on by itself, one scene at a time. The context that a planner reads, the plan that it writes,
//! the planner and the writer that need no model, and the evaluator of a scene. Pure: the engine runs the plan and keeps
//! the files.

mod answers;
mod arcs;
mod cast;
mod chapters;
mod context_text;
mod evaluator;
mod everyday;
mod expand;
mod lexical;
mod moment;
mod names;
mod plan;
mod planner;
mod prompt;
mod quiet;
mod request;
mod scene;
mod story_view;
mod template;
#[cfg(test)]
mod tests;
mod thread;
mod tools_text;

pub use context_text::{
    CONTEXT_PART_BYTES_MAX, ContextSettings, RECENT_SCENES_DEFAULT, RECENT_SCENES_MAX,
    SUMMARY_BYTES_MAX, TickContext,
};
pub use evaluator::{
    EvaluationRequest, SCENE_FAULTS_MAX, SceneFault, SceneFaultKind, evaluate_scene,
};
pub use expand::{action_id, expand, tool_path};
pub use lexical::plan_tick;
pub use moment::SceneMoment;
pub use plan::{TICK_ACTIONS_ADVISED, TICK_PLAN_BYTES_MAX, TickAction, TickPlan, TickPlanError};
pub use planner::{
    LexicalTickPlanner, ScriptedTickPlanner, TickPlanFuture, TickPlanRequest, TickPlanner,
    TickProposal, TickResponse, TickScriptError,
};
pub use prompt::{TICK_SYSTEM, tick_prompt, tick_request};
pub use request::TickRequest;
pub use scene::{
    ActionOutput, LONG_SENTENCE_WORDS, SCENES_WITHOUT_REPETITION, SceneDraft, SceneRequest,
    scene_frame, sentences, write_scene,
};
pub use story_view::{
    SCENE_TEXTS_MAX, TickCharacter, TickLocation, TickLoop, TickMemory, TickPerson, TickPlace,
    TickRelationship, TickScene, TickStory, TickWorld, UNTITLED,
};
pub use thread::THREAD_KEY;
pub use tools_text::tools_text;
