//! A text to be written, and the text that was written.

/// A text to be written: [`Llm::write`](crate::Llm::write) writes it.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "`Llm::write` writes it"]
#[non_exhaustive]
pub struct Prose {
    /// The system text; see [`Prose::system`].
    pub system: Option<String>,
    /// The subject of the text.
    pub prompt: String,
    /// See [`Prose::tokens`].
    pub tokens_max: u32,
    /// See [`Prose::temperature`].
    pub temperature: f32,
    /// See [`Prose::aloud`].
    pub aloud: bool,
}

impl Prose {
    /// A text about what `prompt` says: without a system text, of at most 200 tokens, at the temperature 0.8,
    /// and not aloud.
    pub fn new(prompt: impl Into<String>) -> Prose {
        let prompt = prompt.into();
        Prose { system: None, prompt, tokens_max: 200, temperature: 0.8, aloud: false }
    }

    /// Adds a system text: the writer's role and manner. Put text that never changes here, because the model reads it
    /// only once.
    pub fn system(mut self, system: impl Into<String>) -> Prose {
        self.system = Some(system.into());
        self
    }

    /// Sets the most tokens of the text, 1 to [`LLM_TOKENS_MAX`](crate::LLM_TOKENS_MAX). One is about three quarters of an English word.
    pub fn tokens(mut self, tokens_max: u32) -> Prose {
        self.tokens_max = tokens_max;
        self
    }

    /// Sets the share of chance: 0 takes the likeliest word each time, 2 is the most.
    pub fn temperature(mut self, temperature: f32) -> Prose {
        self.temperature = temperature;
        self
    }

    /// Lets the player read the text while the model writes it. The output's `text` must then begin with it, or the
    /// player sees it disappear. A second such text is a new paragraph: put an empty line between them.
    pub fn aloud(mut self) -> Prose {
        self.aloud = true;
        self
    }
}

/// A text that the model has written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmText {
    /// The text without white space around it, and without control characters except line ends. It may be empty.
    pub text: String,
    /// Returns true if the model ended the text; else its tokens or its time were used up, maybe in the middle of a word.
    pub is_complete: bool,
}

impl LlmText {
    /// The text up to the end of its last whole sentence: all of a complete text, and the presentable part of one that
    /// was cut off. Empty if no sentence ended.
    pub fn sentences(&self) -> &str {
        if self.is_complete { &self.text } else { until_last_sentence(&self.text) }
    }
}

/// Up to the last `.`, `!`, `?` or `…` with which a word and maybe a quotation ends.
fn until_last_sentence(text: &str) -> &str {
    let closes = |letter: char| matches!(letter, '"' | '\'' | '”' | '’' | '»' | ')' | '*');
    let mut end = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if !matches!(letter, '.' | '!' | '?' | '…') {
            continue;
        }
        let mut after = at + letter.len_utf8();
        while let Some((at, closing)) = letters.next_if(|(_, letter)| closes(*letter)) {
            after = at + closing.len_utf8();
        }
        if letters.peek().is_none_or(|(_, letter)| letter.is_whitespace()) {
            end = after;
        }
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_off_keeps_its_whole_sentences() {
        let check = |text: &str, whole: &str| {
            let text = text.to_owned();
            assert_eq!(LlmText { text: text.clone(), is_complete: false }.sentences(), whole);
            assert_eq!(LlmText { text: text.clone(), is_complete: true }.sentences(), text);
        };
        check("The door opens. Behind it li", "The door opens.");
        check("“Who is there?” She wai", "“Who is there?”");
        check("It is 3.5 feet", "");
        check("You wait… and", "You wait…");
        check("Stop! (Or not.) *Sigh.* Then", "Stop! (Or not.) *Sigh.*");
        check("The end.", "The end.");
        check("No end", "");
        check("", "");
    }
}
