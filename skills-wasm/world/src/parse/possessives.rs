//! Whose a thing is, said behind its name: `that shed of yours` is `your shed`.

use crate::parse::tokens::{Token, is_any, word_at};

/// What stands behind a name, and what it is in front of one.
const WHOSE: &[(&str, &str)] = &[
    ("yours", "your"),
    ("mine", "my"),
    ("ours", "our"),
    ("his", "his"),
    ("hers", "her"),
    ("theirs", "their"),
];

const ARTICLES: &[&str] = &["that", "this", "the", "a", "an", "some", "those", "these"];

/// Most words between the article and `of`.
const NAME_WORDS_MAX: usize = 3;

/// The tokens with each such word in front of its name.
pub(super) fn in_front(mut tokens: Vec<Token>) -> Vec<Token> {
    let mut at = 1;
    while at < tokens.len() {
        let whose = WHOSE.iter().find(|(behind, _)| *behind == word_at(&tokens, at + 1));
        let from = at.saturating_sub(NAME_WORDS_MAX + 1);
        let article = (from..at).rev().find(|n| is_any(&tokens[*n], ARTICLES));
        if let (Some((_, before)), Some(article)) = (whose, article)
            && tokens[at].word() == "of"
            && article + 1 < at
        {
            tokens[article] = Token::Word((*before).to_owned());
            tokens.drain(at..at + 2);
        }
        at += 1;
    }
    tokens
}
