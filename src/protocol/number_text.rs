//! Numbers as a text writes them, and whether the value that is read is the same number. Knows nothing of documents.
//!
//! The readers of JSON and YAML keep a number as a whole number of 64 bits or as a double, and a message, a script and
//! the story get that one. An id of twenty digits would become another id on the way, without a word, so such a number
//! is refused where it comes in: as a string it is kept. Keeping the digits instead (`arbitrary_precision` of
//! `serde_json`) would only move the change to the first script that reads the number, because most languages read a
//! double. The last digits of a fraction are no such change: every language rounds them, and `%.17g` of C writes more of
//! them than a reader gives back.

use super::json_text::json_string_end;

/// Returns false if the number becomes another one when it is read: a whole number that neither 64 bits nor a double
/// hold, a number beyond the range of a double, and one that is so small that it becomes 0. Text that is no number becomes
/// none.
///
/// A whole number is the double if its digits are those of the double, or those that JavaScript writes for it, which
/// fills up with zeros: 2^64 is `18446744073709551616`, and `18446744073709552000` there.
pub(super) fn is_kept(number: &str) -> bool {
    let number = number.strip_prefix('+').unwrap_or(number);
    if number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return true;
    }
    let Ok(read) = number.parse::<f64>() else { return true };
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    if read == 0.0 {
        return !mantissa.contains(|digit: char| matches!(digit, '1'..='9'));
    }
    let is_whole = number.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
    read.is_finite() && (!is_whole || number == read.to_string() || number == format!("{read:.0}"))
}

/// The smallest value, without its sign, for which [`is_kept`] can be false of a whole number.
const WHOLE_MIN: f64 = 9_223_372_036_854_775_808.0;

/// Returns true if a number that was read as this double may have been written as another one. Most documents have no such
/// double, and need no second look at their text.
pub(super) fn may_be_another(read: f64) -> bool {
    read == 0.0 || read.abs() >= WHOLE_MIN
}

/// The first number of a JSON text that is not kept, with its offset. What follows a fault of the text may be anything.
pub(super) fn first_not_kept_in_json(text: &str) -> Option<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = json_string_end(bytes, at).unwrap_or(bytes.len()),
            b'-' | b'0'..=b'9' => {
                let number = number_at(text, at);
                if !is_kept(number) {
                    return Some((at, number));
                }
                at += number.len();
            }
            _ => at += 1,
        }
    }
    None
}

/// The number that begins at `at`, where a digit or a sign stands.
fn number_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest.find(|char: char| !is_of_number(char)).unwrap_or(rest.len());
    &rest[..end]
}

fn is_of_number(char: char) -> bool {
    char.is_ascii_digit() || matches!(char, '+' | '-' | '.' | 'e' | 'E')
}

/// The first number of a text in any format that is read as one of these doubles and is not kept, with its offset. In
/// quotation marks it is a string.
pub(super) fn first_not_kept_of<'t>(text: &'t str, read: &[f64]) -> Option<(usize, &'t str)> {
    let mut words = text.split(|char: char| !is_of_number(char) && !matches!(char, '"' | '\''));
    words.find_map(|word| {
        let is_one = word.parse::<f64>().is_ok_and(|value| read.contains(&value));
        // A word is a part of the text.
        let at = word.as_ptr().addr() - text.as_ptr().addr();
        (is_one && !is_kept(word)).then_some((at, word))
    })
}

#[cfg(test)]
mod tests {
    use super::{first_not_kept_in_json, first_not_kept_of, is_kept};

    #[test]
    fn a_number_is_kept_if_it_is_read_as_the_number_that_is_written() {
        for number in [
            "0",
            "-0",
            "-0.0",
            "0e99",
            "1e3",
            "1.50",
            "0.1",
            "0.10000000000000001",
            "3.14159265358979323846",
            "1e308",
            "5e-324",
            "9007199254740993",
            "-9223372036854775808",
            "18446744073709551615",
            // 2^64, also as JavaScript writes it.
            "18446744073709551616",
            "18446744073709552000",
            "100000000000000000000",
            "-36893488147419103000",
            // 1e23, as `%.0f` of C writes it.
            "99999999999999991611392",
            "no number",
        ] {
            assert!(is_kept(number), "{number}");
        }
        for number in [
            "18446744073709551617",
            "-9223372036854775809",
            "123456789012345678901234567890",
            "1e309",
            "-1e309",
            "1e-400",
            "-0.00001e-400",
        ] {
            assert!(!is_kept(number), "{number}");
        }
        assert!(!is_kept(&"9".repeat(400)));
    }

    #[test]
    fn in_json_the_first_one_outside_strings_is_found() {
        let found = |text| first_not_kept_in_json(text).map(|(at, number)| (at, number.to_owned()));
        assert_eq!(found(r#"{"a": "1e999", "b": "\"1e999", "c": [1, -1e999, 1e888]}"#), {
            Some((40, "-1e999".to_owned()))
        });
        assert_eq!(found(r#"{"1e999": 18446744073709551615}"#), None);
        assert_eq!(found("1e999"), Some((0, "1e999".to_owned())));
        assert_eq!(found("\"1e999"), None);
        assert_eq!(found("\"\\"), None);
    }

    #[test]
    fn in_another_format_the_first_one_that_was_read_is_found() {
        let text = "a: '18446744073709551617'\nb: 18446744073709551617 # 1e999\nc: 1e999\n";
        let found = |read: &[f64]| first_not_kept_of(text, read).map(|(at, _)| at);
        assert_eq!(found(&[18446744073709551616.0]), Some(29));
        assert_eq!(found(&[1e25]), None);
        assert_eq!(found(&[]), None);
    }
}
