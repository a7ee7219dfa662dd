//! The clauses of a sentence, read one behind the other: whom they speak to, what is denied, what `it` is.

use english::WordClass;
use world_model::{
    act::{Dice, act},
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    world::World,
};

use crate::{
    clause::{
        again::same_again, clause_reading::read_clause, commanded, conversation, errands, evidence,
        gestures, guessed, making, risky, speech, unheard,
    },
    discourse::pointing,
    meaning::{ACTIONS_MAX, Certainty, OPTIONS_MAX, Trouble, Understanding},
    names::nouns,
    rows::sentence_rows::{self, ClauseKind},
    sentence::{
        absent,
        clauses::{self, SentenceClause},
    },
    trace::{self, GUESSED, SAID},
    words::{
        leads::strip,
        negation,
        plain_clause::go_to,
        tokens::{self, Token, word_at},
    },
};

/// A sentence of which some clauses have been read.
pub(crate) struct SentenceReading {
    /// The world in which the actions so far are done.
    pub(crate) world: World,
    pub(crate) meaning: Understanding,
    /// Who is spoken to.
    person: Option<NamedId>,
    /// Whether somebody sets out for something.
    is_errand: bool,
    /// Whether the last clause said what is not done.
    is_denied: bool,
    /// Whether the thing that the sentence named last is not here.
    is_lost: bool,
    /// Whether nothing is done so far but to go where the player is.
    is_idle: bool,
    /// The words of the clause that is read, and of the one before it.
    named: Vec<Token>,
    before: Vec<Token>,
    /// What the last action has brought to light something at.
    revealing: Option<NamedId>,
    /// The person elsewhere to whom the rest is said.
    away: Option<NamedId>,
    /// Where the player is when the sentence begins.
    start: NamedId,
    /// Whether the sentence goes on with the one before: `and the grey one`.
    goes_on: bool,
}

impl SentenceReading {
    /// Nothing read so far.
    pub(crate) fn of(world: &World, sentence: &[Token]) -> SentenceReading {
        SentenceReading {
            world: world.clone(),
            meaning: Understanding::default(),
            person: None,
            is_errand: false,
            is_denied: false,
            is_lost: false,
            is_idle: false,
            named: Vec::new(),
            before: Vec::new(),
            revealing: None,
            away: None,
            start: world.here,
            goes_on: ["and", "also", "now"].contains(&word_at(sentence, 0)),
        }
    }

    /// Who is spoken to so far.
    pub(crate) fn listener(&self) -> Option<NamedId> {
        self.person
    }

    /// Returns true if the clause only leads to another one, or says what is not done.
    pub(crate) fn is_beside_the_point(&mut self, clause: &SentenceClause, is_last: bool) -> bool {
        let is_left = strip(&clause.tokens).first().is_some_and(|token| token.word() == "leave");
        let is_would = WordClass::Hypothetical.has(word_at(&clause.tokens, 1));
        if clause.is_contrasted && is_would && word_at(&clause.tokens, 0) == "i" {
            return true;
        }
        let was_denied = std::mem::take(&mut self.is_denied)
            && (clause.is_joined || clause.is_purpose || is_left);
        // `Captain, don't accuse him` is said to the captain.
        let may_deny = !clause.is_asked && !clause.is_called;
        if was_denied || (may_deny && negation::is_denied(&clause.tokens)) {
            self.is_denied = true;
            // `I do not eat the cake; I give it away`. What `not the iron one` names is not meant.
            if word_at(&clause.tokens, 0) != "not" {
                pointing::speak_of(&mut self.world, &clause.tokens);
            }
            return true;
        }
        if !clause.is_asked
            && sentence_rows::is(&self.world, ClauseKind::LeftAlone, strip(&clause.tokens))
        {
            return true;
        }
        let tokens = &clause.tokens;
        let is_alone = is_last && self.meaning.actions.is_empty();
        if !is_alone
            && !clause.is_asked
            && sentence_rows::is(&self.world, ClauseKind::Remark, tokens)
        {
            pointing::speak_of(&mut self.world, &clause.tokens);
            return true;
        }
        if is_last {
            return false;
        }
        if conversation::is_filler(&self.world, tokens) {
            return true;
        }
        if let Some(away) = absent::called(&self.world, tokens) {
            self.away = Some(away);
            return true;
        }
        let parts = ["goodbye", "bye", "farewell", "goodnight"].contains(&word_at(tokens, 0));
        if let Some(addressed) = clauses::addressed(&self.world, tokens).filter(|_| !parts) {
            self.away = None;
            self.person = Some(addressed);
            return true;
        }
        let is_going = conversation::is_going(tokens);
        self.is_errand |= is_going;
        is_going
    }

