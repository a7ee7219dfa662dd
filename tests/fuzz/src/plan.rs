//! Plan JSON.

use std::sync::LazyLock;

use narratoria_plan::{self as plan, BuildOptions, Plan};
use narratoria_skills::{self as skills, Catalog};

static CATALOG: LazyLock<Catalog> =
    LazyLock::new(|| skills::load(&[narratoria_built_in::built_in()]).catalog);

pub(crate) fn check(bytes: &[u8]) {
    let Ok(json) = plan::parse(bytes) else { return };
    let text = serde_json::to_vec(&json).expect("a plan is JSON");
    match plan::parse(&text) {
        Ok(again) => assert_eq!(json, again, "written and read again it is another plan"),
        // Written out it may be longer than what was read: `1e9` becomes ten figures.
        Err(_) if text.len() > bytes.len() => {}
        Err(errors) => panic!("written, it cannot be read: {errors}"),
    }
    match Plan::build(json, &CATALOG, &BuildOptions::default()) {
        Err(errors) => assert!(!errors.to_string().is_empty(), "refused without a word"),
        Ok(plan) => {
            for (at, step) in plan.steps().iter().enumerate() {
                let backwards = step.needs.iter().all(|need| need.0 < at);
                assert!(backwards, "step {at} needs one that comes later");
            }
        }
    }
}
