//! Which of the choices that are offered a sentence takes: by its words, by a sentence that chooses, or by words that stand for
//! others. Pure.

use english::WordClass;
use narratoria_protocol::nearest::nearest;

use crate::named_value::{named_value, without_articles};

/// Words before a chosen answer. A longer entry stands before a shorter one that begins it.
const CHOICE_STARTS: &[&str] = &[
    "i would rather",
    "i would prefer to",
    "i would like to",
    "i would go with",
    "i would call that",
    "i would call it",
    "i would call them",
    "i would say",
    "i'd rather",
    "i'd prefer to",
    "i'd like to",
    "i'd go with",
    "i'd go for",
    "i'd choose",
    "i'd pick",
    "i'd call that",
    "i'd call it",
    "i'd call them",
    "i'd say it's",
    "i'd say",
    "i'll go with",
    "i'll go for",
    "i'll choose",
    "i'll pick",
    "i'll take",
    "i'll have",
    "i'll say",
    "i go with",
    "i go for",
    "i choose",
    "i pick",
    "i select",
    "i call that",
    "i call it",
    "i think it's",
    "i think they're",
    "i think",
    "i decide on",
    "i opt for",
    "let's go with",
    "let's go for",
    "let's have",
    "let's say",
    "go with",
    "choose",
    "pick",
    "my answer is",
    "the answer is",
    "it must be",
    "it is",
    "it's",
    "that is",
    "that's",
    "they are",
    "they're",
    "those are",
    "these are",
];

/// Words before an answer that the player writes on something.
const WRITING_STARTS: &[&str] = &[
    "i write down",
    "i write",
    "i note down",
    "i note",
    "i put down",
    "i put",
    "i mark",
    "write down",
    "write",
    "note down",
    "note",
    "put down",
    "put",
    "mark",
];

/// Words behind a chosen answer.
const CHOICE_ENDS: &[&str] = &[
    "would be best",
    "would be better",
    "would be good",
    "would be right",
    "is the best",
    "is best",
    "is better",
    "is right",
    "sounds good",
    "sounds right",
    "i think",
    "i'd say",
    "it is",
    "please",
    "then",
];

/// Words between a written answer and the thing that it is written on.
const ON: &[&str] = &[" on ", " in ", " into ", " onto "];

/// Returns the only label that the player chooses: with most of its words, or with some of them if the sentence says
/// that it is a choice ("I pick the sheet", "ripples would be best").
pub(crate) fn chosen_value<'v>(text: &str, labels: &'v [String]) -> Option<&'v str> {
    let means = |label: &&str| has_most_words(text, label) && says_no_more(text, label);
    let named = named_value(text, labels).filter(means);
    let lower = text.to_lowercase().replace('’', "'");
    let sentence = lower.trim_end_matches(['.', '!', '?', ' ']);
    let by_answer = || {
        let answer = within_choice(sentence)?;
        let label = named_value(answer, labels)?;
        let known = words(label);
        words(without_articles(answer)).iter().all(|word| known.contains(word)).then_some(label)
    };
    let is_said = |label: &str| {
        std::iter::once(sentence).chain(clauses_of(sentence)).any(|part| is_all_in(part, label))
    };
    // "let the goat have it", "tell him his spoon is on the rack"
    let is_similar = |label: &str| words(label).len() >= WORDS_OF_A_SENTENCE && means(&label);
    named
        .or_else(by_answer)
        .or_else(|| said_in_full(sentence, labels))
        .or_else(|| only_label(labels, is_similar))
        .or_else(|| only_label(labels, |label| has_it(sentence, label)))
        .or_else(|| only_label(labels, |label| has_clause_of(sentence, label)))
        .or_else(|| only_label(labels, is_said))
}

