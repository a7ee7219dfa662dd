//! Nouns that only a text has: every noun of a description can be looked at.

use english::WordClass;

use crate::{entity::NamedId, words, world::World};

impl World {
    /// What `it` means: what the story or the player spoke of last.
    pub fn spoken_of(&self) -> Option<NamedId> {
        self.last.it.as_deref().and_then(|name| self.find(name))
    }

    /// A noun of a description that can be seen here, of the opening where the story begins, or of what the player is, with
    /// the sentence that has it. What the player carries describes nothing but itself: its words count while it is `it`.
    pub fn mention(&self, noun: &str) -> Option<(String, String)> {
        self.mention_in_view(noun).or_else(|| {
            let player = &self.definition.player;
            let opening =
                (self.name(self.here) == player.place).then_some(&self.definition.opening);
            let told = opening.into_iter().chain([&player.description]).map(String::as_str);
            noun_in(noun, told)
        })
    }

    /// The thing or part of the place that is in sight and whose description has the noun.
    pub(crate) fn described_with(&self, noun: &str) -> Option<NamedId> {
        let is_part = |id: &NamedId| !self.entity(*id).is_person() && !self.is_with_player(*id);
        self.seen()
            .filter(is_part)
            .find(|id| noun_in(noun, std::iter::once(self.description(*id))).is_some())
    }

    /// The same, but only of what can be seen here.
    pub fn mention_in_view(&self, noun: &str) -> Option<(String, String)> {
        let last = self.spoken_of();
        let may_show = |id: &NamedId| Some(*id) == last || !self.is_with_player(*id);
        let seen: Vec<NamedId> =
            std::iter::once(self.here).chain(self.seen().filter(may_show)).collect();
        noun_in(noun, self.descriptions(&seen).into_iter())
    }
}

/// The first sentence of the texts that has all words of the noun, and the last of these words as it stands there.
fn noun_in<'t>(noun: &str, texts: impl Iterator<Item = &'t str>) -> Option<(String, String)> {
    let wanted = words::split(noun);
    let head = wanted.last()?;
    if head.len() < 3 || words::is_hollow(head) || words::is_function_word(head) {
        return None;
    }
    // Most texts, and most sentences of the others, have no letters of it.
    let letters = english::stem(head);
    let letters = &letters[..letters.len().min(head.strip_suffix("es").unwrap_or(head).len())];
    let may_have = |text: &&str| words::has_letters(text, letters);
    texts.filter(may_have).flat_map(words::sentences).filter(may_have).find_map(|sentence| {
        let known = words::split(sentence);
        let has = |wanted: &String| known.iter().any(|word| english::is_same_word(wanted, word));
        let is_noun = |at: &usize| {
            let before = at.checked_sub(1).map(|before| known[before].as_str());
            !before.is_some_and(|before| WordClass::BeforeVerb.has(before))
        };
        let at =
            (0..known.len()).filter(is_noun).find(|at| english::is_same_word(head, &known[*at]))?;
        let word = &known[at];
        wanted.iter().all(has).then(|| (word.clone(), without_open_quotation(sentence)))
    })
}

/// The sentence, without quotation marks where one of them stands in another sentence.
fn without_open_quotation(sentence: &str) -> String {
    let (open, close) = ('\u{201c}', '\u{201d}');
    if sentence.matches(open).count() == sentence.matches(close).count() {
        return sentence.to_owned();
    }
    sentence.replace([open, close], "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::noun_in;

    #[test]
    fn a_noun_of_a_text_is_found_with_a_whole_sentence_and_a_verb_is_none() {
        let text = "\u{201c}You are late. Isobel means to name the Pike boy.\u{201d} It rains.";
        let found = noun_in("pike boy", std::iter::once(text));
        assert!(
            noun_in("names", std::iter::once("A book that everybody names in time.")).is_none()
        );
        insta::assert_snapshot!(found.unwrap().1, @"Isobel means to name the Pike boy.");
    }
}
