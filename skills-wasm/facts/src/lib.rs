//! Types and functions that several world skills share: facts, changes, names, opinions, patches, settings, hours and story
//! time. The host reads the hours of a world here too. This crate depends on no skill.

mod change;
mod clock;
mod fact;
mod feeling;
mod name;
mod opinion;
mod patch;
mod place;
mod settings;
mod time;

pub use change::{CHANGE_MINUTES_MAX, WorldChange};
pub use clock::{BEGINNING_MINUTE, MINUTES_OF_A_DAY, entry_at, minutes_of_day, time_of_day};
pub use fact::Fact;
pub use feeling::FeelingRise;
pub use name::{
    NAME_CHARS_MAX, NAME_WORDS_MAX, bare, be, capitalised, has_article, is_plural, name_of, noise,
    the, topic_in_words,
};
pub use opinion::{LIKED_FROM, OPINION_MAX, opinion_of, shortened};
pub use patch::difference;
pub use place::within;
pub use settings::settings;
pub use time::{StoryTime, toward};
