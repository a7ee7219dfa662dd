//! What a premise says of the player, as one noun phrase: `a monk who has lost his faith and keeps bees`. Knows words, and
//! no world.

use super::{
    nouns::kind_of,
    tokens::{PremiseToken, WordRole, is_missing, is_verb, role_of},
};

/// Longest clause of the premise that describes the player, in characters.
const PLAYER_CLAUSE_CHARS_MAX: usize = 240;

/// The words of the premise from this noun on to the end of what is said of it. A sentence becomes a clause: of `a knight
/// must return a sword` it is `knight who must return a sword`. None where it is too long or would be no English.
pub(super) fn clause_of(
    text: &str,
    tokens: &[PremiseToken<'_>],
    noun: (usize, usize),
) -> Option<String> {
    let reader = ClauseReader { text, tokens };
    let end = reader.end(noun.1);
    let verb = reader.main_verb(noun.1, end);
    let words = (noun.0..end).map(|idx| {
        let gap = if idx == noun.0 { "" } else { reader.gap_before(idx) };
        let who = if Some(idx) == verb { "who " } else { "" };
        format!("{gap}{who}{}", reader.spoken(idx))
    });
    let clause = words.collect::<String>();
    let clause = clause.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_plain = !clause.contains(['{', '}', '<', '>', '"', '\u{201c}', '\u{201d}', '(', ')']);
    (is_plain && clause.chars().count() <= PLAYER_CLAUSE_CHARS_MAX).then_some(clause)
}

struct ClauseReader<'r, 't> {
    text: &'t str,
    tokens: &'r [PremiseToken<'t>],
}

impl<'t> ClauseReader<'_, 't> {
    fn word(&self, idx: usize) -> &str {
        self.tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default()
    }

    /// What stands between this word and the one before it; the `'s` of the one before is its own.
    fn gap_before(&self, idx: usize) -> &'t str {
        &self.text[self.tokens[idx - 1].span.1..self.tokens[idx].span.0]
    }

    /// The word as it is said to the player.
    fn spoken(&self, idx: usize) -> &str {
        match self.word(idx) {
            "my" | "our" => "your",
            "me" | "us" => "you",
            _ => &self.text[self.tokens[idx].span.0..self.tokens[idx].span.1],
        }
    }

    /// A verb that stands with its subject: `keeps`, `must`, `lost`, and no noun.
    fn is_finite(&self, idx: usize) -> bool {
        let word = self.word(idx);
        let is_noun = kind_of(&[word.to_owned()]).is_some();
        role_of(word) == Some(WordRole::Auxiliary)
            || (is_verb(word) && !is_noun && !word.ends_with("ing") && !is_missing(word))
    }

    /// Where the words about the noun end that begin here.
    fn end(&self, from: usize) -> usize {
        let starts_other = |idx: &usize| {
            let gap = self.gap_before(*idx);
            let is_other_sentence = gap.contains(['.', '!', '?', ';', ':', '\n', '\u{2014}'])
                || ["i", "i'm", "you", "you're", "we"].contains(&self.word(*idx));
            let goes_on = self.is_finite(*idx)
                || matches!(
                    role_of(self.word(*idx)),
                    Some(
                        WordRole::Relative
                            | WordRole::Conjunction
                            | WordRole::Preposition
                            | WordRole::Adverb
                    )
                );
            let is_joined = ["and", "or"].contains(&self.word(*idx));
            is_other_sentence
                || (gap.contains(',') && !goes_on)
                || (is_joined && !self.joins(*idx, from))
        };
        (from..self.tokens.len()).find(starts_other).unwrap_or(self.tokens.len())
    }

    /// Returns true if this `and` goes on with what is said: `and keeps bees`, but not `a keeper and a ghost`.
    fn joins(&self, idx: usize, from: usize) -> bool {
        let is_said = (from..idx).any(|idx| self.is_finite(idx));
        let before = self.word(idx - 1);
        let is_object = !is_verb(before) || kind_of(&[before.to_owned()]).is_some();
        idx > from && (self.is_finite(idx + 1) || (is_said && is_object))
    }

    /// The verb of a whole sentence, which no `who` precedes.
    fn main_verb(&self, from: usize, end: usize) -> Option<usize> {
        let first = (from..end).find(|idx| {
            self.is_finite(*idx) || role_of(self.word(*idx)) == Some(WordRole::Relative)
        })?;
        let is_sentence = self.is_finite(first) && !self.is_participle(first);
        is_sentence.then_some(first)
    }

    /// `a knight sworn to silence`, `a sailor lost at sea`: nobody acts.
    fn is_participle(&self, idx: usize) -> bool {
        let is_past = self.word(idx).ends_with("ed") || self.word(idx).ends_with("en");
        let next = role_of(self.word(idx + 1));
        is_past && next == Some(WordRole::Preposition)
    }
}
