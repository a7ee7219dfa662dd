//! `narratoria world words`: looks up words, classes of words and meanings of verbs in the tables of English. Knows no worlds.

use english::{VERB_MEANINGS, VerbPhrase, WordClass, WordRow};
use narratoria_campaign::VERB_TESTS;
use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::nearest::nearest;
use narratoria_ui::visible;

use super::reading_text::section;
use crate::{args::WorldWordsArgs, exit::Exit, print_text, settings};

/// Most words of a class, and most phrases of a verb or of a meaning, that are shown.
const WORDS_SHOWN_MAX: usize = 150;

/// Width of a class and of a phrase in front of what it means.
const NAME_CHARS: usize = 24;

pub(super) fn words(args: &WorldWordsArgs) -> Result<Exit, TurnError> {
    let entries: Vec<String> =
        args.names.iter().map(|name| entry(name)).collect::<Result<_, TurnError>>()?;
    print_text(settings::initial_look(), &visible(&entries.join("\n")))?;
    Ok(Exit::Done)
}

/// What the tables say about a word, a class or a meaning.
fn entry(name: &str) -> Result<String, TurnError> {
    if let Some(class) = name.strip_prefix('@') {
        return class_entry(class);
    }
    if let Some(meaning) = name.strip_prefix('#') {
        return meaning_entry(meaning);
    }
    word_entry(name)
}

fn class_entry(name: &str) -> Result<String, TurnError> {
    let class = WordClass::named(name).ok_or_else(|| {
        let near = nearest(name, WordClass::names()).map(|near| format!("@{near}"));
        unknown(&format!("there is no class of words `@{name}`"), near)
    })?;
    let mut out = format!("@{name}\n");
    section(&mut out, "means", [class.explanation().to_owned()]);
    section(&mut out, "words", listed(class.words().iter().copied()));
    Ok(out)
}

fn meaning_entry(name: &str) -> Result<String, TurnError> {
    let mut out = format!("#{name}\n");
    if let Some((_, what)) = VERB_TESTS.iter().find(|(test, _)| *test == name) {
        section(&mut out, "means", [(*what).to_owned()]);
        return Ok(out);
    }
    let at = VERB_MEANINGS.iter().position(|meaning| part_of(meaning) == name);
    let at = at.ok_or_else(|| {
        let tests = VERB_TESTS.iter().map(|(test, _)| (*test).to_owned());
        let known = VERB_MEANINGS.iter().map(|meaning| part_of(meaning)).chain(tests);
        let near = nearest(name, known).map(|near| format!("#{near}"));
        unknown(&format!("there is no meaning of verbs `#{name}`"), near)
    })?;
    let phrases = english::verb_phrases().iter().filter(|entry| usize::from(entry.meaning) == at);
    section(&mut out, "phrases", listed(phrases.map(|entry| entry.phrase)));
    Ok(out)
}

/// A meaning as wordings ask for it: `do-take` for `do take`.
fn part_of(meaning: &str) -> String {
    meaning.replace(' ', "-")
}

fn word_entry(name: &str) -> Result<String, TurnError> {
    let word = name.trim().to_lowercase();
    let classes: Vec<&str> = WordClass::names_of(&word).collect();
    let plain = english::plain_form(&word);
    let phrases = phrases_of(plain.as_deref().unwrap_or(&word));
    let respelled = respelled(&word);
    let of_plain = plain.as_deref().is_some_and(|it| WordClass::names_of(it).next().is_some());
    if classes.is_empty() && phrases.is_empty() && respelled.is_none() && !of_plain {
        let verbs = english::verb_phrases().iter().map(|entry| entry.phrase);
        let of_classes = WordClass::names().filter_map(WordClass::named).flat_map(WordClass::words);
        let near = nearest(&word, verbs.chain(of_classes.copied()));
        return Err(unknown(&format!("`{word}` stands in no table of words"), near));
    }
    let mut out = format!("{word}\n");
    let irregular = english::irregular_row(&word).filter(|row| plain.as_deref() == Some(row.meant));
    let form = plain.as_deref().map(|plain| row_text(plain, "irregular.tsv", irregular));
    section(&mut out, "plain", form);
    let read_as = respelled.map(|row| {
        let meant = if row.meant.is_empty() { "no words" } else { row.meant };
        row_text(meant, "respelled.tsv", Some(row))
    });
    section(&mut out, "read as", read_as);
    let explained = classes.iter().map(|name| {
        let what = WordClass::named(name).map(WordClass::explanation).unwrap_or_default();
        named(&format!("@{name}"), what)
    });
    section(&mut out, "classes", explained);
    let shown = phrases.iter().take(WORDS_SHOWN_MAX).map(|entry| {
        let meaning = VERB_MEANINGS.get(usize::from(entry.meaning)).copied().unwrap_or_default();
        named(entry.phrase, &format!("#{}", part_of(meaning)))
    });
    section(&mut out, "verbs", shown.chain(rest_of(phrases.len())));
    Ok(out)
}

