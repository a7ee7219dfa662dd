//! The nouns of a premise: what is said between small words, verbs and marks.

use english::WordClass;

use super::{
    classes::{WordSense, class_of},
    noun::PremiseNoun,
    nouns::{NounKind, is_plural, kind_of, known_kind_of},
    tokens::{
        PremiseToken, WordRole, ends_noun, is_form_of, is_missing, is_only_finite, is_verb, role_of,
    },
    vocabulary::REACHING,
};
use crate::{check::NAME_CHARS_MAX, words};

/// Longest clause of the premise that describes somebody, in characters.
const CLAUSE_CHARS_MAX: usize = 160;

/// Most nouns that are read.
const NOUNS_MAX: usize = 24;

/// Returns true if the word says what somebody does: `finds`, `will`, but no noun.
fn is_said(word: &str) -> bool {
    let is_noun = kind_of(&[word.to_owned()]).is_some();
    role_of(word) == Some(WordRole::Auxiliary) || (is_verb(word) && !is_noun)
}

struct NounReader<'r, 't> {
    text: &'t str,
    tokens: &'r [PremiseToken<'t>],
    found: Vec<PremiseNoun>,
    /// The words of the noun that is being read.
    run: Vec<usize>,
    has_determiner: bool,
    /// The preposition before it.
    before: Option<&'r str>,
    /// A verb is what comes next.
    awaits_verb: bool,
    /// The noun before it was called something, and this is its name.
    is_called: bool,
    /// Nouns without an article that no table knows count as well.
    takes_all: bool,
    /// The text has English words.
    is_english: bool,
}

