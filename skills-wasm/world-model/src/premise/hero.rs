//! Who of a premise the player is, and which of its nouns are one and the same person. Knows words, and no world.

use english::WordClass;

use super::{
    dead::is_said_dead,
    noun::PremiseNoun,
    nouns::{NounKind, is_beast, is_plural, kind_of},
    tokens::{PremiseToken, WordRole, is_missing, is_verb, role_of},
};

/// Most words between `as`, `am` or `was` and the noun behind it.
const LEAD_WORDS_MAX: usize = 4;

/// Most words between a time or a work and the `as` that says which: `my first week in this town as`.
const TIME_WORDS_MAX: usize = 6;

/// The player of a premise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PremiseHero {
    pub(super) noun: usize,
    /// Where the words about the player begin: `a smuggler's daughter` begins with the smuggler.
    pub(super) begins_at: usize,
    /// The premise says what the player does, and not only what the player is.
    pub(super) is_subject: bool,
}

struct HeroReader<'r> {
    tokens: &'r [PremiseToken<'r>],
    nouns: &'r [PremiseNoun],
}

/// A premise that begins with a human being is about the player; so is what follows `you are` or `my first day as`.
pub(super) fn hero_of(tokens: &[PremiseToken<'_>], nouns: &[PremiseNoun]) -> Option<PremiseHero> {
    let reader = HeroReader { tokens, nouns };
    if let Some(noun) = reader.by_role().or_else(|| reader.by_pronoun()) {
        return Some(PremiseHero { noun, begins_at: nouns[noun].tokens.0, is_subject: false });
    }
    let is_self = |token: &PremiseToken<'_>| WordClass::HeroPronoun.has(token.word.as_str());
    if tokens.iter().any(is_self) {
        return None;
    }
    reader.first_subject()
}

impl HeroReader<'_> {
    fn word(&self, idx: usize) -> &str {
        self.tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default()
    }

    /// The human being whose words begin behind this one, with nothing but small words between.
    fn being_after(&self, idx: usize) -> Option<usize> {
        let reach = idx + 1..=idx + LEAD_WORDS_MAX;
        let noun = self.nouns.iter().position(|noun| reach.contains(&noun.tokens.0))?;
        let is_lead = |idx: usize| {
            let role = role_of(self.word(idx));
            [Some(WordRole::Determiner), Some(WordRole::Auxiliary), Some(WordRole::Adverb)]
                .contains(&role)
        };
        let known = &self.nouns[noun];
        let is_close = (idx + 1..known.tokens.0).all(is_lead);
        // Nobody alone is a family.
        let is_many =
            ["family", "crew", "people", "couple", "band", "team"].contains(&known.head.as_str());
        // Whatever no table knows is somebody, where somebody says to be it.
        let is_unknown =
            known.kind == NounKind::Thing && kind_of(std::slice::from_ref(&known.head)).is_none();
        let is_being = known.kind == NounKind::Being || is_unknown;
        (is_close && is_being && !known.is_owner && !is_many).then_some(noun)
    }

    /// `my first week as a night nurse`, `as a junior archivist, I`, `she works as a librarian`.
    fn by_role(&self) -> Option<usize> {
        (0..self.tokens.len()).find_map(|at| {
            let is_article = ["a", "an", "the", "our", "your", "my"].contains(&self.word(at + 1));
            if self.word(at) != "as" || !is_article {
                return None;
            }
            let before = at.saturating_sub(TIME_WORDS_MAX)..at;
            let is_own =
                at == 0 || before.clone().any(|idx| WordClass::WhoseRole.has(self.word(idx)));
            let is_role = at == 0
                || before.into_iter().any(|idx| {
                    WordClass::CountedTime.has(self.word(idx))
                        || WordClass::WorksAs.has(self.word(idx))
                });
            self.being_after(at).filter(|_| is_own && is_role)
        })
    }

    /// `you are a ghost`, `I've been the caretaker`; and of somebody else only where the premise begins with it.
    fn by_pronoun(&self) -> Option<usize> {
        (0..self.tokens.len()).find_map(|at| {
            let word = self.word(at);
            let is_said = match word {
                "i'm" | "you're" | "we're" => true,
                "i" | "you" | "we" => {
                    ["am", "are", "was", "were", "have"].contains(&self.word(at + 1))
                }
                "i've" | "you've" | "we've" => self.word(at + 1) == "been",
                "he" | "she" | "they" if at == 0 => {
                    self.tokens[0].is_owner
                        || ["is", "was", "are", "were", "has"].contains(&self.word(1))
                }
                _ => false,
            };
            self.being_after(at).filter(|_| is_said)
        })
    }

    fn subject(&self, noun: usize, begins_at: usize) -> PremiseHero {
        PremiseHero { noun, begins_at, is_subject: true }
    }

    fn is_human(&self, noun: &PremiseNoun) -> bool {
        noun.kind == NounKind::Being && !noun.is_missing && !is_beast(&noun.head)
    }

    /// The first noun, where it is somebody who can act; else who must do something.
    fn first_subject(&self) -> Option<PremiseHero> {
        let first = self.nouns.get(self.first_actor())?;
        if (first.tokens.0 > 3 && self.first_actor() == 0)
            || (first.kind != NounKind::Being && !first.is_owner)
        {
            return self.who_must();
        }
        // `a smuggler's daughter`
        if first.is_owner {
            let of = self.nouns.get(1).filter(|of| of.tokens.0 == first.tokens.1)?;
            // `Death's new assistant`: what is no being may have people all the same.
            let is_owner = self.is_human(first) || first.kind == NounKind::Matter;
            let is_meant = is_owner && self.is_human(of) && self.is_free(of);
            return is_meant.then(|| self.subject(1, first.tokens.0));
        }
        if !self.is_human(first) {
            return None;
        }
        if self.is_free(first) {
            return Some(self.subject(self.first_actor(), first.tokens.0));
        }
        self.who_must()
    }

    /// The first noun, or behind `in the trenches` and `stranded on a glacier` the first being, as of whom the rest is said.
    fn first_actor(&self) -> usize {
        let first = self.word(0);
        let is_form = first.ends_with("ed") || first.ends_with("ing");
        let is_participle = is_form && (is_verb(first) || kind_of(&[first.to_owned()]).is_none());
        if !WordClass::OpensPremise.has(first) && !is_participle {
            return 0;
        }
        let is_actor = |noun: &PremiseNoun| noun.kind == NounKind::Being && !noun.is_owner;
        let found = self.nouns.iter().position(is_actor).unwrap_or(0);
        // `In the castle a crown is gone. The robot wants it` is about the crown.
        let has_thing = self.nouns[..found].iter().any(|noun| noun.kind == NounKind::Thing);
        if has_thing { 0 } else { found }
    }

    /// `his daughter must cross the lake`, `a beekeeper and her grandson must carry the hive`.
    fn who_must(&self) -> Option<PremiseHero> {
        let must = |noun: &PremiseNoun| {
            let next = [self.word(noun.tokens.1), self.word(noun.tokens.1 + 1)];
            let is_joined = next[0] == "and"
                && self.nouns.iter().any(|other| {
                    (noun.tokens.1 + 1..noun.tokens.1 + 4).contains(&other.tokens.0)
                        && self.word(other.tokens.1) == "must"
                });
            let is_one = !noun.is_owner && !is_plural(&noun.head);
            self.is_human(noun)
                && is_one
                && (next[0] == "must" || next == ["has", "to"] || is_joined)
        };
        let noun = self.nouns.iter().position(must)?;
        Some(self.subject(noun, self.nouns[noun].tokens.0))
    }

    /// Returns true unless the premise says that they are dead, gone or out of the story, or speaks of all of them.
    fn is_free(&self, noun: &PremiseNoun) -> bool {
        // What is said of `the tailor of Gloucester` stands behind Gloucester.
        let place = self.nouns.iter().find(|other| {
            (noun.tokens.1 + 1..noun.tokens.1 + 4).contains(&other.tokens.0)
                && role_of(self.word(noun.tokens.1)) == Some(WordRole::Preposition)
        });
        let end = place.map_or(noun.tokens.1, |place| place.tokens.1);
        let is_small = |idx: usize| {
            matches!(role_of(self.word(idx)), Some(WordRole::Auxiliary | WordRole::Adverb))
                || ["fallen", "taken", "gone"].contains(&self.word(idx))
        };
        let said = (end..end + LEAD_WORDS_MAX).find(|idx| !is_small(*idx)).unwrap_or(end);
        let is_said = said > end && !self.tokens.get(said).is_some_and(|token| token.is_first);
        let has_object = role_of(self.word(said + 1)) == Some(WordRole::Determiner);
        let is_gone = ["vanished", "disappeared", "missing"].contains(&self.word(end))
            || (is_said && is_missing(self.word(said)) && !has_object);
        let has_others =
            self.nouns.iter().filter(|other| other.kind == NounKind::Being).count() > 1;
        let has_fate = is_said && has_others && WordClass::Fate.has(self.word(said));
        let is_all = (0..noun.tokens.0).any(|idx| WordClass::Quantifier.has(self.word(idx)));
        let is_each =
            (0..noun.tokens.0).any(|idx| ["every", "each", "no"].contains(&self.word(idx)));
        let is_whole_group = is_each || (is_all && is_plural(&noun.head));
        ![is_gone, has_fate, is_said_dead(self.tokens, end), is_whole_group].contains(&true)
    }
}

