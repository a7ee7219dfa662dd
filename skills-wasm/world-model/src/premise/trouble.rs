//! What people say about the premise's own trouble: who is missing, what is stolen, who is dead, what will not be done. Each
//! of them knows a little of it, and says it when asked.

use std::collections::BTreeSet;

use english::WordClass;

use super::{
    beings::topic,
    grammar::PremisePhrase,
    layout::{in_place, the},
    maker::Maker,
    nouns::is_beast,
    reading::PremiseReading,
    texts,
    things::Plot,
    tokens::is_verb,
    wants::PremiseWant,
};
use crate::{definition::TopicDefinition, words};

/// Most troubles of a premise that people speak about.
const TROUBLES_MAX: usize = 2;

/// Lines that one person has about one trouble.
const LINES_EACH: usize = 2;

/// Answers of one person to what they know nothing about.
const FALLBACKS_EACH: usize = 4;

/// Words that ask about each kind of trouble; the first names it.
const THEFT_WORDS: &[&str] =
    &["theft", "thief", "stealing", "stole", "stolen", "takes", "taken", "who took", "happened"];
const DEATH_WORDS: &[&str] = &[
    "death",
    "murder",
    "murderer",
    "killer",
    "killed",
    "died",
    "dead",
    "body",
    "who did it",
    "happened",
    "asleep",
    "that night",
];
const ABSENCE_WORDS: &[&str] =
    &["disappearance", "vanished", "disappeared", "missing", "gone", "happened"];
const REFUSAL_WORDS: &[&str] = &["refusal", "reason", "happened"];
const ODDITY_WORDS: &[&str] = &["trouble", "wrong", "happened", "problem"];
const RIDDLE_WORDS: &[&str] =
    &["mystery", "culprit", "suspicion", "who did it", "happened", "guilty"];
const TASK_WORDS: &[&str] = &["plan", "task", "help", "advice"];
const COMMON_WORDS: &[&str] = &[
    "hear anything",
    "heard anything",
    "see anything",
    "seen anything",
    "saw anything",
    "notice anything",
    "last night",
    "where were you",
];
const OTHER_WORDS: &[&str] = &["trouble", "happened", "wrong", "problem", "going on"];

/// A trouble, the words that ask about it, and what is said of it.
struct PremiseTrouble {
    about: Vec<String>,
    /// The noun that has it.
    noun: Option<usize>,
    /// What has to be done.
    deed: String,
    lines: &'static [&'static str],
}

/// Forms of a verb by which somebody asks about it: `fly`, `flying`.
fn verb_forms(verb: &str) -> Vec<String> {
    // Of `never sleeps` one asks about the sleep.
    let verb = verb.strip_suffix('s').filter(|base| is_verb(base)).unwrap_or(verb);
    if let Some(base) = verb.strip_suffix("ing") {
        return vec![verb.to_owned(), base.to_owned()];
    }
    let stem = verb.strip_suffix('e').filter(|stem| !stem.ends_with('e')).unwrap_or(verb);
    vec![verb.to_owned(), format!("{stem}ing")]
}

/// The forms of the first verb of these words.
fn verbs_of(told: &str) -> Vec<String> {
    let is_deed = |word: &&str| is_verb(word) && !["refuses", "refuse", "refused"].contains(word);
    told.split(' ').find(is_deed).into_iter().flat_map(verb_forms).collect()
}

impl Maker {
    /// What the premise says is wrong; where it says nothing, what is wrong in any such place.
    fn troubles(&self) -> Vec<PremiseTrouble> {
        let mut found: Vec<PremiseTrouble> =
            self.reading.wants.iter().filter_map(|want| self.trouble_of(want)).collect();
        found.dedup_by(|one, other| one.about[0] == other.about[0]);
        found.truncate(TROUBLES_MAX);
        if found.is_empty() {
            let about = OTHER_WORDS.iter().map(|word| (*word).to_owned()).collect();
            let lines = texts::OTHER_TALK;
            found.push(PremiseTrouble { about, noun: None, deed: String::new(), lines });
        }
        found
    }

