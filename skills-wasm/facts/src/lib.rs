//! Types and functions that several world skills share: facts, changes, names, opinions, patches, settings, and story time. This
//! crate depends on no skill.

mod change;
mod fact;
mod feeling;
mod name;
mod opinion;
mod patch;
mod place;
mod settings;
mod time;

pub use change::{CHANGE_MINUTES_MAX, WorldChange};
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
pub use time::{MINUTES_OF_A_DAY, StoryTime, toward};
