//! The things that an action names.

use english::WordClass;

use crate::{
    act::{ActRefusal, ActionRun},
    action::{Action, Verb},
    entity::NamedId,
    words,
    world::{Holder, World},
};

/// Something that an action is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActTarget {
    /// A thing, person, door, place or part of a place.
    Named(NamedId),
    /// A word of a description: the word and its sentence.
    Mention(String, String),
}

impl ActionRun<'_> {
    pub(super) fn not_here(&self, words: &str) -> ActRefusal {
        if ["it", "them", "him", "her", "there", "that", "this"].contains(&words) {
            let text = format!("You would have to say what you mean by \u{201c}{words}\u{201d}.");
            return ActRefusal::new("not_here", text);
        }
        if is_anybody(words) {
            return self.no_one("You are alone here.", "You would have to say whom you mean");
        }
        let named = named_by(words);
        let words = named.as_str();
        let is_bare = words.starts_with(char::is_uppercase) || words.starts_with("anything");
        let the = if crate::words::has_article(words) || is_bare {
            words.to_owned()
        } else {
            format!("the {words}")
        };
        let text = if self.world.is_lit() {
            format!("You do not see {the} here.")
        } else if is_bare && words.starts_with("anything") {
            format!("It is too dark to see {the}.")
        } else {
            self.too_dark_for(words, &the)
        };
        ActRefusal::new("not_here", text)
    }

    /// Says that darkness hides it; the player may know from the description of the place that it is there.
    fn too_dark_for(&self, words: &str, the: &str) -> String {
        let here = words::split(self.world.description(self.world.here));
        let head = words.split(' ').next_back().unwrap_or_default();
        if here.iter().any(|known| english::is_same_word(head, known)) {
            return format!("It is too dark to make out {the}.");
        }
        format!("It is too dark to see {the}, even if {} here.", as_it_is(head))
    }

    /// The target, which is here and can be seen.
    pub(super) fn target(&self, action: &Action) -> Result<ActTarget, ActRefusal> {
        let Some(name) = &action.target else {
            let (verb, with) = (action.action.word(), self.with_words(action));
            let text = format!("You would have to say what to {verb}{with}.");
            return Err(ActRefusal::new("no_target", text));
        };
        self.named(name)
    }

    /// ` to Agnes`, ` in the box`, ` with the key`: the second thing of the action, where it is here.
    fn with_words(&self, action: &Action) -> String {
        let with = action.with.as_deref().and_then(|name| self.world.find(name));
        let Some(with) = with.filter(|id| self.world.is_seen(*id)) else { return String::new() };
        let preposition = match action.action {
            Verb::Give | Verb::Show => "to",
            Verb::PutIn => "in",
            Verb::PutOn => "on",
            _ => "with",
        };
        format!(" {preposition} {}", self.world.the(with))
    }

    fn named(&self, name: &str) -> Result<ActTarget, ActRefusal> {
        match self.world.find(name) {
            Some(id) => {
                self.check_seen(id)?;
                Ok(ActTarget::Named(id))
            }
            None => match self.world.mention(name) {
                Some((word, sentence)) => Ok(ActTarget::Mention(word, sentence)),
                None => Err(self.not_here(name)),
            },
        }
    }

    /// ` You remember a bell and a chart table there.`, of a place where the player has been.
    fn remembered(&self, place: NamedId) -> String {
        let things = self.world.held_by(Holder::Place(place));
        if !self.world.conditions[place.0].known || things.is_empty() {
            return String::new();
        }
        format!(" You remember {} there.", self.a_list(&things))
    }

    fn check_seen(&self, id: NamedId) -> Result<(), ActRefusal> {
        let (world, name) = (&self.world, self.world.name(id));
        if world.is_seen(id) {
            Ok(())
        } else if world.is_present(id) {
            let text = format!("It is too dark to make out {}.", world.the(id));
            Err(ActRefusal::new("dark", text).about(name))
        } else {
            let text = if world.is_place(id) {
                format!("You cannot see {} from here.{}", world.the(id), self.remembered(id))
            } else if world.is_lit() {
                format!("You do not see {} here.", world.the(id))
            } else {
                let they_are = world.entity(id).they_are().to_lowercase();
                format!("It is too dark to see {}, even if {they_are} here.", world.the(id))
            };
            Err(ActRefusal::new("not_here", text).about(name))
        }
    }

    /// The refusal, without the name of anything that the player has neither met nor heard of: a guess finds out nothing.
    /// Every refusal comes through here. Words for what is missing are the player's own and stay.
    pub(super) fn without_unknown(&self, action: &Action, refusal: ActRefusal) -> ActRefusal {
        let text = refusal.text.to_lowercase();
        let is_named = |id: &NamedId| {
            refusal.object.as_deref() == Some(self.world.name(*id))
                || has_words(&text, &self.world.the(*id).to_lowercase())
        };
        let names = [&action.target, &action.with].into_iter().flatten();
        let named = names.filter_map(|name| self.world.find(name));
        let object = refusal.object.as_deref().and_then(|name| self.world.find(name));
        let unknown = named.chain(object).filter(is_named).find(|id| !self.world.is_known_of(*id));
        let Some(id) = unknown.filter(|_| action.missing.is_none()) else { return refusal };
        let text = match () {
            () if action.action == Verb::Find => "You do not know of anything like that.",
            () if self.world.entity(id).is_person() => "You see nobody like that here.",
            () if !self.world.is_lit() => "It is too dark to see anything like that.",
            () => "You see nothing like that here.",
        };
        ActRefusal::new(refusal.reason, text)
    }

    /// The target as an entity. A word of a description is a thing that stays as it is.
    pub(super) fn entity_target(&self, action: &Action) -> Result<NamedId, ActRefusal> {
        match self.target(action)? {
            ActTarget::Named(id) => Ok(id),
            ActTarget::Mention(word, _) if WordClass::Untouchable.has(word.as_str()) => {
                Err(self.not_here("anything like that"))
            }
            // The player reads of the bell in the opening, but does not see it here.
            ActTarget::Mention(word, _) if self.world.mention_in_view(&word).is_none() => {
                Err(self.not_here(&word))
            }
            ActTarget::Mention(word, _) => {
                let text = format!("You had better leave the {word} as {}.", as_it_is(&word));
                Err(ActRefusal::new("fixed", text).about(&word))
            }
        }
    }

    /// The second thing, which is here and can be seen.
    pub(super) fn with(&self, action: &Action) -> Result<Option<NamedId>, ActRefusal> {
        let Some(name) = &action.with else { return Ok(None) };
        match self.named(name)? {
            ActTarget::Named(id) => Ok(Some(id)),
            ActTarget::Mention(word, _) => {
                let text = format!("The {word} is of no use for that.");
                Err(ActRefusal::new("no_use", text).about(&word))
            }
        }
    }

    /// Refuses words that name no person: `alone` in an empty place, else `which` with the names of those present.
    fn no_one(&self, alone: &str, which: &str) -> ActRefusal {
        let people = self.world.people_here();
        let names: Vec<String> = people.into_iter().map(|id| self.world.the(id)).collect();
        let text = match english::either(&names) {
            None => alone.to_owned(),
            Some(names) => format!("{which}: {names}."),
        };
        ActRefusal::new("no_one", text)
    }

    /// A thing that the player has; takes it up first where that is possible.
    pub(super) fn in_hand(&mut self, id: NamedId) -> Result<(), ActRefusal> {
        if self.world.is_with_player(id) {
            return Ok(());
        }
        self.pick_up(id)
    }

    /// A person who is here and alive.
    pub(super) fn listener(&self, action: &Action) -> Result<NamedId, ActRefusal> {
        let id = match &action.target {
            Some(_) => self.entity_target(action)?,
            None => self.world.partner().ok_or_else(|| {
                let alone = match action.action {
                    Verb::Ask => "There is no one here who could tell you.",
                    _ => "There is no one here to talk to.",
                };
                self.no_one(alone, "You would have to say to whom")
            })?,
        };
        let entity = self.world.entity(id);
        if !entity.is_person() {
            let text = format!(
                "{} {} nothing to say.",
                entity.the(),
                if entity.plural { "have" } else { "has" }
            );
            return Err(ActRefusal::new("not_person", text).about(&entity.name));
        }
        if self.world.conditions[id.0].dead {
            let text = format!("{} is dead, and does not answer.", entity.the());
            return Err(ActRefusal::new("dead", text).about(&entity.name));
        }
        Ok(id)
    }
}

