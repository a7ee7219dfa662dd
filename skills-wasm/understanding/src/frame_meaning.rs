//! The meaning of a frame: which actions its slots come to.
//!
//! | part of a meaning | what it says |
//! |---|---|
//! | `put-in` | the action, by its name |
//! | `do` | the action that the verb means |
//! | `{it}` | its target: one action for each thing that is meant; `{every:edible}` is each thing in sight with this feature, `{it.!held}` each of them that has this one |
//! | `{uncovered}`, `{within:it}`, `{holder:it}` | what the clause before this one has uncovered; what is in, on or under it; what it is in or on. `{all-within:it}` may be nothing |
//! | `with {to}` | the second thing; `with? {to}` leaves out what is missing, and takes the first of several |
//! | `about {topic}`, `about phrase` | the topic: words, or the phrase of the verb; `about rest`: all words behind it; `about said`, `about bare`: all words of the clause; those without what leads to them; `about "where {topic}"` |
//! | `toward down`, `toward {way}` | the direction; `toward way` is the only one that the clause says, or that of stairs, `toward some-way` one of those that it says, `toward way-out` where one leaves, and `toward stairs` where the stairs of the object lead |
//! | `"settle on"`, `"nod at {who}"` | the text; in it a slot stands for its words |
//! | `text {words}`, `text said`, `text own fit` | the text: words; all words of the clause; the same in the second person, or `fit` if they are too many; `name` is what the meaning of the verb has behind its first word, such as `wave` |
//! | `text? waited`, `text? slept` | how long the clause says to wait or to sleep, if it does |
//! | `missing "anything to eat"` | what is not here |
//! | `; ` | between two actions |
//! | ` \| ` | what is in front of it, or if that names what is not there, or its condition does not hold, what is behind it |
//! | `nothing`, `unknown` | no action; no sense |
//! | `> put {it} in {to}` | what this clause comes to; in it `phrase` is the verb, `tail` what it has behind its first word, and `rest` all behind it |
//! | `> go: {to}` | the same, whatever longer verb begins so |
//! | `> {deed} ; with {tool}` | the same, with this if the clause has no other |
//! | `question {words}`, `seen {words}` | the answer to a question with a noun; if it needs nothing but a look |
//! | `{listener}`, `{pet}` | who is spoken to, if somebody is; an animal that is |
//!
//! Behind it may stand conditions of the rows of wordings: `… if opens key lock`. `not` turns one round. Beside them there are
//!
//! | condition | what must hold |
//! |---|---|
//! | `listened`, `alone` | somebody is spoken to; nobody is, and nobody is here |
//! | `addressed`, `called` | somebody is spoken to by name; this clause has the name |
//! | `asked`, `question`, `polite` | a question mark ends the clause; or it begins as a question does; it has a `please` |
//! | `bare`, `led`, `light`, `swayed` | no verb, way or question begins it; a verb does behind what leads to it; a noun says the deed; a verb of persuading, or `not`, is there |
//! | `topic words` | who is spoken to knows of it; `topic said`, `topic listener` |
//! | `reticent who` | it is who is spoken to, and they have nothing to say of what the words name |
//! | `answered words` | no person need answer it |
//! | `theirs it` | who is spoken to has it |
//! | `same it other`, `dark`, `way down` | both are the same; it is; it leads somewhere here |

use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    world::{Holder, World},
};

use crate::{
    built::{Built, FrameReader},
    clauses::begins_question,
    frame_slots::SlotWords,
    hiding,
    leads::strip,
    lexicon::{ClauseVerb, Meaning, verbs_at_start},
    meaning::Trouble,
    nouns::Meant,
    own_words::{own_words, words_of},
    parts::ClauseParts,
    patterns::{CONDITION, CONDITION_AND},
    phrase_kinds::{MeantPhrase, feature, has_feature},
    plain_clause::name_tokens,
    plainer,
    questions::{is_answered, noun_question},
    referents,
    tokens::{Token, text_of, word_at},
    travel, waiting,
};

/// How often a meaning may be read as another clause: `> put {it} in {to}`.
const AGAIN_MAX: usize = 4;

