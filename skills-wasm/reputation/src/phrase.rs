//! The name of a faction → how a sentence names it.

use narratoria_facts::is_plural;

/// Words that stand where an article would.
const DETERMINERS: &[&str] =
    &["the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "those", "all"];
/// Ends of names that stand for several without an `s`.
const PLURAL_ENDS: &[&str] = &["folk", "people", "women"];

/// The name with `the` where a sentence needs one: `the Wrackers`, `the Vatfolk`, `the town council`, but `Saltby`.
pub(crate) fn the_faction(name: &str) -> String {
    let first = name.split(' ').next().unwrap_or_default();
    let is_determined = DETERMINERS.contains(&first.to_lowercase().as_str())
        || first.ends_with("'s")
        || first.ends_with("s'");
    let with_article = format!("the {name}");
    let head = name.split(" of ").next().unwrap_or_default().to_lowercase();
    let is_class = is_plural(&with_article) || PLURAL_ENDS.iter().any(|end| head.ends_with(end));
    let is_noun = first.chars().next().is_some_and(char::is_lowercase);
    if !is_determined && (is_class || is_noun) { with_article } else { name.to_owned() }
}

#[cfg(test)]
mod unit {
    use super::the_faction;

    #[test]
    fn a_class_of_people_has_an_article_and_a_place_has_none() {
        let all = ["Wrackers", "Vatfolk", "Keepers of the Bell", "town council"];
        assert_eq!(
            all.map(the_faction),
            ["the Wrackers", "the Vatfolk", "the Keepers of the Bell", "the town council"]
        );
        for name in ["The Nine", "the smugglers", "Saltby", "Upper Wimble", "Guild", "Ada's men"] {
            assert_eq!(the_faction(name), name);
        }
    }
}
