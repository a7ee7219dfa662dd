//! What a player of a campaign sees of S0 is played: the sessions of `tests/cli` name each such requirement.

use crate::{
    requirements::{Cited, REQUIREMENTS, names},
    sources::read,
};

/// Sessions of the bundled campaign.
const SESSIONS: &[&str] =
    &["tests/cli/campaign_sessions.rs", "tests/cli/campaign_failures.rs", "tests/model/launch.rs"];

/// Players do not see this: prompts of skills, which only a model reads.
const UNSEEN: &[&str] = &["FR-004"];

#[test]
fn each_requirement_that_a_player_sees_is_played_in_a_campaign() {
    let mut cited = Cited::default();
    for path in SESSIONS {
        cited.read(path, &read(path));
    }
    let is_seen = |word: &&&str| {
        (word.starts_with("FR-") || word.starts_with("Scenario")) && !UNSEEN.contains(*word)
    };
    let (_, words) = REQUIREMENTS[0];
    let seen: Vec<&str> = words.iter().filter(is_seen).copied().collect();
    assert_eq!(seen.len(), 28 + 3);
    let missing =
        seen.iter().filter(|word| !cited.words["S0"].iter().any(|(words, _)| names(words, word)));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new());
}
