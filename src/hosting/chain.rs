//! The chain of digests of a story's changes: a changed row, a missing row and a lost end are found by reading.

use narratoria_protocol::digest::Sha256Hasher;
use narratoria_story::{LogPosition, LoggedChange};

use crate::{HostedStory, LogError, StoredChange, StoryId, StoryLog};

/// Returns the digest of a change. It covers every column of its row, and the digest of the change before it.
pub fn change_digest(story: StoryId, change: &StoredChange) -> String {
    let mut digest = Sha256Hasher::default();
    let request = change.request_id.as_deref().unwrap_or_default();
    for (name, value) in [
        ("before", change.prev_digest.as_str()),
        ("story", &story.0.to_string()),
        ("ordinal", &change.at.ordinal.to_string()),
        ("fence", &change.fence.to_string()),
        ("request", request),
        ("branch", &change.branch),
        ("format", &change.format.to_string()),
        ("lines", &change.lines),
    ] {
        // With its length, so that no two rows have the same bytes.
        digest.update(format!("{name} {} ", value.len()).as_bytes());
        digest.update(value.as_bytes());
    }
    digest.hex()
}

/// What is wrong with the log of a story.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainFault {
    #[error("change {ordinal} is missing")]
    Missing { ordinal: u64 },
    #[error("change {ordinal} is not as it was stored")]
    Changed { ordinal: u64 },
    #[error("the log ends with change {found}, and its head is change {head}")]
    LostEnd { found: u64, head: u64 },
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Reads the changes of a story in order and checks each.
pub struct ChainReader<'a> {
    log: &'a dyn StoryLog,
    story: StoryId,
    /// The head that the log says it has.
    head: Option<LogPosition>,
    last: LogPosition,
    read: std::vec::IntoIter<StoredChange>,
}

impl<'a> ChainReader<'a> {
    /// Reads the changes after a position, or from the first one.
    pub fn new(
        log: &'a dyn StoryLog,
        story: &HostedStory,
        after: Option<&LogPosition>,
    ) -> ChainReader<'a> {
        let start = LogPosition { ordinal: 0, digest: String::new() };
        let last = after.cloned().unwrap_or(start);
        let (head, read) = (story.head.clone(), Vec::new().into_iter());
        ChainReader { log, story: story.id, head, last, read }
    }

    /// Returns the next change up to the head; `None` after it.
    pub fn next_change(&mut self) -> Result<Option<LoggedChange>, ChainFault> {
        let Some(head) = &self.head else { return Ok(None) };
        if self.last.ordinal >= head.ordinal {
            return match self.last == *head {
                true => Ok(None),
                false => Err(ChainFault::Changed { ordinal: self.last.ordinal }),
            };
        }
        let next = match self.read.next() {
            Some(next) => next,
            None => {
                self.read = self.log.changes_after(self.story, self.last.ordinal)?.into_iter();
                let (found, head) = (self.last.ordinal, head.ordinal);
                self.read.next().ok_or(ChainFault::LostEnd { found, head })?
            }
        };
        let ordinal = next.at.ordinal;
        if ordinal != self.last.ordinal + 1 {
            return Err(ChainFault::Missing { ordinal: self.last.ordinal + 1 });
        }
        if next.prev_digest != self.last.digest
            || next.at.digest != change_digest(self.story, &next)
        {
            return Err(ChainFault::Changed { ordinal });
        }
        self.last = next.at.clone();
        let StoredChange { at, format, lines, .. } = next;
        Ok(Some(LoggedChange { at, format, lines }))
    }
}

/// Reads a whole log. Returns its fault, if it has one.
pub fn verify_chain(log: &dyn StoryLog, story: &HostedStory) -> Option<ChainFault> {
    let mut reader = ChainReader::new(log, story, None);
    loop {
        match reader.next_change() {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(fault) => return Some(fault),
        }
    }
}
