//! Talking: greetings, topics, requests.

use english::WordClass;

use crate::{
    act::{Act, ActRefusal, ActionRun},
    action::Action,
    definition::{PersonDefinition, TopicDefinition},
    entity::NamedId,
    fact::{FactKind, WorldFact},
    speech_act::SpeechAct,
    words,
    world::{Holder, World},
};

impl ActionRun<'_> {
    pub(super) fn talk(&mut self, action: &Action) -> Act {
        if action.topic.is_some() {
            return self.ask(action);
        }
        let person = self.listener(action)?;
        self.check_friendly(person)?;
        // A greeting is answered by a greeting, and only a talk by something new.
        let is_greeting = action.text.as_deref() == Some("hello");
        if is_greeting && self.world.conditions[person.0].known {
            self.nod(person);
        } else {
            self.greet(person);
        }
        Ok(())
    }

    fn nod(&mut self, person: NamedId) {
        let name = self.world.name(person).to_owned();
        let text = format!("{} nods to you.", words::capitalised(&self.world.the(person)));
        self.fact(WorldFact::new(FactKind::Gesture, &name, text).because("nod"));
    }

    fn check_friendly(&self, person: NamedId) -> Act {
        if self.world.conditions[person.0].hurt {
            let text = format!("{} turns away from you.", self.world.the(person));
            return Err(ActRefusal::new("hurt", text).about(self.world.name(person)));
        }
        Ok(())
    }

    pub(super) fn greet(&mut self, person: NamedId) {
        let Some(definition) = self.world.person(person).cloned() else { return };
        if let Some((key, says)) = self.new_greeting(person, &definition) {
            *self.world.told.entry(key).or_default() += 1;
            self.speech(person, None, &says);
            return;
        }
        let is_known = std::mem::replace(&mut self.world.conditions[person.0].known, true);
        // What changes the story is told to those who ask.
        let is_idle = |idx: &usize| {
            let topic = definition.topics.get(*idx);
            topic.is_some_and(|topic| topic.sets.is_empty() && topic.raises.is_empty())
        };
        let topics: Vec<usize> = self.world.topics_of(person).into_iter().filter(is_idle).collect();
        let is_new =
            |idx: &usize| !self.world.told.contains_key(&self.world.told_key(person, *idx));
        if !definition.greeting.is_empty() && (!is_known || topics.is_empty()) {
            self.speech(person, None, &definition.greeting);
        } else if let Some(idx) = topics.iter().copied().find(is_new).or_else(|| {
            // Another topic each time, and the same one in the same world at the same time.
            let count = topics.len() as u64;
            let at = usize::try_from(self.world.minutes.checked_rem(count)?).ok()?;
            topics.get(at).copied()
        }) {
            self.tell_topic(person, idx);
        } else {
            self.nod(person);
        }
    }

    /// The first greeting that can be told now, with the name under which its tellings are counted.
    fn new_greeting(&self, person: NamedId, known: &PersonDefinition) -> Option<(String, String)> {
        let fits = known.greetings.iter().enumerate().find_map(|(n, greeting)| {
            let key = format!("{}#{}", known.name, n + 1);
            let count = self.world.told.get(&key).copied().unwrap_or(0);
            let says = greeting.says.get(usize::try_from(count).ok()?)?;
            self.world.allows(greeting.when.as_deref()).then(|| (key, says.clone()))
        });
        fits.filter(|_| !self.world.conditions[person.0].dead)
    }

    /// A person says something.
    pub(super) fn speech(&mut self, person: NamedId, topic: Option<&str>, says: &str) {
        let name = self.world.name(person).to_owned();
        let who = words::capitalised(&self.world.the(person));
        let text = format!("{who} says: \u{201c}{says}\u{201d}");
        let mut fact = WorldFact::new(FactKind::Said, &name, text).details(vec![says.to_owned()]);
        fact.object = topic.map(str::to_owned);
        self.world.conditions[person.0].known = true;
        self.fact(fact);
    }

    /// A person tells what they know of a topic: the next of its texts, and the last one again and again. What it changes
    /// is set each time, and raised the first time.
    fn tell_topic(&mut self, person: NamedId, idx: usize) {
        let Some(topic) = self.world.person(person).and_then(|one| one.topics.get(idx)).cloned()
        else {
            return;
        };
        let key = self.world.told_key(person, idx);
        let count = self.world.told.entry(key).or_default();
        let at = usize::try_from(*count).unwrap_or(usize::MAX).min(topic.says.len().max(1) - 1);
        let is_first = *count == 0;
        *count = count.saturating_add(1);
        let about = topic.about.first().cloned().unwrap_or_default();
        let after = topic.after.filter(|_| self.world.has_given(person));
        let says = after.or_else(|| topic.says.get(at).cloned()).unwrap_or_default();
        self.speech(person, Some(&about), &says);
        self.outcome.sets.extend(topic.sets);
        if is_first {
            for (counter, by) in topic.raises {
                let sum = self.outcome.raises.entry(counter).or_default();
                *sum = sum.saturating_add(by);
            }
        }
    }

    /// Returns true if speech of this kind about a topic makes the person tell it. A remark about what was told already asks
    /// for nothing.
    pub(super) fn makes_tell(&self, person: NamedId, act: SpeechAct, idx: usize) -> bool {
        act == SpeechAct::Question || self.has_more_to_tell(person, idx)
    }

    /// Returns true if a topic may have a text that the person has not told yet. One with a condition may: it shares its count
    /// with those of its name that held before.
    fn has_more_to_tell(&self, person: NamedId, idx: usize) -> bool {
        let told = self.world.told.get(&self.world.told_key(person, idx)).copied().unwrap_or(0);
        let topic = self.world.person(person).and_then(|one| one.topics.get(idx));
        let has_text = |topic: &TopicDefinition| {
            usize::try_from(told).is_ok_and(|told| told < topic.says.len())
        };
        topic.is_some_and(|topic| topic.when.is_some() || has_text(topic))
    }

    /// Answers a question for the person's name with it. Animals do not speak, and `old fisherman` is no proper name.
    fn tell_own_name(&mut self, person: NamedId, topic: &str) -> bool {
        let asked = ["what is your name", "your name", "name", "who are you"];
        let name = self.world.name(person).to_owned();
        let is_proper = name.chars().next().is_some_and(char::is_uppercase);
        let is_asked = asked.contains(&words::split(topic).join(" ").as_str());
        let tells = is_asked && is_proper && !self.world.is_creature(person);
        if tells {
            self.speech(person, Some("name"), &format!("{name}."));
        }
        tells
    }

    /// A person who knows nothing about it says so in words of their own, if the author gave some. A single line is told
    /// every other time, so that nobody says the same twice running.
    fn tell_fallback(&mut self, person: NamedId, fallback: &[String]) -> bool {
        if fallback.is_empty() {
            return false;
        }
        let name = self.world.name(person).to_owned();
        let count = self.world.told.entry(name).or_default();
        let at = usize::try_from(*count).unwrap_or(0) % fallback.len().max(FALLBACKS_MIN);
        *count = count.saturating_add(1);
        if at >= fallback.len() {
            return false;
        }
        self.speech(person, None, &fallback[at]);
        if let Some(fact) = self.outcome.facts.last_mut() {
            fact.because = Some("fallback".to_owned());
        }
        true
    }

    /// The index of the person's topic that the words are about.
    pub(super) fn topic_of(&self, person: NamedId, words: &str) -> Option<usize> {
        self.world.topic_of(person, words)
    }

    /// A person answers about a topic, or has nothing to say.
    pub(super) fn answer(&mut self, person: NamedId, topic: &str) {
        let Some(definition) = self.world.person(person).cloned() else { return };
        if let Some(idx) = self.topic_of(person, topic) {
            self.tell_topic(person, idx);
            return;
        }
        if let Some(wanted) = definition.wants.as_deref().and_then(|wants| self.world.find(wants))
            && self.world.is_named_by(wanted, topic)
        {
            let says = format!(
                "If you find {}, bring {} to me.",
                self.world.the(wanted),
                self.world.entity(wanted).them()
            );
            let name = self.world.name(wanted).to_owned();
            self.speech(person, Some(&name), &says);
            return;
        }
        if self.tell_own_name(person, topic) || self.tell_fallback(person, &definition.fallback) {
            return;
        }
        let name = self.world.name(person).to_owned();
        let about = self.about_in_words(person, topic).unwrap_or_else(|| "that".to_owned());
        let count = self.heard_before(person, SpeechAct::Question);
        let lines = self.world.lines_of(person, SpeechAct::Question);
        let text = self.line_in_words(person, lines, count, &about);
        self.fact(WorldFact::new(FactKind::Silent, &name, text).object(topic));
    }

    pub(super) fn ask(&mut self, action: &Action) -> Act {
        let person = self.listener(action)?;
        self.check_friendly(person)?;
        match &action.topic {
            Some(topic) => self.answer(person, topic),
            None => self.greet(person),
        }
        Ok(())
    }

    pub(super) fn tell(&mut self, action: &Action) -> Act {
        let person = self.listener(action)?;
        self.check_friendly(person)?;
        let (name, the) = (self.world.name(person).to_owned(), self.world.the(person));
        let (topic, text) = match (&action.topic, &action.text) {
            (Some(topic), _) => {
                let text = match self.about_in_words(person, topic) {
                    Some(about) => format!("You tell {the} about {about}."),
                    None if is_clause(topic) => format!("You tell {the} so."),
                    None => format!("You tell {the} about it."),
                };
                (topic.clone(), text)
            }
            (None, Some(what)) => (what.clone(), self.told_in_words(person, what)),
            (None, None) => {
                self.greet(person);
                return Ok(());
            }
        };
        self.fact(WorldFact::you(FactKind::Spoken, text).object(&topic).other(&name));
        match action.topic {
            Some(_) => self.answer(person, &topic),
            None => self.hear(person, &topic),
        }
        Ok(())
    }

    /// The topic as a noun phrase: the player's own noun, a topic that the person knows, or a name of this world. `None`
    /// for other words, which may be half a sentence.
    fn about_in_words(&self, person: NamedId, topic: &str) -> Option<String> {
        let topics = &self.world.person(person)?.topics;
        let known = self.topic_of(person, topic).and_then(|idx| topics.get(idx)?.about.first());
        let is_known =
            |id: &NamedId| self.world.is_named_by(*id, topic) && self.world.is_known_of(*id);
        let named = || self.world.ids().find(is_known).map(|id| self.world.the(id));
        // `his father`, `the theft`, `taxes`: as the player says it.
        let is_plural = topic.ends_with('s') && english::stem(topic) != topic && topic.len() > 4;
        let is_noun = match topic.split(' ').collect::<Vec<_>>().as_slice() {
            [_] => is_plural && known.is_none() && named().is_none(),
            ["the" | "a" | "an" | "his" | "her" | "their", noun @ ..] => {
                noun.len() <= 3 && !noun.iter().any(|word| words::is_function_word(word))
            }
            _ => false,
        };
        if is_noun {
            return Some(topic.to_owned());
        }
        known.map(|about| words::topic_in_words(about)).or_else(named)
    }

    /// `You tell Agnes about the readings.` for `readings`, which is a topic of hers; other words stand as they are.
    fn told_in_words(&self, person: NamedId, what: &str) -> String {
        let the = self.world.the(person);
        let is_short = words::split(what).len() <= 3 && !words::has_article(what);
        let topics = self.world.person(person).map(|one| one.topics.as_slice()).unwrap_or_default();
        let topic =
            self.topic_of(person, what).filter(|_| is_short).and_then(|idx| topics.get(idx));
        match topic.and_then(|topic| topic.about.first()) {
            Some(about) => {
                format!("You tell {the} about {}.", words::topic_in_words(about))
            }
            // `a joke`, `to come out`, `everything`.
            None if words::has_article(what) && !has_finite_verb(what)
                || what.starts_with("to ")
                || !what.contains(' ') =>
            {
                format!("You tell {the} {what}.")
            }
            None => {
                let to_them = words::said_to(what, self.world.entity(person).pronoun);
                let to_them = if self.names_other(person, what) { what } else { &to_them };
                let spoken = words::as_spoken(&self.with_names_of_people(to_them));
                format!("You tell {the}: \u{201c}{spoken}\u{201d}")
            }
        }
    }

    /// Returns true if the words name anybody but the person, of whom their pronouns may speak.
    fn names_other(&self, person: NamedId, said: &str) -> bool {
        let said = words::split(said);
        let is_named = |id: NamedId| {
            let mut names = self.world.names(id).iter().flatten();
            names.any(|name| said.contains(name))
        };
        self.world.person_ids().any(|id| id != person && is_named(id))
    }

    pub(super) fn say(&mut self, action: &Action) -> Act {
        let words = action.text.clone().unwrap_or_default();
        if !words.chars().any(char::is_alphanumeric) {
            let named = self.world.target_of(action);
            let to = named.filter(|id| self.world.is_seen(*id)).or_else(|| self.world.partner());
            let to = to.map(|id| format!(" to {}", self.world.the(id))).unwrap_or_default();
            let text = format!("You would have to say what to say{to}.");
            return Err(ActRefusal::new("no_words", text));
        }
        let person = match &action.target {
            Some(_) => Some(self.listener(action)?),
            None => self.world.partner(),
        };
        let act = SpeechAct::of_remark(&words);
        let text = match act {
            SpeechAct::Silence => "You say nothing.".to_owned(),
            _ => format!("You say: \u{201c}{}\u{201d}", words::as_spoken(&words)),
        };
        let mut fact = WorldFact::you(FactKind::Spoken, text).object(&words);
        let Some(person) = person else {
            self.fact(fact);
            return Ok(());
        };
        self.check_friendly(person)?;
        fact = fact.other(self.world.name(person));
        self.fact(fact);
        let makes_tell = |topic: &&String| {
            let known = self.topic_of(person, topic);
            known.is_none_or(|idx| self.makes_tell(person, act, idx))
        };
        match action.topic.as_ref().filter(makes_tell) {
            Some(topic) => self.answer(person, topic),
            None => self.hear(person, &words),
        }
        Ok(())
    }

    pub(super) fn request(&mut self, action: &Action) -> Act {
        let person = self.listener(action)?;
        self.check_friendly(person)?;
        let Some(wanted) = action.with.as_deref().and_then(|name| self.world.find(name)) else {
            let topic = action.topic.clone().or_else(|| action.with.clone()).unwrap_or_default();
            self.answer(person, &topic);
            return Ok(());
        };
        let (name, thing) =
            (self.world.name(person).to_owned(), self.world.name(wanted).to_owned());
        let (who, the) = (words::capitalised(&self.world.the(person)), self.world.the(wanted));
        if self.world.is_with_player(wanted) {
            let text = format!("You have {the} already.");
            return Err(ActRefusal::new("held", text).about(&thing));
        }
        if self.world.holders[wanted.0] != Holder::Person(person) {
            // Who has never heard of it learns nothing from the question.
            if self.topic_of(person, &thing).is_some() || !self.world.is_known_of(wanted) {
                self.answer(person, &thing);
                return Ok(());
            }
            let text = format!("{who} does not have {the}.");
            self.fact(
                WorldFact::new(FactKind::Unmoved, &name, text).object(&thing).because("not_held"),
            );
            return Ok(());
        }
        let definition = self.world.person(person).cloned().unwrap_or_default();
        let is_free = self.world.conditions[person.0].yielded || definition.wants.is_none();
        if definition.gives.contains(&thing) && is_free && self.receive(person, &thing, "asked") {
            return Ok(());
        }
        let text = format!("{who} keeps {the}.");
        self.fact(WorldFact::new(FactKind::Unmoved, &name, text).object(&thing).because("asked"));
        if let Some(price) = definition.wants.as_deref().and_then(|wants| self.world.find(wants))
            && !self.world.conditions[person.0].yielded
        {
            let says = format!("Bring me {}, and we shall see.", self.world.the(price));
            let price = self.world.name(price).to_owned();
            self.speech(person, Some(&price), &says);
        }
        Ok(())
    }
}