    fn trouble_of(&self, want: &PremiseWant) -> Option<PremiseTrouble> {
        let name = |noun: &usize| self.reading.nouns[*noun].name.clone();
        let (words, more, noun, lines) = match want {
            PremiseWant::Theft(noun) => (
                THEFT_WORDS,
                vec![format!("stolen {}", name(noun))],
                Some(*noun),
                texts::THEFT_TALK,
            ),
            PremiseWant::Death(noun) => {
                let more =
                    vec![format!("death {}", name(noun)), format!("who killed {}", name(noun))];
                (DEATH_WORDS, more, Some(*noun), texts::DEATH_TALK)
            }
            PremiseWant::Find(noun) if self.reading.nouns[*noun].is_missing => {
                let more = vec![format!("missing {}", name(noun)), format!("where {}", name(noun))];
                (ABSENCE_WORDS, more, Some(*noun), texts::ABSENCE_TALK)
            }
            PremiseWant::Refuses { who, told } => {
                (REFUSAL_WORDS, verbs_of(told), Some(*who), texts::REFUSAL_TALK)
            }
            PremiseWant::Trouble(noun) => {
                (ODDITY_WORDS, Vec::new(), Some(*noun), texts::ODDITY_TALK)
            }
            PremiseWant::Riddle(told) => {
                let more = [vec![told.clone()], verbs_of(told)].concat();
                (RIDDLE_WORDS, more, None, texts::RIDDLE_TALK)
            }
            PremiseWant::Task(deed) => (TASK_WORDS, verbs_of(deed), None, texts::TASK_TALK),
            _ => return None,
        };
        let deed = match want {
            PremiseWant::Riddle(told) | PremiseWant::Task(told) => told.clone(),
            _ => String::new(),
        };
        let words = words.iter().chain(COMMON_WORDS).map(|word| (*word).to_owned());
        let about = words.chain(more).collect();
        Some(PremiseTrouble { about, noun, deed, lines })
    }

    /// Everybody who is not missing knows something of the trouble, and has answers for what they do not know.
    pub(super) fn make_trouble_talk(&mut self, plot: &Plot) {
        for trouble in self.troubles() {
            let mut lines = trouble.lines.to_vec();
            self.rng.shuffle(&mut lines);
            for idx in 0..self.world.people.len() {
                self.say_of_trouble(idx, &trouble, &mut lines, plot);
            }
        }
        let mut answers = texts::FALLBACKS.to_vec();
        self.rng.shuffle(&mut answers);
        for (n, person) in self.world.people.iter_mut().enumerate() {
            let from = n * FALLBACKS_EACH;
            let own =
                (from..from + FALLBACKS_EACH).map(|at| answers[at % answers.len()].to_owned());
            person.fallback = own.collect();
        }
        // Whoever takes the part of a gardener is no gardener.
        if !self.reading.has_own_people {
            (0..self.world.people.len()).for_each(|idx| self.say_of_self(idx));
        }
    }

    /// What the witness knows: the truth about the premise's own trouble, or that of the shape.
    pub(super) fn truth(&mut self, plot: &Plot) -> String {
        let wants = self.reading.wants.clone();
        let about = wants.iter().find_map(|want| match want {
            PremiseWant::Theft(noun) => Some((*noun, texts::THEFT_TRUTHS)),
            PremiseWant::Death(noun) => Some((*noun, texts::DEATH_TRUTHS)),
            PremiseWant::Trouble(noun) => Some((*noun, texts::ODDITY_TRUTHS)),
            PremiseWant::Find(noun) if self.reading.nouns[*noun].is_missing => {
                Some((*noun, texts::ABSENCE_TRUTHS))
            }
            _ => None,
        });
        match about {
            Some((noun, truths)) => {
                let line = self.line(truths);
                PremisePhrase::of(&self.reading.nouns[noun], &self.reading).fill(line)
            }
            None => self.fill_plot(plot.shape.truth, plot),
        }
    }