    /// Finds out whom the clause speaks to, and takes the call off.
    fn address(&mut self, clause: &mut SentenceClause) {
        if let Some((named, rest)) = clauses::said_to(&self.world, &clause.tokens) {
            self.person = Some(named);
            clause.tokens = rest.to_vec();
        }
        let asked_of = |question: &[Token]| clause.is_asked || clauses::begins_question(question);
        if let Some((away, rest)) = absent::named_last(&self.world, &clause.tokens)
            && asked_of(rest)
        {
            self.away = Some(away);
            clause.tokens = rest.to_vec();
        }
        if let Some((away, rest)) = absent::named_first(&self.world, &clause.tokens) {
            self.away = Some(away);
            clause.tokens = rest.to_vec();
        }
        self.name_start(clause);
        if let Some((named, told)) = commanded::told_by_name(&self.world, clause) {
            self.person = Some(named);
            *clause = told;
        }
        pointing::name_you(&self.world, clause, self.person);
        pointing::name_there(&self.world, clause, &self.named);
        let is_seen = strip(&clause.tokens).first().is_some_and(|token| token.word() == "see");
        if self.is_errand && is_seen {
            clause.tokens.insert(0, Token::of("go"));
        }
        if let Some((person, rest)) = speech::hailed(&self.world, &clause.tokens) {
            self.person = person.or(self.person);
            clause.tokens = rest.to_vec();
        }
        if let Some((named, rest)) = clauses::asked_of(&self.world, clause) {
            self.person = Some(named);
            clause.tokens = rest.to_vec();
        }
    }

