//! How comments name requirements. Knows nothing of the page that has them.

use crate::code::ident_at;

/// A test that runs.
pub(crate) struct Test {
    /// The first line, counted from 1.
    pub(crate) line: usize,
    pub(crate) name: String,
    /// The comment above it.
    pub(crate) comment: String,
}

pub(crate) fn tests(source: &str) -> Vec<Test> {
    let (mut found, mut comment, mut attributes) = (Vec::new(), String::new(), String::new());
    for (at, line) in source.lines().enumerate() {
        let line = line.trim();
        if let Some(text) = line.strip_prefix("//") {
            // Also those of documentation.
            comment += text.trim_start_matches('/').trim();
            comment.push('\n');
        } else if line.starts_with("#[") {
            attributes += line;
        } else {
            let is_test = ["#[test]", "#[tokio::test"].iter().any(|test| attributes.contains(test));
            let is_run = !attributes.contains("#[ignore");
            let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
            if let Some(function) = function.filter(|_| is_test && is_run) {
                let name = ident_at(function).to_owned();
                found.push(Test { line: at + 1, name, comment: comment.clone() });
            }
            comment.clear();
            attributes.clear();
        }
    }
    found
}

/// Returns each specification that a comment names, with the words that cite it: up to the next specification, the end
/// of the sentence, a colon, or a page of the documentation.
pub(crate) fn citations(comment: &str) -> Vec<(String, String)> {
    let text = comment.replace('\n', " ");
    let starts = specifications(&text);
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| {
            let (specification, words) = text[*start..end].split_at(2);
            let end = [": ", ". ", "docs/"].iter().filter_map(|stop| words.find(stop)).min();
            (specification.to_owned(), words[..end.unwrap_or(words.len())].to_owned())
        })
        .collect()
}

/// Returns the positions at which a text names a specification: an `S` and a digit that are a word of their own.
pub(crate) fn specifications(text: &str) -> Vec<usize> {
    let is_name = |at: &usize| {
        let before = text[..*at].chars().next_back();
        let mut after = text[at + 1..].chars();
        let is_digit = after.next().is_some_and(|c| c.is_ascii_digit());
        let is_whole = after.next().is_none_or(|c| !c.is_alphanumeric());
        is_digit && is_whole && before.is_none_or(|c| !c.is_alphanumeric())
    };
    text.match_indices('S').map(|(at, _)| at).filter(is_name).collect()
}

/// The words that a citation has, not as part of longer ones: of `Plan in Arbiter Context` and `context` a citation of
/// the first has the first alone. Small and large letters are the same.
pub(crate) fn named<'w>(cited: &str, words: &'w [String]) -> Vec<&'w str> {
    let mut rest = cited.to_lowercase();
    let mut longest_first: Vec<&str> = words.iter().map(String::as_str).collect();
    longest_first.sort_by_key(|word| std::cmp::Reverse(word.len()));
    longest_first.retain(|word| {
        let word = word.to_lowercase();
        let mut is_named = false;
        while let Some(at) = whole(&rest, &word) {
            rest.replace_range(at..at + word.len(), " ");
            is_named = true;
        }
        is_named
    });
    longest_first
}

/// Returns the position of a word that is not part of a longer one.
fn whole(text: &str, word: &str) -> Option<usize> {
    let is_whole = |at: &usize| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        [before, after].into_iter().flatten().all(|c| !c.is_alphanumeric() && c != '_')
    };
    text.match_indices(word).map(|(at, _)| at).find(is_whole)
}

/// The numbers that a citation names.
pub(crate) fn numbers(cited: &str) -> impl Iterator<Item = &str> {
    let parts = cited.split(|c: char| !c.is_alphanumeric() && c != '-');
    parts.filter(|part| part.starts_with("FR-") || part.starts_with("SC-"))
}

/// The first name behind that of a specification: in quotation marks or backticks, or up to a space. Empty if a quotation
/// goes on in the next line.
pub(crate) fn first_name(rest: &str) -> String {
    let name = rest.trim_start_matches([',', ' ']);
    match name.chars().next().filter(|c| ['"', '`'].contains(c)) {
        Some(_) if name.len() == rest.len() => String::new(),
        Some(mark) => {
            let end = name[1..].find(mark);
            end.map(|end| name[..end + 2].to_owned()).unwrap_or_default()
        }
        None => name.split(' ').next().unwrap_or_default().replace(['"', '`'], ""),
    }
}

/// The sections that a text names: `§` with a number such as `5.3(7)`.
pub(crate) fn sections(text: &str) -> impl Iterator<Item = String> {
    text.split('§').skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && !".()".contains(c));
        let number = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', '(']);
        let is_whole = number.matches('(').count() == number.matches(')').count();
        let number = if is_whole { number } else { number.trim_end_matches(')') };
        format!("§{}", number.trim_end_matches('.'))
    })
}
