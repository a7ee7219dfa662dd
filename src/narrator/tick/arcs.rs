//! The material of the tick planner without a model: four arcs, each a question that four threads lead to. Plain data.
//!
//! A thread has three beats: its question is taken up, grows harder, and is answered; the answer raises the next
//! question. After the fourth thread a last scene answers the question of the arc. So an arc has thirteen scenes.
//!
//! Texts have `{slots}`:
//!
//! | slot | stands for |
//! |---|---|
//! | `{pov}` | the character whose point of view it is |
//! | `{she}` `{She}` `{her}` `{them}` | that character's pronouns: subject, possessive, object |
//! | `{o}` | the other person of the thread |
//! | `{oshe}` `{Oshe}` `{oher}` `{othem}` | that person's pronouns |
//! | `{place}` `{Place}` | the place of the scene with its article |
//! | `{town}` | the town |

mod arc;
mod bell;
mod boundary;
mod lamp;
mod letters;

pub(super) use arc::{Arc, BEATS, Beat, NewPerson, PersonSpec, THREADS, Thread};

/// All arcs. The seed of the story picks the first one.
pub(super) static ARCS: [&Arc; 4] =
    [&bell::BELL, &letters::LETTERS, &boundary::BOUNDARY, &lamp::LAMP];
