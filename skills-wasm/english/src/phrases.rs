//! What stands before a noun and between several: articles and lists.

use super::WordClass;

/// `a` or `an`; `some` before what is not counted.
pub fn article(noun: &str) -> &'static str {
    let noun = noun.to_lowercase();
    let counted = noun.split(" of ").next().unwrap_or_default();
    if counted.rsplit(' ').next().is_some_and(|head| WordClass::Uncounted.has(head)) {
        return "some";
    }
    let sounds_like_consonant =
        ["uni", "use", "eu", "one", "ur"].iter().any(|s| noun.starts_with(s))
            && !noun.starts_with("urn");
    let is_silent =
        ["hour", "honest", "honor", "honour", "heir"].iter().any(|s| noun.starts_with(s));
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']) || is_silent;
    if is_vowel && !sounds_like_consonant { "an" } else { "a" }
}

/// `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `a, b or c`; `None` for an empty list.
pub fn either(items: &[String]) -> Option<String> {
    match items {
        [] => None,
        [one] => Some(one.clone()),
        [first @ .., last] => Some(format!("{} or {last}", first.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_counted_has_no_article_of_one() {
        let nouns =
            ["urn", "unicorn", "hourglass", "stale bread", "loaf of bread", "bread knife", "flour"];
        let told = nouns.map(|noun| format!("{} {noun}", article(noun)));
        assert_eq!(
            told.join(", "),
            "an urn, a unicorn, an hourglass, some stale bread, a loaf of bread, a bread knife, some flour"
        );
    }

    #[test]
    fn an_article_follows_the_sound() {
        let with = |noun| format!("{} {noun}", article(noun));
        assert_eq!(
            [with("oil can"), with("urn"), with("uniform"), with("hour"), with("key")].join(", "),
            "an oil can, an urn, a uniform, an hour, a key"
        );
    }

    #[test]
    fn several_things_are_one_list() {
        let items =
            |words: &str| -> Vec<String> { words.split_whitespace().map(str::to_owned).collect() };
        assert_eq!(["", "a", "a b c"].map(|words| list(&items(words))).join("|"), "|a|a, b and c");
        assert_eq!(
            ["", "a", "a b c"].map(|words| either(&items(words)).unwrap_or_default()).join("|"),
            "|a|a, b or c"
        );
    }
}
