//! What somebody in a premise wants, has lost, or will not do.

use super::{
    nouns::NounKind,
    read::PremiseNoun,
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
    let said = (0..tokens.len()).filter_map(|idx| reader.at(idx));
    for want in missing.chain(said) {
        if !found.contains(&want) {
            found.push(want);
        }
    }
    found
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
        let is_refusal =
            ["won't", "wouldn't", "doesn't", "don't", "can't", "cannot", "couldn't", "never"]
                .contains(&word)
                || (["will", "would", "does", "do", "can", "could"].contains(&word)
                    && next == "not")
                || (["refuses", "refuse", "refused"].contains(&word) && next == "to");
        if is_refusal {
            return self.refusal(idx);
        }
        if ["must", "should"].contains(&word)
            || (next == "to"
                && ["has", "have", "wants", "want", "needs", "need", "tries", "hopes"]
                    .contains(&word))
        {
            return self.task(idx + 1 + usize::from(next == "to"));
        }
        if is_missing(word) {
            return self.loss(idx);
        }
        if [
            "loses", "lose", "misses", "steals", "stole", "seeks", "wants", "needs", "hunts",
            "finds", "rescues", "seek", "rescue",
        ]
        .contains(&word)
        {
            return self.object(idx + 1).map(|noun| self.sought(noun));
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
        if [
            "collects", "hoards", "gathers", "keeps", "loves", "sells", "collect", "hoard",
            "makes", "paints", "repairs", "mends",
        ]
        .contains(&word)
        {
            let (who, what) = (self.being_before(idx)?, self.object(idx + 1)?);
            let is_thing = self.nouns[what].kind == NounKind::Thing;
            return is_thing.then_some(PremiseWant::Collects { who, what });
        }
        self.trouble(idx)
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
        let is_meant = |noun: &PremiseNoun| {
            let kinds = [NounKind::Being, NounKind::Place, NounKind::Thing];
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
            token.is_first
                || [
                    "and", "but", "because", "when", "while", "before", "until", "so", "or", "if",
                    "who",
                ]
                .contains(&token.word.as_str())
        };
        let rest = self.tokens.get(idx..).unwrap_or_default();
        idx + rest.iter().skip(1).position(ends).map_or(rest.len(), |n| n + 1)
    }

    /// The words from here to the end of the clause.
    fn clause(&self, idx: usize) -> Option<String> {
        let (from, to) =
            (self.tokens.get(idx)?.span.0, self.tokens.get(self.clause_end(idx) - 1)?.span.1);
        let text: String =
            self.text.get(from..to)?.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_plain = text.chars().count() <= TASK_CHARS_MAX
            && !text.contains(['{', '}', '<', '>', '"', '\u{201c}', '\u{201d}']);
        is_plain.then_some(text)
    }

    fn refusal(&self, idx: usize) -> Option<PremiseWant> {
        let who = self.being_before(idx)?;
        Some(PremiseWant::Refuses { who, told: self.clause(idx)? })
    }

    fn task(&self, idx: usize) -> Option<PremiseWant> {
        let verb = self.word(idx);
        if ["find", "rescue", "save", "steal", "seek", "catch"].contains(&verb) {
            return self.object(idx + 1).map(|noun| self.sought(noun));
        }
        if ["get", "reach", "go", "return", "travel", "cross", "leave", "escape"].contains(&verb)
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

    /// `has lost its cook`, `the cook is missing`.
    fn loss(&self, idx: usize) -> Option<PremiseWant> {
        if matches!(self.word(idx), "lost" | "stolen" | "misplaced" | "forgotten")
            && let Some(noun) =
                self.object(idx + 1).filter(|noun| self.nouns[*noun].tokens.0 <= idx + 4)
        {
            return Some(self.sought(noun));
        }
        let is_state = idx > 0
            && ["is", "are", "was", "were", "has", "have", "had", "been", "gone"]
                .contains(&self.word(idx - 1));
        let is_deed = ["vanished", "disappeared"].contains(&self.word(idx));
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
        (self.nouns[noun].tokens.1 + 4 > idx).then_some(PremiseWant::Find(noun))
    }

    /// `a play that goes wrong`, `the bell has stopped`: what is said of a thing, a place or an event.
    fn trouble(&self, idx: usize) -> Option<PremiseWant> {
        let token = self.tokens.get(idx)?;
        let is_clause = ["that", "which", "whose", "where"].contains(&token.word.as_str())
            || role_of(&token.word) == Some(WordRole::Auxiliary);
        let noun = self.nouns.iter().position(|noun| noun.tokens.1 == idx)?;
        let kinds = [NounKind::Thing, NounKind::Place, NounKind::Event];
        (is_clause && kinds.contains(&self.nouns[noun].kind) && !self.nouns[noun].is_owner)
            .then_some(PremiseWant::Trouble(noun))
    }
}