/// The nouns of a text.
pub(super) fn nouns_of(text: &str, tokens: &[PremiseToken<'_>]) -> Vec<PremiseNoun> {
    NounReader::read(text, tokens)
}

impl<'r, 't> NounReader<'r, 't> {
    fn read(text: &'t str, tokens: &'r [PremiseToken<'t>]) -> Vec<PremiseNoun> {
        let is_english = tokens.iter().any(|token| {
            let is_shared = WordClass::GermanOrEnglish.has(token.word.as_str());
            (role_of(&token.word).is_some() && !is_shared)
                || kind_of(std::slice::from_ref(&token.word)).is_some()
        });
        let once = |takes_all: bool| {
            let mut reader = NounReader {
                text,
                tokens,
                found: Vec::new(),
                run: Vec::new(),
                has_determiner: false,
                before: None,
                awaits_verb: false,
                is_called: false,
                takes_all,
                is_english: is_english || tokens.len() < 2,
            };
            reader.all();
            reader.found
        };
        let found = once(false);
        if found.is_empty() { once(true) } else { found }
    }

    fn all(&mut self) {
        for idx in 0..self.tokens.len() {
            if self.tokens[idx].is_first {
                self.end(idx);
                (self.awaits_verb, self.before, self.has_determiner) = (false, None, false);
            }
            if self.is_english {
                self.english(idx);
            } else {
                self.foreign(idx);
            }
        }
        self.end(self.tokens.len());
    }

    /// Of another language only the small words are known.
    fn foreign(&mut self, idx: usize) {
        const SMALL: &str = "ein eine einer eines einem einen der die das dem den des im am an in auf mit und von zu ohne ist sich un \
            une le la les du de dans avec et sur qui que el los las una en con y por para il lo gli i di del della che non nicht \
            il per uno au aux est se su al es das os um uma no na do da e o a à";
        if SMALL.split(' ').any(|word| word == self.tokens[idx].word) {
            self.end(idx);
            return;
        }
        self.end(idx);
        self.run.push(idx);
    }

    fn english(&mut self, idx: usize) {
        let token = &self.tokens[idx];
        let word = token.word.as_str();
        let is_name = self.is_named(idx);
        let role = if is_name { None } else { role_of(word) };
        match role {
            Some(WordRole::Determiner)
                if self.run.is_empty() || WordClass::EnglishArticle.has(word) =>
            {
                // `in the tide pools a zang` has one noun that is inside.
                let before = self.before.filter(|_| self.run.is_empty());
                self.end(idx);
                self.before = before;
                self.has_determiner = true;
                self.awaits_verb = false;
            }
            Some(WordRole::Preposition) => {
                self.end(idx);
                self.before = Some(word);
                let next =
                    self.tokens.get(idx + 1).map(|next| next.word.as_str()).unwrap_or_default();
                self.awaits_verb = word == "to"
                    && (is_verb(next) || next == "count")
                    && kind_of(&[next.to_owned()]) != Some(NounKind::Place);
            }
            Some(WordRole::Relative | WordRole::Auxiliary | WordRole::Pronoun) => {
                self.end(idx);
                self.awaits_verb = !["whose", "where", "when"].contains(&word);
            }
            Some(WordRole::Adverb) if !self.run.is_empty() || self.awaits_verb => {
                // "one patient never sleeps"
                let is_object = self
                    .tokens
                    .get(idx + 2)
                    .is_some_and(|next| role_of(&next.word) == Some(WordRole::Determiner));
                let next = self.tokens.get(idx + 1).is_some_and(|next| {
                    is_verb(&next.word) || (is_object && next.word.ends_with('s'))
                });
                let awaits_verb = self.awaits_verb || next;
                self.end(idx);
                self.awaits_verb = awaits_verb;
            }
            Some(_) => {
                self.end(idx);
                self.awaits_verb = false;
            }
            None => self.content(idx, is_name),
        }
    }

    fn content(&mut self, idx: usize, is_name: bool) {
        let token = &self.tokens[idx];
        let word = token.word.as_str();
        // `is called to a monastery` names nobody.
        let next = self.tokens.get(idx + 1).and_then(|next| role_of(&next.word));
        if ["called", "named"].contains(&word) && next.is_none() {
            self.end(idx);
            self.is_called = true;
            return;
        }
        if self.awaits_verb && !is_name {
            self.awaits_verb = false;
            // `is missing`, `will pay`, `has a ring`: what follows may be a noun again.
            return;
        }
        let head_kind = self
            .run
            .last()
            .and_then(|last| kind_of(std::slice::from_ref(&self.tokens[*last].word)));
        let is_after_noun = head_kind.is_some() && !is_name;
        let is_after_name = self.run.last().is_some_and(|last| self.is_named(*last)) && !is_name;
        let is_after_being = head_kind == Some(NounKind::Being) || is_after_name;
        let is_deed = is_after_being && is_verb(word);
        let known_plural = is_plural(word) && !is_deed && kind_of(&[word.to_owned()]).is_some();
        if (is_after_noun || is_after_name)
            && ends_noun(word, is_after_being && !known_plural)
            && !known_plural
        {
            self.end(idx);
            return;
        }
        if !is_name && self.is_finite_here(idx) {
            self.end(idx);
            return;
        }
        // `has stopped crossing the river`
        let goes_on = word.ends_with("ing") && idx > 0 && is_verb(&self.tokens[idx - 1].word);
        if self.run.is_empty() && !self.has_determiner && goes_on && is_verb(word) {
            return;
        }
        if self.run.is_empty()
            && !self.has_determiner
            && !is_name
            && is_verb(word)
            && !is_missing(word)
            && kind_of(&[word.to_owned()]).is_none()
        {
            return;
        }
        self.run.push(idx);
        if token.is_owner {
            self.end_owner(idx + 1);
        }
    }

    /// A verb that stands with its subject: `the ceiling began`, `all saw`, `the taps run`, `the lift stops at`.
    fn is_finite_here(&self, idx: usize) -> bool {
        let word = self.tokens[idx].word.as_str();
        let Some(last) = self.run.last().map(|last| self.tokens[*last].word.as_str()) else {
            let before = idx.checked_sub(1).map(|at| self.tokens[at].word.as_str());
            return is_only_finite(word) && ["all", "both", "each"].contains(&before.unwrap_or(""));
        };
        let is_noun = kind_of(&[word.to_owned()]).is_some();
        let next = self.tokens.get(idx + 1).filter(|next| !next.is_first);
        let role = next.and_then(|next| role_of(&next.word));
        let is_followed =
            [Some(WordRole::Preposition), Some(WordRole::Determiner), Some(WordRole::Adverb)]
                .contains(&role);
        let does = is_verb(word) && !is_noun;
        is_only_finite(word)
            || (does && is_plural(last) && kind_of(&[last.to_owned()]).is_some())
            || (does && word.ends_with('s') && is_followed)
    }

    /// A proper name: a capital within a sentence, or a first word that no table knows and that does something.
    fn is_named(&self, idx: usize) -> bool {
        let token = &self.tokens[idx];
        if !self.is_english {
            return false;
        }
        if token.is_name {
            return role_of(&token.word).is_none() || self.is_called;
        }
        let is_first_word = token.is_first && token.raw.starts_with(char::is_uppercase);
        let next = self.tokens.get(idx + 1).map(|next| next.word.as_str()).unwrap_or_default();
        let is_set_off = self.tokens.get(idx + 1).is_some_and(|next| next.is_first)
            && ["a", "an", "the"].contains(&next)
            && !is_verb(&token.word);
        let acts = token.is_owner
            || is_set_off
            || matches!(role_of(next), Some(WordRole::Auxiliary))
            || (next.ends_with('s') && is_verb(next));
        is_first_word
            && token.raw.chars().skip(1).any(char::is_lowercase)
            && acts
            && role_of(&token.word).is_none()
            && kind_of(std::slice::from_ref(&token.word)).is_none()
    }

    fn end_owner(&mut self, idx: usize) {
        let count = self.found.len();
        self.end(idx);
        if let Some(noun) = self.found.get_mut(count) {
            noun.is_owner = true;
        }
        self.has_determiner = true;
    }

    /// Ends the noun that is being read before the given word.
    fn end(&mut self, idx: usize) {
        let run = std::mem::take(&mut self.run);
        let (has_determiner, before, is_called) =
            (self.has_determiner, self.before.take(), self.is_called);
        (self.has_determiner, self.awaits_verb) = (false, false);
        if run.is_empty() {
            return;
        }
        self.is_called = false;
        if is_called && let Some(last) = self.found.last_mut() {
            let name = run.iter().map(|word| self.tokens[*word].raw).collect::<Vec<_>>().join(" ");
            if name.chars().count() <= NAME_CHARS_MAX {
                let name = words::capitalised(&name);
                last.aliases.push(std::mem::replace(&mut last.name, name));
            }
            return;
        }
        if let Some(noun) = self.noun(&run, (has_determiner, before), idx)
            && self.found.len() < NOUNS_MAX
            && !self.found.iter().any(|known| known.name.eq_ignore_ascii_case(&noun.name))
        {
            self.found.push(noun);
        }
    }

    fn noun(
        &self,
        run: &[usize],
        (has_determiner, before): (bool, Option<&str>),
        to: usize,
    ) -> Option<PremiseNoun> {
        let is_gap = |idx: &usize| is_missing(&self.tokens[*idx].word);
        let missing = run.iter().any(is_gap) && run.len() > 1;
        let kept: Vec<usize> = run.iter().copied().filter(|idx| !missing || !is_gap(idx)).collect();
        // Three words are a noun; more are a sentence.
        let kept = &kept[kept.len().saturating_sub(3)..];
        let named: Vec<usize> = kept.iter().copied().filter(|idx| self.is_named(*idx)).collect();
        let is_proper = kept.last().is_some_and(|last| self.is_named(*last));
        let lower: Vec<String> = kept.iter().map(|idx| self.tokens[*idx].word.clone()).collect();
        let head = lower.last()?.clone();
        // Of `the ship Halcyon` and `captain Mara Voss` the small words say what they are.
        let plain: Vec<String> = kept
            .iter()
            .filter(|idx| is_proper && !self.is_named(**idx))
            .map(|idx| self.tokens[*idx].word.clone())
            .collect();
        let of_plain = || kind_of(&plain).filter(|kind| *kind != NounKind::Nothing);
        let of_table = if is_proper { known_kind_of(&lower) } else { kind_of(&lower) };
        let known = of_table.or_else(of_plain);
        let by_context =
            || self.kind_by_context(&head, is_proper, (has_determiner, before), (run[0], to));
        let kind = known.or_else(by_context)?;
        let raw = |some: &[usize]| {
            some.iter().map(|idx| self.tokens[*idx].raw).collect::<Vec<_>>().join(" ")
        };
        let mut aliases = Vec::new();
        let mut name = if is_proper { raw(&named) } else { lower.join(" ") };
        if is_proper && named.len() < kept.len() {
            aliases.push(lower.join(" "));
        }
        if kind == NounKind::Being && !is_proper && is_plural(&head) {
            aliases.push(name.clone());
            name = [&lower[..lower.len() - 1], &[english::singular(&head)]].concat().join(" ");
        }
        let is_usable = name.chars().count() <= NAME_CHARS_MAX
            && name.chars().any(char::is_alphabetic)
            && head.chars().count() > 1;
        if !is_usable || kind == NounKind::Nothing || role_of(&name.to_lowercase()).is_some() {
            return None;
        }
        let modifiers = lower[..lower.len() - 1].to_vec();
        let tokens = (run[0], to);
        Some(PremiseNoun {
            lead: self.lead(run[0]),
            told: self.told(run, to),
            name,
            head,
            kind,
            modifiers,
            aliases,
            is_missing: missing,
            is_dead: false,
            is_riddle: false,
            is_locked: false,
            is_ahead: false,
            group: 0,
            pronoun: None,
            trade: None,
            is_owner: false,
            tokens,
        })
    }

    /// What a noun stands for that no table has; none if it is likely no noun.
    fn kind_by_context(
        &self,
        head: &str,
        is_proper: bool,
        (has_determiner, before): (bool, Option<&str>),
        (first, to): (usize, usize),
    ) -> Option<NounKind> {
        let follows = |words: &[&str]| before.is_some_and(|before| words.contains(&before));
        let is_inside =
            follows(&["in", "inside", "into", "near", "outside", "through", "across", "aboard"]);
        let next = self.tokens.get(to).map(|next| next.word.as_str()).unwrap_or_default();
        let is_many = head.ends_with('s') && !head.ends_with("ss");
        if is_proper {
            let is_there = is_inside || follows(&["at", "to", "from", "of", "until"]);
            let is_town = class_of(head) == Some(WordSense::Town);
            let is_place = is_there || is_town || self.is_gone_to(first);
            return Some(if is_place { NounKind::Place } else { NounKind::Being });
        }
        match next {
            "who" | "whom" => Some(NounKind::Being),
            _ if is_inside && has_determiner => Some(NounKind::Place),
            _ if has_determiner || self.takes_all || is_many => Some(NounKind::Thing),
            _ => None,
        }
    }

    /// The verb of which this noun is the object, in its first form.
    fn verb_before(&self, first: usize) -> Option<&str> {
        let is_lead = |idx: &usize| role_of(&self.tokens[*idx].word) == Some(WordRole::Determiner);
        let before = (0..first).rev().find(|idx| !is_lead(idx))?;
        Some(self.tokens[before].word.as_str())
    }

    /// `crosses Kazakhstan`
    fn is_gone_to(&self, first: usize) -> bool {
        self.verb_before(first).is_some_and(|verb| is_form_of(verb, REACHING))
    }

    /// The articles and numbers before a word.
    fn lead(&self, first: usize) -> String {
        let is_lead = |idx: &usize| {
            role_of(&self.tokens[*idx].word) == Some(WordRole::Determiner)
                && !self.tokens[idx + 1].is_first
        };
        let mut lead: Vec<&str> =
            (0..first).rev().take_while(is_lead).map(|idx| self.tokens[idx].raw).collect();
        lead.reverse();
        lead.join(" ")
    }

    /// The words of the premise that describe the noun: itself and a clause after it.
    fn told(&self, run: &[usize], to: usize) -> String {
        let begin = self.tokens[run[0]].span.0;
        let opens = [
            "who", "whose", "whom", "that", "which", "with", "without", "of", "from", "in", "on",
            "at", "and",
        ];
        let is_described = self.tokens.get(to).is_some_and(|next| {
            !next.is_first && opens[..opens.len() - 1].contains(&next.word.as_str())
        });
        let mut end = self.tokens[to - 1].span.1;
        if is_described {
            let ends = |token: &PremiseToken<'_>| {
                token.is_first || ["and", "but", "because", "while"].contains(&token.word.as_str())
            };
            let rest = &self.tokens[to..];
            let is_clause = role_of(&rest[0].word) == Some(WordRole::Relative);
            let is_verb_of = |token: &PremiseToken<'_>| !is_clause && is_said(&token.word);
            let last = rest.iter().position(|token| ends(token) || is_verb_of(token));
            let last = last.unwrap_or(rest.len());
            end = rest[..last].last().map_or(end, |token| token.span.1);
        }
        let told = self.text[begin..end].replace(['{', '}', '<', '>'], "");
        if told.chars().count() > CLAUSE_CHARS_MAX {
            self.text[begin..self.tokens[to - 1].span.1].to_owned()
        } else {
            told
        }
    }
}
