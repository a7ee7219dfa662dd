//! The form of one text: places in braces, and choices in brackets.

use std::collections::BTreeSet;

/// Returns the mistake of a text that may hold these places, or `None`.
pub(crate) fn fault_of(text: &str, places: &BTreeSet<&str>) -> Option<String> {
    if text.contains("  ") {
        return Some("two blanks in a row".to_owned());
    }
    brace_fault(text, places).or_else(|| choice_fault(text))
}

fn brace_fault(text: &str, places: &BTreeSet<&str>) -> Option<String> {
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        if rest[at..].starts_with('}') {
            return Some("`}` closes no place".to_owned());
        }
        let inside = &rest[at + 1..];
        let Some(end) = inside.find(['{', '}']).filter(|end| inside[*end..].starts_with('}'))
        else {
            return Some("`{` is not closed".to_owned());
        };
        let place = &inside[..end];
        if !places.contains(place) {
            return Some(format!("the page's table has no place `{{{place}}}`"));
        }
        rest = &inside[end + 1..];
    }
    None
}

fn choice_fault(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(at) = rest.find(['[', ']', '|']) {
        if !rest[at..].starts_with('[') {
            return Some(format!("`{}` stands outside of brackets", &rest[at..=at]));
        }
        let inside = &rest[at + 1..];
        let Some(end) = inside.find(['[', ']']) else {
            return Some("`[` is not closed".to_owned());
        };
        if inside[end..].starts_with('[') {
            return Some("brackets stand within brackets".to_owned());
        }
        let choices: Vec<&str> = inside[..end].split('|').collect();
        let different: BTreeSet<&str> = choices.iter().copied().collect();
        if choices.len() < 2 {
            return Some(format!("`[{}]` is no choice", choices[0]));
        }
        if different.len() < choices.len() {
            return Some(format!("`[{}]` has the same choice twice", choices.join("|")));
        }
        rest = &inside[end + 1..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let places = BTreeSet::from(["o", "o_is"]);
        assert_eq!(fault_of(text, &places).unwrap_or_default(), expect);
    }

    #[test]
    fn places_and_choices_are_allowed() {
        check("You [see|find] {o}[|, and {o_is} there].", "");
    }

    #[test]
    fn a_place_is_one_of_the_table() {
        check("You see {0}.", "the page's table has no place `{0}`");
        check("You see {}.", "the page's table has no place `{}`");
    }

    #[test]
    fn braces_come_in_pairs() {
        check("You see {o.", "`{` is not closed");
        check("You see {o {o}.", "`{` is not closed");
        check("You see o}.", "`}` closes no place");
    }

    #[test]
    fn brackets_hold_different_choices_and_no_brackets() {
        check("You [see.", "`[` is not closed");
        check("You see].", "`]` stands outside of brackets");
        check("You see|find it.", "`|` stands outside of brackets");
        check("You [see|[find|meet]] it.", "brackets stand within brackets");
        check("You [see] it.", "`[see]` is no choice");
        check("You [see|find|see] it.", "`[see|find|see]` has the same choice twice");
    }

    #[test]
    fn blanks_are_single() {
        check("You  see it.", "two blanks in a row");
    }
}
