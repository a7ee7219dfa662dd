//! Which of the names in the state a player's words stand for. Pure.

use narratoria_protocol::nearest::nearest;
use narratoria_skills::nearest_values;

/// Words before a name that are no part of it.
const ARTICLES: [&str; 13] =
    ["the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "this", "that", "some"];

/// What people put before the answer that they choose. A longer one stands before a shorter one that begins it.
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

/// The same for an answer that somebody writes on something.
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

/// What people put behind the answer that they choose.
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

/// Words between what somebody writes and what it is written on.
const ON: &[&str] = &[" on ", " in ", " into ", " onto "];

/// The one name that the player's words stand for: articles, typing mistakes and parts of a name count for nothing. None
/// if there is no such name, or more than one.
pub(crate) fn named_value<'v>(text: &str, names: &'v [String]) -> Option<&'v str> {
    let bare = without_articles(text);
    let is_same = |name: &&String| without_articles(name).eq_ignore_ascii_case(bare);
    if let Some(same) = names.iter().find(is_same) {
        return Some(same);
    }
    match nearest_values(bare, names).as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

/// The one label that the player chooses: with most of its words, or with some of them where the sentence says that it is
/// a choice ("I pick the sheet", "ripples would be best").
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
    named.or_else(by_answer).or_else(|| said_in_full(sentence, labels)).or_else(|| {
        // "let the goat have it", "tell him his spoon is on the rack"
        let is_sentence = |label: &&str| words(label).len() >= WORDS_OF_A_SENTENCE && means(label);
        let mut similar = labels.iter().map(String::as_str).filter(is_sentence);
        similar.next().filter(|_| similar.next().is_none())
    })
}

/// Returns true if the text has no word that speaks of something else than the label: "leave the piano out" is not "Leave the
/// press out".
fn says_no_more(text: &str, label: &str) -> bool {
    let known = words(label);
    let is_known = |word: &String| {
        known.contains(word)
            || STAND_INS.contains(&word.as_str())
            || (word.len() > 3 && nearest(word, &known).is_some())
    };
    words(text).iter().all(is_known)
}

/// Words that stand for others of a label, or for nothing in it.
const STAND_INS: &[&str] = &[
    "i", "it", "him", "her", "his", "them", "that", "this", "one", "please", "now", "then", "just",
    "the", "a", "an", "my", "me", "you", "your", "we", "us", "ll", "d", "s", "about", "for", "to",
    "of", "with", "in", "on", "at", "and", "so", "all", "well", "ok", "okay", "yes",
];

/// Fewest words of a label that is a sentence of its own.
const WORDS_OF_A_SENTENCE: usize = 3;

/// The one label with which the sentence begins: "I'd rather leave the press out of the book" for "Leave the press out".
fn said_in_full<'v>(sentence: &str, labels: &'v [String]) -> Option<&'v str> {
    let own = |text: &str| -> Vec<String> {
        words(text).into_iter().filter(|word| !ARTICLES.contains(&word.as_str())).collect()
    };
    let start = CHOICE_STARTS.iter().find_map(|start| sentence.strip_prefix(start));
    let said = own(start.unwrap_or(sentence));
    let said = said.strip_prefix(&["i".to_owned()]).unwrap_or(&said);
    let mut begun = labels
        .iter()
        .filter(|label| words(label).len() >= WORDS_OF_A_SENTENCE && said.starts_with(&own(label)));
    begun.next().filter(|_| begun.next().is_none()).map(String::as_str)
}

/// What stands between the words by which people choose; `None` where there are none.
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

fn without_articles(text: &str) -> &str {
    let mut bare = text.trim().trim_end_matches(['.', '!', '?', ',', ';']);
    while let Some((first, rest)) = bare.split_once(' ')
        && ARTICLES.contains(&first.to_lowercase().as_str())
    {
        bare = rest.trim_start();
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::{chosen_value, named_value};

    #[test]
    fn names_in_the_state_are_found_by_their_parts_and_with_typing_mistakes() {
        let names = ["brass lantern", "iron door", "oak door", "Mira"].map(str::to_owned);
        let named = |text: &str| named_value(text, &names).unwrap_or("-");
        let found = [
            "the lantern",
            "brass lantren",
            "my Brass Lantern.",
            "miar",
            "door",
            "the oak",
            "sword",
            "",
        ];
        let found: Vec<String> = found.map(|text| format!("{text}: {}", named(text))).to_vec();
        insta::assert_snapshot!(found.join("\n"), @r#"
    the lantern: brass lantern
    brass lantren: brass lantern
    my Brass Lantern.: brass lantern
    miar: Mira
    door: -
    the oak: oak door
    sword: -
    : -
    "#);
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
        ]
        .map(str::to_owned);
        let lines = [
            "honk",
            "honk would be best",
            "I pick HONK!",
            "write HONK on the speech card",
            "I write ripples on the slip",
            "I’d call that ripples, high up",
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
        let line = |line: &str| format!("{line}: {}", chosen_value(line, &labels).unwrap_or("-"));
        insta::assert_snapshot!(lines.map(line).join("\n"), @r"
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
}
