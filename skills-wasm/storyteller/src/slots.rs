//! The places of a template and what fills them. Knows the grammar of one sentence, not the story.

use crate::{noun::Noun, outcome::DiceResult, sentence::PlayerAction};

/// What this beat has to fill places with.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    values: Vec<(&'static str, String)>,
}

impl Slots {
    /// What has to be told where it is there, the most important first.
    pub(crate) const PREFERRED: [&str; 8] =
        ["speech", "spell", "way", "the", "topic", "target", "tool", "total"];

    pub(crate) fn of(act: &PlayerAction, dice: Option<DiceResult>) -> Slots {
        let mut slots = Slots::default();
        if let Some(object) = &act.object {
            slots.put_object(object);
        }
        let text = |noun: &Option<Noun>| noun.as_ref().map(|noun| noun.text.clone());
        slots.put("target", text(&act.target));
        slots.put("tool", text(&act.tool));
        slots.put("topic", text(&act.topic));
        slots.put("way", act.way.map(str::to_owned));
        let deed = if act.is_state { "being" } else { "deed" };
        slots.put(deed, act.deed.clone());
        slots.put("spell", act.spell.clone());
        slots.put("speech", act.speech.as_deref().map(|said| ended(said, ',')));
        slots.put("said", act.speech.as_deref().map(|said| ended(said, '.')));
        slots.put("total", dice.map(|dice| dice.total.to_string()));
        slots
    }

    /// Places that are filled already.
    pub(crate) fn from_values(values: Vec<(&'static str, String)>) -> Slots {
        Slots { values }
    }

    /// The noun and all that agrees with it.
    fn put_object(&mut self, object: &Noun) {
        let plural = object.plural;
        let pick = |one: &str, many: &str| Some(if plural { many } else { one }.to_owned());
        self.put("the", Some(object.text.clone()));
        self.put("is", pick("is", "are"));
        self.put("has", pick("has", "have"));
        self.put("s", pick("s", ""));
        self.put("es", pick("es", ""));
        // One person is "they", and "they are".
        let they = plural || object.person;
        let pick = |one: &str, many: &str| Some(if they { many } else { one }.to_owned());
        self.put("it", pick("it", "them"));
        self.put("they", pick("it", "they"));
        self.put("they_is", pick("it is", "they are"));
        self.put("its", pick("its", "their"));
    }

    fn put(&mut self, place: &'static str, value: Option<String>) {
        if let Some(value) = value {
            self.values.push((place, value));
        }
    }

    pub(crate) fn get(&self, place: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| *known == place).map(|(_, value)| value.as_str())
    }

    /// The places that can be filled.
    #[cfg(test)]
    pub(crate) fn places(&self) -> std::collections::BTreeSet<&'static str> {
        self.values.iter().map(|(place, _)| *place).collect()
    }

    /// Returns true if every place of the template can be filled.
    pub(crate) fn fit(&self, template: &str) -> bool {
        places(template).all(|place| self.get(place).is_some())
    }

    /// Fills the template and gives it a capital letter.
    pub(crate) fn fill(&self, template: &str) -> String {
        let mut filled = template.to_owned();
        for place in places(template) {
            let value = self.get(place).unwrap_or_default();
            filled = filled.replace(&format!("{{{place}}}"), value);
        }
        capitalised(&filled)
    }
}

/// The names in braces.
fn places(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(place, _)| place)
}

/// Speech with `end` where it has no end of its own.
fn ended(said: &str, end: char) -> String {
    let said = said.trim_end_matches([',', '.', ' ']);
    let open = !said.ends_with(['!', '?', '…']);
    let said = capitalised(said);
    if open { format!("{said}{end}") } else { said }
}

/// The text with its first letter in upper case.
pub(crate) fn capitalised(text: &str) -> String {
    match text.char_indices().find(|(_, c)| c.is_alphanumeric()) {
        Some((at, first)) => {
            let rest = &text[at + first.len_utf8()..];
            format!("{}{}{rest}", &text[..at], first.to_uppercase())
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{outcome::DiceOutcome, prose, sentence};

    /// A writer reads the table of the page and no code.
    #[test]
    fn the_places_of_the_page_are_those_that_are_filled() {
        let noun = Noun::from_text("the lamp");
        let act = PlayerAction {
            object: noun.clone(),
            target: noun.clone(),
            tool: noun.clone(),
            topic: noun,
            way: Some("north"),
            speech: Some("hello".to_owned()),
            deed: Some("juggle".to_owned()),
            spell: Some("light".to_owned()),
            is_state: false,
            ..sentence::parse("wait")
        };
        let being = PlayerAction { is_state: true, ..act.clone() };
        let dice = Some(DiceResult { total: 7, outcome: DiceOutcome::Success });
        let (deeds, states) = (Slots::of(&act, dice), Slots::of(&being, dice));
        let filled: BTreeSet<&str> = deeds.places().union(&states.places()).copied().collect();
        assert_eq!(filled, prose::PAGE_PLACES.iter().copied().collect());
    }
}