/// Pairs of a being and what it has been turned into: `the prince has been turned into a swan`.
pub(super) fn turned_into(
    tokens: &[PremiseToken<'_>],
    nouns: &[PremiseNoun],
) -> Vec<(usize, usize)> {
    let word = |idx: usize| tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default();
    let turns = ["turned", "turns", "transformed", "changed", "turn"];
    let pairs = (1..tokens.len()).filter_map(|at| {
        let is_turn =
            word(at) == "into" && (at.saturating_sub(5)..at).any(|idx| turns.contains(&word(idx)));
        let being =
            nouns.iter().rposition(|noun| noun.kind == NounKind::Being && noun.tokens.1 <= at)?;
        let shape = nouns.iter().position(|noun| (at + 1..at + 4).contains(&noun.tokens.0))?;
        let kinds = [NounKind::Being, NounKind::Thing];
        (is_turn && being != shape && kinds.contains(&nouns[shape].kind)).then_some((being, shape))
    });
    pairs.collect()
}

/// Pairs of nouns that are one person: a name, and what it is: `Helen Marsh, a marine biologist`.
pub(super) fn same_people(
    tokens: &[PremiseToken<'_>],
    nouns: &[PremiseNoun],
) -> Vec<(usize, usize)> {
    let word = |idx: usize| tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default();
    let is_name = |noun: &PremiseNoun| {
        noun.kind == NounKind::Being && !noun.is_owner && noun.name.starts_with(char::is_uppercase)
    };
    let is_trade = |noun: &PremiseNoun| {
        noun.kind == NounKind::Being && !noun.is_owner && !noun.name.starts_with(char::is_uppercase)
    };
    let says_is = |from: usize, to: usize| {
        let between: Vec<&str> = (from..to).map(word).collect();
        let is_joined = tokens.get(from).is_some_and(|token| token.is_first);
        match between.as_slice() {
            [] => false,
            ["a" | "an" | "the" | "her" | "his" | "our" | "my"] => is_joined,
            [
                "is" | "was",
                between @ ..,
                "a" | "an" | "the" | "our" | "my" | "her" | "his" | "their",
            ] => {
                let is_small = |word: &&str| role_of(word) == Some(WordRole::Adverb);
                between.iter().all(is_small) && !(from..to).any(|idx| tokens[idx].is_first)
            }
            ["works" | "worked", "as", "a" | "an" | "the"] => true,
            _ => false,
        }
    };
    let pairs = nouns.windows(2).enumerate().filter_map(|(idx, pair)| {
        let [one, other] = pair else { return None };
        let is_shape = is_trade(one) && ["is", "was"].contains(&word(one.tokens.1));
        if (is_name(one) || is_shape) && is_trade(other) && says_is(one.tokens.1, other.tokens.0) {
            return Some((idx, idx + 1));
        }
        // `on her first day as a postwoman, Ida`; `the baker, Anna Holt, finds`
        let next = other.tokens.1;
        let is_set_off = tokens.get(next).is_some_and(|token| token.is_first)
            && !["a", "an", "and", "or", "the"].contains(&word(next));
        let is_role = one.tokens.0 > 1 && word(one.tokens.0 - 2) == "as";
        let is_behind = is_trade(one)
            && is_name(other)
            && one.tokens.1 == other.tokens.0
            && tokens[other.tokens.0].is_first
            && (is_set_off || is_role);
        is_behind.then_some((idx + 1, idx))
    });
    pairs.collect()
}
