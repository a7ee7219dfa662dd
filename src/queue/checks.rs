//! What a queue takes, whichever database it is in.

use std::collections::HashSet;

use crate::{
    BATCH_MAX, KIND_BYTES_MAX, NewWork, OUTCOMES_MAX, QueueError, RESULT_BYTES_MAX, WORK_BYTES_MAX,
    WorkKey, WorkResult,
};

fn within(what: &'static str, text: &str, limit: usize) -> Result<(), QueueError> {
    match text.len() {
        found if found > limit => Err(QueueError::TooLong { what, found, limit }),
        _ => Ok(()),
    }
}

pub(crate) fn check_batch(kind: &str, work: &[NewWork]) -> Result<(), QueueError> {
    within("a kind of work", kind, KIND_BYTES_MAX)?;
    if work.len() > BATCH_MAX {
        return Err(QueueError::TooMany { found: work.len(), limit: BATCH_MAX });
    }
    work.iter().try_for_each(|one| within("a piece of work", &one.body, WORK_BYTES_MAX))
}

pub(crate) fn check_result(result: &WorkResult) -> Result<(), QueueError> {
    within("a result", &result.body, RESULT_BYTES_MAX)
}

pub(crate) fn check_keys(keys: &[WorkKey]) -> Result<(), QueueError> {
    match keys.len() {
        found if found > OUTCOMES_MAX => Err(QueueError::TooMany { found, limit: OUTCOMES_MAX }),
        _ => Ok(()),
    }
}

/// The first piece of work of each key.
pub(crate) fn distinct(work: &[NewWork]) -> Vec<&NewWork> {
    let mut seen = HashSet::new();
    work.iter().filter(|one| seen.insert(&one.key)).collect()
}
