//! What somebody in a premise wants, has lost, or will not do.

use english::WordClass;

use super::{
    layout::the,
    noun::PremiseNoun,
    nouns::NounKind,
    tokens::{PremiseToken, WordRole, is_missing, is_verb, role_of},
};

/// Longest words of a premise that become the title of a thread, in characters.
const TASK_CHARS_MAX: usize = 48;

/// What there is to do, as the premise says it. Numbers are those of nouns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PremiseWant {
    /// Somebody will not do something: `will not pay`.
    Refuses { who: usize, told: String },
    /// Somebody or something is missing, sought or wanted.
    Find(usize),
    /// A place to get to.
    Reach(usize),
    /// Somebody keeps taking something: `someone has been stealing the bread`.
    Theft(usize),
    /// Somebody was found dead.
    Death(usize),
    /// Something to find out: `who poisoned the well`.
    Riddle(String),
    /// Anything else that must be done: `repair the clock`.
    Task(String),
    /// Something is not as it should be: `a bell that rings by itself`.
    Trouble(usize),
    /// Somebody has to do with many of a thing: `collects teapots`.
    Collects { who: usize, what: usize },
}

/// All that a premise says of this, in its order, each noun once.
pub(super) fn wants(
    text: &str,
    tokens: &[PremiseToken<'_>],
    nouns: &[PremiseNoun],
    player: Option<usize>,
) -> Vec<PremiseWant> {
    let reader = WantReader { text, tokens, nouns, player };
    let mut found: Vec<PremiseWant> = Vec::new();
    let missing = nouns.iter().enumerate().filter(|(_, noun)| noun.is_missing);
    let missing = missing.map(|(idx, _)| PremiseWant::Find(idx));
    let dead = nouns.iter().enumerate().filter(|(_, noun)| noun.is_riddle);
    let missing = missing.chain(dead.map(|(idx, _)| PremiseWant::Death(idx)));
    let said = (0..tokens.len()).filter_map(|idx| reader.at(idx));
    for want in missing.chain(said) {
        if !found.contains(&want) {
            found.push(want);
        }
    }
    // What is missing has no other trouble.
    let sought = found.clone();
    found.retain(|want| {
        !matches!(want, PremiseWant::Trouble(noun) if sought.contains(&PremiseWant::Find(*noun)))
    });
    found
}

/// `my` and `me` as they are said to the player.
fn to_player(word: &str) -> &str {
    match word {
        "my" | "our" => "your",
        "me" | "us" => "you",
        word => word,
    }
}

struct WantReader<'r> {
    text: &'r str,
    tokens: &'r [PremiseToken<'r>],
    nouns: &'r [PremiseNoun],
    player: Option<usize>,
}

