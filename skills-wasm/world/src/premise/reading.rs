//! What a premise speaks of: its places, beings, things and events, who the player is, and what somebody wants.

use super::{
    clause::clause_of,
    dead::is_dead,
    nouns::{NounKind, is_beast, is_plural, kind_of},
    read::{PremiseNoun, nouns_of},
    time::time_of,
    tokens::{PREMISE_CHARS_MAX, PremiseToken, tokens},
    wants::{PremiseWant, wants},
};

/// Words that say that somebody has died.
const MOURNING: &[&str] = &[
    "funeral",
    "death",
    "died",
    "dead",
    "late",
    "inherit",
    "inherits",
    "inherited",
    "grave",
    "buried",
];

/// Most beings of a premise that become people.
const BEINGS_MAX: usize = 4;

/// What a premise speaks of.
#[derive(Debug, Clone, Default)]
pub(super) struct PremiseReading {
    pub(super) nouns: Vec<PremiseNoun>,
    /// The noun that is the player.
    pub(super) player: Option<usize>,
    pub(super) wants: Vec<PremiseWant>,
    /// The time of day that the premise names.
    pub(super) time: Option<String>,
    /// Somebody has died, so who only owned something is not here.
    pub(super) is_mourning: bool,
}

impl PremiseReading {
    pub(super) fn of(premise: &str) -> PremiseReading {
        let text: String = premise.chars().take(PREMISE_CHARS_MAX).collect();
        let tokens = tokens(&text);
        let mut reading =
            PremiseReading { nouns: nouns_of(&text, &tokens), ..PremiseReading::default() };
        reading.is_mourning = tokens.iter().any(|token| MOURNING.contains(&token.word.as_str()));
        reading.time = time_of(&tokens);
        reading.player = reading.find_player(&tokens);
        for (idx, noun) in reading.nouns.iter_mut().enumerate() {
            noun.is_dead = Some(idx) != reading.player && is_dead(&tokens, noun);
        }
        if let Some(noun) = reading.player.map(|idx| &mut reading.nouns[idx])
            && let Some(clause) = clause_of(&text, &tokens, noun.tokens)
        {
            noun.told = clause;
        }
        reading.wants = wants(&text, &tokens, &reading.nouns, reading.player);
        reading.forget_wants(|noun| noun.is_dead);
        for want in &reading.wants {
            if let PremiseWant::Find(noun) = want
                && reading.nouns[*noun].kind == NounKind::Being
            {
                reading.nouns[*noun].is_missing = true;
            }
        }
        reading
    }

    /// The nouns of a kind, in order.
    pub(super) fn of_kind(&self, kind: NounKind) -> impl Iterator<Item = (usize, &PremiseNoun)> {
        self.nouns.iter().enumerate().filter(move |(_, noun)| noun.kind == kind)
    }

    /// Makes nobody of the premise's words but the player, and nothing that others are called.
    pub(super) fn forget_beings(&mut self, others: &[String]) {
        let player = self.player;
        for (idx, noun) in self.nouns.iter_mut().enumerate() {
            let is_other = others.iter().any(|other| other.eq_ignore_ascii_case(&noun.name));
            if (noun.kind == NounKind::Being || is_other) && Some(idx) != player {
                noun.kind = NounKind::Nothing;
            }
        }
        self.forget_wants(|noun| noun.kind == NounKind::Nothing);
    }

    /// Nobody wants what is about such a noun.
    fn forget_wants(&mut self, is_gone: impl Fn(&PremiseNoun) -> bool) {
        let nouns = &self.nouns;
        let is_there = |idx: &usize| !is_gone(&nouns[*idx]);
        self.wants.retain(|want| match want {
            PremiseWant::Refuses { who, .. } | PremiseWant::Collects { who, .. } => is_there(who),
            PremiseWant::Find(noun) | PremiseWant::Reach(noun) | PremiseWant::Trouble(noun) => {
                is_there(noun)
            }
            PremiseWant::Task(_) => true,
        });
    }

    /// Whoever the premise has besides the player, the missing first.
    pub(super) fn beings(&self) -> Vec<PremiseNoun> {
        let others = self.of_kind(NounKind::Being).filter(|(idx, noun)| {
            Some(*idx) != self.player && !noun.is_dead && !(noun.is_owner && self.is_mourning)
        });
        let mut found: Vec<PremiseNoun> = others.map(|(_, noun)| noun.clone()).collect();
        // Of two brothers the player is one.
        let twin = self.player.map(|idx| &self.nouns[idx]).filter(|noun| is_plural(&noun.head));
        found.extend(twin.map(PremiseNoun::other_one));
        found.sort_by_key(|noun| !noun.is_missing);
        found.truncate(BEINGS_MAX);
        found
    }

    /// Whoever has died and left something, each with what the player calls them.
    pub(super) fn mourned(&self) -> Vec<(String, String)> {
        let owners = self
            .of_kind(NounKind::Being)
            .filter(|(_, noun)| noun.is_owner && self.is_mourning && !noun.is_dead);
        owners.map(|(_, noun)| (noun.name.clone(), noun.called())).collect()
    }

    /// Those whom the premise calls dead, each with what the player calls them.
    pub(super) fn dead(&self) -> Vec<(String, String)> {
        let dead = self.of_kind(NounKind::Being).filter(|(_, noun)| noun.is_dead);
        dead.map(|(_, noun)| (noun.name.clone(), noun.called())).collect()
    }

    /// Things that places are called after, each with the place: the toll of a toll bridge.
    pub(super) fn thing_modifiers(&self) -> Vec<(String, String)> {
        let places = self.of_kind(NounKind::Place).map(|(_, noun)| noun);
        let of = |noun: &PremiseNoun| {
            let is_thing =
                |word: &&String| kind_of(std::slice::from_ref(*word)) == Some(NounKind::Thing);
            noun.modifiers
                .iter()
                .filter(is_thing)
                .map(|word| (word.clone(), noun.name.clone()))
                .collect::<Vec<_>>()
        };
        places.flat_map(of).collect()
    }

    /// A premise that begins with a human being is about the player; so is what follows `you are`.
    fn find_player(&self, tokens: &[PremiseToken<'_>]) -> Option<usize> {
        let is_self = |token: &PremiseToken<'_>| {
            ["you", "i", "i'm", "you're", "we", "my", "me", "your", "our"]
                .contains(&token.word.as_str())
        };
        if let Some(at) = tokens.iter().position(is_self) {
            let is_said = ["i'm", "you're"].contains(&tokens[at].word.as_str())
                || tokens
                    .get(at + 1)
                    .is_some_and(|next| ["are", "am"].contains(&next.word.as_str()));
            let said =
                self.nouns.iter().position(|noun| noun.tokens.0 > at && noun.tokens.0 <= at + 4);
            return said.filter(|noun| is_said && self.nouns[*noun].kind == NounKind::Being);
        }
        let first = self.nouns.first()?;
        let is_subject = first.kind == NounKind::Being
            && !first.is_owner
            && !first.is_missing
            && first.tokens.0 <= 2;
        (is_subject && !is_beast(&first.head)).then_some(0)
    }
}
