//! Reads a sentence into actions: rules of English over the names of this world, no list of sentences.
//!
//! Each folder stands on those above it:
//!
//! | folder | what it knows |
//! |---|---|
//! | `forms` | what rows of `grammar` and `wordings` are made of |
//! | `words` | tokens, their classes and forms, the verb that begins a clause |
//! | `names` | what words mean of this world |
//! | `rows` | patterns, what their phrases mean, and the rows that say a sentence or a clause in plainer words |
//! | `sentence` | spelling, who tells and when, and the clauses of a sentence |
//! | `grammar` | the frames of verbs, and the chart that ranks the readings |
//! | `clause` | what one clause says, asks or does |
//! | `discourse` | one clause behind the other, each in the world that the earlier ones leave |

pub mod by_meaning;
mod clause;
mod discourse;
mod forms;
mod grammar;
mod meaning;
pub mod names;
mod own_verbs;
mod rows;
mod sentence;
#[cfg(not(target_os = "wasi"))]
pub mod testing;
pub mod trace;
#[cfg(not(target_os = "wasi"))]
pub mod wording_examples;
pub mod wordings;
pub mod words;

use world_model::{action::Verb, definition::WordingDefinition, world::World};

#[cfg(not(target_os = "wasi"))]
use crate::trace::ReadingRow;
use crate::{
    clause::{conversation, evidence, own_wordings, shortfall},
    discourse::{pointing, reading::SentenceReading},
    forms::pattern_form,
    names::handed,
    rows::{
        plainer,
        sentence_rows::{self, CorrectedTokens},
    },
    sentence::{clauses::clauses, person, spelling, staged, subordinate},
    trace::{RESPELLED_FILE, ReadingTrace},
    words::{
        own_words,
        tokens::{self, ReadTokens},
    },
};

pub use forms::row_form::VERB_TESTS;

pub use meaning::{ACTIONS_MAX, Certainty, Shortfall, Understanding};

/// Reads a sentence. The world does not change: later clauses are read in a copy in which the earlier ones are done.
///
/// Long because it is the list of the reader's stages, each with its name for the trace.
pub fn understand(world: &World, sentence: &str) -> Understanding {
    let sentence = staged::with_speech(world, sentence);
    let sentence = sentence.as_ref();
    let ReadTokens { tokens, rows } = tokens::read(sentence, world);
    for row in rows {
        trace::word_row("words", RESPELLED_FILE, Some(row));
    }
    trace::stage("words", &tokens);
    let tokens = spelling::spelled(world, tokens);
    trace::stage("spelling", &tokens);
    let tokens = sentence_rows::of_player(world, &tokens);
    trace::stage("who is spoken of", &tokens);
    let tokens = person::in_present(world, tokens);
    trace::stage("present tense", &tokens);
    let tokens = sentence_rows::all_in_order(world, &sentence_rows::reworded(world, &tokens));
    trace::stage("word order", &tokens);
    let CorrectedTokens { kept, taken_back } = sentence_rows::corrected(world, tokens);
    trace::stage("corrections", &kept);
    let tokens = sentence_rows::without_asides(world, &kept);
    trace::stage("asides", &tokens);
    let tokens = sentence_rows::in_plain_sentences(world, &tokens);
    trace::stage("plain sentences", &tokens);
    let subordinate::MainClauses { kept: tokens, left_out } =
        subordinate::without_subordinates(world, tokens);
    trace::stage("main clauses", &tokens);
    let parts = clauses(world, &tokens);
    let mut reading = SentenceReading::of(world, &tokens);
    for unread in [&left_out, &taken_back] {
        pointing::speak_of_unread(&mut reading.world, unread, &tokens);
    }
    let count = parts.len();
    // `Give her the sandwich? No, I eat it myself.`
    let is_answered: Vec<bool> = (0..count)
        .map(|n| {
            let next = parts.get(n + 1).map(|next| next.tokens.as_slice()).unwrap_or_default();
            parts[n].is_asked && tokens::word_at(next, 0) == "no"
        })
        .collect();
    let mut heard = Vec::new();
    for (n, clause) in parts.into_iter().enumerate().filter(|(n, _)| !is_answered[*n]) {
        trace::clause(n, &clause.tokens);
        if reading.is_beside_the_point(&clause, n + 1 == count) {
            heard.push((clause, reading.listener()));
            continue;
        }
        heard.push((clause.clone(), reading.listener()));
        if reading.read(clause).is_err() {
            break;
        }
    }
    trace::whole();
    let begun = world;
    let SentenceReading { world, mut meaning, .. } = reading;
    evidence::without_junk(begun, &mut meaning);
    handed::hand_over(begun, &tokens, &mut meaning.actions);
    if meaning.actions.is_empty() && meaning.unclear.is_empty() {
        let told = heard
            .iter()
            .find_map(|(clause, to)| conversation::said(begun, "said instead", clause, *to));
        meaning.actions.extend(told.unwrap_or_default());
    }
    // A sentence that only leads to something leads to nothing.
    if meaning.actions.is_empty() && meaning.unclear.is_empty() {
        meaning.unknown = true;
        meaning.shortfall = heard.iter().find_map(|(clause, _)| shortfall::of(begun, clause));
    }
    pointing::merge_stealth(&mut meaning.actions, &world);
    pointing::without_leading(&world, &mut meaning.actions);
    for action in &mut meaning.actions {
        let told =
            action.text.as_mut().filter(|_| [Verb::Gesture, Verb::Say].contains(&action.action));
        for words in action.topic.as_mut().into_iter().chain(told) {
            *words = own_words::with_capitals(&world, sentence, words);
        }
        action.shorten();
    }
    meaning.actions.truncate(ACTIONS_MAX);
    meaning
}