impl WantReader<'_> {
    fn word(&self, idx: usize) -> &str {
        self.tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default()
    }

    /// What begins at this word.
    fn at(&self, idx: usize) -> Option<PremiseWant> {
        let (word, next) = (self.word(idx), self.word(idx + 1));
        if self.is_absence(idx) {
            return self.subject_of_loss(idx);
        }
        if ["find", "discover", "learn"].contains(&word) && self.asks_at(idx).is_some() {
            return self.riddle(idx);
        }
        if self.is_refusal(idx) {
            return self.refusal(idx);
        }
        if ["must", "should"].contains(&word) || (next == "to" && WordClass::Wanting.has(word)) {
            return self.task(idx + 1 + usize::from(next == "to"));
        }
        if let Some(loss) = self.theft_or_loss(idx) {
            return loss;
        }
        if WordClass::Losing.has(word) && !["that", "out", "himself", "herself"].contains(&next) {
            return self.object(idx + 1).map(|noun| self.sought(noun));
        }
        let is_timed = WordClass::CountedHours.has(self.word(idx.saturating_sub(1)));
        if word == "to" && is_timed && is_verb(next) {
            return self.task(idx + 1);
        }
        if ["wait", "waits", "waiting"].contains(&word) && next == "for" {
            let object = self.object(idx + 2);
            return object
                .filter(|noun| self.nouns[*noun].kind == NounKind::Place)
                .map(PremiseWant::Reach);
        }
        let is_search = ["searches", "searching", "looks", "looking", "hunting", "search"]
            .contains(&word)
            && next == "for";
        if is_search {
            return self.object(idx + 2).map(|noun| self.sought(noun));
        }
        if WordClass::Collecting.has(word) {
            let (who, what) = (self.being_before(idx)?, self.object(idx + 1)?);
            let is_thing = self.nouns[what].kind == NounKind::Thing;
            return is_thing.then_some(PremiseWant::Collects { who, what });
        }
        self.trouble(idx)
    }

    fn is_refusal(&self, idx: usize) -> bool {
        let (word, next) = (self.word(idx), self.word(idx + 1));
        ["won't", "wouldn't", "doesn't", "don't", "can't", "cannot", "couldn't"].contains(&word)
            || (["has", "have", "had"].contains(&word)
                && next == "not"
                && is_verb(self.word(idx + 2)))
            || (word == "hasn't" && is_verb(next))
            || (word == "never" && is_verb(next) && !self.is_absence(idx))
            || (word == "stopped" && next.ends_with("ing") && is_verb(next))
            || (["will", "would", "does", "do", "can", "could"].contains(&word) && next == "not")
            || (["refuses", "refuse", "refused"].contains(&word) && next == "to")
    }

    /// What is stolen, empty or missing by this word, if it is such a word.
    fn theft_or_loss(&self, idx: usize) -> Option<Option<PremiseWant>> {
        let word = self.word(idx);
        let is_going_on =
            idx > 0 && ["been", "is", "are", "keeps", "keep", "was"].contains(&self.word(idx - 1));
        if ["stealing", "robbing"].contains(&word) || (word == "taking" && is_going_on) {
            let is_thing = |noun: &usize| self.nouns[*noun].kind == NounKind::Thing;
            return Some(self.object(idx + 1).filter(is_thing).map(PremiseWant::Theft));
        }
        if word == "empty" && idx > 1 && ["is", "was"].contains(&self.word(idx - 1)) {
            return Some(self.emptied(idx));
        }
        let is_loss = is_missing(word) || ["vanishes", "disappears"].contains(&word);
        is_loss.then(|| self.loss(idx))
    }

    fn sought(&self, noun: usize) -> PremiseWant {
        match self.nouns[noun].kind {
            NounKind::Place => PremiseWant::Reach(noun),
            _ => PremiseWant::Find(noun),
        }
    }

    /// The noun after this word, before another clause.
    fn object(&self, idx: usize) -> Option<usize> {
        let end = self.clause_end(idx);
        // `lost contact with the surface` loses no surface.
        let is_apart = |at: usize| WordClass::EndsObject.has(self.word(at));
        let is_meant = |noun: &PremiseNoun| {
            let kinds = [NounKind::Being, NounKind::Place, NounKind::Thing];
            if (idx..noun.tokens.0).any(is_apart) {
                return false;
            }
            noun.tokens.0 >= idx
                && noun.tokens.0 < end
                && !noun.is_owner
                && kinds.contains(&noun.kind)
        };
        self.nouns.iter().position(is_meant)
    }

    /// The being that does what begins at this word.
    fn being_before(&self, idx: usize) -> Option<usize> {
        let is_subject = |noun: &PremiseNoun| {
            noun.tokens.0 < idx && noun.kind == NounKind::Being && !noun.is_owner
        };
        self.nouns.iter().rposition(is_subject).filter(|noun| Some(*noun) != self.player)
    }

    fn clause_end(&self, idx: usize) -> usize {
        let ends = |token: &PremiseToken<'_>| {
            token.is_first || WordClass::EndsWant.has(token.word.as_str())
        };
        let rest = self.tokens.get(idx..).unwrap_or_default();
        idx + rest.iter().skip(1).position(ends).map_or(rest.len(), |n| n + 1)
    }

    /// The words from here to the end of the clause.
    fn clause(&self, idx: usize) -> Option<String> {
        self.text_of(idx, self.clause_end(idx))
    }

    /// These words, as they are said to the player; `it` and `him` behind the verb become who or what is meant.
    fn text_of(&self, idx: usize, end: usize) -> Option<String> {
        let last = end.checked_sub(1).filter(|last| *last >= idx)?;
        let (from, to) = (self.tokens.get(idx)?.span.0, self.tokens.get(last)?.span.1);
        let object = (last > idx).then(|| self.meant_by(idx + 1)).flatten();
        let text = match object {
            Some(object) => {
                let behind = self.text.get(self.tokens[idx + 1].span.1..to)?;
                format!("{} {object}{behind}", self.tokens[idx].raw)
            }
            None => self.text.get(from..to)?.to_owned(),
        };
        let text = text.split_whitespace().map(to_player).collect::<Vec<_>>().join(" ");
        let is_plain = text.chars().count() <= TASK_CHARS_MAX
            && !text.contains(['{', '}', '<', '>', '"', '\u{201c}', '\u{201d}']);
        is_plain.then_some(text)
    }

    /// What the pronoun at this word means: the last noun before it that it fits.
    fn meant_by(&self, idx: usize) -> Option<String> {
        let word = self.word(idx);
        let is_alone = self.tokens.get(idx + 1).is_none_or(|next| {
            next.is_first || role_of(&next.word).is_some_and(|role| role != WordRole::Determiner)
        });
        let fits = |noun: &&PremiseNoun| {
            let is_being = noun.kind == NounKind::Being;
            let is_it = !is_being || noun.pronoun == Some("it");
            let kinds = [NounKind::Being, NounKind::Thing];
            noun.tokens.1 <= idx
                && !noun.is_owner
                && kinds.contains(&noun.kind)
                && match word {
                    "it" => is_it,
                    "him" => is_being && noun.pronoun != Some("she") && !is_it,
                    "her" => is_being && noun.pronoun != Some("he") && !is_it,
                    _ => false,
                }
        };
        let mut nouns = self.nouns.iter().enumerate().rev();
        let noun = nouns.find(|(at, noun)| Some(*at) != self.player && fits(noun));
        noun.filter(|_| is_alone).map(|(_, noun)| the(&noun.name))
    }

    fn refusal(&self, idx: usize) -> Option<PremiseWant> {
        let who = self.being_before(idx)?;
        let told = self.text_of(idx, self.refusal_end(idx))?;
        let has = if self.word(idx) == "stopped" { "has " } else { "" };
        Some(PremiseWant::Refuses { who, told: format!("{has}{told}") })
    }

    /// Where a refusal ends: `whose dragon refuses to fly` goes on with `must bring it`, which somebody else must.
    fn refusal_end(&self, idx: usize) -> usize {
        let end = self.clause_end(idx);
        // `has stopped speaking receives an invitation`
        match self.word(idx) {
            "stopped" => return end.min(idx + 2),
            "has" | "have" | "had" => return end.min(idx + 3),
            _ => {}
        }
        let is_other = |at: &usize| {
            let word = self.word(*at);
            let is_finite = WordClass::GoesOnBehindRefusal.has(word);
            is_finite
                && role_of(self.word(at - 1)) != Some(WordRole::Auxiliary)
                && self.word(at - 1) != "to"
        };
        (idx + 2..end).find(is_other).unwrap_or(end)
    }

    fn task(&self, idx: usize) -> Option<PremiseWant> {
        let verb = self.word(idx);
        // `wants to know why` says nothing of what.
        if self.asks_at(idx).is_some() || verb == "know" {
            return None;
        }
        if ["find", "rescue", "save", "steal", "seek", "catch"].contains(&verb) {
            return self.object(idx + 1).map(|noun| self.sought(noun));
        }
        if WordClass::TaskToReach.has(verb)
            && let Some(noun) = self.object(idx + 1)
            && self.nouns[noun].kind == NounKind::Place
        {
            return Some(PremiseWant::Reach(noun));
        }
        let is_deed = is_verb(verb) || role_of(verb).is_none();
        self.clause(idx)
            .filter(|_| is_deed && role_of(verb) != Some(WordRole::Auxiliary))
            .map(PremiseWant::Task)
    }

    /// Where `who` or `why` stands behind `find out` or `discover`.
    fn asks_at(&self, idx: usize) -> Option<usize> {
        let at = idx + 1 + usize::from(self.word(idx + 1) == "out");
        let is_deed = ["find", "discover", "learn"].contains(&self.word(idx));
        let is_asked = ["who", "what", "why", "where", "how"].contains(&self.word(at));
        let has_more = self.tokens.get(at + 1).is_some_and(|next| !next.is_first);
        (is_deed && is_asked && has_more).then_some(at)
    }

    /// `find out who poisoned the well`
    fn riddle(&self, idx: usize) -> Option<PremiseWant> {
        let at = self.asks_at(idx)?;
        Some(PremiseWant::Riddle(self.text_of(at, self.clause_end(at))?))
    }

    /// `hasn't been home`, `has not come in`, `never came back`: somebody is not where they are waited for.
    fn is_absence(&self, idx: usize) -> bool {
        let word = |n: usize| self.word(idx + n);
        let is_not = ["hasn't", "haven't", "hadn't", "didn't", "never"].contains(&word(0));
        if word(0) == "without" && WordClass::PersonPronoun.has(word(1)) {
            return (idx.saturating_sub(3)..idx).any(|at| {
                ["came", "come", "comes", "returned", "returns"].contains(&self.word(at))
            });
        }
        let skip = match (word(0), word(1)) {
            ("has" | "have" | "had" | "did", "not" | "never") => 2,
            _ if is_not => 1,
            _ => return false,
        };
        match word(skip) {
            "come" | "came" | "been" | "gone" => WordClass::AbsenceAdverb.has(word(skip + 1)),
            "returned" | "return" => true,
            _ => false,
        }
    }

    /// Who or what is missing by what is said here.
    fn subject_of_loss(&self, idx: usize) -> Option<PremiseWant> {
        let is_other = |who: &usize| {
            let noun = &self.nouns[*who];
            noun.kind == NounKind::Being && noun.tokens.1 <= idx && Some(*who) != self.player
        };
        let who = (0..self.nouns.len()).rev().find(is_other)?;
        (self.nouns[who].tokens.1 + 6 > idx).then_some(PremiseWant::Find(who))
    }

    /// `the elephant's cage is empty`
    fn emptied(&self, idx: usize) -> Option<PremiseWant> {
        let at = self.nouns.iter().position(|noun| noun.tokens.1 == idx - 1)?;
        let owner = self.nouns.iter().position(|owner| {
            owner.is_owner
                && owner.kind == NounKind::Being
                && owner.tokens.1 == self.nouns[at].tokens.0
        })?;
        (Some(owner) != self.player).then_some(PremiseWant::Find(owner))
    }

    /// `has lost its cook`, `the cook is missing`.
    fn loss(&self, idx: usize) -> Option<PremiseWant> {
        let is_from = role_of(self.word(idx + 1)) == Some(WordRole::Preposition);
        if matches!(self.word(idx), "lost" | "stolen" | "misplaced" | "forgotten")
            && !is_from
            && let Some(noun) =
                self.object(idx + 1).filter(|noun| self.nouns[*noun].tokens.0 <= idx + 4)
        {
            return Some(self.sought(noun));
        }
        let is_state = idx > 0 && WordClass::VerbOfLoss.has(self.word(idx - 1));
        let is_deed =
            ["vanished", "disappeared", "vanishes", "disappears"].contains(&self.word(idx));
        if !is_state && !is_deed {
            return None;
        }
        // `the conductor has gone cold` is no loss, but nobody says it of a conductor.
        let is_subject = |noun: &PremiseNoun| {
            noun.tokens.1 <= idx
                && !noun.is_owner
                && [NounKind::Being, NounKind::Thing].contains(&noun.kind)
        };
        let noun =
            self.nouns.iter().rposition(is_subject).filter(|noun| Some(*noun) != self.player)?;
        // `the patient in room 9 has vanished`
        let end = self.nouns[noun].tokens.1;
        let has_place = role_of(self.word(end)) == Some(WordRole::Preposition);
        let reach = if has_place { 8 } else { 4 };
        (end + reach > idx).then_some(PremiseWant::Find(noun))
    }

    /// `a play that goes wrong`, `the bell has stopped`: what is said of a thing, a place or an event.
    fn trouble(&self, idx: usize) -> Option<PremiseWant> {
        let token = self.tokens.get(idx)?;
        let is_clause = ["that", "which", "whose", "where"].contains(&token.word.as_str())
            || role_of(&token.word) == Some(WordRole::Auxiliary);
        let noun = self.nouns.iter().position(|noun| noun.tokens.1 == idx)?;
        // Of `the patient in room 9 has vanished` the room has no trouble, and of `the clock in
        // the square has stopped` the clock has it.
        let first = self.nouns[noun].tokens.0;
        let is_lead = |at: &usize| role_of(self.word(*at)) == Some(WordRole::Determiner);
        let before = (0..first).rev().find(|at| !is_lead(at));
        let subject = before
            .filter(|at| role_of(self.word(*at)) == Some(WordRole::Preposition))
            .and_then(|at| self.nouns.iter().position(|other| other.tokens.1 == at))
            .filter(|_| role_of(&token.word) == Some(WordRole::Auxiliary));
        let noun = subject.unwrap_or(noun);
        let kinds = [NounKind::Thing, NounKind::Place, NounKind::Event];
        (is_clause && kinds.contains(&self.nouns[noun].kind) && !self.nouns[noun].is_owner)
            .then_some(PremiseWant::Trouble(noun))
    }
}
