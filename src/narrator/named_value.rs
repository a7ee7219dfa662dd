//! Which of the names in the state a player's words stand for. Pure.

use english::WordClass;
use narratoria_skills::nearest_values;

/// The one name that the player's words stand for: articles, typing mistakes and parts of a name count for nothing. None
/// if there is no such name, or more than one.
pub(crate) fn named_value<'v>(text: &str, names: &'v [String]) -> Option<&'v str> {
    let bare = without_articles(text);
    let is_same = |name: &&String| without_articles(name).eq_ignore_ascii_case(bare);
    if let Some(same) = names.iter().find(is_same) {
        return Some(same);
    }
    match nearest_values(bare, names).as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

pub(crate) fn without_articles(text: &str) -> &str {
    let mut bare = text.trim().trim_end_matches(['.', '!', '?', ',', ';']);
    while let Some((first, rest)) = bare.split_once(' ')
        && WordClass::ArticleOfValue.has(first.to_lowercase().as_str())
    {
        bare = rest.trim_start();
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::named_value;

    #[test]
    fn names_in_the_state_are_found_by_their_parts_and_with_typing_mistakes() {
        let names = ["brass lantern", "iron door", "oak door", "Mira"].map(str::to_owned);
        let named = |text: &str| named_value(text, &names).unwrap_or("-");
        let found = [
            "the lantern",
            "brass lantren",
            "my Brass Lantern.",
            "miar",
            "door",
            "the oak",
            "sword",
            "",
        ];
        let found: Vec<String> = found.map(|text| format!("{text}: {}", named(text))).to_vec();
        insta::assert_snapshot!(found.join("\n"), @r#"
    the lantern: brass lantern
    brass lantren: brass lantern
    my Brass Lantern.: brass lantern
    miar: Mira
    door: -
    the oak: oak door
    sword: -
    : -
    "#);
    }
}
