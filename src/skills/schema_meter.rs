//! Counts the work of a validation, and ends it at a limit.
//!
//! The validator cannot be interrupted, and its work for a schema cannot be predicted: it follows references, repeats
//! branches to explain a failure, and asks `unevaluatedProperties` once more about their neighbours. So nothing here
//! predicts it. The validator reads a value only through [`MeteredJson`], every reading costs steps, and the one that
//! goes over the limit unwinds the validator. The count depends on the schema and the value alone: it is the same on
//! each machine.

use std::{
    borrow::Cow,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    time::{Duration, Instant},
};

use jsonschema::{
    JsonType,
    json::{Array, Json, Node, NodeIdentity, Object, SerdeJson},
};
use serde_json::{Map, Number, Value};

/// Most steps of one validation: a fraction of a second. The contracts need some thousand for a long plan.
pub const VALIDATION_STEPS_MAX: u64 = 20_000_000;

/// Longest time of one validation, a hundred times what its steps take: only a step that costs far more than it is counted
/// for comes to it, so no ordinary result depends on the machine.
pub const VALIDATION_TIME_MAX: Duration = Duration::from_secs(20);

/// Readings between two looks at the clock.
const READINGS_PER_LOOK: u32 = 256;

/// Bytes of text that cost as much as one reading.
const TEXT_BYTES_PER_STEP: usize = 16;
/// Steps of one mismatch that the validator writes down, its paths and its quotations left out.
const MISMATCH_STEPS: u64 = 400;
/// Steps of looking for a value among those that are being validated.
const IDENTITY_STEPS: u64 = 16;
/// Most items of which the validator compares each with each.
const UNIQUE_PAIRS_MAX: usize = 16;

/// Cost that a schema adds to reading a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StepWeights {
    /// Steps for a text, because a pattern of the schema may backtrack on it.
    pub(super) text: u64,
    /// Steps for each byte of a text, because a pattern of the schema may visit it often.
    pub(super) text_byte: u64,
    /// How often the rest of a text is read for each of its bytes, because a pattern may look ahead from each.
    pub(super) text_rereads: u64,
    /// Steps for the name of a field, for the same reason.
    pub(super) key: u64,
    /// Steps for each byte of such a name.
    pub(super) key_byte: u64,
    /// How often the rest of a name is read for each of its bytes.
    pub(super) key_rereads: u64,
    /// Parts of the schema that judge one value without reading it.
    pub(super) silent_parts: u64,
    /// Bytes that a mismatch may quote from the schema.
    pub(super) mismatch_bytes: u64,
}

/// Why a validation was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValidationEnded {
    /// The count went over the limit.
    Steps,
    /// It took longer than [`VALIDATION_TIME_MAX`].
    Time,
}

#[derive(Debug, Clone, Copy, Default)]
struct StepMeter {
    left: u64,
    weights: StepWeights,
    /// None while no validation runs.
    deadline: Option<Instant>,
    /// Readings until the next look at the clock.
    readings_left: u32,
}

thread_local! {
    /// Steps that are left for all validations of this thread's task, if the task has a limit.
    static TASK_STEPS: Cell<Option<u64>> = const { Cell::new(None) };
    /// The meter of the validation that this thread runs. It is thread-local because readings cannot reach it
    /// otherwise:
    /// for `propertyNames` the validator makes new values out of names.
    static METER: Cell<StepMeter> = Cell::default();
}

/// Runs a task on this thread whose validations may take `steps_max` steps together. A task within another takes them
/// from that one.
pub fn limit_steps<T>(steps_max: u64, task: impl FnOnce() -> T) -> T {
    let outer = TASK_STEPS.get();
    let granted = outer.map_or(steps_max, |left| left.min(steps_max));
    TASK_STEPS.set(Some(granted));
    let done = task();
    let taken = granted - TASK_STEPS.get().unwrap_or_default();
    TASK_STEPS.set(outer.map(|left| left - taken));
    done
}

/// Steps that the next validation of this thread may take.
pub(super) fn steps_left() -> u64 {
    TASK_STEPS.get().map_or(VALIDATION_STEPS_MAX, |left| left.min(VALIDATION_STEPS_MAX))
}

/// Subtracts the steps of a validation from the task's remaining ones.
pub(super) fn take_steps(steps: u64) {
    TASK_STEPS.set(TASK_STEPS.get().map(|left| left.saturating_sub(steps)));
}

