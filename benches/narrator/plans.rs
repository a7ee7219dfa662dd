//! Plans that a good planner would write for the built-in skills. Every way writes the same plans.

use narratoria_skills::Catalog;
use serde_json::{Map, Value, json};

use crate::gbnf::Extent;

/// A plan, independent of its syntax.
pub(crate) struct Order {
    pub(crate) sentence: &'static str,
    pub(crate) narrative: &'static str,
    pub(crate) steps: Vec<BenchStep>,
}

/// One step of it.
pub(crate) struct BenchStep {
    pub(crate) path: &'static str,
    pub(crate) input: Value,
    /// Steps before it that it needs.
    pub(crate) after: Vec<usize>,
}

/// One to three steps, with and without words of the planner's own.
pub(crate) fn orders() -> Vec<Order> {
    let look = |sentence| (sentence, "", vec![narrate(json!({}), &[])]);
    let plans = [
        look("I look around the tavern"),
        look("I walk to the harbour and wait for the ferry"),
        (
            "I roll to pick the lock",
            "The lock is old, and so are your tools.",
            vec![roll(json!({"formula": "1d20"})), narrate(json!({}), &[0])],
        ),
        (
            "I sneak past the guard with advantage",
            "",
            vec![
                roll(json!({"formula": "1d20+4", "mode": "advantage"})),
                narrate(json!({"focus": "the guard"}), &[0]),
            ],
        ),
        (
            "what can I do now? give me three ideas",
            "Let us see.",
            vec![choices(json!({"count": 3}), &[])],
        ),
        (
            "roll 4d6kh3 for my strength",
            "",
            vec![roll(json!({"formula": "4d6kh3"})), narrate(json!({"style": "terse"}), &[0])],
        ),
        (
            "I attack the goblin with my sword and then want to know my options",
            "Steel rings out in the narrow passage.",
            vec![
                roll(json!({"formula": "1d20+5"})),
                narrate(json!({"focus": "the goblin"}), &[0]),
                choices(json!({"context": "the goblin", "count": 4}), &[1]),
            ],
        ),
        (
            "tell it as a noir story: I open the ancient door",
            "",
            vec![narrate(json!({"focus": "the ancient door", "style": "noir"}), &[])],
        ),
        (
            "I try to persuade the captain and climb aboard",
            "The captain folds his arms and listens.",
            vec![
                roll(json!({"formula": "1d20+2"})),
                roll(json!({"formula": "1d20"})),
                narrate(json!({"focus": "the captain"}), &[0, 1]),
            ],
        ),
        ("hello, how are you today?", "", vec![narrate(json!({"outcome": "success"}), &[])]),
    ];
    plans.map(|(sentence, narrative, steps)| Order { sentence, narrative, steps }).into()
}

fn roll(input: Value) -> BenchStep {
    BenchStep { path: "dice-roller/roll-dice", input, after: Vec::new() }
}

fn narrate(input: Value, after: &[usize]) -> BenchStep {
    BenchStep { path: "storyteller/narrate", input, after: after.to_vec() }
}

fn choices(input: Value, after: &[usize]) -> BenchStep {
    BenchStep { path: "player-choices/generate-choices", input, after: after.to_vec() }
}

impl Order {
    /// As a compact plan.
    pub(crate) fn compact(&self, catalog: &Catalog) -> String {
        let steps = self.steps.iter().map(|step| {
            // The host fills in the player's words, so the model writes no value for them.
            let names = properties(catalog, step).filter(|(name, _)| name != SAID);
            let values = names.map(|(name, _)| step.input.get(&name).cloned().unwrap_or_default());
            let parts = std::iter::once(json!(step.path)).chain(values);
            parts.chain([json!(step.after)]).collect::<Value>()
        });
        json!({"steps": steps.collect::<Value>(), "narrative": self.narrative}).to_string()
    }

    /// As Plan JSON, without white space, to the extent that a model writes it.
    pub(crate) fn naive(&self, catalog: &Catalog, extent: Extent) -> String {
        let id = |at: usize| format!("step-{}", at + 1);
        let tools = self.steps.iter().enumerate().map(|(at, step)| {
            let dependencies: Vec<String> = step.after.iter().map(|at| id(*at)).collect();
            let mut tool = json!({"toolId": id(at), "toolPath": step.path,
                "input": self.input(catalog, step), "dependencies": dependencies});
            if extent == Extent::Whole {
                tool["required"] = json!(true);
                tool["async"] = json!(true);
                tool["retryPolicy"] = json!({"maxRetries": 1, "backoffMs": 100});
            }
            tool
        });
        let tools: Vec<Value> = tools.collect();
        let plan = match extent {
            Extent::Lean => json!({"narrative": self.narrative, "tools": tools}),
            Extent::Whole => json!({
                "requestId": "5f0c6a52-9d3b-4e17-8a41-b2d6c7e8f901", "narrative": self.narrative,
                "tools": tools, "parallel": true, "disabledSkills": [],
                "metadata": {"generationAttempt": 1, "parentPlanId": null},
            }),
        };
        plan.to_string()
    }

    /// The input with the player's words where the script asks for them. Required properties come first, as in the naive
    /// grammar.
    fn input(&self, catalog: &Catalog, step: &BenchStep) -> Value {
        let mut input = Map::new();
        for is_required in [true, false] {
            for (name, _) in properties(catalog, step).filter(|property| property.1 == is_required)
            {
                let said = (name == SAID).then(|| json!(self.sentence));
                if let Some(value) = step.input.get(&name).cloned().or(said) {
                    input.insert(name, value);
                }
            }
        }
        Value::Object(input)
    }
}

/// The property that gets the player's words, in every built-in script that wants them.
const SAID: &str = "prompt";

/// Names in the order of the schema, each with whether it is required.
fn properties(catalog: &Catalog, step: &BenchStep) -> impl Iterator<Item = (String, bool)> {
    let (skill, script) = catalog.resolve(step.path).expect("it is a built-in script");
    let schema = skill.scripts[script].input_schema.document().clone();
    let names: Vec<String> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|property| property.0.clone())
        .collect();
    names.into_iter().map(move |name| {
        let required = schema["required"].as_array();
        let is_required = required.is_some_and(|all| all.iter().any(|one| *one == *name));
        (name, is_required)
    })
}
