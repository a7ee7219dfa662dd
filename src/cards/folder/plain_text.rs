//! Small pieces of text: names of files, shortened prose, JSON for people.

use narratoria_protocol::{stored_file::portable_fault, visible::clip};

/// JSON for people, with a line end.
pub(crate) fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// A name as part of a path: small letters of a to z, digits and single hyphens.
pub(crate) fn slug(text: &str, otherwise: &str) -> String {
    let mut slug = String::new();
    for char in text.chars().flat_map(char::to_lowercase) {
        match plain_letters(char) {
            Some(letters) => slug += letters,
            None if char.is_ascii_alphanumeric() => slug.push(char),
            None if !slug.is_empty() && !slug.ends_with('-') && char != '\'' => slug.push('-'),
            None => {}
        }
        if slug.len() >= 40 {
            break;
        }
    }
    let slug = slug.trim_matches('-');
    match portable_fault(slug) {
        _ if slug.is_empty() => otherwise.to_owned(),
        // `con` is a device on Windows.
        Some(_) => format!("{slug}-{otherwise}"),
        None => slug.to_owned(),
    }
}

/// Returns prose without the stars that chat programs put around deeds.
pub(crate) fn plain_prose(text: &str) -> String {
    text.replace(['*', '_', '`'], "").trim().to_owned()
}

fn plain_letters(char: char) -> Option<&'static str> {
    Some(match char {
        'à' | 'á' | 'â' | 'ã' | 'å' => "a",
        'ä' | 'æ' => "ae",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ø' => "o",
        'ö' | 'œ' => "oe",
        'ù' | 'ú' | 'û' => "u",
        'ü' => "ue",
        'ß' => "ss",
        'ý' | 'ÿ' => "y",
        _ => return None,
    })
}

/// Most characters of a word, on the average. Some "words" have no blank in them.
const WORD_CHARS: usize = 12;

/// Returns at most `words_max` words, cut at the end of a sentence if there is one.
pub(crate) fn shorten(text: &str, words_max: usize) -> String {
    let text = &*clip(text.trim(), words_max * WORD_CHARS);
    if text.split_whitespace().count() <= words_max {
        return text.to_owned();
    }
    let mut end = 0;
    let mut words = 0;
    let mut in_word = false;
    for (at, char) in text.char_indices() {
        match (char.is_whitespace(), in_word) {
            (false, false) => {
                words += 1;
                in_word = true;
                if words > words_max {
                    break;
                }
            }
            (true, true) => in_word = false,
            _ => {}
        }
        end = at + char.len_utf8();
    }
    let cut = text[..end].trim_end();
    let ends = |char: char| matches!(char, '.' | '!' | '?' | '…');
    let sentence = cut.char_indices().rev().find(|(at, char)| {
        ends(*char)
            && cut[at + char.len_utf8()..]
                .starts_with(|next: char| next.is_whitespace() || "\"”'’*".contains(next))
            || (ends(*char) && at + char.len_utf8() == cut.len())
    });
    match sentence {
        Some((at, char)) => {
            let mut end = at + char.len_utf8();
            // The quotation mark belongs to the sentence.
            let closing = cut[end..].chars().next().filter(|next| "\"”".contains(*next));
            end += closing.map_or(0, char::len_utf8);
            cut[..end].to_owned()
        }
        None => format!("{cut} …"),
    }
}