/// Runs a validation. Returns its result and the steps that it took.
pub(super) fn count_steps<T>(
    steps_max: u64,
    weights: StepWeights,
    validate: impl FnOnce() -> T,
) -> Result<(T, u64), ValidationEnded> {
    count_until(Instant::now() + VALIDATION_TIME_MAX, steps_max, weights, validate)
}

fn count_until<T>(
    deadline: Instant,
    steps_max: u64,
    weights: StepWeights,
    validate: impl FnOnce() -> T,
) -> Result<(T, u64), ValidationEnded> {
    let deadline = Some(deadline);
    let meter = StepMeter { left: steps_max, weights, deadline, readings_left: READINGS_PER_LOOK };
    let outer = METER.replace(meter);
    // Only shared data is read, and what the validator was writing is dropped as it unwinds.
    let done = catch_unwind(AssertUnwindSafe(validate));
    let meter = METER.replace(outer);
    match done {
        Ok(done) => Ok((done, steps_max - meter.left)),
        Err(payload) => match payload.downcast::<ValidationEnded>() {
            Ok(why) => Err(*why),
            Err(payload) => resume_unwind(payload),
        },
    }
}

fn spend(steps: u64) {
    let mut meter = METER.get();
    // Not a panic: no hook prints anything.
    let end = |why: ValidationEnded| -> ! { resume_unwind(Box::new(why)) };
    let Some(left) = meter.left.checked_sub(steps) else { end(ValidationEnded::Steps) };
    meter.left = left;
    meter.readings_left = match meter.readings_left.checked_sub(1) {
        Some(readings) => readings,
        None if meter.deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
            end(ValidationEnded::Time)
        }
        None => READINGS_PER_LOOK,
    };
    METER.set(meter);
}

fn weights() -> StepWeights {
    METER.get().weights
}

fn text_steps(text: &str) -> u64 {
    1 + (text.len() / TEXT_BYTES_PER_STEP) as u64
}

/// Steps of reading a text again from each of its bytes, `times` times.
fn reread_steps(text: &str, times: u64) -> u64 {
    text_steps(text).saturating_mul(text.len() as u64).saturating_mul(times)
}

/// Another value that the validator may descend into.
fn spend_value() {
    spend(1 + weights().silent_parts);
}

/// JSON whose every reading costs steps.
pub(super) struct MeteredJson;

/// One value of it.
#[derive(Clone, Copy)]
pub(super) struct MeteredNode<'a>(pub(super) &'a Value);

#[derive(Clone, Copy)]
pub(super) struct MeteredObject<'a>(&'a Map<String, Value>);

#[derive(Clone, Copy)]
pub(super) struct MeteredArray<'a>(&'a [Value]);

pub(super) struct MeteredMembers<'a>(serde_json::map::Iter<'a>);

pub(super) struct MeteredElements<'a>(std::slice::Iter<'a, Value>);

impl Json for MeteredJson {
    type Node<'a> = MeteredNode<'a>;
    type PreparedKey = String;
    type StringBuffer = Value;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Value,
        string: &str,
        judge: impl FnOnce(MeteredNode<'_>) -> T,
    ) -> T {
        spend(text_steps(string) + weights().silent_parts);
        *buffer = Value::String(string.to_owned());
        judge(MeteredNode(buffer))
    }
}

impl<'a> Node<'a, MeteredJson> for MeteredNode<'a> {
    type Object = MeteredObject<'a>;
    type Array = MeteredArray<'a>;
    type Number = &'a Number;

    fn as_object(&self) -> Option<MeteredObject<'a>> {
        spend(1);
        self.0.as_object().map(MeteredObject)
    }

    fn as_array(&self) -> Option<MeteredArray<'a>> {
        spend(1);
        self.0.as_array().map(|items| MeteredArray(items))
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let Some(text) = self.0.as_str() else {
            spend(1);
            return None;
        };
        let weights = weights();
        let per_byte = weights.text_byte.saturating_mul(text.len() as u64);
        let rereads = reread_steps(text, weights.text_rereads);
        let pattern = weights.text.saturating_add(per_byte).saturating_add(rereads);
        spend(text_steps(text).saturating_add(pattern));
        Some(Cow::Borrowed(text))
    }

    fn as_number(&self) -> Option<&'a Number> {
        spend(1);
        self.0.as_number()
    }

    fn as_boolean(&self) -> Option<bool> {
        spend(1);
        self.0.as_bool()
    }

    fn is_null(&self) -> bool {
        spend(1);
        self.0.is_null()
    }

    fn json_type(&self) -> JsonType {
        spend(1);
        JsonType::from(self.0)
    }

    fn string_length(&self) -> Option<u64> {
        let text = self.0.as_str();
        spend(text.map_or(1, text_steps));
        text.map(|text| text.chars().count() as u64)
    }

    fn equals_value(&self, expected: &Value) -> bool {
        spend_comparison(self.0, expected);
        Node::<SerdeJson>::equals_value(&self.0, expected)
    }

    /// Only for a mismatch, since [`Node::equals_value`] and [`Array::is_unique`] do without. Some mismatches write
    /// the value down.
    fn to_value(&self) -> Cow<'a, Value> {
        spend(MISMATCH_STEPS.saturating_add(weights().mismatch_bytes));
        spend_whole(self.0, 1);
        Cow::Borrowed(self.0)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        spend(IDENTITY_STEPS);
        Some(NodeIdentity::new(std::ptr::from_ref(self.0) as usize))
    }
}

