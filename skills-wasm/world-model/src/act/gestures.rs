//! Gestures: what the player does in words of their own, and what changes nothing.

use english::WordClass;

use crate::{
    act::{Act, ActTarget, ActionRun},
    action::Action,
    entity::{NamedId, NamedKind},
    fact::{FactKind, WorldFact},
    speech_act::{SpeechAct, gesture_of_chat},
    words,
};

impl ActionRun<'_> {
    /// The player's words, in which the names of people have their capital letters: `help olive` is `help Olive`.
    pub(super) fn with_names_of_people(&self, words: &str) -> String {
        let is_met = |id: &NamedId| {
            self.world.conditions[id.0].known || self.world.people_here().contains(id)
        };
        let people: Vec<NamedId> = self.world.person_ids().filter(is_met).collect();
        let names: Vec<&str> =
            people.iter().flat_map(|id| self.world.name(*id).split(' ')).collect();
        let named = |word: &str| {
            names
                .iter()
                .find(|name| name.eq_ignore_ascii_case(word))
                .copied()
                .unwrap_or(word)
                .to_owned()
        };
        words.split(' ').map(named).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn gesture(&mut self, action: &Action) -> Act {
        let verb = action.text.as_deref().unwrap_or("wait");
        if let Some(absent) = self.absent_thing(verb) {
            let action = Action { target: Some(absent), ..action.clone() };
            return self.entity_target(&action).map(|_| ());
        }
        // `lol` is no deed that a story tells.
        let verb = gesture_of_chat(verb).unwrap_or(verb);
        let verb = self.with_names_of_people(verb);
        let target = action.target.as_ref().map(|_| self.target(action)).transpose()?;
        let act = SpeechAct::of_gesture(&verb);
        let listener = self.listener_of(target.as_ref(), act);
        let touches = || listener.filter(|_| touches_body(&verb)).map(|_| SpeechAct::Touch);
        let act = act.or_else(touches);
        let object = target.map(|target| match target {
            ActTarget::Named(id) => (self.world.the(id), self.world.name(id).to_owned()),
            ActTarget::Mention(word, _) => (format!("the {word}"), word),
        });
        // Somebody who is there answers for themselves.
        if let Some(person) = listener.filter(|_| act.is_none() && !is_plain_gesture(&verb)) {
            self.react_to(person, SpeechAct::Deed);
            return Ok(());
        }
        let text = self.gesture_in_words(&verb, object.as_ref(), act);
        let mut fact = WorldFact::you(FactKind::Gesture, text).because(&verb);
        fact.object = object.map(|(_, name)| name);
        self.fact(fact);
        if let Some(person) = listener.filter(|_| act.is_some() || !is_thought(&verb)) {
            self.react_to(person, act.unwrap_or(SpeechAct::Gesture));
        }
        Ok(())
    }

    /// Who answers a gesture: the person to whom it is done, and what is for anybody is for who listens.
    fn listener_of(&self, target: Option<&ActTarget>, act: Option<SpeechAct>) -> Option<NamedId> {
        let person = match target {
            Some(ActTarget::Named(id)) => Some(*id).filter(|id| self.world.entity(*id).is_person()),
            Some(ActTarget::Mention(..)) => None,
            None => self.world.partner().filter(|_| act.is_some_and(SpeechAct::is_aloud)),
        };
        person.filter(|id| !self.world.conditions[id.0].dead)
    }

    /// The gesture as the player reads it. What this world does not do is not told as done.
    fn gesture_in_words(
        &self,
        verb: &str,
        object: Option<&(String, String)>,
        act: Option<SpeechAct>,
    ) -> String {
        match (verb, object) {
            ("listen", None) => "You listen. Nothing stirs that was not here before.".to_owned(),
            (words, None) if act.is_none() && !is_plain_gesture(words) => NOTHING_DONE.to_owned(),
            // A gesture changes nothing: what would leave its thing otherwise is not done.
            (words, Some((_, name))) if self.changes(words, name) => NOTHING_DONE.to_owned(),
            // The player typed `thank constable` or `thank for the tea`, without an article or a name.
            (words, Some((the, name))) if self.is_verb_and_name(words, name) => {
                format!("You {} {the}.", words.split(' ').next().unwrap_or_default())
            }
            (words, _) if words.starts_with("thank for ") => "You say thank you.".to_owned(),
            // The player's own words name their object.
            (words, Some(_)) if words.contains(' ') => format!("You {words}."),
            ("jump", None) => "You jump, and land where you stood.".to_owned(),
            ("thank", None) => "You say thank you.".to_owned(),
            (verb, None) => format!("You {verb}."),
            (verb, Some((the, _))) => format!("You {verb} {the}."),
        }
    }
}

/// What the player reads of a deed that this world does not do.
pub(super) const NOTHING_DONE: &str = "Nothing comes of that.";

