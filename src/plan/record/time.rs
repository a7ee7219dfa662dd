//! Times in JSON, as in RFC 3339, and lengths of time in seconds.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

pub(super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(at)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(|_| {
        D::Error::custom(format!("`{text}` is no time such as `2026-01-23T10:00:00Z`"))
    })
}

/// Optional times.
pub(super) mod option {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        at: &Option<Timestamp>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        at.map(|at| at.to_string()).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        super::deserialize(from).map(Some)
    }
}

/// An optional length of time, as seconds with at most three digits behind the point.
pub(super) mod seconds {
    use std::time::Duration;

    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        length: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        length.map(|length| length.as_millis() as f64 / 1_000.0).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds = f64::deserialize(from)?;
        let length = Duration::try_from_secs_f64(seconds).ok();
        let rounded = length.map(|length| (length + Duration::from_micros(500)).as_millis());
        let millis = rounded.and_then(|millis| u64::try_from(millis).ok());
        let length = millis.map(Duration::from_millis);
        length
            .map(Some)
            .ok_or_else(|| D::Error::custom(format!("`{seconds}` is no length of time")))
    }
}
