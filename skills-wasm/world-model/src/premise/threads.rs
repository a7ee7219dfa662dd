//! What there is to do in a made world: what the premise says somebody wants, and what the building blocks have.

use super::{
    layout::{in_place, the},
    maker::Maker,
    noun::PremiseNoun,
    nouns::{NounKind, is_plural},
    plots::PlotThread,
    things::Plot,
    wants::PremiseWant,
};
use crate::{
    check::NAME_CHARS_MAX,
    definition::{GoalDefinition, ThreadDefinition},
    words,
};

/// The words of the page of plots with which an end is announced.
const END_ANNOUNCED: &str = "So it ends: ";

fn goal(kind: &str, target: &str, to: Option<&str>) -> GoalDefinition {
    GoalDefinition { kind: kind.to_owned(), target: target.to_owned(), to: to.map(str::to_owned) }
}

/// `is`, or `are` for many things.
fn is_or_are(noun: &PremiseNoun) -> &'static str {
    if noun.kind == NounKind::Thing && is_plural(&noun.head) { "are" } else { "is" }
}

impl ThreadDraft {
    /// The same in the words of the premise. An end is announced as the shape does it.
    fn in_words_of(self, told: ThreadDefinition) -> ThreadDraft {
        let announced = self.thread.ending.find(END_ANNOUNCED).filter(|_| self.is_end);
        let ending = match announced.and_then(|at| self.thread.ending.get(at..)) {
            Some(announced) => format!("{} {announced}", told.ending),
            None => told.ending,
        };
        let stages = if told.stages.is_empty() { self.thread.stages } else { told.stages };
        ThreadDraft { thread: ThreadDefinition { ending, stages, ..told }, ..self }
    }
}

/// The threads with the titles of those that they begin after and close: an end closes all others.
fn joined(drafts: Vec<ThreadDraft>) -> Vec<ThreadDefinition> {
    let mut titles: Vec<String> = Vec::new();
    for draft in &drafts {
        titles.push(title(&draft.thread.name, &titles));
    }
    let ids: Vec<&str> = drafts.iter().map(|draft| draft.id).collect();
    let named = |wanted: &[&str]| -> Vec<String> {
        let known = ids.iter().zip(&titles).filter(|(id, _)| wanted.contains(id));
        known.map(|(_, title)| title.clone()).collect()
    };
    let thread = |(draft, title): (ThreadDraft, &String)| ThreadDefinition {
        name: title.clone(),
        after: named(draft.after),
        closes: match draft.is_end {
            true => titles.iter().filter(|other| *other != title).cloned().collect(),
            false => named(draft.closes),
        },
        ..draft.thread
    };
    drafts.into_iter().zip(&titles).map(thread).collect()
}

/// The sentence behind another one, if there is one.
fn behind(before: &str, sentence: &str) -> String {
    format!("{before} {sentence}").trim_start().to_owned()
}

/// A thread in the making: its id on the page of plots, what it begins after and closes there, and whether the story ends with
/// it.
struct ThreadDraft {
    id: &'static str,
    after: &'static [&'static str],
    closes: &'static [&'static str],
    is_end: bool,
    thread: ThreadDefinition,
}

/// The title, short enough and unlike the ones before.
fn title(name: &str, taken: &[String]) -> String {
    let marked = |marks: usize| {
        let kept: String = name.chars().take(NAME_CHARS_MAX - marks).collect();
        kept.trim_end().to_owned() + &"…".repeat(marks)
    };
    let least = usize::from(name.chars().count() > NAME_CHARS_MAX);
    (least..NAME_CHARS_MAX).map(marked).find(|title| !taken.contains(title)).unwrap_or_default()
}

