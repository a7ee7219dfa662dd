//! Dice in words become notation: `three dice` is `3d6`, `two six-sided dice plus one` is `2d6+1`. Pure.

/// The text in notation, in lower case and without blanks. Words that name no dice stay, and the reader refuses them.
pub(super) fn to_notation(text: &str) -> String {
    let lower: String = text.chars().flat_map(char::to_lowercase).collect();
    let lower = lower.replace("-sided", " sided");
    let mut words = lower.split_whitespace().peekable();
    let mut notation = String::new();
    while let Some(word) = words.next() {
        let number = number(word);
        if words.next_if_eq(&"sided").is_some() {
            words.next_if(|next| matches!(*next, "dice" | "die"));
            notation += &format!("d{}", number.as_deref().unwrap_or(word));
            continue;
        }
        let next_is_named = words.peek().is_some_and(|next| is_counted(next));
        match (word, number) {
            (_, Some(number)) => notation += &number,
            // `a d6` is one, `a dozen dice` are twelve.
            ("a" | "an", None) if next_is_named => {}
            ("plus", None) => notation.push('+'),
            ("minus", None) => notation.push('-'),
            ("dice" | "die", None) => notation += "d6",
            ("coin" | "coins", None) => notation += "d2",
            ("percentile", None) => notation += "d100",
            (word, None) => notation += without_plural(word),
        }
    }
    notation
}

/// The number that a word is, in digits. A player who names another one writes digits.
fn number(word: &str) -> Option<String> {
    let named = english::amount(word).filter(|number| matches!(number, 0..=20 | 30 | 100 | 1000));
    named.map(|number| number.to_string())
}

/// Returns true if `a` before this word means one, or nothing.
fn is_counted(word: &str) -> bool {
    let die = word.strip_prefix('d').unwrap_or_default();
    die.starts_with(|letter: char| letter.is_ascii_digit() || letter == '%')
        || matches!(word, "die" | "dice" | "coin" | "dozen" | "hundred" | "thousand")
        || number(word).is_some()
        || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `d20s` is `d20`.
fn without_plural(word: &str) -> &str {
    let is_die = |one: &&str| {
        let sides = one.split_once('d').map_or("", |(_, sides)| sides);
        !sides.is_empty() && sides.bytes().all(|byte| byte.is_ascii_digit())
    };
    word.strip_suffix('s').filter(is_die).unwrap_or(word)
}
