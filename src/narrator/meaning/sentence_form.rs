//! Signs of how a clause is meant: asked for, denied, reported, supposed, or compared with. Pure.

use std::sync::LazyLock;

use crate::word_lists::parse_word_lists;

/// The signs of each form, as data.
const SIGNS: &str = include_str!("../data/sentence-forms.txt");

/// What the words of a clause are signs of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SentenceForm {
    pub(crate) negation: bool,
    pub(crate) report: bool,
    pub(crate) past: bool,
    pub(crate) supposition: bool,
    pub(crate) comparison: bool,
    pub(crate) request: bool,
}

impl SentenceForm {
    /// Returns true if words of a trigger are no request: they are denied, supposed, or told of others.
    pub(crate) fn is_no_request(self) -> bool {
        self.negation || self.supposition || self.report
    }

    pub(crate) fn of(clause: &str) -> SentenceForm {
        let words = spaced_words(clause);
        let has = |form: &str| {
            let signs =
                &LISTS.iter().find(|(name, _)| *name == form).expect("a list of the file").1;
            signs.iter().any(|sign| words.contains(sign.as_str()))
        };
        SentenceForm {
            negation: has("negation"),
            report: has("report"),
            past: has("past"),
            supposition: has("supposition"),
            comparison: has("comparison"),
            request: has("request") || clause.contains('?'),
        }
    }
}

/// Each list with its signs, as [`spaced_words`] writes them.
static LISTS: LazyLock<Vec<(&'static str, Vec<String>)>> = LazyLock::new(|| {
    let lists = parse_word_lists(SIGNS).into_iter();
    let spaced = |signs: Vec<&str>| signs.into_iter().map(spaced_words).collect();
    lists.map(|(name, signs)| (name, spaced(signs))).collect()
});

/// The words in lower case with a space around each; the `n't` of a word is a word of its own.
fn spaced_words(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'").replace("n't", " n't ");
    let mut spaced = String::from(" ");
    for word in lower.split(|letter: char| !letter.is_alphanumeric() && letter != '\'') {
        // A quotation mark is no apostrophe.
        let bare = word.trim_matches('\'');
        if !bare.is_empty() {
            spaced += bare;
            spaced.push(' ');
        }
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::SentenceForm;

    fn forms(clause: &str) -> String {
        let SentenceForm { negation, report, past, supposition, comparison, request } =
            SentenceForm::of(clause);
        let named = [
            (negation, "negation"),
            (report, "report"),
            (past, "past"),
            (supposition, "supposition"),
            (comparison, "comparison"),
            (request, "request"),
        ];
        let found: Vec<&str> = named.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        found.join(" ")
    }

    #[test]
    fn words_are_signs_of_how_a_clause_is_meant() {
        for (clause, expect) in [
            ("sharpen my sword", ""),
            ("Never sharpen my sword", "negation"),
            ("I wouldn’t", "negation"),
            ("'Never!' she said", "negation report"),
            ("If I were rich I'd bid on it", "past supposition"),
            ("Willem is a dark horse", "comparison request"),
            ("will it rain tomorrow?", "request"),
            ("knot, another, island", ""),
            ("", ""),
        ] {
            assert_eq!(forms(clause), expect, "{clause}");
        }
    }
}