/// A clause that fits a frame: its verb, and what the slots mean.
pub(super) struct FrameClause<'c> {
    pub(super) world: &'c World,
    pub(super) verb: &'c ClauseVerb,
    pub(super) slots: &'c [SlotWords<'c>],
    /// Reads another clause by its frames.
    pub(super) read: FrameReader<'c>,
}

impl FrameClause<'_> {
    /// What the meaning comes to, or nothing if a condition does not hold or there is no referent.
    pub(super) fn built(&self, meaning: &str) -> Option<Built> {
        meaning.split(" | ").find_map(|meaning| self.one_of(meaning))
    }

    fn one_of(&self, meaning: &str) -> Option<Built> {
        let (meaning, conditions) = meaning.split_once(CONDITION).unwrap_or((meaning, ""));
        let mut conditions = conditions.split(CONDITION_AND).filter(|it| !it.is_empty());
        if !conditions.all(|condition| self.holds(condition)) {
            return None;
        }
        if let Some(clause) = meaning.strip_prefix("> ") {
            let (clause, tool) = clause.split_once(" ; ").unwrap_or((clause, ""));
            let phrase = clause.split(' ').next().and_then(|verb| verb.strip_suffix(':'));
            let clause = self.clause(&clause.replacen(':', "", usize::from(phrase.is_some())))?;
            let mut built = self.again(phrase, &clause);
            if let Ok([first, ..]) = built.as_deref_mut()
                && first.with.is_none()
                && !tool.is_empty()
            {
                let mut deed = FrameAction { action: first.clone(), targets: None };
                if let Err(trouble) = self.with_part(&mut deed, tool)? {
                    return Some(Err(trouble));
                }
                *first = deed.action;
            }
            return Some(built);
        }
        match meaning {
            "nothing" => return Some(Ok(Vec::new())),
            "unknown" => return Some(Err(Trouble::Unknown)),
            _ => {}
        }
        if let Some(question) = meaning.strip_prefix("question ") {
            return noun_question(self.world, &self.clause(question)?, self.read).map(Ok);
        }
        if let Some(question) = meaning.strip_prefix("seen ") {
            let found = noun_question(self.world, &self.clause(question)?, self.read)?;
            let is_seen = |action: &Action| action.missing.is_none() && action.action != Verb::Ask;
            return found.iter().all(is_seen).then_some(Ok(found));
        }
        let mut actions = Vec::new();
        for deed in meaning.split(" ; ") {
            match self.deed(deed)? {
                Ok(more) => actions.extend(more),
                trouble => return Some(trouble),
            }
        }
        Some(Ok(actions))
    }

    /// What another clause comes to. With `phrase` its verb is that one, and no longer one.
    fn again(&self, phrase: Option<&str>, clause: &[Token]) -> Built {
        let again = self.verb.again + 1;
        let is_it = |verb: &ClauseVerb| phrase.is_none_or(|phrase| verb.phrase == phrase);
        let first = verbs_at_start(clause).into_iter().find(is_it).filter(|_| again <= AGAIN_MAX);
        let read = first.and_then(|verb| (self.read)(&ClauseVerb { again, ..verb }));
        read.unwrap_or(Err(Trouble::Unknown))
    }

    fn holds(&self, condition: &str) -> bool {
        if let Some(condition) = condition.strip_prefix("not ") {
            return !self.holds(condition);
        }
        let words = |label: &str| self.slot(label).map(|slot| slot.tokens).unwrap_or_default();
        match condition.split_once(' ').unwrap_or((condition, "")) {
            ("listened", _) => return self.listener().is_some(),
            ("addressed", _) => return self.verb.utterance.addressed.is_some(),
            ("called", _) => return self.verb.utterance.is_called,
            ("asked", _) => return self.verb.utterance.is_asked,
            ("question", _) => {
                return self.verb.utterance.is_asked || begins_question(&self.verb.rest);
            }
            ("polite", _) => return self.verb.said.split(' ').any(|word| word == "please"),
            ("bare", _) => return is_bare(&self.verb.rest),
            ("led", _) => return is_led(&self.verb.rest),
            ("alone", _) => {
                return self.verb.utterance.addressed.is_none()
                    && self.world.people_here().is_empty();
            }
            ("theirs", label) => {
                let Some(Meant::Entities(ids)) = self.meant(label) else { return false };
                let owner = self.listener().map(Holder::Person);
                return owner == Some(self.world.holders[ids[0].0]);
            }
            ("swayed", _) => return is_swaying(&self.verb.rest),
            ("light", _) => {
                return plainer::light_verb(self.world, strip(&self.verb.rest)).is_some();
            }
            ("dark", _) => return !self.world.is_lit(),
            ("answered", label) => return is_answered(self.world, words(label), self.read),
            ("topic", label) => {
                let of_label = || self.words(&format!("{{{label}}}"));
                let topic = of_label().or_else(|| self.words(label)).unwrap_or_default();
                let knows = |who| self.world.topic_of(who, &topic).is_some();
                return self.listener().is_some_and(knows);
            }
            _ => {}
        }
        if let Some((one, other)) =
            condition.strip_prefix("same ").and_then(|it| it.split_once(' '))
        {
            return self.meant(one) == self.meant(other);
        }
        if let Some(who) = condition.strip_prefix("reticent ").and_then(|who| self.slot(who)) {
            let partner = self.world.partner();
            let knows = |id| self.world.topic_of(id, &text_of(who.tokens)).is_some();
            return who.meant == partner.map_or(Meant::Nothing, |id| Meant::Entities(vec![id]))
                && !partner.is_some_and(knows);
        }
        if let Some(way) = condition.strip_prefix("way ") {
            return self.words(way).is_some_and(|way| self.world.has_way(&way));
        }
        referents::holds(self.world, condition, &self.phrases())
    }

    /// Who is spoken to: by name, or because they are here.
    fn listener(&self) -> Option<NamedId> {
        self.verb.utterance.addressed.or_else(|| self.world.talker())
    }

    /// The slots as the phrases of a row of wordings.
    fn phrases(&self) -> Vec<MeantPhrase<'_>> {
        fn phrase<'s>(slot: &SlotWords<'s>) -> MeantPhrase<'s> {
            MeantPhrase {
                label: slot.label,
                plain: slot.tokens.to_vec(),
                ids: match &slot.meant {
                    Meant::Entities(ids) => ids.clone(),
                    _ => Vec::new(),
                },
            }
        }
        self.slots.iter().map(phrase).collect()
    }

    fn slot(&self, label: &str) -> Option<&SlotWords<'_>> {
        self.slots.iter().find(|slot| slot.label == label)
    }

    /// The words of a clause that is read again.
    fn clause(&self, plain: &str) -> Option<Vec<Token>> {
        let mut clause = Vec::new();
        for part in plain.split(' ') {
            match label(part) {
                None if part == "phrase" => {
                    clause.extend(self.verb.phrase.split(' ').map(Token::of))
                }
                None if part == "rest" => clause.extend(self.verb.rest.iter().cloned()),
                None if part == "tail" => clause.extend(travel::tail_of(&self.verb.phrase)),
                None => clause.push(Token::of(part)),
                Some(label) => match self.slot(label) {
                    Some(slot) => clause.extend(slot.tokens.iter().cloned()),
                    None => {
                        clause.extend(referents::words_for(self.world, label, &self.phrases())?)
                    }
                },
            }
        }
        Some(clause)
    }

    /// What a slot or a referent means.
    fn meant(&self, label: &str) -> Option<Meant> {
        if let Some(slot) = self.slot(label) {
            return Some(slot.meant.clone());
        }
        if let Some((label, features)) = label.split_once('.')
            && let Some(Meant::Entities(ids)) = self.slot(label).map(|slot| &slot.meant)
        {
            let is_it = |id: &NamedId| {
                let ids = std::slice::from_ref(id);
                features.split('.').all(|it| has_feature(self.world, it, &[], ids))
            };
            return Some(Meant::Entities(ids.iter().copied().filter(is_it).collect()));
        }
        if let Some(found) = self.found(label) {
            return (!found.is_empty()).then_some(Meant::Entities(found));
        }
        if let Some(hider) = label.strip_prefix("all-within:") {
            let Some(Meant::Entities(ids)) = self.meant(hider) else { return None };
            return Some(Meant::Entities(hiding::within(self.world, ids[0])));
        }
        if label == "listener" {
            return Some(self.listener().map_or(Meant::Nothing, |id| Meant::Entities(vec![id])));
        }
        if let Some(name) = label.strip_prefix("every:") {
            let is_it = |id: &NamedId| feature(self.world, name, *id) == Some(true);
            let ids: Vec<NamedId> = self.world.seen().filter(is_it).collect();
            return (!ids.is_empty()).then_some(Meant::Entities(ids));
        }
        let words = referents::words_for(self.world, label, &self.phrases())?;
        let is_it = |id: &NamedId| name_tokens(self.world, *id).eq(words.iter().cloned());
        self.world.ids().find(is_it).map(|id| Meant::Entities(vec![id]))
    }

    /// What no words of the clause name, if the label is one of these: what was uncovered, what is within something, what holds it.
    fn found(&self, label: &str) -> Option<Vec<NamedId>> {
        let first = |label| match self.meant(label) {
            Some(Meant::Entities(ids)) => ids.first().copied(),
            _ => None,
        };
        match label.split_once(':').unwrap_or((label, "")) {
            ("uncovered", _) => Some(hiding::uncovered(self.world)),
            ("within", hider) => first(hider).map(|id| hiding::within(self.world, id)),
            ("holder", held) => first(held).map(|id| match self.world.holders[id.0] {
                Holder::In(holder) | Holder::On(holder) => vec![holder],
                _ => Vec::new(),
            }),
            _ => None,
        }
    }

    /// One action for each thing of the target.
    fn deed(&self, deed: &str) -> Option<Built> {
        let (name, mut rest) = deed.split_once(' ').unwrap_or((deed, ""));
        let verb = match self.verb.meaning {
            Meaning::Do(verb) if name == "do" => verb,
            _ => verb_called(name)?,
        };
        let mut deed = FrameAction { action: Action::new(verb), targets: None };
        while !rest.is_empty() {
            rest = match self.with_part(&mut deed, rest)? {
                Ok(rest) => rest,
                Err(trouble) => return Some(Err(trouble)),
            };
        }
        let Some(targets) = deed.targets else { return Some(Ok(vec![deed.action])) };
        let on = |target: String| Action { target: Some(target), ..deed.action.clone() };
        Some(match targets {
            Meant::Entities(ids) => {
                Ok(ids.iter().map(|id| on(self.world.name(*id).to_owned())).collect())
            }
            Meant::Mention(word) => Ok(vec![on(word)]),
            Meant::Missing(words) => Ok(vec![Action { missing: Some(words), ..deed.action }]),
            Meant::Unclear(ids) => Err(Trouble::Unclear(ids)),
            Meant::Nothing => Ok(vec![deed.action]),
        })
    }

    /// Adds the first part of what is left of a deed. Returns the rest.
    fn with_part<'m>(
        &self,
        deed: &mut FrameAction,
        parts: &'m str,
    ) -> Option<Result<&'m str, Trouble>> {
        let action = &mut deed.action;
        if let Some(text) = parts.strip_prefix("missing \"") {
            let (text, rest) = text.split_once('"')?;
            action.missing = Some(self.filled(text)?);
            return Some(Ok(rest.trim_start()));
        }
        if let Some(text) = parts.strip_prefix('"') {
            let (text, rest) = text.split_once('"')?;
            action.text = Some(self.filled(text)?);
            return Some(Ok(rest.trim_start()));
        }
        let (part, rest) = parts.split_once(' ').unwrap_or((parts, ""));
        if let Some(label) = label(part) {
            deed.targets = Some(self.meant(label)?);
            return Some(Ok(rest));
        }
        if let Some(topic) = rest.strip_prefix('"').filter(|_| part == "about") {
            let (topic, rest) = topic.split_once('"')?;
            action.topic = Some(self.filled(topic)?.trim_end().to_owned());
            return Some(Ok(rest.trim_start()));
        }
        let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        match part {
            "with" | "with?" => match self.meant(label(word)?)? {
                Meant::Unclear(ids) if part == "with" => return Some(Err(Trouble::Unclear(ids))),
                Meant::Entities(ids) | Meant::Unclear(ids) => {
                    action.with = ids.first().map(|id| self.world.name(*id).to_owned());
                }
                Meant::Mention(word) => action.with = Some(word),
                Meant::Missing(words) if part == "with" => action.missing = Some(words),
                _ => {}
            },
            "about" => action.topic = Some(self.words(word)?),
            "toward" => action.direction = Some(self.words(word)?),
            "text" if word == "own" => {
                let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                let name = match name {
                    "name" => self.verb.own_name().to_owned(),
                    name => name.replace('-', " "),
                };
                action.text = Some(own_words(self.verb, &name));
                return Some(Ok(rest));
            }
            "text" => action.text = Some(self.words(word)?),
            "text?" => action.text = self.words(word),
            _ => return None,
        }
        Some(Ok(rest))
    }

    /// Words that a meaning names: of a slot, of the verb, of the whole clause, or as they are.
    fn words(&self, word: &str) -> Option<String> {
        Some(match label(word) {
            Some("listener") => self.world.name(self.listener()?).to_owned(),
            Some(label) => text_of(self.slot(label)?.tokens),
            None if word == "phrase" => self.verb.phrase.clone(),
            None if word == "name" => self.verb.own_name().to_owned(),
            None if word == "bare" => text_of(strip(&self.verb.rest)),
            None if word == "rest" => text_of(&self.verb.rest),
            None if word == "said" && self.verb.phrase.is_empty() => self.verb.said.clone(),
            None if word == "said" => words_of(self.verb),
            None if word == "slept" => waiting::slept(self.world.clock(), self.verb)?,
            None if word == "waited" => waiting::waited(self.world.clock(), &self.verb.rest)?,
            None if word == "way" => travel::way(self.world, self.verb)?.to_owned(),
            None if word == "some-way" => travel::some_way(self.world, self.verb)?.to_owned(),
            None if word == "way-out" => self.world.way_out().to_owned(),
            None if word == "stairs" => {
                let rest = &self.verb.rest;
                travel::stairs(self.world, &ClauseParts::of(rest).object, rest)?.to_owned()
            }
            None => word.to_owned(),
        })
    }

    /// A text with the words of its slots; `{the:it}` is what is meant, with its article.
    fn filled(&self, text: &str) -> Option<String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, behind) = behind.split_once('}')?;
            filled += before;
            filled += &match name.strip_prefix("the:") {
                Some(label) => match self.meant(label)? {
                    Meant::Entities(ids) => self.world.the(ids[0]),
                    _ => return None,
                },
                None if name == "phrase" => self.verb.phrase.clone(),
                None => text_of(self.slot(name)?.tokens),
            };
            rest = behind;
        }
        Some(filled + rest)
    }
}

