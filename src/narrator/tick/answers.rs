//! The answer to a question that the player or a skill has opened: it says something, by the word that the question begins
//! with. The answers stand in `text/answers.md`.

use super::template::{SceneSlots, deal, fill_whole};
use pools::{HOW, STATEMENT, WHAT, WHEN, WHERE, WHO, WHOSE, WHY, YES_OR_NO};

/// The answers of `text/answers.md`.
#[deny(dead_code)]
mod pools {
    include!(concat!(env!("OUT_DIR"), "/answers.rs"));
}

/// Most characters of a question that its answer repeats: tools bound their texts.
const REST_CHARS_MAX: usize = 300;

/// Answers the question with what the scene has. `slots` has a point of view and a place.
pub(super) fn answer(question: &str, slots: &SceneSlots<'_>, seed: u64, nth: u64) -> String {
    let question = question.trim();
    let text = question.trim_end_matches(['?', '.', '!', ' ']);
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    // "Who's there" asks who is there.
    let (word, rest) = match first.split_once(['\'', '’']) {
        Some((word, _)) => (word, format!("is {rest}")),
        None => (first, rest.to_owned()),
    };
    let pool = match word.to_lowercase().as_str() {
        "who" => WHO,
        "whose" => WHOSE,
        "where" => WHERE,
        "when" => WHEN,
        "why" => WHY,
        "how" => HOW,
        "what" | "which" => WHAT,
        _ if question.ends_with('?') => YES_OR_NO,
        _ => STATEMENT,
    };
    let rest: String = rest.chars().take(REST_CHARS_MAX).collect();
    let slots = SceneSlots { rest: &rest, ..slots.clone() };
    let first = deal(pool.len(), seed, nth);
    let dealt = || (0..pool.len()).map(|further| pool[(first + further) % pool.len()]);
    // Where somebody else is there, the answer is about them.
    let of_somebody = dealt().filter(|answer| answer.contains("{o}"));
    let filled = |answer: &str| fill_whole(answer, &slots, 0);
    // "Who?" alone asks for nothing that an answer could repeat.
    let plain = || STATEMENT.iter().copied().find_map(filled);
    of_somebody.chain(dealt()).find_map(filled).or_else(plain).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{pools::PAGE_PLACES, *};

    fn alone() -> SceneSlots<'static> {
        SceneSlots { pov: "Ada Birch", place: "The Quay", ..SceneSlots::default() }
    }

    #[test]
    fn every_place_of_the_page_is_filled() {
        for place in PAGE_PLACES {
            assert!(SceneSlots::default().value(place).is_some(), "{place}");
        }
    }

    #[test]
    fn an_answer_answers_its_question() {
        let slots = SceneSlots { other: "Leif Gale", feature: "the anchor", ..alone() };
        let all = |question: &str| -> Vec<String> {
            (0..3).map(|nth| answer(question, &slots, 1, nth)).collect()
        };
        let names = |text: &String| text.contains("Leif") || text.contains("Ada");
        assert!(
            all("Who took the map?").iter().all(|it| it.contains("who took the map") && names(it))
        );
        assert!(all("Where is the key?").iter().all(|it| it.contains("the Quay")));
        assert!(all("Will Ada forgive him?").iter().all(|it| it.starts_with("The answer was ")));
        assert!(all("Bring the letter back.").iter().all(|it| it.starts_with("It was done")));
    }

    /// Whoever is alone at a place without features gets an answer, too.
    #[test]
    fn every_question_has_an_answer() {
        let questions = [
            "Who?",
            "Whose coat is it?",
            "Where is he?",
            "When?",
            "Why did it burn?",
            "How far is it?",
            "What is in the box?",
            "Which door is it?",
            "Is it true?",
            "The promise",
            "",
            "Who's there?",
        ];
        for question in questions {
            for nth in 0..4 {
                assert!(!answer(question, &alone(), 7, nth).is_empty(), "{question}");
            }
        }
    }
}
