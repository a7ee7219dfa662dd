//! What there is to do in a made world: what the premise says somebody wants, and what the building blocks have.

use super::{
    layout::{in_place, the},
    maker::Maker,
    noun::PremiseNoun,
    nouns::{NounKind, is_plural},
    prizes::{PrizeEnd, prize_of},
    things::Plot,
    wants::PremiseWant,
};
use crate::{
    check::NAME_CHARS_MAX,
    definition::{GoalDefinition, StageDefinition, ThreadDefinition},
    words,
};

fn goal(kind: &str, target: &str, to: Option<&str>) -> GoalDefinition {
    GoalDefinition { kind: kind.to_owned(), target: target.to_owned(), to: to.map(str::to_owned) }
}

/// `is`, or `are` for many things.
fn is_or_are(noun: &PremiseNoun) -> &'static str {
    if noun.kind == NounKind::Thing && is_plural(&noun.head) { "are" } else { "is" }
}

/// The sentence behind another one, if there is one.
fn behind(before: &str, sentence: &str) -> String {
    format!("{before} {sentence}").trim_start().to_owned()
}

impl Maker {
    pub(super) fn make_threads(&mut self, plot: &Plot) {
        let wants = self.reading.wants.clone();
        let first = wants.iter().find_map(|want| self.thread_behind_the_door(want, plot));
        let first = first.or_else(|| self.thread_of_the_locked_room(plot));
        let second = wants.iter().find_map(|want| self.thread_of_someone(want, plot));
        let mut threads = [
            first.unwrap_or_else(|| self.any_thread_behind_the_door(plot)),
            match second {
                Some(thread) => thread,
                None => self.any_thread(plot),
            },
        ];
        for thread in &mut threads {
            if thread.name.chars().count() > NAME_CHARS_MAX {
                thread.name = thread
                    .name
                    .chars()
                    .take(NAME_CHARS_MAX - 1)
                    .collect::<String>()
                    .trim_end()
                    .to_owned()
                    + "…";
            }
        }
        self.world.threads = threads.into();
    }

    /// What keeps the player out at the beginning.
    fn lock(&self, plot: &Plot) -> String {
        format!("The {} is locked, and {} has the only key.", self.door(), the(&plot.keeper))
    }

    /// How a thread stands whose end lies behind the door: `before` is what its opening says beside the lock.
    fn stages(&self, before: &str, plot: &Plot) -> Vec<StageDefinition> {
        let door = self.door();
        let stage = |kind: &str, target: &str, says: String| StageDefinition {
            once: goal(kind, target, None),
            says: behind(before, &says),
        };
        vec![
            stage(
                "held",
                &plot.key,
                format!("The {door} is locked, and you have the {}.", plot.key),
            ),
            stage("opened", &door, format!("The {door} is open.")),
        ]
    }

    fn any_thread_behind_the_door(&self, plot: &Plot) -> ThreadDefinition {
        let door = self.door();
        let (kind, ending) = match prize_of(&plot.prize).map(|prize| prize.end) {
            Some(PrizeEnd::Opened(_)) => (
                "opened",
                format!(
                    "The {} is open, and in it lies what was not to be found. Whatever you do with it now, the secret is yours.",
                    plot.prize
                ),
            ),
            Some(PrizeEnd::Read) => (
                "read",
                format!(
                    "You have read the {} to the end. Now it is no secret any more.",
                    plot.prize
                ),
            ),
            _ => (
                "held",
                format!(
                    "The {} is in your hands, and it is yours to say what becomes of it. That door need not be locked again.",
                    plot.prize
                ),
            ),
        };
        ThreadDefinition {
            name: format!("Behind the {door}"),
            opening: format!(
                "Behind the {door} lies the {}, and {} has the only key.",
                plot.prize,
                the(&plot.keeper)
            ),
            goal: goal(kind, &plot.prize, None),
            ending,
            stages: self.stages(&format!("Behind the {door} lies the {}.", plot.prize), plot),
        }
    }

    /// What the room behind the door is for, where the premise says that it is locked.
    fn thread_of_the_locked_room(&self, plot: &Plot) -> Option<ThreadDefinition> {
        self.ground.sealed.as_ref()?;
        let (door, room) = (self.door(), the(&plot.locked));
        let lies = self.reading.dead().find(|noun| noun.is_riddle).map(|noun| {
            format!("{} lies {}.", words::capitalised(&noun.called()), in_place(&plot.locked))
        });
        let lies = lies.unwrap_or_default();
        Some(ThreadDefinition {
            name: format!("Into {room}"),
            opening: behind(&lies, &self.lock(plot)),
            goal: goal("reached", &plot.locked, None),
            ending: format!(
                "So this is {room}. Nothing has been moved since the {door} was locked, and you see what others did not want to see."
            ),
            stages: self.stages(&lies, plot),
        })
    }