/// Returns true for gestures of the body, of manners and of the mind, and for what the player does to themselves.
fn is_plain_gesture(words: &str) -> bool {
    let verb = words.split(' ').next().unwrap_or_default();
    let is_own = words.split(' ').any(|word| ["your", "yourself", "yourselves"].contains(&word));
    is_own || is_bodily(verb) || is_thought(words)
}

/// Returns true for what nobody sees: `think about Agnes`.
fn is_thought(words: &str) -> bool {
    WordClass::MindVerb.has(words.split(' ').next().unwrap_or_default())
}

/// Words between a verb and somebody's body that keep a distance: `stare at his nose`.
const AT_A_DISTANCE: &[&str] = &["at", "into", "of", "for", "about", "to", "from"];

/// Returns true for what is done to a part of somebody's body: `ruffle her hair`, `lay your hand on Agnes's arm`.
fn touches_body(words: &str) -> bool {
    let words: Vec<&str> = words.split(' ').collect();
    let is_theirs =
        |word: &str| ["his", "her", "their", "its"].contains(&word) || word.ends_with("'s");
    words.windows(3).any(|window| {
        !AT_A_DISTANCE.contains(&window[0])
            && is_theirs(window[1])
            && WordClass::Body.has(window[2])
    })
}

/// Returns true if the verb is one of the body and of manners, or another word for one.
fn is_bodily(verb: &str) -> bool {
    let named = english::gesture_named(verb).and_then(|name| name.split(' ').next());
    WordClass::Bodily.has(verb) || named.is_some_and(|name| WordClass::Bodily.has(name))
}

impl ActionRun<'_> {
    /// Returns true if the words would change what is called so. People answer for themselves; nobody is repaired.
    fn changes(&self, words: &str, name: &str) -> bool {
        let said: Vec<&str> = words.split(' ').collect();
        let verb = said.first().copied().unwrap_or_default();
        let id = self.world.find(name);
        if id.is_some_and(|id| self.world.entity(id).is_person()) {
            return WordClass::Mending.has(verb);
        }
        // `straighten your beret`.
        let is_garment = |id: NamedId| self.world.thing(id).is_some_and(|thing| thing.wearable);
        let is_on_player = id.is_some_and(|id| is_garment(id) && self.world.is_with_player(id));
        // `put your ear to the door`.
        let head = name.rsplit(' ').next().unwrap_or_default();
        let own = said.iter().position(|word| *word == "your");
        let is_own = own.is_some_and(|at| !said[at + 1..].iter().take(2).any(|word| *word == head));
        !(is_on_player || is_own || is_bodily(verb) || WordClass::MindVerb.has(verb))
    }

    /// Returns true if the words are a verb and the bare name of this person.
    fn is_verb_and_name(&self, text: &str, name: &str) -> bool {
        let Some(id) = self.world.find(name).filter(|id| self.world.entity(*id).is_person()) else {
            return false;
        };
        let said = words::split(text);
        said.len() > 1 && self.world.names(id).iter().any(|known| known[..] == said[1..])
    }

    /// A thing that the words name and that is not here: `sit down at your desk`, said in another room. What the player may wear
    /// or carry of their own (`your coat`) is none, nor is what something here is called too.
    fn absent_thing(&self, text: &str) -> Option<String> {
        let said = words::split(text);
        if said.len() < 3 || said.first().is_some_and(|verb| WordClass::MindVerb.has(verb.as_str()))
        {
            return None;
        }
        let world = &self.world;
        let is_meant =
            |id: &NamedId| world.names(*id).iter().any(|name| self.names_it(&said, name, *id));
        let is_kept = |id: &NamedId| match world.entity(*id).kind {
            NamedKind::Thing(_) => true,
            NamedKind::Scenery(place, _) => world.conditions[NamedId(place).0].known,
            _ => false,
        };
        let absent = |id: &NamedId| is_kept(id) && !world.is_present(*id) && is_meant(id);
        let id = world.ids().find(absent)?;
        let is_here_too = is_meant(&world.here) || world.seen().any(|id| is_meant(&id));
        (!is_here_too).then(|| world.name(id).to_owned())
    }

    /// Returns true if the words have the whole name behind a word that points at it, and nothing that goes on with it.
    fn names_it(&self, said: &[String], name: &[String], id: NamedId) -> bool {
        if name.is_empty() || matches!(name, [one] if WordClass::PartOfRoom.has(one.as_str())) {
            return false;
        }
        // `your coat`, `your back`.
        let is_own = self.world.thing(id).is_some_and(|thing| thing.wearable)
            || matches!(name, [one] if WordClass::Body.has(one.as_str()));
        said.windows(name.len() + 1).enumerate().any(|(at, window)| {
            let lead = window[0].as_str();
            let next = said.get(at + name.len() + 1).map_or("", String::as_str);
            let ends = next.is_empty()
                || words::is_function_word(next)
                || WordClass::BehindGesturedName.has(next);
            WordClass::BeforeGestureName.has(lead)
                && !(is_own && lead == "your")
                && ends
                && &window[1..] == name
        })
    }
}
