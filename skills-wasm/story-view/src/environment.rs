//! Variables from the state: the view of the world, the qualities, and the opinions of people and factions.

use std::collections::BTreeMap;

use narratoria_conditions::{CompiledCondition, ConditionFacts, answer};
use narratoria_sdk::{Value, json};

/// The variables of conditions at one moment.
///
/// The world writes most of them down itself, under `/world/view`: `place`, `hour`, `present`, `carried` and so on. The
/// others are read from what the skills `plot`, `reputation` and `npc-perception` keep: the qualities by their names,
/// `turn`, `fired`, `chosen`, `standing` and `feeling`.
#[derive(Debug, Clone)]
pub struct Environment<'s> {
    view: Option<&'s Value>,
    own: BTreeMap<String, Value>,
}

impl<'s> Environment<'s> {
    /// The variables of a state, as a script reads it: with `/world/view`, `/plot/now`, `/reputation/factions` and
    /// `/perception/people`.
    pub fn of(state: &'s Value) -> Environment<'s> {
        Environment::with(state.pointer("/world/view"), state)
    }

    /// The variables of a state with another view of the world, for the middle of an action.
    pub fn of_parts(view: &'s Value, state: &Value) -> Environment<'s> {
        Environment::with(Some(view), state)
    }

    fn with(view: Option<&'s Value>, state: &Value) -> Environment<'s> {
        let mut own = BTreeMap::new();
        let plot = |part: &str| state.pointer("/plot/now").and_then(|now| now.get(part));
        let qualities = plot("qualities").and_then(Value::as_object);
        for (name, value) in qualities.into_iter().flatten() {
            own.insert(name.clone(), value.clone());
        }
        own.insert("turn".to_owned(), plot("turn").cloned().unwrap_or(json!(0)));
        for list in ["fired", "chosen"] {
            own.insert(list.to_owned(), keys(plot(list)));
        }
        let standings = numbers(state.pointer("/reputation/factions"), "standing");
        own.insert("standing".to_owned(), standings);
        let feelings = numbers(state.pointer("/perception/people"), "perception");
        own.insert("feeling".to_owned(), feelings);
        Environment { view, own }
    }

    /// Gives a variable another value than the state has.
    pub fn set(&mut self, name: &str, value: Value) {
        self.own.insert(name.to_owned(), value);
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.own.get(name).or_else(|| self.view?.get(name))
    }

    /// Returns true if the list of this name has this item.
    pub fn lists(&self, name: &str, item: &str) -> bool {
        let list = self.get(name).and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|one| one == item))
    }

    /// Returns true or false. The error is a sentence that says why there is no answer.
    pub fn holds(&self, condition: &CompiledCondition) -> Result<bool, String> {
        answer(&condition.node, &self)
    }
}

impl<'a> ConditionFacts<'a> for &'a Environment<'_> {
    fn variable(&self, name: &str) -> Option<&'a Value> {
        self.get(name)
    }
}

/// The keys of an object as a list.
fn keys(object: Option<&Value>) -> Value {
    let keys = object.and_then(Value::as_object).into_iter().flatten();
    keys.map(|(key, _)| Value::from(key.as_str())).collect()
}

/// Returns one number of each entry, without its fraction. The fading since the last change is not subtracted, because
/// a condition depends on deeds.
fn numbers(entries: Option<&Value>, part: &str) -> Value {
    let entries = entries.and_then(Value::as_object).into_iter().flatten();
    let number = |entry: &Value| entry.get(part)?.as_f64().filter(|number| number.is_finite());
    let numbers: BTreeMap<&str, i64> = entries
        .filter_map(|(name, entry)| Some((name.as_str(), number(entry)?.round() as i64)))
        .collect();
    json!(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> Value {
        json!({
            "world": { "view": { "place": "quay", "carried": ["rope"], "turn": 99 } },
            "plot": { "now": {
                "qualities": { "debt": "engaged", "trust": 3 }, "turn": 7, "fired": { "ropes-cut": 5 },
            } },
            "reputation": { "factions": { "Harbour Guild": { "standing": 4.6 }, "odd": { "standing": "x" } } },
            "perception": { "people": { "Mina Holt": { "perception": -12.2 } } },
        })
    }

    #[test]
    fn the_state_becomes_variables() {
        let state = state();
        let environment = Environment::of(&state);
        let expect = [
            ("place", json!("quay")),
            ("debt", json!("engaged")),
            ("trust", json!(3)),
            ("turn", json!(7)),
            ("fired", json!(["ropes-cut"])),
            ("chosen", json!([])),
            ("standing", json!({ "Harbour Guild": 5 })),
            ("feeling", json!({ "Mina Holt": -12 })),
        ];
        for (name, value) in expect {
            assert_eq!(environment.get(name), Some(&value), "{name}");
        }
        assert!(environment.lists("carried", "rope") && !environment.lists("carried", "lamp"));
        assert_eq!(environment.get("hour"), None);
    }

    #[test]
    fn a_script_may_change_variables_before_it_asks() {
        let state = state();
        let mut environment = Environment::of(&state);
        let condition = |form: Value| CompiledCondition {
            text: String::new(),
            node: serde::Deserialize::deserialize(form).unwrap(),
        };
        let resolved = condition(json!(["==", ["var", "debt"], "resolved"]));
        assert_eq!(environment.holds(&resolved), Ok(false));
        environment.set("debt", json!("resolved"));
        assert_eq!(environment.holds(&resolved), Ok(true));
        assert!(environment.holds(&condition(json!(["var", "debt"]))).is_err());
    }

    #[test]
    fn a_story_without_any_of_it_has_empty_variables() {
        let environment = Environment::of(&Value::Null);
        assert_eq!(environment.get("turn"), Some(&json!(0)));
        assert_eq!(environment.get("standing"), Some(&json!({})));
    }
}
