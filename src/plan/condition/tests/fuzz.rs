//! Random texts, and answers compared with the `cel` crate's own interpreter.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::{CONDITION_BYTES_MAX, answer, demo, read};

/// Pieces that make many of the random texts meaningful.
const PIECES: &[&str] = &[
    "steps",
    ".",
    "roll",
    "total",
    "state",
    "gold",
    "bag",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "==",
    "!=",
    "<",
    ">=",
    "&&",
    "||",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "?",
    ":",
    ",",
    "'a'",
    "\"",
    "'",
    "1",
    "0",
    "2.5",
    "0x",
    "1e999",
    "9223372036854775808",
    "true",
    "null",
    "in",
    "has(",
    ".all(x,",
    ".map(x,",
    "size(",
    "x",
    " ",
    "\n",
    "\\",
    "b'",
    "r'",
    "'''",
    "`",
    "//",
    "é",
    "\u{0}",
    "steps.roll.total",
    "state.bag",
    ".?",
    "[?",
    ".matches('",
    "Point{",
    "u",
    "@in",
    "_",
    "..",
    "💥",
    "\\u00",
    "\\x",
    "int(",
    "string(",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        9 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_panics(pieces in proptest::collection::vec(piece(), 0..40)) {
        let text = pieces.concat();
        match read(&text) {
            Ok(condition) => { let _ = answer(&condition, &demo()); }
            Err(errors) => {
                let is_shown = !errors.is_empty() && !errors.contains('\u{0}');
                prop_assert!(is_shown, "{errors:?}");
            }
        }
    }

    #[test]
    fn answers_are_those_of_the_cel_crate(text in expression()) {
        // A longer text is refused before it is read.
        prop_assume!(text.len() <= CONDITION_BYTES_MAX);
        let facts = json!({"state": {"a": 3, "b": 2.5, "t": "text", "l": [1, 2, 3], "m": {"a": 1}, "n": null}});
        let program = cel::Program::compile(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut context = cel::Context::with_env(Arc::new(cel::Env::stdlib()));
        context.add_variable_from_value("state", cel::to_value(&facts["state"]).unwrap());
        let ours = match read(&text) {
            // A part that never has a value is refused, even if the other side would decide.
            Err(errors) => {
                let is_of_kinds = errors.contains("cannot be used between");
                prop_assert!(is_of_kinds, "{errors}");
                return Ok(());
            }
            Ok(condition) => answer(&condition, &facts),
        };
        if let Ok(theirs) = program.execute(&context) {
            match theirs {
                cel::Value::Bool(theirs) => prop_assert_eq!(ours, Ok(theirs), "{}", text),
                _ => prop_assert!(ours.is_err(), "{text}"),
            }
        }
    }
}

/// Whole numbers, most of them at the ends of what 64 bits hold.
fn whole_number() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(i64::MIN),
        Just(i64::MAX),
        -3_i64..4,
        (0_i64..9).prop_map(|n| i64::MAX - n),
        (0_i64..9).prop_map(|n| i64::MIN + n),
        any::<i64>(),
        any::<i32>().prop_map(i64::from),
    ]
}

proptest! {
    /// The reference is Rust's checked arithmetic, which overflows where CEL's does.
    #[test]
    fn an_operation_on_whole_numbers_is_exact_or_has_no_answer(
        left in whole_number(), right in whole_number()
    ) {
        let operations = [
            ("+", left.checked_add(right)),
            ("-", left.checked_sub(right)),
            ("*", left.checked_mul(right)),
            ("/", left.checked_div(right)),
            ("%", left.checked_rem(right)),
        ];
        for (operator, expected) in operations {
            let facts = json!({"state": {"left": left, "right": right, "is": expected}});
            let text = format!("state.left {operator} state.right == state.is");
            let ours = answer(&read(&text).unwrap(), &facts).ok();
            prop_assert_eq!(ours, expected.map(|_| true), "{} {} {}", left, operator, right);
        }
        let facts = json!({"state": {"left": left, "is": left.checked_neg()}});
        let ours = answer(&read("-state.left == state.is").unwrap(), &facts).ok();
        prop_assert_eq!(ours, left.checked_neg().map(|_| true), "-{}", left);
    }
}

/// Conditions over one small state. Most have an answer.
fn expression() -> impl Strategy<Value = String> {
    let number = || {
        let leaf = prop_oneof![
            Just("state.a".to_owned()),
            Just("state.b".to_owned()),
            Just("size(state.l)".to_owned()),
            Just("state.l[1]".to_owned()),
            Just("state.m.a".to_owned()),
            Just("size(state.t)".to_owned()),
            (-3_i64..4).prop_map(|n| n.to_string()),
            Just("1.5".to_owned()),
            Just("double(state.a)".to_owned()),
            Just("int('4')".to_owned()),
            Just("state.l[3]".to_owned()),
            Just("state.n".to_owned()),
        ];
        leaf.prop_recursive(2, 6, 2, |inner| {
            (inner.clone(), proptest::sample::select(&["+", "-", "*", "/", "%"][..]), inner)
                .prop_map(|(left, operator, right)| format!("({left} {operator} {right})"))
        })
    };
    let text = || {
        proptest::sample::select(&["state.t", "'text'", "'te' + 'xt'", "string(state.a)", "''"][..])
    };
    let list = || {
        proptest::sample::select(
            &[
                "state.l",
                "[1, 2]",
                "state.l + [4]",
                "state.l.map(x, x * 2)",
                "state.l.filter(x, x > 1)",
                "[]",
            ][..],
        )
    };
    let comparison = proptest::sample::select(&["==", "!=", "<", "<=", ">", ">="][..]);
    let leaf = prop_oneof![
        (number(), comparison.clone(), number()).prop_map(|(l, o, r)| format!("{l} {o} {r}")),
        (text(), comparison, text()).prop_map(|(l, o, r)| format!("{l} {o} {r}")),
        (list(), list()).prop_map(|(l, r)| format!("{l} == {r}")),
        (number(), list()).prop_map(|(n, l)| format!("{n} in {l}")),
        (list(), number()).prop_map(|(l, n)| format!("{l}.all(x, x < {n})")),
        (list(), number()).prop_map(|(l, n)| format!("{l}.exists(x, x == {n})")),
        (list(), number()).prop_map(|(l, n)| format!("{l}.exists_one(x, x == {n})")),
        (text(), text()).prop_map(|(l, r)| format!("({l}).startsWith({r}) && ({l}).contains({r})")),
        proptest::sample::select(
            &[
                "has(state.a)",
                "has(state.z)",
                "'a' in state.m",
                "state.t.matches('^t')",
                "state.n == null",
                "true",
                "state.m == {'a': 1}"
            ][..]
        )
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("({l}) && ({r})")),
            (inner.clone(), inner.clone()).prop_map(|(l, r)| format!("({l}) || ({r})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(t, l, r)| format!("(({t}) ? ({l}) : ({r}))")),
            inner.prop_map(|of| format!("!({of})")),
        ]
    })
}
