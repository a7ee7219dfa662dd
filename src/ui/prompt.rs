//! Questions to a person and how the answers are read. Pure: a line in, a decision out; who prints and
//! who types is somebody else's business.

mod approval;
mod pick;
mod question;
mod review;
mod setting;

pub(crate) use approval::{ApprovalPrompt, ApprovalReply, WaitingStep};
pub(crate) use question::QuestionPrompt;
pub(crate) use review::{MoveTarget, ReviewCommand, ReviewPrompt};
pub(crate) use setting::{SettingPrompt, SettingReply};