/// Returns true if the words name no one in particular: `someone`, `the first person I see`.
fn is_anybody(words: &str) -> bool {
    words.split(' ').any(|word| WordClass::IndefinitePerson.has(word))
}

/// Returns true if the phrase stands in the text as whole words.
fn has_words(text: &str, phrase: &str) -> bool {
    let is_end = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let mut places = text.match_indices(phrase);
    places.any(|(at, _)| {
        is_end(text[..at].chars().next_back()) && is_end(text[at + phrase.len()..].chars().next())
    })
}

fn as_it_is(word: &str) -> &'static str {
    if word.ends_with('s') && !word.ends_with("ss") { "they are" } else { "it is" }
}

impl World {
    /// Remembers what `it`, `him`, `her` and `there` mean from now on.
    pub fn note(&mut self, id: NamedId) {
        let entity = &self.entities[id.0];
        let name = Some(entity.name.clone());
        match entity.pronoun {
            _ if self.is_place(id) => self.last.there = name,
            "he" => self.last.him = name,
            "she" => self.last.her = name,
            "they" => (self.last.him, self.last.her) = (name.clone(), name),
            _ if entity.plural => self.last.them = name.into_iter().collect(),
            _ => self.last.it = name,
        }
    }

    /// Somebody dies, and what they had lies where they fell.
    pub(crate) fn lay_down_dead(&mut self, id: NamedId) -> Vec<NamedId> {
        self.conditions[id.0].dead = true;
        let place = self.place_of(id).map_or(Holder::Gone, Holder::Place);
        let dropped: Vec<NamedId> =
            self.thing_ids().filter(|thing| self.holders[thing.0] == Holder::Person(id)).collect();
        for thing in &dropped {
            self.holders[thing.0] = place;
        }
        dropped
    }

