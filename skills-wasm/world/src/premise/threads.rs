//! What there is to do in a made world: what the premise says somebody wants, and what the building blocks have.

use super::{
    layout::{in_place, the},
    maker::Maker,
    noun::PremiseNoun,
    nouns::{NounKind, is_plural},
    plots::PremisePlot,
    things::Plot,
    wants::PremiseWant,
};
use crate::{
    check::NAME_CHARS_MAX,
    definition::{GoalDefinition, ThreadDefinition},
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
        let shape = self.choose_plot();
        let first = first.unwrap_or_else(|| self.first_of_plot(shape, plot));
        let second = second.filter(|thread| thread.goal != first.goal);
        let second = second.unwrap_or_else(|| {
            let other = self.thread_of_plot(shape, 1, plot);
            // Two ways to one end are one.
            let is_same = other.goal == first.goal;
            if is_same { self.thread_of_plot(shape, 0, plot) } else { other }
        });
        let mut threads = [first, second];
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

    /// The first thread of a shape, which has the words of the premise for its title where something must be done.
    fn first_of_plot(&self, shape: &PremisePlot, plot: &Plot) -> ThreadDefinition {
        let thread = self.thread_of_plot(shape, 0, plot);
        let task = self.reading.wants.iter().find_map(|want| match want {
            PremiseWant::Task(told) => Some(words::capitalised(told)),
            _ => None,
        });
        ThreadDefinition { name: task.unwrap_or(thread.name), ..thread }
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
            opening: behind(&lies, &self.way_told(plot)),
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
        let key = self.way_told(plot);
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
}