/// Returns true for `I want you to open the door`, which leads to a deed.
fn is_led(words: &[Token]) -> bool {
    let rest = strip(words);
    rest.len() + 1 < words.len() && english::is_verb(word_at(rest, 0))
}

/// Returns true for `and the key`: no verb, way or question begins what is said.
fn is_bare(words: &[Token]) -> bool {
    let rest = strip(words);
    let is_verb = !verbs_at_start(rest).is_empty();
    !(rest.is_empty() || is_verb || begins_question(rest) || travel::direction(rest).is_some())
}

/// Returns true if a word is a verb of persuading, which leads to a wish and is none.
fn is_swaying(words: &[Token]) -> bool {
    let sways = |token: &Token| {
        let word = token.word();
        let word = english::inflected(word).filter(|_| !english::is_verb(word)).unwrap_or(word);
        let verbs = verbs_at_start(&[Token::of(word)]);
        verbs.iter().any(|verb| matches!(verb.meaning, Meaning::Sway(_)))
    };
    words.iter().any(|token| token.word() == "not" || sways(token))
}

/// An action that is put together, and what it is done to.
struct FrameAction {
    action: Action,
    targets: Option<Meant>,
}

fn label(part: &str) -> Option<&str> {
    part.strip_prefix('{')?.strip_suffix('}')
}

/// The action of this name: `put-in`.
pub(super) fn verb_called(name: &str) -> Option<Verb> {
    let is_it = |known: &str| {
        let letters = name.bytes().filter(|byte| !b"- ".contains(byte));
        letters.eq(known.bytes().map(|byte| byte.to_ascii_lowercase()))
    };
    Verb::NAMES.iter().find(|(known, _)| is_it(known)).map(|(_, verb)| *verb)
}