/// With fewer fallback lines than this a person also says plainly that they know nothing.
const FALLBACKS_MIN: usize = 2;

/// Returns true for a sentence with its subject, such as `my sister is missing`.
fn has_finite_verb(what: &str) -> bool {
    words::split(what).iter().skip(1).any(|word| WordClass::FiniteInTopic.has(word.as_str()))
}

/// Returns true for what is said or asked as a sentence: `that the bridge is shut`, `what he did`.
fn is_clause(topic: &str) -> bool {
    WordClass::BeginsReportedClause.has(topic.split(' ').next().unwrap_or_default())
}

impl World {
    /// The indexes of the topics that the person knows something about now.
    pub fn topics_of(&self, person: NamedId) -> Vec<usize> {
        let topics = self.person(person).map(|one| one.topics.as_slice()).unwrap_or_default();
        let conditions: Vec<&str> =
            topics.iter().filter_map(|topic| topic.when.as_deref()).collect();
        let mut holds = self.decide(&conditions).into_iter();
        let mut knows =
            |topic: &TopicDefinition| topic.when.is_none() || holds.next() == Some(true);
        let known = topics.iter().enumerate().filter(|(_, topic)| knows(topic));
        known.map(|(idx, _)| idx).collect()
    }

    /// The names of the topics that a person knows something about now.
    pub fn topic_names(&self, person: NamedId) -> impl Iterator<Item = &str> {
        let topics = self.person(person).map(|one| one.topics.as_slice()).unwrap_or_default();
        let known = self.topics_of(person).into_iter().filter_map(|idx| topics.get(idx));
        known.filter_map(|topic| topic.about.first().map(String::as_str))
    }

