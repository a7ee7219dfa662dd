//! The names of steps in conditions.

use super::names_only;

#[test]
fn a_condition_names_steps_in_two_ways() {
    let ids = ["look".to_owned(), "roll-dice".to_owned()];
    let names = |when: &str| names_only(when, &ids);
    assert!(names("has(steps.look.check) && steps[\"roll-dice\"].total > 3"));
    assert!(names("state.steps.x == 1"));
    assert!(!names("steps.other.x"));
    assert!(!names("steps[\"roll\"] == null"));
}
