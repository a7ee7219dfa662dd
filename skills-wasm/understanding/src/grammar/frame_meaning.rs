//! What a frame means: the actions that its slots come to, if its conditions hold. [`frame_form`](crate::forms::frame_form) says what
//! each part means.

use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    world::{Holder, World},
};

use crate::{
    forms::frame_form::{
        ClausePart, DeedPart, FrameAgain, FrameCondition, FrameDeed, FrameMeaning, FrameNamed,
        FrameReferent, FrameSays, FrameWords,
    },
    grammar::{
        built::{Built, FrameReader},
        frame_slots::SlotWords,
        questions::{is_answered, noun_question},
    },
    meaning::Trouble,
    names::{hiding, nouns::Meant, travel},
    rows::{plainer, referents},
    sentence::clauses::begins_question,
    words::{
        leads::strip,
        lexicon::{ClauseVerb, Meaning, verbs_at_start},
        own_words::{own_words, words_of},
        parts::ClauseParts,
        tokens::{Token, text_of, word_at},
        waiting,
    },
};

/// How often a meaning may be read as another clause: `> put {it} in {to}`.
const AGAIN_MAX: usize = 4;

/// A clause that fits a frame: its verb, and what the slots mean.
pub(crate) struct FrameClause<'c> {
    pub(crate) world: &'c World,
    pub(crate) verb: &'c ClauseVerb,
    pub(crate) slots: &'c [SlotWords<'c>],
    /// Reads another clause by its frames.
    pub(crate) read: FrameReader,
}

