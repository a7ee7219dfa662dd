//! What the people of a made world say about what the premise names.

use super::{
    Maker,
    beings::topic,
    layout::the,
    names,
    nouns::{NounKind, is_plural},
    things::Plot,
};
use crate::words;

/// Most nouns of a premise that people speak about.
const SUBJECTS_MAX: usize = 12;

/// People who speak about each.
const SPEAKERS: usize = 2;

impl Maker {
    /// Two people have something to say about each noun of the premise.
    pub(super) fn make_talk(&mut self, plot: &Plot) {
        let mourned = self.reading.mourned();
        let subjects: Vec<(String, String, &'static [&'static str])> = self
            .reading
            .nouns
            .iter()
            .enumerate()
            .filter(|(idx, _)| Some(*idx) != self.reading.player)
            .filter_map(|(_, noun)| {
                let lines = match noun.kind {
                    NounKind::Nothing => return None,
                    NounKind::Being
                        if noun.is_dead || mourned.iter().any(|(name, _)| *name == noun.name) =>
                    {
                        names::MOURNED_TALK
                    }
                    NounKind::Being if noun.is_missing => names::MISSING_TALK,
                    NounKind::Being => names::BEING_TALK,
                    NounKind::Place => names::PLACE_TALK,
                    NounKind::Thing if is_plural(&noun.head) => names::THINGS_TALK,
                    NounKind::Thing => names::THING_TALK,
                    NounKind::Event | NounKind::Matter => names::MATTER_TALK,
                };
                Some((noun.name.clone(), noun.head.clone(), lines))
            })
            .collect();
        let modifiers = self.reading.thing_modifiers().into_iter();
        let modifiers = modifiers.map(|(word, _)| (word.clone(), word, names::MATTER_TALK));
        let count = self.world.people.len();
        for (n, (name, head, lines)) in
            subjects.into_iter().chain(modifiers).take(SUBJECTS_MAX).enumerate()
        {
            let mut lines = lines.to_vec();
            self.rng.shuffle(&mut lines);
            let mut speakers = (0..count)
                .map(|m| (n + m) % count)
                .filter(|idx| self.world.people[*idx].name != name);
            let speakers: Vec<usize> = speakers.by_ref().take(SPEAKERS).collect();
            for (speaker, line) in speakers.into_iter().zip(lines) {
                self.say(speaker, (&name, &head), line, plot);
            }
        }
    }

    fn say(&mut self, speaker: usize, (name, head): (&str, &str), line: &str, plot: &Plot) {
        let door = self.door();
        let person = &mut self.world.people[speaker];
        // Somebody who is missing does not say that nobody has seen them, and nobody says two things about one.
        let is_known = person
            .topics
            .iter()
            .any(|topic| topic.about.iter().any(|about| about.eq_ignore_ascii_case(name)));
        if is_known || person.place == plot.locked {
            return;
        }
        let is_being =
            line.contains("{X}") || !line.contains("The {x}") && !line.contains("the {x}");
        let x = if is_being { the(name) } else { name.to_owned() };
        let mourned = self.reading.mourned().into_iter().find(|(known, _)| known == name);
        let called = mourned.map_or_else(|| the(name), |(_, called)| called);
        let person = &mut self.world.people[speaker];
        let is_proper = name.starts_with(char::is_uppercase);
        let line = if is_proper {
            line.replace("The {x}", "{x}").replace("the {x}", "{x}")
        } else {
            line.to_owned()
        };
        let says = line
            .replace("{x}", &x)
            .replace("{X}", &words::capitalised(&called))
            .replace("{door}", &door);
        let about: Vec<&str> = if name == head { vec![name] } else { vec![name, head] };
        person.topics.push(topic(&about, words::capitalised(&says)));
    }
}
