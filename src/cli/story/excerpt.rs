//! The beginning of a narration, cut where a sentence ends. Pure.

use narratoria_protocol::visible::clip;

/// Returns the first sentences of a text on one line, at most `chars_max` characters. A speech counts as one sentence;
/// one that is too long is cut after a sentence of it and closed.
pub(crate) fn first_sentences(text: &str, count: usize, chars_max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut = SentenceCut::default();
    let mut letters = line.char_indices().enumerate().peekable();
    while let Some((nth, (at, letter))) = letters.next() {
        if nth >= chars_max {
            return cut.closed(&line, chars_max);
        }
        cut.observe(letter);
        if !matches!(letter, '.' | '!' | '?' | '…') {
            continue;
        }
        let mut end = at + letter.len_utf8();
        while let Some((_, (at, mark))) =
            letters.next_if(|(_, (_, next))| matches!(next, '”' | '"' | '’' | ')'))
        {
            cut.observe(mark);
            end = at + mark.len_utf8();
        }
        // “Stop!” he says. The sentence goes on after the speech.
        let mut after = line[end..].chars();
        let ends = match after.next() {
            None => true,
            Some(next) => next.is_whitespace() && !after.next().is_some_and(char::is_lowercase),
        };
        if ends && cut.end_at(end) == count {
            return line[..end].to_owned();
        }
    }
    line
}

/// How far the text has been read.
#[derive(Default)]
struct SentenceCut {
    is_quoted: bool,
    sentences: usize,
    /// The end of the last sentence, and true if it ends within a speech.
    kept: Option<(usize, bool)>,
}

impl SentenceCut {
    fn observe(&mut self, letter: char) {
        match letter {
            '“' => self.is_quoted = true,
            '”' => self.is_quoted = false,
            '"' => self.is_quoted = !self.is_quoted,
            _ => {}
        }
    }

    /// Records the end of a sentence. Returns how many have ended outside a speech.
    fn end_at(&mut self, end: usize) -> usize {
        self.kept = Some((end, self.is_quoted));
        if !self.is_quoted {
            self.sentences += 1;
        }
        self.sentences
    }

    /// Returns the whole sentences that fit, with the mark that closes a speech.
    fn closed(&self, line: &str, chars_max: usize) -> String {
        let (text, is_quoted) = match self.kept {
            Some((end, is_quoted)) => (line[..end].to_owned(), is_quoted),
            None => (clip(line, chars_max).into_owned(), self.is_quoted),
        };
        let mark = if line.contains('“') { '”' } else { '"' };
        if is_quoted { format!("{text}{mark}") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::first_sentences;

    #[test]
    fn two_sentences_are_told_with_their_quotation_marks() {
        let told = |text: &str| first_sentences(text, 2, 400);
        assert_eq!(told("One. Two! Three."), "One. Two!");
        assert_eq!(told("“Stop.” He waits.\n\nA door."), "“Stop.” He waits.");
        assert_eq!(told("It is 3.5 miles. Far"), "It is 3.5 miles. Far");
        assert_eq!(told("no end"), "no end");
        assert_eq!(told(""), "");
    }

    #[test]
    fn a_speech_is_never_left_open() {
        let speech = "Tansy says: “One. Two. Three.” The goat eats. It rains.";
        assert_eq!(first_sentences(speech, 1, 400), "Tansy says: “One. Two. Three.”");
        assert_eq!(
            first_sentences(speech, 2, 400),
            "Tansy says: “One. Two. Three.” The goat eats."
        );
        assert_eq!(first_sentences("“Stop! Now,” he says. Rain.", 1, 400), "“Stop! Now,” he says.");
        assert_eq!(first_sentences("“Stop! Now!” he says. Rain.", 1, 400), "“Stop! Now!” he says.");
        assert_eq!(first_sentences(speech, 2, 24), "Tansy says: “One. Two.”");
        assert_eq!(first_sentences(speech, 2, 15), "Tansy says: “On…”");
        assert_eq!(first_sentences("A wall. A door. A gate.", 3, 12), "A wall.");
    }
}
