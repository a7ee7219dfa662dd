//! Reads lists of words from a data file: a heading in brackets, then a word or phrase a line; `#` begins a comment. Pure.

/// All lists of a file with their names, in order.
pub(crate) fn parse_word_lists(text: &'static str) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut lists: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines().map(str::trim) {
        let heading = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        match (heading, lists.last_mut()) {
            (Some(name), _) => lists.push((name, Vec::new())),
            (None, Some((_, words))) if !line.is_empty() && !line.starts_with('#') => {
                words.push(line);
            }
            (None, _) => {}
        }
    }
    lists
}

/// The list of this name. Empty if the file has none.
pub(crate) fn word_list(text: &'static str, name: &str) -> Vec<&'static str> {
    let named = parse_word_lists(text).into_iter().find(|(other, _)| *other == name);
    named.map(|(_, words)| words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{parse_word_lists, word_list};

    #[test]
    fn a_heading_begins_a_list_and_comments_are_no_words() {
        let text = "# lists\n\n[one]\na\nb c \n# no word\n[two]\n";
        assert_eq!(parse_word_lists(text), [("one", vec!["a", "b c"]), ("two", vec![])]);
        assert_eq!(word_list(text, "one"), ["a", "b c"]);
        assert!(word_list(text, "three").is_empty());
    }
}
