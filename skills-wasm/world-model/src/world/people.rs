//! Questions about people: whom the player speaks to where the sentence names nobody, which of them are animals, and what
//! they want of the player.

use english::WordClass;

use crate::{definition::ThingDefinition, entity::NamedId, world::World};

impl World {
    /// The person who is here alone with the player, or was spoken to last, or is the only one who speaks: a goat that was
    /// patted answers no question to its keeper.
    pub fn partner(&self) -> Option<NamedId> {
        let mut people = self.people_here();
        people.retain(|id| !self.conditions[id.0].dead);
        if let [one] = people.as_slice() {
            return Some(*one);
        }
        let last: Vec<NamedId> = [&self.last.him, &self.last.her]
            .into_iter()
            .flatten()
            .filter_map(|name| self.find(name))
            .filter(|id| people.contains(id))
            .collect();
        let speaks = |id: &&NamedId| !self.is_creature(**id);
        let mut speakers = people.iter().filter(speaks);
        let only = speakers.next().filter(|_| speakers.next().is_none());
        last.iter().find(speaks).or(only).or(last.first()).copied()
    }

    /// The person who can answer a question: no animal.
    pub fn talker(&self) -> Option<NamedId> {
        let can_talk = |id: &NamedId| {
            self.entity(*id).pronoun != "it"
                || self.person(*id).is_some_and(|one| !one.topics.is_empty())
        };
        self.partner().filter(can_talk)
    }

    /// Returns true if the person is an animal, by any of their names. Kit Fox, with a capital, is none.
    pub fn is_creature(&self, person: NamedId) -> bool {
        let mut names = std::iter::once(self.name(person))
            .chain(self.aliases(person).iter().map(String::as_str));
        self.entity(person).is_person()
            && names.any(|name| name.split(' ').next_back().is_some_and(is_creature_word))
    }

    /// Returns true if the person wants this thing.
    pub fn wishes_for(&self, person: NamedId, thing: NamedId) -> bool {
        let wants = self.person(person).and_then(|one| one.wants.as_deref());
        wants == Some(self.name(thing))
    }

    /// Returns true if the person wants this thing, or something happens when they get it.
    pub fn is_gift_for(&self, thing: NamedId, person: NamedId) -> bool {
        let reacts = |thing: &ThingDefinition| thing.gift_reaction(self.name(person)).is_some();
        self.wishes_for(person, thing) || self.thing(thing).is_some_and(reacts)
    }
}

/// Returns true if the word names an animal.
fn is_creature_word(word: &str) -> bool {
    WordClass::Creature.has(word)
}

#[cfg(test)]
mod tests {
    use super::is_creature_word;

    #[test]
    fn some_words_name_animals() {
        assert!(is_creature_word("goat"));
        assert!(!is_creature_word("postmistress"));
    }
}
