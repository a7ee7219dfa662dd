//! What the people of a made world say about what the premise names.

use super::{
    beings::topic,
    grammar::PremisePhrase,
    maker::Maker,
    noun::PremiseNoun,
    nouns::{NounKind, is_plural, kin_aliases},
    texts,
    things::Plot,
};
use crate::words;

/// Most nouns of a premise that people speak about.
const SUBJECTS_MAX: usize = 12;

/// Most people who speak about each; no two of them say the same.
const SPEAKERS: usize = 4;

/// What people speak about.
struct TalkSubject {
    spoken: PremisePhrase,
    /// The words by which it is asked about.
    about: Vec<String>,
    name: String,
    lines: &'static [&'static str],
}

impl Maker {
    /// People have something to say about each noun of the premise.
    pub(super) fn make_talk(&mut self, plot: &Plot) {
        let mut subjects: Vec<TalkSubject> = Vec::new();
        for (idx, noun) in self.reading.nouns.iter().enumerate() {
            if Some(idx) != self.reading.player
                && let Some(lines) = self.lines_about(noun)
            {
                subjects.push(self.subject(noun, lines));
            }
        }
        let modifiers = self.reading.thing_modifiers().into_iter();
        subjects.extend(modifiers.map(|(word, _)| TalkSubject {
            spoken: PremisePhrase::word(&word),
            about: vec![word.clone()],
            name: word,
            lines: texts::MATTER_TALK,
        }));
        let count = self.world.people.len();
        for (n, subject) in subjects.into_iter().take(SUBJECTS_MAX).enumerate() {
            let mut lines = subject.lines.to_vec();
            self.rng.shuffle(&mut lines);
            let speakers = (0..count)
                .map(|m| (n + m) % count)
                .filter(|idx| self.world.people[*idx].name != subject.name);
            let speakers: Vec<usize> = speakers.take(SPEAKERS).collect();
            for (speaker, line) in speakers.into_iter().zip(lines) {
                self.say(speaker, &subject, line, plot);
            }
        }
    }

    fn lines_about(&self, noun: &PremiseNoun) -> Option<&'static [&'static str]> {
        let is_mourned = || self.reading.mourned().any(|other| other.name == noun.name);
        Some(match noun.kind {
            NounKind::Nothing => return None,
            NounKind::Being if noun.is_riddle => texts::FOUND_DEAD_TALK,
            NounKind::Being if noun.is_dead || is_mourned() => texts::MOURNED_TALK,
            NounKind::Being if noun.is_missing => texts::MISSING_TALK,
            NounKind::Being if noun.group > 1 => texts::GROUP_TALK,
            NounKind::Being => texts::BEING_TALK,
            NounKind::Place => texts::PLACE_TALK,
            NounKind::Thing if is_plural(&noun.head) => texts::THINGS_TALK,
            NounKind::Thing => texts::THING_TALK,
            NounKind::Event | NounKind::Matter => texts::MATTER_TALK,
        })
    }

    fn subject(&self, noun: &PremiseNoun, lines: &'static [&'static str]) -> TalkSubject {
        // Of several guests, one of whom has a name, people speak as of the guests.
        let is_group = noun.group > 1;
        let spoken = if is_group {
            PremisePhrase::word(&noun.head)
        } else {
            PremisePhrase::of(noun, &self.reading)
        };
        let name = if is_group { noun.head.clone() } else { noun.name.clone() };
        let mut about = vec![name.clone(), noun.head.clone()];
        about.extend(kin_aliases(&noun.head));
        about.dedup();
        TalkSubject { spoken, about, name, lines }
    }

    fn say(&mut self, speaker: usize, subject: &TalkSubject, line: &str, plot: &Plot) {
        let person = &self.world.people[speaker];
        // Somebody who is missing does not say that nobody has seen them, and nobody says two things about one.
        let mut known = person.topics.iter().flat_map(|topic| &topic.about);
        let is_known = known.any(|about| about.eq_ignore_ascii_case(&subject.name));
        if is_known || person.place == plot.locked {
            return;
        }
        let says = subject.spoken.fill(line).replace("{door}", &self.door());
        let about: Vec<&str> = subject.about.iter().map(String::as_str).collect();
        self.world.people[speaker].topics.push(topic(&about, words::capitalised(&says)));
    }
}
