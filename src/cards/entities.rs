//! References to characters in HTML: those that writers of stories use, and all by number.

/// By name, without `&` and `;`.
const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("shy", '\u{ad}'),
    ("hellip", '…'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("copy", '©'),
    ("deg", '°'),
    ("times", '×'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("agrave", 'à'),
    ("ccedil", 'ç'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("szlig", 'ß'),
    ("ntilde", 'ñ'),
];

/// Longest reference, without `&` and `;`.
const REFERENCE_BYTES_MAX: usize = 10;

/// The text with the characters that its references mean. What is no reference stays.
pub(crate) fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded += &rest[..at];
        rest = &rest[at..];
        let (char, length) = reference(rest).unwrap_or(('&', 1));
        decoded.push(char);
        rest = &rest[length..];
    }
    decoded + rest
}

/// The text in which nothing reads as a reference: [`decode`] brings it back.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        match char {
            '&' if reference(&text[at..]).is_some() => encoded += "&amp;",
            char => encoded.push(char),
        }
    }
    encoded
}

/// The character of the reference that a text begins with, and the length of the reference.
fn reference(text: &str) -> Option<(char, usize)> {
    let inner = text.strip_prefix('&')?;
    let end = inner.bytes().take(REFERENCE_BYTES_MAX + 1).position(|byte| byte == b';')?;
    let name = &inner[..end];
    let char = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?).filter(|char| !char.is_control() || *char == '\n')?
        }
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((char, end + 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{decode, encode};

    #[test]
    fn references_become_their_characters_and_the_rest_stays() {
        let text =
            "Salt &amp; bread, 3 &lt; 4.&nbsp;Ten &#40;10&#x29; &hearts; & &#0; &#xD800; &amp";
        assert_eq!(
            decode(text),
            "Salt & bread, 3 < 4.\u{a0}Ten (10) &hearts; & &#0; &#xD800; &amp"
        );
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(text in "[&#a-z0-9;x é]{0,40}|.{0,40}") {
            prop_assert_eq!(decode(&encode(&text)), text);
        }
    }
}
