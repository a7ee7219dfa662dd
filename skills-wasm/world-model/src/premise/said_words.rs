//! Which words and phrases of a page a premise says. The pages of places, times and plots are all read by this.

use super::tokens::{PremiseToken, is_form_of};

/// In which forms a word of a page may stand in a premise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageForms {
    /// As it is on the page, or in the plural.
    Nouns,
    /// Also in the forms of a verb: `crosses` for `cross`.
    NounsAndVerbs,
}

/// The words of a premise, ready to be compared with those of a page.
pub(super) struct SaidWords<'t> {
    tokens: &'t [PremiseToken<'t>],
    /// The singular of each of them.
    singulars: Vec<String>,
}

impl<'t> SaidWords<'t> {
    pub(super) fn of(tokens: &'t [PremiseToken<'t>]) -> SaidWords<'t> {
        let singulars = tokens.iter().map(|token| english::singular(&token.word)).collect();
        SaidWords { tokens, singulars }
    }

    /// Returns the longest of these words, or phrases with blanks between their words, that begins at this word.
    pub(super) fn longest_at<'k>(
        &self,
        at: usize,
        known: &[&'k str],
        forms: PageForms,
    ) -> Option<&'k str> {
        let is_said = |at: usize, part: &str| {
            let word = self.tokens.get(at).map(|token| token.word.as_str());
            word.is_some_and(|word| {
                word == part
                    || self.singulars.get(at).is_some_and(|one| one == part)
                    || (forms == PageForms::NounsAndVerbs && is_form_of(word, part))
            })
        };
        let begins =
            |phrase: &&str| phrase.split(' ').enumerate().all(|(n, part)| is_said(at + n, part));
        known.iter().copied().filter(begins).max_by_key(|phrase| phrase.len())
    }

    /// How many words of the premise are one of these, or begin one of these phrases.
    pub(super) fn count(&self, known: &[&str]) -> usize {
        let is_one = |at: &usize| self.longest_at(*at, known, PageForms::Nouns).is_some();
        (0..self.tokens.len()).filter(is_one).count()
    }
}

#[cfg(test)]
mod tests {
    use super::{PageForms, SaidWords};
    use crate::premise::tokens::tokens;

    #[test]
    fn the_longest_phrase_counts_and_a_plural_is_its_singular() {
        let tokens = tokens("Two lost keys open the old mill doors");
        let said = SaidWords::of(&tokens);
        let at = |at: usize, known: &[&'static str]| said.longest_at(at, known, PageForms::Nouns);
        assert_eq!(at(2, &["key", "ring"]), Some("key"));
        assert_eq!(at(5, &["old", "old mill", "old mill door"]), Some("old mill door"));
        assert_eq!(at(7, &["door frame"]), None, "the premise ends before");
        assert_eq!(said.count(&["key", "mill", "open"]), 3);
    }

    #[test]
    fn verbs_are_known_in_all_forms_where_the_page_has_verbs() {
        let tokens = tokens("The river crossed the town");
        let said = SaidWords::of(&tokens);
        assert_eq!(said.longest_at(2, &["cross"], PageForms::Nouns), None);
        assert_eq!(said.longest_at(2, &["cross"], PageForms::NounsAndVerbs), Some("cross"));
    }
}