impl Maker {
    /// The threads of the shape, in the words of the premise where it says what somebody wants.
    pub(super) fn make_threads(&mut self, plot: &Plot) {
        let threads = plot.shape.threads_of(plot.variant);
        let draft = |it: &&'static PlotThread| ThreadDraft {
            id: it.id,
            after: it.after,
            closes: it.closes,
            is_end: it.is_end,
            thread: self.thread_of_plot(it, plot),
        };
        let mut drafts: Vec<ThreadDraft> = threads.iter().map(draft).collect();
        let wants = &self.reading.wants;
        let behind = wants.iter().find_map(|want| self.thread_behind_the_door(want, plot));
        let behind = behind.or_else(|| self.thread_of_the_locked_room(plot));
        // Where a shape has its own trouble, an oddity besides is none.
        let is_odd = |want: &&PremiseWant| matches!(want, PremiseWant::Trouble(_));
        let of_someone = wants
            .iter()
            .filter(|want| !is_odd(want) || plot.shape.is_about(want))
            .find_map(|want| self.thread_of_someone(want, plot));
        let is_plain = behind.is_none() && of_someone.is_none();
        // The trouble of the premise comes first.
        for told in [of_someone, behind].into_iter().flatten() {
            let begun = |draft: &ThreadDraft| draft.after.is_empty();
            let leads_there = |goal: &GoalDefinition| {
                goal.to.is_none() && [&plot.locked, &plot.prize].contains(&&goal.target)
            };
            let is_same = |draft: &ThreadDraft| begun(draft) && draft.thread.goal == told.goal;
            // One way behind the door is enough.
            let is_like = |draft: &ThreadDraft| {
                begun(draft) && leads_there(&draft.thread.goal) && leads_there(&told.goal)
            };
            let at = drafts.iter().position(is_same).or_else(|| drafts.iter().position(is_like));
            let draft = match at {
                Some(at) => drafts.remove(at).in_words_of(told),
                None => {
                    ThreadDraft { id: "", after: &[], closes: &[], is_end: false, thread: told }
                }
            };
            drafts.insert(0, draft);
        }
        let first = &mut drafts[0].thread;
        let task = self.reading.wants.iter().find_map(|want| match want {
            PremiseWant::Task(told) => Some(words::capitalised(told)),
            _ => None,
        });
        if let Some(task) = task.filter(|_| is_plain) {
            first.name = task;
        }
        let hero = self.want_of_hero(plot);
        for text in first.stages.iter_mut().map(|stage| &mut stage.says).chain([&mut first.opening])
        {
            *text = format!("{hero} {text}");
        }
        self.world.threads = joined(drafts);
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
            unresolved: format!("{} stays locked.", words::capitalised(&room)),
            stages: self.stages(&lies, plot),
            ..ThreadDefinition::default()
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
                        unresolved: format!("The search for {x} is given up."),
                        stages: self.stages(&lost, plot),
                        ..ThreadDefinition::default()
                    }),
                    NounKind::Thing if noun.name == plot.prize => Some(ThreadDefinition {
                        name: format!("Find {x}"),
                        opening: format!("{lost} {key}"),
                        goal: goal("held", &plot.prize, None),
                        ending: format!(
                            "You have found {x}, behind the {door}, where few people look."
                        ),
                        unresolved: format!("The search for {x} is given up."),
                        stages: self.stages(&lost, plot),
                        ..ThreadDefinition::default()
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
                    unresolved: format!("Why {x} {lower}, nobody asks any more."),
                    ..ThreadDefinition::default()
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
                    unresolved: format!("The {} stays missing.", plot.wanted),
                    ..ThreadDefinition::default()
                })
            }
            want => self.thread_of_truth(want, plot),
        }
    }

    /// What the witness knows the truth about.
    fn thread_of_truth(&self, want: &PremiseWant, plot: &Plot) -> Option<ThreadDefinition> {
        let name = |noun: &usize| the(&self.reading.nouns[*noun].name);
        let (name, said, ending, unresolved) = match want {
            PremiseWant::Riddle(told) => (
                format!("Find out {told}"),
                format!("Nobody says {told}."),
                format!("Now you know {told}, and so does whoever hears it from you."),
                format!("You do not find out {told}."),
            ),
            PremiseWant::Theft(noun) => {
                let x = name(noun);
                (
                    format!("Who steals {x}"),
                    format!("Somebody steals {x}."),
                    format!("So that is what becomes of {x}. Whether it goes on is up to you now."),
                    format!("Who steals {x}, nobody finds out."),
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
                    format!("How {x} died, nobody finds out."),
                )
            }
            PremiseWant::Trouble(noun) => {
                let x = name(noun);
                (
                    format!("The truth about {x}"),
                    format!("Something is not right with {x}."),
                    format!("So that is what is wrong with {x}."),
                    format!("What is wrong with {x}, nobody finds out."),
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
            unresolved,
            ..ThreadDefinition::default()
        })
    }
}
