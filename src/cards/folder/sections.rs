//! A Markdown text in parts: what stands before the first heading of the second level, and each such heading with its text.

/// Most headings of one text. Each begins a part; a text with more is not one of chapters.
const HEADINGS_MAX: usize = 40;

/// Characters of a part at least, before a campaign begins another one.
const PART_CHARS: usize = 1_200;

/// Parts of a text, in their order; the first has no heading.
pub(crate) fn split_sections(text: &str) -> Vec<(String, String)> {
    let mut parts = vec![(String::new(), String::new())];
    for line in text.lines() {
        match line.strip_prefix("## ") {
            Some(heading) => parts.push((heading.trim().to_owned(), String::new())),
            // The title is not part of the text.
            None if line.starts_with("# ") && parts.len() == 1 && parts[0].1.trim().is_empty() => {}
            None => {
                if let Some((_, body)) = parts.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    parts.into_iter().map(|(heading, body)| (heading, body.trim().to_owned())).collect()
}

/// A text whose lines are no headings.
pub(crate) fn without_headings(text: &str) -> String {
    let lines = text.lines().map(|line| match line.starts_with('#') {
        true => line.trim_start_matches('#').trim_start(),
        false => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the title of a text and the rest.
pub(crate) fn split_title(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start();
    match text.strip_prefix("# ") {
        Some(rest) => {
            let (title, rest) = rest.split_once('\n').unwrap_or((rest, ""));
            (Some(title.trim()), rest.trim())
        }
        None => (None, text.trim()),
    }
}

/// A text as a page of lore has it.
pub(crate) fn lore_text(text: &str) -> String {
    let text = text.trim();
    match headings(text) > HEADINGS_MAX {
        true => without_headings(text),
        false => text.to_owned(),
    }
}

/// Returns the highest number of parts into which a campaign divides a text.
pub(crate) fn parts_of(text: &str) -> usize {
    1 + headings(text) + text.chars().count() / PART_CHARS
}

fn headings(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with('#')).count()
}