impl FrameClause<'_> {
    /// What the meaning comes to; nothing if a condition does not hold, or if it names what is not there.
    pub(crate) fn built(&self, meaning: &FrameMeaning) -> Option<Built> {
        let holds =
            |(condition, is_wanted): &(FrameCondition, bool)| self.holds(*condition) == *is_wanted;
        if !meaning.conditions.iter().all(holds) {
            return None;
        }
        match meaning.says {
            FrameSays::Nothing => Some(Ok(Vec::new())),
            FrameSays::Unknown => Some(Err(Trouble::Unknown)),
            FrameSays::Again(again) => self.again(&again),
            FrameSays::Question(question) => self.answer(&question).map(Ok),
            FrameSays::Seen(question) => {
                let found = self.answer(&question)?;
                let is_seen =
                    |action: &Action| action.missing.is_none() && action.action != Verb::Ask;
                found.iter().all(is_seen).then_some(Ok(found))
            }
            FrameSays::Deeds(deeds) => {
                let mut actions = Vec::new();
                for deed in deeds.iter() {
                    match self.deed(deed)? {
                        Ok(more) => actions.extend(more),
                        trouble => return Some(trouble),
                    }
                }
                Some(Ok(actions))
            }
        }
    }

    /// What another clause comes to.
    fn again(&self, again: &FrameAgain) -> Option<Built> {
        let clause = self.clause(&again.clause)?;
        let depth = self.verb.again + 1;
        let alone = clause.first().map(Token::word).filter(|_| again.is_verb_alone);
        let is_it = |verb: &ClauseVerb| alone.is_none_or(|alone| verb.phrase == alone);
        let verb = verbs_at_start(&clause).into_iter().find(is_it).filter(|_| depth <= AGAIN_MAX);
        let read =
            verb.and_then(|verb| (self.read)(self.world, &ClauseVerb { again: depth, ..verb }));
        let mut built = read.unwrap_or(Err(Trouble::Unknown));
        if let Ok([first, ..]) = built.as_deref_mut()
            && first.with.is_none()
        {
            for part in again.with.iter() {
                if let Err(trouble) = self.add(*part, first)? {
                    return Some(Err(trouble));
                }
            }
        }
        Some(built)
    }

    fn answer(&self, question: &[ClausePart]) -> Option<Vec<Action>> {
        noun_question(self.world, &self.clause(question)?, self.read)
    }

    fn holds(&self, condition: FrameCondition) -> bool {
        let (world, verb) = (self.world, self.verb);
        match condition {
            FrameCondition::Alone => {
                verb.utterance.addressed.is_none() && world.people_here().is_empty()
            }
            FrameCondition::Addressed => verb.utterance.addressed.is_some(),
            FrameCondition::Called => verb.utterance.is_called,
            FrameCondition::Asked => verb.utterance.is_asked,
            FrameCondition::Question => verb.utterance.is_asked || begins_question(&verb.rest),
            FrameCondition::Polite => verb.said.split(' ').any(|word| word == "please"),
            FrameCondition::Bare => is_bare(&verb.rest),
            FrameCondition::Led => is_led(&verb.rest),
            FrameCondition::Light => plainer::light_verb(world, strip(&verb.rest)).is_some(),
            FrameCondition::Swayed => is_swaying(&verb.rest),
            FrameCondition::Dark => !world.is_lit(),
            FrameCondition::Theirs(named) => {
                let Some(Meant::Entities(ids)) = self.meant(named) else { return false };
                let owner = self.listener().map(Holder::Person);
                owner.is_some() && owner == ids.first().map(|id| world.holders[id.0])
            }
            FrameCondition::Topic(words) => {
                let topic = self.words(words).unwrap_or_default();
                self.listener().is_some_and(|who| world.topic_of(who, &topic).is_some())
            }
            FrameCondition::Reticent(label) => self.slot(label).is_some_and(|who| {
                let partner = world.partner();
                let knows = |id| world.topic_of(id, &text_of(who.tokens)).is_some();
                who.meant == partner.map_or(Meant::Nothing, |id| Meant::Entities(vec![id]))
                    && !partner.is_some_and(knows)
            }),
            FrameCondition::Answered(label) => {
                let words = self.slot(label).map(|slot| slot.tokens).unwrap_or_default();
                is_answered(world, words, self.read)
            }
            FrameCondition::Same((one, other)) => self.meant(one) == self.meant(other),
            FrameCondition::Way(words) => self.words(words).is_some_and(|way| world.has_way(&way)),
            FrameCondition::Phrases((condition, labels)) => {
                let (labels, ids) = (labels.iter().copied(), |label: &str| self.ids(label));
                referents::holds(world, condition, labels, &ids, self.listener())
            }
        }
    }

    /// Who is spoken to: by name, or because they are here.
    fn listener(&self) -> Option<NamedId> {
        self.verb.utterance.addressed.or_else(|| self.world.talker())
    }

    fn slot(&self, label: &str) -> Option<&SlotWords<'_>> {
        self.slots.iter().find(|slot| slot.label == label)
    }

    /// What a slot names, if there is one: nothing of what is only words.
    fn ids(&self, label: &str) -> Option<&[NamedId]> {
        self.slot(label).map(|slot| match &slot.meant {
            Meant::Entities(ids) => ids.as_slice(),
            _ => &[],
        })
    }

    /// The words of a clause that is read again.
    fn clause(&self, parts: &[ClausePart]) -> Option<Vec<Token>> {
        let mut clause = Vec::new();
        for part in parts {
            match part {
                ClausePart::Phrase => clause.extend(self.verb.phrase.split(' ').map(Token::of)),
                ClausePart::Rest => clause.extend(self.verb.rest.iter().cloned()),
                ClausePart::Tail => clause.extend(travel::tail_of(&self.verb.phrase)),
                ClausePart::Word(word) => clause.push(Token::of(word)),
                ClausePart::Slot(label) => clause.extend(self.slot(label)?.tokens.iter().cloned()),
                ClausePart::Referent(FrameReferent { of, argument }) => {
                    let ids = |label: &str| self.ids(label);
                    clause.extend(referents::words_for(self.world, *of, argument, &ids)?);
                }
            }
        }
        Some(clause)
    }

    /// What is named, in a slot or without one.
    fn meant(&self, named: FrameNamed) -> Option<Meant> {
        let first = |named: &[FrameNamed]| match self.meant(*named.first()?) {
            Some(Meant::Entities(ids)) => ids.first().copied(),
            _ => None,
        };
        let found = match named {
            FrameNamed::Slot(label) => return Some(self.slot(label)?.meant.clone()),
            FrameNamed::Listener => {
                return Some(
                    self.listener().map_or(Meant::Nothing, |id| Meant::Entities(vec![id])),
                );
            }
            FrameNamed::AllWithin(hider) => {
                return Some(Meant::Entities(hiding::within(self.world, first(&hider)?)));
            }
            FrameNamed::SlotWith((label, features)) => {
                let Meant::Entities(ids) = &self.slot(label)?.meant else { return None };
                let is_it = |id: &NamedId| {
                    let ids = std::slice::from_ref(id);
                    let mut features = features.iter();
                    features.all(|(test, is_wanted)| test.holds(self.world, &[], ids, *is_wanted))
                };
                return Some(Meant::Entities(ids.iter().copied().filter(is_it).collect()));
            }
            FrameNamed::Uncovered => hiding::uncovered(self.world),
            FrameNamed::Within(hider) => hiding::within(self.world, first(&hider)?),
            FrameNamed::Holder(held) => match self.world.holders[first(&held)?.0] {
                Holder::In(holder) | Holder::On(holder) => vec![holder],
                _ => Vec::new(),
            },
            FrameNamed::Every(feature) => {
                self.world.seen().filter(|id| feature.is_of(self.world, *id)).collect()
            }
            FrameNamed::Referent(FrameReferent { of, argument }) => {
                let ids = |label: &str| self.ids(label);
                vec![referents::one_for(self.world, of, argument, &ids)?]
            }
        };
        (!found.is_empty()).then_some(Meant::Entities(found))
    }

    /// One action for each thing that it is done to.
    fn deed(&self, deed: &FrameDeed) -> Option<Built> {
        let verb = match (deed.verb, self.verb.meaning) {
            (Some(verb), _) | (None, Meaning::Do(verb)) => verb,
            (None, _) => return None,
        };
        let (mut action, mut targets) = (Action::new(verb), None);
        for part in deed.parts.iter() {
            if let DeedPart::Target(named) = part {
                targets = Some(self.meant(*named)?);
            } else if let Err(trouble) = self.add(*part, &mut action)? {
                return Some(Err(trouble));
            }
        }
        let on = |target: String| Action { target: Some(target), ..action.clone() };
        Some(match targets {
            Some(Meant::Entities(ids)) => {
                Ok(ids.iter().map(|id| on(self.world.name(*id).to_owned())).collect())
            }
            Some(Meant::Mention(word)) => Ok(vec![on(word)]),
            Some(Meant::Missing(words)) => Ok(vec![Action { missing: Some(words), ..action }]),
            Some(Meant::Unclear(ids)) => Err(Trouble::Unclear(ids)),
            Some(Meant::Nothing) | None => Ok(vec![action]),
        })
    }

    /// Adds a part to an action.
    fn add(&self, part: DeedPart, action: &mut Action) -> Option<Result<(), Trouble>> {
        match part {
            DeedPart::Target(_) => {}
            DeedPart::With(named) => match self.meant(named)? {
                Meant::Unclear(ids) => return Some(Err(Trouble::Unclear(ids))),
                Meant::Missing(words) => action.missing = Some(words),
                meant => action.with = self.second(meant).or(action.with.take()),
            },
            DeedPart::WithAny(named) => {
                action.with = self.second(self.meant(named)?).or(action.with.take());
            }
            DeedPart::About(words) => {
                action.topic = Some(self.text(&words)?.trim_end().to_owned());
            }
            DeedPart::Missing(words) => action.missing = Some(self.text(&words)?),
            DeedPart::Text(words) => action.text = Some(self.text(&words)?),
            DeedPart::TextAny(words) => action.text = self.text(&words),
            DeedPart::Toward(words) => action.direction = Some(self.text(&words)?),
        }
        Some(Ok(()))
    }

    /// The second thing of an action: of several the first.
    fn second(&self, meant: Meant) -> Option<String> {
        match meant {
            Meant::Entities(ids) | Meant::Unclear(ids) => {
                ids.first().map(|id| self.world.name(*id).to_owned())
            }
            Meant::Mention(word) => Some(word),
            _ => None,
        }
    }

    /// Words that a meaning names.
    fn words(&self, words: FrameWords) -> Option<String> {
        let (world, verb) = (self.world, self.verb);
        Some(match words {
            FrameWords::Slot(label) => text_of(self.slot(label)?.tokens),
            FrameWords::The(label) => world.the(*self.ids(label)?.first()?),
            FrameWords::Word(words) => words.to_owned(),
            FrameWords::OwnName => own_words(verb, verb.own_name()),
            FrameWords::Own(name) => own_words(verb, name),
            FrameWords::Listener => world.name(self.listener()?).to_owned(),
            FrameWords::Phrase => verb.phrase.clone(),
            FrameWords::Name => verb.own_name().to_owned(),
            FrameWords::Bare => text_of(strip(&verb.rest)),
            FrameWords::Rest => text_of(&verb.rest),
            FrameWords::Said if verb.phrase.is_empty() => verb.said.clone(),
            FrameWords::Said => words_of(verb),
            FrameWords::Slept => waiting::slept(world.clock(), verb)?,
            FrameWords::Waited => waiting::waited(world.clock(), &verb.rest)?,
            FrameWords::Way => travel::way(world, verb)?.to_owned(),
            FrameWords::SomeWay => travel::some_way(world, verb)?.to_owned(),
            FrameWords::WayOut => world.way_out().to_owned(),
            FrameWords::Stairs => {
                let object = ClauseParts::of(&verb.rest).object;
                travel::stairs(world, &object, &verb.rest)?.to_owned()
            }
        })
    }

    fn text(&self, words: &[FrameWords]) -> Option<String> {
        words.iter().map(|words| self.words(*words)).collect()
    }
}

/// Returns true if a verb stands behind the words that lead to it: `I want you to open the door`.
fn is_led(words: &[Token]) -> bool {
    let rest = strip(words);
    rest.len() + 1 < words.len() && english::is_verb(word_at(rest, 0))
}

/// Returns true if no verb, way or question begins the words: `and the key`.
fn is_bare(words: &[Token]) -> bool {
    let rest = strip(words);
    let is_verb = !verbs_at_start(rest).is_empty();
    !(rest.is_empty() || is_verb || begins_question(rest) || travel::direction(rest).is_some())
}

/// Returns true if one of the words is `not` or a verb of persuading: it leads to a wish, and is no wish itself.
fn is_swaying(words: &[Token]) -> bool {
    let sways = |token: &Token| {
        let word = token.word();
        let word = english::inflected(word).filter(|_| !english::is_verb(word)).unwrap_or(word);
        let verbs = verbs_at_start(&[Token::of(word)]);
        verbs.iter().any(|verb| matches!(verb.meaning, Meaning::Sway(_)))
    };
    words.iter().any(|token| token.word() == "not" || sways(token))
}
