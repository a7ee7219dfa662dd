//! The text of a passage as a reader reads it: what stands beside links, and markup of Twine as Markdown.

use crate::{PassageLink, branching::tidy_text, card_text::one_line, entities::decode};

/// Marks a link in the text until it is known whether its line has words.
pub(crate) const LINK_MARK: char = '\u{e000}';

/// Returns true if a line, or the beginning of one, has nothing in it but signs of a list.
pub(crate) fn is_list_of_links(line: &str) -> bool {
    let is_sign =
        |char: char| char == LINK_MARK || char.is_whitespace() || "*-+#|,;.•>".contains(char);
    line.chars().all(is_sign)
}

/// The text of a Twine passage with the labels of links that stand in sentences.
pub(crate) fn twine_text(text: &str, links: &[PassageLink]) -> String {
    let mut labels = links.iter().map(|link| link.label.as_str());
    let mut shown_text = String::new();
    for line in text.lines() {
        // A line of nothing but links is the list of choices.
        let alone = is_list_of_links(line) && line.contains(LINK_MARK);
        let mut shown = String::new();
        for char in line.chars() {
            match char {
                LINK_MARK => shown += labels.next().unwrap_or_default(),
                char => shown.push(char),
            }
        }
        if !alone {
            shown_text += &plain(&shown);
        }
        shown_text.push('\n');
    }
    tidy_text(&shown_text)
}

/// The text of ink, which has no markup.
pub(crate) fn ink_text(text: &str, _links: &[PassageLink]) -> String {
    let lines = text.lines().map(|line| one_line(&line.replace(LINK_MARK, "")));
    tidy_text(&lines.collect::<Vec<_>>().join("\n"))
}

/// Markup of Twine as Markdown.
pub(crate) fn plain(text: &str) -> String {
    let bold = text.replace("''", "**");
    let is_address = |at: usize| bold[..at].ends_with(':');
    let marks: Vec<usize> =
        bold.match_indices("//").map(|(at, _)| at).filter(|at| !is_address(*at)).collect();
    // One alone is no markup, or part of an address.
    let pairs = marks.len() / 2 * 2;
    let mut plain = String::with_capacity(bold.len());
    let mut from = 0;
    for at in &marks[..pairs] {
        plain += &bold[from..*at];
        plain.push('*');
        from = at + 2;
    }
    plain += &bold[from..];
    one_line(&decode(plain.trim().trim_start_matches('!')))
}
