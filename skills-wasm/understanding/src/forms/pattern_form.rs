//! The form of a row: what its parts may be, what its plain clause may call, and its conditions. The tables are tested by it, the
//! rows of a campaign are checked by it, and the build script reads this file too, for the words of frames.

use english::WordClass;

use super::row_form::{
    AGAIN, CONDITION, CONDITION_AND, Feature, Kind, PhraseCondition, PhraseTest, Referent,
    ReferentArgument, RowName, WORD_TEST_MARKS, is_verb_test,
};

/// What is wrong with the form of a row, in the order of its parts.
pub(crate) fn faults(pattern: &str, plain: &str) -> Vec<String> {
    let mut found = RowForm::default();
    found.pattern(pattern);
    let plain = plain.strip_prefix(AGAIN).unwrap_or(plain);
    let (plain, conditions) = plain.split_once(CONDITION).unwrap_or((plain, ""));
    found.plain(plain);
    for condition in conditions.split(CONDITION_AND).filter(|it| !it.is_empty()) {
        found.condition(condition);
    }
    found.list
}

/// How many parts of a row fit any number of words.
pub(crate) fn loose_parts(pattern: &str) -> usize {
    let is_loose = |part: &&str| {
        let part = part.trim_start_matches('[').trim_end_matches(']');
        part == "..." || part.ends_with('*') || part.starts_with('{')
    };
    pattern.split(' ').filter(is_loose).count()
}

#[derive(Default)]
pub(crate) struct RowForm<'r> {
    /// What is wrong.
    pub(crate) list: Vec<String>,
    /// The names of the phrases that the pattern finds.
    pub(crate) labels: Vec<&'r str>,
    /// How many words it finds.
    pub(crate) words: usize,
}

impl<'r> RowForm<'r> {
    fn pattern(&mut self, pattern: &'r str) {
        self.brackets(pattern);
        for part in pattern.split(' ') {
            let part = part.trim_start_matches('[').trim_end_matches(']');
            if !part.is_empty() {
                self.part(part);
            }
        }
    }

    pub(crate) fn brackets(&mut self, pattern: &str) {
        let is_closed = match (pattern.matches('[').count(), pattern.matches(']').count()) {
            (0, 0) => true,
            (1, 1) => pattern.ends_with(']') && format!(" {pattern}").contains(" ["),
            _ => false,
        };
        if !is_closed {
            let what = "`[` and `]` stand once, around parts at the end that may be missing";
            self.list.push(what.to_owned());
        }
    }

    pub(crate) fn part(&mut self, part: &'r str) {
        if let Some(phrase) = part.strip_prefix('{') {
            return self.phrase(part, phrase);
        }
        if ["...", "_", ",", "$", "?", "\""].contains(&part) {
            return;
        }
        let words = part.trim_end_matches(['?', '*']);
        let is_kept = words.starts_with('<');
        if is_kept != words.ends_with('>') || is_kept && words != part {
            let what =
                format!("`{part}`: a word that the meaning has as `<1>` is written `<one|other>`");
            return self.list.push(what);
        }
        self.words += usize::from(is_kept);
        let words = words.trim_start_matches(['<', '^', '!']).trim_end_matches('>');
        for word in words.split('|') {
            self.word(part, word);
        }
    }

    /// A test of one word: `@hand`, `#verb&!@lugging`, `-ing`, `tray`.
    pub(crate) fn word(&mut self, part: &str, word: &str) {
        if let Some((one, other)) = word.split_once('&') {
            self.word(part, one);
            return self.word(part, other.trim_start_matches('!'));
        }
        if let Some(class) = word.strip_prefix('@') {
            if WordClass::named(class).is_none() {
                let near = nearest(class, WordClass::names(), "@");
                self.list.push(format!("there is no class of words `@{class}`{near}"));
            }
            return;
        }
        if let Some(test) = word.strip_prefix('#') {
            if !is_verb_test(test) {
                self.list.push(format!(
                    "there is no meaning of verbs `#{test}`: they are those of verbs.tsv with a `-` for the blank, such as `#do-take`"
                ));
            }
            return;
        }
        let is_plain = |c: char| c.is_lowercase() || c.is_numeric() || "-'_,.".contains(c);
        if word.is_empty() {
            self.list.push(format!("`{part}`: a word is missing beside a `|` or a `&`"));
        } else if !word.chars().all(is_plain) {
            let what = format!("`{part}` is no part of a wording: words are in small letters");
            self.list.push(what);
        }
    }

    fn phrase(&mut self, part: &str, phrase: &'r str) {
        let Some(phrase) = phrase.strip_suffix('}') else {
            return self
                .list
                .push(format!("`{part}`: a `}}` is missing, or something stands behind it"));
        };
        let phrase = phrase.strip_suffix('!').unwrap_or(phrase);
        let (kind, label) = phrase.split_once(':').unwrap_or((phrase, phrase));
        self.labels.push(label);
        let mut features = kind.split('.');
        let name = features.next().unwrap_or_default();
        let Some(kind) = Kind::called(name) else {
            let what = format!(
                "there is no kind of phrase `{{{name}}}`: the kinds are {}",
                listed(Kind::names())
            );
            return self.list.push(what);
        };
        for feature in features {
            self.feature(part, (name, kind), feature.strip_prefix('!').unwrap_or(feature));
        }
    }

