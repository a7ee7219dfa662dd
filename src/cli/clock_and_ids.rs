//! The clock and the ids that the library is given, because it has none of its own.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use narratoria_engine::{ClockAndIds, SessionOptions};
use narratoria_story::{Story, TurnId};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use super::system_clock;

/// Characters of the word that tells this process from another one.
const RUN_CHARS: usize = 12;

/// The real clock, and fresh random ids.
pub(super) fn real() -> ClockAndIds {
    ClockAndIds { clock: Arc::new(system_clock::now), ids: Arc::new(Uuid::new_v4) }
}

/// Draws a seed at random.
pub(super) fn draw_seed() -> u64 {
    Uuid::new_v4().as_u64_pair().1
}

/// Draws a secret at random: 128 bits as 32 hexadecimal digits.
pub(super) fn draw_token() -> String {
    // Six bits of an id are always the same, so one is too few.
    let drawn = [Uuid::new_v4(), Uuid::new_v4()];
    let digest = Sha256::new().chain_update(drawn[0]).chain_update(drawn[1]).finalize();
    digest[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Draws the word that tells this process from another one.
pub(super) fn draw_run() -> String {
    let mut run = draw_token();
    run.truncate(RUN_CHARS);
    run
}

/// Returns the present time in UTC, to the second, in the form of reports: `2026-11-22T17:34:27`.
pub(super) fn utc_now() -> String {
    system_clock::now().strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

/// The real clock, and ids drawn from a seed. Two seeds, or two places, share no id.
pub(super) fn seeded(seed: u64, place: &str) -> ClockAndIds {
    let start = Sha256::new()
        .chain_update("narratoria ids\n")
        .chain_update(seed.to_le_bytes())
        .chain_update(place);
    let drawn = AtomicU64::new(0);
    let ids = move || {
        let nth = drawn.fetch_add(1, Ordering::Relaxed);
        let digest = start.clone().chain_update(nth.to_le_bytes()).finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Builder::from_random_bytes(bytes).into_uuid()
    };
    ClockAndIds { ids: Arc::new(ids), ..real() }
}

/// Returns the clock and the ids of a session over this story. In a repeatable session the ids come from the
/// seed and the position of the story: its newest turn and its unfinished plan. A second session, or one after a
/// crash or a stopped turn, therefore never draws an id that the story already has.
pub(super) fn of_story(story: &Story, options: &SessionOptions) -> ClockAndIds {
    if !options.repeatable {
        return real();
    }
    // The session itself reports an unreadable journal.
    let journal = story.journal().ok().flatten();
    let unfinished = journal.map(|journal| journal.content.plan.id).unwrap_or_default();
    let newest = story.newest_turn().ok().flatten().map_or(0, TurnId::get);
    seeded(story.seed(), &format!("{newest}\n{unfinished}"))
}

#[cfg(test)]
mod tests {
    use super::{draw_token, seeded};

    #[test]
    fn a_secret_has_thirty_two_digits_and_is_another_each_time() {
        let (one, other) = (draw_token(), draw_token());
        assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
        assert_ne!(one, other);
    }

    #[test]
    fn the_same_seed_and_place_draw_the_same_ids_and_no_id_twice() {
        let drawn = |seed, place: &str| -> Vec<String> {
            let clock_and_ids = seeded(seed, place);
            (0..3).map(|_| (clock_and_ids.ids)().to_string()).collect()
        };
        assert_eq!(drawn(7, "0\n"), drawn(7, "0\n"));
        let all = [drawn(7, "0\n"), drawn(8, "0\n"), drawn(7, "1\n")].concat();
        let different: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!(different.len(), all.len(), "{all:?}");
        assert!(all.iter().all(|id| id.as_bytes()[14] == b'4'), "{all:?}");
    }
}
