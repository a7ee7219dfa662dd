//! Markdown: the player's sentences as quotations, narration as text. Characters of Markdown and HTML are escaped, so
//! that the text reads as it was written.

use super::{
    source::{BookOutput, BookSource, put},
    text,
};
use crate::ExportError;

/// Characters that have a meaning in Markdown anywhere in a line.
const MARKS: &str = "\\`*_[]<>&|~$^=";

pub(super) fn write(
    source: &mut BookSource<'_>,
    out: &mut dyn BookOutput,
) -> Result<(), ExportError> {
    put(out, &format!("# {}\n", line(source.title())))?;
    for at in 0..source.turns.len() {
        let turn = source.turn(at)?;
        if let Some(prompt) = &turn.prompt {
            let quoted: Vec<String> =
                text::paragraphs(prompt).iter().map(|lines| paragraph(lines, "> ")).collect();
            put(out, &format!("\n{}\n", quoted.join("\n>\n")))?;
        }
        if let Some(title) = &turn.title {
            put(out, &format!("\n## {}\n", line(&text::one_line(title))))?;
        }
        for lines in text::paragraphs(&turn.narration) {
            put(out, &format!("\n{}\n", paragraph(&lines, "")))?;
        }
        for asset in &turn.assets {
            let (label, path) = (line(&text::one_line(&asset.label)), line(&asset.path));
            put(out, &format!("\n*{label}: {path}*\n"))?;
        }
    }
    Ok(())
}

/// Joins lines with a backslash at the end, which keeps them apart.
fn paragraph(lines: &[String], before: &str) -> String {
    let lines: Vec<String> = lines.iter().map(|text| format!("{before}{}", line(text))).collect();
    lines.join("\\\n")
}

/// Escapes a line so that Markdown reads it as text alone.
fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let digits = text.len() - text.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    for (at, char) in text.char_indices() {
        let begins = at == 0 && matches!(char, '#' | '+' | '-' | ':');
        let numbers = at == digits && digits > 0 && matches!(char, '.' | ')');
        let shows = char == '!' && text[at + 1..].starts_with('[');
        match char {
            '<' => line.push_str("&lt;"),
            '>' => line.push_str("&gt;"),
            '&' => line.push_str("&amp;"),
            char => {
                if begins || numbers || shows || MARKS.contains(char) {
                    line.push('\\');
                }
                line.push(char);
            }
        }
    }
    // Some readers make a link of a bare address; the backslash prevents that.
    line.replace("://", ":\\//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_markdown_reads_as_it_was_written() {
        let lines = [
            "# no heading",
            "- no list",
            "12. no list",
            "no *stress*, no [link](x) and no ![picture](y)!",
            "<script>alert(1)</script> & more",
            "https://example.org",
            "a-b #1 (2.)",
        ];
        insta::assert_snapshot!(lines.map(line).join("\n"), @r"
        \# no heading
        \- no list
        12\. no list
        no \*stress\*, no \[link\](x) and no \!\[picture\](y)!
        &lt;script&gt;alert(1)&lt;/script&gt; &amp; more
        https:\//example.org
        a-b #1 (2.)
        ");
    }
}
