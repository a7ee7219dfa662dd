//! Turns the text of a skill into that of a page: paragraphs, escaped, without characters that a page must not have.
//! Pure.

use narratoria_protocol::visible::is_harmless;

/// Returns the paragraphs of a text, each as its lines. Leaves out empty ones.
pub(super) fn paragraphs(text: &str) -> Vec<Vec<String>> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut paragraphs = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n').chain([""]) {
        let line = clean(line.trim());
        if !line.is_empty() {
            lines.push(line);
        } else if !lines.is_empty() {
            paragraphs.push(std::mem::take(&mut lines));
        }
    }
    paragraphs
}

/// The text on one line.
pub(super) fn one_line(text: &str) -> String {
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Replaces harmful characters, and those that XML must not have.
fn clean(text: &str) -> String {
    let is_fine = |char: char| is_harmless(char) && (u32::from(char) & 0xfffe) != 0xfffe;
    text.chars().map(|char| if is_fine(char) { char } else { '\u{fffd}' }).collect()
}

/// Escapes text for HTML and XML, in content and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            char => escaped.push(char),
        }
    }
    escaped
}

/// Returns the paragraphs as elements that are valid in HTML and XHTML.
pub(super) fn elements(text: &str) -> Vec<String> {
    let element = |lines: Vec<String>| {
        let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
        format!("<p dir=\"auto\">{}</p>\n", lines.join("<br/>\n"))
    };
    paragraphs(text).into_iter().map(element).collect()
}

/// Returns the title of a scene as a heading; empty without one.
pub(super) fn scene_title(title: Option<&str>) -> String {
    let heading = |title: &str| format!("<h2 dir=\"auto\">{}</h2>\n", escape(&one_line(title)));
    title.map(heading).unwrap_or_default()
}

/// Returns the sentence of a player as a quotation.
pub(super) fn quotation(prompt: &str) -> String {
    format!("<blockquote>\n{}</blockquote>\n", elements(prompt).concat())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markup_and_control_characters_are_text() {
        let text =
            "<script>alert('1')</script> & \u{1b}[2J\u{0}\r\nmore\n\n\n\u{202e}last\u{ffff}\n";
        insta::assert_snapshot!(elements(text).concat(), @r#"
        <p dir="auto">&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; �[2J�<br/>
        more</p>
        <p dir="auto">�last�</p>
        "#);
    }

    proptest! {
        #[test]
        fn no_text_opens_an_element(text in "\\PC{0,40}|.{0,40}") {
            let inner = elements(&text).concat();
            let rest = inner.replace("<p dir=\"auto\">", "").replace("</p>\n", "").replace("<br/>\n", "");
            prop_assert!(!rest.contains(['<', '>', '"', '\'']), "{rest}");
            prop_assert!(rest.chars().all(is_harmless));
        }
    }
}