/// Returns the only label that fits. Returns `None` if none fits, or more than one.
fn only_label(labels: &[String], fits: impl Fn(&str) -> bool) -> Option<&str> {
    let mut fitting = labels.iter().map(String::as_str).filter(|label| fits(label));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// Returns true if a pronoun stands for the rest of the label: "list it" for "List the great press", "I'd rather leave it out of
/// the book" for "Leave the press out".
fn has_it(sentence: &str, label: &str) -> bool {
    let start = CHOICE_STARTS.iter().find_map(|start| sentence.strip_prefix(start));
    let first = clauses_of(start.unwrap_or(sentence)).find(|clause| !clause.is_empty());
    let said = words(first.unwrap_or_default());
    let said = said.strip_prefix(&["i".to_owned()]).unwrap_or(&said);
    // "of the book", "in the catalogue" only say where a choice is written.
    let place = ["of", "in"].map(|lead| said.iter().rposition(|word| word == lead));
    let place = place.into_iter().flatten().max().filter(|at| at + 1 < said.len());
    let said = &said[..place.unwrap_or(said.len())];
    let known = words(label);
    let is_pronoun = |word: &String| WordClass::PronounOfChoice.has(word.as_str());
    let is_polite = |word: &String| WordClass::PoliteInChoice.has(word.as_str());
    said.iter().any(is_pronoun)
        && said.first() == known.first()
        && !known.iter().any(is_pronoun)
        && said.iter().all(|word| known.contains(word) || is_pronoun(word) || is_polite(word))
}

/// Returns true if a clause of the sentence is a clause of the label. A pronoun of the label may stand for a person
/// whom the sentence names: "and let the mayor cut the ribbon" for "Read the speech, and let her cut the ribbon".
fn has_clause_of(sentence: &str, label: &str) -> bool {
    let label = label.to_lowercase();
    let known: Vec<Vec<String>> = clauses_of(&label).map(words).collect();
    let is_clause = |said: &[String]| {
        known.iter().filter(|clause| clause.len() >= WORDS_OF_A_SENTENCE).any(|clause| {
            let named =
                clause.iter().filter(|word| WordClass::PronounOfChoice.has(word.as_str())).count();
            let is_said = |word: &&String| said.contains(word) || is_stand_in(word);
            let is_more = |word: &&String| !clause.contains(word) && !is_stand_in(word);
            let own = clause.iter().filter(|word| !is_stand_in(word)).count();
            own > 1
                && clause.iter().all(|word| is_said(&word))
                && said.iter().filter(is_more).count() <= NAME_WORDS_MAX * named
        })
    };
    clauses_of(sentence).any(|clause| is_clause(&words(clause)))
}

/// The clauses of a sentence.
fn clauses_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', ',', ';', '!', '?', ':']).flat_map(|part| part.split(" and ")).flat_map(
        |part| part.split(" then ").map(|clause| clause.trim().trim_start_matches("then ")),
    )
}

fn is_stand_in(word: &str) -> bool {
    WordClass::StandIn.has(word)
}

/// Returns true if all that the label says is said, with a few words more: "rippled cloud, high - cirrocumulus" for "Ripples,
/// high up".
fn is_all_in(sentence: &str, label: &str) -> bool {
    let own = |text: &str| -> Vec<String> {
        let is_own =
            |word: &String| !is_stand_in(word) && !WordClass::ParticleOfChoice.has(word.as_str());
        words(text).into_iter().filter(is_own).collect()
    };
    let (said, known) = (own(sentence), own(label));
    let is_said =
        |word: &String| said.contains(word) || (word.len() > 3 && nearest(word, &said).is_some());
    known.len() > 1 && said.len() <= 2 * known.len() && known.iter().all(is_said)
}

/// Most words of a name that a pronoun of a label stands for.
const NAME_WORDS_MAX: usize = 2;

/// Returns true if the text has no word that speaks of something else than the label: "leave the piano out" is not "Leave the
/// press out".
fn says_no_more(text: &str, label: &str) -> bool {
    let known = words(label);
    let is_known = |word: &String| {
        known.contains(word)
            || is_stand_in(word)
            || (word.len() > 3 && nearest(word, &known).is_some())
    };
    words(text).iter().all(is_known)
}

/// Fewest words of a label that is a sentence of its own.
const WORDS_OF_A_SENTENCE: usize = 3;

/// The one label with which the sentence begins: "I'd rather leave the press out of the book" for "Leave the press out".
fn said_in_full<'v>(sentence: &str, labels: &'v [String]) -> Option<&'v str> {
    let own = |text: &str| -> Vec<String> {
        words(text)
            .into_iter()
            .filter(|word| !WordClass::ArticleOfValue.has(word.as_str()))
            .collect()
    };
    let start = CHOICE_STARTS.iter().find_map(|start| sentence.strip_prefix(start));
    let said = own(start.unwrap_or(sentence));
    let said = said.strip_prefix(&["i".to_owned()]).unwrap_or(&said);
    only_label(labels, |label| {
        words(label).len() >= WORDS_OF_A_SENTENCE && said.starts_with(&own(label))
    })
}

