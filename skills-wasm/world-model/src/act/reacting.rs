//! What somebody makes of what the player says or does to them: their author's words, otherwise the lines of their kind.

use narratoria_facts::FeelingRise;

use crate::{
    act::ActionRun,
    definition::PersonReactionDefinition,
    entity::NamedId,
    fact::{FactKind, WorldFact},
    speech_act::SpeechAct,
    words,
};

/// How often in a story speech of one kind moves a person's opinion: the tenth compliment of a day is no kindness.
pub(super) const FELT_TIMES_MAX: u64 = 3;

impl ActionRun<'_> {
    /// What a person makes of words that are said to them, in quotation marks or not.
    pub(super) fn hear(&mut self, person: NamedId, words: &str) {
        let act = SpeechAct::of_remark(words);
        let is_named =
            self.topic_of(person, words).is_some_and(|idx| self.makes_tell(person, act, idx));
        let own = self.reaction_of(person, act);
        match act {
            SpeechAct::Question if !is_named && SpeechAct::greets(words) => self.greet(person),
            SpeechAct::Question => self.answer(person, words),
            _ if own.is_some() => self.react_with(person, act, own),
            _ if is_named => {
                self.answer(person, words);
                self.feel(person, act, None);
            }
            SpeechAct::Greeting => self.greet(person),
            // The first words to a stranger are met with theirs.
            SpeechAct::Statement if !self.world.conditions[person.0].known => self.greet(person),
            act => self.react_with(person, act, own),
        }
    }

    /// A person reacts to a deed.
    pub(super) fn react_to(&mut self, person: NamedId, act: SpeechAct) {
        self.react_with(person, act, self.reaction_of(person, act));
    }

    /// A person reacts to speech or to a deed, in the author's way if there is one.
    fn react_with(
        &mut self,
        person: NamedId,
        act: SpeechAct,
        reaction: Option<PersonReactionDefinition>,
    ) {
        let count = self.heard_before(person, act);
        self.feel(person, act, reaction.as_ref().and_then(|own| own.feeling));
        let because = if act == SpeechAct::Statement { "listen" } else { act.word() };
        let (does, says) = match (reaction, act) {
            (Some(own), _) => (own.does, own.says),
            (None, SpeechAct::Statement) => {
                let listens = self.world.person(person).map(|one| one.listens.clone());
                (Vec::new(), listens.unwrap_or_default())
            }
            (None, _) => (Vec::new(), Vec::new()),
        };
        let name = self.world.name(person).to_owned();
        // The person's own lines, and those of their kind before the first of them comes again.
        let own_len = does.len().max(says.len());
        let lines = self.world.lines_of(person, act);
        let turn = count.checked_rem(own_len + lines.len()).unwrap_or(0);
        if turn >= own_len {
            let line = self.line_in_words(person, lines, turn - own_len, "that");
            self.fact(WorldFact::new(FactKind::Gesture, &name, line).because(because));
            return;
        }
        let next = |lines: &[String]| lines.get(turn.checked_rem(lines.len())?).cloned();
        let (does, says) = (next(&does).map(|does| words::ended(&does)), next(&says));
        if let Some(does) = does {
            let fact = WorldFact::new(FactKind::Gesture, &name, does.clone()).because(because);
            // A narrator knows an author's words by the details.
            self.fact(fact.details(vec![does]));
        }
        if let Some(says) = says {
            self.speech(person, None, &says);
            if let Some(fact) = self.outcome.facts.last_mut() {
                fact.because = Some(because.to_owned());
            }
        }
    }

    /// Of the lines of the person's kind and feeling the one whose turn it is.
    pub(super) fn line_in_words(
        &self,
        person: NamedId,
        lines: &[&str],
        count: usize,
        about: &str,
    ) -> String {
        let at = count.checked_rem(lines.len()).unwrap_or(0);
        let entity = self.world.entity(person);
        let line = lines.get(at).copied().unwrap_or_default();
        let line = line.replace("{Who}", &entity.the()).replace("{their}", entity.their());
        words::capitalised(&line.replace("{about}", about))
    }

    /// How often the person has reacted to this kind of speech; counts this time too.
    pub(super) fn heard_before(&mut self, person: NamedId, act: SpeechAct) -> usize {
        let key = format!("{}#{}", self.world.name(person), act.word());
        let count = self.world.told.entry(key).or_default();
        let before = *count;
        *count = count.saturating_add(1);
        usize::try_from(before).unwrap_or(0)
    }

    /// The author's reaction of the person: the first to this kind of speech whose condition holds.
    fn reaction_of(&self, person: NamedId, act: SpeechAct) -> Option<PersonReactionDefinition> {
        let reactions = self.world.person(person)?.reactions.iter();
        let fits: Vec<_> = reactions.filter(|reaction| reaction.action == act.word()).collect();
        let conditions: Vec<&str> = fits.iter().filter_map(|one| one.when.as_deref()).collect();
        let mut holds = self.world.decide(&conditions).into_iter();
        let mut allows =
            |one: &PersonReactionDefinition| one.when.is_none() || holds.next() == Some(true);
        fits.into_iter().find(|one| allows(one)).cloned()
    }

    /// Moves the person's opinion a little, as often as it counts.
    fn feel(&mut self, person: NamedId, act: SpeechAct, own: Option<i64>) {
        let key = format!("{}#felt {}", self.world.name(person), act.word());
        let by = own.unwrap_or_else(|| act.feeling(self.world.mood_of(person)));
        let count = self.world.told.get(&key).copied().unwrap_or(0);
        if by == 0 || count >= FELT_TIMES_MAX {
            return;
        }
        self.world.told.insert(key, count + 1);
        let remember = Some(act.entry().remember).filter(|text| !text.is_empty());
        self.outcome.feelings.push(FeelingRise {
            person: self.world.name(person).to_owned(),
            by,
            remember: remember.map(str::to_owned),
        });
    }
}
