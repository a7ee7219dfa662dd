//! Resolves the player's word for a step: the number that is shown before it, or its name.

use crate::text::visible_line;

/// Most names shown in an error; a plan may have 256.
const NAMES_SHOWN_MAX: usize = 12;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PickError {
    #[error("there is no step `{word}`; there {}", known(names))]
    Unknown { word: String, names: Vec<String> },
    /// The name of one step is the number of another.
    #[error(
        "`{word}` is the name of step {at}, and step {word} is `{other}`: write `#{at}` or `#{word}`"
    )]
    Ambiguous { word: String, at: usize, other: String },
}

/// Returns the index of a step in `names`. `#3` is always a number.
pub(super) fn resolve_step(word: &str, names: &[&str]) -> Result<usize, PickError> {
    let by_number = |digits: &str| {
        let number =
            digits.parse::<usize>().ok().filter(|number| (1..=names.len()).contains(number));
        number.map(|number| number - 1)
    };
    let named = names.iter().position(|name| *name == word);
    let unknown = || PickError::Unknown {
        word: visible_line(word),
        names: names.iter().map(|name| visible_line(name)).collect(),
    };
    if let Some(at) = word.strip_prefix('#').and_then(by_number) {
        return Ok(at);
    }
    match (named, by_number(word)) {
        (Some(named), Some(number)) if named != number => Err(PickError::Ambiguous {
            word: visible_line(word),
            at: named + 1,
            other: visible_line(names[number]),
        }),
        (Some(at), _) | (None, Some(at)) => Ok(at),
        (None, None) => Err(unknown()),
    }
}

fn known(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(NAMES_SHOWN_MAX).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "are no steps".to_owned(),
        1 => format!("is only {}", shown[0]),
        count if count > NAMES_SHOWN_MAX => {
            format!("are {} and {} more", shown.join(", "), count - shown.len())
        }
        count => format!("are {} and {}", shown[..count - 1].join(", "), shown[count - 1]),
    }
}

#[cfg(test)]
mod tests {
    use super::resolve_step;

    #[track_caller]
    fn check(word: &str, names: &[&str], expect: &str) {
        let found = match resolve_step(word, names) {
            Ok(at) => names[at].to_owned(),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(found, expect);
    }

    #[test]
    fn a_step_is_found_by_number_or_name() {
        let names = ["light", "roll", "tell"];
        check("2", &names, "roll");
        check("#2", &names, "roll");
        check("tell", &names, "tell");
        check("0", &names, "error: there is no step `0`; there are `light`, `roll` and `tell`");
        check("4", &names[..1], "error: there is no step `4`; there is only `light`");
        check("x", &[], "error: there is no step `x`; there are no steps");
        check("\u{1b}", &names[..1], r"error: there is no step `\u{1b}`; there is only `light`");
    }

    #[test]
    fn an_error_lists_some_of_many_steps() {
        let names: Vec<String> = (0..40).map(|at| format!("s{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let error = resolve_step("x", &names).unwrap_err().to_string();
        assert!(error.ends_with("`s11` and 28 more"), "{error}");
    }

    #[test]
    fn a_name_that_is_also_a_number_is_ambiguous() {
        let names = ["3", "2", "roll"];
        check("2", &names, "2");
        check(
            "3",
            &names,
            "error: `3` is the name of step 1, and step 3 is `roll`: write `#1` or `#3`",
        );
        check("#3", &names, "roll");
        check("#1", &names, "3");
    }
}
