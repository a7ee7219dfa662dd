//! The player's text → words that are safe to repeat. Knows characters, not English.

/// Most characters that are read; what follows is ignored. A long sentence has about 200.
pub(crate) const PROMPT_CHARS_MAX: usize = 600;
/// Most words that are read.
pub(crate) const WORDS_MAX: usize = 80;
/// Longest word that is repeated to the player. "Counterrevolutionaries" has 22 letters.
pub(crate) const WORD_CHARS_MAX: usize = 24;
/// Longest piece of direct speech that is repeated.
const SPEECH_CHARS_MAX: usize = 90;

/// One word, free of punctuation and of anything that a terminal would act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// As written.
    pub(crate) text: String,
    /// In lower case.
    pub(crate) lower: String,
    /// What punctuation follows.
    pub(crate) pause: Pause,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pause {
    None,
    /// A comma, colon or dash.
    Short,
    /// The end of a sentence.
    Full,
}

/// Text without escape sequences, control characters and invisible ones; blanks become single spaces.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().take(PROMPT_CHARS_MAX).peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            skip_escape(&mut chars);
        } else if c.is_whitespace() || c == '\0' {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !c.is_control() && !is_invisible(c) {
            out.push(match c {
                '’' | '‘' | '`' => '\'',
                '“' | '”' | '„' | '«' | '»' => '"',
                other => other,
            });
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Skips what follows ESC: `[` and all up to a letter, or one character.
fn skip_escape(chars: &mut std::iter::Peekable<impl Iterator<Item = char>>) {
    if chars.next() == Some('[') {
        while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
    }
}

/// Characters that show nothing or turn the direction of what follows.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Splits cleaned text. What is no letter, digit, hyphen or apostrophe ends up as a pause or nowhere.
pub(crate) fn split(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for piece in text.split(' ') {
        let is_word = |c: char| c.is_alphanumeric() || c == '\'' || c == '-';
        let core: String = piece.chars().filter(|c| is_word(*c)).collect();
        let core = core.trim_matches(['-', '\'']);
        let pause = match piece.chars().rev().find(|c| !is_word(*c) && *c != '"') {
            Some('.' | '!' | '?' | ';' | '…') => Pause::Full,
            Some(',' | ':' | '—' | '–' | ')') => Pause::Short,
            _ => Pause::None,
        };
        if core.is_empty() || core.chars().count() > WORD_CHARS_MAX {
            if let Some(last) = words.last_mut() {
                // Something unreadable stood here; what comes after is another phrase.
                last.pause = last.pause.max(Pause::Short).max(pause);
            }
            continue;
        }
        if words.len() == WORDS_MAX {
            break;
        }
        if let Some(last) = words.last_mut()
            && last.pause == Pause::None
            && last.text == core
        {
            // A word that was typed twice by mistake, or ten thousand times on purpose.
            last.pause = pause;
            continue;
        }
        words.push(Word { text: core.to_owned(), lower: core.to_lowercase(), pause });
    }
    words
}

/// What stands between the first pair of quotation marks, cut short at a word.
pub(crate) fn speech(text: &str) -> Option<String> {
    let mut parts = text.split('"');
    let spoken = parts.nth(1)?.trim().trim_end_matches(',');
    // Without the closing mark it is no speech.
    parts.next()?;
    let readable = spoken.chars().any(char::is_alphabetic);
    let longest = spoken.split(' ').map(|word| word.chars().count()).max()?;
    if !readable || longest > WORD_CHARS_MAX {
        return None;
    }
    if spoken.chars().count() <= SPEECH_CHARS_MAX {
        return Some(spoken.to_owned());
    }
    let head: String = spoken.chars().take(SPEECH_CHARS_MAX).collect();
    head.rsplit_once(' ').map(|(head, _)| format!("{}…", head.trim_end_matches([',', '.'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_invisible_characters_are_gone() {
        assert_eq!(clean("\u{1b}[31mred\u{1b}[0m \u{202e}door\u{7}\r\n\tnow"), "red door now");
        assert_eq!(clean("a\u{1b}]0;title\u{7}b"), "a0;titleb");
        assert_eq!(clean("  \0 \u{200b} "), "");
    }

    #[test]
    fn words_lose_punctuation_and_keep_apostrophes() {
        let words = split("I take the king's crown, 🔥 then run!");
        let shown: Vec<_> = words.iter().map(|word| (word.text.as_str(), word.pause)).collect();
        assert_eq!(
            shown,
            [
                ("I", Pause::None),
                ("take", Pause::None),
                ("the", Pause::None),
                ("king's", Pause::None),
                ("crown", Pause::Short),
                ("then", Pause::None),
                ("run", Pause::Full),
            ]
        );
    }

    #[test]
    fn long_words_and_long_texts_are_cut() {
        assert!(split(&"a".repeat(500)).is_empty());
        assert!(split(&clean(&"word ".repeat(10_000))).len() <= WORDS_MAX);
    }

    #[test]
    fn speech_is_what_stands_in_quotation_marks() {
        assert_eq!(speech(r#"I say "open up," and knock"#).as_deref(), Some("open up"));
        assert_eq!(speech("I say \"open up"), None);
        assert_eq!(speech("\"🔥\""), None);
        let long = format!("\"{}\"", "friend ".repeat(40));
        assert!(speech(&long).is_some_and(|spoken| spoken.ends_with('…')));
    }
}