    /// Under which name it is kept how often a topic has been told: `Mina Holt: ropes`.
    pub fn told_key(&self, person: NamedId, idx: usize) -> String {
        let topic = self.person(person).and_then(|one| one.topics.get(idx));
        let about = topic.and_then(|topic| topic.about.first()).map_or("", String::as_str);
        format!("{}: {about}", self.name(person))
    }

    /// The index of the person's topic that the words are about: the one with the most of its words in them.
    pub fn topic_of(&self, person: NamedId, text: &str) -> Option<usize> {
        let asked = words::split(text);
        let mut best: Option<(u32, usize, usize)> = None;
        let topics = &self.person(person)?.topics;
        for (idx, topic) in self.topics_of(person).into_iter().map(|idx| (idx, &topics[idx])) {
            for about in &topic.about {
                let known = words::split(about);
                let score = |w: &String| {
                    asked.iter().map(|a| u32::from(english::likeness(a, w))).max().unwrap_or(0)
                };
                let scores: Vec<u32> = known.iter().map(score).collect();
                let sum: u32 = scores.iter().sum();
                let fits = !scores.is_empty() && scores.iter().all(|score| *score >= 2);
                // `Ravi's spanner` is about the spanner.
                let at = known.last().and_then(|last| {
                    asked.iter().rposition(|asked| english::likeness(asked, last) >= 2)
                });
                let at = at.unwrap_or(0);
                let is_better = |(most, before, _)| sum > most || (sum == most && at == before + 1);
                if fits && best.is_none_or(is_better) {
                    best = Some((sum, at, idx));
                }
            }
        }
        best.map(|(_, _, idx)| idx)
    }

    /// Returns true if one of the entity's names is in the words.
    pub fn is_named_by(&self, id: NamedId, text: &str) -> bool {
        let asked: Vec<String> =
            words::split(text).into_iter().filter(|w| !words::is_hollow(w)).collect();
        let names = self.names(id);
        !asked.is_empty()
            && names
                .iter()
                .any(|name| asked.iter().all(|a| name.iter().any(|n| english::is_same_word(a, n))))
    }
}