    /// Moves everything that is hidden by `hider` into the open, and returns it.
    pub(super) fn reveal(&mut self, hider: &str) -> Vec<NamedId> {
        let here = self.here;
        let found: Vec<NamedId> = self
            .ids()
            .filter(|id| self.conditions[id.0].hidden && self.place_of(*id) == Some(here))
            .filter(|id| {
                let hidden = self.thing(*id).and_then(|thing| thing.hidden.as_deref());
                hidden.is_some_and(|name| name.eq_ignore_ascii_case(hider))
            })
            .collect();
        for id in &found {
            self.conditions[id.0].hidden = false;
            if matches!(self.holders[id.0], Holder::Gone) {
                self.holders[id.0] = Holder::Place(here);
            }
        }
        found
    }
}

/// The noun phrase among the words that nothing here is called by: `on floor` names the floor, `open` nothing at all.
fn named_by(words: &str) -> String {
    let mut named: Vec<&str> = words.split(' ').collect();
    while named.first().is_some_and(|first| WordClass::BeforeMissingName.has(first)) {
        named.remove(0);
    }
    while named.last().is_some_and(|last| WordClass::BehindMissingName.has(last)) {
        named.pop();
    }
    let is_empty = named.iter().all(|word| words::is_hollow(word));
    if is_empty { "anything like that".to_owned() } else { named.join(" ") }
}