    /// What is sought, or what has to be done, leads behind the locked door.
    fn thread_behind_the_door(&self, want: &PremiseWant, plot: &Plot) -> Option<ThreadDefinition> {
        let door = self.door();
        let key = self.lock(plot);
        match want {
            PremiseWant::Find(noun) => {
                let noun = &self.reading.nouns[*noun];
                let x = the(&noun.name);
                let lost = if noun.is_missing {
                    format!("{} {} missing.", words::capitalised(&x), is_or_are(noun))
                } else {
                    format!("You are looking for {x}.")
                };
                match noun.kind {
                    NounKind::Being => Some(ThreadDefinition {
                        name: format!("Find {x}"),
                        opening: format!("{lost} {key}"),
                        goal: goal("reached", &plot.locked, None),
                        ending: format!("You have found {x}, behind the {door}."),
                        stages: self.stages(&lost, plot),
                    }),
                    NounKind::Thing if noun.name == plot.prize => Some(ThreadDefinition {
                        name: format!("Find {x}"),
                        opening: format!("{lost} {key}"),
                        goal: goal("held", &plot.prize, None),
                        ending: format!(
                            "You have found {x}, behind the {door}, where few people look."
                        ),
                        stages: self.stages(&lost, plot),
                    }),
                    _ => None,
                }
            }
            PremiseWant::Reach(noun) => {
                let x = the(&self.reading.nouns[*noun].name);
                let is_locked = plot.locked == self.reading.nouns[*noun].name;
                let way = format!("The way to {x} leads through the {door}.");
                is_locked.then(|| ThreadDefinition {
                    name: format!("The way to {x}"),
                    opening: format!("{way} {key}"),
                    goal: goal("reached", &plot.locked, None),
                    ending: format!("You have come to {x}."),
                    stages: self.stages(&way, plot),
                })
            }
            PremiseWant::Task(words_of_it) => {
                let lacks = format!("You cannot {words_of_it} without the {}.", plot.prize);
                Some(ThreadDefinition {
                    name: words::capitalised(words_of_it),
                    opening: format!("{lacks} {key}"),
                    goal: goal("held", &plot.prize, None),
                    ending: format!(
                        "The {} is in your hands. Nothing keeps you now: you can {words_of_it}.",
                        plot.prize
                    ),
                    stages: self.stages(&lacks, plot),
                })
            }
            _ => None,
        }
    }

    /// What somebody refuses, collects, or knows.
    fn thread_of_someone(&self, want: &PremiseWant, plot: &Plot) -> Option<ThreadDefinition> {
        let given = goal("given", &plot.wanted, Some(&plot.keeper));
        let nouns = &self.reading.nouns;
        match want {
            PremiseWant::Refuses { who, told } if nouns[*who].name == plot.keeper => {
                let x = the(&plot.keeper);
                let lower = told.to_lowercase();
                Some(ThreadDefinition {
                    name: format!("Why {x} {lower}"),
                    opening: format!(
                        "{} {lower}. There is a reason, and you can ask for it.",
                        words::capitalised(&x)
                    ),
                    goal: given,
                    ending: format!(
                        "{} has the {} back. That was the reason.",
                        words::capitalised(&x),
                        plot.wanted
                    ),
                    stages: Vec::new(),
                })
            }
            PremiseWant::Collects { who, .. } if nouns[*who].name == plot.keeper => {
                let x = words::capitalised(&the(&plot.keeper));
                Some(ThreadDefinition {
                    name: format!("The {}", plot.wanted),
                    opening: format!(
                        "{x} misses one, and speaks of nothing else: the {}.",
                        plot.wanted
                    ),
                    goal: given,
                    ending: format!("{x} has the {}. Nothing is missing now.", plot.wanted),
                    stages: Vec::new(),
                })
            }
            want => self.thread_of_truth(want, plot),
        }
    }

    /// What the witness knows the truth about.
    fn thread_of_truth(&self, want: &PremiseWant, plot: &Plot) -> Option<ThreadDefinition> {
        let name = |noun: &usize| the(&self.reading.nouns[*noun].name);
        let (name, said, ending) = match want {
            PremiseWant::Riddle(told) => (
                format!("Find out {told}"),
                format!("Nobody says {told}."),
                format!("Now you know {told}, and so does whoever hears it from you."),
            ),
            PremiseWant::Theft(noun) => {
                let x = name(noun);
                (
                    format!("Who steals {x}"),
                    format!("Somebody steals {x}."),
                    format!("So that is what becomes of {x}. Whether it goes on is up to you now."),
                )
            }
            PremiseWant::Death(noun) => {
                let x = self.reading.nouns[*noun].called();
                (
                    format!("How {x} died"),
                    format!(
                        "{} is dead, and everybody has an answer too many.",
                        words::capitalised(&x)
                    ),
                    format!("So that is how {x} died. What you do with it is up to you."),
                )
            }
            PremiseWant::Trouble(noun) => {
                let x = name(noun);
                (
                    format!("The truth about {x}"),
                    format!("Something is not right with {x}."),
                    format!("So that is what is wrong with {x}."),
                )
            }
            _ => return None,
        };
        let witness = words::capitalised(&the(&plot.witness));
        Some(ThreadDefinition {
            name,
            opening: format!("{said} {witness} knows the truth, and waits to be asked."),
            goal: goal("learned", "truth", Some(&plot.witness)),
            ending,
            stages: Vec::new(),
        })
    }

    fn any_thread(&mut self, plot: &Plot) -> ThreadDefinition {
        let keeper = words::capitalised(&the(&plot.keeper));
        let witness = words::capitalised(&the(&plot.witness));
        match self.rng.range(0..=2) {
            0 => ThreadDefinition {
                name: "What was written down".to_owned(),
                opening: format!(
                    "Somebody has kept {} {}, and nobody wants it read.",
                    words::article(&plot.record),
                    plot.record
                ),
                goal: goal("read", &plot.record, None),
                ending: "Now it is not only a rumour.".to_owned(),
                stages: Vec::new(),
            },
            1 => ThreadDefinition {
                name: format!("The {}", plot.wanted),
                opening: format!("{keeper} has lost something, and asks everyone who comes by."),
                goal: goal("given", &plot.wanted, Some(&plot.keeper)),
                ending: format!("{keeper} sleeps again tonight."),
                stages: Vec::new(),
            },
            _ => ThreadDefinition {
                name: "The truth".to_owned(),
                opening: format!("{witness} knows the truth, and waits to be asked."),
                goal: goal("learned", "truth", Some(&plot.witness)),
                ending: "Once you know it, you cannot stop knowing it.".to_owned(),
                stages: Vec::new(),
            },
        }
    }
}
