//! What a premise says of the player, as one noun phrase: `a monk who has lost his faith and keeps bees`. Knows words, and
//! no world.

use english::WordClass;

use super::{
    nouns::{is_plural, kind_of},
    tokens::{PremiseToken, WordRole, is_missing, is_verb, role_of},
};

/// Longest clause of the premise that describes the player, in characters.
const PLAYER_CLAUSE_CHARS_MAX: usize = 240;

/// The words of the premise from this noun on to the end of what is said of it. A sentence becomes a clause: of `a knight
/// must return a sword` it is `knight who must return a sword`, unless the noun is no subject: `she was a knight`. None where
/// it is too long or would be no English.
pub(super) fn clause_of(
    text: &str,
    tokens: &[PremiseToken<'_>],
    noun: (usize, usize),
    is_subject: bool,
) -> Option<String> {
    let reader = ClauseReader { text, tokens };
    let end = reader.end(noun.1);
    let verb = reader.main_verb(noun.1, end);
    let rest = (noun.1..end)
        .find(|idx| !is_subject && WordClass::PremiseConjunction.has(reader.word(*idx)));
    let end = rest.unwrap_or(end);
    let verb = verb.filter(|verb| *verb < end);
    // Behind `he was` the noun is no subject: a verb without `who` is that of somebody else.
    if verb.is_some() && !is_subject {
        return None;
    }
    let second = is_subject.then(|| reader.second_verb(noun.1, end)).flatten();
    let words = (noun.0..end).map(|idx| {
        let gap = if idx == noun.0 { "" } else { reader.gap_before(idx) };
        let who = match Some(idx) {
            at if at == verb => "who ",
            at if at == second => "and who ",
            _ => "",
        };
        format!("{gap}{who}{}", reader.spoken(idx))
    });
    let clause = words.collect::<String>();
    let clause = clause.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_plain = !clause.contains(['{', '}', '<', '>', '"', '\u{201c}', '\u{201d}', '(', ')']);
    (is_plain && clause.chars().count() <= PLAYER_CLAUSE_CHARS_MAX).then_some(clause)
}

/// The words of a premise from this noun on to where what is said of it ends: `the driver who takes me home`, without `has
/// not spoken`. None where nothing follows a clause.
pub(super) fn noun_with_clause(
    text: &str,
    tokens: &[PremiseToken<'_>],
    noun: (usize, usize),
) -> Option<String> {
    let reader = ClauseReader { text, tokens };
    let verb = reader.second_verb(noun.1, reader.end(noun.1))?;
    let words = (noun.0..verb).map(|idx| {
        let gap = if idx == noun.0 { "" } else { reader.gap_before(idx) };
        format!("{gap}{}", reader.spoken(idx))
    });
    let clause = words.collect::<String>();
    let is_plain = !clause.contains(['{', '}', '<', '>', '"', '\u{201c}', '\u{201d}', '(', ')']);
    (is_plain && clause.chars().count() <= PLAYER_CLAUSE_CHARS_MAX)
        .then(|| clause.trim_end_matches(',').to_owned())
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
        // `in a closed museum`
        let is_adjective = idx > 0
            && word.ends_with("ed")
            && role_of(self.word(idx - 1)) == Some(WordRole::Determiner);
        if is_adjective {
            return false;
        }
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
        // `and last night the ceiling began`
        let is_apart = self.gap_before(idx).contains(',');
        idx > from && (self.is_finite(idx + 1) || (is_said && is_object && !is_apart))
    }

    /// The verb of a whole sentence, which no `who` precedes.
    fn main_verb(&self, from: usize, end: usize) -> Option<usize> {
        // `an old woman crochets a scarf`: a verb that no table knows stands before an object. `a detective searches for a violin`:
        // behind the noun a form of a verb is one, although there are searches too.
        let word = self.word(from);
        let behind = role_of(self.word(from + 1));
        let is_object = behind == Some(WordRole::Determiner);
        let is_led = behind == Some(WordRole::Preposition) && is_verb(word);
        if role_of(word).is_none() && word.ends_with('s') && (is_object || is_led) && from < end {
            return Some(from);
        }
        let first = (from..end).find(|idx| {
            self.is_finite(*idx) || role_of(self.word(*idx)) == Some(WordRole::Relative)
        })?;
        let is_sentence = self.is_finite(first) && !self.is_participle(first);
        is_sentence.then_some(first)
    }

    /// The verb of the sentence behind a clause about the noun: `a tamer whose dragon refuses to fly must bring it`.
    fn second_verb(&self, from: usize, end: usize) -> Option<usize> {
        // Behind `who` stands a verb, known or not.
        let is_who =
            ["who", "that"].contains(&self.word(from)) && role_of(self.word(from + 1)).is_none();
        let said = match is_who {
            true => from + 1,
            false => (from + 1..end).find(|idx| self.is_finite(*idx))?,
        };
        let is_clause = (from..said).any(|idx| role_of(self.word(idx)) == Some(WordRole::Relative));
        let is_other_clause = |idx: usize| {
            let role = role_of(self.word(idx));
            [Some(WordRole::Relative), Some(WordRole::Conjunction)].contains(&role)
        };
        let ends_clause = |idx: usize| {
            let before = self.word(idx - 1);
            is_verb(before) && kind_of(&[before.to_owned()]).is_none()
                || role_of(before) == Some(WordRole::Adverb)
                || ["her", "him", "it", "them", "me"].contains(&before)
                || self.tokens[idx].is_first
                || self.is_behind_preposition(idx)
                || self.is_behind_time(idx)
                || self.is_behind_many(idx)
        };
        let is_second = |idx: &usize| {
            let is_joined = role_of(self.word(idx - 1)) == Some(WordRole::Auxiliary);
            self.is_finite(*idx)
                && !is_joined
                && ends_clause(*idx)
                && !self.word(*idx).ends_with("ed")
                && !(said + 1..*idx).any(is_other_clause)
        };
        (said + 2..end).find(is_second).filter(|_| is_clause)
    }

    /// Returns true if a noun with its preposition stands before this word: `a vow of silence finds`.
    fn is_behind_preposition(&self, idx: usize) -> bool {
        let is_noun = |idx: &usize| {
            matches!(role_of(self.word(*idx)), None | Some(WordRole::Determiner))
                && !self.is_finite(*idx)
        };
        let before = (0..idx).rev().find(|idx| !is_noun(idx));
        before.is_some_and(|at| {
            at + 1 < idx
                && role_of(self.word(at)) == Some(WordRole::Preposition)
                && self.word(at) != "to"
        })
    }

    /// `who repairs umbrellas falls`
    fn is_behind_many(&self, idx: usize) -> bool {
        let is_bare = idx < 2 || role_of(self.word(idx - 2)) != Some(WordRole::Determiner);
        is_bare && is_plural(self.word(idx - 1)) && self.word(idx).ends_with('s')
    }

    /// `who takes me home every night has not spoken`
    fn is_behind_time(&self, idx: usize) -> bool {
        idx > 1 && ["every", "each", "last", "that"].contains(&self.word(idx - 2))
    }

    /// `a knight sworn to silence`, `a sailor lost at sea`: nobody acts.
    fn is_participle(&self, idx: usize) -> bool {
        let is_past = self.word(idx).ends_with("ed") || self.word(idx).ends_with("en");
        let next = role_of(self.word(idx + 1));
        is_past && next == Some(WordRole::Preposition)
    }
}
