//! What a premise speaks of: its places, beings, things and events, who the player is, and what somebody wants.

use english::WordClass;

use super::{
    clause::{clause_of, noun_with_clause},
    dead::{is_dead, is_riddle},
    era::{PremiseEra, era_of},
    hero::{hero_of, same_people, turned_into},
    layout::PremiseLayout,
    noun::PremiseNoun,
    nouns::{NounKind, is_plural, kind_of},
    plots::{PremisePlot, deadline_of, plot_of},
    read::nouns_of,
    refine::refine,
    setting::settings_of,
    time::time_of,
    tokens::{PREMISE_CHARS_MAX, PremiseToken, WordRole, is_missing, role_of, tokens},
    wants::{PremiseWant, wants},
};

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
    /// The story has people of its own, who take the parts of those that are made.
    pub(super) has_own_people: bool,
    /// The kinds of places that its words point at, each with what is counted for it, the most first.
    pub(super) settings: Vec<(&'static PremiseLayout, usize)>,
    /// The shape that its trouble has, and what is counted for it.
    pub(super) plot: Option<(&'static PremisePlot, usize)>,
    /// By when, such as ` before midnight`.
    pub(super) deadline: String,
    /// The time that the premise says, and how many words say so.
    pub(super) era: Option<(&'static PremiseEra, usize)>,
}

impl PremiseReading {
    pub(super) fn of(premise: &str) -> PremiseReading {
        let text: String = premise.chars().take(PREMISE_CHARS_MAX).collect();
        let tokens = tokens(&text);
        let mut reading =
            PremiseReading { nouns: nouns_of(&text, &tokens), ..PremiseReading::default() };
        refine(&tokens, &mut reading.nouns);
        reading.is_mourning =
            tokens.iter().any(|token| WordClass::Mourning.has(token.word.as_str()));
        reading.time = time_of(&tokens);
        reading.find_player(&text, &tokens);
        for (idx, noun) in reading.nouns.iter_mut().enumerate() {
            noun.is_dead = Some(idx) != reading.player && is_dead(&tokens, noun);
            noun.is_riddle = noun.is_dead && is_riddle(&tokens, noun);
        }
        for (idx, noun) in reading.nouns.iter_mut().enumerate() {
            let is_other = noun.kind == NounKind::Being && Some(idx) != reading.player;
            if is_other && let Some(told) = noun_with_clause(&text, &tokens, noun.tokens) {
                noun.told = told;
            }
        }
        reading.merge_shapes(&tokens);
        reading.call_own();
        reading.call_owned();
        reading.era = era_of(&tokens);
        let era = reading.era.map(|(era, _)| era.name);
        reading.settings = settings_of(&tokens, &reading.nouns, era);
        reading.find_destinations(&tokens);
        reading.wants = wants(&text, &tokens, &reading.nouns, reading.player);
        reading.plot = plot_of(&tokens, &reading.wants);
        reading.deadline = deadline_of(&text, &tokens);
        reading.forget_wants(|noun| noun.is_dead);
        for want in &reading.wants {
            if let PremiseWant::Find(noun) = want {
                let noun = &mut reading.nouns[*noun];
                let behind = tokens.iter().skip(noun.tokens.1).take(4);
                let is_said = behind.into_iter().any(|token| is_missing(&token.word));
                noun.is_missing |= noun.kind == NounKind::Being || is_said;
            }
        }
        reading
    }

    /// The nouns of a kind, in order.
    pub(super) fn of_kind(&self, kind: NounKind) -> impl Iterator<Item = (usize, &PremiseNoun)> {
        self.nouns.iter().enumerate().filter(move |(_, noun)| noun.kind == kind)
    }

    /// Marks the places to which somebody is on the way: `drive the ashes to the sea`.
    fn find_destinations(&mut self, tokens: &[PremiseToken<'_>]) {
        let word = |idx: usize| tokens[idx].word.as_str();
        for noun in self.nouns.iter_mut().filter(|noun| noun.kind == NounKind::Place) {
            let is_lead = |idx: &usize| role_of(word(*idx)) == Some(WordRole::Determiner);
            let before = (0..noun.tokens.0).rev().find(|idx| !is_lead(idx)).map(word);
            noun.is_ahead =
                before.is_some_and(|before| ["to", "towards", "until", "for"].contains(&before));
        }
    }

    /// Makes nobody of the premise's words but the player, and nothing that others are called.
    pub(super) fn forget_beings(&mut self, others: &[String]) {
        self.has_own_people = true;
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
            PremiseWant::Find(noun)
            | PremiseWant::Reach(noun)
            | PremiseWant::Theft(noun)
            | PremiseWant::Trouble(noun) => is_there(noun),
            PremiseWant::Death(noun) => nouns[*noun].kind != NounKind::Nothing,
            PremiseWant::Task(_) | PremiseWant::Riddle(_) => true,
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

    /// Whoever has died and left something.
    pub(super) fn mourned(&self) -> impl Iterator<Item = &PremiseNoun> {
        let beings = self.of_kind(NounKind::Being).map(|(_, noun)| noun);
        beings.filter(|noun| noun.is_owner && self.is_mourning && !noun.is_dead)
    }

    /// Those whom the premise calls dead.
    pub(super) fn dead(&self) -> impl Iterator<Item = &PremiseNoun> {
        self.of_kind(NounKind::Being).map(|(_, noun)| noun).filter(|noun| noun.is_dead)
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

    /// Who is somebody's is called so: `the vicar's wife`.
    fn call_owned(&mut self) {
        for idx in 1..self.nouns.len() {
            let (owner, noun) = (self.nouns[idx - 1].clone(), &mut self.nouns[idx]);
            let is_owned = owner.is_owner && owner.tokens.1 == noun.tokens.0;
            let is_other = Some(idx) != self.player && noun.trade.is_none();
            if is_owned && is_other && noun.kind == NounKind::Being && !noun.is_owner {
                noun.trade = Some(format!("{}'s {}", owner.called(), noun.name));
            }
        }
    }

    /// Who has been turned into something is that, and there is no other of it.
    fn merge_shapes(&mut self, tokens: &[PremiseToken<'_>]) {
        for (being, shape) in turned_into(tokens, &self.nouns) {
            let known = self.nouns[shape].clone();
            self.nouns[shape].kind = NounKind::Nothing;
            let is_player = self.player == Some(being);
            let noun = &mut self.nouns[being];
            if !is_player {
                noun.trade =
                    Some(format!("{}, in the shape of {}", noun.called(), known.with_article()));
            }
            noun.aliases.extend([known.name, known.head]);
            noun.aliases.dedup();
        }
    }

    /// The player's own people are called so: `your mum`.
    fn call_own(&mut self) {
        let (player, is_mourning) = (self.player, self.is_mourning);
        for (idx, noun) in self.nouns.iter_mut().enumerate() {
            let is_mourned = noun.is_owner && is_mourning;
            let is_alive = !noun.is_dead && !is_mourned;
            let is_other =
                noun.kind == NounKind::Being && Some(idx) != player && !is_plural(&noun.head);
            if is_other && is_alive && noun.called().starts_with("your ") && noun.trade.is_none() {
                noun.trade = Some(noun.with_article());
                noun.aliases.insert(0, noun.name.clone());
                noun.name = noun.called();
            }
        }
    }

    /// Finds the player and what the premise says of them, and makes one person of a name and a trade.
    fn find_player(&mut self, text: &str, tokens: &[PremiseToken<'_>]) {
        let hero = hero_of(tokens, &self.nouns);
        self.player = hero.map(|hero| hero.noun);
        if let Some(hero) = hero {
            let owner =
                self.nouns.iter().find(|noun| noun.tokens.0 == hero.begins_at && noun.is_owner);
            let lead = owner.map(|owner| owner.lead.clone());
            let noun = &mut self.nouns[hero.noun];
            noun.kind = NounKind::Being;
            noun.lead = lead.unwrap_or_else(|| noun.lead.clone());
            let ends_at = noun.tokens.1;
            let span = (hero.begins_at, noun.tokens.1);
            if let Some(clause) = clause_of(text, tokens, span, hero.is_subject) {
                noun.told = clause;
            }
            // `a tuner whose daughter` has a daughter, who is the player's.
            let whose = |idx: usize| tokens.get(idx).is_some_and(|token| token.word == "whose");
            let theirs = self.nouns.iter_mut().find(|noun| {
                noun.tokens.0 > ends_at && noun.tokens.0 <= ends_at + 2 && whose(noun.tokens.0 - 1)
            });
            if let Some(noun) = theirs.filter(|noun| noun.kind == NounKind::Being) {
                noun.lead = "your".to_owned();
            }
        }
        for (name, trade) in same_people(tokens, &self.nouns) {
            let known = self.nouns[trade].clone();
            self.nouns[trade].kind = NounKind::Nothing;
            let noun = &mut self.nouns[name];
            noun.trade = Some(known.with_article());
            noun.pronoun = noun.pronoun.or(known.pronoun);
            noun.aliases.extend([known.name, known.head]);
            noun.aliases.dedup();
            if self.player == Some(trade) {
                self.player = Some(name);
            }
        }
    }
}