    fn say_of_trouble(
        &mut self,
        idx: usize,
        trouble: &PremiseTrouble,
        lines: &mut Vec<&str>,
        plot: &Plot,
    ) {
        let person = &self.world.people[idx];
        let noun = trouble.noun.map(|noun| &self.reading.nouns[noun]);
        let has_it = noun.is_some_and(|noun| noun.name == person.name);
        if has_it || person.place == plot.locked {
            return;
        }
        // Nobody sends the player to themselves.
        let is_own = |line: &&str| {
            (line.contains("{Keeper}") && person.name == plot.keeper)
                || (line.contains("{Witness}") && person.name == plot.witness)
        };
        // Whoever speaks first does not leave the others without words: what was said comes last.
        let fitting: Vec<&str> =
            lines.iter().copied().filter(|line| !is_own(line)).take(LINES_EACH).collect();
        lines.retain(|line| !fitting.contains(line));
        lines.extend(&fitting);
        let spoken = noun.map(|noun| PremisePhrase::of(noun, &self.reading));
        let says = fitting.iter().map(|line| {
            let line = line
                .replace("{door}", &self.door())
                .replace("{deed}", &trouble.deed)
                .replace("{Keeper}", &words::capitalised(&the(&plot.keeper)))
                .replace("{Witness}", &words::capitalised(&the(&plot.witness)))
                .replace("{spare}", &in_place(&plot.spare));
            let line = spoken.as_ref().map_or_else(|| line.clone(), |spoken| spoken.fill(&line));
            words::capitalised(&line)
        });
        let says = says.collect();
        let is_taken = |about: &str| {
            let mut known = person.topics.iter().flat_map(|topic| &topic.about);
            known.any(|known| known.eq_ignore_ascii_case(about))
        };
        let about: Vec<String> =
            trouble.about.iter().filter(|about| !is_taken(about)).cloned().collect();
        if !about.is_empty() {
            let topic = TopicDefinition { about, says, ..TopicDefinition::default() };
            self.world.people[idx].topics.push(topic);
        }
    }

    /// Who somebody is, as they say it themselves.
    fn say_of_self(&mut self, idx: usize) {
        let person = &self.world.people[idx];
        let is_name = person.name.starts_with(char::is_uppercase);
        let trade =
            person.aliases.first().filter(|role| is_name && !role.contains(char::is_uppercase));
        let head = trade.map(|trade| trade.rsplit(' ').next().unwrap_or(trade).to_owned());
        // `One of the four guests, with ink on both hands.`
        let group =
            person.description.split(['.', ',']).next().filter(|text| text.starts_with("One of"));
        let (role, lines) = match (group, trade, head) {
            (Some(group), ..) => (group.replacen("One", "one", 1), texts::OWN_LIFE),
            (None, Some(trade), Some(head)) if !is_beast(&head) => {
                let is_work = !WordClass::Idle.has(head.as_str());
                let lines = if is_work { texts::OWN_WORK } else { texts::OWN_LIFE };
                (format!("{} {trade}", english::article(trade)), lines)
            }
            _ => (String::new(), texts::OWN_SELF),
        };
        let what = if role.is_empty() { "life" } else { "work" };
        let whose = match person.pronoun.as_str() {
            "he" => format!("his {what}"),
            "she" => format!("her {what}"),
            "it" => format!("its {what}"),
            _ => format!("their {what}"),
        };
        let says = self.line(lines).replace("{role}", &role);
        let about =
            [whose.as_str(), "work", "job", "yourself", "who you are", "who are you", "live"];
        self.world.people[idx].topics.push(topic(&about, words::capitalised(&says)));
    }
}

impl PremiseReading {
    /// The topic's names under which the truth is asked for: `truth`, `who stole`, `thief`.
    pub(super) fn questions_of_truth(&self) -> Vec<String> {
        let mut asked = vec!["truth".to_owned(), "who did it".to_owned()];
        for want in &self.wants {
            match want {
                PremiseWant::Riddle(told) => {
                    let first: Vec<&str> = told.split(' ').take(2).collect();
                    asked.push(first.join(" "));
                    if first.iter().any(|word| ["stole", "steals", "took"].contains(word)) {
                        asked.extend(STOLEN.map(str::to_owned));
                    }
                }
                PremiseWant::Theft(_) => asked.extend(STOLEN.map(str::to_owned)),
                PremiseWant::Death(_) => asked.extend(KILLED.map(str::to_owned)),
                _ => {}
            }
        }
        let mut seen = BTreeSet::new();
        asked.retain(|about| seen.insert(about.clone()));
        asked
    }
}

/// How players ask who the thief is.
const STOLEN: [&str; 4] = ["who stole", "who took", "who steals", "thief"];

/// How players ask for a death.
const KILLED: [&str; 4] = ["who killed", "killer", "murderer", "how die"];