/// Spends the highest cost of a comparison, which walks both values as far as they have the same form.
fn spend_comparison(left: &Value, right: &Value) {
    spend(1);
    match (left, right) {
        (Value::String(left), Value::String(right)) => {
            spend(text_steps(if left.len() < right.len() { left } else { right }));
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            left.iter().zip(right).for_each(|(left, right)| spend_comparison(left, right));
        }
        (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
            for (key, left) in left {
                spend(text_steps(key));
                if let Some(right) = right.get(key) {
                    spend_comparison(left, right);
                }
            }
        }
        _ => {}
    }
}

/// Spends the steps of reading all of a value `times` times.
fn spend_whole(value: &Value, times: u64) {
    spend(times);
    match value {
        Value::String(text) => spend(text_steps(text).saturating_mul(times)),
        Value::Array(items) => items.iter().for_each(|item| spend_whole(item, times)),
        Value::Object(fields) => {
            for (key, field) in fields {
                spend(text_steps(key).saturating_mul(times));
                spend_whole(field, times);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl<'a> Object<'a, MeteredJson> for MeteredObject<'a> {
    type Node = MeteredNode<'a>;
    type MemberName = &'a str;
    type MembersIter = MeteredMembers<'a>;

    fn len(&self) -> usize {
        spend(1);
        self.0.len()
    }

    fn get(&self, key: &String) -> Option<MeteredNode<'a>> {
        spend(text_steps(key));
        let found = self.0.get(key.as_str())?;
        spend_value();
        Some(MeteredNode(found))
    }

    fn members(&self) -> MeteredMembers<'a> {
        spend(1);
        MeteredMembers(self.0.iter())
    }
}

impl<'a> Iterator for MeteredMembers<'a> {
    type Item = (&'a str, MeteredNode<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.0.next()?;
        let weights = weights();
        let per_byte = weights.key_byte.saturating_mul(key.len() as u64);
        let rereads = reread_steps(key, weights.key_rereads);
        let pattern = weights.key.saturating_add(per_byte).saturating_add(rereads);
        spend(text_steps(key).saturating_add(pattern));
        spend_value();
        Some((key, MeteredNode(value)))
    }
}

impl<'a> Array<'a, MeteredJson> for MeteredArray<'a> {
    type Node = MeteredNode<'a>;
    type ElementsIter = MeteredElements<'a>;

    fn len(&self) -> usize {
        spend(1);
        self.0.len()
    }

    fn elements(&self) -> MeteredElements<'a> {
        spend(1);
        MeteredElements(self.0.iter())
    }

    fn is_unique(&self) -> bool {
        // A few items are compared pair by pair, more are hashed.
        let times = self.0.len().min(UNIQUE_PAIRS_MAX) as u64;
        self.0.iter().for_each(|item| spend_whole(item, times));
        Array::<SerdeJson>::is_unique(&self.0)
    }
}

impl<'a> Iterator for MeteredElements<'a> {
    type Item = MeteredNode<'a>;

    fn next(&mut self) -> Option<MeteredNode<'a>> {
        let value = self.0.next()?;
        spend_value();
        Some(MeteredNode(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_for_ever() {
        loop {
            spend_value();
        }
    }

    #[test]
    fn a_validation_ends_at_its_steps_or_at_its_time_whichever_comes_first() {
        let now = Instant::now();
        let late = now + Duration::from_secs(3_600);
        let weights = StepWeights::default();
        let ended = |deadline, steps| count_until(deadline, steps, weights, read_for_ever);
        assert_eq!(ended(late, 1_000), Err(ValidationEnded::Steps));
        assert_eq!(ended(now, 1_000_000_000), Err(ValidationEnded::Time));
        assert_eq!(count_until(now, 10, weights, || spend(3)), Ok(((), 3)));
    }
}