/// Returns the sentence without the words by which people choose or write an answer. Returns `None` if it has no such
/// words.
fn within_choice(sentence: &str) -> Option<&str> {
    let behind = |starts: &[&str]| {
        starts.iter().find_map(|start| sentence.strip_prefix(start)?.strip_prefix(' '))
    };
    if let Some(answer) = behind(WRITING_STARTS) {
        let end = ON.iter().filter_map(|on| answer.rfind(on)).max();
        return Some(&answer[..end.unwrap_or(answer.len())]);
    }
    let start = behind(CHOICE_STARTS);
    let answer = start.unwrap_or(sentence);
    let before =
        |end: &&str| Some(answer.strip_suffix(*end)?.strip_suffix(' ')?.trim_end_matches(','));
    CHOICE_ENDS.iter().find_map(before).or(start)
}

/// Returns true if the text and the name have most of their words in common: a name may be a sentence of its own, such as
/// the label of a choice, and a short command that happens to be a part of it means something else.
fn has_most_words(text: &str, name: &str) -> bool {
    let (said, known) = (words(text), words(name));
    let is_said =
        |word: &&String| said.contains(word) || (word.len() > 3 && nearest(word, &said).is_some());
    let shared = known.iter().filter(is_said).count();
    3 * shared >= 2 * known.len().max(said.len())
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::chosen_value;

    fn check(labels: &[&str], lines: &[&str]) -> String {
        let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
        let line = |line: &&str| format!("{line}: {}", chosen_value(line, &labels).unwrap_or("-"));
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_choice_is_taken_by_its_words_and_by_a_sentence_that_chooses() {
        let labels = [
            "HONK",
            "A long speech",
            "Ripples, high up",
            "A grey sheet",
            "Say nothing",
            "Give Tam the pencil",
            "Leave the press out",
            "Let the goat have the sandwich",
        ];
        let lines = [
            "honk",
            "honk would be best",
            "I pick HONK!",
            "write HONK on the speech card",
            "I write ripples on the slip",
            "I\u{2019}d call that ripples, high up",
            "I think it's a grey sheet.",
            "the long speech, please",
            "I say nothing",
            "give tam his pencil",
            "I give Tam the pencil",
            "I'd rather leave the press out of the book",
            "I let the goat have it",
            "leave the piano out",
            "I take the pencil",
            "the pencil",
            "write my name in the book",
            "it's raining",
            "I go up",
            "put the sheet of paper on the table",
        ];
        insta::assert_snapshot!(check(&labels, &lines), @r"
        honk: HONK
        honk would be best: HONK
        I pick HONK!: HONK
        write HONK on the speech card: HONK
        I write ripples on the slip: Ripples, high up
        I’d call that ripples, high up: Ripples, high up
        I think it's a grey sheet.: A grey sheet
        the long speech, please: A long speech
        I say nothing: Say nothing
        give tam his pencil: Give Tam the pencil
        I give Tam the pencil: Give Tam the pencil
        I'd rather leave the press out of the book: Leave the press out
        I let the goat have it: Let the goat have the sandwich
        leave the piano out: -
        I take the pencil: -
        the pencil: -
        write my name in the book: -
        it's raining: -
        I go up: -
        put the sheet of paper on the table: -
        ");
    }

    #[test]
    fn a_pronoun_stands_for_the_rest_of_a_choice_and_one_clause_for_the_whole() {
        let labels = [
            "Ripples, high up",
            "Let the goat have the sandwich",
            "Leave the press out",
            "List the great press",
            "Leave the column empty",
            "Read the speech, and let her cut the ribbon",
            "Not yet",
        ];
        let lines = [
            "list it",
            "I leave it empty",
            "I'd rather leave it out of the book",
            "I let him have it, poor thing",
            "Rippled cloud, high - cirrocumulus",
            "hang on, I'm not ready yet. I want to talk to Bram first",
            "I give my speech and let the mayor cut the ribbon",
            "Come over. Bring your sandwiches. Then I let Dorothea cut the ribbon.",
            "I cut the ribbon",
            "read it",
            "leave it",
            "I let him in",
            "I read the speech aloud",
            "look at the ribbon",
        ];
        insta::assert_snapshot!(check(&labels, &lines), @r"
        list it: List the great press
        I leave it empty: Leave the column empty
        I'd rather leave it out of the book: Leave the press out
        I let him have it, poor thing: Let the goat have the sandwich
        Rippled cloud, high - cirrocumulus: Ripples, high up
        hang on, I'm not ready yet. I want to talk to Bram first: Not yet
        I give my speech and let the mayor cut the ribbon: Read the speech, and let her cut the ribbon
        Come over. Bring your sandwiches. Then I let Dorothea cut the ribbon.: Read the speech, and let her cut the ribbon
        I cut the ribbon: -
        read it: -
        leave it: -
        I let him in: -
        I read the speech aloud: -
        look at the ribbon: -
        ");
    }
}
