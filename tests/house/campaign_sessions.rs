//! The sessions of `tests/cli` play each requirement of S0 that a player of a campaign sees, and name it.

use crate::{
    requirements::{Cited, Requirements},
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
    let requirements = Requirements::of_page();
    let played = cited.holders(&requirements);
    let is_seen = |word: &&String| {
        (word.starts_with("FR-") || word.starts_with("Scenario"))
            && !UNSEEN.contains(&word.as_str())
    };
    let seen: Vec<&String> = requirements.words("S0").iter().filter(is_seen).collect();
    assert_eq!(seen.len(), 28 + 3);
    let missing: Vec<&&String> = seen
        .iter()
        .filter(|word| !played.contains_key(&("S0".to_owned(), word.to_string())))
        .collect();
    assert_eq!(missing, Vec::<&&String>::new());
}
