//! Recognises a drawing of plain shapes: the part of SVG that runs nothing and refers to nothing. Pure.
//!
//! A drawing has only the elements and attributes of the lists below, so it has no script, style, link, image of
//! another file or animation. Everything else is refused, in any form that a browser would read.

/// Longest drawing.
pub const DRAWING_BYTES_MAX: u64 = 1 << 20;

/// Deepest element.
const DEPTH_MAX: usize = 16;

const NAMESPACE: &str = "http://www.w3.org/2000/svg";

const ELEMENTS: [&str; 11] = [
    "svg", "g", "title", "desc", "rect", "circle", "ellipse", "line", "polyline", "polygon", "path",
];

const ATTRIBUTES: [&str; 31] = [
    "viewBox",
    "width",
    "height",
    "role",
    "x",
    "y",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "x1",
    "y1",
    "x2",
    "y2",
    "d",
    "points",
    "fill",
    "fill-opacity",
    "fill-rule",
    "opacity",
    "stroke",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-opacity",
    "stroke-width",
    "transform",
    "preserveAspectRatio",
    "version",
];

/// Returns true if the whole text is one drawing.
pub fn is_drawing(text: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text.trim();
    if !rest.starts_with("<svg") {
        return false;
    }
    while let Some(after) = rest.strip_prefix('<') {
        let Some((tag, behind)) = after.split_once('>') else { return false };
        let is_closed = match tag.strip_prefix('/') {
            Some(name) => open.pop() == Some(name.trim_end()),
            None => opens(tag, &mut open),
        };
        if !is_closed || open.len() > DEPTH_MAX {
            return false;
        }
        let end = behind.find('<').unwrap_or(behind.len());
        let (words, next) = behind.split_at(end);
        if open.is_empty() {
            return behind.is_empty();
        }
        if !is_text(words, open.last().copied()) {
            return false;
        }
        rest = next;
    }
    false
}

/// Reads the inside of a tag that opens an element. An element with an end is on the list of open ones afterwards.
fn opens<'t>(tag: &'t str, open: &mut Vec<&'t str>) -> bool {
    let (tag, is_whole) = match tag.strip_suffix('/') {
        Some(tag) => (tag, true),
        None => (tag, false),
    };
    let (name, mut rest) = tag.split_at(tag.find(char::is_whitespace).unwrap_or(tag.len()));
    if !ELEMENTS.contains(&name) || (name == "svg") != open.is_empty() {
        return false;
    }
    let mut seen = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let Some((attribute, behind)) = rest.split_once("=\"") else { return false };
        let Some((value, behind)) = behind.split_once('"') else { return false };
        if seen.contains(&attribute) || !is_attribute(name, attribute, value) {
            return false;
        }
        seen.push(attribute);
        if !behind.is_empty() && !behind.starts_with(char::is_whitespace) {
            return false;
        }
        rest = behind;
    }
    if !is_whole {
        open.push(name);
    }
    true
}

fn is_attribute(element: &str, name: &str, value: &str) -> bool {
    if name == "xmlns" {
        return element == "svg" && value == NAMESPACE;
    }
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || " \n\t.,#%()+-".contains(letter);
    // Numbers, names and colours; `url(…)` would refer to something.
    ATTRIBUTES.contains(&name)
        && value.chars().all(is_plain)
        && !value.to_ascii_lowercase().contains("url")
}

/// Words stand only in a title and a description. An entity is one of the five that XML knows.
fn is_text(words: &str, within: Option<&str>) -> bool {
    if !matches!(within, Some("title" | "desc")) {
        return words.trim().is_empty();
    }
    words.split('&').skip(1).all(|entity| {
        ["amp;", "lt;", "gt;", "quot;", "apos;", "#39;"]
            .iter()
            .any(|known| entity.starts_with(known))
    })
}

#[cfg(test)]
mod tests {
    use super::is_drawing;

    fn drawing(inside: &str) -> String {
        format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">{inside}</svg>"#)
    }

    #[test]
    fn shapes_are_a_drawing() {
        for inside in [
            "",
            "<title>Martha &amp; &lt;co&gt;</title><desc>javascript: is only a word here</desc>",
            "<g transform=\"translate(1 2)\">\n  <path d=\"M0 0 Q1,2 3 4 Z\" fill=\"#fff\" />\n</g>",
            r##"<circle cx="1" cy="1" r="1" stroke="#000"></circle>"##,
        ] {
            assert!(is_drawing(&drawing(inside)), "{inside}");
        }
        assert!(is_drawing(&format!("\n{}\n", drawing(""))));
    }

    #[test]
    fn what_runs_or_refers_to_something_is_none() {
        for inside in [
            "<script>alert(1)</script>",
            "<SCRIPT/>",
            r#"<circle onload="alert(1)"/>"#,
            r#"<circle r="1"onload="a"/>"#,
            r#"<circle r='1' onload="a"/>"#,
            r##"<use href="#a"/>"##,
            r#"<image href="http://a.example/b.png"/>"#,
            r#"<a href="b"><path/></a>"#,
            r#"<rect fill="url(http://a.example)"/>"#,
            r#"<rect fill="URL(b)"/>"#,
            r#"<rect style="fill:red"/>"#,
            r#"<rect fill="&#117;rl(b)"/>"#,
            "<style>a{}</style>",
            "<foreignObject/>",
            r#"<animate attributeName="href"/>"#,
            "<!-- note -->",
            "<![CDATA[a]]>",
            "<?xml-stylesheet href='a'?>",
            "<title>&evil;</title>",
            "<title><b>a</b></title>",
            "words",
            "<g>",
            "</g>",
            "<svg></svg>",
            "<path",
            r#"<path d="1" d="2"/>"#,
            r#"<path d="1>"/>"#,
            r#"<x:path/>"#,
        ] {
            assert!(!is_drawing(&drawing(inside)), "{inside}");
        }
        for text in [
            "",
            "<svg",
            "<svg>",
            "<html></html>",
            "<?xml version=\"1.0\"?><svg></svg>",
            "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg></svg>",
            "<svg/><script/>",
            "<svg></svg>words",
            "<svg xmlns=\"http://www.w3.org/1999/xhtml\"></svg>",
            "<svgx></svgx>",
            "words <svg/>",
        ] {
            assert!(!is_drawing(text), "{text}");
        }
    }

    #[test]
    fn what_is_too_deep_is_none() {
        let nested = |depth| drawing(&format!("{}{}", "<g>".repeat(depth), "</g>".repeat(depth)));
        assert!(is_drawing(&nested(15)));
        assert!(!is_drawing(&nested(16)));
    }
}
