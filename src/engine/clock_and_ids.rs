//! The clock and the ids of a session. The library has none of its own, so that a test can supply others.

use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

#[derive(Clone)]
pub struct ClockAndIds {
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// Each call returns a fresh UUID.
    pub ids: Arc<dyn Fn() -> Uuid + Send + Sync>,
}

impl ClockAndIds {
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) fn new_id(&self) -> String {
        (self.ids)().to_string()
    }
}