    /// A feature of a phrase, without the `!` that turns it round.
    fn feature(&mut self, part: &str, (name, kind): (&str, Kind), feature: &str) {
        if let Some(words) = feature.strip_prefix(WORD_TEST_MARKS) {
            for word in words.split('|') {
                self.word(part, word);
            }
        } else if PhraseTest::called(feature).is_none() {
            self.list.push(no_feature(feature, PhraseTest::names()));
        } else if kind.is_only_words() && Feature::called(feature).is_some() {
            self.list.push(format!(
                "`{part}`: `{{{name}}}` is only words, which are never `{feature}`: another kind names something"
            ));
        }
    }

    fn plain(&mut self, plain: &str) {
        for part in plain.split(' ') {
            if let Some(name) = part.strip_prefix('{') {
                match name.strip_suffix('}') {
                    Some(name) => self.named(name),
                    None => {
                        self.list.push(format!(
                            "`{part}`: a `}}` is missing, or something stands behind it"
                        ));
                    }
                }
            } else if let Some(number) = part.strip_prefix('<') {
                let number = number.trim_end_matches('>');
                let place = number.trim_end_matches(['!', '=']).parse::<usize>();
                if !place.is_ok_and(|place| (1..=self.words).contains(&place)) {
                    let what = format!(
                        "the meaning has `<{number}>`, and the wording has {} such words",
                        self.words
                    );
                    self.list.push(what);
                }
            } else if part.starts_with('>') {
                let what = "`>` stands at the beginning of a meaning that is read by the rows again, and a blank behind it";
                self.list.push(what.to_owned());
            }
        }
    }

    /// A name of the meaning: of a phrase, or of a referent.
    pub(crate) fn named(&mut self, name: &str) {
        if self.labels.contains(&name) {
            return;
        }
        if let Some((said, meant)) = name.split_once('|').filter(|_| !name.contains(':')) {
            let part = format!("{{{name}}}");
            return [said, meant].into_iter().for_each(|label| self.label(&part, label));
        }
        let (referent, argument) = match name.split_once(':') {
            Some((referent, argument)) => (referent, Some(argument)),
            None => (name, None),
        };
        let known = Referent::named(referent).map(Referent::argument);
        match (known, argument) {
            (Some(ReferentArgument::Nothing), None) => {}
            (Some(ReferentArgument::Word), Some(words)) => {
                words.split('|').for_each(|word| self.word(name, word));
            }
            (Some(ReferentArgument::Phrase), Some(label)) => {
                self.label(&format!("{{{name}}}"), label)
            }
            (Some(ReferentArgument::Features), Some(argument)) => {
                for feature in argument.split('.') {
                    let feature = feature.strip_prefix('!').unwrap_or(feature);
                    if Feature::called(feature).is_none() {
                        self.list.push(no_feature(feature, Feature::names()));
                    }
                }
            }
            (None, Some(_)) => {
                let all = Referent::NAMED.iter();
                let all = all.filter(|(_, it)| it.argument() != ReferentArgument::Nothing);
                let what = format!(
                    "a meaning has nothing that is called `{{{referent}:…}}`: there are {}",
                    listed(all.map(|(name, _)| *name))
                );
                self.list.push(what);
            }
            _ => self.list.push(format!("the meaning has `{{{name}}}`, and the wording has not")),
        }
    }

    /// A condition: `wants person gift`.
    fn condition(&mut self, condition: &str) {
        let mut words = condition.split(' ');
        let name = words.next().unwrap_or_default();
        let labels: Vec<&str> = words.collect();
        match PhraseCondition::named(name).map(PhraseCondition::phrases) {
            None => {
                let known = listed(PhraseCondition::NAMED.iter().map(|(name, _)| *name));
                self.list
                    .push(format!("there is no condition `if {name}`: the conditions are {known}"));
            }
            Some(count) if count != labels.len() => {
                let names = if count == 1 { "name" } else { "names" };
                self.list.push(format!(
                    "`if {condition}`: `{name}` has {count} {names} of phrases behind it"
                ));
            }
            Some(_) => {
                for label in labels {
                    self.label(&format!("if {condition}"), label);
                }
            }
        }
    }

    fn label(&mut self, part: &str, label: &str) {
        if !self.labels.contains(&label) {
            self.list.push(format!("`{part}`: the wording has no phrase that is called `{label}`"));
        }
    }
}

pub(crate) fn no_feature<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    format!("there is no feature `{name}`: the features are {}", listed(known))
}

/// The nearest of the names, as a question.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>, mark: &str) -> String {
    let likeness = |known: &&str| english::likeness(name, known);
    let near = known.max_by_key(likeness).filter(|it| likeness(it) > 0);
    near.map_or(String::new(), |near| format!(": is it `{mark}{near}`?"))
}

pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