    /// `take the stamp and come back here`: where the sentence begins, not one place back.
    fn name_start(&self, clause: &mut SentenceClause) {
        let is_back = match strip(&clause.tokens) {
            [go, back, here] => {
                ["come", "go", "get", "run", "walk", "hurry"].contains(&go.word())
                    && back.word() == "back"
                    && here.word() == "here"
            }
            [r#return, here] => r#return.word() == "return" && here.word() == "here",
            _ => false,
        };
        if is_back && self.world.here != self.start {
            clause.tokens = go_to(&self.world, self.start);
        }
    }

    /// Reads a clause. An error ends the sentence.
    pub(crate) fn read(&mut self, mut clause: SentenceClause) -> Result<(), Trouble> {
        self.address(&mut clause);
        let is_twice = clause.tokens.len() > 1
            && clause.tokens.last().is_some_and(|last| last.word() == "twice");
        if is_twice {
            clause.tokens.pop();
        }
        let is_aside = strip(&clause.tokens)
            .first()
            .is_some_and(|token| token.word().ends_with("ing") && !english::is_verb(token.word()));
        // `open the record book and write in it`, where there is no book.
        let pronouns = ["it", "them", "him", "her"];
        // `take the tin and look inside`
        let looks_inside = matches!(strip(&clause.tokens), [look, inside]
            if ["look", "peek", "peer"].contains(&look.word())
                && ["in", "inside"].contains(&inside.word()));
        let points = pronouns.iter().any(|word| tokens::has(&clause.tokens, word));
        if self.is_lost && (points || looks_inside) {
            return Ok(());
        }
        trace::silent(|| self.open_for(&clause));
        let read = self.reading(&clause).map(|(actions, certainty)| {
            trace::actions("actions", &actions);
            self.meaning.certainty = self.meaning.certainty.min(certainty);
            actions
        });
        self.away = None;
        if clause.tokens.iter().any(|token| matches!(token, Token::Quote(_))) {
            pointing::speak_of(&mut self.world, &clause.tokens);
        }
        self.before = std::mem::replace(&mut self.named, clause.tokens.clone());
        // `what is in the cellar? go there`
        let target = read.as_ref().ok().and_then(|actions| actions.last()?.target.clone());
        let place = target.and_then(|name| self.world.find(&name));
        if let Some(place) = place.filter(|id| self.world.is_place(*id) && *id != self.world.here) {
            self.world.last.there = Some(self.world.name(place).to_owned());
        }
        let world = &self.world;
        let has_missing =
            |actions: &[Action]| actions.iter().any(|action| action.missing.is_some());
        // `holding the lamp high`.
        let is_held = |actions: &[Action]| {
            actions.iter().all(|action| {
                let id = world.target_of(action);
                action.action == Verb::Take && id.is_some_and(|id| world.is_with_player(id))
            })
        };
        match read {
            Ok(actions) if clause.is_purpose && !evidence::is_harmless(world, &actions) => {}
            // `leaving the constable to his handkerchief, I walk on`.
            Ok(actions) if is_aside && (has_missing(&actions) || is_held(&actions)) => {}
            Ok(actions) => {
                let is_way = |action: &Action| action.direction.is_some();
                if is_twice && actions.iter().all(is_way) {
                    self.add(actions.clone());
                }
                self.add(actions);
            }
            Err(_) if clause.is_purpose => {}
            Err(Trouble::Unclear(ids)) => {
                let names = ids.iter().take(OPTIONS_MAX).map(|id| world.name(*id).to_owned());
                self.meaning.unclear = names.collect();
                return Err(Trouble::Unknown);
            }
            // What means nothing does not keep the rest from being done.
            Err(Trouble::Unknown) => self.meaning.unknown = true,
        }
        Ok(())
    }

    /// The actions of the clause, by its words or by the clause before it, and how sure they are.
    fn reading(&self, clause: &SentenceClause) -> Result<(Vec<Action>, Certainty), Trouble> {
        nouns::remembering(|| self.reading_of(clause))
    }

    fn reading_of(&self, clause: &SentenceClause) -> Result<(Vec<Action>, Certainty), Trouble> {
        let (world, person) = (&self.world, self.person);
        if let Some(away) = self.away {
            let name = world.name(away);
            let text = tokens::text_of(&clause.tokens);
            return Ok((vec![Action::on(Verb::Ask, name).topic(&text)], Certainty::Said));
        }
        let done = &self.meaning.actions;
        // `look in the shed, so I walk there`: the player is there.
        let is_there = matches!(strip(&clause.tokens), [go, there]
            if there.word() == "there" && ["go", "walk", "head", "run"].contains(&go.word()));
        if is_there && done.iter().any(|action| action.action == Verb::Go) {
            return Ok((Vec::new(), Certainty::Said));
        }
        let ordered = || commanded::ordered(world, clause, person).map(|order| vec![order]);
        let along = || conversation::by_frames(world, "along", clause, person)?.ok();
        let before =
            || world.again.last().filter(|_| self.goes_on && self.meaning.unclear.is_empty());
        let last = done.last().or_else(before);
        let read = match same_again(world, clause, last).or_else(along).or_else(ordered) {
            Some(actions) => Ok(actions),
            None => read_clause(world, clause, person),
        };
        // Between nobody and nothing there is no choice.
        let read = match read {
            Err(Trouble::Unclear(ids)) if ids.is_empty() => Err(Trouble::Unknown),
            read => read,
        };
        let is_weak = match &read {
            Ok(actions) => evidence::is_weak(actions),
            Err(trouble) => *trouble == Trouble::Unknown,
        };
        let by_evidence = if is_weak { evidence::read(world, clause) } else { None };
        if let Some(actions) = &by_evidence {
            trace::actions(GUESSED, actions);
        }
        let read = match by_evidence {
            Some(actions) => Ok((actions, Certainty::Inferred)),
            None => read.map(|actions| {
                let certainty = guessed::certainty(world, strip(&clause.tokens), &actions);
                (actions, certainty)
            }),
        };
        match read {
            Ok((actions, certainty)) => {
                let tokens = &clause.tokens;
                let actions = risky::unseen(world, tokens, actions);
                let actions = pointing::with_fitting_it(world, tokens, actions, done);
                let actions = pointing::searched_where(world, actions, done);
                let actions = gestures::instead_of_missing(world, tokens, actions);
                Ok((making::made_of_nothing(world, tokens, actions), certainty))
            }
            Err(Trouble::Unknown) => {
                let at_last = || conversation::said(world, "said at last", clause, person);
                let said = at_last().or_else(|| unheard::meant_for_people(world, clause));
                if let Some(actions) = &said {
                    trace::actions(SAID, actions);
                }
                said.map(|actions| (actions, Certainty::Guessed)).ok_or(Trouble::Unknown)
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// Opens what was unlocked just before, if the clause then finds what it names: `unlock the cabinet, take the book`.
    fn open_for(&mut self, clause: &SentenceClause) {
        let find = |name: &Option<String>| name.as_deref().and_then(|name| self.world.find(name));
        let Some(last) = self.meaning.actions.last() else { return };
        let is_shut = |id: &NamedId| {
            let condition = self.world.conditions[id.0];
            self.world.container(*id).is_some() && !condition.open && !condition.locked
        };
        let handled = [find(&last.target), find(&last.with)].into_iter().flatten().find(is_shut);
        let unlocks = [Verb::Unlock, Verb::Use].contains(&last.action);
        let Some(container) = handled.filter(|_| unlocks) else { return };
        let opening = Action::on(Verb::Open, self.world.name(container));
        let finds = |reading: &SentenceReading| {
            let (actions, _) = reading.reading(clause).unwrap_or_default();
            let world = &reading.world;
            let is_unseen = |id: NamedId| world.entity(id).is_thing() && !world.is_seen(id);
            let is_lost = |action: &Action| {
                action.missing.is_some() || world.target_of(action).is_some_and(is_unseen)
            };
            !actions.is_empty() && !actions.iter().any(is_lost)
        };
        if finds(self) {
            return;
        }
        let mut opened = SentenceReading {
            world: self.world.clone(),
            meaning: self.meaning.clone(),
            named: self.named.clone(),
            before: self.before.clone(),
            ..*self
        };
        opened.add(vec![opening.clone()]);
        if finds(&opened) {
            self.add(vec![opening]);
        }
    }

    /// `light the lantern and go down`: who lights a lamp to go on takes it along.
    fn take_light_along(&mut self, next: &[Action]) {
        let goes = next.first().is_some_and(|action| action.action == Verb::Go);
        let last = self.meaning.actions.last().filter(|last| goes && last.action == Verb::Light);
        let lit = last.and_then(|last| self.world.target_of(last));
        let is_left = |id: &NamedId| {
            suits(&self.world, *id, Want::Takable) && !self.world.is_with_player(*id)
        };
        if let Some(id) = lit.filter(is_left) {
            let take = vec![Action::on(Verb::Take, self.world.name(id))];
            imagine(&mut self.world, &take);
            self.meaning.actions.extend(take);
        }
    }

    /// Returns true if the last action has done all of this: `lie down and sleep` sleeps once, and what a lifted tub has brought to
    /// light is not searched for.
    fn has_done(&self, actions: &[Action]) -> bool {
        let is_sleep = |action: &Action| action.action == Verb::Sleep;
        let slept = self.meaning.actions.last().is_some_and(is_sleep);
        let searches = |action: &Action, id: NamedId| {
            action.action == Verb::Search && action.target.as_deref() == Some(self.world.name(id))
        };
        let is_found =
            |found: NamedId| !actions.is_empty() && actions.iter().all(|it| searches(it, found));
        slept && actions.iter().all(is_sleep) || self.revealing.is_some_and(is_found)
    }

    /// `strike a match and get the lamp going`: returns true if an earlier clause has lit the lamp, so that using it again would put
    /// it out.
    fn is_lit_already(&self, action: &Action) -> bool {
        let lights = |action: &Action| [Verb::Light, Verb::Use].contains(&action.action);
        let lamp = || self.world.target_of(action);
        lights(action)
            && self.meaning.actions.iter().any(lights)
            && lamp().is_some_and(|id| suits(&self.world, id, Want::Lit))
    }

    /// Gives `in`, `out` and `back` the way that is meant here.
    fn with_way(&self, action: &mut Action) {
        if action.direction.as_deref() == Some("out") {
            action.direction = Some(self.world.way_out().to_owned());
        }
        // `go back in`, `I go back down`: where the player has come from, if no way leads there.
        let goes_back = tokens::has(&self.named, "back") && self.world.last.there.is_some();
        let is_no_way = |way: &str| {
            ["in", "up", "down", "inside", "upstairs", "downstairs"].contains(&way)
                && !self.world.has_way(way)
        };
        if goes_back && action.direction.as_deref().is_some_and(is_no_way) {
            action.direction = Some("back".to_owned());
        }
        // Who has opened a door goes in by it.
        if action.direction.as_deref() == Some("in")
            && !self.world.has_way("in")
            && let Some(door) = self.world.door_spoken_of()
        {
            *action = Action::on(Verb::Go, self.world.name(door));
        }
    }

    /// Returns true if the player is there already: `walk home over the bridge, then up to the square`, `may I climb up to your
    /// roof? I go up`. Such a step keeps nobody from the rest.
    fn is_there(&self, action: &Action) -> bool {
        let here = self.world.name(self.world.here);
        let way = action.direction.as_deref().filter(|way| tokens::has(&self.before, way));
        let went = self.meaning.actions.last().is_some_and(|last| last.action == Verb::Go);
        action.action == Verb::Go && action.target.as_deref() == Some(here)
            || went && way.is_some_and(|way| !self.world.has_way(way))
    }

    fn add(&mut self, mut actions: Vec<Action>) {
        // `strike a match, get the lamp going and bring it along`: the lamp is `it`.
        if let Some(lamp) = actions.iter().find(|action| self.is_lit_already(action)) {
            self.world.last.it.clone_from(&lamp.target);
        }
        actions.retain(|action| !self.is_lit_already(action));
        if actions.is_empty() || self.has_done(&actions) {
            return;
        }
        for action in &mut actions {
            errands::read_instead_of_opening(&self.world, action);
            errands::go_instead_of_taking(&self.world, action);
            self.with_way(action);
        }
        errands::take_filled(&self.meaning.actions, &self.named, &mut actions);
        // `*holds out the sandwich* here, take it` gives it.
        let keeps = ["keep", "hold"].iter().any(|word| tokens::has(&self.named, word));
        let mut before = self.meaning.actions.iter().rev();
        if let Some(shown) = before.find(|it| it.action == Verb::Show).filter(|_| !keeps) {
            let is_held =
                |name: &str| self.world.find(name).is_some_and(|id| self.world.is_with_player(id));
            for taken in actions.iter_mut().filter(|it| it.action == Verb::Take) {
                if taken.target == shown.target && taken.target.as_deref().is_some_and(is_held) {
                    *taken = Action { action: Verb::Give, ..shown.clone() };
                }
            }
        }
        self.take_light_along(&actions);
        let is_idle = actions.iter().all(|action| self.is_there(action)) && !actions.is_empty();
        if is_idle && !self.meaning.actions.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.is_idle, is_idle) {
            self.meaning.actions.clear();
        }
        conversation::direct(&self.world, &mut actions, self.person);
        let mut actions = conversation::with_known_topics(&self.world, actions);
        if std::mem::take(&mut self.is_errand) {
            errands::go_instead(&self.world, &mut actions);
        }
        self.is_lost = actions.last().is_some_and(|last| pointing::is_away(&self.world, last));
        let hidden = self.world.hidden_count();
        imagine(&mut self.world, &actions);
        let last = actions.last().and_then(|last| self.world.target_of(last));
        self.revealing = last.filter(|_| self.world.hidden_count() < hidden);
        self.person = conversation::spoken_to(&self.world, &actions).or(self.person);
        self.meaning.actions.extend(actions);
    }
}

/// Does the actions in the copy, with luck.
fn imagine(world: &mut World, actions: &[Action]) {
    for action in actions.iter().take(ACTIONS_MAX) {
        act(world, action, &mut Dice::new(Some(20), 0));
    }
    // Of `Open tin; Take matches` only the matches are `them`.
    let Some(last) = actions.last() else { return };
    let alike = actions.iter().filter(|action| action.action == last.action);
    let targets: Vec<String> = alike.filter_map(|action| action.target.clone()).collect();
    if targets.len() > 1 {
        world.last.them = targets;
    }
}