/// Reads a sentence as [`understand`] does, and returns the reader's steps too. Each step names the file and line of its row.
pub fn understand_traced(world: &World, sentence: &str) -> (Understanding, ReadingTrace) {
    let (meaning, mut trace) = trace::collect(|| understand(world, sentence));
    let rows = trace.lost.iter_mut().filter_map(|lost| lost.row.as_mut());
    for row in rows.filter(|row| row.file.is_empty()) {
        *row = plainer::placed(world, std::mem::take(row));
    }
    (meaning, trace)
}

/// Returns what is wrong with the form of a campaign's row, a sentence for each fault.
pub(crate) fn form_faults(row: &WordingDefinition) -> Vec<String> {
    pattern_form::faults(&row.wording, &row.meaning)
}

/// How many parts of a wording fit any number of words.
pub(crate) fn loose_parts(wording: &str) -> usize {
    pattern_form::loose_parts(wording)
}

/// All rows of the tables, with their examples.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn built_in_rows() -> impl Iterator<Item = ReadingRow> {
    plainer::rows()
}

/// The line of the campaign's row that takes a clause before any other, and the clause in plainer words.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn own_reading(world: &World, clause: &str) -> Option<(u32, String)> {
    own_wordings::first(world, &tokens::tokens(clause, world))
        .map(|(line, plain)| (line, tokens::text_of(&plain)))
}

#[cfg(test)]
mod tests {
    use english::WordClass;
    use narratoria_sdk::{Value, json};
    use serde::Deserialize as _;

    use super::{plainer::tests::storehouse, trace::ReadingStep, understand, understand_traced};
    use world_model::{action::Action, definition::WorldDefinition, world::World};

    /// The rows of the sentence's steps, each with the stage that used it and what it made.
    #[track_caller]
    fn check(sentence: &str, expect: &[&str]) {
        let (_, trace) = understand_traced(&storehouse(), sentence);
        let line = |step: ReadingStep| {
            let row = step
                .row
                .filter(|row| !row.file.contains("ing.tsv") && row.file.ends_with(".tsv"))?;
            let (stage, made) = (step.stage, step.made);
            Some(format!("{stage} {}: {} => {} [{made}]", row.file, row.wording, row.meaning))
        };
        let found: Vec<String> = trace.steps.into_iter().filter_map(line).collect();
        assert_eq!(found, expect, "{sentence}");
    }

    #[test]
    fn a_step_names_the_row_that_said_a_word_otherwise() {
        check("gimme the key", &["words respelled.tsv: gimme => give me [give me]"]);
        check(
            "before I forget, open the chest cuz I want to",
            &[
                "words respelled.tsv: cuz => because [because]",
                "words respelled.tsv: before i forget => - [left out: before i forget]",
            ],
        );
        check("took the key", &["present tense irregular.tsv: took => take [take]"]);
        check("tak the key", &["spelling by-ear.tsv: tak => take [take]"]);
        check("take the key", &[]);
    }

    /// The storehouse, where a box that is shut has one thing in it.
    fn with_a_box_of(name: &str) -> World {
        let text = include_str!("../tests/worlds/storehouse.json");
        let mut world: Value = text.parse().unwrap();
        let things = world["things"].as_array_mut().unwrap();
        things.push(json!({
            "name": "box", "description": "Tin.", "place": "storehouse", "container": { "open": false },
        }));
        things.push(json!({ "name": format!("red {name}"), "description": "Red.", "in": "box" }));
        World::begin(WorldDefinition::deserialize(world).unwrap())
    }

    fn shown(world: &World, sentence: &str) -> String {
        let actions = understand(world, sentence).actions;
        actions.iter().map(Action::in_words).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn letters_of_several_bytes_are_words_like_others() {
        for sentence in ["한국", "한국 hand attack", "attack 한국", "İ ß ﬁ", "take the ké"]
        {
            understand(&storehouse(), sentence);
        }
    }

    #[test]
    fn what_is_called_by_a_word_for_a_lid_is_taken_out_of_what_is_shut() {
        // FIXME: a phrase of a verb comes before every name, and `take lid from` and `take cover` are phrases.
        let in_phrases = ["cover", "lid"];
        for word in WordClass::Wraps.words() {
            let world = with_a_box_of(word);
            for verb in ["take", "remove", "pull", "lift", "pick"] {
                let is_phrase = in_phrases.contains(word) && verb != "pick";
                let expect = format!("Open `box`; Take `red {word}`");
                let sentence = format!("{verb} the {word} from the box");
                assert_eq!(shown(&world, &sentence) == expect, !is_phrase, "{sentence}");
            }
        }
        let world = with_a_box_of("stone");
        for sentence in ["take the tape off the box", "peel the wax from the box"] {
            assert_eq!(shown(&world, sentence), "Open `box`", "{sentence}");
        }
    }
}
