//! A skill's examples as the prompt shows them: the player's sentence and the compact plan for it. Pure.

use serde_json::{Value, json};

use super::menu::{Item, Menu, Slots};
use crate::{protocol::Object, skills::Example};

impl Menu {
    /// The compact plan that an example stands for: its step and, where the skill wants its outcome told, one
    /// that tells it. Nothing where a model could not write it, where the script is not to succeed, where it follows
    /// steps that the example does not name, or where it takes from elsewhere what its sentence does not say: a
    /// model would learn to guess.
    pub(super) fn example(&self, item: &Item, example: &Example) -> Option<String> {
        let is_good = example.expect.get("ok") != Some(&Value::Bool(false));
        let is_whole = example.inputs.is_none() && says_all(item, example);
        if !is_good || !is_whole || !can_write(item, &example.input) {
            return None;
        }
        let mut steps = vec![self.form.write_step(item, &example.input, &[])];
        if wants_telling(item)
            && let Some(narrator) = self.narrator()
        {
            steps.push(self.form.write_step(narrator, &Object::new(), &[0]));
        }
        Some(json!({"steps": steps, "narrative": ""}).to_string())
    }

    /// The first script that narrates and needs nothing written. Whatever is disabled: the prompt's examples
    /// stay the same.
    pub(super) fn narrator(&self) -> Option<&Item> {
        self.items.iter().find(|item| item.is_narrator && can_write(item, &Object::new()))
    }
}

/// Whether the sentence has every word and number that the input has where it need not.
fn says_all(item: &Item, example: &Example) -> bool {
    let Slots::Each(slots) = &item.slots else { return true };
    let sentence = example.sentence.as_deref().unwrap_or_default().to_lowercase();
    let optional = slots.iter().filter(|slot| !slot.is_required);
    optional.filter_map(|slot| example.input.get(&slot.name)).all(|value| match value {
        Value::String(text) => sentence.contains(&text.to_lowercase()),
        Value::Number(number) => sentence.contains(&number.to_string()),
        _ => true,
    })
}

fn wants_telling(item: &Item) -> bool {
    let mut triggers = item.skill.triggers.iter();
    !item.is_narrator && triggers.any(|it| it.script == item.script().name && it.narrate)
}

/// Whether all of an input can be written, what the host says aside.
fn can_write(item: &Item, input: &Object) -> bool {
    let slots = match &item.slots {
        Slots::Each(slots) => slots,
        Slots::Whole(shape) => return shape.admits(&Value::Object(input.clone())),
    };
    let is_said = |name: &str| item.said.iter().any(|said| said.name == name);
    let slot = |name: &str| slots.iter().find(|slot| slot.name == name);
    input.iter().all(|(name, value)| {
        is_said(name) || slot(name).is_some_and(|slot| slot.shape.admits(value))
    }) && slots.iter().all(|slot| !slot.is_required || input.contains_key(&slot.name))
}
