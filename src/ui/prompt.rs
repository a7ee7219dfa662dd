//! Prompts: a question to the player, and how the answer is read. Pure: a line in, a reply out. Knows nothing of the
//! terminal.

mod approval;
mod pick;
mod question;
mod review;
mod setting;

pub(crate) use approval::{ApprovalPrompt, ApprovalReply, WaitingStep};
pub(crate) use question::QuestionPrompt;
pub(crate) use review::{MoveTarget, ReviewCommand, ReviewPrompt};
pub(crate) use setting::{SettingPrompt, SettingReply};
