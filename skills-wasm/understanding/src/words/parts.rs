//! A clause behind its verb: the object, and what follows each preposition.

use english::WordClass;

use crate::words::tokens::Token;

/// The object, and the parts with their prepositions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClauseParts {
    /// What comes before the first preposition.
    pub(crate) object: Vec<Token>,
    /// Each preposition with what follows.
    pub(crate) after: Vec<(String, Vec<Token>)>,
}

impl ClauseParts {
    /// Takes the rest of a clause apart.
    pub(crate) fn of(rest: &[Token]) -> ClauseParts {
        let mut parts = ClauseParts::default();
        for token in rest {
            let word = token.word();
            if WordClass::Preposition.has(word) {
                parts.after.push((word.to_owned(), Vec::new()));
            } else if let Some((_, tokens)) = parts.after.last_mut() {
                tokens.push(token.clone());
            } else {
                parts.object.push(token.clone());
            }
        }
        trim(&mut parts.object);
        for (_, tokens) in &mut parts.after {
            trim(tokens);
        }
        parts
    }

    /// What follows one of these prepositions.
    pub(crate) fn after(&self, prepositions: &[&str]) -> Option<&[Token]> {
        let fits = |(word, tokens): &&(String, Vec<Token>)| {
            prepositions.contains(&word.as_str()) && !tokens.is_empty()
        };
        self.after.iter().find(fits).map(|(_, tokens)| tokens.as_slice())
    }

    /// The object, or without one what follows the first preposition.
    pub(crate) fn first(&self) -> &[Token] {
        if !self.object.is_empty() {
            return &self.object;
        }
        self.after
            .iter()
            .map(|(_, tokens)| tokens.as_slice())
            .find(|tokens| !tokens.is_empty())
            .unwrap_or_default()
    }
}

fn trim(tokens: &mut Vec<Token>) {
    // `drop it there` drops it here, where somebody has gone.
    let says_little = |last: &Token| {
        *last == Token::Comma || last.is(WordClass::EndsPart) || last.word() == "there"
    };
    while tokens.len() > 1 && tokens.last().is_some_and(says_little) {
        tokens.pop();
    }
    // `eat it myself`.
    if tokens.len() > 1 && tokens.last().is_some_and(|last| last.word() == "myself") {
        tokens.pop();
    }
    while tokens.first() == Some(&Token::Comma) {
        tokens.remove(0);
    }
    if tokens.len() == 1 && tokens[0].is(WordClass::EndsPart) {
        tokens.clear();
    }
}
