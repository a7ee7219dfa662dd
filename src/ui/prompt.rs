//! Prompts: a question to the player, and the meaning of the answer. Pure: a line in, a reply out. Knows nothing of the
//! terminal.

mod approval;
mod pick;
mod question;
mod review;
mod setting;

pub use approval::{ApprovalPrompt, ApprovalReply, WaitingStep};
pub use question::QuestionPrompt;
pub use review::{MoveTarget, ReviewCommand, ReviewPrompt};
pub use setting::{SettingPrompt, SettingReply};