/// The phrases of verbs that begin with these words.
fn phrases_of(words: &str) -> Vec<&'static VerbPhrase> {
    let first = words.split(' ').next().unwrap_or_default();
    let begins = |phrase: &str| {
        phrase.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    english::verb_phrases_of(first).iter().filter(|entry| begins(entry.phrase)).collect()
}

/// The row of `respelled.tsv` for a word, or for all of several words.
fn respelled(words: &str) -> Option<&'static WordRow> {
    let split: Vec<&str> = words.split(' ').collect();
    let joined = english::joined(|at| split.get(at).copied().unwrap_or_default());
    english::respelled(words)
        .or_else(|| joined.filter(|(count, _)| *count == split.len()).map(|(_, row)| row))
}

fn row_text(text: &str, file: &str, row: Option<&WordRow>) -> String {
    match row {
        Some(row) => format!("{text} ({file}:{})", row.line),
        None => text.to_owned(),
    }
}

fn named(name: &str, what: &str) -> String {
    format!("{name:<NAME_CHARS$}{what}")
}

/// The words in one line, and how many are left out.
fn listed<'w>(words: impl Iterator<Item = &'w str>) -> Vec<String> {
    let words: Vec<&str> = words.collect();
    let shown = words[..words.len().min(WORDS_SHOWN_MAX)].join(", ");
    std::iter::once(shown).chain(rest_of(words.len())).collect()
}

/// The line about those that are left out of so many.
fn rest_of(count: usize) -> Option<String> {
    let rest = count.saturating_sub(WORDS_SHOWN_MAX);
    (rest > 0).then(|| format!("and {rest} more"))
}

fn unknown(what: &str, near: Option<String>) -> TurnError {
    let error = TurnError::new(TurnErrorKind::NotFound, what);
    match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`narratoria world read SENTENCE` shows the classes of each word"),
    }
}

#[cfg(test)]
mod tests {
    use english::WordClass;

    use super::{WORDS_SHOWN_MAX, entry};

    /// The text of an entry, or the error with its hints.
    fn found(name: &str) -> String {
        entry(name).unwrap_or_else(|error| format!("{}\n{}\n", error.error, error.hints.join("\n")))
    }

    /// The entry has these lines, among others.
    #[track_caller]
    fn check(name: &str, expect: &[&str]) {
        let found = found(name);
        for line in expect {
            assert!(found.lines().any(|it| it == *line), "`{line}`\n{found}");
        }
    }

    #[test]
    fn a_word_has_its_plain_form_its_classes_and_the_phrases_of_its_verb() {
        check("lids", &["lids", "plain   lid"]);
        check(
            "lid",
            &[
                "classes @ordinary               Ordinary words in the form of a dictionary. They are no mistakes in writing another word: `beach` does not mean the benches.",
                "        @wraps                  What closes or wraps something.",
            ],
        );
        check(
            "Examined",
            &["examined", "plain   examine", "verbs   examine                 #do-examine"],
        );
        check("look under", &["look under", "verbs   look under              #do-search"]);
        let rows = include_str!("../../../skills-wasm/english/data/irregular.tsv");
        let line = rows.lines().position(|row| row == "took\ttake").unwrap() + 1;
        check("took", &[&format!("plain   take (irregular.tsv:{line})")]);
        let rows = include_str!("../../../skills-wasm/english/data/respelled.tsv");
        let line = |row: &str| rows.lines().position(|it| it == row).unwrap() + 1;
        let of = line("before i forget\t-");
        check("before I forget", &[&format!("read as no words (respelled.tsv:{of})")]);
        check("gimme", &[&format!("read as give me (respelled.tsv:{})", line("gimme\tgive me"))]);
    }

    #[test]
    fn a_class_has_its_explanation_and_so_many_of_its_words() {
        let text = found("@wraps");
        assert!(
            text.starts_with("@wraps\nmeans   What closes or wraps something.\nwords   "),
            "{text}"
        );
        assert!(text.contains(", lid, ") && !text.contains(" more"), "{text}");
        let ordinary = WordClass::named("ordinary").unwrap().words().len();
        check("@ordinary", &[&format!("        and {} more", ordinary - WORDS_SHOWN_MAX)]);
    }

    #[test]
    fn a_meaning_has_the_phrases_of_verbs_that_have_it() {
        let text = found("#do-search");
        assert!(text.contains("phrases ") && text.contains("look under"), "{text}");
        check("#number", &["means   Digits."]);
    }

    #[test]
    fn what_no_table_has_is_an_error_that_names_the_nearest() {
        assert_eq!(
            found("@direktion"),
            "there is no class of words `@direktion`\ndid you mean `@direction`?\n"
        );
        assert_eq!(
            found("#do-tkae"),
            "there is no meaning of verbs `#do-tkae`\ndid you mean `#do-take`?\n"
        );
        assert_eq!(
            found("exmaine"),
            "`exmaine` stands in no table of words\ndid you mean `examine`?\n"
        );
        assert_eq!(
            found("qqqqqqqq"),
            "`qqqqqqqq` stands in no table of words\n\
             `narratoria world read SENTENCE` shows the classes of each word\n"
        );
    }
}
