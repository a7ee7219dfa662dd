//! Offers the line editor the names that the player can use now.

use std::collections::BTreeSet;

use narratoria_engine::names_in_scope;
use narratoria_protocol::Object;
use narratoria_story::Branch;

use super::play_session::PlaySession;
use narratoria_ui::CompletionName;

/// The lists of `/world/scope` whose names the player has read, each with a word for the name. Topics are left out: to
/// find them is a part of the story.
const SCOPE_LISTS: [(&str, &str); 7] = [
    ("people", "person"),
    ("carried", "carried"),
    ("things", "thing"),
    ("doors", "door"),
    ("scenery", "here"),
    ("exits", "place"),
    ("directions", "way"),
];

/// The command that takes the name of a branch.
const SWITCH: &str = "/switch";

impl PlaySession {
    /// Offers the names of this moment for the next line.
    pub(super) fn offer_names(&self) {
        if !self.look.interactive {
            return;
        }
        let (story, names) = (self.session.story(), self.lines.names());
        names.set_nouns(nouns(story.state().as_object()));
        // A story whose branches cannot be read says so where they are asked for.
        let branches = story.branches().unwrap_or_default();
        names.set_arguments(SWITCH, branches.iter().map(branch).collect());
    }
}

fn branch(branch: &Branch) -> CompletionName {
    let turns = match branch.turns {
        1 => "1 turn".to_owned(),
        turns => format!("{turns} turns"),
    };
    let what = if branch.is_current { format!("{turns}, current") } else { turns };
    CompletionName { name: branch.name.to_string(), what }
}

/// Returns the names in scope, each once.
fn nouns(state: &Object) -> Vec<CompletionName> {
    let mut known = BTreeSet::new();
    let names = SCOPE_LISTS
        .iter()
        .flat_map(|(list, what)| names_in_scope(state, list).map(move |name| (name, *what)));
    names
        .filter(|(name, _)| known.insert(*name))
        .map(|(name, what)| CompletionName { name: name.to_owned(), what: what.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::nouns;

    #[test]
    fn things_people_and_ways_are_nouns_and_topics_are_not() {
        let state = json!({"world": {"scope": {
            "here": "ferry house", "exits": ["landing"], "directions": ["out"], "things": ["bell", "rope"],
            "people": ["Old Tam"], "carried": ["rope"], "scenery": ["stove"], "topics": ["the flood"], "doors": 7,
        }}});
        let nouns = nouns(state.as_object().unwrap());
        let told: Vec<String> =
            nouns.iter().map(|one| format!("{} ({})", one.name, one.what)).collect();
        assert_eq!(
            told.join(", "),
            "Old Tam (person), rope (carried), bell (thing), stove (here), landing (place), out (way)"
        );
        assert_eq!(super::nouns(json!({}).as_object().unwrap()), []);
    }
}
